"""Tests of a program on the ledger: its tasks run now, on a database of the test's own.

pip install 'occurrence-ledger[testing]'
python -m pytest examples/own_tests
"""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from examples.own_tests import app
from ledger.testing import AsyncScheduler, Scheduler


def test_a_reminder_every_monday_at_nine(scheduler: Scheduler) -> None:
    app.start_dunning(scheduler.tenant("acme"), "2027-1", cents=900)
    fired = scheduler.fire("acme", "dunning:2027-1", slots=3)
    for one in fired:
        assert one.state == "succeeded"
        assert one.result == {"reminded": "2027-1"}
        assert f"{one.slot.astimezone(ZoneInfo('Europe/Paris')):%a %H:%M}" == "Mon 09:00"
    assert app.sent == [("2027-1", 1)] * 3
    # The fourth stands in the ledger already.
    assert fired[-1].next is not None
    assert fired[-1].next - fired[-1].slot in (timedelta(days=7), timedelta(days=7, hours=1))


def test_what_fails_is_tried_again(scheduler: Scheduler) -> None:
    acme = scheduler.tenant("acme")
    app.start_dunning(acme, "2027-2", cents=0)
    (first,) = scheduler.fire("acme", "dunning:2027-2")
    assert (first.state, first.error) == ("failed", "ValueError: nothing is owed")
    assert first.retry is not None
    second = scheduler.fire_key("acme", first.retry)
    assert (second.attempt, second.slot, second.state) == (2, first.slot, "failed")
    assert [row.wake for row in acme.history().rows] == ["retry:1", "schedule"]


@pytest.mark.asyncio
async def test_within_a_coroutine(async_scheduler: AsyncScheduler) -> None:
    acme = async_scheduler.tenant("acme")
    task = {"entrypoint": "remind", "payload": {"invoice": "1", "cents": 5}, "schedule": {"every_s": "1d"}}
    await acme.define("one", task)
    (fired,) = await async_scheduler.fire("acme", "one")
    assert fired.state == "succeeded"
    assert app.sent == [("1", 1)]
