"""`ledger task`: what people ask of tasks."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ledger.commands_door import (
    Desk,
    at_desk,
    note_option,
    print_facts,
    print_json,
    print_table,
    read_json,
    who,
)
from ledger.errors import BadInput
from ledger.facts import read_identifier
from ledger.moves import reads
from ledger.moves.reads import Shown, TaskLine
from projector import door
from projector.commands.apply import apply_file
from projector.commands.files import read_file
from projector.commands.hints import tell_hints
from projector.commands.narrowing import given, sought_options
from projector.commands.rehearsal import tell_rehearsed
from projector.commands.saying import tell_acts, then
from projector.commands.schedules import schedule_text, warn_of_schedule
from projector.moves.asked import asked
from projector.moves.change import Wanted
from projector.moves.edit import edit as edit_move
from projector.moves.edit import read_patch
from projector.moves.rehearse import rehearse_edit
from projector.sought import read_sought_tasks


@click.group()
def task() -> None:
    """Define, look at, change and remove tasks."""


task.add_command(apply_file)


@task.command()
@click.argument("task_id", metavar="TASK")
@click.option("--cron", metavar="TEXT", help="Five fields, as '0 9 * * MON', or an alias as @daily.")
@click.option("--every", metavar="DURATION", help="An interval, as 15m, 1h30m or 90.")
@click.option("--at", metavar="TIMESTAMP", help="Once, as 2026-12-24T18:00:00+01:00.")
@click.option(
    "--timezone", metavar="ZONE", help="Where the cron text is meant, as Europe/Paris  [default: UTC]"
)
@click.option("--entrypoint", metavar="NAME", help="What is to run: a registered handler's name.")
@click.option("--payload", metavar="JSON", help="What the handler is given.")
@click.option("--name", metavar="TEXT", help="A title for people.")
@click.option("--agent", metavar="ID", help="Whose work it is.")
@click.option("--destination", metavar="TOKEN:ID", help="Where it runs.")
@click.option("--delivery", metavar="KIND", help="python, or pull for a runtime of your own.")
@click.option("--timeout", metavar="DURATION", help="How long a run may take, as 15m.")
@click.option("--retries", type=int, metavar="N", help="How often a failed run is tried again.")
@click.option("--file", metavar="FILE", help="A YAML or JSON file of one task's object; options win over it.")
@click.option("--disabled", is_flag=True, help="Leave a new task switched off.")
@click.option(
    "--allow-duplicate", is_flag=True, help="Also where an enabled task does the same at the same times."
)
@note_option
@at_desk
def add(
    desk: Desk,
    /,
    task_id: str,
    file: str | None,
    disabled: bool,
    allow_duplicate: bool,
    note: str,
    **given: str | int | None,
) -> None:
    """Define TASK, or replace the definition of one that exists (its switch stays as it is)."""
    what = _authored(file, given)
    wanted = door.defining(task_id, what, enabled=not disabled, allow_duplicate=allow_duplicate)
    warn_of_schedule(what)
    _act(desk, [wanted], note)


_MEMBERS = ("entrypoint", "name", "agent", "destination", "delivery")


def _authored(file: str | None, given: dict[str, str | int | None]) -> dict[str, object]:
    """The authored object of a file, with the options laid over it."""
    what: dict[str, object] = {}
    if file is not None:
        value = read_file(file)
        if not isinstance(value, dict):
            raise BadInput(f"{file}: write one object, the task's: entrypoint, schedule, …")
        what = dict(value)
    kinds = {
        kind: given[option]
        for option, kind in (("cron", "cron"), ("every", "every_s"), ("at", "at"))
        if given[option] is not None
    }
    if len(kinds) > 1:
        raise BadInput("a task has one schedule: give one of --cron, --every and --at")
    schedule = what.get("schedule")
    if kinds or given["timezone"] is not None:
        kept = dict(schedule) if isinstance(schedule, dict) and not kinds else {}
        zone = {} if given["timezone"] is None else {"timezone": given["timezone"]}
        what["schedule"] = kept | _seconds(kinds) | zone
    what |= {name: given[name] for name in _MEMBERS if given[name] is not None}
    if isinstance(payload := given["payload"], str):
        what["payload"] = read_json(payload, "payload")
    if isinstance(timeout := given["timeout"], str):
        what |= _seconds({"timeout_s": timeout})
    if given["retries"] is not None:
        retry = what.get("retry")
        what["retry"] = (dict(retry) if isinstance(retry, dict) else {}) | {"attempts": given["retries"]}
    return what


def _seconds(members: dict[str, str | int | None]) -> dict[str, object]:
    """Durations in bare seconds become numbers; `15m` is read at the door."""
    return {
        name: int(value) if name.endswith("_s") and isinstance(value, str) and value.isdecimal() else value
        for name, value in members.items()
    }


@task.command("list")
@sought_options("of next slots")
@click.option("--limit", type=int, default=reads.PAGE, show_default=True, help="Tasks at most, to 1000.")
@click.option("--cursor", metavar="TASK", help="The tasks after this one, as the last answer named it.")
@at_desk
def list_tasks(desk: Desk, limit: int, cursor: str | None) -> None:
    """List the tasks of a tenant by name."""
    wanted = read_sought_tasks(given())
    move = reads.list_tasks(desk.tenant, wanted, reads.read_task_cursor(cursor), reads.read_page_size(limit))
    page = desk.ask(move)
    if desk.as_json:
        print_json(page)
    elif page.rows:
        print_table(
            ("task", "on", "schedule", "entrypoint", "next", "name"),
            [
                (
                    line.task,
                    line.enabled,
                    schedule_text(line.authored),
                    line.authored["entrypoint"],
                    line.next or ("ended" if line.ended else ""),
                    line.authored.get("name"),
                )
                for line in page.rows
            ],
        )
        if page.cursor:
            click.echo(f"more: --cursor {page.cursor}")
    else:
        none = "no such task" if wanted.said() else f"tenant {desk.tenant} has no tasks"
        click.echo(none if cursor is None else "no more tasks")


@task.command()
@click.argument("task_id", metavar="TASK")
@at_desk
def show(desk: Desk, task_id: str) -> None:
    """Show a task: what was asked for, by whom, and what is open."""
    answer = desk.ask(reads.show(desk.tenant, read_identifier(task_id, "task")))
    if desk.as_json:
        print_json(answer)
    else:
        _tell(answer)


def _tell(answer: Shown) -> None:
    line: TaskLine = answer.line
    print_facts(
        {
            "task": line.task,
            "enabled": line.enabled,
            "next": then(line.next, line.ended, line.enabled).removeprefix("next "),
            "running": line.running,
            "digest": line.digest,
        }
    )
    click.echo("\ndefinition, defaults left out")
    print_json(line.authored)
    click.echo("\nacts, newest first")
    print_table(
        ("at", "by", "what", "digest", "note"),
        [(act.at, act.by, act.what, act.digest.hex()[:12], act.note) for act in answer.acts],
    )
    tell_hints(answer.hints)
    if answer.open:
        click.echo("\nopen")
        print_table(
            ("due", "wake", "run at", "reason", "key"),
            [(row.due, row.wake, row.run_at, row.reason, row.key) for row in answer.open],
        )


@task.command()
@click.argument("task_id", metavar="TASK")
@click.argument("patch", metavar="PATCH")
@click.option("--dry-run", is_flag=True, help="Show what would become of which rows, and change nothing.")
@note_option
@at_desk
def edit(desk: Desk, task_id: str, patch: str, dry_run: bool, note: str) -> None:
    """Change members of TASK by a JSON merge PATCH: null is the default again.

    \b
    ledger task edit report '{"timeout_s": 60, "description": null}'
    ledger task edit report '{"schedule": {"cron": null, "every_s": "15m"}}'
    """
    read = read_patch(read_json(patch, "patch"))
    name, kept = read_identifier(task_id, "task"), door.read_note(note)
    if dry_run:
        tell_rehearsed(desk.change(rehearse_edit(desk.tenant, name, read, who())), as_json=desk.as_json)
        return
    move = edit_move(desk.tenant, name, read, who(), kept)
    tell_acts([desk.change(move)], desk.as_json)


@task.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK…")
@click.option(
    "--allow-duplicate", is_flag=True, help="Also where an enabled task does the same at the same times."
)
@note_option
@at_desk
def enable(desk: Desk, task_ids: Sequence[str], allow_duplicate: bool, note: str) -> None:
    """Switch tasks on; their series resume from now."""
    wanted = [door.wanting(each, "enable", allow_duplicate=allow_duplicate) for each in task_ids]
    _act(desk, wanted, note)


@task.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK…")
@note_option
@at_desk
def disable(desk: Desk, task_ids: Sequence[str], note: str) -> None:
    """Switch tasks off: what is open retires, what runs goes on."""
    _act(desk, [door.wanting(each, "disable") for each in task_ids], note)


@task.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK…")
@note_option
@at_desk
def delete(desk: Desk, task_ids: Sequence[str], note: str) -> None:
    """Delete tasks: what is open retires, what runs goes on, their history stays."""
    _act(desk, [door.wanting(each, "delete") for each in task_ids], note)


def _act(desk: Desk, wanted: Sequence[Wanted], note: str) -> None:
    tell_acts(desk.change(asked(desk.tenant, wanted, who(), door.read_note(note))), desk.as_json)
