"""What became of each slot of a minute, from the rows and acts that were read: a pure judgement.

The series rows tile time: each covers (`after`, `due`], and keeps what it passed over (I10). So a slot has
its answer in the row that is due then; or in the row that covers it; or, where no row covers it, in the act
that ended the version whose slot it was. What has none of these, though the version in force holds it, is a
violation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.authored.models import Definition
from ledger.facts import instant_text, read_instant
from ledger.moves.adopt import NEVER, SERIES
from ledger.statements.why import Hold, MinuteRow, ReignRow
from projector.moves.governor import at_end
from projector.moves.told import of_row
from projector.moves.trail import MICROSECOND
from projector.slots import schedule_of
from projector.slots.schedule import microseconds

Word: TypeAlias = Literal[
    "no slot",
    "not defined",
    "off",
    "ran",
    "skipped",
    "cancelled",
    "passed",
    "paused",
    "retired",
    "not yet",
    "waiting",
    "held",
    "set aside",
    "not kept",
    "violation",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one slot, or why there is none.

    `at` is the slot; of a minute without one, the minute. `reason` is a word that programs compare: why it
    was skipped or passed over, or the kind of act that ended its version; `act` is the number of that act.
    `key` names the row that says so: the run, the row that passed it over, the open row that comes first.
    """

    at: datetime
    word: Word
    says: str
    reason: str | None = None
    key: UUID | None = None
    blocker: UUID | None = None
    wake: str | None = None
    state: str | None = None
    act: int | None = None


@dataclass(frozen=True, slots=True)
class Minute:
    """A minute of a task, [`start`, `until`), and all that is known of it at `moment`.

    `reigns` are the acts from the one in force at `start` on; the last is the newest. `zones` is the release
    of the zone rules in force; before `kept_from` history has been dropped.
    """

    start: datetime
    until: datetime
    moment: datetime
    reigns: Sequence[ReignRow]
    rows: Sequence[MinuteRow]
    definitions: Mapping[bytes, Definition]
    hold: Hold | None
    zones: str
    kept_from: datetime | None = None


def tell(minute: Minute) -> list[Answer]:
    """The answers of a minute, in the order of time; at least one."""
    told = [_row(minute, row) for row in minute.rows if minute.start <= row.due < minute.until]
    taken = {row.due for row in minute.rows if row.lane == SERIES}
    for slot in _slots(minute):
        if slot not in taken and (answer := _slot(minute, slot)) is not None:
            told.append(answer)
    return sorted(told, key=lambda one: (one.at, one.wake or "", str(one.key))) or [_quiet(minute)]


def _row(minute: Minute, row: MinuteRow) -> Answer:
    newest = minute.reigns[-1]
    if row.state == "pending" and not (newest.enabled and newest.digest == row.digest):
        says = "its row is open, though the task is off or edited; the sweep retires it"
        return Answer(row.due, "violation", says, "stray", row.key, None, row.wake, row.state)
    word, says = of_row(row, minute.moment, minute.hold)
    waits = row.state == "pending" and row.blocked_by == row.key
    blocker = None if waits else row.blocked_by
    return Answer(row.due, word, says, row.reason, row.key, blocker, row.wake, row.state)


def _slots(minute: Minute) -> list[datetime]:
    """Every instant of the minute that is a slot by one of the versions that may have a say in it."""
    digests = {act.digest for act in minute.reigns if act.enabled} | {
        row.digest for row in minute.rows if row.lane == SERIES
    }
    found: set[datetime] = set()
    for digest in digests & minute.definitions.keys():
        definition = minute.definitions[digest]
        once = at_end(definition)
        if once is not None and minute.start <= once < minute.until:
            found.add(once)
        slots = schedule_of(definition.schedule)
        slot = slots.next(minute.start - MICROSECOND)
        while slot is not None and slot < minute.until:
            found.add(slot)
            slot = slots.next(slot)
    return sorted(found)


