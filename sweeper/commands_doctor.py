"""`ledger doctor`: one page on the database and this installation, before the ledger runs on them."""

from __future__ import annotations

import sys

import click
from click.core import ParameterSource

from ledger.commands_door import (
    BAD_ANSWER,
    connection,
    dsn_option,
    json_option,
    plain,
    print_json,
    print_table,
)
from sweeper.doctor import examine


@click.group(invoke_without_command=True)
@dsn_option
@json_option
@click.pass_context
def doctor(ctx: click.Context, dsn: str | None, as_json: bool) -> None:
    """Look at the database and this installation, and say what to change. Nothing is changed.

    Version, settings, migrations, guards, packages, roles, pooler, clocks, autovacuum. Exit code 0: nothing
    must be changed, though there may be advice. 1: something must. What else a person alone can decide are
    the commands below; their options follow their names.
    """
    if ctx.invoked_subcommand is not None:
        if as_json or ctx.get_parameter_source("dsn") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"write the options after `{ctx.invoked_subcommand}`", ctx)
        return
    with connection(dsn) as opened:
        page = examine(opened)
    if as_json:
        print_json({"well": page.well, "findings": [plain(one) for one in page.findings]})
    else:
        print_table(
            ("", "subject", "what was found", "what to do"),
            [(one.word, one.subject, one.says, one.do) for one in page.findings],
        )
    sys.exit(0 if page.well else BAD_ANSWER)
