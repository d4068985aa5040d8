"""Cron texts: each form of the grammar, right and wrong, and texts at random out of its pieces."""

from __future__ import annotations

import random

_NAMED = (
    "0 0 * JAN *", "0 0 * jan-mar *", "0 0 * DEC-FEB *", "0 0 * Jan/3 *", "0 0 * JAN-DEC/2 *",
    "0 0 * 1-MAR *", "0 0 * * SUN", "0 0 * * mon-fri", "0 0 * * FRI-MON", "0 0 * * Mon,wed,FRI",
    "0 0 * * MON/2", "0 0 * * SUN-SAT", "0 0 * * SUN-7", "0 0 * * MON-7", "0 0 * * 1-FRI",
    "0 0 * * SAT-SUN", "0 0 * * MON-FRI/2",
)  # fmt: skip
_SUNDAYS = (
    "0 0 * * 7", "0 0 * * 0", "0 0 * * 0-7", "0 0 * * 5-7", "0 0 * * 7-7", "0 0 * * 7-3", "0 0 * * 7-3/2",
    "0 0 * * 7/2", "0 0 * * 7-0", "0 0 * * 5-7/2", "0 0 * * 0-7/3", "0 0 * * 7-6/2", "0 0 * * 6-0",
    "0 0 * * 07", "0 0 * * 7-7/2", "0 0 * * SUN-7/2", "0 0 * * 1-7/9", "0 0 * * 7,0", "0 0 * * 0-0",
    "0 0 * * 007",
)  # fmt: skip
_DAYS = (
    "0 0 L * *", "0 0 L * ?", "0 0 1W * *", "0 0 15W * ?", "0 0 28W * *", "0 0 001W * *", "0 0 L,1 * *",
    "0 0 1,15W,L * *", "0 0 * * 5#3", "0 0 * * FRI#5", "0 0 ? * MON#1", "0 0 * * 7#2", "0 0 * * 0#1,3L",
    "0 0 * * 5L", "0 0 * * FRIL", "0 0 ? * 7L", "0 0 * * 1,5L", "0 0 * * 05#003", "0 0 ? * ?", "0 0 ? * *",
    "0 0 * * ?", "0 0 ? * 1", "0 0 1 * ?", "0 0 L 2 *", "0 0 29 2 *", "0 0 30 2,4 *", "0 0 31 1-12 *",
    "0 0 31 2 1", "0 0 30 2 MON", "0 0 1-7 * 1", "0 0 */2 * 1",
)  # fmt: skip
_STEPS = (
    "*/5 * * * *", "*/7 * * * *", "*/61 * * * *", "*/999 * * * *", "5/15 * * * *", "0/1 0/1 1/1 1/1 0/1",
    "59/5 * * * *", "10-40/10 * * * *", "10-10/3 * * * *", "0-59/59 * * * *", "* */25 * * *",
    "* 23/2 * * *", "0 0 31/2 * *", "0 0 * 12/5 *", "0 0 * */5 *", "0 0 * * */3", "0 0 * * 6/3",
    "*/05 * * * *", "*/005 * * * *", "0-59/1,3 * * * *",
)  # fmt: skip
_RANGES = (
    "22-2 * * * *", "* 22-2 * * *", "0 0 28-3 * *", "0 0 * 11-2 *", "5-5 * * * *",
    "0-59 0-23 1-31 1-12 0-6", "0,0,0 * * * *", "1,2-4,*/20 * * * *", "*,5 * * * *", "00 09 01 01 00",
    "007 * * * *", "0 009 * * *",
)  # fmt: skip
_SPACE = (
    "  0 9 * * *  ", "\t0\t9\t*\t*\t*\t", "\r\n0 9 * * *\r\n", "0   9 \t * * *", " \n 0 9 * * * \r ",
    "0 9 * * mon ", "\n\n0 9 * * 1\n\n", "0 9 1 jan sun", "0 9 * * *\r",
)  # fmt: skip
_ALIASES = (
    "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@HOURLY", "@Daily",
    " @daily\n", "\t@Weekly \r\n",
)  # fmt: skip
GOOD = (*_NAMED, *_SUNDAYS, *_DAYS, *_STEPS, *_RANGES, *_SPACE, *_ALIASES)

