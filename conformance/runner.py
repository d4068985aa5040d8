"""The judge at work: every vector is asked, every answer compared, every breach of the protocol named.

Entries are asked in bursts, short and long by turns. A program that does not flush each answer hangs on a
burst of one; a program that answers out of order is only seen when several lines wait at once. After a
hang or a death it is started again and goes on behind the entry at fault, a few times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.entries import Entry
from conformance.lacking import NOT_IMPLEMENTED, may_lack
from conformance.program import Program, ProgramFault
from conformance.values import NotJson, read, rendering

_BURSTS = (1, 1, 64)
# So often is a program started again that died or hung.
_MOST_FAULTS = 5
NOT_ASKED = "not asked"
# Messages are for people; implementations word them as they like, or leave them out.
_WITH_MESSAGE = ("bad_task", "bad_schedule")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry. `what` says how it differs, or is ""; `answered` is the line, if any.

    `lacks` where the program said, as it may, that it does not implement this.
    """

    entry: Entry
    what: str
    answered: bytes | None = None
    expected_bytes: bytes = b""
    answered_bytes: bytes = b""
    lacks: bool = False

    @property
    def agrees(self) -> bool:
        return not self.what and not self.lacks


@dataclass(slots=True)
class Outcome:
    """A whole run: a verdict for each entry, and what the program did wrong apart from its answers."""

    command: list[str]
    verdicts: list[Verdict] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def differing(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.what]

    @property
    def lacking(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.lacks]

    @property
    def passed(self) -> bool:
        return bool(self.verdicts) and not self.differing and not self.faults


def judge(
    entries: Sequence[Entry],
    command: Sequence[str],
    *,
    timeout: float = 10.0,
    folder: Path | None = None,
    stop_early: bool = False,
) -> Outcome:
    """Ask the program `command` every entry; it runs in `folder`, by default in the caller's.

    `timeout` is in seconds, for each answer. With `stop_early` the run ends at the first burst that has a
    difference. Raises Unstartable.
    """
    outcome = Outcome(list(command))
    rest = list(entries)
    singly = False
    while rest and len(outcome.faults) <= _MOST_FAULTS:
        with Program(command, timeout=timeout, folder=folder) as program:
            burst: list[Entry] = []
            try:
                for burst in _bursts(rest, singly=singly):
                    outcome.verdicts += _compare(burst, program.ask([entry.request for entry in burst]))
                    rest = rest[len(burst) :]
                    if stop_early and outcome.differing:
                        return outcome
                program.finish()
            except ProgramFault as fault:
                rest = _after_fault(outcome, rest, fault, exact=len(burst) == 1)
                singly = True
                if stop_early:
                    return outcome
    if rest:
        outcome.faults.append(f"given up; {len(rest)} entries were not asked")
        outcome.verdicts += [Verdict(entry, NOT_ASKED) for entry in rest]
    return outcome


def _after_fault(outcome: Outcome, rest: list[Entry], fault: ProgramFault, *, exact: bool) -> list[Entry]:
    """Note a fault; answers the entries that are still to be asked.

    In a long burst the program may have died over a line after the first unanswered one, so those are asked
    again one by one, and then the entry at fault is known.
    """
    answered = rest[: len(fault.answers)]
    outcome.verdicts += _compare(answered, fault.answers)
    rest = rest[len(answered) :]
    if not rest:
        outcome.faults.append(f"after the last answer, it {fault.what}")
        return []
    outcome.faults.append(f"{'at' if exact else 'near'} {rest[0].name}, it {fault.what}")
    if not exact:
        return rest
    outcome.verdicts.append(Verdict(rest[0], fault.what))
    return rest[1:]


def _bursts(entries: Sequence[Entry], *, singly: bool) -> Iterator[list[Entry]]:
    at = 0
    turn = 0
    while at < len(entries):
        size = 1 if singly else _BURSTS[turn % len(_BURSTS)]
        yield list(entries[at : at + size])
        at += size
        turn += 1


def _compare(entries: Sequence[Entry], answers: Sequence[bytes]) -> list[Verdict]:
    """The verdicts on one burst. An answer that belongs to another entry of the burst is said to be so."""
    verdicts = [_verdict(entry, answer) for entry, answer in zip(entries, answers, strict=True)]
    lacking = {
        verdict.expected_bytes: verdict.entry.name
        for verdict in verdicts
        if verdict.what and verdict.answered_bytes
    }
    return [
        Verdict(
            verdict.entry,
            f"answered out of order: this is the answer to {lacking[verdict.answered_bytes]}",
            verdict.answered,
            verdict.expected_bytes,
            verdict.answered_bytes,
        )
        if verdict.what and verdict.answered_bytes in lacking
        else verdict
        for verdict in verdicts
    ]


def _verdict(entry: Entry, answer: bytes) -> Verdict:
    expected = rendering(without_message(entry.answer))
    try:
        found = read(answer)
    except NotJson as error:
        return Verdict(entry, f"the answer is not JSON: {error}", answer, expected)
    if not isinstance(found, dict):
        return Verdict(entry, "the answer is no JSON object", answer, expected, rendering(found))
    answered = rendering(without_message(found))
    if found == NOT_IMPLEMENTED and not entry.refusal and may_lack(entry.request):
        return Verdict(entry, "", answer, expected, answered, lacks=True)
    return Verdict(entry, "" if answered == expected else "the answer differs", answer, expected, answered)


def without_message(answer: dict[str, object]) -> dict[str, object]:
    """The answer as it is compared: a refusal of a task or a schedule without its message."""
    if answer.get("error") in _WITH_MESSAGE and isinstance(answer.get("message"), str):
        return {name: value for name, value in answer.items() if name != "message"}
    return answer
