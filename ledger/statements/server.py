"""What the doctor reads of a server."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.statements.load import load


class ServerFacts(NamedTuple):
    """`version` as Postgres numbers it (180001); `may_be`: the roles that the login may take on."""

    version: int
    standby: bool
    moment: datetime
    login: str
    superuser: bool
    may_be: list[str]
    sees_sessions: bool
    connections: int
    hot_table: str | None


class ServerSetting(NamedTuple):
    name: str
    value: str
    pending_restart: bool


class Applied(NamedTuple):
    name: str


READ_SERVER = load("read_server", ServerFacts)
READ_SERVER_SETTINGS = load("read_server_settings", ServerSetting)
READ_MIGRATIONS = load("read_migrations", Applied)
