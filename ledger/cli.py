"""The root command: it assembles the commands of every room, and knows nothing else."""

from __future__ import annotations

import click

from ledger.commands import key, migrate
from ledger.commands_db import db
from ledger.commands_door import LedgerCommands
from projector.commands import cancel, due, explain, finish, history, run_now, task, upcoming


@click.group(
    cls=LedgerCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(package_name="occurrence-ledger", prog_name="ledger")
def main() -> None:
    """The occurrence ledger: the next run of a task is a row with a derived key.

    Commands talk to the database in LEDGER_DSN (or --dsn), or to an embedded Postgres that they start.
    """


for _command in (cancel, db, due, explain, finish, history, key, migrate, run_now, task, upcoming):
    main.add_command(_command)
