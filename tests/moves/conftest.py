"""A stage for each test module: one database, emptied by whoever uses it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from _pytest.capture import CaptureManager

from tests.moves.stage import Stage
from tests.moves.telling import NOON
from tests.servers.databases import Databases

Aloud = Callable[[str], None]


@pytest.fixture(scope="session")
def aloud(request: pytest.FixtureRequest) -> Aloud:
    """Says something on the terminal though the test passes: seeds, and how much was done.

    By the way of errors, which is the terminal's also where tests run in several processes.
    """
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert isinstance(capture, CaptureManager)

    def say(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{text}", file=sys.stderr)

    return say


@pytest.fixture(scope="module")
def theatre(databases: Databases) -> Iterator[Stage]:
    name = databases.clone()
    stage = Stage(databases.dsn(name), name)
    yield stage
    stage.close()
    databases.drop(name)


@pytest.fixture
def stage(theatre: Stage) -> Stage:
    theatre.clear()
    return theatre


@pytest.fixture
def start(stage: Stage) -> Iterator[int]:
    """The last number given before the test: those of all tests are of one row."""
    stage.at(NOON)
    stage.ask("DELETE FROM ledger.subscriber")
    stage.ask("DELETE FROM ledger.event_gone")
    ((last,),) = stage.ask("SELECT last FROM ledger.event_count")
    assert isinstance(last, int)
    yield last
    stage.ask("DELETE FROM ledger.subscriber")
