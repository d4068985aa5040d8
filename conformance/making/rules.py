"""Rules of `rrule`: each part in right and wrong values, and rules at random out of the parts."""

from __future__ import annotations

import random

_WHOLE = (
    "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY", "RRULE:FREQ=MONTHLY", "RRULE:FREQ=YEARLY",
    "RRULE:INTERVAL=2;FREQ=DAILY", "RRULE:FREQ=DAILY;INTERVAL=1", "RRULE:FREQ=DAILY;INTERVAL=9999",
    "RRULE:FREQ=DAILY;COUNT=1", "RRULE:FREQ=DAILY;COUNT=100000", "RRULE:FREQ=DAILY;UNTIL=20261231T235959",
    "RRULE:FREQ=DAILY;UNTIL=19700101T000000", "RRULE:FREQ=DAILY;UNTIL=99981231T235959",
    "RRULE:FREQ=DAILY;UNTIL=20240229T000000", "RRULE:FREQ=WEEKLY;WKST=SU",
    "RRULE:WKST=MO;FREQ=WEEKLY;BYDAY=MO,WE,FR", "RRULE:FREQ=YEARLY;BYMONTH=1,12",
    "RRULE:FREQ=YEARLY;BYMONTH=1,1", "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,-1,31,-31",
    "RRULE:FREQ=DAILY;BYMONTHDAY=13", "RRULE:FREQ=YEARLY;BYMONTHDAY=-1",
    "RRULE:FREQ=YEARLY;BYYEARDAY=1,-1,366,-366", "RRULE:FREQ=MONTHLY;BYDAY=1MO,-1FR",
    "RRULE:FREQ=MONTHLY;BYDAY=53MO", "RRULE:FREQ=YEARLY;BYDAY=-53SU,53SA", "RRULE:FREQ=DAILY;BYDAY=MO,MO",
    "RRULE:FREQ=WEEKLY;BYDAY=SU", "RRULE:FREQ=DAILY;BYHOUR=0,23", "RRULE:FREQ=DAILY;BYMINUTE=0,59",
    "RRULE:FREQ=DAILY;BYSECOND=0,59", "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "RRULE:FREQ=MONTHLY;BYSETPOS=366,-366;BYMONTHDAY=1", "RRULE:FREQ=DAILY;BYSETPOS=1;BYHOUR=9,10",
    "RRULE:BYSETPOS=2;BYMONTH=3;FREQ=YEARLY",
    "RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30;BYSECOND=15;COUNT=5;INTERVAL=3", "RRULE:FREQ=YEARLY;BYDAY=10MO",
)  # fmt: skip
GOOD = (*_WHOLE, "RRULE:FREQ=YEARLY;BYYEARDAY=" + ",".join(map(str, range(1, 367))))
_FRAMES = (
    "", "RRULE:", "FREQ=DAILY", "rrule:FREQ=DAILY", "RRULE:freq=daily", "RRULE:FREQ=daily",
    "RRULE:FREQ=DAILY;", "RRULE:;FREQ=DAILY", "RRULE:FREQ=DAILY;;COUNT=1", " RRULE:FREQ=DAILY",
    "RRULE:FREQ=DAILY ", "RRULE: FREQ=DAILY", "RRULE:FREQ=DAILY\n", "RRULE:FREQ=DAILY\r\n",
    "RRULE:FREQ=DAILY\nRRULE:FREQ=DAILY", "DTSTART:20260101T000000\nRRULE:FREQ=DAILY",
    "RRULE:FREQ=DAILY,WEEKLY", "RRULE:FREQ", "RRULE:FREQ=", "RRULE:=DAILY", "RRULE:FREQ=DAILY;COUNT",
    "RRULE:FREQ=DAILY=DAILY", "RRULE:FREQ=DAILY;FREQ=DAILY", "RRULE:FREQ=DAILY;COUNT=1;COUNT=1",
    "RRULE:INTERVAL=1", "RRULE:COUNT=3", "RRULE:FREQ=HOURLY", "RRULE:FREQ=MINUTELY", "RRULE:FREQ=SECONDLY",
    "RRULE:RRULE:FREQ=DAILY", "EXRULE:FREQ=DAILY", "RRULE:FREQ=DAILY;BYWEEKNO=1",
    "RRULE:FREQ=YEARLY;BYWEEKNO=20", "RRULE:FREQ=YEARLY;BYEASTER=0", "RRULE:FREQ=DAILY;X-A=1",
    "RRULE:FREQ=DAILY;RSCALE=GREGORIAN", "RRULE:FREQ=DAILY;TZID=UTC", "RRULE;TZID=UTC:FREQ=DAILY",
    "RRULE:FREQ=DAILY:COUNT=1", "RRULE:FREQ=DAİLY",
)  # fmt: skip
_PARTS = (
    "INTERVAL=0", "INTERVAL=10000", "INTERVAL=01", "INTERVAL=-1", "INTERVAL=+1", "INTERVAL=1.0",
    "INTERVAL=", "INTERVAL=1,2", "COUNT=0", "COUNT=100001", "COUNT=-1", "COUNT=010", "COUNT=1e3",
    "COUNT=1;UNTIL=20261231T235959", "COUNT=٣", "COUNT=99999999999999999999", "UNTIL=20261231",
    "UNTIL=20261231T235959Z", "UNTIL=2026-12-31T23:59:59", "UNTIL=20260230T000000", "UNTIL=20261231T240000",
    "UNTIL=19691231T235959", "UNTIL=99990101T000000", "UNTIL=20261231T235960", "UNTIL=20261331T000000",
    "UNTIL=20261231t235959", "UNTIL=", "WKST=MON", "WKST=mo", "WKST=1MO", "WKST=MO,TU", "WKST=",
    "BYMONTH=0", "BYMONTH=13", "BYMONTH=-1", "BYMONTH=01", "BYMONTH=JAN", "BYMONTH=1,", "BYMONTHDAY=0",
    "BYMONTHDAY=32", "BYMONTHDAY=-32", "BYMONTHDAY=+1", "BYMONTHDAY=1,,2", "BYMONTHDAY=-0",
    "BYMONTHDAY=--1", "BYMONTHDAY=01", "BYYEARDAY=1", "BYDAY=1MO", "BYDAY=-1FR", "BYDAY=MO,2TU",
    "BYDAY=0MO", "BYDAY=+1MO", "BYDAY=54MO", "BYDAY=-54MO", "BYDAY=01MO", "BYDAY=MON", "BYDAY=mo", "BYDAY=",
    "BYDAY=MO,", "BYDAY=M", "BYDAY=1", "BYDAY=-MO", "BYDAY=MO TU", "BYHOUR=24", "BYHOUR=-1", "BYHOUR=09",
    "BYHOUR=00", "BYMINUTE=60", "BYMINUTE=", "BYSECOND=60", "BYSECOND=1.5", "BYSETPOS=1",
    "BYSETPOS=0;BYHOUR=1", "BYSETPOS=367;BYHOUR=1", "BYSETPOS=-367;BYHOUR=1", "BYSETPOS=+1;BYHOUR=1",
    "BYHOUR=1,2,3,24", "BYMINUTE=-0",
)  # fmt: skip
_UNDER = (
    "RRULE:FREQ=WEEKLY;BYMONTHDAY=1", "RRULE:FREQ=MONTHLY;BYYEARDAY=1", "RRULE:FREQ=WEEKLY;BYYEARDAY=1",
    "RRULE:FREQ=WEEKLY;BYDAY=1MO", "RRULE:BYMONTHDAY=1;FREQ=WEEKLY", "RRULE:BYDAY=2SU;FREQ=DAILY",
    "RRULE:FREQ=YEARLY;BYYEARDAY=367", "RRULE:FREQ=YEARLY;BYYEARDAY=0", "RRULE:FREQ=MONTHLY;BYDAY=54MO",
    "RRULE:FREQ=MONTHLY;BYDAY=0MO", "RRULE:FREQ=YEARLY;BYDAY=+1MO", "RRULE:FREQ=YEARLY;BYDAY=-0MO",
    "RRULE:FREQ=YEARLY;BYDAY=1mo", "RRULE:FREQ=MONTHLY;BYDAY=1 MO", "RRULE:FREQ=MONTHLY;BYDAY=001MO",
    "RRULE:FREQ=WEEKLY;BYSETPOS=1",
)  # fmt: skip
BAD = (*_FRAMES, *(f"RRULE:FREQ=DAILY;{part}" for part in _PARTS), *_UNDER)
LONG_GOOD = ("RRULE:FREQ=DAILY;BYHOUR=" + "1," * 2035 + "1",)
LONG_BAD = ("RRULE:FREQ=DAILY;BYHOUR=" + "1," * 2036 + "1", "RRULE:FREQ=DAILY;BYHOUR=" + "1," * 2036 + "23")

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def at_random(rng: random.Random) -> str:
    """A rule out of parts in any order; most are taken, some are not."""
    frequency = rng.choice(("YEARLY", "MONTHLY", "WEEKLY", "DAILY"))
    parts = [f"FREQ={frequency}"]
    choices = {
        "INTERVAL": lambda: str(rng.randint(1, 9999)),
        "COUNT": lambda: str(rng.choice((1, 100_000, rng.randint(1, 100_000)))),
        "UNTIL": lambda: f"{rng.randint(1970, 9998)}{rng.randint(1, 12):02}28T{rng.randrange(24):02}0059",
        "WKST": lambda: rng.choice(_DAYS),
        "BYMONTH": lambda: _numbers(rng, 12),
        "BYMONTHDAY": lambda: _numbers(rng, 31, signed=True),
        "BYYEARDAY": lambda: _numbers(rng, 366, signed=True),
        "BYDAY": lambda: _days(rng, numbered=frequency in ("YEARLY", "MONTHLY")),
        "BYHOUR": lambda: _numbers(rng, 23, least=0),
        "BYMINUTE": lambda: _numbers(rng, 59, least=0),
        "BYSECOND": lambda: _numbers(rng, 59, least=0),
        "BYSETPOS": lambda: _numbers(rng, 366, signed=True),
    }
    names = rng.sample(sorted(choices), rng.randint(0, 4))
    parts += [f"{name}={choices[name]()}" for name in names]
    rng.shuffle(parts)
    return "RRULE:" + ";".join(parts)


def _numbers(rng: random.Random, most: int, *, least: int = 1, signed: bool = False) -> str:
    found = []
    for _ in range(rng.randint(1, 3)):
        number = rng.choice((least, most, rng.randint(least, most)))
        found.append(str(-number if signed and rng.random() < 0.3 else number))
    return ",".join(found)


def _days(rng: random.Random, *, numbered: bool) -> str:
    number = rng.choice(("", "1", "-1", "5", "53", "-53")) if numbered or rng.random() < 0.05 else ""
    return ",".join(number + day for day in rng.sample(_DAYS, rng.randint(1, 3)))
