"""Platforms that keep zones out: while the setting is on, no task that names one is taken."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.authored.models import Definition
from ledger.errors import TaskRefused
from ledger.moves.definitions import parse
from ledger.moves.step import Move, ask
from ledger.statements.sweep import READ_SETTINGS
from projector.moves.change import Wanted


def keep_zones_out(wanted: Sequence[Wanted]) -> Move[None]:
    """Raises `TaskRefused` for the first of these that names a zone, where zones are kept out.

    The settings are asked only where a zone is named at all, so a task without one pays nothing; the lock
    that such a look leaves holds back whoever would switch the setting meanwhile.
    """
    named = [
        (w.task, *zone)
        for w in wanted
        if w.folded is not None
        for zone in named_zones(parse(w.folded.canonical)).items()
    ]
    if not named or not any(settings.utc_only for settings in (yield from ask(READ_SETTINGS()))):
        return
    task, path, zone = named[0]
    raise TaskRefused(
        path,
        f"task {task!r} names the zone {zone!r}, and this platform keeps zones out: all is read in UTC. "
        "Leave `timezone` out and write the times in UTC; projector.weekly_utc_crons() computes them from "
        "local ones",
    )


def named_zones(definition: Definition) -> dict[str, str]:
    """The zones that a schedule names, by the paths of the members that name them; UTC is none."""
    schedule = definition.schedule
    paths = {"schedule.timezone": schedule.timezone}
    paths |= {f"schedule.any.{n}.timezone": one.timezone for n, one in enumerate(schedule.any or ())}
    return {path: zone for path, zone in paths.items() if zone != "UTC"}
