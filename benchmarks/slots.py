"""`python -m benchmarks.slots`: next slots a second, and the first slot of a fresh expression, side by side.

No database, one core. Every library is asked for the same slots in the same run, in turns; its seconds are
those that this process computed. The first slot of an expression is taken apart into croniter's reading and
the project's own work. Each figure is a median.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim
from dateutil.rrule import rrulestr
from tabulate import tabulate

from benchmarks.private import load
from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.models import ScheduleDefinition
from projector.slots import Slots, fault_of, fields, schedule_of
from projector.slots.definition import read_schedule
from projector.slots.timeline import timeline
from projector.slots.zones import zone
from tests import hostile_texts

ZONE = "America/New_York"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
CRONS = ("*/5 * * * *", "0 9 * * 1-5")
GOAL_A_SECOND = 40_000
GOAL_FIRST_US, GOAL_OWN_US, GOAL_HOSTILE_MS = 500.0, 100.0, 50.0
FRESH: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("m h * * *", lambda n: f"{n % 60} {n // 60 % 24} * * *"),
    ("m h * * 1-5", lambda n: f"{n % 60} {n // 60 % 24} * * 1-5"),
    ("*/5 h d * *", lambda n: f"*/5 {n % 24} {1 + n // 24 % 28} * *"),
    ("m */2 d M *", lambda n: f"{n % 60} */2 {1 + n // 60 % 28} {1 + n // 1680 % 12} *"),
    ("m,n 9-17 * * MON-FRI", lambda n: f"{n % 60},{(n + 7 + n // 60) % 60} 9-17 * * MON-FRI"),
    ("m h L * *", lambda n: f"{n % 60} {n // 60 % 24} L * *"),
)
RULES = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU",
    "FREQ=DAILY;COUNT=50000",
)
START = datetime(1970, 1, 1, 9)  # noqa: DTZ001 - a rule's start is a wall time
FAR = datetime(2099, 6, 1, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slots", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each walk (9)")
    parser.add_argument("--steps", type=int, default=20_000, help="slots of the project in a round (20000)")
    parser.add_argument("--fresh", type=int, default=1000, help="fresh expressions of each form (1000)")
    given = parser.parse_args()
    pins = ", ".join(
        f"{name} {version(name)}" for name in ("cronsim", "croniter", "python-dateutil", "tzdata")
    )
    print(f"Python {platform.python_version()}, {pins}; {load()}\n")
    met = [
        walks(given.rounds, given.steps),
        first_slots(given.fresh),
        rules(given.rounds, given.steps // 10),
        hostile(),
    ]
    print("goals met" if all(met) else "a goal was MISSED")
    return 0 if all(met) else 1


def walks(rounds: int, steps: int) -> bool:
    """Next slots a second in a zone with daylight saving."""
    rows = []
    for text in CRONS:
        walkers = {
            "project": lambda text=text: forward(schedule_of(ScheduleDefinition(cron=text, timezone=ZONE))),
            "cronsim": lambda text=text: CronSim(text, BEGIN.astimezone(ZoneInfo(ZONE))),
            "croniter": lambda text=text: croniter(text, BEGIN.astimezone(ZoneInfo(ZONE)), ret_type=datetime),
        }
        speed = {name: [] for name in walkers}
        for _ in range(rounds):
            for name, walker in walkers.items():
                speed[name].append(a_second(walker(), steps if name == "project" else steps // 5))
        medians = {name: statistics.median(each) for name, each in speed.items()}
        own = medians["project"]
        rows.append([text, *medians.values(), own / medians["cronsim"], own / medians["croniter"]])
    heads = ["next slots a second", "project", "cronsim", "croniter", "× cronsim", "× croniter"]
    table(rows, heads, (",.0f", ",.0f", ",.0f", ".1f", ".1f"))
    return all(row[1] >= GOAL_A_SECOND for row in rows)


def forward(slots: Slots) -> Iterator[datetime]:
    """The project's slots, each asked for with the one before, as the ledger does."""
    slot = slots.next(BEGIN)
    while slot is not None:
        yield slot
        slot = slots.next(slot)


def a_second(walker: Iterator[datetime], steps: int) -> float:
    begun = time.process_time()
    for _ in range(steps):
        next(walker)
    return steps / (time.process_time() - begun)


