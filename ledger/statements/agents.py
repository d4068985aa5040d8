"""Agents that are gone: who they are, what is left of them, and the note taken back."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class GoneAgent(NamedTuple):
    tenant: str
    agent: str


class GoneTask(NamedTuple):
    """A task of an agent that is gone; `key` is the run that found it so."""

    tenant: str
    task: str
    agent: str
    key: UUID | None


READ_GONE = load("read_gone", GoneAgent)
LIFT_GONE = load("lift_gone", NoRow)
LIST_GONE_TASKS = load("list_gone_tasks", GoneTask)
