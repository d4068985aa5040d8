"""`ledger tenant suspend|resume|limit|show`: how much of a tenant may start."""

from __future__ import annotations

import click

from ledger.commands_door import connection, dsn_option, json_option, print_json, who
from ledger.commands_tenant import tenant
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.facts import instant_text, read_identifier
from ledger.moves.limits import Change, Keep, Limits, limits, read_change, read_limit_note, set_limits
from ledger.moves.settled import under

__all__ = ["tenant"]

_note = click.option("--note", metavar="TEXT", help="A note that the limits keep, until another is given.")
_tenant = click.argument("name", metavar="TENANT")


@tenant.command("suspend")
@_tenant
@_note
@dsn_option
@json_option
def suspend(name: str, note: str | None, dsn: str | None, as_json: bool) -> None:
    """Let nothing of a tenant start from now on.

    What comes due is skipped, with that reason; what runs goes on, and so do the series.
    """
    _set(name, Change(suspended=True, note=read_limit_note(note)), dsn, as_json)


@tenant.command("resume")
@_tenant
@_note
@dsn_option
@json_option
def resume(name: str, note: str | None, dsn: str | None, as_json: bool) -> None:
    """End the suspension of a tenant: its next slots start again."""
    _set(name, Change(suspended=False, note=read_limit_note(note) or ""), dsn, as_json)


@tenant.command("limit")
@_tenant
@click.option("--cap", metavar="N|none", help="So many of its runs at once; beyond that they wait.")
@click.option(
    "--quota", metavar="N|none", help="So many starts in a month of UTC, retries apart; then: skipped."
)
@_note
@dsn_option
@json_option
def limit(
    name: str, cap: str | None, quota: str | None, note: str | None, dsn: str | None, as_json: bool
) -> None:
    """Limit what a tenant may have running at once, and start in a month. What is not said stays."""
    if cap is None and quota is None and note is None:
        raise BadInput(
            "limiting a tenant: say --cap, --quota or --note; `ledger tenant show` shows what stands"
        )
    _set(name, read_change(_number(cap, "--cap"), _number(quota, "--quota"), note), dsn, as_json)


@tenant.command("show")
@_tenant
@dsn_option
@json_option
def show(name: str, dsn: str | None, as_json: bool) -> None:
    """Show what holds a tenant back, who set it, and how much of it is used."""
    whose = read_identifier(name, "tenant")
    with connection(dsn) as opened:
        _tell(run(opened, limits(whose), Scope("tenant", whose)), as_json)


def _set(name: str, change: Change, dsn: str | None, as_json: bool) -> None:
    whose = read_identifier(name, "tenant")
    with connection(dsn) as opened:
        move = under(in_force(), set_limits(whose, change, who()))
        _tell(run(opened, move, Scope("tenant", whose)), as_json)


def _number(text: str | None, option: str) -> int | Keep | None:
    if text is None:
        return "keep"
    if text == "none":
        return None
    if text.isascii() and text.isdecimal() and len(text) < 11:
        return int(text)
    raise BadInput(f"{option}: write a whole number, or `none` for no limit; {text!r} is neither")


def _tell(found: Limits, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    cap = "no cap" if found.cap is None else f"at most {found.cap}"
    quota = "no quota" if found.quota is None else f"{found.starts} of {found.quota} starts this month"
    state = "suspended: nothing of it starts" if found.suspended else "open"
    click.echo(f"tenant {found.tenant!r} is {state}; {found.running} running, {cap}; {quota}")
    if found.at is not None:
        note = f": {found.note}" if found.note else ""
        click.echo(f"set by {found.by} at {instant_text(found.at)}{note}")
