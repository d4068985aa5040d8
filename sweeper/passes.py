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
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.errors import Busy, LedgerError, NotFound, OtherRelease, OutcomeUnknown, Superseded, Unreachable
from ledger.moves.presence import end, observe
from ledger.moves.settled import under
from ledger.moves.step import Batch, Call, Move, ask
from ledger.spans import tracing
from ledger.statements.presence import READ_RUNS, Incarnation, OwnRun
from ledger.statements.sweep import (
    CLOSE_PASS,
    HOLD_PASS,
    OPEN_PASS,
    READ_SETTINGS,
    READ_VERDICT,
    SET_SURVEY,
    SURVEY,
    SURVEY_TENANT,
    OpenedPass,
    Surveyed,
)
from ledger.statements.zones import NAME_ZONES
from sweeper.catalog import differences, read_catalog
from sweeper.moves.drill import drill
from sweeper.moves.look import FIRST, LAST
from sweeper.moves.mend import Lost
from sweeper.moves.tenant import FewerTasks, Verdict, fail_tenant, sweep_tenant
from sweeper.moves.zones import unread_zones
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
# How often a tenant is tried where tasks were turned off between the survey and its turn.
_TRIES = 3
# Drilled with where nobody has anything to sweep; it is no identifier, so it can be nobody's name.
_NOBODY = "no tenant"
_ALL = Scope("sweeper")
# What Postgres calls a lock that did not come, two that wait for each other, and a statement out of time.
_BUSY = {"55P03": "lock", "40P01": "lock", "40001": "lock", "57014": "time"}


@dataclass(frozen=True, slots=True)
class How:
    """What a pass is to do: all tenants or one, when the next pass is to come, each tenant's limits."""

    tenant: str | None = None
    # Health reads it on the pass.
    period_s: int = PERIOD_S
    limits: Limits = LIMITS
    absent_for: timedelta = ABSENT_FOR
    by: str = "sweep"


