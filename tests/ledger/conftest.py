"""Folders for the tests of the embedded server."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.private import guarded
from tests.servers.programs import programs


@pytest.fixture(scope="session")
def embedded() -> Iterator[Path]:
    """The embedded programs, where every account may run them."""
    folder = open_folder()
    yield programs(18, folder)
    shutil.rmtree(folder)


@pytest.fixture
def home(embedded: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder of the test's own, not yet made; what runs in it ends with the test."""
    above = open_folder()
    chosen = above / "ledger data"
    monkeypatch.setenv("LEDGER_DATA", str(chosen))
    with guarded(embedded, chosen):
        yield chosen
    shutil.rmtree(above)


def open_folder() -> Path:
    # pytest's own folders are closed to all but their owner, and root's server is another account's.
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    folder.chmod(0o755)
    return folder
