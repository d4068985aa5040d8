"""Backfills: exactly the slots of a range, each once, whatever is repeated, edited, switched or cut off."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count

import pytest

from ledger.errors import BadInput, Disabled, NotFound
from projector.moves.backfill import Backfilled, backfill, cancel_backfill, rehearse_backfill
from projector.moves.cancel import cancel
from projector.moves.ranges import SLOTS_MOST, Range
from tests.moves.acting import TENANT, claim_all, defined, finished, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.conftest import Aloud
from tests.moves.own_keys import own_key
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
HOURLY: dict[str, object] = {"every_s": 3600}
MORNING = Range("a", "r", NOON - 6 * HOUR, NOON)
# The hours from six to eleven; no code of the product says so.
HOURS = [NOON - n * HOUR for n in (6, 5, 4, 3, 2, 1)]


def asked(stage: Stage, wanted: Range = MORNING) -> Backfilled:
    return stage.run(backfill(TENANT, wanted, "anna"), "tenant", TENANT)


def hourly(stage: Stage, **members: object) -> None:
    """A task that begins at noon, its first slot at one."""
    stage.at(NOON)
    defined(stage, "a", folded(schedule=HOURLY, **members))


def runs(stage: Stage, lane: str = "backfill:r") -> list[datetime]:
    """The slots of a lane that have run, in the order in which they began."""
    found = stage.ask(
        "SELECT due FROM ledger.occurrence WHERE lane = %s AND started IS NOT NULL ORDER BY started, due",
        [lane],
    )
    return [due for (due,) in found if isinstance(due, datetime)]


def drain(stage: Stage, most: int = 100) -> None:
    """Run whatever is due, one claim after the other, until nothing is."""
    for _ in range(most):
        stage.at(stage.now + timedelta(seconds=1))
        started = stage.run(claim_all()).started
        for run in started:
            stage.run(finished(run.key))
        if not started:
            return
    raise AssertionError(f"still something to run after {most} claims")


def test_the_slots_of_the_range_run_once_each_oldest_first_beside_the_series(stage: Stage) -> None:
    """I3, I8: one open row of the lane; each start opens the next in its transaction."""
    hourly(stage)
    series = key_of(stage, "a")
    answer = asked(stage)
    assert (answer.slots, answer.first, answer.last) == (6, HOURS[0], HOURS[-1])
    assert (answer.ran, answer.coming, answer.opened, answer.state, answer.made) == (0, 0, 1, "going", True)
    ((digest,),) = stage.ask("SELECT digest FROM ledger.task")
    facts = (TENANT, "python", "backfill:r", "default", "local:default", "a", digest.hex())
    assert answer.key == own_key(facts, HOURS[0]).key
    assert stage.ask("SELECT run_at, made_by FROM ledger.occurrence WHERE key = %s", [answer.key]) == [
        (NOON, "backfill: anna")
    ]
    for n in range(6):
        open_now = stage.ask(
            "SELECT due FROM ledger.occurrence WHERE lane = 'backfill:r' AND state = 'pending'"
        )
        assert open_now == [(HOURS[n],)], "one at a time, in the ledger"
        (run,) = stage.run(claim_all()).started
        stage.run(finished(run.key))
    assert runs(stage) == HOURS
    assert key_of(stage, "a") == series
    again = asked(stage)
    assert (again.state, again.opened, again.key, again.made) == ("done", 6, None, False)
    assert not broken(stage)


def test_one_run_at_a_time_and_the_next_waits_in_the_ledger(stage: Stage) -> None:
    """I18: whoever dies now leaves the next slot there, waiting for the run that is named."""
    hourly(stage)
    asked(stage)
    (run,) = stage.run(claim_all()).started
    claimed = stage.run(claim_all())
    assert (claimed.started, claimed.waiting) == ([], 1)
    assert stage.ask(
        "SELECT due, blocked_by FROM ledger.occurrence WHERE lane = 'backfill:r' AND state = 'pending'"
    ) == [(HOURS[1], run.key)]
    stage.run(finished(run.key))
    assert [run.due for run in stage.run(claim_all()).started] == [HOURS[1]]
    assert not broken(stage)


@pytest.mark.parametrize("at_once", [1, 3])
def test_where_runs_may_overlap_so_many_of_it_run_at_a_time(stage: Stage, at_once: int) -> None:
    """Beside the series, whose runs have no such bound; a retry of its runs counts as one of them."""
    hourly(stage, overlap="allow", retry={"attempts": 1, "backoff_s": 0})
    wanted = Range("a", "r", HOURS[0], NOON, at_once=at_once)
    asked(stage, wanted)
    stage.at(NOON + HOUR)
    running, most, done = [], 0, 0
    while done < 7:
        for _ in range(5):
            stage.at(stage.now + timedelta(seconds=1))
            running += [run.key for run in stage.run(claim_all()).started if run.lane != "series"]
            most = max(most, len(running))
        assert len(running) <= at_once
        if at_once == 3 and done < 3:
            assert len(running) == 3, "as many as may run do"
        stage.run(finished(running.pop(0), "succeeded" if done else "failed"))
        done += 1
    assert most == at_once
    # A retry may begin after slots that come later: it is a row of its own.
    assert sorted(runs(stage)) == HOURS
    assert key_of(stage, "a", "running"), "the series went on beside it"
    assert asked(stage, wanted).state == "done"
    assert not broken(stage)


def test_a_rehearsal_says_what_it_would_be_and_keeps_nothing(stage: Stage) -> None:
    hourly(stage)
    before = stage.state()
    told = stage.run(rehearse_backfill(TENANT, MORNING, "anna"), "tenant", TENANT)
    assert stage.state() == before
    assert told == asked(stage)


def test_the_same_backfill_said_twice_is_one(stage: Stage) -> None:
    """I15: at whatever point it is said again."""
    hourly(stage)
    asked(stage)
    for _ in range(6):
        for step in ("open", "running"):
            before = stage.state()
            assert asked(stage).made is False, step
            assert stage.state() == before
            if step == "open":
                (run,) = stage.run(claim_all()).started
        stage.run(finished(run.key))
    before = stage.state()
    assert asked(stage).state == "done"
    assert stage.state() == before
    for other in (Range("a", "r", HOURS[1], NOON), Range("a", "r", HOURS[0], NOON - HOUR)):
        with pytest.raises(BadInput, match="request 'r' was made before, for the slots from 2026-06-01T06"):
            asked(stage, other)


def test_what_has_run_is_left_out_and_what_was_passed_over_is_not(stage: Stage) -> None:
    stage.at(HOURS[0] - MINUTE)
    defined(stage, "a", folded(schedule=HOURLY))
    for hour in (HOURS[0], HOURS[1], HOURS[4]):
        # Of seven, eight, nine and ten o'clock only the newest runs: two slots are passed over.
        stage.at(hour)
        drain(stage)
    assert runs(stage, "series") == [HOURS[0], HOURS[1], HOURS[4]]
    stage.at(NOON)
    answer = asked(stage)
    # Eleven o'clock has come, and its row in the series is open still.
    assert (answer.slots, answer.ran, answer.coming) == (2, 3, 1)
    asked(stage, Range("a", "other", HOURS[0], NOON))
    drain(stage)
    assert runs(stage) == HOURS[2:4], "and not once more by the other backfill"
    assert runs(stage, "backfill:other") == []
    assert sorted(runs(stage, "series")) == [HOURS[0], HOURS[1], HOURS[4], NOON]
    assert asked(stage, Range("a", "more", HOURS[0], NOON, again=True)).slots == 6
    assert not broken(stage)


def test_an_edit_keeps_the_slots_under_the_new_digest(stage: Stage) -> None:
    """I11: the open row is derived again, same slot; what was asked for stays what runs."""
    hourly(stage)
    asked(stage)
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key))
    defined(stage, "a", folded("new", {"every_s": 7200}))
    drain(stage)
    assert runs(stage) == HOURS
    assert len(stage.ask("SELECT DISTINCT digest FROM ledger.occurrence WHERE lane = 'backfill:r'")) == 2
    assert not broken(stage)


def test_a_task_that_is_switched_off_stops_it_and_the_same_request_lets_it_go_on(stage: Stage) -> None:
    hourly(stage)
    asked(stage)
    (run,) = stage.run(claim_all()).started
    stage.run(switch("a", "disable"), "tenant", TENANT)
    stage.run(finished(run.key))
    assert (asked(stage).state, asked(stage).opened) == ("stopped", 2)
    stage.at(NOON + MINUTE)
    stage.run(switch("a", "enable"), "tenant", TENANT)
    assert asked(stage).state == "going"
    drain(stage)
    assert runs(stage) == HOURS
    assert not broken(stage)


def test_a_cancelled_slot_is_passed_and_the_next_is_open(stage: Stage) -> None:
    hourly(stage)
    first = asked(stage).key
    assert first is not None
    stage.run(cancel(TENANT, first, "anna"), "tenant", TENANT)
    drain(stage)
    assert runs(stage) == HOURS[1:]
    assert not broken(stage)


def test_a_cancel_of_the_whole_leaves_the_rest_to_others(stage: Stage) -> None:
    hourly(stage, retry={"attempts": 1, "backoff_s": 0})
    asked(stage)
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key, "failed"))
    answer = stage.run(cancel_backfill(TENANT, "a", "r", "anna"), "tenant", TENANT)
    assert (answer.did, answer.open, answer.running, answer.left) == ("cancelled", 2, 0, 5)
    before = stage.state()
    assert stage.run(cancel_backfill(TENANT, "a", "r", "anna"), "tenant", TENANT).did == "unchanged"
    assert stage.state() == before
    assert asked(stage).state == "cancelled"
    assert asked(stage, Range("a", "s", HOURS[0], NOON)).slots == 5
    drain(stage)
    assert runs(stage, "backfill:s") == HOURS[1:]
    with pytest.raises(NotFound, match="none of request 'x'"):
        stage.run(cancel_backfill(TENANT, "a", "x", "anna"), "tenant", TENANT)
    assert not broken(stage)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Range("a", "r", NOON - HOUR, NOON - HOUR), "the range ends at .*, not after its beginning"),
        (Range("a", "r", NOON - HOUR, NOON + MINUTE), "is not over by the database's clock"),
        (Range("a", "r", NOON + HOUR), "is not over by the database's clock"),
        (Range("a", "r", NOON - timedelta(days=401), NOON), "before the history that is kept"),
        (Range("a", "r" * 181, HOURS[0], NOON), "the request id has 181 characters"),
        (Range("a", "r", HOURS[0], NOON, at_once=2), "overlap 'skip'"),
    ],
)
def test_what_cannot_be_backfilled_is_refused_and_nothing_is_kept(
    stage: Stage, wanted: Range, said: str
) -> None:
    hourly(stage)
    before = stage.state()
    with pytest.raises(BadInput, match=said):
        asked(stage, wanted)
    assert stage.state() == before


def test_a_range_of_too_many_slots_says_how_far_the_first_go(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(schedule={"every_s": 60}))
    begins = NOON - timedelta(days=30)
    ends = begins + SLOTS_MOST * MINUTE
    with pytest.raises(BadInput, match=f"more than {SLOTS_MOST} slots; .* lie before {ends:%Y-%m-%dT%H:%M}"):
        asked(stage, Range("a", "r", begins, NOON))
    answer = asked(stage, Range("a", "r", begins, ends))
    assert (answer.slots, answer.first, answer.last) == (SLOTS_MOST, begins, ends - MINUTE)


def test_a_task_that_is_off_or_not_there_is_said(stage: Stage) -> None:
    hourly(stage)
    with pytest.raises(NotFound, match="no such task"):
        asked(stage, Range("nobody", "r", HOURS[0], NOON))
    stage.run(switch("a", "disable"), "tenant", TENANT)
    with pytest.raises(Disabled, match="enable it first"):
        asked(stage)


def meddlings(stage: Stage, dice: random.Random) -> Iterator[Callable[[], object]]:
    """Things that people and machines do meanwhile, without end."""
    names = count()
    while True:
        yield dice.choice(
            [
                lambda: asked(stage),
                lambda: asked(stage, Range("a", f"s{dice.randrange(3)}", HOURS[dice.randrange(3)], NOON)),
                lambda: defined(stage, "a", folded(f"n{next(names)}", HOURLY, retry={"attempts": 1})),
                lambda: stage.run(switch("a", "disable"), "tenant", TENANT),
                lambda: stage.run(switch("a", "enable"), "tenant", TENANT),
                lambda: stage.run(claim_all()),
                lambda: stage.run(claim_all()),
            ]
        )


@pytest.mark.parametrize("nth", range(8))
def test_whatever_is_repeated_each_slot_of_the_range_runs_exactly_once(
    stage: Stage, aloud: Aloud, nth: int
) -> None:
    """I8, I15: three backfills whose ranges overlap, edits, switches, starts, repeated in any order."""
    # The tests run in several processes, which must collect the same ones: the seed is not in the name.
    seed = random.SystemRandom().randrange(10**6)
    dice = random.Random(seed)
    hourly(stage)
    asked(stage)
    meddled = 0
    for n, meddle in enumerate(meddlings(stage, dice)):
        if n == 25:
            break
        stage.at(stage.now + timedelta(seconds=1))
        try:
            meddle()
            meddled += 1
        except (Disabled, BadInput):
            continue
        for (key,) in stage.ask("SELECT key FROM ledger.occurrence WHERE state = 'running'"):
            if dice.randrange(2):
                stage.run(finished(key, dice.choice(["succeeded", "failed"])))
    for (key,) in stage.ask("SELECT key FROM ledger.occurrence WHERE state = 'running'"):
        stage.run(finished(key))
    stage.at(stage.now + HOUR / 4)
    stage.run(switch("a", "enable"), "tenant", TENANT)
    asked(stage)
    for name in ("s0", "s1", "s2"):
        found = stage.ask("SELECT since FROM ledger.backfill WHERE request = %s", [name])
        for (since,) in found:
            asked(stage, Range("a", name, since, NOON))
    drain(stage)
    ran = [
        due
        for (due,) in stage.ask(
            "SELECT due FROM ledger.occurrence"
            " WHERE lane LIKE 'backfill:%%' AND started IS NOT NULL ORDER BY due"
        )
    ]
    aloud(f"seed {seed}: {meddled} things done meanwhile, {len(ran)} runs")
    assert ran == HOURS
    assert meddled > 5
    assert not broken(stage)
