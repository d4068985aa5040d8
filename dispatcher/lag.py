"""What a dispatcher knows of itself: counts that cost next to nothing, whether or not anybody reads them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from projector.moves.decide import Started

LAGS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


@dataclass(slots=True)
class Lag:
    """How late runs start, from `run_at`, both by the database's clock (I9)."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(LAGS_S) + 1))
    total_s: float = 0.0

    def add(self, started: Iterable[Started]) -> None:
        """Count runs that have just started."""
        for run in started:
            late = (run.started - run.run_at).total_seconds()
            self.counts[bisect_left(LAGS_S, late)] += 1
            self.total_s += late


@dataclass(frozen=True, slots=True)
class Vitals:
    """A dispatcher at one moment, as any thread may look at it; `beaten_s`: since its last heartbeat."""

    state: str
    counts: Mapping[str, int]
    claims: int
    lag: Lag
    running: int
    free: int
    unwritten: int
    beaten_s: float
