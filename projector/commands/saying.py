"""How acts are told to people: one line a task, and a warning where something will never run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime

import click

from ledger.commands_door import complain, one_line, plain, print_json
from ledger.errors import BadInput
from projector.moves.change import Acted


def tell_acts(acts: Sequence[Acted], as_json: bool) -> None:
    """Say what acts did; one alone is an object in JSON, several are `rows`."""
    if as_json:
        print_json(acts[0] if len(acts) == 1 else {"rows": [plain(acted) for acted in acts]})
    else:
        for acted in acts:
            click.echo(f"{acted.task}: {acted.did}; {then(acted.next, acted.ended, acted.enabled)}")
    for acted in acts:
        if acted.ended and acted.did != "unchanged":
            complain(f"warning: task {acted.task}: no slot of it is left, it will not run again as it is")


def then(following: datetime | None, ended: bool, enabled: bool = True) -> str:
    """What a series does next, in words."""
    if following is not None:
        return f"next {one_line(following)}"
    if ended:
        return "ended: no slot is left"
    return "nothing is open" if enabled else "off"


def confirm(verb: str, *, asking: bool = True) -> None:
    """Ask a person whether to go on, and stop where they do not want to.

    Raises `BadInput` where nobody can be asked.
    """
    if not (asking and sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(f"nobody can be asked here: look with --dry-run, then {verb} with --yes")
    click.confirm(f"{verb.capitalize()}?", abort=True)
