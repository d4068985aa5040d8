"""Cases for the Governor: what each rule decides, worked by hand on an hour that is easy to read.

The rule is every ten minutes unless a case says otherwise; `after` is 12:00 and `base` 12:00:03, as of a run
that began three seconds after its slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from ledger.authored.fold import fold
from ledger.authored.models import Definition
from projector.moves.trail import Hint, Passing

AFTER = datetime(2026, 6, 1, 12, tzinfo=UTC)
BASE = AFTER + timedelta(seconds=3)
TEN: dict[str, object] = {"every_s": 600}
NEVER_AGAIN: dict[str, object] = {"at": "2026-06-01T11:00:00Z"}


def at(text: str) -> datetime:
    """`12:34` or `12:34:56.7` of the day."""
    return datetime.fromisoformat(f"2026-06-01T{text}+00:00")


def every(seconds: int, given: str = "11:55", expires: str = "20:00") -> Hint:
    return Hint("interval", at(given), at(expires), every=timedelta(seconds=seconds))


def once(when: str, given: str = "11:55", expires: str = "20:00") -> Hint:
    return Hint("oneshot", at(given), at(expires), at=at(when))


def definition(schedule: Mapping[str, object] = TEN, /, **members: object) -> Definition:
    return Definition.of(fold({"entrypoint": "x", "schedule": dict(schedule), **members}).canonical)


class Case(NamedTuple):
    """What goes in, and the due, source, wake, and `passed` (reason, first, last, count) that come out."""

    due: str | None
    source: str | None
    hints: tuple[Hint, ...] = ()
    members: Mapping[str, object] = MappingProxyType({})
    wake: str = "schedule"
    passed: tuple[tuple[str, str, str, int], ...] = ()
    schedule: dict[str, object] = TEN
    passing: Passing | None = None
    after: datetime = AFTER
    base: datetime = BASE


PAUSED: Mapping[str, object] = {"paused_until": "2026-06-01T12:45:00Z"}
AT_END: Mapping[str, object] = {**PAUSED, "resume": "at_end"}

CASES: dict[str, Case] = {
    # --- the baseline, in the words of its kind
    "interval": Case("12:10", "baseline-interval"),
    "cron": Case("12:15", "baseline-cron", schedule={"cron": "15 * * * *"}),
    "at": Case("18:00", "baseline-at", schedule={"at": "2026-06-01T18:00:00Z"}),
    "union": Case("12:20", "baseline-union", schedule={"any": [{"cron": "20 * * * *"}, {"every_s": 3600}]}),
    "ended": Case(None, None, wake="end", schedule=NEVER_AGAIN),
    "past or not": Case("12:10", "baseline-interval", base=at("15:00")),
    # --- an interval alone
    "a shorter interval wins": Case("12:01:03", "ai-interval", (every(60),), wake="hint"),
    "a longer interval wins": Case(
        "12:30:03", "ai-interval", (every(1800),), wake="hint", passed=(("hint", "12:10", "12:30", 3),)
    ),
    "not before it was given": Case("12:05", "ai-interval", (every(60, given="12:05"),), wake="hint"),
    "a tie goes to the baseline": Case("12:10", "baseline-interval", (every(597),)),
    "it opens a row where the series has ended": Case(
        "12:01:03", "ai-interval", (every(60),), wake="hint", schedule=NEVER_AGAIN
    ),
    "an interval long past is at once": Case(
        "14:00:00.000001", "ai-interval", (every(600),), wake="hint", after=at("14:00")
    ),
    "an interval at the frontier is at once": Case(
        "12:00:00.000001", "ai-interval", (every(600),), wake="hint", base=at("11:50")
    ),
    "an interval long past and expired says nothing": Case(
        "14:10", "baseline-interval", (every(600, expires="14:00"),), after=at("14:00")
    ),
    "an instant long past says nothing": Case(
        "14:10", "baseline-interval", (once("13:00"),), after=at("14:00")
    ),
    # --- a one-shot alone
    "an earlier instant wins": Case("12:04", "ai-oneshot", (once("12:04"),), wake="hint"),
    "a later instant does not": Case("12:10", "baseline-interval", (once("12:14"),)),
    "an instant on the slot is the baseline": Case("12:10", "baseline-interval", (once("12:10"),)),
    "an instant is not before its giving": Case(
        "12:06", "ai-oneshot", (once("12:04", given="12:06"),), wake="hint"
    ),
    "an instant is not before the base": Case(
        "12:08", "ai-oneshot", (once("12:04"),), wake="hint", base=at("12:08")
    ),
    "an instant that a slot has covered is over": Case("12:10", "baseline-interval", (once("11:59"),)),
    "an instant at the frontier is over": Case("12:10", "baseline-interval", (once("12:00"),)),
    # --- both
    "of both the interval is earlier": Case(
        "12:01:03", "ai-interval", (every(60), once("12:04")), wake="hint"
    ),
    "of both the instant is earlier": Case("12:04", "ai-oneshot", (every(1800), once("12:04")), wake="hint"),
    "of both later than the baseline it is ignored": Case(
        "12:25",
        "ai-oneshot",
        (every(1800), once("12:25")),
        wake="hint",
        passed=(("hint", "12:10", "12:20", 2),),
    ),
    "of two equal the interval": Case("12:05:03", "ai-interval", (every(300), once("12:05:03")), wake="hint"),
    # --- freshness
    "expired before the base": Case("12:10", "baseline-interval", (every(60, expires="12:00:02"),)),
    "expires at the base": Case("12:10", "baseline-interval", (every(60, expires="12:00:03"),)),
    "expires after the base": Case("12:01:03", "ai-interval", (every(60, expires="12:00:04"),), wake="hint"),
    "it counts though it expires before its instant": Case(
        "12:30:03",
        "ai-interval",
        (every(1800, expires="12:05"),),
        wake="hint",
        passed=(("hint", "12:10", "12:30", 3),),
    ),
    "an expired one leaves the other": Case(
        "12:04", "ai-oneshot", (every(60, expires="12:00"), once("12:04")), wake="hint"
    ),
    # --- bounds
    "the lower bound": Case(
        "12:15:03",
        "clamped-min",
        members={"min_interval_s": 900},
        passed=(("clamp", "12:10", "12:10", 1),),
    ),
    "the lower bound at the slot does nothing": Case(
        "12:10", "baseline-interval", members={"min_interval_s": 597}
    ),
    "the upper bound": Case("12:05:03", "clamped-max", members={"max_interval_s": 300}),
    "the upper bound at the slot does nothing": Case(
        "12:10", "baseline-interval", members={"max_interval_s": 597}
    ),
    "bounds win over hints": Case(
        "12:02:03", "clamped-min", (every(60),), {"min_interval_s": 120}, wake="hint"
    ),
    "what a hint and what a bound passed over": Case(
        "12:40:03",
        "clamped-min",
        (every(1200),),
        {"min_interval_s": 2400},
        wake="hint",
        passed=(("hint", "12:10", "12:20", 2), ("clamp", "12:30", "12:40", 2)),
    ),
    "the upper bound of a long interval": Case(
        "12:15:03",
        "clamped-max",
        (every(1800),),
        {"max_interval_s": 900},
        wake="hint",
        passed=(("hint", "12:10", "12:10", 1),),
    ),
    "an upper bound long past is at once": Case(
        "14:00:00.000001", "clamped-max", members={"max_interval_s": 300}, after=at("14:00")
    ),
    "no bound brings back what has ended": Case(
        None, None, members={"max_interval_s": 300}, wake="end", schedule=NEVER_AGAIN
    ),
    # --- pauses
    "a pause, then the first slot": Case(
        "12:50", "paused", members=PAUSED, passed=(("paused", "12:10", "12:40", 4),)
    ),
    "a pause that ends on a slot": Case(
        "12:50",
        "paused",
        members={"paused_until": "2026-06-01T12:50:00Z"},
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "a pause, then its end": Case(
        "12:45", "paused", members=AT_END, passed=(("paused", "12:10", "12:40", 4),)
    ),
    "its end lies in a time that is excluded": Case(
        "13:00",
        "paused",
        members=AT_END,
        schedule={
            **TEN,
            "exclude": [{"from": "2026-06-01T12:41:00Z", "to": "2026-06-01T12:55:00Z"}],
        },
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "its end lies after the schedule's": Case(
        None,
        None,
        members=AT_END,
        wake="end",
        schedule={**TEN, "ends_at": "2026-06-01T12:45:00Z"},
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "a pause that is over": Case(
        "12:10", "baseline-interval", members={"paused_until": "2026-06-01T12:00:00Z"}
    ),
    "the first row after a pause that changed nothing": Case(
        "12:10", "paused", members={"paused_until": "2026-06-01T12:07:00Z"}
    ),
    "a pause wins over a hint": Case(
        "12:50",
        "paused",
        (once("12:04"),),
        PAUSED,
        wake="hint",
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "a pause wins over the upper bound": Case(
        "12:50",
        "paused",
        members={**PAUSED, "max_interval_s": 300},
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "a hint later than the pause stands": Case(
        "13:00:03",
        "ai-interval",
        (every(3600),),
        PAUSED,
        wake="hint",
        passed=(("paused", "12:10", "12:40", 4), ("hint", "12:50", "13:00", 2)),
    ),
    "a hint passes over the end of the pause": Case(
        "13:00:03",
        "ai-interval",
        (every(3600),),
        AT_END,
        wake="hint",
        passed=(("paused", "12:10", "12:40", 4), ("hint", "12:45", "13:00", 3)),
    ),
    "a hint passes over an end that is a slot of the rule": Case(
        "13:00:03",
        "ai-interval",
        (every(3600),),
        {"paused_until": "2026-06-01T12:50:00Z", "resume": "at_end"},
        wake="hint",
        passed=(("paused", "12:10", "12:40", 4), ("hint", "12:50", "13:00", 2)),
    ),
    "an instant before the first slot after the pause": Case(
        "12:47",
        "ai-oneshot",
        (once("12:47"),),
        PAUSED,
        wake="hint",
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    # --- gates
    "after failures": Case(
        "12:40",
        "baseline-interval",
        (every(60),),
        {"max_interval_s": 300},
        passing=Passing(at("12:33"), "backoff"),
        passed=(("backoff", "12:10", "12:30", 3),),
    ),
    "after failures the lower bound holds": Case(
        "12:45:03",
        "clamped-min",
        members={"min_interval_s": 2700},
        passing=Passing(at("12:33"), "backoff"),
        passed=(("backoff", "12:10", "12:30", 3), ("clamp", "12:40", "12:40", 1)),
    ),
    "after failures the pause holds": Case(
        "12:50",
        "paused",
        members=PAUSED,
        passing=Passing(at("12:33"), "backoff"),
        passed=(("paused", "12:10", "12:40", 4),),
    ),
    "the first slot that is not too late": Case(
        "12:40",
        "baseline-interval",
        passing=Passing(at("12:33"), "grace"),
        passed=(("misfire", "12:10", "12:30", 3),),
    ),
    "a hint counts where slots were too late": Case(
        "12:36",
        "ai-oneshot",
        (once("12:36"),),
        wake="hint",
        passing=Passing(at("12:33"), "grace"),
        passed=(("misfire", "12:10", "12:30", 3),),
    ),
    "the upper bound holds where slots were too late": Case(
        "12:35:03",
        "clamped-max",
        members={"max_interval_s": 300},
        base=at("12:30:03"),
        passing=Passing(at("12:33"), "grace"),
        passed=(("misfire", "12:10", "12:30", 3),),
    ),
    "the newest slot, and nothing else": Case(
        "12:40",
        "baseline-interval",
        (every(60), once("12:04")),
        {**PAUSED, "min_interval_s": 3600},
        passing=Passing(at("12:40"), "misfire"),
        passed=(("misfire", "12:10", "12:30", 3),),
    ),
}
