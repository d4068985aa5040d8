"""The door: what callers hand in, read before a transaction begins.

Bad input is refused here, so it costs no connection and stores nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from ledger.authored.fold import Folded, fold
from ledger.authored.friendly import plain_task, read_duration
from ledger.authored.models import Task
from ledger.errors import BadInput, TaskRefused
from ledger.facts import instant_text, read_identifier, read_instant, shown
from ledger.moves.close import Report
from ledger.states import Outcome
from projector.moves.change import Wanted, What
from projector.moves.hint import Wish
from projector.moves.trail import HINT_KINDS, HintKind

TaskLike: TypeAlias = Task | Mapping[str, object]

# Who acts, where the caller does not say.
BY = "api"

# Characters that the name of who acts, or a note, may have at most.
BY_MOST = 200
NOTE_MOST = 10_000
REASON_MOST = 1_000
# Seconds that a hint's interval, or the time until it expires, may have at most: a leap year.
SPAN_MOST_S = 31_622_400
# No series goes on from here, so no hint does either.
SLOTS_CEASE = datetime(2200, 1, 1, tzinfo=UTC)
_SECONDS = re.compile(r"[0-9]{1,9}")
_LIKE_A_SPAN = re.compile(r"[0-9]+ ?[A-Za-z].*")
_OUTCOMES: dict[object, Outcome] = {"succeeded": "succeeded", "failed": "failed"}


def defining(task: str, what: TaskLike, *, enabled: bool = True, allow_duplicate: bool = False) -> Wanted:
    """The wish to define a task. Raises `FactRefused` for its id and `TaskRefused` for what it says."""
    name = read_identifier(task, "task")
    return Wanted(name, "define", read_task(what), enabled, allow_duplicate)


def wanting(task: str, what: What, *, allow_duplicate: bool = False) -> Wanted:
    """The wish to enable, disable or delete a task. Raises `FactRefused` for its id."""
    return Wanted(read_identifier(task, "task"), what, allow_duplicate=allow_duplicate)


def read_task(what: object) -> Folded:
    """Fold a `Task`, or a mapping in the plain or the friendlier form. Raises `TaskRefused`."""
    if isinstance(what, Task):
        return fold(what.raw())
    if isinstance(what, Mapping) and not isinstance(what, dict):
        what = dict(what)
    return fold(plain_task(what))


def read_key(key: object) -> UUID:
    """A key as a UUID, or as its text. Raises `BadInput`."""
    if isinstance(key, UUID):
        return key
    try:
        return UUID(key) if isinstance(key, str) else _no_key(key)
    except ValueError as error:
        raise _key_refused(key) from error


def read_by(by: object) -> str:
    """Who acts: text that an act can keep. Raises `BadInput`."""
    if isinstance(by, str) and 0 < len(by) <= BY_MOST and by.isprintable():
        return by
    raise BadInput(f"by: {shown(by)} does not say who acts; write printable text to {BY_MOST} characters")


def read_note(note: object) -> str:
    """A note that an act can keep. Raises `BadInput`."""
    if isinstance(note, str) and len(note) <= NOTE_MOST and "\0" not in note and _is_unicode(note):
        return note
    raise BadInput(f"note: write Unicode text of at most {NOTE_MOST} characters, without U+0000")


def read_reason(reason: object) -> str | None:
    """Why a person cancels, as a row can keep it. Raises `BadInput`."""
    if reason is None or (isinstance(reason, str) and len(reason) <= REASON_MOST and reason.isprintable()):
        return reason
    raise BadInput(f"reason: write printable text of at most {REASON_MOST} characters")


def read_name(task: object) -> str | None:
    """The id of a task, or None for all of them. Raises `FactRefused`."""
    return None if task is None else read_identifier(task, "task")


def read_until(until: datetime | str | None) -> datetime | None:
    """An instant in UTC: an aware datetime, or text with an offset. Raises `FactRefused`, `BadInput`."""
    return None if until is None else read_moment(until, "until")


def read_moment(moment: object, name: str) -> datetime:
    """An instant in UTC: an aware datetime, or text with an offset. Raises `FactRefused`, `BadInput`."""
    if isinstance(moment, str):
        return read_instant(moment, name)
    if not isinstance(moment, datetime):
        raise BadInput(
            f"{name}: {shown(moment)} is no instant; give an aware datetime, or text with an offset"
        )
    if moment.utcoffset() is None:
        raise BadInput(f"{name}: {moment} has no zone; write it with Z or an offset, or give it a tzinfo")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise BadInput(f"{name}: {moment} lies outside the years 1 to 9999 in UTC") from error


def reading_hint(every: object, at: object, expires: object) -> Wish:
    """A hint as it is asked for: exactly one of `every` (a duration) and `at` (an instant).

    Durations are whole seconds, `15m` or a timedelta; instants aware datetimes or text with an offset;
    `expires` is either, a duration counting from now. Raises `BadInput`.
    """
    if (every is None) == (at is None):
        raise BadInput("a hint: say either every how long, or at which instant")
    if expires is None:
        raise BadInput("expires: say when the hint ends: a duration, such as '4h', or an instant")
    until = _read_span(expires, "expires")
    lasts = read_moment(expires, "expires") if until is None else until
    if at is None:
        return Wish(_span(every, "every"), None, lasts)
    instant = read_moment(at, "at")
    if instant >= SLOTS_CEASE:
        raise BadInput(f"at: {instant_text(instant)} lies past {instant_text(SLOTS_CEASE)}, where series end")
    return Wish(None, instant, lasts)


def read_kind(kind: object) -> HintKind:
    """The kind of a hint. Raises `BadInput`."""
    for known in HINT_KINDS:
        if kind == known:
            return known
    raise BadInput(f"kind: {shown(kind)} is no kind of hint; write {' or '.join(HINT_KINDS)}")


def _span(value: object, name: str) -> timedelta:
    span = _read_span(value, name)
    if span is None:
        raise BadInput(f"{name}: {shown(value)} is no duration; write 900, '15m' or '1h30m'")
    return span


def _read_span(value: object, name: str) -> timedelta | None:
    """A duration, or None for what does not look like one."""
    if isinstance(value, str):
        value = int(value) if _SECONDS.fullmatch(value) else value
        if isinstance(value, str) and not _LIKE_A_SPAN.fullmatch(value):
            return None
    try:
        seconds = read_duration(value, name)
    except TaskRefused as refused:
        raise BadInput(str(refused)) from refused
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != int(seconds):
        return None
    if not 1 <= seconds <= SPAN_MOST_S:
        raise BadInput(f"{name}: {shown(value)} is out of range; write 1 to {SPAN_MOST_S} seconds")
    return timedelta(seconds=int(seconds))


def reading_report(
    outcome: object, result: object = None, error: str | None = None, crumb: str | None = None
) -> Report:
    """What a run reports of itself. `result` is a JSON value; the texts are cut at 64 KiB with a mark.

    Raises `BadInput` for another outcome than `succeeded` and `failed`, or a result that is no JSON value.
    """
    said = _OUTCOMES.get(outcome) if isinstance(outcome, str) else None
    if said is None:
        raise BadInput(f"outcome: {shown(outcome)} is none; write 'succeeded' or 'failed'")
    for name, text in (("error", error), ("crumb", crumb)):
        if text is not None and not isinstance(text, str):
            raise BadInput(f"{name}: must be text, not {shown(text)}")
    try:
        kept = None if result is None else json.dumps(result, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as refused:
        raise BadInput(f"result: is no JSON value: {refused}") from refused
    return Report(said, kept, error, crumb)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _no_key(key: object) -> UUID:
    raise _key_refused(key)


def _key_refused(key: object) -> BadInput:
    return BadInput(f"key: {shown(key)} is no key; write a UUID, as 019ad5d1-2b00-8c3e-9f00-5a6b7c8d9e0f")
