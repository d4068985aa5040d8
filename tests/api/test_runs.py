"""Single occurrences through the API: run now, due, start, finish, cancel."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from ledger import BadInput, Disabled, FactRefused, NotFound, NotStarted, Superseded
from tests.api.conftest import Face, done

Ask = Callable[..., list[tuple[object, ...]]]
PULL = {"entrypoint": "work", "payload": {"n": 1}, "delivery": "pull", "schedule": {"every_s": 3600}}
STATE = "SELECT state, outcome, result, error, crumb, closed_by FROM ledger.occurrence WHERE key = %s"


async def test_the_platforms_own_runtime_asks_starts_and_finishes(acme: Face, eye: Ask) -> None:
    """I7: from `due` over `start` to `finish`, each answering what comes next of the series."""
    defined = await done(acme.define("a", PULL))
    assert await done(acme.due()) == []
    request = await done(acme.run_now("a", "r1"))
    (pull,) = await done(acme.due())
    assert (pull.key, pull.task, pull.wake, pull.entrypoint) == (request.key, "a", "manual:r1", "work")
    begun = await done(acme.start(str(pull.key)))
    assert (begun.tenant, begun.task, begun.key, begun.attempt) == ("acme", "a", pull.key, 1)
    assert (begun.entrypoint, begun.payload) == ("work", {"n": 1})
    assert begun.lateness == begun.started - begun.slot >= timedelta(0)
    assert begun.deadline == begun.started + timedelta(seconds=900)
    assert begun.next == defined.next
    assert await done(acme.due()) == []
    finished = await done(acme.finish(pull.key, "succeeded", result={"ok": [1, None]}, crumb="page 7"))
    assert (finished.state, finished.retry, finished.next) == ("succeeded", None, defined.next)
    ((state, outcome, result, error, crumb, by),) = eye(STATE, pull.key)
    assert (state, outcome, error, crumb, by) == ("succeeded", "succeeded", None, "page 7", "anna")
    assert json.loads(str(result)) == {"ok": [1, None]}


async def test_a_late_finish_is_raised_and_its_evidence_committed(acme: Face, eye: Ask) -> None:
    """I7: the error must not roll back what it tells of."""
    await done(acme.define("a", PULL))
    key = (await done(acme.run_now("a", "r1"))).key
    await done(acme.start(key))
    await done(acme.finish(key, "failed", error="no disk"))
    before = eye(STATE, key)
    with pytest.raises(Superseded) as refused:
        await done(acme.finish(key, "succeeded", result="late"))
    assert (refused.value.tenant, refused.value.task, refused.value.key) == ("acme", "a", str(key))
    assert eye(STATE, key) == before
    assert eye("SELECT key, by, what, detail FROM ledger.evidence") == [
        (key, "anna", "late finish", 'succeeded: "late"')
    ]


async def test_a_finish_before_the_start_is_too_early_to_count(acme: Face, eye: Ask) -> None:
    await done(acme.define("a", PULL))
    key = (await done(acme.run_now("a", "r1"))).key
    with pytest.raises(Superseded):
        await done(acme.finish(key, "succeeded"))
    assert eye(STATE, key)[0][0] == "pending"


async def test_a_failure_mints_its_retry_and_says_when(acme: Face) -> None:
    await done(acme.define("a", PULL | {"retry": {"attempts": 1, "backoff_s": 60}}))
    key = (await done(acme.run_now("a", "r1"))).key
    await done(acme.start(key))
    finished = await done(acme.finish(key, "failed"))
    assert isinstance(finished.retry, UUID)
    explained = await done(acme.explain(finished.retry))
    assert (explained.row.wake, explained.row.run_at) == ("rerun:1:manual:r1", finished.retry_at)
    assert [one.key for one in explained.slot] == [key]


async def test_what_cannot_start_says_why(acme: Face) -> None:
    defined = await done(acme.define("a", PULL))
    first, second = [(await done(acme.run_now("a", name))).key for name in ("r1", "r2")]
    await done(acme.start(first))
    reasons = {}
    for key in (defined.key, first, second):
        with pytest.raises(NotStarted) as refused:
            await done(acme.start(key))
        reasons[key] = refused.value.reason
    assert reasons == {defined.key: "not_due", first: "running", second: "waiting"}


async def test_a_cancelled_run_frees_what_waits(acme: Face) -> None:
    """I18: the waiting request may start once the run in its way was cancelled."""
    await done(acme.define("a", PULL))
    first, second = [(await done(acme.run_now("a", name))).key for name in ("r1", "r2")]
    await done(acme.start(first))
    with pytest.raises(NotStarted):
        await done(acme.start(second))
    cancelled = await done(acme.cancel(first, reason="wrong"))
    assert (cancelled.did, cancelled.found) == ("cancelled", "running")
    assert (await done(acme.start(second))).key == second
    with pytest.raises(Superseded):
        await done(acme.finish(first, "succeeded"))


async def test_cancelling_the_open_row_leaves_a_successor_and_twice_is_once(acme: Face) -> None:
    defined = await done(acme.define("a", PULL))
    first = await done(acme.cancel(defined.key))
    assert (first.did, first.found, first.due) == ("cancelled", "pending", defined.next)
    assert first.next == defined.next + timedelta(hours=1)
    second = await done(acme.cancel(defined.key))
    assert (second.did, second.found, second.next) == ("unchanged", "cancelled", first.next)


async def test_a_request_runs_once(acme: Face) -> None:
    """I15"""
    await done(acme.define("a", PULL))
    first = await done(acme.run_now("a", "r1"))
    second = await done(acme.run_now("a", "r1"))
    assert (first.first, second.first) == (True, False)
    assert (first.key, first.due) == (second.key, second.due)
    assert len(await done(acme.due())) == 1
    await done(acme.disable("a"))
    with pytest.raises(Disabled):
        await done(acme.run_now("a", "r2"))


async def test_only_pull_rows_are_due_to_a_runtime_and_at_most_the_limit(acme: Face) -> None:
    await done(acme.define("mine", PULL))
    await done(acme.define("theirs", {"entrypoint": "work", "schedule": {"every_s": 3600}}))
    keys = [(await done(acme.run_now("mine", f"r{n}"))).key for n in range(3)]
    await done(acme.run_now("theirs", "r0"))
    assert [row.key for row in await done(acme.due())] == keys, "oldest first"
    assert [row.key for row in await done(acme.due(limit=2))] == keys[:2]


async def test_results_are_kept_to_their_bound(acme: Face, eye: Ask) -> None:
    await done(acme.define("a", PULL))
    key = (await done(acme.run_now("a", "r1"))).key
    await done(acme.start(key))
    await done(acme.finish(key, "failed", result="é" * 70_000, error="x\0\ud800", crumb="c" * 70_000))
    ((_, _, result, error, crumb, _),) = eye(STATE, key)
    assert len(str(result).encode()) <= 65_536
    assert str(crumb).endswith(" … (cut)")
    assert error == "x\\u0000\\ud800"


@pytest.mark.parametrize("key", ["", "x", 7, None, b"0" * 16, "01a22dd4-5209-8558-82e0-7ea2d81976d"])
async def test_a_key_is_a_uuid(acme: Face, key: str) -> None:
    for call in (acme.start, acme.cancel, acme.explain):
        with pytest.raises(BadInput, match=r"key: .* is no key; write a UUID"):
            await done(call(key))


async def test_an_unknown_key_is_said(acme: Face) -> None:
    for call in (acme.start, acme.cancel, acme.explain, lambda key: acme.finish(key, "failed")):
        with pytest.raises(NotFound, match="no such key"):
            await done(call(uuid4()))


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"outcome": "done"}, "outcome: 'done' is none; write 'succeeded' or 'failed'"),
        ({"outcome": "lost"}, "outcome: 'lost' is none"),
        ({"outcome": "failed", "result": {1, 2}}, "result: is no JSON value"),
        ({"outcome": "failed", "result": float("nan")}, "result: is no JSON value"),
        ({"outcome": "failed", "error": 7}, "error: must be text, not 7"),
    ],
)
async def test_a_report_that_cannot_be_read_is_refused(
    acme: Face, report: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await done(acme.finish(uuid4(), **report))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("request_id", ["", "a b", 7, "x" * 201])
async def test_a_request_id_is_an_identifier(acme: Face, request_id: str) -> None:
    with pytest.raises(FactRefused, match="request: "):
        await done(acme.run_now("a", request_id))
