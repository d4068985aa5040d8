"""Folding a task's own members: what is kept, what is left out, and the path of what is refused (I19)."""

from __future__ import annotations

import json

import pytest
import rfc8785
from blake3 import blake3

from ledger.authored.fold import fold
from ledger.errors import TaskRefused

MINIMAL: dict[str, object] = {"entrypoint": "report", "schedule": {"every_s": 60}}


def folded(**members: object) -> dict[str, object]:
    """What the members fold to, without the two that every task has."""
    authored = fold({**MINIMAL, **members}).authored
    return {name: value for name, value in authored.items() if value != MINIMAL.get(name)}


def path_of(task: object) -> str:
    with pytest.raises(TaskRefused) as caught:
        fold(task)
    return caught.value.path


def refused(**members: object) -> str:
    return path_of({**MINIMAL, **members})


def test_the_worked_example() -> None:
    task = {
        "name": "Weekly report",
        "agent": "agent:7",
        "destination": "team:11",
        "delivery": "http",
        "entrypoint": "https://reports.example/run",
        "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"},
        "retry": {"attempts": 3},
    }
    result = fold(task)
    assert result.digest.hex() == "5721451d220db24aaff107a5343c7323ce96e61e8e411e53da396a70db703d9c"
    assert result.authored == task
    assert result.canonical == (
        '{"agent":"agent:7","delivery":"http","destination":"team:11","entrypoint":"https://reports.example/run",'
        '"name":"Weekly report","retry":{"attempts":3},'
        '"schedule":{"cron":"0 9 * * MON","timezone":"Europe/Paris"}}'
    )


def test_the_digest_is_taken_over_the_folded_object() -> None:
    expected = {**MINIMAL, "payload": {"b": [1.5, None], "a": "ë"}, "delivery": "pull"}
    result = fold({**expected, "delivery": "PULL", "name": "", "overlap": None})
    text = rfc8785.dumps(expected)
    assert result.canonical.encode() == text
    context = "occurrence-ledger 2026-11-30 task digest v1"
    assert result.digest == blake3(text, derive_key_context=context).digest()


# Every member, as the table of the specification has it: a default spelled out, alone or within.
DEFAULTS = {
    "name": "",
    "description": "",
    "agent": "default",
    "destination": "local:default",
    "delivery": "python",
    "arguments": [],
    "overlap": "skip",
    "misfire": {"catch_up": "latest", "grace_s": None, "limit": 100},
    "timeout_s": 900,
    "retry": {
        "attempts": 0,
        "on": ["failed", "timed_out"],
        "backoff_s": 10,
        "factor": 2,
        "max_s": 3600,
    },
    "failure_backoff": "double",
    "pause_note": "",
    "resume": "next_slot",
    "labels": {},
}
OTHER_SPELLINGS = {
    "destination": "LOCAL:default",
    "delivery": "Python",
    "misfire": {"limit": 1e2},
    "timeout_s": 9e2,
    "retry": {"attempts": -0.0, "on": ["timed_out", "failed", "timed_out"], "backoff_s": 10.0},
}
WITHOUT_DEFAULT = ("payload", "min_interval_s", "max_interval_s", "paused_until", "display")


def test_a_default_a_null_or_nothing_is_one_task() -> None:
    minimal = fold(MINIMAL)
    assert minimal.authored == MINIMAL
    for spelled in (DEFAULTS, OTHER_SPELLINGS):
        for name, value in spelled.items():
            assert fold({**MINIMAL, name: value}) == minimal, name
    for name in (*DEFAULTS, *WITHOUT_DEFAULT):
        assert fold({**MINIMAL, name: None}) == minimal, name
    assert fold({**MINIMAL, **DEFAULTS}) == minimal
    assert fold({**MINIMAL, "misfire": {}, "retry": {}}) == minimal
    assert (
        fold({**MINIMAL, "retry": dict.fromkeys(("attempts", "on", "backoff_s", "factor", "max_s"))})
        == minimal
    )


def test_nothing_equals_a_default_that_is_left_out() -> None:
    for payload in ({}, [], 0, False, "", {"a": None}, [None]):
        assert folded(payload=payload) == {"payload": payload}
        assert folded(display=payload) == {"display": payload}
    assert folded(misfire={"grace_s": 60}) == {"misfire": {"grace_s": 60}}
    assert folded(misfire={"grace_s": 0, "catch_up": "none"}) == {
        "misfire": {"grace_s": 0, "catch_up": "none"}
    }
    assert folded(misfire={"limit": 7}) == {"misfire": {"limit": 7}}


