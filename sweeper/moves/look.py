"""How a tenant stands: counts of what is as it should be, and each thing that is not.

The same look serves a whole tenant, before any lock, and the tasks that are then held: nothing is ever
repaired from what was read before the lock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import FactRefused
from ledger.facts import Facts, instant_text, read_destination, read_identifier, read_token, read_wake
from ledger.keys import derive
from ledger.moves.adopt import SERIES, NewRow, lane_of
from ledger.moves.step import Batch, Move
from ledger.release import RELEASE
from ledger.statements.presence import Place
from ledger.statements.sweep import (
    LOOK_FAILED,
    LOOK_HELD,
    LOOK_OPEN,
    LOOK_RUNS,
    FailedSeries,
    HeldRow,
    OpenRow,
)
from projector.moves.zones import Drift, look_zones
from sweeper.moves.retries import unminted

# The ends of all names: identifiers are printable ASCII, in the order of the collation "C".
FIRST, LAST = "", "\x7f"
# So many slots failed in a row are worth a look of the tenant's owner.
FAILING = 3
# How many failing series a verdict names.
_NAMED = 10

Why: TypeAlias = Literal["dead digest", "stray", "misnamed"]


@dataclass(frozen=True, slots=True)
class Wrong:
    """An open row that must not be: whose, and why."""

    task: str
    lane: str
    key: UUID
    why: Why
    # What the key would be, where it is not that of its facts.
    derived: UUID | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at a range of tasks found; `checked` counts tasks that are on."""

    checked: int = 0
    open: int = 0
    ended: int = 0
    missing: list[str] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)
    overdue: list[Place] = field(default_factory=list)
    held: list[HeldRow] = field(default_factory=list)
    retries: list[NewRow] = field(default_factory=list)
    drifts: list[Drift] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    failing: int = 0
    failing_named: list[dict[str, object]] = field(default_factory=list)

    def tasks(self) -> set[str]:
        """The tasks that need repair, and so their locks."""
        listed: tuple[Sequence[Wrong | Place | HeldRow | NewRow | Drift], ...] = (
            self.wrong,
            self.overdue,
            self.held,
            self.retries,
            self.drifts,
        )
        return {row.task for rows in listed for row in rows}.union(self.missing)

    def only(self, tasks: Collection[str]) -> Look:
        """What concerns these tasks alone; the counts are left as they are."""
        return replace(
            self,
            missing=[task for task in self.missing if task in tasks],
            wrong=[row for row in self.wrong if row.task in tasks],
            overdue=[row for row in self.overdue if row.task in tasks],
            held=[row for row in self.held if row.task in tasks],
            retries=[row for row in self.retries if row.task in tasks],
            drifts=[row for row in self.drifts if row.task in tasks],
            unreadable=[one for one in self.unreadable if one[0] in tasks],
        )


def look(tenant: str, first: str = FIRST, last: str = LAST) -> Move[Look]:
    """Look at the tasks of one tenant from `first` to `last`, both in it."""
    where = {"tenant": tenant, "first": first, "last": last}
    calls = (LOOK_OPEN(**where), LOOK_RUNS(**where), LOOK_HELD(**where), LOOK_FAILED(**where))
    open_rows, overdue, held, failed = yield Batch(calls)
    found = _judge(tenant, calls[0].read(open_rows))
    series = calls[3].read(failed)
    retries, unreadable = yield from unminted(tenant, series)
    zones = yield from look_zones(tenant, first, last)
    failing = [one for one in series if one.failures >= FAILING]
    return replace(
        found,
        overdue=calls[1].read(overdue),
        held=calls[2].read(held),
        retries=retries,
        drifts=list(zones.drifts),
        unreadable=[*unreadable, *zones.unreadable],
        failing=len(failing),
        failing_named=[_named(one) for one in failing[:_NAMED]],
    )


def _named(series: FailedSeries) -> dict[str, object]:
    return {
        "task": series.task,
        "failures": series.failures,
        "key": str(series.key),
        "closed": instant_text(series.closed),
    }


def _judge(tenant: str, rows: Sequence[OpenRow]) -> Look:
    opened = ended = missing = dead = 0
    lacking: list[str] = []
    wrong: list[Wrong] = []
    for row in rows:
        if row.lane == SERIES:
            opened += row.kind == "open"
            ended += row.kind == "ended"
            dead += row.kind == "dead digest"
            missing += row.kind == "missing"
        if row.kind == "missing":
            lacking.append(row.task)
        elif row.kind in ("dead digest", "stray") and row.key is not None:
            wrong.append(Wrong(row.task, row.lane, row.key, row.kind))
        elif row.kind == "open" and row.key is not None:
            derived = misnamed(tenant, row)
            if derived is not None:
                wrong.append(Wrong(row.task, row.lane, row.key, "misnamed", derived))
    return Look(opened + ended + missing + dead, opened, ended, lacking, wrong)


def misnamed(tenant: str, row: OpenRow) -> UUID | None:
    """The key of the facts beside a row, where that is not the row's key (I1); None where all agrees.

    A row of another version of the key cannot be judged by this one, and is adopted as it is.
    """
    facts = (row.delivery, row.wake, row.agent, row.destination)
    if row.key_version != RELEASE.key_version or row.digest is None or row.due is None:
        return None
    delivery, wake, agent, destination = facts = _texts(facts)
    derived = derive(
        Facts(tenant, delivery, wake, agent, destination, row.task, row.digest.hex(), instant_text(row.due))
    )
    agrees = (
        derived.key == row.key
        and derived.fingerprint == row.fingerprint
        and lane_of(wake, row.due) == row.lane
        and _canonical(*facts)
    )
    return None if agrees else derived.key


def _texts(facts: tuple[str | None, str | None, str | None, str | None]) -> tuple[str, str, str, str]:
    delivery, wake, agent, destination = (fact or "" for fact in facts)
    return delivery, wake, agent, destination


@lru_cache(maxsize=65_536)
def _canonical(delivery: str, wake: str, agent: str, destination: str) -> bool:
    """Whether facts are spelled in their one canonical way; another spelling derives another key (I19)."""
    try:
        return (
            read_token(delivery, "delivery") == delivery
            and read_wake(wake, "wake") == wake
            and read_identifier(agent, "agent") == agent
            and read_destination(destination, "destination") == destination
        )
    except FactRefused:
        return False
