"""What a row says of its own slot, in a word that programs compare and a line for people."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from ledger.facts import instant_text
from ledger.statements.why import Hold, MinuteRow

RowWord: TypeAlias = Literal["ran", "skipped", "cancelled", "not yet", "waiting", "held", "set aside"]

_SKIPPED = {
    "overlap": "a run of the task was in its way",
    "misfire": "it came too late, or a newer slot had come",
    "backoff": "failures of the slots before held it back",
    "quota": "the tenant had used up what it may start in the month",
    "suspended": "the tenant was suspended",
    "agent_gone": "its agent was gone",
}


def of_row(row: MinuteRow, moment: datetime, hold: Hold | None) -> tuple[RowWord, str]:
    """What became of a row that is not retired; `hold` is what holds its tenant back now."""
    if row.started is not None:
        return "ran", _ran(row, row.started)
    if row.state == "pending":
        return _open(row, moment, hold)
    by = f" by {row.closed_by}" if row.closed_by else ""
    when = "" if row.closed is None else f" at {_said(row.closed)}"
    if row.state == "cancelled":
        return "cancelled", f"cancelled{by}{when}, before it began{_why(row.reason)}"
    known = _SKIPPED.get(row.reason or "")
    blocker = f" ({row.blocked_by})" if row.blocked_by is not None else ""
    return "skipped", f"skipped{by}{when}: {row.reason}{f', {known}' if known else ''}{blocker}"


def _ran(row: MinuteRow, started: datetime) -> str:
    held = f", held back for {row.held_ms} ms first" if row.held_ms else ""
    if row.closed is None:
        return f"runs since {_said(started)}{held}"
    said = row.error or row.reason or row.crumb
    return f"ran from {_said(started)} to {_said(row.closed)}{held}: {row.state}{_why(said)}"


def _open(row: MinuteRow, moment: datetime, hold: Hold | None) -> tuple[RowWord, str]:
    if row.blocked_by == row.key:
        again = "" if row.retry_at is None else f"; tried again at {_said(row.retry_at)}"
        return "set aside", f"it failed alone and was set aside{_why(row.reason)}{again}"
    if row.blocked_by is not None:
        return "waiting", f"it waits for the run {row.blocked_by} of the task{_why(row.reason)}"
    if row.run_at > moment:
        return "not yet", f"its row is open, and may start at {_said(row.run_at)}"
    if hold is not None and hold.suspended:
        return "held", "its tenant is suspended"
    if hold is not None and hold.cap is not None and hold.running >= hold.cap:
        return "held", f"its tenant has {hold.running} runs, and may have {hold.cap}"
    late = int((moment - row.run_at).total_seconds())
    return "not yet", f"its row is open and {late} s overdue: no dispatcher that serves it has taken it"


def _why(said: str | None) -> str:
    return f": {' '.join(said.split())[:200]}" if said else ""


def _said(instant: datetime) -> str:
    return instant_text(instant).replace(".000000Z", "Z")
