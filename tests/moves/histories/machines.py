"""What processes do in a history: claims, starts, closings, the sweep; and what tampers with the ledger."""

from __future__ import annotations

from uuid import UUID

from dispatcher.moves import Claimant, look_aside, set_aside
from ledger.driver.migrate import migrations
from ledger.errors import NotStarted
from ledger.moves.close import Closing, Report, finish
from ledger.moves.close import close as close_runs
from ledger.moves.presence import InForce, close_overdue
from ledger.release import RELEASE
from ledger.statements.dispatch import AsideRow
from ledger.statements.presence import Place
from projector.moves.start import Claimed, claim_row
from projector.moves.start import claim as claim_due
from projector.moves.start import start as start_key
from tests.moves.histories import runs
from tests.moves.histories.book import SERIES, Row, second
from tests.moves.histories.history import INCARNATION, History

CLAIMED = ("python",)
WAIT_S, WAIT_MOST_S = 60, 3600


def claim(h: History) -> bool:
    """A claim of all that is due, or of one row."""
    h.pause([r.run_at for r in h.rows("pending") if r.blocked_by is None], likely=0.6)
    due = runs.due(h.book, *CLAIMED)
    if due and h.chance(0.2):
        claim_one(h, h.rng.choice(due))
        return True
    h.tell(f"claim {len(due)} rows")
    found = h.both(
        lambda: claim_due(list(CLAIMED), 500, INCARNATION),
        lambda: runs.settle(h.book, due, INCARNATION, handed=False),
    )
    assert found is not None
    _compare(*found)
    return True


def claim_one(h: History, row: Row) -> None:
    """A claim of one row alone, if it is due by now."""
    h.tell(f"claim one row: {row.tenant}/{row.task} {row.wake} {row.due}")
    is_due = row in runs.due(h.book, *CLAIMED)
    found = h.both(
        lambda: claim_row(row.tenant, row.key, INCARNATION),
        lambda: runs.settle(h.book, [row], INCARNATION, handed=False) if is_due else runs.Settled(),
    )
    assert found is not None
    _compare(*found)


def _compare(answer: Claimed, told: runs.Settled) -> None:
    assert sorted(run.key for run in answer.started) == sorted(told.started), (answer, told)
    counts = (answer.looked_at, answer.skipped, answer.waiting, answer.retired, answer.left)
    assert counts == (told.looked_at, told.skipped, told.waiting, told.retired, told.left), (answer, told)
    assert sorted(answer.replaced) == sorted(told.replaced), (answer, told)
    assert not answer.aside


def start(h: History) -> bool:
    """A start by key, as a runtime of the platform's own does: mostly of what is due."""
    h.pause([r.run_at for r in h.rows("pending") if r.blocked_by is None], likely=0.6)
    due = runs.due(h.book, "python", "pull")
    pulled = [r for r in due if r.delivery == "pull"]
    row = h.one_of(pulled) or h.one_of(due if h.chance(0.9) else ()) or h.one_of([*h.book.rows.values()])
    if row is None:
        return False
    h.tell(f"start {row.tenant}/{row.task} {row.wake} {row.due} ({row.state})")

    def foretell() -> tuple[list[UUID], str]:
        if row.state != "pending":
            return [], row.state if row.state in ("running", "retired") else "closed"
        if row.blocked_by is not None:
            return [], "blocked" if row.blocked_by == row.key else "waiting"
        if row.run_at > h.book.now:
            return [], "not_due"
        told = runs.settle(h.book, [row], None, handed=True)
        return told.started, "waiting" if told.waiting else "retired" if told.retired else "closed"

    found = h.both(lambda: start_key(row.tenant, row.key), foretell)
    assert found is not None
    answer, (started, reason) = found
    if isinstance(answer, NotStarted):
        assert (started, answer.reason) == ([], reason), (answer, started, reason)
    else:
        assert [answer.key] == started
    return True


