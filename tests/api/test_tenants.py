"""Two tenants never see each other: every statement names its tenant, with row-level security behind it."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege
from psycopg.sql import SQL, Identifier

from ledger import AsyncLedger, Ledger, NotFound
from tests.api.conftest import done

Ask = Callable[..., list[tuple[object, ...]]]
PULL = {"entrypoint": "work", "delivery": "pull", "schedule": {"every_s": 3600}}
# Tables of one tenant's rows, as the walls have them.
OWNED = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relrowsecurity ORDER BY 1"
)


async def test_what_one_tenant_does_is_unseen_by_the_other(ledger: Ledger | AsyncLedger) -> None:
    acme, globex = ledger.tenant("acme"), ledger.tenant("globex")
    mine = await done(acme.define("a", PULL))
    theirs = await done(globex.define("a", PULL))
    assert mine.key != theirs.key, "a twin of another tenant is no twin, and its key another"
    key = (await done(acme.run_now("a", "r1"))).key
    assert (await done(globex.run_now("a", "r1"))).first, "request ids are a tenant's own"
    assert key not in [row.key for row in await done(globex.due())]
    for call in (globex.start, globex.cancel, globex.explain, lambda k: globex.finish(k, "succeeded")):
        with pytest.raises(NotFound):
            await done(call(key))
    await done(acme.start(key))
    with pytest.raises(NotFound):
        await done(globex.finish(key, "failed"))
    assert [row.task for row in (await done(globex.history())).rows] == []
    await done(globex.delete("a"))
    assert (await done(acme.list())).rows[0].running == key
    assert (await done(acme.upcoming("a")))[0].key == mine.key


async def test_the_second_wall_raises_instead_of_hiding(
    ledger: Ledger | AsyncLedger, dsn: str, eye: Ask
) -> None:
    """Without a tenant a tenant's role reads nothing, loudly: also after a setting has ended and reads ''."""
    await done(ledger.tenant("acme").define("a", PULL))
    tables = [name for (name,) in eye(OWNED)]
    assert {"task", "act", "definition", "occurrence", "evidence"} <= set(tables)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET ROLE ledger_tenant")
        for ended in (False, True):
            if ended:
                connection.execute("BEGIN")
                connection.execute("SET LOCAL ledger.tenant = 'acme'")
                connection.execute("COMMIT")
            for table in tables:
                with pytest.raises(InsufficientPrivilege, match=r"ledger.tenant is not set"):
                    connection.execute(SQL("SELECT 1 FROM ledger.{}").format(Identifier(table)))


async def test_a_tenants_role_reads_and_writes_its_own_rows_alone(
    ledger: Ledger | AsyncLedger, dsn: str
) -> None:
    for name in ("acme", "globex"):
        await done(ledger.tenant(name).define("a", PULL))
    with psycopg.connect(dsn) as connection:
        connection.execute("SET LOCAL ROLE ledger_tenant")
        connection.execute("SET LOCAL ledger.tenant = 'acme'")
        for table in ("task", "act", "definition", "occurrence"):
            seen = connection.execute(
                SQL("SELECT DISTINCT tenant FROM ledger.{}").format(Identifier(table))
            ).fetchall()
            assert seen == [("acme",)]
        changed = connection.execute("UPDATE ledger.task SET enabled = false WHERE tenant = 'globex'")
        assert changed.rowcount == 0
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            connection.execute("UPDATE ledger.task SET tenant = 'globex' WHERE task = 'a'")
