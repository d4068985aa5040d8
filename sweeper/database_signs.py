"""Vital signs of the database itself: what slows every claim long before anything fails."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ledger.statements.health import OldestSnapshot, TableCare
from sweeper.sign import Sign

# Dead rows of a table that are too many: more than so many, and than half of those that live.
DEAD = 100_000
# A snapshot kept open for so long is worth a look; for so long it keeps the hot table from being cleared.
SNAPSHOT, SNAPSHOT_MOST = timedelta(minutes=10), timedelta(hours=1)
# Rows changed since the statistics were made, beside more than all that live: plans may go by what was.
CHANGED = 50_000


def read_database(moment: datetime, tables: Sequence[TableCare], snapshot: OldestSnapshot) -> list[Sign]:
    """Dead rows, the oldest snapshot, and the age of the statistics that plans go by."""
    return [_dead_rows(moment, tables), _snapshot(moment, snapshot), _statistics(moment, tables)]


def _dead_rows(moment: datetime, tables: Sequence[TableCare]) -> Sign:
    evidence = [table._asdict() for table in tables]
    worst = max(tables, key=lambda table: table.dead)
    said = f"most in {worst.name}: {worst.dead} beside {worst.live} that live"
    if worst.vacuumed is not None:
        said += f", vacuumed {worst.vacuumed:%Y-%m-%d %H:%M}Z"
    if worst.dead > max(DEAD, worst.live // 2):
        said += "; autovacuum does not keep up"
        return Sign("dead rows", "bad", said, worst.vacuumed or moment, evidence)
    return Sign("dead rows", "good", said, moment, evidence)


def _snapshot(moment: datetime, found: OldestSnapshot) -> Sign:
    ages = [at for at in (found.oldest, found.prepared) if at is not None]
    oldest = min(ages, default=None)
    name, evidence = "oldest snapshot", [found._asdict()]
    if oldest is not None and moment - oldest > SNAPSHOT:
        whose = f"session {found.pid} ({found.application})"
        if oldest == found.prepared:
            whose = "a prepared transaction"
        said = f"{whose} holds one since {oldest:%Y-%m-%d %H:%M}Z: no row that died since is cleared away"
        return Sign(name, "bad" if moment - oldest > SNAPSHOT_MOST else "note", said, oldest, evidence)
    if found.hidden:
        said = (
            f"{found.hidden} sessions of other roles are not shown; GRANT pg_read_all_stats TO ledger_reader"
        )
        return Sign(name, "note", said, moment, evidence)
    said = f"none is older than {SNAPSHOT.seconds // 60} minutes"
    return Sign(name, "good", said, oldest or moment, evidence)


def _statistics(moment: datetime, tables: Sequence[TableCare]) -> Sign:
    evidence = [table._asdict() for table in tables]
    stale = [table for table in tables if table.changed > max(CHANGED, table.live)]
    made = [table.analyzed for table in tables if table.live and table.analyzed is not None]
    oldest = min(made, default=moment)
    if stale:
        first = stale[0]
        since = "ever" if first.analyzed is None else f"since {first.analyzed:%Y-%m-%d %H:%M}Z"
        said = f"{first.name}: {first.changed} rows changed and none analyzed {since}; ANALYZE it"
        return Sign("statistics", "bad", said, first.analyzed or moment, evidence)
    return Sign("statistics", "good", "no table has changed more than its statistics bear", oldest, evidence)
