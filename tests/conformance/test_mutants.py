"""The vectors see every small breakage of either implementation; a few are tried each time, all in CI.

LEDGER_MUTANTS=all tries all of them. A breakage whose place in the code is gone fails the run: it has to
move with the code, or the vectors would quietly be held to less.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from conformance.entries import FOLDER, read_folder
from tests.conformance.mutants import CHECKOUT, Copy, Mutant, mutants

_A_FEW = 4
ENTRIES = read_folder(FOLDER)
# Lines that are no requests come first, so that something agrees; then those worked by hand, which are few
# and see most breakages.
ENTRIES.sort(key=lambda entry: (entry.origin == "agreed", entry.refusal != "bad_request"))
_ALL = {which: mutants(which) for which in ("product", "javascript")}


def chosen(which: str) -> list[Mutant]:
    if os.environ.get("LEDGER_MUTANTS") == "all":
        return _ALL[which]
    return random.Random().sample(_ALL[which], _A_FEW)


@pytest.mark.parametrize("which", ["product", "javascript"])
def test_each_breakage_is_seen(
    which: str, javascript: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Copy(which, tmp_path)
    whole = copy.judged(ENTRIES)
    assert whole.passed, "the copy differs before it is broken"
    unseen = []
    tried = chosen(which)
    for mutant in tried:
        outcome = copy.judged(ENTRIES, mutant)
        # A program that does not start, or answers nothing right, would be seen by anybody.
        started = not outcome.faults and any(verdict.agrees for verdict in outcome.verdicts)
        if not outcome.differing or not started:
            unseen.append(f"{mutant.what} ({mutant.file}): {outcome.faults or 'no vector differs'}")
    with capsys.disabled():
        print(
            f"\n{which}: {len(tried)} of {len(_ALL[which])} mutants tried, {len(unseen)} unseen",
            file=sys.stderr,
        )
    assert not unseen, "\n".join(unseen)


@pytest.mark.parametrize("which", ["product", "javascript"])
def test_there_are_thirty_breakages_and_each_has_its_place(which: str) -> None:
    assert len({(mutant.file, mutant.old, mutant.new) for mutant in _ALL[which]}) >= 30
    root = CHECKOUT if which == "product" else CHECKOUT / "conformance" / "javascript"
    lost = [
        f"{mutant.what}: {mutant.file}"
        for mutant in _ALL[which]
        if (root / mutant.file).read_text(encoding="utf-8").count(mutant.old) != 1
    ]
    assert not lost, "\n".join(lost)


def test_a_breakage_without_its_place_fails(tmp_path: Path, javascript: list[str]) -> None:
    copy = Copy("javascript", tmp_path)
    with pytest.raises(LookupError, match="0 times"):
        copy.judged(ENTRIES, Mutant("javascript", "x", "src/key.js", "this is not there", "y"))
