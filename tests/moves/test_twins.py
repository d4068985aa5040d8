"""Twins: no two enabled tasks of a tenant ask for the same work at the same times, unless asked for."""

from __future__ import annotations

from itertools import permutations

import pytest

from ledger.authored.fold import Folded
from ledger.errors import DuplicateTask
from projector.moves.acts import act
from projector.moves.change import Wanted
from tests.moves.acting import TENANT, define, defined, folded, switch
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")


def at_hour(hour: int) -> Folded:
    return folded(schedule={"cron": f"0 {hour} * * *"})


def test_tasks_take_each_others_places_in_one_act(stage: Stage) -> None:
    """What counts is how tasks stand after the act, in whatever order the database writes them."""
    hours = {"a": 1, "b": 2, "c": 3}
    for order in permutations(hours):
        stage.clear()
        stage.at(NOON)
        for task, hour in hours.items():
            defined(stage, task, at_hour(hour))
        asks = [Wanted(task, "define", at_hour(hours[task] % 3 + 1)) for task in order]
        answers = stage.run(act(TENANT, asks, "a person"), "tenant", TENANT)
        assert [one.did for one in answers] == ["edited"] * 3
        assert not broken(stage)


def test_a_twin_is_refused_by_the_name_of_the_first(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", at_hour(1))
    for move in (
        define("b", at_hour(1)),
        act(TENANT, [Wanted("c", "define", at_hour(2)), Wanted("b", "define", at_hour(1))], "a person"),
    ):
        with pytest.raises(DuplicateTask, match="'a'"):
            stage.run(move, "tenant", TENANT)
    assert stage.ask("SELECT task FROM ledger.task") == [("a",)]


def test_a_twin_may_stand_that_is_off_or_was_asked_for_and_is_asked_again_at_enable(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", at_hour(1))
    stage.run(define("b", at_hour(1), enabled=False), "tenant", TENANT)
    stage.run(define("c", at_hour(1), allow_duplicate=True), "tenant", TENANT)
    with pytest.raises(DuplicateTask, match="'a'"):
        stage.run(switch("b", "enable"), "tenant", TENANT)
    stage.run(switch("c", "disable"), "tenant", TENANT)
    with pytest.raises(DuplicateTask, match="'a'"):
        stage.run(switch("c", "enable"), "tenant", TENANT)
    stage.run(act(TENANT, [Wanted("c", "enable", allow_duplicate=True)], "a person"), "tenant", TENANT)
    assert not broken(stage)
