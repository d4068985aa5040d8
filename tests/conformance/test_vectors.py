"""The committed vectors try what they have to try; no answer was written by whom it judges (I19)."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from conformance.entries import FOLDER, Entry, read_folder
from conformance.fuzz import REFUSALS
from conformance.gather import BY_HAND
from conformance.making import facts
from conformance.making.members import TASK_MEMBERS
from conformance.making.schedules import ANY_MEMBERS, EXCLUDE_MEMBERS, SCHEDULE_MEMBERS
from tests.conformance.by_hand import worked

ENTRIES = read_folder(FOLDER)


def asked(entry: Entry, part: str) -> object:
    """What an entry's request has as its part, or None where the request is no JSON."""
    try:
        request = json.loads(entry.request)
    except ValueError:
        return None
    return request.get(part) if isinstance(request, dict) else None


def test_there_are_enough() -> None:
    operations = Counter(entry.op for entry in ENTRIES)
    origins = Counter(entry.origin for entry in ENTRIES)
    assert len(ENTRIES) >= 3000
    assert operations.keys() == {"key", "digest", "due", "fold", "slots", "request"}
    assert origins["by hand"] + origins["specification"] >= 500
    by_hand = [entry for entry in ENTRIES if entry.op == "slots" and entry.origin != "agreed"]
    assert (operations["slots"] >= 2000, len(by_hand) >= 250) == (True, True)
    assert origins["specification"] >= 3


@pytest.mark.parametrize(("op", "code"), [(op, code) for op, codes in REFUSALS.items() for code in codes])
def test_each_refusal_is_met_fifteen_times(op: str, code: str) -> None:
    met = [entry for entry in ENTRIES if entry.refusal == code and (op in (entry.op, "request"))]
    assert len(met) >= 15


def test_no_refusal_is_met_that_the_fuzz_does_not_know() -> None:
    assert {entry.refusal for entry in ENTRIES} - {""} == {
        code for codes in REFUSALS.values() for code in codes
    }


def test_each_pair_of_faults_of_two_facts_is_asked_once() -> None:
    """Every two faults, a fact not there and a fact that is no text among them, of every two facts."""
    labels = {name: ["missing", "not_a_string", *faults] for name, faults in facts.FAULTS.items()}
    abouts = Counter(entry.about for entry in ENTRIES if entry.op == "key")
    pairs = [
        f"{first}: {one}, and {other}: {two}"
        for first, other in itertools.combinations(facts.NAMES, 2)
        for one in labels[first]
        for two in labels[other]
    ]
    assert len(pairs) > 850
    # Two makers of faults can happen to write the same text, which is then asked once.
    assert [pair for pair in pairs if abouts[pair] != 1] == []


@pytest.mark.parametrize(
    "path",
    sorted(
        {
            member.path.replace(".0", "").replace(".1", "")
            for member in (*TASK_MEMBERS, *SCHEDULE_MEMBERS, *ANY_MEMBERS, *EXCLUDE_MEMBERS)
        }
    ),
)
def test_each_member_is_tried_ten_times(path: str) -> None:
    tasks = [task for entry in ENTRIES if entry.op == "fold" and (task := asked(entry, "task")) is not None]
    having = [task for task in tasks if path in set(_paths(task))]
    assert len(having) >= 10


def test_members_are_refused_and_taken() -> None:
    """Of every member of a task, some values are taken and some refused; of opaque ones all are taken."""
    refused = {str(entry.answer["fact"]) for entry in ENTRIES if entry.refusal == "bad_task"}
    taken = set()
    for entry in ENTRIES:
        if entry.op == "fold" and not entry.refusal:
            taken |= set(_paths(entry.answer["authored"]))
    opaque = {"payload", "display"}
    for member in (*TASK_MEMBERS, *SCHEDULE_MEMBERS, *EXCLUDE_MEMBERS):
        path = member.path
        assert path in refused or path in opaque, f"no vector is refused at {path}"
        bare = path.replace(".0", "").replace(".1", "")
        assert bare in taken or path == "schedule.dialect", f"no vector keeps {bare}"


def test_every_offset_form_is_asked() -> None:
    texts = [text for entry in ENTRIES if entry.op == "due" and isinstance(text := asked(entry, "text"), str)]
    for form in (
        "Z",
        "z",
        "+05:45",
        "-05:45",
        "+0545",
        "-0545",
        "+05",
        "-05",
        "+23:59",
        "-23:59",
        "+2359",
        "-00:00",
    ):
        assert any(text.endswith(form) for text in texts), form


def test_hostile_lines_are_asked() -> None:
    requests = [entry.request for entry in ENTRIES]
    assert any(request == b"" for request in requests)
    assert any(request.startswith(b"\xef\xbb\xbf") for request in requests)
    assert any(b"NaN" in request for request in requests)
    assert any(b"\\ud800" in request for request in requests)
    assert any(len(request) == 2**20 for request in requests)
    assert any(len(request) == 2**20 + 1 for request in requests)
    not_utf8 = [request for request in requests if not _is_utf8(request)]
    assert len(not_utf8) >= 20


def test_the_hand_worked_file_is_what_its_tables_say() -> None:
    assert (FOLDER / BY_HAND).read_bytes() == worked()


def test_origins_stand_where_they_belong() -> None:
    by_hand = {line.split('"', 4)[3] for line in worked().decode().splitlines()[:-1]}
    for entry in ENTRIES:
        assert (entry.origin == "agreed") == (entry.name not in by_hand), entry.name


def test_what_is_taken_from_the_specification_stands_in_it() -> None:
    text = (FOLDER.parent / "SPECIFICATION.md").read_text(encoding="utf-8")
    for entry in ENTRIES:
        if entry.origin == "specification":
            for value in entry.answer.values():
                for each in value if isinstance(value, list) else [value]:
                    if isinstance(each, str):
                        assert each in text, f"{entry.name}: {each}"


def test_the_set_stays_compact() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 5 * 2**20


def _paths(value: object, above: str = "") -> Iterator[str]:
    """Every path of members in a task, without the indexes of elements."""
    if isinstance(value, dict):
        for name, member in value.items():
            path = f"{above}.{name}" if above else name
            yield path
            yield from _paths(member, path)
    elif isinstance(value, list):
        for element in value:
            yield from _paths(element, above)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
