"""How the tables become entries: BLAKE3 by its own package, and a calendar that is not the product's."""

from __future__ import annotations

import calendar
import json
from typing import TypeAlias

from blake3 import blake3

from conformance.entries import Entry, Piece, piece_bytes

Worked: TypeAlias = tuple[Entry, list[Piece]]

KEY_CONTEXT = "occurrence-ledger 2026-11-30 occurrence key v1"
DIGEST_CONTEXT = "occurrence-ledger 2026-11-30 task digest v1"


def entry(name: str, about: str, request: list[Piece], answer: dict[str, object], origin: str) -> Worked:
    """An entry; its operation is the second word of its name."""
    op = name.split("-")[1]
    raw = b"".join(map(piece_bytes, request))
    return Entry(name, op, raw, answer, origin, about), request


def refusal(code: str, fact: str) -> dict[str, object]:
    return {"error": code, "fact": fact}


def key_answer(preimage: str) -> dict[str, object]:
    """The answer to facts whose preimage is this text, by the rule of the UUID, byte for byte."""
    due: str = json.loads(preimage)[-1]
    year, month, day = int(due[:4]), int(due[5:7]), int(due[8:10])
    seconds = calendar.timegm((year, month, day, int(due[11:13]), int(due[14:16]), int(due[17:19])))
    millis = seconds * 1000 + int(due[20:23])
    f = blake3(preimage.encode(), derive_key_context=KEY_CONTEXT).digest()
    key = millis.to_bytes(6, "big") + bytes([0x80 | f[0] & 0x0F, f[1], 0x80 | f[2] & 0x3F]) + f[3:10]
    written = key.hex()
    return {
        "key": "-".join((written[:8], written[8:12], written[12:16], written[16:20], written[20:])),
        "fingerprint": f.hex(),
        "preimage": preimage,
    }


def digest_of(canonical: str) -> str:
    return blake3(canonical.encode(), derive_key_context=DIGEST_CONTEXT).hexdigest()
