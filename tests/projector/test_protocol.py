"""The protocol of the conformance runner: requests, refusals, and lines that are no requests (I19)."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector import protocol
from projector.protocol import answer, serve

BAD = {"error": "bad_request", "fact": "request"}
FACTS = {
    "tenant": "acme",
    "delivery": "HTTP",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "Team:11",
    "task": "weekly-report",
    "digest": "ab" * 32,
    "due": "2026-11-30 10:00:00.5+01:00",
}
TASK = {"entrypoint": "x", "schedule": {"every_s": 60}}


def asked(**request: object) -> dict[str, object]:
    return answer(json.dumps(request).encode())


def slots(schedule: object, after: object = "1970-01-01T00:00:00Z", count: object = 1) -> dict[str, object]:
    told = asked(op="slots", schedule=schedule, after=after, count=count)
    told.pop("message", None)
    return told


def served(data: bytes) -> list[object]:
    sink = io.BytesIO()
    serve(io.BytesIO(data), sink)
    return [json.loads(line) for line in sink.getvalue().split(b"\n")[:-1]]


def test_the_worked_examples() -> None:
    assert asked(op="key", facts=FACTS) == {
        "key": "01a22bae-b874-8366-8570-3952923f32b0",
        "fingerprint": "036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959",
        "preimage": '["occurrence/1","acme","http","schedule","agent:7","team:11","weekly-report",'
        '"abababababababababababababababababababababababababababababababab","2026-11-30T09:00:00.500000Z"]',
    }
    assert answer('{"op":"digest","authored":{"name":"Zoë","timeout_s":6e1}}'.encode()) == {
        "digest": "9a6314976939cc1ddcef9069a74c09df7b29f683d0c054e01f4bb80c304f505b",
        "canonical": '{"name":"Zoë","timeout_s":60}',
    }
    assert asked(op="due", text="2026-11-30 10:00:00.5+01") == {"due": "2026-11-30T09:00:00.500000Z"}
    task = {
        "name": "Weekly report",
        "agent": "agent:7",
        "destination": "team:11",
        "delivery": "http",
        "entrypoint": "https://reports.example/run",
        "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"},
        "retry": {"attempts": 3},
    }
    assert asked(op="fold", task={**task, "timeout_s": 9e2, "delivery": "HTTP"}) == {
        "authored": task,
        "digest": "5721451d220db24aaff107a5343c7323ce96e61e8e411e53da396a70db703d9c",
    }


def test_refusals_have_the_code_and_the_fact() -> None:
    assert asked(op="key", facts=None) == {"error": "not_an_object", "fact": "facts"}
    assert asked(op="key", facts={**FACTS, "wake": "retry"}) == {"error": "bad_retry", "fact": "wake"}
    assert asked(op="key", facts={**FACTS, "x": 1}) == {"error": "unknown", "fact": "x"}
    assert asked(op="digest", authored=[]) == {"error": "not_an_object", "fact": "authored"}
    assert asked(op="digest", authored={"task": 1}) == {"error": "not_authored", "fact": "authored"}
    assert asked(op="due", text=7) == {"error": "not_a_string", "fact": "due"}
    assert asked(op="due", text=None) == {"error": "not_a_string", "fact": "due"}
    assert asked(op="due", text="1969-12-31T23:59:59Z") == {"error": "out_of_range", "fact": "due"}
    assert answer(b'{"op":"due","text":1e999}') == {"error": "not_a_string", "fact": "due"}
    for task, path in (
        (None, "task"),
        ({**TASK, "x": None}, "x"),
        ({**TASK, "schedule": {"any": [{"cron": "x"}]}}, "schedule.any.0.cron"),
    ):
        told = asked(op="fold", task=task)
        assert isinstance(told.pop("message"), str)
        assert told == {"error": "bad_task", "fact": path}
    assert answer(b'{"op":"fold","task":{"payload":[1e999]}}')["fact"] == "task"


def test_slots_are_the_first_ones_strictly_after() -> None:
    assert slots({"every_s": 60}, "2026-01-01T00:00:00Z", 2) == {
        "slots": ["2026-01-01T00:01:00.000000Z", "2026-01-01T00:02:00.000000Z"],
        "ended": False,
    }
    assert slots({"every_s": 86_400, "anchor": "2026-01-01T00:00:00.5Z"}, "2026-01-01T01:00:00+01:00") == {
        "slots": ["2026-01-01T00:00:00.500000Z"],
        "ended": False,
    }
    one = {"at": "2026-01-01T00:00:00Z"}
    assert slots(one, count=1) == {"slots": ["2026-01-01T00:00:00.000000Z"], "ended": False}
    assert slots(one, count=2) == {"slots": ["2026-01-01T00:00:00.000000Z"], "ended": True}
    assert slots(one, "2026-01-01T00:00:00Z", 1) == {"slots": [], "ended": True}
    monday = {"cron": "0 9 * * mon", "timezone": "Europe/Paris"}
    assert slots(monday, "2026-11-30T08:00:00Z", 1.0) == {
        "slots": ["2026-12-07T08:00:00.000000Z"],
        "ended": False,
    }
    assert slots({"every_s": 31_622_400}, "1800-01-01T00:00:00Z", 1000)["ended"] is True
    told = slots({"every_s": 60}, "1800-01-01T00:00:00Z", 1000)
    assert isinstance(told["slots"], list)
    assert (len(told["slots"]), told["slots"][0]) == (1000, "1800-01-01T00:01:00.000000Z")


def test_slots_refuse_in_their_order() -> None:
    bad_schedule = {"error": "bad_schedule", "fact": "schedule"}
    for schedule in (None, 7, {}, {"cron": "x"}, {"every_s": 60, "zone": "UTC"}, {"every_s": "1m"}):
        assert slots(schedule, after=7, count=0) == bad_schedule
    assert isinstance(asked(op="slots", schedule={}, after=7, count=0)["message"], str)
    for after, code in (
        (7, "not_a_string"),
        (None, "not_a_string"),
        ("", "bad_timestamp"),
        ("2026-01-01T00:00:00", "no_offset"),
        ("2026-01-01T00:00:00.0000001Z", "too_precise"),
        ("1799-12-31T23:59:59.999999Z", "out_of_range"),
        ("9999-12-31T23:59:59-01:00", "out_of_range"),
    ):
        assert slots({"every_s": 60}, after, 0) == {"error": code, "fact": "after"}
    for count in (0, 1001, -1, "1", None, True, 1.5, [], 2**60):
        assert slots({"every_s": 60}, count=count) == {"error": "bad_count", "fact": "count"}
    for text in (b"1e999", b"-1e999", b"1" + b"0" * 400):
        line = b'{"op":"slots","schedule":{"every_s":60},"after":"1970-01-01T00:00:00Z","count":%s}' % text
        assert answer(line) == {"error": "bad_count", "fact": "count"}
    # What no task could hold is no schedule, though each of its members has its form.
    rule = {"rrule": "RRULE:FREQ=YEARLY;BYMONTH=" + "12," * 1356 + "12", "start": "2026-01-01T00:00:00"}
    assert slots({"any": [rule] * 16}) == bad_schedule


LINES_THAT_ARE_NO_REQUEST = [
    *(b"", b" ", b"\r", b"\t", b"null", b"[]", b'"op"', b"7", b"NaN", b"{}", b"{", b"}", b"\x00", b"\xff"),
    *(
        b'{"op":null}',
        b'{"op":7}',
        b'{"op":["due"]}',
        b'{"op":{}}',
        b'{"op":""}',
        b'{"op":"dues","text":"x"}',
    ),
    *(b'{"op":"DUE","text":"x"}', b'{"op":"due"}', b'{"text":"x"}', b'{"op":"due","Text":"x"}'),
    b'{"op":"due","text":"x","more":null}',
    b'{"op":"due","facts":{}}',
    b'{"op":"key","facts":{},"authored":{}}',
    b'{"op":"slots","schedule":{},"after":""}',
    b'{"op":"slots","schedule":{},"after":"","count":1,"more":1}',
    b'{"op":"fold"}',
    b'\xef\xbb\xbf{"op":"due","text":"x"}',
    b'{"op":"due","text":"x"}{}',
    b'{"op":"due","text":"x"} x',
    b"{'op':'due','text':'x'}",
    b'{"op":"due","text":"x",}',
    b'{"op":"due","text":NaN}',
    b'{"op":"due","text":-Infinity}',
    b'{"op":"digest","authored":{"a":NaN}}',
    b'{"op":"due","text":01}',
    b'{"op":"due","text":"\t"}',
    b'{"op":"due","text":"\xed\xa0\x80"}',
    b'{"op":"digest","authored":{"a":"\xed\xa0\x80"}}',
    '{"op":"due","text":"x"}'.encode("utf-16"),
    # A name twice, outside `authored`: in the request itself, or anywhere within.
    b'{"op":"due","text":"x","text":"x"}',
    b'{"op":"due","\\u006fp":"due","text":"x"}',
    b'{"op":"digest","authored":{},"authored":{}}',
    b'{"op":"key","facts":{"tenant":"a","tenant":"a"}}',
    b'{"op":"fold","task":{"payload":{"a":1,"a":1}}}',
    b'{"op":"slots","schedule":{"every_s":60,"every_s":60},"after":"1970-01-01T00:00:00Z","count":1}',
    # Half a surrogate pair, outside `authored`.
    b'{"op":"due","text":"\\ud800"}',
    b'{"op":"key","facts":{"\\udfff":1}}',
    b'{"op":"fold","task":{"payload":["\\ud83dx\\ude00"]}}',
    b'{"op":"slots","schedule":"\\ud800","after":"","count":1}',
    # Over 100 levels, inside `authored` too, and behind a name that stands twice.
    b'{"op":"digest","authored":' + b"[" * 100 + b"]" * 100 + b"}",
    b'{"op":"fold","task":' + b'{"a":' * 100 + b"1" + b"}" * 101,
    b'{"op":"digest","authored":{"a":' + b"[" * 99 + b"]" * 99 + b',"a":1}}',
    b"[" * 500_000 + b"]" * 500_000,
]


@pytest.mark.parametrize("line", LINES_THAT_ARE_NO_REQUEST, ids=range(len(LINES_THAT_ARE_NO_REQUEST)))
def test_what_is_no_request_is_a_bad_request(line: bytes) -> None:
    assert answer(line) == BAD


def test_what_is_just_a_request() -> None:
    """The other side of the bounds above."""
    assert answer(b'\t{ "text" : "x",\r"op":"due" } \r') == {"error": "bad_timestamp", "fact": "due"}
    assert answer(b'{"op":"due","text":"\\ud83d\\ude00"}') == {"error": "bad_timestamp", "fact": "due"}
    assert answer(b'{"\\u006fp":"du\\u0065","text":"x"}') == {"error": "bad_timestamp", "fact": "due"}
    doubled = b'{"op":"digest","authored":{"a":[{"b":1,"b":"\\ud800"}]}}'
    assert answer(doubled) == {"error": "duplicate_member", "fact": "authored"}
    assert answer(b'{"op":"digest","authored":"\\ud800"}') == {"error": "not_an_object", "fact": "authored"}
    assert answer(b'{"op":"digest","authored":{"\\ud800":1}}') == {"error": "bad_text", "fact": "authored"}
    # 100 levels with the request's own object: 99 within it.
    deep = b'{"op":"%s","%s":{"a":' + b"[" * 98 + b"]" * 98 + b"}}"
    assert answer(deep % (b"digest", b"authored")) == {"error": "too_deep", "fact": "authored"}
    assert answer(deep % (b"fold", b"task"))["fact"] == "task"
    assert answer(deep % (b"key", b"facts")) == {"error": "missing", "fact": "tenant"}
    brackets = b'{"op":"due","text":"' + b"[{" * 1000 + b'"}'
    assert answer(brackets) == {"error": "bad_timestamp", "fact": "due"}


def test_lines_end_at_a_line_feed_alone() -> None:
    due = b'{"op":"due","text":"2026-11-30T09:00:00Z"}'
    good = {"due": "2026-11-30T09:00:00.000000Z"}
    assert served(b"") == []
    assert served(due) == [good]
    assert served(due + b"\n") == [good]
    assert served(due + b"\r\n\n" + due + b"\n") == [good, BAD, good]
    assert served(due + b"\r" + due + b"\n") == [BAD]
    wide = '{"op":"due","text":"\u2028\x85\u2029"}'.encode()
    assert served(wide + b"\n" + due) == [{"error": "bad_timestamp", "fact": "due"}, good]


def test_a_line_may_be_a_mebibyte_long() -> None:
    due = b'{"op":"due","text":"2026-11-30T09:00:00Z"}'
    good = {"due": "2026-11-30T09:00:00.000000Z"}
    longest = due.ljust(1_048_576)
    for line, told in ((longest, good), (longest + b" ", BAD), (longest * 3, BAD), (b"x" * 1_048_577, BAD)):
        assert served(due + b"\n" + line + b"\n" + due) == [good, told, good]
        assert served(due + b"\n" + line) == [good, told]


def test_an_answer_is_one_line_of_ascii() -> None:
    sink = io.BytesIO()
    serve(io.BytesIO('{"op":"digest","authored":{"a":"\u2028ë\\n\\u0000\U0001f600"}}\n'.encode()), sink)
    line = sink.getvalue()
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line)["canonical"] == '{"a":"\u2028ë\\n\\u0000\U0001f600"}'


def test_a_defect_is_told_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one way to see it is to break a part: here the derivation."""

    def broken(_facts: object) -> object:
        raise ZeroDivisionError("broken for the test")

    monkeypatch.setattr(protocol, "derive", broken)
    key = json.dumps({"op": "key", "facts": FACTS}).encode()
    told = served(key + b"\n" + b'{"op":"due","text":"2026-11-30T09:00:00Z"}\n')
    assert told[0] == {
        "error": "internal",
        "fact": "request",
        "message": "ZeroDivisionError: broken for the test",
    }
    assert told[1] == {"due": "2026-11-30T09:00:00.000000Z"}
    assert "ZeroDivisionError" in capsys.readouterr().err


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["key", "due", "fold"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = {"key": "facts", "digest": "authored", "due": "text", "fold": "task"}


@given(st.sampled_from(sorted(MEMBERS)), JSON)
def test_any_request_has_an_answer(op: str, value: object) -> None:
    """Numbers that JSON has no word for make a bad request; no request is answered by a defect."""
    (told,) = served(json.dumps({"op": op, MEMBERS[op]: value}).encode())
    assert isinstance(told, dict)
    assert told.get("error") != "internal"


@given(st.binary(max_size=60))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    lines = data.split(b"\n")
    assert served(data) == [BAD] * (len(lines) - (lines[-1] == b""))


def test_the_program_answers_each_line_as_it_comes() -> None:
    """A judge may wait for each answer before it writes the next line."""
    command = [sys.executable, "-m", "projector.protocol"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for text in ("2026-11-30T09:00:00Z", "2026-11-30T09:00:01Z"):
            program.stdin.write(json.dumps({"op": "due", "text": text}).encode() + b"\n")
            program.stdin.flush()
            assert json.loads(program.stdout.readline()) == {"due": f"{text[:-1]}.000000Z"}
        program.stdin.close()
        assert program.stdout.read() == b""
        assert program.wait(30) == 0
