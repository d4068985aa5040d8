"""`ledger verify`: whether every row bears the key of the facts stored beside it (I1)."""

from __future__ import annotations

import sys

import click

from ledger.commands_door import BAD_ANSWER, connection, dsn_option, json_option, print_json, print_table
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves.verify import START, Misnamed, Place, verify_page


@click.command()
@dsn_option
@click.option(
    "--in-database", is_flag=True, help="Let the database derive the keys, by functions of its own in SQL."
)
@json_option
def verify(dsn: str | None, in_database: bool, as_json: bool) -> None:
    """Derive the key of every row anew, of all tenants, the archive too, and say which rows are misnamed.

    Nothing is changed; a sweep mends open rows. Exit code 0: all rows bear the keys of their facts. 1: some
    do not.
    """
    rows = 0
    misnamed: list[Misnamed] = []
    place: Place | None = START
    with connection(dsn) as opened:
        while place is not None:
            judged = run(opened, verify_page(place, in_database=in_database), Scope("reader"))
            rows += judged.rows
            misnamed += judged.misnamed
            place = judged.end
    if as_json:
        print_json({"rows": rows, "misnamed": misnamed, "by": "database" if in_database else "package"})
    elif misnamed:
        print_table(("tenant", "task", "key"), misnamed)
        click.echo(f"{len(misnamed)} of {rows} rows do not bear the key of their facts")
    else:
        click.echo(f"{rows} rows, and each bears the key of its facts")
    if misnamed:
        sys.exit(BAD_ANSWER)
