"""The judge against programs that behave badly: each is named, none holds it up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.entries import Entry
from conformance.program import Unstartable
from conformance.runner import judge

# A right program answers `{"text": N}` with the same N, one line each.
_ENTRIES = [
    Entry(f"e{n}", "due", json.dumps({"text": n}).encode(), {"due": n}, "by hand", f"number {n}")
    for n in range(150)
]
_HEAD = """
import json, sys, os, time
def numbers():
    for line in sys.stdin:
        yield json.loads(line)["text"]
def say(n, flush=True):
    print(json.dumps({"due": n}), flush=flush)
"""


def program(tmp_path: Path, body: str) -> list[str]:
    """A program of these lines; it starts fast, without site packages."""
    file = tmp_path / "program.py"
    file.write_text(_HEAD + body, encoding="utf-8")
    return [sys.executable, "-S", "-E", str(file)]


def test_a_right_program_passes(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES, program(tmp_path, "for n in numbers(): say(n)"))
    assert outcome.passed
    assert [verdict.entry for verdict in outcome.verdicts] == _ENTRIES


def test_no_entries_prove_nothing(tmp_path: Path) -> None:
    assert not judge([], program(tmp_path, "for n in numbers(): say(n)")).passed


def test_a_wrong_answer_is_the_only_difference(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES, program(tmp_path, "for n in numbers(): say(n + (n == 70))"))
    assert [(verdict.entry.name, verdict.what) for verdict in outcome.differing] == [
        ("e70", "the answer differs")
    ]
    assert not outcome.faults


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("nonsense", "the answer is not JSON"),
        ("", "the answer is not JSON"),
        ('{"due":3,"due":3}', "the answer is not JSON"),
        ("[3]", "the answer is no JSON object"),
        ('{"due":3,"more":1}', "the answer differs"),
        ('{"due":"3"}', "the answer differs"),
        ("{}", "the answer differs"),
    ],
)
def test_answers_that_are_none(tmp_path: Path, answer: str, what: str) -> None:
    body = f"for n in numbers():\n    print({answer!r}, flush=True) if n == 3 else say(n)"
    [verdict] = judge(_ENTRIES[:10], program(tmp_path, body)).differing
    assert verdict.entry.name == "e3"
    assert verdict.what.startswith(what)


def test_the_message_of_a_refused_task_is_not_compared(tmp_path: Path) -> None:
    refused = {"error": "bad_task", "fact": "name"}
    entry = Entry("e", "fold", b'{"text":0}', refused, "by hand", "x")
    said = "for n in numbers(): print(json.dumps({**%r, 'message': %r}), flush=True)"
    assert judge([entry], program(tmp_path, said % (refused, "any words"))).passed
    assert not judge([entry], program(tmp_path, said % (refused, 7))).passed
    other = Entry("e", "due", b'{"text":0}', {"error": "no_offset", "fact": "due"}, "by hand", "x")
    assert not judge([other], program(tmp_path, said % (other.answer, "any words"))).passed


def test_a_program_that_hangs_is_named_with_the_line(tmp_path: Path) -> None:
    body = "for n in numbers():\n    if n == 70:\n        time.sleep(3600)\n    say(n)"
    outcome = judge(_ENTRIES, program(tmp_path, body), timeout=0.5)
    [verdict] = outcome.differing
    assert verdict.entry.name == "e70"
    assert verdict.what == "gave no answer within 0.5 s"
    assert "at e70, it gave no answer within 0.5 s" in outcome.faults
    assert len(outcome.verdicts) == len(_ENTRIES), "the rest was not asked"


def test_a_program_that_does_not_flush_hangs(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES, program(tmp_path, "for n in numbers(): say(n, flush=False)"), timeout=0.3)
    assert outcome.faults[0] == "at e0, it gave no answer within 0.3 s"
    assert not outcome.passed


def test_a_program_that_drips_and_ends_no_line_hangs(tmp_path: Path) -> None:
    body = "for n in numbers():\n    while True:\n        os.write(1, b'x')\n        time.sleep(0.01)"
    outcome = judge(_ENTRIES[:1], program(tmp_path, body), timeout=0.3)
    assert outcome.faults == ["at e0, it gave no answer within 0.3 s"]


def test_a_program_that_never_reads_hangs(tmp_path: Path) -> None:
    large = Entry("large", "due", b" " * 2**20, {"due": 1}, "by hand", "x")
    outcome = judge([large], program(tmp_path, "time.sleep(3600)"), timeout=0.3)
    assert outcome.faults == ["at large, it gave no answer within 0.3 s"]


def test_a_program_that_dies_is_named_with_the_line(tmp_path: Path) -> None:
    body = "for n in numbers():\n    if n == 70:\n        sys.exit('no more of this')\n    say(n)"
    outcome = judge(_ENTRIES, program(tmp_path, body))
    [verdict] = outcome.differing
    assert verdict.entry.name == "e70"
    assert verdict.what == "died: exit code 1; its standard error ends: no more of this"
    assert len(outcome.verdicts) == len(_ENTRIES)


def test_a_program_that_is_killed_says_by_what(tmp_path: Path) -> None:
    body = "for n in numbers():\n    if n == 1:\n        os.kill(os.getpid(), 11)\n    say(n)"
    [verdict] = judge(_ENTRIES[:3], program(tmp_path, body)).differing
    assert verdict.what.startswith("died: signal 11")


def test_a_program_that_dies_each_time_is_given_up(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES, program(tmp_path, "sys.exit(3)"))
    assert outcome.faults[-1].startswith("given up; ")
    assert len(outcome.verdicts) == len(_ENTRIES)
    assert sum(verdict.what == "not asked" for verdict in outcome.verdicts) == len(_ENTRIES) - 6


def test_answers_out_of_order_are_named(tmp_path: Path) -> None:
    """Only a program that reads ahead can do that, so it waits for more lines as some frameworks do."""
    body = """
