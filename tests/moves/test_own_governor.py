"""The oracle of the histories, judged itself: each answer here was worked out by hand from the rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.moves.own_governor import OwnAnswer, OwnHint, OwnVersion, decide
from tests.moves.own_slots import MICROSECOND, own_slots
from tests.moves.stage import instant

HOURLY = own_slots({"cron": "0 * * * *"})
# The row at the frontier was due at nine and began twenty seconds later.
NINE, BEGAN = instant("2026-06-01 09:00"), instant("2026-06-01 09:00:20")
MINUTE = timedelta(minutes=1)
PLAIN = OwnVersion(HOURLY, "baseline-cron")
LATER = instant("2026-06-02 00:00")


def at(text: str) -> datetime:
    return instant(f"2026-06-01 {text}")


def every(minutes: int, given: str = "08:30", expires: datetime = LATER) -> OwnHint:
    return OwnHint("interval", at(given), expires, every=minutes * MINUTE)


def once(when: str, given: str = "08:30", expires: datetime = LATER) -> OwnHint:
    return OwnHint("oneshot", at(given), expires, at=at(when))


def told(hints: list[OwnHint], version: OwnVersion = PLAIN) -> str:
    """What the oracle says after nine: when, why, and what wakes the run."""
    found = decide(NINE, BEGAN, version, hints)
    return f"{found.due:%H:%M:%S} {found.source} {found.wake}"


HINTED = [
    # No hint: the rule's next slot.
    ([], "10:00:00 baseline-cron schedule"),
    # An interval counts from the start, and is obeyed whether it is earlier than the rule or later.
    ([every(10)], "09:10:20 ai-interval hint"),
    ([every(90)], "10:30:20 ai-interval hint"),
    # It is not due before it was given.
    ([every(10, given="09:15")], "09:15:00 ai-interval hint"),
    # An instant alone runs where it is earlier than the rule, and waits its turn where it is not.
    ([once("09:40")], "09:40:00 ai-oneshot hint"),
    ([once("10:40")], "10:00:00 baseline-cron schedule"),
    # One that has gone by runs at once: when it was given, or when the run before it began.
    ([once("08:45", given="09:05")], "09:05:00 ai-oneshot hint"),
    ([once("09:00:10")], "09:00:20 ai-oneshot hint"),
    # Not one that the row before stood for, though it may have been skipped.
    ([once("09:00")], "10:00:00 baseline-cron schedule"),
    ([once("08:45")], "10:00:00 baseline-cron schedule"),
    # Both: the earlier, though the rule would have been earlier still.
    ([every(90), once("10:20")], "10:20:00 ai-oneshot hint"),
    ([every(65), once("10:20")], "10:05:20 ai-interval hint"),
    # At the same instant the rule has it.
    ([once("10:00")], "10:00:00 baseline-cron schedule"),
    ([every(60, given="10:00")], "10:00:20 ai-interval hint"),
    ([every(10, given="10:00")], "10:00:00 baseline-cron schedule"),
    # What has expired by the start or the giving, whichever is later, is as if it were not there.
    ([every(10, expires=at("09:00:20"))], "10:00:00 baseline-cron schedule"),
    ([every(10, expires=at("09:00:21"))], "09:10:20 ai-interval hint"),
    ([once("09:40", given="09:10", expires=at("09:10"))], "10:00:00 baseline-cron schedule"),
    ([every(10, expires=at("09:00:20")), once("10:40")], "10:00:00 baseline-cron schedule"),
]


@pytest.mark.parametrize(("hints", "expected"), HINTED)
def test_hints_are_weighed_against_the_rule(hints: list[OwnHint], expected: str) -> None:
    assert told(hints) == expected


CLAMPED = [
    # From the start: at least seventy minutes after it, at most forty.
    ([], replace(PLAIN, least=70 * MINUTE), "10:10:20 clamped-min schedule"),
    ([], replace(PLAIN, most=40 * MINUTE), "09:40:20 clamped-max schedule"),
    ([], replace(PLAIN, least=59 * MINUTE, most=60 * MINUTE), "10:00:00 baseline-cron schedule"),
    # A wish is clamped too, and the row is a hint's all the same.
    ([every(10)], replace(PLAIN, least=30 * MINUTE), "09:30:20 clamped-min hint"),
    ([every(90)], replace(PLAIN, most=75 * MINUTE), "10:15:20 clamped-max hint"),
    ([once("09:40")], replace(PLAIN, least=50 * MINUTE), "09:50:20 clamped-min hint"),
    # At the very bound nothing is clamped.
    ([every(30)], replace(PLAIN, least=30 * MINUTE, most=30 * MINUTE), "09:30:20 ai-interval hint"),
]


@pytest.mark.parametrize(("hints", "version", "expected"), CLAMPED)
def test_clamps_hold_for_rule_and_hints(hints: list[OwnHint], version: OwnVersion, expected: str) -> None:
    assert told(hints, version) == expected


PAUSED = [
    # The rule's first slot from the end of the pause on; or that end itself, where it is asked for.
    ([], replace(PLAIN, paused_until=at("11:20")), "12:00:00 paused schedule"),
    ([], replace(PLAIN, paused_until=at("11:20"), at_end=True), "11:20:00 paused schedule"),
    ([], replace(PLAIN, paused_until=at("11:00")), "11:00:00 paused schedule"),
    # Neither a wish nor a bound gets through.
    ([every(10)], replace(PLAIN, paused_until=at("11:20")), "12:00:00 paused hint"),
    ([once("11:19")], replace(PLAIN, paused_until=at("11:20"), at_end=True), "11:20:00 paused hint"),
    ([], replace(PLAIN, most=40 * MINUTE, paused_until=at("11:20")), "12:00:00 paused schedule"),
    # What comes after the end anyway is what it was.
    ([every(150)], replace(PLAIN, paused_until=at("11:20")), "11:30:20 ai-interval hint"),
    ([], replace(PLAIN, least=190 * MINUTE, paused_until=at("11:20")), "12:10:20 clamped-min schedule"),
    # A pause that has ended before the reference is none.
    ([], replace(PLAIN, paused_until=at("09:00"), at_end=True), "10:00:00 baseline-cron schedule"),
]


@pytest.mark.parametrize(("hints", "version", "expected"), PAUSED)
def test_a_pause_wins_over_all(hints: list[OwnHint], version: OwnVersion, expected: str) -> None:
    assert told(hints, version) == expected


def test_where_no_slot_is_left_a_hint_still_runs() -> None:
    over = replace(PLAIN, rule=own_slots({"at": "2026-06-01T08:00:00Z"}))
    assert decide(NINE, BEGAN, over) == OwnAnswer(None, None)
    assert decide(NINE, BEGAN, replace(over, most=MINUTE)) == OwnAnswer(None, None)
    assert decide(NINE, BEGAN, over, [once("12:00")]) == OwnAnswer(
        at("12:00"), "ai-oneshot", "oneshot", at("12:00")
    )
    assert decide(NINE, BEGAN, over, [every(10)]) == OwnAnswer(
        at("09:10:20"), "ai-interval", "interval", at("09:10:20")
    )


def test_what_lies_before_the_reference_has_had_its_time() -> None:
    """The row at the frontier was cancelled long before its time: an instant that falls behind it is over."""
    assert decide(at("12:00"), BEGAN, PLAIN, [once("11:00")]) == OwnAnswer(
        at("13:00"), "baseline-cron", None, at("13:00")
    )


def test_an_interval_that_has_passed_is_over_at_once() -> None:
    """A task off until noon, that should run ten minutes after each start; unless that has expired."""
    over = decide(at("12:00"), BEGAN, PLAIN, [every(10, expires=at("12:00"))])
    assert (over.due, over.source) == (at("13:00"), "baseline-cron")
    found = decide(at("12:00"), BEGAN, PLAIN, [every(10)])
    assert (found.due, found.source) == (at("12:00") + MICROSECOND, "ai-interval")


def test_a_bound_that_has_passed_is_kept_at_once() -> None:
    """A task that was off until noon, and should have run by ten, at the latest."""
    found = decide(at("12:00"), BEGAN, replace(PLAIN, most=60 * MINUTE))
    assert (found.due, found.source) == (at("12:00") + MICROSECOND, "clamped-max")


def test_the_slots_of_a_paused_version() -> None:
    """11:20 is a slot where the pause says so, within the bounds; nothing before it is."""
    paused = replace(PLAIN, paused_until=at("11:20"))
    at_end = replace(paused, at_end=True)
    over = replace(at_end, rule=own_slots({"cron": "0 * * * *", "ends_at": "2026-06-01T11:10:00Z"}))
    assert paused.between(NINE, at("14:00")) == [at("12:00"), at("13:00")]
    assert at_end.between(NINE, at("13:00")) == [at("11:20"), at("12:00")]
    assert (at_end.newest(at("11:59")), at_end.newest(at("11:19"))) == (at("11:20"), None)
    assert paused.newest(at("11:59")) is None
    assert (at_end.holds(at("11:20")), at_end.holds(at("11:00"))) == (True, False)
    assert over.next(NINE) is None
