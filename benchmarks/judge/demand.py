"""What one task's acts demand: each slot that had to run, and under which texts it might.

Between two acts the version that is in force has its slots. A slot that comes is demanded, with one excuse:
it lies inside the open transaction of the act that takes it away, so that either order of the two is right.
What an edit keeps, since both versions hold the slot, is never excused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from benchmarks.judge.history import Act, Window
from benchmarks.judge.slots import MICROSECOND, slots_between


@dataclass(frozen=True, slots=True)
class Epoch:
    """The time from one act to the next, and what was in force; `schedule` is None while the task was off."""

    act: Act
    begin: datetime
    until: datetime
    schedule: Mapping[str, object] | None

    def holds(self, slot: datetime) -> bool:
        return self.schedule is not None and bool(slots_between(self.schedule, slot - MICROSECOND, slot))


@dataclass(slots=True)
class Slot:
    """A slot that might run, the digests under which it might, and whether it had to.

    It is `excused` where it lies inside the open transaction of the act that takes it away.
    """

    due: datetime
    schedule: Mapping[str, object]
    demanded: bool
    excused: bool = False
    digests: set[str] = field(default_factory=set)


def epochs_of(
    acts: Sequence[Act],
    windows: Mapping[int, Window],
    schedules: Mapping[str, Mapping[str, object]],
    read_at: datetime,
) -> list[Epoch]:
    """The epochs of one task, in order; `windows` are by the number of their act."""
    ordered = sorted(acts, key=lambda act: act.n)
    ends = [act.at for act in ordered[1:]] + [read_at]
    return [
        Epoch(act, windows[act.n].begin, until, schedules[act.digest] if act.enabled else None)
        for act, until in zip(ordered, ends, strict=True)
    ]


def expected(epochs: Sequence[Epoch], horizon: datetime) -> dict[datetime, Slot]:
    """Every slot that might run; demanded are those up to `horizon` that no open act took away."""
    found: dict[datetime, Slot] = {}
    for i, epoch in enumerate(epochs):
        if epoch.schedule is None:
            continue
        for due in slots_between(epoch.schedule, epoch.act.at, epoch.until):
            slot = Slot(due, epoch.schedule, due <= horizon)
            slot.excused = _follow(slot, epochs, i)
            slot.demanded &= not slot.excused
            found[due] = slot
        for due in _beside(epochs, i):
            slot = found.setdefault(due, Slot(due, epoch.schedule, False, excused=True))
            _follow(slot, epochs, i)
    return found


def _follow(slot: Slot, epochs: Sequence[Epoch], i: int) -> bool:
    """Give a slot the digests of the edits that keep it; whether an open act then takes it away."""
    slot.digests.add(epochs[i].act.digest)
    for later in epochs[i + 1 :]:
        if later.act.what == "edit" and later.holds(slot.due):
            slot.digests.add(later.act.digest)
        else:
            return later.begin <= slot.due <= later.act.at
    return False


def _beside(epochs: Sequence[Epoch], i: int) -> Iterator[datetime]:
    """Slots of an edit's new version that came while it was open, after one that both versions hold.

    The series resumes before that one, if it had not run, and goes on through the new version's own.
    """
    new, old = epochs[i], epochs[i - 1]
    if i == 0 or new.act.what != "edit" or new.schedule is None or old.schedule is None:
        return
    common = False
    for due in slots_between(new.schedule, new.begin - MICROSECOND, new.act.at):
        if old.holds(due):
            common = True
        elif common:
            yield due
