"""The kind `python`: callables that this process has registered. A row never names code to import."""

from __future__ import annotations

from dispatcher.registry import Handler, Registry
from ledger.authored.models import Definition


class Python:
    """Runs the handlers of a registry: coroutine functions on the event loop, all others on threads."""

    def __init__(self, registry: Registry) -> None:
        self._registered = registry

    @property
    def looped(self) -> bool:
        return self._registered.looped

    @property
    def in_turn(self) -> bool:
        return self._registered.threaded

    def handler(self, definition: Definition) -> Handler | str:
        """The callable registered under the entrypoint."""
        name = definition.entrypoint
        return self._registered.get(name) or self._registered.unknown(name)

    async def close(self) -> None:
        """Nothing is held open: threads are the workers'."""
