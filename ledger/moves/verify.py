"""Whether rows bear the keys of the facts stored beside them (I1): told by this package, or by the database.

A page of rows is one transaction, so that no question lasts: a second at most. Rows that come or go meanwhile
are judged in the one state or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from ledger.facts import Facts, instant_text
from ledger.keys import derive
from ledger.moves.step import Move, ask
from ledger.release import RELEASE
from ledger.statements.verify import JUDGE_NAMED, READ_NAMED, JudgedRow, NamedRow

# As many rows as take well under a second: the database takes longer to derive a key.
PAGE, PAGE_IN_DATABASE = 1_000, 500


class Place(NamedTuple):
    """Where a page ends; the next one begins behind it."""

    key: UUID
    tenant: str


# No key stands before the one or behind the other.
_FIRST, _LAST = UUID(int=0), UUID(int=2**128 - 1)


class Part(NamedTuple):
    """The rows from one key to another, which is not among them; None: from the first, to the last."""

    low: UUID | None
    high: UUID | None

    @property
    def start(self) -> Place:
        """Where the first page begins; no row stands there: the empty text is no tenant."""
        return Place(self.low or _FIRST, "")

    @property
    def until(self) -> UUID:
        """The last key that may be among them."""
        return _LAST if self.high is None else UUID(int=self.high.int - 1)


class Misnamed(NamedTuple):
    """A row whose key or fingerprint is not that of its facts."""

    tenant: str
    task: str
    key: UUID


class Judged(NamedTuple):
    """A page: how many rows it had, those that are misnamed, and where it ends; None where no row is left."""

    rows: int
    misnamed: Sequence[Misnamed]
    end: Place | None


def verify_page(after: Place, until: UUID, *, in_database: bool, n: int | None = None) -> Move[Judged]:
    """Judge the `n` rows behind `after`, in the order of keys and up to `until`, over all tenants."""
    where = {"key": after.key, "tenant": after.tenant, "until": until}
    if in_database:
        judged = yield from ask(JUDGE_NAMED(**where, n=n or PAGE_IN_DATABASE))
    else:
        read = yield from ask(READ_NAMED(**where, n=n or PAGE))
        judged = [JudgedRow(row.key, row.tenant, row.task, is_named(row)) for row in read]
    misnamed = [Misnamed(tenant, task, key) for key, tenant, task, named in judged if not named]
    return Judged(len(judged), misnamed, Place(judged[-1][0], judged[-1][1]) if judged else None)


def is_named(row: NamedRow) -> bool:
    """Whether a row bears the key and the fingerprint that its facts derive (I1)."""
    facts = Facts(
        row.tenant,
        row.delivery,
        row.wake,
        row.agent,
        row.destination,
        row.task,
        row.digest.hex(),
        instant_text(row.due),
    )
    if row.key_version != RELEASE.key_version:
        return False
    try:
        derived = derive(facts)
    except UnicodeEncodeError:
        return False  # Somebody wrote a fact that no fact can be.
    return (derived.key, derived.fingerprint) == (row.key, row.fingerprint)
