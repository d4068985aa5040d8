"""The demo, act by act. What it says comes from the ledger's answers, its commands and the handlers' file."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import median
from uuid import UUID

from ledger import Ledger
from ledger.demo import tasks
from ledger.demo.account import gather, open_row, running, settled
from ledger.demo.judge import Judgement, Series, judge
from ledger.demo.pull import Runtime
from ledger.demo.show import Say, Show, clock
from ledger.demo.stage import APP, DATABASE, Process, Stage, stage

BY = "demo"
# A process that is gone is seen absent twice, ten seconds apart: a shorter demo kills none.
KILLS_FROM_S = 15
_ABSENT_S = 10.5
# How long the demo waits for what should come at once.
_PATIENCE_S = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """When what happens. `start` is a whole second, and so is every slot."""

    start: datetime
    seconds: int

    @property
    def kills(self) -> bool:
        return self.seconds >= KILLS_FROM_S

    def at(self, second: float) -> datetime:
        return self.start + timedelta(seconds=second)

    @property
    def until(self) -> datetime:
        """The end of the window that is judged."""
        return self.at(self.seconds)


@dataclass(slots=True)
class Play:
    """One demo under way, and what it found wrong so far."""

    show: Show
    ledger: Ledger
    stage: Stage
    plan: Plan
    runtime: Runtime
    asked: Sequence[tasks.Asked]
    faults: list[str] = field(default_factory=list)
    requests: dict[str, datetime] = field(default_factory=dict)
    deleted: UUID | None = None

    def define(self) -> None:
        """The tenants ask for their tasks; one asks for a run outside its series."""
        self.show.act(
            f"3. Three tenants ask for {len(self.asked)} tasks.",
            "Each has one open row at once: its next run, under a key derived from the facts of that run.",
        )
        for one in self.asked:
            acted = self.ledger.tenant(one.tenant, by=BY).define(one.task, one.what)
            name = f"{one.tenant}/{one.task}"
            self.show.say(f"  {name:<16}{one.shown:<26}next {clock(acted.next)}  key {acted.key}")
        tenant, task = tasks.RUN_NOW
        done = self.ledger.tenant(tenant, by=BY).run_now(task, "demo-1")
        self.requests = {"manual:demo-1": done.due}
        self.show.say(f"  {tenant}/{task} is to run now as well: request demo-1, once, however often asked")

    def watch(self, until: datetime) -> None:
        """Show each second's runs until then."""
        while datetime.now(UTC) < until:
            self.show.runs()
            self.runtime.check()
            time.sleep(0.02)  # the runs are other processes'; their file is read as it grows

    def kill(self, processes: Sequence[Process]) -> None:
        """Kill the process that runs the slow task, at a moment when nothing else runs."""
        tenant, task = tasks.KILLED
        deadline = time.monotonic() + _PATIENCE_S
        while running(self.ledger, self.asked) != {tasks.KILLED} and time.monotonic() < deadline:
            self.watch(datetime.now(UTC) + timedelta(seconds=0.02))
        self.show.runs(last=True)
        began = self.show.seen(tenant, task)
        victims = [process for process in processes if began and process.pid == began[0].pid]
        if not victims:
            self.faults.append(f"missing: {tenant}/{task} did not begin in time, so no process was killed")
            return
        victims[0].kill()
        self.show.say(
            f"  -- kill -9 {victims[0].pid} while it runs {tenant}/{task}. The other goes on alone;"
        )
        self.show.say("     the run is lost once its process was seen absent twice, ten seconds apart.")

    def damage_and_sweep(self) -> None:
        """Delete an open row, and let a sweep find out."""
        tenant, task = tasks.DAMAGED
        self.show.runs(last=True)
        row = open_row(self.ledger, tenant, task)
        if row is None:
            self.faults.append(f"missing: {tenant}/{task} has no open row: its last start left no successor")
            self.show.command("sweep")
            return
        self.stage.delete_open(tenant, row.key)
        self.deleted = row.key
        left = open_row(self.ledger, tenant, task)
        self.show.say(
            f"  -- the open row of {tenant}/{task}, due {clock(row.due)}, is deleted behind its back:"
        )
        self.show.say(
            f"     key {row.key}; now {'it is still there' if left else 'nothing of it is to come'}."
        )
        code = self.show.command("sweep")
        again = open_row(self.ledger, tenant, task)
        ran = self.ledger.tenant(tenant).history(task, limit=1).rows
        if row.key in [again and again.key, *(found.key for found in ran)]:
            self.show.say(f"  -- repaired: {row.key} again. The same facts derive the same key.")
            self.show.say(f"     The sweep says what it had to mend, and exits with {code}.")
        else:
            found = f"{again.key} is open" if again else "nothing is open"
            self.faults.append(
                f"unrepaired: {tenant}/{task}: {row.key} was deleted, and after the sweep {found}"
            )

    def find_lost(self) -> None:
        """A second look at the process that was killed; then the retry runs in the other."""
        self.watch(datetime.now(UTC) + timedelta(seconds=_ABSENT_S))
        self.show.say("  -- the second look at the killed process: its run is lost, and its retry is due:")
        self.show.command("sweep")
        deadline = datetime.now(UTC) + timedelta(seconds=_PATIENCE_S)
        while len(self.show.seen(*tasks.KILLED)) < 2 and datetime.now(UTC) < deadline:
            self.watch(datetime.now(UTC) + timedelta(seconds=0.1))

    def last_sweep(self) -> None:
        """Nothing is left to mend, and each tenant's drill proves that it would have been mended."""
        self.show.runs(last=True)
        self.show.act(
            "5. A last sweep finds nothing to mend. It says what it looked at, and proves that it would have",
            "mended it by a drill: an open row is taken away, repaired, compared, and all of it rolled back.",
        )
        code = self.show.command("sweep")
        for one in self.stage.verdicts():
            drilled = f"{one.drill}, in {one.drill_ms:.1f} ms" if one.drill_ms is not None else one.drill
            self.show.say(
                f"  {one.tenant:<9}{one.word}: checked {one.checked}, open {one.open}, ended {one.ended}; "
                f"drill {drilled}, with {one.drill_task or 'a canary'}"
            )
        if code != 0:
            self.faults.append(f"unrepaired: the last sweep is not green (exit code {code})")

    def judge(self) -> None:
        """Hold the plain rules against the ledger's rows and the handlers' file."""
        deadline = time.monotonic() + _PATIENCE_S
        while not settled(self.ledger, self.asked, self.plan.until) and time.monotonic() < deadline:
            time.sleep(0.1)  # other processes settle it; asked of the ledger again
        self.show.runs(last=True)
        found = judge([self._gathered(one) for one in self.asked], self.show.reader.lines, self.plan.until)
        self.faults += found.faults
        self.show.act(
            f"6. The judge counts the slots to {clock(self.plan.until)} from the rules, by code of its own,",
            "and holds them against the ledger's rows and the handlers' file, both ways:",
            *_judged(found),
        )

    def _gathered(self, one: tasks.Asked) -> Series:
        name = (one.tenant, one.task)
        requests = self.requests if name == tasks.RUN_NOW else {}
        return gather(self.ledger, one, requests, self.deleted if name == tasks.DAMAGED else None)

    def look_around(self) -> None:
        """The commands that answer questions, used."""
        tenant, task = tasks.FLAKY
        self.show.act(f"7. The history of {tenant}/{task}: the first attempt fails, its retry succeeds.")
        self.show.command("history", task, "--tenant", tenant, "--limit", "6")
        if self.deleted is not None:
            self.show.act("8. Why did it run then? All that the ledger knows of the row that was deleted.")
            self.show.command("explain", str(self.deleted), "--tenant", tasks.DAMAGED[0])


