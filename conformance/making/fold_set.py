"""Requests for `fold`: each member right and wrong, what has no effect, and the order of the refusals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from conformance.making import objects, tasks, wire
from conformance.making import samples as s
from conformance.making.hostile import Pieces
from conformance.making.members import TASK_MEMBERS, Member, put
from conformance.making.schedules import ANY_MEMBERS, EXCLUDE_MEMBERS, SCHEDULE_MEMBERS
from conformance.making.sets import Candidate, chance, of
from conformance.making.wire import Pairs, Raw

_ABOUT_MOST = 60


def folds() -> Iterator[Candidate]:
    for value in (*objects.NOT_OBJECTS, {}):
        yield of("fold", f"a task that is {wire.plain(value)}", value)
    for member in (*TASK_MEMBERS, *SCHEDULE_MEMBERS, *ANY_MEMBERS, *EXCLUDE_MEMBERS):
        yield from _member(member)
    yield from _unknown()
    yield from _pairs()
    yield from _kinds()
    yield from _whole()
    yield from _sizes()
    rng = chance("fold")
    for number in range(150):
        yield of("fold", f"valid {number + 1}", tasks.valid(rng), rng)
    for number in range(150):
        yield of("fold", f"spoilt {number + 1}", tasks.wrong(rng), rng)


def _member(member: Member) -> Iterator[Candidate]:
    for value in (*member.right, *member.wrong):
        written = wire.plain(value)
        shown = written if len(written) <= _ABOUT_MOST else f"{written[:_ABOUT_MOST]}…"
        yield of("fold", f"{member.path} is {shown}", put(member.within, member.path, value))
    yield of("fold", f"{member.path} is null", put(member.within, member.path, None))


def _unknown() -> Iterator[Candidate]:
    """Unknown members, null or not, come before all else in their object, in code-point order."""
    places = (
        *(
            ("", s.EVERY),
            ("schedule.", s.CRON),
            ("retry.", s.EVERY),
            ("misfire.", s.EVERY),
            ("schedule.dst.", s.CRON),
        ),
        *(("schedule.any.1.", s.ANY), ("schedule.exclude.0.", s.excluding({"on": "12-25"}))),
    )
    for above, within in places:
        for name in ("x", "", "Name", "enabled", "😀", "__proto__", "0"):
            for value in (1, None):
                yield of(
                    "fold",
                    f"unknown member {name!a} in {above or 'the task'}",
                    put(within, above + name, value),
                )
        for names in (("b", "a"), ("😀", "\ue000"), ("a", "B"), ("aa", "a"), ("é", "z")):
            task = put(put(within, above + names[0], 1), above + names[1], None)
            yield of("fold", f"two unknown members {names!a} in {above or 'the task'}", task)
    yield of("fold", "an unknown member before a missing one", {"x": 1})
    yield of("fold", "an unknown member before the kinds", {"entrypoint": "e", "schedule": {"x": 1}})
    yield of("fold", "an unknown member and two kinds", put(put(s.CRON, "schedule.at", "x"), "schedule.y", 1))
    yield of("fold", "an unknown member within, and an outer one", put(put(s.CRON, "schedule.y", 1), "z", 1))
    yield of("fold", "a name before an unknown member within", put(put(s.CRON, "schedule.y", 1), "name", 7))
    yield of("fold", "an unknown member in exclude, and no form", s.excluding({"x": 1}))
    yield of("fold", "a dot in a name", put(s.CRON, "schedule", {"a.b": 1, "cron": "@daily"}))


# One wrong value for each member of a task, the schedule whole.
_WRONG: dict[str, object] = {
    "name": 7, "description": 7, "agent": "", "destination": "x", "delivery": "x", "entrypoint": "",
    "arguments": "x", "schedule": [], "overlap": "x", "misfire": 7, "timeout_s": 0, "retry": 7,
    "failure_backoff": "x", "min_interval_s": 0, "max_interval_s": 0, "paused_until": "x", "pause_note": 7,
    "resume": "x", "labels": [],
}  # fmt: skip
_WRONG_SCHEDULE: dict[str, object] = {
    "dialect": 2, "seconds": 7, "cron": "x", "anchor": s.TIMES[0], "start": s.LOCAL[0], "timezone": "x",
    "dst": 7, "starts_at": "x", "ends_at": "x", "exclude": {}, "spread_s": -1,
}  # fmt: skip
_WRONG_INNER: dict[str, tuple[object, ...]] = {
    "misfire": ({"catch_up": "x"}, {"grace_s": -1}, {"limit": 0}),
    "retry": ({"attempts": -1}, {"on": 1}, {"backoff_s": -1}, {"factor": 0}, {"max_s": 0}),
    "schedule.dst": ({"gap": "x"}, {"overlap": "x"}),
}


def _pairs() -> Iterator[Candidate]:
    """Two members wrong at once: the table's order says which is answered."""
    for first, other in itertools.combinations(_WRONG, 2):
        # Written in the other order, so that the order of the text is no help.
        task = put(put(s.EVERY, other, _WRONG[other]), first, _WRONG[first])
        yield of("fold", f"{first} and {other} wrong", Pairs(tuple(reversed(task.items()))))
    for first, other in itertools.combinations(_WRONG_SCHEDULE, 2):
        schedule = {"cron": "0 9 * * *", other: _WRONG_SCHEDULE[other], first: _WRONG_SCHEDULE[first]}
        yield of("fold", f"schedule.{first} and {other} wrong", put(s.CRON, "schedule", schedule))
    for path, wrongs in _WRONG_INNER.items():
        for one, two in itertools.combinations(wrongs, 2):
            if isinstance(one, dict) and isinstance(two, dict):
                yield of("fold", f"two wrong in {path}", put(s.CRON, path, {**two, **one}))
    yield of("fold", "both wrong in a span", s.excluding({"to": "x", "from": "x"}))
    yield of("fold", "two wrong elements", put(s.ANY, "schedule.any", [{"every_s": 0}, {"cron": "x"}]))
    empty = put(s.ANY, "schedule.any.1", {})
    yield of("fold", "a second wrong element and a wrong zone", put(empty, "schedule.timezone", "x"))
    yield of(
        "fold", "the tenth element", put(s.BARE, "schedule.any", [{"every_s": 1}] * 10 + [{"every_s": 0}])
    )


