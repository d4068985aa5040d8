"""Which refusal answers first, and what holds for every task that folds (I19).

The order is compared between implementations, so it is written out here as a list and walked: a task in
which everything is wrong is mended one refusal at a time.
"""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ledger.authored.fold import fold
from ledger.errors import TaskRefused

# Paths in the order in which they must answer, each with what mends it (None: the member is taken out).
IN_ORDER: list[tuple[str, object]] = [
    ("Zone", None),
    ("tenant", None),
    ("zone", None),
    ("\uff5a", None),
    ("\U0001f600", None),
    ("name", "n"),
    ("description", "d"),
    ("agent", "a"),
    ("destination", "t:1"),
    ("delivery", "http"),
    ("entrypoint", "https://x"),
    ("arguments", []),
    ("schedule.at_", None),
    ("schedule.zone", None),
    ("schedule", {"mend": "kind"}),
    ("schedule.dialect", 1),
    ("schedule.seconds", False),
    ("schedule.anchor", None),
    ("schedule.start", None),
    ("schedule.any.0.starts_at", None),
    ("schedule.any.0", {"mend": "element"}),
    ("schedule.any.0.seconds", True),
    ("schedule.any.0.cron", "0 0 9 * * *"),
    ("schedule.any.0.anchor", None),
    ("schedule.any.0.start", None),
    ("schedule.any.0.timezone", "UTC"),
    ("schedule.any.0.dst.gaps", None),
    ("schedule.any.0.dst.gap", "skip"),
    ("schedule.any.0.dst.overlap", "last"),
    ("schedule.any.1", {"rrule": 7, "anchor": 7}),
    ("schedule.any.1.anchor", None),
    ("schedule.any.1.rrule", "RRULE:FREQ=DAILY"),
    ("schedule.any.1.start", "2026-01-01T00:00:00"),
    ("schedule.timezone", "UTC"),
    ("schedule.dst.gap", "skip"),
    ("schedule.dst", None),
    ("schedule.starts_at", "2026-01-01T00:00:00Z"),
    ("schedule.ends_at", "2027-01-01T00:00:00Z"),
    ("schedule.exclude.0.off", None),
    ("schedule.exclude.0", {"from": 7, "to": 7}),
    ("schedule.exclude.0.from", "2026-01-01T00:00:00Z"),
    ("schedule.exclude.0.to", "2026-01-02T00:00:00Z"),
    ("schedule.exclude.1", {"on": 7}),
    ("schedule.exclude.1.on", "12-25"),
    ("schedule.spread_s", 1),
    ("overlap", "skip"),
    ("misfire.catchup", None),
    ("misfire.catch_up", "all"),
    ("misfire.grace_s", 1),
    ("misfire.limit", 1),
    ("timeout_s", 1),
    ("retry.ON", None),
    ("retry.attempts", 1),
    ("retry.on", []),
    ("retry.backoff_s", 1),
    ("retry.factor", 1),
    ("retry.max_s", 1),
    ("failure_backoff", "none"),
    ("min_interval_s", 2),
    ("max_interval_s", 2),
    ("paused_until", "2026-01-01T00:00:00Z"),
    ("pause_note", "p"),
    ("resume", "at_end"),
    ("labels", {}),
    ("task", None),
]


def all_wrong() -> dict[str, object]:
    """Members in the reverse of every order, so that none is right by chance."""
    span = {"on": "12-25", "to": 7, "from": 7, "off": None}
    wall = {"overlap": 7, "gap": 7, "gaps": None}
    element = {"dst": wall, "timezone": 7, "start": 7, "anchor": 7, "cron": 7, "every_s": 7, "seconds": 7}
    schedule = {
        "spread_s": 7.5, "exclude": [span, None], "ends_at": "2026-01-01T00:00:00Z", "starts_at": 7,
        "dst": {"gap": 7}, "timezone": 7, "any": [{**element, "starts_at": None}, None], "start": 7,
        "anchor": 7, "cron": 7, "seconds": 7, "dialect": 7, "zone": None, "at_": None,
    }  # fmt: skip
    task: dict[str, object] = {
        "display": "x" * 65536, "labels": 7, "resume": 7, "pause_note": 7, "paused_until": 7,
        "max_interval_s": 1, "min_interval_s": 0, "failure_backoff": 7,
        "retry": {"max_s": 0, "factor": 0, "backoff_s": -1, "on": 7, "attempts": -1, "ON": None},
        "timeout_s": 0, "misfire": {"limit": 0, "grace_s": -1, "catch_up": 7, "catchup": None}, "overlap": 7,
        "schedule": schedule, "arguments": ["a"], "entrypoint": "x", "delivery": 7, "destination": 7,
        "agent": 7, "description": 7, "name": 7,
    }  # fmt: skip
    return task | dict.fromkeys(("\U0001f600", "\uff5a", "zone", "tenant", "Zone"))


