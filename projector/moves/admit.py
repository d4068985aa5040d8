"""What is taken at the door: what this release can carry out, and schedules whose slots are sound."""

from __future__ import annotations

from ledger.authored.models import Definition
from ledger.errors import NotYet, TaskRefused
from projector.slots import fault_of

_DELIVERIES = ("python", "http", "celery", "command", "pull")


def admit(definition: Definition, tenant: str, task: str) -> None:
    """Raises `NotYet`, naming the first member that this release would have to ignore, and `TaskRefused` for
    a schedule that has no slot, ever, or whose spread is as long as one of its gaps.
    """
    later = (
        ("delivery", definition.delivery not in _DELIVERIES, f"{definition.delivery!r}; use another kind"),
        ("overlap", definition.overlap != "skip", f"{definition.overlap!r}; leave it out, which means skip"),
        ("misfire.catch_up", definition.misfire.catch_up == "all", "'all'; write latest or none"),
    )
    for path, found, what in later:
        if found:
            raise NotYet(f"{path}: not yet: this release cannot carry out {what}", tenant=tenant, task=task)

    fault = fault_of(definition.schedule)
    if fault is not None:
        raise TaskRefused(f"schedule.{fault.path}", fault.message)
