"""Thousands of closed rows beside: no statement of a claim reads more than its indexes name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from benchmarks.grown import CLAIM, grow, plan, walk
from tests.servers.databases import Databases

CLOSED = 10_000
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def grown(databases: Databases) -> Iterator[Connection]:
    name = databases.clone()
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        connection.execute(Path(__file__).with_name("hour.sql").read_bytes())
        connection.execute("ANALYZE")
        grow(databases.dsn(name), CLOSED)
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    databases.drop(name)


def test_closed_rows_are_not_read_where_rows_are_claimed(grown: Connection) -> None:
    ((closed,),) = grown.execute(
        "SELECT count(*) FROM ledger.occurrence WHERE state = 'succeeded'"
    ).fetchall()
    assert isinstance(closed, int)
    assert closed >= CLOSED
    for name in CLAIM:
        assert not walk(name, plan(grown, name))


def test_a_walk_over_the_table_is_told() -> None:
    assert walk("claim_due", "Limit; Seq Scan on occurrence o")
    assert walk("claim_due", "Limit; Index Scan using one_slot on occurrence o")
    assert not walk("claim_due", "Limit; Index Scan using due_now on occurrence o; Seq Scan on task t")
