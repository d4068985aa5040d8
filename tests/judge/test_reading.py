"""What the judge reads of a real ledger: looks that find what is broken, and rows as it judges them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from benchmarks import raw
from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import Act, Frame, Pass, Row, Text, gather
from benchmarks.judge.names import judge_names
from benchmarks.judge.reading import Connection, clock, incarnations, look, read_ledger, unsettled
from ledger import Ledger

EVERY = {"entrypoint": "mark", "schedule": {"every_s": 3600}}


@pytest.fixture
def ledger(dsn: str) -> Iterator[Connection]:
    """A connection to a ledger of two tasks, one of them switched off."""
    with Ledger(dsn) as ledger:
        tenant = ledger.tenant("acme")
        tenant.define("on", EVERY)
        tenant.define("off", EVERY, allow_duplicate=True)
        tenant.disable("off")
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def test_a_ledger_in_order_has_nothing_wrong(ledger: Connection) -> None:
    assert look(ledger).wrong == []


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM ledger.occurrence WHERE state = 'pending'", "acme/on: enabled"),
        ("UPDATE ledger.task SET enabled = false", "acme/on: off, gone or edited"),
        ("DELETE FROM ledger.task WHERE task = 'on'", "acme/on: off, gone or edited"),
        ("UPDATE ledger.task SET enabled = true WHERE task = 'off'", "acme/off: enabled"),
        ("UPDATE ledger.occurrence SET digest = decode(repeat('00', 32), 'hex')", "acme/on: enabled"),
    ],
)
def test_a_look_finds_what_is_broken(ledger: Connection, damage: str, told: str) -> None:
    ledger.execute(damage.encode())
    assert any(wrong.startswith(told) for wrong in look(ledger).wrong)


def test_a_look_finds_two_open_rows_and_two_runs(ledger: Connection) -> None:
    """The indexes that forbid both are dropped first: the look must not lean on them."""
    ledger.execute("DROP INDEX ledger.one_open; DROP INDEX ledger.one_running; DROP INDEX ledger.one_slot")
    ledger.execute(
        "UPDATE ledger.occurrence SET task = 'on', state = 'pending', reason = NULL WHERE state = 'retired'"
    )
    assert any("2 open rows in the lane series" in wrong for wrong in look(ledger).wrong)
    ledger.execute("UPDATE ledger.occurrence SET state = 'running', started = now(), deadline = now()")
    assert any("2 runs at once" in wrong for wrong in look(ledger).wrong)


def test_the_whole_ledger_is_read_in_the_forms_of_a_history(ledger: Connection) -> None:
    now = clock(ledger)
    ledger.execute("INSERT INTO ledger.pass (began, by, period_s) VALUES (now(), 'sweep', 900)")
    history = gather([Frame(1, now, now, now), *read_ledger(ledger)])
    assert sorted((act.task, act.what) for act in history.acts) == [
        ("off", "define"),
        ("off", "disable"),
        ("on", "define"),
    ]
    assert {(row.task, row.state) for row in history.rows} == {("on", "pending"), ("off", "retired")}
    assert len(history.texts) == 1
    assert [one.closed for one in history.passes] == [None]
    assert {type(thing) for thing in (*history.acts, *history.rows, *history.texts, *history.passes)} == {
        Act,
        Row,
        Text,
        Pass,
    }
    judgement = Judgement()
    judge_names(history, judgement)
    assert judgement.findings == []
    assert judgement.counts["keys derived again"] == 2


def test_what_has_come_and_not_ended_is_unsettled(ledger: Connection) -> None:
    now = clock(ledger)
    assert unsettled(ledger, now) == 0
    assert unsettled(ledger, now + timedelta(hours=2)) == 1
    ledger.execute(
        "UPDATE ledger.occurrence SET state = 'running', started = now(), deadline = now() WHERE task = 'on'"
    )
    assert unsettled(ledger, now) == 0
    assert unsettled(ledger, now + timedelta(minutes=1)) == 1


def test_incarnations_are_found_by_the_number_of_their_process(ledger: Connection) -> None:
    ledger.execute(
        "INSERT INTO ledger.incarnation (slot, host, registered, server_start) "
        "SELECT 'dispatcher', host, now(), now() FROM unnest(ARRAY['box:17', 'box:18', 'box:17']) AS k (host)"
    )
    found = incarnations(ledger)
    assert {pid: len(ids) for pid, ids in found.items()} == {17: 2, 18: 1}


def test_the_raw_limit_finishes_every_row_and_leaves_its_successor(dsn: str) -> None:
    """Of each row: closed as succeeded, and one successor open; counted in the table itself."""
    rows = raw.make_rows(1_200, 5, seed=3)
    raw.fill(dsn, rows)
    assert raw.measure(dsn, rows) > 0
    asked = "SELECT state, count(*) FROM ledger.occurrence GROUP BY state ORDER BY state"
    with psycopg.connect(dsn) as connection:
        assert connection.execute(asked).fetchall() == [("pending", 1_200), ("succeeded", 1_200)]
