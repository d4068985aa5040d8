"""Running a task now, outside its series: one occurrence for each request id, however often it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ledger.errors import BadInput, Disabled, NotFound
from ledger.moves.adopt import adopt
from ledger.moves.archive import find_archived_request
from ledger.moves.step import Batch, Move, ask
from ledger.statements.acts import LOCK_TASKS, READ_REFERENCES, TELL_ACT
from ledger.statements.occurrences import FIND_REQUEST
from projector.moves.follow import follows
from projector.moves.open import read_subjects

# Characters of a request id: its runs again carry it in their wakes, behind a number, within the 200 that a
# qualifier has.
REQUEST_MOST = 180


@dataclass(frozen=True, slots=True)
class Requested:
    """The occurrence of a request to run now. `first` is false where the request was made before.

    `due` is the database's time of the first request; `next` is the slot of the series, which goes on beside.
    """

    task: str
    request: str
    key: UUID
    due: datetime
    state: str
    first: bool
    next: datetime | None
    ended: bool


def run_now(tenant: str, task: str, request: str, by: str) -> Move[Requested]:
    """Open the occurrence of a request, due at once, in a lane of its own; or find the one it opened before.

    A second call with one request id returns the first row, whatever its state is by then (I15). Raises
    `NotFound` for a task that does not exist and `Disabled` for one whose switch is off.
    """
    if len(request) > REQUEST_MOST:
        raise BadInput(
            f"running a task now: the request id has {len(request)} characters, and may have {REQUEST_MOST}: "
            "its retries carry it in their names",
            tenant=tenant,
            task=task,
        )
    wake = f"manual:{request}"
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    earlier = yield from ask(FIND_REQUEST(tenant=tenant, task=task, wake=wake))
    for found in earlier or (yield from find_archived_request(tenant, task, wake)):
        then = yield from follows(tenant, task)
        return Requested(task, request, found.key, found.due, found.state, False, then.next, then.ended)
    if not locked:
        raise NotFound("running a task now: the tenant has no such task", tenant=tenant, task=task)
    if not locked[0].enabled:
        raise Disabled("running a task now: it is disabled; enable it first", tenant=tenant, task=task)
    subjects = yield from read_subjects(tenant, locked)
    (reference,) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[task]))
    row = subjects[task].row(wake, reference.moment)
    yield from adopt([row], f"run now: {by}", reference.moment)
    yield Batch([TELL_ACT()])
    then = yield from follows(tenant, task)
    return Requested(task, request, row.key, row.due, row.state, True, then.next, then.ended)
