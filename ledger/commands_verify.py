"""`ledger verify`: whether every row bears the key of the facts stored beside it (I1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from ledger.commands_door import BAD_ANSWER, database, dsn_option, json_option, print_json, print_table
from ledger.verifying import verify_all


@click.command()
@dsn_option
@click.option(
    "--in-database", is_flag=True, help="Let the database derive the keys, by functions of its own in SQL."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(4, os.cpu_count() or 1),
    metavar="N",
    help="Processes side by side, where there is enough for them. Default: one for each core, 4 at most.",
)
@json_option
def verify(dsn: str | None, in_database: bool, jobs: int, as_json: bool) -> None:
    """Derive the key of every row anew, of all tenants, the archive too, and say which rows are misnamed.

    Nothing is changed; a sweep mends open rows. Exit code 0: all rows bear the keys of their facts. 1: some
    do not.
    """
    found = verify_all(database(dsn), in_database=in_database, jobs=jobs, told=_progress(as_json))
    rows, misnamed = found.rows, found.misnamed
    if as_json:
        print_json({"rows": rows, "misnamed": misnamed, "by": "database" if in_database else "package"})
    elif misnamed:
        print_table(("tenant", "task", "key"), misnamed)
        click.echo(f"{len(misnamed)} of {rows} rows do not bear the key of their facts")
    else:
        click.echo(f"{rows} rows, and each bears the key of its facts")
    if misnamed:
        sys.exit(BAD_ANSWER)


def _progress(as_json: bool) -> Callable[[int, int], None]:
    """A bar for people, on stderr, where there is somebody to see it and more than one part to wait for."""
    shown = not as_json and sys.stderr.isatty()

    def told(done: int, of: int) -> None:
        if shown and of > 1:
            filled = 40 * done // of
            bar = "#" * filled + "." * (40 - filled)
            click.echo(f"\rledger: [{bar}] {100 * done // of} %", err=True, nl=done == of)

    return told
