"""Who starts runs, whether they are there, what is in force, and what they say of themselves."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class IncarnationId(NamedTuple):
    id: int


class Incarnation(NamedTuple):
    """One life of a process, whether its lock is held now, and who has expelled it, if anybody did."""

    id: int
    slot: str
    host: str
    registered: datetime
    absent_since: datetime | None
    moment: datetime
    server_start: datetime
    present: bool
    expelled: str | None = None


class Taken(NamedTuple):
    taken: bool
    pid: int


class Holder(NamedTuple):
    pid: int
    own: int


class Dropped(NamedTuple):
    dropped: bool


class Watched(NamedTuple):
    idle: str
    every: str
    times: str
    session: str


class Fence(NamedTuple):
    """Whether an incarnation may start runs, the release that is in force, and whether it was expelled."""

    free: bool
    present: bool
    schema_version: int
    key_version: int
    digest_version: int
    dialect: int
    tzdata: str
    expelled: str | None = None


class Expelled(NamedTuple):
    """A life of a process that a person has ended, when, who and why; and what it had running."""

    id: int
    slot: str
    host: str
    registered: datetime
    expelled: datetime
    by: str
    why: str
    runs: int


class ExpelledWhy(NamedTuple):
    expelled: str


class Waited(NamedTuple):
    waited: str


class OwnRun(NamedTuple):
    """A run as its start wrote it."""

    tenant: str
    task: str
    key: UUID
    digest: bytes
    lane: str
    wake: str
    due: datetime
    run_at: datetime
    started: datetime
    deadline: datetime
    delivery: str
    handed: datetime | None


class MovedRun(NamedTuple):
    key: UUID
    tenant: str


class Place(NamedTuple):
    """Which row, of which task, of which tenant."""

    tenant: str
    task: str
    key: UUID


REGISTER_INCARNATION = load("register_incarnation", IncarnationId)
CONFIRM_PRESENCE = load("confirm_presence", IncarnationId)
END_INCARNATION = load("end_incarnation", NoRow)
READ_INCARNATIONS = load("read_incarnations", Incarnation)
EXPEL = load("expel", Expelled)
READ_EXPELLED = load("read_expelled", ExpelledWhy)
NOTE_ABSENCE = load("note_absence", IncarnationId)
TAKE_PRESENCE = load("take_presence", Taken)
SEE_PRESENCE = load("see_presence", Holder)
DROP_PRESENCE = load("drop_presence", Dropped)
WATCH_SESSION = load("watch_session", Watched)
LISTEN_ACTS = load("listen_acts", NoRow)
FENCE_CLAIM = load("fence_claim", Fence)
AWAIT_CLAIMS = load("await_claims", Waited)
READ_RUNS = load("read_runs", OwnRun)
MOVE_RUNS = load("move_runs", MovedRun)
LIST_OVERDUE = load("list_overdue", Place)
BEAT = load("beat", NoRow)
