"""Whose turn it is: tenants that are left out of claims for a while, and shares where one of them floods.

A tenant at its cap is held, not its rows: it is left out of the claims of this process, and looked at again
after a quarter of a second, or once one of its runs here has ended. While anybody is left out, or has more
due than its share of a batch, claims are made by turns, a share from each tenant. Else this costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from ledger.statements.occurrences import DueRow
from projector.moves.admission import NOBODY
from projector.moves.start import Claimed

# How long a tenant at its cap is left out, and one by whose limits another claim decides at this moment.
HOLD_S = 0.25
ELSEWHERE_S = 0.025


@dataclass(frozen=True, slots=True)
class Turn:
    """How the next claim is made: plainly, or `fair`, by turns among tenants: without those `out`, beginning
    behind the one `beyond`. `held`: since when tenants that are looked at again have been held.
    """

    fair: bool = False
    out: Sequence[str] = ()
    beyond: str = ""
    held: Mapping[str, datetime] = field(default_factory=lambda: NOBODY)


PLAIN = Turn()


class Seen(NamedTuple):
    """What a claim has shown of turns: as which `turn` it began, whether it was `fair` in the end, whether
    there is more, the tenant that had the last turn, and when it was, by the database's clock.
    """

    turn: Turn = PLAIN
    fair: bool = False
    full: bool = False
    last: str = ""
    moment: datetime | None = None


NOTHING = Seen()


@dataclass(slots=True)
class _Held:
    # By the database's clock; None where only someone else held its limits.
    since: datetime | None
    until: float


class Fairness:
    """What this process knows of the tenants that it claims for; by its own clock, in seconds."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        self._flood = False
        self._beyond = ""

    def turn(self, now: float) -> Turn:
        """How to claim now."""
        if not self._held and not self._flood:
            return PLAIN
        for tenant in [one for one, held in self._held.items() if held.since is None and held.until <= now]:
            del self._held[tenant]
        out = [tenant for tenant, held in self._held.items() if held.until > now]
        again = {
            tenant: held.since
            for tenant, held in self._held.items()
            if held.until <= now and held.since is not None
        }
        return Turn(bool(self._held) or self._flood, out, self._beyond, again)

    def learn(self, seen: Seen, claimed: Claimed, now: float) -> None:
        """Take in what a claim found: who is at its cap, who is not any more, and whether there is more."""
        turn = seen.turn
        self._flood = seen.fair and seen.full
        self._beyond = seen.last
        started = {run.subject.tenant for run in claimed.started} if turn.held else set()
        for tenant in turn.held:
            if not seen.full or tenant in started:
                self._held.pop(tenant, None)
        for tenant in claimed.elsewhere:
            self._held[tenant] = _Held(turn.held.get(tenant), now + ELSEWHERE_S)
        for tenant in claimed.held:
            known = self._held.get(tenant)
            since = turn.held.get(tenant) or (known.since if known else None)
            self._held[tenant] = _Held(since or seen.moment, now + HOLD_S)

    def ended(self, tenant: str) -> bool:
        """A run of a tenant has ended: whether it was held, and is looked at again now."""
        held = self._held.get(tenant)
        if held is None:
            return False
        held.until = 0.0
        return True

    @property
    def next_at(self) -> float | None:
        """When the first tenant that is left out is looked at again."""
        return min((held.until for held in self._held.values()), default=None)


def floods(rows: Sequence[DueRow]) -> bool:
    """Whether of a full batch one tenant has more than half."""
    ((_, most),) = Counter([row.tenant for row in rows]).most_common(1)
    return most * 2 > len(rows)


def there_is_more(rows: Sequence[DueRow], n: int) -> bool:
    """Whether a claim by turns has left something: it is full, or a tenant had more than one row."""
    return len(rows) >= n or len({row.tenant for row in rows}) < len(rows)
