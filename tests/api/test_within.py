"""Inside a caller's transaction: everything stands or falls with it, and its settings are as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable

import psycopg
import pytest
from psycopg.rows import dict_row, namedtuple_row, scalar_row
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

from ledger import (
    AsyncLedger,
    BadInput,
    Ledger,
    LedgerError,
    Misconfigured,
    NotFound,
    Superseded,
    TaskRefused,
)
from tests.api.conftest import Connection, Flavour, done

Ask = Callable[..., list[tuple[object, ...]]]
Opened = Ledger | AsyncLedger
PULL = {"entrypoint": "work", "delivery": "pull", "schedule": {"every_s": 3600}}
SETTINGS = """SELECT current_setting('role'), current_setting('ledger.tenant', true),
    current_setting('lock_timeout'), current_setting('statement_timeout'),
    current_setting('idle_in_transaction_session_timeout'), current_setting('plan_cache_mode'),
    current_setting('search_path'), current_setting('transaction_isolation')"""
TASKS = "SELECT tenant, task FROM ledger.task ORDER BY 1, 2"


@pytest.fixture
async def mine(flavour: Flavour, dsn: str) -> AsyncIterator[Connection]:
    """A connection of the caller's, with a table of the caller's own."""
    connection = await flavour.connect(dsn)
    await done(connection.execute("CREATE TABLE public.customer (name text PRIMARY KEY)"))
    await done(connection.commit())
    yield connection
    await done(connection.close())


async def ask(connection: Connection, statement: str) -> list[tuple[object, ...]]:
    cursor = await done(connection.execute(statement.encode()))
    return await done(cursor.fetchall())


async def welcome(ledger: Opened, connection: Connection, name: str) -> None:
    """A row of the caller's and a task, in the transaction that the connection is in."""
    await done(connection.execute("INSERT INTO public.customer VALUES (%s)", (name,)))
    await done(ledger.on(connection).tenant(name, by="signup").define("a", PULL))


async def test_a_commit_leaves_both_and_a_rollback_leaves_nothing(
    ledger: Opened, mine: Connection, eye: Ask
) -> None:
    await welcome(ledger, mine, "acme")
    assert eye(TASKS) == [], "nothing is committed but by the caller"
    await done(mine.commit())
    await welcome(ledger, mine, "globex")
    await done(mine.rollback())
    assert eye("SELECT name FROM public.customer") == [("acme",)]
    assert eye(TASKS) == [("acme", "a")]
    for table in ("act", "definition", "occurrence"):
        assert eye(f"SELECT DISTINCT tenant FROM ledger.{table}") == [("acme",)]  # noqa: S608


async def test_settings_are_as_before_within_the_transaction_and_after_it(
    ledger: Opened, mine: Connection
) -> None:
    """SET LOCAL outlives the release of a savepoint, so what was set is put back."""
    await done(mine.execute("SET statement_timeout = '77s'"))
    await done(mine.execute("SET plan_cache_mode = force_custom_plan"))
    await done(mine.commit())
    await done(mine.execute("SET LOCAL lock_timeout = '1234ms'"))
    await done(mine.execute("SET LOCAL ledger.tenant = 'somebody'"))
    await done(mine.execute("SET LOCAL ROLE pg_read_all_data"))
    (before,) = await ask(mine, SETTINGS)
    face = ledger.on(mine).tenant("acme")
    await done(face.define("a", PULL))
    assert await ask(mine, SETTINGS) == [before]
    with pytest.raises(NotFound):
        await done(face.enable("nobody"))
    assert await ask(mine, SETTINGS) == [before]
    await done(mine.commit())
    (after,) = await ask(mine, SETTINGS)
    assert after[:6] == ("none", "", "0", "77s", "0", "force_custom_plan")


async def test_a_call_that_raises_undoes_its_own_part_alone(
    ledger: Opened, mine: Connection, eye: Ask
) -> None:
    face = ledger.on(mine).tenant("acme")
    await welcome(ledger, mine, "acme")
    with pytest.raises(TaskRefused):
        await done(face.define("b", {"entrypoint": "x"}))
    with pytest.raises(LedgerError):
        await done(face.define_many({"c": PULL | {"entrypoint": "c"}, "d": PULL}))
    await done(mine.commit())
    assert eye(TASKS) == [("acme", "a")]
    assert eye("SELECT name FROM public.customer") == [("acme",)]


async def test_what_one_call_did_the_next_one_sees(ledger: Opened, mine: Connection, eye: Ask) -> None:
    face = ledger.on(mine).tenant("acme")
    await done(face.define("a", PULL))
    key = (await done(face.run_now("a", "r1"))).key
    await done(mine.commit())
    begun = await done(face.start(key))
    await done(face.finish(key, "succeeded"))
    await done(face.edit("a", {"name": "x"}))
    assert [row.key for row in (await done(face.history("a"))).rows] == [begun.key]
    await done(mine.rollback())
    assert eye("SELECT state FROM ledger.occurrence WHERE key = %s", key) == [("pending",)]


