"""The members of a schedule, and how a schedule is folded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.forms import (
    calendar_date,
    choice,
    flag,
    later_timestamp,
    local_time,
    number,
    seconds,
    timestamp,
)
from ledger.authored.members import Member, Table, array, inner, join, refuse
from ledger.authored.rrule import RruleRefused, read_rrule
from ledger.authored.zones import is_zone, unknown_zone
from ledger.facts import shown

KINDS = ("cron", "every_s", "at", "rrule", "any")
MAX_INTERVAL_S = 31_622_400
DEFAULT_ANCHOR = "1970-01-01T00:00:00.000000Z"
_WALL_KINDS = frozenset({"cron", "rrule"})


def fold_schedule(value: object, path: str, _above: Mapping[str, object]) -> object:
    """Fold the schedule of a task: exactly one kind, and whatever goes with it."""
    return _fold_kind(SCHEDULE, KINDS, value, path)


def _fold_kind(table: Table, kinds: tuple[str, ...], value: object, path: str) -> dict[str, object]:
    given = table.open(value, path)
    found = [kind for kind in kinds if given.get(kind) is not None]
    if len(found) != 1:
        has = " and ".join(found) or "none"
        refuse(path, f"must have exactly one of {', '.join(kinds)}; it has {has}")
    return table.fold_members(given, path, found[0])


def _fold_any(value: object, path: str, _above: Mapping[str, object]) -> object:
    """The union: 1 to 16 plain schedules, in the author's order; the elements inherit nothing."""
    elements = array(value, path, 1, 16)
    return [
        _fold_kind(ELEMENT, KINDS[:-1], element, join(path, str(i))) for i, element in enumerate(elements)
    ]


def _fold_exclude(value: object, path: str, _above: Mapping[str, object]) -> object:
    """Days and spans in which a slot is no slot; order and repeats stay."""
    elements = array(value, path, 0, 200)
    return [_fold_exclusion(element, join(path, str(i))) for i, element in enumerate(elements)]


def _fold_exclusion(value: object, path: str) -> object:
    given = EXCLUSION.open(value, path)
    if {name for name in given if given[name] is not None} not in ({"on"}, {"from", "to"}):
        refuse(path, 'must be {"on": "2026-12-25"}, {"on": "12-25"} or {"from": …, "to": …}')
    return EXCLUSION.fold_members(given, path)


def _fold_cron(value: object, path: str, above: Mapping[str, object]) -> object:
    if not isinstance(value, str):
        refuse(path, f"must be text, not {shown(value)}; such as '0 9 * * MON'")
    try:
        return _cron_text(value, seconds=above.get("seconds") is True)
    except CronRefused as error:
        refuse(path, error.message, error.shown())


@lru_cache(maxsize=4096)
def _cron_text(text: str, *, seconds: bool) -> str:
    """Many tasks share few texts, so a text that was taken once is not read again."""
    return read_cron(text, seconds=seconds).text


def _fold_rrule(value: object, path: str, _above: Mapping[str, object]) -> object:
    if not isinstance(value, str):
        refuse(path, f"must be text, not {shown(value)}; such as 'RRULE:FREQ=DAILY'")
    try:
        _check_rrule(value)
    except RruleRefused as error:
        refuse(path, error.message, error.shown())
    return value


@lru_cache(maxsize=1024)
def _check_rrule(text: str) -> None:
    """Taken once, a text is not read again."""
    read_rrule(text)


def _fold_zone(value: object, path: str, _above: Mapping[str, object]) -> object:
    if not isinstance(value, str):
        refuse(path, f"must be the name of a zone, such as 'Europe/Paris', not {shown(value)}")
    if not is_zone(value):
        refuse(path, f"{shown(value)} {unknown_zone(value)}")
    return value


_DST = Table(
    Member("gap", choice("shift", "skip"), "shift"),
    Member("overlap", choice("first", "last", "both"), "first"),
)

EXCLUSION = Table(
    Member("on", calendar_date),
    Member("from", timestamp),
    Member("to", later_timestamp("from")),
)

_SECONDS = Member("seconds", flag, False, frozenset({"cron"}))
_CRON = Member("cron", _fold_cron)
_EVERY = (
    Member("every_s", seconds(1, MAX_INTERVAL_S)),
    Member("anchor", timestamp, DEFAULT_ANCHOR, frozenset({"every_s"})),
)
_AT = Member("at", timestamp)
_RRULE = (
    Member("rrule", _fold_rrule),
    Member(
        "start",
        local_time,
        goes_with=frozenset({"rrule"}),
        missing="an rrule needs its first local time, such as 2026-11-30T09:00:00",
    ),
)
_ZONE = (
    Member("timezone", _fold_zone, "UTC"),
    Member("dst", inner(_DST), {}, _WALL_KINDS),
)

ELEMENT = Table(_SECONDS, _CRON, *_EVERY, _AT, *_RRULE, *_ZONE)

SCHEDULE = Table(
    Member("dialect", number(1, 1), 1),
    _SECONDS,
    _CRON,
    *_EVERY,
    _AT,
    *_RRULE,
    Member("any", _fold_any),
    *_ZONE,
    Member("starts_at", timestamp),
    Member("ends_at", later_timestamp("starts_at")),
    Member("exclude", _fold_exclude, []),
    Member("spread_s", seconds(0, 86_400), 0),
)
