"""Which kinds of delivery `ledger run` and `ledger tick` serve, as the operator says it.

Each is served only where it was asked for, and only whole: without a secret nothing is sent, and a program
that was not allowed is not run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from dispatcher.deliveries.command import Command
from dispatcher.deliveries.protocol import Delivery
from ledger.errors import BadInput

KINDS = ("python", "http", "command")
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


def read_deliveries(
    kinds: Sequence[str], http_allow: Sequence[str], allow_command: Sequence[str]
) -> dict[str, Delivery]:
    """The kinds beside `python`, each ready to be served.

    Raises `BadInput` for one that is not configured, and for what is said of a kind that is not served.
    """
    served: dict[str, Delivery] = {}
    if "http" in kinds:
        served["http"] = _http(http_allow)
    elif http_allow:
        raise BadInput("--http-allow: webhooks are not served; add --delivery http")
    if "command" in kinds:
        if not allow_command:
            raise BadInput("--delivery command: no program is allowed; name each with --allow-command")
        served["command"] = Command(allow_command)
    elif allow_command:
        raise BadInput("--allow-command: programs are not served; add --delivery command")
    return served


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
