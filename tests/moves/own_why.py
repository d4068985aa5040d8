"""What became of each minute of a task, a second time: told forward from a history's own book.

Written from DESIGN's rules over the model of the histories; nothing of the product is imported. It does not
look a minute up: it goes through the acts and the rows of a task in their order, and gives each slot the last
word that was spoken on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from tests.moves.histories.book import NEVER, SERIES, Book, Row
from tests.moves.histories.texts import Text
from tests.moves.own_slots import own_slots

MINUTE = timedelta(minutes=1)


class Told(NamedTuple):
    """A word on one instant, and what it rests on."""

    at: datetime
    word: str
    reason: str | None = None
    key: UUID | None = None
    act: int | None = None


class Account:
    """All that there is to say of one task, up to a horizon.

    `gone` are rows that were taken out of the ledger behind its back; `held`: the tenant is suspended.
    """

    def __init__(
        self, book: Book, name: tuple[str, str], horizon: datetime, gone: set[UUID], *, held: bool
    ) -> None:
        self.book, self.acts, self.horizon, self.held = book, book.acts[name], horizon, held
        rows = [r for r in book.of(name) if r.key not in gone]
        self.rows = [r for r in rows if r.state not in ("retired", "ended")]
        self.series = sorted((r for r in self.rows if r.lane == SERIES), key=lambda r: r.due)
        self.on = name in book.tasks and book.tasks[name].enabled
        newest = self.acts[-1]
        self.ends = [r for r in rows if r.state == "ended" and self.on and r.digest == newest.digest]
        self.words: dict[datetime, Told] = {}
        for n in range(len(self.acts)):
            self._reign(n)
        for row in self.series:
            self._passed(row, row.due)
        if self.ends and not self.open:
            self._passed(self.ends[0], horizon)
        for row in book.of(name):
            if row.key in gone:
                self._gap(row)
        for row in self.series:
            self.words.pop(row.due, None)

    @property
    def open(self) -> Row | None:
        return next((r for r in self.series if r.state == "pending"), None)

    def _reign(self, n: int) -> None:
        """The slots that the version of an act had before it when the next act came, or has now."""
        act, last = self.acts[n], n == len(self.acts) - 1
        if not act.enabled or act.resume_after is None:
            return
        version = self.book.texts[act.digest].version
        begun = [r for r in self.series if r.state != "pending" and _left(r) <= act.at]
        low = max([act.resume_after, *(r.due for r in begun)])
        high = self.horizon if last else self.acts[n + 1].at
        if last:
            low = max([low, *(r.due for r in self.series if r.state != "pending")])
        for slot in version.to_pass(low, high + timedelta(microseconds=1)):
            if version.paused_until is not None and slot < version.paused_until:
                self.words[slot] = Told(slot, "paused", "paused", act=act.n)
            elif not last:
                self.words[slot] = Told(slot, "retired", self.acts[n + 1].what, act=self.acts[n + 1].n)
            elif self.open is not None:
                self.words[slot] = Told(slot, "not yet", key=self.open.key)
            elif not self.ends:
                self.words[slot] = Told(slot, "violation", "missing")

    def _passed(self, row: Row, until: datetime) -> None:
        """What a row covers is no longer its version's to lose: it is passed over, or was never a slot."""
        assert row.after is not None
        version = self.book.texts[row.digest].version
        for slot in version.to_pass(row.after, until):
            for entry in row.passed or ():
                if str(entry["first"]) <= f"{slot:%Y-%m-%dT%H:%M:%S.%fZ}" <= str(entry["last"]):
                    word = "paused" if entry["reason"] == "paused" else "passed"
                    self.words[slot] = Told(slot, word, str(entry["reason"]), row.key)

    def _gap(self, gone: Row) -> None:
        """Where a closed row was, the series has a hole before the row that followed it."""
        if gone.state == "pending":
            return
        follows = next(r for r in self.series if r.due > gone.due)
        self.words[gone.due] = Told(gone.due, "violation", "gap", follows.key)

    def minute(self, start: datetime) -> list[Told]:
        """What is to be said of a minute, in order; at least one thing."""
        until = start + MINUTE
        told = [self._row(r) for r in self.rows if start <= r.due < until]
        told += [one for at, one in self.words.items() if start <= at < until]
        return sorted(told, key=lambda one: (one.at, str(one.key))) or [self._nothing(start)]

    def _row(self, row: Row) -> Told:
        if row.started is not None:
            word = "ran"
        elif row.state in ("skipped", "cancelled"):
            word = row.state
        elif row.blocked_by is not None:
            word = "set aside" if row.blocked_by == row.key else "waiting"
        elif row.run_at > self.book.clock:
            word = "not yet"
        else:
            word = "held" if self.held else "not yet"
        return Told(row.due, word, row.reason if word == "skipped" else None, row.key)

    def _nothing(self, start: datetime) -> Told:
        before = [act for act in self.acts if act.at <= start]
        meanwhile = [act for act in self.acts if start < act.at < start + MINUTE]
        for act in [*before[-1:], *meanwhile]:
            if not act.enabled:
                return Told(start, "off", act.what, act=act.n)
        if not before:
            return Told(start, "not defined", act=self.acts[0].n)
        resumed = self.acts[-1].resume_after
        if self.ends and resumed is not None and start > resumed and not any(self._beyond(start)):
            return Told(start, "no slot", "ended")
        return Told(start, "no slot", _bounded(self.book.texts[before[-1].digest], start))

    def _beyond(self, start: datetime) -> Iterator[bool]:
        yield from (r.due > start for r in self.series)


def _left(row: Row) -> datetime:
    return row.started or row.closed or NEVER


def _bounded(text: Text, start: datetime) -> str | None:
    """Whether the rule has a slot in a minute all the same: one that came too late, or past its end."""
    low = start - timedelta(microseconds=1)
    if text.slots.between(low, start + MINUTE):
        return "behind"
    endless = own_slots({k: v for k, v in text.schedule.items() if k != "ends_at"})
    return "excluded" if endless.between(low, start + MINUTE) else None
