"""Answers are compared as JSON values, and the first byte that differs is found."""

from __future__ import annotations

import pytest

from conformance.values import NotJson, difference, read, rendering


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":1,"b":2}', ' { "b" : 2, "a" : 1 }\r'),
        ("60", "60.0"),
        ("60", "6e1"),
        ("0", "-0"),
        ("0.1", "1e-1"),
        ('"\\u00e9/"', '"é\\/"'),
        ('"\\ud83d\\ude00"', '"😀"'),
        ("9007199254740993", "9007199254740992"),
    ],
)
def test_spelling_does_not_count(one: str, other: str) -> None:
    assert rendering(read(one.encode())) == rendering(read(other.encode()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "true"),
        ("0", "false"),
        ("1", '"1"'),
        ("null", "{}"),
        ("[]", "{}"),
        ("[1,2]", "[2,1]"),
        ("0.1", "0.10000000000000002"),
        ("9007199254740991", "9007199254740990"),
        ('"Zoë"', '"Zoe\u0308"'),
        ('{"a":null}', "{}"),
        ("1e300", "1e301"),
    ],
)
def test_values_count(one: str, other: str) -> None:
    assert rendering(read(one.encode())) != rendering(read(other.encode()))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"NaN",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"a":1,"a":1}',
        b'"\\ud800"',
        b"{} x",
        b"[" * 100_000,
        b"01",
    ],
)
def test_what_is_no_json_is_no_answer(line: bytes) -> None:
    with pytest.raises(NotJson):
        read(line)


def test_numbers_of_any_length_are_read() -> None:
    assert read(b"[" + b"7" * 100_000 + b"]") == [float("inf")]


def test_the_first_byte_that_differs_is_shown() -> None:
    parted = difference(b'{"due":"2026-11-30T09:00:00.000000Z"}', b'{"due":"2026-11-30T09:00:00.000001Z"}')
    assert parted.at == 33
    assert parted.expected[parted.mark] == "0"
    assert parted.answered[parted.mark] == "1"
    assert parted.expected[: parted.mark] == parted.answered[: parted.mark]


def test_what_looks_alike_is_told_apart() -> None:
    parted = difference(b"K", "\u212a".encode())
    assert (parted.at, parted.expected, parted.answered) == (0, "K", "\\xe2\\x84\\xaa")


def test_one_side_that_ends_early() -> None:
    assert difference(b"abc", b"abcd")[:3] == (3, "abc", "abcd")
