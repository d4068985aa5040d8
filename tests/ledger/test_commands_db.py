"""`ledger db start|stop|status`, as text and as JSON."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from ledger import server
from ledger.commands_db import db
from ledger.server.account import server_account


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(db, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def test_start_status_stop_as_json(home: Path) -> None:
    stopped = json.loads(run("status", "--json").stdout)
    assert (stopped["running"], stopped["dsn"], stopped["home"]) == (False, None, str(home))
    started = json.loads(run("start", "--json").stdout)
    assert started == json.loads(run("status", "--json").stdout) == json.loads(run("start", "--json").stdout)
    assert started["running"] is True
    for name in ("dsn", "tcp_dsn"):
        with psycopg.connect(started[name]) as connection:
            assert connection.info.dbname == "ledger"
    assert json.loads(run("stop", "--json").stdout)["running"] is False
    assert json.loads(run("status", "--json").stdout)["running"] is False


def test_start_status_stop_as_text(home: Path) -> None:
    assert "no server runs" in run("status").stdout
    started = run("start")
    assert str(server.status().dsn) in started.stdout
    assert "starting" in started.stderr
    assert "starting" not in started.stdout
    assert run("status").stdout == started.stdout
    assert f"the data stay in {home}" in run("stop").stdout
    assert "nothing to stop" in run("stop").stdout


def test_where_the_data_stand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """LEDGER_DATA, else root's folder, else the user's data folder; a relative XDG_DATA_HOME is ignored."""
    monkeypatch.delenv("LEDGER_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    root = os.geteuid() == 0
    system = Path("/var/lib/occurrence-ledger")
    usual = tmp_path / ".local" / "share" / "occurrence-ledger"
    for given, expected in {
        "": usual,
        "relative": usual,
        str(tmp_path / "x"): tmp_path / "x/occurrence-ledger",
    }.items():
        monkeypatch.setenv("XDG_DATA_HOME", given)
        assert server.status().home == (system if root else expected)
    monkeypatch.setenv("LEDGER_DATA", "~/here")
    assert server.status().home == tmp_path / "here"


def test_roots_server_has_an_account_without_home_or_shell() -> None:
    account = server_account()
    if os.geteuid() != 0:
        assert account is None, "an ordinary user's server is their own"
    else:
        assert account is not None
        entry = pwd.getpwuid(account.uid)
        assert (entry.pw_name, entry.pw_dir) == ("occurrence-ledger", "/nonexistent")
        assert Path(entry.pw_shell).name == "nologin"
