"""What every command shares: the database it talks to, who acts, how it answers, and its exit code.

Exit codes: 0 done, 1 the answer is bad, 2 bad input, 3 the database cannot be reached or is not ready for
this release. Whatever goes wrong is one line on stderr that says what and how to write it.
"""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

import click
from tabulate import tabulate

from ledger import server
from ledger.driver.connect import SyncConnection, connect
from ledger.driver.migrate import in_force, migrate
from ledger.driver.pool import read_dsn
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput, Busy, LedgerError, Misconfigured, OutcomeUnknown, Unreachable
from ledger.facts import instant_text, read_identifier
from ledger.moves.settled import under
from ledger.moves.step import Move
from ledger.strict_json import NotJson, inspect, read

P = ParamSpec("P")
R = TypeVar("R")

BAD_ANSWER, BAD_INPUT, NO_DATABASE = 1, 2, 3

_DSN = "The database, postgresql://USER@HOST:PORT/DATABASE  [env: LEDGER_DSN; else the embedded server]"
_TENANT = "The tenant  [env: LEDGER_TENANT; default: default]"
_JSON = "Print JSON instead of text."
dsn_option = click.option("--dsn", envvar="LEDGER_DSN", metavar="DSN", help=_DSN)
json_option = click.option("--json", "as_json", is_flag=True, help=_JSON)
note_option = click.option("--note", default="", metavar="TEXT", help="A note that the act keeps.")


class LedgerCommands(click.Group):
    """A group whose commands answer an error with one line on stderr and the exit code that it means.

    Below a cron or rrule text's refusal stands the text, with a caret under the place.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options before the command's name; one that stands too early is told so in a line."""
        try:
            return super().parse_args(ctx, args)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            complain(f"{error.format_message()} Options follow the command (see {ctx.command_path} --help)")
            ctx.exit(BAD_INPUT)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for; errors of the ledger and of usage end here."""
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else ctx.command_path
            complain(f"{error.format_message()} (see {where} --help)")
            ctx.exit(BAD_INPUT)
        except LedgerError as error:
            complain(str(error))
            for line in error.excerpt.splitlines():
                click.echo(f"  {line}", err=True)
            ctx.exit(exit_code(error))


def exit_code(error: LedgerError) -> int:
    """What an error means to a script."""
    if isinstance(error, BadInput):
        return BAD_INPUT
    if isinstance(error, Unreachable | Busy | OutcomeUnknown | Misconfigured):
        return NO_DATABASE
    return BAD_ANSWER


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    click.echo(f"ledger: {' '.join(message.split())}", err=True)


def database(dsn: str | None) -> str:
    """The DSN to use: the one given, or that of the embedded server, started and migrated first if need be.

    Raises `BadInput` for a DSN that cannot be read, `Unreachable` or `Misconfigured` where no server starts.
    """
    if dsn:
        return read_dsn(dsn)
    embedded = server.ensure_started()
    migrate(embedded)
    return embedded


@contextmanager
def connection(dsn: str | None) -> Iterator[SyncConnection]:
    """A connection to `database(dsn)`."""
    opened = connect(database(dsn), application="ledger command")
    try:
        yield opened
    finally:
        opened.close()


@dataclass(slots=True)
class Desk:
    """Where a command of a tenant's works: the database, the tenant, and how it answers."""

    dsn: str | None = None
    tenant: str = "default"
    as_json: bool = False

    def change(self, move: Move[R]) -> R:
        """Run one move that changes the ledger; only where this release is the one in force (I20)."""
        return self.ask(under(in_force(), move))

    def ask(self, move: Move[R]) -> R:
        """Run one move, as one transaction of the tenant's. Raises what the move raises."""
        scope = Scope("tenant", read_identifier(self.tenant, "tenant"))
        with connection(self.dsn) as opened:
            return run(opened, move, scope)


def at_desk(function: Callable[Concatenate[Desk, P], None]) -> Callable[P, None]:
    """Give a command the options `--tenant`, `--dsn` and `--json`, and itself the desk that they make."""
    command = click.make_pass_decorator(Desk, ensure=True)(function)
    for option in (
        click.option("--json", "as_json", is_flag=True, expose_value=False, callback=_keep, help=_JSON),
        click.option(
            "--dsn", envvar="LEDGER_DSN", metavar="DSN", expose_value=False, callback=_keep, help=_DSN
        ),
        click.option(
            "--tenant",
            envvar="LEDGER_TENANT",
            default="default",
            metavar="ID",
            expose_value=False,
            callback=_keep,
            help=_TENANT,
        ),
    ):
        command = option(command)
    return command


def _keep(ctx: click.Context, parameter: click.Parameter, value: object) -> object:
    setattr(ctx.ensure_object(Desk), str(parameter.name), value)
    return value


def who() -> str:
    """Who acts, as acts and rows show it: the account that runs the command."""
    try:
        return f"command: {getpass.getuser()}"
    except (ImportError, KeyError, OSError):
        return f"command: uid {os.getuid()}"


def print_json(value: object) -> None:
    """One JSON value on stdout: instants in canonical form, durations in seconds, digests in hex."""
    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def plain(value: object) -> object:
    """An answer as JSON can hold it; dataclasses and rows become objects."""
    if isinstance(value, datetime):
        return instant_text(value.astimezone(UTC))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    return _plain_parts(value)


def _plain_parts(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(member) for name, member in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, list | tuple) else value


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people; each cell is one line."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    click.echo(tabulate(cells, headers=headers, tablefmt="simple", disable_numparse=True))


def print_facts(facts: Mapping[str, object]) -> None:
    """Names and values below each other; what is absent is left out."""
    shown = {name: one_line(value) for name, value in facts.items() if value is not None and value != ""}
    width = max(map(len, shown), default=0)
    for name, text in shown.items():
        click.echo(f"{name:<{width}}  {text}")


def one_line(value: object) -> str:
    """A value as a table shows it: instants in UTC to the second, or as fine as they are."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return instant_text(value.astimezone(UTC)).replace("T", " ").replace(".000000Z", "Z")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict | list):
        return json.dumps(plain(value), ensure_ascii=False)
    return " ".join(str(value).split())


def read_json(text: str, what: str) -> object:
    """A JSON value from the command line. Raises `BadInput`."""
    try:
        value = read(text.encode("utf-8", "surrogateescape"))
    except NotJson as error:
        raise BadInput(f"{what}: {error}; write JSON, such as '{{\"n\": 1}}'") from error
    if inspect(value).doubled:
        raise BadInput(f"{what}: one name stands twice in an object; keep one of the two")
    return value
