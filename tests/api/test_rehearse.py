"""An edit rehearsed: it says what the edit then does, row by row, and leaves every table as it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ledger import DuplicateTask, Ledger, NotFound, TaskRefused
from projector.moves.rehearse import Rehearsed
from tests.api.conftest import Face, Flavour, done

Ask = Callable[..., list[tuple[object, ...]]]
HOURLY = {"entrypoint": "work", "schedule": {"every_s": 3600}, "retry": {"attempts": 1}}


def whole(eye: Ask) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the ledger, as text."""
    tables = eye("SELECT relname FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relkind = 'r'")
    assert len(tables) > 10
    return {str(name): sorted(eye(f"SELECT t::text FROM ledger.{name} t")) for (name,) in tables}  # noqa: S608


def fates(rehearsed: Rehearsed) -> list[tuple[str, object]]:
    return [(one.fate, one.row.key) for one in rehearsed.rows]


def pending(eye: Ask) -> set[object]:
    return {key for (key,) in eye("SELECT key FROM ledger.occurrence WHERE state = 'pending'")}


async def test_it_says_what_the_edit_then_does(acme: Face, eye: Ask) -> None:
    await done(acme.define("a", HOURLY))
    asked = await done(acme.run_now("a", "r1"))
    before, open_before = whole(eye), pending(eye)
    rehearsed = await done(acme.rehearse_edit("a", {"schedule": {"every_s": "30m"}}))
    assert whole(eye) == before
    (would,) = rehearsed.acts
    did = await done(acme.edit("a", {"schedule": {"every_s": "30m"}}))
    assert (would.did, would.next, would.key, would.digest) == (did.did, did.next, did.key, did.digest)
    open_after = pending(eye)
    assert {key for fate, key in fates(rehearsed) if fate == "retires"} == open_before - open_after
    assert {key for fate, key in fates(rehearsed) if fate == "opens"} == open_after - open_before
    assert {key for fate, key in fates(rehearsed) if fate == "stays"} == open_after & open_before
    assert asked.key not in open_after, "the request goes on under the new definition"


async def test_a_row_that_was_retired_opens_again(acme: Face, eye: Ask) -> None:
    first = await done(acme.define("a", HOURLY))
    await done(acme.edit("a", {"timeout_s": 60}))
    before = whole(eye)
    rehearsed = await done(acme.rehearse_edit("a", {"timeout_s": None}))
    assert [fate for fate, _ in fates(rehearsed)] == ["retires", "opens again"]
    assert rehearsed.rows[1].row.key == first.key
    assert whole(eye) == before


async def test_an_edit_that_changes_nothing(acme: Face, eye: Ask) -> None:
    """I15"""
    first = await done(acme.define("a", HOURLY))
    rehearsed = await done(acme.rehearse_edit("a", {"timeout_s": 900}))
    assert (rehearsed.acts[0].did, rehearsed.acts[0].next) == ("unchanged", first.next)
    assert fates(rehearsed) == [("stays", first.key)]


async def test_a_refusal_is_the_edits_own(acme: Face, eye: Ask) -> None:
    await done(acme.define("a", HOURLY))
    await done(acme.define("b", HOURLY | {"payload": 1}))
    before = whole(eye)
    with pytest.raises(DuplicateTask, match="'a'"):
        await done(acme.rehearse_edit("b", {"payload": None}))
    with pytest.raises(TaskRefused, match="timeout_s"):
        await done(acme.rehearse_edit("a", {"timeout_s": 0}))
    with pytest.raises(NotFound):
        await done(acme.rehearse_edit("c", {"timeout_s": 60}))
    assert whole(eye) == before


async def test_within_a_callers_transaction(flavour: Flavour, acme: Face, dsn: str, eye: Ask) -> None:
    """What the caller has done before stands, and is seen."""
    connection = await flavour.connect(dsn)
    within = acme.on(connection)
    first = await done(within.define("a", HOURLY))
    rehearsed = await done(within.rehearse_edit("a", {"schedule": {"every_s": "2h"}}))
    assert ("retires", first.key) in fates(rehearsed)
    assert (await done(within.show("a"))).line.authored["schedule"] == {"every_s": 3600}
    await done(connection.commit())
    await done(connection.close())
    assert pending(eye) == {first.key}


def test_it_holds_no_lock_afterwards(dsn: str) -> None:
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme")
        acme.define("a", HOURLY)
        rehearsed = acme.rehearse_edit("a", {"schedule": {"every_s": "2h"}})
        assert acme.edit("a", {"schedule": {"every_s": "2h"}}).key == rehearsed.acts[0].key
        assert rehearsed.acts[0].next is not None
        assert rehearsed.acts[0].next.timestamp() % timedelta(hours=2).total_seconds() == 0
