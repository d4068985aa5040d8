"""Every row of the ledger judged, by as many processes as are asked for: what they compute takes a core each.

The rows are split by their keys, into parts so small that a bar moves and no process is left with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context

from ledger.driver.connect import SyncConnection, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.moves.step import ask
from ledger.moves.verify import Misnamed, Part, Place, verify_page
from ledger.statements.verify import SPLIT_ROWS

# Rows of one part; fewer than that are judged here, without another process.
PART = 20_000
_APPLICATION = "ledger verify"
_READER = Scope("reader", None, Limits(statement_ms=300_000))


@dataclass(slots=True)
class Verified:
    """How many rows were judged, and those that are misnamed, in the order of their keys."""

    rows: int = 0
    misnamed: list[Misnamed] = field(default_factory=list)


def verify_all(
    dsn: str, *, in_database: bool, jobs: int, told: Callable[[int, int], None], part: int = PART
) -> Verified:
    """Judge every row, in at most `jobs` processes; `told` hears how many parts of how many are done.

    Raises `Unreachable` where the database cannot be reached, `Misconfigured` where it holds no ledger.
    """
    with connect(dsn, application=_APPLICATION) as connection:
        parts = list(_split(connection, part))
        if jobs == 1 or len(parts) == 1:
            found = []
            for one in parts:
                found.append(_judge(connection, one, in_database))
                told(len(found), len(parts))
            return _joined(found)
    return _joined(_side_by_side(dsn, parts, in_database, jobs, told))


def _split(connection: SyncConnection, part: int) -> Iterator[Part]:
    """Parts of the rows that stand now; the last one takes whatever comes meanwhile."""
    low = None
    for row in run(connection, ask(SPLIT_ROWS(n=part)), _READER):
        yield Part(low, row.key)
        low = row.key
    yield Part(low, None)


def _judge(connection: SyncConnection, part: Part, in_database: bool) -> Verified:
    found = Verified()
    place: Place | None = part.start
    while place is not None:
        page = run(connection, verify_page(place, part.until, in_database=in_database), _READER)
        found.rows += page.rows
        found.misnamed += page.misnamed
        place = page.end
    return found


def _side_by_side(
    dsn: str, parts: Sequence[Part], in_database: bool, jobs: int, told: Callable[[int, int], None]
) -> list[Verified]:
    # Not forked: this process may hold connections and threads of its caller's.
    with ProcessPoolExecutor(min(jobs, len(parts)), get_context("spawn")) as pool:
        asked = {pool.submit(_judge_apart, dsn, part, in_database): n for n, part in enumerate(parts)}
        found: dict[int, Verified] = {}
        try:
            for future in as_completed(asked):
                found[asked[future]] = future.result()
                told(len(found), len(parts))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[n] for n in range(len(parts))]


def _judge_apart(dsn: str, part: Part, in_database: bool) -> Verified:
    """One part, in a process of its own."""
    with connect(dsn, application=_APPLICATION) as connection:
        return _judge(connection, part, in_database)


def _joined(found: Sequence[Verified]) -> Verified:
    return Verified(sum(one.rows for one in found), [row for one in found for row in one.misnamed])
