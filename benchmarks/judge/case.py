"""One task's case: its acts, rows and marks side by side, and who died when."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from benchmarks.judge.demand import Epoch, Slot, epochs_of, expected
from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import Act, History, Life, Mark, Row, Window

SERIES = "series"
# States of a row that is no disposition of its slot.
OPEN = frozenset({"pending", "retired", "ended"})


@dataclass(slots=True)
class Case:
    """What is known of one task. `texts` are authored objects by digest."""

    tenant: str
    task: str
    acts: list[Act] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)
    begins: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    texts: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    epochs: list[Epoch] = field(default_factory=list)
    slots: dict[datetime, Slot] = field(default_factory=dict)

    def of_slot(self, due: datetime) -> list[Row]:
        """The rows of a slot that have a disposition or run, in the order in which they came to it."""
        found = [row for row in self.rows.values() if row.due == due and row.state not in OPEN]
        return sorted(found, key=lambda row: (row.started or row.closed or row.created, row.wake))

    def schedule(self, digest: str) -> Mapping[str, object]:
        schedule = self.texts[digest]["schedule"]
        assert isinstance(schedule, dict)
        return schedule


@dataclass(frozen=True, slots=True)
class Dead:
    """The incarnations whose process was killed, and that process's life."""

    lives: Mapping[int, Life]
    names: Mapping[str, Life]

    def of_row(self, row: Row | None) -> Life | None:
        """The life that was killed while the row ran, if its run died with its process."""
        life = None if row is None or row.incarnation is None else self.lives.get(row.incarnation)
        if row is None or life is None or row.started is None:
            return None
        return life if row.state in ("lost", "running") and row.started <= life.ended else None

    def of_mark(self, mark: Mark) -> Life | None:
        return self.names.get(mark.life)


def dead_of(history: History) -> Dead:
    killed = [life for life in history.lives if life.how == "killed"]
    return Dead(
        {incarnation: life for life in killed for incarnation in life.incarnations},
        {life.name: life for life in killed},
    )


def cases_of(history: History, judgement: Judgement) -> Iterator[Case]:
    """Each task's case; acts and their authors' windows are matched first, each with exactly one other."""
    cases: dict[tuple[str, str], Case] = {}

    def case(of: Act | Window | Row | Mark) -> Case:
        named = of.tenant, of.task
        return cases.setdefault(named, Case(*named))

    for act in history.acts:
        case(act).acts.append(act)
    for window in history.windows:
        case(window).windows.append(window)
    for row in history.rows:
        case(row).rows[row.key] = row
    for mark in history.marks:
        one = case(mark)
        (one.begins if mark.what == "begin" else one.ends)[mark.key].append(mark)
    texts: dict[str, dict[str, Mapping[str, object]]] = defaultdict(dict)
    for text in history.texts:
        texts[text.tenant][text.digest] = json.loads(text.canonical)
    for one in cases.values():
        one.texts = texts[one.tenant]
        matched = _match(one, judgement)
        if matched is not None:
            schedules = {act.digest: one.schedule(act.digest) for act in one.acts}
            one.epochs = epochs_of(one.acts, matched, schedules, history.frame.read_at)
            one.slots = expected(one.epochs, history.frame.horizon)
            yield one


def _match(case: Case, judgement: Judgement) -> dict[int, Window] | None:
    """The window of each act, by the act's number; None, and a finding, where they do not fit each other."""
    acts = sorted(case.acts, key=lambda act: act.n)
    windows = sorted((w for w in case.windows if w.acted), key=lambda w: w.begin)
    for i, act in enumerate(acts):
        window = windows[i] if i < len(windows) else None
        wrong = _differs(case, act, i + 1, window)
        if wrong:
            judgement.find("unaccounted", wrong, case.tenant, case.task)
            return None
    if len(windows) > len(acts):
        lost = windows[len(acts)]
        judgement.find("unaccounted", f"the {lost.what} at {lost.begin} is not kept", case.tenant, case.task)
        return None
    judgement.counts["acts"] += len(acts)
    for act in acts:
        judgement.counts[f"acts: {act.what}"] += 1
    return {act.n: window for act, window in zip(acts, windows, strict=True)}


def _differs(case: Case, act: Act, n: int, window: Window | None) -> str | None:
    wrong: str | None = None
    if act.n != n:
        wrong = f"act {n} is missing; the next is {act.n}"
    elif window is None or not window.begin <= act.at <= window.commit:
        wrong = f"act {act.n} ({act.what} at {act.at}) is nobody's"
    elif act.what != window.what:
        wrong = f"act {act.n} is {act.what}; its author asked for {window.what}"
    elif act.digest not in case.texts:
        wrong = f"the text of act {act.n}, {act.digest}, is not kept"
    elif window.schedule is not None and case.schedule(act.digest) != window.schedule:
        wrong = f"act {act.n} says {case.schedule(act.digest)}; its author asked for {window.schedule}"
    elif act.what != "edit" and act.enabled == (act.what in ("disable", "delete")):
        wrong = f"act {act.n} is {act.what}, and the switch stands at {act.enabled}"
    return wrong
