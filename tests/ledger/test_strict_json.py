"""The strict reader takes RFC 8259 alone, and hides nothing that two readers may read apart (I19)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.strict_json import Doubled, NotJson, inspect, read


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"null", None),
        (b' \t\r\n{"a" : [ 1 , true ] }\r', {"a": [1, True]}),
        (b'"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"', 'A/\b\f\n\r\t"\\'),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\xf0\x9f\x98\x80\x7f\xe2\x80\xa8"', "\U0001f600\x7f\u2028"),
        (b"-0", 0),
        (b"-0.0e-0", 0),
        (b"1E400", float("inf")),
        (b"-1e400", float("-inf")),
        (b"9007199254740993.0", 9007199254740992.0),
        (b"1" + b"0" * 5000, float("inf")),
        (b'{"":{"":1}}', {"": {"": 1}}),
    ],
)
def test_json_is_read(line: bytes, value: object) -> None:
    assert read(line) == value


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b" ", b"\r", b"{", b"}", b"[1,]", b"[,1]", b'{"a":1,}', b'{"a"}', b"{a:1}", b"{'a':1}"),
        *(b'"', b'"\\'),
        *(b"NaN", b"[Infinity]", b'{"a":-Infinity}', b"nan", b"True", b"nul", b"undefined"),
        *(b"01", b"-01", b"+1", b"1.", b".5", b"1e", b"1e+", b"0x1", b"1_0", b"--1"),
        *(b"\xd9\xa1", b"1\xd9\xa1"),
        *(b"1 2", b"{}{}", b"{} x", b"[1] // c", b"/* c */ 1", b"1\x00", b"\x00", b"\x0b1", b"\xc2\xa01"),
        *(b'"a\nb"', b'"a\tb"', b'"\x00"', b'"\x1f"', b'"\\x41"', b'"\\u12g4"', b'"\\u+123"'),
        *(b'"\\u 123"', b'"\\U0041"'),
        *(b"\xef\xbb\xbf{}", b'"\xff"', b'"\xc3"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"'),
        *('{"a":1}'.encode("utf-16"), '{"a":1}'.encode("utf-16-le"), '{"a":1}'.encode("utf-32")),
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(line: bytes) -> None:
    with pytest.raises(NotJson):
        read(line)


def test_a_doubled_name_keeps_every_member() -> None:
    value = read(b'{"a":{"b":1,"\\u0062":[2],"c":3}}')
    assert isinstance(value, dict)
    assert type(value) is dict
    inner = value["a"]
    assert isinstance(inner, Doubled)
    assert inner.pairs == [("b", 1), ("b", [2]), ("c", 3)]
    assert inner == {"b": [2], "c": 3}


@pytest.mark.parametrize(
    ("line", "depth"),
    [
        ("7", 0),
        ("[]", 1),
        ("{}", 1),
        ('{"a":[[]]}', 3),
        ('[[],{"a":{"b":[]}},[]]', 4),
        # What a doubled name hides is as deep as what it shows.
        ('{"a":[[[]]],"a":1}', 4),
        ("[" * 500 + "]" * 500, 500),
    ],
)
def test_depth_is_counted_in_objects_and_arrays(line: str, depth: int) -> None:
    assert inspect(read(line.encode())).depth == depth


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"a":[{"b":1,"b":2}]}', {"doubled"}),
        ('{"a":["\\ud800"]}', {"bad_text"}),
        ('{"a":["x\\udfff"]}', {"bad_text"}),
        ('{"a":["\\ude00\\ud83d"]}', {"bad_text"}),
        ('{"\\udbff":1}', {"bad_text"}),
        ('[[{"a":{"\\udbffx":1}}]]', {"bad_text"}),
        ('"\\ud800"', {"bad_text"}),
        ('{"\\ud800":1e999,"a":1,"a":1}', {"bad_text", "bad_number", "doubled"}),
        ('[["\\ud83d\\ude00"],{"\\ud83d\\ude00":1}]', set()),
        ('{"a":[1e308]}', {"bad_number"}),
        ('[9007199254740992]', {"bad_number"}),
        ('[-9007199254740992.0]', {"bad_number"}),
        ('[9007199254740991,-9007199254740991,1e-999,true,null]', set()),
        # Hidden behind a doubled name.
        ('{"a":"\\ud800","a":1}', {"bad_text", "doubled"}),
        ('{"a":1e999,"a":1}', {"bad_number", "doubled"}),
    ],
)  # fmt: skip
def test_a_walk_finds_what_makes_a_value_unfit(line: str, found: set[str]) -> None:
    findings = inspect(read(line.encode()))
    assert {name for name in ("doubled", "bad_text", "bad_number") if getattr(findings, name)} == found
    assert findings.foreign is None
    assert not findings.endless


def test_a_walk_finds_what_json_has_no_word_for() -> None:
    assert inspect({"a": [b"x"]}).foreign == "a bytes"
    assert inspect({7: "a"}).foreign == "a name that is not text, 7"
    assert inspect({"a": float("nan")}).bad_number


def test_no_line_of_a_mebibyte_is_endless() -> None:
    """The heaviest lines by the walk's own count: nothing but short values, and nothing but text."""
    for body in (b"1," * 524_286 + b"1", b'"",' * 349_524 + b'""', b'"' + b"x" * 1_048_572 + b'"'):
        line = b"[" + body + b"]"
        assert 1_048_570 <= len(line) <= 1_048_576
        assert not inspect(read(line)).endless


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)  # fmt: skip


@given(VALUES, st.booleans())
def test_what_any_writer_writes_is_read(value: object, ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert read(line) == value
    assert not inspect(read(line)).bad_text
