"""The eight facts: each has one canonical spelling, and the first check that fails answers (I1, I19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FactRefused
from ledger.facts import NAMES, instant_text, read_facts, read_instant

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


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("2026-11-30T09:00:00Z", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30t09:00:00z", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30 10:00:00.5+01:00", "2026-11-30T09:00:00.500000Z"),
        ("2026-11-30T10:00:00+01", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30T10:00:00+0100", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30T03:30:00-05:30", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30T09:00:00-00:00", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30T09:00:00-00", "2026-11-30T09:00:00.000000Z"),
        ("2026-11-30T09:00:00.1234560000Z", "2026-11-30T09:00:00.123456Z"),
        ("2026-11-30T09:00:00.1Z", "2026-11-30T09:00:00.100000Z"),
        ("2026-11-30T09:00:00.000001Z", "2026-11-30T09:00:00.000001Z"),
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000000Z"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00.000000Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
        ("1969-12-31T00:01:00-23:59", "1970-01-01T00:00:00.000000Z"),
        ("1970-01-01T23:59:00+23:59", "1970-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("9999-12-31T00:00:00.999999-23:59", "9999-12-31T23:59:00.999999Z"),
    ],
)
def test_a_due_is_folded_to_utc(written: str, canonical: str) -> None:
    assert read_facts(with_fact("due", written)).due == canonical


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("2026-11-30", "bad_timestamp"),
        ("2026-11-30T09:00Z", "bad_timestamp"),
        ("2026-11-30  09:00:00Z", "bad_timestamp"),
        ("2026-11-30_09:00:00Z", "bad_timestamp"),
        ("2026-11-30T09:00:00.Z", "bad_timestamp"),
        ("2026-11-30T09:00:00,5Z", "bad_timestamp"),
        ("2026-11-30T09:00:00Z ", "bad_timestamp"),
        (" 2026-11-30T09:00:00Z", "bad_timestamp"),
        ("2026-11-30T09:00:00Z\n", "bad_timestamp"),
        ("2026-11-30T09:00:00.000000Z\n", "bad_timestamp"),
        ("2026-11-30T09:00:00 +01:00", "bad_timestamp"),
        ("2026-11-30T09:00:00+1", "bad_timestamp"),
        ("2026-11-30T09:00:00+01:0", "bad_timestamp"),
        ("2026-11-30T09:00:00+01:00:00", "bad_timestamp"),
        ("2026-11-30T09:00:00\N{MINUS SIGN}01:00", "bad_timestamp"),
        ("2026-11-3\N{ARABIC-INDIC DIGIT ONE}T09:00:00Z", "bad_timestamp"),
        ("+002026-11-30T09:00:00Z", "bad_timestamp"),
        ("20261130T090000Z", "bad_timestamp"),
        ("2026-W49-1T09:00:00Z", "bad_timestamp"),
        # Only the offset is absent; that answers before anything about the fields.
        ("2026-11-30T09:00:00", "no_offset"),
        ("2026-13-40T99:99:99.12345678", "no_offset"),
        # Too precise answers before a field out of its range, and before the offset's range.
        ("2026-11-30T09:00:00.0000001Z", "too_precise"),
        ("2026-13-30T09:00:00.0000001Z", "too_precise"),
        ("2026-11-30T09:00:00.12345600000000009+24:00", "too_precise"),
        ("1969-12-31T23:59:59.9999999Z", "too_precise"),
        # Fields out of their range, days that do not exist.
        ("0000-01-01T00:00:00Z", "bad_timestamp"),
        ("2026-00-30T09:00:00Z", "bad_timestamp"),
        ("2026-13-30T09:00:00.000000Z", "bad_timestamp"),
        ("2026-11-31T09:00:00Z", "bad_timestamp"),
        ("2025-02-29T09:00:00.000000Z", "bad_timestamp"),
        ("1900-02-29T09:00:00Z", "bad_timestamp"),
        ("2026-11-30T24:00:00Z", "bad_timestamp"),
        ("2026-11-30T24:00:00.000000Z", "bad_timestamp"),
        ("2026-11-30T09:60:00Z", "bad_timestamp"),
        ("2026-11-30T23:59:60Z", "bad_timestamp"),
        ("2026-11-30T23:59:60.000000Z", "bad_timestamp"),
        ("2026-11-30T09:00:00+24:00", "bad_timestamp"),
        ("2026-11-30T09:00:00+23:60", "bad_timestamp"),
        ("2026-11-30T09:00:00+9999", "bad_timestamp"),
        # The instant itself.
        ("1969-12-31T23:59:59.999999Z", "out_of_range"),
        ("1970-01-01T00:00:00+00:01", "out_of_range"),
        ("0001-01-01T00:00:00+00:01", "out_of_range"),
        ("0001-01-01T00:00:00Z", "out_of_range"),
        ("9999-12-31T23:59:59.999999-00:01", "out_of_range"),
    ],
)
def test_a_due_that_does_not_fit_is_refused(written: str, code: str) -> None:
    assert refusal(with_fact("due", written)) == (code, "due")


def test_an_instant_may_have_another_name_and_another_earliest() -> None:
    earliest = datetime(1800, 1, 1, tzinfo=UTC)
    assert read_instant("1800-01-01T00:00:00Z", "after", earliest) == earliest
    for text, code in (
        ("1799-12-31T23:59:59Z", "out_of_range"),
        (None, "not_a_string"),
        ("x", "bad_timestamp"),
    ):
        with pytest.raises(FactRefused) as caught:
            read_instant(text, "after", earliest)
        assert (caught.value.code, caught.value.fact) == (code, "after")


@given(
    st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30)),  # noqa: DTZ001 - its offset comes with it
    st.integers(-1439, 1439),
    st.sampled_from("Tt "),
    st.integers(0, 3),
)
def test_any_spelling_of_an_instant_reads_as_that_instant(
    local: datetime, offset_minutes: int, separator: str, zeros: int
) -> None:
    """Written here by its own means: the fields one by one, the offset by division."""
    offset = abs(offset_minutes)
    written = (
        f"{local.year:04}-{local.month:02}-{local.day:02}{separator}{local.hour:02}:{local.minute:02}"
        f":{local.second:02}.{local.microsecond:06}{'0' * zeros}"
        f"{'-' if offset_minutes < 0 else '+'}{offset // 60:02}:{offset % 60:02}"
    )
    instant = local.replace(tzinfo=timezone(timedelta(minutes=offset_minutes)))
    read = read_instant(written)
    assert read == instant
    assert read.utcoffset() == timedelta(0)
    assert instant_text(read) == instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


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
