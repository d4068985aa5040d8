"""Plans of what claims ask about backfills and reruns: by their indexes, with the statistics of many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.moves.test_plans import planned
from tests.moves.test_statements import FILES, header
from tests.servers.databases import Databases

HERE = Path(__file__).parent
Connection = psycopg.Connection[tuple[object, ...]]
ASKED = ("read_turns", "advance_backfills", "find_reruns", "hold_reruns", "put_off", "read_members")


@pytest.fixture(scope="module")
def book(databases: Databases) -> Iterator[Connection]:
    """A full hour, a backfill of each task, and two thousand rows of reruns."""
    name = databases.clone()
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        connection.execute((HERE / "hour.sql").read_bytes())
        connection.execute((HERE / "hour_full.sql").read_bytes())
        connection.execute(
            """INSERT INTO ledger.backfill (tenant, task, request, since, until, slots, opened, ran, coming,
                   at_once, at, by)
               SELECT tenant, task, 'r', now() - interval '1 day', now(), ARRAY[now()], 1, 0, 0, 1, now(), 'x'
                 FROM ledger.task"""
        )
        connection.execute(
            """INSERT INTO ledger.rerun (tenant, request, at_once, wanted, at, by)
               SELECT 't' || n % 50, 'r' || n, 1, '{}', now(), 'x' FROM generate_series(1, 1000) n"""
        )
        connection.execute(
            """INSERT INTO ledger.rerun_row (tenant, task, lane, due, request, repeats)
               SELECT 't' || n % 50, 'a' || n, 'rerun:1:schedule@x', now(), 'r' || n / 2, gen_random_uuid()
                 FROM generate_series(1, 2000) n"""
        )
        connection.execute("VACUUM ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    databases.drop(name)


@pytest.mark.parametrize("name", ASKED)
def test_what_a_claim_asks_goes_by_the_indexes_that_its_header_names(book: Connection, name: str) -> None:
    nodes = planned(book, name)
    assert not [node for node in nodes if node["Node Type"] == "Seq Scan"]
    used = {str(node["Index Name"]): node for node in nodes if "Index Name" in node}
    assert used
    assert set(used) <= set(re.findall(r"\w+", header(FILES[name]))), sorted(used)
    assert all("Index Cond" in node for node in used.values())