def sweep(
    connection: SyncConnection,
    how: How | None = None,
    *,
    reopen: Callable[[], SyncConnection] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> PassReport:
    """Sweep on a connection in autocommit; `told` hears how many tenants of how many are done.

    With `reopen` a lost connection costs the tenant in whose turn it was lost, not the pass.
    Raises `Misconfigured` where the database is of another release (I20), `NotFound` for a tenant of whom it
    holds nothing, `Unreachable` where it is lost; then no pass is closed.
    """
    session, how = _Session(connection, reopen), how or How()
    faults = _ground(session)
    if how.tenant is not None:
        _check_known(session, how.tenant)
    one, spans = _Pass(session, how, faults), tracing()
    if spans is None:
        return one.run(told)
    from sweeper.spans import traced  # noqa: PLC0415 - OpenTelemetry is an extra

    return traced(spans, how.tenant, lambda: one.run(told))


class _Session:
    """The connection of a pass; where it is lost in one tenant's turn, the next one gets another."""

    def __init__(self, connection: SyncConnection, reopen: Callable[[], SyncConnection] | None) -> None:
        self.connection = connection
        self._reopen = reopen

    def run(self, move: Move[R], scope: Scope = _ALL) -> R:
        return run(self.connection, move, scope)

    def renew(self) -> None:
        """Raises `Unreachable` where no other connection is to be had."""
        if self._reopen is None:
            raise Unreachable("the connection of the pass was lost, and no other can be opened here")
        self.connection.close()
        self.connection = self._reopen()


def _ground(session: _Session) -> list[str]:
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


def _check_known(session: _Session, tenant: str) -> None:
    """A name that was mistyped must not pass for a tenant in which all is well."""
    (found,) = session.run(_read_only(SURVEY_TENANT(tenant=tenant)))
    if not any(found[1:]) and not session.run(ask(READ_VERDICT(tenant=tenant))):
        raise NotFound("sweep: the tenant has no enabled task, nothing open and no verdict", tenant=tenant)


@dataclass(slots=True)
class _Pass:
    """One pass under way: what is known of all tenants, and the verdicts so far."""

    session: _Session
    how: How
    faults: list[str]
    notes: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    gone: list[Incarnation] = field(default_factory=list)
    # Runs that absent processes left: by tenant, then by incarnation.
    lost: dict[str, dict[int, list[OwnRun]]] = field(default_factory=dict)
    # Zones that stored texts name and that cannot be read here.
    unread: list[str] = field(default_factory=list)
    number: int = 0

    def run(self, told: Callable[[int, int], None] | None) -> PassReport:
        opening = OPEN_PASS(by=self.how.by, period_s=self.how.period_s, tenant=self.how.tenant)
        (opened,) = self.session.run(ask(opening))
        self.number = opened.id
        surveyed = self._survey()
        self._find_lost()
        self._read_zones()
        for one in surveyed:
            self.verdicts.append(self._sweep(one))
            if told is not None:
                told(len(self.verdicts), len(surveyed))
        self._end_gone()
        return self._close(opened)

    def _survey(self) -> list[Surveyed]:
        own = self.how.tenant
        call = SURVEY() if own is None else SURVEY_TENANT(tenant=own)
        return self.session.run(_read_only(call), Scope("sweeper", None, _SURVEY_LIMITS))

    def _read_zones(self) -> None:
        """Read each zone that any text names, once for all tenants."""
        own = self.how.tenant
        call = NAME_ZONES(first=FIRST if own is None else own, last=LAST if own is None else own)
        self.unread = unread_zones(self.session.run(_read_only(call), Scope("sweeper", None, _SURVEY_LIMITS)))

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

    def _sweep(self, surveyed: Surveyed) -> Verdict:
        """One tenant's verdict, whatever happens in its transaction (I12)."""
        tenant = surveyed.tenant
        scope = Scope("sweeper", tenant, self.how.limits)
        try:
            return self._try(tenant, surveyed.expected, scope)
        except OtherRelease:
            raise
        except Exception as error:  # noqa: BLE001 - any error of one tenant is its verdict; the next starts clean
            if self.session.connection.closed:
                self.session.renew()
                self.session.run(ask(HOLD_PASS(id=self.number)))
            return self._fail(tenant, error, scope)

    def _try(self, tenant: str, expected: int, scope: Scope) -> Verdict:
        lost = self.lost.get(tenant, {})
        for _ in range(_TRIES - 1):
            try:
                return self.session.run(self._tenant(tenant, expected, lost), scope)
            except FewerTasks:
                # Tasks may have been turned off since: if so, a second survey counts as few.
                expected = self.session.run(_read_only(SURVEY_TENANT(tenant=tenant)))[0].expected
        return self.session.run(self._tenant(tenant, expected, lost), scope)

    def _tenant(self, tenant: str, expected: int, lost: Lost) -> Move[Verdict]:
        """A tenant's part, under the release in force: it may have been moved since the pass began (I20)."""
        return under(in_force(), sweep_tenant(tenant, expected, lost, self.number, self.unread))

    def _fail(self, tenant: str, error: Exception, scope: Scope) -> Verdict:
        cause, detail = cause_of(error), str(error)
        try:
            return self.session.run(fail_tenant(tenant, cause, detail, self.number), scope)
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
                self.session.run(end(one.id, "absent: its session is gone"))
            except Busy as busy:
                self.notes.append(f"incarnation {one.id} is absent, and could not be ended: {busy}")

    def _close(self, opened: OpenedPass) -> PassReport:
        spare = None
        if not self.verdicts:
            spare = self.session.run(drill(_NOBODY, ""), Scope("sweeper", _NOBODY, self.how.limits))
        report = PassReport(
            opened.id,
            opened.began,
            opened.began,
            self.how.tenant,
            self.verdicts,
            self.faults,
            self.notes,
            spare,
        )
        closed = self.session.run(ask(CLOSE_PASS(**close_params(report))))
        if not closed:
            raise Superseded(f"closing pass {opened.id}: it is closed already, or gone; sweep again")
        return replace(report, closed=closed[0].closed)


def _read_only(survey: Call[R]) -> Move[list[R]]:
    _, rows = yield Batch((SET_SURVEY(work_mem=_WORK_MEM), survey))
    return survey.read(rows)


def cause_of(error: BaseException) -> str:
    """The word for what made a tenant fail; the database's own code tells a lock from a limit of time."""
    if isinstance(error, FewerTasks):
        return "fewer tasks"
    if isinstance(error, Unreachable | OutcomeUnknown):
        return "connection"
    code = getattr(error.__cause__, "sqlstate", None)
    if isinstance(error, Busy) and isinstance(code, str):
        return "room" if code.startswith("53") else _BUSY.get(code, "error")
    return "error"
