"""The doors: what Python and YAML have handier words for becomes the plain JSON that `fold` takes.

A duration may be `15m`, `1h30m` or a timedelta, a timestamp an aware datetime, a day a date. Only the
members that say a duration or a time are read so; the opaque values are not touched. What is stored,
digested and shown back is the plain form alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Protocol, TypeAlias, runtime_checkable

from ledger.authored.members import join, refuse
from ledger.facts import instant_text, shown

_Reader: TypeAlias = Callable[[object, str], object]

_DURATION = re.compile(
    r"(?=.)(?:([0-9]{1,9})w)? ?(?:([0-9]{1,9})d)? ?(?:([0-9]{1,9})h)? ?(?:([0-9]{1,9})m)? ?(?:([0-9]{1,9})s)?"
)
_UNITS_S = (604_800, 86_400, 3_600, 60, 1)


@runtime_checkable
class Written(Protocol):
    """A task, or a part of one, written as an object of Python: it can say which members were given."""

    def members(self) -> Mapping[str, object]:
        """The members that were given, parts and friendlier forms as they are."""
        ...


def plain_task(task: object) -> object:
    """The plain JSON object of a task, a `Task` or a mapping, written with friendlier forms.

    What it cannot read it leaves to `fold`. Raises TaskRefused, with the member's path, for text that is
    no duration, a duration with a fraction of a second, a datetime with a zone where there must be none
    and without where there must be one.
    """
    return _object(_TASK)(task, "")


def _object(readers: Mapping[str, _Reader]) -> _Reader:
    def read(value: object, path: str) -> object:
        if isinstance(value, Written):
            value = value.members()
        if not isinstance(value, Mapping):
            return value
        members: dict[object, object] = {}
        for given, member in value.items():
            # YAML 1.1 reads the bare name `on` as true.
            name = "on" if given is True and "on" in readers else given
            reader = readers.get(name) if isinstance(name, str) else None
            members[name] = reader(member, join(path, name)) if reader else member
        return members

    return read


def _array(reader: _Reader) -> _Reader:
    def read(value: object, path: str) -> object:
        if not isinstance(value, list | tuple):
            return value
        return [reader(element, join(path, str(i))) for i, element in enumerate(value)]

    return read


def _duration(value: object, path: str) -> object:
    """Whole seconds of a timedelta or of a text such as `1h30m`."""
    if isinstance(value, timedelta):
        if value.microseconds:
            refuse(path, f"{value} has a fraction of a second; durations are whole seconds")
        return value.days * 86_400 + value.seconds
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value)
    if not match or not any(match.groups()):
        refuse(path, f"{shown(value)} is no duration; write 900, '15m' or '1h30m' (w d h m s, in this order)")
    return sum(int(count or 0) * unit for count, unit in zip(match.groups(), _UNITS_S, strict=True))


def read_duration(value: object, name: str) -> object:
    """Whole seconds of a duration in the friendlier forms; anything else as it is.

    Raises TaskRefused, with `name` as its path.
    """
    return _duration(value, name)


def _instant(value: object, path: str) -> object:
    """The canonical text of an aware datetime."""
    if not isinstance(value, date):
        return value
    if not isinstance(value, datetime):
        refuse(path, f"{value} is a whole day; write an instant, such as {value}T09:00:00Z")
    if value.utcoffset() is None:
        refuse(path, f"{value} has no zone; write it with Z or an offset, or give the datetime a tzinfo")
    try:
        return instant_text(value.astimezone(UTC))
    except OverflowError:
        refuse(path, f"{value} lies outside the years 1 to 9999 in UTC")


def _local_time(value: object, path: str) -> object:
    """The local text of a datetime without a zone; the schedule's timezone says where it is."""
    if not isinstance(value, datetime):
        return value
    if value.utcoffset() is not None:
        refuse(path, f"{value} has an offset; write the local time without one, the timezone says where")
    return value.isoformat()


def _day(value: object, path: str) -> object:
    """The text of a date."""
    if isinstance(value, datetime):
        refuse(path, f"{value} is an instant; write a day, such as 2026-12-25 or 12-25")
    return value.isoformat() if isinstance(value, date) else value


_MOMENTS: dict[str, _Reader] = {
    "every_s": _duration,
    "anchor": _instant,
    "at": _instant,
    "start": _local_time,
}
_EXCLUSION: dict[str, _Reader] = {"on": _day, "from": _instant, "to": _instant}
_SCHEDULE: dict[str, _Reader] = {
    **_MOMENTS,
    "any": _array(_object({**_MOMENTS, "dst": _object({})})),
    "dst": _object({}),
    "starts_at": _instant,
    "ends_at": _instant,
    "exclude": _array(_object(_EXCLUSION)),
    "spread_s": _duration,
}
_TASK: dict[str, _Reader] = {
    "schedule": _object(_SCHEDULE),
    "misfire": _object({"grace_s": _duration}),
    "timeout_s": _duration,
    "retry": _object({"on": lambda value, _path: value, "backoff_s": _duration, "max_s": _duration}),
    "min_interval_s": _duration,
    "max_interval_s": _duration,
    "paused_until": _instant,
    "labels": _object({}),
}
