"""The program under test: it reminds customers of open invoices, and gives up after the third time."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import Registry, Run, TenantLedger

registry = Registry()
# What stands in for a mail service.
sent: list[tuple[str, int]] = []


def start_dunning(ledger: TenantLedger, invoice: str, cents: int) -> None:
    """Remind of an invoice on every Monday at nine, by the customer's clock."""
    ledger.define(
        f"dunning:{invoice}",
        {
            "entrypoint": "remind",
            "payload": {"invoice": invoice, "cents": cents},
            "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"},
            "retry": {"attempts": 2, "backoff_s": 60},
        },
    )


@registry.handler("remind")
def remind(run: Run) -> object:
    """Send one reminder; the answer is kept as the run's result."""
    wanted = run.payload
    if not isinstance(wanted, Mapping) or wanted["cents"] <= 0:
        raise ValueError("nothing is owed")
    sent.append((wanted["invoice"], run.attempt))
    return {"reminded": wanted["invoice"]}
