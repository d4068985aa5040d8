"""A tenant as a whole: all that it has, page by page, and taking that away.

Whatever table names a tenant is among them, those of later releases too: a table that nobody thought of is
neither missing from a copy nor left behind.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ledger.errors import StillRunning
from ledger.moves.close import Closing, close
from ledger.moves.step import Move, ask
from ledger.statements.tenants import (
    BURY_TENANT,
    DROP_TENANT_PAGE,
    LIST_TENANT_TABLES,
    READ_TENANT_PAGE,
    READ_TENANT_RUNS,
    DroppedPage,
)

# Rows of one transaction, and runs.
PAGE = 2_000
_RUNS = 200
# How many runs an error names.
_NAMED = 5


def tables() -> Move[list[str]]:
    """The tables in which a tenant may have rows, tasks first and the archive last."""
    return [row.name for row in (yield from ask(LIST_TENANT_TABLES()))]


def read_page(
    table: str, tenant: str, after: dict[str, object] | None, n: int = PAGE
) -> Move[list[dict[str, object]]]:
    """Rows of a tenant behind `after`, in the order of the table's primary key, as JSON objects."""
    call = READ_TENANT_PAGE(name=table, tenant=tenant, after=_text(after), n=n)
    return [row.row for row in (yield from ask(call))]


def drop_page(table: str, tenant: str, after: dict[str, object] | None, n: int = PAGE) -> Move[DroppedPage]:
    """Delete such a page; `last` of the answer is where the next one goes on."""
    call = DROP_TENANT_PAGE(name=table, tenant=tenant, after=_text(after), n=n)
    (dropped,) = yield from ask(call)
    return dropped


def refuse_running(tenant: str) -> Move[None]:
    """Raises `StillRunning` while runs of the tenant are going on."""
    runs = yield from ask(READ_TENANT_RUNS(tenant=tenant, n=_NAMED + 1))
    if runs:
        named = ", ".join(f"{run.task} ({run.key})" for run in runs[:_NAMED])
        more = " and more" if len(runs) > _NAMED else ""
        raise StillRunning(
            f"deleting a tenant: runs of it are going on: {named}{more}; wait for them, or force it: "
            "they are cancelled, and what they report later counts for nothing",
            tenant=tenant,
        )


def cancel_runs(tenant: str, by: str) -> Move[int]:
    """Cancel runs of a tenant that is about to go, a batch; how many there were."""
    runs = yield from ask(READ_TENANT_RUNS(tenant=tenant, n=_RUNS))
    if runs:
        said = "the tenant is deleted"
        closings: Sequence[Closing] = [
            Closing(tenant, run.task, run.key, "cancelled", "cancel", by=by, reason=said) for run in runs
        ]
        yield from close(closings)
    return len(runs)


def bury(tenant: str, by: str, rows: int) -> Move[None]:
    """Keep that the tenant was deleted, by whom, and how many rows it had."""
    yield from ask(BURY_TENANT(tenant=tenant, by=by, rows=rows))


def _text(after: dict[str, object] | None) -> str | None:
    return None if after is None else json.dumps(after)
