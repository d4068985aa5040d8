"""An agent that is gone: its slots are skipped for that, its tasks deleted, until somebody asks again."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from dispatcher import Registry, Run
from ledger.driver.connect import connect
from sweeper.passes import How, sweep
from sweeper.report import PassReport
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work
from tests.dispatcher.receiver import Receiver, answer
from tests.dispatcher.stands import hook, http

AGENT = "agent:7"
TICKING = replace(SETTINGS, tick_s=0.05)


def note_gone(book: Book, tenant: str = TENANT, agent: str = AGENT) -> None:
    book.sql("INSERT INTO ledger.gone_agent (tenant, agent, at) VALUES (%s, %s, now())", tenant, agent)


def swept(book: Book, tenant: str | None = None) -> PassReport:
    connection = connect(book.dsn)
    try:
        return sweep(connection, How(tenant=tenant))
    finally:
        connection.close()


def tasks(book: Book) -> list[tuple[object, ...]]:
    return book.sql("SELECT tenant, task FROM ledger.task ORDER BY 1, 2")


async def test_slots_of_an_agent_that_is_gone_are_skipped_and_no_others(
    book: Book, registry: Registry, receiver: Receiver
) -> None:
    ran: list[tuple[str, str]] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        ran.append((run.tenant, run.task))

    receiver.answers["/hook"] = answer(410)
    mine = book.ledger.tenant(TENANT)
    later = {"entrypoint": "job", "agent": AGENT, "schedule": {"every_s": 86_400}}
    skipped = [mine.define(task, later | {"payload": task}).key for task in ("other", "third")]
    async with at_work(book.dsn, registry, TICKING, deliveries=http()) as (_, ears):
        first = hook(book, receiver.url("/hook"), agent=AGENT)
        await ears.hear("run written", key=first)
        assert book.row(first, "state, reason") == ("failed", "agent_gone")
        asked = mine.run_now("other", "r1").key
        book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE key = ANY (%s)", skipped)
        fine = [book.due("another"), book.due("namesake", tenant="globex", agent=AGENT)]
        for key in fine:
            await ears.hear("run written", key=key)
        while {book.state(key) for key in (*skipped, asked)} != {"skipped"}:
            await ears.hear("looked", times=len(ears.all("looked")) + 1)
    reasons = [book.row(key, "reason, blocked_by, failures") for key in (*skipped, asked)]
    assert reasons == [("agent_gone", None, 0)] * 3
    assert sorted(ran) == [(TENANT, "another"), ("globex", "namesake")]
    # The series go on all the same (I4).
    assert [book.open_rows(task) for task in ("it", "other", "third")] == [1, 1, 1]


@pytest.mark.parametrize("way", ["define", "edit", "enable"])
async def test_whoever_asks_for_a_task_of_its_again_says_that_it_is_there(
    way: str, book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda run: run.task)
    note_gone(book)
    note_gone(book, agent="agent:8")
    mine = book.ledger.tenant(TENANT)
    task = {"entrypoint": "job", "agent": AGENT, "schedule": {"every_s": 3600}}
    note = "SELECT agent FROM ledger.gone_agent ORDER BY 1"
    mine.define("t", task)
    assert book.sql(note) == [("agent:8",)], "a new task of its"
    note_gone(book)
    mine.disable("t")
    assert book.sql(note) == [(AGENT,), ("agent:8",)], "who switches off asks for nothing"
    if way == "define":
        mine.define("t", task)
    elif way == "edit":
        mine.edit("t", {"name": "again"})
    else:
        mine.enable("t")
    assert book.sql(note) == [("agent:8",)]
    mine.enable("t")
    async with at_work(book.dsn, registry, TICKING) as (_, ears):
        key = mine.run_now("t", "r").key
        await ears.hear("run written", key=key)
    assert book.state(key) == "succeeded"


def test_the_sweep_deletes_what_is_left_of_it_by_an_act_in_its_own_name(book: Book) -> None:
    for tenant in (TENANT, "globex"):
        mine = book.ledger.tenant(tenant)
        for task, agent in (("a", AGENT), ("b", AGENT), ("c", "agent:8")):
            mine.define(task, {"entrypoint": task, "agent": agent, "schedule": {"every_s": 3600}})
        mine.hint("a", every=60, expires=3600)
    note_gone(book)
    report = swept(book)
    assert tasks(book) == [(TENANT, "c"), ("globex", "a"), ("globex", "b"), ("globex", "c")]
    said = f"tenant {TENANT!r}: the agent {AGENT!r} is gone: deleted 'a', 'b'"
    assert said in report.notes
    acts = book.sql("SELECT task, what, by, enabled, note FROM ledger.act WHERE what = 'delete' ORDER BY 1")
    assert acts == [(task, "delete", "sweep", False, f"the agent {AGENT!r} is gone") for task in "ab"]
    states = (
        "SELECT DISTINCT state, reason FROM ledger.occurrence WHERE tenant = %s AND task < 'c' ORDER BY 2"
    )
    assert set(book.sql(states, TENANT)) == {("retired", "delete"), ("retired", "hint given")}
    assert book.sql("SELECT tenant FROM ledger.hint") == [("globex",)]
    # That was no repair, and there is nothing more to do.
    assert {(one.tenant, one.word) for one in report.verdicts} == {(TENANT, "healthy"), ("globex", "healthy")}
    again = swept(book, TENANT)
    assert not any("gone" in line for line in again.notes)


def test_the_sweep_can_delete_no_other_task(book: Book) -> None:
    book.ledger.tenant(TENANT).define("a", {"entrypoint": "a", "schedule": {"every_s": 3600}})
    note_gone(book)
    with psycopg.connect(book.dsn) as connection:
        connection.execute("SET ROLE ledger_sweeper")
        assert connection.execute("DELETE FROM ledger.task").rowcount == 0
        assert connection.execute("DELETE FROM ledger.hint").rowcount == 0
    assert tasks(book) == [(TENANT, "a")]


def test_tasks_that_cannot_be_deleted_now_stop_no_pass(book: Book) -> None:
    book.ledger.tenant(TENANT).define("a", {"entrypoint": "a", "agent": AGENT, "schedule": {"every_s": 3600}})
    note_gone(book)
    with psycopg.connect(book.dsn) as holder:
        holder.execute("SELECT FROM ledger.task FOR UPDATE")
        connection = connect(book.dsn)
        quick = replace(How(), limits=replace(How().limits, lock_ms=100))
        report = sweep(connection, quick)
        connection.close()
    assert any(f"agent {AGENT!r}, which is gone, are left" in line for line in report.notes)
    swept(book)
    assert tasks(book) == []
