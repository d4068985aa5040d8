"""What is left of agents that are gone: their tasks are deleted, by an act in the sweep's name.

Before a pass looks at a tenant, each tenant in a transaction of its own (I12). It is no repair: nothing was
broken, and the pass says what it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from ledger.driver.migrate import in_force
from ledger.driver.transaction import Limits, Scope
from ledger.errors import LedgerError, OutcomeUnknown, Unreachable
from ledger.moves.settled import under
from ledger.moves.step import Move, ask
from ledger.statements.agents import LIST_GONE_TASKS, GoneTask
from projector.moves.acts import act
from projector.moves.change import Wanted
from sweeper.jobs import Session
from sweeper.moves.mend import SWEEP

# Tasks that one pass deletes at most; the next one goes on.
MOST = 1000
# How many a note names.
_NAMED = 5


def list_gone(tenant: str | None) -> Move[list[GoneTask]]:
    """Tasks of agents that are gone, of one tenant or of all."""
    return (yield from ask(LIST_GONE_TASKS(tenant=tenant, n=MOST)))


def by_agent(found: Sequence[GoneTask]) -> Iterator[tuple[str, str, list[GoneTask]]]:
    """The tasks found, a tenant and an agent at a time."""
    whose = attrgetter("tenant", "agent")
    for (tenant, agent), tasks in groupby(sorted(found, key=whose), key=whose):
        yield tenant, agent, list(tasks)


def clear_up(session: Session, only: str | None, limits: Limits) -> list[str]:
    """Delete the tasks of agents that are gone, of one tenant or of all; what was done, a line each.

    Tasks that cannot be deleted now are the next pass's: their slots are skipped meanwhile. Raises
    `Unreachable` and `OutcomeUnknown`.
    """
    notes = []
    for tenant, agent, tasks in by_agent(session.run(list_gone(only))):
        move = under(in_force(), delete_tasks(tenant, agent, tasks))
        try:
            notes.append(session.run(move, Scope("sweeper", tenant, limits)))
        except (Unreachable, OutcomeUnknown):
            raise
        except LedgerError as error:
            notes.append(f"tenant {tenant!r}: tasks of the agent {agent!r}, which is gone, are left: {error}")
    return notes


def delete_tasks(tenant: str, agent: str, tasks: Sequence[GoneTask]) -> Move[str]:
    """Delete tasks of one agent that is gone; what was done, in a line. Raises as `act` does."""
    found = f", as the run {tasks[0].key} found" if tasks[0].key is not None else ""
    note = f"the agent {agent!r} is gone{found}"
    yield from act(tenant, [Wanted(one.task, "delete") for one in tasks], SWEEP, note)
    named = ", ".join(repr(one.task) for one in tasks[:_NAMED])
    more = f" and {len(tasks) - _NAMED} more" if len(tasks) > _NAMED else ""
    return f"tenant {tenant!r}: {note}: deleted {named}{more}"
