"""The vital signs, each read from rows: pure judgement, one function a sign."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ledger.statements.health import (
    AsideRow,
    Cause,
    DispatcherTick,
    MisnamedRow,
    NewestPass,
    OldestSnapshot,
    OverdueRow,
    Silence,
    Starved,
    TableCare,
    UnclosedPass,
    Unserved,
    VerdictCounts,
)
from ledger.statements.sweep import Settings
from sweeper.database_signs import read_database
from sweeper.sign import Sign

# Where no pass has closed yet: the period that a sweep keeps unless it is told another.
PERIOD_S = 900
# A dispatcher beats every ten seconds; three beats missed are no accident.
TICK = timedelta(seconds=35)
# A row due for longer than this should have been started, skipped or set to wait.
LATE = timedelta(seconds=60)
# So many slots of a task skipped because of one run that still runs: the task starves.
SKIPS = 5
FAILING_SAID = "failed three slots in a row or more; their handlers need a look"
# How many of a kind a sign names.
NAMED = 20


class Seen(NamedTuple):
    """What was read, at one moment of the database's clock."""

    moment: datetime
    age: timedelta
    settings: Settings
    newest: NewestPass
    unclosed: Sequence[UnclosedPass]
    ticks: Sequence[DispatcherTick]
    silence: Silence
    counts: VerdictCounts
    causes: Sequence[Cause]
    overdue: Sequence[OverdueRow]
    aside: Sequence[AsideRow]
    starved: Sequence[Starved]
    misnamed: Sequence[MisnamedRow]
    tables: Sequence[TableCare]
    snapshot: OldestSnapshot
    unserved: Sequence[Unserved]


def read(seen: Seen) -> list[Sign]:
    """Every sign, the good ones too: what was looked at is said."""
    return [
        _newest_pass(seen),
        _unclosed(seen),
        _guards(seen),
        _zones(seen),
        _tenants(seen),
        _verdicts(seen),
        _drills(seen),
        _dispatchers(seen),
        _unserved(seen),
        _overdue(seen),
        _aside(seen),
        _misnamed(seen),
        _starved(seen),
        _failing(seen),
        *read_database(seen.moment, seen.tables, seen.snapshot),
    ]


def _newest_pass(seen: Seen) -> Sign:
    last = seen.newest
    if last.closed is None:
        return Sign("sweep", "bad", "no pass over all tenants has closed yet; run `ledger sweep`")
    said = (
        f"pass {last.id} looked at {last.expected} tenants: {last.healthy} healthy, "
        f"{last.repaired} repaired, {last.failed} failed"
    )
    if seen.moment - last.closed > seen.age:
        return Sign(
            "sweep", "bad", f"{said}; it is older than {seen.age}, and none has closed since", last.closed
        )
    return Sign("sweep", "good", said, last.closed)


def _unclosed(seen: Seen) -> Sign:
    dead = [one for one in seen.unclosed if not one.going_on]
    evidence = [one._asdict() for one in seen.unclosed]
    if dead:
        said = (
            f"{len(dead)} passes began and did not close, the last by {dead[0].by}; sweep again, read its log"
        )
        return Sign("unclosed passes", "bad", said, dead[0].began, evidence)
    if seen.unclosed:
        return Sign("unclosed passes", "good", "a pass is under way", seen.unclosed[0].began, evidence)
    return Sign("unclosed passes", "good", "none", seen.moment)


def _guards(seen: Seen) -> Sign:
    if seen.newest.report is None:
        return Sign("guards", "bad", "no pass has compared them with what the migrations made")
    faults = seen.newest.report.get("faults")
    named = [str(fault) for fault in faults] if isinstance(faults, list) else []
    if named:
        said = f"{len(named)} differ from what the migrations made, or the clocks do: {named[0]}"
        return Sign("guards", "bad", said, seen.newest.closed, [{"fault": fault} for fault in named[:NAMED]])
    return Sign(
        "guards", "good", "indexes, constraints, triggers, privileges, clocks are right", seen.newest.closed
    )


def _zones(seen: Seen) -> Sign:
    force = seen.settings
    if force.zones_from is None:
        kept = "; zones are kept out of all tasks" if force.utc_only else ""
        return Sign("zone rules", "good", f"those of tzdata {force.tzdata} are in force{kept}", seen.moment)
    said = (
        f"rows are being moved from tzdata {force.zones_from} to {force.tzdata}; where nobody is at it, "
        "run `ledger migrate zones` again"
    )
    return Sign("zone rules", "note", said, seen.moment)


def _tenants(seen: Seen) -> Sign:
    found = seen.silence
    if found.silent:
        named = ", ".join(found.named or ())
        said = f"{found.silent} of {found.tenants} tenants lack a verdict of the last {seen.age}: {named}"
        return Sign("tenants", "bad", said, found.oldest, [{"tenant": name} for name in found.named or ()])
    said = f"of {found.tenants} with enabled tasks none lacks a verdict for longer than {seen.age}"
    return Sign("tenants", "good", said, found.oldest)


def _verdicts(seen: Seen) -> Sign:
    counts = seen.counts
    said = f"{counts.healthy} healthy, {counts.repaired} repaired, {counts.failed} failed"
    rows = [one for one in seen.causes if one.word != "healthy"]
    evidence = [_cause(one) for one in rows]
    if counts.failed:
        worst = rows[0]
        because = f"{worst.tenant!r} for {worst.cause}" + (f": {worst.detail}" if worst.detail else "")
        return Sign("verdicts", "bad", f"{said}; longest {because}", worst.since, evidence)
    return Sign("verdicts", "note" if counts.repaired else "good", said, counts.oldest, evidence)


