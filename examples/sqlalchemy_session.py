"""A task defined inside a SQLAlchemy session: it commits and rolls back with the session's own rows.

LEDGER_DSN=postgresql://… python -m examples.sqlalchemy_session
"""

from __future__ import annotations

import os

from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from ledger import Ledger

REPORT = {"entrypoint": "weekly_report", "schedule": {"cron": "0 9 * * MON", "timezone": "Europe/Paris"}}


class Base(DeclarativeBase):
    """The platform's own tables."""


class Customer(Base):
    """A customer, who gets a weekly report."""

    __tablename__ = "example_customer"
    name: Mapped[str] = mapped_column(primary_key=True)


def welcome(session: Session, ledger: Ledger, name: str) -> None:
    """A new customer and the customer's task, in the transaction that the session is in."""
    session.add(Customer(name=name))
    connection = session.connection().connection.driver_connection
    ledger.on(connection).tenant(name, by="signup").define("weekly-report", REPORT)


def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    engine = create_engine(dsn.replace("postgresql://", "postgresql+psycopg://", 1))
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Ledger(dsn) as ledger:
        with Session(engine) as session, session.begin():
            welcome(session, ledger, "acme")
        with Session(engine) as session:
            welcome(session, ledger, "globex")
            session.rollback()
        with Session(engine) as session:
            print("customers:", list(session.scalars(select(Customer.name))))
        for name in ("acme", "globex"):
            print(f"tasks of {name}:", [line.task for line in ledger.tenant(name).list().rows])
    engine.dispose()


if __name__ == "__main__":
    main()
