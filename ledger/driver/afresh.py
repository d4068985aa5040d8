"""Makes a database anew: for a demo that wants one of its own, with nothing left of the last one."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from ledger.driver.connect import connect
from ledger.driver.migrate import migrate
from ledger.driver.transaction import meaning


def make_afresh(dsn: str, name: str) -> tuple[str, list[str]]:
    """Drop the database `name` on the server of `dsn`, with whatever it holds and whoever is in it, and make
    it anew with this release's schema. Answers its DSN and the migrations that were applied.

    `dsn` is a URL of another database there, as a user that may make databases. Raises `Unreachable`, and
    `Misconfigured` where the user may not.
    """
    quoted = sql.Identifier(name)
    with connect(dsn, application="ledger afresh") as connection:
        try:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(quoted))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(quoted))
        except psycopg.Error as error:
            raise meaning(error) from error
    made = urlsplit(dsn)._replace(path=f"/{name}").geturl()
    applied = migrate(made)
    with connect(made, application="ledger afresh") as connection:
        # A new database is much to write; do it now, not under the first run.
        connection.execute("CHECKPOINT")
    return made, applied
