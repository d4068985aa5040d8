"""`ledger run-now`, `cancel`, `due` and `finish`: single occurrences, by a person or a runtime's script."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import click

from ledger.commands_door import (
    Desk,
    at_desk,
    one_line,
    plain,
    print_json,
    print_table,
    read_json,
    who,
)
from ledger.errors import BadInput, NotStarted
from ledger.facts import read_identifier
from ledger.moves import reads
from projector import door
from projector.commands.saying import then
from projector.moves.backfill import cancel_backfill
from projector.moves.cancel import cancel as cancel_move
from projector.moves.request import run_now as run_now_move
from projector.moves.rerun import cancel_rerun
from projector.moves.runs import Begun, begin, counted, report


@click.command("run-now")
@click.argument("task", metavar="TASK")
@click.option(
    "--request", metavar="ID", help="An id of your own: asked twice, it runs once  [default: random]"
)
@at_desk
def run_now(desk: Desk, task: str, request: str | None) -> None:
    """Run a task now, outside its series, which goes on beside it."""
    asked = read_identifier(request if request is not None else str(uuid4()), "request")
    move = run_now_move(desk.tenant, read_identifier(task, "task"), asked, who())
    answer = desk.change(move)
    if desk.as_json:
        print_json(answer)
    elif answer.first:
        click.echo(f"{answer.task}: {answer.key} is due now (request {answer.request})")
    else:
        click.echo(f"{answer.task}: request {answer.request} was made before: {answer.key} is {answer.state}")


@click.command()
@click.argument("key", required=False, metavar="[KEY]")
@click.option("--backfill", metavar="ID", help="Instead of one row, all of this backfill of --task.")
@click.option("--rerun", metavar="ID", help="Instead of one row, all of this rerun.")
@click.option("--task", metavar="TASK", help="The task of the backfill.")
@click.option("--reason", metavar="TEXT", help="Why; the row keeps it.")
@at_desk
def cancel(desk: Desk, /, key: str | None, task: str | None, reason: str | None, **whole: str | None) -> None:
    """Cancel one occurrence, open or running; or a backfill or a rerun as a whole.

    A row that is closed stays as it is, and that is said.
    """
    why, backfill, rerun = door.read_reason(reason), whole["backfill"], whole["rerun"]
    if [key, backfill, rerun].count(None) != 2 or (task is None) != (backfill is None):
        raise BadInput("cancel: write a KEY, or --backfill ID with its --task TASK, or --rerun ID")
    if backfill is not None and task is not None:
        _cancel_backfill(desk, task, backfill, why)
        return
    if rerun is not None:
        _cancel_rerun(desk, rerun, why)
        return
    move = cancel_move(desk.tenant, door.read_key(key), who(), why)
    answer = desk.change(move)
    if desk.as_json:
        print_json(answer)
    elif answer.did == "cancelled":
        following = then(answer.next, answer.ended)
        click.echo(f"{answer.task}: {answer.key} was {answer.found}, cancelled now; {following}")
    else:
        click.echo(f"{answer.task}: {answer.key} is {answer.found} already; nothing was changed")


def _cancel_rerun(desk: Desk, request: str, why: str | None) -> None:
    answer = desk.change(cancel_rerun(desk.tenant, read_identifier(request, "request"), who(), why))
    if desk.as_json:
        print_json(answer)
    elif answer.did == "cancelled":
        click.echo(f"rerun {answer.request} cancelled: {answer.running} running, {answer.open} open")
    else:
        click.echo(f"rerun {answer.request} was over already; nothing was changed")


def _cancel_backfill(desk: Desk, task: str, request: str, why: str | None) -> None:
    name, asked = read_identifier(task, "task"), read_identifier(request, "request")
    answer = desk.change(cancel_backfill(desk.tenant, name, asked, who(), why))
    if desk.as_json:
        print_json(answer)
    elif answer.did == "cancelled":
        click.echo(
            f"{answer.task}: backfill {answer.request} cancelled: {answer.running} running, "
            f"{answer.open} open, {answer.left} slots that have not run"
        )
    else:
        click.echo(f"{answer.task}: backfill {answer.request} was over already; nothing was changed")


@click.command()
@click.option("--limit", type=int, default=reads.PAGE, show_default=True, help="Rows at most, to 1000.")
@click.option("--start", is_flag=True, help="Start them: they run from now on, and are yours to finish.")
@at_desk
def due(desk: Desk, limit: int, start: bool) -> None:
    """Show what a runtime of your own may start.

    These are rows of delivery `pull` whose time has come, oldest first.
    """
    found = desk.ask(reads.due(desk.tenant, reads.read_page_size(limit)))
    if start:
        _tell_begun(desk, _start(desk, found))
    elif desk.as_json:
        print_json({"rows": [plain(row) for row in found]})
    elif found:
        print_table(
            ("key", "task", "due", "wake", "entrypoint"),
            [(row.key, row.task, row.due, row.wake, row.entrypoint) for row in found],
        )
    else:
        click.echo("nothing is due")


def _start(desk: Desk, found: Sequence[reads.Pull]) -> list[Begun]:
    """Start rows one by one; what another took or changed meanwhile is passed by."""
    begun = []
    for row in found:
        answer = desk.change(begin(desk.tenant, row.key))
        if isinstance(answer, NotStarted):
            click.echo(f"{row.task}: not started: {answer.message}", err=True)
        else:
            begun.append(answer)
    return begun


def _tell_begun(desk: Desk, begun: Sequence[Begun]) -> None:
    if desk.as_json:
        print_json({"rows": [plain(run) for run in begun]})
    elif begun:
        print_table(
            ("key", "task", "slot", "deadline", "attempt", "entrypoint", "payload"),
            [
                (run.key, run.task, run.slot, run.deadline, run.attempt, run.entrypoint, run.payload)
                for run in begun
            ],
        )
    else:
        click.echo("nothing was started")


@click.command()
@click.argument("key", metavar="KEY")
@click.argument("outcome", metavar="succeeded|failed")
@click.option("--result", metavar="JSON", help="What came out, kept to 64 KiB.")
@click.option("--error", metavar="TEXT", help="What went wrong, kept to 64 KiB.")
@click.option("--crumb", metavar="TEXT", help="Where it got to, kept to 64 KiB.")
@at_desk
def finish(
    desk: Desk, key: str, outcome: str, result: str | None, error: str | None, crumb: str | None
) -> None:
    """Report how a run ended. A report that comes too late is kept as evidence and exits 1."""
    value = None if result is None else read_json(result, "result")
    said = door.reading_report(outcome, value, error, crumb)
    answer = counted(desk.change(report(desk.tenant, door.read_key(key), said, who())))
    if desk.as_json:
        print_json(answer)
        return
    retry = f"; retry {answer.retry} at {one_line(answer.retry_at)}" if answer.retry else ""
    click.echo(f"{answer.task}: {answer.key} {answer.state}{retry}; {then(answer.next, answer.ended)}")