def play(seconds: int, broken: str | None, say: Say) -> list[str]:
    """Play the demo with a window of so many seconds; what was wrong, a line each, empty where nothing was.

    `broken` is what to break first: `projection` or `repair`. Raises what keeps the demo from being played.
    """
    began = time.monotonic()
    say(f"The occurrence ledger at work, for about {seconds + 10} seconds. Times are UTC.")
    with _ending(), stage() as made, Ledger(made.dsn) as ledger:
        show = Show(say, made)
        show.act(
            "1. A database of its own, on the embedded Postgres.",
            f"{DATABASE} is made afresh, by {', '.join(made.migrations)}",
        )
        if broken is not None:
            made.damage(broken)
            say(f"  DEMO_BREAK={broken}: it is broken on purpose, so this demo must fail")
        processes = _start_dispatchers(show, made)
        faults = _fire(show, ledger, made, processes, seconds)
        faults += made.stop()
        _where_next(show, made)
    took = f"after {time.monotonic() - began:.0f} s"
    say(f"\nThe demo has failed, {took}:" if faults else f"\nAll is as it should be, {took}.")
    return faults


def _start_dispatchers(show: Show, made: Stage) -> list[Process]:
    show.act(
        "2. Two dispatchers wake what is due; whichever is there first starts a run. No leader, no lease.",
        f"$ ledger run --app {APP}    (twice)",
    )
    started = [made.start_dispatcher() for _ in range(2)]
    for process in started:
        process.await_active()
        show.say(f"  process {process.pid} takes work, and says what it does in {process.log}")
    return started


