"""A task as Python sees it: `Task`, which a person writes, and `Definition`, which the ledger reads back.

`Task` is a typed door and judges little: the law is `fold`, and there is one. `Definition` is the other
end: every member of a stored canonical text with its default applied. What is stored was judged when
the task was defined and is never judged again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import ClassVar, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from ledger.authored.friendly import plain_task
from ledger.authored.members import join, nearest
from ledger.authored.schedule_table import DEFAULT_ANCHOR
from ledger.errors import Misconfigured, TaskRefused
from ledger.facts import DEFAULT_AGENT, DEFAULT_DESTINATION, shown

Duration: TypeAlias = int | float | str | timedelta
When: TypeAlias = datetime | str


class _Authored(BaseModel):
    """A part of a task as a person writes it: typed for editors, judged by `fold`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    stands_at: ClassVar[str] = ""

    def __init__(self, **members: object) -> None:
        """Raises TaskRefused for a member that does not exist or is of no type that could be read."""
        try:
            super().__init__(**members)
        except ValidationError as error:
            # Unknown members come first, as in `fold`; among them the first by code points.
            first = min(error.errors(), key=lambda it: (it["type"] != "extra_forbidden", str(it["loc"][0])))
            name = str(first["loc"][0])
            path = join(self.stands_at, name)
            if first["type"] == "extra_forbidden":
                hint = nearest(name, type(self).model_fields)
                raise TaskRefused(path, f"is no member here{hint}") from error
            raise TaskRefused(path, f"cannot be {shown(members.get(name))}") from error

    def members(self) -> dict[str, object]:
        """What was given, by its names in the authored object; friendlier forms are still in it."""
        return {_JSON_NAMES.get(name, name): getattr(self, name) for name in self.model_fields_set}


_JSON_NAMES = {"from_": "from"}


class Dst(_Authored):
    """How a fixed wall time is read where clocks change."""

    stands_at: ClassVar[str] = "schedule.dst"
    gap: str | None = None
    overlap: str | None = None


class Exclude(_Authored):
    """A day (`on`), or a span (`from_` to `to`, exclusive), in which a slot is no slot."""

    stands_at: ClassVar[str] = "schedule.exclude"
    on: date | str | None = None
    from_: When | None = None
    to: When | None = None


class Schedule(_Authored):
    """When a task is to run: exactly one of `cron`, `every_s`, `at`, `rrule`, `any`."""

    stands_at: ClassVar[str] = "schedule"
    dialect: int | None = None
    seconds: bool | None = None
    cron: str | None = None
    every_s: Duration | None = None
    anchor: When | None = None
    at: When | None = None
    rrule: str | None = None
    start: When | None = None
    any: Sequence[Schedule | Mapping[str, object]] | None = None
    timezone: str | None = None
    dst: Dst | Mapping[str, object] | None = None
    starts_at: When | None = None
    ends_at: When | None = None
    exclude: Sequence[Exclude | Mapping[str, object]] | None = None
    spread_s: Duration | None = None


class Misfire(_Authored):
    """What happens to slots that nobody was there for."""

    stands_at: ClassVar[str] = "misfire"
    catch_up: str | None = None
    grace_s: Duration | None = None
    limit: int | None = None


class Retry(_Authored):
    """How often, after what and after how long a run is tried again."""

    stands_at: ClassVar[str] = "retry"
    attempts: int | None = None
    on: Sequence[str] | None = None
    backoff_s: Duration | None = None
    factor: int | None = None
    max_s: Duration | None = None


class Task(_Authored):
    """What a person asks for. Members and defaults are those of the authored object; None is left out.

    Durations may be seconds, a timedelta or `15m`; timestamps an aware datetime or text with an offset.
    """

    name: str | None = None
    description: str | None = None
    agent: str | None = None
    destination: str | None = None
    delivery: str | None = None
    entrypoint: str
    arguments: Sequence[str] | None = None
    payload: object = None
    schedule: Schedule | Mapping[str, object]
    overlap: str | None = None
    misfire: Misfire | Mapping[str, object] | None = None
    timeout_s: Duration | None = None
    retry: Retry | Mapping[str, object] | None = None
    failure_backoff: str | None = None
    min_interval_s: Duration | None = None
    max_interval_s: Duration | None = None
    paused_until: When | None = None
    pause_note: str | None = None
    resume: str | None = None
    labels: Mapping[str, str] | None = None
    display: object = None

    def raw(self) -> dict[str, object]:
        """The plain JSON object that `fold` takes.

        Raises TaskRefused for a duration or a time that cannot be read.
        """
        return cast("dict[str, object]", plain_task(self))


