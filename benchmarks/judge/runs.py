"""What ran: each run against what its handler wrote, and each slot against what was demanded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from benchmarks.judge.case import OPEN, SERIES, Case, Dead
from benchmarks.judge.demand import Slot
from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import Mark, Row
from benchmarks.judge.reasons import why_not

# A run whose process died is closed within this: two looks, ten seconds apart, and time to get to them.
RECOVERY = timedelta(seconds=45)
# So much later than its slot nothing begins while one of two dispatchers lives, however busy the machine.
LATEST = timedelta(seconds=10)
# The time of a start is that of its transaction's begin, which may lie before the act that it already sees.
BEGIN_LAG = timedelta(seconds=1)


def judge_runs(case: Case, dead: Dead, judgement: Judgement) -> None:
    """Judge every run of the task, then every slot."""
    for key in case.begins.keys() | case.ends.keys():
        _judge_marks(case, key, dead, judgement)
    for row in case.rows.values():
        if row.started is not None:
            _judge_start(case, row, judgement)
            _judge_end(case, row, dead, judgement)
        elif row.state not in OPEN and row.due not in case.slots:
            judgement.find("unexpected", f"{row.state} ({row.reason})", case.tenant, case.task, row.due)
    for slot in case.slots.values():
        _judge_slot(case, slot, dead, judgement)


def _judge_marks(case: Case, key: str, dead: Dead, judgement: Judgement) -> None:
    """What a handler wrote under one key: begun once, ended once unless its process died, not too early."""
    begins, ends = case.begins.get(key, []), case.ends.get(key, [])
    judgement.counts["begins"] += len(begins)
    first = (begins or ends)[0]
    row = case.rows.get(key)

    def find(verdict: str, detail: str) -> None:
        judgement.find(verdict, f"{detail} (key {key})", case.tenant, case.task, first.slot)

    if row is None or row.started is None:
        find("unexpected", "a handler ran what the ledger never started")
        return
    if len(begins) > 1 or len(ends) > 1:
        find("double", f"{len(begins)} begins and {len(ends)} ends under one key")
    if any(mark.slot != row.due for mark in (*begins, *ends)):
        find("misnamed", f"the handler was told another slot than the row's, {row.due}")
    if not begins:
        find("torn", "it ended and never began")
        return
    if first.at < first.slot:
        find("early", f"began at {first.at}, {first.slot - first.at} before its slot")
    if first.at < row.started:
        find("early", f"began at {first.at}, before its start was written at {row.started}")
    if not ends and not _died(first, dead):
        find("torn", f"began at {first.at} and never ended; its process {first.life} lived")
    if row.lane == SERIES:
        if first.at - first.slot > LATEST:
            find("late", f"began at {first.at}")
        judgement.lateness_ms.append((first.at - first.slot) / timedelta(milliseconds=1))


def _died(mark: Mark, dead: Dead) -> bool:
    life = dead.of_mark(mark)
    return life is not None and mark.at <= life.ended


def _judge_start(case: Case, row: Row, judgement: Judgement) -> None:
    """A row that started: not before its slot, for a slot of a text that was in force.

    A retry keeps the slot and goes by the text in force when it was minted, which may have other slots.
    """
    assert row.started is not None

    def find(verdict: str, detail: str) -> None:
        judgement.find(verdict, f"{detail} (key {row.key})", case.tenant, case.task, row.due)

    slot = case.slots.get(row.due)
    if slot is None or not (row.digest in slot.digests or _retries(row, row.due)):
        find("unexpected", f"{row.state}; no version in force had this slot under digest {row.digest[:12]}")
    elif _retries(row, row.due) and case.of_slot(row.due)[0] is row:
        find("unexpected", f"{row.wake} of a slot that has not run before")
    elif not _in_force(case, row):
        find("stale", f"started at {row.started} under digest {row.digest[:12]}, not in force then")
    if row.started < row.due:
        find("early", f"started at {row.started}")


def _judge_end(case: Case, row: Row, dead: Dead, judgement: Judgement) -> None:
    """A row that started: closed as its handler, or its process's death, says."""

    def find(verdict: str, detail: str) -> None:
        judgement.find(verdict, f"{detail} (key {row.key})", case.tenant, case.task, row.due)

    life = dead.of_row(row)
    begun, ended = row.key in case.begins, row.key in case.ends
    if row.state == "succeeded":
        if not (begun and ended):
            find("unwitnessed", "succeeded")
    elif life is not None:
        if row.state == "running" or (row.closed is not None and row.closed > life.ended + RECOVERY):
            find("unclosed", f"its process {life.name} died at {life.ended}; closed {row.closed}")
    elif row.state == "lost":
        find("false death", f"incarnation {row.incarnation} was not killed")
    elif row.state == "cancelled" and row.reason == "unhanded":
        if begun:
            find("torn", "handed back as never begun, and it began")
    elif ended:
        find("dropped", f"it ended at {case.ends[row.key][0].at}; the ledger says {row.state}")
    else:
        find("unclosed", f"{row.state} by a process that was not killed")


