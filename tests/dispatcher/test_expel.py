"""A process that hangs is not dead until a person says so; then its runs are lost, and it starts no more."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from dispatcher import Dispatcher, Registry
from dispatcher.line import SCOPE
from ledger import AsyncLedger, BadInput, NotFound
from ledger.cli import main
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.errors import PresenceExpelled
from ledger.moves.presence import judge, register, take_over
from tests.dispatcher.desk import SETTINGS, Book, Ears, at_work
from tests.dispatcher.program import Stage
from tests.dispatcher.test_absence import PERIOD, seen
from tests.dispatcher.test_presence import Witness, end_session

QUICK = replace(SETTINGS, period_s=0.2, tick_s=0.1)
WHY = "hangs since nine"


def command(book: Book, *arguments: str) -> tuple[int, str, str]:
    """`ledger expel` with these; exit code, what it printed, what it complained of."""
    done = CliRunner().invoke(main, ["expel", *arguments, "--dsn", book.dsn])
    return done.exit_code, done.stdout, done.stderr


async def test_a_process_that_finds_itself_expelled_tells_its_handlers_and_starts_nothing_more(
    book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    ears = Ears()
    # Nothing is due and nobody is absent: it learns of it by its own look.
    dispatcher = Dispatcher(book.dsn, registry, replace(SETTINGS, look_s=0.05), listener=ears)
    working = asyncio.create_task(dispatcher.run())
    key = book.due("t", "held", retry={"attempts": 1, "on": ["lost"], "backoff_s": 0})
    await ears.hear("run handed over", key=key)
    said = book.ledger.expel(1, why=WHY, by="alice")
    assert (said.id, said.by, said.why, said.runs) == (1, "alice", WHY, 1)
    with pytest.raises(PresenceExpelled, match=f"expelled by alice: {WHY}"):
        await asyncio.wait_for(working, 20)
    assert f"expelled by alice: {WHY}" in str(witness.runs["t"].cancelled.reason)
    # Its own word is not the end of its runs: others say so, and mint what its author asked for.
    assert book.state(key) == "running"
    late = book.due("late", "held")
    witness.gate.set()
    async with at_work(book.dsn, registry, QUICK) as (_, other):
        gone = await other.hear("process gone", absent=1)
        assert gone["why"] == f"expelled by alice: {WHY}"
        await other.hear("run written", key=late)
        await other.hear("run written", task="t", attempt=2)
    state, error, by = book.row(key, "state, error, closed_by")
    assert (state, by) == ("lost", "incarnation 2")
    assert error == f"incarnation 1, which ran it, was expelled by alice: {WHY}"
    kept = "SELECT expelled_by, expelled_why, ended IS NOT NULL FROM ledger.incarnation WHERE id = 1"
    assert book.sql(kept) == [("alice", WHY, True)]
    assert book.one("SELECT state || ' ' || why FROM ledger.dispatcher WHERE incarnation = 1") == (
        f"stopped this process was expelled by alice: {WHY}; look why, then start it anew"
    )


async def test_of_an_expelled_process_nothing_has_to_be_seen_twice(
    book: Book, registry: Registry, tmp_path: Path
) -> None:
    """A stopped process holds its lock, and is not dead; awake, it ends, and its run stays lost."""
    key = book.due("a", "gated", retry={"attempts": 1, "on": ["lost"], "backoff_s": 0})
    registry.handler("gated")(lambda run: run.attempt)
    stage = Stage(tmp_path)
    with stage.running(book.dsn) as program:
        await asyncio.to_thread(program.hear, "run handed over")
        program.tell(signal.SIGSTOP)
        async with at_work(book.dsn, registry, QUICK) as (_, ears):
            await ears.hear("looked for absent processes", times=4)
            assert book.state(key) == "running"
            code, said, _ = command(book, "1", "--why", WHY)
            assert (code, "1 of its runs still run" in said) == (0, True)
            await ears.hear("process gone", absent=1)
            await ears.hear("run written", task="a", attempt=2)
            program.tell(signal.SIGCONT)
            assert await asyncio.to_thread(program.end) == 1
    assert book.state(key) == "lost"


def test_an_expelled_life_keeps_its_runs_from_its_next_one(book: Book) -> None:
    with connect(book.dsn) as machine:
        old, new = run(machine, register("s", "h"), SCOPE), run(machine, register("s", "h"), SCOPE)
        key = book.due("t")
        book.sql(
            "UPDATE ledger.occurrence SET state = 'running', started = now(), incarnation = %s,"
            " deadline = now() + interval '1 hour' WHERE key = %s",
            old,
            key,
        )
        book.ledger.expel(old, why=WHY)
        assert run(machine, take_over("acme", old, new, [key]), SCOPE) == []


async def test_a_process_that_is_expelled_while_its_session_is_lost_does_not_come_back(
    book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    ears = Ears()
    working = asyncio.create_task(
        Dispatcher(book.dsn, registry, replace(SETTINGS, tick_s=0.1), listener=ears).run()
    )
    key = book.due("t", "held")
    await ears.hear("run handed over", key=key)
    book.sql("REVOKE INSERT ON ledger.incarnation FROM ledger_dispatcher")
    end_session(book)
    await ears.hear("state", state="blocked")
    book.ledger.expel(1, why=WHY)
    book.sql("GRANT INSERT ON ledger.incarnation TO ledger_dispatcher")
    with pytest.raises(PresenceExpelled, match=f"was expelled by api: {WHY}"):
        await asyncio.wait_for(working, 20)
    assert witness.runs["t"].cancelled.is_set()
    assert book.row(key, "state, incarnation") == ("running", 1)


def test_who_is_expelled_is_gone_at_once_and_no_part_of_a_crowd() -> None:
    out = seen(1, present=True)._replace(expelled="expelled by alice: x")
    absent = [seen(n, present=False, absent_s=15) for n in (2, 3)]
    there = [seen(n, present=True) for n in (4, 5)]
    found = judge([out, *absent, *there], 4, PERIOD)
    assert ([one.id for one in found.gone], found.deferred) == ([1, 2, 3], [])
    # Whoever is expelled judges nobody.
    found = judge([out, *absent], 1, PERIOD)
    assert (found.gone, found.expelled) == ([], "expelled by alice: x")


async def test_the_first_word_stays_and_what_cannot_be_expelled_is_refused(book: Book) -> None:
    with connect(book.dsn) as machine:
        life = run(machine, register("slot", "host"), SCOPE)
    book.ledger.expel(life, why=WHY, by="alice")
    async with AsyncLedger(book.dsn) as ledger:
        again = await ledger.expel(life, why="another", by="bob")
    assert (again.by, again.why, again.runs) == ("alice", WHY, 0)
    assert json.loads(command(book, str(life), "--why", "x", "--json")[1])["by"] == "alice"
    with pytest.raises(NotFound, match="none of that number"):
        book.ledger.expel(life + 1, why=WHY)
    assert command(book, "77", "--why", WHY)[0] == 2
    assert command(book, str(life))[0] == 2
    for why in ("", "a\nb", "x" * 1001):
        with pytest.raises(BadInput, match="why: "):
            book.ledger.expel(life, why=why)
    with pytest.raises(BadInput, match="incarnation: "):
        book.ledger.expel(0, why=WHY)
