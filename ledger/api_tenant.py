"""The Python API of one tenant: `TenantLedger`, which `Ledger.tenant` makes.

Every method is one line that runs a move, as one transaction of its own or as a part of the caller's. What
can be refused without the database is refused before a connection is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar, Unpack
from uuid import UUID

from ledger.api_again import RunsAgain
from ledger.api_events import ReadsEvents
from ledger.api_limits import HasLimits
from ledger.driver.callers import Within
from ledger.driver.migrate import in_force
from ledger.driver.pool import Runs
from ledger.driver.transaction import Scope
from ledger.facts import read_identifier
from ledger.moves import reads
from ledger.moves.reads import Explained, Page, Pull, Shown, TaskLine
from ledger.moves.settled import under
from ledger.moves.step import Move
from ledger.statements.reads import Occurrence
from ledger.states import Outcome
from projector import door
from projector.door import TaskLike
from projector.moves.asked import asked
from projector.moves.cancel import Cancelled, cancel
from projector.moves.change import Acted, Wanted
from projector.moves.edit import edit, read_patch
from projector.moves.hint import Hinted, hint, withdraw
from projector.moves.pause import Pause, pause, resume
from projector.moves.rehearse import Rehearsed, rehearse_edit
from projector.moves.request import Requested, run_now
from projector.moves.runs import Begun, Finished, begin, begun, counted, report
from projector.moves.trail import HintKind
from projector.moves.upcoming import Upcoming, read_count, upcoming
from projector.moves.why_not import WhyNot, read_minute, why_not
from projector.sought import Narrowing, read_sought, read_sought_tasks

R = TypeVar("R")


class TenantLedger(HasLimits, ReadsEvents, RunsAgain):
    """What one tenant may ask of the ledger; made by `Ledger.tenant`.

    Tasks are named by their ids, occurrences by their keys (a UUID, or its text). Every call may be made
    again with the same arguments: the second time changes nothing (I15). Every call raises `Busy` where a
    lock did not come in time, `Unreachable` where the database does not answer, and `OutcomeUnknown` where
    the connection was lost at the commit: then make the same call again.
    """

    def __init__(self, runs: Runs, tenant: str, by: str) -> None:
        self._runs = runs
        self._tenant = tenant
        self._by = by

    def on(self, connection: object) -> TenantLedger:
        """The same door inside the transaction of a caller's psycopg connection; see `Ledger.on`."""
        return TenantLedger(Within(connection), self._tenant, self._by)

    # --- What is asked for ------------------------------------------------------------------

    def define(
        self,
        task: str,
        what: TaskLike,
        *,
        enabled: bool = True,
        allow_duplicate: bool = False,
        note: str = "",
    ) -> Acted:
        """Define a task, or replace the whole object of one that exists (an edit where it differs).

        `what` is a `Task`, or a mapping in the plain or the friendlier form (`"15m"`, timedelta, datetime).
        `enabled` is the switch of a task that is new; it never moves the switch of one that exists. The
        answer says what was done and the slot that comes `next`; a task that has no slot left has
        `ended`.

        Raises `TaskRefused` with the path of the first member that does not fit, `DuplicateTask` where
        an enabled task asks for the same work at the same times, unless `allow_duplicate`.
        """
        wanted = door.defining(task, what, enabled=enabled, allow_duplicate=allow_duplicate)
        return self._act([wanted], note)[0]

    def define_many(
        self,
        tasks: Mapping[str, TaskLike],
        *,
        enabled: bool = True,
        allow_duplicate: bool = False,
        note: str = "",
    ) -> Sequence[Acted]:
        """Define many tasks, from id to task, in one transaction, all or nothing; answers in their order.

        Raises as `define` does, for the first that does not fit.
        """
        wanted = [
            door.defining(task, what, enabled=enabled, allow_duplicate=allow_duplicate)
            for task, what in tasks.items()
        ]
        return self._act(wanted, note)

    def edit(self, task: str, patch: Mapping[str, object], *, note: str = "") -> Acted:
        """Change single members by an RFC 7396 merge patch, such as `{"timeout_s": 60, "labels": None}`.

        It is laid over the definition in force, under the task's lock: nothing under the old one starts
        after the commit, and no slot that has come and that both hold is lost (I11). To change the kind of
        a schedule, null the old one: `{"schedule": {"cron": None, "every_s": "15m"}}`.

        Raises `NotFound`, and as `define` does for what results.
        """
        return self._change(
            edit(
                self._tenant, read_identifier(task, "task"), read_patch(patch), self._by, door.read_note(note)
            )
        )

    def rehearse_edit(self, task: str, patch: Mapping[str, object]) -> Rehearsed:
        """What `edit` would do: its answer, and which rows would retire, open, open again or stay.

        The edit itself is carried out and rolled back, so nothing is kept of it. Raises as `edit` does.
        """
        return self._change(
            rehearse_edit(self._tenant, read_identifier(task, "task"), read_patch(patch), self._by)
        )

    def enable(self, task: str, *, allow_duplicate: bool = False, note: str = "") -> Acted:
        """Switch a task on; its series resumes from now. Raises `NotFound`, `DuplicateTask`."""
        return self._act([door.wanting(task, "enable", allow_duplicate=allow_duplicate)], note)[0]

    def disable(self, task: str, *, note: str = "") -> Acted:
        """Switch a task off: what is open retires, what runs goes on. Raises `NotFound`."""
        return self._act([door.wanting(task, "disable")], note)[0]

    def delete(self, task: str, *, note: str = "") -> Acted:
        """Delete a task: what is open retires, what runs goes on, its history stays. Raises `NotFound`."""
        return self._act([door.wanting(task, "delete")], note)[0]

    def hint(
        self,
        task: str,
        *,
        every: int | str | timedelta | None = None,
        at: datetime | str | None = None,
        expires: int | str | timedelta | datetime,
        note: str = "",
    ) -> Hinted:
        """Say when a task should run next, beside its rule: `every` so long from the last start, or `at`.

        An interval wins over the rule even where it is later, an instant only where it is earlier, of both
        the earlier; bounds and pauses hold all the same. It counts until it `expires` (an instant, or a
        duration from now: `900`, `"15m"`, timedelta), an instant until its run starts, through edits too.
        Raises `NotFound`, `BadInput`, and `TooEarly` where a slot no earlier than that has had its turn.
        """
        name, wish = read_identifier(task, "task"), door.reading_hint(every, at, expires)
        return self._change(hint(self._tenant, name, wish, self._by, door.read_note(note)))

    def withdraw_hint(self, task: str, kind: HintKind) -> Hinted:
        """Take back the `interval` or `oneshot` hint of a task. Raises `NotFound`, `BadInput`."""
        name = read_identifier(task, "task")
        return self._change(withdraw(self._tenant, name, door.read_kind(kind), self._by))

    def pause(self, task: str, until: datetime | str, *, note: str = "", at_end: bool = False) -> Acted:
        """Hold a task's series back until an instant, by an edit: even a slot that has come.

        It goes on with the first slot from then on, with `at_end` at that very instant. `note` says why, to
        1,000 characters. Raises `NotFound`, `BadInput` for an instant that is past.
        """
        name, wish = read_identifier(task, "task"), Pause(door.read_moment(until, "until"), at_end)
        return self._change(pause(self._tenant, name, wish, self._by, door.read_note(note)))

    def resume(self, task: str) -> Acted:
        """End the pause of a task now; of one that is not paused nothing is changed. Raises `NotFound`."""
        return self._change(resume(self._tenant, read_identifier(task, "task"), self._by))

    def run_now(self, task: str, request: str) -> Requested:
        """Run a task now, outside its series. `request` is an id of the caller's, once per task.

        A second call with one request id answers the first row, whatever its state. Raises `NotFound`,
        `Disabled`.
        """
        return self._change(
            run_now(
                self._tenant, read_identifier(task, "task"), read_identifier(request, "request"), self._by
            )
        )

    def cancel(self, key: UUID | str, *, reason: str | None = None) -> Cancelled:
        """Cancel an occurrence, open or running; its successor stands at once, and no retry follows.

        One that is closed already is not touched, and the answer says so. Raises `NotFound`.
        """
        return self._change(cancel(self._tenant, door.read_key(key), self._by, door.read_reason(reason)))

    # --- Runs of the platform's own runtime -------------------------------------------------

    def due(self, *, limit: int = reads.PAGE) -> Sequence[Pull]:
        """The rows of delivery `pull` that may start now, oldest first, at most `limit` (to 1,000)."""
        return self._run(reads.due(self._tenant, reads.read_page_size(limit)))

    def start(self, key: UUID | str) -> Begun:
        """Start a due row by its key; once the call returns, the work is the caller's.

        Its successor is projected in the same transaction. A key runs at most once (I7). Where a newer slot
        of the series has come since, that one starts in its place, so go by the key in the answer. Raises
        `NotFound`, or `NotStarted`, whose `reason` says why there is nothing to do.
        """
        return begun(self._change(begin(self._tenant, door.read_key(key))))

    def finish(
        self,
        key: UUID | str,
        outcome: Outcome,
        *,
        result: object = None,
        error: str | None = None,
        crumb: str | None = None,
    ) -> Finished:
        """Report how a run ended: `succeeded` or `failed`; a retry that follows is in the answer.

        `result` is any JSON value, `error` and `crumb` (where it got to) are texts; each is kept to 64 KiB,
        cut with a mark. Raises `NotFound`, or `Superseded` for a run that was closed already: then the report
        is kept as evidence only (I7), and the caller must discard the result.
        """
        said = door.reading_report(outcome, result, error, crumb)
        return counted(self._change(report(self._tenant, door.read_key(key), said, self._by)))

    # --- Questions --------------------------------------------------------------------------

    def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = reads.PAGE,
        **sought: Unpack[Narrowing],
    ) -> Page[TaskLine]:
        """The tasks by name, a page of `limit` (to 1,000); `cursor` is that of the page before.

        All of them, or those in one of the `states` (enabled, disabled, running, ended), of one `agent`, with
        all these `labels`, whose next slot lies in [`since`, `until`).
        """
        wanted = read_sought_tasks(sought)
        return self._run(
            reads.list_tasks(
                self._tenant, wanted, reads.read_task_cursor(cursor), reads.read_page_size(limit)
            )
        )

    def show(self, task: str) -> Shown:
        """A task: its object in force, its switch, its newest acts, its open rows. Raises `NotFound`."""
        return self._run(reads.show(self._tenant, read_identifier(task, "task")))

    def upcoming(
        self, task: str | None = None, *, count: int | None = None, until: datetime | str | None = None
    ) -> Sequence[Upcoming]:
        """Runs to come, soonest first: rows that are open, then what follows them, computed as the Governor
        would decide if every run started on time.

        At most `count` (to 1,000), none later than `until` (an aware datetime or text with an offset);
        without `count` ten, or all to `until`, at most 1,000. Raises `NotFound` for a task that never was.
        """
        end = door.read_until(until)
        return self._run(upcoming(self._tenant, door.read_name(task), read_count(count, end), end))

    def history(
        self,
        task: str | None = None,
        *,
        cursor: str | None = None,
        limit: int = reads.PAGE,
        **sought: Unpack[Narrowing],
    ) -> Page[Occurrence]:
        """Rows that run or are closed, latest slot first, a page of `limit` (to 1,000).

        All of them, or those in one of the `states` (running, succeeded, failed, timed_out, lost, cancelled,
        skipped), of one `agent`, whose definition had all these `labels`, of slots in [`since`, `until`).
        Raises `NotFound` for a task that never was.
        """
        wanted = read_sought(sought)
        return self._run(
            reads.history(
                self._tenant,
                door.read_name(task),
                wanted,
                reads.read_history_cursor(cursor),
                reads.read_page_size(limit),
            )
        )

    def explain(self, key: UUID | str) -> Explained:
        """All that the ledger knows of an occurrence: facts, preimage, states and times, what it covers, the
        rows around it, and what came too late. Raises `NotFound`.
        """
        return self._run(reads.explain(self._tenant, door.read_key(key)))

    def why_not(self, task: str, time: datetime | str) -> WhyNot:
        """Why a task did not run in the minute that `time` lies in, or why it did: each slot's answer (I18).

        `time` is an aware datetime, or text with an offset, past or to come. `answers` has one entry for each
        slot, whose `word` says what became of it, or one that says why the minute has none. Raises `NotFound`
        for a task that never was.
        """
        minute = read_minute(door.read_moment(time, "time"))
        return self._run(why_not(self._tenant, read_identifier(task, "task"), minute))

    def _act(self, wanted: Sequence[Wanted], note: str) -> Sequence[Acted]:
        return self._change(asked(self._tenant, wanted, self._by, door.read_note(note)))

    def _change(self, move: Move[R]) -> R:
        return self._run(under(in_force(), move))

    def _run(self, move: Move[R]) -> R:
        return self._runs.run(move, Scope("tenant", self._tenant))
