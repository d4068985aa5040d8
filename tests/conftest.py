"""The run's Postgres and what every test may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

from ledger.server.cluster import Cluster
from tests.servers.databases import Databases
from tests.servers.private import private_server
from tests.servers.programs import NotAtHand

_VERSIONS = (15, 18)

pytest_plugins = ["pytester", "tests.nothing_silent"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg",
        type=int,
        default=int(os.environ.get("PG", "18")),
        help="the major version of Postgres that the tests run on (default: PG in the environment, else 18)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--pg") not in _VERSIONS:
        raise pytest.UsageError(f"PG={config.getoption('--pg')}: the tests run on {_VERSIONS}")
    # A machine with two busy cores is no reason to fail; a failing example is printed so that it can be kept.
    rounds = int(os.environ.get("LEDGER_EXAMPLES", "100"))
    hypothesis.settings.register_profile("run", deadline=None, print_blob=True, max_examples=rounds)
    hypothesis.settings.load_profile("run")


def pytest_report_header(config: pytest.Config) -> str:
    return f"Postgres {config.getoption('--pg')}, a private server, with fsync off"


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The private server of this run."""
    try:
        with private_server(request.config.getoption("--pg")) as cluster:
            yield cluster
    except NotAtHand as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def databases(postgres: Cluster) -> Databases:
    """For tests that need several databases, an empty one, or one by TCP."""
    return Databases(postgres)


@pytest.fixture
def dsn(databases: Databases) -> Iterator[str]:
    """A migrated, empty database of the test's own, as its superuser; dropped when the test ends."""
    name = databases.clone()
    yield databases.dsn(name)
    databases.drop(name)