def _slot(minute: Minute, slot: datetime) -> Answer | None:
    """What became of an instant that no row is due at; None where it was no slot of a version that counts."""
    row = _follows(minute, slot)
    covers = row if row is not None and row.after is not None and row.after < slot else None
    if covers is not None and (answer := _passed(minute, covers, slot)) is not None:
        return answer
    if covers is None and minute.kept_from is not None and slot < minute.kept_from:
        return _dropped(minute, minute.kept_from, slot)
    last = len(minute.reigns) - 1 if row is None else _reign(minute, row)
    if covers is None and last >= 0 and _reaches(minute, last, slot):
        return _unaccounted(minute, minute.reigns[last], row, slot)
    found = (_ended(minute, n, slot) for n in range(last - 1, -1, -1))
    return next((answer for answer in found if answer is not None), None)


def _follows(minute: Minute, slot: datetime) -> MinuteRow | None:
    """The row of the series whose turn comes next after a slot, if one stands: it covers the slot, or lies
    beyond it.
    """
    series = [row for row in minute.rows if row.lane == SERIES and row.due > slot]
    found = min((row for row in series if row.state != "ended"), key=lambda row: row.due, default=None)
    if found is not None:
        return found
    resumed = minute.reigns[-1].resume_after
    ends = [row for row in series if resumed is not None and slot > resumed]
    return ends[0] if ends else None


def _passed(minute: Minute, row: MinuteRow, slot: datetime) -> Answer | None:
    """What the row that covers a slot keeps of it; None where its version has no such slot."""
    definition = minute.definitions.get(row.digest)
    if definition is None or not _rule_holds(definition, slot):
        return None
    for entry in row.passed or ():
        if read_instant(str(entry["first"]), "first") <= slot <= read_instant(str(entry["last"]), "last"):
            reason = str(entry["reason"])
            stands = f"the row due at {_said(row.due)}" if row.due != NEVER else "the end of the series"
            if reason == "paused":
                return Answer(slot, "paused", f"the task was paused; {stands} follows", reason, row.key)
            return Answer(slot, "passed", f"passed over by {stands}: {reason}", reason, row.key)
    if row.tzdata != minute.zones:
        return (
            None  # The rules of another release gave that row; what they thought of the slot, nobody knows.
        )
    says = f"the row due at {_said(row.due)} covers it and keeps no word of it"
    return Answer(slot, "violation", says, "untold", row.key)


def _reign(minute: Minute, row: MinuteRow) -> int:
    """Under which act a row of the series left pending, or is open; -1 for one from before them all."""
    left = row.started or row.closed
    if left is None:
        return len(minute.reigns) - 1
    known = [n for n, act in enumerate(minute.reigns) if act.enabled and act.digest == row.digest]
    then = [n for n in known if minute.reigns[n].at <= left]
    if then or left < minute.reigns[0].at:
        return then[-1] if then else -1
    return known[0] if known else len(minute.reigns) - 1


def _ended(minute: Minute, n: int, slot: datetime) -> Answer | None:
    """Where a version held a slot that had come when another act ended it: that act."""
    act, following = minute.reigns[n], minute.reigns[n + 1]
    if slot > following.at or not _reaches(minute, n, slot):
        return None
    definition = minute.definitions[act.digest]
    if _paused(definition, slot):
        return Answer(slot, "paused", f"paused by {_act(act)}", "paused", act=act.n)
    says = f"no row of it had begun when its version was ended by {_act(following)}"
    return Answer(slot, "retired", says, following.what, act=following.n)


def _dropped(minute: Minute, kept_from: datetime, slot: datetime) -> Answer | None:
    """A slot from before history is kept: that it was one is known from the acts, and nothing else."""
    ends = [act.at for act in minute.reigns[1:]]
    for n in range(len(minute.reigns)):
        if _reaches(minute, n, slot) and (n == len(ends) or slot <= ends[n]):
            says = f"a slot; what became of it was dropped with all history before {_said(kept_from)}"
            return Answer(slot, "not kept", says)
    return None


