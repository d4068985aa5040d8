"""Zones by their kind, and when their offsets change: slots are asked for where it matters.

Only requests are made from this, never an answer. Zones are read from the pinned package, not the host.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from io import BytesIO
from zoneinfo import ZoneInfo

KINDS: dict[str, tuple[str, ...]] = {
    "north": (
        "Europe/Paris",
        "America/New_York",
        "America/Havana",
        "Asia/Jerusalem",
        "Asia/Beirut",
        "Europe/London",
    ),
    "south": (
        "Australia/Sydney",
        "Pacific/Auckland",
        "America/Santiago",
        "America/Asuncion",
        "Pacific/Easter",
    ),
    "half hour": (
        "Asia/Kolkata",
        "Asia/Kathmandu",
        "Australia/Adelaide",
        "America/St_Johns",
        "Pacific/Chatham",
    ),
    "thirty minutes of summer": ("Australia/Lord_Howe", "Australia/LHI"),
    "a day passed over": (
        "Pacific/Apia",
        "Pacific/Kwajalein",
        "Pacific/Fakaofo",
        "Pacific/Kiritimati",
        "Pacific/Kanton",
        "Asia/Manila",
        "America/Juneau",
        "America/Sitka",
    ),
    "two hours of summer": ("Antarctica/Troll",),
    "negative summer": ("Europe/Dublin", "Eire"),
    "Ramadan": ("Africa/Casablanca", "Africa/El_Aaiun"),
    "no summer": ("Asia/Tokyo", "America/Phoenix", "Africa/Lagos", "Asia/Singapore", "America/Caracas"),
    "fixed": ("UTC", "Etc/GMT+5", "Etc/GMT-14", "Etc/GMT+12", "Factory", "Etc/UCT"),
    "link": ("US/Eastern", "Asia/Calcutta", "GB", "NZ-CHAT", "Brazil/East", "PST8PDT", "Asia/Saigon"),
    "a footer of its own": (
        "Asia/Gaza",
        "Asia/Hebron",
        "Africa/Cairo",
        "America/Nuuk",
        "Europe/Chisinau",
        "America/Scoresbysund",
        "America/Miquelon",
        "Pacific/Norfolk",
    ),
    "hours at once": (
        "Antarctica/Casey",
        "Antarctica/Vostok",
        "Antarctica/Davis",
        "Antarctica/Mawson",
        "Europe/Moscow",
    ),
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STRIDE = 16 * 86_400
_LAST = 7_258_118_400  # 2200-01-01
_HEADER = struct.Struct(">4sc15x6L")


@cache
def changes(zone: str) -> list[int]:
    """The Unix seconds up to 2199 at which something about the zone changes, mostly its offset."""
    raw = _raw(zone)
    *_, leaps, times, types, letters = _HEADER.unpack_from(raw)
    skipped = _HEADER.size + times * 5 + types * 6 + letters + leaps * 8 + sum(_HEADER.unpack_from(raw)[2:4])
    times = _HEADER.unpack_from(raw, skipped)[5]
    listed = struct.unpack_from(f">{times}q", raw, skipped + _HEADER.size)
    return [*listed, *(_behind(zone, max(listed[-1], 0)) if b"," in raw.rsplit(b"\n", 2)[1] else ())]


def _behind(zone: str, start: int) -> Iterator[int]:
    """What the footer of a zone with summer time makes, behind the last change of its file."""
    clock = _clock(zone)
    offset = _offset(clock, start)
    for end in range(start + _STRIDE, _LAST, _STRIDE):
        if (after := _offset(clock, end)) != offset:
            yield _change(clock, start, end, offset)
            offset = after
        start = end


def met(zone: str, after: int, until: int) -> int:
    """How many changes of the zone lie behind `after`, up to and with `until`."""
    instants = changes(zone)
    return bisect_right(instants, until) - bisect_left(instants, after + 1)


def kind_of(zone: str) -> str:
    """The kind under which the zone is listed, or "another"."""
    return next((kind for kind, zones in KINDS.items() if zone in zones), "another")


def local(zone: str, instant: int) -> datetime:
    """The wall clock at an instant."""
    return (_EPOCH + timedelta(seconds=instant)).astimezone(_clock(zone))


def _raw(zone: str) -> bytes:
    return files("tzdata").joinpath("zoneinfo", *zone.split("/")).read_bytes()


def offset(zone: str, instant: int) -> int:
    """The offset at an instant, in seconds east of UTC."""
    return (_offset(_clock(zone), instant) or timedelta()) // timedelta(seconds=1)


@cache
def _clock(zone: str) -> ZoneInfo:
    return ZoneInfo.from_file(BytesIO(_raw(zone)), zone)


def _offset(clock: ZoneInfo, instant: int) -> timedelta | None:
    return (_EPOCH + timedelta(seconds=instant)).astimezone(clock).utcoffset()


def _change(clock: ZoneInfo, start: int, end: int, offset: timedelta | None) -> int:
    """The first instant after `start`, up to `end`, that has another offset; found by halves."""
    while end - start > 1:
        middle = (start + end) // 2
        if _offset(clock, middle) == offset:
            start = middle
        else:
            end = middle
    return end
