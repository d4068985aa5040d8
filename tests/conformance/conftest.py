"""The second implementation, installed once for the run."""

from __future__ import annotations

import pytest

from conformance import second


@pytest.fixture(scope="session")
def javascript() -> list[str]:
    """The command of the JavaScript implementation."""
    try:
        return second.command()
    except second.NotInstalled as error:
        pytest.skip(str(error))
