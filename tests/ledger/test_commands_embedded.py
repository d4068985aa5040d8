"""Without LEDGER_DSN a command starts the embedded server, says so, and brings it to the schema."""

from __future__ import annotations

from pathlib import Path

from ledger import server
from tests.commanding import Shell


def test_a_first_command_needs_nothing_at_hand(home: Path) -> None:
    shell = Shell(None)
    first = shell("task", "add", "a", "--every", "1h", "--entrypoint", "x")
    assert first.code == 0
    assert first.out.startswith("a: defined; next ")
    said = first.err.splitlines()
    assert all(line.startswith("ledger: ") for line in said)
    assert any("starting the embedded Postgres" in line for line in said)
    assert server.status().running
    # It keeps running, so the next command has nothing to say.
    assert "a " in shell.does("task", "list").out
    assert shell.does("migrate").out == "nothing to apply: the schema is this release's\n"