class _Stored(BaseModel):
    """A part of a stored definition: every default applied, frozen and hashable.

    A member that this release does not know is not passed over: it may change what the task means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class DstDefinition(_Stored):
    """`dst` with its defaults."""

    gap: Literal["shift", "skip"] = "shift"
    overlap: Literal["first", "last", "both"] = "first"


class ExcludeDefinition(_Stored):
    """An element of `exclude`: either `on`, or `from_` and `to`."""

    on: str | None = None
    from_: datetime | None = Field(None, alias="from")
    to: datetime | None = None


class PlainSchedule(_Stored):
    """The members that an element of `any` shares with a schedule, with their defaults."""

    seconds: bool = False
    cron: str | None = None
    every_s: int | None = None
    anchor: datetime = datetime.fromisoformat(DEFAULT_ANCHOR)
    at: datetime | None = None
    rrule: str | None = None
    start: str | None = None
    timezone: str = "UTC"
    dst: DstDefinition = DstDefinition()


class ScheduleDefinition(PlainSchedule):
    """A schedule with its defaults; equal ones are equal as keys of a cache."""

    dialect: int = 1
    any: tuple[PlainSchedule, ...] | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    exclude: tuple[ExcludeDefinition, ...] = ()
    spread_s: int = 0


class MisfireDefinition(_Stored):
    """`misfire` with its defaults. Without `grace_s` there is no limit, but 60 seconds for `none`."""

    catch_up: Literal["latest", "all", "none"] = "latest"
    grace_s: int | None = None
    limit: int = 100


class RetryDefinition(_Stored):
    """`retry` with its defaults."""

    attempts: int = 0
    on: tuple[Literal["failed", "lost", "timed_out"], ...] = ("failed", "timed_out")
    backoff_s: int = 10
    factor: int = 2
    max_s: int = 3_600


_TEXT = "(text)"
_OPAQUE = ("payload", "labels", "display")


class Definition(_Stored):
    """A stored task with every default applied. Frozen: one may be shared by whoever knows its digest.

    The opaque values are no fields, since a handler that changed its payload would change everyone's:
    each look at `payload`, `labels` or `display` reads the text anew.
    """

    name: str = ""
    description: str = ""
    agent: str = DEFAULT_AGENT
    destination: str = DEFAULT_DESTINATION
    delivery: Literal["python", "http", "celery", "command", "pull"] = "python"
    entrypoint: str
    arguments: tuple[str, ...] = ()
    schedule: ScheduleDefinition
    overlap: Literal["skip", "queue", "allow", "replace"] = "skip"
    misfire: MisfireDefinition = MisfireDefinition()
    timeout_s: int = 900
    retry: RetryDefinition = RetryDefinition()
    failure_backoff: Literal["double", "none"] = "double"
    min_interval_s: int | None = None
    max_interval_s: int | None = None
    paused_until: datetime | None = None
    pause_note: str = ""
    resume: Literal["next_slot", "at_end"] = "next_slot"
    # The stored text itself, under a name that no author can write. (As a private attribute it would take as
    # long as all the others together.)
    canonical: str = Field("{}", alias=_TEXT, repr=False)

    @classmethod
    def of(cls, canonical: str) -> Definition:
        """Read a stored canonical text. Raises Misconfigured for one that this release cannot read."""
        try:
            # pydantic's own reader: a third of the time of the standard library's.
            members: object = from_json(canonical)
            if isinstance(members, dict):
                members = {name: value for name, value in members.items() if name not in _OPAQUE}
                members[_TEXT] = canonical
            return cls.model_validate(members)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the whole"
            raise _unreadable(canonical, f"{place}: {first['msg']}") from error
        except ValueError as error:
            raise _unreadable(canonical, str(error)) from error

    @property
    def payload(self) -> object:
        """The payload, the caller's own to change; None where there is none."""
        return self._opaque("payload")

    @property
    def labels(self) -> dict[str, str]:
        """The labels, text to text; empty where there are none."""
        return cast("dict[str, str]", self._opaque("labels") or {})

    @property
    def display(self) -> object:
        """Whatever the author wants shown; None where there is nothing."""
        return self._opaque("display")

    def _opaque(self, name: str) -> object:
        members: dict[str, object] = json.loads(self.canonical)
        return members.get(name)


def _unreadable(canonical: str, found: str) -> Misconfigured:
    return Misconfigured(
        f"the stored definition {shown(canonical)} cannot be read ({found}); run the release that wrote it"
    )
