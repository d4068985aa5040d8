"""The eight facts of an occurrence: their forms, what is folded, and what is refused.

Whoever knows the eight facts derives the same key, so every fact has exactly one canonical spelling
and nothing is guessed (I1, I19). A text either fits its form, is folded by a rule of the table
(capitals of a token, the notation of a timestamp), or is refused with a code and the fact's name.
Nothing is trimmed, no locale and no Unicode table is asked: all forms are ASCII.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, NoReturn

from ledger.errors import FactRefused

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# What the authored object means where it says nothing of these three facts.
DEFAULT_AGENT = "default"
DEFAULT_DELIVERY = "python"
DEFAULT_DESTINATION = "local:default"

IDENTIFIER_MOST = 200
# Characters of a refused text that a message repeats.
SHOWN_MOST = 80
_IDENTIFIER = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,200}")
_FOREIGN = re.compile(r"[^\x21\x23-\x5b\x5d-\x7e]")
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,63}")
_DIGEST = re.compile(r"[0-9A-Fa-f]{64}")
_RETRY_NUMBER = re.compile(r"[1-9][0-9]{0,8}")

# Hours stop at 23 here already: later releases of Python read 24:00 as the next midnight.
_CANONICAL_DUE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z"
)
_DUE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:([Zz])|([+-])([0-9]{2})(?::?([0-9]{2}))?)?"
)


class Facts(NamedTuple):
    """The eight facts in their canonical form, in the order of the preimage (I1).

    Made by `read_facts`, or by code that already holds canonical parts; it checks nothing itself.
    """

    tenant: str
    delivery: str
    wake: str
    agent: str
    destination: str
    task: str
    digest: str
    due: str


NAMES = ("tenant", "delivery", "wake", "agent", "destination", "task", "digest", "due")
_KNOWN = frozenset(NAMES)


def shown(value: object) -> str:
    """A value as a message quotes it: one line, cut, in the words of JSON."""
    if isinstance(value, str):
        return repr(value) if len(value) <= SHOWN_MOST else f"{value[:SHOWN_MOST]!r}…"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**20):
        return repr(value)
    return "a huge number" if isinstance(value, int) else f"a {type(value).__name__}"


def read_facts(raw: object) -> Facts:
    """Read the eight facts of an occurrence, folding what the table folds (I19).

    The first failing check answers, in this order: not an object, missing, unknown, not a string,
    then the forms, fact by fact. Raises FactRefused with that code and the fact's name.
    """
    if not isinstance(raw, dict):
        raise FactRefused("not_an_object", "facts", f"an object of {', '.join(NAMES)}, not {shown(raw)}")
    for name in NAMES:
        if name not in raw:
            raise FactRefused("missing", name, f"is missing; the eight facts are {', '.join(NAMES)}")
    if len(raw) > len(NAMES):
        unknown = min(str(name) for name in raw if name not in _KNOWN)
        raise FactRefused("unknown", unknown, f"is none of the eight facts {', '.join(NAMES)}")
    for name in NAMES:
        if not isinstance(raw[name], str):
            _not_a_string(raw[name], name)
    return Facts(
        read_identifier(raw["tenant"], "tenant"),
        read_token(raw["delivery"], "delivery"),
        read_wake(raw["wake"], "wake"),
        read_identifier(raw["agent"], "agent"),
        read_destination(raw["destination"], "destination"),
        read_identifier(raw["task"], "task"),
        read_digest(raw["digest"], "digest"),
        instant_text(read_instant(raw["due"], "due")),
    )


def read_identifier(value: object, fact: str) -> str:
    """An identifier, kept as it is: 1 to 200 of 0x21 to 0x7E but `"` and `\\`.

    Raises FactRefused: not_a_string, empty, too_long, bad_character.
    """
    if not isinstance(value, str):
        _not_a_string(value, fact)
    if _IDENTIFIER.fullmatch(value):
        return value
    if not value:
        raise FactRefused("empty", fact, "is empty; an identifier has 1 to 200 characters")
    if len(value) > IDENTIFIER_MOST:
        raise FactRefused("too_long", fact, f"has {len(value)} characters; an identifier has at most 200")
    foreign = _FOREIGN.search(value)
    where = foreign.start() if foreign else 0
    raise FactRefused(
        "bad_character",
        fact,
        f"{shown(value)} has {shown(value[where])} as character {where + 1}; an identifier is printable "
        'ASCII without spaces, " and \\',
    )


def read_token(value: object, fact: str) -> str:
    """A token, its capitals made small: a letter, then up to 63 of `a-z 0-9 _ . + -`.

    Raises FactRefused: not_a_string, empty, bad_token.
    """
    if not isinstance(value, str):
        _not_a_string(value, fact)
    if _TOKEN.fullmatch(value):
        return value.lower()
    if not value:
        raise FactRefused("empty", fact, "has an empty token; write a letter, then letters or digits")
    raise FactRefused(
        "bad_token",
        fact,
        f"{shown(value)} is no token: a letter, then up to 63 of a-z 0-9 _ . + - and nothing else",
    )


def read_wake(value: object, fact: str) -> str:
    """What wakes an occurrence: `token` or `token:qualifier`; `retry` needs its number.

    Raises FactRefused: not_a_string; the token's codes; the qualifier's; bad_retry.
    """
    if not isinstance(value, str):
        _not_a_string(value, fact)
    head, colon, qualifier = value.partition(":")
    what = read_token(head, fact)
    if colon:
        read_identifier(qualifier, fact)
    if what == "retry" and not _RETRY_NUMBER.fullmatch(qualifier):
        raise FactRefused(
            "bad_retry",
            fact,
            f"{shown(value)} has no number; write retry:1 to retry:999999999, no leading zero",
        )
    return f"{what}{colon}{qualifier}"


def read_destination(value: object, fact: str) -> str:
    """Where it runs, `token:identifier`; only the token is folded.

    Raises FactRefused: not_a_string, bad_destination without a colon, then the codes of both parts.
    """
    if not isinstance(value, str):
        _not_a_string(value, fact)
    head, colon, rest = value.partition(":")
    if not colon:
        raise FactRefused(
            "bad_destination", fact, f"{shown(value)} has no colon; write kind:identifier, such as team:11"
        )
    return f"{read_token(head, fact)}:{read_identifier(rest, fact)}"


def read_digest(value: object, fact: str) -> str:
    """64 hex digits, made small. Raises FactRefused: not_a_string, bad_digest."""
    if not isinstance(value, str):
        _not_a_string(value, fact)
    if _DIGEST.fullmatch(value):
        return value.lower()
    raise FactRefused("bad_digest", fact, f"{shown(value)} is no digest; it has 64 hex digits")


def read_instant(text: object, fact: str = "due", earliest: datetime = EPOCH) -> datetime:
    """Read a timestamp with its offset; answers the instant in UTC. Nothing is ever rounded.

    Raises FactRefused: not_a_string, bad_timestamp, no_offset, too_precise, bad_timestamp (a field
    out of its range, a day that does not exist), out_of_range (before `earliest`, after year 9999).
    """
    if not isinstance(text, str):
        _not_a_string(text, fact)
    if _CANONICAL_DUE.fullmatch(text):
        try:
            instant = datetime.fromisoformat(text)
        except ValueError as error:
            raise FactRefused("bad_timestamp", fact, f"{shown(text)} does not exist: {error}") from error
    else:
        instant = _read_folded_instant(text, fact)
    if instant < earliest:
        _out_of_range(text, fact, earliest)
    return instant


def _read_folded_instant(text: str, fact: str) -> datetime:
    """The accepted but not canonical notations of a timestamp."""
    parts = _DUE.fullmatch(text)
    if not parts:
        raise FactRefused(
            "bad_timestamp",
            fact,
            f"{shown(text)} is no timestamp; write 2026-11-30T09:00:00Z or …T10:00:00+01:00",
        )
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = parts.groups()
    if not zulu and not sign:
        raise FactRefused("no_offset", fact, f"{shown(text)} has no offset; end it with Z or one like +01:00")
    fraction = fraction or ""
    if fraction[6:].strip("0"):
        raise FactRefused("too_precise", fact, f"{shown(text)} is finer than a microsecond; write six digits")
    offset_hours, offset_minutes = int(off_hour or 0), int(off_minute or 0)
    if offset_hours > 23 or offset_minutes > 59:
        raise FactRefused("bad_timestamp", fact, f"{shown(text)} has an offset beyond 23:59")
    try:
        local = datetime(  # noqa: DTZ001 - the zone is the offset, taken off below
            int(year),
            int(month),
            int(day),
            int(hour),
            int(minute),
            int(second),
            int(fraction[:6].ljust(6, "0")),
        )
    except ValueError as error:
        raise FactRefused("bad_timestamp", fact, f"{shown(text)} does not exist: {error}") from error
    offset = timedelta(hours=offset_hours, minutes=offset_minutes)
    try:
        instant = local + offset if sign == "-" else local - offset
    except OverflowError:
        _out_of_range(text, fact, EPOCH)
    return instant.replace(tzinfo=UTC)


def instant_text(instant: datetime) -> str:
    """The canonical text `YYYY-MM-DDTHH:MM:SS.ffffffZ` of an aware instant in UTC (hot path: not checked)."""
    return f"{instant.isoformat(timespec='microseconds')[:26]}Z"


def _not_a_string(value: object, fact: str) -> NoReturn:
    raise FactRefused("not_a_string", fact, f"must be text, not {shown(value)}")


def _out_of_range(text: str, fact: str, earliest: datetime) -> NoReturn:
    raise FactRefused(
        "out_of_range",
        fact,
        f"{shown(text)} lies outside {instant_text(earliest)} to 9999-12-31T23:59:59.999999Z",
    )
