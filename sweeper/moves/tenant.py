"""One tenant's part of a pass, in one transaction: look, mend, drill, and the verdict on it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from ledger.moves.adopt import SERIES
from ledger.moves.step import Move, ask
from ledger.moves.text import bounded
from ledger.statements.sweep import READ_VERDICT, WRITE_VERDICT, LastDrill
from sweeper.moves.drill import Drill, drill
from sweeper.moves.drill import Word as DrillWord
from sweeper.moves.holes import explain
from sweeper.moves.look import Look, look, look_apart
from sweeper.moves.mend import SWEEP, Lost, Mended, mend_apart
from sweeper.moves.zones import without_zone

Word: TypeAlias = Literal["healthy", "repaired", "failed"]

# A drill that could not be tried so often in a row fails its tenant.
UNTRIED_MOST = 2
# How many tasks that could not be mended a verdict names.
_NAMED = 100


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a pass says of one tenant.

    `checked` tasks are on; `open` and `ended` of them stand as they should, repairs included. `cause` is a
    word (`lock`, `time`, `room`, `fewer tasks`, `repair`, `drill`, `untried`, `error`), `detail` a sentence:
    of a tenant that was repaired, what made that necessary, most likely.
    """

    tenant: str
    word: Word
    cause: str | None = None
    detail: str | None = None
    checked: int = 0
    open: int = 0
    ended: int = 0
    repairs: Mapping[str, int] = field(default_factory=dict)
    made: int = 0
    watch: Mapping[str, object] = field(default_factory=dict)
    drill: DrillWord = "could not try"
    drill_ms: float | None = None
    drill_task: str | None = None
    untried: int = 0

    @property
    def green(self) -> bool:
        """Nothing was wrong, and the drill has proved that it would have been mended."""
        return self.word == "healthy" and self.drill == "passed"


class FewerTasks(Exception):
    """A tenant's own transaction sees fewer tasks than the survey did: something hides them from it."""

    def __init__(self, tenant: str, seen: int, surveyed: int) -> None:
        super().__init__(f"its transaction sees {seen} tasks that are on, the survey {surveyed}")
        self.tenant = tenant


def sweep_tenant(
    tenant: str, surveyed: int, lost: Lost, number: int, *, apart: bool = False
) -> Move[Verdict]:
    """Look at a tenant, mend what is broken, drill, and write the verdict of pass `number`.

    A task whose zone or text cannot be read here is named, and stops no other. With `apart` one at which
    nobody can even look is found and named too: by savepoints, so only where a plain look has failed.

    Raises `FewerTasks` where fewer tasks are on than the survey counted, `Busy` where a lock does not come
    in time; then nothing was changed, and the caller judges.
    """
    before = _last((yield from ask(READ_VERDICT(tenant=tenant))))
    found = yield from (look_apart(tenant) if apart else look(tenant))
    if found.checked < surveyed:
        raise FewerTasks(tenant, found.checked, surveyed)
    broken = found.tasks().union(run.task for runs in lost.values() for run in runs)
    lacking = yield from without_zone(tenant, found.zones)
    found = replace(found, unreadable=[*found.unreadable, *lacking])
    unreadable = frozenset(task for task, _ in found.unreadable)
    mended = (yield from mend_apart(tenant, broken, lost, unreadable)) if broken else Mended()
    trial = yield from drill(tenant, before.drill_task or "", unreadable)
    if mended.marks:
        mended.why = yield from explain(tenant, mended.marks, SWEEP)
    verdict = _judge(tenant, before, found, mended, trial)
    yield from _write(verdict, number)
    return verdict


def fail_tenant(tenant: str, cause: str, detail: str, number: int) -> Move[Verdict]:
    """Write that a tenant's transaction failed and changed nothing; its drill could not be tried."""
    before = _last((yield from ask(READ_VERDICT(tenant=tenant))))
    verdict = Verdict(
        tenant,
        "failed",
        cause,
        bounded(detail),
        drill_task=before.drill_task,
        untried=before.untried + 1,
    )
    yield from _write(verdict, number)
    return verdict


def _last(rows: Sequence[LastDrill]) -> LastDrill:
    return rows[0] if rows else LastDrill(None, 0)


def _judge(tenant: str, before: LastDrill, found: Look, mended: Mended, trial: Drill) -> Verdict:
    unrepaired = dict(mended.unrepaired) | dict(found.unreadable)
    untried = before.untried + 1 if trial.word == "could not try" else 0
    word: Word = "repaired" if mended.repairs else "healthy"
    cause, detail = None, mended.why
    if unrepaired:
        cause, detail = "lock" if mended.locked else "repair", _unmended(unrepaired)
    elif trial.word == "failed":
        cause, detail = "drill", trial.detail
    elif untried >= UNTRIED_MOST:
        cause, detail = "untried", f"{untried} passes in a row: {trial.detail}"
    elif trial.word == "could not try":
        detail = trial.detail
    if cause is not None:
        word = "failed"
    broken = {row.task for row in found.wrong if row.lane == SERIES and row.why in ("misnamed", "past end")}
    return Verdict(
        tenant,
        word,
        cause,
        bounded(detail),
        checked=found.checked,
        open=found.open - len(broken) + mended.opened,
        ended=found.ended + mended.ended,
        repairs=dict(sorted(Counter(mended.repairs).items())),
        made=mended.made,
        watch={"failing": found.failing, "tasks": found.failing_named} if found.failing else {},
        drill=trial.word,
        drill_ms=trial.ms,
        drill_task=trial.task or before.drill_task,
        untried=untried,
    )


def _unmended(unrepaired: Mapping[str, str]) -> str:
    """The tasks by name, a reason once for all that share it."""
    by_reason: dict[str, list[str]] = {}
    for task, why in sorted(unrepaired.items())[:_NAMED]:
        by_reason.setdefault(why, []).append(repr(task))
    named = "; ".join(f"task {', '.join(tasks)}: {why}" for why, tasks in by_reason.items())
    more = len(unrepaired) - _NAMED
    return f"{len(unrepaired)} tasks could not be mended: {named}" + (
        f"; and {more} more" if more > 0 else ""
    )


def _write(verdict: Verdict, number: int) -> Move[None]:
    call = WRITE_VERDICT(
        tenant=verdict.tenant,
        word=verdict.word,
        cause=verdict.cause,
        detail=verdict.detail,
        checked=verdict.checked,
        open=verdict.open,
        ended=verdict.ended,
        repairs=json.dumps(verdict.repairs),
        watch=json.dumps(verdict.watch),
        drill=verdict.drill,
        drill_ms=verdict.drill_ms,
        drill_task=verdict.drill_task,
        untried=verdict.untried,
        **{"pass": number},
    )
    yield from ask(call)
