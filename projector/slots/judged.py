"""What is judged of a schedule's slots when a task is defined, once its form is right: that there are any,
and that its spread keeps them in order. What is stored is never judged again.

Bounded whatever the schedule: no walk leaves the years that slots have, and a spread is held against a
thousand slots.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from ledger.authored.models import PlainSchedule, ScheduleDefinition
from projector.slots.definition import schedule_of
from projector.slots.schedule import Slots, instant_at, microseconds
from projector.slots.sources import SECOND_US

_KINDS = ("cron", "every_s", "at", "rrule")
_SPREAD_FROM = microseconds(datetime(2026, 1, 1, tzinfo=UTC))
_SPREAD_SLOTS = 1000
_AN_END = "all series end at 2200-01-01T00:00:00Z"


class Fault(NamedTuple):
    """Why a schedule cannot be carried out: the path of the member within `schedule`, and what is wrong."""

    path: str
    message: str


@lru_cache(maxsize=4096)
def fault_of(schedule: ScheduleDefinition) -> Fault | None:
    """What is wrong with the slots of a schedule, past and to come; None if nothing is."""
    for i, element in enumerate(schedule.any or ()):
        if _never(_bare(element)):
            return Fault(f"any.{i}.{_kind(element)}", f"gives no slot, ever; {_mend(element)}")
    if _never(schedule):
        return _empty(schedule)
    return _spread_fault(schedule)


def _never(schedule: ScheduleDefinition) -> bool:
    return schedule_of(schedule).after(-1) is None


def _bare(plain: PlainSchedule) -> ScheduleDefinition:
    """The schedule of one kind alone, without bounds or exclusions."""
    return ScheduleDefinition.model_construct(
        **{name: getattr(plain, name) for name in PlainSchedule.model_fields}
    )


def _kind(plain: PlainSchedule) -> str:
    return next((kind for kind in _KINDS if getattr(plain, kind) is not None), "any")


def _mend(plain: PlainSchedule) -> str:
    if plain.rrule is not None:
        return f"write parts that meet before COUNT, UNTIL and 2200: {_AN_END}"
    return _AN_END


def _empty(schedule: ScheduleDefinition) -> Fault:
    """Which member leaves no slot: the first without which there would be some."""
    if schedule.exclude and not _never(schedule.model_copy(update={"exclude": ()})):
        return Fault("exclude", "leaves no slot, ever; name fewer days or spans, or disable the task instead")
    if schedule.any is None and _never(_bare(schedule)):
        return Fault(_kind(schedule), f"gives no slot, ever; {_mend(schedule)}")
    bound = "starts_at" if schedule.starts_at is not None else "ends_at"
    return Fault(
        bound, f"leaves no slot, ever; starts_at and ends_at must have a slot between them, and {_AN_END}"
    )


def _spread_fault(schedule: ScheduleDefinition) -> Fault | None:
    """A spread as long as a gap could wake a slot after its successor."""
    if not schedule.spread_s:
        return None
    apart = _least_gap(schedule_of(schedule))
    if apart is None or schedule.spread_s * SECOND_US < apart[1] - apart[0]:
        return None
    first, second = (instant_at(slot).isoformat() for slot in apart)
    most = -(-(apart[1] - apart[0]) // SECOND_US) - 1
    return Fault(
        "spread_s",
        f"{schedule.spread_s} s is not shorter than the gap between the slots {first} and {second};"
        f" write at most {most}",
    )


def _least_gap(slots: Slots) -> tuple[int, int] | None:
    """The two neighbours that lie closest, the first such, among the slots that a spread is held against."""
    least: tuple[int, int] | None = None
    slot = slots.after(_SPREAD_FROM)
    for _ in range(_SPREAD_SLOTS - 1):
        following = None if slot is None else slots.after(slot)
        if slot is None or following is None:
            break
        if least is None or following - slot < least[1] - least[0]:
            least = (slot, following)
        slot = following
    return least
