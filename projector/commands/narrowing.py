"""The options that narrow a list, the same for each command that finds something."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, cast

import click

from ledger.errors import BadInput
from projector.sought import Narrowing

P = ParamSpec("P")
_KEPT = "ledger.sought"


def sought_options(slots: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Give a command the options `--state`, `--agent`, `--label`, `--from` and `--to`; `given()` reads them.

    `slots` says of which slots the two times speak.
    """
    options = (
        click.option(
            "--to",
            "until",
            expose_value=False,
            callback=_keep,
            metavar="TIMESTAMP",
            help=f"Only {slots} before this instant.",
        ),
        click.option(
            "--from",
            "since",
            expose_value=False,
            callback=_keep,
            metavar="TIMESTAMP",
            help=f"Only {slots} from this instant on.",
        ),
        click.option(
            "--label",
            "labels",
            expose_value=False,
            callback=_keep,
            multiple=True,
            metavar="NAME=TEXT",
            help="Only with this label; may be repeated, then with each.",
        ),
        click.option(
            "--agent", "agent", expose_value=False, callback=_keep, metavar="ID", help="Only of this agent."
        ),
        click.option(
            "--state",
            "states",
            expose_value=False,
            callback=_keep,
            multiple=True,
            metavar="STATE",
            help="Only in this state; may be repeated.",
        ),
    )

    def decorate(function: Callable[P, None]) -> Callable[P, None]:
        for option in options:
            function = option(function)
        return function

    return decorate


def given() -> Narrowing:
    """What the command that runs was given. Raises `BadInput` for a label that is none."""
    kept = cast("dict[str, object]", click.get_current_context().meta[_KEPT])
    return {
        "states": cast("tuple[str, ...]", kept["states"]) or None,
        "agent": cast("str | None", kept["agent"]),
        "labels": dict(map(_label, cast("tuple[str, ...]", kept["labels"]))) or None,
        "since": cast("str | None", kept["since"]),
        "until": cast("str | None", kept["until"]),
    }


def _label(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise BadInput(f"label: {text!r} is none; write NAME=TEXT, such as team=mail")
    return name, value


def _keep(ctx: click.Context, parameter: click.Parameter, value: object) -> object:
    ctx.meta.setdefault(_KEPT, {})[parameter.name] = value
    return value
