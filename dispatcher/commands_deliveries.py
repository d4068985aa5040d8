"""Which kinds of delivery `ledger run` and `ledger tick` serve, as the operator says it.

Each is served only where it was asked for, and only whole: without a secret nothing is sent, and a program
that was not allowed is not run.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import click

from dispatcher.deliveries.celery import App, Celery
from dispatcher.deliveries.command import Command
from dispatcher.deliveries.protocol import Delivery
from ledger.errors import BadInput

KINDS = ("python", "http", "celery", "command")
SECRETS = "LEDGER_WEBHOOK_SECRETS"

delivery_option = click.option(
    "--delivery",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    default=("python",),
    show_default=True,
    help="A kind of delivery to serve; give it once for each. Rows of another kind are left to others.",
)
http_allow_option = click.option(
    "--http-allow",
    multiple=True,
    metavar="NAME",
    help="A host that webhooks may go to though its address is private; give it once for each. "
    f"Webhooks are signed with the secrets in {SECRETS}: one, or two while one is replaced.",
)
allow_command_option = click.option(
    "--allow-command",
    multiple=True,
    metavar="PROGRAM",
    help="A program that tasks of the kind `command` may run, as they name it; give it once for each.",
)
celery_option = click.option(
    "--celery",
    metavar="MODULE:NAME",
    help="The Celery app whose broker and routes runs of the kind `celery` go through.",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the operator said of deliveries, as it was given."""

    kinds: Sequence[str]
    http_allow: Sequence[str]
    celery: str | None
    allow_command: Sequence[str]


def read_deliveries(asked: Asked) -> dict[str, Delivery]:
    """The kinds beside `python`, each ready to be served.

    Raises `BadInput` for one that is not configured, and for what is said of a kind that is not served.
    """
    served: dict[str, Delivery] = {}
    if "http" in asked.kinds:
        served["http"] = _http(asked.http_allow)
    elif asked.http_allow:
        raise BadInput("--http-allow: webhooks are not served; add --delivery http")
    if "celery" in asked.kinds:
        served["celery"] = _celery(asked.celery)
    elif asked.celery:
        raise BadInput("--celery: nothing is sent through Celery; add --delivery celery")
    if "command" in asked.kinds:
        if not asked.allow_command:
            raise BadInput("--delivery command: no program is allowed; name each with --allow-command")
        served["command"] = Command(asked.allow_command)
    elif asked.allow_command:
        raise BadInput("--allow-command: programs are not served; add --delivery command")
    return served


def read_named(option: str, named: str) -> object:
    """What `MODULE:NAME` stands for; the operator names code, a row never does. Raises `BadInput`."""
    module, _, name = named.partition(":")
    if not module or not name:
        raise BadInput(f"{option} {named!r}: write MODULE:NAME, such as jobs:registry")
    # What lies in the current folder is found, as `python -m` finds it.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return cast("object", pkgutil.resolve_name(named))
    except Exception as error:
        raise BadInput(
            f"{option} {named!r}: it cannot be imported from here ({type(error).__name__}: {error})"
        ) from error


def _celery(named: str | None) -> Delivery:
    if named is None:
        raise BadInput("--delivery celery: name your app with --celery MODULE:NAME")
    app = read_named("--celery", named)
    if not callable(getattr(app, "send_task", None)):
        raise BadInput(f"--celery {named!r}: it is a {type(app).__name__}, and no Celery app")
    return Celery(cast("App", app))


def _http(allowed: Sequence[str]) -> Delivery:
    from dispatcher.deliveries.signature import Signer  # noqa: PLC0415 - only where it is served

    try:
        signer = Signer(os.environ.get(SECRETS, ""))
    except BadInput as error:
        raise BadInput(f"--delivery http: {error}; set {SECRETS} to whsec_ and base64 of 24 bytes") from error
    try:
        from dispatcher.deliveries.http import Http  # noqa: PLC0415 - httpx is an extra
    except ImportError as error:
        raise BadInput("--delivery http: pip install 'occurrence-ledger[http]'") from error
    return Http(signer, allowed)
