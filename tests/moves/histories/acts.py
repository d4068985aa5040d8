"""What people do in a history. Each act picks its target, runs the move, and compares its answer."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.authored.fold import fold
from projector.moves.acts import act as carry_out
from projector.moves.cancel import cancel
from projector.moves.change import Acted, Wanted
from projector.moves.request import run_now as request_run
from tests.moves.histories import people, runs
from tests.moves.histories.book import Row
from tests.moves.histories.history import LIVE_MOST, History, Name
from tests.moves.histories.machines import CLAIMED, claim_one
from tests.moves.histories.people import Ask, Told
from tests.moves.histories.texts import any_text, changed


def define(h: History) -> bool:
    """A task of a new name."""
    if len(h.book.tasks) >= LIVE_MOST:
        return False
    tenant, task = h.new_name()
    h.pause()
    text = any_text(h.rng, task, h.start)
    ask = Ask(task, "define", text, enabled=h.chance(0.9), allow_duplicate=h.chance(0.15))
    return _act(h, tenant, [ask])


def define_anew(h: History) -> bool:
    """A task of a name that was deleted; or, where none was, one as it stands."""
    gone = [name for name in h.book.acts if name not in h.book.tasks]
    name = h.one_of(gone if len(h.book.tasks) < LIVE_MOST else []) or h.one_of(h.tasks())
    if name is None:
        return False
    h.pause()
    task = h.book.tasks.get(name)
    text = task.text if task else any_text(h.rng, name[1], h.start)
    return _act(h, name[0], [Ask(name[1], "define", text, allow_duplicate=h.chance(0.3))])


def define_many(h: History) -> bool:
    """Tasks of one tenant at once: new ones, edited ones, and ones that stay as they are."""
    names = h.tasks()
    h.rng.shuffle(names)
    tenant = names[0][0] if names else h.new_name()[0]
    known = [task for whose, task in names if whose == tenant][:2]
    h.pause()
    asks = []
    for task in known:
        text = h.book.tasks[tenant, task].text
        edited = text if h.chance(0.3) else changed(h.rng, text, "rename", h.start)
        asks.append(Ask(task, "define", edited))
    if len(h.book.tasks) < LIVE_MOST or not asks:
        h.names += 1
        task = f"t{h.names}"
        asks.append(Ask(task, "define", any_text(h.rng, task, h.start)))
    return _act(h, tenant, asks)


def rename(h: History) -> bool:
    return _edit(h, "rename")


def reschedule(h: History) -> bool:
    return _edit(h, "reschedule")


def change_retries(h: History) -> bool:
    return _edit(h, "retries")


def bound(h: History) -> bool:
    return _edit(h, "bounds")


def pause(h: History) -> bool:
    return _edit(h, "pause")


def resume(h: History) -> bool:
    """A paused task goes on, before the pause is over or after it."""
    paused = h.tasks(lambda name: h.book.tasks[name].text.version.paused_until is not None)
    return _edit(h, "resume", paused)


def _retried(h: History) -> list[Name]:
    """Tasks with a retry that has not begun: an edit derives it anew, an edit back revives it."""
    return h.tasks(lambda name: any(r.kind == "retry" for r in h.book.of(name, "pending")))


def _edit(h: History, what: str, likely: Sequence[Name] = ()) -> bool:
    name = h.one_of(likely) or h.one_of(_retried(h) if h.chance(0.4) else ()) or h.one_of(h.tasks())
    if name is None:
        return False
    h.pause()
    text = changed(h.rng, h.book.tasks[name].text, what, h.start if what != "pause" else h.book.now)
    how = "edit" if h.chance(0.5) else "define"
    return _act(h, name[0], [Ask(name[1], how, text, allow_duplicate=h.chance(0.05))])


def edit_back(h: History) -> bool:
    """A text that the task had before: rows of it are revived."""
    names = h.tasks(lambda name: len({a.digest for a in h.book.acts[name]}) > 1)
    retried = [name for name in _retried(h) if name in names]
    name = h.one_of(retried) or h.one_of(names) or h.one_of(h.tasks())
    if name is None:
        return False
    h.pause()
    digests = [a.digest for a in h.book.acts[name] if a.digest != h.book.tasks[name].text.digest]
    text = h.book.texts[digests[-1]] if digests else h.book.tasks[name].text
    return _act(h, name[0], [Ask(name[1], "edit", text)])


def enable(h: History) -> bool:
    return _switch(h, "enable", h.tasks(lambda name: not h.book.tasks[name].enabled))


def disable(h: History) -> bool:
    return _switch(h, "disable", h.tasks(lambda name: h.book.tasks[name].enabled))


def delete(h: History) -> bool:
    gone = [name for name in h.book.acts if name not in h.book.tasks]
    return _switch(h, "delete", gone if h.chance(0.1) else [])


def _switch(h: History, what: str, likely: Sequence[Name]) -> bool:
    name = h.one_of(likely if h.chance(0.9) else ()) or h.one_of(h.tasks())
    if name is None:
        return False
    h.pause()
    return _act(h, name[0], [Ask(name[1], what, allow_duplicate=what == "enable" and h.chance(0.2))])


def _act(h: History, tenant: str, asks: Sequence[Ask]) -> bool:
    h.tell(
        ", ".join(
            f"{ask.what} {tenant}/{ask.task}{' ' + str(ask.text.authored) if ask.text else ''}"
            for ask in asks
        )
    )
    wanted = [
        Wanted(
            ask.task,
            ask.what,
            fold(ask.text.authored) if ask.text else None,
            ask.enabled,
            ask.allow_duplicate,
        )
        for ask in asks
    ]
    found = h.both(
        lambda: carry_out(tenant, wanted, "a person"),
        lambda: people.act(h.book, tenant, asks),
        "tenant",
        tenant,
    )
    if found is not None:
        answers, told = found
        assert [_told(one) for one in answers] == told, (answers, told)
    return True


def _told(acted: Acted) -> Told:
    return Told(acted.task, acted.did, acted.enabled, acted.next, acted.key, acted.ended, acted.retired)


def run_now(h: History) -> bool:
    """A request to run at once: new, or one made before."""
    before = [r for r in h.rows(*_ANY) if r.kind == "manual"]
    old = h.one_of(before if h.chance(0.35) else [])
    busy = h.tasks(lambda name: bool(h.book.runs(name)))
    name = (old.tenant, old.task) if old else h.one_of(busy if h.chance(0.6) else ()) or h.one_of(h.tasks())
    if name is None:
        return False
    h.requests += 1
    request = old.wake.partition(":")[2] if old else f"r{h.requests}"
    h.pause()
    h.tell(f"run {name} now, request {request}")
    found = h.both(
        lambda: request_run(*name, request, "a person"),
        lambda: people.run_now(h.book, name, request),
        "tenant",
        name[0],
    )
    if found is not None:
        answer, (row, first) = found
        assert (answer.key, answer.due, answer.state, answer.first) == (row.key, row.due, row.state, first)
        if first and row.delivery in CLAIMED and h.chance(0.5):
            h.judged()
            h.pause()
            claim_one(h, row)
    return True


_ANY = (
    "pending",
    "running",
    "retired",
    "skipped",
    "cancelled",
    "succeeded",
    "failed",
    "timed_out",
    "lost",
    "ended",
)


def cancel_open(h: History) -> bool:
    # Nobody cancels what should not be open: the word of an act would be missing behind it.
    series = [r for r in h.rows("pending") if r.lane == "series" and r.key not in h.risen]
    others = [r for r in h.rows("pending") if r.lane != "series"]
    return _cancel(h, h.one_of(others if h.chance(0.5) else series) or h.one_of(series) or h.one_of(others))


def cancel_run(h: History) -> bool:
    closed = h.rows("succeeded", "failed", "skipped", "cancelled", "retired", "ended")
    return _cancel(h, h.one_of(h.rows("running")) or h.one_of(closed))


def _cancel(h: History, row: Row | None) -> bool:
    if row is None:
        return False
    h.pause()
    found = row.state
    h.tell(f"cancel {row.tenant}/{row.task} {row.wake} {row.due} ({found})")

    def foretell() -> str:
        if found == "pending":
            people.cancel_open(h.book, row)
        elif found == "running":
            runs.close(h.book, row, "cancelled", "cancel")
        return "cancelled" if found in ("pending", "running") else "unchanged"

    both = h.both(lambda: cancel(row.tenant, row.key, "a person"), foretell, "tenant", row.tenant)
    assert both is not None
    assert (both[0].did, both[0].found, both[0].due) == (both[1], found, row.due)
    return True
