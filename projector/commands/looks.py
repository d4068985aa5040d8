"""`ledger upcoming`, `history` and `explain`: what will run, what ran, and why."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ledger.commands_door import (
    BAD_ANSWER,
    Desk,
    at_desk,
    complain,
    one_line,
    plain,
    print_facts,
    print_json,
    print_table,
)
from ledger.moves import reads
from ledger.moves.reads import Explained
from ledger.statements.reads import Relative
from projector import door
from projector.commands.hints import tell_hints
from projector.commands.narrowing import given, sought_options
from projector.moves.upcoming import read_count
from projector.moves.upcoming import upcoming as upcoming_move
from projector.sought import read_sought


@click.command()
@click.argument("task", required=False, metavar="[TASK]")
@click.option(
    "--count", type=int, help="Runs at most, to 1000  [default: 10; with --until all to there, at most 1000]"
)
@click.option("--until", metavar="TIMESTAMP", help="None later than this, as 2026-12-24T00:00:00Z.")
@at_desk
def upcoming(desk: Desk, task: str | None, count: int | None, until: str | None) -> None:
    """Show what will run, in one order for all tasks.

    The rows that are open, and what follows each of them if every run starts on time: slots of the rule, and
    what hints, bounds and pauses make of them.
    """
    end = door.read_until(until)
    most = read_count(count, end)
    # One more than is shown tells whether there are more.
    runs = desk.ask(upcoming_move(desk.tenant, door.read_name(task), most + 1, end))
    more, runs = len(runs) > most, runs[:most]
    if desk.as_json:
        print_json({"rows": [plain(run) for run in runs], "more": more})
    elif runs:
        print_table(
            ("due", "task", "wake", "known", "why", "key"),
            [(run.due, run.task, run.wake, run.known, run.reason or run.source, run.key) for run in runs],
        )
    else:
        click.echo("nothing is to come")
    if more and not desk.as_json:
        click.echo(f"the first {most}; there are more: --count N, to {reads.PAGE_MOST}, or --until TIMESTAMP")


@click.command()
@click.argument("task", required=False, metavar="[TASK]")
@sought_options("of slots")
@click.option("--limit", type=int, default=20, show_default=True, help="Rows at most, to 1000.")
@click.option("--cursor", metavar="CURSOR", help="The page after this one, as the last answer named it.")
@at_desk
def history(desk: Desk, task: str | None, limit: int, cursor: str | None) -> None:
    """Show what ran, or was passed over, latest slot first."""
    move = reads.history(
        desk.tenant,
        door.read_name(task),
        read_sought(given()),
        reads.read_history_cursor(cursor),
        reads.read_page_size(limit),
    )
    page = desk.ask(move)
    if desk.as_json:
        print_json(page)
    elif page.rows:
        print_table(
            ("due", "task", "wake", "state", "started", "closed", "said", "key"),
            [
                (
                    row.due,
                    row.task,
                    row.wake,
                    row.state,
                    row.started,
                    row.closed,
                    _cut(row.reason or row.error or row.crumb or row.result),
                    row.key,
                )
                for row in page.rows
            ],
        )
        if page.cursor:
            click.echo(f"older: --cursor {page.cursor}")
    else:
        click.echo("nothing has run")


def _cut(text: str | None) -> str:
    line = one_line(text)
    return line if len(line) <= 60 else f"{line[:59]}…"


@click.command()
@click.argument("key", metavar="KEY")
@at_desk
def explain(desk: Desk, key: str) -> None:
    """Say why an occurrence ran then, or did not.

    All that is known of it: its facts, times, neighbours and evidence. Exits 1 where the row is not named
    by the key of its own facts.
    """
    known = desk.ask(reads.explain(desk.tenant, door.read_key(key)))
    if desk.as_json:
        print_json(known)
    else:
        _tell(known)
    if not known.named_right:
        complain(f"the row is misnamed: its facts derive {known.derived.key}, it stands under {key}")
        raise click.exceptions.Exit(BAD_ANSWER)


def _tell(known: Explained) -> None:
    row = known.row
    print_facts({"key": row.key, "state": row.state, "reason": row.reason} | _standing(known))
    _section("facts", plain(known.facts))
    print_facts({"fingerprint": known.derived.fingerprint, "preimage": known.derived.preimage})
    _section(
        "times (UTC, the database's clock)",
        {
            name: getattr(row, name)
            for name in ("created", "run_at", "retry_at", "started", "handed", "deadline", "closed")
        },
    )
    _section(
        "derived from",
        {
            "covers": f"after {one_line(row.after)}, to {one_line(row.due)}" if row.after else None,
            "base": row.base,
            "source": row.source,
            "trail": row.trail,
            "passed over": row.passed,
            "made by": row.made_by,
            "closed by": row.closed_by,
            "incarnation": row.incarnation,
            "blocked by": row.blocked_by,
            "failures in a row": row.failures or None,
            "history": row.history,
        },
    )
    _section("said", {"outcome": row.outcome, "result": row.result, "error": row.error, "crumb": row.crumb})
    _section("definition", {"authored": known.authored})
    tell_hints(known.hints)
    _tell_relatives("before", [known.before] if known.before else [])
    _tell_relatives("after", known.after)
    _tell_relatives("same slot", known.slot)
    if known.evidence:
        click.echo("\nevidence, too late to count")
        print_table(("at", "by", "what", "detail"), [tuple(one) for one in known.evidence])


def _standing(known: Explained) -> dict[str, object]:
    """How the row stands to its task as it is now."""
    row = known.row
    if row.enabled is None:
        return {"task now": "deleted"}
    if row.digest_in_force != row.digest:
        return {"task now": "edited since: another definition is in force"}
    return {"task now": "enabled under this definition" if row.enabled else "disabled"}


def _section(title: str, facts: object) -> None:
    if isinstance(facts, dict) and any(value not in (None, "") for value in facts.values()):
        click.echo(f"\n{title}")
        print_facts(facts)


def _tell_relatives(title: str, rows: Sequence[Relative]) -> None:
    if rows:
        click.echo(f"\n{title}")
        print_table(
            ("due", "wake", "state", "reason", "started", "closed", "key"),
            [(one.due, one.wake, one.state, one.reason, one.started, one.closed, one.key) for one in rows],
        )
