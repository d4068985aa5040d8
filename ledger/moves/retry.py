"""Which retry follows a run: an occurrence of its own, of the same slot."""

from __future__ import annotations

from dataclasses import replace

from ledger.keys import retry_wait
from ledger.moves.adopt import NewRow, Subject
from ledger.statements.acts import PendingRow
from ledger.statements.occurrences import RunRow
from ledger.states import Closed

# So many times in a row a run may be handed back before it counts as failed.
UNHANDED_IN_A_ROW = 3
# How the wake of a backfill's row begins; the request follows.
BACKFILL = "backfill:"


def next_attempt(row: RunRow, subject: Subject, closed: Closed, *, unhanded: bool) -> NewRow | None:
    """The retry that follows a run that closed so; None where the author asked for none.

    A run handed back before it began is tried again at once, outside `attempts` and `on`: these speak of
    runs that were handed over. Three times in a row is a failure of its own.
    """
    n, origin = attempt_of(row.wake)
    free, in_a_row = unhanded_before(row.history)
    wake = f"retry:{n + 1}" if origin is None else f"rerun:{n + 1}:{origin}"
    retry = subject.definition.retry
    if unhanded:
        if in_a_row + 1 >= UNHANDED_IN_A_ROW:
            return None
        minted = subject.row(wake, row.due)
        count: dict[str, object] = {"unhanded": free + 1, "in_a_row": in_a_row + 1}
        return replace(minted, run_at=row.moment, predecessor=row.key, failures=row.failures, history=[count])
    counted = n + 1 - free
    if counted > retry.attempts or closed not in retry.on:
        return None
    minted = subject.row(wake, row.due)
    wait = retry_wait(minted.fingerprint, counted, retry.backoff_s, retry.factor, retry.max_s)
    return replace(
        minted,
        run_at=row.moment + wait,
        predecessor=row.key,
        failures=row.failures,
        history=[{"unhanded": free, "in_a_row": 0}] if free else None,
    )


def attempt_of(wake: str) -> tuple[int, str | None]:
    """Which attempt a wake is (0: the first), and, outside the series, the wake that it repeats."""
    kind, _, rest = wake.partition(":")
    if kind == "retry":
        return int(rest), None
    if kind == "rerun":
        n, _, origin = rest.partition(":")
        return int(n), origin
    return 0, None if kind in ("schedule", "hint") else wake


def backfill_of(wake: str) -> str:
    """The request of the backfill that a run, or a retry of it, is of; '' for every other run."""
    _, origin = attempt_of(wake)
    return origin.removeprefix(BACKFILL) if origin is not None and origin.startswith(BACKFILL) else ""


def unhanded_before(history: list[dict[str, object]] | None) -> tuple[int, int]:
    """How many attempts of this slot were handed back before they began: in all, and in a row."""
    for entry in history or ():
        free, in_a_row = entry.get("unhanded"), entry.get("in_a_row")
        if isinstance(free, int) and isinstance(in_a_row, int):
            return free, in_a_row
    return 0, 0


def again(pending: PendingRow, subject: Subject) -> NewRow:
    """A pending retry, or a backfill's row, anew after an edit: the same slot and number, another digest."""
    minted = subject.row(pending.wake, pending.due)
    n, _ = attempt_of(pending.wake)
    free, in_a_row = unhanded_before(pending.history)
    run_at = pending.run_at
    if n > free and pending.predecessor_closed is not None and not in_a_row:
        retry = subject.definition.retry
        run_at = pending.predecessor_closed + retry_wait(
            minted.fingerprint, n - free, retry.backoff_s, retry.factor, retry.max_s
        )
    return replace(
        minted,
        run_at=run_at,
        predecessor=pending.predecessor,
        failures=pending.failures,
        # Of the old row's history only the count goes over: its retirements and revivals were its own.
        history=[{"unhanded": free, "in_a_row": in_a_row}] if free else None,
    )
