"""Text from outside, as a column can keep it."""

from __future__ import annotations

from typing import Final, overload

LIMIT: Final = 65_536
MARK: Final = " … (cut)"


@overload
def bounded(text: str) -> str: ...
@overload
def bounded(text: None) -> None: ...
def bounded(text: str | None) -> str | None:
    """A text of at most 64 KiB of UTF-8, cut with a mark; NUL and lone surrogates, which Postgres cannot
    keep, are written as escapes.
    """
    if text is None:
        return None
    safe = text.replace("\x00", "\\u0000").encode("utf-8", "backslashreplace")
    if len(safe) <= LIMIT:
        return safe.decode("utf-8")
    return safe[: LIMIT - len(MARK.encode())].decode("utf-8", "ignore") + MARK
