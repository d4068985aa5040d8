"""Keys and digests a second time, from their specification alone: nothing of the product is imported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from blake3 import blake3

_KEY = "occurrence-ledger 2026-11-30 occurrence key v1"
_DIGEST = "occurrence-ledger 2026-11-30 task digest v1"


class OwnKey(NamedTuple):
    key: UUID
    fingerprint: bytes


def own_text(due: datetime) -> str:
    """An instant as facts spell it."""
    there = due.astimezone(UTC)
    return there.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def own_key(facts: tuple[str, str, str, str, str, str, str], due: datetime) -> OwnKey:
    """The key of tenant, delivery, wake, agent, destination, task, digest (hex) and due."""
    quoted = ",".join(f'"{fact}"' for fact in ("occurrence/1", *facts, own_text(due)))
    fingerprint = blake3(f"[{quoted}]".encode(), derive_key_context=_KEY).digest()
    ms = (due - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    f = fingerprint
    octets = [*ms.to_bytes(6, "big"), 0x80 | (f[0] & 0x0F), f[1], 0x80 | (f[2] & 0x3F), *f[3:10]]
    return OwnKey(UUID(bytes=bytes(octets)), fingerprint)


def own_digest(authored: Mapping[str, object]) -> bytes:
    """The digest of an object that is folded already, of ASCII text, whole numbers and objects."""
    canonical = json.dumps(authored, sort_keys=True, separators=(",", ":"))
    return blake3(canonical.encode(), derive_key_context=_DIGEST).digest()


def own_retry_wait(fingerprint: bytes, n: int, backoff_s: int, factor: int, max_s: int) -> timedelta:
    """How long counted retry n waits, jittered by its own fingerprint."""
    w = min(max_s, backoff_s * factor ** (n - 1))
    u = int.from_bytes(fingerprint[:8], "big")
    return timedelta(microseconds=w * 10**6 * (2**64 + u) // 2**65)
