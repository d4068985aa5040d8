"""What a look at runs to come reads beside the open rows."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from ledger.statements.load import load


class OriginRow(NamedTuple):
    """Why a row is due when it is. `won`: the kind of hint that put it there, if one did."""

    key: UUID
    source: str | None
    won: Literal["interval", "oneshot"] | None
    moment: datetime


READ_ORIGINS = load("read_origins", OriginRow)
