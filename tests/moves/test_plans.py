"""Plans of the hot statements as they run: generic ones, with the statistics of an empty and of a full hour.

Each finds its rows by the indexes that its header names and reads no table whole; and none walks the index of
running rows for each row of a batch, which is what whatever says `state = 'running'` beside a join is planned
as while few rows run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.moves.test_statements import FILES, header, numbered
from tests.servers.databases import Databases

HERE = Path(__file__).parent
HOT = (
    *("claim_due", "lock_due", "lock_tasks", "lock_runs", "read_rows", "read_context", "read_attempts"),
    *("read_running", "read_waits"),
    *("read_last_starts", "read_references", "read_pending", "read_definitions", "adopt", "start_rows"),
    *("skip_rows", "retire_rows", "cancel_rows", "wait_rows", "close_runs", "close_successes"),
    *("free_waiters", "set_aside"),
    *(
        "find_request",
        "find_twins",
        "store_definitions",
        "add_acts",
        "add_tasks",
        "set_tasks",
        "delete_tasks",
    ),
    *("add_recovered", "add_events"),
    *("list_due", "list_aside", "free_aside", "read_next_due", "read_next"),
    *("read_hints", "give_hint", "drop_hints", "consume_hints", "list_hints", "read_open_series"),
)
# What writes without looking anything up: its guards are the indexes of its conflict targets.
ADDING = {"adopt", "store_definitions", "add_acts", "add_tasks", "add_events", "give_hint"}
# What reads the whole of an index that is empty for ordinary rows.
WALKING = {("list_aside", "waiting")}

Connection = psycopg.Connection[tuple[object, ...]]
Node = dict[str, object]


@pytest.fixture(scope="module", params=["an empty hour", "a full hour"])
def book(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Connection]:
    name = databases.clone()
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        connection.execute((HERE / "hour.sql").read_bytes())
        if request.param == "a full hour":
            connection.execute((HERE / "hour_full.sql").read_bytes())
        connection.execute("VACUUM ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    databases.drop(name)


def planned(connection: Connection, name: str) -> list[Node]:
    """The nodes of a statement's generic plan."""
    sql = numbered(FILES[name])
    count = max((int(n) for n in re.findall(r"\$(\d+)", sql)), default=0)
    connection.execute(b"PREPARE asked AS " + sql.encode())
    try:
        given = "(" + ", ".join(["NULL"] * count) + ")" if count else ""
        ((told,),) = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE asked{given}".encode()).fetchall()
    finally:
        connection.execute("DEALLOCATE asked")
    assert isinstance(told, list)
    nodes: list[Node] = []
    todo: list[Node] = [told[0]["Plan"]]
    while todo:
        node = todo.pop()
        below = node.get("Plans", [])
        assert isinstance(below, list)
        todo += below
        nodes.append(node)
    return nodes


@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_goes_by_the_indexes_that_its_header_names(book: Connection, name: str) -> None:
    nodes = planned(book, name)
    whole = [n for n in nodes if n["Node Type"] == "Seq Scan"]
    assert not whole, f"{name} reads {[n['Relation Name'] for n in whole]} whole"
    used = {str(n["Index Name"]): n for n in nodes if "Index Name" in n}
    assert used or name in ADDING
    assert set(used) <= set(re.findall(r"\w+", header(FILES[name]))), f"{name} goes by {sorted(used)}"
    for index, node in used.items():
        assert "Index Cond" in node or (name, index) in WALKING, f"{name} walks {index}"
    if "one_running" in used:
        condition = str(used["one_running"]["Index Cond"])
        assert re.search(r"\btenant\b.*\btask\b|\btask\b.*\btenant\b", condition), (
            f"the trap: {name} {condition}"
        )


def test_the_claim_reads_due_rows_in_order_and_no_more_than_it_takes(book: Connection) -> None:
    nodes = planned(book, "claim_due")
    kinds = [str(n["Node Type"]) for n in nodes]
    assert kinds[:2] == ["Limit", "LockRows"], kinds
    assert not {"Sort", "Hash Join", "Merge Join", "Incremental Sort"} & set(kinds), kinds


@pytest.mark.parametrize("name", ["close_runs", "close_successes", "read_context", "free_waiters"])
def test_a_batch_costs_what_its_rows_cost_however_many_run(book: Connection, name: str) -> None:
    """The trap again, by what is read: 200 rows of a batch, and never rows times running rows."""
    running = book.execute(
        "SELECT array_agg(key), array_agg(tenant), array_agg(task) FROM (SELECT * FROM ledger.occurrence"
        " WHERE state IN ('running', 'succeeded') ORDER BY state, key LIMIT 200) o"
    ).fetchone()
    assert running is not None
    keys, tenants, tasks = running
    arrays = {
        "keys": keys,
        "tenants": tenants,
        "tasks": tasks,
        "predecessors": keys,
        "states": ["succeeded"] * 200,
        "outcomes": ["succeeded"] * 200,
        "failures": [0] * 200,
    }
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)b", FILES[name])))
    values = [arrays.get(n, [None] * 200) for n in names]
    places = ", ".join(["%s"] * len(values))
    book.execute(b"PREPARE asked AS " + numbered(FILES[name]).encode())
    try:
        with book.transaction(force_rollback=True):
            # What is explained takes no parameters from outside: they are written into the text.
            ((told,),) = (
                psycopg.ClientCursor(book)
                .execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked({places})".encode(), values)
                .fetchall()
            )
    finally:
        book.execute("DEALLOCATE ALL")
    assert isinstance(told, list)
    plan = told[0]["Plan"]
    touched = int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])
    assert touched < 200 * 40, f"{name} touched {touched} blocks for 200 rows"
