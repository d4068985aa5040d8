"""`ledger preview`: the screen, its JSON, and bad input with a caret; no database is asked."""

from __future__ import annotations

import pytest

from tests.commanding import Shell

# Whoever asked this database would learn that nobody listens there.
NOWHERE = "postgresql://127.0.0.1:1/nobody"
NEW_YORK = ("--zone", "America/New_York", "--from", "2027-03-13", "--count", "3")


def shell() -> Shell:
    return Shell(NOWHERE)


def test_the_screen() -> None:
    said = shell().does("preview", "30 2 * * *", *NEW_YORK).out
    assert said == (
        "schedule  30 2 * * *\n"
        "zone      America/New_York\n"
        "in words  at 02:30, every day\n"
        "\n"
        "local                 offset    UTC                note\n"
        "--------------------  --------  -----------------  "
        "--------------------------------------------------------------------\n"
        "Sat 2027-03-13 02:30  -05:00    2027-03-13 07:30Z\n"
        "Sun 2027-03-14 03:00  -04:00    2027-03-14 07:00Z  "
        "moved: 02:30 does not exist that day (clocks go from 02:00 to 03:00)\n"
        "Mon 2027-03-15 02:30  -04:00    2027-03-15 06:30Z\n"
    )


def test_as_json() -> None:
    said = shell().does("preview", "30 2 * * *", *NEW_YORK, "--json").json
    assert said["schedule"] == {"cron": "30 2 * * *", "timezone": "America/New_York"}
    assert (said["words"], said["cautions"], said["ended"]) == ("at 02:30, every day", [], False)
    assert said["from"] == "2027-03-13T05:00:00.000000Z"
    assert said["rows"][1] == {
        "slot": "2027-03-14T07:00:00.000000Z",
        "local": "2027-03-14T03:00:00",
        "timezone": "America/New_York",
        "weekday": "Sunday",
        "offset": "-04:00",
        "remarks": ["moved: 02:30 does not exist that day (clocks go from 02:00 to 03:00)"],
    }


@pytest.mark.parametrize(
    ("schedule", "slots"),
    [
        ("every 15m", ["2027-03-13T00:00:00", "2027-03-13T00:15:00"]),
        ("every 43200", ["2027-03-13T00:00:00", "2027-03-13T12:00:00"]),
        ("at 2027-12-24T18:00:00+01:00", ["2027-12-24T17:00:00"]),
        ("@daily", ["2027-03-13T00:00:00", "2027-03-14T00:00:00"]),
        (
            '{"every_s": "12h", "anchor": "2027-03-13T06:00:00Z"}',
            ["2027-03-13T06:00:00", "2027-03-13T18:00:00"],
        ),
        ("{cron: 0 9 * * MON-FRI, exclude: [{on: 03-15}]}", ["2027-03-16T09:00:00", "2027-03-17T09:00:00"]),
        ("cron: 0 9 * * *\nstarts_at: 2030-01-01T00:00:00Z", ["2030-01-01T09:00:00", "2030-01-02T09:00:00"]),
    ],
)
def test_each_form(schedule: str, slots: list[str]) -> None:
    rows = shell().does("preview", schedule, "--from", "2027-03-13", "--count", "2", "--json").rows
    assert [row["slot"] for row in rows] == [f"{slot}.000000Z" for slot in slots]


def test_where_it_begins() -> None:
    def first(when: str) -> object:
        zone = ("--zone", "Europe/Paris", "--count", "1", "--json")
        return shell().does("preview", "0 9 * * *", "--from", when, *zone).rows[0]["slot"]

    assert first("2027-03-28T09:00") == "2027-03-28T07:00:00.000000Z"
    assert first("2027-03-28 09:01") == "2027-03-29T07:00:00.000000Z"
    assert first("2027-03-28T07:00:00Z") == "2027-03-28T07:00:00.000000Z"
    assert first("2027-03-28T07:00:01Z") == "2027-03-29T07:00:00.000000Z"
    assert shell().does("preview", "0 9 * * *", "--count", "1", "--json").rows[0]["slot"] > "2026-"


