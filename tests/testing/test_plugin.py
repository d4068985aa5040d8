"""The plugin as a user has it: the example, run by a pytest of its own on a server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

CHECKOUT = Path(__file__).resolve().parents[2]


def databases(dsn: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT datname FROM pg_database ORDER BY datname").fetchall()


def run(*arguments: str, tmp: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in the checkout, with nothing of this run's: no server, no database, no settings."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("LEDGER_", "PYTEST"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=CHECKOUT,
        env=environment | {"TMPDIR": str(tmp)} | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_example_passes_and_leaves_nothing_behind() -> None:
    # Short, since the path of a socket is; and open, since root's server is another account's.
    with tempfile.TemporaryDirectory(prefix="lt-") as folder:
        tmp = Path(folder)
        tmp.chmod(0o755)
        done = run("examples/own_tests", tmp=tmp)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "3 passed" in done.stdout
        assert [path.name for path in tmp.glob("ledger-testing-*")] == []


def test_a_server_of_the_users_own(dsn: str, tmp_path: Path) -> None:
    """Overriding one fixture is enough; what was made there is gone afterwards."""
    (tmp_path / "conftest.py").write_text(
        "import pytest\n"
        "pytest_plugins = ['ledger.testing']\n"
        "@pytest.fixture(scope='session')\n"
        f"def ledger_server():\n    return {dsn!r}\n"
    )
    (tmp_path / "test_it.py").write_text(
        "def test_it(scheduler):\n"
        "    @scheduler.registry.handler('x')\n"
        "    def x(run): return run.task\n"
        "    scheduler.tenant('a').define('t', {'entrypoint': 'x', 'schedule': {'every_s': '1h'}})\n"
        "    assert [one.result for one in scheduler.fire('a', 't', slots=2)] == ['t', 't']\n"
        "def test_apart(scheduler):\n"
        "    assert scheduler.tenant('a').list().rows == []\n"
    )
    before = databases(dsn)
    done = run(str(tmp_path), "--rootdir", str(tmp_path), "-c", os.devnull, tmp=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert databases(dsn) == before