def mend(task: dict[str, Any], path: str, value: object) -> None:
    """Put `value` at `path`, or take the member out; two refusals of a whole object are mended within it."""
    if path == "task":
        del task["display"]
        return
    place: Any = task
    *outer, last = path.split(".")
    for step in outer:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if value == {"mend": "kind"}:
        del task["schedule"]["cron"]
    elif value == {"mend": "element"}:
        del place[int(last)]["every_s"]
    elif value is None:
        del place[last]
    elif isinstance(place, list):
        place[int(last)] = value
    else:
        place[last] = value


def test_refusals_answer_in_the_order_of_the_tables() -> None:
    task = all_wrong()
    for path, value in IN_ORDER:
        before = copy.deepcopy(task)
        with pytest.raises(TaskRefused) as caught:
            fold(task)
        assert caught.value.path == path
        assert task == before
        mend(task, path, value)
    assert fold(task).authored["schedule"] == {
        "any": [
            {"seconds": True, "cron": "0 0 9 * * *", "dst": {"gap": "skip", "overlap": "last"}},
            {"rrule": "RRULE:FREQ=DAILY", "start": "2026-01-01T00:00:00"},
        ],
        "starts_at": "2026-01-01T00:00:00.000000Z",
        "ends_at": "2027-01-01T00:00:00.000000Z",
        "exclude": [
            {"from": "2026-01-01T00:00:00.000000Z", "to": "2026-01-02T00:00:00.000000Z"},
            {"on": "12-25"},
        ],
        "spread_s": 1,
    }


# --- What holds for every task ----------------------------------------------------------------

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
IDENTIFIER = st.text("abzAZ019:._-/<&", min_size=1, max_size=12)
STAMP = st.datetimes().filter(lambda at: 1970 < at.year < 9999).map(lambda at: f"{at.isoformat(' ')}+01:00")
OPAQUE = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXT | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def whole(least: int, most: int) -> st.SearchStrategy[object]:
    number = st.integers(least, most)
    return number | number.map(float)