def _kinds() -> Iterator[Candidate]:
    """No kind, two kinds, and members that go with another one."""
    kinds: dict[str, dict[str, object]] = {
        "cron": {"cron": "0 9 * * *"},
        "every_s": {"every_s": 60},
        "at": {"at": s.TIMES[0]},
        "rrule": {"rrule": "RRULE:FREQ=DAILY", "start": s.LOCAL[0]},
        "any": {"any": [{"every_s": 60}]},
    }
    for one, two in itertools.combinations(kinds, 2):
        yield of("fold", f"{one} and {two}", put(s.BARE, "schedule", {**kinds[one], **kinds[two]}))
        yield of("fold", f"{one}, and {two} null", put(s.BARE, "schedule", {**kinds[one], two: None}))
    for kind, schedule in kinds.items():
        given: dict[str, tuple[object, ...]] = {
            "seconds": (True, False, None), "anchor": (s.TIMES[0], "1970-01-01T00:00:00+00", None),
            "dst": ({"gap": "skip"}, {"gap": "shift"}, {}, None, {"overlap": "both"}),
            "start": (s.LOCAL[1], None),
            "timezone": ("Asia/Tokyo", "UTC"), "dialect": (1,), "spread_s": (5, 0),
            "starts_at": (s.TIMES[0],), "ends_at": (s.TIMES[0],), "exclude": ([], [{"on": "12-25"}]),
        }  # fmt: skip
        for name, values in given.items():
            for value in values:
                yield of("fold", f"{name} with {kind}", put(s.BARE, "schedule", {**schedule, name: value}))
        yield of("fold", f"{kind} is null and alone", put(s.BARE, "schedule", {kind: None}))
        yield of("fold", f"{kind} as an element", put(s.ANY, "schedule.any.0", schedule))
    for at in (
        "2026-11-30T09:00:00Z",
        "2026-11-30T10:00:00+01:00",
        "2026-11-30T09:00:00.000001Z",
        "2026-11-30T08:59:59Z",
    ):
        bounded = put(s.CRON, "schedule.starts_at", "2026-11-30T09:00:00Z")
        yield of("fold", f"it starts at nine and ends at {at}", put(bounded, "schedule.ends_at", at))


