"""Why a slot that was demanded did not run: what its row says, believed only as far as others saw it too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from benchmarks.judge.case import OPEN, SERIES, Case, Dead
from benchmarks.judge.demand import Slot
from benchmarks.judge.history import Row
from benchmarks.judge.slots import instant

# Times of rows are those of their transactions' begins: two that met may stand this far the other way round.
OVERLAP_LAG = timedelta(seconds=2)
DOUBLED_MOST = 5


def why_not(case: Case, slot: Slot, rows: Sequence[Row], dead: Dead) -> tuple[str, bool]:
    """What is said of a slot that did not run, and whether that is so."""
    series = [row for row in rows if row.lane == SERIES]
    if not series:
        covered = _passed_by(case, slot.due)
        if covered is None:
            return "no row", False
        reason, row = covered
        return f"passed over, {reason}", _justified(case, slot, reason, row, dead)
    row = series[0]
    return f"{row.state}, {row.reason}", row.state == "skipped" and _justified(
        case, slot, row.reason or "", row, dead
    )


def _passed_by(case: Case, due: datetime) -> tuple[str, Row] | None:
    """The row that keeps the slot as passed over, and the reason it gives."""
    for row in case.rows.values():
        for entry in row.passed or () if row.state not in ("retired", "ended") else ():
            if instant(str(entry["first"])) <= due <= instant(str(entry["last"])):
                return str(entry["reason"]), row
    return None


def _justified(case: Case, slot: Slot, reason: str, row: Row, dead: Dead) -> bool:
    if reason == "overlap":
        return _overlapped(case, row, dead)
    if reason == "backoff":
        gate = _gate(case, slot, dead)
        return gate is not None and slot.due < gate
    if reason == "misfire":
        # Late by a whole period: only an act that held the task all the while explains it.
        return any(w.begin <= slot.due <= w.commit for w in case.windows)
    return False


def _overlapped(case: Case, row: Row, dead: Dead) -> bool:
    """The run in the way had died with its process, not closed yet; or it was a retry, seen at work."""
    blocker = case.rows.get(row.blocked_by or "")
    if blocker is None or blocker.started is None or row.closed is None:
        return False
    until = blocker.closed
    if blocker.started > row.closed or (until is not None and until + OVERLAP_LAG < row.closed):
        return False
    return dead.of_row(blocker) is not None or (
        blocker.wake.startswith("retry:") and blocker.key in case.begins
    )


def _gate(case: Case, slot: Slot, dead: Dead) -> datetime | None:
    """Before this instant nothing starts, since the slots before this one failed: their runs had died."""
    every = slot.schedule.get("every_s")
    if every is None:
        return None
    failures, last_start = 0, None
    before = {row.due for row in case.rows.values() if row.due < slot.due and row.lane == SERIES}
    for due in sorted(before, reverse=True):
        runs = [row for row in case.of_slot(due) if row.started is not None and row.state not in OPEN]
        if not runs:
            continue
        if dead.of_row(runs[-1]) is None:
            break
        failures += 1
        last_start = last_start or runs[0].started
    if not failures or last_start is None:
        return None
    return last_start + timedelta(seconds=int(str(every)) * 2 ** min(failures, DOUBLED_MOST))
