"""`conformance run`: the judge as a command. It needs no database and nothing of the packages it judges."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from conformance import reports
from conformance.entries import FOLDER, BadVectors, read_folder
from conformance.pair import PRODUCT
from conformance.program import Unstartable
from conformance.runner import judge

# The last are lines that are no requests, or hardly.
OPERATIONS = ("key", "digest", "due", "fold", "slots", "request")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--against",
    metavar="COMMAND …",
    help="The program to test: last, with its arguments behind it, or quoted as one. Default: this product.",
)
@click.option(
    "--vectors",
    "folder",
    type=click.Path(path_type=Path),
    default=FOLDER,
    show_default="those of this release",
    help="A folder of vectors.",
)
@click.option(
    "--op",
    "operations",
    multiple=True,
    type=click.Choice(OPERATIONS),
    help="Ask the vectors of this operation alone; may be given again. Default: all.",
)
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write a JUnit report.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a JSON report."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.001),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long one answer may take.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    against: str | None,
    folder: Path,
    operations: tuple[str, ...],
    junit: Path | None,
    json_file: Path | None,
    timeout: float,
    arguments: tuple[str, ...],
) -> None:
    """Hold an implementation to the vectors, answer by answer and byte by byte.

    Exit code 0: all agree. 1: something differs, or the program broke the protocol. 2: bad input.
    """
    try:
        command = _command(against, arguments)
        entries = [entry for entry in read_folder(folder) if not operations or entry.op in operations]
        outcome = judge(entries, command, timeout=timeout)
        if junit is not None:
            reports.write_junit(outcome, junit)
        if json_file is not None:
            reports.write_json(outcome, json_file)
    except (BadVectors, Unstartable, OSError, ValueError) as error:
        click.echo(f"conformance run: {error}", err=True)
        sys.exit(2)
    click.echo(reports.text(outcome), nl=False)
    sys.exit(0 if outcome.passed else 1)


def _command(against: str | None, arguments: tuple[str, ...]) -> list[str]:
    if against is None:
        if arguments:
            raise ValueError(
                f"{shlex.join(arguments)} stands alone; write --against before the program to test"
            )
        return list(PRODUCT)
    command = [against, *arguments] if arguments else shlex.split(against)
    if not command:
        raise ValueError("--against names no program")
    return command


@click.group()
def main() -> None:
    """Judge an implementation of the occurrence ledger's keys and tasks."""


main.add_command(run)
