"""Timestamps: every accepted notation, and each way to fail."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SEPARATORS = "TTTt "
_YEARS = (1970, 1971, 1972, 1999, 2000, 2026, 2027, 2038, 2100, 2400, 9998)


class Parts(NamedTuple):
    """A timestamp in pieces, as written."""

    date: str
    separator: str
    time: str
    fraction: str
    offset: str

    def text(self) -> str:
        return "".join(self)


def parts(rng: random.Random) -> Parts:
    """A timestamp of 1971 to 9998 in one of the accepted notations."""
    year = rng.choice(_YEARS) if rng.random() < 0.3 else rng.randint(1971, 9998)
    month = rng.randint(1, 12)
    day = rng.choice((1, _LENGTHS[month - 1], rng.randint(1, 28)))
    time = f"{_of(rng, 24):02}:{_of(rng, 60):02}:{_of(rng, 60):02}"
    year = max(year, 1971)
    return Parts(f"{year:04}-{month:02}-{day:02}", rng.choice(_SEPARATORS), time, fraction(rng), offset(rng))


def offset(rng: random.Random) -> str:
    """Z, z, or an offset of up to 23:59 in one of its three forms."""
    turn = rng.randrange(6)
    if turn < 2:
        return "Zz"[turn]
    sign = rng.choice("+-")
    hour = rng.choice((0, 1, 5, 14, 15, 16, 18, 23, rng.randrange(24)))
    minute = rng.choice((0, 15, 30, 45, 59, rng.randrange(60)))
    return sign + (f"{hour:02}:{minute:02}", f"{hour:02}{minute:02}", f"{hour:02}")[turn % 3]


def fraction(rng: random.Random) -> str:
    """No fraction, or one of up to six digits, with zeros behind the sixth at times."""
    if rng.random() < 0.5:
        return ""
    digits = "".join(rng.choices("0123456789", k=rng.randint(1, 6)))
    return f".{digits.ljust(6, '0') + '0' * rng.randint(1, 6) if rng.random() < 0.2 else digits}"


def valid(rng: random.Random) -> str:
    return parts(rng).text()


def _of(rng: random.Random, end: int) -> int:
    return rng.choice((0, end - 1, rng.randrange(end)))


def _no_form(rng: random.Random) -> str:
    """What is not even written like a timestamp."""
    made = parts(rng)
    text = made.text()
    at = rng.randrange(len(text))
    return rng.choice(
        (
            text[:at] + text[at + 1 :] if text[at] not in "0123456789Zz" else text + "Z!",
            text[: at + 1] + rng.choice("x:- \n\x00é٠") + text[at + 1 :],
            text + "\n",
            " " + text,
            text + " ",
            made._replace(fraction=".").text(),
            made._replace(fraction=",5").text(),
            made._replace(
                offset=rng.choice(("UTC", "+1:00", "+01:0", "+01:00:00", "−01:00", " Z", "+", "-0100Z"))
            ).text(),
            made._replace(time=made.time[:5]).text(),
            made._replace(date=made.date.replace("-", "")).text(),
            made._replace(date="+" + made.date).text(),
            made._replace(separator=rng.choice(("", "  ", "_", "\t", "TT"))).text(),
            "",
        )
    )


def _no_offset(rng: random.Random) -> str:
    made = parts(rng)._replace(offset="")
    if rng.random() < 0.3:
        # Fields out of range, or too fine: the offset is missed first.
        made = made._replace(time="25:61:61", fraction=rng.choice(("", ".1234567")))
    return made.text()


def _too_precise(rng: random.Random) -> str:
    made = parts(rng)
    digits = "".join(rng.choices("0123456789", k=6)) + "0" * rng.randint(0, 4) + rng.choice("123456789")
    if rng.random() < 0.3:
        made = made._replace(date="2026-13-32")
    return made._replace(fraction=f".{digits}").text()


def _no_field(rng: random.Random) -> str:
    """Well written, but a field is out of its range or the day does not exist."""
    made = parts(rng)
    year = made.date[:4]
    return rng.choice(
        (
            made._replace(date=f"{year}-{rng.choice(('00-10', '13-01', '99-01'))}"),
            made._replace(
                date=f"{year}-{rng.choice(('01-00', '01-32', '04-31', '02-30', '11-31', '12-99'))}"
            ),
            made._replace(date=rng.choice(("2023-02-29", "2100-02-29", "1900-02-29", "0000-01-01"))),
            made._replace(time=rng.choice(("24:00:00", "25:00:00", "99:00:00"))),
            made._replace(time=rng.choice(("12:60:00", "23:59:60", "12:00:61", "12:99:00"))),
            made._replace(offset=rng.choice(("+24:00", "-24", "+2360", "+23:60", "-99:99", "+00:60"))),
        )
    ).text()


def _out_of_range(rng: random.Random) -> str:
    made = parts(rng)
    return rng.choice(
        (
            made._replace(date=f"{rng.randint(1, 1968):04}-06-15"),
            Parts("1969-12-31", "T", "23:59:59", ".999999", "Z"),
            Parts("1970-01-01", "T", "00:00:00", "", rng.choice(("+00:01", "+01", "+2359"))),
            Parts("1969-12-31", " ", "00:00:00", "", rng.choice(("-23:59", "-1200", "-00"))),
            Parts("9999-12-31", "T", "23:59:59", "", rng.choice(("-00:01", "-01", "-2359"))),
            Parts("9999-12-31", "t", "00:01:00", ".999999", "-23:59"),
            Parts("0001-01-01", "T", "00:00:00", "", rng.choice(("Z", "+23:59", "-23:59"))),
        )
    ).text()


# Each way to fail, by the code that it is refused with when nothing else is wrong.
FAULTS: dict[str, Callable[[random.Random], str]] = {
    "bad_timestamp (form)": _no_form,
    "no_offset": _no_offset,
    "too_precise": _too_precise,
    "bad_timestamp (field)": _no_field,
    "out_of_range": _out_of_range,
}
