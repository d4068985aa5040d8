"""What is foretold is what then happens: each forecast is held to the rows that firing leaves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ledger import Registry, Run, TenantLedger
from ledger.testing import Fired, Scheduler, add_clock
from projector.moves.upcoming import Upcoming

HOURLY = {"entrypoint": "work", "schedule": {"every_s": 3600}}
# A run begins a little after its time, and what goes by its start is as much later than foretold, each time.
LATE = timedelta(seconds=20)


@pytest.fixture
def scheduler(dsn: str) -> Scheduler:
    add_clock(dsn)
    registry = Registry()

    @registry.handler("work")
    def work(run: Run) -> str:
        return run.wake

    return Scheduler(dsn, registry)


@pytest.fixture
def acme(scheduler: Scheduler) -> TenantLedger:
    return scheduler.tenant("acme")


def happens(
    scheduler: Scheduler, foretold: Sequence[Upcoming], *, late: timedelta = timedelta(0)
) -> Sequence[Fired]:
    """Fire as many slots as were foretold; each must be the one that was."""
    fired = scheduler.fire("acme", "a", slots=len(foretold))
    for said, did in zip(foretold, fired, strict=True):
        assert said.wake == did.wake
        assert timedelta(0) <= did.slot - said.due <= late
        if not late:
            assert said.key == did.key
    return fired


def sources(foretold: Sequence[Upcoming]) -> list[str | None]:
    return [one.source for one in foretold]


def test_the_slots_of_a_rule(scheduler: Scheduler, acme: TenantLedger) -> None:
    """I1: the keys of rows that do not stand yet are the keys that they get."""
    schedule = {"cron": "30 */6 * * *", "timezone": "America/New_York", "exclude": [{"on": "12-25"}]}
    acme.define("a", {"entrypoint": "work", "schedule": schedule})
    foretold = acme.upcoming("a", count=8)
    assert sources(foretold) == ["baseline-cron"] * 8
    assert [one.known for one in foretold] == ["open", *["computed"] * 7]
    happens(scheduler, foretold)


def test_an_interval_hint_goes_on_until_it_expires(scheduler: Scheduler, acme: TenantLedger) -> None:
    acme.define("a", HOURLY)
    acme.hint("a", every="15m", expires="2h")
    foretold = acme.upcoming("a", count=10)
    assert sources(foretold)[:7] == ["ai-interval"] * 7
    assert sources(foretold)[-1] == "baseline-interval"
    happens(scheduler, foretold, late=LATE)


def test_a_oneshot_counts_once(scheduler: Scheduler, acme: TenantLedger) -> None:
    first = acme.define("a", HOURLY).next
    assert first is not None
    # Between the second slot and the third.
    acme.hint("a", at=first + timedelta(minutes=90), expires="5h")
    foretold = acme.upcoming("a", count=5)
    assert [one.due - first for one in foretold] == [timedelta(minutes=m) for m in (0, 60, 90, 120, 180)]
    assert sources(foretold)[2] == "ai-oneshot"
    assert [one.wake for one in foretold] == ["schedule", "schedule", "hint", "schedule", "schedule"]
    happens(scheduler, foretold)
    assert acme.upcoming("a", count=1)[0].due == first + timedelta(hours=4)


def test_a_oneshot_that_is_open_already_is_not_foretold_again(
    scheduler: Scheduler, acme: TenantLedger
) -> None:
    """A bound has put its row before its instant: it is consumed all the same once that has started."""
    far = datetime.now(UTC) + timedelta(days=30)
    acme.define("a", {"entrypoint": "work", "schedule": {"at": far}, "max_interval_s": 3600})
    acme.hint("a", at=datetime.now(UTC) + timedelta(hours=8), expires="1d")
    foretold = acme.upcoming("a", count=3)
    assert [(one.source, one.wake) for one in foretold] == [
        ("clamped-max", "hint"),
        ("clamped-max", "schedule"),
        ("clamped-max", "schedule"),
    ]
    happens(scheduler, foretold, late=LATE)


def test_bounds(scheduler: Scheduler, acme: TenantLedger) -> None:
    acme.define("a", HOURLY | {"min_interval_s": 5400})
    foretold = acme.upcoming("a", count=6)
    assert "clamped-min" in sources(foretold)
    happens(scheduler, foretold, late=LATE)


@pytest.mark.parametrize("at_end", [False, True])
def test_a_pause(scheduler: Scheduler, acme: TenantLedger, at_end: bool) -> None:
    acme.define("a", HOURLY)
    until = datetime.now(UTC).replace(minute=30, second=0, microsecond=0) + timedelta(hours=5)
    acme.pause("a", until, note="works on the line", at_end=at_end)
    foretold = acme.upcoming("a", count=3)
    back = until if at_end else until + timedelta(minutes=30)
    assert foretold[0].due == back
    assert sources(foretold) == ["paused", "baseline-interval", "baseline-interval"]
    happens(scheduler, foretold)


def test_tasks_stand_in_one_order_to_an_instant(acme: TenantLedger) -> None:
    """Without a number all to `until` are told; with one so many, which the command says."""
    acme.define("a", HOURLY)
    acme.define("b", {"entrypoint": "work", "schedule": {"every_s": 1800}, "payload": 1})
    until = datetime.now(UTC) + timedelta(hours=20)
    runs = acme.upcoming(until=until)
    assert 58 <= len(runs) <= 62
    assert [run.run_at for run in runs] == sorted(run.run_at for run in runs)
    assert {run.task for run in runs} == {"a", "b"}
    assert all(run.run_at <= until for run in runs)
    assert acme.upcoming(until=until, count=7) == runs[:7]
    assert len(acme.upcoming()) == 10
    assert len(acme.upcoming(until=until + timedelta(days=400))) == 1_000


def test_a_task_that_is_spread(scheduler: Scheduler, acme: TenantLedger) -> None:
    acme.define("a", {"entrypoint": "work", "schedule": {"every_s": 3600, "spread_s": 600}})
    foretold = acme.upcoming("a", count=3)
    apart = {one.run_at - one.due for one in foretold}
    assert len(apart) == 1
    assert timedelta(0) <= apart.pop() <= timedelta(minutes=10)
    happens(scheduler, foretold)
