"""The verdicts on the cases from the wild, as a table: `python -m tests.projector.verdicts`.

Each case is asked of the product, forward and backward. For cases of `core` and `reject` any cron has to
answer so; `extension`, `policy` and `dialect_trap` are those where the dialect takes a side: it takes an
extension and is right, or refuses it, as its text says. Exit code 0 if every verdict is right.
"""

from __future__ import annotations

import sys
from collections import Counter
from datetime import datetime, timedelta
from typing import Literal

from tabulate import tabulate

from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.models import ScheduleDefinition
from projector.slots import schedule_of
from tests.projector.cases import CASES, Case

Verdict = Literal["right", "refused, as the dialect says", "WRONG"]
MUST = ("core", "reject", "policy", "extension", "dialect_trap")
_US = timedelta(microseconds=1)


def verdict(case: Case) -> tuple[Verdict, str]:
    """What became of a case, and what was found where that is wrong."""
    try:
        text = read_cron(case["cron"], seconds=case.get("seconds", False)).text
    except CronRefused as error:
        if case.get("refused"):
            return "refused, as the dialect says", ""
        return "WRONG", f"refused: {error.message}"
    if "slots" not in case:
        return "WRONG", "taken, where the dialect refuses it"
    schedule = ScheduleDefinition(cron=text, seconds=case.get("seconds", False), timezone=case["zone"])
    slots = schedule_of(schedule)
    expected = [datetime.fromisoformat(slot) for slot in case["slots"]]
    found: list[datetime] = []
    slot = slots.next(datetime.fromisoformat(case["after"]))
    while slot is not None and len(found) < len(expected):
        found.append(slot)
        slot = slots.next(slot)
    if found != expected:
        return "WRONG", f"next: {[str(one) for one in found]}"
    back = [slots.previous(one) for one in (*expected[1:], expected[-1] + _US)] if expected else []
    return ("right", "") if back == expected else ("WRONG", f"previous: {[str(one) for one in back]}")


def main() -> int:
    """Print the table and every case that is wrong."""
    found: Counter[tuple[str, Verdict]] = Counter()
    wrong = []
    for case in CASES:
        said, why = verdict(case)
        found[case["must"], said] += 1
        if said == "WRONG":
            wrong.append((case["id"], case["cron"], why))
    heads: tuple[Verdict, ...] = ("right", "refused, as the dialect says", "WRONG")
    rows = [
        [must, sum(found[must, head] for head in heads), *(found[must, head] for head in heads)]
        for must in MUST
    ]
    rows.append(["all", len(CASES), *(sum(found[must, head] for must in MUST) for head in heads)])
    print(tabulate(rows, headers=["must", "cases", *heads], tablefmt="simple"))
    for case_id, cron, why in wrong:
        print(f"{case_id}: {cron!r}: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
