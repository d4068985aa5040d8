"""Plans of what every pass asks, as moves run: cost follows tasks, not tenants and not history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from psycopg import sql

from ledger.moves.step import Call
from ledger.statements.health import HEALTH_ASIDE, HEALTH_OVERDUE, HEALTH_SKIPS
from ledger.statements.sweep import (
    LIST_NAMES,
    LOCK_FREE,
    LOOK_FAILED,
    LOOK_HELD,
    LOOK_OPEN,
    LOOK_RUNS,
    LOOK_TEXTS,
    PICK_DRILL,
    READ_DRILLED,
    READ_HOLES,
    SURVEY,
    SURVEY_TENANT,
)
from ledger.statements.zones import LOOK_ZONES
from sweeper.moves.look import FIRST, LAST
from tests.servers.databases import Databases
from tests.sweeper.book import Book

# 10,000 tasks of 100 tenants in no order: each with an open row and twelve days of history, 1 % running.
FILL = """
INSERT INTO ledger.task (tenant, task, digest, agent, enabled)
SELECT 't' || n % 100, 'task-' || n / 100, sha256('d'), 'default', true
  FROM generate_series(0, 9999) n ORDER BY random();
INSERT INTO ledger.act (tenant, task, n, at, by, what, digest, enabled, resume_after)
SELECT tenant, task, n, now() - interval '20 days', 'x', 'define', digest, true, now() - interval '20 days'
  FROM ledger.task, generate_series(1, 3) n;
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due,
       fingerprint, key_version, lane, state, exclusive, run_at, made_by, created, started, deadline, closed)
SELECT gen_random_uuid(), tenant, task, digest, 'python', 'schedule', agent, 'local:default', due, digest,
       1, 'series', state, true, due, 'x', now(), CASE WHEN state <> 'pending' THEN due END,
       CASE WHEN state <> 'pending' THEN due END, CASE WHEN state = 'succeeded' THEN due END
  FROM (SELECT t.*, now() + make_interval(days => 1 - k) AS due, CASE WHEN k = 0 THEN 'pending'
               WHEN k > 1 OR random() > 0.01 THEN 'succeeded' ELSE 'running' END AS state
          FROM ledger.task t, generate_series(0, 12) k) r
 ORDER BY random();
INSERT INTO ledger.definition (tenant, digest, version, canonical, at, by)
SELECT 't' || n, sha256('d'), 1, '{"schedule":{"ends_at":"2190-06-01T09:00:00Z","timezone":"UTC"}}',
       now(), 'x'
  FROM generate_series(0, 99) n;
INSERT INTO ledger.verdict (tenant, pass, at, since, word, checked, open, ended, repairs, drill)
SELECT 't' || n, 1, now(), now(), 'healthy', 100, 100, 0, '{}', 'passed' FROM generate_series(0, 99) n;
"""
# What tenants without tasks leave: a limit, a task that was deleted, a verdict.
IDLE = """
CREATE FUNCTION pg_temp.idle(low integer, high integer) RETURNS void BEGIN ATOMIC
    INSERT INTO ledger.tenant_limit (tenant) SELECT 'idle-' || n FROM generate_series(low, high) n;
    INSERT INTO ledger.act (tenant, task, n, at, by, what, digest, enabled)
    SELECT 'idle-' || n, 'once', 2, now(), 'x', 'delete', sha256('d'), false
      FROM generate_series(low, high) n;
    INSERT INTO ledger.definition (tenant, digest, version, canonical, at, by)
    SELECT 'idle-' || n, sha256('d'), 1, '{}', now(), 'x' FROM generate_series(low, high) n;
    INSERT INTO ledger.verdict (tenant, pass, at, since, word, checked, open, ended, repairs, drill)
    SELECT 'idle-' || n, 1, now(), now(), 'healthy', 1, 1, 0, '{}', 'passed'
      FROM generate_series(low, high) n;
END;
"""


@pytest.fixture(scope="module")
def filled(databases: Databases) -> Iterator[Book]:
    name = databases.clone()
    book = Book(databases.dsn(name))
    book.script(FILL)
    book.script(IDLE)
    book.script("SELECT pg_temp.idle(1, 500)")
    for table in ("task", "act", "occurrence", "definition", "verdict"):
        book.script(f"VACUUM ANALYZE ledger.{table}")
    yield book
    book.close()
    databases.drop(name)


def explain(book: Book, call: Call[object]) -> list[dict[str, object]]:
    """The nodes of a call's plan as it was carried out: one made without looking at the parameters."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", call.statement.sql.decode())))
    numbered = re.sub(r"%\((\w+)\)[sb]", lambda m: f"${names.index(m[1]) + 1}", call.statement.sql.decode())
    values = [sql.Literal(call.params[name]) for name in names]
    given = sql.SQL("({})").format(sql.SQL(", ").join(values)) if values else sql.SQL("")
    with book.connection.transaction():
        book.script(
            "SET LOCAL ROLE ledger_sweeper; SET LOCAL plan_cache_mode = force_generic_plan;"
            " SET LOCAL ledger.tenant = 't1'; SET LOCAL work_mem = '128MB'"
        )
        book.script(f"PREPARE asked AS {numbered.replace('%%', '%')}")
        told = book.connection.execute(
            sql.SQL("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked {}").format(given)
        ).fetchone()
        book.script("DEALLOCATE asked")
    assert told is not None
    nodes: list[dict[str, object]] = []
    todo = [told[0][0]["Plan"]]
    while todo:
        node = todo.pop()
        todo += node.pop("Plans", [])
        nodes.append(node)
    return nodes


