"""How a tenant stands: counts of what is as it should be, and each thing that is not.

The same look serves a whole tenant, before any lock, and the tasks that are then held: nothing is ever
repaired from what was read before the lock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import Busy, FactRefused, OutcomeUnknown, Unreachable
from ledger.facts import Facts, instant_text, read_destination, read_identifier, read_token, read_wake
from ledger.keys import Derived, derive
from ledger.moves.adopt import SERIES, NewRow, lane_of
from ledger.moves.step import Batch, Move, ask
from ledger.release import RELEASE
from ledger.statements.presence import Place
from ledger.statements.sweep import (
    LIST_NAMES,
    LOOK_FAILED,
    LOOK_HELD,
    LOOK_OPEN,
    LOOK_RUNS,
    LOOK_TEXTS,
    FailedSeries,
    HeldRow,
    OpenRow,
)
from ledger.statements.zones import LOOK_ZONES
from projector.moves.zones import Drift, judge_zones
from sweeper.moves.causes import Attempt
from sweeper.moves.ends import past_end
from sweeper.moves.retries import unminted

# The ends of all names: identifiers are printable ASCII, in the order of the collation "C".
FIRST, LAST = "", "\x7f"
# So many slots failed in a row are worth a look of the tenant's owner.
FAILING = 3
# How many failing series a verdict names.
_NAMED = 10
# After so many tasks at which nobody can look a look that was taken apart gives up: something else is wrong.
_MOST_UNSEEN = 20

Why: TypeAlias = Literal["dead digest", "stray", "misnamed", "past end"]


@dataclass(frozen=True, slots=True)
class Wrong:
    """An open row that must not be: whose, and why."""

    task: str
    lane: str
    key: UUID
    why: Why
    # What the key would be, where it is not that of its facts; None too where they are the facts of no key.
    derived: UUID | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at a range of tasks found; `checked` counts tasks that are on."""

    checked: int = 0
    open: int = 0
    ended: int = 0
    missing: list[str] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)
    overdue: list[Place] = field(default_factory=list)
    held: list[HeldRow] = field(default_factory=list)
    retries: list[NewRow] = field(default_factory=list)
    drifts: list[Drift] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    # Those that the texts of open rows name.
    zones: list[str] = field(default_factory=list)
    failing: int = 0
    failing_named: list[dict[str, object]] = field(default_factory=list)

    def tasks(self) -> set[str]:
        """The tasks that need repair, and so their locks."""
        listed: tuple[Sequence[Wrong | Place | HeldRow | NewRow | Drift], ...] = (
            self.wrong,
            self.overdue,
            self.held,
            self.retries,
            self.drifts,
        )
        return {row.task for rows in listed for row in rows}.union(self.missing)

    def joined(self, other: Look) -> Look:
        """Both looks as one; they are of different tasks."""
        return Look(
            self.checked + other.checked,
            self.open + other.open,
            self.ended + other.ended,
            self.missing + other.missing,
            self.wrong + other.wrong,
            self.overdue + other.overdue,
            self.held + other.held,
            self.retries + other.retries,
            self.drifts + other.drifts,
            self.unreadable + other.unreadable,
            sorted({*self.zones, *other.zones}),
            self.failing + other.failing,
            (self.failing_named + other.failing_named)[:_NAMED],
        )

    def only(self, tasks: Collection[str]) -> Look:
        """What concerns these tasks alone; the counts are left as they are."""
        return replace(
            self,
            missing=[task for task in self.missing if task in tasks],
            wrong=[row for row in self.wrong if row.task in tasks],
            overdue=[row for row in self.overdue if row.task in tasks],
            held=[row for row in self.held if row.task in tasks],
            retries=[row for row in self.retries if row.task in tasks],
            drifts=[row for row in self.drifts if row.task in tasks],
            unreadable=[one for one in self.unreadable if one[0] in tasks],
        )


def look(tenant: str, first: str = FIRST, last: str = LAST) -> Move[Look]:
    """Look at the tasks of one tenant from `first` to `last`, both in it."""
    where = {"tenant": tenant, "first": first, "last": last}
    calls = (
        LOOK_OPEN(**where),
        LOOK_RUNS(**where),
        LOOK_HELD(**where),
        LOOK_FAILED(**where),
        LOOK_TEXTS(**where),
        LOOK_ZONES(**where, tzdata=RELEASE.tzdata, n=None),
    )
    open_rows, overdue, held, failed, texts, zoned = yield Batch(calls)
    found = _judge(tenant, calls[0].read(open_rows))
    series = calls[3].read(failed)
    retries, unreadable = yield from unminted(tenant, series)
    read = calls[4].read(texts)
    beyond, unread = past_end(read)
    known = {row.key for row in found.wrong}
    past = [Wrong(task, SERIES, key, "past end") for task, key in beyond if key not in known]
    zones = judge_zones(tenant, calls[5].read(zoned))
    failing = [one for one in series if one.failures >= FAILING]
    return replace(
        found,
        wrong=[*found.wrong, *past],
        overdue=calls[1].read(overdue),
        held=calls[2].read(held),
        retries=retries,
        drifts=list(zones.drifts),
        unreadable=[*unreadable, *unread, *zones.unreadable],
        zones=[row.text for row in read if row.task is None],
        failing=len(failing),
        failing_named=[_named(one) for one in failing[:_NAMED]],
    )


