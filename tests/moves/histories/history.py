"""One history: a stage, a seed, the model's book, and the acts that are carried out on both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from ledger.driver.transaction import Role
from ledger.errors import LedgerError
from ledger.moves.step import Move
from tests.moves.histories.book import Book, Row, second
from tests.moves.histories.judge import Judge, acts_differ
from tests.moves.histories.people import Refused
from tests.moves.stage import Stage, instant

R = TypeVar("R")
T = TypeVar("T")
Name = tuple[str, str]

TENANTS = ("acme", "zeta")
INCARNATION = 7
# Where histories begin: a plain day, and the nights in which the clocks of Paris change.
BEGINNINGS = ("2026-06-01 07:41", "2026-03-28 22:17", "2026-10-24 23:20")
LIVE_MOST = 7


class History:
    """The state of one history, and what acts need: time, choices, and a move run beside its prediction."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage = stage
        self.seed = seed
        self.rng = random.Random(seed)
        self.start = instant(self.rng.choice(BEGINNINGS))
        self.book = Book(self.start, self.start)
        self.judge = Judge(stage)
        self.done: list[str] = []
        self.counts: Counter[str] = Counter()
        # Open rows whose key is not that of the facts beside them.
        self.lying: set[UUID] = set()
        # Rows that were opened again behind the ledger's back.
        self.risen: set[UUID] = set()
        self.names = 0
        self.requests = 0
        stage.at(self.start)

    # --- Choices ---------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one_of(self, things: Sequence[T]) -> T | None:
        return self.rng.choice(things) if things else None

    def tasks(self, fits: Callable[[Name], bool] = lambda _: True) -> list[Name]:
        return [name for name in self.book.tasks if fits(name)]

    def rows(self, *states: str) -> list[Row]:
        return [r for r in self.book.rows.values() if r.state in states]

    def new_name(self) -> Name:
        self.names += 1
        return self.rng.choice(TENANTS), f"t{self.names}"

    # --- Time ------------------------------------------------------------------------------------

    def pause(self, until: Sequence[datetime] = (), likely: float = 0.0) -> None:
        """Let time pass: most often a little, at times hours; or to an instant that something waits for.

        Every act comes after the one before, and half of them wait for locks: then the clock runs on.
        """
        now = self.book.clock + timedelta(microseconds=self.rng.randrange(1, 2_000_000))
        ahead = [moment for moment in until if moment > now]
        dice = self.rng.random()
        if ahead and dice < likely:
            now = min(ahead) + self.rng.choice(
                (timedelta(0), timedelta(microseconds=self.rng.randrange(20_000_000)))
            )
        elif dice > 0.97:
            now += second(self.rng.randrange(3_600, 110_000))
        elif dice > 0.9:
            now += second(self.rng.randrange(40, 1_500))
        runs_on = (
            timedelta(microseconds=self.rng.randrange(1, 3_000_000)) if self.chance(0.5) else timedelta(0)
        )
        self.book.now, self.book.clock = now, now + runs_on
        self.stage.at(now, runs_on)

    # --- Acts --------------------------------------------------------------------------------------

    def tell(self, what: str) -> None:
        """Note what is done now, for whoever reads a failure."""
        self.done.append(f"{self.book.now:%d %H:%M:%S.%f} {what}")

    def both(
        self,
        move: Callable[[], Move[R]],
        foretell: Callable[[], T],
        role: Role = "dispatcher",
        tenant: str | None = None,
    ) -> tuple[R, T] | None:
        """Run a move, and foretell it; None where both refuse it, by the same name, changing nothing."""
        refused: str | None = None
        told: T | None = None
        try:
            told = foretell()
        except Refused as refusal:
            refused = str(refusal)
        try:
            answer = self.stage.run(move(), role, tenant)
        except LedgerError as error:
            if type(error).__name__ != refused:
                raise AssertionError(f"foretold {refused or told}, but {error!r}") from error
            return None
        assert refused is None, f"foretold {refused}, but {answer}"
        assert told is not None
        return answer, told

    def judged(self) -> None:
        """Compare every row with what was foretold."""
        self.judge.follow(self.book, self.done[-1] if self.done else "the beginning")

    def judged_whole(self) -> None:
        """Compare tasks and acts as well."""
        self.judged()
        found = acts_differ(self.stage, self.book)
        assert not found, found

    def row(self, tenant: str, key: UUID) -> Row:
        return self.book.rows[tenant, key]
