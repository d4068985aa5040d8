"""Runs histories: a seed and sixty acts each, judged after every act, and audited as a whole at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from tests.moves.audits import broken
from tests.moves.histories import acts, machines, sweeping, wishes
from tests.moves.histories.history import History
from tests.moves.histories.lines import LINES
from tests.moves.stage import Stage

ACTS = 60
ENOUGH = 500
# How likely each act is, among those that can be done now; the rarer its occasion, the likelier.
KINDS: dict[str, tuple[Callable[[History], bool], float]] = {
    "define": (acts.define, 1.0),
    "define many": (acts.define_many, 1.0),
    "define anew": (acts.define_anew, 1.0),
    "rename": (acts.rename, 1.0),
    "reschedule": (acts.reschedule, 1.0),
    "change retries": (acts.change_retries, 1.0),
    "bound": (acts.bound, 1.0),
    "pause": (acts.pause, 1.0),
    "resume": (acts.resume, 1.0),
    "edit back": (acts.edit_back, 1.0),
    "enable": (acts.enable, 1.0),
    "disable": (acts.disable, 1.0),
    "delete": (acts.delete, 1.0),
    "give an interval": (wishes.give_interval, 1.2),
    "give an instant": (wishes.give_instant, 1.0),
    "withdraw a hint": (wishes.withdraw, 1.2),
    "run now": (acts.run_now, 1.0),
    "cancel what is open": (acts.cancel_open, 1.4),
    "cancel a run": (acts.cancel_run, 1.0),
    "claim": (machines.claim, 2.5),
    "start": (machines.start, 1.5),
    "overtake": (machines.overtake, 3.2),
    "succeed": (machines.succeed, 1.0),
    "fail": (machines.fail, 1.5),
    "overdue": (machines.overdue, 1.0),
    "lost": (machines.lost, 1.0),
    "hand back": (machines.hand_back, 1.2),
    "set aside": (machines.put_aside, 1.5),
    "sweep": (sweeping.sweep, 1.0),
    "tamper": (sweeping.tamper, 1.0),
}


@dataclass
class Tally:
    """What a run of histories has done; too little makes it invalid."""

    histories: int = 0
    acts: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)

    def add(self, history: History, done: list[str]) -> None:
        self.histories += 1
        self.acts.update(done)
        self.pairs.update(pairwise(done))
        self.lines.update(history.judge.lines)
        self.counts.update(history.counts)
        self.decided.update(decisions(history))
        self.counts["rows"] += len(history.book.rows)
        self.counts["passed"] += sum(r.passed is not None for r in history.book.rows.values())
        self.counts["more than a thousand passed"] += sum(
            "more" in entry for r in history.book.rows.values() for entry in r.passed or ()
        )

    def missing_lines(self) -> dict[str, int]:
        least = self.histories // 10
        return {line: n for line in LINES if (n := self.lines[line]) < least}

    def missing_decisions(self) -> dict[str, int]:
        # One comes in about a tenth as many histories as the others.
        least = {"late, but for its wait": self.histories // 50}
        most = self.histories // 10
        return {what: n for what in DECIDED if (n := self.decided[what]) < least.get(what, most)}

    def missing_pairs(self) -> dict[tuple[str, str], int]:
        """Pairs of acts that hardly met: less than ten times in a thousand histories, and so in
        proportion; in so few that chance alone leaves some out, one in twenty may have met less.
        """
        least = self.histories // 100
        rare = {(a, b): n for a in KINDS for b in KINDS if (n := self.pairs[a, b]) < least}
        return rare if self.histories >= ENOUGH or len(rare) > len(KINDS) ** 2 // 20 else {}


# What the Governor and the gate must have had to do with.
DECIDED = (
    *("an interval hint given", "a one-shot given", "a hint renewed", "a hint refused", "a hint withdrawn"),
    *("a hint expired", "a one-shot consumed"),
    *("clamped-min", "clamped-max", "paused", "paused, at its end", "backed off"),
    *("in turn", "more than the limit", "beside another", "late, but for its wait"),
    *("too late, latest", "too late, all", "too late, none"),
)


def decisions(history: History) -> Counter[str]:
    """What was decided in a history besides the plain baseline."""
    book = history.book
    found = Counter({what: n for what, n in history.counts.items() if what in DECIDED})
    found["a one-shot consumed"] = book.consumed
    found.update(book.decided)
    for name in history.tasks(lambda name: book.tasks[name].enabled):
        base = book.reference(name).base
        found["a hint expired"] += sum(not hint.fresh(base) for hint in book.standing(name))
    for row in book.rows.values():
        found["backed off"] += row.reason == "backoff"
        if row.source in ("clamped-min", "clamped-max", "paused"):
            at_end = row.due == book.texts[row.digest].version.at_once
            found[f"{row.source}, at its end" if at_end else row.source] += 1
    return found


def run_history(stage: Stage, seed: int, tally: Tally, acts_most: int = ACTS) -> History:
    """One history, as it stands at its end. What fails says its seed and all that was done."""
    stage.clear()
    history = History(stage, seed)
    try:
        done = _play(history, acts_most)
        _end(history)
    except BaseException as error:
        error.add_note("\n".join([f"history of seed {seed}:", *history.done]))
        raise
    tally.add(history, done)
    return history


def _play(history: History, acts_most: int) -> list[str]:
    done: list[str] = []
    names, weights = list(KINDS), [weight for _, weight in KINDS.values()]
    while len(done) < acts_most:
        (kind,) = history.rng.choices(names, weights)
        if KINDS[kind][0](history):
            history.judged()
            done.append(kind)
    return done


def _end(history: History) -> None:
    """The whole ledger at the end: what was tampered with is mended, and every promise holds."""
    sweeping.sweep_all(history)
    history.judged_whole()
    found = broken(history.stage)
    assert not found, found
    sweeping.drill_all(history)
    history.judged_whole()
