"""The dispatcher's own moves: the fence before each claim, and when to look again after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from ledger.errors import Misconfigured
from ledger.moves.adopt import Subject
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.presence import InForce, fence, pass_fence, runs_of
from ledger.moves.step import Batch, Move, ask
from ledger.moves.text import bounded
from ledger.statements.dispatch import FREE_ASIDE, LIST_ASIDE, LIST_DUE, READ_NEXT_DUE, AsideRow
from ledger.statements.occurrences import CLAIM_DUE, SET_ASIDE
from ledger.statements.presence import FENCE_CLAIM, Place
from projector.moves.decide import Started
from projector.moves.start import ASIDE, Claimed, claim_row, lock_row, settle

# Started by the platform's own runtime, whatever is delivered here.
STARTED_BY_OTHERS = "pull"


@dataclass(frozen=True, slots=True)
class Claimant:
    """As whom runs are claimed: the incarnation, whether it holds a presence, the release it is of, and the
    kinds of delivery that it serves.
    """

    incarnation: int
    held: bool
    own: InForce
    deliveries: Sequence[str]


@dataclass(frozen=True, slots=True)
class Look:
    """What one pass found, and when to look again, by the caller's own clock.

    `held` says that a due row was not free; `next_at` is when the first row that is not due yet will be.
    """

    claimed: Claimed
    full: bool
    held: bool = False
    next_at: float | None = None


def look(n: int, who: Claimant, clock: Callable[[], float]) -> Move[Look]:
    """Claim at most `n` due rows and, unless there may be more, learn when the next one comes.

    The difference to it is taken between two times of the database (I9); `clock` only says from when on it
    runs. Raises what `pass_fence` raises.
    """
    kinds = list(who.deliveries)
    claim, after = CLAIM_DUE(deliveries=kinds, n=n), READ_NEXT_DUE(deliveries=kinds, n=n + 1)
    fenced, taken, read = yield Batch((fence(who.incarnation, who.held), claim, after))
    now = clock()
    pass_fence([FENCE_CLAIM.make(row) for row in fenced], who.incarnation, who.own)
    rows, (due,) = claim.read(taken), after.read(read)
    claimed = (yield from settle(rows, who.incarnation, handed=False)) if rows else Claimed()
    comes = [moment for moment in (due.next, claimed.earliest) if moment is not None]
    return Look(
        claimed,
        full=len(rows) >= n,
        held=due.due > len(rows),
        next_at=now + (min(comes) - due.moment).total_seconds() if comes else None,
    )


def look_on(n: int, who: Claimant) -> Move[Look]:
    """Claim at most `n` more due rows where the batch before was full; when the next comes is not asked: to
    count five hundred that are due takes as long as to find the blockers of so many.
    """
    claim = CLAIM_DUE(deliveries=list(who.deliveries), n=n)
    fenced, taken = yield Batch((fence(who.incarnation, who.held), claim))
    pass_fence([FENCE_CLAIM.make(row) for row in fenced], who.incarnation, who.own)
    rows = claim.read(taken)
    claimed = (yield from settle(rows, who.incarnation, handed=False)) if rows else Claimed()
    return Look(claimed, full=len(rows) >= n)


def look_at(place: Place, who: Claimant) -> Move[Claimed]:
    """The claim of one due row (I12). Raises what `pass_fence` raises, and whatever is wrong with the row."""
    pass_fence((yield from ask(fence(who.incarnation, who.held))), who.incarnation, who.own)
    return (yield from claim_row(place.tenant, place.key, who.incarnation))


def look_aside(aside: AsideRow, who: Claimant) -> Move[Claimed]:
    """Free a row that was set aside, its time having come; one of the dispatcher's own deliveries is claimed
    in the same transaction, so that it never spoils a batch again (I12).
    """
    pass_fence((yield from ask(fence(who.incarnation, who.held))), who.incarnation, who.own)
    row = yield from lock_row(aside.tenant, aside.key)
    if row is None or not (yield from ask(FREE_ASIDE(key=aside.key, tenant=aside.tenant))):
        return Claimed()
    if aside.delivery not in who.deliveries:
        return Claimed()
    return (yield from settle([row._replace(blocked_by=None, reason=None)], who.incarnation, handed=False))


def set_aside(place: Place, why: str) -> Move[None]:
    """Set a row aside that failed alone; it is tried again later, each time after twice as long (I12)."""
    yield from ask(SET_ASIDE(key=place.key, tenant=place.tenant, reason=bounded(why[:2000]), wait=ASIDE))


def list_due(n: int, deliveries: Sequence[str]) -> Move[list[Place]]:
    """The rows that a claim would take, oldest first."""
    return (yield from ask(LIST_DUE(deliveries=list(deliveries), n=n)))


def list_aside(n: int, deliveries: Sequence[str]) -> Move[list[AsideRow]]:
    """Rows set aside whose next try has come; those that a runtime of the platform's own starts, too."""
    return (yield from ask(LIST_ASIDE(deliveries=[*deliveries, STARTED_BY_OTHERS], n=n)))


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What runs under an incarnation: all keys, and the runs that its process does not know."""

    running: frozenset[UUID]
    unknown: list[Started]
    unreadable: list[Place]


def read_back(incarnation: int, known: Collection[UUID]) -> Move[ReadBack]:
    """Read which runs are an incarnation's, also those of a claim that was never answered: it waits for it.

    `known` is what the process knew before it asked. Raises `Busy` while a claim is still under way.
    """
    runs = yield from runs_of(incarnation)
    missing = [run for run in runs if run.key not in known]
    texts = yield from read_definitions([(run.tenant, run.digest) for run in missing])
    found = ReadBack(frozenset(run.key for run in runs), [], [])
    for run in missing:
        try:
            definition = parse(texts[run.tenant, run.digest])
        except (KeyError, ValueError, Misconfigured):
            found.unreadable.append(Place(run.tenant, run.task, run.key))
            continue
        subject = Subject(run.tenant, run.task, run.digest, definition)
        found.unknown.append(
            Started(run.key, subject, run.lane, run.wake, run.due, run.run_at, run.started, run.deadline)
        )
    return found
