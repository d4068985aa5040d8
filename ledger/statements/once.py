"""What handlers ask of the ledger in transactions of their own."""

from __future__ import annotations

from typing import NamedTuple

from ledger.statements.load import load


class ClaimedOnce(NamedTuple):
    claimed: bool | None


CLAIM_ONCE = load("claim_once", ClaimedOnce)
