"""Whole tasks at random: right ones out of right values, and wrong ones with one or two things spoilt."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence

from conformance.making import crons, dues, objects, rules, twist
from conformance.making import samples as s
from conformance.making.members import TASK_MEMBERS, Member, place
from conformance.making.schedules import ANY_MEMBERS, EXCLUDE_MEMBERS, SCHEDULE_MEMBERS
from conformance.making.wire import Pairs, Raw

_FREE = [member for member in TASK_MEMBERS if member.within is s.EVERY and "." not in member.path]
_FREE = [
    member for member in _FREE if member.path not in ("delivery", "entrypoint", "arguments", "max_interval_s")
]
_INNER = [member for member in TASK_MEMBERS if "." in member.path]
_EVERY_KIND = ("schedule.starts_at", "schedule.spread_s", "schedule.timezone", "schedule.dialect")
_ADDED = [member for member in SCHEDULE_MEMBERS if member.path in _EVERY_KIND]
_ALL = (*TASK_MEMBERS, *SCHEDULE_MEMBERS, *ANY_MEMBERS, *EXCLUDE_MEMBERS)
_UNKNOWN = (
    "",
    "Name",
    "enabled",
    "tenant",
    "task",
    "shedule",
    "😀",
    "\ue000",
    "__proto__",
    "cron",
    "a.b",
    "é",
)


def valid(rng: random.Random) -> dict[str, object]:
    """A task that is meant to be taken."""
    task: dict[str, object] = {
        "entrypoint": rng.choice(("report", "e", "Zoë", "x" * 2000)),
        "schedule": schedule(rng),
    }
    _deliver(task, rng)
    for member in rng.sample(_FREE, rng.randint(0, 5)) + rng.sample(_INNER, rng.randint(0, 3)):
        value = _right(member, rng)
        if value is not None:
            place(task, member.path, value)
    for member in rng.sample(_ADDED, rng.choice((0, 0, 1, 2))):
        value = _right(member, rng)
        if value is not None:
            place(task, member.path, value)
    if rng.random() < 0.15:
        place(task, "schedule.exclude", [_exclusion(rng) for _ in range(rng.randint(0, 4))])
    if rng.random() < 0.1:
        task[rng.choice(("name", "payload", "retry", "labels"))] = None
    return task


def wrong(rng: random.Random) -> object:
    """A task in which one or two things are spoilt; what fails first is for the implementations to say."""
    if rng.random() < 0.05:
        return rng.choice(objects.NOT_OBJECTS)
    # A copy: the samples that it is made of are not to be spoilt for the next one.
    task = copy.deepcopy(valid(rng))
    for _ in range(rng.choice((1, 1, 2))):
        rng.choice(_SPOILERS)(task, rng)
    return task


def schedule(rng: random.Random) -> dict[str, object]:
    """A schedule of any kind."""
    if rng.random() < 0.15:
        return {"any": [element(rng) for _ in range(rng.choice((1, 2, 3, 16)))]}
    return element(rng)


def element(rng: random.Random) -> dict[str, object]:
    """What may stand in `any`, or be a schedule itself."""
    made: dict[str, object] = rng.choice(_KINDS)(rng)
    if rng.random() < 0.3:
        made["timezone"] = s.zone(rng)
    if ("cron" in made or "rrule" in made) and rng.random() < 0.3:
        made["dst"] = {"gap": rng.choice(("shift", "skip")), "overlap": rng.choice(("first", "last", "both"))}
    return made


def _cron(rng: random.Random) -> dict[str, object]:
    if rng.random() < 0.15:
        return {"cron": rng.choice(crons.GOOD_SECONDS), "seconds": True}
    return {"cron": crons.at_random(rng) if rng.random() < 0.5 else rng.choice(crons.GOOD)}


def _every(rng: random.Random) -> dict[str, object]:
    made: dict[str, object] = {"every_s": rng.choice((1, 60, 3600, 31_622_400, rng.randint(1, 10**6)))}
    if rng.random() < 0.3:
        made["anchor"] = dues.valid(rng)
    return made


def _at(rng: random.Random) -> dict[str, object]:
    return {"at": dues.valid(rng)}


def _rule(rng: random.Random) -> dict[str, object]:
    rule = rules.at_random(rng) if rng.random() < 0.5 else rng.choice(rules.GOOD)
    return {"rrule": rule, "start": rng.choice(s.LOCAL)}


_KINDS: Sequence[Callable[[random.Random], dict[str, object]]] = (_cron, _cron, _every, _at, _rule)


def _exclusion(rng: random.Random) -> dict[str, object]:
    if rng.random() < 0.5:
        return {"on": rng.choice(s.DATES)}
    year = rng.randint(1970, 9000)
    return {"from": f"{year}-12-24T00:00:00+01:00", "to": f"{year + 1}-01-02 00:00:00.5Z"}


def _deliver(task: dict[str, object], rng: random.Random) -> None:
    turn = rng.randrange(6)
    if turn == 0:
        task |= {"delivery": rng.choice(("http", "HTTP")), "entrypoint": rng.choice(s.ADDRESSES)}
    elif turn == 1:
        task |= {"delivery": rng.choice(("command", "Command")), "arguments": rng.choice(s.ARGUMENTS)}
    elif turn == 2:
        task["delivery"] = rng.choice(s.DELIVERIES)


def _right(member: Member, rng: random.Random) -> object:
    if member.more is not None and rng.random() < 0.5:
        return member.more(rng)
    return rng.choice(member.right) if member.right else None


def _spoil_member(task: dict[str, object], rng: random.Random) -> None:
    member = rng.choice(_ALL)
    if not member.wrong:
        return
    try:
        place(task, member.path, rng.choice(member.wrong))
    except (IndexError, ValueError):
        # The path does not exist in the task as it is by now.
        task["schedule"] = copy.deepcopy(rng.choice(([], {}, {"any": [{"any": []}]})))


def _add_unknown(task: dict[str, object], rng: random.Random) -> None:
    where = rng.choice(("", "", "schedule.", "retry.", "misfire.", "schedule.dst."))
    value = rng.choice((None, 1, "x"))
    name = rng.choice(_UNKNOWN)
    holder: object = task
    if where:
        for part in where.rstrip(".").split("."):
            holder = holder.setdefault(part, {}) if isinstance(holder, dict) else None
    if isinstance(holder, dict):
        holder[name] = value


def _drop(task: dict[str, object], rng: random.Random) -> None:
    holder = rng.choice((task, task.get("schedule")))
    if isinstance(holder, dict) and holder:
        name = rng.choice(list(holder))
        if rng.random() < 0.5:
            del holder[name]
        else:
            holder[name] = copy.deepcopy(rng.choice((None, *s.NOT_TEXT)))


def _second_kind(task: dict[str, object], rng: random.Random) -> None:
    if isinstance(holder := task.get("schedule"), dict):
        holder |= rng.choice(_KINDS)(rng)
        holder |= rng.choice(
            ({}, {"start": s.LOCAL[0]}, {"anchor": s.TIMES[0]}, {"seconds": True}, {"ends_at": s.TIMES[2]})
        )


def _bad_whole(task: dict[str, object], rng: random.Random) -> None:
    """What the task is refused for as a whole, wherever it stands."""
    name = rng.choice(("payload", "display", "x", "timeout_s"))
    task[name] = rng.choice(
        (
            Raw(rng.choice(objects.BAD_NUMBERS)),
            [Raw(rng.choice(objects.BAD_NUMBERS))],
            objects.nested(rng.choice((62, 63, 64, 65, 98)), rng.choice(("[", "{", "mixed"))),
            Pairs((("a", 1), ("a", 2))) if rng.random() < 0.2 else None,
            "x" * 65_600 if rng.random() < 0.2 else "x",
        )
    )


_SPOILERS: Sequence[Callable[[dict[str, object], random.Random], None]] = (
    *(_spoil_member, _spoil_member, _spoil_member, twist.leaf, twist.leaf, twist.leaf),
    *(_add_unknown, _drop, _second_kind, _bad_whole),
)
