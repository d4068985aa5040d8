"""The tasks of a soak, from its seed: most by interval on random microseconds, some by cron."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

TENANTS = 8
# Parts of the rate, by the interval in seconds.
INTERVALS = {2: 0.45, 3: 0.45, 5: 0.1}
CRON = 40
ONCE = 40
ENDING = 30
# None of these moves its clocks, which the judge's own walk could not follow.
ZONES = ("UTC", "Asia/Kolkata", "Asia/Tokyo", "America/Bogota", "Africa/Lagos")
AGAIN = {"attempts": 1, "on": ["lost"], "backoff_s": 0}


@dataclass(frozen=True, slots=True)
class Planned:
    """A task as it is defined first."""

    tenant: str
    task: str
    authored: dict[str, object]


def planned(rate: int, seed: int, begins: datetime, seconds: float) -> list[Planned]:
    """Tasks that fire about `rate` times a second from `begins` on, in the same order for the same seed."""
    rng = random.Random(f"plan {seed}")
    tasks = []
    for n, schedule in enumerate(_schedules(rate, rng, begins, seconds)):
        authored: dict[str, object] = {
            "entrypoint": "mark" if rng.random() < 0.9 else "mark-on-thread",
            "payload": {"n": n},
            "schedule": schedule,
        }
        if rng.random() < 0.25:
            authored["retry"] = dict(AGAIN)
        tasks.append(Planned(f"tenant-{n % TENANTS}", f"task-{n:04}", authored))
    rng.shuffle(tasks)
    return tasks


def every(rng: random.Random, begins: datetime, step: int) -> dict[str, object]:
    """An interval on a microsecond of its own."""
    return {
        "every_s": step,
        "anchor": spelled(begins + timedelta(microseconds=rng.randrange(step * 1_000_000))),
    }


def spelled(instant: datetime) -> str:
    """As the ledger spells instants."""
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _schedules(
    rate: int, rng: random.Random, begins: datetime, seconds: float
) -> Iterator[dict[str, object]]:
    for step, part in INTERVALS.items():
        for _ in range(round(rate * part * step)):
            yield every(rng, begins, step)
    for _ in range(CRON):
        zone = rng.choice(ZONES)
        text = rng.choice(("* * * * *", "*/1 * * * *", "0-59 * * * *", "*/2 * * * *"))
        yield {"cron": text} if zone == "UTC" else {"cron": text, "timezone": zone}
    for _ in range(ONCE):
        yield {"at": spelled(begins + timedelta(seconds=rng.uniform(0, seconds)))}
    for _ in range(ENDING):
        ends = spelled(begins + timedelta(seconds=rng.uniform(seconds / 4, seconds)))
        yield {**every(rng, begins, 2), "ends_at": ends}
