"""`ledger backfill` and `rerun`: running what has gone by, a range of slots at a time, or rows once more."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import click

from ledger.commands_door import Desk, at_desk, complain, one_line, print_json, print_table, who
from projector.asking import read_range, read_wish
from projector.commands.narrowing import given, sought_options
from projector.commands.saying import confirm
from projector.moves.backfill import Backfilled, rehearse_backfill
from projector.moves.backfill import backfill as backfill_move
from projector.moves.rerun import Reran, rehearse_rerun
from projector.moves.rerun import rerun as rerun_move


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
    desk: Desk, /, task: str, since: str, until: str | None, **asked: str | int | bool | None
) -> None:
    """Run the slots of TASK that have gone by without a run, oldest first, beside its series.

    What it would run is said first, then it is done.
    """
    request = asked["request"] if asked["request"] is not None else str(uuid4())
    wanted = read_range(task, request, (since, until), at_once=asked["at_once"], again=asked["again"])
    rehearsed = desk.change(rehearse_backfill(desk.tenant, wanted, who()))
    if asked["dry_run"]:
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


@click.command()
@click.argument("keys", nargs=-1, metavar="[KEY…]")
@click.option("--task", metavar="TASK", help="Only rows of this task.")
@sought_options("of slots")
@click.option(
    "--request", metavar="ID", help="An id of your own: asked twice, it is one rerun  [default: random]"
)
@click.option("--at-once", type=int, default=1, show_default=True, help="Rows of it that run at a time.")
@click.option("--dry-run", is_flag=True, help="Say which rows would run, and do nothing.")
@click.option(
    "--yes", is_flag=True, help="Run what is found without asking; needed where nobody can be asked."
)
@at_desk
def rerun(desk: Desk, /, keys: Sequence[str], task: str | None, **asked: str | int | bool | None) -> None:
    """Run closed rows once more: those of the KEYs, or those that the options find.

    Without --state these are the rows that failed, timed out or were lost. What would run is shown first.
    """
    request = asked["request"] if asked["request"] is not None else str(uuid4())
    wish = read_wish(request, keys, task, asked["at_once"], given())
    rehearsed = desk.change(rehearse_rerun(desk.tenant, wish, who()))
    if asked["dry_run"]:
        _tell_rerun(desk, rehearsed)
        if not desk.as_json:
            click.echo("a dry run: nothing was changed")
        return
    if not desk.as_json:
        _tell_rerun(desk, rehearsed)
    if rehearsed.made and not keys and not asked["yes"]:
        confirm("run")
    done = desk.change(rerun_move(desk.tenant, wish, who()))
    if desk.as_json:
        print_json(done)
    elif done.made:
        click.echo(f"request {done.request}: {len(done.rows)} rows, {done.at_once} at a time")
    else:
        click.echo(f"request {done.request} was made before: {done.state}")


def _tell_rerun(desk: Desk, found: Reran) -> None:
    if desk.as_json:
        print_json(found)
        return
    if found.rows:
        print_table(
            ("slot", "task", "wake", "state", "key"),
            [(row.due, row.task, row.lane.rpartition("@")[0], row.state, row.key) for row in found.rows],
        )
    else:
        click.echo("no row is so")
    if found.left:
        why = {
            "off": "of tasks that are off",
            "open": "with an attempt that is open",
            "succeeded": "since run",
        }
        click.echo("left out: " + ", ".join(f"{n} {why[reason]}" for reason, n in found.left.items()))


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
