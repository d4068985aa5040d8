"""The pytest fixtures: a server for the session, a database for each test, and the scheduler on it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from dispatcher.registry import Registry
from ledger.driver.databases import create_database, drop_database, on_database
from ledger.driver.migrate import migrate
from ledger.server.throwaway import throwaway_server
from ledger.testing.clock import add_clock
from ledger.testing.scheduler import AsyncScheduler, Scheduler


@pytest.fixture(scope="session")
def ledger_server() -> Iterator[str]:
    """The DSN of a server where databases may be made: an embedded one of this session's own.

    To use another, override this fixture with the DSN of a superuser there; its other databases are let be.
    """
    with throwaway_server() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def ledger_template(ledger_server: str) -> Iterator[str]:
    """The name of a database that is migrated and empty: what each test's own is copied from."""
    name = f"ledger_testing_{secrets.token_hex(4)}"
    create_database(ledger_server, name)
    try:
        own = on_database(ledger_server, name)
        migrate(own)
        add_clock(own)
        yield name
    finally:
        drop_database(ledger_server, name)


@pytest.fixture
def ledger_dsn(ledger_server: str, ledger_template: str) -> Iterator[str]:
    """The DSN of the test's own database, as its superuser; dropped when the test ends."""
    name = f"{ledger_template}_{secrets.token_hex(4)}"
    create_database(ledger_server, name, ledger_template)
    try:
        yield on_database(ledger_server, name)
    finally:
        drop_database(ledger_server, name)


@pytest.fixture
def ledger_registry() -> Registry:
    """The handlers that are fired: none yet. Override it to return your app's own registry."""
    return Registry()


@pytest.fixture
def scheduler(ledger_dsn: str, ledger_registry: Registry) -> Scheduler:
    """The ledger in the test's hands: see `ledger.testing.Scheduler`."""
    return Scheduler(ledger_dsn, ledger_registry)


@pytest.fixture
def async_scheduler(ledger_dsn: str, ledger_registry: Registry) -> AsyncScheduler:
    """The same for a test that is a coroutine, whichever plugin runs those."""
    return AsyncScheduler(ledger_dsn, ledger_registry)
