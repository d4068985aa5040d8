"""I10, I18: every minute of a task has an answer, equal to that of an oracle which shares no code with it.

`LEDGER_MINUTES` says how many pairs of a task and a minute are asked for (10,000), `LEDGER_SEED` from where.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest

from ledger.moves.step import Move
from projector.moves.minutes import Answer
from projector.moves.why_not import WhyNot, read_minute, why_not
from tests.moves.conftest import Aloud
from tests.moves.histories.book import SERIES, Row
from tests.moves.histories.history import History, Name
from tests.moves.histories.run import Tally, run_history
from tests.moves.own_why import Account, Told
from tests.moves.stage import Stage

OF_A_WORLD = 500
# How many answers of each kind make a run of ten thousand valid.
LEAST = {
    **dict.fromkeys(("no slot", "ran", "passed", "not yet", "off", "not defined", "retired"), 100),
    **dict.fromkeys(("skipped", "cancelled", "paused", "violation", "waiting", "held", "set aside"), 10),
}


@pytest.mark.counted
def test_every_minute_has_the_oracles_answer(stage: Stage, aloud: Aloud) -> None:
    pairs = int(os.environ.get("LEDGER_MINUTES", "10000"))
    seed = int(os.environ.get("LEDGER_SEED") or random.randrange(2**31))
    aloud(f"{pairs} minutes from LEDGER_SEED={seed}")
    words: Counter[str] = Counter()
    began, asked, n = time.perf_counter(), 0, 0
    while asked < pairs:
        world = World(run_history(stage, seed + n, Tally()))
        asked, n = asked + world.compare(words), n + 1
    aloud(f"{asked} minutes of {n} histories in {time.perf_counter() - began:.1f} s; {dict(words)}")
    if pairs >= 10_000:
        few = {word: words[word] for word, least in LEAST.items() if words[word] < least}
        assert not few, f"the run is invalid: answers that hardly came: {few}"


class World:
    """A history at its end, some rows taken out behind the ledger's back, perhaps a tenant suspended."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.rng = random.Random(history.seed)
        self.gone = {row.key for name in history.book.acts for row in self._taken_out(name)}
        self.held = self.rng.random() < 0.5
        for key in self.gone:
            history.stage.ask("DELETE FROM ledger.occurrence WHERE key = %s", [key])
        for row in history.rows("pending"):
            self._held_up(row)
        if self.held:
            history.stage.ask("INSERT INTO ledger.tenant_limit (tenant, suspended) VALUES ('zeta', true)")

    def _taken_out(self, name: Name) -> list[Row]:
        """At times the open row of a task that is on; or one that ran, under the act of the row after it."""
        book = self.history.book
        series = sorted(
            (r for r in book.of(name) if r.lane == SERIES and r.state not in ("retired", "ended")),
            key=lambda r: r.due,
        )
        dice = self.rng.random()
        ends = any(r.state == "ended" for r in book.of(name))
        if dice < 0.1 and series and series[-1].state == "pending" and not series[-1].passed and not ends:
            return [series[-1]]
        if dice > 0.8:
            acts = book.acts[name]
            for row, after in pairwise(series):
                plain = row.wake == "schedule" and book.texts[row.digest].slots.holds(row.due)
                if row.passed or after.after != row.due or row.started is None or not plain:
                    continue
                last = [a for a in acts if a.at <= row.started][-1]
                left = after.started or after.closed or book.clock
                if last is [a for a in acts if a.at <= left][-1] and last.digest == row.digest:
                    return [row]
        return []

    def _held_up(self, row: Row) -> None:
        """At times an open row is set aside, or waits for a run."""
        dice = self.rng.random()
        if dice < 0.2 and row.blocked_by is None and row.key not in self.gone:
            row.blocked_by = row.key if dice < 0.1 else UUID(int=self.rng.getrandbits(128))
            row.reason = "a word"
            self.history.stage.ask(
                "UPDATE ledger.occurrence SET blocked_by = %s, reason = 'a word' WHERE key = %s",
                [row.blocked_by, row.key],
            )

    def compare(self, words: Counter[str]) -> int:
        """Ask some minutes of the tasks of both tenants, and compare; how many."""
        names = list(self.history.book.acts)
        horizon = self.history.book.clock + timedelta(days=2)
        accounts = {
            name: Account(self.history.book, name, horizon, self.gone, held=self.held and name[0] == "zeta")
            for name in names
        }
        asked = [(name := self.rng.choice(names), self._minute(name)) for _ in range(OF_A_WORLD)]
        for tenant in {name[0] for name in names}:
            mine = [(name[1], minute) for name, minute in asked if name[0] == tenant]
            answers = self.history.stage.run(ask_all(tenant, mine), "tenant", tenant)
            for (task, minute), answer in zip(mine, answers, strict=True):
                expected = accounts[tenant, task].minute(minute)
                found = sorted((told(one) for one in answer.answers), key=lambda one: (one.at, str(one.key)))
                assert found == expected, self._differ(tenant, answer, expected)
                words.update(one.word for one in found)
                assert answer.ran == any(one.word == "ran" for one in found)
        self.history.stage.ask("DELETE FROM ledger.tenant_limit")
        return len(asked)

    def _minute(self, name: Name) -> datetime:
        """A minute: most often one in which something happened, else any from before the beginning on."""
        book, dice = self.history.book, self.rng.random()
        rows = [r.due for r in book.of(name) if r.state != "ended"]
        acts = [a.at for a in book.acts[name]]
        if dice < 0.45 and rows:
            chosen = self.rng.choice(rows)
        elif dice < 0.6:
            chosen = self.rng.choice(acts)
        else:
            low = min(acts) - timedelta(hours=1)
            chosen = low + self.rng.random() * (book.clock + timedelta(hours=3) - low)
        if dice < 0.6 and self.rng.random() < 0.5:
            chosen += timedelta(minutes=self.rng.randrange(-6, 7))
        return read_minute(min(chosen, book.clock + timedelta(days=1)))

    def _differ(self, tenant: str, answer: WhyNot, expected: Sequence[Told]) -> str:
        return "\n".join(
            [
                f"seed {self.history.seed}, {tenant}/{answer.task} at {answer.minute}:",
                *(f"  found    {one}" for one in answer.answers),
                *(f"  expected {one}" for one in expected),
                *(f"  {line}" for line in self.history.done if answer.task in line),
            ]
        )


def ask_all(tenant: str, minutes: Sequence[tuple[str, datetime]]) -> Move[list[WhyNot]]:
    answers = []
    for task, minute in minutes:
        answers.append((yield from why_not(tenant, task, minute)))
    return answers


def told(answer: Answer) -> Told:
    """An answer as far as the oracle goes: the reasons of a person's words are not compared."""
    kept = answer.word not in ("ran", "cancelled", "waiting", "set aside", "held")
    reason = answer.reason if kept and answer.word != "not yet" else None
    return Told(answer.at, answer.word, reason, answer.key, answer.act)
