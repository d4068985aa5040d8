"""`ledger run` as a real process: told to stop, killed, without a database, and of another release."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast
from uuid import UUID

import pytest

from dispatcher import Registry, Run
from dispatcher.loop import Settings
from ledger.driver.migrate import migrate
from ledger.server.starting import start, stop
from tests.commanding import Shell
from tests.dispatcher.desk import PATIENCE_S, Book, at_work
from tests.dispatcher.program import Stage
from tests.servers.private import private_server
from tests.servers.programs import NotAtHand


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def started(n: int) -> Callable[[str], bool]:
    """Whether claims have started so many runs, by the lines that say it."""
    sofar = 0

    def enough(line: str) -> bool:
        nonlocal sofar
        if found := re.search(r" looked .*started=(\d+)", line):
            sofar += int(found[1])
        return sofar >= n

    return enough


def test_sigterm_claims_no_more_hands_back_what_never_began_and_waits_for_what_runs(
    book: Book, stage: Stage
) -> None:
    keys = {book.due(task, "gated") for task in ("a", "b", "c")}
    # One thread: of three claimed runs one begins, two wait for it.
    with stage.running(book.dsn, "--threads", "1") as program:
        program.hear_until(started(3), "three starts")
        program.tell(signal.SIGTERM)
        line = program.hear("stopping")
        assert "running=1" in line
        assert "handed_back=2" in line
        # It waits for what runs: only now can that end.
        stage.open_gate()
        assert program.end() == 0
    ((task, attempt, began),) = stage.notes
    assert attempt == "1"
    (key,) = {key for key in keys if str(key) == began}
    assert book.row(key, "state, result") == ("succeeded", '"let through"')
    for back in keys - {key}:
        assert book.row(back, "state, reason, handed") == ("cancelled", "unhanded", None)
    retries = book.sql(
        "SELECT task, state, run_at <= now() FROM ledger.occurrence WHERE wake = 'retry:1' ORDER BY task"
    )
    # Due at once, and not claimed any more.
    assert retries == [(other, "pending", True) for other in ("a", "b", "c") if other != task]
    assert len(stage.notes) == 1
    assert book.one("SELECT state FROM ledger.dispatcher") == "stopped"
    assert book.one("SELECT ended IS NOT NULL FROM ledger.incarnation") is True


@pytest.mark.parametrize("on_thread", [True, False])
async def test_after_the_grace_handlers_are_told_to_stop(
    on_thread: bool, book: Book, registry: Registry
) -> None:
    def plain(run: Run) -> str | None:
        run.cancelled.wait(PATIENCE_S)
        return run.cancelled.reason

    async def coroutine(run: Run) -> None:
        await asyncio.Event().wait()

    registry.handler("job")(plain if on_thread else coroutine)
    async with at_work(book.dsn, registry, Settings(grace_s=0)) as (_, ears):
        key = book.due("a")
        await ears.hear("run handed over")
    state, result, error = book.row(key, "state, result, error")
    why = "the process stops, and its grace of 0 s is over"
    expected = ("succeeded", f'"{why}"', None) if on_thread else ("failed", None, f"interrupted: {why}")
    assert (state, result, error) == expected


async def test_a_handler_that_does_not_stop_is_left_to_others(
    book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dispatcher.loop.LAST_S", 0.2)
    gate = threading.Event()
    registry.handler("job")(lambda _: gate.wait(PATIENCE_S))
    async with at_work(book.dsn, registry, Settings(grace_s=0)) as (_, ears):
        key = book.due("a")
        await ears.hear("run handed over")
    assert ears.all("handlers still run", running=1)
    assert book.state(key) == "running"
    # Its incarnation has not ended: others find that its process is gone.
    assert book.sql("SELECT ended FROM ledger.incarnation") == [(None,)]
    gate.set()


def test_a_second_signal_ends_it_at_once(book: Book, stage: Stage) -> None:
    key = book.due("a", "gated")
    with stage.running(book.dsn) as program:
        program.hear("run handed over")
        program.tell(signal.SIGTERM)
        program.hear("stopping")
        program.tell(signal.SIGINT)
        program.hear("ledger: told twice to stop")
        assert program.end() == 128 + signal.SIGINT
    assert book.state(key) == "running"


async def test_a_killed_process_is_seen_absent_twice_then_its_run_is_lost_and_retried(
    book: Book, stage: Stage, registry: Registry
) -> None:
    again: list[Run] = []
    registry.handler("gated")(again.append)
    key = book.due("a", "gated", retry={"attempts": 1, "backoff_s": 0, "on": ["lost"]})
    with stage.running(book.dsn) as program:
        program.hear("run handed over")
        (dead,) = cast("tuple[int]", book.row(key, "incarnation"))
        async with at_work(book.dsn, registry, Settings(period_s=0.1, tick_s=0.1)) as (_, ears):
            # While it is there nothing is said of it, however often somebody looks.
            await ears.hear("looked for absent processes", times=4)
            assert not ears.all("process gone")
            assert book.state(key) == "running"
            program.tell(signal.SIGKILL)
            program.end()
            await ears.hear("process gone", absent=dead, runs=1)
            await ears.hear("run written", task="a", attempt=2)
            looks = ears.all("looked for absent processes")
    assert sum(cast("int", look["first_seen"]) for look in looks) == 1
    first = next(n for n, look in enumerate(looks) if look["first_seen"])
    assert next((n for n, look in enumerate(looks) if look["gone"]), 0) > first
    assert book.row(key, "state, reason") == ("lost", None)
    ((seen, confirmed),) = book.sql(
        "SELECT closed - absent_since >= interval '0.1 s', ended IS NOT NULL"
        "  FROM ledger.incarnation i JOIN ledger.occurrence o ON o.incarnation = i.id WHERE o.key = %s",
        key,
    )
    assert (seen, confirmed) == (True, True)
    ((run, attempt),) = [(run.key, run.attempt) for run in again]
    assert attempt == 2
    assert book.row(cast("UUID", run), "wake, state, predecessor") == ("retry:1", "succeeded", key)
    assert [note[0] for note in stage.notes] == ["a"]
    assert book.open_rows("a") == 1


def test_of_another_release_it_starts_nothing_says_so_and_waits(book: Book, stage: Stage) -> None:
    ((zones,),) = book.sql("SELECT tzdata FROM ledger.settings")
    key = book.due("a")
    book.sql("UPDATE ledger.settings SET tzdata = '1999z'")
    with stage.running(book.dsn) as program:
        line = program.hear("state=blocked")
        assert "tzdata" in line
        assert "1999z in force" in line
        assert book.state(key) == "pending"
        book.sql("UPDATE ledger.settings SET tzdata = %s", zones)
        program.hear("state=active")
        program.hear("run written", str(key))
        program.tell(signal.SIGTERM)
        assert program.end() == 0
    assert book.state(key) == "succeeded"


def test_a_tick_of_another_release_starts_nothing_and_exits_3(
    book: Book, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = book.due("a")
    book.sql("UPDATE ledger.settings SET key_version = 99")
    monkeypatch.chdir(stage.folder)
    monkeypatch.syspath_prepend(str(stage.folder))
    said = Shell(book.dsn).refuses("tick", "--app", "jobs:registry", code=3)
    assert "key_version" in said
    assert "it starts nothing" in said
    assert book.state(key) == "pending"


def test_a_database_that_is_down_is_waited_for_and_that_is_said(
    request: pytest.FixtureRequest, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stage.folder)
    monkeypatch.syspath_prepend(str(stage.folder))
    try:
        with private_server(request.config.getoption("--pg")) as cluster:
            there = cluster.running()
            assert there is not None
            dsn = cluster.dsn(there.port, "postgres")
            migrate(dsn)
            stop(cluster)
            said = Shell(dsn).refuses("tick", "--app", "jobs:registry", code=3)
            assert said.startswith("the database cannot be reached: ")
            with stage.running(dsn) as program:
                assert "cannot be reached" in program.hear("state=blocked")
                start(cluster)
                program.hear("state=active")
                book = Book(dsn)
                key = book.due("a")
                program.hear("run written", str(key))
                # It goes away while it is at work.
                book.close()
                stop(cluster)
                program.hear("presence lost")
                program.hear("state=blocked")
                start(cluster)
                program.hear("registered")
                program.hear("state=active")
                book = Book(dsn)
                again = book.due("b")
                program.hear("run written", str(again))
                program.tell(signal.SIGTERM)
                assert program.end() == 0
                assert book.state(again) == "succeeded"
                book.close()
    except NotAtHand as error:
        pytest.skip(str(error))
    assert [note[0] for note in stage.notes] == ["a", "b"]
