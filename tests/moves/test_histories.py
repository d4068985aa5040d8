"""Random histories of the ledger against a model of it: I1 to I4, I6 to I11, I15, I16, I18, and the drill.

`LEDGER_HISTORIES` says how many (100; CI does 1,000, a soak 5,000). Each has a seed of its own, the run's
seed plus its number: `LEDGER_SEED=<that> LEDGER_HISTORIES=1` does it again.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from tests.moves.histories.run import ACTS, KINDS, Tally, run_history
from tests.moves.stage import Stage


@pytest.mark.counted
def test_histories_go_as_foretold(stage: Stage) -> None:
    histories = int(os.environ.get("LEDGER_HISTORIES", "100"))
    seed = int(os.environ.get("LEDGER_SEED") or random.randrange(2**31))
    began = time.perf_counter()
    tally = Tally()
    print(f"{histories} histories of {ACTS} acts from LEDGER_SEED={seed}")
    for n in range(histories):
        run_history(stage, seed + n, tally)
    took = time.perf_counter() - began
    print(f"{sum(tally.acts.values())} acts in {took:.1f} s; {dict(tally.counts)}")
    print(f"lines: {dict(sorted(tally.lines.items()))}")
    pairs = sorted((tally.pairs[a, b], a, b) for a in KINDS for b in KINDS)
    print(f"rarest pairs of {len(pairs)}: {pairs[:5]}")
    if histories >= 100:
        assert not tally.missing_lines(), "the run is invalid: lines hardly taken"
        assert not tally.missing_pairs(), "the run is invalid: acts that hardly met"
