"""Where a series goes on after an act: the instant that the act records as `resume_after`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.authored.models import Definition
from ledger.errors import Misconfigured
from projector.moves.governor import at_end, govern
from projector.moves.project import Anchor
from projector.moves.trail import MICROSECOND, Hint
from projector.slots import Slots, first_common, schedule_of


def resume_after_edit(old: Definition, new: Definition, after: datetime, moment: datetime) -> datetime:
    """Just before the first slot in (`after`, `moment`] that both versions hold, so that an edit loses no
    slot that has come and runs none twice (I11); without one, the later of the two instants.

    `after` is the series' reference before the edit, which is the frontier or lies later. Slots before the
    end of a pause are none of the version that says so; the end itself may be one.
    """
    common = _first_common(old, new, after, moment)
    return max(moment, after) if common is None else common - MICROSECOND


def _first_common(old: Definition, new: Definition, after: datetime, moment: datetime) -> datetime | None:
    slots = _slots(old)
    if slots is None:
        return None
    low = max(
        [after, *(until - MICROSECOND for one in (old, new) if (until := one.paused_until) is not None)]
    )
    ends = [end for one in (old, new) if (end := at_end(one)) is not None and after < end <= moment]
    common = [end for end in ends if _holds(old, end) and _holds(new, end)]
    if low < moment:
        rule = first_common(slots, schedule_of(new.schedule), low, moment)
        common += [] if rule is None else [rule]
    return min(common, default=None)


def _holds(version: Definition, instant: datetime) -> bool:
    if version.paused_until is not None and instant < version.paused_until:
        return False
    return instant == at_end(version) or schedule_of(version.schedule).holds(instant)


def stands_again(
    due: datetime, anchor: Anchor, old: Definition, new: Definition, hints: Sequence[Hint]
) -> bool:
    """Whether an open row that is off the old rule is what the new version asks for as well.

    A hint, a bound or the end of a pause put it there, so no common slot speaks for it (I11); the same holds
    where the old rule cannot be read any more. `anchor` is that of the row: from there the Governor must give
    the same instant.
    """
    slots = _slots(old)
    if slots is not None and slots.holds(due):
        return False
    return govern(anchor.after, anchor.base, new, hints).due == due


def _slots(old: Definition) -> Slots | None:
    """The slots of the version that goes; None where its zone has gone from tzdata: an edit mends that."""
    try:
        return schedule_of(old.schedule)
    except Misconfigured:
        return None