import select
held = []
while True:
    line = os.read(0, 65536)
    if not line:
        break
    held = [json.loads(one)["text"] for one in line.splitlines()]
    for n in reversed(held):
        say(n)
"""
    outcome = judge(_ENTRIES[:60], program(tmp_path, body))
    whats = {verdict.entry.name: verdict.what for verdict in outcome.differing}
    assert whats["e2"] == "answered out of order: this is the answer to e59"
    assert "e0" not in whats


@pytest.mark.parametrize("where", [0, 70, 149])
def test_a_program_that_answers_twice_is_named(tmp_path: Path, where: int) -> None:
    body = f"for n in numbers():\n    say(n)\n    if n == {where}:\n        say(n)"
    outcome = judge(_ENTRIES, program(tmp_path, body))
    assert not outcome.passed
    assert any("answered more lines than it was asked" in fault for fault in outcome.faults)


def test_a_line_without_end_is_named(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES[:1], program(tmp_path, "for n in numbers():\n    print('x' * 3_000_000)"))
    assert outcome.faults == ["at e0, it wrote more than 1048576 bytes without ending its line"]


def test_a_program_that_never_ends_is_named(tmp_path: Path) -> None:
    body = "for n in numbers(): say(n)\ntime.sleep(3600)"
    outcome = judge(_ENTRIES[:5], program(tmp_path, body), timeout=0.5)
    assert outcome.faults == ["after the last answer, it did not end within 0.5 s after its input had ended"]
    assert not outcome.differing
    assert not outcome.passed


def test_a_program_that_ends_badly_is_named(tmp_path: Path) -> None:
    outcome = judge(_ENTRIES[:5], program(tmp_path, "for n in numbers(): say(n)\nsys.exit(4)"))
    assert outcome.faults == ["after the last answer, it ended with exit code 4"]


def test_a_command_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(Unstartable, match="cannot start"):
        judge(_ENTRIES, [str(tmp_path / "nothing")])


def test_a_large_request_and_a_large_answer_do_not_block_each_other(tmp_path: Path) -> None:
    """Both pipes are full at once here, and the program writes before it has read all."""
    entries = [
        Entry(
            f"e{n}",
            "due",
            json.dumps({"text": "x" * 200_000}).encode(),
            {"due": "x" * 200_000},
            "by hand",
            "x",
        )
        for n in range(80)
    ]
    assert judge(entries, program(tmp_path, "for n in numbers(): say(n)")).passed
