"""The outbox: what is told of closings, and that no event ever comes behind a reader's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from uuid import UUID

import pytest

from ledger.driver.connect import SyncConnection
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.moves.close import Closing, close
from ledger.moves.outbox import (
    EventPage,
    events,
    number,
    read_event_cursor,
    read_kinds,
)
from ledger.moves.step import Answer, Move
from tests.moves.acting import INCARNATION, TENANT, finished
from tests.moves.conftest import Aloud
from tests.moves.stage import Stage
from tests.moves.stepping import Side, every_order
from tests.moves.telling import ALL, DAY, HOUR_LONG, MINUTE, NOON, asked, begun, ended, read

_AS = Scope("tenant", TENANT)


def kinds(page: EventPage) -> list[tuple[str, str, int, bool]]:
    return [(one.task, one.kind, one.failures, one.retry) for one in page.events]


def closing(task: str, key: UUID, how: str, **members: object) -> Closing:
    made = Closing(TENANT, task, key, "failed" if how == "failed" else "succeeded", "finish", by="x")
    for name, value in members.items():
        setattr(made, name, value)
    return made


def test_what_closes_badly_is_told_and_the_first_success_after_it(stage: Stage, start: int) -> None:
    asked(stage, "a")
    (first,) = begun(stage, 60).values()
    ended(stage, first, "succeeded")
    (second,) = begun(stage, 120).values()
    stage.run(close([closing("a", second, "failed", error="no\x00t " * 1000)]))
    (third,) = begun(stage, 180).values()
    stage.at(NOON + DAY)
    timed_out = Closing(TENANT, "a", third, "timed_out", "overdue", by="dispatcher", reason="deadline")
    stage.run(close([timed_out]))
    assert kinds(read(stage, start)) == [("a", "failed", 1, False), ("a", "timed_out", 2, False)]
    (fourth,) = begun(stage, 86_400).values()
    gone = Closing(TENANT, "a", fourth, "lost", "absent", by="sweep", incarnation=INCARNATION)
    stage.run(close([gone]))
    (fifth,) = begun(stage, 86_460).values()
    ended(stage, fifth, "succeeded")
    (sixth,) = begun(stage, 86_520).values()
    ended(stage, sixth, "succeeded")
    page = read(stage, start)
    # What the day passed over is told as well: a slot whose time had gone by.
    failed, deadline, passed, lost, well = page.events
    assert [one.key for one in (failed, deadline, lost, well)] == [second, third, fourth, fifth]
    assert (passed.kind, passed.reason) == ("skipped", "misfire")
    assert kinds(page)[3:] == [("a", "lost", 3, False), ("a", "recovered", 0, False)]
    assert (failed.due, failed.at, failed.wake) == (NOON + 2 * MINUTE, NOON + 2 * MINUTE, "schedule")
    assert failed.error is not None
    assert failed.error.startswith("no\\u0000t ")
    assert len(failed.error) < 5_000
    assert deadline.reason == "deadline"
    assert well.reason == "recovered after failed slots: 3"
    assert not page.more
    assert [one.n for one in page.events] == [start + n for n in (1, 2, 3, 4, 5)]


def test_attempts_are_told_and_a_retry_that_succeeds(stage: Stage, start: int) -> None:
    asked(stage, "a", HOUR_LONG, retry={"attempts": 1, "backoff_s": 1})
    asked(stage, "b", HOUR_LONG)
    runs = begun(stage, 3600)
    ended(stage, runs["a"], "failed")
    # Handed back, and never begun: nothing has failed, so nothing has recovered.
    back = Closing(TENANT, "b", runs["b"], "cancelled", "unhanded", incarnation=INCARNATION)
    stage.run(close([back]))
    again = begun(stage, 3605)
    assert set(again) == {"a", "b"}
    # Both in one batch, which reads nothing first.
    stage.run(close([closing(task, key, "succeeded") for task, key in again.items()]))
    page = read(stage, start)
    assert kinds(page) == [("a", "failed", 0, True), ("a", "recovered", 0, False)]
    assert page.events[1].wake == "retry:1"
    assert page.events[1].reason == "recovered after failed attempts"


@pytest.mark.parametrize("mixed", [False, True])
def test_a_batch_tells_of_those_alone_that_recovered(stage: Stage, start: int, mixed: bool) -> None:
    for task in "abcd":
        asked(stage, task)
    runs = begun(stage, 60)
    for task, key in runs.items():
        ended(stage, key, "failed" if task in "bd" else "succeeded")
    runs = begun(stage, 120)
    how = {"d": "failed"} if mixed else {}
    stage.run(close([closing(task, key, how.get(task, "succeeded")) for task, key in runs.items()]))
    behind = start + 2
    assert {one[:3] for one in kinds(read(stage, behind))} == (
        {("b", "recovered", 0), ("d", "failed", 2)}
        if mixed
        else {("b", "recovered", 0), ("d", "recovered", 0)}
    )


def test_what_counts_for_nothing_is_not_told(stage: Stage, start: int) -> None:
    asked(stage, "a")
    (key,) = begun(stage, 60).values()
    ended(stage, key, "failed")
    ended(stage, key, "failed")
    ended(stage, key, "succeeded")
    assert kinds(read(stage, start)) == [("a", "failed", 1, False)]


def test_skips_are_told_with_their_reason_and_what_was_in_the_way(stage: Stage, start: int) -> None:
    asked(stage, "a")
    (blocker,) = begun(stage, 60).values()
    assert begun(stage, 120) == {}
    (event,) = read(stage, start).events
    assert (event.kind, event.reason, event.blocker) == ("skipped", "overlap", blocker)
    assert event.due == NOON + 2 * MINUTE
    assert stage.run(events(TENANT, start, ["skipped:overlap"], 9), "tenant", TENANT).events == [event]
    assert stage.run(events(TENANT, start, ["skipped:misfire"], 9), "tenant", TENANT).events == []


def test_a_tenant_reads_its_own_events(stage: Stage, start: int) -> None:
    asked(stage, "a")
    (key,) = begun(stage, 60).values()
    ended(stage, key, "failed")
    assert read(stage, start, tenant="globex").events == []
    assert stage.ask("SELECT count(*) FROM ledger.event WHERE n IS NULL") == [(1,)], "nor gives them numbers"
    # The first wall: a statement names its tenant. The second: another's rows are not there.
    assert stage.run(events(TENANT, start, ALL, 9), "tenant", "globex").events == []
    assert len(read(stage, start).events) == 1


def test_pages_go_on_where_the_one_before_ended(stage: Stage, start: int) -> None:
    for n in range(5):
        asked(stage, f"t{n}")
    for key in begun(stage, 60).values():
        ended(stage, key, "failed")
    seen, cursor = [], start
    sizes = []
    while True:
        page = read(stage, cursor, n=2)
        sizes.append((len(page.events), page.more))
        seen += [one.task for one in page.events]
        cursor = read_event_cursor(page.cursor)
        if not page.more:
            break
    assert sizes == [(2, True), (2, True), (1, False)]
    assert sorted(seen) == [f"t{n}" for n in range(5)]
    page = read(stage, cursor, n=2)
    assert (page.events, page.cursor, page.missed) == ([], str(cursor), False)


class Reader:
    """Reads as a subscriber does, on a connection of its own: what it was given, and the cursor behind it."""

    def __init__(self, connection: SyncConnection, start: int) -> None:
        self._connection, self._cursor = connection, start
        self._one = Lock()
        self.read: list[UUID] = []

    def look(self, *, give: bool = True) -> None:
        with self._one:
            if give:
                run(self._connection, number(TENANT), _AS)
            page = run(self._connection, events(TENANT, self._cursor, ALL, 100), _AS)
            self.read += [one.key for one in page.events]
            self._cursor = read_event_cursor(page.cursor)


@pytest.fixture
def sides(stage: Stage) -> Iterator[tuple[Side[object], Side[object]]]:
    one, other = Side(stage.connect()), Side(stage.connect())
    yield one, other
    one.close()
    other.close()


def test_a_closing_that_commits_late_is_not_passed_by(
    stage: Stage, start: int, sides: tuple[Side[object], Side[object]]
) -> None:
    """The race that a number given by the closing itself would lose: first to write, last to commit."""
    for task in "ab":
        asked(stage, task)
    runs = begun(stage, 60)
    reader = Reader(stage.connect(), start)
    late, soon = sides
    late.begin(finished(runs["a"], "failed"), _AS)
    while (
        stage.ask("SELECT 1 FROM pg_locks WHERE relation = 'ledger.event'::regclass AND pid = %s", [late.pid])
        == []
    ):
        assert not late.finished, "it wrote its event before it commits"
        late.step()
        assert late.rested(20)
    soon.play(finished(runs["b"], "failed"), _AS)
    reader.look()
    assert reader.read == [runs["b"]]
    while not late.finished:
        late.step()
        assert late.rested(20)
    reader.look()
    assert reader.read == [runs["b"], runs["a"]]


@pytest.mark.parametrize(
    "names",
    [("numbering", "closing"), ("numbering all", "closing"), ("numbering", "numbering all")],
    ids=" beside ".join,
)
def test_in_every_order_a_reader_sees_each_event_once(
    stage: Stage, start: int, sides: tuple[Side[object], Side[object]], aloud: Aloud, names: tuple[str, str]
) -> None:
    """Two transactions stepped through all orders; before each step of either, readers look.

    One gives numbers itself, too; the other leaves that to the rest.
    """
    for task in "bc":
        asked(stage, task)
    runs = begun(stage, 60)
    ended(stage, runs["c"], "failed")
    stage.keep()
    lines = stage.connect(), stage.connect()
    readers: list[Reader] = []
    moves: dict[str, tuple[Callable[[], Move[object]], Scope]] = {
        "closing": (lambda: finished(runs["b"], "failed"), _AS),
        "numbering": (lambda: number(TENANT), _AS),
        "numbering all": (lambda: number(None), Scope("dispatcher")),
    }

    def looked(move: Move[object]) -> Move[object]:
        """The move, with a look of each reader before each of its statements and after the last."""
        answer: Answer | None = None
        while True:
            for n, reader in enumerate(readers):
                reader.look(give=bool(n))
            try:
                step = next(move) if answer is None else move.send(answer)
            except StopIteration as done:
                return done.value
            answer = yield step

    def ready() -> tuple[Move[object], Move[object]]:
        stage.restore()
        ((last,),) = stage.ask("SELECT last FROM ledger.event_count")
        assert isinstance(last, int)
        readers[:] = [Reader(line, last) for line in lines]
        return looked(moves[names[0]][0]()), looked(moves[names[1]][0]())

    orders = 0
    for order in every_order(sides, stage.eye, ready, (moves[names[0]][1], moves[names[1]][1])):
        orders += 1
        assert not [answer for answer in order.answers if isinstance(answer, Exception)], order
        for reader in readers:
            reader.look()
            wanted = {runs["c"], *([runs["b"]] if "closing" in names else [])}
            assert len(reader.read) == len(wanted), order.steps
            assert set(reader.read) == wanted, order.steps
    aloud(f"{' beside '.join(names)}: {orders} orders")
    assert orders >= 3


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "٣", str(2**63), 3])
def test_a_cursor_that_no_page_gave_is_refused(cursor: object) -> None:
    with pytest.raises(BadInput, match="cursor"):
        read_event_cursor(cursor)


@pytest.mark.parametrize("kind", ["succeeded", "failed:deadline", "skipped:", "", []])
def test_a_kind_that_is_none_is_refused(kind: str) -> None:
    with pytest.raises(BadInput, match="kind"):
        read_kinds(kind)
    assert read_kinds("skipped:overlap") == ["skipped:overlap"]
