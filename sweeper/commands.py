"""`ledger sweep` and `ledger health`: the same answers as text, as JSON and as an exit code.

0 healthy, 1 unhealthy, 2 cannot tell: a database that does not answer, a DSN that cannot be read, a database
of another release. A pass that repaired exits 1: it found what should be impossible, and whoever runs it
from cron must see that once. The next pass exits 0 if all was mended.
"""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

import click

from ledger.commands_door import complain, database, dsn_option, json_option, print_json, print_table
from ledger.driver.connect import SyncConnection, connect
from ledger.errors import BadInput, LedgerError
from ledger.facts import read_identifier
from sweeper.commands_prune import said_of
from sweeper.health import HealthReport, health
from sweeper.passes import PERIOD_S, How, sweep
from sweeper.report import PassReport

HEALTHY, UNHEALTHY, CANNOT_TELL = 0, 1, 2

_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_S = 366 * 86_400


def _duration(ctx: click.Context, parameter: click.Parameter, text: str | None) -> timedelta | None:
    """Whole seconds, or a number with its unit."""
    if text is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,8})([smhd]?)", text)
    if match is None or int(match[1]) * _UNITS_S[match[2]] > _LONGEST_S:
        raise click.BadParameter(f"{text!r} is no duration; write 900, 15m or 1h", ctx, parameter)
    return timedelta(seconds=int(match[1]) * _UNITS_S[match[2]])


_tenant_option = click.option("--tenant", metavar="ID", help="One tenant alone; without it, all.")


@click.command("sweep")
@dsn_option
@_tenant_option
@click.option(
    "--period",
    callback=_duration,
    default=f"{PERIOD_S}",
    metavar="DURATION",
    help="When the next pass is to come (900, 15m, 1h); health goes by it. Default: 15m.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    metavar="N",
    help="Connections side by side, each serving one tenant at a time; as many as there are tenants at most. "
    "Default: 4.",
)
@click.option(
    "--ping",
    "address",
    envvar="LEDGER_PING",
    metavar="URL",
    help="Tell this address of the pass, Healthchecks style: URL/start, then URL if green, or URL/fail  "
    "[env: LEDGER_PING]",
)
@click.option(
    "--metrics-file",
    metavar="FILE",
    help="Write the numbers of the pass for node_exporter's textfile collector; the name ends in .prom.",
)
@json_option
def sweep_command(
    dsn: str | None,
    tenant: str | None,
    period: timedelta,
    jobs: int,
    address: str | None,
    metrics_file: str | None,
    as_json: bool,
) -> None:
    """Look for what should be impossible, repair it, and prove that it could have been repaired.

    Each tenant is looked at, mended, drilled and judged in a transaction of its own. Exit code 0: nothing was
    wrong and every drill has passed. 1: something was repaired, or failed. 2: it cannot be told. A ping that
    does not arrive, or a file that cannot be written, is said and changes none of them.
    """
    by = f"sweep on {socket.gethostname()}"
    how = How(_named(tenant), int(period.total_seconds()), by=by, jobs=jobs)
    with _telling(), _measuring(metrics_file, how.tenant) as measured, _pinging(address) as closed:
        open_connection = _opener(dsn)
        with open_connection() as connection:
            report = sweep(connection, how, reopen=open_connection, told=_progress(as_json))
        measured(report, open_connection)
        closed(report)
    if as_json:
        print_json(report.as_json())
    else:
        _show_pass(report)
    sys.exit(HEALTHY if report.green else UNHEALTHY)


@click.command("health")
@dsn_option
@_tenant_option
@click.option(
    "--max-age",
    callback=_duration,
    metavar="DURATION",
    help="Evidence older than this is none. Default: two periods of the newest pass.",
)
@json_option
def health_command(dsn: str | None, tenant: str | None, max_age: timedelta | None, as_json: bool) -> None:
    """Say what is proven, for whom, and how old the proof is. Reads rows and changes nothing.

    Exit code 0: all is proven lately. 1: something is wrong, or nobody has looked. 2: it cannot be told.
    """
    with _telling(), _opener(dsn)() as connection:
        report = health(connection, tenant=_named(tenant), max_age=max_age)
    if as_json:
        print_json(report.as_json())
    else:
        _show_health(report)
    sys.exit(HEALTHY if report.healthy else UNHEALTHY)


commands: list[click.Command] = [sweep_command, health_command]


