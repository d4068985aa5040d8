"""`ledger events`: the closings of a tenant that are told, read by a cursor; once, or as they come."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from threading import Event as Flag

import click

from ledger.commands_door import Desk, at_desk, complain, one_line, plain, print_json, print_table
from ledger.moves import outbox
from ledger.moves.outbox import KINDS, EventPage
from ledger.moves.reads import PAGE, PAGE_MOST
from ledger.statements.outbox import Event

# How long `--follow` waits before it looks again.
LOOK_S = 1.0
_COLUMNS = ("n", "at", "kind", "task", "slot", "wake", "failures", "why", "key")


@click.command("events")
@click.option("--after", metavar="CURSOR", help="Go on behind this cursor; without it, at the oldest kept.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help=f"Only these: {', '.join(KINDS)}, skipped:REASON; give it once for each.",
)
@click.option(
    "--limit", type=click.IntRange(1, PAGE_MOST), default=PAGE, show_default=True, help="Events of a page."
)
@click.option("--follow", is_flag=True, help="Go on as events come, until Ctrl-C; with --json a line each.")
@at_desk
def events(desk: Desk, after: str | None, kinds: tuple[str, ...], limit: int, follow: bool) -> None:
    """What closed badly, was skipped, or went well again, in the order of being told.

    Failed, timed out and lost runs, skipped slots, and the first success after failures. The cursor at the
    end asks for what comes after; no event is put behind it later.
    """
    begin, wanted = outbox.read_event_cursor(after), outbox.read_kinds(kinds or None)

    def read(behind: int) -> EventPage:
        desk.ask(outbox.number(desk.tenant))
        return desk.ask(outbox.events(desk.tenant, behind, wanted, limit))

    if not follow:
        _show(read(begin), desk.as_json)
        return
    stop = Flag()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    for page in following(read, begin, stop.wait):
        _tell_missed(page)
        for event in page.events:
            click.echo(json.dumps(plain(event), ensure_ascii=False) if desk.as_json else _line(event))


def following(
    read: Callable[[int], EventPage], begin: int, wait: Callable[[float], bool]
) -> Iterator[EventPage]:
    """Page after page; where no more is there yet, `wait` so many seconds, which answers whether to stop."""
    behind = begin
    while True:
        page = read(behind)
        behind = outbox.read_event_cursor(page.cursor)
        yield page
        if not page.more and wait(LOOK_S):
            return


def _show(page: EventPage, as_json: bool) -> None:
    if as_json:
        print_json(page)
        return
    _tell_missed(page)
    print_table(_COLUMNS, [_cells(event) for event in page.events])
    more = "; more are there" if page.more else ""
    click.echo(f"\n{len(page.events)} events{more}. Go on with --after {page.cursor}")


def _tell_missed(page: EventPage) -> None:
    if page.missed:
        complain(
            "some events behind that cursor were removed before they were read: they were kept long enough"
        )


def _cells(event: Event) -> Sequence[object]:
    why = event.error or event.reason
    retry = " (tried again)" if event.retry else ""
    return (
        event.n,
        event.at,
        event.kind + retry,
        event.task,
        event.due,
        event.wake,
        event.failures,
        None if why is None else why[:100],
        event.key,
    )


def _line(event: Event) -> str:
    return "  ".join(one_line(cell) for cell in _cells(event) if cell not in (None, ""))


commands: list[click.Command] = [events]
