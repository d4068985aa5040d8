"""A history written out by hand, as a run without a flaw would leave it: what mutants are made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from blake3 import blake3

from benchmarks.judge.history import Act, Frame, History, Life, Mark, Pass, Row, Spot, Text, Window
from benchmarks.judge.names import key_of

T0 = datetime(2026, 12, 1, 10, 0, 0, tzinfo=UTC)
SECONDS = 60
# A process is killed at this second, and the run it was at is closed as lost at the other.
KILLED, LOST = 20.02, 32.0
FAR = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


def at(second: float) -> datetime:
    """So many seconds into the run."""
    return T0 + timedelta(seconds=second)


def spelled(second: float) -> str:
    return at(second).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Script:
    """One task's part of a history: acts and dispositions, written down in the order in which they come."""

    def __init__(self, history: History, task: str) -> None:
        self.history = history
        self.task = task
        self.n = 0
        self.digest = ""
        self.after = at(-3600)

    def act(
        self,
        what: str,
        second: float,
        authored: dict[str, object] | None = None,
        *,
        begin: float | None = None,
        commit: float | None = None,
        resume_after: float | None = None,
        enabled: bool | None = None,
    ) -> None:
        """An act at a second; its transaction is open for 0.01 s before and after, if not said otherwise."""
        if authored is not None:
            canonical = json.dumps(authored, sort_keys=True, separators=(",", ":"))
            self.digest = blake3(
                canonical.encode(), derive_key_context="occurrence-ledger 2026-11-30 task digest v1"
            ).hexdigest()
            self.history.texts.append(Text("t", self.digest, canonical))
        on = what not in ("disable", "delete") if enabled is None else enabled
        resumes = at(second if resume_after is None else resume_after) if on else None
        self.n += 1
        self.history.acts.append(Act("t", self.task, self.n, at(second), what, self.digest, on, resumes))
        began = at(second - 0.01 if begin is None else begin)
        done = at(second + 0.01 if commit is None else commit)
        schedule = authored["schedule"] if authored is not None else None
        assert schedule is None or isinstance(schedule, dict)
        self.history.windows.append(Window("t", self.task, what, began, done, True, schedule))
        if resumes is not None:
            self.after = max(self.after, resumes)

    def run(
        self,
        second: float,
        *,
        life: str = "b-1",
        wake: str = "schedule",
        started: float | None = None,
        passed: list[dict[str, object]] | None = None,
    ) -> Row:
        """A run that began 5 ms after its slot, or after `started`, and ended 10 ms later."""
        begun = second + 0.005 if started is None else started
        row = self._row(
            second, "succeeded", wake, started=begun, closed=begun + 0.03, life=life, passed=passed
        )
        self._mark("begin", row, begun + 0.002, life)
        self._mark("end", row, begun + 0.012, life)
        return row

    def die(self, second: float, *, life: str = "a-1") -> Row:
        """A run that began, and whose process was killed; it was closed as lost later."""
        row = self._row(second, "lost", "schedule", started=second + 0.005, closed=LOST, life=life)
        self._mark("begin", row, second + 0.01, life)
        return row

    def skip(self, second: float, reason: str, blocker: Row | None = None) -> Row:
        """A slot closed without a run."""
        row = self._row(second, "skipped", "schedule", closed=second + 0.005, reason=reason)
        return self._swap(row, replace(row, blocked_by=blocker.key if blocker else None))

    def open(self, second: float) -> Row:
        """The row that stands open at the end."""
        return self._row(second, "pending", "schedule")

    def ends(self) -> None:
        """The row that says that the series has ended."""
        row = self._row(0, "ended", "end")
        row = self._swap(row, replace(row, due=FAR))
        key, fingerprint = key_of(row)
        self._swap(row, replace(row, key=key, fingerprint=fingerprint))

    def _row(
        self,
        second: float,
        state: str,
        wake: str,
        *,
        started: float | None = None,
        closed: float | None = None,
        life: str | None = None,
        reason: str | None = None,
        passed: list[dict[str, object]] | None = None,
    ) -> Row:
        retry = wake.startswith("retry:")
        row = Row(
            key="",
            tenant="t",
            task=self.task,
            digest=self.digest,
            delivery="python",
            wake=wake,
            agent="default",
            destination="local:default",
            due=at(second),
            fingerprint="",
            lane=f"{wake}@{spelled(second)}" if retry else "series",
            state=state,
            reason=reason,
            blocked_by=None,
            after=None if retry else self.after,
            passed=passed,
            made_by="start",
            incarnation=None if life is None else {"a-1": 1, "b-1": 2, "a-2": 3}[life],
            created=T0,
            started=None if started is None else at(started),
            closed=None if closed is None else at(closed),
        )
        key, fingerprint = key_of(row)
        row = replace(row, key=key, fingerprint=fingerprint)
        self.history.rows.append(row)
        if not retry and state != "ended":
            self.after = at(second)
        return row

    def _swap(self, old: Row, new: Row) -> Row:
        self.history.rows[self.history.rows.index(old)] = new
        return new

    def _mark(self, what: str, row: Row, second: float, life: str) -> None:
        self.history.marks.append(Mark(what, "t", self.task, row.key, row.due, at(second), life))


def passed(seconds: list[float], reason: str) -> list[dict[str, object]]:
    """What a row keeps of the slots that it passes over."""
    first, last = spelled(seconds[0]), spelled(seconds[-1])
    return [{"first": first, "last": last, "count": len(seconds), "reason": reason}]


