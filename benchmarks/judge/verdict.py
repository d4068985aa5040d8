"""The judge: a history in, a judgement out."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import quantiles

from benchmarks.judge.case import cases_of, dead_of
from benchmarks.judge.findings import VERDICTS, Judgement
from benchmarks.judge.history import History, Pass
from benchmarks.judge.names import judge_names
from benchmarks.judge.runs import judge_runs
from benchmarks.judge.tiling import judge_series

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Least:
    """What a run must have done to prove anything. `slots` are those that ran exactly once, on demand."""

    slots: int
    kills: int
    acts: int
    # Of each kind of act, the parts of `slots` that may stay uncounted, and looks a second.
    acts_of_a_kind: int = 5
    share: float = 0.8
    looks_a_second: float = 0.5
    passes: int = 3


def judge(history: History, least: Least) -> Judgement:
    """Judge a run. It is good where nothing is found."""
    judgement = Judgement()
    judge_names(history, judgement)
    dead = dead_of(history)
    for case in cases_of(history, judgement):
        judge_runs(case, dead, judgement)
        judge_series(case, judgement)
        judgement.counts["tasks"] += 1
    for spot in history.spots:
        for wrong in spot.wrong:
            judgement.find("gap", f"at {spot.at}: {wrong}")
    for one in history.passes:
        if (said := _mute(one)) is not None:
            judgement.find("mute", f"pass {one.id}: {said}")
    _enough(history, least, judgement)
    return judgement


def _mute(one: Pass) -> str | None:
    parts = (one.healthy, one.repaired, one.failed)
    if one.closed is None or one.expected is None or None in parts:
        return "it did not close"
    total = sum(part or 0 for part in parts)
    return None if total == one.expected else f"{one.expected} tenants, {total} verdicts"


def _enough(history: History, least: Least, judgement: Judgement) -> None:
    """A run that did too little is no proof, however clean it looks."""
    counts = judgement.counts
    seconds = (history.frame.horizon - history.frame.began).total_seconds()
    counts["processes killed"] = sum(life.how == "killed" for life in history.lives)
    counts["looks in between"] = len(history.spots)
    counts["passes of the sweep"] = len(history.passes)
    for life in history.lives:
        if life.how not in ("killed", "stopped"):
            judgement.find("invalid", f"the dispatcher {life.name} {life.how} by itself")
    wanted = {
        "ran once": least.slots,
        "processes killed": least.kills,
        "acts": least.acts,
        "looks in between": int(seconds * least.looks_a_second),
        "passes of the sweep": least.passes,
        **{
            f"acts: {what}": least.acts_of_a_kind
            for what in ("define", "edit", "enable", "disable", "delete")
        },
    }
    for what, number in wanted.items():
        if counts[what] < number:
            judgement.find("invalid", f"{what}: {counts[what]}, at least {number} are needed")
    if counts["ran once"] < least.share * counts["slots demanded"]:
        judgement.find(
            "invalid", f"only {counts['ran once']} of {counts['slots demanded']} demanded slots ran once"
        )


def report(history: History, judgement: Judgement) -> str:
    """The judgement in lines: counts, lateness, each finding up to a dozen of a kind, and the word."""
    frame = history.frame
    seconds = (frame.horizon - frame.began).total_seconds()
    lines = [f"seed {frame.seed}, {seconds:.0f} s of load, {frame.began.isoformat()}"]
    lines += [f"  {count:>8,}  {what}" for what, count in sorted(judgement.counts.items())]
    late = judgement.lateness_ms
    if len(late) > 1:
        cuts = quantiles(late, n=100)
        lines.append(
            f"  begin after slot: p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, max {max(late):.1f} ms"
        )
    for verdict, rule in VERDICTS.items():
        found = [one for one in judgement.findings if one.verdict == verdict]
        if found:
            lines.append(f"{len(found)} × {verdict}: {rule}")
            lines += [f"    {one}" for one in found[:SHOWN]]
    lines.append("good: nothing found" if not judgement.findings else "BAD")
    return "\n".join(lines)
