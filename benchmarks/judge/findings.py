"""What the judge may say, each verdict with the rule that it stands for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

VERDICTS = {
    "missing": "a slot was demanded, and neither ran nor has a row that says why not",
    "unjustified": "a slot was demanded and did not run; what its row says is not what was seen",
    "unexpected": "something ran, or was closed, for a slot that no version in force had",
    "double": "a slot ran twice, or has two dispositions (I7, I8)",
    "early": "something began before its slot, or before its start was written (I9, I17)",
    "late": "a run of a series began long after its slot, though a dispatcher lived all the time",
    "torn": "a run began and did not end, though its process lived; or ended and never began",
    "unwitnessed": "the ledger says that a run succeeded, and nobody saw it",
    "dropped": "a run ended in a process that lived, and the ledger does not say so",
    "false death": "a run was given up as lost, though its process lived",
    "unclosed": "a run of a process that died was not closed in time",
    "no retry": "a run died, its author asked for a retry then, and none ran",
    "stale": "a run started under a text that was not in force (I11)",
    "gap": "an enabled task had not its one open row, or two stood open (I3, I4)",
    "untiled": "the rows of a series do not tile time, or do not name what they pass over (I10)",
    "misnamed": "a key or a digest is not that of its facts (I1)",
    "unaccounted": "an act of the ledger was nobody's, or somebody's act is not in the ledger",
    "repaired": "the sweep had to make a row that should have stood",
    "mute": "a pass of the sweep did not close, or its totals do not add up (I13)",
    "invalid": "too little happened for the run to prove anything",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict, of which task and slot, and what was found."""

    verdict: str
    detail: str
    tenant: str = ""
    task: str = ""
    slot: datetime | None = None

    def __str__(self) -> str:
        where = f" {self.tenant}/{self.task}" if self.task else ""
        when = f" {self.slot.isoformat()}" if self.slot else ""
        return f"{self.verdict}:{where}{when}: {self.detail}"


@dataclass(slots=True)
class Judgement:
    """All that was found, and the counts of what was looked at."""

    findings: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    # Milliseconds from each slot to the begin that its handler wrote.
    lateness_ms: list[float] = field(default_factory=list)

    @property
    def verdicts(self) -> set[str]:
        return {finding.verdict for finding in self.findings}

    def find(
        self, verdict: str, detail: str, tenant: str = "", task: str = "", slot: datetime | None = None
    ) -> None:
        if verdict not in VERDICTS:
            raise KeyError(verdict)
        self.findings.append(Finding(verdict, detail, tenant, task, slot))