def overtake(h: History) -> bool:
    """The next slot of a task comes while one of it runs; at times that run ends, and who waits starts."""
    book = h.book
    names = [name for name in h.tasks(lambda name: book.tasks[name].enabled) if _free_series(h, name)]
    policy = [name for name in names if book.tasks[name].text.overlap != "skip"]
    patient = [n for n in policy if book.tasks[n].text.patient]
    likely = patient if h.chance(0.7) else [n for n in policy if book.runs(n)]
    name = h.one_of(likely) or h.one_of(policy) or h.one_of(names)
    if name is None:
        return False
    grace = book.tasks[name].text.grace
    for _ in range(2):
        row = _free_series(h, name)
        if row is None:
            return True
        h.pause([row.run_at + grace if grace and h.chance(0.3) else row.run_at], likely=1.0)
        claim_one(h, row)
        h.judged()
    waiting = [r for r in book.of(name, "pending") if r.queued is not None and r.blocked_by is not None]
    if not waiting or h.chance(0.2):
        return True
    h.pause([waiting[0].run_at + grace] if grace else [], likely=0.9)
    if book.runs(name):
        _finish(h, book.runs(name)[0], "succeeded")
    for row in [r for r in waiting if r.state == "pending" and r.blocked_by is None]:
        h.judged()
        h.pause()
        claim_one(h, row)
    return True


def _free_series(h: History, name: tuple[str, str]) -> Row | None:
    """The open row of a series, where a claim may take it once it is due."""
    row = h.book.open_series(name)
    if row is None or row.state != "pending" or row.blocked_by is not None:
        return None
    return row if row.delivery in CLAIMED else None


def succeed(h: History) -> bool:
    """A finish, most often of a run that others wait for."""
    h.pause()
    waited_for = {(r.tenant, r.blocked_by) for r in h.rows("pending")}
    row = h.one_of([r for r in h.rows("running") if (r.tenant, r.key) in waited_for]) or _target(h)
    return row is not None and _finish(h, row, "succeeded")


def fail(h: History) -> bool:
    """A failing finish; at times the next slot of the task is claimed as soon as it comes."""
    h.pause()
    row = h.one_of(_to_be_gated(h) if h.chance(0.8) else ()) or _target(h)
    if row is None:
        return False
    _finish(h, row, "failed")
    _claim_what_follows(h, row)
    return True


def _claim_what_follows(h: History, row: Row) -> None:
    """The next slot of a task that has failed, as soon as it comes: failures may hold it back."""
    name = (row.tenant, row.task)
    follows = h.book.open_series(name) if name in h.book.tasks else None
    if follows is None or follows.state != "pending" or follows.delivery not in CLAIMED:
        return
    if h.chance(0.8):
        h.judged()
        h.pause([follows.run_at], likely=1.0)
        claim_one(h, follows)


def _to_be_gated(h: History) -> list[Row]:
    """Runs whose failure holds the slots after them back: of a single interval, and without a retry."""
    texts = h.book.texts
    runs_of_series = [r for r in h.rows("running") if r.lane == SERIES]
    return [r for r in runs_of_series if texts[r.digest].backed_off and not texts[r.digest].retries("failed")]


def _target(h: History) -> Row | None:
    """A run; where nothing runs, or now and then, a row that has closed."""
    closed = h.rows("succeeded", "failed", "timed_out", "lost", "cancelled", "skipped")
    return h.one_of(h.rows("running") if h.chance(0.95) else closed) or h.one_of(closed)


def _finish(h: History, row: Row, state: str) -> bool:
    h.tell(f"finish {row.tenant}/{row.task} {row.wake} {row.due}: {state} ({row.state})")
    report = Report(
        "failed" if state == "failed" else "succeeded", error="why" if state == "failed" else None
    )
    found = h.both(
        lambda: finish(row.tenant, row.key, report, "a runtime"),
        lambda: runs.close(h.book, row, state, "finish"),
        "tenant",
        row.tenant,
    )
    assert found is not None
    answer, told = found
    assert (len(answer.counted), len(answer.late)) == ((1, 0) if told.counted else (0, 1))
    assert [(r.key, r.run_at) for r in answer.retries] == (
        [(told.retry, told.retry_at)] if told.retry else []
    )
    return True


