"""For the tests of programs that use the ledger: real rows, real handlers, no waiting.

In your `conftest.py`:

    pytest_plugins = ["ledger.testing"]

    @pytest.fixture
    def ledger_registry():
        return app.registry

A test takes `scheduler` (or `async_scheduler`), defines tasks as the program does, and fires their slots.
"""

from ledger.testing.clock import add_clock
from ledger.testing.firing import Fired
from ledger.testing.fixtures import (
    async_scheduler,
    ledger_dsn,
    ledger_registry,
    ledger_server,
    ledger_template,
    scheduler,
)
from ledger.testing.scheduler import AsyncScheduler, Scheduler

__all__ = [
    "AsyncScheduler",
    "Fired",
    "Scheduler",
    "add_clock",
    "async_scheduler",
    "ledger_dsn",
    "ledger_registry",
    "ledger_server",
    "ledger_template",
    "scheduler",
]
