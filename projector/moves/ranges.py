"""Ranges of slots that a person asks for, and what is refused of them at the door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ledger.authored.models import Definition
from ledger.errors import BadInput
from ledger.facts import instant_text
from projector.moves.request import REQUEST_MOST
from projector.slots import schedule_of

# Slots of one backfill; more are asked for in parts.
SLOTS_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Range:
    """What is asked for: the slots in [`since`, `until`), without an `until` those up to now.

    `at_once` of its runs run at a time. With `again`, slots that have run already run once more.
    """

    task: str
    request: str
    since: datetime
    until: datetime | None = None
    at_once: int = 1
    again: bool = False


def slots_of(tenant: str, wanted: Range, until: datetime, definition: Definition) -> list[datetime]:
    """The slots of the rule in the range; a pause, which holds back the series, has no say in them."""
    slots = schedule_of(definition.schedule)
    found: list[datetime] = []
    slot = wanted.since if slots.holds(wanted.since) else slots.next(wanted.since)
    while slot is not None and slot < until:
        if len(found) == SLOTS_MOST:
            raise BadInput(
                f"backfilling: the range has more than {SLOTS_MOST} slots; the first {SLOTS_MOST} lie before "
                f"{instant_text(slot)}: ask for the slots to there, and then from there",
                tenant=tenant,
                task=wanted.task,
            )
        found.append(slot)
        slot = slots.next(slot)
    return found


def check_asked(tenant: str, wanted: Range) -> None:
    """Raises `BadInput` for what is wrong whatever the ledger holds."""
    if len(wanted.request) > REQUEST_MOST:
        raise BadInput(
            f"backfilling: the request id has {len(wanted.request)} characters, and may have {REQUEST_MOST}: "
            "retries of its runs carry it in their names",
            tenant=tenant,
            task=wanted.task,
        )
    if wanted.until is not None and wanted.since >= wanted.until:
        raise BadInput(
            f"backfilling: the range ends at {instant_text(wanted.until)}, not after its beginning at "
            f"{instant_text(wanted.since)}",
            tenant=tenant,
            task=wanted.task,
        )


def check_at_once(tenant: str, wanted: Range, definition: Definition) -> None:
    """Raises `BadInput` where the task's overlap lets no two runs stand side by side."""
    if wanted.at_once > 1 and definition.overlap != "allow":
        raise BadInput(
            f"backfilling {wanted.at_once} at once: runs of the task run one at a time (overlap "
            f"{definition.overlap!r}); leave it out, or let them overlap",
            tenant=tenant,
            task=wanted.task,
        )


def check_kept(tenant: str, wanted: Range, kept: datetime) -> None:
    """Raises `BadInput` for a range that begins before the history that is kept (I16)."""
    if wanted.since < kept:
        raise BadInput(
            f"backfilling: the range begins at {instant_text(wanted.since)}, before the history that is kept "
            f"(from {instant_text(kept)} on): nobody knows what ran before it; begin later",
            tenant=tenant,
            task=wanted.task,
        )


def check_over(tenant: str, wanted: Range, until: datetime, moment: datetime) -> None:
    """Raises `BadInput` for a range that is not over at the moment."""
    if until > moment or wanted.since >= until:
        raise BadInput(
            f"backfilling: the range from {instant_text(wanted.since)} to {instant_text(until)} is not over "
            f"by the database's clock ({instant_text(moment)}); the series runs what is to come",
            tenant=tenant,
            task=wanted.task,
        )
