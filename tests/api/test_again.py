"""Backfills and reruns through the API, sync and async."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ledger import BadInput, NotFound
from tests.api.conftest import Face, done

PULL = {"entrypoint": "work", "schedule": {"every_s": 3600}, "delivery": "pull", "labels": {"team": "mail"}}
HOUR = timedelta(hours=1)


def this_hour() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


async def run_all(acme: Face, outcome: str = "succeeded") -> list[str]:
    """Run what is due, one after the other; the wakes."""
    wakes = []
    while due := await done(acme.due()):
        run = await done(acme.start(due[0].key))
        wakes.append(run.wake)
        await done(acme.finish(run.key, outcome))
    return wakes


async def test_a_range_is_rehearsed_asked_for_run_and_over(acme: Face) -> None:
    await done(acme.define("a", PULL))
    hour = this_hour()
    since, until = hour - 4 * HOUR, hour - HOUR
    told = await done(acme.rehearse_backfill("a", "r", since, until.isoformat()))
    assert await done(acme.due()) == []
    made = await done(acme.backfill("a", "r", since, until))
    assert (made.slots, made.first, made.last) == (3, since, until - HOUR)
    assert made == told
    assert await run_all(acme) == ["backfill:r"] * 3
    over = await done(acme.backfill("a", "r", since, until))
    assert (over.state, over.opened, over.made) == ("done", 3, False)
    rest = await done(acme.backfill("a", "rest", since))
    assert (rest.ran, rest.first) == (3, until)
    cancelled = await done(acme.cancel_backfill("a", "rest", reason="enough"))
    assert (cancelled.did, cancelled.open, cancelled.running) == ("cancelled", 1, 0)
    assert await done(acme.due()) == []


async def test_what_failed_is_found_and_run_once_more(acme: Face) -> None:
    for name in ("a", "b"):
        await done(acme.define(name, PULL | {"entrypoint": name}))
        await done(acme.run_now(name, "r1"))
    await run_all(acme, "failed")
    told = await done(acme.rehearse_rerun("r", labels={"team": "mail"}))
    assert await done(acme.due()) == []
    made = await done(acme.rerun("r", labels={"team": "mail"}))
    assert [row.task for row in made.rows] == ["a", "b"]
    assert [row.lane.partition("@")[0] for row in told.rows] == ["rerun:1:manual:r1"] * 2
    assert (await done(acme.rerun("r", labels={"team": "mail"}))).made is False
    (first, _) = await done(acme.due())
    run = await done(acme.start(first.key))
    cancelled = await done(acme.cancel_rerun("r"))
    assert (cancelled.did, cancelled.open, cancelled.running) == ("cancelled", 1, 1)
    again = await done(acme.rerun("s", keys=run.key))
    assert [row.lane.partition("@")[0] for row in again.rows] == ["rerun:2:manual:r1"]
    assert await run_all(acme) == ["rerun:2:manual:r1"]


BAD = (
    ("backfill", {"request": "a b", "since": "2026-01-01T00:00:00Z"}, "request: "),
    ("backfill", {"request": "r", "since": "2026-01-01"}, "since: "),
    ("backfill", {"request": "r", "since": "2026-01-01T00:00:00Z", "until": 7}, "until: 7 is no instant"),
    ("backfill", {"request": "r", "since": "2026-01-01T00:00:00Z", "at_once": 0}, "at once: 0 is no"),
    ("rerun", {"request": "r"}, "rerun: say which rows"),
    ("rerun", {"request": "r", "keys": ["x"]}, "key: 'x' is no key"),
    ("rerun", {"request": "r", "keys": 7}, "keys: 7 are no keys"),
    ("rerun", {"request": "r", "states": "running"}, "state: what is running"),
    ("rerun", {"request": "r", "task": "a", "at_once": True}, "at once: true is no"),
    ("rerun", {"request": "r", "task": "a", "keys": "0" * 32}, "not by both"),
)


async def test_what_cannot_be_asked_for_is_said(acme: Face) -> None:
    for method, given, said in BAD:
        asked = ({"task": "a"} if method == "backfill" else {}) | given
        with pytest.raises(BadInput, match=said):
            await done(getattr(acme, method)(**asked))


async def test_what_is_not_there_is_said(acme: Face) -> None:
    with pytest.raises(NotFound, match="none of request 'r'"):
        await done(acme.cancel_backfill("a", "r"))
    with pytest.raises(NotFound, match="none of request 'r'"):
        await done(acme.cancel_rerun("r"))
    with pytest.raises(NotFound, match="no such task"):
        await done(acme.rerun("r", task="a"))
