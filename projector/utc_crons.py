"""Cron texts in UTC for platforms that keep zones out: a local weekday and time, and intervals that tile.

Such a platform stores a UTC text and nothing else, so the person's zone is asked once, here. A text holds
for as long as the zone's offset does; each answer says from when until when, and nobody is left to find out
in March.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from ledger.authored.friendly import read_duration
from ledger.authored.zones import is_zone, unknown_zone
from ledger.errors import BadInput, TaskRefused
from ledger.facts import shown
from projector.door import read_moment
from projector.slots.schedule import SLOTS_END, instant_at, microseconds
from projector.slots.sources import SECOND_US
from projector.slots.timeline import Reading, Window, timeline
from projector.slots.zones import DAY_S, zone

# From Sunday, as cron counts.
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_DAY_M, _WEEK_M = 1_440, 10_080
# 1970-01-01, from which wall times count, was a Thursday.
_EPOCH_M = 4 * _DAY_M
_HOURS = (1, 2, 3, 4, 6, 8, 12, 24)
_MINUTES = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)
_END_S = SLOTS_END // SECOND_US
# The text of one missing time holds from so long before the change until so long after it began. Nothing else
# runs then: the time of day that is missing there comes hours before and hours after.
_AHEAD_S, _BEHIND_S = 3_600, 60


class UtcCron(NamedTuple):
    """A cron text in UTC that says what was asked from `since` until `until` (exclusive)."""

    cron: str
    since: datetime
    until: datetime


def weekly_utc_crons(
    weekdays: Iterable[str],
    at: time | str,
    timezone: str,
    *,
    start: datetime | str,
    until: datetime | str | None = None,
) -> list[UtcCron]:
    """The UTC cron texts of a weekly local time, such as `["MON", "FRI"]` at `"23:00"` in `"Europe/Paris"`.

    Each weekday is rolled through UTC on its own: local Monday 23:00 may be Tuesday in UTC. Without `until`
    the answer is the text that holds at `start`, and its `until` is when it has to be replaced. With it, all
    texts up to there, in order. Either way, within their times they have together exactly the slots of the
    local rule: a time that clocks skip is moved to the end of the gap, by a text of its own that holds around
    the change, and of one that comes twice the first counts.

    `start` and `until` are aware datetimes, or text with an offset. Raises `BadInput` for what is no weekday,
    time, zone or span, and where the zone's offset is not of whole minutes, as before 1972.
    """
    days, minute = _weekdays(weekdays), _minute(at)
    if not is_zone(timezone):
        raise BadInput(f"timezone: {shown(timezone)} {unknown_zone(timezone)}")
    begin, end = _seconds(start, "start"), _END_S if until is None else _seconds(until, "until")
    if end <= begin:
        raise BadInput(f"until: {until} is not later than start, {start}")
    windows = timeline(zone(timezone), Reading(False)).between(begin - _BEHIND_S, end + _AHEAD_S)
    found: list[UtcCron] = []
    for span in _spans(windows, days, minute):
        low, high = max(span.since, begin), min(span.until, end)
        if low < high:
            text = _cron(span.window, timezone, days, minute)
            found.append(UtcCron(text, instant_at(low * SECOND_US), instant_at(high * SECOND_US)))
            if until is None:
                break
    return found


def interval_utc_cron(every: str | int | timedelta, *, minute: int = 0) -> str:
    """The cron text of an interval that divides the hour or the day: `interval_utc_cron("6h", minute=5)`.

    Others are refused: `*/5` hours would leave four hours at each midnight, and nobody would notice. `every`
    is a duration (`15m`, a timedelta, seconds), `minute` the minute of the hour where it begins. Raises
    `BadInput`, naming the nearest that tile.
    """
    try:
        seconds = read_duration(every, "every")
    except TaskRefused as refused:
        raise BadInput(str(refused)) from refused
    if not isinstance(seconds, int) or isinstance(seconds, bool) or seconds < 1:
        raise BadInput(f"every: {shown(every)} is no interval; write '15m', '6h' or seconds")
    hours, rest = divmod(seconds, 3_600)
    if not rest and hours in _HOURS:
        _check_minute(minute, 60)
        return f"{minute} {'*' if hours == 1 else '0' if hours == 24 else f'*/{hours}'} * * *"
    minutes, rest = divmod(seconds, 60)
    if not rest and minutes in _MINUTES:
        _check_minute(minute, minutes)
        return f"{minute or '*'}/{minutes} * * * *" if minutes > 1 else "* * * * *"
    raise _untiled(seconds)


def _untiled(seconds: int) -> BadInput:
    """The refusal of an interval that leaves an uneven gap, with those beside it that do not."""
    sizes = [(minutes * 60, f"{minutes}m") for minutes in _MINUTES]
    sizes += [(hours * 3_600, f"{hours}h") for hours in _HOURS]
    below = [name for size, name in sizes if size < seconds][-1:]
    above = [name for size, name in sizes if size > seconds][:1]
    whole = "hour" if seconds < 3_600 else "day"
    return BadInput(
        f"every: {seconds} s do not divide the {whole}: a cron text would leave a shorter gap at its end; "
        f"take {' or '.join(below + above)}, or a schedule of every_s, which any interval fits"
    )


def _check_minute(minute: int, below: int) -> None:
    if not 0 <= minute < below:
        raise BadInput(f"minute: {minute} is not between 0 and {below - 1}")


class _Span(NamedTuple):
    """From when until when the text of a window holds, in seconds."""

    since: int
    until: int
    window: Window


def _spans(windows: Iterable[Window], days: frozenset[int], minute: int) -> list[_Span]:
    """The windows in order, each for as long as its text holds; landings of times that were asked for."""
    spans: list[_Span] = []
    for window in windows:
        before = spans[-1] if spans else None
        if window.offset is not None:
            since = window.start if before is None else max(window.start, before.until)
            spans.append(_Span(since, window.end, window))
        elif _misses(window, days, minute) and not (before and before.window.start == window.start):
            since = window.start - _AHEAD_S
            if before is not None:
                since = max(since, before.since)
                spans[-1] = before._replace(until=min(before.until, since))
            spans.append(_Span(since, window.start + _BEHIND_S, window))
    return spans


def _misses(landing: Window, days: frozenset[int], minute: int) -> bool:
    """Whether an asked time is among those that are missing at a landing."""
    return any(
        landing.low <= day * DAY_S + minute * 60 < landing.high and (day + 4) % 7 in days
        for day in range(landing.low // DAY_S, landing.high // DAY_S + 1)
    )


def _cron(window: Window, timezone: str, days: frozenset[int], minute: int) -> str:
    """The text of a window; that of a landing is its own instant."""
    if (window.start if window.offset is None else window.offset) % 60:
        raise BadInput(f"timezone: {timezone} has an offset with seconds then; a cron text cannot say it")
    if window.offset is None:
        return _text([window.start // 60 + _EPOCH_M])
    return _text([day * _DAY_M + minute - window.offset // 60 for day in days])


def _text(moments: Iterable[int]) -> str:
    """The text of moments of the week, in minutes from Sunday 00:00 UTC, which share their time of day."""
    rolled = sorted({moment % _WEEK_M for moment in moments})
    ((hour, minute),) = {divmod(moment % _DAY_M, 60) for moment in rolled}
    names = "*" if len(rolled) == 7 else ",".join(_WEEKDAYS[moment // _DAY_M] for moment in rolled)
    return f"{minute} {hour} * * {names}"


def _weekdays(weekdays: Iterable[str]) -> frozenset[int]:
    given = [weekdays] if isinstance(weekdays, str) else list(weekdays)
    names = [str(day).upper() for day in given]
    for name in names:
        if name not in _WEEKDAYS:
            raise BadInput(f"weekdays: {shown(name)} is none; write {', '.join(_WEEKDAYS)}")
    if not names:
        raise BadInput("weekdays: name at least one of " + ", ".join(_WEEKDAYS))
    return frozenset(_WEEKDAYS.index(name) for name in names)


def _minute(at: time | str) -> int:
    """The minute of the day of `09:30`, or of a time."""
    try:
        read = at if isinstance(at, time) else datetime.strptime(at, "%H:%M").replace(tzinfo=UTC).time()
    except (TypeError, ValueError) as error:
        raise BadInput(f"at: {shown(at)} is no time of day; write 09:30") from error
    if read.second or read.microsecond or read.tzinfo is not None:
        raise BadInput(f"at: {at} must be a local time of whole minutes, such as 09:30")
    return read.hour * 60 + read.minute


def _seconds(when: datetime | str, name: str) -> int:
    seconds = -(-microseconds(read_moment(when, name)) // SECOND_US)
    if not 0 <= seconds <= _END_S:
        raise BadInput(f"{name}: {when} lies outside the years 1970 to 2199")
    return seconds
