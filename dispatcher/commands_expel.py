"""`ledger expel`: a person ends the presence of a process that hangs."""

from __future__ import annotations

import click

from ledger.commands_door import connection, dsn_option, json_option, print_json, who
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves.expel import expel, read_incarnation, read_why
from ledger.moves.settled import under


@click.command("expel")
@click.argument("incarnation", type=int, metavar="INCARNATION")
@click.option("--why", required=True, metavar="TEXT", help="Why; the ledger keeps it, and who did it.")
@dsn_option
@json_option
def expel_command(incarnation: int, why: str, dsn: str | None, as_json: bool) -> None:
    """End the presence of a dispatcher that hangs: its runs are lost, as if it had died.

    Only a person can tell: a process that hangs still holds its lock, and its runs would end by their
    deadlines alone. Should it move again, it starts nothing, tells its handlers, and ends with exit code 1.
    Its number stands in `ledger health --json`, and in `ledger explain KEY` of a run of its.
    """
    move = expel(read_incarnation(incarnation), who(), read_why(why))
    with connection(dsn) as opened:
        found = run(opened, under(in_force(), move), Scope("dispatcher"))
    if as_json:
        print_json(found)
    else:
        click.echo(
            f"incarnation {found.id} ({found.slot} on {found.host}) is expelled by {found.by}: {found.why}; "
            f"{found.runs} of its runs still run, and will be closed as lost"
        )
