"""The outbox: closings that are told, who reads them, and who is sent them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class Given(NamedTuple):
    """How many events were given their numbers."""

    given: int


class EventCount(NamedTuple):
    """The last number given, and up to which a tenant's events were removed."""

    last: int
    gone: int


class Event(NamedTuple):
    """A closing that is told. `n` is its place in the order of being told.

    `kind` is failed, timed_out, lost, skipped, or recovered (the first success after failures); `reason` is
    why it was skipped, or what else its row says; `failures` are the slots that failed in a row, up to this
    one; `retry` says that another attempt of its slot follows.
    """

    n: int
    tenant: str
    key: UUID
    task: str
    kind: str
    at: datetime
    wake: str
    due: datetime
    reason: str | None
    error: str | None
    blocker: UUID | None
    failures: int
    retry: bool


class After(NamedTuple):
    after: int


class Name(NamedTuple):
    name: str


class Subscriber(NamedTuple):
    """Who is sent events: which, where to, how far it has come, and what waits (`oldest`: since when)."""

    name: str
    tenant: str | None
    url: str
    kinds: list[str]
    secret: str
    bound: timedelta
    added: datetime
    by: str
    after: int
    sent: int
    dropped: int
    failures: int
    try_at: datetime
    sent_at: datetime | None
    error: str | None
    moment: datetime
    waiting: int
    oldest: datetime | None


class Taken(NamedTuple):
    """A subscriber that is held by whoever took it up, until `try_at`."""

    name: str
    tenant: str | None
    url: str
    kinds: list[str]
    secret: str
    after: int
    failures: int
    try_at: datetime


class Removed(NamedTuple):
    """A batch of old events: looked at, up to which number, old, removed; and who lost some unsent."""

    looked: int
    upto: int | None
    past: int
    removed: int
    name: str | None
    lost: int


class Unsent(NamedTuple):
    """What waits over all subscribers, since when, and what they have lost so far."""

    subscribers: int
    failing: int
    waiting: int
    oldest: datetime | None
    dropped: int


ADD_EVENTS = load("add_events", NoRow)
ADD_RECOVERED = load("add_recovered", NoRow)
NUMBER_EVENTS = load("number_events", Given)
READ_EVENT_COUNT = load("read_event_count", EventCount)
READ_EVENTS = load("read_events", Event)
READ_ALL_EVENTS = load("read_all_events", Event)
ADD_SUBSCRIBER = load("add_subscriber", After)
DROP_SUBSCRIBER = load("drop_subscriber", Name)
LIST_SUBSCRIBERS = load("list_subscribers", Subscriber)
TAKE_SUBSCRIBERS = load("take_subscribers", Taken)
NOTE_SENT = load("note_sent", Name)
DROP_EVENTS = load("drop_events", Removed)
HEALTH_EVENTS = load("health_events", Unsent)
