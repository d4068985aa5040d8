"""Two moves through every order of their statements: each answers and leaves what one after the other does.

Holds I1 to I4, I8 to I11, I16 and I18 where moves meet, and that nobody is refused for having been second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from ledger.moves.step import Move
from projector.moves.start import Claimed
from tests.moves.audits import broken
from tests.moves.conftest import Aloud
from tests.moves.meetings import MEETINGS, Meeting
from tests.moves.settings import Makers
from tests.moves.stage import Stage
from tests.moves.stepping import Order, Side, every_order

Sides = tuple[Side[object], Side[object]]


class Outcome(NamedTuple):
    answers: tuple[str, str]
    state: str


@pytest.fixture(scope="module")
def sides(theatre: Stage, aloud: Aloud) -> Iterator[Sides]:
    one, other = Side(theatre.connect()), Side(theatre.connect())
    yield one, other
    one.close()
    other.close()
    aloud(f"{sum(_orders.values())} orders of {len(_orders)} pairs of moves")


# How many orders each pair has had.
_orders: dict[str, int] = {}


@pytest.mark.parametrize("name", MEETINGS)
def test_every_order_is_a_serial_one(stage: Stage, sides: Sides, name: str) -> None:
    meeting = MEETINGS[name]
    makers = meeting.set_up(stage)
    meeting.begins_with(broken(stage))
    stage.keep()
    legal = _serial(stage, sides, makers, meeting)

    def ready() -> tuple[Move[object], Move[object]]:
        stage.restore()
        return makers[0](), makers[1]()

    seen: dict[Outcome, str] = {}
    orders = 0
    for order in every_order(sides, stage.eye, ready, meeting.scopes):
        orders += 1
        outcome = Outcome((_said(order.answers[0]), _said(order.answers[1])), stage.state())
        assert outcome in legal or meeting.loosely, _differs(order, outcome, legal, sides)
        for n, statement in order.waited:
            # What passes by what is held never waits for it; but for the run in a row's way, which is ending.
            assert not meeting.passes[n] or statement.startswith("Lets pending rows wait"), statement
        if outcome not in seen:
            assert not broken(stage), (order.steps, broken(stage))
            seen[outcome] = order.steps
    _orders[name] = orders
    print(f"{name}: {orders} orders, {len(seen)} outcomes of {len(legal)} legal ones")
    assert orders >= 3, "the moves never met"


def _serial(stage: Stage, sides: Sides, makers: Makers, meeting: Meeting) -> dict[Outcome, str]:
    """What one after the other gives, and one alone where the other passes by what is held."""
    legal = {}
    tables: list[set[str]] = [set(), set()]
    for side in sides:
        side.shared = None
    for first, second in ((0, 1), (1, 0)):
        stage.restore()
        answers = ["", ""]
        for n in (first, second):
            if n == second and meeting.passes[second]:
                answers[second] = _said(Claimed(looked_at=meeting.looked, left=meeting.looked))
                legal[Outcome((answers[0], answers[1]), stage.state())] = f"{'ab'[first]} alone"
            answers[n] = _said(sides[n].play(makers[n](), meeting.scopes[n]))
            tables[n] |= sides[n].tables
        legal[Outcome((answers[0], answers[1]), stage.state())] = "ab" if first == 0 else "ba"
    sides[0].shared, sides[1].shared = frozenset(tables[1]), frozenset(tables[0])
    return legal


def _said(answer: object) -> str:
    return f"{type(answer).__name__}: {answer}" if isinstance(answer, Exception) else repr(answer)


def _differs(order: Order, outcome: Outcome, legal: dict[Outcome, str], sides: Sides) -> str:
    lines = [f"order {order.steps}", *(f"  a: {line}" for line in sides[0].sent)]
    lines += [f"  b: {line}" for line in sides[1].sent]
    for title, one in [("found", outcome), *((why, each) for each, why in legal.items())]:
        lines += [title, *(f"  {answer}" for answer in one.answers), f"  {one.state}"]
    return "\n".join(lines)
