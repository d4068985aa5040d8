"""Bad input: one line that says what and how to write it, exit code 2, nothing stored; no database: 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.commanding import Shell

CHECKOUT = Path(__file__).resolve().parents[1]
GOOD = ("--every", "1h", "--entrypoint", "x")
KEY = "01a22dd4-5209-8558-82e0-7ea2d81976dd"
DIGEST = "57" * 32


def stored(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        return len(
            connection.execute(
                "SELECT FROM ledger.task UNION ALL SELECT FROM ledger.act UNION ALL"
                " SELECT FROM ledger.definition UNION ALL SELECT FROM ledger.occurrence UNION ALL"
                " SELECT FROM ledger.evidence"
            ).fetchall()
        )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        # A task.
        (("task", "add", "a b", *GOOD), "task: 'a b' has ' ' as character 2"),
        (("task", "add", "", *GOOD), "task: is empty"),
        (("task", "add", "a"), "entrypoint: is missing"),
        (("task", "add", "a", "--entrypoint", "x"), "schedule: is missing"),
        (("task", "add", "a", *GOOD, "--payload", "{"), "payload: not JSON"),
        (("task", "add", "a", *GOOD, "--payload", '{"a":1,"a":2}'), "payload: one name stands twice"),
        (("task", "add", "a", *GOOD, "--payload", "NaN"), "payload: not JSON"),
        (("task", "add", "a", *GOOD, "--timeout", "soon"), "timeout_s: 'soon' is no duration"),
        (("task", "add", "a", *GOOD, "--timeout", "99w"), "timeout_s: "),
        (("task", "add", "a", *GOOD, "--retries", "many"), "Invalid value for '--retries'"),
        (("task", "add", "a", *GOOD, "--retries", "101"), "retry.attempts: "),
        (("task", "add", "a", *GOOD, "--delivery", "http"), "entrypoint: "),
        (("task", "add", "a", *GOOD, "--delivery", "pigeon"), "delivery: "),
        (("task", "add", "a", *GOOD, "--destination", "here"), "destination: 'here' has no colon"),
        (("task", "add", "a", *GOOD, "--note", "x" * 10_001), "note: "),
        # A schedule.
        (
            ("task", "add", "a", "--entrypoint", "x", "--cron", "x y"),
            "schedule.cron: a cron text has five fields",
        ),
        (("task", "add", "a", "--entrypoint", "x", "--cron", "99 * * * *"), "schedule.cron: "),
        (("task", "add", "a", "--entrypoint", "x", "--cron", "0 0 30 2 *"), "schedule.cron: no date"),
        (("task", "add", "a", "--entrypoint", "x", "--every", "0"), "schedule.every_s: "),
        (
            ("task", "add", "a", "--entrypoint", "x", "--every", "often"),
            "schedule.every_s: 'often' is no duration",
        ),
        (
            ("task", "add", "a", "--entrypoint", "x", "--at", "tomorrow"),
            "schedule.at: 'tomorrow' is no timestamp",
        ),
        (("task", "add", "a", "--entrypoint", "x", "--at", "2026-12-01T09:00:00"), "schedule.at: "),
        (("task", "add", "a", *GOOD, "--at", "2026-12-01T09:00:00Z"), "a task has one schedule"),
        (("task", "add", "a", *GOOD, "--timezone", "Mars/Base"), "schedule.timezone: "),
        # A key.
        (("explain", "x"), "key: 'x' is no key; write a UUID"),
        (("cancel", ""), "key: '' is no key"),
        (("finish", "x", "succeeded"), "key: 'x' is no key"),
        (("finish", KEY, "done"), "outcome: 'done' is none; write 'succeeded' or 'failed'"),
        (("finish", KEY, "failed", "--result", "{"), "result: not JSON"),
        (("key", "{"), "facts: not JSON"),
        (("key", "[]"), "facts: must be an object"),
        (("key", "--task", "a"), "tenant: is missing"),
        (("key", "--tenant", "a", "--task", "a", "--digest", "7", "--due", "x"), "digest: '7' is no digest"),
        (
            ("key", "--tenant", "a", "--task", "a", "--digest", DIGEST, "--due", "x"),
            "due: 'x' is no timestamp",
        ),
        # What is not there.
        (("explain", KEY), "explaining an occurrence: the ledger has no such key"),
        (("cancel", KEY), "cancelling an occurrence: the ledger has no such key"),
        (("task", "show", "a"), "showing a task: the tenant has no such task"),
        (("task", "enable", "a"), "enable: the tenant has no such task"),
        (("task", "edit", "a", "{}"), "editing a task: the tenant has no such task"),
        (("run-now", "a"), "running a task now: the tenant has no such task"),
        (("history", "a"), "the tenant has and had no such task"),
        (("upcoming", "a"), "the tenant has and had no such task"),
        # Options and usage.
        (("task", "edit", "a", "[]"), "task: a patch is an object"),
        (("task", "edit", "a", "{"), "patch: not JSON"),
        (("run-now", "a", "--request", "a b"), "request: "),
        (("task", "list", "--limit", "0"), "a page has 1 to 1000 rows, not 0"),
        (("history", "--limit", "1001"), "a page has 1 to 1000 rows, not 1001"),
        (("history", "--cursor", "x"), "cursor: 'x' is none"),
        (("history", "--state", "done"), "state: 'done' is none of "),
        (("upcoming", "--until", "soon"), "until: 'soon' is no timestamp"),
        (("task", "list", "--tenant", "a b"), "tenant: 'a b'"),
        (("task", "list", "--tenant", ""), "tenant: is empty"),
        (("task", "lst"), "No such command 'lst'"),
        (("taks",), "No such command 'taks'"),
        (("task", "list", "--jsn"), "No such option '--jsn'"),
        (("task", "show"), "Missing argument 'TASK'"),
        (("run-now",), "Missing argument 'TASK'"),
    ],
)
def test_it_is_one_line_exit_2_and_nothing_is_stored(dsn: str, arguments: tuple[str, ...], said: str) -> None:
    line = Shell(dsn).refuses(*arguments, code=2)
    assert line.startswith(said), line
    assert stored(dsn) == 0


def test_a_text_is_shown_with_a_caret_under_its_place(dsn: str, tmp_path: Path) -> None:
    shell = Shell(dsn)
    said = shell("task", "add", "a", "--entrypoint", "x", "--cron", "0 9 * * 1-5,8")
    assert said.code == 2
    assert said.err == (
        "ledger: schedule.cron: day of week: 8 is out of range; it goes from 0 to 7\n"
        "  0 9 * * 1-5,8\n"
        "              ^\n"
    )
    file = tmp_path / "tasks.yaml"
    file.write_text(
        "tasks: {a: {entrypoint: x, schedule:"
        " {rrule: 'RRULE:FREQ=DAILY;COUNT=0', start: '2026-11-30T09:00:00'}}}"
    )
    said = shell("task", "apply", str(file), "--yes")
    assert said.code == 2
    assert said.err.splitlines()[1:] == ["  RRULE:FREQ=DAILY;COUNT=0", f"{' ' * 25}^"]


# Nine levels of ten references each: a thousand million words in 200 bytes.
BOMB = (
    "[&a [w, w, w, w, w, w, w, w, w, w]"
    + "".join(f", &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]" for n in range(8))
    + "]"
)

FILES = [
    ("", "write one object `tasks`"),
    ("tasks:", "write one object `tasks`"),
    ("[1, 2]", "write one object `tasks`"),
    ("report: {entrypoint: x}", "write one object `tasks`"),
    ("tasks: {a: 7}", "task 'a' must be an object, not 7"),
    (
        "tasks: {a b: {entrypoint: x, schedule: {every_s: 60}}}",
        "task 'a b': task: 'a b' has ' ' as character 2",
    ),
    ("tasks: {a: {entrypoint: x}}", "task 'a': schedule: is missing"),
    ("tasks: {a: {entrypoint: x, schedule: {cron: '* *'}}}", "task 'a': schedule.cron: a cron text has five"),
    (
        "tasks: {a: {entrypoint: x, schedule: {every_s: 60}, enabled: 1}}",
        "task 'a': enabled is true or false",
    ),
    (
        "tasks: {a: {entrypoint: x, schedule: {every_s: 60}, enabled: on}}",
        "task 'a': enabled is true or false",
    ),
    ("tasks: {a: {task: b, entrypoint: x, schedule: {every_s: 60}}}", "task 'a': task: "),
    ("tasks: {a: {entrypoint: x}, a: {entrypoint: y}}", "line 1, column 29: 'a' stands twice in one object"),
    ("tasks: {a: {1: x}}", "a name must be text: write it in quotes"),
    ("tasks: {a: [}", "not YAML at line 1, column 13"),
    ("\t- x", "not YAML at line 1"),
    ("tasks: !!python/object:os.system {}", "not YAML at line 1"),
    ("tasks: &t {a: *t}", "not YAML at line 1, column 8: found unconstructable recursive node"),
    (
        f"tasks: {{a: {{entrypoint: x, schedule: {{every_s: 60}}, payload: {BOMB}}}}}",
        "task 'a': task: is far beyond",
    ),
    ("a: 1\n---\nb: 2", "not YAML at line 2"),
    ("[" * 3000, "is nested too deeply to be read"),
    (b"\xff\xfe", "not YAML in UTF-8"),
]


@pytest.mark.parametrize(("text", "said"), FILES, ids=[str(text)[:40] for text, _ in FILES])
def test_a_bad_file_is_one_line_exit_2_and_nothing_is_stored(
    dsn: str, tmp_path: Path, text: str | bytes, said: str
) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    line = Shell(dsn).refuses("task", "apply", str(file), "--yes", code=2)
    assert line.startswith(f"{file}: "), line
    assert said in line
    assert stored(dsn) == 0


def test_one_bad_task_among_good_ones_stores_none_of_them(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    good = "a: {entrypoint: x, schedule: {every_s: 60}}"
    for bad in ("b: {entrypoint: x, schedule: {every_s: 60}, overlap: queue}", "b: {entrypoint: x}"):
        file.write_text(f"tasks: {{{good}, {bad}}}")
        said = Shell(dsn)("task", "apply", str(file), "--yes")
        assert said.code == 2
        assert said.err.count("\n") == 1
        assert stored(dsn) == 0


def test_a_file_that_is_not_there_or_too_large(dsn: str, tmp_path: Path) -> None:
    shell = Shell(dsn)
    assert "cannot be read: No such file" in shell.refuses("task", "apply", str(tmp_path / "no"), code=2)
    assert "cannot be read: Is a directory" in shell.refuses("task", "apply", str(tmp_path), code=2)
    assert "cannot be read: No such file" in shell.refuses("task", "add", "a", "--file", "no/where", code=2)
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * (16 * 2**20 + 1))
    assert "is larger than 16 MiB" in shell.refuses("task", "apply", str(large), code=2)
    json_file = tmp_path / "tasks.json"
    json_file.write_text('{"tasks": {}, "tasks": {}}')
    assert "one name stands twice" in shell.refuses("task", "apply", str(json_file), code=2)
    json_file.write_text("{'tasks': {}}")
    assert "not JSON" in shell.refuses("task", "apply", str(json_file), code=2)


@pytest.mark.parametrize(
    ("dsn", "said"),
    [
        ("mysql://h/d", "the DSN begins with 'mysql'; write postgresql://"),
        ("nonsense", "the DSN cannot be read"),
        ("postgresql://h:port/d", "the DSN cannot be read ('port' is no port)"),
        ("postgresql://127.0.0.1:70000/d", "the DSN cannot be read ('70000' is no port)"),
        (
            "postgresql://127.0.0.1/d?sslmode=maybe",
            "the DSN cannot be read (connection is bad: invalid sslmode",
        ),
        ("postgresql://127.0.0.1/d?connect_timeout=x", "the DSN cannot be read"),
    ],
)
def test_a_bad_dsn_is_one_line_and_exit_2(dsn: str, said: str) -> None:
    for command in (("task", "list"), ("migrate",), ("task", "add", "a", *GOOD)):
        line = Shell(None).refuses(*command, "--dsn", dsn, code=2)
        assert line.startswith(said), line


@pytest.mark.parametrize(
    "command",
    [
        *(("task", "list"), ("task", "show", "a"), ("task", "add", "a", *GOOD), ("task", "edit", "a", "{}")),
        *(("task", "enable", "a"), ("task", "disable", "a"), ("task", "delete", "a"), ("migrate",)),
        *(("run-now", "a"), ("cancel", KEY), ("upcoming",), ("history",), ("explain", KEY), ("due",)),
        ("finish", KEY, "failed"),
    ],
)
def test_a_database_that_is_down_is_one_line_and_exit_3(command: tuple[str, ...]) -> None:
    line = Shell("postgresql://postgres@127.0.0.1:1/nobody").refuses(*command, code=3)
    assert line.startswith("the database cannot be reached: ")


def test_a_database_that_does_not_exist_is_exit_3(dsn: str) -> None:
    other = psycopg.conninfo.make_conninfo(dsn, dbname="nobodys")
    assert 'database "nobodys" does not exist' in Shell(other).refuses("task", "list", code=3)


def test_bad_input_is_seen_before_the_database_is_asked() -> None:
    shell = Shell("postgresql://postgres@127.0.0.1:1/nobody")
    assert shell.refuses("task", "add", "a b", *GOOD, code=2).startswith("task: ")
    assert shell.refuses("explain", "x", code=2).startswith("key: ")


def test_no_trace_reaches_a_shell() -> None:
    """The console script itself, as a program of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "ledger", "explain", "x\ny", "--dsn", "postgresql://127.0.0.1:1/d"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ledger: key: 'x\\ny' is no key")
    assert done.stderr.count("\n") == 1
