"""Whose turn it is among what is done again, of which only so much may run at a time.

What a claim has decided to start is looked at once more here, where any of it belongs to a backfill or a
rerun; a claim without such rows asks nothing. The start of a backfill's row opens the next one. The rows of a
rerun are open all at once: those whose turn it is not are put off, the longer the more are before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from ledger.moves.adopt import SERIES
from ledger.moves.retry import BACKFILL, backfill_of
from ledger.moves.step import Move, ask
from ledger.statements.again import ADVANCE_BACKFILLS, READ_TURNS
from ledger.statements.occurrences import DueRow
from ledger.statements.rerun import FIND_RERUNS, HOLD_RERUNS, PUT_OFF, READ_MEMBERS, Member
from projector.moves.backfill import next_row
from projector.moves.decide import Plan

_AGAIN = (BACKFILL, "rerun:")
# How soon a row of a rerun whose turn it is not is looked at again, at the soonest and at the latest.
_LOOK = timedelta(milliseconds=250)
_LONGEST = timedelta(seconds=60)


def in_turn(plan: Plan, rows: Sequence[DueRow]) -> Move[None]:
    """Let what starts of backfills and reruns start within their bounds, and open what follows.

    The tasks of all rows are held, and with them their backfills.
    """
    mine = [n for n, run in enumerate(plan.start) if run.lane != SERIES and run.wake.startswith(_AGAIN)]
    if not mine:
        return
    by_key = {(row.tenant, row.key): row for row in rows}
    waits: dict[int, UUID] = {}
    if backfilling := [n for n in mine if backfill_of(plan.start[n].wake)]:
        waits = yield from _go_on(plan, backfilling)
    off: dict[int, timedelta] = {}
    if again := [n for n in mine if plan.start[n].wake.startswith("rerun:") and n not in waits]:
        off = yield from _reruns(plan, again)
    for n in sorted([*waits, *off], reverse=True):
        run = plan.start.pop(n)
        del plan.start_failures[n]
        plan.busy.discard((run.subject.tenant, run.subject.task))
        if n in waits:
            # The end of a run of its own backfill frees the oldest that waits.
            plan.wait.append((by_key[run.subject.tenant, run.key], waits[n]))
        else:
            plan.left += 1
            # Its turn among the rows of its task goes to the next that waits.
            plan.free.append((run.subject.tenant, run.subject.task))
            yield from ask(PUT_OFF(keys=[run.key], tenants=[run.subject.tenant], waits=[off[n]]))


def _go_on(plan: Plan, mine: Sequence[int]) -> Move[dict[int, UUID]]:
    """Open what follows the backfills' rows that start; of those beyond their bound, the runs to wait for."""
    runs = [plan.start[n] for n in mine]
    turns = yield from ask(
        READ_TURNS(
            ns=list(mine),
            tenants=[run.subject.tenant for run in runs],
            tasks=[run.subject.task for run in runs],
            requests=[backfill_of(run.wake) for run in runs],
        )
    )
    waits: dict[int, UUID] = {}
    following = []
    for turn in turns:
        run = plan.start[turn.n]
        if turn.run is not None and turn.running >= turn.at_once:
            waits[turn.n] = turn.run
        elif turn.next is not None and run.lane.startswith(BACKFILL):
            plan.successors.append(next_row(run.subject, run.lane, turn.next, run.started, run.key))
            following.append(run)
    if following:
        yield from ask(
            ADVANCE_BACKFILLS(
                tenants=[run.subject.tenant for run in following],
                tasks=[run.subject.task for run in following],
                requests=[backfill_of(run.wake) for run in following],
            )
        )
    return waits


def _reruns(plan: Plan, mine: Sequence[int]) -> Move[dict[int, timedelta]]:
    """Which rows of reruns are put off, and by how much."""
    runs = [plan.start[n] for n in mine]
    found = yield from ask(
        FIND_RERUNS(
            ns=list(mine),
            tenants=[run.subject.tenant for run in runs],
            tasks=[run.subject.task for run in runs],
            lanes=[run.lane for run in runs],
        )
    )
    groups: dict[tuple[str, str], list[int]] = {}
    for row in found:
        groups.setdefault((plan.start[row.n].subject.tenant, row.request), []).append(row.n)
    if not groups:
        return {}
    tenants, requests = map(list, zip(*groups, strict=True))
    held = yield from ask(HOLD_RERUNS(tenants=tenants, requests=requests))
    bounds = {(one.tenant, one.request): one.at_once for one in held}
    off: dict[int, timedelta] = {}
    for (tenant, request), ns in groups.items():
        bound = bounds.get((tenant, request))
        if bound is None:
            # Another claim is at it.
            off |= dict.fromkeys(ns, _LOOK)
            continue
        members = yield from ask(READ_MEMBERS(tenant=tenant, request=request))
        off |= _beyond(plan, ns, members, bound)
    return off


def _beyond(plan: Plan, ns: Sequence[int], members: Sequence[Member], bound: int) -> dict[int, timedelta]:
    """Which of a rerun's rows lie beyond its bound; each is looked at when its turn may come."""
    running = [member.started for member in members if member.state == "running" and member.started]
    places = {m.key: n for n, m in enumerate(m for m in members if m.state == "pending")}
    inside = sorted(ns, key=lambda n: places[plan.start[n].key])
    free = max(bound - len(running), 0)
    moment = plan.start[ns[0]].started
    took = moment - min(running, default=moment)
    look = min(max(took / 8, _LOOK), _LOOK * 40)
    return {n: min(look * (1 + places[plan.start[n].key] // bound), _LONGEST) for n in inside[free:]}
