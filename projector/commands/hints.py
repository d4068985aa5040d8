"""`ledger hint`, `pause` and `resume`: when a task runs next, beside what its author asked for."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ledger.commands_door import Desk, at_desk, one_line, print_json, print_table, who
from ledger.errors import BadInput
from ledger.facts import read_identifier
from ledger.statements.hints import HintRow
from projector import door
from projector.commands.saying import tell_acts, then
from projector.moves.hint import Hinted
from projector.moves.hint import hint as hint_move
from projector.moves.hint import withdraw as withdraw_move
from projector.moves.pause import Pause
from projector.moves.pause import pause as pause_move
from projector.moves.pause import resume as resume_move

_HOW = "say --every DURATION or --at TIMESTAMP, and --expires; or --withdraw interval or oneshot"


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--every", metavar="DURATION", help="So long after its last start, as 15m.")
@click.option("--at", metavar="TIMESTAMP", help="Once, as 2026-12-24T18:00:00+01:00.")
@click.option("--expires", metavar="WHEN", help="Until when it counts: a duration from now, or a timestamp.")
@click.option("--withdraw", metavar="KIND", help="Take back the interval, or the oneshot.")
@click.option("--note", default="", metavar="TEXT", help="Why; the task shows it.")
@at_desk
def hint(desk: Desk, /, task: str, note: str, **given: str | None) -> None:
    """Say when TASK should run next, beside its rule.

    An interval wins over the rule even where it is later, an instant only where it is earlier; bounds and
    pauses of the task hold all the same.

    \b
    ledger hint report --every 15m --expires 4h
    ledger hint report --at 2026-12-24T18:00:00Z --expires 2026-12-25T00:00:00Z
    ledger hint report --withdraw interval
    """
    name = read_identifier(task, "task")
    withdrawn = given["withdraw"]
    if withdrawn is not None:
        if note or any(given[one] is not None for one in ("every", "at", "expires")):
            raise BadInput(f"hint: --withdraw stands alone; {_HOW}")
        answer = desk.change(withdraw_move(desk.tenant, name, door.read_kind(withdrawn), who()))
    else:
        if given["expires"] is None or (given["every"] is None) == (given["at"] is None):
            raise BadInput(f"hint: {_HOW}")
        wish = door.reading_hint(given["every"], given["at"], given["expires"])
        answer = desk.change(hint_move(desk.tenant, name, wish, who(), door.read_note(note)))
    if desk.as_json:
        print_json(answer)
    else:
        click.echo(_told(answer))


def _told(answer: Hinted) -> str:
    until = "" if answer.expires is None else f", until {one_line(answer.expires)}"
    did = "no such hint was in force" if answer.did == "unchanged" else f"{answer.did}{until}"
    by = "" if answer.next is None else f" ({answer.source})"
    return f"{answer.task}: {answer.kind}: {did}; {then(answer.next, answer.ended, answer.enabled)}{by}"


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--until", required=True, metavar="TIMESTAMP", help="As 2026-12-24T18:00:00+01:00.")
@click.option("--at-end", is_flag=True, help="Run at that instant, not with the first slot after it.")
@click.option("--note", default="", metavar="TEXT", help="Why; the task shows it.")
@at_desk
def pause(desk: Desk, task: str, until: str, at_end: bool, note: str) -> None:
    """Hold TASK's series back until an instant, even what is due; an edit of the task."""
    asked = Pause(door.read_moment(until, "until"), at_end)
    move = pause_move(desk.tenant, read_identifier(task, "task"), asked, who(), door.read_note(note))
    tell_acts([desk.change(move)], desk.as_json)


@click.command()
@click.argument("task", metavar="TASK")
@at_desk
def resume(desk: Desk, task: str) -> None:
    """End the pause of TASK now; one that is not paused is left as it is."""
    move = resume_move(desk.tenant, read_identifier(task, "task"), who())
    tell_acts([desk.change(move)], desk.as_json)


def tell_hints(hints: Sequence[HintRow]) -> None:
    """The hints in force, where there are any."""
    if hints:
        click.echo("\nhints in force")
        print_table(
            ("kind", "asks for", "given", "expires", "by", "note"),
            [
                (
                    each.kind,
                    each.at if each.every is None else f"every {int(each.every.total_seconds())} s",
                    each.given,
                    each.expires,
                    each.by,
                    each.note,
                )
                for each in hints
            ],
        )
