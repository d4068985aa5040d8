"""What tasks ask for in the histories: few texts, chosen so that edits keep, move and lose slots."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.moves.own_keys import own_digest, own_text
from tests.moves.own_slots import OwnSlots, own_slots

# What a text leaves out, by the specification of the authored object.
TIMEOUT_S = 900
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", own_digest(self.authored))
        object.__setattr__(self, "slots", own_slots(self.schedule))

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
    def every(self) -> timedelta | None:
        every = self.schedule.get("every_s")
        return None if every is None else timedelta(seconds=int(str(every)))

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
    }
    return Text(_with(authored, rng.choice(RETRIES), rng.choice(TIMEOUTS), pull=rng.random() < 0.12))


def changed(rng: random.Random, text: Text, what: str, start: datetime) -> Text:
    """The text with its name, its rule or its retries changed."""
    authored = dict(text.authored)
    if what == "rename":
        authored["name"] = NAMES[authored["name"] == NAMES[0]]
    elif what == "reschedule":
        while authored["schedule"] == text.schedule:
            authored["schedule"] = any_schedule(rng, start)
    else:
        retry = rng.choice([r for r in RETRIES if r != text.retry])
        return Text(_with(authored, retry, rng.choice(TIMEOUTS), pull=text.delivery == "pull"))
    return Text(authored)


def _with(
    authored: dict[str, object], retry: dict[str, object], timeout_s: int | None, *, pull: bool
) -> dict[str, object]:
    """The object with what differs from the defaults, and nothing else."""
    plain = {
        name: value for name, value in authored.items() if name not in ("retry", "timeout_s", "delivery")
    }
    return {
        **plain,
        **({"retry": retry} if retry else {}),
        **({"timeout_s": timeout_s} if timeout_s is not None else {}),
        **({"delivery": "pull"} if pull else {}),
    }