def _reaches(minute: Minute, n: int, slot: datetime) -> bool:
    """Whether the series under an act goes over a slot, as its rule has it."""
    act = minute.reigns[n]
    definition = minute.definitions.get(act.digest)
    after = act.resume_after
    return after is not None and after < slot and definition is not None and _rule_holds(definition, slot)


def _unaccounted(minute: Minute, act: ReignRow, row: MinuteRow | None, slot: datetime) -> Answer:
    """A slot of the version in force that no row covers: still to come, or what should be impossible."""
    first = next((one for one in minute.rows if one.lane == SERIES and one.state == "pending"), None)
    if row is None and first is not None:
        says = f"the open row of its series, due at {_said(first.due)}, comes first"
        return Answer(slot, "not yet", says, None, first.key)
    if _paused(minute.definitions[act.digest], slot):
        return Answer(slot, "paused", f"paused by {_act(act)}", "paused", act=act.n)
    if row is None:
        return Answer(slot, "violation", "the task is on, and its series has no open row", "missing")
    says = f"no row stands for it; the next of its series, due at {_said(row.due)}, begins behind it"
    return Answer(slot, "violation", says, "gap", row.key)


def _quiet(minute: Minute) -> Answer:
    """Why nothing at all was due in a minute."""
    then = [act for act in minute.reigns if act.at < minute.until]
    for act in then:
        if not act.enabled:
            return Answer(minute.start, "off", f"it was off then: {_act(act)}", act.what, act=act.n)
    if not then or then[0].at > minute.start:
        first = minute.reigns[0]
        return Answer(minute.start, "not defined", f"first {_act(first)}", act=first.n)
    follows = _follows(minute, minute.start)
    if follows is not None and follows.state == "ended":
        return Answer(minute.start, "no slot", "its series has no slot left then", "ended")
    return _none(minute, minute.definitions[then[0].digest])


def _none(minute: Minute, definition: Definition) -> Answer:
    """What the rule in force has to say of a minute in which it has no slot that counts."""
    slots = schedule_of(definition.schedule)
    following, before = slots.next(minute.start - MICROSECOND), slots.previous(minute.start)
    if following is not None and following < minute.until:
        says = "a slot of the rule in force then, but its series had gone past it before"
        return Answer(minute.start, "no slot", says, "behind")
    raw = slots.source.after(microseconds(minute.start) - 1)
    if raw is not None and raw < microseconds(minute.until):
        says = "the rule has a slot there, which its exclude, starts_at or ends_at leaves out"
        return Answer(minute.start, "no slot", says, "excluded")
    around = (("the one before was", before), ("the next is", following))
    said = "".join(f"; {which} {_said(slot)}" for which, slot in around if slot is not None)
    return Answer(minute.start, "no slot", f"the rule in force then has none{said}")


def _rule_holds(definition: Definition, slot: datetime) -> bool:
    return at_end(definition) == slot or schedule_of(definition.schedule).holds(slot)


def _paused(definition: Definition, slot: datetime) -> bool:
    return definition.paused_until is not None and slot < definition.paused_until


_DONE = {
    "define": "defined",
    "edit": "edited",
    "enable": "enabled",
    "disable": "disabled",
    "delete": "deleted",
    "zones": "moved to other zone rules",
}


def _act(act: ReignRow) -> str:
    note = f": {act.note}" if act.note else ""
    return f"act {act.n}, {_DONE[act.what]} by {act.by} at {_said(act.at)}{note}"


def _said(instant: datetime) -> str:
    return instant_text(instant).replace(".000000Z", "Z")


def digests_of(reigns: Sequence[ReignRow], rows: Sequence[MinuteRow]) -> Iterator[bytes]:
    """The definitions that a judgement may need."""
    yield from {act.digest for act in reigns} | {row.digest for row in rows if row.lane == SERIES}
