"""Cases from the wild with their right answers: what cron texts mean, and which are refused.

`data/cron_cases.jsonl` holds a case a line. Its answers come from an enumeration that is older than this
project, and, where the dialect takes a side, from its text. `must` says what kind of promise a case
tests: `core` and `reject` hold for any five-field cron; for the others the dialect decides.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.models import ScheduleDefinition
from projector.slots import schedule_of
from tests.projector import verdicts
from tests.projector.cases import CASES, Case

TAKEN = [case for case in CASES if "slots" in case]
REFUSED = [case for case in CASES if "refused" in case]


def test_no_case_is_missing() -> None:
    assert Counter(case["must"] for case in CASES) == {
        "core": 161,
        "reject": 57,
        "policy": 9,
        "extension": 45,
        "dialect_trap": 2,
    }
    assert len(TAKEN) + len(REFUSED) == len(CASES) == 274


@pytest.mark.parametrize("case", TAKEN, ids=lambda case: case["id"])
def test_a_text_that_is_taken_gives_the_right_slots(case: Case) -> None:
    """The same slots for ever (I20), in both directions."""
    seconds = case.get("seconds", False)
    text = read_cron(case["cron"], seconds=seconds).text
    slots = schedule_of(ScheduleDefinition(cron=text, seconds=seconds, timezone=case["zone"]))
    after = datetime.fromisoformat(case["after"])
    expected = [datetime.fromisoformat(slot) for slot in case["slots"]]
    found: list[datetime] = []
    slot = slots.next(after)
    while slot is not None and len(found) < len(expected):
        found.append(slot)
        slot = slots.next(slot)
    assert found == expected
    assert all(slot.tzinfo is UTC for slot in found)
    back = expected[-1] + timedelta(microseconds=1)
    for slot in reversed(expected):
        assert slots.previous(back) == slot
        back = slot
    before = slots.previous(back)
    assert before is None or before <= after


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_a_text_that_is_refused_is_refused_with_its_place(case: Case) -> None:
    with pytest.raises(CronRefused) as refused:
        read_cron(case["cron"], seconds=case.get("seconds", False))
    assert refused.value.message
    assert "\n" not in refused.value.message
    assert 0 <= refused.value.position <= len(refused.value.text)
    assert refused.value.shown().endswith("^")


def test_the_table_of_verdicts_has_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdicts.main() == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["must", "cases", "right", "refused,", "as", "the", "dialect", "says", "WRONG"]
    assert table[-1].split() == ["all", "274", "201", "73", "0"]


def test_a_wrong_answer_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (right,) = [case for case in CASES if case["id"] == "dst_gap_fixed-002"]
    wrong = [
        right | {"slots": ["2025-03-08T07:00:00Z", "2025-03-09T06:00:00Z"]},
        right | {"cron": "99 * * * *"},
        REFUSED[0] | {"cron": "0 9 * * *"},
    ]
    monkeypatch.setattr(verdicts, "CASES", wrong)
    assert verdicts.main() == 1
    said = capsys.readouterr().out
    assert said.count("\ndst_gap_fixed-002: ") == 2
    assert "taken, where the dialect refuses it" in said
