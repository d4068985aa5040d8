"""Flaws in names, acts, tiles and open rows, in what was seen meanwhile, and in how much was done."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.judge.history import History, Spot
from tests.judge.changing import again, change, drop_marks, row_of
from tests.judge.script import at, passed


def name_a_row_wrong(h: History) -> None:
    row = row_of(h, "steady", 20)
    change(h, row, fingerprint=row.fingerprint[:-1] + "0")


def keep_another_text(h: History) -> None:
    text = h.texts[0]
    h.texts[0] = replace(text, canonical=text.canonical.replace("mark", "work"))


def tell_another_slot(h: History) -> None:
    (mark,) = drop_marks(h, row_of(h, "steady", 20), "end")
    h.marks.append(replace(mark, slot=at(22)))


def forget_an_act(h: History) -> None:
    h.acts = [act for act in h.acts if act.what != "enable"]


def forget_the_last_act(h: History) -> None:
    h.acts.remove(max((a for a in h.acts if a.task == "switched"), key=lambda act: act.n))


def act_by_itself(h: History) -> None:
    h.windows = [window for window in h.windows if window.what != "disable"]


def act_at_another_time(h: History) -> None:
    (act,) = [a for a in h.acts if a.what == "enable"]
    h.acts[h.acts.index(act)] = replace(act, at=at(29.5))


def define_another_rule(h: History) -> None:
    (window,) = [w for w in h.windows if w.task == "steady"]
    h.windows[h.windows.index(window)] = replace(window, schedule={"every_s": 4})


def leave_the_switch(h: History) -> None:
    (act,) = [a for a in h.acts if a.what == "disable"]
    h.acts[h.acts.index(act)] = replace(act, enabled=True, resume_after=act.at)


def resume_too_late(h: History) -> None:
    (act,) = [a for a in h.acts if a.what == "enable"]
    h.acts[h.acts.index(act)] = replace(act, resume_after=at(30))


def cover_less(h: History) -> None:
    change(h, row_of(h, "steady", 20), after=at(19))


def cover_nothing(h: History) -> None:
    change(h, row_of(h, "steady", 20), after=None)


def pass_over_in_silence(h: History) -> None:
    change(h, row_of(h, "held", 34), passed=None)


def pass_over_what_is_none(h: History) -> None:
    change(h, row_of(h, "steady", 20), passed=passed([19], "misfire"))


def pass_over_another(h: History) -> None:
    change(h, row_of(h, "held", 34), passed=passed([30], "misfire"))


def leave_nothing_open(h: History) -> None:
    h.rows = [row for row in h.rows if not (row.task == "died" and row.state == "pending")]


def end_nothing(h: History) -> None:
    h.rows = [row for row in h.rows if row.state != "ended"]


def open_two(h: History) -> None:
    row = row_of(h, "died", 76)
    again(h, row, due=at(78), after=at(76))


def open_under_an_old_text(h: History) -> None:
    change(h, row_of(h, "switched", 76), digest=row_of(h, "switched", 16).digest)


def see_a_gap(h: History) -> None:
    h.spots[30] = Spot(at(30), ["t/steady is enabled and has no open row"])


def repair(h: History) -> None:
    change(h, row_of(h, "steady", 20), made_by="repair")


def close_no_pass(h: History) -> None:
    h.passes[2] = replace(h.passes[2], closed=None)


def lose_a_tenant(h: History) -> None:
    h.passes[2] = replace(h.passes[2], expected=2)


def two_dispositions(h: History) -> None:
    row = row_of(h, "steady", 20)
    again(h, row, agent="other")


def kill_nobody(h: History) -> None:
    h.lives = []
    for task in ("died", "slow", "retried"):
        h.rows = [row for row in h.rows if row.task != task]
        h.marks = [mark for mark in h.marks if mark.task != task]
        h.acts = [act for act in h.acts if act.task != task]
        h.windows = [window for window in h.windows if window.task != task]


def look_nowhere(h: History) -> None:
    h.spots = h.spots[:20]


def sweep_nothing(h: History) -> None:
    h.passes = []


def do_nothing(h: History) -> None:
    for name in ("acts", "windows", "texts", "rows", "marks", "lives", "spots", "passes"):
        setattr(h, name, [])
