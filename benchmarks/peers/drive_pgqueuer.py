"""Drives PgQueuer. Run by its own Python: `drive_pgqueuer.py DSN JOBS`; see `benchmarks.peers.driving`.

At its best: batches of 500 and a pool, on the event loop that its own command installs.
"""

from __future__ import annotations

import asyncio
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer, Queries
from pgqueuer.db import AsyncpgDriver

BATCH = 500


async def main(dsn: str, jobs: int) -> None:
    queries = Queries(AsyncpgDriver(await asyncpg.connect(dsn)))
    await queries.install()
    for low in range(0, jobs, 2_000):
        n = min(2_000, jobs - low)
        await queries.enqueue(["noop"] * n, [b"{}"] * n, [0] * n)
    queuer = PgQueuer.from_asyncpg_pool(await asyncpg.create_pool(dsn, min_size=2, max_size=6))
    handled = 0

    @queuer.entrypoint("noop")
    async def noop(_: object) -> None:
        nonlocal handled
        if not handled:
            print("began", time.time(), flush=True)
        handled += 1

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await queuer.run(batch_size=BATCH)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
