"""The demo's judge: what a right history looks like, and every flaw that it must find in one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

import pytest

from ledger.demo.evidence import PULLED, Line, Reader, write
from ledger.demo.judge import TOLERATED, Judgement, Row, Series, judge
from ledger.demo.tasks import DailyAtThree, Every, Once, Rule

START = datetime(2027, 3, 1, 12, 0, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
UNTIL = START + 40 * SECOND
_numbers = count(1)


def at(second: float) -> datetime:
    return START + second * SECOND


def row(second: float, *, wake: str = "schedule", state: str = "succeeded", took: float = 0.01) -> Row:
    slot = at(second)
    key = UUID(int=next(_numbers))
    return Row("acme", "pulse", key, wake, state, None, slot, slot, slot + took * SECOND, "start")


def call(of: Row, late: float = 0.004) -> Line:
    return Line(of.tenant, of.task, of.key, of.slot, of.wake, of.slot + late * SECOND, 7, "async")


class History:
    """Every two seconds from START, all as it should be, until a test spoils it."""

    def __init__(self) -> None:
        self.rows = [row(second) for second in range(2, 41, 2)]
        self.lines = [call(one) for one in self.rows]
        self.requests: dict[str, datetime] = {}
        self.rule: Rule = Every(2)

    def judged(self) -> Judgement:
        series = Series("acme", "pulse", self.rule, START, self.rows, self.requests)
        return judge([series], self.lines, UNTIL)

    def without(self, n: int) -> Row:
        """Take a row and its call away."""
        gone = self.rows.pop(n)
        self.lines = [line for line in self.lines if line.key != gone.key]
        return gone


def test_a_right_history_has_no_faults() -> None:
    found = History().judged()
    assert (found.slots, found.first_try, found.retried, found.faults, found.passed) == (20, 20, 0, [], [])
    assert found.late_ms == pytest.approx([4.0] * 20)


def test_retries_and_requests_are_right_too() -> None:
    history = History()
    failed = history.rows[3]._replace(state="failed")
    history.rows[3] = failed
    lost = history.rows[5]._replace(state="lost")
    history.rows[5] = lost
    retries = [row(8, wake="retry:1"), row(12, wake="retry:1")]
    asked = row(3.25, wake="manual:once")
    history.rows += [*retries, asked]
    history.lines += map(call, [*retries, asked])
    history.requests = {"manual:once": asked.slot}
    found = history.judged()
    assert (found.slots, found.requests, found.first_try, found.retried, found.faults) == (20, 1, 19, 2, [])
    assert len(found.late_ms) == 20, (
        "a retry's lateness is its wait, and a request has no slot to be late for"
    )


def test_the_row_that_was_deleted_on_purpose_may_be_mended() -> None:
    history = History()
    _mended(history)
    series = Series("acme", "pulse", history.rule, START, history.rows, deleted=history.rows[7].key)
    assert judge([series], history.lines, UNTIL).faults == []


def test_what_is_pulled_is_as_late_as_its_runtime_asks() -> None:
    history = History()
    history.lines[0] = history.lines[0]._replace(how=PULLED)
    assert len(history.judged().late_ms) == 19


def test_rows_after_the_window_are_nobodys_fault() -> None:
    history = History()
    history.rows.append(row(42, state="running"))
    assert history.judged().faults == []


def _no_successor(history: History) -> None:
    history.without(7)


def _nothing_after(history: History) -> None:
    while len(history.rows) > 1:
        history.without(1)


def _never_called(history: History) -> None:
    history.lines.pop(7)


def _still_runs(history: History) -> None:
    history.rows[7] = history.rows[7]._replace(state="running", closed=None)


def _lost_for_good(history: History) -> None:
    history.rows[7] = history.rows[7]._replace(state="lost")


def _retry_failed(history: History) -> None:
    history.rows[7] = history.rows[7]._replace(state="failed")
    again = row(16, wake="retry:1", state="failed")
    history.rows.append(again)
    history.lines.append(call(again))


def _request_unanswered(history: History) -> None:
    history.requests = {"manual:once": at(3.25)}


def _skipped_behind_a_run(history: History) -> None:
    gone = history.without(7)
    history.rows.append(gone._replace(state="skipped", reason="overlap", started=None, closed=at(18.5)))


def _mended(history: History) -> None:
    """All of it ran, but nothing was open until a sweep came."""
    history.rows[7] = history.rows[7]._replace(made_by="sweep")


def _mended_too_late(history: History) -> None:
    """Called a misfire, but its row was not open in time."""
    gone = history.without(7)
    history.rows.append(
        gone._replace(state="skipped", reason="misfire", started=None, closed=at(18.5), made_by="sweep")
    )


def _skipped_too_early(history: History) -> None:
    """Called a misfire, though its time was not over: the next slot came at 18."""
    gone = history.without(7)
    history.rows.append(gone._replace(state="skipped", reason="misfire", started=None, closed=at(17.9)))


def _passed_for_a_reason_unknown(history: History) -> None:
    gone = history.without(7)
    history.rows[7] = history.rows[7]._replace(passed=[(gone.slot, gone.slot, "edit")])


def _called_twice(history: History) -> None:
    history.lines.append(call(history.rows[7]))


def _two_rows(history: History) -> None:
    again = row(16)
    history.rows.append(again)
    history.lines.append(call(again))


def _retried_after_success(history: History) -> None:
    again = row(16, wake="retry:1")
    history.rows.append(again)
    history.lines.append(call(again))


def _between_slots(history: History) -> None:
    early = row(17)
    history.rows.append(early)
    history.lines.append(call(early))


def _unknown_key(history: History) -> None:
    history.lines.append(call(row(16)))


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_no_successor, "missing"),
        (_nothing_after, "missing"),
        (_never_called, "missing"),
        (_still_runs, "missing"),
        (_lost_for_good, "missing"),
        (_retry_failed, "missing"),
        (_request_unanswered, "missing"),
        (_skipped_behind_a_run, "missing"),
        (_skipped_too_early, "missing"),
        (_mended, "missing"),
        (_mended_too_late, "missing"),
        (_passed_for_a_reason_unknown, "missing"),
        (_called_twice, "double"),
        (_two_rows, "double"),
        (_retried_after_success, "double"),
        (_between_slots, "extra"),
        (_unknown_key, "extra"),
    ],
)
def test_every_flaw_is_found(spoil: Callable[[History], None], word: str) -> None:
    history = History()
    spoil(history)
    faults = history.judged().faults
    assert faults
    assert all(fault.startswith(f"{word}: ") for fault in faults), faults


def test_a_machine_that_was_held_up_is_said_and_too_much_of_it_is_a_fault() -> None:
    """Two slots of twenty were overtaken by the next one, on record; a third is too many."""
    history = History()
    for _ in range(2):
        gone = history.without(7)
        history.rows.append(gone._replace(state="skipped", reason="misfire", started=None, closed=at(20.1)))
    found = history.judged()
    assert (len(found.passed), found.faults) == (2, [])
    assert len(found.passed) * TOLERATED == found.slots
    skipped, between = history.rows[-1], history.without(7)
    history.rows[7] = history.rows[7]._replace(
        started=between.slot + 2.1 * SECOND,
        passed=[(between.slot, between.slot, "misfire")],
        before=skipped.key,
    )
    found = history.judged()
    assert len(found.passed) == 3
    assert [fault.split(":")[0] for fault in found.faults] == ["missing"]


@pytest.mark.parametrize(
    ("rule", "slots"),
    [
        (Every(2, at(1)), [at(1), at(3), at(5)]),
        (Every(60), []),
        (Every(5, at(0)), [at(5)]),
        (Every(5, at(5)), [at(5)]),
        (Every(3, at(-100)), [at(2), at(5)]),
        (Once(at(0)), []),
        (Once(at(0.5)), [at(0.5)]),
        (Once(at(5)), [at(5)]),
        (Once(at(5.1)), []),
        (DailyAtThree(), []),
    ],
)
def test_slots_come_after_the_act_and_until_the_end(rule: Rule, slots: list[datetime]) -> None:
    assert list(rule.slots(START, at(5))) == slots


def test_a_day_has_one_slot_at_three() -> None:
    assert list(DailyAtThree().slots(START, START + timedelta(days=2))) == [
        datetime(2027, 3, 2, 3, tzinfo=UTC),
        datetime(2027, 3, 3, 3, tzinfo=UTC),
    ]


def test_lines_are_read_as_they_were_written_and_only_whole(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("evidence") / "handlers.jsonl"
    lines = [call(row(second)) for second in (2, 4)]
    write(path, lines[0])
    reader = Reader(path)
    assert reader.more() == lines[:1]
    with path.open("a") as file:
        file.write('["acme", "pul')
        file.flush()
        assert reader.more() == []
    path.write_bytes(path.read_bytes().removesuffix(b'["acme", "pul'))
    write(path, lines[1])
    assert reader.more() == lines[1:]
    assert reader.lines == lines
