"""Signatures of webhooks, as Standard Webhooks has them: HMAC-SHA256 over id, timestamp and body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

from ledger.errors import BadInput

PREFIX = "whsec_"
# Bytes of a secret, at least and at most, by the standard.
LEAST, MOST = 24, 64
# One secret, and while it is replaced the other.
LIVE_MOST = 2


class Signer:
    """Signs with every live secret, so a receiver that knows either believes it while one is replaced."""

    def __init__(self, secrets: str) -> None:
        """`secrets`: one or two `whsec_…`, spaces between them.

        Raises `BadInput` for none, for more, and for one that is no secret; it is never quoted.
        """
        given = secrets.split()
        if not given:
            raise BadInput("webhooks are signed, and no secret is configured: nothing is sent unsigned")
        if len(given) > LIVE_MOST:
            raise BadInput(
                f"webhooks are signed by one secret, or two while one is replaced, not {len(given)}"
            )
        self._keys = [_key(n, text) for n, text in enumerate(given, 1)]

    def __repr__(self) -> str:
        return f"<Signer with {len(self._keys)} secrets>"

    def headers(self, ident: str, timestamp: int, body: bytes) -> dict[str, str]:
        """The three headers of a message; `timestamp` is in seconds since 1970."""
        signed = f"{ident}.{timestamp}.".encode() + body
        signatures = [
            base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode() for key in self._keys
        ]
        return {
            "webhook-id": ident,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
        }


def _key(n: int, text: str) -> bytes:
    if not text.startswith(PREFIX):
        raise BadInput(f"secret {n} of the webhooks: a secret begins with {PREFIX}, then base64")
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise BadInput(f"secret {n} of the webhooks: what follows {PREFIX} is no base64") from error
    if not LEAST <= len(key) <= MOST:
        raise BadInput(f"secret {n} of the webhooks: it has {len(key)} bytes, not {LEAST} to {MOST}")
    return key