async def test_evidence_of_a_late_finish_is_kept_if_the_caller_commits(
    ledger: Opened, mine: Connection, eye: Ask
) -> None:
    """I7"""
    face = ledger.on(mine).tenant("acme")
    await done(face.define("a", PULL))
    key = (await done(face.run_now("a", "r1"))).key
    await done(mine.commit())
    await done(face.start(key))
    await done(face.finish(key, "succeeded"))
    with pytest.raises(Superseded):
        await done(face.finish(key, "failed"))
    await done(mine.commit())
    assert eye("SELECT key, what FROM ledger.evidence") == [(key, "late finish")]


@pytest.mark.parametrize("rows", [dict_row, namedtuple_row, scalar_row])
async def test_the_callers_row_factory_does_not_matter(
    flavour: Flavour, ledger: Opened, mine: Connection, rows: object
) -> None:
    mine.row_factory = rows
    face = ledger.on(mine).tenant("acme")
    answer = await done(face.define("a", PULL))
    assert (await done(face.list())).rows[0].next == answer.next
    assert mine.row_factory is rows


async def test_the_callers_cursor_factory_and_prepared_statements_do_not_matter(
    flavour: Flavour, ledger: Opened, mine: Connection
) -> None:
    mine.cursor_factory = psycopg.ClientCursor if flavour.name == "sync" else psycopg.AsyncClientCursor
    mine.prepare_threshold = 0
    face = ledger.on(mine).tenant("acme")
    for _ in range(3):
        await done(face.define("a", PULL))
    mine.prepare_threshold = None
    assert (await done(face.define("a", PULL))).did == "unchanged"


async def test_the_sessions_zone_and_date_style_do_not_matter(ledger: Opened, mine: Connection) -> None:
    """I9: no decision reads the session's zone."""
    await done(mine.execute("SET timezone = 'Asia/Tokyo'"))
    await done(mine.execute("SET datestyle = 'German'"))
    await done(mine.execute("SET search_path = ''"))
    face = ledger.on(mine).tenant("acme")
    answer = await done(face.define("a", PULL))
    assert answer.next.utcoffset().total_seconds() == 0
    assert (await done(face.explain(answer.key))).named_right


async def test_autocommit_without_a_transaction_gives_each_call_its_own(
    flavour: Flavour, ledger: Opened, dsn: str, eye: Ask
) -> None:
    connection = await flavour.connect(dsn, autocommit=True)
    try:
        await done(ledger.on(connection).tenant("acme").define("a", PULL))
        assert eye(TASKS) == [("acme", "a")]
        await done(connection.execute("BEGIN"))
        await done(ledger.on(connection).tenant("acme").delete("a"))
        await done(connection.execute("ROLLBACK"))
        assert eye(TASKS) == [("acme", "a")]
        assert connection.autocommit
    finally:
        await done(connection.close())


async def test_a_transaction_of_another_isolation_is_refused(ledger: Opened, mine: Connection) -> None:
    await done(mine.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    with pytest.raises(Misconfigured, match="needs READ COMMITTED"):
        await done(ledger.on(mine).tenant("acme").define("a", PULL))


async def test_a_transaction_that_is_dead_is_said_to_be(ledger: Opened, mine: Connection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        await done(mine.execute("SELECT 1/0"))
    with pytest.raises(Misconfigured, match="roll the caller's transaction back"):
        await done(ledger.on(mine).tenant("acme").define("a", PULL))
    await done(mine.rollback())
    assert (await done(ledger.on(mine).tenant("acme").define("a", PULL))).did == "defined"


async def test_a_door_may_step_inside_and_out(ledger: Opened, mine: Connection, eye: Ask) -> None:
    """`tenant(…).on(…)` is the same door as `on(…).tenant(…)`; the first one stays outside."""
    outside = ledger.tenant("acme", by="anna")
    await done(outside.on(mine).define("a", PULL))
    await done(outside.define("b", PULL | {"entrypoint": "b"}))
    await done(mine.rollback())
    assert eye(TASKS) == [("acme", "b")]


async def test_other_connections_are_refused_with_what_to_do(
    flavour: Flavour, ledger: Opened, dsn: str
) -> None:
    other = await Flavour("async" if flavour.name == "sync" else "sync").connect(dsn)
    engine = create_engine(dsn.replace("postgresql://", "postgresql+psycopg://"))
    aengine = create_async_engine(dsn.replace("postgresql://", "postgresql+psycopg://"))
    session = Session(engine)
    lite = sqlite3.connect(":memory:")
    try:
        for wrong, said in (
            (other, "AsyncLedger" if flavour.name == "sync" else "use Ledger"),
            (session, "driver_connection"),
            (session.connection(), "driver_connection"),
            (engine, "driver_connection"),
            (aengine, "driver_connection"),
            (lite, "hand in a psycopg."),
            (None, "connection.ensure_connection()"),
            ("postgresql://", "hand in a psycopg."),
        ):
            with pytest.raises(BadInput, match=r"^(on\(connection\): )?this is ") as refused:
                ledger.on(wrong)
            assert said in str(refused.value)
    finally:
        session.close()
        engine.dispose()
        await aengine.dispose()
        lite.close()
        await done(other.close())
