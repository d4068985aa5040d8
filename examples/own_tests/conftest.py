"""All that a project needs before its tests can fire tasks: the plugin, and its own handlers."""

from __future__ import annotations

import pytest

from examples.own_tests import app
from ledger import Registry

pytest_plugins = ["ledger.testing"]


@pytest.fixture
def ledger_registry() -> Registry:
    """The handlers that are fired are the program's own."""
    app.sent.clear()
    return app.registry
