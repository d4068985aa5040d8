"""Define, edit, enable, disable, delete through the API: what is answered, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from ledger import (
    AsyncLedger,
    BadInput,
    DuplicateTask,
    FactRefused,
    Ledger,
    NotFound,
    Retry,
    Schedule,
    Task,
    TaskRefused,
)
from tests.api.conftest import Face, done

Ask = Callable[..., list[tuple[object, ...]]]
HOURLY = {"entrypoint": "work", "schedule": {"every_s": 3600}}


def hour_after(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


async def test_a_task_is_defined_once_and_its_next_slot_answered(acme: Face, eye: Ask) -> None:
    """I15, I4: the second time changes nothing, and says what comes all the same."""
    ((before,),) = eye("SELECT now()")
    first = await done(acme.define("a", HOURLY, note="wanted"))
    assert (first.task, first.did, first.enabled, first.ended) == ("a", "defined", True, False)
    assert first.next in (hour_after(before), hour_after(before) + timedelta(hours=1))
    state = eye("SELECT * FROM ledger.occurrence"), eye("SELECT * FROM ledger.act")
    second = await done(acme.define("a", HOURLY))
    assert (second.did, second.next, second.key, second.digest) == (
        "unchanged",
        first.next,
        first.key,
        first.digest,
    )
    assert (eye("SELECT * FROM ledger.occurrence"), eye("SELECT * FROM ledger.act")) == state
    assert eye("SELECT what, by, note FROM ledger.act") == [("define", "anna", "wanted")]


async def test_every_way_of_writing_a_task_is_the_same_task(acme: Face) -> None:
    plain = {
        "entrypoint": "work",
        "timeout_s": 5400,
        "retry": {"attempts": 2, "backoff_s": 60},
        "schedule": {"every_s": 900, "starts_at": "2026-01-01T00:00:00.000000Z"},
    }
    friendly = {
        "entrypoint": "work",
        "timeout_s": "1h30m",
        "retry": {"attempts": 2, "backoff_s": timedelta(minutes=1)},
        "schedule": {"every_s": "15m", "starts_at": datetime(2026, 1, 1, tzinfo=UTC)},
    }
    typed = Task(
        entrypoint="work",
        timeout_s=timedelta(hours=1.5),
        retry=Retry(attempts=2, backoff_s=60),
        schedule=Schedule(every_s=timedelta(minutes=15), starts_at="2026-01-01T01:00:00+01:00"),
    )
    first = await done(acme.define("a", plain))
    for other in (friendly, typed):
        answer = await done(acme.define("a", other))
        assert (answer.did, answer.digest) == ("unchanged", first.digest)


async def test_defining_an_existing_task_never_moves_its_switch(acme: Face) -> None:
    assert (await done(acme.define("a", HOURLY, enabled=False))).enabled is False
    answer = await done(acme.define("a", HOURLY | {"name": "new"}, enabled=True))
    assert (answer.did, answer.enabled, answer.next) == ("edited", False, None)


async def test_the_switch(acme: Face) -> None:
    defined = await done(acme.define("a", HOURLY))
    off = await done(acme.disable("a", note="holiday"))
    assert (off.did, off.enabled, off.next, off.retired) == ("disabled", False, None, 1)
    assert (await done(acme.disable("a"))).did == "unchanged"
    on = await done(acme.enable("a"))
    assert (on.did, on.enabled, on.next) == ("enabled", True, defined.next)
    again = await done(acme.enable("a"))
    assert (again.did, again.next) == ("unchanged", defined.next)


async def test_deleting_twice_is_deleting_once_and_a_name_never_heard_is_refused(acme: Face) -> None:
    await done(acme.define("a", HOURLY))
    assert (await done(acme.delete("a"))).did == "deleted"
    assert (await done(acme.delete("a"))).did == "unchanged"
    for call in (acme.delete, acme.enable, acme.disable):
        with pytest.raises(NotFound) as refused:
            await done(call("b"))
        assert (refused.value.tenant, refused.value.task) == ("acme", "b")


async def test_a_task_whose_at_has_passed_answers_ended(acme: Face) -> None:
    once = {"entrypoint": "work", "schedule": {"at": "2020-01-01T00:00:00Z"}}
    first = await done(acme.define("once", once))
    assert (first.did, first.next, first.ended) == ("defined", None, True)
    again = await done(acme.define("once", once))
    assert (again.did, again.next, again.ended) == ("unchanged", None, True)


async def test_edits_of_different_members_both_count(acme: Face) -> None:
    await done(acme.define("a", HOURLY))
    await done(acme.edit("a", {"timeout_s": "1m"}))
    answer = await done(acme.edit("a", {"name": "hello"}, note="title"))
    assert answer.did == "edited"
    shown = await done(acme.show("a"))
    assert shown.line.authored == HOURLY | {"timeout_s": 60, "name": "hello"}
    assert [(act.what, act.by, act.note) for act in shown.acts] == [
        ("edit", "anna", "title"),
        ("edit", "anna", ""),
        ("define", "anna", ""),
    ]


async def test_many_tasks_are_defined_together_or_not_at_all(acme: Face, eye: Ask) -> None:
    tasks = {f"t{n}": {"entrypoint": f"work{n}", "schedule": {"every_s": 60}} for n in range(50)}
    answers = await done(acme.define_many(tasks))
    assert [(a.task, a.did) for a in answers] == [(task, "defined") for task in tasks]
    more = {"u1": {"entrypoint": "x", "schedule": {"every_s": 60}}, "u2": {"entrypoint": "x"}}
    with pytest.raises(TaskRefused, match=r"schedule: is missing"):
        await done(acme.define_many(more))
    more["u2"] = more["u1"]
    with pytest.raises(DuplicateTask):
        await done(acme.define_many(more))
    assert eye("SELECT count(*) FROM ledger.task") == [(50,)]
    assert await done(acme.define_many({})) == []


async def test_a_twin_is_refused_with_the_first_ones_name_unless_asked_for(acme: Face) -> None:
    await done(acme.define("first", HOURLY))
    with pytest.raises(DuplicateTask, match="'first'") as refused:
        await done(acme.define("second", HOURLY))
    assert refused.value.task == "second"
    assert (await done(acme.define("second", HOURLY, allow_duplicate=True))).did == "defined"


@pytest.mark.parametrize(
    ("bad", "error", "said"),
    [
        (("a b", HOURLY), FactRefused, "task: 'a b' has ' ' as character 2"),
        (("", HOURLY), FactRefused, "task: is empty"),
        ((7, HOURLY), FactRefused, "task: must be text, not 7"),
        (("a", None), TaskRefused, "task: must be an object, not null"),
        (("a", [HOURLY]), TaskRefused, "task: must be an object, not an array"),
        (("a", HOURLY | {"schedul": 1}), TaskRefused, "schedul: is no member here; did you mean 'schedule'?"),
        (("a", HOURLY | {"timeout_s": "soon"}), TaskRefused, "timeout_s: 'soon' is no duration"),
        (("a", HOURLY | {"payload": {1, 2}}), TaskRefused, "task: has a set"),
    ],
)
async def test_bad_input_is_refused_and_nothing_stored(
    acme: Face, eye: Ask, bad: tuple[str, dict[str, object]], error: type[BadInput], said: str
) -> None:
    with pytest.raises(error) as refused:
        await done(acme.define(*bad))
    assert str(refused.value).startswith(said)
    assert (
        eye(
            "SELECT FROM ledger.task UNION ALL SELECT FROM ledger.act UNION ALL SELECT FROM ledger.definition"
            " UNION ALL SELECT FROM ledger.occurrence"
        )
        == []
    )


@pytest.mark.parametrize("by", ["", "a\nb", "x" * 201, 7, None, "\ud800"])
def test_who_acts_must_be_said_in_printable_text(ledger: Ledger | AsyncLedger, by: str) -> None:
    with pytest.raises(BadInput, match="by: "):
        ledger.tenant("acme", by=by)


@pytest.mark.parametrize("note", ["a\0b", "x" * 10_001, 7, "\ud800"])
async def test_a_note_must_be_text_that_an_act_can_keep(acme: Face, note: str) -> None:
    with pytest.raises(BadInput, match="note: "):
        await done(acme.define("a", HOURLY, note=note))


@pytest.mark.parametrize("tenant", ["", "a b", 'a"b', "é", 7, None])
def test_a_tenant_is_an_identifier(ledger: Ledger | AsyncLedger, tenant: str) -> None:
    with pytest.raises(FactRefused, match="tenant: "):
        ledger.tenant(tenant)
