"""`ledger migrate` and `ledger key`: the schema of a database, and the key of an occurrence."""

from __future__ import annotations

from typing import cast

import click
from click.core import ParameterSource

from ledger.commands_door import database, dsn_option, json_option, print_facts, print_json, read_json
from ledger.driver.migrate import migrate as apply_migrations
from ledger.errors import BadInput
from ledger.facts import NAMES, read_facts, shown
from ledger.keys import derive


@click.group(invoke_without_command=True)
@dsn_option
@json_option
@click.pass_context
def migrate(ctx: click.Context, dsn: str | None, as_json: bool) -> None:
    """Bring a database to this release's schema. Safe to run again; it applies what is missing.

    What it never does by itself are the commands below; their options follow their names.
    """
    if ctx.invoked_subcommand is not None:
        if as_json or ctx.get_parameter_source("dsn") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"write the options after `{ctx.invoked_subcommand}`", ctx)
        return
    applied = apply_migrations(database(dsn))
    if as_json:
        print_json({"applied": applied})
    elif applied:
        click.echo(f"applied {', '.join(applied)}")
    else:
        click.echo("nothing to apply: the schema is this release's")


_EPILOG = """\b
Examples:
  ledger key --tenant acme --task report --wake schedule --due 2026-12-01T09:00:00Z --digest 5721…
  ledger key '{"tenant": "acme", "delivery": "python", …}'
"""


@click.command(epilog=_EPILOG)
@click.argument("facts", required=False, metavar="[JSON]")
@click.option("--tenant", metavar="ID", help="Whose task it is.")
@click.option("--delivery", metavar="TOKEN", help="How it is delivered  [default: python]")
@click.option(
    "--wake", metavar="WAKE", help="What wakes it: schedule, retry:1, manual:ID  [default: schedule]"
)
@click.option("--agent", metavar="ID", help="Whose work it is  [default: default]")
@click.option("--destination", metavar="TOKEN:ID", help="Where it runs  [default: local:default]")
@click.option("--task", metavar="ID", help="The task.")
@click.option("--digest", metavar="HEX", help="The digest of the task's definition, 64 hex digits.")
@click.option("--due", metavar="TIMESTAMP", help="Its slot, with an offset: 2026-12-01T09:00:00Z.")
@json_option
def key(facts: str | None, as_json: bool, **given: str | None) -> None:
    """Derive the key of an occurrence from its facts.

    No database is asked. Give the eight facts as one JSON object, as options, or both; an option wins.
    """
    derived = derive(read_facts(_raw(facts, given)))
    answer = {
        "key": str(derived.key),
        "fingerprint": derived.fingerprint.hex(),
        "preimage": derived.preimage,
    }
    if as_json:
        print_json(answer)
    else:
        print_facts(answer)


def _raw(text: str | None, given: dict[str, str | None]) -> dict[str, object]:
    """The facts as given. Defaults stand in for options alone: an object must be whole."""
    if text is None:
        usual: dict[str, object] = {
            "delivery": "python",
            "wake": "schedule",
            "agent": "default",
            "destination": "local:default",
        }
    else:
        value = read_json(text, "facts")
        if not isinstance(value, dict):
            raise BadInput(f"facts: must be an object of {', '.join(NAMES)}, not {shown(value)}")
        usual = cast("dict[str, object]", value)
    return usual | {name: value for name, value in given.items() if value is not None}
