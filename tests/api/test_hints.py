"""Hints and pauses through the API, in every form in which they may be written; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from ledger import BadInput
from ledger.errors import NotFound, TooEarly
from tests.api.conftest import Face, done

Ask = Callable[..., list[tuple[object, ...]]]
# Far enough away that no hour strikes in between.
ONCE: dict[str, object] = {"entrypoint": "work", "schedule": {"at": "2190-01-01T00:00:00Z"}}
SOON = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)


@pytest.mark.parametrize("every", [900, 900.0, "900", "15m", "0h15m", timedelta(minutes=15)])
@pytest.mark.parametrize("expires", [7200, "2h", timedelta(hours=2)])
async def test_an_interval_in_all_its_forms(acme: Face, eye: Ask, every: int, expires: str) -> None:
    task = await done(acme.define("a", ONCE))
    answer = await done(acme.hint("a", every=every, expires=expires, note="busy"))
    ((acted,),) = eye("SELECT at FROM ledger.act")
    assert (answer.task, answer.kind, answer.did, answer.source) == ("a", "interval", "given", "ai-interval")
    assert answer.next == acted + timedelta(minutes=15)
    assert answer.key != task.key
    assert eye("SELECT kind, every, expires - given, by, note FROM ledger.hint") == [
        ("interval", timedelta(minutes=15), timedelta(hours=2), "anna", "busy")
    ]
    shown = await done(acme.show("a"))
    assert [(one.kind, one.every, one.by, one.note) for one in shown.hints] == [
        ("interval", timedelta(minutes=15), "anna", "busy")
    ]
    assert shown.line.next == answer.next
    explained = await done(acme.explain(answer.key))
    assert explained.row.source == "ai-interval"
    assert explained.row.trail is not None
    assert explained.row.trail["won"] == "interval"
    assert [one.kind for one in explained.hints] == ["interval"]


@pytest.mark.parametrize(
    "at",
    [
        SOON,
        SOON.astimezone(timezone(timedelta(hours=5, minutes=30))),
        f"{SOON:%Y-%m-%dT%H:%M:%SZ}",
        f"{SOON + timedelta(hours=1):%Y-%m-%d %H:%M:%S+01:00}",
    ],
    # Names that do not tell the time: each process of a run must collect the same.
    ids=["aware", "another zone", "text", "text with an offset"],
)
async def test_an_instant_in_all_its_forms_and_taken_back(acme: Face, at: datetime) -> None:
    task = await done(acme.define("a", ONCE))
    answer = await done(acme.hint("a", at=at, expires=SOON + timedelta(hours=1)))
    assert (answer.kind, answer.next, answer.source) == ("oneshot", SOON, "ai-oneshot")
    back = await done(acme.withdraw_hint("a", "oneshot"))
    assert (back.did, back.next, back.key) == ("withdrawn", task.next, task.key)
    assert (await done(acme.withdraw_hint("a", "oneshot"))).did == "unchanged"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"expires": 60}, "a hint: say either every how long"),
        ({"every": 60, "at": SOON, "expires": 60}, "a hint: say either every how long"),
        ({"every": 0, "expires": 60}, "every: 0 is out of range; write 1 to 31622400 seconds"),
        ({"every": "366d1s", "expires": 60}, "every: '366d1s' is out of range"),
        ({"every": -timedelta(seconds=1), "expires": 60}, "every: a timedelta is out of range"),
        ({"every": timedelta(milliseconds=1500), "expires": 60}, "every: 0:00:01.500000 has a fraction"),
        ({"every": 1.5, "expires": 60}, "every: 1.5 is no duration; write 900, '15m' or '1h30m'"),
        ({"every": True, "expires": 60}, "every: true is no duration"),
        ({"every": "soon", "expires": 60}, "every: 'soon' is no duration"),
        ({"every": "15 minutes", "expires": 60}, "every: '15 minutes' is no duration"),
        ({"every": 60, "expires": None}, "expires: say when the hint ends"),
        ({"every": 60, "expires": "later"}, "expires: 'later' is no timestamp"),
        ({"every": 60, "expires": 0}, "expires: 0 is out of range"),
        ({"every": 60, "expires": datetime(2190, 1, 1)}, "expires: 2190-01-01 00:00:00 has no zone"),  # noqa: DTZ001 - that is the point
        ({"every": 60, "expires": "2020-01-01T00:00:00Z"}, "giving a hint: it expires at 2020-01-01"),
        ({"at": "2026-06-01T12:00:00", "expires": 60}, "at: '2026-06-01T12:00:00' has no offset"),
        ({"at": SOON, "expires": 60}, "giving a hint: it expires at"),
        ({"at": "2200-01-01T00:00:00Z", "expires": 60}, "at: 2200-01-01T00:00:00.000000Z lies past"),
        ({"every": 60, "expires": 60, "note": "a\0b"}, "note: "),
    ],
)
async def test_bad_hints_are_refused_and_nothing_stored(
    acme: Face, eye: Ask, given: dict[str, object], said: str
) -> None:
    await done(acme.define("a", ONCE))
    before = eye("SELECT to_jsonb(o)::text FROM ledger.occurrence o")
    with pytest.raises(BadInput) as refused:
        await done(acme.hint("a", **given))
    assert str(refused.value).startswith(said)
    assert eye("SELECT FROM ledger.hint") == []
    assert eye("SELECT to_jsonb(o)::text FROM ledger.occurrence o") == before


async def test_names_that_are_not_there(acme: Face) -> None:
    for call in (
        lambda: acme.hint("x", every=60, expires=60),
        lambda: acme.withdraw_hint("x", "interval"),
        lambda: acme.pause("x", "2190-01-01T00:00:00Z"),
        lambda: acme.resume("x"),
    ):
        with pytest.raises(NotFound, match="no such task"):
            await done(call())
    with pytest.raises(BadInput, match="kind: 'daily' is no kind of hint; write interval or oneshot"):
        await done(acme.withdraw_hint("x", "daily"))


async def test_a_slot_that_has_had_its_turn_is_named(acme: Face) -> None:
    task = await done(acme.define("a", ONCE))
    await done(acme.cancel(task.key))
    with pytest.raises(TooEarly, match="ask for a later instant") as refused:
        await done(acme.hint("a", every=60, expires=60))
    assert refused.value.key == str(task.key)


async def test_a_pause_and_its_end(acme: Face, eye: Ask) -> None:
    await done(acme.define("a", {"entrypoint": "work", "schedule": {"cron": "0 0 1 1 *"}}))
    answer = await done(acme.pause("a", "2190-06-01T00:00:00+02:00", note="moving house", at_end=True))
    assert (answer.did, answer.next) == ("edited", datetime(2190, 5, 31, 22, tzinfo=UTC))
    again = await done(
        acme.pause("a", datetime(2190, 5, 31, 22, tzinfo=UTC), note="moving house", at_end=True)
    )
    assert (again.did, again.next) == ("unchanged", answer.next)
    authored = (await done(acme.show("a"))).line.authored
    assert authored["paused_until"] == "2190-05-31T22:00:00.000000Z"
    assert (authored["pause_note"], authored["resume"]) == ("moving house", "at_end")
    back = await done(acme.resume("a"))
    assert back.did == "edited"
    assert back.next is not None
    assert back.next.year < 2190
    same = await done(acme.resume("a"))
    assert (same.did, same.next) == ("unchanged", back.next)
    assert eye("SELECT what, note FROM ledger.act ORDER BY n") == [
        ("define", ""),
        ("edit", "moving house"),
        ("edit", ""),
    ]


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("2020-01-01T00:00:00Z", "pausing a task: 2020-01-01T00:00:00.000000Z is past"),
        ("tomorrow", "until: "),
        (None, "until: null is no instant"),
        (7, "until: 7 is no instant"),
    ],
)
async def test_a_bad_pause_is_refused(acme: Face, until: str, said: str) -> None:
    await done(acme.define("a", ONCE))
    with pytest.raises(BadInput) as refused:
        await done(acme.pause("a", until))
    assert str(refused.value).startswith(said)


async def test_a_pause_note_is_no_longer_than_a_task_keeps(acme: Face) -> None:
    await done(acme.define("a", ONCE))
    with pytest.raises(BadInput, match="pause_note: "):
        await done(acme.pause("a", "2190-01-01T00:00:00Z", note="x" * 1001))


async def test_a_task_whose_last_slot_has_passed_has_a_next_while_a_hint_counts(acme: Face) -> None:
    """I4"""
    over = {"entrypoint": "work", "schedule": {"at": "2020-01-01T00:00:00Z"}}
    assert (await done(acme.define("a", over))).ended
    answer = await done(acme.hint("a", every="15m", expires="2h"))
    line = (await done(acme.show("a"))).line
    assert (answer.ended, line.ended, line.next) == (False, False, answer.next)
    back = await done(acme.withdraw_hint("a", "interval"))
    line = (await done(acme.show("a"))).line
    assert (back.ended, back.next, line.ended, line.next) == (True, None, True, None)
