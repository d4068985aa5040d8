"""Every move, each from a state in which it does all that it can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from dispatcher.moves import set_aside
from ledger.driver.transaction import Role, Scope
from ledger.moves.close import Closing, close
from ledger.moves.step import Move
from ledger.statements.presence import Place
from projector.moves.acts import act
from projector.moves.cancel import cancel
from projector.moves.change import Wanted
from projector.moves.hint import Wish, hint, withdraw
from projector.moves.pause import Pause, pause, resume
from projector.moves.request import run_now
from projector.moves.start import start
from projector.moves.zones import move_zones
from sweeper.moves.tenant import sweep_tenant
from tests.moves import settings_again as anew
from tests.moves import settings_overlap as over
from tests.moves.acting import (
    INCARNATION,
    TENANT,
    claim_all,
    define,
    defined,
    finished,
    folded,
    key_of,
    overdue,
    repaired,
    switch,
)
from tests.moves.elsewhere import at, opened
from tests.moves.scenarios import MACHINE, NEW, NOON, OLD, PERSON, SWEEP, TASK, due, running
from tests.moves.stage import Stage

Maker = Callable[[], Move[object]]
_AS: tuple[Role, str] = ("tenant", TENANT)


@dataclass(frozen=True)
class Entry:
    """A move: `set_up` brings the database to where it is made, and answers how.

    `goes_on`: the second time finds more to do, so it is another move, and not the same again.
    """

    set_up: Callable[[Stage], Maker]
    scope: Scope
    goes_on: bool = False
    # A lock that does not come is no end: what nobody holds is done without it.
    waits_again: bool = False


def _due(move: Maker) -> Callable[[Stage], Maker]:
    def set_up(stage: Stage) -> Maker:
        due(stage)
        return move

    return set_up


def _retrying(stage: Stage) -> None:
    """A retry is pending, a run runs, and a request waits for it."""
    running(stage)
    stage.run(finished(key_of(stage, TASK, "running"), "failed"), "tenant", TENANT)
    stage.at(NOON + timedelta(hours=2))
    stage.run(claim_all())
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.at(NOON + timedelta(hours=2, minutes=1))


def _edit_while_retrying(stage: Stage) -> Maker:
    _retrying(stage)
    return lambda: define(TASK, NEW)


def _claim_of_all_kinds(stage: Stage) -> Maker:
    """One starts after a misfire, one is skipped for the run in its way, a request waits for that run."""
    due(stage, TASK, "b")
    stage.run(claim_all())
    stage.run(finished(key_of(stage, "b", "running")), "tenant", TENANT)
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.at(NOON + timedelta(minutes=10))
    return claim_all


def _claim_of_a_dead_digest(stage: Stage) -> Maker:
    due(stage)
    dead = key_of(stage, TASK)
    stage.run(define(TASK, NEW), "tenant", TENANT)
    stage.ask("DELETE FROM ledger.occurrence WHERE key = %s", [key_of(stage, TASK)])
    stage.ask("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", [dead])
    return claim_all


def _start(stage: Stage) -> Maker:
    due(stage)
    key = key_of(stage, TASK)
    return lambda: start(TENANT, key)


def _finish(how: str) -> Callable[[Stage], Maker]:
    def set_up(stage: Stage) -> Maker:
        running(stage)
        stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
        stage.run(claim_all())
        key = key_of(stage, TASK, "running")
        return lambda: finished(key, how)

    return set_up


def _overdue(stage: Stage) -> Maker:
    running(stage)
    key = key_of(stage, TASK, "running")
    return lambda: overdue(TASK, key)


def _hand_back(stage: Stage) -> Maker:
    running(stage)
    key = key_of(stage, TASK, "running")
    closing = Closing(TENANT, TASK, key, "cancelled", "unhanded", incarnation=INCARNATION)
    return lambda: close([closing])


def _cancel_open(stage: Stage) -> Maker:
    due(stage)
    key = key_of(stage, TASK)
    return lambda: cancel(TENANT, key, "a person")


def _cancel_run(stage: Stage) -> Maker:
    running(stage)
    key = key_of(stage, TASK, "running")
    return lambda: cancel(TENANT, key, "a person")


def _aside(stage: Stage) -> Maker:
    due(stage)
    key = key_of(stage, TASK)
    return lambda: set_aside(Place(TENANT, TASK, key), "why")


def _missing(move: Maker) -> Callable[[Stage], Maker]:
    def set_up(stage: Stage) -> Maker:
        due(stage)
        stage.ask("DELETE FROM ledger.occurrence")
        return move

    return set_up


def _sweep(stage: Stage) -> Maker:
    """A run is overdue, an open row is missing, another lies."""
    running(stage)
    for task in ("b", "c"):
        defined(stage, task, folded(entrypoint=task))
    stage.ask("DELETE FROM ledger.occurrence WHERE task = 'b'")
    stage.ask("UPDATE ledger.occurrence SET agent = 'another' WHERE task = 'c'")
    return lambda: sweep_tenant(TENANT, 3, {}, 1)


def _off(stage: Stage) -> Maker:
    due(stage)
    stage.run(switch(TASK, "disable"), "tenant", TENANT)
    return lambda: switch(TASK, "enable")


def _many(stage: Stage) -> Maker:
    due(stage)
    asks = [
        Wanted("b", "define", folded(entrypoint="b")),
        Wanted(TASK, "define", NEW),
        Wanted("c", "define", folded(entrypoint="c")),
    ]
    return lambda: act(TENANT, asks, "a person")


def _twin(stage: Stage) -> Maker:
    """Refused by the database within a savepoint: nothing changes, the first time or the second."""
    due(stage)
    return lambda: define("b", OLD)


def _new(stage: Stage) -> Maker:
    stage.at(NOON)
    return lambda: define(TASK, OLD)


_SOON = Wish(None, NOON + timedelta(seconds=90), timedelta(hours=4))


def _hinting(move: Maker) -> Callable[[Stage], Maker]:
    """A task whose open row an interval has put off, before it is due."""

    def set_up(stage: Stage) -> Maker:
        stage.at(NOON)
        defined(stage, TASK, OLD)
        stage.run(
            hint(TENANT, TASK, Wish(timedelta(minutes=10), None, timedelta(hours=4)), "a planner"), *_AS
        )
        stage.at(NOON + timedelta(seconds=15))
        return move

    return set_up


def _hinted_due(move: Maker) -> Callable[[Stage], Maker]:
    """A one-shot's row has come."""

    def set_up(stage: Stage) -> Maker:
        stage.at(NOON)
        defined(stage, TASK, OLD)
        soon = Wish(None, NOON + timedelta(seconds=30), timedelta(hours=4))
        stage.run(hint(TENANT, TASK, soon, "a planner"), *_AS)
        stage.at(NOON + timedelta(seconds=45))
        return move

    return set_up


