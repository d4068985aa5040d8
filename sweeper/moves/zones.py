"""Zones that tasks name and that cannot be read here: a broken install is found by every pass, by no chance.

Rows of another release are looked at one by one. This is about the release in force: its rows stand as they
should, and only whoever projects the next of them would meet the gap. So each tenant's turn reads each zone
that the text of an open row names; the tasks are asked only where one of those cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection

from ledger.moves.definitions import parse
from ledger.moves.step import Move, ask
from ledger.statements.zones import LOOK_NAMED
from projector.slots import schedule_of
from projector.slots.zones import zone


def without_zone(tenant: str, named: Collection[str]) -> Move[list[tuple[str, str]]]:
    """The tenant's tasks that are on and cannot be projected for want of one of these zones, and why not.

    A task that names a zone and never reads it, as `every_s` alone, is none of them.
    """
    zones = _unread(named)
    if not zones:
        return []
    lacking: list[tuple[str, str]] = []
    for row in (yield from ask(LOOK_NAMED(tenant=tenant, zones=zones))):
        try:
            schedule_of(parse(row.canonical).schedule)
        except Exception as error:  # noqa: BLE001 - one task's zone or text is that task's trouble alone (I12)
            lacking.append((row.task, str(error)))
    return lacking


def _unread(named: Collection[str]) -> list[str]:
    """The zones among these that the installed tzdata does not have, or that cannot be read."""
    unread: list[str] = []
    for name in named:
        try:
            zone(name)
        except Exception:  # noqa: BLE001 - whatever is wrong with it is told of each task that needs it
            unread.append(name)
    return sorted(unread)
