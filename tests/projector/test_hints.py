"""Hints on a real database: given, renewed, withdrawn, refused; and what is done to the open row."""

from __future__ import annotations

import pytest

from ledger.errors import BadInput, NotFound, TooEarly
from projector.moves.cancel import cancel
from projector.moves.hint import Wish, hint, withdraw
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.own_keys import own_key
from tests.moves.stage import Stage
from tests.projector.hinting import HOUR, HOURLY, MINUTE, NOON, asked, every, hints, once, open_row

# --- Giving and withdrawing ----------------------------------------------------------------------


def test_a_hint_retires_the_open_row_and_projects_its_own(hourly: Stage) -> None:
    """I4, I1: in one transaction; the key is that of the facts, the wake among them."""
    before = key_of(hourly, "a")
    hourly.at(NOON + MINUTE)
    answer = asked(hourly, every(10))
    assert open_row(hourly) == (NOON + 10 * MINUTE, "hint", "ai-interval", "interval")
    assert (answer.did, answer.next, answer.source) == ("given", NOON + 10 * MINUTE, "ai-interval")
    ((digest,),) = hourly.ask("SELECT encode(digest, 'hex') FROM ledger.task")
    facts = (TENANT, "python", "hint", "default", "local:default", "a", str(digest))
    assert answer.key == own_key(facts, NOON + 10 * MINUTE).key
    assert hourly.ask(
        "SELECT state, reason, history -> -1 ->> 'by' FROM ledger.occurrence WHERE key = %s", [before]
    ) == [("retired", "hint given", "anna")]
    assert hourly.ask("SELECT by, note FROM ledger.hint") == [("anna", "because")]
    assert not broken(hourly)


def test_withdrawing_gives_the_rule_its_row_back(hourly: Stage) -> None:
    before = key_of(hourly, "a")
    asked(hourly, every(10))
    hourly.at(NOON + 2 * MINUTE)
    answer = asked(hourly, withdraw(TENANT, "a", "interval", "anna"))
    assert (answer.did, answer.key, answer.source) == ("withdrawn", before, "baseline-interval")
    assert key_of(hourly, "a") == before, "the retired row is revived"
    assert hints(hourly) == []
    state = hourly.state()
    assert asked(hourly, withdraw(TENANT, "a", "interval", "anna")).did == "unchanged"
    assert hourly.state() == state
    assert not broken(hourly)


def test_given_twice_changes_nothing_the_second_time(hourly: Stage) -> None:
    """I15"""
    until = NOON + 4 * HOUR
    move = Wish(10 * MINUTE, None, until)
    first = asked(hourly, hint(TENANT, "a", move, "anna"))
    state = hourly.state()
    hourly.at(NOON + 3 * MINUTE)
    assert asked(hourly, hint(TENANT, "a", move, "anna")) == first
    assert hourly.state() == state


def test_renewing_a_hint_moves_its_end_and_nothing_else(hourly: Stage) -> None:
    """What is due stays due, and the row's history does not grow with every renewal."""
    asked(hourly, every(10))
    key = open_row(hourly).due, key_of(hourly, "a", wake="hint")
    for minute in range(1, 30):
        hourly.at(NOON + minute * MINUTE)
        asked(hourly, every(10))
        assert (open_row(hourly).due, key_of(hourly, "a", wake="hint")) == key
    assert hints(hourly) == [("interval", NOON, NOON + 29 * MINUTE + 4 * HOUR, None)]
    assert hourly.ask("SELECT history FROM ledger.occurrence WHERE key = %s", [key[1]]) == [(None,)]
    assert hourly.run(claim_all()).started[0].key == key[1]


def test_another_value_takes_the_place_of_the_first(hourly: Stage) -> None:
    asked(hourly, every(10))
    hourly.at(NOON + MINUTE)
    asked(hourly, every(20))
    assert open_row(hourly).due == NOON + 20 * MINUTE
    assert [row[:2] for row in hints(hourly)] == [("interval", NOON + MINUTE)]
    asked(hourly, once(5 * MINUTE))
    assert open_row(hourly) == (NOON + 5 * MINUTE, "hint", "ai-oneshot", "oneshot")
    assert not broken(hourly)


def test_a_hint_for_a_task_that_is_off_waits_for_it(hourly: Stage) -> None:
    hourly.run(switch("a", "disable"), "tenant", TENANT)
    answer = asked(hourly, every(10))
    assert (answer.did, answer.enabled, answer.next) == ("given", False, None)
    hourly.at(NOON + 5 * MINUTE)
    hourly.run(switch("a", "enable"), "tenant", TENANT)
    assert open_row(hourly) == (NOON + 15 * MINUTE, "hint", "ai-interval", "interval")
    assert not broken(hourly)


