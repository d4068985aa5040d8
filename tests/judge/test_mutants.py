"""The judge judged: a history without a flaw is good, and each flaw put into it is found under its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.judge.findings import VERDICTS, Judgement
from benchmarks.judge.history import History, load, save
from benchmarks.judge.verdict import Least, judge, report
from tests.judge import book_mutants as books
from tests.judge import run_mutants as runs
from tests.judge.changing import again, row_of
from tests.judge.script import at, good

LEAST = Least(slots=100, kills=1, acts=10, acts_of_a_kind=1)
Mutant = Callable[[History], None]


def judged(history: History) -> Judgement:
    return judge(history, LEAST)


def test_a_history_without_a_flaw_is_good() -> None:
    """Counted by hand: demanded slots are those that come up to second 60."""
    found = judged(good())
    assert found.findings == [], report(good(), found)
    # steady 31, edited 15 + 10, switched 5 + 4 + 3, died 10 + 15, slow 4, retried 6, held 29, minutely 2.
    assert found.counts["ran once"] == 31 + 25 + 12 + 25 + 4 + 6 + 29 + 2
    assert found.counts["died with its process"] == 2
    assert found.counts["of these, again after a death"] == 1
    assert found.counts["not run: skipped, overlap"] == 6
    assert found.counts["not run: skipped, backoff"] == 1
    assert found.counts["not run: skipped, misfire"] == 1
    assert found.counts["not run: passed over, misfire"] == 1
    assert found.counts["slots demanded"] == 134 + 2 + 6 + 1 + 2


MUTANTS: list[tuple[Mutant, set[str]]] = [
    (runs.drop_a_run, {"missing", "untiled"}),
    (runs.drop_the_run_that_an_edit_kept, {"missing", "untiled"}),
    (runs.drop_the_run_before_the_switch, {"missing"}),
    (runs.forget_a_skip, {"missing", "untiled"}),
    (runs.lose_the_witness, {"unwitnessed"}),
    (runs.lose_a_begin, {"torn", "unwitnessed"}),
    (runs.lose_an_end, {"torn", "unwitnessed"}),
    (runs.begin_twice, {"double"}),
    (runs.run_again_as_a_retry, {"double"}),
    (runs.run_again_under_the_new_text, {"double", "untiled"}),
    (runs.begin_before_the_slot, {"early"}),
    (runs.begin_before_the_start, {"early"}),
    (runs.start_before_the_slot, {"early"}),
    (runs.begin_long_after_the_slot, {"late"}),
    (runs.run_what_was_switched_off, {"unexpected", "untiled"}),
    (runs.run_without_a_row, {"unexpected"}),
    (runs.run_under_a_text_that_was_over, {"stale", "untiled"}),
    (runs.run_another_text, {"unexpected", "untiled"}),
    (runs.say_misfire, {"unjustified"}),
    (runs.say_nothing, {"unjustified"}),
    (runs.name_no_blocker, {"unjustified"}),
    (runs.name_a_blocker_that_was_done, {"unjustified"}),
    (runs.skip_after_the_blocker_was_closed, {"unjustified"}),
    (runs.back_off_without_a_failure, {"unjustified"}),
    (runs.back_off_too_long, {"unjustified"}),
    (runs.cancel_a_slot, {"unjustified"}),
    (runs.miss_fire_while_nobody_held_the_task, {"unjustified"}),
    (runs.let_the_dead_live, {"false death", "torn", "unjustified", "double", "invalid"}),
    (runs.kill_after_the_run, {"false death", "torn", "unjustified", "double"}),
    (runs.bury_too_late, {"unclosed"}),
    (runs.bury_nobody, {"unclosed"}),
    (runs.retry_nothing, {"no retry"}),
    (runs.retry_what_never_ran, {"unexpected"}),
    (runs.retry_under_a_text_that_was_over, {"stale"}),
    (runs.forget_a_finish, {"dropped"}),
    (runs.fail_unseen, {"torn", "unclosed"}),
    (runs.hand_back_what_began, {"torn"}),
    (books.name_a_row_wrong, {"misnamed"}),
    (books.keep_another_text, {"misnamed"}),
    (books.tell_another_slot, {"misnamed"}),
    (books.forget_an_act, {"unaccounted", "invalid"}),
    (books.forget_the_last_act, {"unaccounted", "invalid"}),
    (books.act_by_itself, {"unaccounted", "invalid"}),
    (books.act_at_another_time, {"unaccounted", "invalid"}),
    (books.define_another_rule, {"unaccounted"}),
    (books.leave_the_switch, {"unaccounted", "invalid"}),
    (books.resume_too_late, {"untiled"}),
    (books.cover_less, {"untiled"}),
    (books.cover_nothing, {"untiled"}),
    (books.pass_over_in_silence, {"missing", "untiled"}),
    (books.pass_over_what_is_none, {"untiled"}),
    (books.pass_over_another, {"missing", "untiled"}),
    (books.leave_nothing_open, {"gap"}),
    (books.end_nothing, {"gap"}),
    (books.open_two, {"gap"}),
    (books.open_under_an_old_text, {"gap", "misnamed", "untiled"}),
    (books.see_a_gap, {"gap"}),
    (books.repair, {"repaired"}),
    (books.close_no_pass, {"mute"}),
    (books.lose_a_tenant, {"mute"}),
    (books.two_dispositions, {"double", "untiled"}),
    (books.kill_nobody, {"invalid"}),
    (books.look_nowhere, {"invalid"}),
    (books.sweep_nothing, {"invalid"}),
    (books.do_nothing, {"invalid"}),
]


@pytest.mark.parametrize(("mutant", "verdicts"), MUTANTS, ids=[m.__name__ for m, _ in MUTANTS])
def test_each_flaw_is_found_under_its_name(mutant: Mutant, verdicts: set[str]) -> None:
    history = good()
    mutant(history)
    found = judged(history)
    assert found.verdicts == verdicts, report(history, found)


def test_each_verdict_has_a_mutant() -> None:
    assert set().union(*(verdicts for _, verdicts in MUTANTS)) == VERDICTS.keys()


def test_a_history_is_judged_the_same_from_its_file(tmp_path: Path) -> None:
    history = good()
    save(history, tmp_path / "history.gz")
    again = load(tmp_path / "history.gz")
    assert again == history
    assert judged(again).counts == judged(history).counts


def test_what_an_open_act_takes_away_may_have_run_or_not() -> None:
    """The slot at 20 of `switched` lies inside its disable: it is excused either way, and never twice."""
    history = good()
    assert judged(history).findings == []
    row = row_of(history, "switched", 16)
    again(history, row, due=at(20), after=at(16), started=at(20.01), closed=at(20.03))
    assert judged(history).findings == []
    again(history, row, due=at(20), wake="retry:1", lane="retry:1@20", after=None, started=at(20.1))
    assert judged(history).verdicts == {"double"}


def test_no_slot_before_the_act_began_is_excused() -> None:
    history = good()
    (window,) = [w for w in history.windows if w.what == "disable"]
    history.windows[history.windows.index(window)] = replace(window, begin=at(20.4))
    assert judged(history).verdicts == {"missing"}
