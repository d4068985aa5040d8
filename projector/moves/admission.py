"""Admission: whether a tenant may start anything now, and what becomes of its rows where it may not.

Only tenants with limits have a gate here. Suspended, or with its quota of the month used up: the row is
skipped with that reason, and the series goes on after now (I18); so is a row of an agent that is gone. At its
cap the tenant is held, not the row: nothing is written, and whoever claims leaves it out for a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeAlias

from ledger.moves.adopt import SERIES, Subject
from ledger.moves.close import AGENT_GONE
from ledger.moves.retry import BACKFILL, attempt_of
from ledger.moves.step import Call, Move, ask
from ledger.statements.acts import Shut
from ledger.statements.admission import (
    AWAIT_LIMITS,
    COUNT_STARTS,
    LOCK_LIMITS,
    NOTE_HELD,
    READ_LOADS,
    Limit,
    Load,
)
from ledger.statements.agents import GoneAgent
from ledger.statements.occurrences import DueRow
from projector.moves.backfill import go_on
from projector.moves.decide import Plan, Skip, Standing, Started
from projector.moves.project import Anchor, shut_until, successor

# Since when tenants have been held at their caps, by whoever has left them out of its claims.
Held: TypeAlias = Mapping[str, datetime]
NOBODY: Held = {}
_MILLISECOND = timedelta(milliseconds=1)
# The most that the column takes: 24 days.
_HELD_MOST = 2**31 - 1


@dataclass(slots=True)
class Gate:
    """What one tenant may still start. `room`: runs up to its cap; `left`: starts up to its quota; each None
    where there is no such limit. `elsewhere`: someone else decides by its limits at this moment.
    """

    elsewhere: bool
    suspended: bool
    room: int | None
    left: int | None

    def take(self, wake: str) -> None:
        """A run of the tenant starts."""
        if self.room is not None:
            self.room -= 1
        if self.left is not None and not _is_retry(wake):
            self.left -= 1

    def shut(self, wake: str) -> Shut | None:
        """Why a row that wakes so is skipped; a retry costs no quota."""
        if self.suspended:
            return "suspended"
        return "quota" if self.left is not None and self.left <= 0 and not _is_retry(wake) else None


@dataclass(slots=True)
class Gates:
    """The gates of a claim, by tenant. `held`: tenants found at their caps; `elsewhere`: those whose
    limits others held.
    """

    of: dict[str, Gate] = field(default_factory=dict)
    month: date = date.min
    held: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)
    # Agents that are gone, with their tenants.
    gone: frozenset[tuple[str, str]] = frozenset()
    # Rows of backfills that were skipped: once that is written, the next slot of each is opened.
    skipped: list[DueRow] = field(default_factory=list)
    # How many of the plan's runs have been counted.
    _counted: int = 0

    def admit(self, plan: Plan, row: DueRow, subject: Subject, standing: Standing) -> bool:
        """Whether a row may be decided on; where not, what becomes of it is in the plan."""
        if self.gone and (row.tenant, subject.definition.agent) in self.gone:
            self._skip(plan, row, subject, standing, AGENT_GONE)
            return False
        for run in plan.start[self._counted :]:
            if (gate := self.of.get(run.subject.tenant)) is not None:
                gate.take(run.wake)
        self._counted = len(plan.start)
        gate = self.of.get(row.tenant)
        if gate is None:
            return True
        if gate.elsewhere:
            self.elsewhere.add(row.tenant)
            return False
        if (why := gate.shut(row.wake)) is not None:
            self._skip(plan, row, subject, standing, why)
            return False
        if gate.room is not None and gate.room <= 0:
            self.held.add(row.tenant)
            return False
        return True

    def _skip(self, plan: Plan, row: DueRow, subject: Subject, standing: Standing, why: Shut) -> None:
        if row.lane == SERIES:
            anchor = Anchor(row.due, row.moment, row.key)
            plan.successors.append(
                successor(subject, anchor, standing.hints, passing=shut_until(row.moment, why))
            )
        elif row.lane.startswith(BACKFILL):
            self.skipped.append(row)
        failures = standing.failures if row.lane == SERIES else row.failures
        plan.skip.append(Skip(row.key, row.tenant, why, None, failures))
        if standing.blocker is None:
            # It may have been the one whose turn it was among others that wait.
            plan.free.append((row.tenant, row.task))


def limits_of(rows: Sequence[DueRow], *, wait: bool) -> Call[Limit]:
    """The statement that holds the limits of the tenants of rows, for a pipeline.

    A claim passes by what others hold, so that no tenant's limits keep it from the rows of the others; a
    start by key, with `wait`, has one tenant and waits.
    """
    if wait:
        return AWAIT_LIMITS(tenant=rows[0].tenant)
    return LOCK_LIMITS(tenants=list({row.tenant: None for row in rows}))


def open_gates(limits: Sequence[Limit], gone: Sequence[GoneAgent], moment: datetime) -> Move[Gates]:
    """The gates of the tenants that have limits, from what they use by now, and who of all is `gone`."""
    agents = frozenset((one.tenant, one.agent) for one in gone)
    gates = Gates(month=moment.date().replace(day=1), gone=agents)
    mine = [limit for limit in limits if limit.held]
    loads: dict[str, Load] = {}
    if mine:
        tenants, caps = [limit.tenant for limit in mine], [limit.cap or 0 for limit in mine]
        found = yield from ask(READ_LOADS(tenants=tenants, caps=caps, month=gates.month))
        loads = {load.tenant: load for load in found}
    for limit in limits:
        load = loads.get(limit.tenant)
        if load is None:
            gates.of[limit.tenant] = Gate(True, False, None, None)
        else:
            room = None if limit.cap is None else limit.cap - load.running
            left = None if limit.quota is None else limit.quota - load.starts
            gates.of[limit.tenant] = Gate(False, limit.suspended, room, left)
    return gates


def held_back(standings: Sequence[Standing], rows: Sequence[DueRow], held: Held) -> None:
    """Tell the standings of rows since when their tenants were held: that is no lateness."""
    for row, standing in zip(rows, standings, strict=True):
        standing.held = held.get(row.tenant)


def calls_for(runs: Sequence[Started], gates: Gates | None, held: Held) -> Iterator[Call[object]]:
    """What is written before the starts of tenants with limits: how long they were held, and their count."""
    late = [run for run in runs if run.subject.tenant in held] if held else []
    if late:
        yield NOTE_HELD(
            keys=[run.key for run in late],
            tenants=[run.subject.tenant for run in late],
            held=[
                min(
                    max(0, (run.started - max(held[run.subject.tenant], run.run_at)) // _MILLISECOND),
                    _HELD_MOST,
                )
                for run in late
            ],
        )
    if gates is None:
        return
    starts: Counter[str] = Counter()
    for run in runs:
        gate = gates.of.get(run.subject.tenant)
        if gate is not None and gate.left is not None and not _is_retry(run.wake):
            starts[run.subject.tenant] += 1
    if starts:
        tenants = sorted(starts)
        yield COUNT_STARTS(tenants=tenants, starts=[starts[one] for one in tenants], month=gates.month)


def go_on_with(skipped: Sequence[DueRow]) -> Move[None]:
    """Open the next slot of each backfill whose row was skipped: every exit from open projects (I4)."""
    for row in skipped:
        yield from go_on(row.tenant, row.task, row.lane)


def _is_retry(wake: str) -> bool:
    return attempt_of(wake)[0] > 0
