"""The dispatcher's own moves: the fence before each claim, and when to look again after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from dispatcher.fairness import NOTHING, PLAIN, Seen, Turn, floods, there_is_more
from ledger.errors import Misconfigured
from ledger.moves.adopt import Subject
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.presence import InForce, fence, pass_fence, runs_of
from ledger.moves.step import Batch, Call, Move, ask
from ledger.moves.text import bounded
from ledger.statements.admission import CLAIM_FAIR
from ledger.statements.dispatch import FREE_ASIDE, LIST_ASIDE, LIST_DUE, READ_NEXT_DUE, AsideRow
from ledger.statements.occurrences import CLAIM_DUE, SET_ASIDE, DueRow
from ledger.statements.presence import FENCE_CLAIM, Place
from projector.moves.decide import Started
from projector.moves.start import ASIDE, Claimed, claim_row, lock_row, settle

# Started by the platform's own runtime, whatever is delivered here.
STARTED_BY_OTHERS = "pull"


@dataclass(frozen=True, slots=True)
class Claimant:
    """As whom runs are claimed: the incarnation, whether it holds a presence, the release it is of, the kinds
    of delivery that it serves, and whose turn it is.
    """

    incarnation: int
    held: bool
    own: InForce
    deliveries: Sequence[str]
    turn: Turn = PLAIN


@dataclass(frozen=True, slots=True)
class Look:
    """What one pass found, and when to look again, by the caller's own clock.

    `held` says that a due row was not free; `next_at` is when the first row that is not due yet will be.
    """

    claimed: Claimed
    full: bool
    held: bool = False
    next_at: float | None = None
    seen: Seen = NOTHING


def look(n: int, who: Claimant, clock: Callable[[], float]) -> Move[Look]:
    """Claim at most `n` due rows and, unless there may be more, learn when the next one comes.

    The difference to it is taken between two times of the database (I9); `clock` only says from when on it
    runs. Where one tenant has more than its share of a full batch, the claim is done again by turns. Raises
    what `pass_fence` raises.
    """
    claim, after = _claim(n, who), READ_NEXT_DUE(deliveries=list(who.deliveries), n=n + 1)
    fenced, taken, read = yield Batch((fence(who.incarnation, who.held), claim, after))
    now = clock()
    pass_fence([FENCE_CLAIM.make(row) for row in fenced], who.incarnation, who.own)
    (due,) = after.read(read)
    claimed, seen = yield from _settle(claim.read(taken), n, who)
    comes = [moment for moment in (due.next, claimed.earliest) if moment is not None]
    return Look(
        claimed,
        full=seen.full,
        # By turns it is not known whether others hold what is left: the tick finds it, or the next turn.
        held=due.due > claimed.looked_at and not seen.fair,
        next_at=now + (min(comes) - due.moment).total_seconds() if comes else None,
        seen=seen,
    )


def look_on(n: int, who: Claimant) -> Move[Look]:
    """Claim at most `n` more due rows where the batch before was full; when the next comes is not asked: to
    count five hundred that are due takes as long as to find the blockers of so many.
    """
    claim = _claim(n, who)
    fenced, taken = yield Batch((fence(who.incarnation, who.held), claim))
    pass_fence([FENCE_CLAIM.make(row) for row in fenced], who.incarnation, who.own)
    claimed, seen = yield from _settle(claim.read(taken), n, who)
    return Look(claimed, full=seen.full, seen=seen)


def _claim(n: int, who: Claimant, *, fair: bool = False) -> Call[DueRow]:
    """The statement that takes due rows, by turns where somebody is left out or floods."""
    kinds, turn = list(who.deliveries), who.turn
    if fair or turn.fair:
        return CLAIM_FAIR(deliveries=kinds, out=list(turn.out), n=n, beyond=turn.beyond)
    return CLAIM_DUE(deliveries=kinds, n=n)


def _settle(rows: list[DueRow], n: int, who: Claimant) -> Move[tuple[Claimed, Seen]]:
    """Decide on what was taken; where it is one tenant's for the most part, on what is taken by turns."""
    turn = who.turn
    fair = turn.fair or (len(rows) >= n and floods(rows))
    if fair and not turn.fair:
        rows = yield from ask(_claim(n, who, fair=True))
    if not rows:
        return Claimed(), Seen(turn, fair, full=False, last=turn.beyond)
    full = there_is_more(rows, n) if fair else len(rows) >= n
    claimed = yield from settle(rows, who.incarnation, handed=False, held=turn.held)
    return claimed, Seen(turn, fair, full, rows[-1].tenant, rows[0].moment)


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