def overdue(h: History) -> bool:
    """A look at a run's deadline: it has passed, or not yet."""
    row = h.one_of(_to_be_gated(h) if h.chance(0.5) else ()) or _target(h)
    if row is None:
        return False
    h.pause([row.deadline] if row.deadline else [], likely=0.8)
    _closed(h, row, "timed_out", "overdue", None)
    _claim_what_follows(h, row)
    return True


def lost(h: History) -> bool:
    """A look at an absent process: the run is its own, or another's."""
    h.pause()
    row = _target(h)
    if row is None:
        return False
    incarnation = row.incarnation if h.chance(0.9) else INCARNATION + 1
    return _closed(h, row, "lost", "absent", incarnation or INCARNATION)


def hand_back(h: History) -> bool:
    """A process that stops hands back what it never began; at times the next one does the same."""
    h.pause()
    row = _target(h)
    if row is None:
        return False
    _closed(h, row, "cancelled", "unhanded", INCARNATION)
    while (again := _handed_back(h, row)) is not None and h.chance(0.8):
        h.judged()
        h.pause()
        claim_one(h, again)
        if again.state == "running":
            h.judged()
            h.pause()
            _closed(h, again, "cancelled", "unhanded", INCARNATION)
        row = again
    return True


def _handed_back(h: History, row: Row) -> Row | None:
    """The retry that was minted for a row handed back, while it is free."""
    for r in h.rows("pending"):
        if (r.tenant, r.predecessor, r.lane.partition(":")[0]) in (
            (row.tenant, row.key, w) for w in ("retry", "rerun")
        ):
            return r if r.blocked_by is None and r.delivery in CLAIMED else None
    return None


def _closed(h: History, row: Row, state: str, why: str, incarnation: int | None) -> bool:
    h.tell(f"{why} {row.tenant}/{row.task} {row.wake} {row.due} ({row.state})")
    closing = Closing(row.tenant, row.task, row.key, state, why, by="dispatcher", incarnation=incarnation)
    move = (
        (lambda: close_overdue(row.tenant, [Place(row.tenant, row.task, row.key)], "dispatcher"))
        if why == "overdue"
        else (lambda: close_runs([closing]))
    )
    found = h.both(move, lambda: runs.close(h.book, row, state, why, incarnation))
    assert found is not None
    answer, told = found
    assert len(answer.counted) == told.counted
    assert [(r.key, r.run_at) for r in answer.retries] == (
        [(told.retry, told.retry_at)] if told.retry else []
    )
    return True


def put_aside(h: History) -> bool:
    """A due row that failed alone is set aside; or one whose time has come is freed and claimed (I12)."""
    aside = [r.retry_at for r in h.rows("pending") if r.retry_at is not None]
    if aside and h.chance(0.6):
        h.pause(aside, likely=1.0)
    else:
        h.pause([r.run_at for r in h.rows("pending") if r.delivery in CLAIMED], likely=0.8)
    held = [r for r in h.rows("pending") if r.retry_at is not None and r.delivery in CLAIMED]
    row = h.one_of([r for r in held if r.retry_at is not None and r.retry_at <= h.book.now])
    if row is not None:
        return _free(h, row)
    row = h.one_of(runs.due(h.book, *CLAIMED))
    if row is None:
        return False
    h.tell(f"set aside {row.tenant}/{row.task} {row.wake} {row.due}")
    row.blocked_by, row.reason = row.key, "why"
    row.retry_at = h.book.now + second(min(WAIT_S * 2**row.aside_times, WAIT_MOST_S))
    row.aside_times += 1
    h.stage.run(set_aside(Place(row.tenant, row.task, row.key), "why"))
    return True


def _free(h: History, row: Row) -> bool:
    h.tell(f"try again what was set aside: {row.tenant}/{row.task} {row.wake} {row.due}")
    who = Claimant(INCARNATION, False, InForce(len(migrations()), *RELEASE), ["python"])
    row.blocked_by = row.retry_at = row.reason = None
    found = h.both(
        lambda: look_aside(AsideRow(row.tenant, row.task, row.key, row.delivery), who),
        lambda: runs.settle(h.book, [row], INCARNATION, handed=False),
    )
    assert found is not None
    _compare(*found)
    return True
