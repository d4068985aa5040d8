"""What holds of every decision, whatever the rule, the hints, the bounds and the pause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import event, given
from hypothesis import strategies as st

from ledger.authored.fold import fold
from ledger.authored.models import Definition
from ledger.facts import instant_text
from projector.moves.governor import Decision, govern, replay
from projector.moves.trail import Hint, Passing

START = datetime(2026, 6, 1, tzinfo=UTC)
DAY_S = 20_000
MICROSECOND = timedelta(microseconds=1)


class Asked(NamedTuple):
    """All that the Governor is given, and the step of its grid, whose slots are counted from START."""

    after: datetime
    base: datetime
    step: timedelta
    definition: Definition
    hints: tuple[Hint, ...]
    passing: Passing | None

    def decide(self) -> Decision:
        return govern(self.after, self.base, self.definition, self.hints, passing=self.passing)


def instants(low: int = 0, high: int = DAY_S) -> st.SearchStrategy[datetime]:
    """Whole seconds mostly, so that ties happen; sometimes finer ones."""
    return st.builds(
        lambda s, us: START + timedelta(seconds=s, microseconds=us),
        st.integers(low, high),
        st.sampled_from([0, 0, 0, 1, 999_999]),
    )


spans = st.sampled_from([1, 10, 30, 60, 61, 600, 1800, 3600, 7200])


@st.composite
def asks(draw: st.DrawFn) -> Asked:
    step = draw(spans)
    after = START + timedelta(seconds=draw(st.integers(0, DAY_S // step)) * step)
    # A run begins after its slot; an act may come long after the last run, and a cancel before the slot.
    base = draw(st.just(after) | st.builds(lambda s: after + timedelta(seconds=s), st.integers(-3600, 3600)))
    members: dict[str, object] = {}
    least, most = sorted((draw(spans), draw(spans)))
    if draw(st.booleans()):
        members["min_interval_s"] = least
    if draw(st.booleans()):
        members["max_interval_s"] = most
    if draw(st.booleans()):
        members["paused_until"] = instant_text(draw(instants()))
        members["resume"] = draw(st.sampled_from(["next_slot", "at_end"]))
    schedule: dict[str, object] = {"every_s": step, "anchor": instant_text(START)}
    if draw(st.integers(0, 4)) == 0:
        schedule["ends_at"] = instant_text(draw(instants(low=1)))
    definition = Definition.of(fold({"entrypoint": "x", "schedule": schedule, **members}).canonical)
    hints = []
    if draw(st.booleans()):
        every = timedelta(seconds=draw(spans))
        hints.append(Hint("interval", draw(instants()), draw(instants()), every=every))
    if draw(st.booleans()):
        hints.append(Hint("oneshot", draw(instants()), draw(instants()), at=draw(instants())))
    passing = draw(
        st.none() | st.none() | st.builds(Passing, instants(), st.sampled_from(["backoff", "grace"]))
    )
    return Asked(after, base, timedelta(seconds=step), definition, tuple(hints), passing)


def grid(asked: Asked, low: datetime, high: datetime) -> list[datetime]:
    """The rule's slots strictly between two instants, by arithmetic alone."""
    ends = asked.definition.schedule.ends_at
    n = (low - START) // asked.step + 1
    found = []
    while (slot := START + n * asked.step) < high and (ends is None or slot < ends):
        found.append(slot)
        n += 1
    return found


def pause_ahead(asked: Asked) -> datetime | None:
    until = asked.definition.paused_until
    return until if until is not None and until > asked.after else None


@given(asks())
def test_an_answer_is_the_same_twice_later_than_after_and_replays(asked: Asked) -> None:
    said = asked.decide()
    event(f"source {said.source}")
    assert said == asked.decide() == asked._replace(hints=asked.hints[::-1]).decide()
    assert said.due is None or said.due > asked.after
    assert replay(said.trail, asked.after, asked.base, asked.definition) == said
    assert (said.due is None) == (said.source is None) == (said.wake == "end")


