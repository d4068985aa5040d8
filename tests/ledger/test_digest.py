"""The digest of an authored object: canonical text worked by hand, refusals in their order (I19)."""

from __future__ import annotations

import json
import re
import struct
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FactRefused
from ledger.keys import canonical_bytes, digest
from ledger.strict_json import Doubled, inspect, read


def canonical(authored: str) -> str:
    return digest(read(authored.encode())).canonical


def refused(authored: object) -> str:
    with pytest.raises(FactRefused) as caught:
        digest(authored)
    assert caught.value.fact == "authored"
    return caught.value.code


def refused_text(authored: str) -> str:
    return refused(read(authored.encode()))


def test_the_digest_of_the_page() -> None:
    digested = digest(read('{"name":"Zoë","timeout_s":6e1}'.encode()))
    assert digested.canonical == '{"name":"Zoë","timeout_s":60}'
    assert digested.digest.hex() == "9a6314976939cc1ddcef9069a74c09df7b29f683d0c054e01f4bb80c304f505b"


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        # Doubles and their texts from RFC 8785, appendix B, those that lie within ±(2^53−1).
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("433fffffffffffff", "9007199254740991"),
        ("c33fffffffffffff", "-9007199254740991"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_a_double_is_written_as_ecmascript_writes_it(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert digest({"payload": value}).canonical == f'{{"payload":{text}}}'


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        ("1.0", "1"),
        ("1", "1"),
        ("10e-1", "1"),
        ("0.1E+1", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e-400", "0"),
        ("-1e-400", "0"),
        ("1e-7", "1e-7"),
        ("0.000001", "0.000001"),
        ("0.00001", "0.00001"),
        ("1.5e-10", "1.5e-10"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
        ("0.1", "0.1"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("333333333.33333329", "333333333.3333333"),
        ("0.000000000000000000000000001", "1e-27"),
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("9007199254740991.0", "9007199254740991"),
        ("9007199254740991.4", "9007199254740991"),
        ("900719925474099.1e1", "9007199254740991"),
        ("1e15", "1000000000000000"),
        ("123456789012.345", "123456789012.345"),
    ],
)
def test_a_number_is_the_nearest_double(spelled: str, text: str) -> None:
    assert canonical(f'{{"payload":[{spelled}]}}') == f'{{"payload":[{text}]}}'


@pytest.mark.parametrize(
    "spelled",
    [
        *(
            "9007199254740992",
            "-9007199254740992",
            "9007199254740993",
            "9007199254740993.0",
            "9007199254740991.5",
        ),
        *("1e16", "1e30", "-1e30", "1e400", "-1e400", "1" + "0" * 400, "9" * 5000, "12345678901234567"),
    ],
)
def test_a_number_beyond_the_exact_integers_is_refused(spelled: str) -> None:
    assert refused_text(f'{{"payload":{{"deep":[{spelled}]}}}}') == "bad_number"


def test_a_caller_in_python_may_hand_in_what_no_json_says() -> None:
    for value in (float("nan"), float("inf"), -float("inf"), 10**5000):
        assert refused({"payload": value}) == "bad_number"
    for value in (datetime(2026, 1, 1, tzinfo=UTC), b"bytes", {1, 2}, {7: "seven"}):
        assert refused({"payload": value}) == "not_json"
    assert digest({"payload": (1, 2)}).canonical == '{"payload":[1,2]}'


def test_members_are_sorted_by_utf_16_units() -> None:
    """The names of RFC 8785, section 3.2.3, given in another order."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\x80", "\u00f6"]
    text = digest({"payload": dict.fromkeys(names, 0)}).canonical
    assert re.findall(r'"((?:\\r)|[^"]+)":0', text) == [
        "\\r", "1", "\x80", "\u00f6", "\u20ac", "\U0001f600", "\ufb33",
    ]  # fmt: skip


def test_text_is_escaped_as_little_as_may_be() -> None:
    """The text of RFC 8785, section 3.2.2, and the characters that other writers escape."""
    written = r'{"payload":"\u20ac$\u000F\u000aA\u0027\u0042\u0022\u005c\\\"\/"}'
    assert canonical(written) == '{"payload":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    assert canonical('{"payload":"\\b\\t\\n\\f\\r\\u0000\\u001f"}') == (
        '{"payload":"\\b\\t\\n\\f\\r\\u0000\\u001f"}'
    )
    assert (
        canonical('{"payload":"\\u007f\\u2028<&>\\ud83d\\ude00"}') == '{"payload":"\x7f\u2028<&>\U0001f600"}'
    )
    # Not normalised: a letter with its accent, and the two characters that look the same.
    assert canonical('{"name":"\u00e9"}') != canonical('{"name":"e\u0301"}')


def test_the_digest_knows_no_default_and_removes_nothing() -> None:
    written = (
        '{"labels":{"a":null},"name":"","payload":{"a":null,"b":[null]},"retry":{"on":null},"timeout_s":900}'
    )
    assert canonical(written) == written
    assert canonical("{}") == "{}"


@pytest.mark.parametrize("value", [None, [], "{}", 7, False])
def test_what_is_digested_is_an_object(value: object) -> None:
    assert refused(value) == "not_an_object"


def test_the_digest_refuses_in_its_order() -> None:
    """An object with everything wrong, mended one thing at a time."""
    deep = "[" * 64 + "1e999" + "]" * 64
    long = '"x":"' + "x" * 65536 + '"'
    assert (
        refused_text(f'{{"a":{{"b":1,"\\u0062":1}},"\\ud800":{deep},"task":null,{long}}}')
        == "duplicate_member"
    )
    assert refused_text(f'{{"a":{{"b":1,"c":1}},"\\ud800":{deep},"task":null,{long}}}') == "bad_text"
    assert refused_text(f'{{"a":{{"b":"\\ude00\\ud83d"}},"c":{deep},"task":null,{long}}}') == "bad_text"
    assert refused_text(f'{{"a":{{"b":1}},"c":{deep},"task":null,{long}}}') == "bad_number"
    deep = deep.replace("1e999", "")
    assert refused_text(f'{{"a":{{"b":1}},"c":{deep},"task":null,{long}}}') == "too_deep"
    deep = deep[1:-1]
    for name in ("enabled", "tenant", "task"):
        assert refused_text(f'{{"c":{deep},"{name}":true,{long}}}') == "not_authored"
    assert refused_text(f'{{"c":{deep},"name":null,{long}}}') == "not_authored"
    assert refused_text(f'{{"c":{deep},{long}}}') == "too_large"
    assert canonical(f'{{"c":{deep},"x":{{"task":null}}}}').startswith('{"c":[[[')


def test_size_is_counted_in_canonical_bytes() -> None:
    """{"p":"…"} has 8 bytes beside the text; an ë has two, a line feed is written as two."""
    for fits in ("x" * 65528, "ë" * 32764, "\n" * 32764):
        assert len(digest({"p": fits}).canonical.encode()) == 65536
        assert refused({"p": fits + "x"}) == "too_large"
    assert canonical('{"p":[' + "1.0000000000," * 30000 + "1]}").count("1") == 30001


def test_depth_counts_the_object_itself() -> None:
    assert digest({"p": json.loads("[" * 63 + "]" * 63)}).canonical == '{"p":' + "[" * 63 + "]" * 63 + "}"
    assert refused({"p": json.loads("[" * 64 + "]" * 64)}) == "too_deep"
    assert refused_text('{"p":' + '{"a":' * 64 + "1" + "}" * 64 + "}") == "too_deep"


def test_a_value_without_end_is_refused_and_not_followed() -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    assert refused(endless) == "too_deep"
    endless["too"] = [endless, endless]
    assert refused(endless) == "too_large"
    # A file whose aliases multiply: 40 lists, each holding the one before twice.
    doubling: object = "x"
    for _ in range(40):
        doubling = [doubling, doubling]
    assert refused({"p": doubling}) == "too_large"


NAMES = st.text(max_size=4) | st.sampled_from(["\U0001f600", "\ufb33", "\ue000", "z", "\x7f"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(max_size=8)
    | st.floats(1.0 - 2**53, 2.0**53 - 1, allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_the_quick_writer_writes_what_rfc_8785_writes(value: dict[str, object]) -> None:
    assert canonical_bytes(value, plain=inspect(value).plain) == canonical_bytes(value)


@given(
    st.dictionaries(
        st.text(st.characters(max_codepoint=0x7F), max_size=4), st.text(max_size=8) | st.integers(-9, 9)
    )
)
def test_the_quick_writer_is_used_and_right(value: dict[str, object]) -> None:
    assert inspect(value).plain
    assert canonical_bytes(value, plain=True) == canonical_bytes(value)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.randoms(use_true_random=False))
def test_order_of_members_and_spelling_of_numbers_change_no_digest(
    value: dict[str, object], random: Random
) -> None:
    def respelled(inner: object) -> object:
        if isinstance(inner, dict):
            members = [(name, respelled(member)) for name, member in inner.items()]
            random.shuffle(members)
            return dict(members)
        if isinstance(inner, list):
            return [respelled(element) for element in inner]
        return float(inner) if isinstance(inner, int) and not isinstance(inner, bool) else inner

    authored = {"payload": value}
    assert digest(respelled(authored)) == digest(authored)


def test_a_doubled_member_is_seen_however_it_is_written() -> None:
    assert refused({"p": [Doubled([("a", 1), ("a", 1)])]}) == "duplicate_member"
    assert refused_text('{"name":"a","name":"a"}') == "duplicate_member"
    assert refused_text('{"é":1,"\\u00e9":1}') == "duplicate_member"
    # Told apart, since nothing is normalised.
    assert canonical('{"payload":{"é":1,"e\u0301":1}}') == '{"payload":{"e\u0301":1,"é":1}}'
