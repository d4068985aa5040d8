"""What operators copy: every command in it is one that the product has, every number one that it emits."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from configparser import RawConfigParser
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from dispatcher.lag import Lag, Vitals
from dispatcher.vitals import metrics_of
from ledger.cli import main
from ledger.metrics import Metric, write_metrics
from ledger.statements.health import DispatcherTick, OldestSnapshot
from ledger.statements.outbox import Unsent
from sweeper import metrics
from sweeper.health import see
from tests.sweeper.book import Book

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "operations"
DASHBOARD = json.loads((FOLDER / "grafana-dashboard.json").read_text())
RULES = yaml.safe_load((FOLDER / "prometheus-rules.yml").read_text())
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_NAME = re.compile(r"\bledger_\w+")
_MATCHER = re.compile(r'\b(ledger_\w+)\{(\w+)(=|!=)"([^"]*)"\}')


def expressions() -> list[str]:
    """Every expression of the dashboard and of the rules."""
    shown = [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]
    return shown + [rule["expr"] for group in RULES["groups"] for rule in group["rules"]]


def commands(text: str) -> Iterator[list[str]]:
    """The commands of ours in a line, as a shell would split them."""
    for found in re.findall(r"(?:^|[\s(`/])ledger ([a-z][^`|<>&;)#\n]*)", text):
        yield [word for word in shlex.split(found) if word != "2"]


def parse(arguments: list[str]) -> None:
    """Have the real command line read what would be run; raises `UsageError`."""
    command: click.Command = main
    context = click.Context(main, info_name="ledger")
    while isinstance(command, click.Group) and arguments:
        name, found, arguments = command.resolve_command(context, arguments)
        assert found is not None
        command = found
        if not isinstance(command, click.Group):
            command.make_context(name, list(arguments), parent=context)
        else:
            context = click.Context(command, parent=context, info_name=name)


@pytest.fixture
def emitted(dsn: str, tmp_path: Path) -> dict[str, set[tuple[str, str]]]:
    """Every number that the product gives Prometheus, with the labels and values that each has."""
    book = Book(dsn)
    book.define("a")
    report = book.sweep()
    seen = book.run(see(None, None), "reader")
    book.close()
    tick = DispatcherTick(1, "host", "dispatcher", "active", "", NOW)
    seen = seen._replace(ticks=[tick, *seen.ticks], snapshot=OldestSnapshot(NOW, 1, "", 0, None))
    vitals = Vitals("active", {}, 0, Lag(), 0, 0, 0, 0.0)
    assert {name for name in vars(metrics) if name.startswith("of_")} == {
        *("of_attempt", "of_pass", "of_health", "of_events")
    }, "what else is emitted belongs below"
    measured: list[Metric] = [
        *metrics.of_attempt(0.0, True),
        *metrics.of_pass(report),
        *metrics.of_health(seen),
        *metrics.of_events(Unsent(1, 0, 0, NOW, 0)),
    ]
    file = tmp_path / "all.prom"
    write_metrics(str(file), lambda: [*measured, *metrics_of(vitals)])
    found: dict[str, set[tuple[str, str]]] = {}
    for family in text_string_to_metric_families(file.read_text()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels.items())
    return found


def test_dashboard_and_rules_name_what_is_emitted_and_leave_nothing_out(
    emitted: dict[str, set[tuple[str, str]]],
) -> None:
    assert len(expressions()) >= 50
    named = {name for one in expressions() for name in _NAME.findall(one)}
    assert not named - emitted.keys(), "no such number is emitted"
    assert not emitted.keys() - named, "show it in the dashboard, or alert on it"
    for one in expressions():
        for name, label, how, value in _MATCHER.findall(one):
            assert (label, value) in emitted[name], (one, how)
    by = {label for one in expressions() for group in re.findall(r"by \((\w+)\)", one) for label in [group]}
    assert by <= {label for labels in emitted.values() for label, _ in labels}


def test_each_label_that_a_text_shows_is_one_of_its_numbers(emitted: dict[str, set[tuple[str, str]]]) -> None:
    texts = [
        (target["expr"], target["legendFormat"])
        for panel in DASHBOARD["panels"]
        for target in panel.get("targets", ())
    ]
    rules = [rule for group in RULES["groups"] for rule in group["rules"]]
    texts += [(rule["expr"], rule["annotations"]["summary"]) for rule in rules]
    for expression, text in texts:
        labels = {label for name in _NAME.findall(expression) for label, _ in emitted[name]} | {"instance"}
        assert set(re.findall(r"\{\{ ?(?:\$labels\.)?(\w+) ?\}\}", text)) <= labels, (expression, text)


def test_every_rule_says_what_to_do_with_commands_that_are_there() -> None:
    rules = [rule for group in RULES["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 15
    told = 0
    for rule in rules:
        assert rule["labels"]["severity"] in ("page", "ticket", "info")
        assert rule["annotations"].keys() == {"summary", "do"}
        for arguments in commands(rule["annotations"]["do"]):
            parse(arguments)
            told += 1
    assert told >= 10


def test_the_dashboard_is_one_that_grafana_reads() -> None:
    """What its importer asks of a board: ids once each, a grid of 24 columns, a data source to choose."""
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    assert [one["name"] for one in DASHBOARD["templating"]["list"]] == ["datasource"]
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


@pytest.mark.parametrize("name", ["ledger-run.service", "ledger-sweep.service", "ledger-sweep.timer"])
def test_units_start_what_is_there(name: str) -> None:
    unit = RawConfigParser(strict=False)
    unit.read_string((FOLDER / name).read_text())
    if name.endswith(".timer"):
        assert (FOLDER / unit["Timer"]["Unit"]).exists()
        return
    program, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert program == "/usr/local/bin/ledger"
    parse(arguments)


def test_systemd_finds_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        return
    for file in FOLDER.glob("ledger-*"):
        text = file.read_text().replace("/usr/local/bin/ledger", "/bin/true")
        (tmp_path / file.name).write_text(text)
    for file in sorted(tmp_path.iterdir()):
        done = subprocess.run([verify, "verify", file], capture_output=True, text=True, check=False)
        mine = [line for line in done.stderr.splitlines() if "ledger-" in line]
        assert (done.returncode, mine) == (0, []), done.stderr


def test_the_cron_job_of_kubernetes_runs_what_is_there() -> None:
    job = yaml.safe_load((FOLDER / "kubernetes-sweep.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "CronJob")
    spec = job["spec"]["jobTemplate"]["spec"]
    # A pass is its own next try; two of them at once would wait for each other.
    assert (spec["backoffLimit"], job["spec"]["concurrencyPolicy"]) == (0, "Forbid")
    (container,) = spec["template"]["spec"]["containers"]
    program, *arguments = container["command"]
    assert program == "ledger"
    parse(arguments)


def test_lines_of_the_crontab_run_what_is_there() -> None:
    lines = [line for line in (FOLDER / "crontab").read_text().splitlines() if line[:1] in "*0123456789"]
    found = [arguments for line in lines for arguments in commands(line)]
    assert [arguments[0] for arguments in found] == ["tick", "sweep", "health"]
    for arguments in found:
        parse(arguments)
    assert not any("%" in line for line in lines), "cron reads a percent sign as the end of the command"


def test_a_command_that_is_not_there_is_found_out() -> None:
    for wrong in (["sweeep"], ["sweep", "--periode", "15m"], ["sweep", "--period", "soon"]):
        with pytest.raises(click.UsageError):
            parse(wrong)
