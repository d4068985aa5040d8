"""What tests of admission do: limits of tenants, tasks of theirs that are due, and what is left of them."""

from __future__ import annotations

from datetime import timedelta

from ledger.authored.fold import Folded
from ledger.moves.limits import Change, set_limits
from projector.moves.acts import act
from projector.moves.change import Wanted
from tests.moves.acting import TENANT, folded
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
MINUTE = timedelta(minutes=1)


def limited(stage: Stage, tenant: str = TENANT, change: Change | None = None) -> None:
    """Set limits; without a change, take all that there are away."""
    stage.run(set_limits(tenant, change or Change(False, None, None, ""), "an operator"), "tenant", tenant)


def forget_limits(stage: Stage) -> None:
    stage.ask("DELETE FROM ledger.tenant_limit")
    stage.ask("DELETE FROM ledger.usage")


def tasks(stage: Stage, count: int, tenant: str = TENANT, what: Folded | None = None) -> None:
    """Tasks a0, a1, … of a tenant, each with a slot every minute from the stage's time on."""
    wanted = [Wanted(f"a{n}", "define", what or folded(f"{n}"), allow_duplicate=True) for n in range(count)]
    stage.run(act(tenant, wanted, "a person"), "tenant", tenant)


def found(stage: Stage, *columns: str) -> list[tuple[object, ...]]:
    """Columns of every row, `state` and `reason` by default, in the order of task, slot and lane."""
    rows = sorted(stage.rows(), key=lambda row: tuple(str(row[name]) for name in ("task", "due", "lane")))
    return [tuple(row[name] for name in columns or ("state", "reason")) for row in rows]


def used(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask("SELECT tenant, month::text, starts FROM ledger.usage ORDER BY tenant, month")
