"""What tasks ask for in the histories: few texts, chosen so that edits keep, move and lose slots."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.moves.own_governor import OwnVersion
from tests.moves.own_keys import own_digest, own_text
from tests.moves.own_slots import OwnSlots, own_slots, read

# What a text leaves out, by the specification of the authored object.
TIMEOUT_S = 900
LIMIT = 100
BACKOFF_S, FACTOR, MAX_S = 10, 2, 3600
ON = ("failed", "timed_out")

RETRIES: tuple[dict[str, object], ...] = (
    {},
    {},
    {"attempts": 1},
    {"attempts": 2, "on": ["failed", "lost", "timed_out"], "backoff_s": 30},
    {"attempts": 3, "on": ["failed"], "backoff_s": 5, "factor": 3, "max_s": 20},
)
TIMEOUTS = (None, 120, 3600)
# The least and the most between two rows of a series: some at odds with the schedules, some never felt.
BOUNDS: tuple[dict[str, object], ...] = (
    {"min_interval_s": 90},
    {"min_interval_s": 600, "max_interval_s": 600},
    {"min_interval_s": 1_000},
    {"max_interval_s": 45},
    {"max_interval_s": 1_500},
    {"max_interval_s": 20_000},
)
# What becomes of slots while another run is in the way, and of those that come too late.
OVERLAPS = ("skip", "queue", "queue", "allow", "replace")
MISFIRES: tuple[dict[str, object], ...] = (
    {},
    {"catch_up": "all"},
    {"catch_up": "all", "limit": 2},
    {"catch_up": "all", "limit": 5, "grace_s": 400},
    {"catch_up": "none"},
    {"catch_up": "none", "grace_s": 200},
    {"grace_s": 90},
    {"grace_s": 40},
    {"catch_up": "all", "grace_s": 150},
)
PAUSES_S = (20, 90, 400, 2_000, 9_000)
NAMES = ("first", "second")
# How likely each schedule is: those whose slots come often most of all.
LIKELY = (4, 3, 2, 2, 1, 1, 1, 1, 1, 1)


def schedules(start: datetime) -> tuple[dict[str, object], ...]:
    """The schedules of a history that begins at an instant: some share slots, some end within it."""
    return (
        {"every_s": 60},
        {"every_s": 300},
        {"every_s": 300, "anchor": "1970-01-01T00:00:30.000000Z"},
        {"cron": "*/5 * * * *"},
        {"cron": "10,50 * * * *"},
        {"cron": "0 9 * * *", "timezone": "Europe/Paris"},
        {"cron": "30 2 * * *", "timezone": "Europe/Paris"},
        {"at": own_text(start + timedelta(minutes=20))},
        {"at": own_text(start + timedelta(hours=6))},
        {"every_s": 60, "ends_at": own_text(start + timedelta(minutes=45))},
    )


@dataclass(frozen=True)
class Text:
    """One authored object, and what the model reads from it."""

    authored: dict[str, object]
    digest: bytes = field(init=False)
    slots: OwnSlots = field(init=False)
    version: OwnVersion = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", own_digest(self.authored))
        object.__setattr__(self, "slots", own_slots(self.schedule))
        until = self.authored.get("paused_until")
        version = OwnVersion(
            self.slots,
            self.source,
            self._seconds("min_interval_s"),
            self._seconds("max_interval_s"),
            None if until is None else read(until),
            self.authored.get("resume") == "at_end",
        )
        object.__setattr__(self, "version", version)

    def _seconds(self, member: str) -> timedelta | None:
        found = self.authored.get(member)
        return None if found is None else timedelta(seconds=int(str(found)))

    @property
    def schedule(self) -> dict[str, object]:
        schedule = self.authored["schedule"]
        assert isinstance(schedule, dict)
        return schedule

    @property
    def retry(self) -> dict[str, object]:
        retry = self.authored.get("retry", {})
        assert isinstance(retry, dict)
        return retry

    @property
    def delivery(self) -> str:
        return str(self.authored.get("delivery", "python"))

    @property
    def timeout(self) -> timedelta:
        return timedelta(seconds=int(str(self.authored.get("timeout_s", TIMEOUT_S))))

    @property
    def backed_off(self) -> timedelta | None:
        """What failures double: the interval of the rule, where they hold its slots back at all."""
        every = self.schedule.get("every_s")
        if every is None or self.authored.get("failure_backoff") == "none":
            return None
        return timedelta(seconds=int(str(every)))

    @property
    def overlap(self) -> str:
        return str(self.authored.get("overlap", "skip"))

    @property
    def misfire(self) -> dict[str, object]:
        misfire = self.authored.get("misfire", {})
        assert isinstance(misfire, dict)
        return misfire

    @property
    def catch_up(self) -> str:
        return str(self.misfire.get("catch_up", "latest"))

    @property
    def grace(self) -> timedelta | None:
        """How late a slot may start; where nothing is said, as late as may be, or a minute for `none`."""
        given = self.misfire.get("grace_s", 60 if self.catch_up == "none" else None)
        return None if given is None else timedelta(seconds=int(str(given)))

    @property
    def patient(self) -> bool:
        """Whether a slot that had to wait runs itself, and must not be late but for that."""
        return self.overlap == "queue" and self.catch_up != "latest" and self.grace is not None

    def caught_up(self, come: list[datetime]) -> list[datetime]:
        """Of the slots that have come, in order, those that may still have a run."""
        if self.catch_up == "none":
            return come
        return come[-1 if self.catch_up == "latest" else -int(str(self.misfire.get("limit", LIMIT))) :]

    @property
    def twin(self) -> tuple[str, str, str]:
        """What makes two tasks twins; agent, destination and payload are everyone's defaults here."""
        return str(self.authored["entrypoint"]), self.delivery, repr(sorted(self.schedule.items()))

    @property
    def source(self) -> str:
        kinds = {"every_s": "interval", "cron": "cron", "at": "at"}
        (kind,) = [word for name, word in kinds.items() if name in self.schedule]
        return f"baseline-{kind}"

    def retries(self, state: str) -> int:
        """How many retries may follow runs that closed so."""
        on = self.retry.get("on", list(ON))
        assert isinstance(on, list)
        return int(str(self.retry.get("attempts", 0))) if state in on else 0

    def backoff(self) -> tuple[int, int, int]:
        given = self.retry
        return (
            int(str(given.get("backoff_s", BACKOFF_S))),
            int(str(given.get("factor", FACTOR))),
            int(str(given.get("max_s", MAX_S))),
        )


