"""Requests to run now: one occurrence each, and retries whose names every reader of keys takes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.errors import BadInput
from ledger.facts import read_wake
from ledger.moves.close import Closing, close
from projector.moves.request import REQUEST_MOST, run_now
from sweeper.moves.tenant import sweep_tenant
from tests.moves.acting import INCARNATION, TENANT, claim_all, defined, finished, folded, key_of
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
FAR: dict[str, object] = {"at": "2027-01-01T00:00:00Z"}


def test_the_longest_request_has_retries_that_are_legal_to_the_last(stage: Stage) -> None:
    """I1, I19: the wake of a request that is run again holds the request's, and must stay an identifier."""
    most = 3 * (100 + 1)
    wake = f"rerun:{most}:manual:{'x' * REQUEST_MOST}"
    assert read_wake(wake, "wake") == wake


def test_a_request_too_long_for_its_retries_is_refused_before_it_runs(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(schedule=FAR, retry={"attempts": 1}))
    with pytest.raises(BadInput, match="request"):
        stage.run(run_now(TENANT, "a", "x" * (REQUEST_MOST + 1), "a person"), "tenant", TENANT)
    assert not stage.ask("SELECT 1 FROM ledger.occurrence WHERE wake LIKE 'manual:%%'")


def test_a_request_that_fails_is_run_again_under_a_name_that_the_sweep_takes(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(schedule=FAR, retry={"attempts": 1}))
    request = "x" * REQUEST_MOST
    stage.run(run_now(TENANT, "a", request, "a person"), "tenant", TENANT)
    for second in (1, 2):
        stage.at(NOON + timedelta(seconds=second))
        (run,) = stage.run(claim_all()).started
        handed_back = Closing(TENANT, "a", run.key, "cancelled", "unhanded", incarnation=INCARNATION)
        stage.run(close([handed_back]) if second == 1 else finished(run.key, "failed"), "dispatcher", TENANT)
    assert key_of(stage, "a", wake=f"rerun:2:manual:{request}")
    verdict = stage.run(sweep_tenant(TENANT, 1, {}, 1), "sweeper", TENANT)
    assert (verdict.word, dict(verdict.repairs)) == ("healthy", {})
    assert not broken(stage)
