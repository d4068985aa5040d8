"""The callables that a process offers by name. A row never names code to import, only one of these names."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

from dispatcher.run import Run
from ledger.errors import BadInput

AsyncHandler: TypeAlias = Callable[[Run], Awaitable[object]]
SyncHandler: TypeAlias = Callable[[Run], object]
H = TypeVar("H", bound=SyncHandler)

NAME_MOST = 2000


@dataclass(frozen=True, slots=True)
class Handler:
    """What does the work of a run: a coroutine function, or one that runs on a thread.

    `noted`: it hands the run over to another machine, and the ledger is told before it begins. `in_turn`: a
    coroutine function of which only a few may run at once.
    """

    name: str
    on_loop: AsyncHandler | None
    on_thread: SyncHandler | None = None
    noted: bool = False
    in_turn: bool = False


class Registry:
    """Names and their handlers.

        registry = Registry()

        @registry.handler("report")
        async def report(run: Run) -> object: ...

    Coroutine functions run as tasks of the event loop, all others each on a thread of a pool.
    """

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def handler(self, name: str) -> Callable[[H], H]:
        """Register the decorated callable under `name`, the entrypoint of the tasks that it serves.

        Raises BadInput for a name that is no entrypoint, or that is taken.
        """
        if not 1 <= len(name) <= NAME_MOST or "\x00" in name:
            raise BadInput(f"registering a handler: a name has 1 to {NAME_MOST} characters, unlike {name!r}")

        def register(function: H) -> H:
            if name in self._handlers:
                raise BadInput(f"registering a handler: {name!r} is taken already; each name has one handler")
            if not callable(function):
                raise BadInput(f"registering a handler: {name!r} is to be a callable, not {function!r}")
            on_loop = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
                type(function).__call__
            )
            self._handlers[name] = Handler(
                name,
                cast("AsyncHandler", function) if on_loop else None,
                None if on_loop else function,
            )
            return function

        return register

    def get(self, name: str) -> Handler | None:
        return self._handlers.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._handlers))

    def __len__(self) -> int:
        return len(self._handlers)

    @property
    def threaded(self) -> bool:
        """Whether any handler needs a thread."""
        return any(handler.on_thread for handler in self._handlers.values())

    @property
    def looped(self) -> bool:
        """Whether any handler runs on the event loop."""
        return any(handler.on_loop for handler in self._handlers.values())

    def unknown(self, name: str) -> str:
        """What is said of a run whose entrypoint nobody registered."""
        known = ", ".join(repr(each) for each in list(self)[:20]) or "none"
        more = f" and {len(self) - 20} more" if len(self) > 20 else ""
        return (
            f"no handler is registered for the entrypoint {name!r}; registered: {known}{more}. "
            "Register it in the app that `ledger run` is given, or edit the task"
        )
