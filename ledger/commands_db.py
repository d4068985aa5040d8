"""`ledger db`: the embedded Postgres, for whoever has no server at hand."""

from __future__ import annotations

import json

import click

from ledger import server

_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group()
def db() -> None:
    """Start, stop and look at the embedded Postgres.

    Commands start it by themselves where LEDGER_DSN names no server. It keeps running when they end.
    """


@db.command()
@_as_json
def start(as_json: bool) -> None:
    """Start the server, making it first if need be; it is no error if it runs."""
    server.ensure_started()
    _show(server.status(), as_json)


@db.command()
def dsn() -> None:
    """Start the server if need be and print its DSN alone: export LEDGER_DSN=$(ledger db dsn)."""
    click.echo(server.ensure_started())


@db.command()
@_as_json
def stop(as_json: bool) -> None:
    """Stop the server, ending its sessions; it is no error if it does not run. The data stay."""
    before = server.stop()
    if as_json:
        _show(server.status(), as_json)
    elif before.running:
        click.echo(f"stopped; the data stay in {before.home}")
    else:
        click.echo(f"nothing to stop: no server runs in {before.home}")


@db.command()
@_as_json
def status(as_json: bool) -> None:
    """Say whether the server runs and how to reach it. Exit code 0 either way."""
    _show(server.status(), as_json)


def _show(found: server.Status, as_json: bool) -> None:
    rows = {
        "running": found.running,
        "state": found.state,
        "dsn": found.dsn,
        "tcp_dsn": found.tcp_dsn,
        "port": found.port,
        "pid": found.pid,
        "started": None if found.started is None else found.started.isoformat(),
        "home": str(found.home),
        "log": str(found.log),
    }
    if as_json:
        click.echo(json.dumps(rows))
    elif not found.running:
        click.echo(f"no server runs in {found.home}; `ledger db start` starts it")
    else:
        for name, value in rows.items():
            if name != "running":
                click.echo(f"{name:<8} {value}")
