"""Random cron texts that the dialect takes, for tests that compare two readers or two directions."""

from __future__ import annotations

from datetime import date
from random import Random

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


def random_cron(random: Random, near: date, hours: list[int], *, seconds: bool = False) -> str:
    """A text that is likely to name the day `near` and the hours given."""
    minute = _field(random, 0, 59, [0, 0, 15, 30, random.randrange(60)])
    hour = _field(random, 0, 23, hours)
    month = "*" if random.random() < 0.6 else _field(random, 1, 12, [near.month], MONTHS)
    dom, dow = _day_fields(random, near)
    text = f"{minute} {hour} {dom} {month} {dow}"
    if seconds:
        second = random.choice(["0", "30", "*/20", "59", "7,8"])
        text = f"{second} {text}"
    return text if random.random() < 0.5 else text.lower()


def _field(random: Random, low: int, high: int, likely: list[int], names: list[str] | None = None) -> str:
    def number() -> int:
        return random.choice(likely) if random.random() < 0.7 else random.randint(low, high)

    def written(n: int) -> str:
        return names[n - low] if names and random.random() < 0.5 else str(n)

    first, last = number(), number()
    forms = [
        "*",
        f"*/{random.choice([1, 2, 3, 5, 7, 15, 20, 61])}",
        f"*/{random.randint(2, 70)},{first}",
        f"{low}-{high}",
        f"{written(first)}-{written(last)}",
        f"{written(min(first, last))}-{written(max(first, last))}/{random.randint(1, 6)}",
        f"{written(first)}/{random.randint(1, 30)}",
        written(first),
        ",".join(written(number()) for _ in range(random.randint(1, 4))),
    ]
    return random.choice(forms)


def _day_fields(random: Random, near: date) -> tuple[str, str]:
    form = random.randrange(10)
    star = random.choice("*?")
    weekday = near.isoweekday() % 7
    if form < 3:
        return star, random.choice("*?")
    if form == 3:
        return random.choice(["L", f"{random.randint(1, 28)}W", "1W,15W,L", f"{near.day},L"]), star
    if form == 4:
        nth = (near.day + 6) // 7
        items = [
            f"{WEEKDAYS[weekday]}#{nth}",
            f"{weekday or 7}#{nth},1#1",
            f"{weekday}L",
            f"SAT#2,{weekday}L",
        ]
        return star, random.choice(items)
    if form == 5:
        return star, _weekdays(random, weekday)
    if form == 6:
        return _field(random, 1, 31, [near.day]), star
    return _field(random, 1, 31, [near.day]), _weekdays(random, weekday)


def _weekdays(random: Random, near: int) -> str:
    other = random.randrange(7)
    return random.choice(
        [
            str(near),
            WEEKDAYS[near],
            f"{WEEKDAYS[near]}-{WEEKDAYS[other]}",
            f"{near}-7",
            f"{near}-7/2",
            "7",
            "7-7",
            "0-7",
            "*/2",
            f"{other}/3",
            f"7/{other + 1}",
            "MON-FRI",
            f"{near},{other}",
        ]
    )
