"""Questions of one tenant cost what that tenant holds: each goes by the index that its header names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from psycopg.sql import SQL, Literal

from ledger import Ledger
from ledger.moves.step import Statement
from ledger.statements import reads, rehearsal, upcoming, why
from tests.servers.databases import Databases

TENANTS, TASKS, HOURS = 20, 50, 25
QUESTIONS = [
    each
    for module in (reads, rehearsal, upcoming, why)
    for each in vars(module).values()
    if isinstance(each, Statement)
]
ANSWERED = {
    "tenant": ("text", "t3"),
    "task": ("text", "k5"),
    "beyond": ("text", "k1"),
    "n": ("integer", 20),
    "states": ("text[]", ["succeeded", "running"]),
    "agent": ("text", "default"),
    "labels": ("jsonb", '{"team": "mail"}'),
    "since": ("timestamptz", datetime(1990, 1, 1, tzinfo=UTC)),
    "until": ("timestamptz", None),
    "due": ("timestamptz", datetime(2190, 1, 1, tzinfo=UTC)),
    "low": ("timestamptz", datetime(2190, 1, 1, tzinfo=UTC)),
    "high": ("timestamptz", datetime(2190, 1, 2, tzinfo=UTC)),
    "tasks": ("text[]", ["k5", "k6"]),
    "keys": ("uuid[]", [UUID(int=2**128 - 1)]),
    "key": ("uuid", UUID(int=2**128 - 1)),
    "predecessor": ("uuid", UUID(int=1)),
}


@pytest.fixture(scope="module")
def full(databases: Databases) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A thousand tasks of twenty tenants, a day of history each, and some evidence."""
    name = databases.clone()
    with Ledger(databases.dsn(name)) as ledger:
        for tenant in range(TENANTS):
            ledger.tenant(f"t{tenant}").define_many(
                {
                    f"k{task}": {"entrypoint": f"e{task}", "delivery": "pull", "schedule": {"every_s": 3600}}
                    for task in range(TASKS)
                }
            )
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        connection.execute(
            """INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination,
                   due, fingerprint, key_version, lane, state, exclusive, run_at, failures, made_by, created,
                   started, closed)
               SELECT gen_random_uuid(), tenant, task, digest, delivery, wake, agent, destination,
                   due - n * interval '1 hour', fingerprint, 1, lane, 'succeeded', exclusive,
                   run_at - n * interval '1 hour', 0, 'test', created, now(), now()
                 FROM ledger.occurrence, generate_series(1, %s) n""",
            [HOURS],
        )
        connection.execute(
            """INSERT INTO ledger.evidence (tenant, key, at, by, what, detail)
               SELECT tenant, key, now(), 'test', 'late finish', '' FROM ledger.occurrence"""
        )
        connection.execute(
            "INSERT INTO ledger.archive SELECT * FROM ledger.occurrence WHERE state = 'succeeded'"
        )
        connection.execute(
            "INSERT INTO ledger.tenant_limit (tenant, cap) SELECT 't' || n, 5 FROM generate_series(1, 2000) n"
        )
        connection.execute("ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    databases.drop(name)


def plan(connection: psycopg.Connection[tuple[object, ...]], question: Statement[object]) -> str:
    """The plan of a statement as the product prepares it, for any values."""
    names: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    text = re.sub(r"%\((\w+)\)[sb]", numbered, question.sql.decode()).replace("%%", "%")
    types = ", ".join(ANSWERED[name][0] for name in names)
    connection.execute(f"PREPARE asked ({types}) AS {text}".encode())
    try:
        values = SQL(", ").join(Literal(ANSWERED[name][1]) for name in names)
        lines = connection.execute(SQL("EXPLAIN (COSTS OFF) EXECUTE asked ({})").format(values)).fetchall()
    finally:
        connection.execute("DEALLOCATE asked")
    return "\n".join(str(line) for (line,) in lines)


@pytest.mark.parametrize("question", QUESTIONS, ids=[each.name for each in QUESTIONS])
def test_no_question_reads_what_other_tenants_hold(
    full: psycopg.Connection[tuple[object, ...]], question: Statement[object]
) -> None:
    found = plan(full, question)
    assert "Seq Scan" not in found, found
    for conditions in re.findall(r"(?:Index|Recheck) Cond: (.*)", found):
        assert "tenant" in conditions, found


def test_every_question_was_asked() -> None:
    assert len(QUESTIONS) >= 15
