"""Requests for `slots` around the changes of every kind of zone: both sides of each reading of `dst`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from conformance.making.sets import Candidate, asking
from conformance.making.zone_changes import KINDS, changes, local, offset

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GAPS = ("shift", "skip")
_OVERLAPS = ("first", "last", "both")
_NOW, _FAR = 1_796_083_200, 4_102_444_800  # the end of November 2026, and of 2099


def zone_requests() -> Iterator[Candidate]:
    for kind, zones in KINDS.items():
        for zone in zones:
            yield from _plain(kind, zone)
            for change in _chosen(zone):
                yield from _around(kind, zone, change, closely=zone == zones[0])


def _plain(kind: str, zone: str) -> Iterator[Candidate]:
    """Times that no change touches, and days over the turn of a year."""
    about = f"{zone} ({kind})"
    yield _slots(f"{about}: nine each day", {"cron": "0 9 * * *"}, zone, "2026-12-30T12:00:00Z", 4)
    yield _slots(f"{about}: before all rules", {"cron": "0 0 * * *"}, zone, "1800-01-01T00:00:00Z", 2)
    yield _slots(
        f"{about}: each quarter of a year, to the end",
        {"cron": "30 6 1 */3 *"},
        zone,
        "2199-01-01T00:00:00Z",
        5,
    )
    yield _slots(f"{about}: the last hours of all", {"cron": "15 */6 * * *"}, zone, "2199-12-31T00:00:00Z", 5)


def _chosen(zone: str) -> list[int]:
    """Changes of the offset to ask around: some that have been, some that are to come."""
    real = [at for at in changes(zone) if offset(zone, at) != offset(zone, at - 1)]
    past = [at for at in real if at < _NOW]
    far = [at for at in real if _NOW <= at < _FAR]
    jumps = [at for at in past if abs(offset(zone, at) - offset(zone, at - 1)) >= 3 * 3600]
    return sorted({*past[-2:], *far[-2:], *jumps[-2:]})


def _around(kind: str, zone: str, change: int, *, closely: bool) -> Iterator[Candidate]:
    """The wall times that the change passes over or shows twice: fixed in each reading, and in real time."""
    before, after = offset(zone, change - 1), offset(zone, change)
    size = abs(after - before)
    start = change + min(before, after)
    forward = after > before
    what = (
        f"{zone} ({kind}), {'forward' if forward else 'back'} {size // 60} min in {local(zone, change).year}"
    )
    since, near = _stamp(change - 86_400), _stamp(change - 2700)
    first, last = (_EPOCH + timedelta(seconds=at) for at in (start, start + size - 60))
    middle = _EPOCH + timedelta(seconds=(start + size // 2) // 60 * 60)
    daily = f"{middle.minute} {middle.hour} * * *"
    for name, reading in (("gap", gap) for gap in _GAPS) if forward else (("overlap", o) for o in _OVERLAPS):
        yield _slots(f"{what}: {reading}", {"cron": daily, "dst": {name: reading}}, zone, since, 4)
    yield _slots(f"{what}: real time", {"cron": "*/20 * * * *"}, zone, near, 8)
    yield _slots(f"{what}: the same written fixed", {"cron": "0-59/20 0-23 * * *"}, zone, near, 8)
    if not closely:
        return
    yield _slots(f"{what}: the first minute", {"cron": f"{first.minute} {first.hour} * * *"}, zone, since, 3)
    edge: dict[str, object] = {"cron": f"{last.minute} {last.hour} * * *", "dst": {"overlap": "both"}}
    yield _slots(f"{what}: the last minute", edge, zone, since, 3)
    real: dict[str, object] = {"cron": f"*/30 {first.hour},{last.hour} * * *"}
    yield _slots(f"{what}: the hours of the change in real time", real, zone, since, 7)
    seconds: dict[str, object] = {"cron": f"30 {first.minute} {first.hour} * * *", "seconds": True}
    yield _slots(f"{what}: with seconds", seconds, zone, since, 3)
    other: dict[str, object] = {"cron": daily, "dst": {"gap": "skip", "overlap": "last"}}
    yield _slots(f"{what}: the other readings", other, zone, since, 4)


def _slots(about: str, schedule: dict[str, object], zone: str, after: str, count: int) -> Candidate:
    made = {**schedule, "timezone": zone}
    return asking(about, {"op": "slots", "schedule": made, "after": after, "count": count})


def _stamp(instant: int) -> str:
    return (_EPOCH + timedelta(seconds=instant)).isoformat().replace("+00:00", "Z")
