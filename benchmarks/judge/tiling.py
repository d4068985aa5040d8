"""The series as rows: each covers the time from the row before, and names what it passes over (I10)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from benchmarks.judge.case import SERIES, Case
from benchmarks.judge.demand import Epoch
from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import Row
from benchmarks.judge.runs import BEGIN_LAG
from benchmarks.judge.slots import MICROSECOND, instant, slots_between

EXACT_MOST = 1000


def judge_series(case: Case, judgement: Judgement) -> None:
    """Judge where the series resumed after each act, how its rows tile time since, and what stands open."""
    for before, epoch in zip([None, *case.epochs[:-1]], case.epochs, strict=True):
        if wrong := _resumes(before, epoch):
            judgement.find("untiled", f"act {epoch.act.n}: {wrong}", case.tenant, case.task)
    rows = [row for row in case.rows.values() if row.lane == SERIES and row.state not in ("retired", "ended")]
    rows.sort(key=lambda row: row.due)
    previous: datetime | None = None
    for row in rows:
        if wrong := _tiles(case, row, previous):
            judgement.find("untiled", f"{wrong} (key {row.key})", case.tenant, case.task, row.due)
        previous = row.due
        judgement.counts["rows tiled"] += 1
        if row.made_by in ("sweep", "repair"):
            judgement.find("repaired", f"made by {row.made_by}", case.tenant, case.task, row.due)
    _judge_open(case, judgement)


def _resumes(before: Epoch | None, epoch: Epoch) -> str | None:
    """Whether an act resumes where it may: at its moment, or just before a slot that both versions hold."""
    act = epoch.act
    if epoch.schedule is None:
        return None if act.resume_after is None else "a series that is off resumes"
    if act.resume_after is None:
        return "a series that is on does not resume"
    if act.resume_after == act.at:
        return None
    first = act.resume_after + MICROSECOND
    kept = before is not None and act.what == "edit" and before.holds(first) and epoch.holds(first)
    return None if kept and first <= act.at else f"it resumes after {act.resume_after}, made at {act.at}"


def _tiles(case: Case, row: Row, previous: datetime | None) -> str | None:
    if row.after is None or row.after >= row.due:
        return f"it covers nothing: after {row.after}"
    left = row.started or row.closed
    starts = [
        epoch.act.resume_after if previous is None else max(epoch.act.resume_after, previous)
        for epoch in case.epochs
        if epoch.act.digest == row.digest
        and epoch.act.resume_after is not None
        and (epoch.until >= left if left is not None else epoch is case.epochs[-1])
        and (left is None or epoch.act.at - BEGIN_LAG <= left)
    ]
    if row.after not in starts:
        return f"it begins after {row.after}; the row before is {previous}, acts say {starts}"
    return _passes(case.schedule(row.digest), row, row.after)


def _passes(schedule: Mapping[str, object], row: Row, after: datetime) -> str | None:
    """Whether the slots that the row covers and does not stand for are those it keeps as passed over."""
    between = slots_between(schedule, after, row.due - MICROSECOND)
    kept = row.passed or []
    count = sum(int(str(entry["count"])) for entry in kept)
    if count != min(len(between), EXACT_MOST):
        return f"it passes over {len(between)} slots and keeps {count}"
    if kept and (
        instant(str(kept[0]["first"])) != between[0] or instant(str(kept[-1]["last"])) != between[-1]
    ):
        return f"it passes over {between[0]} to {between[-1]} and keeps {kept}"
    return None


def _judge_open(case: Case, judgement: Judgement) -> None:
    """At the end, too, an enabled task has its one open row, or the row that says that it has ended."""
    last = case.epochs[-1]
    pending = [row for row in case.rows.values() if row.state == "pending"]
    series = [row for row in pending if row.lane == SERIES]
    ended = [row for row in case.rows.values() if row.state == "ended" and row.digest == last.act.digest]

    def find(detail: str) -> None:
        judgement.find("gap", detail, case.tenant, case.task)

    if last.schedule is None:
        if pending:
            find(f"the task is off, and {len(pending)} rows are open")
        return
    if any(row.digest != last.act.digest for row in pending):
        find("a row is open under a digest that is not in force")
    if len(series) + bool(ended) != 1:
        find(f"{len(series)} series rows are open, and the series has {'' if ended else 'not '}ended")
    if len({row.lane for row in pending}) != len(pending):
        find("two rows of one lane are open")
