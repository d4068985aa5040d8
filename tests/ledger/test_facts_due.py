"""The fact `due`: each accepted spelling of an instant, each refusal, and which answers first (I19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FactRefused
from ledger.facts import instant_text, read_instant


def refusal(text: object) -> tuple[str, str]:
    with pytest.raises(FactRefused) as caught:
        read_instant(text)
    return caught.value.code, caught.value.fact


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
    assert instant_text(read_instant(written)) == canonical


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
    assert refusal(written) == (code, "due")


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
