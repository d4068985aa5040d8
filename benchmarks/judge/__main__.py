"""`python -m benchmarks.judge FILE`: judge a history that was kept, once more."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.judge.history import load
from benchmarks.judge.verdict import Least, judge, report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    parser.add_argument("file", type=Path, help="the history that a soak kept")
    parser.add_argument("--slots", type=int, default=8000, help="how many slots must count (8000)")
    parser.add_argument("--kills", type=int, default=3, help="how many processes must have been killed (3)")
    parser.add_argument("--acts", type=int, default=100, help="how many acts must have been made (100)")
    given = parser.parse_args()
    history = load(given.file)
    judgement = judge(history, Least(given.slots, given.kills, given.acts))
    print(report(history, judgement))
    return 1 if judgement.findings else 0


if __name__ == "__main__":
    sys.exit(main())
