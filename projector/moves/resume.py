"""Where a series goes on after an act: the instant that the act records as `resume_after`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.authored.models import Definition
from ledger.errors import Misconfigured
from projector.moves.governor import govern
from projector.moves.project import Anchor
from projector.moves.trail import MICROSECOND, Hint
from projector.slots import Slots, first_common, schedule_of


def resume_after_edit(old: Definition, new: Definition, after: datetime, moment: datetime) -> datetime:
    """Just before the first slot in (`after`, `moment`] that both versions hold, so that an edit loses no
    slot that has come and runs none twice (I11); without one, the later of the two instants.

    `after` is the series' reference before the edit, which is the frontier or lies later. Slots before the
    end of a pause are none of the version that says so.
    """
    pauses = [until - MICROSECOND for one in (old, new) if (until := one.paused_until) is not None]
    low = max(after, *pauses) if pauses else after
    common, slots = None, _slots(old)
    if low < moment and slots is not None:
        common = first_common(slots, schedule_of(new.schedule), low, moment)
    return max(moment, after) if common is None else common - MICROSECOND


def stands_again(
    due: datetime, anchor: Anchor, old: Definition, new: Definition, hints: Sequence[Hint]
) -> bool:
    """Whether an open row that is off the old rule is what the new version asks for as well.

    A hint, a bound or the end of a pause put it there, so no common slot speaks for it (I11); the same holds
    where the old rule cannot be read any more. `anchor` is
    that of the row: from there the Governor must give the same instant.
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
