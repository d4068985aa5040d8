"""A database filled by COPY with a fleet as it stands between two fires, far faster than acts and starts do.

Each task was defined a while ago, has run so often, and has its one open row. Keys, digests and slots are
the product's own, so that a sweep finds nothing to mend. Rows stand in the order of their slots, as a fleet
writes them, so the rows of one tenant lie far apart.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from ledger.authored.fold import fold
from ledger.authored.models import Definition
from ledger.facts import Facts, instant_text
from ledger.keys import derive
from ledger.keys import digest as digest_of
from ledger.release import RELEASE
from projector.slots import Slots, schedule_of

MICROSECOND = timedelta(microseconds=1)
_ZONE = "Europe/Paris"
# As many texts of schedules as a day has minutes, each in UTC and in a zone.
_MINUTES = 1_440
_COPIES = {
    "definition": "tenant, digest, version, canonical, at, by",
    "act": "tenant, task, n, at, by, what, digest, enabled, resume_after",
    "task": "tenant, task, digest, agent, enabled",
    "occurrence": "key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint,"
    " key_version, lane, state, exclusive, run_at, after, base, predecessor, source, tzdata, made_by,"
    " created, started, deadline, closed, outcome",
}


@dataclass(frozen=True, slots=True)
class Fleet:
    """How much to make: tasks in all, the tenants that they are of, runs that each has had, idle tenants."""

    tasks: int
    tenants: int
    history: int = 1
    idle: int = 0


def fill(dsn: str, fleet: Fleet) -> None:
    """Fill a migrated, empty database, and bring its statistics up to date."""
    made = _Made(fleet, datetime.now(UTC))
    with psycopg.connect(dsn) as connection:
        for table, lines in (
            ("definition", made.definitions()),
            ("act", made.acts()),
            ("task", made.tasks()),
            ("occurrence", made.occurrences()),
        ):
            _copy(connection, table, _COPIES[table], lines)
    add_idle(dsn, fleet.idle)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def add_idle(dsn: str, n: int, first: int = 0) -> None:
    """Tenants without a task: known by their limits, and by one that they had once, and deleted."""
    digest = "\\\\x" + "00" * 32
    names = [f"idle-{i:07}" for i in range(first, first + n)]
    at = (datetime.now(UTC) - timedelta(days=30)).isoformat()
    acts = (
        f"{name}\tonce\t{i}\t{at}\tbench\t{what}\t{digest}\t{enabled}\t{after}\n"
        for name in names
        for i, what, enabled, after in ((1, "define", "t", at), (2, "delete", "f", "\\N"))
    )
    with psycopg.connect(dsn) as connection:
        _copy(connection, "tenant_limit", "tenant", (f"{name}\n" for name in names))
        _copy(connection, "act", _COPIES["act"], acts)
        _copy(
            connection,
            "verdict",
            "tenant, pass, at, since, word, checked, open, ended, repairs, drill",
            (f"{name}\t0\t{at}\t{at}\thealthy\t1\t1\t0\t{{}}\tpassed\n" for name in names),
        )


def _copy(
    connection: psycopg.Connection[tuple[object, ...]], table: str, columns: str, lines: Iterable[str]
) -> None:
    with connection.cursor().copy(f"COPY ledger.{table} ({columns}) FROM STDIN".encode()) as copy:
        block: list[str] = []
        for line in lines:
            block.append(line)
            if len(block) == 2_000:
                copy.write("".join(block))
                block.clear()
        copy.write("".join(block))


class _Made:
    """The rows of a fleet, as lines of COPY."""

    def __init__(self, fleet: Fleet, moment: datetime) -> None:
        self.fleet = fleet
        # Slots on the minute now would be due while the sweep is measured: nothing else runs them.
        self.moment = moment
        self.slots = [self._slots(i) for i in range(_MINUTES * 2)]
        self.dues = [self._dues(slots) for slots in self.slots]
        self.digests = [self._digest(n) for n in range(fleet.tasks)]

    def _slots(self, i: int) -> Slots:
        return schedule_of(Definition.of(fold(_authored(i, 0)).canonical).schedule)

    def _dues(self, slots: Slots) -> list[datetime]:
        """The slot to come, the runs before it, newest first, and the slot before these."""
        following = slots.next(self.moment + timedelta(hours=1))
        assert following is not None
        dues = [following]
        for _ in range(self.fleet.history + 1):
            before = slots.previous(dues[-1])
            assert before is not None
            dues.append(before)
        return dues

    def _digest(self, n: int) -> bytes:
        return digest_of(_authored(n, n)).digest

    def definitions(self) -> Iterator[str]:
        at = self.moment.isoformat()
        for n in range(self.fleet.tasks):
            digest, text = digest_of(_authored(n, n))
            yield f"{self._tenant(n)}\t{_hex(digest)}\t{RELEASE.digest_version}\t{text}\t{at}\tbench\n"

    def acts(self) -> Iterator[str]:
        for n in range(self.fleet.tasks):
            at = (self._dues_of(n)[-1] + MICROSECOND).isoformat()
            yield f"{self._tenant(n)}\t{_task(n)}\t1\t{at}\tbench\tdefine\t{_hex(self.digests[n])}\tt\t{at}\n"

    def tasks(self) -> Iterator[str]:
        for n in range(self.fleet.tasks):
            yield f"{self._tenant(n)}\t{_task(n)}\t{_hex(self.digests[n])}\tdefault\tt\n"

    def occurrences(self) -> Iterator[str]:
        """In the order in which they were made: when the row before began."""
        by_minute: dict[datetime, list[int]] = {}
        for n in range(self.fleet.tasks):
            by_minute.setdefault(self._dues_of(n)[0], []).append(n)
        for back in range(self.fleet.history, -1, -1):
            for due in sorted(by_minute):
                for n in by_minute[due]:
                    yield self._occurrence(n, back)

    def _occurrence(self, n: int, back: int) -> str:
        dues = self._dues_of(n)
        due, before = dues[back], dues[back + 1]
        key, fingerprint = self._key(n, due)
        first = back == self.fleet.history
        after = base = before + MICROSECOND if first else before
        predecessor = "\\N" if first else str(self._key(n, before)[0])
        run = ["pending", due, "\\N", "\\N", "\\N", "\\N"]
        if back:
            run = ["succeeded", due, due, due + timedelta(minutes=15), due, "succeeded"]
        state, run_at, started, deadline, closed, outcome = map(str, run)
        return "\t".join(
            (
                *(str(key), self._tenant(n), _task(n), _hex(self.digests[n])),
                *("python", "schedule", "default", "local:default"),
                *(str(due), _hex(fingerprint), str(RELEASE.key_version), "series", state, "t", run_at),
                *(str(after), str(base), predecessor, "baseline-cron", RELEASE.tzdata, "start"),
                *(str(base), started, deadline, closed, f"{outcome}\n"),
            )
        )

    def _key(self, n: int, due: datetime) -> tuple[UUID, bytes]:
        digest, slot = self.digests[n].hex(), instant_text(due)
        facts = Facts(
            self._tenant(n), "python", "schedule", "default", "local:default", _task(n), digest, slot
        )
        derived = derive(facts)
        return derived.key, derived.fingerprint

    def _tenant(self, n: int) -> str:
        return tenant_of(n, self.fleet.tenants)

    def _dues_of(self, n: int) -> list[datetime]:
        return self.dues[n % len(self.dues)]


def tenant_of(n: int, tenants: int) -> str:
    """Whose the task is."""
    return f"tenant-{n % tenants:05}"


def _task(n: int) -> str:
    return f"task-{n:07}"


def _hex(value: bytes) -> str:
    return f"\\\\x{value.hex()}"


def _authored(i: int, n: int) -> dict[str, object]:
    """A text of its own for each task; a day's minutes one after the other, first in UTC, then in a zone."""
    minute = i % _MINUTES
    schedule: dict[str, object] = {"cron": f"{minute % 60} {minute // 60} * * *"}
    if i // _MINUTES % 2:
        schedule["timezone"] = _ZONE
    return {"entrypoint": "report", "payload": n, "schedule": schedule}


if __name__ == "__main__":
    fill(sys.argv[1], Fleet(*map(int, sys.argv[2:])))
