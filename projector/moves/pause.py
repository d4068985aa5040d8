"""Pausing a task, and resuming it: edits of its definition, so that what holds it back is read in it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.errors import BadInput, NotFound
from ledger.facts import instant_text
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS, READ_REFERENCES
from projector.moves.change import Acted
from projector.moves.edit import edit
from projector.moves.open import read_subjects

_UNPAUSED: dict[str, object] = {"paused_until": None, "pause_note": None, "resume": None}


class Pause(NamedTuple):
    """Until when a series is held back; with `at_end` that very instant is a slot."""

    until: datetime
    at_end: bool = False


def pause(tenant: str, task: str, asked: Pause, by: str, note: str = "") -> Move[Acted]:
    """Hold a series back until an instant, by an edit: no slot before it, not even one that has come.

    It goes on with the first slot from then on; with `at_end` at that very instant, where the schedule's
    bounds and exclusions allow it. `note` is the definition's `pause_note`, and the act's. Raises `NotFound`,
    `BadInput` for an instant that is past, and what `edit` raises.
    """
    _, moment = yield from _look(tenant, task, "pausing a task")
    if asked.until <= moment:
        raise BadInput(
            f"pausing a task: {instant_text(asked.until)} is past, since it is {instant_text(moment)}; name "
            "an instant to come",
            tenant=tenant,
            task=task,
        )
    patch = {
        "paused_until": instant_text(asked.until),
        "pause_note": note or None,
        "resume": "at_end" if asked.at_end else None,
    }
    return (yield from edit(tenant, task, patch, by, note))


def resume(tenant: str, task: str, by: str, note: str = "") -> Move[Acted]:
    """End a pause now, by an edit; of a task whose pause is over, or that has none, nothing is changed.

    Raises `NotFound`.
    """
    until, moment = yield from _look(tenant, task, "resuming a task")
    paused = until is not None and until > moment
    return (yield from edit(tenant, task, _UNPAUSED if paused else {}, by, note))


def _look(tenant: str, task: str, doing: str) -> Move[tuple[datetime | None, datetime]]:
    """Until when a task is paused, and the moment, its lock held."""
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    if not locked:
        raise NotFound(f"{doing}: the tenant has no such task", tenant=tenant, task=task)
    subjects = yield from read_subjects(tenant, locked)
    (reference,) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[task]))
    return subjects[task].definition.paused_until, reference.moment
