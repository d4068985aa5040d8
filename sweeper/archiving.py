"""Keeping the hot table small: old closed rows to the archive, old days of the archive away.

A pass does as much of it as its time allows, and the next one goes on where it left off; `ledger prune` does
all of it at once. Each page is a small transaction beside running dispatchers, and takes no row that anybody
holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock

from ledger.driver.connect import SyncConnection
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.errors import BadInput, Busy, Violation
from ledger.moves.settled import under
from ledger.moves.step import ask
from ledger.statements.archive import LIST_DAYS, READ_ARCHIVE_PLACE, READ_WINDOWS, Windows
from sweeper.moves.archive import START, Row, archive_page, drop_day, make_days

# Partitions are made so many days ahead at most, so that no row waits for a lock on the archive.
_AHEAD = 31
# How long a pass may take for it.
_IN_PASS = timedelta(seconds=60)
_SCOPE = Scope("sweeper", None, Limits(lock_ms=2_000, statement_ms=60_000, idle_ms=60_000))


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long rows stay hot and history is kept; None is what the settings say.

    `within` bounds how long the work may take; what is left is for the next time. With `dry` nothing is
    changed.
    """

    hot: timedelta | None = None
    history: timedelta | None = None
    within: timedelta | None = None
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Archived:
    """What was done, or would be: rows looked at and moved, days of the archive dropped.

    `goes_on` says where the next one begins if time was up; None where all old rows were looked at.
    """

    looked_at: int = 0
    moved: int = 0
    dropped: Sequence[date] = ()
    goes_on: Row | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "looked_at": self.looked_at,
            "moved": self.moved,
            "dropped": [day.isoformat() for day in self.dropped],
            "goes_on": None if self.goes_on is None else [str(self.goes_on.key), self.goes_on.tenant],
        }


def archive_in_pass(connection: SyncConnection, notes: list[str], faults: list[str]) -> Archived | None:
    """A pass's part of it, a minute at most. Where it fails the pass goes on, and says so.

    A lock that does not come is a note, and the next pass tries again; rows that stand in both tables are a
    fault, which only a person can mend (I2).
    """
    try:
        return archive(connection, Keeping(within=_IN_PASS))
    except Busy as busy:
        notes.append(f"old rows could not be moved to the archive, the next pass tries again: {busy}")
    except Violation as violation:
        faults.append(f"old rows could not be moved to the archive: {violation}")
    return None


def archive(
    connection: SyncConnection, keeping: Keeping, told: Callable[[int, int], None] | None = None
) -> Archived:
    """Move what is old enough and drop what is kept no longer, on a connection in autocommit.

    `told` hears how many rows were looked at and moved so far. Raises `BadInput` for windows that no ledger
    can have, `Busy` where a lock does not come in time (what was moved stays moved), `Unreachable`.
    """
    (windows,) = run(connection, ask(READ_WINDOWS()), _SCOPE)
    hot, history = _windows(windows, keeping)
    days = [row.day for row in run(connection, ask(LIST_DAYS()), _SCOPE)]
    cutoff = windows.moment - hot
    if days and not keeping.dry:
        _make_ahead(connection, cutoff, windows.moment, days)
    ends = None if keeping.within is None else time.monotonic() + keeping.within.total_seconds()
    place: Row | None = _left_off(connection) if ends is not None else START
    looked_at = moved = 0
    while place is not None and (ends is None or time.monotonic() < ends):
        page = run(connection, under(in_force(), archive_page(place, cutoff, dry=keeping.dry)), _SCOPE)
        looked_at, moved, place = looked_at + page.looked_at, moved + page.moved, page.end
        if told is not None:
            told(looked_at, moved)
    dropped = _drop(connection, windows.moment - history, keeping)
    return Archived(looked_at, moved, dropped, place)


def _windows(windows: Windows, keeping: Keeping) -> tuple[timedelta, timedelta]:
    hot = windows.hot if keeping.hot is None else keeping.hot
    history = windows.history if keeping.history is None else keeping.history
    if history < hot:
        raise BadInput(
            f"history is to be kept for {history} and rows are to stay hot for {hot}: "
            "what is hot is history, so keep it at least as long"
        )
    return hot, history


def _make_ahead(connection: SyncConnection, cutoff: datetime, moment: datetime, days: Sequence[date]) -> None:
    """The days that rows will leave for in a while, once the archive is in use at all."""
    first, last = cutoff.astimezone(UTC).date(), moment.astimezone(UTC).date()
    ahead = {first + timedelta(days=n) for n in range(min((last - first).days, _AHEAD) + 1)}.difference(days)
    if ahead:
        run(connection, under(in_force(), make_days(ahead)), _SCOPE)


def _left_off(connection: SyncConnection) -> Row:
    for row in run(connection, ask(READ_ARCHIVE_PLACE()), _SCOPE):
        if row.key is not None and row.tenant is not None:
            return Row(row.key, row.tenant)
    return START


def _drop(connection: SyncConnection, before: datetime, keeping: Keeping) -> list[date]:
    """Days that end before the kept history begins, each in a transaction of its own."""
    days = [row.day for row in run(connection, ask(LIST_DAYS()), _SCOPE)]
    old = [day for day in days if datetime.combine(day, clock(), UTC) + timedelta(days=1) <= before]
    if not keeping.dry:
        old = [day for day in old if run(connection, under(in_force(), drop_day(day)), _SCOPE)]
    return sorted(old)
