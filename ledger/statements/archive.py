"""What moves closed rows to the archive, and what is read there."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load
from ledger.statements.occurrences import FoundRow, RequestRow
from ledger.statements.reads import Occurrence, Relative, WholeRow


class OldRow(NamedTuple):
    """A row older than the hot window, and whether it may leave."""

    key: UUID
    tenant: str
    due: datetime
    leaves: bool


class Moved(NamedTuple):
    moved: int


class Day(NamedTuple):
    """A day of the archive; `rows` as the database's statistics have it."""

    day: date
    rows: int


class MadeDay(NamedTuple):
    day: date


class DroppedDay(NamedTuple):
    dropped: bool


class LeftOff(NamedTuple):
    """Where a pass left off; null where it came to the end."""

    key: UUID | None
    tenant: str | None


class Windows(NamedTuple):
    """How long rows stay hot and history is kept; `kept_from`: before it history has been dropped."""

    moment: datetime
    hot: timedelta
    history: timedelta
    kept_from: datetime | None


class SetWindows(NamedTuple):
    hot: timedelta
    history: timedelta


class Plans(NamedTuple):
    plans: str


LOOK_OLD = load("look_old", OldRow)
ARCHIVE_ROWS = load("archive_rows", Moved)
LIST_DAYS = load("list_days", Day)
MAKE_DAYS = load("make_days", MadeDay)
DROP_DAY = load("drop_day", DroppedDay)
READ_ARCHIVE_PLACE = load("read_archive_place", LeftOff)
READ_WINDOWS = load("read_windows", Windows)
SET_WINDOWS = load("set_windows", SetWindows)
PLAN_EACH = load("plan_each", Plans)
FIND_ARCHIVED = load("find_archived", FoundRow)
FIND_ARCHIVED_REQUEST = load("find_archived_request", RequestRow)
READ_ARCHIVED = load("read_archived", WholeRow)
READ_ARCHIVED_RELATIVES = load("read_archived_relatives", Relative)
READ_ARCHIVED_HISTORY = load("read_archived_history", Occurrence)
READ_ARCHIVED_TASK_HISTORY = load("read_archived_task_history", Occurrence)
