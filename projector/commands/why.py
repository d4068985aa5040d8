"""`ledger why-not`: what became of a minute of a task, and why."""

from __future__ import annotations

import click

from ledger.commands_door import (
    BAD_ANSWER,
    Desk,
    at_desk,
    complain,
    one_line,
    print_json,
    print_table,
)
from ledger.facts import read_identifier
from projector import door
from projector.moves.why_not import read_minute
from projector.moves.why_not import why_not as why_not_move


@click.command("why-not")
@click.argument("task", metavar="TASK")
@click.argument("time", metavar="TIME")
@at_desk
def why_not(desk: Desk, task: str, time: str) -> None:
    """Say why a task did not run at a time, or why it did.

    TIME is a timestamp with Z or an offset, as 2026-12-24T09:00:00Z; the whole minute is looked at, past or
    to come. Each slot in it has an answer: it ran; it was skipped, passed over, paused, cancelled, or retired
    by an edit, and by what; it waits, is held or is still to come; or there is no slot, and why. Exits 1
    where the answer is a violation: a slot that a row should stand for, and none does.
    """
    minute = read_minute(door.read_moment(time, "time"))
    found = desk.ask(why_not_move(desk.tenant, read_identifier(task, "task"), minute))
    if desk.as_json:
        print_json(found)
    else:
        click.echo(f"{found.task}, the minute from {one_line(found.minute)}:")
        print_table(
            ("slot", "answer", "wake", "why", "key"),
            [(one.at, one.word, one.wake, one.says, one.key) for one in found.answers],
        )
    if any(one.word == "violation" for one in found.answers):
        complain(
            f"task {found.task}: a promise is broken in that minute; run `ledger sweep`, keep its report"
        )
        raise click.exceptions.Exit(BAD_ANSWER)
