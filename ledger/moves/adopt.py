"""Opening rows by their derived keys: the first to come creates the row, whoever comes later adopts it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple
from uuid import UUID

from ledger.authored.models import Definition
from ledger.errors import KeyCollision, StaleReference
from ledger.facts import Facts, instant_text
from ledger.keys import derive_at
from ledger.moves.step import Call, Move, ask
from ledger.release import RELEASE
from ledger.statements.occurrences import ADOPT, READ_ROWS, FoundRow, RowKey

SERIES = "series"
# The slot of the row that says a series has ended.
NEVER = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


# Not frozen: five hundred are made under the locks of a claim, and a frozen one takes three times as long.
@dataclass(slots=True)
class NewRow:
    """A row as it is to be opened: its facts, their key, and from what it was derived."""

    key: UUID
    fingerprint: bytes
    tenant: str
    task: str
    digest: bytes
    delivery: str
    wake: str
    agent: str
    destination: str
    due: datetime
    lane: str
    state: Literal["pending", "ended"]
    exclusive: bool
    run_at: datetime
    after: datetime | None = None
    base: datetime | None = None
    predecessor: UUID | None = None
    source: str | None = None
    trail: dict[str, object] | None = None
    passed: list[dict[str, object]] | None = None
    failures: int = 0
    history: list[dict[str, object]] | None = None


class Origin(NamedTuple):
    """From what a row was derived, as it stands on the row (I10)."""

    after: datetime | None = None
    base: datetime | None = None
    predecessor: UUID | None = None
    source: str | None = None
    trail: dict[str, object] | None = None
    passed: list[dict[str, object]] | None = None


NOWHERE = Origin()


# Not frozen, like `NewRow`.
@dataclass(slots=True)
class Subject:
    """A task under one of its definitions: what an occurrence is an occurrence of."""

    tenant: str
    task: str
    digest: bytes
    definition: Definition

    def row(
        self,
        wake: str,
        due: datetime,
        state: Literal["pending", "ended"] = "pending",
        *,
        run_at: datetime | None = None,
        origin: Origin = NOWHERE,
    ) -> NewRow:
        """The row of one occurrence, under the key derived from the facts that identify it (I1)."""
        own = self.definition
        derived = derive_at(
            Facts(
                self.tenant,
                own.delivery,
                wake,
                own.agent,
                own.destination,
                self.task,
                self.digest.hex(),
                instant_text(due),
            ),
            due,
        )
        return NewRow(
            key=derived.key,
            fingerprint=derived.fingerprint,
            tenant=self.tenant,
            task=self.task,
            digest=self.digest,
            delivery=own.delivery,
            wake=wake,
            agent=own.agent,
            destination=own.destination,
            due=due,
            lane=lane_of(wake, due),
            state=state,
            exclusive=own.overlap != "allow",
            run_at=due if run_at is None else run_at,
            after=origin.after,
            base=origin.base,
            predecessor=origin.predecessor,
            source=origin.source,
            trail=origin.trail,
            passed=origin.passed,
        )


def lane_of(wake: str, due: datetime) -> str:
    """The lane of a wake: the series, the request, or, for a retry, its wake, `@` and its slot."""
    token = wake.partition(":")[0]
    if token in ("manual", "backfill"):
        return wake
    if token in ("retry", "rerun"):
        return f"{wake}@{instant_text(due)}"
    return SERIES


def adopt(rows: Sequence[NewRow], made_by: str, moment: datetime) -> Move[list[UUID]]:
    """Open each row, or find it open under its key; the keys that were created or revived here.

    The locks of the rows' tasks are held. Raises `KeyCollision` where a key stands for other facts,
    `StaleReference` where it is closed already: the caller's reference was wrong, and nothing is done.
    """
    if not rows:
        return []
    opened = yield from ask(adoption(rows, made_by, moment))
    return (yield from check_adoption(rows, opened))


def adoption(rows: Sequence[NewRow], made_by: str, moment: datetime) -> Call[RowKey]:
    """The statement that opens rows, for a pipeline; its answer goes to `check_adoption`."""
    return ADOPT(**_columns(rows), made_by=made_by, revived=instant_text(moment))


def check_adoption(rows: Sequence[NewRow], opened: Sequence[RowKey]) -> Move[list[UUID]]:
    """Compare what stands under the keys that were not opened with what was derived; see `adopt`."""
    keys = {row.key for row in opened}
    missing = [row for row in rows if row.key not in keys]
    if missing:
        found = yield from ask(READ_ROWS(keys=[r.key for r in missing], tenants=[r.tenant for r in missing]))
        by_key = {(row.key, row.tenant): row for row in found}
        for row in missing:
            _check_adopted(row, by_key.get((row.key, row.tenant)))
    return [row.key for row in rows if row.key in keys]


def _check_adopted(row: NewRow, found: FoundRow | None) -> None:
    where = {"tenant": row.tenant, "task": row.task, "key": str(row.key)}
    if found is None:
        raise StaleReference("opening an occurrence: its key was taken and has gone meanwhile", **where)
    if found.fingerprint != row.fingerprint:
        raise KeyCollision(
            f"opening the slot {instant_text(row.due)}: the key stands for other facts (fingerprint "
            f"{found.fingerprint.hex()}, derived {row.fingerprint.hex()}); run `ledger verify`",
            **where,
        )
    if found.state not in ("pending", "running", "ended"):
        raise StaleReference(
            f"opening the slot {instant_text(row.due)}: it is {found.state} already; the reference it was "
            "derived from is older than the ledger",
            **where,
        )


def _columns(rows: Sequence[NewRow]) -> dict[str, object]:
    return {
        "key_version": RELEASE.key_version,
        "tzdata": RELEASE.tzdata,
        "keys": [r.key for r in rows],
        "tenants": [r.tenant for r in rows],
        "tasks": [r.task for r in rows],
        "digests": [r.digest for r in rows],
        "deliveries": [r.delivery for r in rows],
        "wakes": [r.wake for r in rows],
        "agents": [r.agent for r in rows],
        "destinations": [r.destination for r in rows],
        "dues": [r.due for r in rows],
        "fingerprints": [r.fingerprint for r in rows],
        "lanes": [r.lane for r in rows],
        "states": [r.state for r in rows],
        "exclusives": [r.exclusive for r in rows],
        "run_ats": [r.run_at for r in rows],
        "afters": [r.after for r in rows],
        "bases": [r.base for r in rows],
        "predecessors": [r.predecessor for r in rows],
        "sources": [r.source for r in rows],
        "trails": [_json(r.trail) for r in rows],
        "passed": [_json(r.passed) for r in rows],
        "failures": [r.failures for r in rows],
        "histories": [_json(r.history) for r in rows],
    }


def _json(value: dict[str, object] | list[dict[str, object]] | None) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"))
