"""A stage for each test module: one database, emptied by whoever uses it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.moves.stage import Stage
from tests.servers.databases import Databases


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
