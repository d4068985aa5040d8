"""What takes a tenant out of the ledger, as a copy or for good."""

from __future__ import annotations

from typing import NamedTuple

from ledger.statements.load import NoRow, load
from ledger.statements.presence import Place


class TableName(NamedTuple):
    name: str


class TenantRow(NamedTuple):
    """A row of any table, as the database writes it in JSON."""

    row: dict[str, object]


class DroppedPage(NamedTuple):
    """How many rows are gone, and the primary key of the last; None where the table had no more."""

    gone: int
    last: dict[str, object] | None


LIST_TENANT_TABLES = load("list_tenant_tables", TableName)
READ_TENANT_PAGE = load("read_tenant_page", TenantRow)
DROP_TENANT_PAGE = load("drop_tenant_page", DroppedPage)
READ_TENANT_RUNS = load("read_tenant_runs", Place)
BURY_TENANT = load("bury_tenant", NoRow)
