"""Random histories in which rows leave for the archive at any moment, however young: nothing else may change.

The model knows no archive. Every act is foretold as if all rows were there still, so a claim, an edit, a late
finish or a request that misses one of them is seen at once. I1 to I4, I6 to I11, I15, I16, I18.

`LEDGER_ARCHIVE_HISTORIES` says how many (25; a soak 3,000), `LEDGER_SEED` from where.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from psycopg.rows import dict_row

from sweeper.moves.archive import START, archive_page
from tests.moves import audits
from tests.moves.conftest import Aloud
from tests.moves.histories import run
from tests.moves.histories.book import SERIES, Row
from tests.moves.histories.history import History
from tests.moves.histories.judge import Judge
from tests.moves.histories.run import Tally, run_history
from tests.moves.stage import Row as Seen
from tests.moves.stage import Stage

WINDOWS = (timedelta(0), timedelta(seconds=30), timedelta(minutes=10), timedelta(hours=2))
EVERY = "CREATE VIEW stage.every AS SELECT * FROM ledger.occurrence UNION ALL SELECT * FROM ledger.archive"
# What a run must have moved, or it shows nothing: of each kind of row.
LEAST = ("series", "retry", "retired", "manual", "rerun")


class SeenToo(Judge):
    """A judge to whom a row that has left for the archive stands as it stood before."""

    def __init__(self, stage: Stage, gone: set[UUID]) -> None:
        super().__init__(stage)
        self._gone = gone

    def _changes(self) -> list[Seen]:
        return [one for one in super()._changes() if not (one["op"] == "DELETE" and one["key"] in self._gone)]


class Archiving(History):
    """A history whose rows may lie in the archive; the model's book keeps them all."""

    def __init__(self, stage: Stage, seed: int) -> None:
        super().__init__(stage, seed)
        self.gone: set[UUID] = set()
        self.judge = SeenToo(stage, self.gone)

    def rows(self, *states: str) -> list[Row]:
        """What is raised up behind the ledger's back is hot: nobody can change what lies in the archive."""
        found = super().rows(*states)
        return [row for row in found if row.key not in self.gone] if states == ("retired",) else found


def archive(h: History) -> bool:
    """Rows leave, in pages of any size; exactly those that the model lets go, and each as it stood."""
    assert isinstance(h, Archiving)
    h.pause()
    cutoff = h.book.now - h.rng.choice(WINDOWS)
    leaving = {row.key for row in h.book.rows.values() if leaves(h, row, cutoff)}
    h.tell(f"archive {len(leaving)} rows from before {cutoff}")
    h.judged()
    before = {row["key"]: row for row in h.stage.rows()}
    h.gone |= leaving
    moved, after = 0, START
    while (page := h.stage.run(archive_page(after, cutoff, n=h.rng.randrange(1, 40)), "sweeper")).end:
        moved, after = moved + page.moved, page.end
    there = lying(h.stage)
    assert moved == len(leaving)
    assert {row["key"] for row in there} == h.gone, "what lies in the archive is not what was foretold"
    for row in there:
        if row["key"] in leaving:
            assert row == before[row["key"]], "a row changed on its way"
            h.counts[f"archived, {str(row['lane']).partition(':')[0]}"] += 1
            h.counts["archived, retired"] += row["state"] == "retired"
    return bool(leaving)


def leaves(h: Archiving, row: Row, cutoff: datetime) -> bool:
    """The rule of the archive, as the model has it."""
    mine = h.book.of((row.tenant, row.task))
    series = [r for r in mine if r.lane == SERIES and r.state not in ("pending", "retired", "ended")]
    slot = [r for r in mine if r.due == row.due or (r.lane == row.lane and r.lane != SERIES)]
    if row.key in h.gone or row.state in ("pending", "running", "ended"):
        return False
    if not (milliseconds(row.due) < milliseconds(cutoff) and max(row.due, row.closed or row.due) < cutoff):
        return False
    if row.key.int >> 80 != milliseconds(row.due) or any(r.state in ("pending", "running") for r in slot):
        return False
    started = [r for r in series if r.started is not None]
    if started and row is max(started, key=lambda r: r.due):
        return False
    if row.lane == SERIES or row.lane.startswith("retry:"):
        return bool(series) and row.due < max(r.due for r in series)
    return True


def milliseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def lying(stage: Stage) -> list[Seen]:
    with stage.eye.cursor(row_factory=dict_row, binary=True) as cursor:
        return cursor.execute("SELECT * FROM ledger.archive").fetchall()


@pytest.fixture
def archived(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """The stage as histories find it, but that their audits and their end look into the archive too."""
    stage.ask(EVERY)
    clear = Stage.clear

    def clear_too(own: Stage) -> None:
        clear(own)
        own.ask("DELETE FROM ledger.archive")
        own.ask("DELETE FROM ledger.archived_request")

    monkeypatch.setattr(Stage, "clear", clear_too)
    monkeypatch.setattr(run, "History", Archiving)
    monkeypatch.setitem(run.KINDS, "archive", (archive, 6.0))
    everywhere = {
        n: q if n == "i02" else q.replace("ledger.occurrence", "stage.every")
        for n, q in audits.AUDITS.items()
    }
    monkeypatch.setattr(audits, "AUDITS", everywhere)
    yield stage
    stage.ask("DROP VIEW stage.every")


@pytest.mark.counted
def test_histories_go_as_foretold_though_rows_leave_for_the_archive(archived: Stage, aloud: Aloud) -> None:
    histories = int(os.environ.get("LEDGER_ARCHIVE_HISTORIES", "25"))
    seed = int(os.environ.get("LEDGER_SEED") or random.randrange(2**31))
    tally = Tally()
    aloud(f"{histories} histories with an archive from LEDGER_SEED={seed}")
    for n in range(histories):
        run_history(archived, seed + n, tally)
    moved = Counter({kind: tally.counts[f"archived, {kind}"] for kind in LEAST})
    aloud(f"archived {dict(moved)} in {tally.acts['archive']} looks; {dict(tally.counts)}")
    # Of few histories chance alone may leave the rarest out.
    wanted = LEAST if histories >= 200 else LEAST[:3] if histories >= 20 else ()
    assert all(moved[kind] for kind in wanted), f"the run is invalid: {moved}"
