"""Keys, fingerprints and digests: the one door of blake3 and rfc8785.

The key of an occurrence is derived, never allocated: whoever knows the eight facts derives the same
key, so whoever needs the row converges on it (I1, I19). Nothing here may change without a new
version of the key: one changed byte makes two rows of one occurrence.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, NoReturn, TypeAlias, cast

import rfc8785
from blake3 import blake3

from ledger.errors import FactRefused
from ledger.facts import DEFAULT_AGENT, DEFAULT_DELIVERY, DEFAULT_DESTINATION, EPOCH, Facts, shown
from ledger.strict_json import Findings, inspect

KEY_CONTEXT = "occurrence-ledger 2026-11-30 occurrence key v1"
DIGEST_CONTEXT = "occurrence-ledger 2026-11-30 task digest v1"
SPREAD_CONTEXT = "occurrence-ledger 2026-11-30 spread v1"
TWIN_CONTEXT = "occurrence-ledger 2026-11-30 twin v1"

MAX_DEPTH = 64
MAX_CANONICAL_BYTES = 65536
NOT_AUTHORED = ("enabled", "tenant", "task")

_DAY_MS = 86_400_000
# The bits of a key that come from the fingerprint, and those that say: a UUID of version 8 (RFC 9562).
_MIXED = (1 << 76) - 1 & ~(0b11 << 62)
_VERSION_8 = 8 << 76 | 0b10 << 62
# Copied for each key: to begin anew from the context's text takes twice as long as the key itself.
_KEY_HASHER = blake3(derive_key_context=KEY_CONTEXT)
# Beyond this exponent every factor from 2 on has passed every `max_s`, and the power is only large.
_EXPONENT_MOST = 64

# What the walk has established about a sound value, in the words of rfc8785's own types.
_Json: TypeAlias = bool | int | float | str | Sequence["_Json"] | Mapping[str, "_Json"] | None


class Derived(NamedTuple):
    """An occurrence's key, its whole fingerprint (32 bytes) and the text both come from."""

    key: uuid.UUID
    fingerprint: bytes
    preimage: str


class Digested(NamedTuple):
    """A task digest (32 bytes) and the canonical text it is taken over."""

    digest: bytes
    canonical: str


def derive(facts: Facts) -> Derived:
    """Derive the key of canonical facts (I1), which are trusted to be canonical."""
    return derive_at(facts, datetime.fromisoformat(facts.due))


def derive_at(facts: Facts, due: datetime) -> Derived:
    """`derive`, where the instant that `facts.due` is the text of is at hand: the hot path.

    No fact can hold a character that JSON escapes, so the RFC 8785 text is a plain join.
    """
    preimage = '["occurrence/1","' + '","'.join(facts) + '"]'
    hasher = _KEY_HASHER.copy()
    hasher.update(preimage.encode("ascii"))
    fingerprint = hasher.digest()
    since = due - EPOCH
    milliseconds = since.days * _DAY_MS + since.seconds * 1000 + since.microseconds // 1000
    mixed = int.from_bytes(fingerprint[:10], "big") & _MIXED | _VERSION_8
    return Derived(uuid.UUID(int=milliseconds << 80 | mixed), fingerprint, preimage)


def digest(authored: object) -> Digested:
    """Digest a task's authored object as it stands: no default is known here, nothing is removed.

    Raises FactRefused, fact `authored`, the first that holds: not_an_object, duplicate_member,
    bad_text, bad_number, too_deep, not_authored, too_large. A value that JSON has no word for, which
    only a caller in Python can hand in, is `not_json`.
    """
    if not isinstance(authored, dict):
        raise FactRefused("not_an_object", "authored", f"must be an object, not {shown(authored)}")
    found = inspect(authored)
    if found.doubled:
        _refuse("duplicate_member", "has one name twice in an object; keep one of the two")
    if found.bad_text:
        _refuse("bad_text", "has half a surrogate pair in a text or a name; write Unicode")
    if found.bad_number:
        _refuse("bad_number", "has a number that is not finite or beyond ±(2^53−1); write it as text")
    if found.foreign:
        _refuse("not_json", f"has {found.foreign}; write what JSON can hold")
    if found.depth > MAX_DEPTH:
        _refuse("too_deep", f"nests {found.depth} levels deep; the most is {MAX_DEPTH}")
    for name in NOT_AUTHORED:
        if name in authored:
            _refuse("not_authored", f"has {name!r}, which stands beside the authored object, not in it")
    for name, value in authored.items():
        if value is None:
            _refuse("not_authored", f"has {name!r} null; leave it out")
    return digest_sound(authored, found)


def digest_sound(authored: Mapping[str, object], found: Findings) -> Digested:
    """Digest an object whose `found` has nothing to refuse. Raises FactRefused too_large alone."""
    if found.endless:
        _refuse("too_large", f"is far beyond the most, {MAX_CANONICAL_BYTES} canonical bytes")
    canonical = canonical_bytes(authored, plain=found.plain)
    if len(canonical) > MAX_CANONICAL_BYTES:
        _refuse("too_large", f"has {len(canonical)} canonical bytes; the most is {MAX_CANONICAL_BYTES}")
    return Digested(blake3(canonical, derive_key_context=DIGEST_CONTEXT).digest(), canonical.decode())


def canonical_bytes(value: object, *, plain: bool = False) -> bytes:
    """The RFC 8785 bytes of a sound value.

    `plain` says that all names are ASCII and no number is a float. Then sorting by code points is
    sorting by UTF-16 units and Python's spelling of numbers is JavaScript's, so the standard library's
    encoder, five times as fast, writes the same bytes; a test holds the two together.
    """
    if plain:
        return _PLAIN_ENCODER.encode(value).encode()
    return rfc8785.dumps(cast("_Json", value))


def spread_seconds(tenant: str, task: str, spread_s: int) -> int:
    """How many whole seconds after `due` this task's runs start: 0 to `spread_s`, the same each time."""
    if spread_s == 0:
        return 0
    mixed = blake3(rfc8785.dumps([tenant, task]), derive_key_context=SPREAD_CONTEXT).digest()
    return int.from_bytes(mixed[:8], "big") % (spread_s + 1)


def retry_wait(fingerprint: bytes, n: int, backoff_s: int, factor: int, max_s: int) -> timedelta:
    """How long retry `n` (from 1) waits: half to all of the backoff, jittered by its own fingerprint."""
    wait_s: int = min(max_s, backoff_s * factor ** min(n - 1, _EXPONENT_MOST))
    jitter = int.from_bytes(fingerprint[:8], "big")
    return timedelta(microseconds=wait_s * 1_000_000 * (2**64 + jitter) >> 65)


def twin_hash(authored: Mapping[str, object]) -> bytes:
    """32 bytes that two folded tasks share when they ask for the same work at the same times.

    Taken over agent, delivery, entrypoint, destination, payload and schedule. Folded schedules leave
    out what equals a default, so equal ones are equal texts; the three facts get theirs here.
    """
    twin: dict[str, object] = {
        "agent": DEFAULT_AGENT,
        "delivery": DEFAULT_DELIVERY,
        "destination": DEFAULT_DESTINATION,
    }
    for name in ("agent", "delivery", "entrypoint", "destination", "payload", "schedule"):
        if name in authored:
            twin[name] = authored[name]
    canonical = canonical_bytes(twin, plain=inspect(twin).plain)
    return blake3(canonical, derive_key_context=TWIN_CONTEXT).digest()


def _refuse(code: str, message: str) -> NoReturn:
    raise FactRefused(code, "authored", message)


_PLAIN_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, sort_keys=True, separators=(",", ":")
)
