"""How the pairs of moves are set up that meet where slots queue, overlap or replace a run."""

from __future__ import annotations

from datetime import timedelta

from projector.moves.cancel import cancel
from projector.moves.request import run_now
from projector.moves.start import start
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of, overdue
from tests.moves.scenarios import NOON, TASK
from tests.moves.settings import Maker, Makers, Setting
from tests.moves.stage import Stage

_RETRY = {"attempts": 3, "on": ["failed", "timed_out", "lost"]}


def blocked(stage: Stage, overlap: str, **members: object) -> None:
    """The first slot runs, the second has come, and the policy decides."""
    stage.at(NOON)
    defined(stage, TASK, folded("old", overlap=overlap, retry=_RETRY, **members))
    stage.at(NOON + timedelta(seconds=75))
    stage.run(claim_all())
    stage.at(NOON + timedelta(seconds=121))


def queued(stage: Stage, **members: object) -> None:
    """The second slot waits for the first, and a request behind it."""
    blocked(stage, "queue", **members)
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.run(claim_all())
    stage.run(claim_all())
    stage.at(NOON + timedelta(seconds=130))


def claim_finish(overlap: str, how: str = "succeeded") -> Setting:
    """The second slot is claimed as the run in its way ends."""

    def set_up(stage: Stage) -> Makers:
        blocked(stage, overlap)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: finished(key, how))

    return set_up


def start_finish(overlap: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        blocked(stage, overlap)
        key, run = key_of(stage, TASK), key_of(stage, TASK, "running")
        return (lambda: start(TENANT, key)), (lambda: finished(run))

    return set_up


def claim_cancel(overlap: str) -> Setting:
    """The second slot is claimed as a person cancels the run in its way."""

    def set_up(stage: Stage) -> Makers:
        blocked(stage, overlap)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: cancel(TENANT, key, "a person"))

    return set_up


def claim_overdue(overlap: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        blocked(stage, overlap, timeout_s=30)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: overdue(TASK, key))

    return set_up


def claim_edit(overlap: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        blocked(stage, overlap)
        return claim_all, (lambda: define(TASK, folded("new", overlap=overlap, retry=_RETRY)))

    return set_up


def queued_finish(how: str) -> Setting:
    """What waits is looked for as the run ends, and a claim comes in between."""

    def set_up(stage: Stage) -> Makers:
        queued(stage)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: finished(key, how))

    return set_up


def queued_with(other: Maker) -> Setting:
    """The run ends that a slot and a request wait for, while that slot is put elsewhere."""

    def set_up(stage: Stage) -> Makers:
        queued(stage)
        key = key_of(stage, TASK, "running")
        return other, (lambda: finished(key))

    return set_up


def queued_cancelled(stage: Stage) -> Makers:
    queued(stage)
    run, slot = key_of(stage, TASK, "running"), key_of(stage, TASK)
    return (lambda: cancel(TENANT, slot, "a person")), (lambda: finished(run))


def freed_cancelled(stage: Stage) -> Makers:
    """The slot has its turn, and is cancelled as a claim takes it: the request behind it is next."""
    queued(stage)
    stage.run(finished(key_of(stage, TASK, "running")), "tenant", TENANT)
    slot = key_of(stage, TASK)
    return (lambda: cancel(TENANT, slot, "a person")), claim_all


def missed_edited(stage: Stage) -> Makers:
    """More slots were missed than are caught up with, as an edit comes."""
    stage.at(NOON)
    policy: dict[str, object] = {"catch_up": "all", "limit": 2}
    defined(stage, TASK, folded("old", misfire=policy))
    stage.at(NOON + timedelta(seconds=330))
    return claim_all, (lambda: define(TASK, folded("new", misfire=policy)))
