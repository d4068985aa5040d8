"""What a dispatcher asks around its claims: what is due, when to look again, what was set aside."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load
from ledger.statements.presence import Place


class NextDue(NamedTuple):
    """How many rows are due, and when the first one comes that is not, by the database's clock."""

    moment: datetime
    due: int
    next: datetime | None


class AsideRow(NamedTuple):
    tenant: str
    task: str
    key: UUID
    delivery: str


class FreedKey(NamedTuple):
    key: UUID
    tenant: str


LIST_DUE = load("list_due", Place)
READ_NEXT_DUE = load("read_next_due", NextDue)
LIST_ASIDE = load("list_aside", AsideRow)
FREE_ASIDE = load("free_aside", FreedKey)
