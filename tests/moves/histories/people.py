"""What a person's act makes of the model's book: define, edit, enable, disable, delete, run now, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tests.moves.histories.book import SERIES, Act, Book, Row, Task, attempt
from tests.moves.histories.texts import Text
from tests.moves.own_governor import decide
from tests.moves.own_keys import own_retry_wait
from tests.moves.own_slots import MICROSECOND


@dataclass(frozen=True)
class Ask:
    """What is asked of one task."""

    task: str
    what: str
    text: Text | None = None
    enabled: bool = True
    allow_duplicate: bool = False


@dataclass(frozen=True)
class Told:
    """What the answer must say of one task."""

    task: str
    did: str
    enabled: bool
    next: datetime | None = None
    key: UUID | None = None
    ended: bool = False
    retired: int = 0


class Refused(Exception):
    """The act must be refused, by an error of this name, and change nothing."""


def act(book: Book, tenant: str, asks: Sequence[Ask]) -> list[Told]:
    """Carry out an act, all of it or nothing."""
    _refuse_missing(book, tenant, asks)
    _refuse_twins(book, tenant, asks)
    return [_one(book, tenant, ask) for ask in asks]


def _refuse_missing(book: Book, tenant: str, asks: Sequence[Ask]) -> None:
    for ask in asks:
        known = (tenant, ask.task) in book.tasks or ask.what == "define"
        if not known and not (ask.what == "delete" and (tenant, ask.task) in book.acts):
            raise Refused("NotFound")


def _refuse_twins(book: Book, tenant: str, asks: Sequence[Ask]) -> None:
    """No two enabled tasks of a tenant ask for the same work at the same times, unless that was asked for."""
    after = {name: (t.enabled, t.twin) for (whose, name), t in book.tasks.items() if whose == tenant}
    changed = set()
    for ask in asks:
        new = _switched(book.tasks.get((tenant, ask.task)), ask)
        if new is not None and new != after.get(ask.task):
            after[ask.task] = new
            changed.add(ask.task)
    for name in changed:
        enabled, twin = after[name]
        others = [t for other, (on, t) in after.items() if on and other != name]
        if enabled and twin is not None and twin in others:
            raise Refused("DuplicateTask")


def _switched(task: Task | None, ask: Ask) -> tuple[bool, tuple[str, str, str] | None] | None:
    """The switch and the twin of a task after the act; None where it changes neither."""
    if task is None:
        return (ask.enabled, None if ask.allow_duplicate else ask.text.twin) if ask.text else None
    if ask.what in ("define", "edit"):
        assert ask.text is not None
        if ask.text.digest == task.text.digest:
            return None
        remembered = task.twin is None or ask.allow_duplicate
        return task.enabled, None if remembered else ask.text.twin
    if ask.what == "enable":
        return None if task.enabled else (True, None if ask.allow_duplicate else task.text.twin)
    return False, task.twin


def _one(book: Book, tenant: str, ask: Ask) -> Told:
    name = (tenant, ask.task)
    task = book.tasks.get(name)
    if task is None and ask.what == "delete":
        return Told(ask.task, "unchanged", enabled=False)
    new = _switched(task, ask)
    if task is None:
        assert ask.text is not None
        assert new is not None
        book.tasks[name] = Task(ask.text, *new)
        book.texts[ask.text.digest] = ask.text
        return _acted(book, name, "define", "defined", book.clock)
    if new is None or (ask.what == "disable" and not task.enabled):
        return Told(ask.task, "unchanged", enabled=task.enabled)
    if ask.what in ("define", "edit"):
        assert ask.text is not None
        resume_after = _resume(book, name, ask.text)
        book.tasks[name] = Task(ask.text, *new)
        book.texts[ask.text.digest] = ask.text
        return _acted(book, name, "edit", "edited", resume_after)
    book.tasks[name] = Task(task.text, *new)
    told = _acted(book, name, ask.what, f"{ask.what}d", book.clock)
    if ask.what == "delete":
        del book.tasks[name]
        book.hints.pop(name, None)
    return told


def _resume(book: Book, name: tuple[str, str], text: Text) -> datetime:
    """Just before the first slot in (after, now] that both versions hold; else the later of now and after."""
    newest = book.acts[name][-1]
    if newest.resume_after is None:
        return book.clock
    after = book.after(name, newest.resume_after)
    old = book.tasks[name].text.version
    stands = _stands_again(book, name, text)
    if stands is not None:
        return stands
    for slot in old.between(after, book.clock + MICROSECOND):
        if text.version.holds(slot):
            return slot - MICROSECOND
    return max(book.clock, after)


def _stands_again(book: Book, name: tuple[str, str], text: Text) -> datetime | None:
    """From where the open row follows, if it has come, off the rule, and is the new version's answer too."""
    row = next((r for r in book.of(name, "pending") if r.lane == SERIES), None)
    if row is None or row.due > book.clock or book.tasks[name].text.slots.holds(row.due):
        return None
    after = book.reference(name).after
    if row.after != after:
        return None  # It rose again behind the ledger's back: it is not what follows the frontier (I10, I16).
    assert row.base is not None
    again = decide(after, row.base, text.version, book.standing(name))
    return after if again.due == row.due else None


