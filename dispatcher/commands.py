"""`ledger run` and `ledger tick`: the dispatcher as a daemon, and one pass of it for cron.

Exit codes: 0 done, 1 a stop that left finishes unwritten or a pass that was not wholly done, 2 bad input,
3 the database cannot be reached or is of another release (`run` waits for it, and says so).
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import signal
import sys
from operator import attrgetter

import click

from dispatcher.loop import CONCURRENCY, GRACE_S, TICK_S, Dispatcher, Settings, Tick
from dispatcher.registry import Registry
from ledger.commands_door import BAD_ANSWER, complain, database, dsn_option, json_option, print_json
from ledger.errors import BadInput

_app_option = click.option(
    "--app",
    metavar="MODULE:REGISTRY",
    help="Where the handlers are: a module that can be imported from here, and the name of its Registry.",
)


@click.command("run")
@dsn_option
@_app_option
@click.option(
    "--concurrency",
    type=click.IntRange(1, 100_000),
    default=CONCURRENCY,
    show_default=True,
    help="Runs at once.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 86_400),
    default=GRACE_S,
    show_default=True,
    help="Seconds that running handlers may go on once it is told to stop.",
)
@click.option(
    "--tick",
    type=click.FloatRange(0.01, 3_600),
    default=TICK_S,
    show_default=True,
    help="The longest sleep between two looks, in seconds.",
)
@click.option("--name", default="dispatcher", show_default=True, help="What people call this process.")
@click.option("--verbose", is_flag=True, help="Say each start and each finish.")
def run_command(
    dsn: str | None, app: str | None, concurrency: int, grace: float, tick: float, name: str, verbose: bool
) -> None:
    """Dispatch: start what is due on time, and look after what others left behind, until told to stop.

    SIGTERM or Ctrl-C stops it: it claims no more, hands back what never began, waits for running handlers and
    ends. A second signal ends it at once. A database that is down is waited for.
    """
    registry = read_app(app)
    _log(verbose)
    settings = Settings(concurrency=concurrency, grace_s=grace, tick_s=tick, name=name)
    asyncio.run(_serve(Dispatcher(database(dsn), registry, settings)))


@click.command("tick")
@dsn_option
@_app_option
@json_option
def tick_command(dsn: str | None, app: str | None, as_json: bool) -> None:
    """One pass: start what is due, run it, write how it ended, close what is overdue; then exit.

    For cron, and never to be retried: the next pass sees all that this one missed. What failed within it is
    said in its report; the pass itself has been done.
    """
    registry = read_app(app)
    done = asyncio.run(Dispatcher(database(dsn), registry, Settings(name="tick")).tick())
    if as_json:
        print_json(done)
    else:
        _show(done)


commands: list[click.Command] = [run_command, tick_command]


def read_app(app: str | None) -> Registry:
    """The registry that `module:name` stands for, imported from the current folder or what is installed.

    Raises `BadInput` for one that is not there.
    """
    module, _, name = (app or "").partition(":")
    if not module or not name:
        raise BadInput(
            "--app: say where the handlers are, as myapp.jobs:registry, where myapp/jobs.py has "
            "`registry = Registry()` of the package `ledger`"
        )
    sys.path.insert(0, os.getcwd())
    try:
        found: object = attrgetter(name)(importlib.import_module(module))
    except ImportError as error:
        raise BadInput(f"--app: {module!r} cannot be imported from here: {error}") from error
    except AttributeError as error:
        raise BadInput(f"--app: module {module!r} has no {name!r}: {error}") from error
    if not isinstance(found, Registry):
        raise BadInput(f"--app: {app!r} is a {type(found).__name__}, not a Registry")
    return found


async def _serve(dispatcher: Dispatcher) -> None:
    """Run until a signal; the first stops it cleanly, the second at once."""
    loop = asyncio.get_running_loop()
    told = 0

    def stop() -> None:
        nonlocal told
        told += 1
        if told == 1:
            dispatcher.stop()
        else:
            complain("told twice to stop: ending at once; others find what runs")
            os._exit(BAD_ANSWER)

    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop)
    await dispatcher.run()


def _log(verbose: bool) -> None:
    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING
    )
    logging.getLogger("ledger").setLevel(logging.DEBUG if verbose else logging.INFO)


def _show(done: Tick) -> None:
    counts = done.counts
    click.echo(
        f"looked at {counts.get('looked_at', 0)} due rows: started {counts.get('started', 0)}, "
        f"skipped {counts.get('skipped', 0)}, waiting {counts.get('waiting', 0)}, "
        f"retired {counts.get('retired', 0)}, set aside {counts.get('aside', 0)}"
    )
    others = {k: v for k, v in counts.items() if k not in _SHOWN and v}
    if others:
        click.echo(", ".join(f"{name} {count}" for name, count in sorted(others.items())))
    for problem in done.problems:
        click.echo(f"problem: {problem}")


_SHOWN = frozenset({"looked_at", "started", "skipped", "waiting", "retired", "aside"})
