"""Editing by a patch: what is said of single members, laid over the definition in force (RFC 7396)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ledger.authored.fold import fold
from ledger.authored.friendly import plain_task
from ledger.errors import NotFound, TaskRefused
from ledger.keys import MAX_DEPTH
from ledger.moves.definitions import read_definitions
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS
from ledger.strict_json import inspect
from projector.moves.asked import asked
from projector.moves.change import Acted, Wanted


def edit(tenant: str, task: str, patch: Mapping[str, object], by: str, note: str = "") -> Move[Acted]:
    """Lay a merge patch over the definition that is in force under the task's lock, and edit to that (I11).

    A member that is null in the patch goes back to its default; an object is merged, anything else replaced.
    Two edits of different members both count, whichever comes first. Raises `NotFound`, `TaskRefused` for a
    result that is no task, and what `act` raises.
    """
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    if not locked:
        raise NotFound("editing a task: the tenant has no such task", tenant=tenant, task=task)
    named = (tenant, locked[0].digest)
    texts = yield from read_definitions([named])
    folded = fold(plain_task(merged(json.loads(texts[named]), patch)))
    (acted,) = yield from asked(tenant, [Wanted(task, "edit", folded)], by, note)
    return acted


def read_patch(patch: object) -> dict[str, object]:
    """A merge patch as it may be laid over a task: an object, of bounded depth and without doubled names.

    Raises `TaskRefused`, with the path `task`.
    """
    if not isinstance(patch, Mapping):
        raise TaskRefused("task", 'a patch is an object of the members to change, such as {"timeout_s": 60}')
    given = patch if isinstance(patch, dict) else dict(patch)
    found = inspect(given)
    if found.depth > MAX_DEPTH or found.endless:
        raise TaskRefused("task", f"the patch nests deeper than {MAX_DEPTH} levels, or has no end")
    if found.doubled:
        raise TaskRefused("task", "the patch has one name twice in an object; keep one of the two")
    return given


def merged(target: object, patch: object) -> object:
    """The merge patch of RFC 7396: null takes a member away, an object is merged, anything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result: dict[object, object] = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result
