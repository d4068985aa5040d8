"""`ledger tell`: who is sent what closes badly, where to, and how far each has come.

Who is added is the operator's to say: adding and removing take the owner's role. Secrets are named, never
kept: whoever sends reads them from its environment or from a file of its machine.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from dispatcher.telling import Teller
from ledger.commands_door import (
    BAD_ANSWER,
    connection,
    database,
    dsn_option,
    json_option,
    print_json,
    print_table,
    who,
)
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.facts import read_identifier
from ledger.moves import outbox
from ledger.moves.outbox import BOUND, KINDS, Wish
from ledger.statements.outbox import Subscriber

if TYPE_CHECKING:
    from dispatcher.sender import Pass, Sender

SECRETS = "env:LEDGER_WEBHOOK_SECRETS"
_DAY = timedelta(days=1)

allow_option = click.option(
    "--tell-allow",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="A host that subscribers may be at though its address is private; give it once for each.",
)


@click.group()
def tell() -> None:
    """Send what closes badly to addresses of yours, as signed webhooks.

    `ledger run` sends it as it comes; `ledger tell send` does one pass, for cron.
    """


@tell.command("add")
@click.argument("name")
@click.argument("url")
@click.option("--tenant", metavar="ID", help="The closings of this tenant alone; without it, of all.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help=f"Only these: {', '.join(KINDS)}, skipped:REASON; give it once for each.",
)
@click.option(
    "--secret",
    default=SECRETS,
    show_default=True,
    metavar="WHERE",
    help="Where the secrets that sign are, as whoever sends finds them: env:NAME or file:PATH.",
)
@click.option(
    "--keep-days",
    type=click.IntRange(1, 3_650),
    default=BOUND // _DAY,
    show_default=True,
    metavar="N",
    help="For so long events wait for it while it does not take them; older ones are dropped, and counted.",
)
@dsn_option
@json_option
def add_command(
    name: str,
    url: str,
    tenant: str | None,
    kinds: tuple[str, ...],
    secret: str,
    keep_days: int,
    dsn: str | None,
    as_json: bool,
) -> None:
    """Add a subscriber, from now on; one of that name that stands is changed, and goes on where it is.

    As the owner of the database.
    """
    wish = Wish(
        read_identifier(name, "name"),
        None if tenant is None else read_identifier(tenant, "tenant"),
        _read_url(url),
        outbox.read_kinds(kinds or None),
        _read_secret(secret),
        keep_days * _DAY,
    )
    with connection(dsn) as opened:
        after = run(opened, outbox.add(wish, who()), Scope("owner"))
    if as_json:
        print_json({"name": wish.name, "after": after})
    else:
        whose = "all tenants" if wish.tenant is None else f"tenant {wish.tenant!r}"
        click.echo(f"{wish.name} is told of {', '.join(wish.kinds)} of {whose}, behind number {after}")


@tell.command("list")
@dsn_option
@json_option
def list_command(dsn: str | None, as_json: bool) -> None:
    """Who is told, how far each has come, and what waits for it."""
    with connection(dsn) as opened:
        found = run(opened, outbox.subscribers(), Scope("reader"))
    if as_json:
        print_json(found)
        return
    columns = ("name", "tenant", "url", "kinds", "sent", "waiting", "oldest", "dropped", "fails", "why")
    print_table(columns, [_cells(one) for one in found])


@tell.command("remove")
@click.argument("name")
@dsn_option
@json_option
def remove_command(name: str, dsn: str | None, as_json: bool) -> None:
    """Tell a subscriber no more. As the owner of the database."""
    with connection(dsn) as opened:
        run(opened, outbox.remove(name), Scope("owner"))
    if as_json:
        print_json({"name": name, "removed": True})
    else:
        click.echo(f"{name} is told no more")


@tell.command("test")
@click.argument("name")
@allow_option
@dsn_option
@json_option
def test_command(name: str, allowed: tuple[str, ...], dsn: str | None, as_json: bool) -> None:
    """Send one message of the type `ledger.test` to a subscriber, now; exit code 1 if it does not arrive."""
    with connection(dsn) as opened:
        (one,) = run(opened, outbox.subscribers(name), Scope("reader"))
    wrong = asyncio.run(_test(database(dsn), one, allowed))
    if as_json:
        print_json({"name": name, "arrived": wrong is None, "error": wrong})
    else:
        click.echo(f"{name}: arrived" if wrong is None else f"{name}: {wrong}")
    sys.exit(0 if wrong is None else BAD_ANSWER)


@tell.command("send")
@allow_option
@dsn_option
@json_option
def send_command(allowed: tuple[str, ...], dsn: str | None, as_json: bool) -> None:
    """One pass: send all that can be sent now; for cron, where no `ledger run` does it.

    A receiver that fails is said in the report; exit code 1 then, and the next pass tries again.
    """
    done = asyncio.run(_send(database(dsn), allowed))
    if as_json:
        print_json(done)
    else:
        click.echo(f"sent {done.sent} events")
        for problem in done.problems:
            click.echo(f"problem: {problem}")
    sys.exit(BAD_ANSWER if done.problems else 0)


commands: list[click.Command] = [tell]


@asynccontextmanager
async def telling(dsn: str, allowed: Sequence[str], teller: Teller) -> AsyncIterator[None]:
    """Subscribers are told for as long as this stands, beside whatever else this process does."""
    try:
        made = _sender(dsn, allowed, teller)
    except BadInput as error:
        teller.say("subscribers are not told by this process", why=str(error))
        yield
        return
    async with aclosing(made) as sender:
        task = asyncio.create_task(sender.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _sender(dsn: str, allowed: Sequence[str], teller: Teller) -> Sender:
    """Who sends. Raises `BadInput` where what it needs is not installed."""
    try:
        from dispatcher.deliveries.posting import Poster  # noqa: PLC0415 - httpx is an extra
        from dispatcher.sender import Sender  # noqa: PLC0415 - the same
    except ImportError as error:
        raise BadInput("telling subscribers: pip install 'occurrence-ledger[http]'") from error
    return Sender(dsn, Poster(allowed, option="--tell-allow"), teller)


async def _send(dsn: str, allowed: Sequence[str]) -> Pass:
    async with aclosing(_sender(dsn, allowed, Teller())) as sender:
        return await sender.once()


async def _test(dsn: str, one: Subscriber, allowed: Sequence[str]) -> str | None:
    """Send one message that tells of nothing; what went wrong."""
    async with aclosing(_sender(dsn, allowed, Teller())) as sender:
        return await sender.test(one)


def _read_url(text: str) -> str:
    """An address to tell. Raises `BadInput`; a password in it would be read by all who read the database."""
    try:
        from dispatcher.deliveries.posting import read_address  # noqa: PLC0415 - httpx is an extra
    except ImportError as error:
        raise BadInput("telling subscribers: pip install 'occurrence-ledger[http]'") from error
    try:
        url = read_address(text)
    except BadInput as error:
        raise BadInput(f"URL: {error}; write https://HOST/PATH") from error
    if url.userinfo:
        raise BadInput("URL: it holds a name or a password, and would be kept in the database; leave it out")
    return str(url)


def _read_secret(where: str) -> str:
    kind, _, place = where.partition(":")
    if kind not in ("env", "file") or not place or (kind == "file" and not place.startswith("/")):
        # What was written may be the secret itself.
        raise BadInput("--secret: write env:NAME or file:/PATH; the secret itself is never kept")
    return where


def _cells(one: Subscriber) -> Sequence[object]:
    return (
        one.name,
        one.tenant or "(all)",
        one.url,
        ", ".join(one.kinds),
        one.sent,
        one.waiting,
        one.oldest,
        one.dropped,
        one.failures,
        one.error,
    )
