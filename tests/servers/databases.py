"""Databases of the run's server: a migrated template, and a clone of it for each test."""

from __future__ import annotations

import itertools

from psycopg.conninfo import conninfo_to_dict
from pytest_postgresql.janitor import DatabaseJanitor

from ledger.driver.migrate import migrate
from ledger.server.cluster import Cluster

_TEMPLATE = "book"


class Databases:
    """Makes and drops databases on one server: pytest-postgresql's janitor does the work."""

    def __init__(self, cluster: Cluster) -> None:
        there = cluster.running()
        assert there is not None
        self._cluster = cluster
        self._port = there.port
        self._numbers = itertools.count(1)
        template = self._janitor(_TEMPLATE, as_template=True)
        template.init()
        migrate(self.dsn(_TEMPLATE))

    def dsn(self, name: str) -> str:
        return self._cluster.dsn(self._port, name)

    def tcp_dsn(self, name: str) -> str:
        """The same database over 127.0.0.1, where TCP's settings matter."""
        return self._cluster.tcp_dsn(self._port, name)

    def clone(self) -> str:
        """The name of a new database that is migrated and holds nothing."""
        return self._make(_TEMPLATE)

    def empty(self) -> str:
        """The name of a new database that holds nothing at all, not even the schema."""
        return self._make("template0")

    def drop(self, name: str) -> None:
        """Drop a database, ending whatever session is left in it."""
        self._janitor(name).drop()

    def _make(self, template: str) -> str:
        name = f"test_{next(self._numbers)}"
        self._janitor(name, template=template).init()
        return name

    def _janitor(
        self, name: str, *, template: str | None = None, as_template: bool = False
    ) -> DatabaseJanitor:
        there = conninfo_to_dict(self.dsn("postgres"))
        return DatabaseJanitor(
            user=str(there["user"]),
            host=str(there["host"]),
            port=str(there["port"]),
            dbname=name,
            template_dbname=template,
            as_template=as_template,
        )
