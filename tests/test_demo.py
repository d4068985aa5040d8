"""`ledger demo` as a newcomer runs it: a process on a server of its own; and how it fails when broken."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from tests.ledger.conftest import open_folder
from tests.servers.private import guarded
from tests.servers.programs import programs

# From so many seconds on a dispatcher is killed, too.
WHOLE, SHORT = "15", "6"


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A data folder for the demos of this file; its server ends with them."""
    above = open_folder()
    with guarded(programs(18, above), above / "data"):
        yield above / "data"
    shutil.rmtree(above)


@pytest.fixture
def environment(data: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("LEDGER_DSN", "DEMO_BREAK")}
    return kept | {"LEDGER_DATA": str(data)}


def run(environment: dict[str, str], *arguments: str, code: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ledger", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code != 2 else done.stderr


def test_all_is_shown_judged_and_left_to_look_at(environment: dict[str, str], data: Path) -> None:
    shown = run(environment, "demo", "--seconds", WHOLE, code=0)
    assert all(line.isprintable() for line in shown.splitlines()), "control characters, and no terminal"
    for title in range(1, 10):
        assert f"\n{title}. " in shown
    found = re.search(r"(\d+) slots and 1 request: (\d+) done at the first try, (\d+) on a retry", shown)
    assert found is not None
    slots, first, retried = map(int, found.groups())
    assert slots + 1 == first + retried
    assert retried >= 4, "the flaky task's slots, and the run whose process was killed"
    assert "0 missing, double or extra" in shown
    deleted = re.search(r"deleted behind its back:\n +key ([0-9a-f-]{36}); now nothing", shown)
    assert deleted is not None
    assert f"repaired: {deleted[1]} again" in shown
    assert re.search(rf"\| key +{deleted[1]}\n", shown), "it is explained at the end"
    assert "made by      sweep" in shown
    assert re.search(r"repaired 1 \(missing 1\)", shown)
    assert len(re.findall(r"^  \w+ +healthy: .*drill passed, in [\d.]+ ms", shown, re.MULTILINE)) == 3
    assert re.search(r"kill -9 \d+ while it runs initech/render", shown)
    assert "initech/render retry:1" in shown

    # The database is still there, and agrees; slots are counted here once more, by their distance.
    dsn = re.search(r"export LEDGER_DSN='([^']+)'", shown)
    assert dsn is not None
    with psycopg.connect(dsn[1]) as connection:
        rows = connection.execute(
            "SELECT due FROM ledger.occurrence WHERE task = 'pulse' AND state = 'succeeded' ORDER BY due"
        ).fetchall()
        lost = connection.execute("SELECT task FROM ledger.occurrence WHERE state = 'lost'").fetchall()
    assert len(rows) >= int(WHOLE) // 2
    assert {after[0] - before[0] for before, after in pairwise(rows)} == {timedelta(seconds=2)}
    assert lost == [("render",)]
    lines = [json.loads(line) for line in (data / "demo" / "handlers.jsonl").read_text().splitlines()]
    assert len({line[2] for line in lines}) == len(lines) >= slots + retried + 1
    assert json.loads(run(environment, "db", "status", "--json", code=0))["running"] is True


def test_a_projection_that_fails_is_seen_and_said(environment: dict[str, str]) -> None:
    """I4: each start's successor is swallowed as its transaction commits; nothing may look well."""
    shown = run(environment | {"DEMO_BREAK": "projection"}, "demo", "--seconds", SHORT, code=1)
    faults = shown[shown.index("The demo has failed") :].splitlines()[1:]
    assert "  missing: initech/invoice has no open row: its last start left no successor" in faults
    assert any(
        re.match(r"  missing: acme/pulse [\d:]{8} had no row until a sweep made it", fault)
        for fault in faults
    )
    assert not any(word in fault for fault in faults for word in ("double", "extra", "unclean"))


def test_a_repair_that_fails_is_seen_and_said(environment: dict[str, str]) -> None:
    """I13: whatever the sweep inserts is swallowed: the deleted row stays away, and drills fail."""
    shown = run(environment | {"DEMO_BREAK": "repair"}, "demo", "--seconds", SHORT, code=1)
    faults = shown[shown.index("The demo has failed") :]
    assert re.search(r"unrepaired: initech/invoice: [0-9a-f-]{36} was deleted, .* nothing is open", faults)
    assert re.search(r"missing: initech/invoice [\d:]{8} has no row, so it never ran", faults)
    assert "unrepaired: the last sweep is not green (exit code 1)" in faults
    assert "unclean" not in faults


def test_what_cannot_be_broken_is_refused(environment: dict[str, str]) -> None:
    assert "projection or repair" in run(environment | {"DEMO_BREAK": "clock"}, "demo", code=2)


def test_two_demos_do_not_play_at_once(environment: dict[str, str], data: Path) -> None:
    run(environment, "db", "start", code=0)
    (data / "demo").mkdir(exist_ok=True)
    with (data / "demo" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another demo" in run(environment, "demo", code=2)


def test_a_demo_that_is_ended_takes_its_dispatchers_with_it(environment: dict[str, str], data: Path) -> None:
    command = [sys.executable, "-m", "ledger", "demo"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as demo:
        assert demo.stdout is not None
        started = 0
        for line in demo.stdout:
            started += "takes work" in line
            if line.startswith("4. "):
                break
        demo.send_signal(signal.SIGTERM)
        demo.stdout.read()
    assert (started, demo.returncode) == (2, 1)
    # The dispatchers hold the lock for as long as they live.
    with (data / "demo" / "lock").open("r") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
