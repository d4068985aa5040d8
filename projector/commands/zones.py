"""`ledger doctor zones`, `ledger migrate zones` and `ledger migrate utc-only`: zone rules that change."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from ledger.commands_door import BAD_ANSWER, connection, dsn_option, json_option, print_json, print_table, who
from projector.rules import Foreseen, MovedOn, foresee, move_forward, set_utc_only


@click.command("zones")
@dsn_option
@json_option
def doctor_zones(dsn: str | None, as_json: bool) -> None:
    """List the open rows that the zone rules of this installation put at another instant.

    Of all tenants; nothing is changed. Exit code 0: none. 1: some, or a task whose zone cannot be read.
    `ledger migrate zones` moves them.
    """
    with connection(dsn) as opened:
        found = foresee(opened, _progress(as_json))
    if as_json:
        print_json(found)
    else:
        _show_foreseen(found)
    sys.exit(BAD_ANSWER if found.rows or found.unreadable else 0)


@click.command("zones")
@dsn_option
@json_option
def migrate_zones(dsn: str | None, as_json: bool) -> None:
    """Put the zone rules of this installation in force, and move the open rows that they change.

    As the owner of the database. Processes with older rules stop first, and say so; install the new release
    for them. Rows that have come stand. Safe to run again, also after it was stopped midway; rules never go
    backward. Exit code 1: some task could not be moved; run it again.
    """
    with connection(dsn) as opened:
        done = move_forward(opened, who(), _progress(as_json))
    if as_json:
        print_json(done)
    else:
        _show_moved(done)
    sys.exit(BAD_ANSWER if done.failed or done.left else 0)


@click.command("utc-only")
@click.argument("switch", type=click.Choice(["on", "off"]))
@dsn_option
@json_option
def migrate_utc_only(switch: str, dsn: str | None, as_json: bool) -> None:
    """Keep zones out of all tasks, or let them in again.

    As the owner of the database. While it is on, a task that names a zone is refused, so no change of zone
    rules ever moves a run. It is refused while tasks name zones.
    """
    with connection(dsn) as opened:
        changed = set_utc_only(opened, switch == "on")
    if as_json:
        print_json({"utc_only": switch == "on", "changed": changed})
    else:
        state = "zones are kept out" if switch == "on" else "zones may be named"
        click.echo(state if changed else f"{state}: so it was already")


def _progress(as_json: bool) -> Callable[[int, int], None] | None:
    """How far it is, on stderr, where there is somebody to see it and enough to wait for."""
    if as_json or not sys.stderr.isatty():
        return None

    def told(done: int, of: int) -> None:
        if of >= 100 and (done % 50 == 0 or done == of):
            click.echo(f"\rledger: {done} of {of} tenants", err=True, nl=done == of)

    return told


def _show_foreseen(found: Foreseen) -> None:
    own = "the same" if found.own == found.in_force else f"tzdata {found.own}"
    click.echo(f"zone rules in force: tzdata {found.in_force}; this process has {own}")
    if found.moving_from is not None:
        click.echo(
            f"a move from tzdata {found.moving_from} was begun and is not done: run `ledger migrate zones`"
        )
    if found.utc_only:
        click.echo("zones are kept out of all tasks")
    if found.rows:
        print_table(
            ("tenant", "task", "key", "zone", "due now", "due then"),
            [
                (row.tenant, row.task, row.key, row.zone, row.due or "ended", row.then or "ended")
                for row in found.rows
            ],
        )
    click.echo(f"{len(found.rows)} of {found.looked_at} open rows looked at stand at another instant")
    if found.come:
        click.echo(f"{found.come} have come, and stand")
    _show_failed(found.unreadable, "cannot be read")


def _show_moved(done: MovedOn) -> None:
    if done.moved_from == done.moved_to:
        click.echo(f"in force already: tzdata {done.moved_to}")
    else:
        click.echo(f"moved from tzdata {done.moved_from} to {done.moved_to}")
    click.echo(f"looked at {done.looked_at} open rows of {done.tenants} tenants, moved {done.moved} tasks")
    if done.come:
        click.echo(f"{done.come} have come, and stand")
    _show_failed(done.failed, "could not be moved")
    if done.left:
        click.echo(f"{len(done.left)} tasks were locked all the time; run it again")


def _show_failed(failed: list[tuple[str, str, str]], how: str) -> None:
    if failed:
        click.echo(f"{len(failed)} tasks {how}")
        print_table(("tenant", "task", "why"), failed)
