"""What this release can carry out: anything else is read, digested, and refused at the door."""

from __future__ import annotations

from ledger.authored.models import Definition, ScheduleDefinition
from ledger.errors import NotYet

_DELIVERIES = ("python", "http", "command", "pull")


def admit(definition: Definition, tenant: str, task: str) -> None:
    """Raises `NotYet`, naming the first member that this release would have to ignore."""
    schedule = definition.schedule
    later = (
        ("delivery", definition.delivery not in _DELIVERIES, f"{definition.delivery!r}; use another kind"),
        ("schedule", *_kind(schedule)),
        ("schedule.seconds", schedule.seconds, "six fields; write five, or every_s"),
        ("schedule.spread_s", schedule.spread_s != 0, "a spread; leave it out"),
        ("overlap", definition.overlap != "skip", f"{definition.overlap!r}; leave it out, which means skip"),
        (
            "misfire",
            definition.misfire != type(definition.misfire)(),
            "a policy; leave it out, which means latest",
        ),
    )
    for path, found, what in later:
        if found:
            raise NotYet(f"{path}: not yet: this release cannot carry out {what}", tenant=tenant, task=task)


def _kind(schedule: ScheduleDefinition) -> tuple[bool, str]:
    if schedule.rrule is not None:
        return True, "an rrule; write cron, every_s or at"
    return schedule.any is not None, "a union; define a task for each schedule"
