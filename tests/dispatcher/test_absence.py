"""Whose process is gone: absent twice, a period apart, in one life of the server; then its runs are lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from dispatcher import Registry, Run
from ledger.moves.presence import PRESENCE, judge
from ledger.statements.presence import Incarnation
from tests.dispatcher.desk import SETTINGS, Book, at_work
from tests.dispatcher.test_presence import Witness

QUICK = replace(SETTINGS, period_s=0.2, tick_s=0.1)
T0 = datetime(2026, 1, 1, 12, tzinfo=UTC)
PERIOD = timedelta(seconds=10)


def seen(
    n: int, *, present: bool, absent_s: float | None = None, server_start: datetime = T0, age_s: float = 5
) -> Incarnation:
    """Incarnation `n` as a look finds it, an hour after the server's start; `age_s` since it registered."""
    moment = T0 + timedelta(hours=1)
    since = None if absent_s is None else moment - timedelta(seconds=absent_s)
    registered = moment - timedelta(seconds=age_s)
    return Incarnation(n, "slot", "host", registered, since, moment, server_start, present)


@pytest.mark.parametrize(
    ("look", "gone", "first_seen", "back"),
    [
        ([seen(1, present=True)], [], [], []),
        ([seen(1, present=False)], [], [1], []),
        ([seen(1, present=False, absent_s=9.9)], [], [], []),
        ([seen(1, present=False, absent_s=10)], [1], [], []),
        ([seen(1, present=True, absent_s=10)], [], [], [1]),
        ([seen(7, present=False, absent_s=100)], [], [], []),
        # The server has restarted since it was seen: every lock is gone, and the count begins anew.
        (
            [seen(1, present=False, absent_s=60, server_start=T0 + timedelta(minutes=59, seconds=30))],
            [],
            [1],
            [],
        ),
        ([seen(1, present=False, absent_s=20), seen(2, present=False), seen(3, present=True)], [1], [2], []),
    ],
    ids=["there", "once", "too soon", "twice", "back", "oneself", "restarted", "several"],
)
def test_absence_is_seen_twice_a_period_apart_in_one_life_of_the_server(
    look: list[Incarnation], gone: list[int], first_seen: list[int], back: list[int]
) -> None:
    found = judge(look, 7, PERIOD)
    assert ([one.id for one in found.gone], found.first_seen, found.back) == (gone, first_seen, back)
    assert (found.looked_at, found.deferred) == (len(look), [])


@pytest.mark.parametrize(
    ("age_s", "absent_s", "gone"), [(10, 0.9, []), (10, 1, [1]), (9.9, 9.9, []), (9.9, 10, [1])]
)
def test_an_observer_whose_presence_has_stood_for_a_period_looks_again_after_a_second(
    age_s: float, absent_s: float, gone: list[int]
) -> None:
    """One that has registered of late may have lost its presence with all others: to the server's crash."""
    look = [seen(1, present=False, absent_s=absent_s), seen(7, present=True, age_s=age_s)]
    found = judge(look, 7, PERIOD)
    assert ([one.id for one in found.gone], found.first_seen, found.deferred) == (gone, [], [])
    assert judge(look, None, PERIOD).gone == (found.gone if absent_s >= 10 else []), "the sweep has none"


@pytest.mark.parametrize(("absent_s", "gone", "deferred"), [(0.9, 0, 0), (1, 0, 3), (10.9, 0, 3), (11, 3, 0)])
def test_a_crowd_that_is_absent_is_deferred_whoever_looks(absent_s: float, gone: int, deferred: int) -> None:
    look = [seen(100 + n, present=False, absent_s=absent_s) for n in range(3)]
    found = judge([*look, seen(7, present=True, age_s=60)], 7, PERIOD)
    assert (len(found.gone), len(found.deferred)) == (gone, deferred)


@pytest.mark.parametrize(
    ("present", "absent", "absent_s", "gone", "deferred"),
    [
        (2, 2, 15, 2, 0),
        (1, 3, 15, 0, 3),
        (1, 3, 19.9, 0, 3),
        (1, 3, 20, 3, 0),
        (0, 3, 15, 3, 0),
        (0, 4, 15, 0, 4),
    ],
)
def test_from_four_on_more_than_half_absent_at_once_is_deferred_for_one_period(
    present: int, absent: int, absent_s: float, gone: int, deferred: int
) -> None:
    look = [seen(n, present=True) for n in range(present)]
    look += [seen(100 + n, present=False, absent_s=absent_s) for n in range(absent)]
    found = judge(look, None, PERIOD)
    assert (len(found.gone), len(found.deferred)) == (gone, deferred)


@pytest.fixture
def ghost(book: Book) -> Iterator[int]:
    """An incarnation whose process is gone, with a run of each of two tenants."""
    made = book.one(
        "INSERT INTO ledger.incarnation (slot, host, registered, server_start, held)"
        " VALUES ('ghost', 'nowhere', now(), pg_postmaster_start_time(), true) RETURNING id"
    )
    assert isinstance(made, int)
    return made


def haunt(book: Book, ghost: int, task: str, tenant: str, **members: object) -> object:
    """A run of the ghost's."""
    key = book.due(task, "held", tenant=tenant, **members)
    book.sql(
        "UPDATE ledger.occurrence SET state = 'running', started = now(),"
        " deadline = now() + interval '1 hour', incarnation = %s WHERE key = %s",
        ghost,
        key,
    )
    return key