def _named(tenant: str | None) -> str | None:
    if tenant is None:
        return None
    try:
        return read_identifier(tenant, "tenant")
    except LedgerError as error:
        complain(str(error))
        sys.exit(CANNOT_TELL)


@contextmanager
def _telling() -> Iterator[None]:
    """Whatever stops the answer is one line, and the code that says so."""
    try:
        yield
    except LedgerError as error:
        complain(str(error))
        sys.exit(CANNOT_TELL)


def _opener(dsn: str | None) -> Callable[[], SyncConnection]:
    """How to open a connection."""
    reached = database(dsn)
    return lambda: connect(reached, application="ledger sweep")


@contextmanager
def _measuring(
    path: str | None, tenant: str | None
) -> Iterator[Callable[[PassReport, Callable[[], SyncConnection]], None]]:
    """Who writes the numbers of a pass that has closed; where none does, the file says that."""
    if path is None:
        yield lambda _, __: None
        return
    if tenant is not None:
        raise BadInput("--metrics-file: its numbers are those of all tenants; leave --tenant out")
    try:
        from sweeper.metrics_file import MetricsFile  # noqa: PLC0415 - prometheus-client is an extra
    except ImportError as error:
        raise BadInput("--metrics-file: pip install 'occurrence-ledger[metrics]'") from error
    file = MetricsFile(path, complain)
    try:
        yield file.closed
    except BaseException:
        file.failed()
        raise


@contextmanager
def _pinging(address: str | None) -> Iterator[Callable[[PassReport], None]]:
    """What is to be told of a pass that has closed; where none does, the address hears why."""
    if address is None:
        yield lambda _: None
        return
    try:
        from sweeper.ping import Ping  # noqa: PLC0415 - httpx is an extra
    except ImportError as error:
        raise BadInput("--ping: pip install 'occurrence-ledger[http]'") from error
    ping = Ping(address, complain)
    ping.start()
    try:
        yield ping.closed
    except BaseException as error:
        ping.failed(f"{type(error).__name__}: {error}")
        raise


def _progress(as_json: bool) -> Callable[[int, int], None] | None:
    """A bar for people, on stderr, where there is somebody to see it and enough to wait for."""
    if as_json or not sys.stderr.isatty():
        return None

    def told(done: int, of: int) -> None:
        if of >= 100 and (done % 50 == 0 or done == of):
            filled = 40 * done // of
            bar = "#" * filled + "." * (40 - filled)
            click.echo(f"\rledger: [{bar}] {done} of {of} tenants", err=True, nl=done == of)

    return told


def _show_pass(report: PassReport) -> None:
    kinds = _kinds(report.repairs)
    drills = report.drills
    rest = "".join(f", {word} {n}" for word, n in drills.items() if word != "passed" and n)
    click.echo(
        f"checked {report.expected} tenants, {report.tasks} tasks, {report.open} open, {report.ended} ended; "
        f"repaired {sum(report.repairs.values())}{f' ({kinds})' if kinds else ''}; "
        f"drills passed {drills['passed']}{rest}; took {report.took_s:.2f} s"
    )
    healthy, repaired, failed = (report.count(word) for word in ("healthy", "repaired", "failed"))
    click.echo(f"tenants: {report.expected} = {healthy} healthy + {repaired} repaired + {failed} failed")
    if report.archived is not None and (report.archived.moved or report.archived.dropped):
        click.echo(f"archive: {said_of(report.archived)}")
    for fault in report.faults:
        click.echo(f"fault: {fault}")
    for note in report.notes:
        click.echo(f"note: {note}")
    wrong = [verdict for verdict in report.verdicts if not verdict.green]
    if wrong:
        rows = [(v.tenant, v.word, v.cause, _kinds(v.repairs), v.drill, v.detail) for v in wrong]
        print_table(("tenant", "verdict", "cause", "repairs", "drill", "detail"), rows)


def _kinds(repairs: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {n}" for kind, n in repairs.items())


def _show_health(report: HealthReport) -> None:
    rows = [(sign.word, sign.name, _age(report.age_s(sign)), sign.says) for sign in report.signs]
    print_table(("", "sign", "age", "what was seen"), rows)
    whose = "" if report.tenant is None else f" of tenant {report.tenant!r}"
    click.echo(f"\nThe ledger{whose} is {'healthy' if report.healthy else 'not healthy'}.")


def _age(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3_600:.0f} h"
