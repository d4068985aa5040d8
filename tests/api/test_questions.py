"""List, show, upcoming, history and explain through the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from ledger import BadInput, FactRefused, NotFound
from tests.api.conftest import Face, done
from tests.moves.own_keys import own_key

Ask = Callable[..., list[tuple[object, ...]]]
HOURLY = {"entrypoint": "work", "schedule": {"every_s": 3600}}
PULL = HOURLY | {"delivery": "pull"}


async def ran(acme: Face, task: str, request: str, outcome: str = "succeeded") -> UUID:
    """The key of a run that was asked for, started and finished."""
    key = (await done(acme.run_now(task, request))).key
    await done(acme.start(key))
    await done(acme.finish(key, outcome))
    return key


async def test_tasks_are_listed_by_name_a_page_at_a_time(acme: Face) -> None:
    names = [f"t{n}" for n in range(7)]
    await done(acme.define_many({n: HOURLY | {"entrypoint": n} for n in reversed(names)}))
    await done(acme.disable("t3"))
    seen, cursor = [], None
    for size in (3, 3, 1):
        page = await done(acme.list(cursor=cursor, limit=3))
        assert len(page.rows) == size
        seen += page.rows
        cursor = page.cursor
    assert cursor is None
    assert [line.task for line in seen] == names
    assert [line.task for line in seen if line.next is None] == ["t3"]
    assert {line.enabled for line in seen} == {True, False}
    assert seen[0].authored == HOURLY | {"entrypoint": "t0"}


async def test_a_list_shows_what_runs_and_what_has_ended(acme: Face) -> None:
    await done(acme.define("once", {"entrypoint": "x", "schedule": {"at": "2020-01-01T00:00:00Z"}}))
    await done(acme.define("runs", PULL))
    key = (await done(acme.run_now("runs", "r1"))).key
    await done(acme.start(key))
    once, runs = (await done(acme.list())).rows
    assert (once.next, once.ended, once.running) == (None, True, None)
    assert (runs.ended, runs.running) == (False, key)
    await done(acme.disable("once"))
    assert (await done(acme.list())).rows[0].ended is False, "a task that is off has not ended"


async def test_a_task_is_shown_with_its_acts_and_open_rows(acme: Face) -> None:
    defined = await done(acme.define("a", PULL))
    request = await done(acme.run_now("a", "r1"))
    shown = await done(acme.show("a"))
    assert (shown.line.digest, shown.line.next_key) == (defined.digest, defined.key)
    assert [act.what for act in shown.acts] == ["define"]
    assert [row.key for row in shown.open] == [request.key, defined.key]
    with pytest.raises(NotFound, match="no such task"):
        await done(acme.show("b"))


async def test_what_is_to_come_is_what_is_open_and_then_what_the_rule_says(acme: Face) -> None:
    """The keys of slots that no row stands for yet are the keys that their rows will have (I1)."""
    defined = await done(acme.define("a", HOURLY))
    request = await done(acme.run_now("a", "r1"))
    runs = await done(acme.upcoming(count=5))
    hours = [defined.next + timedelta(hours=n) for n in range(4)]
    assert [(run.known, run.wake, run.due) for run in runs] == [
        ("open", "manual:r1", request.due),
        ("open", "schedule", hours[0]),
        *(("computed", "schedule", hour) for hour in hours[1:]),
    ]
    facts = ("acme", "python", "schedule", "default", "local:default", "a", defined.digest.hex())
    assert [run.key for run in runs[1:]] == [own_key(facts, hour).key for hour in hours]
    cancelled = await done(acme.cancel(defined.key))
    assert cancelled.next == hours[1]
    assert (await done(acme.upcoming("a", count=2)))[1].key == runs[2].key


async def test_what_is_to_come_ends_with_the_series_and_at_until(acme: Face) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    await done(acme.define("once", {"entrypoint": "x", "schedule": {"at": soon}}))
    await done(acme.define("b", HOURLY))
    assert [run.due for run in await done(acme.upcoming("once"))] == [soon]
    runs = await done(acme.upcoming(count=1000, until=soon))
    assert 24 <= len(runs) <= 25
    assert [run.run_at for run in runs] == sorted(run.run_at for run in runs)
    assert runs[-1].task == "once"
    there = soon.astimezone(timezone(timedelta(hours=2)))
    assert await done(acme.upcoming(count=1000, until=there)) == runs
    assert await done(acme.upcoming(count=1000, until=there.isoformat())) == runs
    assert await done(acme.upcoming(until="2020-01-01T00:00:00Z")) == []
    await done(acme.disable("b"))
    assert await done(acme.upcoming("b")) == []


async def test_history_is_paged_latest_slot_first_and_filtered(acme: Face) -> None:
    await done(acme.define("a", PULL))
    await done(acme.define("b", PULL | {"entrypoint": "other"}))
    keys = [await ran(acme, "a", f"r{n}", "failed" if n % 2 else "succeeded") for n in range(5)]
    other = await ran(acme, "b", "r0")
    seen, cursor = [], None
    for size in (4, 2):
        page = await done(acme.history(cursor=cursor, limit=4))
        assert len(page.rows) == size
        seen += [row.key for row in page.rows]
        cursor = page.cursor
    assert cursor is None
    assert seen == [other, *reversed(keys)]
    failed = await done(acme.history("a", states="failed"))
    assert [row.key for row in failed.rows] == [keys[3], keys[1]]
    both = await done(acme.history("a", states=["failed", "succeeded"], limit=5))
    assert ([row.key for row in both.rows], both.cursor) == (list(reversed(keys)), None)
    await done(acme.delete("a"))
    assert len((await done(acme.history("a"))).rows) == 5, "its history stays"


async def test_a_name_never_heard_is_not_an_empty_answer(acme: Face) -> None:
    await done(acme.define("a", HOURLY))
    assert (await done(acme.history("a"))).rows == []
    for call in (acme.history, acme.upcoming):
        with pytest.raises(NotFound, match="has and had no such task"):
            await done(call("b"))


async def test_an_occurrence_is_explained(acme: Face, eye: Ask) -> None:
    """I1: the key is derived anew from the facts, and what stands around the row is told."""
    defined = await done(acme.define("a", PULL | {"retry": {"attempts": 1}}))
    cancelled = await done(acme.cancel(defined.key, reason="not today"))
    known = await done(acme.explain(defined.key))
    assert known.named_right
    assert (known.row.state, known.row.reason, known.row.closed_by) == ("cancelled", "not today", "anna")
    facts = ("acme", "pull", "schedule", "default", "local:default", "a", defined.digest.hex())
    own = own_key(facts, defined.next)
    assert (known.derived.key, known.derived.fingerprint) == (own.key, own.fingerprint)
    assert known.derived.preimage.startswith('["occurrence/1","acme","pull","schedule",')
    assert known.row.after < known.row.due == defined.next
    assert known.before is None
    ((follower,),) = eye("SELECT key FROM ledger.occurrence WHERE state = 'pending'")
    assert [(one.key, one.due) for one in known.after] == [(follower, cancelled.next)]
    next_known = await done(acme.explain(follower))
    assert next_known.before.key == defined.key
    assert known.authored == PULL | {"retry": {"attempts": 1}}
    assert known.evidence == []


async def test_a_misnamed_row_is_seen(acme: Face, eye: Ask) -> None:
    """I1"""
    defined = await done(acme.define("a", HOURLY))
    eye("UPDATE ledger.occurrence SET agent = 'someone' WHERE key = %s", defined.key)
    known = await done(acme.explain(defined.key))
    assert not known.named_right
    assert known.derived.key != defined.key


async def test_a_slots_runs_are_told_together(acme: Face) -> None:
    await done(acme.define("a", PULL | {"retry": {"attempts": 2, "backoff_s": 0}}))
    first = (await done(acme.run_now("a", "r1"))).key
    await done(acme.start(first))
    retry = (await done(acme.finish(first, "failed"))).retry
    await done(acme.start(retry))
    again = (await done(acme.finish(retry, "failed"))).retry
    known = await done(acme.explain(retry))
    assert known.before.key == first
    assert [one.key for one in known.after] == [again]
    assert {one.key for one in known.slot} == {first, again}
    assert [one.wake for one in (await done(acme.explain(first))).slot] == [
        "rerun:1:manual:r1",
        "rerun:2:manual:r1",
    ]


@pytest.mark.parametrize(
    ("method", "arguments", "said"),
    [
        ("list", {"limit": 0}, "a page has 1 to 1000 rows, not 0"),
        ("list", {"limit": 1001}, "a page has 1 to 1000 rows, not 1001"),
        ("list", {"cursor": "a b"}, "cursor: "),
        ("history", {"limit": True}, "a page has 1 to 1000 rows, not true"),
        ("history", {"cursor": "x"}, "cursor: 'x' is none"),
        ("history", {"cursor": "2026-01-01T00:00:00Z/x"}, "cursor: "),
        ("history", {"states": "done"}, "state: 'done' is none of "),
        ("history", {"states": ["pending"]}, "state: 'pending' is none of "),
        ("upcoming", {"count": -1}, "a page has 1 to 1000 rows, not -1"),
        ("upcoming", {"until": "tomorrow"}, "until: 'tomorrow' is no timestamp"),
        ("upcoming", {"until": datetime(2026, 1, 1)}, "until: 2026-01-01 00:00:00 has no zone"),  # noqa: DTZ001
        ("due", {"limit": "3"}, "a page has 1 to 1000 rows, not '3'"),
    ],
)
async def test_bad_questions_are_refused(
    acme: Face, method: str, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await done(getattr(acme, method)(**arguments))
    assert str(refused.value).startswith(said)


async def test_ids_are_read_at_the_door(acme: Face) -> None:
    for call in (acme.show, acme.history, acme.upcoming, acme.disable, acme.enable, acme.delete):
        with pytest.raises(FactRefused, match="task: "):
            await done(call("a b"))
