"""People's acts, answered in full: also one that changed nothing says what the series does next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ledger.moves.step import Move
from projector.moves.acts import act
from projector.moves.change import Acted, Wanted
from projector.moves.follow import follows


def asked(tenant: str, wanted: Sequence[Wanted], by: str, note: str = "") -> Move[list[Acted]]:
    """Carry out acts, and read what comes next of the enabled tasks that were left as they were.

    Raises as `act` does.
    """
    answers = yield from act(tenant, wanted, by, note)
    for i, acted in enumerate(answers):
        if acted.did == "unchanged" and acted.enabled:
            then = yield from follows(tenant, acted.task)
            answers[i] = replace(acted, next=then.next, key=then.key, ended=then.ended)
    return answers