def _acted(book: Book, name: tuple[str, str], what: str, did: str, resume_after: datetime) -> Told:
    """The act is written, all that is open is retired, the series and its retries enter under the digest."""
    task = book.tasks[name]
    pending = book.of(name, "pending")
    acts = book.acts.setdefault(name, [])
    new = Act(
        len(acts) + 1,
        book.clock,
        what,
        task.text.digest,
        task.enabled,
        resume_after if task.enabled else None,
    )
    waited = {row.due: (row.queued, row.freed) for row in pending if row.lane == SERIES}
    for row in pending:
        book.retire(row, what)
    acts.append(new)
    told = Told(name[1], did, task.enabled, retired=len(pending))
    if not task.enabled:
        return told
    series = book.enter(book.successor(name))
    queued, freed = waited.get(series.due, (None, None))
    if queued is not None:
        # The same slot stands again, and has waited.
        series.queued, series.freed = queued, freed or book.clock
    if what == "edit":
        for row in pending:
            if row.kind in ("retry", "rerun"):
                book.enter(_again(book, name, row))
    if series.state == "ended":
        return Told(name[1], did, enabled=True, ended=True, retired=len(pending))
    return Told(name[1], did, True, series.due, series.key, retired=len(pending))


def _again(book: Book, name: tuple[str, str], old: Row) -> Row:
    """A pending retry under the new digest: the same slot and number, waiting from the same closing."""
    row = book.derive(name, old.wake, old.due)
    row.predecessor, row.failures, row.unhanded = old.predecessor, old.failures, old.unhanded
    free, in_a_row = old.unhanded
    assert old.predecessor is not None
    closed = book.rows[old.tenant, old.predecessor].closed
    assert closed is not None
    row.run_at = old.run_at
    if not in_a_row:
        wait = own_retry_wait(row.fingerprint, attempt(old.wake) - free, *book.tasks[name].text.backoff())
        row.run_at = closed + wait
    return row


def run_now(book: Book, name: tuple[str, str], request: str) -> tuple[Row, bool]:
    """The row of a request, and whether this was its first time."""
    wake = f"manual:{request}"
    for row in book.of(name):
        if row.wake == wake:
            return row, False
    if name not in book.tasks:
        raise Refused("NotFound")
    if not book.tasks[name].enabled:
        raise Refused("Disabled")
    return book.enter(book.derive(name, wake, book.clock)), True


def cancel_open(book: Book, row: Row) -> None:
    """A person's word on a row that has not begun: its slot has its disposition, and the series goes on."""
    name = (row.tenant, row.task)
    waited = row.blocked_by is not None
    row.state, row.closed = "cancelled", book.now
    row.blocked_by = row.retry_at = row.reason = None
    if row.lane == SERIES and name in book.tasks and book.tasks[name].enabled:
        book.enter(book.successor(name))
    if not waited and (row.lane != SERIES or row.run_at <= book.now):
        book.free_oldest(name)
