"""Reading the outbox: closings that are told, in an order in which none comes behind a reader's back.

Whoever closes a run writes its event without a number. Numbers are given to events that have committed, by
one transaction at a time, which holds the counter until its own commit: so the numbers that anybody sees have
no gap that could be filled later, however late a closing commits. A number from a sequence, given by the
closing itself, would be passed by readers while its transaction is still open.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from ledger.errors import BadInput, NotFound
from ledger.facts import shown
from ledger.moves.step import Batch, Call, Move, ask
from ledger.statements.outbox import (
    ADD_SUBSCRIBER,
    DROP_EVENTS,
    DROP_SUBSCRIBER,
    LIST_SUBSCRIBERS,
    NOTE_SENT,
    NUMBER_EVENTS,
    READ_ALL_EVENTS,
    READ_EVENT_COUNT,
    READ_EVENTS,
    TAKE_SUBSCRIBERS,
    Event,
    Subscriber,
    Taken,
)

KINDS: Final = ("failed", "timed_out", "lost", "skipped", "recovered")
# So many events are given their numbers in one transaction.
NUMBERED_MOST = 5_000
# For so long events are kept that nobody waits for; and for whoever is behind, unless it says another bound.
KEEP = timedelta(days=14)
BOUND = timedelta(days=30)
_CURSOR_MOST = 2**63 - 1
_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events in the order of their numbers. `cursor` asks for what comes behind them; keep it, even of a page
    without events. `more`: the next page has some already. `missed`: behind the cursor that was handed in
    some were removed before they were read, for they had been kept for long enough.
    """

    events: Sequence[Event]
    cursor: str
    more: bool
    missed: bool


@dataclass(frozen=True, slots=True)
class Wish:
    """Who is to be sent events: of which tenant (None: of all), of which kinds, where to; `secret` says where
    the secrets that sign are, `env:NAME` or `file:PATH`; for `bound` events are kept for it.
    """

    name: str
    tenant: str | None
    url: str
    kinds: Sequence[str]
    secret: str
    bound: timedelta = BOUND


@dataclass(frozen=True, slots=True)
class Window:
    """What one subscriber is to be sent now; sending all of it brings it to `upto`."""

    to: Taken
    events: Sequence[Event]
    upto: int


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be sent now, and whether more events may wait for their numbers."""

    windows: Sequence[Window]
    more: bool


@dataclass(frozen=True, slots=True)
class Sent:
    """How far a subscriber was sent: all up to `after`, so many events; why it went no further, if it failed;
    and how long it is left alone.
    """

    after: int
    events: int
    error: str | None = None
    failures: int = 0
    wait: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was removed of the outbox: how many events, and of which subscribers how many unsent."""

    removed: int
    unsent: dict[str, int]


def number(whose: str | None) -> Move[int]:
    """Give numbers to a tenant's events, or (None) to all that have committed; at most 5,000, how many."""
    (row,) = yield from ask(NUMBER_EVENTS(whose=whose, most=NUMBERED_MOST))
    return row.given


def events(tenant: str, after: int, kinds: Collection[str], n: int) -> Move[EventPage]:
    """A page of `n` events of a tenant, of those that have numbers; `number` comes first, and commits."""
    count = READ_EVENT_COUNT(tenant=tenant)
    page = READ_EVENTS(tenant=tenant, after=after, kinds=sorted(kinds), n=n + 1)
    counted, rows = yield Batch((count, page))
    (state,), found = count.read(counted), page.read(rows)
    here = found[:n]
    return EventPage(
        here,
        str(_upto(after, here, state.last, full=len(found) > n)),
        len(found) > n,
        # Who begins at the beginning has asked for what there is.
        0 < after < state.gone,
    )


def take(n: int, window: int, hold: timedelta) -> Move[Look]:
    """Give numbers, and take up at most `n` subscribers, each with at most `window` events new to it.

    While `hold` lasts no other process takes up these. One for whom nothing is new is let go at once. What is
    answered may be sent once this has committed, and with it the numbers.
    """
    numbering, taking = NUMBER_EVENTS(whose=None, most=NUMBERED_MOST), TAKE_SUBSCRIBERS(n=n, hold=hold)
    numbered, rows = yield Batch((numbering, taking))
    taken = taking.read(rows)
    more = numbering.read(numbered)[0].given == NUMBERED_MOST
    return Look((yield from _windows(taken, window)) if taken else [], more)