def _fire(show: Show, ledger: Ledger, made: Stage, processes: Sequence[Process], seconds: int) -> list[str]:
    """From the first definition to the judge's word; what was wrong."""
    # Late enough for every task to be defined before.
    plan = Plan(datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=2), seconds)
    asked = [
        one
        for one in tasks.asked(plan.start, seconds)
        if plan.kills or (one.tenant, one.task) != tasks.KILLED
    ]
    with Runtime(ledger, made.evidence, tasks.PULLED) as runtime:
        demo = Play(show, ledger, made, plan, runtime, asked)
        demo.define()
        show.act(
            "4. Tasks fire. Who began in each second, how late after the slot, by the handlers' own clock:"
        )
        if plan.kills:
            # Between slots, and before a retry may come.
            demo.watch(plan.at(1.4))
            demo.kill(processes)
        demo.watch(plan.at(3))
        demo.damage_and_sweep()
        if plan.kills:
            demo.find_lost()
        demo.watch(plan.at(seconds + 1))
        demo.last_sweep()
        demo.judge()
    demo.look_around()
    return demo.faults


def _judged(found: Judgement) -> Iterator[str]:
    wrong = f"{len(found.faults)} missing, double or extra"
    yield (
        f"{found.slots} slots and {found.requests} request: {found.first_try} done at the first try, "
        f"{found.retried} on a retry; {wrong}"
    )
    yield from found.passed
    if found.late_ms:
        yield f"late after the slot: p50 {median(found.late_ms):.1f} ms, max {max(found.late_ms):.1f} ms"


def _where_next(show: Show, made: Stage) -> None:
    show.act(
        "9. Where to look next.",
        f"The server runs on, and {DATABASE} stays as it is now; the next demo makes it afresh.",
        f"  export LEDGER_DSN='{made.dsn}'",
        "  ledger upcoming --tenant globex           what will run, and when",
        "  ledger task show report --tenant acme     what was asked for, when, by whom",
        f"  ledger run --app {APP}",
        "                                            lets it go on, until Ctrl-C",
        "  ledger health                             what is proven, and how fresh the proof is",
        f"The handlers' file: {made.evidence}",
        "ledger db stop                              stops the server; the data stay",
    )


@contextmanager
def _ending() -> Iterator[None]:
    """A demo that is told to end takes its dispatchers with it, as on Ctrl-C."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
