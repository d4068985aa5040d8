"""Where a series goes on after an act: the instant that the act records as `resume_after`."""

from __future__ import annotations

from datetime import datetime, timedelta

from ledger.authored.models import Definition
from projector.slots import first_common, schedule_of

MICROSECOND = timedelta(microseconds=1)


def resume_after_edit(old: Definition, new: Definition, after: datetime, moment: datetime) -> datetime:
    """Just before the first slot in (`after`, `moment`] that both versions hold, so that an edit loses no
    slot that has come and runs none twice (I11); without one, the later of the two instants.

    `after` is the series' reference before the edit, which is the frontier or lies later.
    """
    common = first_common(schedule_of(old.schedule), schedule_of(new.schedule), after, moment)
    return max(moment, after) if common is None else common - MICROSECOND
