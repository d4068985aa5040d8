"""A tenant's events by the API and by `ledger events`: pages behind a cursor, once or as they come."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest

from ledger import BadInput, Ledger
from ledger.commands_events import following
from ledger.moves.outbox import EventPage
from tests.api.conftest import Face, Flavour, done
from tests.commanding import Shell

Ask = Callable[..., list[tuple[object, ...]]]


@pytest.fixture
def failed(dsn: str) -> Callable[..., UUID]:
    """Makes a run that fails, of the tenant acme; its key."""

    def make(task: str, how: str = "failed") -> UUID:
        with Ledger(dsn) as ledger, psycopg.connect(dsn, autocommit=True) as owner:
            acme = ledger.tenant("acme")
            acme.define(task, {"entrypoint": task, "delivery": "pull", "schedule": {"every_s": 3600}})
            key = acme.run_now(task, f"r-{task}").key
            owner.execute("UPDATE ledger.occurrence SET run_at = now() WHERE key = %s", (key,))
            acme.start(key)
            acme.finish(key, how, error="no paper" if how == "failed" else None)
            return key

    return make


async def test_both_faces_read_pages_behind_a_cursor(acme: Face, failed: Callable[..., UUID]) -> None:
    first = await done(acme.events())
    assert (first.events, first.more, first.missed) == ([], False, False)
    keys = [failed("a"), failed("b")]
    failed("c", "succeeded")
    page = await done(acme.events(first.cursor, limit=1))
    assert [one.key for one in page.events] == keys[:1]
    assert page.more
    page = await done(acme.events(page.cursor))
    assert [(one.key, one.kind, one.error) for one in page.events] == [(keys[1], "failed", "no paper")]
    last = await done(acme.events(page.cursor))
    assert (last.events, last.cursor) == ([], page.cursor)
    assert len((await done(acme.events(kinds="failed"))).events) == 2
    assert (await done(acme.events(kinds=["lost", "skipped"]))).events == []
    for wrong in ({"cursor": "yesterday"}, {"kinds": "succeeded"}, {"limit": 0}):
        with pytest.raises(BadInput):
            await done(acme.events(**wrong))


async def test_inside_a_callers_transaction_no_number_is_given_that_a_rollback_would_take_back(
    flavour: Flavour,
    acme: Face,
    dsn: str,
    failed: Callable[..., UUID],
    eye: Ask,
) -> None:
    """What was read, and the cursor kept beside it, stand or fall together; and no event is passed by."""
    keys = [failed("a"), failed("b")]
    mine = await flavour.connect(dsn)
    within = acme.on(mine)
    page = await done(within.events())
    assert (page.events, page.cursor) == ([], "0")
    await done(mine.rollback())
    assert eye("SELECT count(*) FROM ledger.event WHERE n IS NULL") == [(2,)]
    assert [one.key for one in (await done(acme.events())).events] == keys
    page = await done(within.events())
    assert [one.key for one in page.events] == keys
    await done(mine.rollback())
    assert [one.key for one in (await done(within.events())).events] == keys
    await done(mine.close())


def test_the_command_shows_a_page_and_where_to_go_on(dsn: str, failed: Callable[..., UUID]) -> None:
    shell = Shell(dsn)
    key = failed("a")
    page = shell.does("events", "--json").json
    assert [(one["kind"], one["key"]) for one in page["events"]] == [("failed", str(key))]
    assert (page["cursor"], page["more"], page["missed"]) == ("1", False, False)
    shown = shell.does("events").out
    assert str(key) in shown
    assert shown.endswith("1 events. Go on with --after 1\n")
    assert shell.does("events", "--after", "1", "--json").json["events"] == []
    assert "kind" in shell.refuses("events", "--kind", "nothing", code=2)
    assert "cursor" in shell.refuses("events", "--after", "x", code=2)
    with psycopg.connect(dsn) as owner:
        owner.execute("INSERT INTO ledger.event_gone VALUES ('acme', 2, now())")
    assert "were removed before they were read" in shell("events", "--after", "1").err


def test_who_follows_waits_only_where_no_more_is_there() -> None:
    pages = {
        0: EventPage([], "2", more=True, missed=False),
        2: EventPage([], "3", more=False, missed=False),
        3: EventPage([], "3", more=False, missed=False),
    }
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 2

    assert [page.cursor for page in following(pages.__getitem__, 0, wait)] == ["2", "3", "3"]
    assert len(waits) == 2


def test_events_are_followed_as_they_come_until_told_to_stop(dsn: str, failed: Callable[..., UUID]) -> None:
    first = failed("a")
    command = [sys.executable, "-m", "ledger", "events", "--follow", "--json", "--tenant", "acme"]
    with subprocess.Popen(
        command, env=os.environ | {"LEDGER_DSN": dsn}, stdout=subprocess.PIPE, text=True
    ) as follows:
        assert follows.stdout is not None
        assert json.loads(follows.stdout.readline())["key"] == str(first)
        second = failed("b")
        assert json.loads(follows.stdout.readline())["key"] == str(second)
        follows.send_signal(signal.SIGINT)
        assert follows.stdout.read() == ""
    assert follows.returncode == 0
