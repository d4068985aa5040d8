"""Moving the zone rules in force to the release of this process, tenant by tenant; and the look before it.

First the settings: whoever has read the old release is waited for, whoever reads next reads the new one, so
processes of the old release project nothing any more before anybody projects by the new rules. Then the rows,
in short transactions; each says by itself under which release it stands, so a move that was stopped goes on
where it was, by the same command or by the sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ledger.driver.connect import SyncConnection
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.errors import BadInput, Busy, OtherRelease, OutcomeUnknown, Unreachable
from ledger.moves.presence import pass_fence
from ledger.moves.settled import under
from ledger.moves.step import Batch, Move, ask
from ledger.release import RELEASE, newer
from ledger.statements.presence import Fence
from ledger.statements.sweep import READ_SETTINGS, Settings
from ledger.statements.zones import END_ZONES, FIND_ZONED, LIST_ZONES, LOCK_SETTINGS, SET_UTC_ONLY, SET_ZONES
from projector.moves.zones import ZONES, Drift, look_zones, move_zones

# Rows that one look reads, and one transaction moves, at most.
PAGE, BATCH = 2_000, 200
# How long the settings are waited for at a time, and how often: those who read them wait as long behind it.
_LOCK_MS, _TRIES = 2_000, 15
_LONG = Limits(lock_ms=5_000, statement_ms=300_000, idle_ms=60_000)
_SETTINGS = Scope("owner", None, Limits(lock_ms=_LOCK_MS))
# The ends of all names, and what follows a name before any other: names are printable.
_FIRST, _LAST, _NEXT = "", "\x7f", "\x01"
# How many tasks a refusal names.
_NAMED = 5

R = TypeVar("R")
Told = Callable[[int, int], None]


@dataclass(slots=True)
class Foreseen:
    """What the rules of this process would change. `rows` are those whose instant differs; `come` have come,
    and stand; `unreadable` names tenant, task and why."""

    in_force: str
    own: str
    moving_from: str | None
    utc_only: bool
    looked_at: int = 0
    come: int = 0
    rows: list[Drift] = field(default_factory=list)
    unreadable: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(slots=True)
class MovedOn:
    """What a move of the rules did: `moved` tasks have an act; `failed` names tenant, task and why; of `left`
    tenants some task was locked by others all the time: the same command goes on with them."""

    moved_from: str
    moved_to: str
    tenants: int = 0
    looked_at: int = 0
    moved: int = 0
    come: int = 0
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def foresee(connection: SyncConnection, told: Told | None = None) -> Foreseen:
    """Which open rows would stand at another instant under the rules of this process. Changes nothing.

    Raises `OtherRelease` where the database has newer rules in force, or is of another release at all.
    """
    settings = run(connection, _read_settings(), Scope("reader"))
    found = Foreseen(settings.tzdata, RELEASE.tzdata, settings.zones_from, settings.utc_only)
    tenants = run(connection, ask(LIST_ZONES(tzdata=RELEASE.tzdata)), Scope("reader", None, _LONG))
    for n, one in enumerate(tenants):
        first: str | None = _FIRST
        while first is not None:
            look = run(connection, look_zones(one.tenant, first, _LAST, PAGE), Scope("reader"))
            found.looked_at += look.looked_at
            found.come += look.come
            found.rows += [row for row in look.drifts if row.differs]
            found.unreadable += [(one.tenant, task, why) for task, why in look.unreadable]
            first = None if look.last is None else look.last + _NEXT
        if told is not None:
            told(n + 1, len(tenants))
    return found


def move_forward(connection: SyncConnection, by: str, told: Told | None = None) -> MovedOn:
    """Put the rules of this process in force, and move every open row that they change, one act a task.

    Safe to run again: what is moved stays, what was left is moved. Raises `OtherRelease` for a move backward,
    `Busy` where the settings cannot be had.
    """
    was = _take_force(connection)
    done = MovedOn(was or RELEASE.tzdata, RELEASE.tzdata)
    listing = under(in_force(), ask(LIST_ZONES(tzdata=RELEASE.tzdata)))
    tenants = run(connection, listing, Scope("reader", None, _LONG))
    for one in tenants:
        _move_tenant(connection, one.tenant, by, done)
        done.tenants += 1
        if told is not None:
            told(done.tenants, len(tenants))
    if not done.left:
        run(connection, ask(END_ZONES(tzdata=RELEASE.tzdata)), Scope("owner"))
    return done


def set_utc_only(connection: SyncConnection, on: bool) -> bool:
    """Keep zones out of all tasks, or let them in; whether that was otherwise before.

    Raises `BadInput` where tasks name zones: the first few, and how many.
    """
    return _on_settings(connection, lambda: _set_utc_only(on))


def _read_settings() -> Move[Settings]:
    """What is in force, where only the zone rules may be older than this process's."""
    found = yield from ask(READ_SETTINGS())
    seen = [Fence(True, True, *settings[:5]) for settings in found]
    own = in_force()
    pass_fence(seen, 0, own._replace(tzdata=seen[0].tzdata) if seen else own)
    if newer(found[0].tzdata, own.tzdata):
        raise OtherRelease(
            f"the zone rules of tzdata {found[0].tzdata} are in force, this process has {own.tzdata}; "
            f"rules never go backward: install tzdata {found[0].tzdata} or later here"
        )
    return found[0]


