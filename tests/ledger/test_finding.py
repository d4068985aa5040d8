"""Finding rows and tasks: the pages hold exactly what is asked for, each once; and a page costs a page."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TypeVar, cast
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

from ledger import BadInput, Ledger, TenantLedger
from ledger.moves.reads import Page
from tests.moves.test_statements import FILES, numbered
from tests.servers.databases import Databases

R = TypeVar("R")
Row = dict[str, object]
Connection = psycopg.Connection[tuple[object, ...]]
SEED = random.SystemRandom().randrange(10**9)
STATES = ("succeeded", "succeeded", "succeeded", "failed", "timed_out", "lost", "cancelled", "skipped")
TEAMS: tuple[dict[str, str], ...] = ({}, {"team": "mail"}, {"team": "mail", "tier": "1"}, {"team": "web"})
TASKS, ROWS, BIG, WIDE = 24, 40, 6_000, 1_500


@pytest.fixture(scope="module")
def book(databases: Databases) -> Iterator[tuple[TenantLedger, Connection]]:
    """Tasks of three agents with labels and a history in many lanes; one of them has a long one."""
    name = databases.clone()
    dice = random.Random(SEED)
    with Ledger(databases.dsn(name)) as ledger, psycopg.connect(databases.dsn(name), autocommit=True) as sql:
        for tenant in ("acme", "zeta"):
            door = ledger.tenant(tenant)
            for n in range(TASKS):
                labels = TEAMS[n % 4]
                what = {"entrypoint": f"e{n}", "schedule": {"every_s": 3600}, "agent": f"agent:{n % 3}"}
                door.define(f"t{n:02}", what | ({"labels": labels} if labels else {}), enabled=n % 5 != 4)
            door.define("big", {"entrypoint": "big", "schedule": {"every_s": 60}, "labels": {"size": "big"}})
        hourly = {"schedule": {"every_s": 3600}, "agent": "agent:1"}
        ledger.tenant("wide").define_many({f"w{n:04}": hourly | {"entrypoint": f"e{n}"} for n in range(WIDE)})
        rows = [(f"t{n:02}", k) for n in range(TASKS) for k in range(ROWS)]
        _fill(sql, [(task, k, dice.choice(STATES), dice.randrange(8) == 0) for task, k in rows], 3600)
        _fill(
            sql, [("big", k, "failed" if k % 50 == 0 else "succeeded", k % 100 == 7) for k in range(BIG)], 60
        )
        sql.execute("VACUUM ANALYZE")
        yield ledger.tenant("acme"), sql
    databases.drop(name)


def _fill(sql: Connection, rows: list[tuple[str, int, str, bool]], every_s: int) -> None:
    """Closed rows: every so many seconds one of a task, most in its series, some of them retries."""
    tasks, ks, states, others = (list(column) for column in zip(*rows, strict=True))
    sql.execute(
        """INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due,
               fingerprint, key_version, lane, state, reason, exclusive, run_at, failures, made_by, created,
               started, closed)
           SELECT gen_random_uuid(), t.tenant, t.task, t.digest, 'python', 'schedule', t.agent,
               'local:default', d.due, t.digest, 1,
               CASE WHEN r.other THEN 'retry:1@' || r.k::text ELSE 'series' END, r.state,
               'test', true, d.due, 0, 'test', now(), CASE WHEN r.state <> 'skipped' THEN now() END, now()
             FROM unnest(%s::text[], %s::integer[], %s::text[], %s::boolean[]) AS r (task, k, state, other)
             JOIN ledger.task t ON t.task = r.task
            CROSS JOIN LATERAL (SELECT '2026-06-01T00:00:00Z'::timestamptz
                                       + r.k * %s * interval '1 second' AS due) d""",
        [tasks, ks, states, others, every_s],
    )


def pages(ask: Callable[..., Page[R]], dice: random.Random, **sought: object) -> list[R]:
    """All pages of a list, one after the other, of whatever size."""
    found: list[R] = []
    cursor = None
    while True:
        page = ask(cursor=cursor, limit=dice.choice((1, 7, 100, 1000)), **sought)
        found += page.rows
        cursor = page.cursor
        if cursor is None:
            return found


def wish(dice: random.Random, states: tuple[str, ...], low: datetime, span_s: int) -> dict[str, object]:
    """Some of the ways to narrow a list, chosen by dice."""
    since = low + timedelta(seconds=dice.randrange(span_s))
    every: dict[str, object] = {
        "states": dice.sample(sorted(set(states)), dice.randrange(1, 4)),
        "agent": f"agent:{dice.randrange(4)}",
        "labels": dice.choice(TEAMS[1:]),
        "since": since,
        "until": since + timedelta(seconds=dice.randrange(1, span_s)),
    }
    return {name: value for name, value in every.items() if dice.randrange(3) == 0}


def fits(row: Row, sought: dict[str, object], labels: object, slot: object) -> bool:
    asked, since, until = sought.get("labels") or {}, sought.get("since"), sought.get("until")
    assert isinstance(asked, dict)
    assert isinstance(labels, dict)
    if (since or until) and not isinstance(slot, datetime):
        return False
    assert isinstance(slot, datetime | None)
    return (
        sought.get("agent") in (None, row["agent"])
        and asked.items() <= labels.items()
        and not (isinstance(since, datetime) and slot is not None and slot < since)
        and not (isinstance(until, datetime) and slot is not None and slot >= until)
    )


def test_pages_of_history_hold_exactly_what_is_asked_for(book: tuple[TenantLedger, Connection]) -> None:
    """Against a reading of the whole table: latest slot first, each row once, whatever a page's size."""
    acme, sql = book
    dice = random.Random(SEED)
    rows = (
        sql.cursor(row_factory=dict_row)
        .execute(
            """SELECT o.key, o.task, o.agent, o.state, o.due, d.canonical FROM ledger.occurrence o
                 JOIN ledger.definition d USING (tenant, digest)
                WHERE tenant = 'acme' AND state NOT IN ('pending', 'retired', 'ended')
                ORDER BY due DESC, key DESC"""
        )
        .fetchall()
    )
    asked = found = 0
    for _ in range(60):
        task = dice.choice([None, f"t{dice.randrange(TASKS):02}", "big"])
        sought = wish(dice, STATES, datetime.fromisoformat("2026-06-01T00:00:00Z"), 40 * 3600)
        states = sought.get("states")
        right = [
            row["key"]
            for row in rows
            if task in (None, row["task"])
            and (states is None or (isinstance(states, list) and row["state"] in states))
            and fits(row, sought, json.loads(row["canonical"]).get("labels", {}), row["due"])
        ]
        if len(right) > 3000:
            continue
        answer = pages(lambda task=task, **given: acme.history(task, **given), dice, **sought)
        assert [row.key for row in answer] == right, (task, sought)
        asked, found = asked + 1, found + len(right)
    print(f"seed {SEED}: {asked} questions, {found} rows")
    assert asked > 20
    assert found > 500


