"""Who starts runs, whether they are there, what is in force, and what they say of themselves."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class IncarnationId(NamedTuple):
    id: int


class Incarnation(NamedTuple):
    """One life of a process, and whether its lock is held now."""

    id: int
    slot: str
    host: str
    registered: datetime
    absent_since: datetime | None
    moment: datetime
    server_start: datetime
    present: bool


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
    """Whether an incarnation may start runs, and the release that is in force."""

    free: bool
    present: bool
    schema_version: int
    key_version: int
    digest_version: int
    dialect: int
    tzdata: str


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
