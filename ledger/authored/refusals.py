"""A text that was not taken, and the place in it where reading stopped."""

from __future__ import annotations

from ledger.errors import BadInput

_BEFORE, _WIDTH = 40, 80


class TextRefused(BadInput):
    """A text was not taken. `position` counts from 0 in `text`, as it was written, its blanks folded."""

    def __init__(self, message: str, position: int, text: str) -> None:
        super().__init__(message)
        self.position = position
        self.text = text

    def shown(self) -> str:
        """The text and, on a second line, a caret under the place; for a terminal."""
        start = max(0, self.position - _BEFORE)
        line = "".join(sign if sign.isprintable() else "?" for sign in self.text[start : start + _WIDTH])
        return f"{line}\n{' ' * (self.position - start)}^"