def test_pages_of_tasks_hold_exactly_what_is_asked_for(book: tuple[TenantLedger, Connection]) -> None:
    acme, sql = book
    dice = random.Random(SEED)
    rows = (
        sql.cursor(row_factory=dict_row)
        .execute(
            """SELECT t.task, t.agent, t.enabled, d.canonical, o.due FROM ledger.task t
                 JOIN ledger.definition d USING (tenant, digest)
                 LEFT JOIN ledger.occurrence o
                   ON o.tenant = t.tenant AND o.task = t.task AND o.state = 'pending'
                WHERE t.tenant = 'acme' ORDER BY t.task"""
        )
        .fetchall()
    )
    now = max(row["due"] for row in rows if row["due"]) - timedelta(hours=1)
    found = 0
    for _ in range(60):
        sought = wish(dice, ("enabled", "disabled", "running", "ended"), now, 2 * 3600)
        states = cast("list[str] | None", sought.get("states"))
        right = [
            row["task"]
            for row in rows
            if states is None or ("enabled" if row["enabled"] else "disabled") in states
            if fits(row, sought, json.loads(row["canonical"]).get("labels", {}), row["due"])
        ]
        answer = pages(acme.list, dice, **sought)
        assert [line.task for line in answer] == right, sought
        found += len(right)
    print(f"seed {SEED}: {found} tasks")
    assert found > 100


def touched(sql: Connection, name: str, **values: object) -> int:
    """The blocks that a statement touches, planned for any values, as the product prepares it."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", FILES[name])))
    sql.execute("SET plan_cache_mode = force_generic_plan")
    sql.execute(b"PREPARE asked AS " + numbered(FILES[name]).encode())
    try:
        places = ", ".join(["%s"] * len(names))
        ((told,),) = (
            psycopg.ClientCursor(sql)
            .execute(
                f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked({places})".encode(),
                [values.get(each) for each in names],
            )
            .fetchall()
        )
    finally:
        sql.execute("DEALLOCATE asked")
    return int(told[0]["Plan"]["Shared Hit Blocks"]) + int(told[0]["Plan"]["Shared Read Blocks"])


@pytest.mark.parametrize("back", [0, BIG // 2, BIG - 100])
def test_a_page_of_a_tasks_history_costs_a_page_however_long_and_far_back(
    book: tuple[TenantLedger, Connection], back: int
) -> None:
    _, sql = book
    due = datetime.fromisoformat("2026-06-01T00:00:00Z") + timedelta(minutes=BIG - back)
    page = {"tenant": "acme", "task": "big", "states": list(set(STATES)), "due": due, "key": UUID(int=0)}
    assert touched(sql, "read_task_history", **page, n=20) < 20 * 4 + BIG // 100 * 2
    assert touched(sql, "read_task_history", **page, since=due - timedelta(minutes=10), n=1000) < 60


def test_a_page_of_tasks_costs_a_page_wherever_it_begins(book: tuple[TenantLedger, Connection]) -> None:
    _, sql = book
    for name, agent in (("list_tasks", None), ("list_agent_tasks", "agent:1")):
        for beyond in ("", "w0700", "w1480"):
            assert touched(sql, name, tenant="wide", agent=agent, beyond=beyond, n=10) < 10 * 25


@pytest.mark.parametrize(
    ("sought", "said"),
    [
        ({"states": "enabled"}, "state: 'enabled' is none of "),
        ({"states": 7}, "state: 7 is none of "),
        ({"agent": "a b"}, "agent: "),
        ({"labels": {}}, "labels: an object is no object of 1 to 64 texts"),
        ({"labels": {"team": 1}}, "labels: "),
        ({"labels": {"team": "a\0"}}, "labels: "),
        ({"since": "yesterday"}, "since: "),
        ({"since": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "until: .* is not later than"),
    ],
)
def test_what_cannot_be_sought_is_said_before_anything_is_read(
    book: tuple[TenantLedger, Connection], sought: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        cast("Callable[..., object]", book[0].history)(**sought)