def first_slots(count: int) -> bool:
    """The first slot of expressions never read before, in a zone that was."""
    zone(ZONE)
    reading = fields.read_fields
    spent = 0

    def timed(normal: str) -> list[tuple[int, ...]]:
        nonlocal spent
        begun = time.perf_counter_ns()
        answer = reading(normal)
        spent = time.perf_counter_ns() - begun
        return answer

    rows = []
    fields.read_fields = timed
    try:
        for name, form in FRESH:
            whole, own, theirs = [], [], []
            for n in range(count):
                schedule = ScheduleDefinition(cron=form(n), timezone=ZONE)
                read_schedule.cache_clear()
                begun = time.perf_counter_ns()
                read_schedule(schedule).next(BEGIN)
                took = time.perf_counter_ns() - begun
                whole.append(took)
                own.append(took - spent)
                theirs.append(spent)
            rows.append([name, *(statistics.median(each) / 1000 for each in (whole, theirs, own))])
    finally:
        fields.read_fields = reading
    table(rows, ["first slot, µs", "whole", "croniter's part", "the project's own"], (".0f", ".0f", ".0f"))
    print(f"a zone's first reading, with its windows: {zone_us():,.0f} µs, once in a process\n")
    return all(row[1] <= GOAL_FIRST_US and row[3] <= GOAL_OWN_US for row in rows)


def zone_us() -> float:
    """The median over every zone of tzdata."""
    took = []
    for name in files("tzdata").joinpath("zones").read_text("ascii").split():
        zone.cache_clear()
        timeline.cache_clear()
        read_schedule.cache_clear()
        schedule = ScheduleDefinition(cron="0 9 * * *", timezone=name)
        read_schedule(ScheduleDefinition(cron="0 9 * * *"))
        begun = time.perf_counter_ns()
        read_schedule(schedule)
        took.append((time.perf_counter_ns() - begun) / 1000)
    return statistics.median(took)


def rules(rounds: int, steps: int) -> bool:
    """rrules from 1970: next slots a second, the first slot, and one far from the start; dateutil beside it.

    dateutil walks naive wall times, of no zone; the project the slots in a zone.
    """
    rows = []
    for parts in RULES:
        text = f"RRULE:{parts}"
        schedule = ScheduleDefinition(rrule=text, start=START.isoformat(), timezone=ZONE)
        own, theirs, first, far, their_far = [], [], [], [], []
        for _ in range(rounds):
            own.append(a_second(forward(schedule_of(schedule)), min(steps, 200)))
            theirs.append(a_second(iter(rrulestr(text, dtstart=START)), min(steps, 200)))
            read_schedule.cache_clear()
            first.append(microseconds(lambda schedule=schedule: read_schedule(schedule).next(BEGIN)))
            read_schedule.cache_clear()
            far.append(microseconds(lambda schedule=schedule: read_schedule(schedule).next(FAR)))
        for _ in range(3):
            their_far.append(
                microseconds(lambda text=text: rrulestr(text, dtstart=START).after(FAR.replace(tzinfo=None)))
            )
        rows.append([parts, *map(statistics.median, (own, theirs, first, far, their_far))])
    heads = ["rrule from 1970", "a second", "dateutil", "first, µs", "first after 2099, µs", "dateutil's, µs"]
    table(rows, heads, (",.0f", ",.0f", ",.0f", ",.0f", ",.0f"))
    return True


def microseconds(call: Callable[[], object]) -> float:
    """What a call computes; what it waits for a core does not count."""
    begun = time.process_time_ns()
    call()
    return (time.process_time_ns() - begun) / 1000


def hostile() -> bool:
    """What texts that mean to cost much cost: refused, or read and judged with their first slots."""
    worst = {}
    for name, text in hostile_texts.CRON.items():
        worst[f"cron, {name}"] = min(microseconds(lambda text=text: refused(text)) for _ in range(3))
    for name, text in hostile_texts.CRON_TAKEN.items():
        worst[f"cron, {name}"] = min(judged({"cron": text}) for _ in range(3))
    for name, parts in hostile_texts.RRULE.items():
        schedule = {"rrule": f"RRULE:{parts}", "start": START.isoformat()}
        worst[f"rrule, {name}"] = min(judged(schedule) for _ in range(3))
    rows = sorted(([name, took / 1000] for name, took in worst.items()), key=lambda row: -row[1])
    table(rows[:8], [f"the costliest of {len(rows)} hostile texts", "ms"], (".1f",))
    return rows[0][1] < GOAL_HOSTILE_MS


def refused(text: str) -> None:
    try:
        read_cron(text)
    except CronRefused:
        return


def judged(members: dict[str, str]) -> float:
    schedule = ScheduleDefinition.model_validate(members)
    read_schedule.cache_clear()
    fault_of.cache_clear()
    return microseconds(lambda: fault_of(schedule))


def table(rows: list[list[object]], heads: list[str], forms: tuple[str, ...]) -> None:
    cells = [
        [row[0], *(format(value, form) for value, form in zip(row[1:], forms, strict=True))] for row in rows
    ]
    align = ("left", *("right" for _ in forms))
    print(
        tabulate(cells, headers=heads, tablefmt="simple", colalign=align, disable_numparse=True), end="\n\n"
    )


if __name__ == "__main__":
    sys.exit(main())