def _whole() -> Iterator[Candidate]:
    """What a task is refused for as a whole comes before any member, wherever it stands."""
    for number in (*objects.BAD_NUMBERS, "9007199254740991", "1e-400"):
        yield of("fold", f"a payload of {number[:40]}", put(s.EVERY, "payload", [Raw(number)]))
    wrong = put(s.EVERY, "name", 7)
    yield of("fold", "a bad number behind a wrong name", put(wrong, "payload", Raw("1e30")))
    yield of("fold", "a bad number under an unknown member", put(wrong, "x", {"y": Raw("-1e30")}))
    yield of("fold", "a bad number where a number is wanted", put(s.EVERY, "timeout_s", Raw("1e16")))
    yield of("fold", "a bad number in an element", put(s.BARE, "schedule.any", [Raw("1e999")]))
    for kind in ("[", "{", "mixed"):
        for levels in (62, 63, 64, 65):
            yield of(
                "fold",
                f"a payload of {levels} levels of {kind}",
                put(s.EVERY, "payload", objects.nested(levels, kind)),
            )
    yield of("fold", "too deep behind a wrong name", put(wrong, "payload", objects.nested(70)))
    yield of("fold", "too deep under an unknown member", put(wrong, "x", objects.nested(70)))
    for missing in ("entrypoint", "schedule"):
        yield of("fold", f"no {missing}", {name: value for name, value in s.EVERY.items() if name != missing})
        yield of("fold", f"{missing} null, and a wrong label", {**s.EVERY, missing: None, "labels": 7})
    yield of("fold", "neither entrypoint nor schedule", {"name": "x"})
    yield of(
        "fold",
        "delivery wrong, and an address that is none",
        {**s.EVERY, "delivery": "ftp", "entrypoint": "x y"},
    )
    yield of(
        "fold",
        "arguments with http, and an address that is none",
        {**s.HTTP, "entrypoint": "x", "arguments": ["a"]},
    )


def _sizes() -> Iterator[Candidate]:
    """65,536 canonical bytes are taken, counted once the task is folded."""
    head = '{"op":"fold","task":{"entrypoint":"e","schedule":{"every_s":60},"payload":"'
    # {"entrypoint":"e","payload":"…","schedule":{"every_s":60}}
    around = len('{"entrypoint":"e","payload":"","schedule":{"every_s":60}}')
    for more in (0, 1, 1000):
        pieces: Pieces = [head, {"repeat": "x", "times": 65536 - around + more}, '"}}']
        yield Candidate(f"a task of {65536 + more} canonical bytes", pieces)
    yield Candidate(
        "a task of 70,000 characters, most of them escaped letters",
        [head, {"repeat": "\\u0041", "times": 12_000}, '"}}'],
    )
    for tail in ('","name":7}}', '","zzz":1}}'):
        yield Candidate("too large, and a wrong member", [head, {"repeat": "x", "times": 70_000}, tail])
    nulls: Pieces = [
        '{"op":"fold","task":{"entrypoint":"e","schedule":{"every_s":60},"name":null',
        {"repeat": " ", "times": 70_000},
        "}}",
    ]
    yield Candidate("large only by white space", nulls)
    cron: Pieces = [
        '{"op":"fold","task":{"entrypoint":"e","schedule":{"cron":"',
        {"repeat": " ", "times": 70_000},
        '@daily"}}}',
    ]
    yield Candidate("large only before it is folded", cron)