def look_apart(tenant: str) -> Move[Look]:
    """Look at a tenant at whom nobody can look as a whole: in halves, down to the task that stops it.

    That one is named as unreadable, and the others are looked at, so that they can be mended (I12). Raises
    what a look raises where it is no single task's trouble.
    """
    found = Look()
    names = yield from ask(LIST_NAMES(tenant=tenant))
    queue = [names] if names else []
    while queue:
        part, attempt = queue.pop(0), Attempt()
        try:
            found = found.joined((yield from attempt.run(look(tenant, part[0].task, part[-1].task))))
        except (Busy, Unreachable, OutcomeUnknown):
            raise
        except Exception as error:
            if not attempt.own(error) or len(found.unreadable) >= _MOST_UNSEEN:
                raise
            if len(part) > 1:
                queue[:0] = [part[: len(part) // 2], part[len(part) // 2 :]]
            else:
                unseen = (part[0].task, f"{type(error).__name__}: {error}")
                found = found.joined(Look(checked=int(part[0].enabled), unreadable=[unseen]))
    return found


def _named(series: FailedSeries) -> dict[str, object]:
    return {
        "task": series.task,
        "failures": series.failures,
        "key": str(series.key),
        "closed": instant_text(series.closed),
    }


def _judge(tenant: str, rows: Sequence[OpenRow]) -> Look:
    opened = ended = missing = dead = 0
    lacking: list[str] = []
    wrong: list[Wrong] = []
    for row in rows:
        if row.lane == SERIES:
            opened += row.kind == "open"
            ended += row.kind == "ended"
            dead += row.kind == "dead digest"
            missing += row.kind == "missing"
        if row.kind == "missing":
            lacking.append(row.task)
        elif row.kind in ("dead digest", "stray") and row.key is not None:
            wrong.append(Wrong(row.task, row.lane, row.key, row.kind))
        elif row.kind == "open" and row.key is not None and not is_named(tenant, row):
            wrong.append(Wrong(row.task, row.lane, row.key, "misnamed", key_of(tenant, row)))
    return Look(opened + ended + missing + dead, opened, ended, lacking, wrong)


def is_named(tenant: str, row: OpenRow) -> bool:
    """Whether an open row stands under the key of the facts beside it (I1).

    A row of another version of the key cannot be judged by this one, and is adopted as it is.
    """
    if row.key_version != RELEASE.key_version or row.due is None:
        return True
    delivery, wake, agent, destination = _texts(row)
    derived = _derived(tenant, row)
    return (
        derived is not None
        and derived.key == row.key
        and derived.fingerprint == row.fingerprint
        and lane_of(wake, row.due) == row.lane
        and _canonical(delivery, wake, agent, destination)
    )


def key_of(tenant: str, row: OpenRow) -> UUID | None:
    """The key of the facts beside a row; None where they are the facts of no key."""
    derived = _derived(tenant, row)
    return None if derived is None else derived.key


def _derived(tenant: str, row: OpenRow) -> Derived | None:
    if row.digest is None or row.due is None:
        return None
    delivery, wake, agent, destination = _texts(row)
    due = instant_text(row.due)
    try:
        return derive(Facts(tenant, delivery, wake, agent, destination, row.task, row.digest.hex(), due))
    except UnicodeEncodeError:
        return None  # Somebody wrote a fact that no fact can be.


def _texts(row: OpenRow) -> tuple[str, str, str, str]:
    return row.delivery or "", row.wake or "", row.agent or "", row.destination or ""


@lru_cache(maxsize=65_536)
def _canonical(delivery: str, wake: str, agent: str, destination: str) -> bool:
    """Whether facts are spelled in their one canonical way; another spelling derives another key (I19)."""
    try:
        return (
            read_token(delivery, "delivery") == delivery
            and read_wake(wake, "wake") == wake
            and read_identifier(agent, "agent") == agent
            and read_destination(destination, "destination") == destination
        )
    except FactRefused:
        return False
