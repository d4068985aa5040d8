"""An asyncpg connection cannot be taken part in: the ledger says so, and what to do instead.

LEDGER_DSN=postgresql://… python -m examples.asyncpg_refused
"""

from __future__ import annotations

import asyncio
import os

import asyncpg
import psycopg

from ledger import AsyncLedger, BadInput

REPORT = {"entrypoint": "weekly_report", "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"}}


async def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    async with AsyncLedger(dsn) as ledger:
        theirs = await asyncpg.connect(dsn)
        try:
            ledger.on(theirs)
        except BadInput as error:
            print("refused:", error)
        finally:
            await theirs.close()

        # Where the two must stand or fall together: psycopg for that one transaction.
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            await ledger.on(connection).tenant("acme", by="signup").define("weekly-report", REPORT)

        # Where the task may follow: a transaction of the ledger's own, after asyncpg's has committed. The
        # call may be made again with the same arguments, so a crash between the two is mended by a repeat.
        await ledger.tenant("globex", by="signup").define("weekly-report", REPORT)

        for name in ("acme", "globex"):
            print(f"tasks of {name}:", [line.task for line in (await ledger.tenant(name).list()).rows])


if __name__ == "__main__":
    asyncio.run(main())
