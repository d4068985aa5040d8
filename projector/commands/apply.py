"""`ledger task apply FILE`: many tasks at once, the difference shown first, one transaction."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ledger.commands_door import (
    Desk,
    at_desk,
    note_option,
    one_line,
    plain,
    print_json,
    who,
)
from projector import door
from projector.commands.files import read_stated
from projector.commands.rehearsal import plain_rehearsed, tell_rehearsed
from projector.commands.saying import confirm, tell_acts
from projector.commands.schedules import warn_of_schedule
from projector.moves.apply import Difference, Plan, Stated, apply, compare
from projector.moves.rehearse import Rehearsed, rehearse


@click.command("apply")
@click.argument("file", metavar="FILE")
@click.option("--yes", is_flag=True, help="Apply without asking; needed where nobody can be asked.")
@click.option("--dry-run", is_flag=True, help="Show the difference and change nothing.")
@click.option("--disable-absent", is_flag=True, help="Disable the tasks that the file does not name.")
@note_option
@at_desk
def apply_file(desk: Desk, file: str, yes: bool, dry_run: bool, disable_absent: bool, note: str) -> None:
    """Bring a tenant's tasks to what a YAML or JSON FILE states (- reads standard input).

    FILE holds one object `tasks`, from each task's id to its object. A task's switch moves only where the
    file states `enabled`; tasks that it does not name stay.
    """
    stated = read_stated(file)
    kept = door.read_note(note)
    plan = desk.ask(compare(desk.tenant, stated, disable_absent=disable_absent))
    idle = all(difference.idle for difference in plan.differences)
    if not desk.as_json:
        _tell(plan.differences)
    # The differences of the file's tasks come first, in its order.
    for one, difference in zip(stated, plan.differences, strict=False):
        if not difference.idle:
            warn_of_schedule(one.folded.authored)
    if idle:
        if desk.as_json:
            print_json({"differences": [plain(d) for d in plan.differences], "acts": []})
        return
    if dry_run:
        _rehearse(desk, stated, plan)
        return
    if not yes:
        # Standard input holds the file, and no answer.
        confirm("apply", asking=file != "-")
    acts = desk.change(apply(desk.tenant, stated, plan, who(), kept))
    if desk.as_json:
        print_json(
            {"differences": [plain(d) for d in plan.differences], "acts": [plain(act) for act in acts]}
        )
    else:
        tell_acts([act for act in acts if act.did != "unchanged"], as_json=False)


def _rehearse(desk: Desk, stated: Sequence[Stated], plan: Plan) -> None:
    """Carry the plan out, say what it did to which rows, and keep nothing of it."""
    names = [difference.task for difference in plan.differences if not difference.idle]
    rehearsed = desk.change(rehearse(desk.tenant, names, apply(desk.tenant, stated, plan, who())))
    told = Rehearsed([act for act in rehearsed.acts if act.did != "unchanged"], rehearsed.rows)
    if desk.as_json:
        print_json({"differences": [plain(d) for d in plan.differences], **plain_rehearsed(told)})
    else:
        tell_rehearsed(told, as_json=False)


def _tell(differences: Sequence[Difference]) -> None:
    same = 0
    for one in differences:
        switch = "" if one.switch is None else f", {'on' if one.switch else 'off'}"
        if one.idle:
            same += 1
        elif one.what == "new":
            click.echo(f"+ {one.task}: new{switch}")
        elif one.what == "absent":
            click.echo(f"- {one.task}: not in the file, to be disabled")
        else:
            click.echo(f"~ {one.task}: {one.what}{switch}")
            for path, old, new in one.members:
                click.echo(f"    {path}: {_value(old)} -> {_value(new)}")
    if same:
        click.echo(f"= {same} as they are")
    elif not differences:
        click.echo("the file names no task")


def _value(value: object) -> str:
    return "(default)" if value is None else one_line(value)