def any_schedule(rng: random.Random, start: datetime) -> dict[str, object]:
    (schedule,) = rng.choices(schedules(start), LIKELY)
    return schedule


def any_text(rng: random.Random, task: str, start: datetime) -> Text:
    """A text for a task; a few tasks ask for the same work, and are twins where their rules agree."""
    authored: dict[str, object] = {
        "name": rng.choice(NAMES),
        "entrypoint": "shared" if rng.random() < 0.12 else task,
        "schedule": any_schedule(rng, start),
        **(rng.choice(BOUNDS) if rng.random() < 0.15 else {}),
        **({"failure_backoff": "none"} if rng.random() < 0.1 else {}),
        **(any_pause(rng, start) if rng.random() < 0.1 else {}),
        **({"delivery": "pull"} if rng.random() < 0.12 else {}),
        **_runs(rng.choice(RETRIES), rng.choice(TIMEOUTS)),
        **_policies(rng),
    }
    return Text(authored)


def any_pause(rng: random.Random, now: datetime) -> dict[str, object]:
    """A pause from now on, its end on a whole minute or not."""
    until = now + timedelta(seconds=rng.choice(PAUSES_S) + rng.randrange(60))
    if rng.random() < 0.5:
        until = until.replace(second=0, microsecond=0)
    how = {"resume": "at_end"} if rng.random() < 0.5 else {}
    return {"paused_until": own_text(until), **how}


def changed(rng: random.Random, text: Text, what: str, start: datetime) -> Text:
    """The text with its name, rule, retries or bounds changed; or paused from `start` on, or no longer."""
    authored = dict(text.authored)
    if what == "rename":
        authored["name"] = NAMES[authored["name"] == NAMES[0]]
    elif what == "reschedule":
        while authored["schedule"] == text.schedule:
            authored["schedule"] = any_schedule(rng, start)
    elif what == "bounds":
        bounds = [b for b in ({}, *BOUNDS) if b != _only(authored, *_BOUNDS)]
        authored = {**_without(authored, *_BOUNDS), **rng.choice(bounds)}
    elif what == "pause":
        authored = {**_without(authored, *_PAUSE), **any_pause(rng, start)}
    elif what == "resume":
        authored = _without(authored, *_PAUSE)
    else:
        retry = rng.choice([r for r in RETRIES if r != text.retry])
        authored = {**_without(authored, "retry", "timeout_s"), **_runs(retry, rng.choice(TIMEOUTS))}
        if rng.random() < 0.5:
            authored = {**_without(authored, "overlap", "misfire"), **_policies(rng)}
    return Text(authored)


_BOUNDS = ("min_interval_s", "max_interval_s")
_PAUSE = ("paused_until", "resume")


def _policies(rng: random.Random) -> dict[str, object]:
    """What becomes of slots that cannot start when they come; many texts say nothing of it."""
    if rng.random() < 0.4:
        return {}
    overlap, misfire = rng.choice(OVERLAPS), rng.choice(MISFIRES)
    return {
        **({"overlap": overlap} if overlap != "skip" else {}),
        **({"misfire": misfire} if misfire else {}),
    }


def _runs(retry: dict[str, object], timeout_s: int | None) -> dict[str, object]:
    """What differs from the defaults of how a run may go, and nothing else."""
    return {
        **({"retry": retry} if retry else {}),
        **({"timeout_s": timeout_s} if timeout_s is not None else {}),
    }


def _only(authored: dict[str, object], *members: str) -> dict[str, object]:
    return {member: value for member, value in authored.items() if member in members}


def _without(authored: dict[str, object], *members: str) -> dict[str, object]:
    return {member: value for member, value in authored.items() if member not in members}
