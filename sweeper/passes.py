"""A pass: survey everybody, then each tenant in a transaction of its own, and totals that add up.

A tenant's failure is its verdict, never the pass's end (I12). What ends a pass leaves its row unclosed, which
health reports: no pass that died ever looks like one that found nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from ledger.driver.connect import SyncConnection
from ledger.driver.migrate import in_force
from ledger.driver.transaction import Limits, Scope
from ledger.errors import (
    BadInput,
    Busy,
    LedgerError,
    NotFound,
    OtherRelease,
    OutcomeUnknown,
    Superseded,
    Unreachable,
)
from ledger.moves.presence import end, observe
from ledger.moves.settled import under
from ledger.moves.step import Batch, Call, Move, ask
from ledger.spans import tracing
from ledger.statements.presence import READ_RUNS, Incarnation, OwnRun
from ledger.statements.sweep import (
    CLOSE_PASS,
    DROP_PASSES,
    DROP_VERDICTS,
    HOLD_PASS,
    OPEN_PASS,
    READ_REACHED,
    READ_SETTINGS,
    READ_VERDICT,
    SET_SURVEY,
    SURVEY,
    SURVEY_TENANT,
    OpenedPass,
    Surveyed,
)
from sweeper.agents import clear_up
from sweeper.archiving import Archived, archive_in_pass
from sweeper.catalog import differences, read_catalog
from sweeper.jobs import Session, side_by_side
from sweeper.moves.causes import cause_of
from sweeper.moves.drill import drill
from sweeper.moves.mend import Lost
from sweeper.moves.tenant import FewerTasks, Verdict, fail_tenant, sweep_tenant
from sweeper.outbox import drop_events
from sweeper.release import check_release
from sweeper.report import PassReport, close_params

R = TypeVar("R")

PERIOD_S = 900
# Each tenant's own; a lock that does not come in two seconds is the tenant's failure, and the next is served.
LIMITS = Limits(lock_ms=2_000, statement_ms=60_000, idle_ms=60_000)
_SURVEY_LIMITS = Limits(lock_ms=5_000, statement_ms=300_000, idle_ms=60_000)
_WORK_MEM = "128MB"
# Clocks of database and sweeper further apart than this fail the pass, though nothing decides by the latter.
CLOCKS_APART = timedelta(seconds=5)
# Two looks at who is absent lie at least so far apart.
ABSENT_FOR = timedelta(seconds=10)
# How long the log of verdicts is kept, and how long passes are; both go in batches, a transaction each.
KEPT_LOG, KEPT_PASSES = timedelta(days=90), timedelta(days=400)
_DROPPED = 10_000
_LONG_AGO = timedelta(days=36_500)
# How often a tenant is tried where tasks were turned off between the survey and its turn.
_TRIES = 3
# Drilled with where nobody has anything to sweep; it is no identifier, so it can be nobody's name.
_NOBODY = "no tenant"


@dataclass(frozen=True, slots=True)
class How:
    """What a pass is to do: all tenants or one, when the next pass is to come, each tenant's limits."""

    tenant: str | None = None
    # Health reads it on the pass.
    period_s: int = PERIOD_S
    limits: Limits = LIMITS
    absent_for: timedelta = ABSENT_FOR
    by: str = "sweep"
    # Connections side by side; never more than there are tenants to look at.
    jobs: int = 1


