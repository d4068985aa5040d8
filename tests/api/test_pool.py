"""Pools: opened lazily, mended by themselves, and the caller's own left as they were."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from ledger import BadInput, Busy, Ledger, LedgerError, Misconfigured, Unreachable
from tests.api.conftest import Flavour, done

Ask = Callable[..., list[tuple[object, ...]]]
HOURLY = {"entrypoint": "work", "schedule": {"every_s": 3600}}
NOBODY = "postgresql://postgres@127.0.0.1:1/nobody"
SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_nothing_is_opened_before_the_first_call(flavour: Flavour, dsn: str, eye: Ask) -> None:
    ledger = flavour.ledger(dsn)
    acme = ledger.tenant("acme")
    assert eye(SESSIONS) == [(0,)]
    await done(acme.list())
    assert eye(SESSIONS)[0][0] >= 1
    await done(ledger.close())
    with pytest.raises(LedgerError):
        await done(acme.list())


async def test_a_database_that_is_down_is_said_at_once(flavour: Flavour) -> None:
    ledger = flavour.ledger(NOBODY)
    for _ in range(2):
        with pytest.raises(Unreachable, match="cannot be reached"):
            await done(ledger.tenant("acme").define("a", HOURLY))
    await done(ledger.close())


async def test_bad_input_is_refused_without_the_database(flavour: Flavour) -> None:
    acme = flavour.ledger(NOBODY).tenant("acme")
    with pytest.raises(BadInput, match="schedule"):
        await done(acme.define("a", {"entrypoint": "x"}))
    with pytest.raises(BadInput, match="key"):
        await done(acme.cancel("x"))


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("", "no DSN"),
        ("  ", "no DSN"),
        (7, "no DSN: 7"),
        ("mysql://h/d", "the DSN begins with 'mysql'"),
        ("postgresql+psycopg://h/d", "the DSN begins with 'postgresql\\+psycopg'"),
        ("postgresql://h:port/d", "the DSN cannot be read"),
        ("host=h nonsense=1", "the DSN cannot be read"),
    ],
)
def test_a_dsn_that_cannot_be_read_is_refused(flavour: Flavour, target: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        flavour.ledger(target)


async def test_the_dsn_may_come_from_the_environment(
    flavour: Flavour, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEDGER_DSN", raising=False)
    with pytest.raises(BadInput, match="no DSN: null; give postgresql"):
        flavour.ledger().tenant("acme")
    monkeypatch.setenv("LEDGER_DSN", dsn)
    ledger = flavour.ledger()
    assert (await done(ledger.tenant("acme").list())).rows == []
    await done(ledger.close())


async def test_connections_that_were_lost_are_replaced(flavour: Flavour, dsn: str, eye: Ask) -> None:
    ledger = flavour.ledger(dsn)
    acme = ledger.tenant("acme")
    for _ in range(3):
        await done(acme.define("a", HOURLY))
        ended = eye(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert ended
    assert (await done(acme.define("a", HOURLY))).did == "unchanged"
    await done(ledger.close())


async def test_a_pool_of_the_callers_own_is_used_and_left_as_it_was(flavour: Flavour, dsn: str) -> None:
    kind = ConnectionPool if flavour.name == "sync" else AsyncConnectionPool
    pool = kind(dsn, min_size=1, max_size=2, open=False, kwargs={"row_factory": dict_row})
    await done(pool.open(wait=True))
    try:
        ledger = flavour.ledger(pool)
        acme = ledger.tenant("acme")
        assert (await done(acme.define("a", HOURLY))).did == "defined"
        with pytest.raises(LedgerError):
            await done(acme.enable("nobody"))
        await done(ledger.close())
        connection = await done(pool.getconn())
        assert not connection.autocommit
        cursor = await done(connection.execute("SELECT current_setting('role') AS role"))
        assert await done(cursor.fetchone()) == {"role": "none"}
        await done(pool.putconn(connection))
    finally:
        await done(pool.close())
    with pytest.raises(Misconfigured, match="pool of connections is closed"):
        await done(acme.list())


async def test_a_pool_of_the_other_kind_is_refused(flavour: Flavour, dsn: str) -> None:
    kind = AsyncConnectionPool if flavour.name == "sync" else ConnectionPool
    pool = kind(dsn, min_size=0, max_size=1, open=False)
    with pytest.raises(BadInput, match="use AsyncLedger" if flavour.name == "sync" else "use Ledger"):
        flavour.ledger(pool)


async def test_a_pool_with_nothing_free_is_busy(flavour: Flavour, dsn: str) -> None:
    kind = ConnectionPool if flavour.name == "sync" else AsyncConnectionPool
    pool = kind(dsn, min_size=1, max_size=1, open=False, timeout=0.05)
    await done(pool.open(wait=True))
    taken = await done(pool.getconn())
    try:
        with pytest.raises(Busy, match="all connections of the pool were taken"):
            await done(flavour.ledger(pool).tenant("acme").list())
    finally:
        await done(pool.putconn(taken))
        await done(pool.close())


def test_threads_that_define_one_task_at_once_all_find_it(dsn: str, eye: Ask) -> None:
    """I15: one defines it, the others find it, whichever of the table's guards they meet first."""
    rounds, crowd = 10, 20
    answers: list[list[str]] = [[] for _ in range(rounds)]
    with Ledger(dsn) as ledger:
        barrier = threading.Barrier(crowd)

        def define() -> None:
            for n in range(rounds):
                barrier.wait()
                answers[n].append(ledger.tenant(f"t{n}").define("a", HOURLY).did)

        threads = [threading.Thread(target=define) for _ in range(crowd)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for found in answers:
        assert sorted(found) == ["defined", *["unchanged"] * (crowd - 1)]
    assert eye("SELECT count(*) FROM ledger.act") == [(rounds,)]


async def test_the_ledger_is_not_migrated_behind_its_back(
    flavour: Flavour, databases: object, dsn: str
) -> None:
    name = databases.empty()
    ledger = flavour.ledger(databases.dsn(name))
    try:
        with pytest.raises(LedgerError) as refused:
            await done(ledger.tenant("acme").list())
        assert "ledger migrate" in str(refused.value)
    finally:
        await done(ledger.close())
        databases.drop(name)


async def test_a_login_without_the_role_is_told_so(flavour: Flavour, dsn: str, eye: Ask) -> None:
    eye("CREATE ROLE stranger_of_this_test LOGIN")
    try:
        parts = psycopg.conninfo.conninfo_to_dict(dsn)
        ledger = flavour.ledger(psycopg.conninfo.make_conninfo(**(parts | {"user": "stranger_of_this_test"})))
        with pytest.raises(Misconfigured, match="grant the role"):
            await done(ledger.tenant("acme").list())
        await done(ledger.close())
    finally:
        eye("DROP ROLE stranger_of_this_test")
