"""The sweep in a history, and what it is there for: rows that went, rows that lie, rows that rose again."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from sweeper.moves.tenant import sweep_tenant
from tests.moves.histories import runs
from tests.moves.histories.book import SERIES, Row
from tests.moves.histories.history import TENANTS, History, Name
from tests.moves.histories.machines import claim

PASS = 1


def sweep(h: History) -> bool:
    """A pass over one tenant: whatever is wrong is named, mended, and the drill has proved it."""
    h.pause([r.deadline for r in h.rows("running") if r.deadline], likely=0.2)
    return _sweep(h, h.rng.choice(TENANTS))


def sweep_all(h: History) -> None:
    """A pass over every tenant."""
    for tenant in TENANTS:
        h.pause()
        _sweep(h, tenant)


def drill_all(h: History) -> None:
    """Every open row of every series goes, and a pass gives back the very rows."""
    for row in [row for row in _open_rows(h) if _missed(h, row)]:
        _vanish(h, row)
    h.judge.pass_over()
    sweep_all(h)


def _sweep(h: History, tenant: str) -> bool:
    h.tell(f"sweep {tenant}")
    on = sum(task.enabled for (whose, _), task in h.book.tasks.items() if whose == tenant)
    found = h.both(lambda: sweep_tenant(tenant, on, {}, PASS), lambda: foretell(h, tenant), "sweeper", tenant)
    assert found is not None
    verdict, repairs = found
    assert dict(verdict.repairs) == +repairs, (verdict, repairs)
    assert (verdict.word, verdict.drill) == ("repaired" if repairs else "healthy", "passed"), verdict
    assert (verdict.checked, verdict.open + verdict.ended) == (on, on), verdict
    h.counts["drills"] += verdict.drill_task is not None
    return True


def foretell(h: History, tenant: str) -> Counter[str]:
    """What a sweep must mend: runs past their deadline, what is open and must not be, and what is not."""
    book, repairs = h.book, Counter[str]()
    mine = [r for r in book.rows.values() if r.tenant == tenant]
    idle = [r for r in mine if _waits_in_vain(h, r)]
    overdue = [r for r in mine if r.state == "running" and r.deadline is not None and r.deadline <= book.now]
    for row in overdue:
        runs.close(book, row, "timed_out", "overdue", free=False)
        repairs["overdue"] += 1
    for name in {(tenant, row.task) for row in overdue}:
        # Of a task that lost several runs at once one row has its turn.
        book.free_oldest(name)
    replaced = set()
    for row in mine:
        why = wrong(h, row) if row.state == "pending" else None
        if why is not None:
            book.retire(row, why)
            repairs[why] += 1
            replaced.add((tenant, row.task))
    for name, task in book.tasks.items():
        missing = name[0] == tenant and task.enabled and book.open_series(name) is None
        if missing or (name in replaced and task.enabled):
            # What was retired just now has been counted as what it was.
            repairs["missing"] += name not in replaced
            book.enter(book.successor(name))
    for row in mine:
        if row.state == "pending" and row.retry_at is not None and row.retry_at <= book.now:
            row.blocked_by = row.retry_at = row.reason = None
            repairs["set aside"] += 1
    for row in idle:
        if row.state == "pending" and row.blocked_by is not None:
            book.free(row)
            repairs["waiting"] += 1
    return repairs


def _waits_in_vain(h: History, row: Row) -> bool:
    """The oldest of its task that waits, while none of it runs or is due: the one before it was set aside."""
    name = (row.tenant, row.task)
    pending = h.book.of(name, "pending")
    waiting = [r for r in pending if r.blocked_by not in (None, r.key)]
    due = any(r.blocked_by is None and r.run_at <= h.book.now for r in pending)
    first = min(waiting, key=lambda r: (r.due, r.key), default=None)
    return row is first and not h.book.runs(name) and not due


def wrong(h: History, row: Row) -> str | None:
    """Why an open row must not be."""
    task = h.book.tasks.get((row.tenant, row.task))
    if task is None or not task.enabled:
        return "stray"
    if row.digest != task.text.digest:
        return "dead digest"
    return "misnamed" if row.key in h.lying else None


def tamper(h: History) -> bool:
    """Change the ledger behind its back; most often a sweep comes at once, and gives back what was."""
    h.pause()
    rose = _raise_up(h) if h.chance(0.65) else None
    name = rose or h.rng.choice((_take_away, _misname))(h)
    if name is None:
        return False
    h.judge.pass_over()
    if rose and h.chance(0.6):
        h.judged()
        claim(h)
    elif h.lying or h.chance(0.6):
        h.pause()
        _sweep(h, name[0])
        h.lying.clear()
        h.counts["mended at once"] += 1
    return True


def _open_rows(h: History) -> list[Row]:
    names = h.tasks(lambda name: h.book.tasks[name].enabled)
    rows = [row for name in names if (row := h.book.open_series(name)) is not None]
    return [row for row in rows if row.state == "pending"]


def _missed(h: History, row: Row) -> bool:
    """Whether the sweep finds out that an open row has gone: not where the end of its series is beside it."""
    return not any(r.digest == row.digest for r in h.book.of((row.tenant, row.task), "ended"))


def _take_away(h: History) -> Name | None:
    """An open row goes. What the reference derives is that very row, and nothing else."""
    rows = [row for row in _open_rows(h) if _missed(h, row)]
    row = h.one_of([r for r in rows if r.passed]) or h.one_of(rows)
    if row is None:
        return None
    _vanish(h, row)
    return row.tenant, row.task


def _vanish(h: History, row: Row) -> None:
    h.tell(f"take away {row.tenant}/{row.task} {row.due}")
    h.stage.ask("DELETE FROM ledger.occurrence WHERE key = %s AND tenant = %s", [row.key, row.tenant])
    del h.book.rows[row.tenant, row.key]
    name = (row.tenant, row.task)
    again = h.book.successor(name)
    for column in ("key", "run_at", "after", "base", "predecessor", "passed", "source"):
        assert getattr(again, column) == getattr(row, column), (column, row, again)
    h.counts["rows taken away"] += 1


def _misname(h: History) -> Name | None:
    """An open row stands under a key that is not its facts', or beside facts that are not its key's."""
    row = h.one_of(_open_rows(h))
    if row is None:
        return None
    h.tell(f"misname {row.tenant}/{row.task} {row.due}")
    if h.chance(0.5):
        h.stage.ask(
            "UPDATE ledger.occurrence SET agent = 'x' WHERE key = %s AND tenant = %s", [row.key, row.tenant]
        )
        h.lying.add(row.key)
        return row.tenant, row.task
    del h.book.rows[row.tenant, row.key]
    h.judge.forget(row.tenant, row.key)
    false = UUID(int=h.rng.getrandbits(128))
    h.stage.ask(
        "UPDATE ledger.occurrence SET key = %s WHERE key = %s AND tenant = %s", [false, row.key, row.tenant]
    )
    row.key = false
    # A row that was set aside names itself.
    if row.blocked_by is not None:
        h.stage.ask("UPDATE ledger.occurrence SET blocked_by = key WHERE key = %s", [false])
        row.blocked_by = false
    h.book.rows[row.tenant, false] = row
    h.lying.add(false)
    return row.tenant, row.task


def _raise_up(h: History) -> Name | None:
    """A retired row is open again, of a task that is off or gone, or has another text and has ended."""
    rows = [r for r in h.rows("retired") if r.lane == SERIES and r.reason != "misnamed"]
    found = h.one_of([r for r in rows if wrong(h, r) and not _lane_is_taken(h, r)])
    if found is None:
        return None
    h.tell(f"raise up {found.tenant}/{found.task} {found.due}")
    h.stage.ask(
        "UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s AND tenant = %s",
        [found.key, found.tenant],
    )
    found.state, found.reason = "pending", None
    h.risen.add(found.key)
    return found.tenant, found.task


def _lane_is_taken(h: History, row: Row) -> bool:
    return any(r.lane == row.lane for r in h.book.of((row.tenant, row.task), "pending"))