def _cause(one: Cause) -> dict[str, object]:
    return {
        "tenant": one.tenant,
        "word": one.word,
        "cause": one.cause,
        "detail": one.detail,
        "repairs": one.repairs,
        "at": one.at,
        "since": one.since,
    }


def _drills(seen: Seen) -> Sign:
    if seen.counts.undrilled:
        rows = [one for one in seen.causes if one.drill != "passed"]
        evidence = [{"tenant": one.tenant, "drill": one.drill, "detail": one.detail} for one in rows]
        said = f"{seen.counts.undrilled} tenants have no passed drill in their newest pass"
        return Sign("drills", "bad", said, seen.counts.oldest, evidence)
    judged = seen.counts.healthy + seen.counts.repaired + seen.counts.failed
    if not judged:
        return Sign("drills", "note", "no tenant has been judged: nothing is proven yet", seen.moment)
    return Sign("drills", "good", f"passed in the newest pass of {judged} tenants", seen.counts.oldest)


def _dispatchers(seen: Seen) -> Sign:
    *living, ever = seen.ticks
    stale = [one for one in living if one.tick is None or seen.moment - one.tick > TICK]
    blocked = [one for one in living if one.state == "blocked"]
    evidence = [one._asdict() for one in living]
    if stale:
        one = stale[-1]
        said = f"{len(stale)} of {len(living)} have not ticked for {TICK.seconds} s: {one.slot} on {one.host}"
        return Sign("dispatchers", "bad", said, one.tick, evidence)
    if blocked:
        said = f"{len(blocked)} of {len(living)} are blocked: {blocked[0].why}"
        return Sign("dispatchers", "bad", said, blocked[0].tick, evidence)
    if living:
        return Sign("dispatchers", "good", f"{len(living)} tick", living[0].tick, evidence)
    if any(row.delivery != "pull" for row in seen.overdue):
        return Sign("dispatchers", "bad", "none runs, and rows are due; start `ledger run`", ever.tick)
    return Sign("dispatchers", "note", "none runs; nothing is overdue", ever.tick)


def _unserved(seen: Seen) -> Sign:
    kinds = seen.unserved
    if not kinds:
        return Sign("deliveries", "good", "whatever kind is due is served", seen.moment)
    named = ", ".join(f"{one.delivery!r} ({one.rows} rows due)" for one in kinds)
    if len(seen.ticks) == 1:
        # That none runs at all is said by another sign.
        return Sign("deliveries", "note", f"none runs that could serve {named}", kinds[0].oldest)
    said = f"no dispatcher that ticks serves {named}: start `ledger run --delivery {kinds[0].delivery}`"
    return Sign("deliveries", "bad", said, kinds[0].oldest, [one._asdict() for one in kinds])


def _overdue(seen: Seen) -> Sign:
    rows = seen.overdue
    if not rows:
        return Sign("overdue rows", "good", f"none is due for longer than {LATE.seconds} s", seen.moment)
    first, many = rows[0], f"{len(rows)}{' or more' if len(rows) == NAMED else ''}"
    said = f"{many} are due and not started, longest task {first.task!r} of tenant {first.tenant!r}"
    return Sign("overdue rows", "bad", said, first.run_at, [row._asdict() for row in rows])


def _aside(seen: Seen) -> Sign:
    rows = seen.aside
    if not rows:
        return Sign("rows set aside", "good", "none", seen.moment)
    first = rows[0]
    said = (
        f"{len(rows)} failed alone, first of task {first.task!r} of tenant {first.tenant!r}: {first.reason}"
    )
    return Sign("rows set aside", "bad", said, first.due, [row._asdict() for row in rows])


def _misnamed(seen: Seen) -> Sign:
    rows = seen.misnamed
    if not rows:
        return Sign(
            "misnamed rows", "good", "the newest passes found none", seen.counts.oldest or seen.moment
        )
    first, many = rows[0], f"{len(rows)}{' or more' if len(rows) == NAMED else ''}"
    said = (
        f"{many} stood under a key that is not their facts', the last {first.key} of tenant "
        f"{first.tenant!r}; they were retired, look for who derives keys differently"
    )
    return Sign("misnamed rows", "bad", said, first.at, [row._asdict() for row in rows])


def _starved(seen: Seen) -> Sign:
    rows = seen.starved
    if not rows:
        return Sign("skipped tasks", "good", f"no run was in the way of {SKIPS} slots", seen.moment)
    first = rows[0]
    said = (
        f"{len(rows)} tasks keep being skipped: {first.skips} slots of {first.task!r} of tenant "
        f"{first.tenant!r} by the run {first.key}"
    )
    return Sign("skipped tasks", "bad", said, first.started, [row._asdict() for row in rows])


def _failing(seen: Seen) -> Sign:
    if not seen.counts.failing:
        return Sign("failing series", "good", "none failed three slots in a row", seen.counts.oldest)
    rows = [one for one in seen.causes if one.watch]
    said = f"{seen.counts.failing} series {FAILING_SAID}"
    evidence = [{"tenant": one.tenant, "at": one.at, **one.watch} for one in rows]
    return Sign("failing series", "note", said, seen.counts.oldest, evidence)
