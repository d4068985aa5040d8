"""The claim by turns: a share from each tenant, and none of a flood is walked for the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from ledger.statements.admission import CLAIM_FAIR
from tests.moves.test_plans import planned
from tests.moves.test_statements import FILES, header
from tests.servers.databases import Databases

HERE = Path(__file__).parent
FLOOD, OTHERS = "tenant-20", [f"tenant-{n}" for n in range(1, 11)]
# 20,000 overdue rows of one task, and two of each of ten other tenants.
FLOODED = """
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due,
       fingerprint, key_version, lane, state, exclusive, run_at, made_by, created)
SELECT gen_random_uuid(), t.tenant, t.task, t.digest, 'python', 'manual:' || n, 'default', 'local:default',
       now(), t.digest, 1, 'manual:' || n, 'pending', true, now() - interval '1 hour' - n * interval '1 ms',
       'run now', now()
  FROM ledger.task t, generate_series(1, 20000) n WHERE t.tenant = 'tenant-20' AND t.task = 'task-1';
UPDATE ledger.occurrence SET run_at = now() - interval '1 min'
 WHERE state = 'pending' AND task IN ('task-1', 'task-2')
   AND tenant IN (SELECT 'tenant-' || n FROM generate_series(1, 10) n);
"""
LIMITS = """
INSERT INTO ledger.tenant_limit (tenant, cap) SELECT 'other-' || n, 5 FROM generate_series(1, 5000) n;
INSERT INTO ledger.usage (tenant, month) SELECT 'other-' || n, '2026-01-01' FROM generate_series(1, 5000) n;
ANALYZE ledger.tenant_limit, ledger.usage;
"""
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def flooded(databases: Databases) -> Iterator[Connection]:
    name = databases.clone()
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        connection.execute((HERE / "hour.sql").read_bytes())
        connection.execute(FLOODED.encode())
        connection.execute("VACUUM ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    databases.drop(name)


def claimed(connection: Connection, n: int, out: Sequence[str] = (), beyond: str = "") -> Counter[object]:
    """How many rows of each tenant a claim by turns takes; it is rolled back."""
    call = CLAIM_FAIR(deliveries=["python"], out=list(out), n=n, beyond=beyond)
    with connection.transaction(force_rollback=True):
        rows = connection.execute(CLAIM_FAIR.sql, call.params).fetchall()
    return Counter(row[1] for row in rows)


def touched(connection: Connection, n: int, out: Sequence[str]) -> int:
    """How many pages it reads."""
    given = {"deliveries": ["python"], "out": list(out), "n": n, "beyond": ""}
    sql = re.sub(r"%\((\w+)\)b", r"%(\1)s", FILES["claim_fair"])
    with connection.transaction(force_rollback=True):
        ((told,),) = (
            psycopg.ClientCursor(connection)
            .execute(b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.encode(), given)
            .fetchall()
        )
    assert isinstance(told, list)
    return int(told[0]["Plan"]["Shared Hit Blocks"]) + int(told[0]["Plan"]["Shared Read Blocks"])


def test_a_flood_takes_its_share_and_everybody_else_theirs(flooded: Connection) -> None:
    """Eleven tenants have something due: of 110 rows ten are each one's."""
    assert claimed(flooded, 110) == {FLOOD: 10, **dict.fromkeys(OTHERS, 2)}
    assert claimed(flooded, 500) == {FLOOD: 45, **dict.fromkeys(OTHERS, 2)}


def test_who_is_left_out_costs_the_others_nothing(flooded: Connection) -> None:
    assert claimed(flooded, 500, [FLOOD]) == dict.fromkeys(OTHERS, 2)
    assert touched(flooded, 500, [FLOOD]) < 1_500, (
        "forty tenants and twenty rows, and none of twenty thousand"
    )


def test_one_row_at_a_time_goes_round(flooded: Connection) -> None:
    """With fewer free workers than tenants no one waits for more than the others' turns."""
    beyond, turns = "", []
    for _ in range(12):
        (beyond,) = map(str, claimed(flooded, 1, beyond=beyond))
        turns.append(beyond)
    assert turns == [*sorted([FLOOD, *OTHERS]), "tenant-1"]


def test_it_goes_by_the_indexes_that_its_header_names(flooded: Connection) -> None:
    nodes = planned(flooded, "claim_fair")
    assert not [node for node in nodes if node["Node Type"] == "Seq Scan"]
    used = {str(node["Index Name"]) for node in nodes if "Index Name" in node}
    assert used <= set(re.findall(r"\w+", header(FILES["claim_fair"]))), used
    kinds = {str(node["Node Type"]) for node in nodes}
    assert not {"Hash Join", "Merge Join", "Incremental Sort"} & kinds, kinds


@pytest.mark.parametrize("name", ["lock_limits", "await_limits", "read_loads", "count_starts", "note_held"])
def test_what_reads_limits_goes_by_index(flooded: Connection, name: str) -> None:
    with flooded.transaction(force_rollback=True):
        flooded.execute(LIMITS)
        nodes = planned(flooded, name)
    whole = [node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"]
    assert not whole, f"{name} reads {whole} whole"
