"""`ledger task apply`: the difference first, one transaction, the switch only where the file states it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import Busy
from projector.commands.files import read_stated
from projector.moves.apply import apply, compare
from tests.commanding import Said, Shell

CHECKOUT = Path(__file__).resolve().parents[1]
TWO = """
tasks:
  report:
    entrypoint: make_report
    schedule: {cron: '0 9 * * MON', timezone: Europe/Paris}
    payload: {to: all}
  clean:
    entrypoint: clean
    schedule: {every_s: 1h}
    enabled: false
"""
TWIN = """twin:
    entrypoint: make_report
    schedule: {cron: '0 9 * * MON', timezone: Europe/Paris}
    payload: {to: all}"""


class Files:
    """A file of tasks that is applied again and again."""

    def __init__(self, shell: Shell, path: Path) -> None:
        self.shell = shell
        self.path = path

    def apply(self, text: str, *options: str) -> Said:
        self.path.write_text(text)
        return self.shell.does("task", "apply", str(self.path), "--yes", *options)

    def tasks(self) -> dict[str, bool]:
        return {
            str(row["task"]): bool(row["enabled"]) for row in self.shell.does("task", "list", "--json").rows
        }


@pytest.fixture
def files(dsn: str, tmp_path: Path) -> Files:
    return Files(Shell(dsn), tmp_path / "tasks.yaml")


def acts(dsn: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT task, what, note FROM ledger.act ORDER BY at, task, n").fetchall()


def test_what_is_new_is_defined_and_twice_is_once(files: Files, dsn: str) -> None:
    """I15"""
    first = files.apply(TWO, "--note", "rollout")
    lines = first.out.splitlines()
    assert lines[:2] == ["+ report: new, on", "+ clean: new, off"]
    assert lines[2].startswith("report: defined; next ")
    assert lines[3] == "clean: defined; off"
    assert files.tasks() == {"clean": False, "report": True}
    assert acts(dsn) == [("clean", "define", "rollout"), ("report", "define", "rollout")]
    assert files.apply(TWO).out == "= 2 as they are\n"
    assert len(acts(dsn)) == 2


def test_the_difference_names_each_member(files: Files) -> None:
    files.apply(TWO)
    changed = TWO.replace("MON", "TUE").replace("{to: all}", "{to: few}").replace("make_report", "make")
    said = files.apply(changed + "    labels: {team: a}\n")
    assert said.out.splitlines()[:7] == [
        "~ report: changed",
        "    entrypoint: make_report -> make",
        '    payload: {"to": "all"} -> {"to": "few"}',
        "    schedule.cron: 0 9 * * MON -> 0 9 * * TUE",
        "~ clean: changed",
        '    labels: (default) -> {"team": "a"}',
        said.out.splitlines()[6],
    ]
    assert said.out.splitlines()[6].startswith("report: edited; next ")


def test_the_switch_moves_only_where_it_is_stated_by_an_act_of_its_own(files: Files, dsn: str) -> None:
    files.apply(TWO)
    files.shell.does("task", "disable", "report")
    assert files.apply(TWO).out == "= 2 as they are\n"
    assert files.tasks() == {"clean": False, "report": False}
    said = files.apply(
        TWO.replace("enabled: false", "enabled: true").replace("clean\n    sched", "wash\n    sched")
    )
    assert said.out.startswith("~ clean: changed, on\n    entrypoint: clean -> wash\n= 1 as they are\n")
    assert files.tasks() == {"clean": True, "report": False}
    assert [what for task, what, _ in acts(dsn) if task == "clean"] == ["define", "edit", "enable"]
    off = files.apply(TWO.replace("clean\n    sched", "wash\n    sched"))
    assert off.out == "~ clean: same, off\n= 1 as they are\nclean: disabled; off\n"


def test_absent_tasks_stay_unless_asked_for(files: Files, dsn: str) -> None:
    files.apply(TWO)
    files.shell.does("task", "add", "other", "--every", "1h", "--entrypoint", "other")
    files.shell.does("task", "add", "off", "--every", "1h", "--entrypoint", "off", "--disabled")
    assert files.apply(TWO).out == "= 2 as they are\n"
    assert files.tasks()["other"] is True
    said = files.apply(TWO, "--disable-absent")
    assert said.out == "- other: not in the file, to be disabled\n= 2 as they are\nother: disabled; off\n"
    assert files.tasks() == {"clean": False, "off": False, "other": False, "report": True}
    other = Shell(dsn, "globex")
    assert other.does("task", "list").out == "tenant globex has no tasks\n"


def test_a_task_may_be_renamed(files: Files) -> None:
    """The one that goes is switched off first, so that the new one is no twin of it."""
    files.apply(TWO)
    said = files.apply(TWO.replace("  report:", "  weekly:"), "--disable-absent")
    assert "+ weekly: new, on\n" in said.out
    assert files.tasks() == {"clean": False, "report": False, "weekly": True}


def test_a_twin_within_the_file_stores_nothing(files: Files, dsn: str) -> None:
    files.path.write_text(
        "tasks: {a: {entrypoint: x, schedule: {every_s: 60}}, b: {entrypoint: x, schedule: {every_s: 60}}}"
    )
    said = files.shell("task", "apply", str(files.path), "--yes")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "asks for the same work at the same times" in said.err
    assert acts(dsn) == []
    text = files.path.read_text().replace("b: {", "b: {allow_duplicate: true, ")
    files.apply(text)
    assert files.tasks() == {"a": True, "b": True}


def test_a_dry_run_changes_nothing(files: Files, dsn: str) -> None:
    said = files.apply(TWO, "--dry-run")
    lines = said.out.splitlines()
    assert lines[:2] == ["+ report: new, on", "+ clean: new, off"]
    assert lines[2].startswith("report: would be defined; next 20")
    assert lines[3] == "clean: would be defined; off"
    assert lines[7].split()[0] == "opens"
    assert lines[-1] == "a dry run: nothing was changed"
    assert acts(dsn) == []
    answer = files.apply(TWO, "--dry-run", "--json").json
    assert [(d["task"], d["what"]) for d in answer["differences"]] == [("report", "new"), ("clean", "new")]
    assert [(a["task"], a["did"]) for a in answer["acts"]] == [("report", "defined"), ("clean", "defined")]
    assert [(row["fate"], row["task"], row["wake"]) for row in answer["rows"]] == [
        ("opens", "report", "schedule")
    ]
    assert acts(dsn) == []


def test_an_uneven_step_is_warned_of_once_it_changes(files: Files) -> None:
    text = (
        "tasks: {a: {entrypoint: x, schedule: {any: [{cron: '0 */5 * * *'}, {every_s: 60}]}}, "
        "b: {entrypoint: x, schedule: {every_s: 7}}}"
    )
    files.path.write_text(text)
    said = files.shell("task", "apply", str(files.path), "--yes")
    assert said.code == 0
    assert said.err == (
        "ledger: warning: '0 */5 * * *': */5 does not tile the hours: "
        "after 20:00 comes 00:00, 4 hours later, not 5\n"
    )
    assert files.apply(text).err == ""


def test_a_dry_run_says_which_rows_retire_and_what_would_be_refused(files: Files, dsn: str) -> None:
    files.apply(TWO)
    (before,) = files.shell.does("upcoming", "--count", "1", "--json").rows
    rows = files.apply(TWO.replace("MON", "TUE"), "--dry-run", "--json").json["rows"]
    assert [row["fate"] for row in rows] == ["retires", "opens"]
    assert rows[0]["key"] == before["key"]
    assert files.apply(TWO, "--dry-run").out == "= 2 as they are\n"
    twin = TWO.replace("clean:\n    entrypoint: clean\n    schedule: {every_s: 1h}\n    enabled: false", TWIN)
    files.path.write_text(twin)
    said = files.shell("task", "apply", str(files.path), "--dry-run")
    assert said.code == 2
    assert "asks for the same work at the same times" in said.err


def test_json_says_differences_and_acts(files: Files) -> None:
    answer = files.apply(TWO, "--json").json
    assert [(a["task"], a["did"]) for a in answer["acts"]] == [("report", "defined"), ("clean", "defined")]
    assert files.apply(TWO, "--json").json["acts"] == []


def test_standard_input_and_json_files(files: Files, tmp_path: Path) -> None:
    what = {"tasks": {"a": {"entrypoint": "x", "schedule": {"every_s": 60}}}}
    files.shell.does("task", "apply", "-", "--yes", stdin=json.dumps(what))
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(what))
    assert files.shell.does("task", "apply", str(path)).out == "= 1 as they are\n"
    assert (
        files.shell.does("task", "apply", "-", "--yes", stdin="tasks: {}").out == "the file names no task\n"
    )


def test_yaml_is_read_as_its_core_schema(files: Files) -> None:
    """`on` is a name, `no` a word, a date text, 010 no number; and they mean what JSON would."""
    files.apply(
        """
        tasks:
          a:
            entrypoint: x
            payload: {country: no, day: 2026-12-25, at: 12:30, code: 010, n: 1.5, off: [yes, ~, true]}
            retry: {attempts: 1, on: [failed]}
            schedule:
              every_s: 60
              starts_at: 2026-12-01 10:00:00+01:00
              exclude: [{on: 2026-12-25}, {on: 12-26}]
        """
    )
    authored = files.shell.does("task", "show", "a", "--json").json["line"]["authored"]
    assert authored["payload"] == {
        "country": "no",
        "day": "2026-12-25",
        "at": "12:30",
        "code": "010",
        "n": 1.5,
        "off": ["yes", None, True],
    }
    assert authored["retry"] == {"attempts": 1, "on": ["failed"]}
    assert authored["schedule"] == {
        "every_s": 60,
        "starts_at": "2026-12-01T09:00:00.000000Z",
        "exclude": [{"on": "2026-12-25"}, {"on": "12-26"}],
    }


def test_one_task_from_a_file_with_options_over_it(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text("{entrypoint: x, schedule: {cron: '0 9 * * *'}, timeout_s: 60, retry: {factor: 3}}")
    add = ("task", "add", "a", "--file", str(path))
    files.shell.does(*add)
    files.shell.does(*add, "--timezone", "Europe/Paris", "--timeout", "2m", "--retries", "1")
    authored = files.shell.does("task", "show", "a", "--json").json["line"]["authored"]
    assert authored == {
        "entrypoint": "x",
        "retry": {"attempts": 1, "factor": 3},
        "schedule": {"cron": "0 9 * * *", "timezone": "Europe/Paris"},
        "timeout_s": 120,
    }
    files.shell.does(*add, "--every", "1h")
    schedule = files.shell.does("task", "show", "a", "--json").json["line"]["authored"]["schedule"]
    assert schedule == {"every_s": 3600}


def test_without_anybody_to_ask_it_must_be_told_yes(files: Files, dsn: str) -> None:
    files.path.write_text(TWO)
    said = files.shell("task", "apply", str(files.path))
    assert said.code == 2
    assert said.err == "ledger: nobody can be asked here: look with --dry-run, then apply with --yes\n"
    assert acts(dsn) == []


@pytest.mark.parametrize(("word", "code", "applied"), [("y", 0, 2), ("n", 1, 0)])
def test_at_a_terminal_it_asks(files: Files, dsn: str, word: str, code: int, applied: int) -> None:
    files.path.write_text(TWO)
    ours, theirs = pty.openpty()
    os.write(ours, f"{word}\n".encode())
    with subprocess.Popen(
        [sys.executable, "-m", "ledger", "task", "apply", str(files.path), "--dsn", dsn],
        cwd=CHECKOUT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as program:
        assert program.wait(60) == code
    said = os.read(ours, 65_536).decode()
    os.close(theirs)
    os.close(ours)
    assert "Apply? [y/N]:" in said
    assert len(acts(dsn)) == applied


def test_what_changed_since_it_was_shown_is_not_overwritten(files: Files, dsn: str) -> None:
    """The difference that a person agreed to is the one that is applied, or none."""
    files.apply(TWO)
    files.path.write_text(TWO.replace("MON", "TUE"))
    stated = read_stated(str(files.path))
    with connect(dsn) as connection:
        scope = Scope("tenant", "acme")
        plan = run(connection, compare("acme", stated, disable_absent=False), scope)
        files.shell.does("task", "edit", "report", '{"timeout_s": 60}')
        before = acts(dsn)
        with pytest.raises(Busy, match="changed since the difference was shown"):
            run(connection, apply("acme", stated, plan, "anna"), scope)
        assert acts(dsn) == before
        again = run(connection, compare("acme", stated, disable_absent=False), scope)
        run(connection, apply("acme", stated, again, "anna"), scope)
        assert len(acts(dsn)) == len(before) + 1
