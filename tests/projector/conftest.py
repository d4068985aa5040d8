"""The stage of the moves' tests, for tests of single moves too."""

from tests.moves.conftest import stage, theatre

__all__ = ["stage", "theatre"]
