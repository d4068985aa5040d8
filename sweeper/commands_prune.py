"""`ledger prune`: old closed rows to the archive, and history that is kept no longer away."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta

import click

from ledger.authored.friendly import read_duration
from ledger.commands_door import connection, dsn_option, json_option, print_json
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.moves.step import ask
from ledger.statements.archive import SET_WINDOWS
from sweeper.archiving import Archived, Keeping, archive

# As long as a window may be: beyond this no instant has a beginning of it.
_LONGEST = timedelta(days=36_500)


def _duration(_: click.Context, parameter: click.Parameter, text: str | None) -> timedelta | None:
    """`90d`, `12h` or whole seconds."""
    if text is None:
        return None
    seconds = int(text) if text.isdecimal() and text.isascii() else read_duration(text, f"--{parameter.name}")
    if not isinstance(seconds, int) or seconds > _LONGEST.total_seconds():
        raise BadInput(f"--{parameter.name}: {text} is longer than a hundred years")
    return timedelta(seconds=seconds)


@click.command()
@dsn_option
@click.option(
    "--hot",
    callback=_duration,
    metavar="DURATION",
    help="Closed rows older than this leave for the archive.  [default: the setting, at first 7d]",
)
@click.option(
    "--history",
    callback=_duration,
    metavar="DURATION",
    help="Days of the archive older than this are dropped.  [default: the setting, at first 400d]",
)
@click.option(
    "--remember", is_flag=True, help="Make these the settings that every sweep goes by; as the owner."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@json_option
def prune(
    dsn: str | None,
    hot: timedelta | None,
    history: timedelta | None,
    remember: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Move closed rows out of the hot window to the archive, and drop the days that are kept no longer.

    Each sweep does the same, a minute at most; this does all of it, in small transactions beside running
    dispatchers. What is dropped is gone: no history, no `explain`, and no backfill that begins before it.
    """
    if remember and (dry_run or (hot is None and history is None)):
        raise BadInput("--remember: give --hot or --history, and leave --dry-run out")
    with connection(dsn) as opened:
        done = archive(opened, Keeping(hot, history, dry=dry_run), _progress(as_json))
        if remember:
            run(opened, ask(SET_WINDOWS(hot=hot, history=history)), Scope("owner"))
    if as_json:
        print_json(done.as_json() | {"dry_run": dry_run})
    else:
        click.echo(f"{'would have ' if dry_run else ''}{said_of(done)}")


def said_of(done: Archived) -> str:
    """What was archived and dropped, in words."""
    days = len(done.dropped)
    which = f" ({done.dropped[0]} to {done.dropped[-1]})" if days else ""
    return f"moved {done.moved} of {done.looked_at} old rows, dropped {days} days of history{which}"


def _progress(as_json: bool) -> Callable[[int, int], None] | None:
    """How far it is, on stderr, where there is somebody to see it."""
    if as_json or not sys.stderr.isatty():
        return None
    return lambda looked_at, moved: click.echo(
        f"\rledger: looked at {looked_at} old rows, moved {moved}", err=True, nl=False
    )