def _in_force(case: Case, row: Row) -> bool:
    assert row.started is not None
    return any(
        epoch.act.digest == row.digest
        and epoch.schedule is not None
        and epoch.act.at - BEGIN_LAG <= row.started <= epoch.until
        for epoch in case.epochs
    )


def _judge_slot(case: Case, slot: Slot, dead: Dead, judgement: Judgement) -> None:
    """A slot: run once, or run again after a death, or not run for a reason that was seen."""

    def find(verdict: str, detail: str) -> None:
        judgement.find(verdict, detail, case.tenant, case.task, slot.due)

    rows = case.of_slot(slot.due)
    for lane in {row.lane for row in rows}:
        if sum(row.lane == lane for row in rows) > 1:
            find("double", f"two dispositions in the lane {lane}")
    runs = [row for row in rows if row.started is not None]
    for row in runs[:-1]:
        if dead.of_row(row) is None and row.reason != "unhanded":
            find("double", f"{row.state} under {row.wake}, and run again under {runs[-1].wake}")
    kind = "demanded" if slot.demanded else "inside an open act" if slot.excused else "after the load"
    judgement.counts[f"slots {kind}"] += 1
    if runs:
        _count_ran(case, runs, dead, judgement, slot)
    elif slot.demanded:
        word, justified = why_not(case, slot, rows, dead)
        judgement.counts[f"not run: {word}"] += 1
        if not justified:
            find("unjustified" if rows or word != "no row" else "missing", word)


def _count_ran(case: Case, runs: list[Row], dead: Dead, judgement: Judgement, slot: Slot) -> None:
    last = runs[-1]
    witnessed = last.key in case.begins and last.key in case.ends
    if last.state == "succeeded" and witnessed:
        judgement.counts["ran once" if slot.demanded else "ran, not demanded"] += 1
        if len(runs) > 1:
            judgement.counts["of these, again after a death"] += 1
    elif dead.of_row(last) is not None:
        judgement.counts["ended, its finish died" if witnessed else "died with its process"] += 1
        if _asked_again(case, last):
            judgement.find(
                "no retry",
                f"lost at {last.closed} under {last.wake}, and not run again",
                case.tenant,
                case.task,
                slot.due,
            )


def _asked_again(case: Case, row: Row) -> bool:
    """Whether the text in force when the run was given up asked for a retry of it, which nobody took back."""
    if row.closed is None or row.wake.startswith("retry:"):
        return False
    near = [e for e in case.epochs if e.act.at <= row.closed + BEGIN_LAG and row.closed <= e.until]
    if not near or any(epoch.schedule is None for epoch in near):
        return False
    if not all(_retries_lost(case.texts[epoch.act.digest]) for epoch in near):
        return False
    return not any(other.state == "retired" and _retries(other, row.due) for other in case.rows.values())


def _retries(row: Row, due: datetime) -> bool:
    return row.due == due and row.wake.startswith("retry:")


def _retries_lost(text: Mapping[str, object]) -> bool:
    retry = text.get("retry")
    return isinstance(retry, dict) and bool(retry.get("attempts")) and "lost" in retry.get("on", ())