def scans(nodes: list[dict[str, object]]) -> set[tuple[object, object]]:
    """How each table is read: its name, and the index or `whole`."""
    return {
        (node.get("Relation Name", "occurrence"), node.get("Index Name", "whole"))
        for node in nodes
        if "Relation Name" in node or node["Node Type"] == "Bitmap Index Scan"
        if node["Node Type"] != "Bitmap Heap Scan"
    }


def buffers(nodes: list[dict[str, object]]) -> int:
    top = nodes[0]
    hit, read = top["Shared Hit Blocks"], top["Shared Read Blocks"]
    assert isinstance(hit, int)
    assert isinstance(read, int)
    return hit + read


def test_the_survey_reads_tasks_and_open_rows_once_and_no_history(filled: Book) -> None:
    nodes = explain(filled, SURVEY())
    assert scans(nodes) == {
        ("task", "whole"),
        ("occurrence", "one_open"),
        ("occurrence", "one_running"),
        ("verdict", "verdict_bad"),
    }
    (joined,) = [node for node in nodes if node.get("Hash Cond") and "task" in str(node["Hash Cond"])]
    assert (joined["Node Type"], joined["Join Type"]) == ("Hash Join", "Full")
    assert not [node for node in nodes if node["Node Type"] == "Nested Loop"]
    assert {node.get("Hash Batches", 1) for node in nodes} == {1}
    assert {node.get("Temp Written Blocks", 0) for node in nodes} == {0}


def test_tenants_without_tasks_cost_nothing(filled: Book) -> None:
    before = explain(filled, SURVEY())
    filled.script("SELECT pg_temp.idle(501, 50000)")
    filled.script("VACUUM ANALYZE ledger.verdict")
    after = explain(filled, SURVEY())
    assert buffers(after) <= buffers(before) * 1.01
    assert scans(after) == scans(before)


WHOLE = {"tenant": "t1", "first": FIRST, "last": LAST}
ONE = {"tenant": "t1", "first": "task-7", "last": "task-7"}


@pytest.mark.parametrize(
    ("call", "most", "indexes"),
    [
        (LOOK_OPEN(**WHOLE), 1_000, {"task_pkey", "one_open"}),
        (LOOK_OPEN(**ONE), 40, {"task_pkey", "one_open"}),
        (LOOK_RUNS(**WHOLE), 40, {"one_running"}),
        (LOOK_HELD(**WHOLE), 40, {"waiting"}),
        (LOOK_FAILED(**WHOLE), 2_000, {"task_pkey", "one_slot"}),
        (LOOK_FAILED(**ONE), 40, {"task_pkey", "one_slot"}),
        (LOOK_ZONES(**WHOLE, tzdata="0", n=None), 1_000, {"one_open"}),
        (LOOK_TEXTS(**WHOLE), 1_000, {"one_open", "definition_pkey"}),
        (LOOK_TEXTS(**ONE), 40, {"one_open", "definition_pkey"}),
        (LIST_NAMES(tenant="t1"), 1_000, {"one_open", "one_running"}),
        (LOCK_FREE(tenant="t1", tasks=["task-7", "task-8"]), 40, {"task_pkey"}),
        (READ_HOLES(tenant="t1", tasks=["task-7"], keys=[uuid4()]), 40, {"act_pkey", "one_slot"}),
        (LOOK_ZONES(**ONE, tzdata="0", n=None), 40, {"one_open"}),
        (PICK_DRILL(tenant="t1", turn="task-50", without=["task-51"]), 60, {"one_open"}),
        (READ_DRILLED(tenant="t1", task="task-7"), 20, {"one_open"}),
        (SURVEY_TENANT(tenant="t1"), 1_000, {"one_open", "one_running"}),
        (HEALTH_OVERDUE(tenant=None, late=timedelta(seconds=60), n=20), 60, {"due_now"}),
        (HEALTH_ASIDE(tenant=None, n=20), 20, {"waiting"}),
        (HEALTH_SKIPS(tenant=None, least=5, n=20), 2_000, {"one_running", "one_slot"}),
    ],
    ids=lambda value: value.statement.name if isinstance(value, Call) else "",
)
def test_a_tenants_turn_reads_its_own_rows_by_index(
    filled: Book, call: Call[object], most: int, indexes: set[str]
) -> None:
    nodes = explain(filled, call)
    used = scans(nodes)
    assert not [scan for scan in used if scan[1] == "whole" and scan[0] != "verdict"], used
    assert indexes <= {index for _, index in used}, used
    assert buffers(nodes) <= most
