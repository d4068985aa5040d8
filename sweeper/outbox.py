"""What a pass removes of the outbox: events that were kept for long enough, a batch at a time.

An event that a subscriber waits for is kept for as long as that subscriber's own bound says; what it loses
beyond that is counted in its row and said in the report.
"""

from __future__ import annotations

from collections import Counter

from ledger.driver.connect import SyncConnection
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import LedgerError, OutcomeUnknown, Unreachable
from ledger.moves.outbox import KEEP, NUMBERED_MOST, drop_batch, number

BATCH = 5_000


def drop_events(connection: SyncConnection) -> list[str]:
    """Remove what was kept for long enough; what is to be said of it, nothing where nothing was lost.

    Whatever keeps it from being done is said, and the next pass does it. Raises `Unreachable` where the
    connection is lost.
    """
    scope, unsent = Scope("sweeper"), Counter[str]()
    beyond: int | None = 0
    try:
        # What nobody reads has no number yet, and would be kept for ever.
        while run(connection, number(None), scope) == NUMBERED_MOST:
            pass
        while beyond is not None:
            dropped, beyond = run(connection, drop_batch(KEEP, beyond, BATCH), scope)
            unsent.update(dropped.unsent)
    except (Unreachable, OutcomeUnknown):
        raise
    except LedgerError as error:
        return [f"old events could not be removed: {error}"]
    return [
        f"subscriber {name!r}: {n} events were dropped before they were sent; they had waited for its bound"
        for name, n in sorted(unsent.items())
    ]
