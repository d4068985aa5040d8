"""One field of a cron text: its items, read by a grammar that is written down whole.

Every form of an item stands here, and what is not written down is refused where it stands in the text,
by name if it is known elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn

from ledger.authored.refusals import TextRefused


class CronRefused(TextRefused):
    """A cron text was not taken."""


class Kind(NamedTuple):
    """One field: its name in messages, its bounds, and the names that stand for numbers."""

    name: str
    low: int
    high: int
    names: dict[str, int]


_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
SECOND = Kind("second", 0, 59, {})
MINUTE = Kind("minute", 0, 59, {})
HOUR = Kind("hour", 0, 23, {})
DAY = Kind("day of month", 1, 31, {})
MONTH = Kind("month", 1, 12, {name: n for n, name in enumerate(_MONTHS, 1)})
WEEKDAY = Kind("day of week", 0, 6, {name: n for n, name in enumerate(_WEEKDAYS)})
FIVE_FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
_KINDS = {kind.name: kind for kind in (SECOND, *FIVE_FIELDS)}

_ITEM = re.compile(r"(?:\*|(\d{1,3}|[A-Z]{3})(?:-(\d{1,3}|[A-Z]{3}))?)(?:/(\d{1,3}))?", re.ASCII)
_NEAREST = re.compile(r"(\d{1,3})W", re.ASCII)
_NTH = re.compile(r"(\d{1,3}|[A-Z]{3})#(\d{1,3})", re.ASCII)
_LAST = re.compile(r"(\d{1,3}|[A-Z]{3})L", re.ASCII)
# Known elsewhere, and refused here by name: whoever writes it expects it to work.
_BY_NAME = (
    (re.compile(r"H(?:\(.*|/.*|-.*)?"), "H (a hashed time) is not taken; write the number, or use spread_s"),
    (
        re.compile(r"R(?:\(.*|/.*|-.*)?"),
        "R (a random time) is not taken: a slot is the same for everyone",
    ),
    (re.compile(r".*~.*"), "~ (a random range) is not taken: a slot is the same for everyone"),
    (re.compile(r"L-.*"), "L-n (days before the last) is not taken"),
    (re.compile(r"(?:LW|WL)"), "LW (the last weekday of the month) is not taken"),
)


class Field(NamedTuple):
    """What one field says: its plain members, the items for croniter, and the special items."""

    members: frozenset[int]
    normal: str
    uneven: tuple[str, ...]
    last_day: bool
    nearest: frozenset[int]
    nth: frozenset[tuple[int, int]]
    last: frozenset[int]

    def special(self) -> bool:
        return bool(self.last_day or self.nearest or self.nth or self.last)


def read_field(kind: Kind, word: str, place: int, text: str) -> Field:
    """Read the field `word`, which stands at `place` in the folded `text`; raises CronRefused."""
    try:
        return _read(kind.name, word)
    except CronRefused as refused:
        raise CronRefused(refused.message, place + refused.position, text) from None


@lru_cache(maxsize=1024)
def _read(kind: str, word: str) -> Field:
    """Many texts share few fields, so one that was taken is not read again."""
    return _Reader(_KINDS[kind], word).field()


class _Reader:
    """Reads one field, knowing which place in it is read so that a refusal can point at it."""

    def __init__(self, kind: Kind, word: str) -> None:
        self.kind = kind
        self.word = word
        self.place = 0
        self.members: set[int] = set()
        self.plain: list[str] = []
        self.uneven: list[str] = []
        self.last_day = False
        self.nearest: set[int] = set()
        self.nth: set[tuple[int, int]] = set()
        self.last: set[int] = set()

    def field(self) -> Field:
        if self.word == "?" and self.kind in (DAY, WEEKDAY):
            self.read_item("*")
        else:
            for item in self.word.split(","):
                self.read_item(item)
                self.place += len(item) + 1
        return Field(
            frozenset(self.members),
            self.normal(),
            tuple(self.uneven),
            self.last_day,
            frozenset(self.nearest),
            frozenset(self.nth),
            frozenset(self.last),
        )

    def normal(self) -> str:
        """The field for croniter: one item as it is, else the members, which cost it the least."""
        if "*" in self.plain or not self.members:
            return "*"
        if len(self.plain) == 1:
            return self.plain[0]
        return ",".join(map(str, sorted(self.members)))

    def refuse(self, message: str) -> NoReturn:
        raise CronRefused(f"{self.kind.name}: {message}", self.place, self.word)

    def read_item(self, item: str) -> None:
        match = _ITEM.fullmatch(item)
        if match is not None:
            start, end, step = match.groups()
            self.add(item, start, end, int(step) if step is not None else None)
        elif not self.read_special(item):
            self.refuse_item(item)

    def read_special(self, item: str) -> bool:
        """L and nW of day of month, d#n and dL of day of week; False if the item is none of them."""
        if self.kind is DAY:
            if item == "L":
                self.last_day = True
                return True
            if match := _NEAREST.fullmatch(item):
                day = int(match[1])
                if not 1 <= day <= 28:
                    self.refuse(f"{item}: nW takes the days 1 to 28, which every month has")
                self.nearest.add(day)
                return True
        if self.kind is WEEKDAY:
            if match := _NTH.fullmatch(item):
                nth = int(match[2])
                if not 1 <= nth <= 5:
                    self.refuse(f"{item}: d#n takes n from 1 to 5")
                self.nth.add((self.number(match[1]) % 7, nth))
                return True
            if match := _LAST.fullmatch(item):
                self.last.add(self.number(match[1]) % 7)
                return True
        return False

    def add(self, item: str, start: str | None, end: str | None, step: int | None) -> None:
        """Add the members of `*`, `a` or `a-b`, each with a step or without (None)."""
        low, high = self.kind.low, self.kind.high
        if step == 0:
            self.refuse(f"{item}: a step is at least 1")
        members = range(low, high + 1, step or 1) if start is None else self.span(item, start, end, step)
        self.plain.append(item if start is None else _plain(members))
        if step is not None and end is None and len(members) * step != high + 1 - low:
            self.uneven.append(item)
        self.members.update(members)

    def span(self, item: str, start: str, end: str | None, step: int | None) -> Sequence[int]:
        """The members of an item that begins with a number."""
        low, top = self.kind.low, self.kind.high
        written = self.number(start)
        # Only a weekday can lie above: 7 is Sunday.
        first = 0 if written > top else written
        if end is None:
            return range(first, first + 1 if step is None else top + 1, step or 1)
        last = self.number(end)
        if last > top:
            return [n % 7 for n in range(written, last + 1, step or 1)]
        if first > last:
            if step is not None:
                self.refuse(f"{item}: a range that wraps takes no step; write a list")
            return [*range(first, top + 1), *range(low, last + 1)]
        return range(first, last + 1, step or 1)

    def number(self, written: str) -> int:
        """A number or name of the field; 7 stays 7 in day of week."""
        if written[0].isdigit():
            number = int(written)
            top = 7 if self.kind is WEEKDAY else self.kind.high
            if not self.kind.low <= number <= top:
                self.refuse(f"{written} is out of range; it goes from {self.kind.low} to {top}")
            return number
        if written not in self.kind.names:
            names = (
                f"the names are {' '.join(self.kind.names)}" if self.kind.names else "it takes numbers only"
            )
            self.refuse(f"{written!r} is not known; {names}")
        return self.kind.names[written]

    def refuse_item(self, item: str) -> NoReturn:
        for pattern, message in _BY_NAME:
            if pattern.fullmatch(item):
                self.refuse(message)
        if not item:
            self.refuse("an item is missing; a list is written 1,2,3")
        if "?" in item:
            self.refuse("'?' stands alone, in day of month or day of week")
        shown = item if len(item) <= 40 else f"{item[:40]}…"
        self.refuse(f"{shown!r} is not an item; write *, a, a-b, */n, a/n or a-b/n")


def _plain(members: Sequence[int]) -> str:
    """Members as croniter is to read them: a range if they are one of several, else one by one."""
    if isinstance(members, range) and len(members) > 1:
        return f"{members[0]}-{members[-1]}" + (f"/{members.step}" if members.step > 1 else "")
    return ",".join(map(str, sorted(set(members))))
