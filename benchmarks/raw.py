"""The raw limit: rows of the hot table, with all its columns and indexes, through plain batched statements.

No product code, no keys to derive, no rule to read, no task to lock: psycopg, arrays in binary, batches of
500, as many connections as a dispatcher works on: two that claim, mark as running, insert the successors and
commit, and one that finishes.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

BATCH = 500
CLAIMERS = 2
TIMEOUT = timedelta(minutes=15)

# Every column that a row has while it is open, and its type.
_COLUMNS = {
    "key": "uuid",
    "tenant": "text",
    "task": "text",
    "digest": "bytea",
    "delivery": "text",
    "wake": "text",
    "agent": "text",
    "destination": "text",
    "due": "timestamptz",
    "fingerprint": "bytea",
    "key_version": "smallint",
    "lane": "text",
    "state": "text",
    "exclusive": "boolean",
    "run_at": "timestamptz",
    "after": "timestamptz",
    "base": "timestamptz",
    "predecessor": "uuid",
    "source": "text",
    "trail": "jsonb",
    "passed": "jsonb",
    "failures": "integer",
    "history": "jsonb",
    "made_by": "text",
    "tzdata": "text",
}
_JSON = ("trail", "passed", "history")

_CLAIM = """
SELECT key, tenant FROM ledger.occurrence
 WHERE state = 'pending' AND blocked_by IS NULL AND delivery <> 'pull' AND run_at <= now()
 ORDER BY run_at LIMIT %(n)s FOR UPDATE SKIP LOCKED"""
_START = """
UPDATE ledger.occurrence o
   SET state = 'running', started = now(), deadline = now() + k.timeout, incarnation = 1, reason = NULL
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(timeouts)b::interval[]) AS k (key, tenant, timeout)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'"""
_ARRAYS = ", ".join(f"%({c})b::{'text' if c in _JSON else t}[]" for c, t in _COLUMNS.items())
_VALUES = ", ".join(f"k.{c}::jsonb" if c in _JSON else f"k.{c}" for c in _COLUMNS)
_INSERT = f"""
INSERT INTO ledger.occurrence ({", ".join(_COLUMNS)}, created)
SELECT {_VALUES}, now() FROM unnest({_ARRAYS}) AS k ({", ".join(_COLUMNS)})"""  # noqa: S608 - the constants above
_FINISH = """
UPDATE ledger.occurrence o
   SET state = 'succeeded', closed = now(), outcome = 'succeeded', failures = 0
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.started IS NOT NULL AND o.closed IS NULL"""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are due, and the successor of each, made before anything is measured."""

    due: list[tuple[object, ...]]
    successors: dict[UUID, tuple[object, ...]]


def make_rows(n: int, tenants: int, seed: int) -> Rows:
    """`n` rows of distinct tasks in random order, due within the last ten seconds, and their successors."""
    rng = random.Random(seed)
    now = datetime.now(UTC)
    rows, successors = [], {}
    for i in range(n):
        due = now - timedelta(microseconds=rng.randrange(10_000_000))
        names = (f"tenant-{i % tenants}", f"task-{i}", rng.randbytes(32))
        key, following = _key(due, rng), due + timedelta(days=1)
        rows.append(_row(key, names, due, rng, None))
        successors[key] = _row(_key(following, rng), names, following, rng, key)
    rng.shuffle(rows)
    return Rows(rows, successors)


def _key(due: datetime, rng: random.Random) -> UUID:
    """As keys are: the milliseconds first, so that they come in order."""
    return UUID(bytes=int(due.timestamp() * 1000).to_bytes(6, "big") + rng.randbytes(10))


def _row(
    key: UUID, names: tuple[str, str, bytes], due: datetime, rng: random.Random, predecessor: UUID | None
) -> tuple[object, ...]:
    """The columns in their order."""
    words = ("python", "schedule", "default", "local:default")
    before = due - timedelta(days=1)
    version, exclusive, failures = 1, True, 0
    return (
        *(key, *names, *words, due, rng.randbytes(32), version, "series", "pending", exclusive),
        *(
            due,
            before,
            before,
            predecessor,
            "baseline-interval",
            None,
            None,
            failures,
            None,
            "start",
            "2026.1",
        ),
    )


def _arrays(rows: list[tuple[object, ...]]) -> dict[str, list[object]]:
    return dict(zip(_COLUMNS, map(list, zip(*rows, strict=True)), strict=True))


def fill(dsn: str, rows: Rows) -> None:
    """Put the due rows into the hot table."""
    with psycopg.connect(dsn) as connection:
        for i in range(0, len(rows.due), 5000):
            connection.execute(_INSERT, _arrays(rows.due[i : i + 5000]))


def measure(dsn: str, rows: Rows, *, succeed: bool = True) -> float:
    """Rows a second, from the first claim to the last commit; without `succeed`, no successor is inserted."""
    claimed: queue.SimpleQueue[list[tuple[UUID, str]] | None] = queue.SimpleQueue()
    finished = 0

    def claim(connection: psycopg.Connection) -> None:
        while batch := connection.execute(_CLAIM, {"n": BATCH}, binary=True).fetchall():
            connection.execute(_START, {**_pairs(batch), "timeouts": [TIMEOUT] * len(batch)})
            if succeed:
                connection.execute(_INSERT, _arrays([rows.successors[key] for key, _ in batch]))
            connection.commit()
            claimed.put(batch)
        # A claim that finds nothing may have locked what another has just started; the finisher waits for it.
        connection.commit()

    def finish(connection: psycopg.Connection) -> None:
        nonlocal finished
        while (batch := claimed.get()) is not None:
            finished += connection.execute(_FINISH, _pairs(sorted(batch))).rowcount
            connection.commit()

    with ExitStack() as stack:
        finishing, *claiming = [stack.enter_context(_connect(dsn)) for _ in range(1 + CLAIMERS)]
        finisher = threading.Thread(target=finish, args=(finishing,))
        claimers = [threading.Thread(target=claim, args=(connection,)) for connection in claiming]
        began = time.perf_counter()
        for thread in (finisher, *claimers):
            thread.start()
        for thread in claimers:
            thread.join()
        claimed.put(None)
        finisher.join()
        took = time.perf_counter() - began
    if finished != len(rows.due):
        raise RuntimeError(f"{finished} rows were finished of {len(rows.due)}")
    return finished / took


def _connect(dsn: str) -> psycopg.Connection:
    connection = psycopg.connect(dsn, options="-c plan_cache_mode=force_generic_plan")
    connection.prepare_threshold = 1
    return connection


def _pairs(batch: list[tuple[UUID, str]]) -> dict[str, list[object]]:
    return {"keys": [key for key, _ in batch], "tenants": [tenant for _, tenant in batch]}
