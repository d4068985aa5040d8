"""Editing by a merge patch: RFC 7396 to the letter, laid over the definition that is in force."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import NotFound, TaskRefused
from projector.moves.edit import edit, merged, read_patch
from tests.moves.acting import TENANT, defined, folded
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")

# The examples of the RFC's appendix A: original, patch, result.
RFC_7396 = [
    ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
    ('{"a":"b"}', '{"a":null}', "{}"),
    ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
    ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
    ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
    ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
    ('["a","b"]', '["c","d"]', '["c","d"]'),
    ('{"a":"b"}', '["c"]', '["c"]'),
    ('{"a":"foo"}', "null", "null"),
    ('{"a":"foo"}', '"bar"', '"bar"'),
    ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
    ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
    ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
]


@pytest.mark.parametrize(("original", "patch", "result"), RFC_7396)
def test_the_examples_of_the_rfc(original: str, patch: str, result: str) -> None:
    assert merged(json.loads(original), json.loads(patch)) == json.loads(result)


_leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
_values = st.recursive(
    _leaves, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=2), v), max_leaves=12
)


@given(_values, st.dictionaries(st.text(max_size=2), _values))
def test_a_patch_applied_twice_is_applied_once(target: object, patch: dict[str, object]) -> None:
    """I15. And nothing that was handed in is changed."""
    before = json.dumps([target, patch])
    once = merged(target, patch)
    assert merged(once, patch) == once
    assert json.dumps([target, patch]) == before


def patched(stage: Stage, patch: dict[str, object], task: str = "a") -> tuple[str, dict[str, object]]:
    """What a patch did, and the authored object in force after it."""
    answer = stage.run(edit(TENANT, task, read_patch(patch), "anna", "because"), "tenant", TENANT)
    ((canonical,),) = stage.ask(
        "SELECT canonical FROM ledger.task JOIN ledger.definition USING (tenant, digest) WHERE task = %s",
        [task],
    )
    assert isinstance(canonical, str)
    return answer.did, json.loads(canonical)


def test_single_members_change_and_null_is_the_default_again(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(timeout_s=60, labels={"x": "1", "y": "2"}))
    did, authored = patched(stage, {"timeout_s": None, "labels": {"x": None}, "description": "hm"})
    assert did == "edited"
    assert authored == {
        "entrypoint": "work",
        "schedule": {"every_s": 60},
        "labels": {"y": "2"},
        "description": "hm",
    }
    assert stage.ask("SELECT what, by, note FROM ledger.act ORDER BY n") == [
        ("define", "a person", ""),
        ("edit", "anna", "because"),
    ]
    assert not broken(stage)


def test_friendlier_forms_are_read_and_the_kind_of_a_schedule_may_change(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    _, authored = patched(stage, {"timeout_s": "1h30m", "schedule": {"every_s": None, "cron": "0 9 * * mon"}})
    assert (authored["timeout_s"], authored["schedule"]) == (5400, {"cron": "0 9 * * MON"})


def test_a_patch_that_changes_nothing_is_no_act(stage: Stage) -> None:
    """I15"""
    stage.at(NOON)
    defined(stage, "a", folded(timeout_s=60))
    before = stage.state()
    assert patched(stage, {"timeout_s": 60, "overlap": "skip", "name": None})[0] == "unchanged"
    assert stage.state() == before


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"timeout_s": "soon"}, "timeout_s"),
        ({"schedule": {"cron": "* * * * *"}}, "schedule"),
        ({"entrypoint": None}, "entrypoint"),
        ({"schedule": {"evry_s": 3}}, "schedule.evry_s"),
        ({"enabled": False}, "enabled"),
        ({"payload": float("nan")}, "task"),
    ],
)
def test_a_patch_whose_result_is_no_task_is_refused_at_its_path(
    stage: Stage, patch: dict[str, object], path: str
) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    before = stage.state()
    with pytest.raises(TaskRefused) as refused:
        patched(stage, patch)
    assert refused.value.path == path
    assert stage.state() == before


def test_a_task_that_is_not_there_is_said(stage: Stage) -> None:
    with pytest.raises(NotFound, match="no such task"):
        patched(stage, {"timeout_s": 60})


@pytest.mark.parametrize("patch", [None, [], "x", 3, [{"timeout_s": 60}]])
def test_a_patch_is_an_object(patch: object) -> None:
    with pytest.raises(TaskRefused, match="a patch is an object"):
        read_patch(patch)


def test_a_patch_without_bounds_is_refused_before_it_is_walked() -> None:
    deep: dict[str, object] = {}
    for _ in range(10_000):
        deep = {"payload": deep}
    endless: dict[str, object] = {}
    endless["payload"] = endless
    for patch in (deep, endless):
        with pytest.raises(TaskRefused, match="nests deeper"):
            read_patch(patch)