def test_it_shows_back_what_would_be_stored() -> None:
    assert shell().does("preview", "every 15m", "--json").json["schedule"] == {"every_s": 900}
    assert shell().does("preview", " 0  9 * * mon ").out.startswith("schedule  0 9 * * MON\n")
    plain = shell().does("preview", "{cron: '0 9 * * *', timezone: UTC, exclude: []}", "--json").json
    assert plain["schedule"] == {"cron": "0 9 * * *"}


def test_cautions_go_to_stderr() -> None:
    said = shell()("preview", "*/7 9 * * *", "--count", "1")
    assert said.code == 0
    assert said.err == (
        "ledger: warning: */7 does not tile the minutes: "
        "after minute 56 comes minute 0, 4 minutes later, not 7\n"
    )


def test_a_series_that_is_over_is_said() -> None:
    said = shell().does("preview", "at 2020-01-01T00:00:00Z", "--from", "2027-03-13")
    assert said.out.endswith("\n\nno slot from 2027-03-13 00:00:00Z on\n")
    said = shell().does("preview", "at 2030-01-01T00:00:00Z", "--from", "2027-03-13")
    assert said.out.endswith("\nno slot comes after that\n")


@pytest.mark.parametrize(
    ("schedule", "line", "place"),
    [
        ("0 25 * * *", "hour: 25 is out of range; it goes from 0 to 23", "  0 25 * * *\n    ^\n"),
        ("0 9 * *", "a cron text has five fields", "  0 9 * *\n         ^\n"),
        ("0 0 30 2 *", "no date of the years 2000 to 2199 fits", "  0 0 30 2 *\n      ^\n"),
        ("0 0 9 * * *", "six fields are taken only with seconds: true", "  0 0 9 * * *\n            ^\n"),
        ("{cron: '61 * * * * *', seconds: true}", "second: 61 is out", "  61 * * * * *\n  ^\n"),
        ("", "the cron text is empty; write five fields", "  \n  ^\n"),
    ],
)
def test_a_cron_text_is_refused_at_its_place(schedule: str, line: str, place: str) -> None:
    said = shell()("preview", schedule)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"ledger: schedule.cron: {line}"), said.err
    assert said.err.endswith(place)
    assert said.err.count("\n") == 1 + place.count("\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("0 9 * * *", "--zone", "Europe/Pari"), "schedule.timezone: 'Europe/Pari' is no zone"),
        (("every 0",), "schedule.every_s: must be a whole number of seconds from 1"),
        (("every often",), "schedule.every_s: 'often' is no duration"),
        (("at noon",), "schedule.at: 'noon' is no timestamp"),
        (("{cron: 0 9 * * *, at: x}",), "schedule: must have exactly one of"),
        (("{cron: 0 9 * * *, cronn: x}",), "schedule.cronn: is no member here"),
        (("{cron: [",), "schedule: not YAML at line 1"),
        (("{a, b",), "schedule: not YAML at line 1"),
        (
            ("{timezone: UTC, cron: 0 9 * * *}", "--zone", "Europe/Paris"),
            "--zone Europe/Paris: the schedule says",
        ),
        (("0 9 * * *", "--from", "soon"), "--from 'soon' is no time; write 2027-03-13"),
        (("0 9 * * *", "--from", "2027-02-30"), "--from '2027-02-30' does not exist: day is out of range"),
        (("0 9 * * *", "--from", "2027-02-30T09:00:00Z"), "--from '2027-02-30T09:00:00Z' does not exist"),
        (("0 9 * * *", "--from", "2027-03-13T25:00"), "--from '2027-03-13T25:00' does not exist: hour must"),
        (("0 9 * * *", "--from", "0001-01-01", "--zone", "Asia/Tokyo"), "--from '0001-01-01' lies outside"),
        (("0 9 * * *", "--from", "0001-01-01T00:00:00Z"), "--from '0001-01-01T00:00:00Z' lies outside the"),
        (
            ("0 9 * * *", "--from", "9999-12-31T23:59", "--zone", "America/New_York"),
            "--from '9999-12-31T23:59' lies outside the years 1970 to 9999",
        ),
        (("every 15m", "--from", "1969-12-31"), "--from '1969-12-31' lies outside the years 1970 to 9999"),
        (("0 9 * * *", "--count", "0"), "--count 0: write 1 to 1000"),
        (("0 9 * * *", "--count", "1001"), "--count 1001: write 1 to 1000"),
        (("{any: " + "[" * 3_000 + "]" * 3_000 + "}",), "schedule: is nested too deeply to be read"),
        (("RRULE:FREQ=DAILY",), "schedule.start: is missing; an rrule needs"),
        ((), "Missing argument 'SCHEDULE'"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], line: str) -> None:
    assert shell().refuses("preview", *arguments, code=2).startswith(line)