@given(asks())
def test_bounds_hold(asked: Asked) -> None:
    """Above, but for a pause and a gate, which win, and where they have passed already: then at once."""
    said, own = asked.decide(), asked.definition
    backs_off = asked.passing is not None and asked.passing.reason == "backoff"
    if said.due is None:
        return
    if own.min_interval_s is not None:
        assert said.due >= asked.base + timedelta(seconds=own.min_interval_s)
    if own.max_interval_s is not None and said.source not in ("paused", "clamped-min") and not backs_off:
        latest = max(asked.base + timedelta(seconds=own.max_interval_s), asked.after + MICROSECOND)
        assert said.due <= latest
    if said.source == "clamped-min":
        assert said.due == asked.base + timedelta(seconds=own.min_interval_s or 0)


@given(asks())
def test_a_pause_wins(asked: Asked) -> None:
    until, said = pause_ahead(asked), asked.decide()
    if until is None or said.due is None:
        return
    event(said.source or "")
    assert said.due >= until
    assert said.source is not None
    assert not said.source.startswith("baseline"), "the first row after a pause says so"


@given(asks())
def test_a_gate_holds(asked: Asked) -> None:
    said = asked.decide()
    if asked.passing is None or said.due is None:
        return
    if asked.passing.reason == "backoff":
        assert said.due >= asked.passing.until
        assert said.wake == "schedule"
    elif said.source is not None and said.source.startswith("baseline"):
        assert said.due >= asked.passing.until


@given(asks())
def test_every_slot_passed_over_is_in_the_row_once(asked: Asked) -> None:
    """I10"""
    said = asked.decide()
    if said.due is None:
        return
    slots = grid(asked, asked.after, said.due)
    until = pause_ahead(asked)
    ends = asked.definition.schedule.ends_at
    if until is not None and asked.definition.resume == "at_end" and (ends is None or until < ends):
        slots = sorted({*slots, until} if until < said.due else slots)
    told = said.passed or []
    covered = []
    for one in told:
        first, last = (datetime.fromisoformat(str(one[name])) for name in ("first", "last"))
        inside = [slot for slot in slots if first <= slot <= last]
        assert (inside[0], inside[-1]) == (first, last)
        assert one["count"] == min(len(inside), 1000)
        assert one.get("more", False) == (len(inside) > 1000)
        covered += inside
    assert covered == slots
    reasons = [one["reason"] for one in told]
    assert len(reasons) == len(set(reasons)), "a reason is told once"


class Renewal(NamedTuple):
    every: timedelta
    later: timedelta


renewals = st.lists(
    st.builds(
        Renewal,
        spans.map(lambda s: timedelta(seconds=s)),
        st.integers(0, 900).map(lambda s: timedelta(seconds=s)),
    ),
    min_size=1,
    max_size=12,
)


@given(asks(), renewals)
def test_hints_renewed_for_ever_starve_nothing(asked: Asked, given_later: Sequence[Renewal]) -> None:
    """However often an interval is given anew, its row is due so long after the base, or at its giving."""
    asked = asked._replace(passing=None, hints=())
    plain = asked.decide()
    moment = max(asked.base, asked.after)
    for renewal in given_later:
        moment += renewal.later
        hint = Hint("interval", moment, moment + timedelta(days=1), every=renewal.every)
        said = asked._replace(hints=(hint,)).decide()
        longest = max(asked.base + renewal.every, moment)
        least = timedelta(seconds=asked.definition.min_interval_s or 0)
        allowed = [max(longest, asked.base + least)]
        if pause_ahead(asked) is not None and plain.due is not None:
            allowed.append(plain.due)
        if longest <= asked.after:
            # Its time has gone by: at once, or at the rule's slot once it has expired.
            allowed += [asked.after + MICROSECOND, *([] if plain.due is None else [plain.due])]
        assert said.due is None or said.due <= max(allowed)


@given(asks(), instants())
def test_a_one_shot_never_puts_a_slot_off(asked: Asked, instant: datetime) -> None:
    without = asked._replace(hints=(), passing=None)
    given_at = max(asked.base, asked.after)
    hint = Hint("oneshot", given_at, given_at + timedelta(days=2), at=instant)
    plain, said = without.decide(), without._replace(hints=(hint,)).decide()
    if plain.source == "clamped-max" and said.source == "paused":
        # A pause comes after the bounds: what a hint says before its end gives way to the rule's own slot,
        # which the upper bound would have brought nearer, to the pause's end at the earliest.
        return
    assert plain.due is None or (said.due is not None and said.due <= plain.due)
