"""`ledger tenant`: a tenant as a whole, copied out or taken away."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import IO

import click

from ledger.commands_door import connection, dsn_option, json_option, print_json, who
from ledger.driver.connect import SyncConnection
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.errors import BadInput, Busy, NotFound
from ledger.facts import read_identifier
from ledger.moves.settled import under
from ledger.moves.tenants import bury, cancel_runs, drop_page, read_page, refuse_running, tables

# Tasks that somebody defines meanwhile are deleted in another round; so many at most.
_ROUNDS = 5
_LIMITS = Limits(lock_ms=10_000, statement_ms=120_000, idle_ms=60_000)
_READER, _OWNER = Scope("reader", None, _LIMITS), Scope("owner", None, _LIMITS)


@click.group()
def tenant() -> None:
    """A tenant as a whole."""


@tenant.command("export")
@click.argument("name", metavar="TENANT")
@click.option("--to", "path", metavar="FILE", help="Write there instead of standard output.")
@dsn_option
def export(name: str, path: str | None, dsn: str | None) -> None:
    """Write all that a tenant has as JSON lines: tasks, acts, definitions, runs, the archive, and the rest.

    The first line says whose it is, the last how many rows there were; each between is a table and a row of
    it. Pages are read one after the other while the ledger goes on: a row that leaves for the archive
    meanwhile may come twice, and none is missing.
    """
    whose = read_identifier(name, "tenant")
    with connection(dsn) as opened, _output(path) as out:
        rows = _export(opened, whose, out)
    if not rows:
        raise NotFound("exporting a tenant: the ledger has nothing of it", tenant=whose)
    if path is not None:
        click.echo(f"{rows} rows of tenant {whose!r} in {path}")


@tenant.command("delete")
@click.argument("name", metavar="TENANT")
@click.option("--confirm", metavar="TENANT", help="The tenant's name once more; without it, it is asked for.")
@click.option("--force", is_flag=True, help="Cancel what runs; else a tenant with runs is not deleted.")
@dsn_option
@json_option
def delete(name: str, confirm: str | None, force: bool, dsn: str | None, as_json: bool) -> None:
    """Delete all that a tenant has, for good: tasks first, so that nothing starts, the archive last.

    In small transactions, as the owner of the database. What is left is that it was deleted, when and by
    whom. Stopped midway, it is run again.
    """
    whose = read_identifier(name, "tenant")
    if confirm is None and sys.stdin.isatty():
        confirm = click.prompt(f"All of tenant {whose!r} is deleted for good. Write its name", err=True)
    if confirm != whose:
        raise BadInput(
            f"deleting tenant {whose!r}: confirm it by its name, --confirm {whose}; nothing was done"
        )
    with connection(dsn) as opened:
        rows = _delete(opened, whose, force=force)
    if as_json:
        print_json({"tenant": whose, "rows": rows})
    else:
        click.echo(f"deleted {rows} rows; nothing is left of tenant {whose!r}")


def _output(path: str | None) -> nullcontext[IO[str]] | IO[str]:
    if path is None:
        return nullcontext(sys.stdout)
    try:
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--to {path}: {error.strerror}") from error


def _export(opened: SyncConnection, whose: str, out: IO[str]) -> int:
    told, rows = _progress("exported"), 0
    head = json.dumps({"tenant": whose, "schema_version": in_force().schema_version}) + "\n"
    for table in run(opened, tables(), _READER):
        after: dict[str, object] | None = None
        while page := run(opened, read_page(table, whose, after), _READER):
            out.write("" if rows else head)
            for row in page:
                out.write(json.dumps({"table": table, "row": row}, ensure_ascii=False) + "\n")
            after, rows = page[-1], rows + len(page)
            told(rows)
    out.write(json.dumps({"end": whose, "rows": rows}) + "\n" if rows else "")
    return rows


def _delete(opened: SyncConnection, whose: str, *, force: bool) -> int:
    """Raises `NotFound`, `StillRunning` unless forced, `Busy` where somebody goes on writing."""
    if not force:
        run(opened, refuse_running(whose), _OWNER)
    names = run(opened, tables(), _OWNER)
    told, rows = _progress("deleted"), 0
    for _ in range(_ROUNDS):
        before = rows
        for table in names:
            rows = _empty(opened, whose, table, rows, told)
            if table == names[0]:
                # Their tasks are gone, so what runs now is the last.
                _end_runs(opened, whose, force=force)
        if rows == before:
            break
    else:
        raise Busy(
            f"deleting tenant {whose!r}: somebody goes on writing for it; stop that, and delete it again"
        )
    if not rows:
        raise NotFound("deleting a tenant: the ledger has nothing of it", tenant=whose)
    run(opened, bury(whose, who(), rows), _OWNER)
    return rows


def _end_runs(opened: SyncConnection, whose: str, *, force: bool) -> None:
    if not force:
        run(opened, refuse_running(whose), _OWNER)
    while force and run(opened, under(in_force(), cancel_runs(whose, who())), _OWNER):
        pass


def _empty(opened: SyncConnection, whose: str, table: str, rows: int, told: Callable[[int], None]) -> int:
    after: dict[str, object] | None = None
    while (page := run(opened, drop_page(table, whose, after), _OWNER)).last is not None:
        after, rows = page.last, rows + page.gone
        told(rows)
    return rows


def _progress(did: str) -> Callable[[int], None]:
    """How far it is, on stderr, where there is somebody to see it."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda rows: click.echo(f"\rledger: {did} {rows} rows", err=True, nl=False)
