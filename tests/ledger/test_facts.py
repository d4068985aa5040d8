"""The eight facts: each has one canonical spelling, and the first check that fails answers (I1, I19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FactRefused
from ledger.facts import NAMES, read_facts

GOOD: dict[str, object] = {
    "tenant": "acme",
    "delivery": "http",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "team:11",
    "task": "weekly-report",
    "digest": "ab" * 32,
    "due": "2026-11-30T09:00:00.500000Z",
}


def refusal(raw: object) -> tuple[str, str]:
    with pytest.raises(FactRefused) as caught:
        read_facts(raw)
    return caught.value.code, caught.value.fact


def with_fact(name: str, value: object) -> dict[str, object]:
    return {**GOOD, name: value}


@pytest.mark.parametrize(
    ("name", "written", "canonical"),
    [
        ("tenant", "Acme", "Acme"),
        ("tenant", "!#[]~", "!#[]~"),
        ("tenant", "x" * 200, "x" * 200),
        ("delivery", "HTTP", "http"),
        ("delivery", "a_B.c+D-9", "a_b.c+d-9"),
        ("delivery", "a" + "9" * 63, "a" + "9" * 63),
        ("wake", "Schedule", "schedule"),
        ("wake", "MANUAL:Req-1", "manual:Req-1"),
        ("wake", "rerun:2:manual:A:B", "rerun:2:manual:A:B"),
        ("wake", "RETRY:1", "retry:1"),
        ("wake", "retry:999999999", "retry:999999999"),
        ("wake", "made-up", "made-up"),
        ("destination", "Team:011", "team:011"),
        ("destination", "team:A:b", "team:A:b"),
        ("destination", "TEAM::", "team::"),
        ("task", "a/b<c>&d", "a/b<c>&d"),
        ("digest", "AB" * 32, "ab" * 32),
        ("digest", "0123456789abcdefABCDEF" + "0" * 42, "0123456789abcdefabcdef" + "0" * 42),
    ],
)
def test_a_fact_is_folded_as_its_form_says(name: str, written: str, canonical: str) -> None:
    assert getattr(read_facts(with_fact(name, written)), name) == canonical


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        *[(name, value, code) for name in ("tenant", "agent", "task") for value, code in (
            ("", "empty"),
            ("x" * 201, "too_long"),
            (" " * 201, "too_long"),
            ("a b", "bad_character"),
            (" a", "bad_character"),
            ("a\n", "bad_character"),
            ('a"', "bad_character"),
            ("a\\", "bad_character"),
            ("a\x7f", "bad_character"),
            ("Zoë", "bad_character"),
            ("a\0", "bad_character"),
            ("\ud800", "bad_character"),
        )],
        ("delivery", "", "empty"),
        ("delivery", "9a", "bad_token"),
        ("delivery", "_a", "bad_token"),
        ("delivery", "a" * 65, "bad_token"),
        ("delivery", "a\n", "bad_token"),
        ("delivery", "a b", "bad_token"),
        ("delivery", "http:x", "bad_token"),
        ("delivery", "\N{KELVIN SIGN}", "bad_token"),
        ("delivery", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "bad_token"),
        ("wake", "", "empty"),
        ("wake", ":x", "empty"),
        ("wake", "9:x", "bad_token"),
        ("wake", "9:", "bad_token"),
        ("wake", "manual:", "empty"),
        ("wake", "manual:" + "x" * 201, "too_long"),
        ("wake", "manual:a b", "bad_character"),
        ("wake", "retry", "bad_retry"),
        ("wake", "RETRY", "bad_retry"),
        ("wake", "retry:", "empty"),
        ("wake", "retry:0", "bad_retry"),
        ("wake", "retry:01", "bad_retry"),
        ("wake", "retry:+1", "bad_retry"),
        ("wake", "retry:1:2", "bad_retry"),
        ("wake", "retry:1000000000", "bad_retry"),
        ("wake", "retry:1\n", "bad_character"),
        ("wake", "retry:\N{ARABIC-INDIC DIGIT ONE}", "bad_character"),
        ("destination", "", "bad_destination"),
        ("destination", "team", "bad_destination"),
        ("destination", " ", "bad_destination"),
        ("destination", ":11", "empty"),
        ("destination", "7:11", "bad_token"),
        ("destination", "7:", "bad_token"),
        ("destination", "team:", "empty"),
        ("destination", "team:" + "x" * 201, "too_long"),
        ("destination", "team:1 1", "bad_character"),
        ("digest", "", "bad_digest"),
        ("digest", "ab" * 31 + "a", "bad_digest"),
        ("digest", "ab" * 33, "bad_digest"),
        ("digest", "ag" + "ab" * 31, "bad_digest"),
        ("digest", "ab" * 32 + "\n", "bad_digest"),
        ("due", "", "bad_timestamp"),
    ],
)  # fmt: skip
def test_a_fact_that_does_not_fit_is_refused(name: str, value: str, code: str) -> None:
    assert refusal(with_fact(name, value)) == (code, name)


@pytest.mark.parametrize("raw", [None, [], "text", 7, True, [GOOD]])
def test_facts_are_an_object(raw: object) -> None:
    assert refusal(raw) == ("not_an_object", "facts")


def test_each_fact_must_be_there_and_be_text() -> None:
    for name in NAMES:
        assert refusal({other: GOOD[other] for other in GOOD if other != name}) == ("missing", name)
        for value in (None, 7, True, 1.5, ["a"], {}):
            assert refusal(with_fact(name, value)) == ("not_a_string", name)


def test_checks_come_in_their_order() -> None:
    """Each step mends what was refused, and the next check answers."""
    raw: dict[str, object] = dict.fromkeys(reversed(NAMES))
    del raw["task"], raw["wake"]
    raw |= {"zone": 1, "Zone": 1, "\U0001f600": 1, "\uff5a": 1}
    assert refusal(raw) == ("missing", "wake")
    raw["wake"] = ""
    assert refusal(raw) == ("missing", "task")
    raw["task"] = ""
    # By code points, where UTF-16 units would put U+1F600 before U+FF5A.
    for unknown in ("Zone", "zone", "\uff5a", "\U0001f600"):
        assert refusal(raw) == ("unknown", unknown)
        del raw[unknown]
    for name in NAMES:
        if raw[name] is None:
            assert refusal(raw) == ("not_a_string", name)
            raw[name] = ""
    codes = dict.fromkeys(NAMES, "empty") | {
        "destination": "bad_destination",
        "digest": "bad_digest",
        "due": "bad_timestamp",
    }
    for name in NAMES:
        assert refusal(raw) == (codes[name], name)
        raw[name] = GOOD[name]
    assert read_facts(raw).due == "2026-11-30T09:00:00.500000Z"


IDENTIFIERS = st.text(
    [chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\'], min_size=1, max_size=200
)
TOKENS = st.from_regex(r"\A[A-Za-z][A-Za-z0-9_.+-]{0,63}\Z").filter(lambda token: token.lower() != "retry")


@given(
    st.tuples(IDENTIFIERS, TOKENS, TOKENS, IDENTIFIERS, TOKENS, IDENTIFIERS),
    st.binary(min_size=32, max_size=32),
)
def test_whatever_is_taken_is_canonical_afterwards(parts: tuple[str, ...], digest: bytes) -> None:
    """Reading folded facts again changes nothing; identifiers are never touched, tokens only made small."""
    tenant, delivery, wake, agent, kind, rest = parts
    facts = read_facts(
        {
            **GOOD,
            "tenant": tenant,
            "delivery": delivery,
            "wake": f"{wake}:{rest}",
            "agent": agent,
            "destination": f"{kind}:{rest}",
            "digest": digest.hex().upper(),
        }
    )
    assert (facts.tenant, facts.agent, facts.digest) == (tenant, agent, digest.hex())
    assert facts.delivery == "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in delivery)
    assert facts.wake.endswith(f":{rest}")
    assert facts.destination.endswith(f":{rest}")
    assert read_facts({name: getattr(facts, name) for name in NAMES}) == facts


@given(st.sampled_from(NAMES), st.text())
def test_any_text_at_all_is_taken_or_refused_under_its_own_name(name: str, text: str) -> None:
    try:
        read_facts({**GOOD, name: text})
    except FactRefused as error:
        refused_name = error.fact
    else:
        refused_name = name
    assert refused_name == name


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            with_fact("due", "2026-11-30T09:00:00"),
            "due: '2026-11-30T09:00:00' has no offset; end it with Z or one like +01:00",
        ),
        (
            with_fact("destination", "team"),
            "destination: 'team' has no colon; write kind:identifier, such as team:11",
        ),
        (
            with_fact("task", "a b"),
            "task: 'a b' has ' ' as character 2; an identifier is printable ASCII without spaces, \" and \\",
        ),
    ],
)
def test_a_refusal_says_the_fact_what_was_found_and_the_right_form(raw: object, message: str) -> None:
    with pytest.raises(FactRefused) as caught:
        read_facts(raw)
    assert str(caught.value) == message


def test_a_refusal_stays_one_short_line() -> None:
    for value in ("x\n" * 100_000, 10**10_000, {"deep": [1]}, 1.5, object()):
        with pytest.raises(FactRefused) as caught:
            read_facts(with_fact("tenant", value))
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300
