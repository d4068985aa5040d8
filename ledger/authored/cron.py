"""The project's own grammar of cron text, dialect 1. It reads, folds and refuses; it never walks.

A text that is taken means the same slots for ever (I20), so nothing here is left to a library: every
form is written down below, and what is not written down is refused at its place in the text. The
reading costs bounded time whatever the text: its length is checked before anything else looks at it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ledger.authored.cron_days import DayRule
from ledger.authored.cron_fields import (
    FIVE_FIELDS,
    SECOND,
    CronRefused,
    read_field,
)

__all__ = ["ALIASES", "LONGEST", "CronRefused", "CronText", "read_cron"]

LONGEST = 256
_WORD = re.compile(r"[^ \t]+")
_TOO_LONG = f"the cron text is longer than {LONGEST} characters"
ALIASES = {
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
    "@MONTHLY": "0 0 1 * *",
    "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@HOURLY": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class CronText:
    """A cron text as read. `text` is what is stored; the sets hold what it says, weekdays from Sunday, 0.

    `real_time` marks the jobs that follow real time whatever `dst` says: the minute or hour field
    starts with `*`, or there are seconds. `normal` is the same text for croniter, in plain items that
    no release of it ever read otherwise; the items that only this grammar reads are left out there.
    `uneven` lists the items whose step does not tile its field, for a warning.
    """

    text: str
    normal: str
    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    days: DayRule
    real_time: bool
    has_seconds: bool
    uneven: tuple[str, ...]


def read_cron(text: str, *, seconds: bool = False) -> CronText:
    """Read a cron text of dialect 1; with `seconds`, six fields, seconds first, and no alias.

    Raises CronRefused with the place in the text for whatever the dialect does not take, and for a
    text that no date of 2000 to 2199 fits.
    """
    written = _spaced(text)
    folded = written.upper()
    try:
        if folded.startswith("@"):
            return _read_alias(folded, written, seconds)
        return _read_fields(folded, folded, seconds)
    except CronRefused as refused:
        # Places are the same in ASCII; whoever wrote small letters is shown small letters.
        raise CronRefused(refused.message, refused.position, written) from None


def _spaced(text: str) -> str:
    """Blanks dropped at the ends and made one within; the length is that of the result."""
    spaced = text.strip(" \t\r\n")
    if len(spaced) - spaced.count(" ") - spaced.count("\t") > LONGEST:
        raise CronRefused(_TOO_LONG, LONGEST, spaced[: LONGEST + 1])
    if not spaced.isascii():
        place = next(i for i, sign in enumerate(spaced) if not sign.isascii())
        raise CronRefused(f"{spaced[place]!a} is not ASCII; write a cron text in ASCII", place, spaced)
    spaced = " ".join(_WORD.findall(spaced))
    if len(spaced) > LONGEST:
        raise CronRefused(_TOO_LONG, LONGEST, spaced)
    if not spaced:
        raise CronRefused("the cron text is empty; write five fields, such as '0 9 * * MON'", 0, spaced)
    for place, sign in enumerate(spaced):
        if sign < " " or sign == "\x7f":
            raise CronRefused(f"{sign!a} cannot stand in a cron text; use spaces", place, spaced)
    return spaced


def _read_alias(folded: str, written: str, seconds: bool) -> CronText:
    if seconds:
        raise CronRefused(f"{written} is an alias; with seconds write six fields", 0, folded)
    if folded == "@REBOOT":
        raise CronRefused("@REBOOT is not taken: a slot is a time, not an event", 0, folded)
    if folded not in ALIASES:
        raise CronRefused(f"{written!r} is no alias; there are {', '.join(ALIASES)}", 0, folded)
    return _read_fields(folded, ALIASES[folded], seconds=False)


def _read_fields(folded: str, fields_text: str, seconds: bool) -> CronText:
    """Read the fields of `fields_text`; `folded` is the text to store, an alias perhaps."""
    words = fields_text.split(" ")
    _check_shape(words, seconds, folded)
    places = [0]
    for word in words:
        places.append(places[-1] + len(word) + 1)
    kinds = (SECOND, *FIVE_FIELDS) if seconds else FIVE_FIELDS
    read = [
        read_field(kind, word, place, folded) for kind, word, place in zip(kinds, words, places, strict=False)
    ]
    minute, hour, day, month, weekday = read[-5:]
    for field, other, at in ((day, words[-1], places[-4]), (weekday, words[-3], places[-2])):
        if field.special() and other not in ("*", "?"):
            raise CronRefused("L, W and # are taken only where the other day field is just '*'", at, folded)
    rule = DayRule(
        days=day.members,
        weekdays=weekday.members,
        both=words[-3][0] in "*?" or words[-1][0] in "*?",
        last_day=day.last_day,
        nearest=day.nearest,
        nth=weekday.nth,
        last=weekday.last,
    )
    if not rule.fits(month.members):
        raise CronRefused(
            "no date of the years 2000 to 2199 fits the day and month fields", places[-4], folded
        )
    return CronText(
        text=folded,
        normal=" ".join(field.normal for field in (*read[-5:], *read[:-5])),
        seconds=tuple(sorted(read[0].members)) if seconds else (0,),
        minutes=tuple(sorted(minute.members)),
        hours=tuple(sorted(hour.members)),
        months=tuple(sorted(month.members)),
        days=rule,
        real_time=seconds or words[-5][0] == "*" or words[-4][0] == "*",
        has_seconds=seconds,
        uneven=tuple(item for field in read for item in field.uneven),
    )


def _check_shape(words: list[str], seconds: bool, folded: str) -> None:
    """Refuse what is not as many fields as it should be, saying what it looks like."""
    first, _, _ = words[0].partition("=")
    if first in ("TZ", "CRON_TZ"):
        raise CronRefused(
            f"{first}= is not taken within the text; the schedule's timezone says it", 0, folded
        )
    expected = 6 if seconds else 5
    if len(words) == expected:
        return
    place = len(" ".join(words[:expected])) + 1 if len(words) > expected else len(folded)
    if len(words) == 7:
        raise CronRefused("seven fields (a year) are not taken; use starts_at and ends_at", place, folded)
    if len(words) == 6:
        raise CronRefused("six fields are taken only with seconds: true (seconds first)", place, folded)
    what = "six fields (seconds first)" if seconds else "five fields (minute hour day month weekday)"
    raise CronRefused(f"a cron text has {what}; this one has {len(words)}", place, folded)