_SHAPES = (
    "", " ", "*", "* * * *", "* * * * * *", "* * * * * * *", "0 9 * *\n* *", "0 9 *\r* *", "0 9 * * * #x",
    "0,9,*,*,*", "@reboot", "@every 5m", "@", "@dail", "@daily x", "x@daily", "@daily @daily",
    "0 9 * * @daily", "TZ=UTC 0 9 * * *", "CRON_TZ=Europe/Paris 0 9 * * *", "0 9 * * * Europe/Paris",
    "0\u00a09 * * *", "\u00a00 9 * * *", "0 9 * * *\u00a0", "0 9\v* * *", "\f0 9 * * *", "0 9 * * *\v",
    "0 9 * * *\x00", "\ufeff0 9 * * *", "0 9 * * *\u2028", "٠ 9 * * *", "０ 9 * * *", "0 9 * * é",
    "0 9 * * ſUN", "0 9 * * MOND", "0 9 * JANUARY *",
)  # fmt: skip
_ITEMS = (
    "60 * * * *", "-1 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *",
    "* * * * 8", "0000 * * * *", "0007 * * * *", "1.5 * * * *", "+1 * * * *", "1e1 * * * *", "0x1 * * * *",
    "a * * * *", "JAN * * * *", "* MON * * *", "* * MON * *", "* * * MON *", "* * * * JAN", "* * * FOO *",
    "* * * * FOO", "* * * JA *", "** * * * *", "*/0 * * * *", "*/00 * * * *", "*/1000 * * * *",
    "*/ * * * *", "*/x * * * *", "*/-1 * * * *", "*/*/2 * * * *", "/5 * * * *", "5/ * * * *",
    "5/5/5 * * * *", "5- * * * *", "-5 * * * *", "5--6 * * * *", "5-6-7 * * * *", "1-*/2 * * * *",
    "*-5 * * * *", "50-10/5 * * * *", "* 22-2/1 * * *", "0 0 * * FRI-MON/2", "0 0 * * FRI-SUN/2",
    "0 0 * DEC-FEB/1 *", "0 0 * * 5-0/2", ", * * * *", "1, * * * *", ",1 * * * *", "1,,2 * * * *",
    "1;2 * * * *", "1 2,3, * * *", "* * * * MON-", "5-60 * * * *", "* * * * 1-8", "* * * * 8-1",
    "* * * * 7-8", "0 0 1--3 * *", "10-1000 * * * *", "1000-10 * * * *",
)  # fmt: skip
_FOREIGN = (
    "H * * * *", "H/15 * * * *", "H(0-29) * * * *", "R * * * *", "0~30 * * * *", "~ * * * *", "* * L-3 * *",
    "* * LW * *", "* * WL * *", "* * W * *", "* * 0W * *", "* * 29W * *", "* * 31W * *", "* * 1W/2 * *",
    "* * L/2 * *", "* * 1-3W * *", "* * W1 * *", "* * 0001W * *", "* * * * L", "* * * * #1", "* * * * 5#",
    "* * * * 5#0", "* * * * 5#6", "* * * * 5#6,5#1", "* * * * 5#L", "* * * * 5#1/2", "* * * * 1-5L",
    "* * * * 8L",
    "* * * * 8#1", "* * * * *L", "* * * * 5#0001", "* * * * MON#1#2", "? * * * *", "* ? * * *", "* * * ? *",
    "* * ?,1 * *", "* * ?/2 * *", "* * ?-5 * *", "* * * * ?,1", "* * * * ?L", "* * ?? * *", "* * * L *",
    "L * * * *", "* * L * 1", "* * L * */2", "* * 15W * MON", "* * 1 * 5#1", "* * */2 * 5L",
    "* * 1-31 * 5L", "* * L * *,1", "* * L,* * 1", "* * L * 0-6", "* * L * 5L", "* * 15W * 5#3",
)  # fmt: skip
_NO_DATE = (
    *("0 0 31 2 *", "0 0 30 2 *", "0 0 30-31 2 ?", "0 0 31 4,6,9,11 *", "0 0 31 APR *", "0 0 30,31 2 *"),
    *("0 0 31 2 */1", "0 0 31/5 2 *", "0 0 31 11 ?"),
)
BAD = (*_SHAPES, *_ITEMS, *_FOREIGN, *_NO_DATE)
# With `seconds` there are six fields and no alias.
GOOD_SECONDS = (
    "* * * * * *", "0 0 9 * * *", "*/10 * * * * *", "59 59 23 31 12 7", "0/7 * * * * FRI", "22-2 * * * * *",
    "  5  0 9 * * mon ", "0 0 0 L * ?", "0 0 0 ? * 5#2", "000 0 0 1W * *", "0,30 * * * JAN-MAR sun-7",
)  # fmt: skip
BAD_SECONDS = (
    "* * * * *", "0 9 * * *", "* * * * * * *", "@daily", "@hourly", "60 * * * * *", "? * * * * *",
    "L 0 0 * * *", "JAN 0 0 * * *", "*/0 0 0 * * *", "0 0 0 31 2 *", "", "H 0 0 * * *",
    "TZ=UTC 0 0 0 * * *",
)  # fmt: skip
# 256 characters are taken, counted once the blanks are folded.
_FULL = "00" + ",0" * 123 + " * * * *"
LONG_GOOD = (_FULL, "00" + ",0" * 123 + " " * 300 + "* * * *" + "\n" * 100, _FULL[1:], "\t" * 257 + _FULL)
LONG_BAD = (f"0{_FULL}", "0" + ",00" * 200 + " * * * *", "x" * 300, "* " * 200, f"{_FULL}x", f"{_FULL}\u00a0")

_FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_MONTHS = ("JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT")


def at_random(rng: random.Random, *, seconds: bool = False) -> str:
    """A text out of pieces of the grammar; most are taken, some are not."""
    fields = [_field(place, rng) for place in range(5)]
    if rng.random() < 0.6:
        # Special items want the other day field open.
        fields[rng.choice((2, 4))] = rng.choice(("*", "*", "?"))
    if seconds:
        fields.insert(0, _field(0, rng))
    text = rng.choice((" ", " ", " ", "  ", "\t")).join(fields)
    return rng.choice(("", "", "", " ", "\n")) + text + rng.choice(("", "", "", " ", "\r\n"))


def _field(place: int, rng: random.Random) -> str:
    if rng.random() < 0.35:
        return "*"
    return ",".join(_item(place, rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def _item(place: int, rng: random.Random) -> str:
    if place == 2 and rng.random() < 0.15:
        return rng.choice(("L", f"{rng.randint(1, 28)}W", "?"))
    if place == 4 and rng.random() < 0.25:
        return _number(place, rng) + rng.choice(("L", f"#{rng.randint(1, 5)}"))
    step = rng.choice(("", "", f"/{rng.randint(1, 70)}"))
    turn = rng.randrange(4)
    if turn == 0:
        return f"*{step}"
    if turn == 1:
        return f"{_number(place, rng)}{step}"
    return f"{_number(place, rng)}-{_number(place, rng)}{step if turn == 2 else ''}"


def _number(place: int, rng: random.Random) -> str:
    low, high = _FIELDS[place]
    if place == 3 and rng.random() < 0.3:
        return rng.choice(_MONTHS)
    if place == 4 and rng.random() < 0.3:
        return rng.choice(_WEEKDAYS)
    number = rng.randint(low, high) if rng.random() < 0.99 else rng.choice((high + 1, 100, 999))
    return rng.choice((str(number), str(number), f"{number:02}", f"{number:03}"))


def with_seconds(rng: random.Random) -> str:
    return at_random(rng, seconds=True)
