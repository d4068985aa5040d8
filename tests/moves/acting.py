"""Short words for what tests of moves do, each a move of the product or a look at the ledger."""

from __future__ import annotations

from uuid import UUID

from ledger.authored.fold import Folded, fold
from ledger.moves.adopt import NewRow
from ledger.moves.close import Closing, Closings, Report, close, finish
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS
from projector.moves.acts import act
from projector.moves.change import Acted, Wanted, What
from projector.moves.open import open_series
from projector.moves.start import Claimed, claim
from tests.moves.stage import Stage

TENANT = "acme"
EVERY_MINUTE: dict[str, object] = {"every_s": 60}
INCARNATION = 7


def folded(name: str = "", schedule: dict[str, object] | None = None, **members: object) -> Folded:
    """A task's authored object; those of one entrypoint and schedule are twins."""
    return fold({"name": name, "entrypoint": "work", "schedule": schedule or EVERY_MINUTE, **members})


def define(task: str, what: Folded, **switches: bool) -> Move[list[Acted]]:
    return act(TENANT, [Wanted(task, "define", what, **switches)], "a person")


def switch(task: str, what: What) -> Move[list[Acted]]:
    """Enable, disable or delete."""
    return act(TENANT, [Wanted(task, what)], "a person")


def claim_all() -> Move[Claimed]:
    return claim(["python"], 100, INCARNATION)


def finished(key: UUID, how: str = "succeeded") -> Move[Closings]:
    return finish(TENANT, key, Report("failed" if how == "failed" else "succeeded"), "a runtime")


def overdue(task: str, key: UUID) -> Move[Closings]:
    """What a dispatcher does to a run whose deadline has passed."""
    return close([Closing(TENANT, task, key, "timed_out", "overdue", by="dispatcher", reason="deadline")])


def repaired(task: str) -> Move[list[NewRow]]:
    """What the sweep does to a task whose open row is missing."""
    tasks = yield from ask(LOCK_TASKS(tenants=[TENANT], tasks=[task]))
    return (yield from open_series(TENANT, [t for t in tasks if t.enabled], "sweep"))


def defined(stage: Stage, task: str, what: Folded) -> None:
    stage.run(define(task, what), "tenant", TENANT)


def key_of(stage: Stage, task: str, state: str = "pending", wake: str = "schedule") -> UUID:
    """The key of the one row of a task that is so."""
    ((key,),) = stage.ask(
        "SELECT key FROM ledger.occurrence WHERE task = %s AND state = %s AND wake = %s", [task, state, wake]
    )
    assert isinstance(key, UUID)
    return key