def sweep(
    connection: SyncConnection,
    how: How | None = None,
    *,
    reopen: Callable[[], SyncConnection] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> PassReport:
    """Sweep on a connection in autocommit; `told` hears how many tenants of how many are done.

    With `reopen` a lost connection costs the tenant in whose turn it was lost, not the pass; with more than
    one job it opens their connections, which are closed at the end.
    Raises `Misconfigured` where the database is of another release (I20), `NotFound` for a tenant of whom it
    holds nothing, `Unreachable` where it is lost, `BadInput` for several jobs without `reopen`; then no pass
    is closed.
    """
    session, how = Session(connection, reopen), how or How()
    if how.jobs > 1 and reopen is None:
        raise BadInput(f"sweeping with {how.jobs} jobs: `reopen` must say how their connections are opened")
    faults = _ground(session)
    if how.tenant is not None:
        _check_known(session, how.tenant)
    one, spans = _Pass(session, how, faults), tracing()
    if spans is None:
        return one.run(told)
    from sweeper.spans import traced  # noqa: PLC0415 - OpenTelemetry is an extra

    return traced(spans, how.tenant, lambda: one.run(told))


def _ground(session: Session) -> list[str]:
    """Check what every tenant stands on; what is wrong with it. Raises `Misconfigured` on another release."""
    began = time.time()
    found = session.run(ask(READ_SETTINGS()))
    ended = time.time()
    check_release(found)
    faults = differences(session.run(read_catalog()))
    own, moment = datetime.fromtimestamp((began + ended) / 2, UTC), found[0].moment
    apart = abs(own - moment) - timedelta(seconds=(ended - began) / 2)
    if apart > CLOCKS_APART:
        faults.append(
            f"clocks: the sweeper's reads {own.isoformat()}, the database's {moment.isoformat()}: "
            f"{apart.total_seconds():.1f} s apart; runs are decided by the database's alone, so mend either"
        )
    return faults


def _check_known(session: Session, tenant: str) -> None:
    """A name that was mistyped must not pass for a tenant in which all is well."""
    (found,) = session.run(_read_only(SURVEY_TENANT(tenant=tenant)))
    if not any(found[1:]) and not session.run(ask(READ_VERDICT(tenant=tenant))):
        raise NotFound("sweep: the tenant has no enabled task, nothing open and no verdict", tenant=tenant)


@dataclass(slots=True)
class _Pass:
    """One pass under way: what is known of all tenants, and what there is to say so far."""

    # What concerns everybody; the first of the sessions that serve tenants.
    session: Session
    how: How
    faults: list[str]
    notes: list[str] = field(default_factory=list)
    gone: list[Incarnation] = field(default_factory=list)
    # Runs that absent processes left: by tenant, then by incarnation.
    lost: dict[str, dict[int, list[OwnRun]]] = field(default_factory=dict)
    number: int = 0

    def run(self, told: Callable[[int, int], None] | None) -> PassReport:
        reached = {row.tenant: row.at for row in self.session.run(ask(READ_REACHED()))}
        opening = OPEN_PASS(by=self.how.by, period_s=self.how.period_s, tenant=self.how.tenant)
        (opened,) = self.session.run(ask(opening))
        self.number = opened.id
        self.notes += clear_up(self.session, self.how.tenant, self.how.limits)
        # Whom a pass that died did not reach comes first, then whoever was looked at longest ago.
        surveyed = sorted(self._survey(), key=lambda one: reached.get(one.tenant, opened.began - _LONG_AGO))
        self._find_lost()
        verdicts = self._sweep_all(surveyed, told)
        self._end_gone()
        if self.how.tenant is None:
            self.notes += drop_events(self.session.connection)
        archived = None
        if self.how.tenant is None:
            archived = archive_in_pass(self.session.connection, self.notes, self.faults)
        report = self._close(opened, verdicts, archived)
        self._drop_old()
        return report

    def _survey(self) -> list[Surveyed]:
        own = self.how.tenant
        call = SURVEY() if own is None else SURVEY_TENANT(tenant=own)
        return self.session.run(_read_only(call), Scope("sweeper", None, _SURVEY_LIMITS))

    def _find_lost(self) -> None:
        """Look who is absent, as dispatchers do, and what runs they have left."""
        absence = self.session.run(observe(None, self.how.absent_for))
        if absence.deferred:
            self.notes.append(
                f"{len(absence.deferred)} of {absence.looked_at} incarnations are absent, more than half: "
                "taken for the server's trouble for one period more"
            )
        self.gone = absence.gone
        for one in absence.gone:
            for left in self.session.run(ask(READ_RUNS(id=one.id))):
                if self.how.tenant in (None, left.tenant):
                    self.lost.setdefault(left.tenant, {}).setdefault(one.id, []).append(left)

    def _sweep_all(self, surveyed: list[Surveyed], told: Callable[[int, int], None] | None) -> list[Verdict]:
        """Every tenant's verdict, in the order of the survey, on as many connections as were asked for."""
        verdicts: dict[int, Verdict] = {}
        sessions = [self.session]
        try:
            self._open_more(sessions, min(self.how.jobs, len(surveyed)))
            for n, verdict in side_by_side(surveyed, sessions, self._sweep):
                verdicts[n] = verdict
                if told is not None:
                    told(len(verdicts), len(surveyed))
        finally:
            for session in sessions[1:]:
                session.connection.close()
        return [verdicts[n] for n in range(len(surveyed))]

    def _open_more(self, sessions: list[Session], jobs: int) -> None:
        """Fewer connections than were asked for are no reason not to sweep."""
        try:
            while len(sessions) < jobs:
                sessions.append(self.session.another())
        except Unreachable as error:
            self.notes.append(f"{len(sessions)} of {jobs} connections could be opened: {error}")

    def _sweep(self, session: Session, surveyed: Surveyed) -> Verdict:
        """One tenant's verdict, whatever happens in its transaction (I12)."""
        tenant = surveyed.tenant
        scope = Scope("sweeper", tenant, self.how.limits)
        try:
            return self._try(session, surveyed, scope)
        except OtherRelease:
            raise
        except Exception as error:  # noqa: BLE001 - any error of one tenant is its verdict; the next starts clean
            if session.connection.closed:
                session.renew()
                if session is self.session:
                    session.run(ask(HOLD_PASS(id=self.number)))
            return self._fail(session, tenant, error, scope)

    def _try(self, session: Session, surveyed: Surveyed, scope: Scope) -> Verdict:
        """Sweep one tenant; where that fails for no reason that time would mend, once more, task by task."""
        tenant, expected = surveyed.tenant, surveyed.expected
        for n in range(_TRIES):
            try:
                return session.run(self._tenant(tenant, expected), scope)
            except FewerTasks:
                if n == _TRIES - 1:
                    raise
                # Tasks may have been turned off since: if so, a second survey counts as few.
                expected = session.run(_read_only(SURVEY_TENANT(tenant=tenant)))[0].expected
            except (OtherRelease, Busy, Unreachable, OutcomeUnknown):
                raise
            except Exception:  # noqa: BLE001 - whatever one row does, its neighbours are mended (I12)
                break
        return session.run(self._tenant(tenant, expected, apart=True), scope)

    def _tenant(self, tenant: str, expected: int, *, apart: bool = False) -> Move[Verdict]:
        """A tenant's part, under the release in force: it may have been moved since the pass began (I20)."""
        lost: Lost = self.lost.get(tenant, {})
        return under(in_force(), sweep_tenant(tenant, expected, lost, self.number, apart=apart))

    def _fail(self, session: Session, tenant: str, error: Exception, scope: Scope) -> Verdict:
        cause = "fewer tasks" if isinstance(error, FewerTasks) else cause_of(error)
        detail = str(error)
        try:
            return session.run(fail_tenant(tenant, cause, detail, self.number), scope)
        except (Unreachable, OutcomeUnknown):
            raise
        except LedgerError as worse:
            # Its row stays as old as it is, and health says so; the pass still accounts for the tenant.
            self.notes.append(f"tenant {tenant!r}: its verdict could not be written: {worse}")
            return Verdict(tenant, "failed", cause, detail)

    def _end_gone(self) -> None:
        """End incarnations whose last run is closed, so that nobody looks for them again."""
        for one in self.gone:
            try:
                self.session.run(end(one.id, one.expelled or "absent: its session is gone"))
            except Busy as busy:
                self.notes.append(f"incarnation {one.id} is absent, and could not be ended: {busy}")

    def _close(self, opened: OpenedPass, verdicts: list[Verdict], archived: Archived | None) -> PassReport:
        spare = None
        if not verdicts:
            spare = self.session.run(drill(_NOBODY, ""), Scope("sweeper", _NOBODY, self.how.limits))
        report = PassReport(
            opened.id,
            opened.began,
            opened.began,
            self.how.tenant,
            verdicts,
            self.faults,
            self.notes,
            spare,
            archived,
        )
        closed = self.session.run(ask(CLOSE_PASS(**close_params(report))))
        if not closed:
            raise Superseded(f"closing pass {opened.id}: it is closed already, or gone; sweep again")
        return replace(report, closed=closed[0].closed)

    def _drop_old(self) -> None:
        """Drop what the log holds from before the kept time; the pass is closed, and stands all the same."""
        try:
            for statement, kept in ((DROP_VERDICTS, KEPT_LOG), (DROP_PASSES, KEPT_PASSES)):
                while len(self.session.run(ask(statement(kept=kept, n=_DROPPED)))) == _DROPPED:
                    pass
        except LedgerError as error:
            self.notes.append(f"old verdicts could not be dropped, the next pass tries again: {error}")


def _read_only(survey: Call[R]) -> Move[list[R]]:
    _, rows = yield Batch((SET_SURVEY(work_mem=_WORK_MEM), survey))
    return survey.read(rows)
