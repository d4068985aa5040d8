"""Zones out of the pinned tzdata package: when the offset changes, and to what. Never the host's files.

A zone is read whole, once, into the stretches of time during which its offset does not change. The
walk over slots needs exactly that, and nothing that asks a zone about one instant at a time can tell
it: a change of name or of the summer-time flag is no change here, a change of the offset for any
cause is one.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.metadata import version

from ledger.authored.zones import read_zone
from ledger.errors import Misconfigured
from ledger.release import RELEASE

DAY_S = 86_400
EPOCH_DAY = date(1970, 1, 1).toordinal()
# The first and last year that rules are written out for: one more than slots have on either side.
_FIRST_YEAR = 1799
_LAST_YEAR = 2201
# Before all and after all: seconds that no instant of ours reaches.
BEGINNING = -(1 << 40)
END = 1 << 40
_NAME = re.compile(r"[A-Za-z0-9_+\-]+(?:/[A-Za-z0-9_+\-]+)*", re.ASCII)
_HEADER = struct.Struct(">4s1s15x6l")
_FOOTER = re.compile(
    r"(?:[A-Za-z]+|<[^>]+>)(?P<std>[+-]?[0-9:]+)"
    r"(?:(?:[A-Za-z]+|<[^>]+>)(?P<dst>[+-]?[0-9:]+)?"
    r",(?P<start>[^,/]+)(?:/(?P<start_time>[^,]+))?,(?P<end>[^,/]+)(?:/(?P<end_time>[^,]+))?)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone's stretches: stretch i begins at `starts[i]` (seconds from 1970, UTC; the first at BEGINNING)
    and has the offset `offsets[i]` (seconds east). Neighbours differ in their offset."""

    name: str
    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    def offset_at(self, instant: int) -> int:
        """The offset, in seconds east, at an instant in seconds from 1970, UTC."""
        return self.offsets[bisect_right(self.starts, instant) - 1]

    def stretch(self, instant: int) -> tuple[int, int, int]:
        """Start, end (exclusive) and offset of the stretch that an instant lies in, all in seconds."""
        n = bisect_right(self.starts, instant)
        return self.starts[n - 1], self.starts[n] if n < len(self.starts) else END, self.offsets[n - 1]


@lru_cache(maxsize=1024)
def zone(name: str) -> Zone:
    """Read a zone by its name; raises Misconfigured if the installed tzdata has no such zone."""
    if not _NAME.fullmatch(name):
        raise Misconfigured(f"{name!r} cannot be the name of a zone")
    try:
        content = read_zone(name)
    except LookupError as error:
        raise Misconfigured(
            f"zone {name!r} is not in tzdata {version('tzdata')};"
            " name another zone, or install the release it is in"
        ) from error
    if version("tzdata") != RELEASE.tzdata:
        raise Misconfigured(
            f"tzdata {RELEASE.tzdata} was replaced by {version('tzdata')} under this process; start it again"
        )
    starts, offsets = _merged(_changes(content))
    return Zone(name, starts, offsets)


def _merged(changes: list[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Drop changes that change no offset, and all but the last of those at one instant."""
    starts: list[int] = []
    offsets: list[int] = []
    for start, offset in changes:
        if starts and starts[-1] == start:
            starts.pop()
            offsets.pop()
        if not offsets or offsets[-1] != offset:
            starts.append(start)
            offsets.append(offset)
    return tuple(starts), tuple(offsets)


def _changes(content: bytes) -> list[tuple[int, int]]:
    """(start, offset) in order, from the 64-bit block of a TZif file (RFC 8536) and its footer."""
    counts = _HEADER.unpack_from(content)[2:]
    isutc, isstd, leap, time, kind, char = counts
    second = _HEADER.size + time * 5 + kind * 6 + char + leap * 8 + isstd + isutc
    isutc, isstd, leap, time, kind, char = _HEADER.unpack_from(content, second)[2:]
    at = second + _HEADER.size
    times = struct.unpack_from(f">{time}q", content, at)
    kinds = content[at + time * 8 : at + time * 9]
    at += time * 9
    offsets = [struct.unpack_from(">l", content, at + n * 6)[0] for n in range(kind)]
    at += kind * 6 + char + leap * 12 + isstd + isutc
    changes = [(BEGINNING, offsets[0])]
    changes += [(start, offsets[n]) for start, n in zip(times, kinds, strict=True)]
    footer = content[at:].strip(b"\n").decode("ascii")
    last = times[-1] if times else BEGINNING
    return changes + [change for change in _ruled(footer, last) if change[0] > last]


def _ruled(footer: str, last: int) -> list[tuple[int, int]]:
    """The changes that the footer's rule makes, up to the last year, from the year of `last` on."""
    match = _FOOTER.fullmatch(footer)
    if match is None:
        if footer:
            raise Misconfigured(f"the rule {footer!r} of a zone in tzdata {version('tzdata')} cannot be read")
        return []
    if match["start"] is None:
        return []
    std = -_seconds(match["std"])
    dst = -_seconds(match["dst"]) if match["dst"] else std + 3600
    start_time, end_time = _seconds(match["start_time"] or "2"), _seconds(match["end_time"] or "2")
    first_year = _FIRST_YEAR if last == BEGINNING else date.fromordinal(last // DAY_S + EPOCH_DAY).year
    changes = []
    for year in range(first_year, _LAST_YEAR + 1):
        changes.append((_rule_day(match["start"], year) * DAY_S + start_time - std, dst))
        changes.append((_rule_day(match["end"], year) * DAY_S + end_time - dst, std))
    return sorted(changes)


def _seconds(written: str) -> int:
    """`[+-]h[:m[:s]]` in seconds."""
    sign = -1 if written.startswith("-") else 1
    parts = [int(part) for part in written.lstrip("+-").split(":")]
    return sign * sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))


def _rule_day(rule: str, year: int) -> int:
    """The day, counted from 1970, that `Mm.w.d`, `Jn` or `n` names in a year."""
    new_year = date(year, 1, 1).toordinal() - EPOCH_DAY
    if rule[0] == "M":
        month, week, weekday = (int(part) for part in rule[1:].split("."))
        first = date(year, month, 1).toordinal() - EPOCH_DAY
        following = date(year + month // 12, month % 12 + 1, 1).toordinal() - EPOCH_DAY
        # 1970-01-01 was a Thursday, the fourth day from Sunday.
        day = first + (weekday - (first + 4)) % 7 + 7 * (week - 1)
        return day if day < following else day - 7
    if rule[0] == "J":
        day = int(rule[1:])
        leap = date(year, 12, 31).toordinal() - EPOCH_DAY - new_year == 365
        return new_year + day - 1 + (leap and day >= 60)
    return new_year + int(rule)