def _take_force(connection: SyncConnection) -> str | None:
    """Put the rules of this process in force; from which release rows are still to be moved."""
    settings = run(connection, _read_settings(), Scope("reader"))
    if settings.tzdata == RELEASE.tzdata:
        return settings.zones_from
    return _on_settings(connection, _set_zones)


def _set_zones() -> Move[str | None]:
    yield Batch([LOCK_SETTINGS()])
    settings = yield from _read_settings()
    if settings.tzdata == RELEASE.tzdata:
        return settings.zones_from
    (moved,) = yield from ask(SET_ZONES(tzdata=RELEASE.tzdata))
    return moved.zones_from


def _set_utc_only(on: bool) -> Move[bool]:
    yield Batch([LOCK_SETTINGS()])
    (settings,) = yield from ask(READ_SETTINGS())
    zoned = (yield from ask(FIND_ZONED(n=_NAMED))) if on else []
    if zoned:
        named = ", ".join(f"{one.task!r} of tenant {one.tenant!r} ({one.zone})" for one in zoned)
        more = f", and {zoned[0].found - len(zoned)} more" if zoned[0].found > len(zoned) else ""
        raise BadInput(
            f"keeping zones out: {zoned[0].found} tasks name one: {named}{more}; nothing was changed. Delete "
            "them, or write their schedules in UTC, such as projector.weekly_utc_crons() computes them"
        )
    yield from ask(SET_UTC_ONLY(utc_only=on))
    return settings.utc_only != on


def _on_settings(connection: SyncConnection, make: Callable[[], Move[R]]) -> R:
    """Run a move that takes the settings for itself. Those who have read them are waited for, again and
    again, so that whoever reads them next never waits long.
    """
    for _ in range(_TRIES - 1):
        try:
            return run(connection, make(), _SETTINGS)
        except Busy:
            continue
    try:
        return run(connection, make(), _SETTINGS)
    except Busy as busy:
        raise Busy(
            "taking the settings: some transaction has read them and stays open; nothing was changed. End it "
            "(pg_stat_activity shows who is idle in a transaction), then run this again"
        ) from busy


def _move_tenant(connection: SyncConnection, tenant: str, by: str, done: MovedOn) -> None:
    first: str | None = _FIRST
    while first is not None:
        looking = under(in_force(), look_zones(tenant, first, _LAST, PAGE))
        look = run(connection, looking, Scope("reader"))
        done.looked_at += look.looked_at
        done.come += look.come
        done.failed += [(tenant, task, why) for task, why in look.unreadable]
        tasks = sorted({drift.task for drift in look.drifts}.union(task for task, _ in look.same))
        for n in range(0, len(tasks), BATCH):
            _move_tasks(connection, tenant, tasks[n : n + BATCH], by, done)
        first = None if look.last is None else look.last + _NEXT


def _move_tasks(
    connection: SyncConnection, tenant: str, tasks: Sequence[str], by: str, done: MovedOn
) -> None:
    """Move tasks in one transaction; where that fails, each in its own (I12)."""
    try:
        moving = under(in_force(), move_zones(tenant, tasks, by, ZONES))
        moved = run(connection, moving, Scope("tenant", tenant))
    except (Unreachable, OutcomeUnknown, OtherRelease):
        raise
    except Exception as error:  # noqa: BLE001 - one task's trouble is that task's alone, and is told (I12)
        if len(tasks) > 1:
            for task in tasks:
                _move_tasks(connection, tenant, [task], by, done)
        elif isinstance(error, Busy):
            done.left.append(tenant)
        else:
            done.failed.append((tenant, tasks[0], f"{type(error).__name__}: {error}"))
    else:
        done.moved += len(moved.drifts)