@pytest.mark.parametrize(
    ("name", "written", "kept"),
    [
        ("name", "  Zoë \n\u2028", "  Zoë \n\u2028"),
        ("name", "\U0001f600" * 200, "\U0001f600" * 200),
        ("description", "x" * 10_000, "x" * 10_000),
        ("agent", "Agent:7", "Agent:7"),
        ("agent", "x" * 200, "x" * 200),
        ("destination", "TEAM:A:011", "team:A:011"),
        ("delivery", "Celery", "celery"),
        ("entrypoint", "x" * 2_000, "x" * 2_000),
        ("entrypoint", " ", " "),
        ("overlap", "replace", "replace"),
        ("misfire", {"grace_s": 31_622_400, "catch_up": "all", "limit": 1_000}, None),
        ("timeout_s", 604_800, 604_800),
        ("timeout_s", 6e1, 60),
        ("timeout_s", 1.0, 1),
        ("retry", {"attempts": 100, "backoff_s": 86_400, "factor": 10, "max_s": 604_800}, None),
        ("retry", {"backoff_s": 0, "factor": 1, "max_s": 1}, None),
        ("retry", {"on": []}, {"on": []}),
        ("retry", {"on": ["timed_out", "lost", "lost", "failed"]}, {"on": ["failed", "lost", "timed_out"]}),
        ("failure_backoff", "none", "none"),
        ("min_interval_s", 31_622_400.0, 31_622_400),
        ("max_interval_s", 1, 1),
        ("paused_until", "2026-11-30 10:00:00+01:00", "2026-11-30T09:00:00.000000Z"),
        ("pause_note", "x" * 1_000, "x" * 1_000),
        ("resume", "at_end", "at_end"),
        ("labels", {"": "", "ë": "\n"}, {"": "", "ë": "\n"}),
        ("labels", {str(n): "x" for n in range(64)}, None),
        ("payload", {"deep": [{"nul": "\0", "n": 1.50}]}, {"deep": [{"nul": "\0", "n": 1.5}]}),
    ],
)
def test_a_member_is_kept_in_its_normal_form(name: str, written: object, kept: object) -> None:
    assert folded(**{name: written}) == {name: written if kept is None else kept}


NO_TEXT: list[object] = [7, True, ["a"], {}]
NO_NUMBER: list[object] = ["60", "15m", True, [60], {}, 60.5, 1e-9]
REFUSED: dict[str, list[object]] = {
    "name": [*NO_TEXT, "x" * 201, "a\0"],
    "description": [*NO_TEXT, "x" * 10_001, "a\0"],
    "agent": [*NO_TEXT, "", "x" * 201, "a b", "ë", "a\n"],
    "destination": [*NO_TEXT, "", "team", ":11", "team:", "7:11", "team:1 1", "t" * 65 + ":1"],
    "delivery": [*NO_TEXT, "", "pyth\u014dn", "soap", "pull ", "\u212aelery"],
    "entrypoint": [*NO_TEXT, "", "x" * 2_001, "a\0"],
    "arguments": [7, "a", {}, [7], [None], ["a\0"], [["a"]], ["only for command"]],
    "overlap": [*NO_TEXT, "", "Skip", "skip "],
    "misfire": [7, "latest", [], [["catch_up", "all"]]],
    "misfire.catch_up": [*NO_TEXT, "Latest", "newest"],
    "misfire.grace_s": [*NO_NUMBER, -1, 31_622_401],
    "misfire.limit": [*NO_NUMBER, 0, 1_001],
    "timeout_s": [*NO_NUMBER, 0, -1, 604_801, 2**53 - 1],
    "retry": [7, "3", []],
    "retry.attempts": [*NO_NUMBER, -1, 101],
    "retry.on": [7, "failed", {}, ["Failed"], [None], [7], [["failed"]], ["succeeded"], [{}]],
    "retry.backoff_s": [*NO_NUMBER, -1, 86_401],
    "retry.factor": [*NO_NUMBER, 0, 11],
    "retry.max_s": [*NO_NUMBER, 0, 604_801],
    "failure_backoff": [*NO_TEXT, "Double"],
    "min_interval_s": [*NO_NUMBER, 0, 31_622_401],
    "max_interval_s": [*NO_NUMBER, 0, 31_622_401],
    "paused_until": [*NO_TEXT, "", "2026-11-30", "2026-11-30T09:00:00", "1969-12-31T23:59:59Z", 1796029200],
    "pause_note": [*NO_TEXT, "x" * 1_001, "a\0"],
    "resume": [*NO_TEXT, "next"],
    "labels": [7, "a", [], {"a": 1}, {"a": None}, {"a": "\0"}, {"\0": "a"}, {str(n): "x" for n in range(65)}],
}


@pytest.mark.parametrize(("path", "value"), [(path, value) for path in REFUSED for value in REFUSED[path]])
def test_a_member_that_does_not_fit_is_refused_at_its_path(path: str, value: object) -> None:
    outer, _, inner = path.partition(".")
    assert refused(**{outer: {inner: value} if inner else value}) == path


