"""The grammar of cron text, dialect 1: what it refuses, where in the text, and at what cost."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.authored.cron import CronRefused, CronText, read_cron
from tests import hostile_texts
from tests.counting import lines_run


def refusal(text: str, *, seconds: bool = False) -> CronRefused:
    with pytest.raises(CronRefused) as refused:
        read_cron(text, seconds=seconds)
    return refused.value


def tried(text: str, *, seconds: bool) -> CronText | CronRefused:
    try:
        return read_cron(text, seconds=seconds)
    except CronRefused as error:
        return error


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "empty"),
        (" \t\r\n ", 0, "empty"),
        ("0 9 * *", 7, "five fields"),
        ("0 9", 3, "five fields"),
        ("0 9 * * * *", 10, "seconds: true"),
        ("0 9 * * * * 2026", 10, "seven fields"),
        ("* * * * * * * *", 10, "five fields"),
        ("60 * * * *", 0, "0 to 59"),
        ("0 24 * * *", 2, "0 to 23"),
        ("0 0 0 * *", 4, "1 to 31"),
        ("0 0 1,32 * *", 6, "1 to 31"),
        ("0 0 * 13 *", 6, "1 to 12"),
        ("0 0 * 0 *", 6, "1 to 12"),
        ("0 0 * * 8", 8, "0 to 7"),
        ("0 0 * * 0-8", 8, "0 to 7"),
        ("0000 * * * *", 0, "not an item"),
        ("*/1000 * * * *", 0, "not an item"),
        ("*/0 * * * *", 0, "at least 1"),
        ("1-5/00 * * * *", 0, "at least 1"),
        ("22-4/2 * * * *", 0, "wraps"),
        ("0 0 * * FRI-MON/1", 8, "wraps"),
        ("0 0 * * FRI-SUN/2", 8, "wraps"),
        ("1,,2 * * * *", 2, "missing"),
        ("1, * * * *", 2, "missing"),
        (",1 * * * *", 0, "missing"),
        ("+5 * * * *", 0, "not an item"),
        ("1_0 * * * *", 0, "not an item"),
        ("-5 * * * *", 0, "not an item"),
        ("1-2-3 * * * *", 0, "not an item"),
        ("*-5 * * * *", 0, "not an item"),
        ("1/2/3 * * * *", 0, "not an item"),
        ("**/2 * * * *", 0, "not an item"),
        ("0 0 * MON *", 6, "JAN"),
        ("0 0 * * JAN", 8, "SUN"),
        ("JAN * * * *", 0, "numbers only"),
        ("0 0 * JANUARY *", 6, "not an item"),
        ("? * * * *", 0, "stands alone"),
        ("0 0 1? * *", 4, "stands alone"),
        ("0 0 ?,1 * *", 4, "stands alone"),
        ("0 0 ?/2 * *", 4, "stands alone"),
        ("0 0 * ? *", 6, "stands alone"),
        ("L * * * *", 0, "not an item"),
        ("0 0 * L *", 6, "not an item"),
        ("0 0 * * L", 8, "not an item"),
        ("0 0 * * L5", 8, "not an item"),
        ("0 0 * * 5L-6", 8, "not an item"),
        ("0 0 L/2 * *", 4, "not an item"),
        ("0 0 0W * *", 4, "1 to 28"),
        ("0 0 29W * *", 4, "1 to 28"),
        ("0 0 W * *", 4, "not an item"),
        ("0 0 * * 5W", 8, "not an item"),
        ("0 0 * * 1#0", 8, "1 to 5"),
        ("0 0 * * 1#6", 8, "1 to 5"),
        ("0 0 * * 8#1", 8, "0 to 7"),
        ("0 0 * * XXX#1", 8, "not known"),
        ("0 0 * * 1#", 8, "not an item"),
        ("0 0 1#2 * *", 4, "not an item"),
        ("0 0 L * 1", 4, "other day field"),
        ("0 0 15W * */2", 4, "other day field"),
        ("0 0 1 * 5#2", 8, "other day field"),
        ("0 0 */1 * 5L", 10, "other day field"),
        ("0 0 L * 5#2", 4, "other day field"),
        ("0 0 30 2 *", 4, "no date"),
        ("0 0 31 2,4,6,9,11 ?", 4, "no date"),
        ("0 0 */31 2 3#2", 11, "other day field"),
        # By name: whoever writes these expects them to work.
        ("H * * * *", 0, "H (a hashed"),
        ("0 H(0-5) * * *", 2, "H (a hashed"),
        ("h/15 * * * *", 0, "H (a hashed"),
        ("R * * * *", 0, "R (a random"),
        ("0 R(1-4) * * *", 2, "R (a random"),
        ("0~30 * * * *", 0, "~ (a random"),
        ("~ * * * *", 0, "~ (a random"),
        ("0 0 L-3 * *", 4, "L-n"),
        ("0 0 LW * *", 4, "LW"),
        ("@reboot", 0, "@REBOOT"),
        ("@fortnightly", 0, "no alias"),
        ("@daily 5", 0, "no alias"),
        ("TZ=UTC 0 9 * * *", 0, "timezone"),
        ("CRON_TZ=Europe/Paris 0 9 * * *", 0, "timezone"),
        # What is not ASCII, or only looks like a blank.
        ("0\n9 * * *", 1, "spaces"),
        ("0\r9 * * *", 1, "spaces"),
        ("0\v9 * * *", 1, "spaces"),
        ("0\x1c9 * * *", 1, "spaces"),
        ("\x00 9 * * *", 0, "spaces"),
        ("0\xa09 * * *", 1, "not ASCII"),
        ("0 9 * * *\xa0", 9, "not ASCII"),
        ("٠ 9 * * *", 0, "not ASCII"),
        ("0 9 * * ſun", 8, "not ASCII"),
    ],
)
def test_what_the_dialect_does_not_take_is_refused_at_its_place(text: str, position: int, says: str) -> None:
    error = refusal(text)
    assert says in error.message
    assert error.position == position
    assert "\n" not in error.message


def test_a_caret_shows_the_place() -> None:
    assert refusal("  0 0  32 * mon").shown() == "0 0 32 * mon\n    ^"
    assert refusal("0\x009 * * *").shown() == "0?9 * * *\n ^"
    long = refusal(f"{','.join(['0'] * 60)},99 * * * *").shown()
    line, caret = long.split("\n")
    assert line[len(caret) - 1 :].startswith("99 * * * *")
    assert len(line) <= 80


def test_with_seconds_five_fields_and_aliases_are_refused() -> None:
    assert "six fields" in refusal("0 9 * * *", seconds=True).message
    assert "six fields" in refusal("@daily", seconds=True).message
    assert "seven fields" in refusal("0 0 9 * * * 2026", seconds=True).message


def test_the_length_is_that_of_the_folded_text() -> None:
    fits = f"{','.join(['0'] * 124)} 9 * * *"
    assert len(fits) == 255
    assert read_cron(f"{fits} \n").text == fits
    assert read_cron(fits.replace(" ", " \t ") + " " * 1000).text == fits
    longest = f"0{fits}"
    assert len(longest) == 256
    assert read_cron(longest).text == longest
    assert "longer than 256" in refusal(f"0{longest}").message
    assert "longer than 256" in refusal("*" * 257).message


@pytest.mark.parametrize("text", hostile_texts.CRON.values(), ids=hostile_texts.CRON.keys())
@pytest.mark.parametrize("seconds", [False, True])
def test_hostile_text_costs_little_whatever_its_length(text: str, seconds: bool) -> None:
    """Far under 50 ms: `python -m benchmarks.slots` says how far. Here the work is counted."""
    assert lines_run(lambda: tried(text, seconds=seconds)) < 5_000
    answer = tried(text, seconds=seconds)
    if isinstance(answer, CronRefused):
        assert len(answer.message) < 500
        assert len(answer.shown()) < 200


_SIGNS = st.sampled_from("0123456789*,-/?LW#~HR@=") | st.sampled_from(["MON", "SUN", "JAN", "DEC", " ", "  "])


@given(st.lists(_SIGNS, max_size=30).map("".join), st.booleans())
@example("7-7 7 7 7 7-7", False)
def test_any_text_is_taken_or_refused_and_folding_stands_still(text: str, seconds: bool) -> None:
    cron = tried(text, seconds=seconds)
    if isinstance(cron, CronRefused):
        assert 0 <= cron.position <= len(cron.text)
        return
    assert read_cron(cron.text, seconds=seconds) == cron
    assert read_cron(f"\t{cron.text.lower()}  ", seconds=seconds) == cron
    assert set(cron.text) <= set(string.printable)
