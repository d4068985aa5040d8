"""Flaws in what ran, and in what is said of what did not."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.judge.history import History, Mark
from benchmarks.judge.names import key_of
from tests.judge.changing import again, change, drop, drop_marks, row_of, shift
from tests.judge.script import at


def drop_a_run(h: History) -> None:
    drop(h, row_of(h, "steady", 20))


def drop_the_run_that_an_edit_kept(h: History) -> None:
    drop(h, row_of(h, "edited", 10))


def drop_the_run_before_the_switch(h: History) -> None:
    drop(h, row_of(h, "switched", 16))


def forget_a_skip(h: History) -> None:
    h.rows.remove(row_of(h, "died", 24))


def lose_the_witness(h: History) -> None:
    drop_marks(h, row_of(h, "steady", 20))


def lose_a_begin(h: History) -> None:
    drop_marks(h, row_of(h, "steady", 20), "begin")


def lose_an_end(h: History) -> None:
    drop_marks(h, row_of(h, "steady", 20), "end")


def begin_twice(h: History) -> None:
    row = row_of(h, "steady", 20)
    h.marks.append(Mark("begin", "t", "steady", row.key, row.due, at(20.02), "a-2"))


def run_again_as_a_retry(h: History) -> None:
    row = row_of(h, "steady", 20)
    again(h, row, wake="retry:1", lane="retry:1@slot", after=None, started=at(20.1), closed=at(20.2))


def run_again_under_the_new_text(h: History) -> None:
    row = row_of(h, "edited", 8)
    again(h, row, digest=row_of(h, "edited", 10).digest, started=at(10.02), closed=at(10.05))


def begin_before_the_slot(h: History) -> None:
    shift(h, row_of(h, "steady", 20), "begin", -0.01)


def begin_before_the_start(h: History) -> None:
    shift(h, row_of(h, "steady", 20), "begin", -0.004)


def start_before_the_slot(h: History) -> None:
    row = row_of(h, "steady", 20)
    change(h, row, started=at(19.999))


def begin_long_after_the_slot(h: History) -> None:
    row = row_of(h, "minutely", 60)
    change(h, row, started=at(70.001), closed=at(70.1))
    shift(h, row, "begin", 10.01)
    shift(h, row, "end", 10.01)


def run_what_was_switched_off(h: History) -> None:
    row = row_of(h, "switched", 16)
    again(h, row, due=at(24), started=at(24.01), closed=at(24.02))


def run_without_a_row(h: History) -> None:
    h.marks.append(
        Mark("begin", "t", "steady", "01a2310c-0000-8000-8000-000000000000", at(21), at(21), "b-1")
    )


def run_under_a_text_that_was_over(h: History) -> None:
    row = row_of(h, "edited", 8)
    change(h, row, started=at(10.2))
    shift(h, row, "begin", 2.3)
    shift(h, row, "end", 2.3)


def run_another_text(h: History) -> None:
    row = row_of(h, "edited", 40.5)
    drop(h, row)
    digest = row_of(h, "edited", 8).digest
    other = replace(row, digest=digest)
    key, fingerprint = key_of(other)
    h.rows.append(replace(other, key=key, fingerprint=fingerprint))
    h.marks += [Mark(w, "t", "edited", key, row.due, at(40.55), "b-1") for w in ("begin", "end")]


def say_misfire(h: History) -> None:
    change(h, row_of(h, "died", 24), reason="misfire")


def say_nothing(h: History) -> None:
    change(h, row_of(h, "died", 24), reason=None)


def name_no_blocker(h: History) -> None:
    change(h, row_of(h, "died", 24), blocked_by=None)


def name_a_blocker_that_was_done(h: History) -> None:
    change(h, row_of(h, "died", 24), blocked_by=row_of(h, "died", 18).key)


def skip_after_the_blocker_was_closed(h: History) -> None:
    change(h, row_of(h, "died", 24), closed=at(34.5))


def back_off_without_a_failure(h: History) -> None:
    row = row_of(h, "steady", 20)
    drop_marks(h, row)
    change(h, row, state="skipped", reason="backoff", started=None, incarnation=None)


def back_off_too_long(h: History) -> None:
    row = row_of(h, "slow", 50)
    drop_marks(h, row)
    change(h, row, state="skipped", reason="backoff", started=None, incarnation=None)


def cancel_a_slot(h: History) -> None:
    row = row_of(h, "steady", 20)
    drop_marks(h, row)
    change(h, row, state="cancelled", started=None, incarnation=None)


def miss_fire_while_nobody_held_the_task(h: History) -> None:
    (window,) = [w for w in h.windows if w.task == "held" and w.what == "edit"]
    h.windows[h.windows.index(window)] = replace(window, commit=at(29.96))


def let_the_dead_live(h: History) -> None:
    h.lives = [replace(life, how="stopped") for life in h.lives]


def kill_after_the_run(h: History) -> None:
    h.lives = [replace(life, ended=at(19.9)) if life.name == "a-1" else life for life in h.lives]


def bury_too_late(h: History) -> None:
    change(h, row_of(h, "retried", 20), closed=at(70))


def bury_nobody(h: History) -> None:
    change(h, row_of(h, "retried", 20), state="running", closed=None)


def retry_nothing(h: History) -> None:
    drop(h, row_of(h, "retried", 20, "retry:1"))


def retry_what_never_ran(h: History) -> None:
    drop(h, row_of(h, "retried", 20))


def retry_under_a_text_that_was_over(h: History) -> None:
    row = row_of(h, "retried", 20, "retry:1")
    again(h, row, digest=row_of(h, "retried", 10).digest)
    drop(h, row)


def forget_a_finish(h: History) -> None:
    change(h, row_of(h, "steady", 20), state="timed_out")


def fail_unseen(h: History) -> None:
    row = row_of(h, "steady", 20)
    drop_marks(h, row, "end")
    change(h, row, state="failed")


def hand_back_what_began(h: History) -> None:
    row = row_of(h, "steady", 20)
    change(h, row, state="cancelled", reason="unhanded")