async def test_runs_of_an_absent_process_are_lost_after_two_observations(
    book: Book, registry: Registry, ghost: int
) -> None:
    witness = Witness(registry)
    witness.gate.set()
    keys = [haunt(book, ghost, "a", "one"), haunt(book, ghost, "b", "two")]
    again = haunt(book, ghost, "c", "two", retry={"attempts": 1, "on": ["lost"], "backoff_s": 0})
    async with at_work(book.dsn, registry, QUICK) as (_, ears):
        await ears.hear("looked for absent processes", first_seen=1)
        assert {book.state(key) for key in keys} == {"running"}, "seen once is not gone"
        gone = await ears.hear("process gone")
        assert (gone["absent"], gone["runs"], gone["slot"], gone["host"]) == (ghost, 3, "ghost", "nowhere")
        await ears.hear("run written", task="c", attempt=2)
    for key in (*keys, again):
        state, by, error = book.row(key, "state, closed_by, error")
        assert (state, by) == ("lost", f"incarnation {ghost + 1}")
        assert f"incarnation {ghost}" in str(error)
    assert book.sql("SELECT state FROM ledger.occurrence WHERE wake = 'retry:1'") == [("succeeded",)]
    assert book.sql("SELECT ended IS NOT NULL FROM ledger.incarnation WHERE id = %s", ghost) == [(True,)]


async def test_who_is_gone_is_looked_for_more_often_than_all_else(book: Book, registry: Registry) -> None:
    Witness(registry)
    often = replace(SETTINGS, period_s=3, look_s=0.05)
    async with at_work(book.dsn, registry, often) as (_, ears):
        await ears.hear("looked for overdue runs", times=2)
        rounds = len(ears.all("looked for overdue runs"))
        looks = len(ears.all("looked for absent processes"))
    assert looks > 3 * rounds


async def test_a_process_that_comes_back_in_between_keeps_its_runs(
    book: Book, registry: Registry, ghost: int
) -> None:
    key = haunt(book, ghost, "a", "one")
    Witness(registry)
    async with at_work(book.dsn, registry, QUICK) as (_, ears):
        await ears.hear("looked for absent processes", first_seen=1)
        with psycopg.connect(book.dsn, autocommit=True) as back:
            back.execute("SELECT pg_advisory_lock(%s, %s)", (PRESENCE, ghost))
            await ears.hear("looked for absent processes", back=1)
            heard = len(ears.all("looked for absent processes"))
            await ears.hear("looked for absent processes", times=heard + 4)
            assert book.state(key) == "running"
            assert book.sql("SELECT absent_since FROM ledger.incarnation WHERE id = %s", ghost) == [(None,)]
        await ears.hear("process gone", absent=ghost)
    assert book.state(key) == "lost"


async def test_one_tenant_that_cannot_be_closed_keeps_no_other(
    book: Book, registry: Registry, ghost: int
) -> None:
    """I12: the locked tenant's run waits for the next round; the other tenant's is lost at once."""
    held, free = haunt(book, ghost, "a", "one"), haunt(book, ghost, "b", "two")
    Witness(registry)
    with psycopg.connect(book.dsn) as holder:
        holder.execute("SELECT FROM ledger.occurrence WHERE key = %s FOR UPDATE", (held,))
        async with at_work(book.dsn, registry, QUICK) as (_, ears):
            await ears.hear("closing runs failed", tenant="one")
            await ears.hear("process gone", absent=ghost)
            assert (book.state(held), book.state(free)) == ("running", "lost")
            assert book.sql("SELECT ended FROM ledger.incarnation WHERE id = %s", ghost) == [(None,)]
            holder.rollback()
            await ears.hear("process gone", times=2, absent=ghost)
            assert book.state(held) == "lost"


async def test_a_process_without_a_presence_is_never_found_absent(
    book: Book, registry: Registry, ghost: int
) -> None:
    book.sql("UPDATE ledger.incarnation SET held = false WHERE id = %s", ghost)
    key = haunt(book, ghost, "a", "one")
    Witness(registry)
    async with at_work(book.dsn, registry, QUICK) as (_, ears):
        await ears.hear("looked for absent processes", times=6)
    assert book.state(key) == "running"
    assert not ears.all("process gone")


async def test_mass_absence_defers_and_says_so(book: Book, registry: Registry, ghost: int) -> None:
    for _ in range(3):
        book.sql(
            "INSERT INTO ledger.incarnation (slot, host, registered, server_start, held)"
            " VALUES ('ghost', 'nowhere', now(), pg_postmaster_start_time(), true)"
        )
    key = haunt(book, ghost, "a", "one")
    Witness(registry)
    # Seen for the first time a little more than one period ago: the first look defers, the next one does not.
    book.sql("UPDATE ledger.incarnation SET absent_since = now() - interval '2.2 s' WHERE held")
    async with at_work(book.dsn, registry, replace(SETTINGS, period_s=2.0)) as (_, ears):
        await ears.hear("more than half of the processes seem absent: no verdict for one period", absent=4)
        assert book.state(key) == "running"
        await ears.hear("process gone", times=4)
    assert book.state(key) == "lost"


async def test_a_heartbeat_says_what_was_looked_at(book: Book, registry: Registry) -> None:
    @registry.handler("job")
    async def job(run: Run) -> None:
        if run.task == "b":
            raise ValueError

    async with at_work(book.dsn, registry, QUICK) as (_, ears):
        for task in "abc":
            key = book.due(task)
            await ears.hear("run written", key=key)
        rounds = len(ears.all("looked for overdue runs"))
        await ears.hear("looked for overdue runs", times=rounds + 2)
        beat = book.sql(
            "SELECT state, why, looked_at, started, finished, now() - tick FROM ledger.dispatcher"
        )
        assert beat[0][:5] == ("active", "", 3, 3, 3)
        assert isinstance(beat[0][5], timedelta)
    assert book.sql("SELECT state, why, looked_at, started, finished FROM ledger.dispatcher") == [
        ("stopped", "", 3, 3, 3)
    ]
    assert book.one("SELECT deliveries FROM ledger.dispatcher") == ["python"]
