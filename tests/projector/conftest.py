"""The stage of the moves' tests, for tests of single moves too."""

from __future__ import annotations

import pytest

from tests.moves.acting import defined, folded
from tests.moves.conftest import stage, theatre
from tests.moves.stage import Stage
from tests.projector.hinting import HOURLY, NOON

__all__ = ["hourly", "stage", "theatre"]


@pytest.fixture
def hourly(stage: Stage) -> Stage:
    """A task on the hour, at noon; its open row is that of one o'clock."""
    stage.at(NOON)
    defined(stage, "a", folded(schedule=HOURLY))
    return stage
