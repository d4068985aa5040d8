"""Slots of two walks that share nothing (I19): backwards as forwards, in every zone; what may be lacking."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from conformance import second
from conformance.entries import FOLDER, Entry, read_folder
from conformance.lacking import may_lack
from conformance.making.zone_changes import KINDS, kind_of
from conformance.reports import text, write_json, write_junit
from conformance.runner import judge
from conformance.walked import Walked
from ledger.authored.fold import fold
from ledger.authored.models import Definition
from projector.slots import schedule_of

ENTRIES = [entry for entry in read_folder(FOLDER) if entry.op == "slots"]
TAKEN = [entry for entry in ENTRIES if not entry.refusal]
WALKED = [entry for entry in TAKEN if not may_lack(entry.request)]
_MICROSECOND = timedelta(microseconds=1)
_BACKWARDS = """
import { readFileSync } from 'node:fs';
import { nextSlot, previousSlot, useTzdata } from './index.js';
const { tzdata, asked } = JSON.parse(readFileSync(0, 'utf8'));
useTzdata(tzdata);
const answers = asked.map(({ schedule, instants }) => instants.map((instant) =>
  [previousSlot(schedule, instant), nextSlot(schedule, instant)]));
console.log(JSON.stringify(answers));
"""


def asked(entry: Entry) -> dict[str, object]:
    found = json.loads(entry.request)
    assert isinstance(found, dict)
    return found


def slots_of(entry: Entry) -> list[str]:
    found = entry.answer["slots"]
    assert isinstance(found, list)
    return found


def written(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat(timespec="microseconds").replace("+00:00", "Z")


def around(entry: Entry) -> list[datetime]:
    """Each slot of the answer, a microsecond behind it, and where the request began."""
    slots = [datetime.fromisoformat(slot) for slot in slots_of(entry)]
    return [
        datetime.fromisoformat(str(asked(entry)["after"])),
        *slots,
        *(slot + _MICROSECOND for slot in slots),
    ]


def ours(entry: Entry) -> list[list[str | None]]:
    """The previous and the next slot around each instant, as the product says."""
    task = {"entrypoint": "e", "schedule": asked(entry)["schedule"]}
    slots = schedule_of(Definition.of(fold(task).canonical).schedule)
    return [[written(slots.previous(at)), written(slots.next(at))] for at in around(entry)]


@pytest.mark.usefixtures("javascript")
def test_both_walk_backwards_as_they_walk_forwards() -> None:
    """The protocol asks for no previous slot, so both are asked directly, for every vector."""
    questions = [
        {"schedule": asked(entry)["schedule"], "instants": [written(at) for at in around(entry)]}
        for entry in WALKED
    ]
    answers = _in_javascript({"tzdata": str(second.tzdata_folder()), "asked": questions})
    for entry, found in zip(WALKED, answers, strict=True):
        assert found == ours(entry), f"{entry.name}: {entry.about}"
    assert sum(map(len, answers)) > 10_000


def test_the_way_back_is_the_way() -> None:
    """From each slot of an answer back to the one before it; rules too, which only the product walks."""
    for entry in TAKEN:
        listed, found = slots_of(entry), ours(entry)
        before = [previous for previous, _ in found[1 : 1 + len(listed)]]
        assert before[1:] == listed[:-1], entry.name
        assert [previous for previous, _ in found[1 + len(listed) :]] == listed, entry.name


def test_the_vectors_meet_every_kind_of_zone_and_schedule() -> None:
    walked = Walked()
    zones: Counter[str] = Counter()
    for entry in WALKED:
        walked.count(asked(entry), entry.answer)
        schedule = asked(entry)["schedule"]
        assert isinstance(schedule, dict)
        zones[kind_of(str(schedule.get("timezone") or "UTC"))] += 1
    assert walked.shortfalls() == []
    assert {kind: zones[kind] for kind in KINDS if zones[kind] < 15} == {}
    assert walked.meeting >= 700
    assert sum(entry.answer["ended"] is True for entry in TAKEN) >= 100
    readings = Counter(json.dumps(asked(entry)["schedule"].get("dst"), sort_keys=True) for entry in TAKEN)
    assert all(readings[f'{{"gap": "{gap}"}}'] >= 50 for gap in ("shift", "skip"))
    assert all(readings[f'{{"overlap": "{overlap}"}}'] >= 50 for overlap in ("first", "last", "both"))


def test_a_run_that_met_no_changes_is_no_proof() -> None:
    walked = Walked()
    assert walked.shortfalls() == ["slots: none was answered"]
    request: dict[str, object] = {"schedule": {"cron": "0 9 * * *"}, "after": "2026-11-30T00:00:00Z"}
    for _ in range(1000):
        walked.count(request, {"slots": ["2026-11-30T09:00:00.000000Z"], "ended": False})
    shortfalls = walked.shortfalls()
    assert "slots: at 0 times, the least is 15" in shortfalls
    assert "slots: Ramadan 0 times, the least is 10" in shortfalls
    assert "slots: a change of offset 0 times, the least is 250" in shortfalls


_RULE = '{"rrule":"RRULE:FREQ=DAILY","start":"2026-11-30T09:00:00"}'
_ONE: dict[str, object] = {"slots": ["2026-12-01T09:00:00.000000Z"], "ended": False}
_LACKS = 'import sys\nfor _ in sys.stdin: print(\'{"error":"not_implemented","fact":"slots"}\', flush=True)'


def lacking(tmp_path: Path, schedule: str, answer: dict[str, object]) -> tuple[Entry, list[str]]:
    (tmp_path / "lacks.py").write_text(_LACKS, encoding="utf-8")
    line = f'{{"op":"slots","schedule":{schedule},"after":"2026-11-30T12:00:00Z","count":1}}'
    entry = Entry("e", "slots", line.encode(), answer, "by hand", "x")
    return entry, [sys.executable, "-S", str(tmp_path / "lacks.py")]


@pytest.mark.parametrize("schedule", [_RULE, f'{{"any":[{{"every_s":60}},{_RULE}]}}'])
def test_slots_of_a_rule_may_be_lacking_and_are_counted_apart(tmp_path: Path, schedule: str) -> None:
    entry, command = lacking(tmp_path, schedule, _ONE)
    outcome = judge([entry], command)
    assert (outcome.passed, len(outcome.lacking), outcome.differing) == (True, 1, [])
    assert text(outcome).endswith("0 of 1 vectors agree, 1 not implemented, as may be; none differs\n")
    write_json(outcome, tmp_path / "r.json")
    write_junit(outcome, tmp_path / "r.xml")
    told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (told["passed"], told["agreed"], told["not_implemented"]) == (True, 0, 1)
    assert 'skipped message="not implemented' in (tmp_path / "r.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("schedule", "answer"),
    [
        ('{"every_s":86400}', _ONE),
        ('{"any":[{"every_s":86400}],"exclude":[{"on":"12-25"}]}', _ONE),
        ('{"every_s":86400,"rrule":null}', _ONE),
        (_RULE, {"error": "bad_schedule", "fact": "schedule"}),
    ],
)
def test_nothing_else_may_be_lacking(tmp_path: Path, schedule: str, answer: dict[str, object]) -> None:
    entry, command = lacking(tmp_path, schedule, answer)
    outcome = judge([entry], command)
    assert (outcome.passed, len(outcome.lacking), len(outcome.differing)) == (False, 0, 1)


def test_javascript_reads_no_other_release_and_lacks_slots_without_zones(
    javascript: list[str], tmp_path: Path
) -> None:
    line = b'{"op":"slots","schedule":{"every_s":60},"after":"2026-11-30T00:00:00Z","count":1}\n'
    node, serve, _ = javascript
    without = subprocess.run([node, serve], input=line, capture_output=True, check=True)
    assert json.loads(without.stdout) == {"error": "not_implemented", "fact": "slots"}
    (tmp_path / "zoneinfo").mkdir()
    (tmp_path / "zoneinfo/tzdata.zi").write_text("# version 2020a\n", encoding="ascii")
    other = subprocess.run([node, serve, str(tmp_path)], input=line, capture_output=True, check=False)
    assert other.returncode != 0
    assert b"another release of tzdata than" in other.stderr


def test_the_second_implementation_s_own_tests_pass(javascript: list[str]) -> None:
    files = sorted(str(file) for file in (second.FOLDER / "test").glob("*.test.js"))
    done = subprocess.run(
        [javascript[0], "--test", *files], cwd=second.FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


def _in_javascript(question: object) -> list[list[list[str | None]]]:
    done = subprocess.run(
        [str(second.node_program()), "--input-type=module", "-e", _BACKWARDS],
        input=json.dumps(question),
        cwd=second.FOLDER,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found
