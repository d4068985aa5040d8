"""`claim_once`: an effect of a run happens once, within the handler's own transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest

from ledger import BadInput, Ledger, NotFound, aclaim_once, claim_once

TASK = {"entrypoint": "work", "delivery": "pull", "schedule": {"every_s": 3600}}
CLAIMS = "SELECT tenant, key, name FROM ledger.claimed_once ORDER BY 1, 3"


@pytest.fixture
def keys(dsn: str) -> dict[str, UUID]:
    """An occurrence of each of two tenants."""
    with Ledger(dsn) as ledger:
        made = {tenant: ledger.tenant(tenant).define("t", TASK).key for tenant in ("acme", "globex")}
    return {tenant: key for tenant, key in made.items() if key is not None}


@pytest.fixture
def handler(dsn: str) -> Iterator[str]:
    """The DSN of a login that has a tenant's role, as handlers have, and no other right."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        name = f"handler_{uuid4().hex}"
        connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'x'")
        connection.execute(f"GRANT ledger_tenant TO {name}")
        yield psycopg.conninfo.make_conninfo(dsn, user=name, password="x")  # noqa: S106 - a test's own
        connection.execute(f"DROP ROLE {name}")


def claims(dsn: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(CLAIMS).fetchall()


def test_it_is_true_once_for_each_effect_of_a_key(dsn: str, keys: dict[str, UUID], handler: str) -> None:
    for n in (1, 2):
        with psycopg.connect(handler) as connection:
            assert claim_once(connection, keys["acme"]) is (n == 1)
            assert claim_once(connection, str(keys["acme"]), "email") is (n == 1)
            assert claim_once(connection, keys["globex"]) is (n == 1)
            assert claim_once(connection, keys["acme"]) is False, "in one transaction, too"
            ((role,),) = connection.execute("SELECT current_user = session_user")
            assert role is True, "the caller's role is as it was"
    assert claims(dsn) == [
        ("acme", keys["acme"], ""),
        ("acme", keys["acme"], "email"),
        ("globex", keys["globex"], ""),
    ]


def test_it_stands_or_falls_with_the_effect(dsn: str, keys: dict[str, UUID], handler: str) -> None:
    with psycopg.connect(handler) as connection:
        assert claim_once(connection, keys["acme"])
        connection.rollback()
        assert claim_once(connection, keys["acme"]), "the effect never happened, so it may"
    assert claims(dsn) == [("acme", keys["acme"], "")]


@pytest.mark.parametrize("commits", [True, False])
def test_a_second_one_waits_for_the_first_ones_end(
    commits: bool, dsn: str, keys: dict[str, UUID], handler: str
) -> None:
    async def both() -> bool:
        first = await psycopg.AsyncConnection.connect(handler)
        second = await psycopg.AsyncConnection.connect(handler)
        async with first, second:
            assert await aclaim_once(first, keys["acme"])
            asking = asyncio.create_task(aclaim_once(second, keys["acme"]))
            async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as watch:
                waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = %s"
                while True:
                    found = await watch.execute(waiting, (second.info.backend_pid,))
                    if await found.fetchone() != (0,):
                        break
            assert not asking.done()
            await (first.commit() if commits else first.rollback())
            return await asking

    assert asyncio.run(both()) is not commits
    assert claims(dsn) == [("acme", keys["acme"], "")]


def test_it_refuses_what_it_cannot_hold(dsn: str, keys: dict[str, UUID]) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with pytest.raises(BadInput, match="no transaction is open"):
            claim_once(connection, keys["acme"])
        with connection.transaction():
            assert claim_once(connection, keys["acme"])
            with pytest.raises(NotFound):
                claim_once(connection, uuid4())
            with pytest.raises(BadInput, match="no key of an occurrence"):
                claim_once(connection, "next week")
            with pytest.raises(BadInput, match="its name"):
                claim_once(connection, keys["acme"], "x" * 201)
    with pytest.raises(BadInput, match="psycopg"):
        claim_once(object(), keys["acme"])
    assert claims(dsn) == [("acme", keys["acme"], "")]


def test_whoever_has_no_tenants_role_may_not(dsn: str, keys: dict[str, UUID]) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("SET ROLE ledger_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT ledger.claim_once(%s, '')", (keys["acme"],))
