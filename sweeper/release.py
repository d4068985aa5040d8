"""Whether this process may speak about the database at all."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.driver.migrate import migrations
from ledger.moves.presence import InForce, pass_fence
from ledger.release import RELEASE
from ledger.statements.presence import Fence
from ledger.statements.sweep import Settings


def check_release(found: Sequence[Settings]) -> None:
    """Raises `Misconfigured` where the database was never migrated, or is of another release (I20)."""
    in_force = [Fence(True, True, *settings[:5]) for settings in found]
    pass_fence(in_force, 0, InForce(len(migrations()), *RELEASE))
