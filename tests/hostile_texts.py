"""Texts that mean to cost much: for tests that count the work, and for the benchmark that measures it."""

from __future__ import annotations

CRON = {
    "a million blanks": " " * 1_000_000,
    "a million blanks within": f"0{' ' * 1_000_000}9 * * *",
    "blanks and signs by turns": " \t*" * 350_000,
    "one long list": "0," * 500_000,
    "a list of whole fields": ",".join(["*/1"] * 61) + " * * * *",
    "nothing but stars": "*" * 256,
    "many numbers": "9" * 1_000_000,
    "many dashes": "0" + "-9" * 127,
    "many slashes": "*" + "/9" * 127,
    "tildes": "~" * 256,
    "many hashes": "0 0 * * " + ",".join(["1#5"] * 61),
    "many near weekdays": "0 0 " + ",".join(["28W"] * 60) + " * ?",
    "ranges that fit no date": "0 0 " + ",".join(["30-31"] * 39) + " 2 *",
    "not ASCII at the end": "0" * 1_000_000 + "é",
    "long and not ASCII": "é" * 1_000_000,
    "many fields": "* " * 128,
}

# Taken, and walked: what the first slot costs.
CRON_TAKEN = {
    "ranges that wrap": ",".join(f"{59 - i}-{57 - i}" for i in range(40)) + " * * * *",
    "whole fields": ",".join(["0-59"] * 49) + " * * * *",
    "near weekdays": "0 0 " + ",".join(["28W"] * 60) + " * ?",
    "one day in 28 years": "0 0 29 2 */7",
}

_SIZES = (("BYHOUR", 24), ("BYMINUTE", 60), ("BYSECOND", 60))
_EVERY_SECOND = ";".join(f"{name}={','.join(map(str, range(most)))}" for name, most in _SIZES)
_POSITIONS = ",".join(f"{n},-{n}" for n in range(1, 367))
_NUMBERED = ",".join(
    f"{sign}{n}{day}" for n in range(1, 54) for sign in ("", "-") for day in ("MO", "TU", "WE", "TH")
)

RRULE = {
    "never a day": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "never in phase": "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
    "far apart": "FREQ=MONTHLY;INTERVAL=9999;BYDAY=1MO",
    "years apart": "FREQ=YEARLY;INTERVAL=9999",
    "no such position": "FREQ=DAILY;BYHOUR=1;BYSETPOS=366",
    "a long count": "FREQ=DAILY;COUNT=100000",
    "a count of seconds": f"FREQ=DAILY;COUNT=100000;{_EVERY_SECOND}",
    "every second of a year": f"FREQ=YEARLY;BYMONTH=1,7;BYSETPOS={_POSITIONS};COUNT=100000;{_EVERY_SECOND}",
    "every weekday's number": f"FREQ=YEARLY;BYDAY={_NUMBERED}",
    "numbers no month has": f"FREQ=YEARLY;BYMONTH=1,2,12;BYDAY={_NUMBERED}",
    "repeats": f"FREQ=YEARLY;BYMONTHDAY={','.join(['31'] * 1300)}",
}
