"""What the demo's three tenants ask for, and each rule once more, as plain as the judge reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Every:
    """Every so many seconds, counted from `anchor`."""

    seconds: int
    anchor: datetime = EPOCH

    def slots(self, after: datetime, until: datetime) -> Iterator[datetime]:
        step = timedelta(seconds=self.seconds)
        slot = self.anchor + step * ((after - self.anchor) // step + 1)
        while slot <= until:
            yield slot
            slot += step


@dataclass(frozen=True, slots=True)
class Once:
    """At one instant."""

    at: datetime

    def slots(self, after: datetime, until: datetime) -> Iterator[datetime]:
        if after < self.at <= until:
            yield self.at


@dataclass(frozen=True, slots=True)
class DailyAtThree:
    """Every day at 03:00 UTC."""

    def slots(self, after: datetime, until: datetime) -> Iterator[datetime]:
        yield from Every(86_400, EPOCH + timedelta(hours=3)).slots(after, until)


Rule: TypeAlias = Every | Once | DailyAtThree
MINUTELY = Every(60)


@dataclass(frozen=True, slots=True)
class Asked:
    """A task of the demo: the object that is defined, and how it is told and judged."""

    tenant: str
    task: str
    shown: str
    rule: Rule
    what: dict[str, object]


# Tasks that the demo does something to.
FLAKY = ("acme", "import")
RUN_NOW = ("globex", "cleanup")
DAMAGED = ("initech", "invoice")
KILLED = ("initech", "render")
# The tenant with a runtime of its own.
PULLED = "initech"


def asked(start: datetime, seconds: int) -> list[Asked]:
    """The tasks of a demo whose window begins at `start`, a whole second, and lasts so many seconds.

    Every slot lies on a whole second.
    """
    invoices = Every(max(5, seconds // 2), start + timedelta(seconds=1))
    launch, render = Once(start + timedelta(seconds=4)), Once(start + timedelta(seconds=1))
    return [
        Asked("acme", "pulse", "every 2 s, async", Every(2), _every(2, "tick")),
        Asked("acme", "report", "cron, each minute, async", MINUTELY, _cron("* * * * *", "tick")),
        Asked(*FLAKY, "every 4 s, fails once", Every(4), _every(4, "import") | _retry("failed")),
        Asked("globex", "copy", "every 3 s, sync", Every(3), _every(3, "copy") | {"payload": {"files": 3}}),
        Asked("globex", "launch", "at one instant, sync", launch, _at(launch.at, "copy")),
        Asked(*RUN_NOW, "cron, daily; run now", DailyAtThree(), _cron("0 3 * * *", "copy")),
        Asked("initech", "crawl", "every 3 s, pulled", Every(3), _every(3, "crawl") | {"delivery": "pull"}),
        Asked(
            *DAMAGED,
            f"every {invoices.seconds} s, async",
            invoices,
            _every(invoices.seconds, "tick", anchor=invoices.anchor),
        ),
        Asked(*KILLED, "at one instant, slow", render, _at(render.at, "render") | _retry("lost")),
    ]


def _every(seconds: int, entrypoint: str, anchor: datetime = EPOCH) -> dict[str, object]:
    schedule = {"every_s": seconds, "anchor": anchor.isoformat()}
    return {"entrypoint": entrypoint, "schedule": schedule}


def _cron(text: str, entrypoint: str) -> dict[str, object]:
    return {"entrypoint": entrypoint, "schedule": {"cron": text}}


def _at(instant: datetime, entrypoint: str) -> dict[str, object]:
    return {"entrypoint": entrypoint, "schedule": {"at": instant.isoformat()}}


def _retry(on: str) -> dict[str, object]:
    return {"retry": {"attempts": 1, "on": [on], "backoff_s": 1}}
