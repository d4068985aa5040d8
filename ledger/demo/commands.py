"""`ledger demo`: the product at work, in half a minute."""

from __future__ import annotations

import os

import click

from ledger.commands_door import BAD_ANSWER
from ledger.errors import BadInput

_SHORTEST_S = 6


@click.command()
@click.option(
    "--seconds",
    type=click.IntRange(_SHORTEST_S, 600),
    default=16,
    show_default=True,
    help="How long the tasks fire; from 15 on, a dispatcher is killed as well.",
)
def demo(seconds: int) -> None:
    """Show the ledger at work: three tenants, tasks firing on time, a row deleted and repaired, a judge.

    It plays on the embedded server, whatever LEDGER_DSN says, in a database of its own, and exits 1 where a
    slot is missing, double or unrepaired. DEMO_BREAK=projection, or repair, breaks the ledger first, so that
    you can see it fail.
    """
    from ledger.demo.play import play  # noqa: PLC0415 - no other command is to load all that it needs
    from ledger.demo.stage import BREAKS  # noqa: PLC0415 - the same

    broken = os.environ.get("DEMO_BREAK") or None
    if broken not in (None, *BREAKS):
        raise BadInput(f"DEMO_BREAK={broken}: it breaks {' or '.join(BREAKS)}; leave it out to break nothing")
    faults = play(seconds, broken, click.echo)
    for fault in faults:
        click.echo(f"  {fault}")
    if faults:
        raise click.exceptions.Exit(BAD_ANSWER)