def test_what_a_member_needs_of_those_above_it() -> None:
    assert folded(delivery="command", arguments=["", "-v"]) == {
        "delivery": "command",
        "arguments": ["", "-v"],
    }
    assert refused(delivery="celery", arguments=["-v"]) == "arguments"
    assert folded(delivery="http", entrypoint="https://x", arguments=[])["entrypoint"] == "https://x"
    assert folded(delivery="HTTP", entrypoint="http://x/%20?a=<b>")["entrypoint"] == "http://x/%20?a=<b>"
    for address in (
        "https://",
        "HTTPS://x",
        "ftp://x",
        "http:x",
        "https://a b",
        "https://ë",
        "https://x\n",
        "x",
    ):
        assert refused(delivery="http", entrypoint=address) == "entrypoint"
    both = {"min_interval_s": 60, "max_interval_s": 60}
    assert folded(**both) == both
    assert refused(min_interval_s=61, max_interval_s=60) == "max_interval_s"


def test_the_two_members_that_every_task_has() -> None:
    for value in (None, "absent"):
        task: dict[str, object] = {"entrypoint": value, "schedule": value}
        assert path_of({name: member for name, member in task.items() if member != "absent"}) == "entrypoint"
        task["entrypoint"] = "report"
        assert path_of({name: member for name, member in task.items() if member != "absent"}) == "schedule"


@pytest.mark.parametrize("task", [None, [], "task", 7, True, [MINIMAL]])
def test_a_task_is_an_object(task: object) -> None:
    assert path_of(task) == "task"


def test_what_is_wrong_anywhere_answers_for_the_whole() -> None:
    for number in (1e16, float("inf"), float("nan"), 2**53, -(2**53), 10**5000):
        assert refused(payload={"a": [number]}, unknown=1) == "task"
        assert refused(schedule={"every_s": number}) == "task"
    # The task is the first of 64 levels.
    assert folded(payload=json.loads("[" * 63 + "]" * 63))
    assert refused(payload=json.loads("[" * 64 + "]" * 64), unknown=1) == "task"
    assert refused(unknown=json.loads("[" * 64 + "]" * 64)) == "task"


def test_size_is_judged_last_and_in_canonical_bytes() -> None:
    beside = len('{"entrypoint":"report","payload":"","schedule":{"every_s":60}}')
    most = "x" * (65536 - beside)
    assert len(fold({**MINIMAL, "payload": most}).canonical) == 65536
    assert len(fold({**MINIMAL, "payload": most, "timeout_s": 900.0, "name": ""}).canonical) == 65536
    assert refused(payload=most + "x") == "task"
    assert refused(payload=most[:-1] + "ë") == "task"
    assert refused(payload=most + "x", overlap="no") == "overlap"
    assert refused(payload=most + "x", display=1, unknown=1) == "unknown"


def test_the_answer_shares_nothing_with_what_was_handed_in() -> None:
    payload = {"list": [1]}
    result = fold({**MINIMAL, "payload": payload})
    payload["list"].append(2)
    assert result.authored["payload"] == {"list": [1]}


def test_a_caller_in_python_is_told_what_no_json_says() -> None:
    for value in (object(), b"x", {1, 2}, {7: "x"}, "\ud800", {"\udfff": 1}):
        assert refused(payload=value) == "task"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            {**MINIMAL, "overlap": "skipp"},
            "overlap: must be one of skip, queue, allow, replace, not 'skipp'; did you mean 'skip'?",
        ),
        (
            {**MINIMAL, "time_out_s": 5},
            "time_out_s: is no member here; did you mean 'timeout_s'?",
        ),
        (
            {**MINIMAL, "retry": {"attempt": 5}},
            "retry.attempt: is no member here; did you mean 'attempts'?",
        ),
        (
            {**MINIMAL, "enabled": True},
            "enabled: is the task's switch and no part of what it says; hand it over beside the task",
        ),
        (
            {**MINIMAL, "timeout_s": "15m"},
            "timeout_s: must be a whole number of seconds from 1 to 604800, not '15m'",
        ),
        (
            {**MINIMAL, "agent": "a b"},
            "agent: 'a b' has ' ' as character 2; an identifier is printable ASCII without spaces, \" and \\",
        ),
        (
            {**MINIMAL, "paused_until": "2026-11-30T09:00:00"},
            "paused_until: '2026-11-30T09:00:00' has no offset; end it with Z or one like +01:00",
        ),
        (
            {"schedule": {"every_s": 60}},
            "entrypoint: is missing; write what is to be run, such as the name of a registered handler",
        ),
    ],
)  # fmt: skip
def test_a_refusal_names_the_member_and_the_right_form(task: object, message: str) -> None:
    with pytest.raises(TaskRefused) as caught:
        fold(task)
    assert str(caught.value) == message
