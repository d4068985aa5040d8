"""A task defined inside a SQLAlchemy asyncio session: it commits and rolls back with the session's own rows.

LEDGER_DSN=postgresql://… python -m examples.sqlalchemy_async_session
"""

from __future__ import annotations

import asyncio
import os

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from examples.sqlalchemy_session import REPORT, Base, Customer
from ledger import AsyncLedger


async def welcome(session: AsyncSession, ledger: AsyncLedger, name: str) -> None:
    """A new customer and the customer's task, in the transaction that the session is in."""
    session.add(Customer(name=name))
    raw = await (await session.connection()).get_raw_connection()
    await ledger.on(raw.driver_connection).tenant(name, by="signup").define("weekly-report", REPORT)


async def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    engine = create_async_engine(dsn.replace("postgresql://", "postgresql+psycopg://", 1))
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.drop_all)
        await connection.run_sync(Base.metadata.create_all)
    async with AsyncLedger(dsn) as ledger:
        async with AsyncSession(engine) as session, session.begin():
            await welcome(session, ledger, "acme")
        async with AsyncSession(engine) as session:
            await welcome(session, ledger, "globex")
            await session.rollback()
        async with AsyncSession(engine) as session:
            print("customers:", list(await session.scalars(select(Customer.name))))
        for name in ("acme", "globex"):
            print(f"tasks of {name}:", [line.task for line in (await ledger.tenant(name).list()).rows])
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main())
