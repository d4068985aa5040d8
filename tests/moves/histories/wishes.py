"""Hints in a history: what planners wish of a task beside its rule, given, renewed and taken back."""

from __future__ import annotations

from datetime import datetime, timedelta

from projector.moves.hint import Hinted, Wish, hint
from projector.moves.hint import withdraw as take_back
from projector.moves.trail import HintKind
from tests.moves.histories.book import SERIES, Book, Hint
from tests.moves.histories.history import History, Name
from tests.moves.histories.people import Refused
from tests.moves.own_governor import INTERVAL, ONESHOT, OwnHint

NAMES = {INTERVAL: "an interval hint", ONESHOT: "a one-shot"}
KINDS: tuple[HintKind, ...] = (INTERVAL, ONESHOT)
# From well under what the rules and bounds of the histories say, to well over.
EVERY_S = (20, 100, 700, 4_000)
AHEAD_S = (-40, 5, 50, 400, 3_000)
LASTS_S = (30, 600, 6_000, 90_000)


def give_interval(h: History) -> bool:
    return _give(h, INTERVAL)


def give_instant(h: History) -> bool:
    return _give(h, ONESHOT)


def _give(h: History, kind: HintKind) -> bool:
    """A hint for a task: new, another in the place of one, or the same again."""
    name = h.one_of(_likely(h) if h.chance(0.95) else ()) or h.one_of(h.tasks())
    if name is None:
        return False
    h.pause()
    before = h.book.hints.get(name, {}).get(kind)
    now = h.book.clock
    expires = now + timedelta(seconds=h.rng.choice(LASTS_S), microseconds=h.rng.randrange(10**6))
    if before is not None and before.says.expires > now and h.chance(0.4):
        says = before.says._replace(given=now, expires=expires)
    elif kind == INTERVAL:
        says = OwnHint(kind, now, expires, every=timedelta(seconds=h.rng.choice(EVERY_S)))
    else:
        says = OwnHint(kind, now, expires, at=_moment(h, name))
    h.tell(f"hint {name} {says}")
    wish = Wish(says.every, says.at, says.expires)
    found = h.both(
        lambda: hint(*name, wish, "a planner"), lambda: give(h.book, name, says), "tenant", name[0]
    )
    if found is None:
        h.counts["a hint refused"] += 1
    else:
        _compare(h, name, "given", found[0])
        h.counts[f"{NAMES[kind]} given"] += 1
        h.counts["a hint renewed"] += found[1].says.given < now
    return True


def withdraw(h: History) -> bool:
    """A hint is taken back, whether it counts still or not; or one that is not there."""
    h.pause()
    there = [
        (name, hint.says.kind)
        for name, hints in h.book.hints.items()
        for hint in hints.values()
        if name in h.book.tasks
    ]
    without = [(name, kind) for name in h.tasks() for kind in KINDS if kind not in h.book.hints.get(name, {})]
    chosen = h.one_of(there if h.chance(0.85) else ()) or h.one_of(without)
    if chosen is None:
        return False
    name, kind = chosen
    h.tell(f"withdraw the {kind} hint of {name}")
    found = h.both(
        lambda: take_back(*name, kind, "a planner"), lambda: drop(h.book, name, kind), "tenant", name[0]
    )
    assert found is not None
    _compare(h, name, "withdrawn" if found[1] else "unchanged", found[0])
    h.counts["a hint withdrawn"] += found[1]
    return True


def _compare(h: History, name: Name, did: str, answer: Hinted) -> None:
    """What the answer says against what stands in the book."""
    enabled = h.book.tasks[name].enabled
    row = h.book.open_series(name) if enabled else None
    free = row if row is not None and row.state == "pending" else None
    told = (free and free.due, free and free.key, free and free.source, row != free)
    assert (answer.did, answer.enabled) == (did, enabled), answer
    if not enabled:
        told = (None, None, None, False)
    assert (answer.next, answer.key, answer.source, answer.ended) == told, (answer, told)


def _ahead(book: Book, name: Name, hint: Hint) -> bool:
    """Whether a hint is still to come: no row has covered its instant."""
    frontier = book.frontier(name)
    return hint.says.at is None or frontier is None or max(hint.says.at, hint.says.given) > frontier.due


def _likely(h: History) -> list[Name]:
    return h.tasks(lambda name: h.book.tasks[name].enabled)


def _moment(h: History, name: Name) -> datetime:
    """An instant that a planner names: around now, or at the very slot of the rule."""
    slot = h.book.tasks[name].text.version.next(h.book.clock)
    if slot is not None and h.chance(0.15):
        return slot
    ahead = timedelta(seconds=h.rng.choice(AHEAD_S), microseconds=h.rng.randrange(30 * 10**6))
    return h.book.clock + ahead


def give(book: Book, name: Name, says: OwnHint) -> Hint:
    """What giving makes of the book; the same wish again, while it counts, keeps the time it was given at."""
    if name not in book.tasks:
        raise Refused("NotFound")
    if says.at is not None and says.expires < says.at:
        raise Refused("BadInput")
    before = book.hints.get(name, {}).get(says.kind)
    frontier = book.frontier(name)
    base = frontier and (frontier.started or frontier.closed)
    if frontier and base and says.instant(base) <= frontier.due:
        raise Refused("TooEarly")
    if before is not None and before.consumed_by is None and before.says.expires > says.given:
        first = says._replace(given=before.says.given)
        if first._replace(expires=before.says.expires) == before.says and _ahead(book, name, before):
            says = first
    hint = book.hints.setdefault(name, {})[says.kind] = Hint(says)
    _project_again(book, name, "hint given")
    return hint


def drop(book: Book, name: Name, kind: str) -> bool:
    """What withdrawing makes of the book; whether a hint still counted, by the clock or for its row."""
    ref = book.reference(name) if book.tasks[name].enabled else None
    hint = book.hints.get(name, {}).pop(kind, None)
    _project_again(book, name, "hint withdrawn")
    if hint is None or hint.consumed_by is not None:
        return False
    holds = ref is not None and hint.says.counts(ref.after, ref.base) is not None
    return holds or hint.says.expires > book.clock


def _project_again(book: Book, name: Name, why: str) -> None:
    """The open row of a series, after what it is derived from has changed: as it was, or another."""
    if not book.tasks[name].enabled:
        return
    row = book.successor(name)
    for there in book.of(name, "pending"):
        if there.lane == SERIES:
            if (there.key, there.weighed) == (row.key, row.weighed):
                return
            book.retire(there, why)
            # It may have had its turn before others that wait.
            book.free_oldest(name)
    book.enter(row)
