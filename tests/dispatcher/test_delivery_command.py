"""Commands: what a program is given, what of it is kept, and that nothing of it is left."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from dispatcher import Registry, Run
from dispatcher.deliveries.command import Command
from ledger.errors import BadInput
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work


def program(folder: Path, script: str, name: str = "program") -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


async def outcome(
    book: Book, allowed: str, arguments: list[str] | None = None, **members: object
) -> tuple[object, ...]:
    """Run that program once; state, result, error, and the row's own times."""
    async with at_work(book.dsn, None, deliveries={"command": Command([allowed])}) as (_, ears):
        key = book.due("it", allowed, delivery="command", arguments=arguments, **members)
        await ears.hear("run written", key=key)
    assert book.open_rows("it") == 1
    return book.row(key, "state, result, error, key, due, started")


async def test_a_program_is_given_arguments_payload_and_facts_and_nothing_else(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_DSN", book.dsn)
    monkeypatch.setenv("PASSWORD", "secret")
    out = tmp_path / "out"
    script = f'env > {out}.env; cat > {out}.in; for a; do printf "%s\\n" "$a"; done > {out}.args'
    arguments = ["two words", "$(touch shell)", "; touch shell", "*", ""]
    state, result, error, key, due, started = await outcome(
        book, program(tmp_path, script), arguments, payload={"n": ["é", None]}
    )
    assert (state, result, error) == ("succeeded", None, None)
    assert (tmp_path / "out.args").read_text().split("\n")[:-1] == arguments
    assert json.loads((tmp_path / "out.in").read_text()) == {"n": ["é", None]}
    environment = dict(line.split("=", 1) for line in (tmp_path / "out.env").read_text().splitlines())
    # What a shell adds of its own.
    for name in ("PWD", "OLDPWD", "SHLVL", "_"):
        environment.pop(name, None)
    assert due is not None
    deadline = environment.pop("LEDGER_DEADLINE")
    assert deadline > environment["LEDGER_STARTED"]
    assert environment == {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "LEDGER_TENANT": TENANT,
        "LEDGER_TASK": "it",
        "LEDGER_KEY": str(key),
        "LEDGER_SLOT": due.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),  # type: ignore[attr-defined]  # a datetime
        "LEDGER_STARTED": started.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),  # type: ignore[attr-defined]  # as above
        "LEDGER_LATENESS": str((started - due).total_seconds()),  # type: ignore[operator]  # as above
        "LEDGER_ATTEMPT": "1",
        "LEDGER_WAKE": "schedule",
    }
    assert not (tmp_path / "shell").exists()
    assert not Path("shell").exists()


@pytest.mark.parametrize(
    ("script", "ends", "error"),
    [
        ("echo plain words", ("succeeded", '"plain words\\n"'), None),
        ("echo '[1, 2]'", ("succeeded", "[1, 2]"), None),
        ("echo NaN", ("succeeded", '"NaN\\n"'), None),
        ("true", ("succeeded", None), None),
        ("echo out; exit 7", ("failed", None), "exit code 7: 'out\\n'"),
        ("echo why >&2; exit 1", ("failed", None), "exit code 1: why"),
        ("exit 9", ("failed", None), "exit code 9"),
        ("kill -TERM $$", ("failed", None), "ended by SIGTERM"),
        # The end of what it said is kept, which is where the reason stands.
        ("head -c 100000 /dev/zero | tr '\\0' x >&2; echo why >&2; exit 1", ("failed", None), "xwhy"),
        # What it left behind holds its output open, and ends with it.
        ("echo done; sleep 1000 & exit 0", ("succeeded", '"done\\n"'), None),
    ],
)
async def test_its_exit_code_is_the_outcome(
    script: str, ends: tuple[str, str | None], error: str | None, book: Book, tmp_path: Path
) -> None:
    found = await outcome(book, program(tmp_path, script))
    assert found[:2] == ends
    if error is None:
        assert found[2] is None
    else:
        assert str(found[2]).endswith(error)
        assert len(str(found[2])) < 10_000


async def test_endless_output_is_kept_to_a_bound_and_blocks_nobody(book: Book, tmp_path: Path) -> None:
    state, result, *_ = await outcome(book, program(tmp_path, "head -c 30000000 /dev/zero | tr '\\0' x"))
    assert state == "succeeded"
    assert len(str(result)) <= 65_536
    assert str(result).endswith("… (cut)")


async def test_a_payload_that_nobody_reads_is_no_failure(book: Book, tmp_path: Path) -> None:
    state, *_ = await outcome(book, program(tmp_path, "exit 0"), payload="x" * 60_000)
    assert state == "succeeded"


async def test_a_program_that_will_not_end_is_killed_with_all_it_started(book: Book, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = f"trap '' TERM; exec 3>{pipe}; echo began >&3; while :; do sleep 1000; done"
    kinds = {"command": Command([program(tmp_path, script)])}
    async with at_work(book.dsn, None, deliveries=kinds) as (_, ears):
        key = book.due("it", str(tmp_path / "program"), delivery="command", timeout_s=1)
        with await asyncio.to_thread(pipe.open) as reading:
            # To the end of the pipe: nobody is left who holds it.
            assert await asyncio.to_thread(reading.read) == "began\n"
        await ears.hear("run written", key=key, state="timed_out")


async def test_no_more_are_claimed_than_there_are_turns(book: Book, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    kinds = {"command": Command([program(tmp_path, f"cat {gate}")])}
    for task in ("a", "b"):
        book.due(task, str(tmp_path / "program"), delivery="command", payload=task)
    async with at_work(book.dsn, None, replace(SETTINGS, threads=1), deliveries=kinds) as (_, ears):
        await ears.hear("run handed over")
        assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'running'") == 1
        for n in (1, 2):
            await asyncio.to_thread(gate.write_text, "let through")
            await ears.hear("run written", times=n, state="succeeded")


async def test_what_got_no_turn_is_handed_back_when_the_process_stops(
    book: Book, registry: Registry, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    kinds = {"command": Command([program(tmp_path, f"cat {gate}")])}

    @registry.handler("other")
    async def other(_: Run) -> None:
        """What runs on the loop lets more be claimed than there are turns."""

    settings = replace(SETTINGS, threads=1)
    async with at_work(book.dsn, registry, settings, deliveries=kinds) as (dispatcher, ears):
        first = book.due("a", str(tmp_path / "program"), delivery="command", payload="a")
        await ears.hear("run handed over", key=first)
        second = book.due("b", str(tmp_path / "program"), delivery="command", payload="b")
        await ears.hear("looked", started=1, times=2)
        dispatcher.stop()
        await ears.hear("stopping", running=1, handed_back=1)
        await asyncio.to_thread(gate.write_text, "let through")
        await ears.hear("run written", key=first)
    assert book.row(second, "state, reason, handed") == ("cancelled", "unhanded", None)
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE wake = 'retry:1'") == 1


def test_what_is_no_program_is_not_allowed() -> None:
    with pytest.raises(BadInput, match="no such program"):
        Command(["no-such-program"])


async def test_a_program_that_cannot_be_started_fails_its_run(book: Book, tmp_path: Path) -> None:
    allowed = program(tmp_path, "true")
    kinds = {"command": Command([allowed])}
    Path(allowed).write_text("no program")
    Path(allowed).chmod(0o755)
    async with at_work(book.dsn, None, deliveries=kinds) as (_, ears):
        key = book.due("it", allowed, delivery="command")
        await ears.hear("run written", key=key)
    state, error = book.row(key, "state, error")
    assert state == "failed"
    assert "could not be started" in str(error)
