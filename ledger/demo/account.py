"""What the ledger says of the demo's tasks, in the judge's words. Everything is asked through the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from ledger import Ledger
from ledger.demo.judge import Row, Series
from ledger.demo.tasks import Asked

_MOST = 1000


class Open(NamedTuple):
    """An open row."""

    key: UUID
    due: datetime


def gather(
    ledger: Ledger, asked: Asked, requests: Mapping[str, datetime], deleted: UUID | None = None
) -> Series:
    """One task's rows that ran or were passed over, and the instant from which its series goes."""
    door = ledger.tenant(asked.tenant)
    (act,) = door.show(asked.task).acts
    if act.resume_after is None:
        raise ValueError(f"{asked.tenant}/{asked.task} was defined disabled")
    found = [door.explain(row.key).row for row in door.history(asked.task, limit=_MOST).rows]
    rows = [
        Row(
            asked.tenant,
            row.task,
            row.key,
            row.wake,
            row.state,
            row.reason,
            row.due,
            row.started,
            row.closed,
            row.made_by,
            row.predecessor,
            _passed(row.passed),
        )
        for row in found
    ]
    return Series(asked.tenant, asked.task, asked.rule, act.resume_after, rows, requests, deleted)


def open_row(ledger: Ledger, tenant: str, task: str) -> Open | None:
    """The open row of a task's series; None where it has none."""
    found = [run for run in ledger.tenant(tenant).upcoming(task) if run.known == "open"]
    return Open(found[0].key, found[0].due) if found else None


def settled(ledger: Ledger, every: Sequence[Asked], until: datetime) -> bool:
    """Whether all that is open by then has run, and nothing runs any more."""
    tenants = {asked.tenant for asked in every}
    return not running(ledger, every) and not any(ledger.tenant(one).upcoming(until=until) for one in tenants)


def running(ledger: Ledger, every: Sequence[Asked]) -> set[tuple[str, str]]:
    """What runs now: tenant and task."""
    tenants = {asked.tenant for asked in every}
    return {
        (tenant, row.task)
        for tenant in tenants
        for row in ledger.tenant(tenant).history(states="running").rows
    }


def _passed(entries: Sequence[Mapping[str, object]] | None) -> list[tuple[datetime, datetime, str]]:
    return [(_instant(one["first"]), _instant(one["last"]), str(one["reason"])) for one in entries or ()]


def _instant(text: object) -> datetime:
    return datetime.fromisoformat(str(text)).astimezone(UTC)
