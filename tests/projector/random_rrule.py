"""Random rrules that the dialect takes, for tests that compare two readers of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random

WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def dense_rrule(random: Random, hours: list[int]) -> str:
    """Several times on each day."""
    times = ",".join(str(hour) for hour in random.sample(hours, 3))
    return f"RRULE:FREQ=DAILY;BYHOUR={times};BYMINUTE={random.choice(['0', '0,30', '1,15,45', '59'])}"


def random_rrule(random: Random, start: datetime, hours: list[int]) -> str:
    """A text whose parts are likely to meet; `hours` are likely hours."""
    frequency = random.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"])
    parts = [f"FREQ={frequency}"]

    def add(name: str, chance: float, one: Callable[[], object], most: int = 4) -> bool:
        if random.random() >= chance:
            return False
        parts.append(f"{name}={','.join(str(one()) for _ in range(random.randint(1, most)))}")
        return True

    if random.random() < 0.5:
        parts.append(f"INTERVAL={random.choice([1, 2, 2, 3, 4, 5, 7, 11, 12, 13, 53, 100])}")
    if random.random() < 0.3:
        parts.append(f"WKST={random.choice(WEEKDAYS)}")
    by = [add("BYMONTH", 0.3, lambda: random.randint(1, 12))]
    signs = [1, 1, -1]
    if frequency != "WEEKLY":
        by.append(add("BYMONTHDAY", 0.3, lambda: random.choice(signs) * random.randint(1, 31), 8))
    if frequency == "YEARLY":
        by.append(add("BYYEARDAY", 0.2, lambda: random.choice(signs) * random.randint(1, 366), 20))
    most = {"YEARLY": 53, "MONTHLY": random.choice([5, 5, 53])}.get(frequency, 0)

    def weekday() -> str:
        if most and random.random() < 0.5:
            return f"{random.choice(signs) * random.randint(1, most)}{random.choice(WEEKDAYS)}"
        return random.choice(WEEKDAYS)

    by.append(add("BYDAY", 0.5, weekday, 5))
    by.append(add("BYHOUR", 0.5, lambda: random.choice([*hours, random.randrange(24)]), 3))
    by.append(add("BYMINUTE", 0.3, lambda: random.choice([0, 15, 30, random.randrange(60)])))
    by.append(add("BYSECOND", 0.1, lambda: random.randrange(60)))
    if any(by):
        add("BYSETPOS", 0.3, lambda: random.choice(signs) * random.choice([1, 1, 2, 3, 5, 9, 40]), 3)
    end = random.random()
    if end < 0.2:
        parts.append(f"COUNT={random.choice([1, 2, 3, 10, 50, 300, 1000])}")
    elif end < 0.3:
        until = start.replace(year=start.year + random.randint(0, 4), day=random.randint(1, 28))
        parts.append(f"UNTIL={until:%Y%m%dT%H%M%S}")
    random.shuffle(parts)
    return f"RRULE:{';'.join(parts)}"