def _windows(taken: Sequence[Taken], window: int) -> Move[list[Window]]:
    """What each of the subscribers taken up is to be sent; who has nothing new is let go."""
    count = READ_EVENT_COUNT(tenant=None)
    calls = [_page(one, window) for one in taken]
    counted, *pages = yield Batch((count, *calls))
    (state,) = count.read(counted)
    found, let_go = [], []
    for one, call, rows in zip(taken, calls, pages, strict=True):
        here = call.read(rows)
        upto = _upto(one.after, here, state.last, full=len(here) == window)
        if here:
            found.append(Window(one, here, upto))
        else:
            let_go.append(_note(one, Sent(upto, 0, failures=one.failures)))
    if let_go:
        yield Batch(let_go)
    return found


def note(to: Taken, sent: Sent) -> Move[bool]:
    """Note how far a subscriber was sent; False where another process has taken it up meanwhile."""
    return bool((yield from ask(_note(to, sent))))


def add(wish: Wish, by: str) -> Move[int]:
    """Add who is sent events from now on, or change one that stands: it goes on where it is. Answers up to
    which number it counts as sent.
    """
    # What has closed by now is not new to it.
    yield from ask(NUMBER_EVENTS(whose=wish.tenant, most=_ALL))
    (row,) = yield from ask(
        ADD_SUBSCRIBER(
            name=wish.name,
            tenant=wish.tenant,
            url=wish.url,
            kinds=list(wish.kinds),
            secret=wish.secret,
            bound=wish.bound,
            by=by,
            after=None,
        )
    )
    return row.after


def remove(name: str) -> Move[None]:
    """Remove who was sent events. Raises `NotFound`."""
    if not (yield from ask(DROP_SUBSCRIBER(name=name))):
        raise NotFound(f"telling: there is no subscriber {name!r}; `ledger tell list` names all")


def subscribers(name: str | None = None) -> Move[list[Subscriber]]:
    """Who is sent events, all or one, and how far each has come. Raises `NotFound` for a wrong name."""
    found = yield from ask(LIST_SUBSCRIBERS(name=name))
    if name is not None and not found:
        raise NotFound(f"telling: there is no subscriber {name!r}; `ledger tell list` names all")
    return found


def drop_batch(keep: timedelta, beyond: int, n: int) -> Move[tuple[Dropped, int | None]]:
    """Look at the `n` oldest events behind a number and remove what was kept for long enough; the number to
    go on behind, None where nothing older is left.
    """
    rows = yield from ask(DROP_EVENTS(keep=keep, beyond=beyond, n=n))
    batch = rows[0]
    unsent = {row.name: row.lost for row in rows if row.name is not None}
    on = batch.upto if batch.looked == n and batch.past else None
    return Dropped(batch.removed, unsent), on


def read_event_cursor(cursor: object) -> int:
    """Where a page of events begins; None: at the oldest kept. Raises `BadInput` for what no page gave."""
    if cursor is None:
        return 0
    if isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and int(cursor) <= _CURSOR_MOST:
        return int(cursor)
    raise BadInput(f"cursor: {shown(cursor)} is none; hand in the `cursor` of the page before as it was")


def read_kinds(kinds: Collection[str] | str | None) -> list[str]:
    """The kinds of events asked for, `skipped:REASON` for one reason; None for all. Raises `BadInput`."""
    wanted = [kinds] if isinstance(kinds, str) else list(KINDS if kinds is None else kinds)
    for kind in wanted:
        word, colon, reason = str(kind).partition(":")
        if word not in KINDS or (colon and (word != "skipped" or not reason)):
            raise BadInput(f"kind: {shown(kind)} is none of {', '.join(KINDS)}, skipped:REASON")
    if not wanted:
        raise BadInput("kind: name at least one, or leave it out for all")
    return sorted(set(wanted))


def _page(one: Taken, n: int) -> Call[Event]:
    if one.tenant is None:
        return READ_ALL_EVENTS(after=one.after, kinds=one.kinds, n=n)
    return READ_EVENTS(tenant=one.tenant, after=one.after, kinds=one.kinds, n=n)


def _upto(after: int, here: Sequence[Event], last: int, *, full: bool) -> int:
    """Up to which number a page has seen all. `last` was read before it, and numbers commit in their order:
    of what stands behind the page all up to `last` is not of its kinds.
    """
    read = here[-1].n if here else after
    return read if full else max(read, last)


def _note(to: Taken, sent: Sent) -> Call[object]:
    return NOTE_SENT(
        name=to.name,
        held=to.try_at,
        after=sent.after,
        sent=sent.events,
        failures=sent.failures,
        wait=sent.wait,
        error=sent.error,
    )
