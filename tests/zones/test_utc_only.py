"""Platforms that keep zones out: the setting, what it refuses, and what it says to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger import Ledger
from ledger.errors import TaskRefused
from tests.commanding import Shell

UTC = {"entrypoint": "x", "schedule": {"cron": "0 9 * * *"}}
PARIS = {"entrypoint": "x", "schedule": {"cron": "0 9 * * *", "timezone": "Europe/Paris"}}
UNION = {"entrypoint": "x", "schedule": {"any": [{"every_s": 60}, PARIS["schedule"]]}}


def test_it_is_refused_while_tasks_name_zones(dsn: str) -> None:
    shell = Shell(dsn)
    for n in range(7):
        more = ("--timezone", "Europe/Paris", "--entrypoint", f"x{n}")
        shell.does("task", "add", f"t{n}", "--cron", "0 9 * * *", *more)
    shell.does("task", "disable", "t0")
    said = shell.refuses("migrate", "utc-only", "on", code=2)
    assert "7 tasks name one: 't0' of tenant 'acme' (Europe/Paris), 't1'" in said
    assert "and 2 more; nothing was changed" in said
    assert "projector.weekly_utc_crons()" in said
    assert "may be named: so it was already" in shell.does("migrate", "utc-only", "off").out
    for n in range(7):
        shell.does("task", "delete", f"t{n}")
    assert shell.does("migrate", "utc-only", "on").out == "zones are kept out\n"
    assert shell.does("migrate", "utc-only", "on", "--json").json == {"utc_only": True, "changed": False}


@pytest.mark.parametrize(("task", "path"), [(PARIS, "schedule.timezone"), (UNION, "schedule.any.1.timezone")])
def test_a_task_that_names_a_zone_is_refused_at_every_door(
    dsn: str, tmp_path: Path, task: dict[str, dict[str, object]], path: str
) -> None:
    shell = Shell(dsn)
    shell.does("migrate", "utc-only", "on")
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme")
        assert acme.define("utc", UTC).did == "defined"
        for refused in (
            lambda: acme.define("a", task),
            lambda: acme.define_many({"b": {**UTC, "entrypoint": "y"}, "a": task}),
            lambda: acme.edit("utc", {"schedule": {"cron": None} | task["schedule"]}),
        ):
            with pytest.raises(
                TaskRefused, match="names the zone 'Europe/Paris', and this platform"
            ) as error:
                refused()
            assert error.value.path == path
            assert "weekly_utc_crons" in str(error.value)
        assert [line.task for line in acme.list().rows] == ["utc"]
        assert "zones are kept out" in shell.does("doctor", "zones").out
        shell.does("migrate", "utc-only", "off")
        assert acme.define("a", PARIS).did == "defined"
    file = tmp_path / "tasks.yaml"
    file.write_text("tasks: {c: {entrypoint: x, schedule: {cron: '0 9 * * *', timezone: Etc/UTC}}}\n")
    shell.does("task", "delete", "a")
    shell.does("migrate", "utc-only", "on")
    assert "'Etc/UTC'" in shell("task", "apply", str(file), "--yes").err


def test_options_follow_the_command(dsn: str) -> None:
    shell = Shell(None)
    assert "write the options after `zones`" in shell.refuses("migrate", "--dsn", dsn, "zones", code=2)
    assert "write the options after `utc-only`" in shell.refuses(
        "migrate", "--json", "utc-only", "on", code=2
    )
