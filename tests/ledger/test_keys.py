"""Keys, fingerprints, spread, jitter, twins: worked by hand or by a few lines of this file (I1, I19)."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest
import rfc8785
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from ledger.facts import Facts, instant_text, read_facts
from ledger.keys import derive, retry_wait, spread_seconds, twin_hash

WORKED = {
    "tenant": "acme",
    "delivery": "HTTP",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "Team:11",
    "task": "weekly-report",
    "digest": "ab" * 32,
    "due": "2026-11-30 10:00:00.5+01:00",
}
IDENTIFIERS = st.text(
    [chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\'], min_size=1, max_size=40
)
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999))  # noqa: DTZ001 - made UTC below


def test_the_worked_example() -> None:
    derived = derive(read_facts(WORKED))
    assert derived.preimage == (
        '["occurrence/1","acme","http","schedule","agent:7","team:11","weekly-report",'
        '"abababababababababababababababababababababababababababababababab","2026-11-30T09:00:00.500000Z"]'
    )
    assert derived.fingerprint.hex() == "036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959"
    assert str(derived.key) == "01a22bae-b874-8366-8570-3952923f32b0"


@given(IDENTIFIERS, IDENTIFIERS, INSTANTS)
def test_preimage_fingerprint_and_key_are_what_the_page_says(tenant: str, task: str, naive: datetime) -> None:
    """The plain join is RFC 8785's text, and the key's fields lie where RFC 9562 has them."""
    due = naive.replace(tzinfo=UTC)
    facts = Facts(tenant, "python", "schedule", "a/b<c>&d", "team:11", task, "0f" * 32, instant_text(due))
    derived = derive(facts)
    listed = ["occurrence/1", facts.tenant, facts.delivery, facts.wake, facts.agent]
    listed += [facts.destination, facts.task, facts.digest, facts.due]
    assert derived.preimage.encode() == rfc8785.dumps(listed)
    assert json.loads(derived.preimage) == listed
    f = blake3(
        derived.preimage.encode(), derive_key_context="occurrence-ledger 2026-11-30 occurrence key v1"
    ).digest()
    assert derived.fingerprint == f
    since = due - datetime(1970, 1, 1, tzinfo=UTC)
    milliseconds = (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
    low = [0x80 | f[0] & 0x0F, f[1], 0x80 | f[2] & 0x3F, *f[3:10]]
    assert derived.key.bytes == bytes([milliseconds >> shift & 0xFF for shift in range(40, -8, -8)] + low)
    assert derived.key.version == 8
    assert derived.key.variant == uuid.RFC_4122


@given(INSTANTS, INSTANTS)
def test_keys_sort_by_their_due_time(one: datetime, other: datetime) -> None:
    """As bytes and as text; within one millisecond nothing is promised."""
    first, second = sorted(moment.replace(tzinfo=UTC) for moment in (one, other))
    earlier, later = (
        derive(Facts("acme", "python", "schedule", "a", "team:1", "t", "00" * 32, instant_text(moment))).key
        for moment in (first, second)
    )
    if second - first >= timedelta(milliseconds=1):
        assert earlier.bytes < later.bytes
        assert str(earlier) < str(later)


def test_each_fact_changes_the_fingerprint() -> None:
    facts = {**WORKED, "due": "2026-11-30T09:00:00Z"}
    changed = {name: {**facts, name: value} for name, value in {
        "tenant": "Acme", "delivery": "pull", "wake": "retry:1", "agent": "agent:07",
        "destination": "team:011", "task": "weekly-report2", "digest": "ab" * 31 + "aa",
        "due": "2026-11-30T09:00:00.000001Z",
    }.items()}  # fmt: skip
    fingerprints = {derive(read_facts(raw)).fingerprint for raw in (facts, *changed.values())}
    assert len(fingerprints) == 9


# --- Spread, retries, twins -------------------------------------------------------------------


@given(IDENTIFIERS, IDENTIFIERS, st.integers(0, 86_400))
def test_spread_is_the_first_eight_bytes_modulo(tenant: str, task: str, spread_s: int) -> None:
    mixed = blake3(
        json.dumps([tenant, task], separators=(",", ":")).encode(),
        derive_key_context="occurrence-ledger 2026-11-30 spread v1",
    ).hexdigest()
    assert spread_seconds(tenant, task, spread_s) == int(mixed[:16], 16) % (spread_s + 1)


@pytest.mark.parametrize(
    ("first", "n", "policy", "microseconds"),
    [
        # ⌊w × 10⁶ × (2⁶⁴ + u) / 2⁶⁵⌋ for u = 0, 2⁶³ and 2⁶⁴ − 1, which falls just short.
        ("0000000000000000", 1, (10, 2, 3_600), 5_000_000),
        ("8000000000000000", 1, (10, 2, 3_600), 7_500_000),
        ("ffffffffffffffff", 1, (10, 2, 3_600), 9_999_999),
        ("0000000000000000", 2, (10, 2, 3_600), 10_000_000),
        ("0000000000000000", 3, (10, 3, 3_600), 45_000_000),
        ("0000000000000000", 9, (10, 2, 3_600), 1_280_000_000),
        ("0000000000000000", 10, (10, 2, 3_600), 1_800_000_000),
        ("0000000000000000", 100, (10, 2, 3_600), 1_800_000_000),
        ("0000000000000000", 999_999_999, (1, 10, 604_800), 302_400_000_000),
        ("0000000000000000", 999_999_999, (7, 1, 3_600), 3_500_000),
        ("ffffffffffffffff", 100, (0, 10, 3_600), 0),
        ("0000000000000000", 1, (86_400, 10, 1), 500_000),
    ],
)
def test_a_retry_waits_half_to_all_of_its_backoff(
    first: str, n: int, policy: tuple[int, int, int], microseconds: int
) -> None:
    fingerprint = bytes.fromhex(first) + b"\x55" * 24
    assert retry_wait(fingerprint, n, *policy) == timedelta(microseconds=microseconds)


def test_twins_ask_for_the_same_work_at_the_same_times() -> None:
    task: dict[str, object] = {"entrypoint": "report", "schedule": {"every_s": 60}}
    twin = twin_hash(task)
    assert len(twin) == 32
    assert twin_hash({**task, "name": "Another", "timeout_s": 5, "labels": {"a": "b"}, "display": 1}) == twin
    assert (
        twin_hash({**task, "agent": "default", "delivery": "python", "destination": "local:default"}) == twin
    )
    others: list[dict[str, object]] = [
        {**task, "agent": "other"},
        {**task, "delivery": "pull"},
        {**task, "entrypoint": "Report"},
        {**task, "destination": "team:11"},
        {**task, "payload": {}},
        {**task, "payload": {"ë": 0.5}},
        {**task, "schedule": {"every_s": 61}},
    ]
    assert len({twin_hash(other) for other in [task, *others]}) == 1 + len(others)
