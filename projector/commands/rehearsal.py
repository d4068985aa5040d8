"""How a rehearsal is told: what each act would do, and what becomes of the rows of its task."""

from __future__ import annotations

import click

from ledger.commands_door import plain, print_json, print_table
from projector.commands.saying import then
from projector.moves.rehearse import Rehearsed


def tell_rehearsed(rehearsed: Rehearsed, *, as_json: bool) -> None:
    """Say what would be done; the last line says that nothing was."""
    if as_json:
        print_json(plain_rehearsed(rehearsed))
        return
    for acted in rehearsed.acts:
        click.echo(f"{acted.task}: would be {acted.did}; {then(acted.next, acted.ended, acted.enabled)}")
    if rehearsed.rows:
        click.echo()
        print_table(
            ("row", "due", "task", "wake", "key"),
            [(one.fate, one.row.due, one.row.task, one.row.wake, one.row.key) for one in rehearsed.rows],
        )
    click.echo("\na dry run: nothing was changed")


def plain_rehearsed(rehearsed: Rehearsed) -> dict[str, object]:
    """A rehearsal as JSON has it: `acts`, and `rows` each with its `fate`."""
    rows = []
    for one in rehearsed.rows:
        row = plain(one.row)
        rows.append({"fate": one.fate} | (row if isinstance(row, dict) else {}))
    for row in rows:
        row.pop("stood", None)
    return {"acts": [plain(acted) for acted in rehearsed.acts], "rows": rows}
