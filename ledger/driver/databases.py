"""Databases of a server, made from a template and dropped: for tests, which have one each."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Composed, Identifier

from ledger.driver.connect import connect
from ledger.driver.transaction import meaning
from ledger.errors import BadInput


def on_database(dsn: str, name: str) -> str:
    """The DSN of another database of the same server. Raises `BadInput` for a DSN that cannot be read."""
    try:
        return make_conninfo(dsn, dbname=name)
    except psycopg.Error as error:
        raise BadInput("the DSN cannot be read; write postgresql://USER@HOST:PORT/DATABASE") from error


def create_database(server: str, name: str, template: str = "template1") -> None:
    """Make a database as a copy of `template`, which nobody may be connected to.

    `server` is the DSN of any other database of the server. Raises `Misconfigured` where its user may not.
    """
    _perform(server, SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))


def drop_database(server: str, name: str) -> None:
    """Drop a database, ending whatever session is left in it; one that has gone is no error."""
    _perform(server, SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def _perform(server: str, statement: Composed) -> None:
    with connect(server, application="ledger databases") as connection:
        try:
            connection.execute(statement)
        except psycopg.Error as error:
            raise meaning(error) from error
