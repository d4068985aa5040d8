"""Keys and digests from their specification alone (I1)."""

from __future__ import annotations

from datetime import UTC, timedelta
from uuid import UUID

from blake3 import blake3

from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import History, Row
from benchmarks.judge.slots import EPOCH

_KEY = "occurrence-ledger 2026-11-30 occurrence key v1"
_DIGEST = "occurrence-ledger 2026-11-30 task digest v1"


def key_of(row: Row) -> tuple[str, str]:
    """The key and the fingerprint of the facts that stand beside them."""
    due = row.due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    facts = (row.tenant, row.delivery, row.wake, row.agent, row.destination, row.task, row.digest, due)
    text = "[" + ",".join(f'"{fact}"' for fact in ("occurrence/1", *facts)) + "]"
    f = blake3(text.encode(), derive_key_context=_KEY).digest()
    ms = (row.due - EPOCH) // timedelta(milliseconds=1)
    octets = [*ms.to_bytes(6, "big"), 0x80 | f[0] & 0x0F, f[1], 0x80 | f[2] & 0x3F, *f[3:10]]
    return str(UUID(bytes=bytes(octets))), f.hex()


def judge_names(history: History, judgement: Judgement) -> None:
    """Recompute every digest and every key."""
    for text in history.texts:
        if blake3(text.canonical.encode(), derive_key_context=_DIGEST).hexdigest() != text.digest:
            judgement.find("misnamed", f"the text under {text.digest} has another digest", text.tenant)
    for row in history.rows:
        judgement.counts["keys derived again"] += 1
        if key_of(row) != (row.key, row.fingerprint):
            judgement.find("misnamed", f"key {row.key} is not its facts'", row.tenant, row.task, row.due)
