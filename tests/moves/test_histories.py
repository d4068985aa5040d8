"""Random histories of the ledger against a model of it: I1 to I4, I6 to I11, I15, I16, I18, and the drill.

`LEDGER_HISTORIES` says how many (100; CI does 1,000, a soak 10,000). Each has a seed of its own, the run's
seed plus its number: `LEDGER_SEED=<that> LEDGER_HISTORIES=1` does it again.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from tests.moves.conftest import Aloud
from tests.moves.histories.lines import LINES
from tests.moves.histories.run import ACTS, KINDS, Tally, run_history
from tests.moves.stage import Stage


@pytest.mark.counted
def test_histories_go_as_foretold(stage: Stage, aloud: Aloud) -> None:
    histories = int(os.environ.get("LEDGER_HISTORIES", "100"))
    seed = int(os.environ.get("LEDGER_SEED") or random.randrange(2**31))
    began = time.perf_counter()
    tally = Tally()
    aloud(f"{histories} histories of {ACTS} acts from LEDGER_SEED={seed}")
    for n in range(histories):
        run_history(stage, seed + n, tally)
    took = time.perf_counter() - began
    print(f"lines: {dict(sorted(tally.lines.items()))}")
    pairs = sorted((tally.pairs[a, b], a, b) for a in KINDS for b in KINDS)
    rarest = min(LINES, key=lambda line: tally.lines[line])
    aloud(
        f"{sum(tally.acts.values())} acts, {sum(tally.lines.values())} transitions in {took:.1f} s; "
        f"the rarest of {len(LINES)} lines {tally.lines[rarest]} times ({rarest}), "
        f"the rarest of {len(pairs)} pairs of acts {pairs[0]}; {dict(tally.counts)}; "
        f"decided {dict(sorted(tally.decided.items()))}"
    )
    if histories >= 100:
        assert not tally.missing_decisions(), "the run is invalid: hints, bounds or pauses hardly decided"
        assert not tally.missing_lines(), "the run is invalid: lines hardly taken"
        assert not tally.missing_pairs(), "the run is invalid: acts that hardly met"
