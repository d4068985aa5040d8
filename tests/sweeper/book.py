"""A ledger that a test fills through the product's own moves, and then breaks by hand, as its superuser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID, uuid4

from ledger.authored.fold import fold
from ledger.driver.connect import Cursor, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Role, Scope
from ledger.moves.close import Closings, Report, finish
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS
from projector.moves.acts import act
from projector.moves.change import Acted, Wanted, What
from projector.moves.open import open_series
from projector.moves.start import Claimed, claim
from sweeper.passes import LIMITS, How, sweep
from sweeper.report import PassReport

R = TypeVar("R")
TENANT = "acme"
# Its next slot is never less than a minute away in any test that runs on one day.
FAR: dict[str, object] = {"at": "2190-06-01T09:00:00Z"}
# Half an hour away while the tests run, whatever the time of day: a drill wants a row a minute ahead.
HOURLY: dict[str, object] = {
    "every_s": 3_600,
    "anchor": f"{datetime.now(UTC) + timedelta(minutes=30):%Y-%m-%dT%H:%M:%SZ}",
}


class Book:
    """One database, and short words for what tests do to it."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.connection = connect(dsn, application="ledger test")

    def close(self) -> None:
        self.connection.close()

    def run(self, move: Move[R], role: Role = "dispatcher", tenant: str | None = None) -> R:
        return run(self.connection, move, Scope(role, tenant))

    def sql(self, text: str, *params: object) -> list[tuple[object, ...]]:
        """A statement of the test's own, as superuser: what nobody may do, and breaks things."""
        cursor = Cursor(self.connection)
        cursor.execute(text.encode(), params)
        return cursor.fetchall() if cursor.description else []

    def script(self, text: str) -> None:
        """Several statements at once, without parameters."""
        self.connection.execute(text.encode())

    def one(self, text: str, *params: object) -> object:
        ((value,),) = self.sql(text, *params)
        return value

    def define(
        self, task: str, schedule: dict[str, object] | None = None, tenant: str = TENANT, **members: object
    ) -> Acted:
        whole = fold({"entrypoint": task, "schedule": schedule or FAR, **members})
        (acted,) = self.run(act(tenant, [Wanted(task, "define", whole)], "a person"), "tenant", tenant)
        return acted

    def define_many(self, tasks: Sequence[str], tenant: str = TENANT) -> None:
        wanted = [Wanted(t, "define", fold({"entrypoint": t, "schedule": FAR})) for t in tasks]
        self.run(act(tenant, wanted, "a person"), "tenant", tenant)

    def switch(self, task: str, what: What, tenant: str = TENANT) -> Acted:
        (acted,) = self.run(act(tenant, [Wanted(task, what)], "a person"), "tenant", tenant)
        return acted

    def running(self, task: str, tenant: str = TENANT, incarnation: int | None = None) -> UUID:
        """Start a run of an hourly task now, as if it had been defined two hours ago; its key."""
        self.sql(
            "UPDATE ledger.act SET at = now() - interval '2 hours', resume_after = now() - interval '2 hours'"
            " WHERE tenant = %s AND task = %s",
            tenant,
            task,
        )
        self.sql("DELETE FROM ledger.occurrence WHERE tenant = %s AND task = %s", tenant, task)
        self.run(_reopened(tenant, task), "sweeper", tenant)
        self.claim(incarnation)
        key = self.one(
            "SELECT key FROM ledger.occurrence WHERE tenant = %s AND task = %s AND state = 'running'",
            tenant,
            task,
        )
        assert isinstance(key, UUID)
        return key

    def claim(self, incarnation: int | None = None) -> Claimed:
        return self.run(claim(["python"], 100, incarnation))

    def finish(self, key: UUID, failed: bool = False, tenant: str = TENANT) -> Closings:
        report = Report("failed" if failed else "succeeded")
        return self.run(finish(tenant, key, report, "a test"), "tenant", tenant)

    def sweep(self, tenant: str | None = None, lock_ms: int = 200) -> PassReport:
        limits = Limits(lock_ms, LIMITS.statement_ms, LIMITS.idle_ms)
        return sweep(self.connection, How(tenant=tenant, limits=limits, absent_for=timedelta(0)))

    def copy(self, key: object, **changes: object) -> object:
        """A row beside one that stands, but for these columns and a key of its own; that key."""
        changes.setdefault("key", str(uuid4()))
        return self.one(
            "INSERT INTO ledger.occurrence SELECT (jsonb_populate_record(o, %s::jsonb)).*"
            " FROM ledger.occurrence o WHERE o.key = %s RETURNING key",
            json.dumps(changes),
            key,
        )

    def open_keys(self, task: str, lane: str = "series", tenant: str = TENANT) -> list[object]:
        """The keys of a task's open rows in one lane: one, where all is well."""
        return [
            key
            for (key,) in self.sql(
                "SELECT key FROM ledger.occurrence"
                " WHERE tenant = %s AND task = %s AND lane = %s AND state = 'pending'",
                tenant,
                task,
                lane,
            )
        ]

    def state(self, key: object) -> str:
        return str(self.one("SELECT state FROM ledger.occurrence WHERE key = %s", key))

    def trace(self) -> list[object]:
        """All rows that anybody could ever see, but those that a pass writes about itself."""
        tables = ("task", "definition", "act", "occurrence", "evidence", "usage", "gone_agent", "hint")
        whole = "SELECT to_jsonb(t)::text FROM ledger.{} t ORDER BY 1"
        return [self.sql(whole.format(table)) for table in tables]


def _reopened(tenant: str, task: str) -> Move[None]:
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    yield from open_series(tenant, locked, "a test")


def only(report: PassReport, tenant: str = TENANT) -> dict[str, int]:
    """The repairs of one tenant, which was repaired and drilled, and of whom nothing else is wrong."""
    (verdict,) = [v for v in report.verdicts if v.tenant == tenant]
    assert (verdict.word, verdict.cause, verdict.drill) == ("repaired", None, "passed"), verdict
    assert verdict.checked == verdict.open + verdict.ended
    assert not report.green
    return dict(verdict.repairs)


def all_well(report: PassReport) -> None:
    """A pass that found nothing, and says positively what it looked at and that it could have repaired."""
    assert report.green, report.as_json()
    assert report.expected == report.count("healthy")
    assert report.tasks == report.open + report.ended
    assert report.drills["passed"] == max(1, report.expected)
