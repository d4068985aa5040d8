"""Lines worked by hand that are no requests, and a few that only look so."""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

from collections.abc import Iterator

from conformance.entries import Piece
from tests.conformance.hand.working import Worked, entry, refusal

_DUE = '{"op":"due","text":"2026-11-30T09:00:00Z"}'
_ANSWER: dict[str, object] = {"due": "2026-11-30T09:00:00.000000Z"}
_MOST = 1_048_576

_BAD: tuple[tuple[str, list[Piece]], ...] = (
    ("a blank line", [""]),
    ("a byte order mark", ["\ufeff" + _DUE]),
    ("not UTF-8", ['{"op":"due","text":"', {"hex": "ff"}, '"}']),
    ("half a pair written as UTF-8", ['{"op":"due","text":"', {"hex": "eda080"}, '"}']),
    ("NaN", ['{"op":"due","text":NaN}']),
    ("a leading zero", ['{"op":"digest","authored":{"a":01}}']),
    ("something behind the value", [_DUE + "x"]),
    ("a comma too many", ['{"op":"due","text":"x",}']),
    ("a tab within a text", ['{"op":"due","text":"\t"}']),
    ("an array", ["[" + _DUE + "]"]),
    ("an unknown operation", ['{"op":"sing","text":"x"}']),
    ("no operation", ['{"text":"x"}']),
    ("a member is not there", ['{"op":"due"}']),
    ("a member too many", ['{"op":"due","text":"x","id":1}']),
    ("a name twice", ['{"op":"due","text":"x","text":"x"}']),
    ("a name twice deep within a task", ['{"op":"fold","task":{"payload":[{"a":1,"a":1}]}}']),
    ("half a pair in a task", ['{"op":"fold","task":{"name":"\\ud800"}}']),
    ("half a pair in a due", ['{"op":"due","text":"\\ud800"}']),
    ("101 levels", ['{"op":"digest","authored":', {"repeat": "[", "times": 100}, {"repeat": "]", "times": 100}, "}"]),
    ("one byte more than 1 MiB", [_DUE, {"repeat": " ", "times": _MOST - len(_DUE) + 1}]),
)  # fmt: skip


def requests() -> Iterator[Worked]:
    for number, (about, pieces) in enumerate(_BAD, 1):
        answer = refusal("bad_request", "request")
        yield entry(f"hand-request-bad-{number:02}", about, pieces, answer, "by hand")
    yield entry("hand-request-1", "white space around", [f" \t\r{_DUE}\r "], _ANSWER, "by hand")
    escaped = '{"\\u006fp":"d\\u0075e","text":"2026-11-30T09:00:00\\u005A"}'
    yield entry("hand-request-2", "escapes everywhere", [escaped], _ANSWER, "by hand")
    full: list[Piece] = [_DUE, {"repeat": " ", "times": _MOST - len(_DUE)}]
    yield entry("hand-request-3", "exactly 1 MiB", full, _ANSWER, "by hand")
    deep: list[Piece] = [
        '{"op":"digest","authored":',
        {"repeat": "[", "times": 99},
        {"repeat": "]", "times": 99},
        "}",
    ]
    yield entry(
        "hand-request-4",
        "100 levels are read",
        deep,
        refusal("not_an_object", "authored"),
        "by hand",
    )