def test_a_task_that_is_off_has_no_next_run_whatever_stands_open(hourly: Stage) -> None:
    """A row that was raised behind the ledger's back, and that no sweep has met yet, is no answer."""
    hourly.run(switch("a", "disable"), "tenant", TENANT)
    hourly.ask("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE state = 'retired'")
    for move in (every(10), withdraw(TENANT, "a", "interval", "anna")):
        answer = asked(hourly, move)
        assert (answer.enabled, answer.next, answer.key, answer.source) == (False, None, None, None)


def test_withdrawing_an_expired_hint_that_holds_the_open_row_says_so(hourly: Stage) -> None:
    """I10: freshness is judged from what the row is derived from, not from the clock."""
    asked(hourly, every(10, 20 * MINUTE))
    held = key_of(hourly, "a", wake="hint")
    hourly.at(NOON + 50 * MINUTE)
    answer = asked(hourly, withdraw(TENANT, "a", "interval", "anna"))
    assert (answer.did, answer.next) == ("withdrawn", NOON + HOUR)
    assert hourly.ask("SELECT state, reason FROM ledger.occurrence WHERE key = %s", [held]) == [
        ("retired", "hint withdrawn")
    ]
    assert not broken(hourly)


def test_a_hint_opens_a_row_where_the_series_has_ended(hourly: Stage) -> None:
    """I4: beside the row that says so, which stands again once the hint's row has started."""
    defined(hourly, "b", folded(schedule={"at": "2026-06-01T11:00:00Z"}))
    answer = asked(hourly, every(10, task="b"))
    assert (answer.next, answer.ended) == (NOON + 10 * MINUTE, False)
    assert not broken(hourly)
    hourly.at(NOON + 10 * MINUTE)
    (run,) = hourly.run(claim_all()).started
    assert (run.wake, run.due) == ("hint", NOON + 10 * MINUTE)
    hourly.run(finished(run.key), "tenant", TENANT)
    assert open_row(hourly, "b").due == NOON + 20 * MINUTE
    asked(hourly, withdraw(TENANT, "b", "interval", "anna"))
    assert hourly.ask(
        "SELECT state FROM ledger.occurrence WHERE task = 'b' AND state IN ('pending', 'ended')"
    ) == [("ended",)]
    assert not broken(hourly)


def test_deleting_a_task_takes_its_hints(hourly: Stage) -> None:
    asked(hourly, every(10))
    hourly.run(switch("a", "delete"), "tenant", TENANT)
    assert hints(hourly) == []
    defined(hourly, "a", folded(schedule=HOURLY))
    assert open_row(hourly).source == "baseline-interval"


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (Wish(MINUTE, None, NOON), "it expires at 2026-06-01T12:00:00.000000Z, and it is"),
        (Wish(None, NOON + HOUR, 30 * MINUTE), "before its instant 2026-06-01T13:00:00.000000Z"),
    ],
)
def test_a_hint_that_could_not_count_is_refused_and_nothing_stored(
    hourly: Stage, wish: Wish, says: str
) -> None:
    state = hourly.state()
    with pytest.raises(BadInput, match=says):
        asked(hourly, hint(TENANT, "a", wish, "anna"))
    assert hourly.state() == state


def test_a_hint_no_later_than_the_frontier_is_refused_naming_the_row(hourly: Stage) -> None:
    """A slot to come that was cancelled has its disposition: nothing goes before it again (I16)."""
    key = key_of(hourly, "a")
    hourly.run(cancel(TENANT, key, "anna"), "tenant", TENANT)
    state = hourly.state()
    for move in (every(10), every(60), once(HOUR), once(30 * MINUTE)):
        with pytest.raises(
            TooEarly, match=r"the slot 2026-06-01T13:00:00\.000000Z has its disposition"
        ) as refused:
            asked(hourly, move)
        assert refused.value.key == str(key)
    assert hourly.state() == state
    asked(hourly, every(61))
    assert open_row(hourly).due == NOON + HOUR + MINUTE
    assert not broken(hourly)


def test_a_task_that_is_not_there_is_said(stage: Stage) -> None:
    for move in (
        hint(TENANT, "x", Wish(MINUTE, None, HOUR), "anna"),
        withdraw(TENANT, "x", "oneshot", "anna"),
    ):
        with pytest.raises(NotFound, match="no such task"):
            stage.run(move, "tenant", TENANT)


def test_defining_again_is_no_edit(hourly: Stage) -> None:
    """I15: a hint is beside the definition, and no part of it."""
    asked(hourly, every(10))
    state = hourly.state()
    (answer,) = hourly.run(define("a", folded(schedule=HOURLY)), "tenant", TENANT)
    assert answer.did == "unchanged"
    assert hourly.state() == state
