"""Slots: pure functions of the authored schedule, an instant, and the zone rules in force.

Three layers, each to be read alone. `zones.py` and `timeline.py` say what real time a zone's wall clock
shows and how daylight saving is read; `walk.py` says which wall times a cron text names, `recurrence.py`
which an rrule; `sources.py` and `schedule.py` join them. Whatever repeats in the ledger asks
`schedule_of(definition)`; whoever takes a definition asks `fault_of` it first.
"""

from projector.slots.common import first_common
from projector.slots.definition import schedule_of
from projector.slots.judged import Fault, fault_of
from projector.slots.schedule import Passed, Slots

__all__ = ["Fault", "Passed", "Slots", "fault_of", "first_common", "schedule_of"]