def some(**members: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    """An object with any of these members, null among what they may be."""
    return st.fixed_dictionaries({}, optional={name: st.none() | member for name, member in members.items()})


def kind(
    required: dict[str, st.SearchStrategy[object]], **optional: st.SearchStrategy[object]
) -> st.SearchStrategy:
    rest = {name: st.none() | member for name, member in optional.items()}
    return st.fixed_dictionaries(required, optional=rest)


ZONE = st.sampled_from(["UTC", "Etc/UTC", "Europe/Paris", "Asia/Calcutta"])
DST = some(gap=st.sampled_from(["shift", "skip"]), overlap=st.sampled_from(["first", "last", "both"]))
CRONS = st.sampled_from(["0 9 * * MON", " */5\t* * * * ", "@daily", "0 0 l * ?", "15,45 8-18 * jan-mar 1-5"])
PLAIN = st.one_of(
    kind({"cron": CRONS}, timezone=ZONE, dst=DST, seconds=st.just(False)),
    kind({"every_s": whole(1, 31_622_400)}, timezone=ZONE, anchor=STAMP | st.just("1970-01-01T00:00:00Z")),
    kind({"at": STAMP}, timezone=ZONE),
    kind(
        {"rrule": st.just("RRULE:FREQ=DAILY"), "start": st.just("2026-01-01T09:00:00")},
        timezone=ZONE,
        dst=DST,
    ),
)
EXCLUDE = st.lists(
    st.fixed_dictionaries({"on": st.sampled_from(["12-25", "02-29", "2026-01-01"])}), max_size=3
)
AROUND = {
    "dialect": st.just(1), "starts_at": STAMP, "exclude": EXCLUDE, "spread_s": whole(0, 86_400),
}  # fmt: skip
SCHEDULE = st.tuples(
    PLAIN | st.lists(PLAIN, min_size=1, max_size=3).map(lambda elements: {"any": elements}), some(**AROUND)
).map(lambda parts: {**parts[1], **parts[0]})
INTERVAL = whole(1, 31_622_400)
OUTCOMES = st.lists(st.sampled_from(["failed", "timed_out", "lost"]), max_size=4)
MEMBERS: dict[str, st.SearchStrategy[object]] = {
    "name": TEXT,
    "description": TEXT,
    "agent": IDENTIFIER,
    "destination": st.tuples(st.sampled_from(["team", "Team", "local"]), IDENTIFIER).map(":".join),
    "delivery": st.sampled_from(["python", "PYTHON", "pull", "Celery", "command"]),
    "payload": OPAQUE,
    "overlap": st.sampled_from(["skip", "queue", "allow", "replace"]),
    "misfire": some(
        catch_up=st.sampled_from(["latest", "all", "none"]), grace_s=whole(0, 60), limit=whole(99, 101)
    ),
    "timeout_s": whole(899, 901),
    "retry": some(
        attempts=whole(0, 1), on=OUTCOMES, backoff_s=whole(9, 11), factor=whole(1, 3), max_s=whole(1, 9)
    ),
    "failure_backoff": st.sampled_from(["double", "none"]),
    "min_interval_s": whole(1, 9),
    "max_interval_s": whole(10, 99),
    "paused_until": STAMP,
    "pause_note": TEXT,
    "resume": st.sampled_from(["next_slot", "at_end"]),
    "labels": st.dictionaries(TEXT, TEXT, max_size=3),
    "display": OPAQUE,
}
TASKS = st.tuples(
    some(**MEMBERS), st.fixed_dictionaries({"entrypoint": TEXT.filter(bool), "schedule": SCHEDULE})
).map(lambda parts: parts[0] | parts[1])


@given(TASKS)
def test_folding_what_is_folded_changes_nothing(task: dict[str, object]) -> None:
    once = fold(task)
    event(f"{len(once.authored)} members")
    assert fold(once.authored) == once
    assert json.loads(once.canonical) == once.authored


@given(TASKS, st.randoms(use_true_random=False))
def test_order_and_spelling_change_no_digest(task: dict[str, object], random: Random) -> None:
    """Members shuffled at every depth, whole numbers written as floats and back."""

    def respelled(value: object) -> object:
        if isinstance(value, dict):
            members = [(name, respelled(member)) for name, member in value.items()]
            random.shuffle(members)
            return dict(members)
        if isinstance(value, list):
            return [respelled(element) for element in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    assert fold(respelled(task)) == fold(task)


@given(TASKS)
def test_nothing_that_is_kept_is_null_or_empty(task: dict[str, object]) -> None:
    """Outside the opaque values: no null, no inner object left empty, no number that is not an integer."""

    def judged(value: object) -> None:
        assert value is not None
        assert not isinstance(value, float)
        assert value != {}
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            judged(inner)

    authored = fold(task).authored
    judged({name: value for name, value in authored.items() if name not in ("payload", "display", "labels")})


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(TASKS, st.lists(st.tuples(st.sampled_from(sorted(MEMBERS)), ANYTHING), min_size=1, max_size=3))
def test_anything_at_all_is_folded_or_refused(
    task: dict[str, object], changes: list[tuple[str, object]]
) -> None:
    """No other error comes out, and a refusal's path begins with a member that was handed in."""
    changed = {**task, **dict(changes)}
    try:
        result = fold(changed)
    except TaskRefused as refusal:
        event("refused")
        path = refusal.path
    else:
        event("folded")
        path = "task"
        assert fold(result.authored) == result
    assert path.partition(".")[0] in {*changed, "task"}
