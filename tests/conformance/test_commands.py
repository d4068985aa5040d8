"""`conformance run` as a command: exit codes, what it says, the reports that it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from conformance.entries import Entry, write_files

_CHECKOUT = Path(__file__).resolve().parents[2]
_ENTRIES = [
    Entry("right", "due", b'{"text":0}', {"due": 0}, "by hand", "a number"),
    Entry("wrong", "due", b'{"text":1}', {"due": 2}, "agreed", "one \x00 more"),
    Entry("refused", "key", b'{"error":"e","fact":"f"}', {"error": "e", "fact": "f"}, "specification", "x"),
]
_ECHO = """
import sys, json
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"due": asked["text"]} if "text" in asked else asked), flush=True)
"""


def vectors(tmp_path: Path, *names: str) -> Path:
    folder = tmp_path / "vectors"
    folder.mkdir()
    kept = [(entry, [entry.request.decode()]) for entry in _ENTRIES if entry.name in names]
    write_files(folder, {"some.jsonl": kept})
    return folder


def run(*arguments: str | Path, folder: Path = _CHECKOUT) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as somebody without the rest of the package runs it."""
    return subprocess.run(
        [sys.executable, "-m", "conformance", "run", *map(str, arguments)],
        cwd=folder,
        env={"PYTHONPATH": str(_CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )


def echo(tmp_path: Path) -> list[str]:
    (tmp_path / "echo.py").write_text(_ECHO, encoding="utf-8")
    return ["--against", sys.executable, "-S", str(tmp_path / "echo.py")]


def test_all_agree(tmp_path: Path) -> None:
    done = run("--vectors", vectors(tmp_path, "right", "refused"), *echo(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:7] == [
        "operation  asked  agreed",
        "due            1       1",
        "key            1       1",
        "",
        "refusal  asked  agreed",
        "e            1       1",
        "",
    ]
    assert done.stdout.endswith("all 2 vectors agree\n")


def test_a_difference_is_shown_to_the_byte(tmp_path: Path) -> None:
    done = run("--vectors", vectors(tmp_path, "right", "wrong"), *echo(tmp_path))
    assert done.returncode == 1
    assert done.stdout.splitlines()[:6] == [
        "wrong (agreed): one \\x00 more",
        "  the answer differs",
        '  request   {"text":1}',
        '  expected  {"due":2}',
        '  answered  {"due":1}',
        "                   ^ byte 7",
    ]
    assert "1 of 2 vectors differ, 0 faults of the program" in done.stdout


def test_the_reports_say_the_same(tmp_path: Path) -> None:
    as_json, junit = tmp_path / "r.json", tmp_path / "r.xml"
    reports = ("--json", as_json, "--junit", junit)
    done = run("--vectors", vectors(tmp_path, "right", "wrong", "refused"), *reports, *echo(tmp_path))
    assert done.returncode == 1
    told = json.loads(as_json.read_text(encoding="utf-8"))
    assert (told["passed"], told["asked"], told["agreed"]) == (False, 3, 2)
    assert told["operations"] == {"due": {"asked": 2, "agreed": 1}, "key": {"asked": 1, "agreed": 1}}
    assert told["refusals"] == {"e": {"asked": 1, "agreed": 1}}
    [difference] = told["differences"]
    assert (difference["name"], difference["byte"], difference["expected"]) == ("wrong", 7, {"due": 2})
    suite = ElementTree.parse(junit).getroot()  # noqa: S314 - written a moment ago
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["wrong"]


def test_a_fault_fails_the_protocol_s_own_case(tmp_path: Path) -> None:
    junit = tmp_path / "r.xml"
    done = run("--vectors", vectors(tmp_path, "right"), "--junit", junit, "--against", "false")
    assert done.returncode == 1
    assert "fault: at right, it died: exit code 1" in done.stdout
    failed = [case.get("name") for case in ElementTree.parse(junit).getroot() if len(case)]  # noqa: S314
    assert failed == ["right", "the protocol is kept"]


def test_the_program_may_be_quoted_as_one(tmp_path: Path) -> None:
    command = " ".join(f"'{part}'" for part in echo(tmp_path)[1:])
    assert run("--vectors", vectors(tmp_path, "right"), "--against", command).returncode == 0


def test_bad_input_is_two(tmp_path: Path) -> None:
    folder = vectors(tmp_path, "right")
    for arguments, word in (
        (["--vectors", str(tmp_path / "nowhere")], "no folder of vectors"),
        (["--vectors", str(folder), "--against", "no-such-program-anywhere"], "cannot start"),
        (["--vectors", str(folder), "--against", ""], "names no program"),
        (["--vectors", str(folder), "--against", "'"], "quotation"),
        (["--vectors", str(folder), "stray"], "write --against before"),
        (
            ["--vectors", str(folder), "--json", str(tmp_path / "no/where.json"), *echo(tmp_path)],
            "No such file",
        ),
        (["--timeout", "0"], "--timeout"),
    ):
        done = run(*arguments)
        assert done.returncode == 2, done.stdout
        assert word in done.stderr
        assert "Traceback" not in done.stderr


def test_a_damaged_file_is_two(tmp_path: Path) -> None:
    file = vectors(tmp_path, "right") / "some.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    done = run("--vectors", file.parent, *echo(tmp_path))
    assert (done.returncode, "truncated" in done.stderr) == (2, True)
    file.write_bytes(b"")
    assert run("--vectors", file.parent, *echo(tmp_path)).returncode == 2


def test_it_works_without_the_rest_of_the_package(tmp_path: Path) -> None:
    """A copy of the one folder, started far from the checkout, judges a program of somebody else's."""
    copied = tmp_path / "elsewhere"
    ignored = ("javascript", "making", "__pycache__")
    for file in (_CHECKOUT / "conformance").rglob("*"):
        relative = file.relative_to(_CHECKOUT)
        if file.is_file() and not set(ignored) & set(relative.parts):
            (copied / relative).parent.mkdir(parents=True, exist_ok=True)
            (copied / relative).write_bytes(file.read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", *echo(tmp_path)],
        cwd=copied,
        env={"PYTHONPATH": str(copied)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "vectors differ" in done.stdout


def test_one_operation_may_be_asked_alone(tmp_path: Path) -> None:
    folder = vectors(tmp_path, "right", "wrong", "refused")
    done = run("--vectors", folder, "--op", "key", *echo(tmp_path))
    assert (done.returncode, "all 1 vectors agree" in done.stdout) == (0, True)
    assert run("--vectors", folder, "--op", "digest", *echo(tmp_path)).returncode == 1, "nothing was asked"
    assert run("--vectors", folder, "--op", "sing", *echo(tmp_path)).returncode == 2
