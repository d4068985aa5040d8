"""What the judge reads of the ledger itself: rows and acts at the end, and a look each second in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from benchmarks.judge.history import Act, Pass, Row, Spot, Text, Thing

Connection = psycopg.Connection[tuple[object, ...]]

_ACTS = """
SELECT tenant, task, n, at, what, encode(digest, 'hex') AS digest, enabled, resume_after FROM ledger.act"""
_TEXTS = "SELECT tenant, encode(digest, 'hex') AS digest, canonical FROM ledger.definition"
_ROWS = """
SELECT key::text, tenant, task, encode(digest, 'hex') AS digest, delivery, wake, agent, destination, due,
       encode(fingerprint, 'hex') AS fingerprint, lane, state, reason, blocked_by::text, after, passed,
       made_by, incarnation, created, started, closed
  FROM ledger.occurrence"""
_PASSES = "SELECT id, closed, expected, healthy, repaired, failed, rows_made FROM ledger.pass"
_INCARNATIONS = "SELECT id, host FROM ledger.incarnation ORDER BY id"

# Each asks for what must never be: one snapshot, a line for each finding.
_WRONG = """
SELECT tenant || '/' || task || ': ' || count(*) || ' open rows in the lane ' || lane
  FROM ledger.occurrence WHERE state = 'pending' GROUP BY tenant, task, lane HAVING count(*) > 1
 UNION ALL
SELECT t.tenant || '/' || t.task || ': enabled, and of open series rows and rows that say that it has ended,'
       || ' both under its digest, there are ' || count(o.state)
  FROM ledger.task t
  LEFT JOIN ledger.occurrence o ON o.tenant = t.tenant AND o.task = t.task AND o.digest = t.digest
        AND o.lane = 'series' AND o.state IN ('pending', 'ended')
 WHERE t.enabled GROUP BY t.tenant, t.task HAVING count(o.state) <> 1
 UNION ALL
SELECT o.tenant || '/' || o.task || ': off, gone or edited, and a row is open in the lane ' || o.lane
  FROM ledger.occurrence o
  LEFT JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task AND t.enabled AND t.digest = o.digest
 WHERE o.state = 'pending' AND t.task IS NULL
 UNION ALL
SELECT tenant || '/' || task || ': ' || count(*) || ' runs at once'
  FROM ledger.occurrence WHERE state = 'running' GROUP BY tenant, task HAVING count(*) > 1"""


def clock(connection: Connection) -> datetime:
    """The database's clock."""
    (row,) = connection.execute("SELECT clock_timestamp()").fetchall()
    assert isinstance(row[0], datetime)
    return row[0]


def look(connection: Connection) -> Spot:
    """What is wrong in this moment (I3, I4, I8)."""
    at = clock(connection)
    return Spot(at, [str(row[0]) for row in connection.execute(_WRONG.encode()).fetchall()])


def read_ledger(connection: Connection) -> Iterator[Thing]:
    """Every act, text, occurrence and pass, in one snapshot."""
    asked: Sequence[tuple[type[Act | Text | Row | Pass], str]] = (
        (Act, _ACTS),
        (Text, _TEXTS),
        (Row, _ROWS),
        (Pass, _PASSES),
    )
    connection.execute("SET TIME ZONE 'UTC'")
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    for kind, sql in asked:
        with connection.cursor(row_factory=class_row(kind)) as cursor:
            yield from cursor.execute(sql.encode()).fetchall()
    connection.execute("COMMIT")


def incarnations(connection: Connection) -> Mapping[int, list[int]]:
    """The incarnations of each process, by its number, which their host's name ends with."""
    found: dict[int, list[int]] = {}
    for incarnation, host in connection.execute(_INCARNATIONS).fetchall():
        assert isinstance(incarnation, int)
        found.setdefault(int(str(host).rpartition(":")[2]), []).append(incarnation)
    return found


def unsettled(connection: Connection, horizon: datetime) -> int:
    """How many rows up to the horizon still run, or are open and could have started."""
    asked = """SELECT count(*) FROM ledger.occurrence
                WHERE (state = 'running' AND started <= %(horizon)s)
                   OR (state = 'pending' AND run_at <= %(horizon)s)"""
    (row,) = connection.execute(asked, {"horizon": horizon}).fetchall()
    assert isinstance(row[0], int)
    return row[0]