@pytest.mark.parametrize(
    ("schedule", "line"),
    [
        ('{cron: "0 9 * * *", spread_s: 86400}', "schedule.spread_s: 86400 s is not shorter than the gap"),
        ("{every_s: 60, spread_s: 60}", "schedule.spread_s: 60 s is not shorter than the gap"),
        ('{cron: "0 9 25 12 *", exclude: [{on: "12-25"}]}', "schedule.exclude: leaves no slot, ever"),
        (
            '{rrule: "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", start: "2026-12-01T00:00:00"}',
            "schedule.rrule: gives no slot, ever",
        ),
        ("at 2200-01-01T00:00:00Z", "schedule.at: gives no slot, ever"),
    ],
)
def test_what_a_definition_may_not_have_is_not_shown_as_good(schedule: str, line: str) -> None:
    assert shell().refuses("preview", schedule, code=2).startswith(line)


def test_the_edges_of_time_are_shown() -> None:
    first = shell().does("preview", "every 1h", "--from", "1970-01-01", "--count", "1", "--json").rows[0]
    assert first["slot"] == "1970-01-01T00:00:00.000000Z"
    assert "no slot from" in shell().does("preview", "0 9 * * *", "--from", "9999-12-31T23:59:59Z").out


def test_a_refused_text_is_shown_as_it_was_written() -> None:
    assert shell()("preview", "a b c d e").err.endswith("\n  a b c d e\n  ^\n")
    assert shell()("preview", " 0  9 * *  mom").err.endswith("\n  0 9 * * mom\n          ^\n")
    said = shell()("preview", "@every 5m").err
    assert said.startswith("ledger: schedule.cron: '@every 5m' is no alias")
    assert said.endswith("\n  @every 5m\n  ^\n")
    said = shell()("preview", "\u0660 0 * * *").err
    assert "is not ASCII; write a cron text in ASCII" in said


def test_each_rule_of_a_union_is_shown_in_its_own_zone() -> None:
    both = "{any: [{cron: 0 0 * * *, timezone: Europe/Paris}, {cron: 0 0 * * *, timezone: America/New_York}]}"
    said = shell().does("preview", both, "--from", "2027-01-10", "--count", "2").out
    assert said == (
        f"schedule  {said.splitlines()[0][10:]}\n"
        "zone      Europe/Paris and America/New_York\n"
        "in words  whichever comes: at 00:00, every day (Europe/Paris); or at 00:00, every day "
        "(America/New_York)\n"
        "\n"
        "local                 offset    UTC                zone\n"
        "--------------------  --------  -----------------  ----------------\n"
        "Sun 2027-01-10 00:00  -05:00    2027-01-10 05:00Z  America/New_York\n"
        "Mon 2027-01-11 00:00  +01:00    2027-01-10 23:00Z  Europe/Paris\n"
    )
    rows = shell().does("preview", both, "--from", "2027-01-10", "--count", "2", "--json").rows
    assert [row["timezone"] for row in rows] == ["America/New_York", "Europe/Paris"]
