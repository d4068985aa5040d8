"""Subscribers: one process at a time sends to each, and events wait for whoever is behind, for a time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.errors import NotFound
from ledger.moves.outbox import (
    Sent,
    Window,
    Wish,
    add,
    drop_batch,
    note,
    read_event_cursor,
    remove,
    subscribers,
    take,
)
from tests.moves.acting import TENANT
from tests.moves.stage import Stage
from tests.moves.telling import ALL, DAY, MINUTE, NOON, SECOND, asked, begun, ended, read

HOLD = MINUTE


def test_a_subscriber_is_one_processs_at_a_time(stage: Stage, start: int) -> None:
    asked(stage, "a")
    asked(stage, "b")
    stage.run(add(Wish("pager", None, "https://x.example/", ALL, "env:X"), "me"), "owner")
    stage.run(add(Wish("other", "globex", "https://x.example/", ALL, "env:X"), "me"), "owner")
    runs = begun(stage, 60)
    for key in runs.values():
        ended(stage, key, "failed")

    def taken(n: int = 10) -> list[Window]:
        return list(stage.run(take(n, 1, HOLD)).windows)

    (window,) = taken()
    assert (window.to.name, len(window.events)) == ("pager", 1)
    assert taken() == [], "it is held; and for the other there is nothing, which is noted"
    assert {one.name: one.after for one in stage.run(subscribers(), "reader")} == {
        "pager": start,
        "other": start + 2,
    }
    # Whoever holds it has gone: after a while another takes it up, and what the first says then is not heard.
    stage.at(stage.now + HOLD)
    (anew,) = taken()
    assert anew.events == window.events
    assert not stage.run(note(window.to, Sent(window.upto, 1)))
    assert stage.run(note(anew.to, Sent(anew.upto, 1)))
    (last,) = taken()
    assert last.events[0].key != window.events[0].key
    failed = Sent(last.to.after, 0, "no answer", 3, timedelta(seconds=4))
    assert stage.run(note(last.to, failed))
    assert taken() == []
    (told,) = stage.run(subscribers("pager"), "reader")
    assert (told.sent, told.failures, told.error, told.waiting) == (1, 3, "no answer", 1)
    assert told.oldest == NOON + MINUTE
    stage.at(stage.now + 4 * SECOND)
    (last,) = taken()
    assert stage.run(note(last.to, Sent(last.upto, 1)))
    (told,) = stage.run(subscribers("pager"), "reader")
    assert (told.sent, told.failures, told.error, told.waiting, told.oldest) == (2, 0, None, 0, None)


def test_one_that_is_added_is_told_from_then_on_and_goes_on_where_it_is_if_changed(
    stage: Stage, start: int
) -> None:
    asked(stage, "a")
    ended(stage, *begun(stage, 60).values(), "failed")
    wish = Wish("pager", TENANT, "https://x.example/", ["skipped"], "env:X")
    assert stage.run(add(wish, "me"), "owner") == start + 1
    ended(stage, *begun(stage, 120).values(), "failed")
    (one,) = stage.run(subscribers("pager"), "reader")
    assert (one.waiting, one.kinds) == (0, ["skipped"])
    changed = Wish("pager", TENANT, "https://y.example/", ["failed"], "env:X")
    assert stage.run(add(changed, "me"), "owner") == start + 1
    (one,) = stage.run(subscribers("pager"), "reader")
    assert (one.waiting, one.url) == (1, "https://y.example/")
    stage.run(remove("pager"), "owner")
    with pytest.raises(NotFound):
        stage.run(remove("pager"), "owner")


def test_events_are_kept_for_a_time_and_for_whoever_is_behind_within_its_bound(
    stage: Stage, start: int
) -> None:
    """What one waits for is kept for its bound; what it loses then is counted, and a reader is told."""
    for task in "abc":
        asked(stage, task, {"every_s": 86_400 * 10, "anchor": "2026-06-02T00:00:00Z"})
    stage.run(add(Wish("slow", None, "https://x.example/", ["failed"], "env:X", 30 * DAY), "me"), "owner")
    stage.run(add(Wish("done", None, "https://x.example/", ["recovered"], "env:X"), "me"), "owner")
    for key in begun(stage, 86_400 / 2).values():
        ended(stage, key, "failed")
    first = read(stage, start, n=1)
    cursor = read_event_cursor(first.cursor)

    def dropped(days: int, n: int = 2) -> tuple[int, dict[str, int]]:
        stage.at(NOON + DAY / 2 + days * DAY)
        removed, unsent, beyond = 0, {"slow": 0}, 0
        while beyond is not None:
            batch, beyond = stage.run(drop_batch(14 * DAY, beyond, n), "sweeper")
            removed += batch.removed
            for name, lost in batch.unsent.items():
                unsent[name] += lost
        return removed, unsent

    assert dropped(13) == (0, {"slow": 0})
    assert dropped(15) == (0, {"slow": 0}), "they are old, and one waits for them, within its bound"
    assert not read(stage, cursor).missed
    assert dropped(31) == (3, {"slow": 3})
    (slow,) = stage.run(subscribers("slow"), "reader")
    assert (slow.dropped, slow.waiting) == (3, 0)
    assert read(stage, cursor).missed, "the two behind it were never read"
    assert not read(stage, 0).missed
    assert not read(stage, start + 3).missed


def test_what_nobody_waits_for_goes_when_its_time_is_over(stage: Stage, start: int) -> None:
    asked(stage, "a")
    ended(stage, *begun(stage, 60).values(), "failed")
    read(stage, start)
    stage.at(NOON + 15 * DAY)
    assert stage.run(drop_batch(14 * DAY, 0, 100), "sweeper")[0].removed == 1
    assert stage.ask("SELECT count(*) FROM ledger.event") == [(0,)]
