"""The root command: it assembles the commands of every room, and knows nothing else."""

from __future__ import annotations

import click

from conformance.commands import run as judge
from dispatcher.commands import run_command, tick_command
from dispatcher.commands_expel import expel_command
from dispatcher.commands_tell import tell
from ledger.commands import key, migrate
from ledger.commands_db import db
from ledger.commands_door import LedgerCommands
from ledger.commands_events import events
from ledger.commands_limits import tenant
from ledger.commands_verify import verify
from ledger.demo.commands import demo
from projector.commands import (
    backfill,
    cancel,
    due,
    explain,
    finish,
    hint,
    history,
    pause,
    preview,
    rerun,
    resume,
    run_now,
    task,
    upcoming,
    why_not,
)
from projector.commands.zones import doctor_zones, migrate_utc_only, migrate_zones
from projector.protocol import main as answer_questions
from sweeper.commands import health_command, sweep_command
from sweeper.commands_doctor import doctor
from sweeper.commands_prune import prune


@click.group(
    "ledger",
    cls=LedgerCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="occurrence-ledger", prog_name="ledger")
def main() -> None:
    """The occurrence ledger: the next run of a task is a row with a derived key.

    Commands talk to the database in LEDGER_DSN (or --dsn), or to an embedded Postgres that they start.
    """


@click.group()
def conformance() -> None:
    """Judge implementations of keys and tasks, or be judged."""


@conformance.command()
def serve() -> None:
    """Answer the protocol's questions, a JSON line each, on standard input and output."""
    answer_questions()


conformance.add_command(judge, "run")


doctor.add_command(doctor_zones)
migrate.add_command(migrate_zones)
migrate.add_command(migrate_utc_only)

for _command in (
    *(
        backfill,
        cancel,
        db,
        demo,
        doctor,
        due,
        expel_command,
        explain,
        finish,
        health_command,
        history,
        key,
        migrate,
        preview,
        prune,
        rerun,
        run_now,
    ),
    *(events, hint, pause, resume, tell),
    *(run_command, sweep_command, task, tenant, tick_command, upcoming, verify, conformance, why_not),
):
    main.add_command(_command)
