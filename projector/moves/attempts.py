"""The attempts at a slot: its first run, retries, and reruns that people asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from ledger.facts import instant_text
from ledger.moves.retry import attempt_of
from ledger.moves.step import Move, ask
from ledger.statements.rerun import FOLLOW_ATTEMPTS

# The first runs of a series' slots.
_FIRST = ("schedule", "hint")


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot, by a row of it: `wake` is what its first run was woken by, `key` that of the row."""

    task: str
    due: datetime
    wake: str
    key: UUID


@dataclass(slots=True)
class Tried:
    """The attempts at a slot beyond the first: their states, and how many reruns there have been."""

    states: set[str] = field(default_factory=set)
    reruns: int = 0


def slots_of_rows(rows: Sequence[tuple[str, datetime, str, UUID]]) -> list[Slot]:
    """The slots of rows (task, due, wake, key), oldest first, each once, however many attempts are there."""
    found: dict[tuple[str, datetime, str], Slot] = {}
    for task, due, wake, key in rows:
        _, origin = attempt_of(wake)
        first = origin or (wake if wake in _FIRST else "schedule")
        series = first in _FIRST
        name = (task, due, "" if series else first)
        known = found.get(name)
        # Where the first run itself is among them, its wake is known.
        if known is None or (series and wake in _FIRST):
            found[name] = Slot(task, due, first, key)
    return sorted(found.values(), key=lambda slot: (slot.due, slot.task, slot.wake))


def read_attempts_of(tenant: str, slots: Sequence[Slot]) -> Move[list[Tried]]:
    """What was tried of each slot, in their order; the tasks are held."""
    if not slots:
        return []
    chains = [(n, head, tail) for n, slot in enumerate(slots) for head, tail in _chains(slot)]
    found = yield from ask(
        FOLLOW_ATTEMPTS(
            tenant=tenant,
            ns=list(range(len(chains))),
            tasks=[slots[n].task for n, _, _ in chains],
            dues=[slots[n].due for n, _, _ in chains],
            heads=[head for _, head, _ in chains],
            tails=[tail for _, _, tail in chains],
        )
    )
    tried = [Tried() for _ in slots]
    for attempt in found:
        n, head, tail = chains[attempt.n]
        tried[n].states.add(attempt.state)
        if head == "rerun:" and tail.startswith(f":{slots[n].wake}@"):
            tried[n].reruns = max(tried[n].reruns, attempt.i)
    return tried


def _chains(slot: Slot) -> list[tuple[str, str]]:
    """The lanes of a slot's attempts, but for their numbers: what stands before, and what behind."""
    at = f"@{instant_text(slot.due)}"
    if slot.wake in _FIRST:
        return [("retry:", at), *(("rerun:", f":{first}{at}") for first in _FIRST)]
    return [("rerun:", f":{slot.wake}{at}")]