def _paused(stage: Stage) -> Maker:
    due(stage)
    stage.run(pause(TENANT, TASK, Pause(NOON + timedelta(days=1)), "a person"), *_AS)
    return lambda: resume(TENANT, TASK, "a person")


def _elsewhere(stage: Stage) -> Maker:
    """Another release of the zone rules has put the open row at another instant."""
    opened(stage, at("01 12:00"), at("01 17:00"))
    stage.at(at("01 13:00"))
    return lambda: move_zones(TENANT, [TASK], "a person", "zones")


def _after(laid: Callable[[Stage], object], move: Maker) -> Callable[[Stage], Maker]:
    def set_up(stage: Stage) -> Maker:
        laid(stage)
        return move

    return set_up


def _replacing(stage: Stage) -> Maker:
    """A slot replaces what runs, for which a request waits."""
    over.blocked(stage, "replace")
    stage.at(NOON + timedelta(seconds=100))
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.run(claim_all())
    stage.at(NOON + timedelta(seconds=121))
    return claim_all


def _queueing(stage: Stage) -> Maker:
    over.blocked(stage, "queue", misfire={"grace_s": 60})
    return claim_all


def _passing(stage: Stage) -> Maker:
    """Its turn has come too late for a slot that waited: the request behind it has the next."""
    over.queued(stage, misfire={"grace_s": 5})
    stage.run(finished(key_of(stage, TASK, "running")), "tenant", TENANT)
    stage.at(stage.now + timedelta(seconds=30))
    return claim_all


def _catching_up(stage: Stage) -> Maker:
    return over.missed_edited(stage)[0]


CATALOGUE: dict[str, Entry] = {
    "move zones": Entry(_elsewhere, PERSON),
    "define": Entry(_new, PERSON),
    "define many": Entry(_many, PERSON),
    "define a twin": Entry(_twin, PERSON),
    "edit": Entry(_due(lambda: define(TASK, NEW)), PERSON),
    "edit while a retry waits": Entry(_edit_while_retrying, PERSON),
    "enable": Entry(_off, PERSON),
    "disable": Entry(_due(lambda: switch(TASK, "disable")), PERSON),
    "delete": Entry(_due(lambda: switch(TASK, "delete")), PERSON),
    "hint": Entry(_hinting(lambda: hint(TENANT, TASK, _SOON, "a planner")), PERSON),
    "withdraw a hint": Entry(_hinting(lambda: withdraw(TENANT, TASK, "interval", "a planner")), PERSON),
    "edit of a hinted row that has come": Entry(_hinted_due(lambda: define(TASK, NEW)), PERSON),
    "claim of a one-shot's row": Entry(_hinted_due(claim_all), MACHINE),
    "pause": Entry(_due(lambda: pause(TENANT, TASK, Pause(NOON + timedelta(days=1)), "a person")), PERSON),
    "resume": Entry(_paused, PERSON),
    "run now": Entry(_due(lambda: run_now(TENANT, TASK, "r1", "a person")), PERSON),
    "claim": Entry(_due(claim_all), MACHINE),
    "claim of all kinds": Entry(_claim_of_all_kinds, MACHINE),
    "claim of a dead digest": Entry(_claim_of_a_dead_digest, MACHINE, goes_on=True),
    "claim that replaces": Entry(_replacing, MACHINE, goes_on=True),
    "claim that queues": Entry(_queueing, MACHINE),
    "claim of a turn that passes": Entry(_passing, MACHINE, goes_on=True),
    "claim that catches up": Entry(_catching_up, MACHINE, goes_on=True),
    "start": Entry(_start, MACHINE),
    "finish": Entry(_finish("succeeded"), PERSON),
    "failing finish": Entry(_finish("failed"), PERSON),
    "close overdue": Entry(_overdue, MACHINE),
    "hand back": Entry(_hand_back, MACHINE),
    "cancel what is open": Entry(_cancel_open, PERSON),
    "cancel a run": Entry(_cancel_run, PERSON),
    "set aside": Entry(_aside, MACHINE),
    "repair": Entry(_missing(lambda: repaired(TASK)), SWEEP),
    "sweep": Entry(_sweep, Scope("sweeper", TENANT), waits_again=True),
    "backfill": Entry(_after(anew.hourly, anew.asked), PERSON),
    "start of a backfill": Entry(anew.going, MACHINE),
    "cancel of a backfill": Entry(_after(anew.going, anew.cancelled), PERSON),
    "rerun": Entry(_after(anew.failed, anew.again), PERSON),
    "cancel of a rerun": Entry(_after(anew.rerunning, anew.again_over), PERSON),
}
