"""The model's own book: tasks, acts and rows as DESIGN's rules make them, in plain Python.

Written from the rules, not from the code that is judged: it derives keys and slots by itself, and foretells
each row whole, so that a move which does anything else is seen at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from tests.moves.histories.passing import Passed, Passing, passed_over
from tests.moves.histories.texts import Text
from tests.moves.own_governor import ONESHOT, OwnHint, decide, grid, held_off
from tests.moves.own_keys import own_key, own_retry_wait, own_text

SERIES = "series"
NEVER = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
FAILED = ("failed", "timed_out", "lost")
OPEN_ENDED = ("pending", "retired", "ended")


@dataclass(slots=True)
class Row:
    """One occurrence, as the columns have it; what is not compared comes last."""

    key: UUID
    tenant: str
    task: str
    digest: bytes
    delivery: str
    wake: str
    due: datetime
    lane: str
    state: str
    run_at: datetime
    fingerprint: bytes
    reason: str | None = None
    blocked_by: UUID | None = None
    retry_at: datetime | None = None
    after: datetime | None = None
    base: datetime | None = None
    predecessor: UUID | None = None
    source: str | None = None
    passed: Passed = None
    failures: int = 0
    incarnation: int | None = None
    started: datetime | None = None
    handed: datetime | None = None
    deadline: datetime | None = None
    closed: datetime | None = None
    outcome: str | None = None
    queued: datetime | None = None
    freed: datetime | None = None
    agent: str = "default"
    destination: str = "local:default"
    # The hint that won before the clamps, where one did.
    won: str | None = None
    # What was weighed where the plain baseline did not win: the hints that counted, and the gate.
    weighed: tuple[object, ...] | None = None
    # How often it was handed back: in all, and in a row, by those before it in its slot.
    unhanded: tuple[int, int] = (0, 0)
    retired_times: int = 0
    revived_times: int = 0
    aside_times: int = 0
    # Of several runs in its way it names one.
    blockers: frozenset[UUID] = frozenset()

    @property
    def kind(self) -> str:
        return self.wake.partition(":")[0]


@dataclass(slots=True)
class Act:
    n: int
    at: datetime
    what: str
    digest: bytes
    enabled: bool
    resume_after: datetime | None


@dataclass(slots=True)
class Hint:
    """A hint that stands in its table, and the row that has used it up."""

    says: OwnHint
    consumed_by: UUID | None = None


@dataclass(slots=True)
class Task:
    """A task that stands, its text, its switch; `twin` is null where a duplicate was asked for."""

    text: Text
    enabled: bool
    twin: tuple[str, str, str] | None


class Ref(NamedTuple):
    """What a successor is derived from."""

    after: datetime
    base: datetime
    predecessor: UUID | None


@dataclass
class Book:
    """Everything that the ledger should hold, and the two times of the act under way."""

    now: datetime
    clock: datetime
    tasks: dict[tuple[str, str], Task] = field(default_factory=dict)
    acts: dict[tuple[str, str], list[Act]] = field(default_factory=dict)
    rows: dict[tuple[str, UUID], Row] = field(default_factory=dict)
    texts: dict[bytes, Text] = field(default_factory=dict)
    # By kind: of each, one at most stands.
    hints: dict[tuple[str, str], dict[str, Hint]] = field(default_factory=dict)
    evidence: int = 0
    consumed: int = 0
    # How often policies decided, by what they did.
    decided: Counter[str] = field(default_factory=Counter)

    # --- Looking -------------------------------------------------------------------------------

    def of(self, name: tuple[str, str], *states: str) -> list[Row]:
        """The rows of a task in these states; all of them without any."""
        return [
            r for r in self.rows.values() if (r.tenant, r.task) == name and (not states or r.state in states)
        ]

    def open_series(self, name: tuple[str, str]) -> Row | None:
        """The row that an enabled task must have: the open one, or the one that says it has ended (I4)."""
        digest = self.tasks[name].text.digest
        found = [r for r in self.of(name, "pending", "ended") if r.lane == SERIES and r.digest == digest]
        # A hint may open a row beside the end.
        found.sort(key=lambda r: r.state == "ended")
        assert [r.state for r in found] in ([], ["pending"], ["ended"], ["pending", "ended"]), found
        return found[0] if found else None

    def frontier(self, name: tuple[str, str]) -> Row | None:
        rows = [r for r in self.of(name) if r.lane == SERIES and r.state not in OPEN_ENDED]
        return max(rows, key=lambda r: r.due, default=None)

    def runs(self, name: tuple[str, str]) -> list[Row]:
        """What runs of a task: one at most, but for a policy that allows more."""
        found = self.of(name, "running")
        exclusive = [r for r in found if self.texts[r.digest].overlap != "allow"]
        assert len(exclusive) <= 1
        return found

    # --- The reference, and what follows from it ---------------------------------------------------

    def after(self, name: tuple[str, str], resume_after: datetime) -> datetime:
        frontier = self.frontier(name)
        return resume_after if frontier is None else max(resume_after, frontier.due)

    def reference(self, name: tuple[str, str]) -> Ref:
        """What the next row of a task's series is derived from."""
        act = self.acts[name][-1]
        assert act.resume_after is not None
        frontier = self.frontier(name)
        # An edit does not move it: edits would put the first row that counts from it off for ever.
        switched_on = [a.at for a in self.acts[name] if a.what != "edit"][-1]
        base = switched_on if frontier is None else frontier.started or frontier.closed
        assert base is not None
        return Ref(self.after(name, act.resume_after), base, frontier.key if frontier else None)

    def successor(self, name: tuple[str, str]) -> Row:
        """The row that the reference calls for: after the frontier or the act, whichever is later."""
        ref, frontier, act = self.reference(name), self.frontier(name), self.acts[name][-1]
        passing = None
        assert act.resume_after is not None
        if frontier is not None and frontier.due > act.resume_after:
            if frontier.reason == "backoff":
                passing = self.backs_off(name, frontier.failures)
            elif frontier.reason == "misfire":
                passing = self.too_late(name, ref.base)
        return self.follow(name, ref, passing)

    def backs_off(self, name: tuple[str, str], failures: int) -> Passing | None:
        """What failures make the row after one that they held back pass over."""
        gate = self.gate(name, failures)
        return Passing(gate, "backoff") if gate else None

    def too_late(self, name: tuple[str, str], moment: datetime) -> Passing | None:
        """What a row that was too late makes the one after it pass over; the newest may run in any case."""
        text = self.tasks[name].text
        if text.grace is None or text.catch_up == "latest":
            return None
        return Passing(moment - text.grace, "grace")

    def standing(self, name: tuple[str, str]) -> list[OwnHint]:
        """The hints of a task that nothing has used up."""
        return [hint.says for hint in self.hints.get(name, {}).values() if hint.consumed_by is None]

    def use_up(self, row: Row) -> None:
        """A row begins: the instant that it stands for, or one that it comes after, has had its run."""
        hint = self.hints.get((row.tenant, row.task), {}).get(ONESHOT)
        if row.lane != SERIES or hint is None or hint.consumed_by is not None:
            return
        assert hint.says.at is not None
        if row.won == ONESHOT or max(hint.says.at, hint.says.given) <= row.due:
            hint.consumed_by = row.key
            self.consumed += 1

    def follow(self, name: tuple[str, str], ref: Ref, passing: Passing | None = None) -> Row:
        """What the Governor says after a reference; or the rule alone, where slots are passed over."""
        version = self.tasks[name].text.version
        too_late = passing.until if passing is not None and passing.why == "grace" else None
        hints = [] if passing and not too_late else self.standing(name)
        if passing is not None and passing.why == "backoff":
            answer = held_off(ref.after, ref.base, passing.until, version)
        elif passing is not None and passing.why == "misfire":
            answer = grid(ref.after, passing.until, version)
        else:
            answer = decide(ref.after, ref.base, version, hints, too_late)
        row = self.derive(name, answer.wake, answer.due or NEVER, "pending" if answer.due else "ended")
        row.after, row.base, row.predecessor = ref
        row.source, row.won = answer.source, answer.won
        row.passed = passed_over(
            version, (ref.after, row.due), answer.chosen if answer.won else None, passing
        )
        if passing or answer.source not in (version.plain, None):
            # Renewed, a hint says the same.
            counted = [hint._replace(expires=NEVER) for hint in hints if hint.counts(ref.after, ref.base)]
            row.weighed = (passing, *sorted(counted))
        return row

    def derive(self, name: tuple[str, str], wake: str, due: datetime, state: str = "pending") -> Row:
        """A row of a task under its text, named by its facts (I1)."""
        text = self.tasks[name].text
        facts = (name[0], text.delivery, wake, "default", "local:default", name[1], text.digest.hex())
        own = own_key(facts, due)
        lane = wake if wake.startswith("manual") else SERIES
        if wake.startswith(("retry", "rerun")):
            lane = f"{wake}@{own_text(due)}"
        return Row(own.key, *name, text.digest, text.delivery, wake, due, lane, state, due, own.fingerprint)

    # --- What every move is made of ----------------------------------------------------------------

    def enter(self, row: Row) -> Row:
        """Open a row under its key, revive a retired one, or find it open."""
        there = self.rows.get((row.tenant, row.key))
        if there is None:
            self.rows[row.tenant, row.key] = row
            return row
        assert there.fingerprint == row.fingerprint
        if there.state == "retired":
            assert there.started is None
            row.unhanded, row.aside_times = there.unhanded, there.aside_times
            row.retired_times, row.revived_times = there.retired_times, there.revived_times + 1
            self.rows[row.tenant, row.key] = row
            return row
        assert there.state in ("pending", "running", "ended"), f"a closed row was derived again: {there}"
        return there

    def retire(self, row: Row, why: str) -> None:
        row.state, row.reason = "retired", why
        row.blocked_by = row.retry_at = row.queued = row.freed = None
        row.retired_times += 1

    def retry_of(self, row: Row, state: str, *, unhanded: bool) -> Row | None:
        """The retry that a closing mints, under the digest in force; None where none is asked for."""
        name = (row.tenant, row.task)
        task = self.tasks.get(name)
        free, in_a_row = row.unhanded
        if task is None or not task.enabled or (unhanded and in_a_row == 2):
            return None
        n = attempt(row.wake) + 1
        counted = n - free
        if not unhanded and counted > task.text.retries(state):
            return None
        retry = self.derive(name, f"{retry_word(row.wake, n)}", row.due)
        retry.predecessor, retry.failures = row.key, row.failures
        retry.unhanded = (free + 1, in_a_row + 1) if unhanded else (free, 0)
        retry.run_at = self.now
        if not unhanded:
            retry.run_at += own_retry_wait(retry.fingerprint, counted, *task.text.backoff())
        return retry

    def wait(self, row: Row, blockers: Sequence[Row]) -> None:
        """A row waits for what runs of its task; where that is more than one run, it names any of them."""
        row.blocked_by, row.reason, row.freed = blockers[0].key, "waiting", None
        row.blockers = frozenset(r.key for r in blockers)
        row.queued = row.queued or self.now

    def free(self, row: Row) -> None:
        """A row that waited is due again."""
        row.blocked_by, row.reason, row.freed = None, None, self.now

    def free_oldest(self, name: tuple[str, str]) -> None:
        """Give the oldest row that waits its turn."""
        waiting = [r for r in self.of(name, "pending") if r.blocked_by not in (None, r.key)]
        if waiting:
            self.free(min(waiting, key=lambda r: (r.due, r.key)))

    # --- Failures ------------------------------------------------------------------------------------

    def failures(self, row: Row) -> int:
        """Slots failed in a row up to the one before `row`, which failed if its last attempt did."""
        before = self.rows.get((row.tenant, row.predecessor)) if row.predecessor else None
        if before is None:
            return 0
        slot = [before]
        for r in self.of((row.tenant, row.task)):
            if r.kind == "retry" and r.due == before.due and r.closed is not None:
                slot.append(r)
        return max(slot, key=lambda r: attempt(r.wake)).failures

    def gate(self, name: tuple[str, str], failures: int) -> datetime | None:
        """No slot before this instant starts, after so many failed ones."""
        every = self.tasks[name].text.backed_off
        started = [r for r in self.of(name) if r.lane == SERIES and r.started is not None]
        if not failures or every is None or not started:
            return None
        last = max(started, key=lambda r: r.due).started
        assert last is not None
        return last + every * 2 ** min(failures, 5)


def attempt(wake: str) -> int:
    kind, _, rest = wake.partition(":")
    return int(rest.partition(":")[0]) if kind in ("retry", "rerun") else 0


def retry_word(wake: str, n: int) -> str:
    """The wake of retry n of a run: a series run is retried, any other is run again."""
    kind, _, rest = wake.partition(":")
    if kind in ("schedule", "hint", "retry"):
        return f"retry:{n}"
    return f"rerun:{n}:{rest.partition(':')[2] if kind == 'rerun' else wake}"


def second(n: float) -> timedelta:
    return timedelta(seconds=n)
