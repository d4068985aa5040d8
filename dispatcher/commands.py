"""`ledger run` and `ledger tick`: the dispatcher as a daemon, and one pass of it for cron.

Exit codes: 0 done, 2 bad input, 3 the database cannot be reached or is of another release (`run` waits for
it, and says so; it ends with 3 where finishes could not be written any more).
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from dispatcher.collector import ease
from dispatcher.commands_deliveries import (
    Asked,
    allow_command_option,
    celery_option,
    delivery_option,
    http_allow_option,
    read_deliveries,
    read_named,
)
from dispatcher.commands_tell import allow_option, telling
from dispatcher.loop import CONCURRENCY, GRACE_S, THREADS, TICK_S, Dispatcher, Settings, Tick
from dispatcher.registry import Registry
from ledger.commands_door import complain, database, dsn_option, json_option, print_json
from ledger.errors import BadInput

_HOW = """\
An app is a module of yours with a registry of handlers:

  from ledger import Registry, Run

  registry = Registry()

  @registry.handler("report")
  async def report(run: Run) -> object:
      return {"slot": run.slot.isoformat()}

Saved as jobs.py it is served by: ledger run --app jobs:registry
"""


class Seconds(click.FloatRange):
    """A number of seconds between two bounds; `nan`, which no bound refuses, is none."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Raises click's usage error for what is none, or out of bounds."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return seconds


_app_option = click.option(
    "--app",
    envvar="LEDGER_APP",
    metavar="MODULE:NAME",
    help="Where the registry of handlers is, such as jobs:registry  [env: LEDGER_APP]",
)
_concurrency_option = click.option(
    "--concurrency",
    type=click.IntRange(1, 100_000),
    default=CONCURRENCY,
    show_default=True,
    metavar="N",
    help="Runs at once on the event loop.",
)
_threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 10_000),
    default=THREADS,
    show_default=True,
    metavar="N",
    help="Threads for handlers that are no coroutines.",
)
_verbose_option = click.option("--verbose", "-v", is_flag=True, help="Say each pass, start and finish.")


@click.command("run")
@dsn_option
@_app_option
@_concurrency_option
@_threads_option
@delivery_option
@http_allow_option
@celery_option
@allow_command_option
@click.option(
    "--grace",
    "grace_s",
    type=Seconds(0, 86_400),
    default=GRACE_S,
    show_default=True,
    metavar="SECONDS",
    help="How long running handlers may go on once it is told to stop.",
)
@click.option(
    "--tick",
    "tick_s",
    type=Seconds(0.01, 3_600),
    default=TICK_S,
    show_default=True,
    metavar="SECONDS",
    help="The longest sleep between two looks.",
)
@allow_option
@click.option("--metrics", metavar="ADDRESS:PORT", help="Answer Prometheus there, such as 127.0.0.1:9464.")
@click.option("--name", default="dispatcher", show_default=True, help="What people call this process.")
@_verbose_option
def run_command(
    dsn: str | None,
    app: str | None,
    concurrency: int,
    threads: int,
    kinds: tuple[str, ...],
    http_allow: tuple[str, ...],
    celery: str | None,
    allow_command: tuple[str, ...],
    grace_s: float,
    tick_s: float,
    allowed: tuple[str, ...],
    metrics: str | None,
    name: str,
    verbose: bool,
) -> None:
    """Start what is due on time, and look after what others left behind, until told to stop.

    SIGTERM or Ctrl-C stops it: it claims no more, hands back what never began, waits for running handlers
    and ends. A second signal ends it at once. A database that is down is waited for.
    """
    registry = read_app(app) if "python" in kinds else None
    deliveries = read_deliveries(Asked(kinds, http_allow, celery, allow_command))
    _log(verbose)
    settings = Settings(concurrency, threads, grace_s, tick_s, name=name)
    ease()
    reached = database(dsn)
    dispatcher = Dispatcher(reached, registry, settings, deliveries=deliveries)
    with _metrics(metrics, dispatcher):
        asyncio.run(_serve(dispatcher, reached, allowed))


@click.command("tick")
@dsn_option
@_app_option
@_concurrency_option
@_threads_option
@delivery_option
@http_allow_option
@celery_option
@allow_command_option
@_verbose_option
@json_option
def tick_command(
    dsn: str | None,
    app: str | None,
    concurrency: int,
    threads: int,
    kinds: tuple[str, ...],
    http_allow: tuple[str, ...],
    celery: str | None,
    allow_command: tuple[str, ...],
    verbose: bool,
    as_json: bool,
) -> None:
    """One pass: start what is due, run it, write how it ended, close what is overdue; then exit.

    For cron, and never to be retried: the next pass sees all that this one missed. What failed within it is
    said in its report; exit code 0 says that the pass has been done.
    """
    registry = read_app(app) if "python" in kinds else None
    deliveries = read_deliveries(Asked(kinds, http_allow, celery, allow_command))
    _log(verbose)
    settings = Settings(concurrency, threads, name="tick")
    done = asyncio.run(Dispatcher(database(dsn), registry, settings, deliveries=deliveries).tick())
    if as_json:
        print_json(done)
    else:
        click.echo(_report(done))


commands: list[click.Command] = [run_command, tick_command]


def read_app(app: str | None) -> Registry:
    """The registry that `MODULE:NAME` stands for; the operator names code, a row never does.

    Raises `BadInput` where there is none; without an app, how to write one is said first.
    """
    if not app:
        click.echo(_HOW, err=True)
        raise BadInput("--app: name the registry of your handlers, as MODULE:NAME, such as jobs:registry")
    found = read_named("--app", app)
    if not isinstance(found, Registry):
        raise BadInput(f"--app {app!r}: it is a {type(found).__name__}, and no dispatcher.Registry")
    return found


@contextmanager
def _metrics(where: str | None, dispatcher: Dispatcher) -> Iterator[None]:
    """Answer Prometheus at `where`, if anywhere. Raises `BadInput`."""
    if where is None:
        yield
        return
    try:
        from dispatcher.vitals import metrics_of  # noqa: PLC0415 - prometheus-client is an extra
        from ledger.metrics import serving  # noqa: PLC0415 - the same
    except ImportError as error:
        raise BadInput("--metrics: pip install 'occurrence-ledger[metrics]'") from error
    with serving(where, lambda: metrics_of(dispatcher.vitals())) as port:
        logging.getLogger("ledger.dispatcher").info("metrics port=%s", port)
        yield


async def _serve(dispatcher: Dispatcher, dsn: str, tell_allow: Sequence[str]) -> None:
    """Run until a signal, and tell subscribers beside it; the first stops it cleanly, the second at once."""
    loop = asyncio.get_running_loop()
    told: list[int] = []

    def stop(number: int) -> None:
        told.append(number)
        if len(told) > 1:
            complain("told twice to stop: ending at once; others find what still runs")
            os._exit(128 + number)
        dispatcher.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    async with telling(dsn, tell_allow, dispatcher.teller):
        await dispatcher.run()


def _log(verbose: bool) -> None:
    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING
    )
    # An error that a move has been told of is not to be told twice.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    logging.getLogger("ledger").setLevel(logging.DEBUG if verbose else logging.INFO)


def _report(done: Tick) -> str:
    said = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in done.counts.items() if count)
    lines = [f"one pass, as incarnation {done.incarnation}: {said or 'looked, and nothing was due'}"]
    return "\n".join([*lines, *(f"problem: {problem}" for problem in done.problems)])
