"""`ledger backfill`: running what has gone by, a range of slots at a time."""

from __future__ import annotations

from uuid import uuid4

import click

from ledger.commands_door import Desk, at_desk, complain, one_line, print_json, who
from projector.asking import read_range
from projector.moves.backfill import Backfilled, rehearse_backfill
from projector.moves.backfill import backfill as backfill_move


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--from", "since", required=True, metavar="TIMESTAMP", help="Slots from this instant on.")
@click.option("--to", "until", metavar="TIMESTAMP", help="Slots before this instant  [default: now]")
@click.option(
    "--request", metavar="ID", help="An id of your own: asked twice, it is one backfill  [default: random]"
)
@click.option("--at-once", type=int, default=1, show_default=True, help="Runs of it at a time.")
@click.option("--again", is_flag=True, help="Also the slots that have run.")
@click.option("--dry-run", is_flag=True, help="Say which slots would run, and do nothing.")
@at_desk
def backfill(
    desk: Desk, /, task: str, since: str, until: str | None, **given: str | int | bool | None
) -> None:
    """Run the slots of TASK that have gone by without a run, oldest first, beside its series.

    What it would run is said first, then it is done.
    """
    request = given["request"] if given["request"] is not None else str(uuid4())
    wanted = read_range(task, request, (since, until), at_once=given["at_once"], again=given["again"])
    rehearsed = desk.change(rehearse_backfill(desk.tenant, wanted, who()))
    if given["dry_run"]:
        _tell(desk, rehearsed)
        if not desk.as_json:
            click.echo("a dry run: nothing was changed")
        return
    if not desk.as_json:
        click.echo(_slots(rehearsed))
    done = desk.change(backfill_move(desk.tenant, wanted, who()))
    if desk.as_json:
        print_json(done)
    elif done.made:
        click.echo(f"{done.task}: request {done.request}, {done.state}; {_key(done)}")
    else:
        click.echo(f"{done.task}: request {done.request} was made before: {done.state}, {_progress(done)}")
    if done.state == "stopped":
        complain(f"warning: task {done.task} is off; enable it, and ask for the backfill once more")


def _tell(desk: Desk, rehearsed: Backfilled) -> None:
    if desk.as_json:
        print_json(rehearsed)
    else:
        click.echo(_slots(rehearsed))


def _slots(found: Backfilled) -> str:
    left = [
        f"{found.ran} have run already" if found.ran else "",
        f"{found.coming} are left to the series, which has not come to them" if found.coming else "",
    ]
    told = "; ".join(part for part in left if part)
    own = (
        f"{found.slots} slots, {one_line(found.first)} to {one_line(found.last)}, {found.at_once} at a time"
        if found.slots
        else "no slots to run"
    )
    return f"{found.task}: {own}{f' ({told})' if told else ''}"


def _progress(found: Backfilled) -> str:
    return f"{found.opened} of {found.slots} opened"


def _key(found: Backfilled) -> str:
    return f"the first is {found.key}" if found.key else "nothing is to run"
