"""What a pass has to say: totals that add up, one verdict per tenant, and whether all of it is green."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ledger.facts import instant_text
from sweeper.archiving import Archived
from sweeper.moves.drill import Drill
from sweeper.moves.tenant import Verdict


@dataclass(frozen=True, slots=True)
class PassReport:
    """One pass over all tenants, or over one.

    `faults` are what is wrong with the database as a whole: guards that differ from what the migrations made,
    clocks apart. `spare` is the drill of a pass that found nobody to sweep. `archived` is what has left the
    hot table; None where nobody tried, in a pass over one tenant, or where it failed.
    """

    number: int
    began: datetime
    closed: datetime
    tenant: str | None
    verdicts: Sequence[Verdict]
    faults: Sequence[str] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)
    spare: Drill | None = None
    archived: Archived | None = None

    @property
    def expected(self) -> int:
        return len(self.verdicts)

    def count(self, word: str) -> int:
        """How many tenants have this verdict: `healthy`, `repaired` or `failed`."""
        return sum(verdict.word == word for verdict in self.verdicts)

    @property
    def repairs(self) -> Mapping[str, int]:
        """Repairs by kind, of all tenants."""
        total: Counter[str] = Counter()
        for verdict in self.verdicts:
            total.update(verdict.repairs)
        return dict(sorted(total.items()))

    @property
    def drills(self) -> Mapping[str, int]:
        """Drills by how they went: `passed`, `failed`, `could not try`."""
        words = Counter[str](verdict.drill for verdict in self.verdicts)
        words.update([] if self.spare is None else [self.spare.word])
        return {word: words[word] for word in ("passed", "failed", "could not try")}

    @property
    def tasks(self) -> int:
        return sum(verdict.checked for verdict in self.verdicts)

    @property
    def open(self) -> int:
        return sum(verdict.open for verdict in self.verdicts)

    @property
    def ended(self) -> int:
        return sum(verdict.ended for verdict in self.verdicts)

    @property
    def made(self) -> int:
        return sum(verdict.made for verdict in self.verdicts)

    @property
    def took_s(self) -> float:
        """By the database's clock."""
        return (self.closed - self.began).total_seconds()

    @property
    def green(self) -> bool:
        """Nothing was broken, nobody failed, and every drill, at least one, has passed (I14).

        A pass that repaired is not green: what it mended should have been impossible, so there is a defect
        to look for. The next pass is green if it was mended for good.
        """
        drilled = self.drills
        return (
            not self.faults
            and all(verdict.green for verdict in self.verdicts)
            and drilled["passed"] > 0
            and drilled["passed"] == sum(drilled.values())
        )

    def as_json(self) -> dict[str, object]:
        """Totals, and of the tenants those that are not green."""
        return {
            "pass": self.number,
            "green": self.green,
            "began": instant_text(self.began),
            "closed": instant_text(self.closed),
            "took_s": round(self.took_s, 3),
            "tenant": self.tenant,
            "expected": self.expected,
            "healthy": self.count("healthy"),
            "repaired": self.count("repaired"),
            "failed": self.count("failed"),
            "tasks": self.tasks,
            "open": self.open,
            "ended": self.ended,
            "made": self.made,
            "repairs": self.repairs,
            "drills": self.drills,
            "faults": list(self.faults),
            "notes": list(self.notes),
            "archive": None if self.archived is None else self.archived.as_json(),
            "not_green": [_verdict_json(verdict) for verdict in self.verdicts if not verdict.green],
        }


def close_params(report: PassReport) -> dict[str, object]:
    """What the row of the pass keeps of it."""
    kept = ("green", "tasks", "open", "ended", "repairs", "drills", "faults", "notes", "archive")
    said = report.as_json()
    return {
        "id": report.number,
        "expected": report.expected,
        "healthy": report.count("healthy"),
        "repaired": report.count("repaired"),
        "failed": report.count("failed"),
        "rows_made": report.made,
        "report": json.dumps({name: said[name] for name in kept}),
    }


def _verdict_json(verdict: Verdict) -> dict[str, object]:
    return {
        "tenant": verdict.tenant,
        "word": verdict.word,
        "cause": verdict.cause,
        "detail": verdict.detail,
        "checked": verdict.checked,
        "open": verdict.open,
        "ended": verdict.ended,
        "repairs": verdict.repairs,
        "drill": verdict.drill,
        "drill_ms": verdict.drill_ms,
    }
