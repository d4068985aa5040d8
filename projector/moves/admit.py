"""What is taken at the door: only schedules whose slots are sound."""

from __future__ import annotations

from ledger.authored.models import Definition
from ledger.errors import TaskRefused
from projector.slots import fault_of


def admit(definition: Definition) -> None:
    """Raises `TaskRefused` for a schedule that has no slot, ever, or whose spread is as long as one of its
    gaps.
    """
    fault = fault_of(definition.schedule)
    if fault is not None:
        raise TaskRefused(f"schedule.{fault.path}", fault.message)
