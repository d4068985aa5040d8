"""Health: what is proven, for whom, and how old the proof is. It reads rows and changes nothing.

Silence is a fault (I14): every sign says what was seen and when. What has no fresh evidence is bad, whether
or not anything is known to be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ledger.driver.connect import SyncConnection
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import NotFound
from ledger.moves.step import Batch, Move
from ledger.statements.health import (
    HEALTH_ASIDE,
    HEALTH_CAUSES,
    HEALTH_DISPATCHERS,
    HEALTH_MISNAMED,
    HEALTH_OVERDUE,
    HEALTH_PASS,
    HEALTH_SILENT,
    HEALTH_SKIPS,
    HEALTH_SNAPSHOTS,
    HEALTH_TABLES,
    HEALTH_UNCLOSED,
    HEALTH_UNSERVED,
    HEALTH_VERDICTS,
)
from ledger.statements.sweep import READ_SETTINGS
from sweeper import signs
from sweeper.release import check_release
from sweeper.sign import Sign
from sweeper.signs import Seen


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The signs, as they were at `moment` by the database's clock; `tenant` None: of all tenants."""

    moment: datetime
    tenant: str | None
    signs: Sequence[Sign]

    @property
    def healthy(self) -> bool:
        return all(sign.word != "bad" for sign in self.signs)

    def as_json(self) -> dict[str, object]:
        return {
            "healthy": self.healthy,
            "moment": self.moment,
            "tenant": self.tenant,
            "signs": [self._sign(sign) for sign in self.signs],
        }

    def age_s(self, sign: Sign) -> float | None:
        """How old the newest evidence of a sign is, in seconds."""
        return None if sign.at is None else max(0.0, (self.moment - sign.at).total_seconds())

    def _sign(self, sign: Sign) -> dict[str, object]:
        return {
            "sign": sign.name,
            "word": sign.word,
            "says": sign.says,
            "at": sign.at,
            "age_s": self.age_s(sign),
            "evidence": sign.evidence,
        }


def health(
    connection: SyncConnection, *, tenant: str | None = None, max_age: timedelta | None = None
) -> HealthReport:
    """Read every vital sign, of all tenants or of one, on a connection in autocommit.

    Evidence older than `max_age` is none; without it, than two periods of the newest pass.
    Raises `Misconfigured` where the database is of another release, `NotFound` for a tenant it does not know.
    """
    seen = run(connection, see(tenant, max_age), Scope("reader"))
    return HealthReport(seen.moment, tenant, signs.read(seen))


def see(tenant: str | None, max_age: timedelta | None) -> Move[Seen]:
    """Read what the signs are made of, as one transaction."""
    calls = (READ_SETTINGS(), HEALTH_PASS(), HEALTH_UNCLOSED(), HEALTH_DISPATCHERS())
    settings, newest, unclosed, ticks = yield Batch(calls)
    force = calls[0].read(settings)
    check_release(force)
    (last,) = calls[1].read(newest)
    age = max_age or 2 * timedelta(seconds=last.period_s or signs.PERIOD_S)
    whose: Mapping[str, object] = {"tenant": tenant}
    some = {"tenant": tenant, "n": signs.NAMED}
    more = (
        HEALTH_SILENT(tenant=tenant, age=age),
        HEALTH_VERDICTS(**whose),
        HEALTH_CAUSES(**some),
        HEALTH_OVERDUE(**some, late=signs.LATE),
        HEALTH_ASIDE(**some),
        HEALTH_SKIPS(**some, least=signs.SKIPS),
        HEALTH_MISNAMED(**some),
        HEALTH_TABLES(),
        HEALTH_SNAPSHOTS(),
        HEALTH_UNSERVED(tenant=tenant, late=signs.LATE, fresh=signs.TICK),
    )
    silent, verdicts, causes, overdue, aside, skips, misnamed, tables, snapshots, unserved = yield Batch(more)
    (silence,) = more[0].read(silent)
    (counts,) = more[1].read(verdicts)
    if tenant is not None and not silence.tenants and not counts.healthy + counts.repaired + counts.failed:
        raise NotFound("health: the tenant has no enabled task, and no verdict on it", tenant=tenant)
    return Seen(
        moment=last.moment,
        age=age,
        settings=force[0],
        newest=last,
        unclosed=calls[2].read(unclosed),
        ticks=calls[3].read(ticks),
        silence=silence,
        counts=counts,
        causes=more[2].read(causes),
        overdue=more[3].read(overdue),
        aside=more[4].read(aside),
        starved=more[5].read(skips),
        misnamed=more[6].read(misnamed),
        tables=more[7].read(tables),
        snapshot=more[8].read(snapshots)[0],
        unserved=more[9].read(unserved),
    )
