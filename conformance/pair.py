"""The product and the second implementation, asked the same lines at the same time, apart from each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from conformance import second
from conformance.lacking import NOT_IMPLEMENTED, may_lack
from conformance.program import Program
from conformance.runner import without_message
from conformance.values import NotJson, read, rendering

# The product itself: asked through a pipe like any other, never imported.
PRODUCT = (sys.executable, "-m", "projector.protocol")


class Pair:
    """Both implementations, running. Use it in a `with` block. Raises NotInstalled, Unstartable."""

    def __init__(self, *, timeout: float = 60.0) -> None:
        command = second.command()
        self._product = Program(PRODUCT, timeout=timeout)
        self._second = Program(command, timeout=timeout)
        self._threads = ThreadPoolExecutor(2)

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._threads.shutdown()
        self._product.kill()
        self._second.kill()

    def ask(self, lines: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
        """Both answers to each line, the product's first. Raises ProgramFault."""
        asked = [self._threads.submit(program.ask, lines) for program in (self._product, self._second)]
        product, other = (future.result() for future in asked)
        return list(zip(product, other, strict=True))

    def finish(self) -> None:
        """See both end in order. Raises ProgramFault."""
        self._product.finish()
        self._second.finish()


def lacks(line: bytes, product: bytes, other: bytes) -> bool:
    """Whether the second implementation said that it lacks what the product answered, and may lack it."""
    try:
        first, second_ = read(product), read(other)
    except NotJson:
        return False
    answered = isinstance(first, dict) and "error" not in first
    return answered and second_ == NOT_IMPLEMENTED and may_lack(line)


def agreed(product: bytes, other: bytes) -> dict[str, object] | None:
    """The answer that both gave, as it is compared, or None where they differ or one is no answer."""
    try:
        first, second_ = read(product), read(other)
    except NotJson:
        return None
    if not isinstance(first, dict) or not isinstance(second_, dict):
        return None
    first, second_ = without_message(first), without_message(second_)
    return first if rendering(first) == rendering(second_) else None
