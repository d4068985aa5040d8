"""Who is there: one life of a process, its fence, its runs, and what becomes of those whose process is gone.

There is no lease. A process holds a session lock for its incarnation; whoever looks in `pg_locks` twice, some
time apart, in one life of the server, and finds the lock free both times, may say that it is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from ledger.errors import Busy, OtherRelease, PresenceExpelled, PresenceGone
from ledger.moves.close import Closing, Closings, close
from ledger.moves.step import Call, Move, ask
from ledger.release import newer
from ledger.statements.presence import (
    AWAIT_CLAIMS,
    BEAT,
    CONFIRM_PRESENCE,
    END_INCARNATION,
    FENCE_CLAIM,
    LIST_OVERDUE,
    MOVE_RUNS,
    NOTE_ABSENCE,
    READ_INCARNATIONS,
    READ_RUNS,
    REGISTER_INCARNATION,
    Fence,
    Incarnation,
    OwnRun,
    Place,
)

# The classes of the two locks of an incarnation: that its process is there, and that a claim is under way.
PRESENCE = 0x6C65_6470
CLAIMS = 0x6C65_6463

# Kinds whose runs go to another machine: what a process that is gone had not handed over yet was never sent.
HANDED_AGAIN = frozenset({"http", "celery"})

# From so many incarnations on, more than half absent at once is first taken for the server's trouble.
CROWD = 4
# Between the two looks of one whose own presence has stood for a period. The lock of a process that lives is
# free only while it registers again, which takes it a fraction of this.
SOON = timedelta(seconds=1)


class InForce(NamedTuple):
    """The numbers that a process derives with, as the `settings` row shows them (I20)."""

    schema_version: int
    key_version: int
    digest_version: int
    dialect: int
    tzdata: str


@dataclass(frozen=True, slots=True)
class Absence:
    """What a look at the incarnations found; `gone` were absent twice, or expelled, and their runs are lost.

    `expelled` says by whom and why the one who looks was expelled itself: then it judges nobody.
    """

    looked_at: int
    expelled: str | None = None
    gone: list[Incarnation] = field(default_factory=list)
    first_seen: list[int] = field(default_factory=list)
    back: list[int] = field(default_factory=list)
    deferred: list[int] = field(default_factory=list)


def register(slot: str, host: str) -> Move[int]:
    """Open a new incarnation; it may be found absent only once `confirm` has said that it held its lock."""
    (row,) = yield from ask(REGISTER_INCARNATION(slot=slot, host=host))
    return row.id


def confirm(incarnation: int) -> Move[None]:
    """Say that the incarnation holds its lock. Raises `PresenceGone` where it has been ended meanwhile."""
    if not (yield from ask(CONFIRM_PRESENCE(id=incarnation))):
        raise PresenceGone(f"confirming incarnation {incarnation}: it has been ended; register again")


def end(incarnation: int, why: str) -> Move[None]:
    """End an incarnation, unless runs of it still run: then others look for it, and close them."""
    yield from ask(AWAIT_CLAIMS(claims=CLAIMS, id=incarnation))
    yield from ask(END_INCARNATION(id=incarnation, why=why))


def fence(incarnation: int, held: bool) -> Call[Fence]:
    """Stands before everything that starts runs, in its transaction; its answer goes to `pass_fence`."""
    return FENCE_CLAIM(claims=CLAIMS, presence=PRESENCE, id=incarnation, held=held)


def pass_fence(found: Sequence[Fence], incarnation: int, own: InForce) -> None:
    """Raises `PresenceGone` where the lock of the incarnation is not held, `OtherRelease` where another
    release is in force (I20), `Busy` while the claims of the incarnation are read back, `PresenceExpelled`
    where a person has ended it.
    """
    if not found:
        raise OtherRelease("the database was never migrated; run `ledger migrate`")
    differing = [
        f"{name} {mine} here, {theirs} in force"
        for name, mine in own._asdict().items()
        if (theirs := getattr(found[0], name)) != mine
    ]
    if differing:
        raise OtherRelease(
            f"this process is of another release than the database ({'; '.join(differing)}); "
            f"it starts nothing: {_advice(found[0], own)}"
        )
    if found[0].expelled is not None:
        raise PresenceExpelled(
            f"starting runs as incarnation {incarnation}: it was {found[0].expelled}; "
            "look why, then start the process anew"
        )
    if not found[0].free:
        raise Busy(f"the claims of incarnation {incarnation} are being read back; try again")
    if not found[0].present:
        raise PresenceGone(
            f"starting runs as incarnation {incarnation}: nobody holds its lock; register again"
        )


def _advice(found: Fence, own: InForce) -> str:
    if own._replace(tzdata=found.tzdata) != found[2:-1]:
        return "upgrade the package, or run `ledger migrate`"
    if newer(own.tzdata, found.tzdata):
        return "look with `ledger doctor zones`, then run `ledger migrate zones`, once for all processes"
    return f"install tzdata {found.tzdata}; zone rules never go backward"


def runs_of(incarnation: int) -> Move[list[OwnRun]]:
    """What runs under an incarnation, once no claim of it is under way: also one that was never answered.

    Raises `Busy` while one is.
    """
    yield from ask(AWAIT_CLAIMS(claims=CLAIMS, id=incarnation))
    return (yield from ask(READ_RUNS(id=incarnation)))


def still_running(incarnation: int) -> Move[frozenset[UUID]]:
    """The keys of what runs under an incarnation, without waiting for its claims."""
    return frozenset(run.key for run in (yield from ask(READ_RUNS(id=incarnation))))


def take_over(tenant: str, old: int, new: int, keys: Collection[UUID]) -> Move[list[UUID]]:
    """Move runs of one tenant from one life of this process to its next; the keys that still ran."""
    moved = yield from ask(MOVE_RUNS(tenant=tenant, old=old, new=new, keys=list(keys)))
    return [row.key for row in moved]


def observe(own: int | None, period: timedelta) -> Move[Absence]:
    """Look who is absent, and keep what was seen: the first sight of it, or that it is there again."""
    seen = yield from ask(READ_INCARNATIONS(presence=PRESENCE))
    absence = judge(seen, own, period)
    if absence.first_seen or absence.back:
        yield from ask(NOTE_ABSENCE(gone=absence.first_seen, back=absence.back))
    return absence


def judge(seen: Sequence[Incarnation], own: int | None, period: timedelta) -> Absence:
    """Who is gone: expelled, or absent twice, the server's life unchanged between the two looks.

    They are a period apart, and a second for an observer whose own presence has stood for a period: it saw no
    trouble of the server, which takes the locks of all. A server that restarts loses every lock, and
    processes register again: so from four incarnations on, more than half absent at once defers the verdicts
    for one period more.
    """
    told = next((one.expelled for one in seen if one.id == own), None)
    if told is not None:
        return Absence(len(seen), told)
    # Of one that was expelled nothing has to be seen.
    absence = Absence(len(seen), gone=[one for one in seen if one.expelled is not None])
    seen = [one for one in seen if one.expelled is None]
    missing = [one for one in seen if not one.present and one.id != own]
    crowd = len(seen) >= CROWD and len(missing) * 2 > len(seen)
    stood = any(one.id == own and one.moment - one.registered >= period for one in seen)
    apart = min(SOON, period) if stood else period
    for one in seen:
        if one.present and one.absent_since is not None:
            absence.back.append(one.id)
    for one in missing:
        since = one.absent_since
        if since is None or since < one.server_start:
            absence.first_seen.append(one.id)
        elif one.moment - since >= (apart + period if crowd else apart):
            absence.gone.append(one)
        elif one.moment - since >= apart:
            absence.deferred.append(one.id)
    return absence


def never_sent(run: OwnRun) -> bool:
    """Whether a run that an absent process left waits to be handed over again, under the same key."""
    return run.delivery in HANDED_AGAIN and run.handed is None


def lose(tenant: str, incarnation: int, runs: Sequence[OwnRun], by: str) -> Move[Closings]:
    """Close the runs of one tenant that an absent incarnation left; none if it is there again.

    What it never sent is left to whoever hands it over again; the deadline bounds that.
    """
    found = yield from ask(fence(incarnation, held=True))
    expelled = found[0].expelled if found else None
    if found and found[0].present and expelled is None:
        return Closings()
    why = "is gone" if expelled is None else f"was {expelled}"
    closings = [
        Closing(
            tenant,
            run.task,
            run.key,
            "lost",
            "absent",
            by=by,
            incarnation=incarnation,
            error=f"incarnation {incarnation}, which ran it, {why}",
        )
        for run in runs
        if not never_sent(run)
    ]
    return (yield from close(closings))


def list_overdue(n: int) -> Move[list[Place]]:
    """Runs past their deadline, at most `n`, by tenant."""
    return (yield from ask(LIST_OVERDUE(n=n)))


def close_overdue(tenant: str, runs: Sequence[Place], by: str) -> Move[Closings]:
    """Close runs of one tenant whose deadline has passed, whoever runs them: hung is not dead."""
    closings = [
        Closing(tenant, run.task, run.key, "timed_out", "overdue", by=by, error="its deadline passed")
        for run in runs
    ]
    return (yield from close(closings))


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What a dispatcher says of itself; the counts are since it began."""

    state: str
    why: str
    looked_at: int
    started: int
    finished: int
    # The kinds that it serves.
    deliveries: Sequence[str]


def beat(incarnation: int, said: Heartbeat) -> Move[None]:
    """Write the heartbeat of a dispatcher (I14)."""
    yield from ask(
        BEAT(
            incarnation=incarnation,
            state=said.state,
            why=said.why[:2000],
            looked_at=said.looked_at,
            started=said.started,
            finished=said.finished,
            deliveries=list(said.deliveries),
        )
    )
