"""Moving closed rows to the archive, a page a transaction, and dropping days that are kept no longer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple
from uuid import UUID

from ledger.moves.archive import key_before
from ledger.moves.step import Move, ask
from ledger.statements.archive import ARCHIVE_ROWS, DROP_DAY, LOOK_OLD, MAKE_DAYS

# Rows looked at in one transaction.
PAGE = 1_000


class Row(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    key: UUID
    tenant: str


# No row stands before it: the empty text is no tenant.
START = Row(UUID(int=0), "")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of old rows: how many were looked at, how many left, and its end; None where there were none."""

    looked_at: int
    moved: int
    end: Row | None


def archive_page(after: Row, cutoff: datetime, *, n: int = PAGE, dry: bool = False) -> Move[Page]:
    """Move what may leave of the `n` rows behind `after`, in the order of keys, over all tenants.

    A closed row leaves once its slot and its closing are before `cutoff` and no claim will ask for it; a
    retired one once its slot is behind its series' frontier, so that nobody derives its key again (I2, I16).
    With `dry` nothing moves, and what would is counted.
    """
    rows = yield from ask(
        LOOK_OLD(key=after.key, tenant=after.tenant, until=key_before(cutoff), cutoff=cutoff, n=n)
    )
    leaving = [row for row in rows if row.leaves]
    end = Row(rows[-1].key, rows[-1].tenant) if rows else None
    if dry or not leaving:
        return Page(len(rows), len(leaving), end)
    yield from make_days({row.due.astimezone(UTC).date() for row in leaving})
    (answer,) = yield from ask(
        ARCHIVE_ROWS(keys=[row.key for row in leaving], tenants=[row.tenant for row in leaving])
    )
    return Page(len(rows), answer.moved, end)


def make_days(days: set[date]) -> Move[list[date]]:
    """Make the partitions of days that lack one; which they were."""
    return [row.day for row in (yield from ask(MAKE_DAYS(days=[day.isoformat() for day in sorted(days)])))]


def drop_day(day: date) -> Move[bool]:
    """Drop a day with all that it holds; False where there is none.

    From now on history is kept from the day's end on, and nothing older may be asked for again (I16).
    """
    (answer,) = yield from ask(DROP_DAY(day=day))
    return answer.dropped
