"""An error at every turn of every move: what is committed is before or after, and doing it again is right.

Holds I15 and I17: the connection is idle or closed afterwards, and each error is the decision it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from psycopg.pq import TransactionStatus

from ledger.driver import sync
from ledger.driver.connect import SyncConnection
from ledger.driver.transaction import Scope
from ledger.errors import Busy, LedgerError, OutcomeUnknown
from ledger.moves.step import Move
from tests.moves.audits import broken
from tests.moves.catalogue import CATALOGUE
from tests.moves.faults import FAULTS, Cancelled, Fault, Injector
from tests.moves.stage import Stage


@pytest.fixture
def injector(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Injector:
    injector = Injector(sync._send, stage.eye)
    monkeypatch.setattr(sync, "_send", injector)
    return injector


class Played:
    """What a move did: its error if any, and what was left."""

    def __init__(self, stage: Stage, connection: SyncConnection, move: Move[object], scope: Scope) -> None:
        self.error: BaseException | None = None
        try:
            sync.run(connection, move, scope)
        except (LedgerError, Cancelled) as error:
            self.error = error
        assert connection.closed or connection.info.transaction_status == TransactionStatus.IDLE
        self.state = stage.state()


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_error_at_every_turn(stage: Stage, injector: Injector, name: str) -> None:
    entry = CATALOGUE[name]
    make = entry.set_up(stage)
    stage.keep()
    play = partial(Played, stage, scope=entry.scope)
    before = stage.state()
    # Once for what a process reads once and keeps, so that the second time has the turns of all times after.
    play(connection=stage.eye, move=make())
    stage.restore()
    injector.set(None, -1)
    whole = play(connection=stage.eye, move=make())
    turns = injector.turn
    refused = whole.error is not None
    assert (whole.state == before) == refused
    again = play(connection=stage.eye, move=make())
    assert entry.goes_on or _same(again.state, whole.state), "the second time changed something"
    counts = {"before": 0, "after": 0, "unknown": 0}
    for turn in range(turns):
        for fault in FAULTS:
            stage.restore()
            connection = _connection(stage)
            injector.set(fault, turn)
            hit = play(connection=connection, move=make())
            got_by = entry.waits_again and hit.error is None and Busy in fault.raises
            if not got_by:
                _judge(injector, fault, hit, whole)
            assert hit.state in (before, whole.state), f"{fault.name} at turn {turn}: something between"
            # Who is told that nothing was changed is told the truth.
            assert got_by or hit.state == before or isinstance(hit.error, (OutcomeUnknown, Cancelled))
            counts["before" if hit.state == before else "after"] += 1
            counts["unknown"] += isinstance(hit.error, OutcomeUnknown)
            injector.set(None, -1)
            last = play(connection=stage.eye, move=make())
            done = whole if hit.state == before else again
            assert _same(last.state, done.state), f"{fault.name} at turn {turn}: done again, it differs"
    assert not broken(stage)
    print(f"{name}: {turns} turns, {turns * len(FAULTS)} errors: {counts}")
    assert counts["before"] > turns
    assert refused or counts["after"] >= 1


def _judge(injector: Injector, fault: Fault, hit: Played, whole: Played) -> None:
    expected = fault.at_commit() if injector.committing else fault.raises
    # What a move is refused for by the database itself comes before an error after it.
    by_itself = (fault.after and type(hit.error) is type(whole.error)) or injector.aborted
    assert isinstance(hit.error, expected) or by_itself, f"{fault.name} at turn {injector.at}: {hit.error!r}"


def _same(one: str, other: str) -> bool:
    """Whether two states are the same, but for evidence of what came too late, and for verdicts."""
    return _without(one) == _without(other)


def _without(state: str) -> Iterator[str] | list[str]:
    return [line for line in state.splitlines() if not line.startswith(("evidence", "verdict"))]


_spare: list[SyncConnection] = []


def _connection(stage: Stage) -> SyncConnection:
    """A connection to break: the one that was spared last time, or a new one."""
    while _spare:
        connection = _spare.pop()
        if not connection.closed:
            break
    else:
        connection = stage.connect()
        # Free again once the session has ended, and all that it held with it.
        connection.execute("SELECT pg_advisory_lock(%s)", (connection.info.backend_pid,))
    _spare.append(connection)
    return connection