def grid(first: float, until: float, step: float) -> Iterator[float]:
    while first < until:
        yield first
        first += step


def every(seconds: int, **more: object) -> dict[str, object]:
    """An authored object that runs every so many seconds, on the run's first instant."""
    schedule: dict[str, object] = {"every_s": seconds, "anchor": spelled(0)}
    return {"entrypoint": "mark", "schedule": schedule, **more}


def good() -> History:
    """One minute of eight tasks and two processes, one of them killed at second 20 and started again."""
    history = History(Frame(7, T0, at(SECONDS), at(75)))
    history.lives += [
        Life("a-1", [1], at(-2), at(KILLED), "killed"),
        Life("a-2", [3], at(22), at(76), "stopped"),
        Life("b-1", [2], at(-1), at(76), "stopped"),
    ]
    history.spots += [Spot(at(second), []) for second in range(SECONDS)]
    history.passes += [Pass(n, at(10 * n), 1, 1, 0, 0, 0) for n in (1, 2, 3, 4)]
    _steady(history)
    _edited(history)
    _switched(history)
    _died(history)
    _retried(history)
    _held(history)
    _minutely(history)
    return history


def _steady(history: History) -> None:
    """Every two seconds; its last slots until the horizon pass, then the series ends at 70."""
    script = Script(history, "steady")
    authored = every(2)
    schedule = authored["schedule"]
    assert isinstance(schedule, dict)
    schedule["ends_at"] = spelled(70)
    script.act("define", -1.5, authored)
    for second in grid(0, 70, 2):
        script.run(second)
    script.ends()


def _edited(history: History) -> None:
    """An edit that keeps every slot, made while the one at 10 has come; then one to another rule."""
    script = Script(history, "edited")
    script.act("define", -1.5, every(2))
    for second in grid(0, 10, 2):
        script.run(second)
    script.act("edit", 10.003, every(2, name="again"), resume_after=9.999999)
    script.run(10, started=10.02)
    for second in grid(12, 30, 2):
        script.run(second)
    # Open from 28.5 to 30.51: the old rule's slot at 30 is taken away before it ran. The new one's is 31.5.
    schedule = {"every_s": 3, "anchor": spelled(1.5)}
    script.act("edit", 30.5, {"entrypoint": "mark", "schedule": schedule}, begin=28.5)
    for second in grid(31.5, 75, 3):
        script.run(second)
    script.open(76.5)


def _switched(history: History) -> None:
    """Switched off while its slot at 20 comes, on again, deleted and defined once more."""
    script = Script(history, "switched")
    script.act("define", -1.5, every(4))
    for second in grid(0, 20, 4):
        script.run(second)
    script.act("disable", 20.5, begin=19)
    script.act("enable", 29)
    for second in grid(32, 48, 4):
        script.run(second)
    script.act("delete", 45.5, begin=44.1)
    script.act("define", 50, every(4, name="anew"))
    for second in grid(52, 75, 4):
        script.run(second)
    script.open(76)


def _died(history: History) -> None:
    """Its run at 20 dies: the next six slots find it in their way; then the doubled interval has passed."""
    script = Script(history, "died")
    script.act("define", -1.5, every(2))
    for second in grid(0, 20, 2):
        script.run(second, life="a-1")
    blocker = script.die(20)
    for second in grid(22, 32, 2):
        script.skip(second, "overlap", blocker)
    for second in grid(32, 75, 2):
        script.run(second, life="a-2")
    script.open(76)
    slow = Script(history, "slow")
    slow.act("define", -1.5, every(10))
    slow.run(0)
    slow.run(10)
    slow.die(20)
    # Lost at 32; nothing starts before 20.005 + 20: the slot at 40 is skipped, and 50 follows.
    slow.after = at(20)
    first = slow.skip(30, "overlap", history.rows[-1])
    assert first.after == at(20)
    slow.skip(40, "backoff")
    slow.run(50)
    slow.run(60)
    slow.run(70)
    slow.open(80)


def _retried(history: History) -> None:
    """Its run at 20 dies and is run again, as its author asked, under the rule that is in force by then."""
    script = Script(history, "retried")
    retry = {"attempts": 1, "on": ["lost"], "backoff_s": 0}
    script.act("define", -1.5, every(10, retry=retry))
    script.run(0)
    script.run(10)
    script.die(20)
    schedule = {"every_s": 10, "anchor": spelled(5)}
    script.act("edit", 26, {"entrypoint": "mark", "schedule": schedule, "retry": retry}, begin=24)
    script.run(20, wake="retry:1", started=32.1)
    for second in (35, 45, 55, 65):
        script.run(second)
    script.open(75)


def _held(history: History) -> None:
    """An edit holds the task from 29.95 to 34.5: of the slots that came meanwhile the newest runs."""
    script = Script(history, "held")
    script.act("define", -1.5, every(2))
    for second in grid(0, 30, 2):
        script.run(second)
    script.act("edit", 29.95, every(2, name="held"), commit=34.5)
    script.skip(30, "misfire")
    script.run(34, started=34.52, passed=passed([32], "misfire"))
    for second in grid(36, 75, 2):
        script.run(second)
    script.open(76)


def _minutely(history: History) -> None:
    """Each minute, by the clock of a zone half an hour off the hour."""
    script = Script(history, "minutely")
    schedule = {"cron": "30-31 15 * * *", "timezone": "Asia/Kolkata"}
    script.act("define", -1.5, {"entrypoint": "mark", "schedule": schedule})
    script.run(0)
    script.run(60)
    script.open(86_400)
