"""Folding schedules: one kind, what goes with it, and the path of what is refused (I19, I20)."""

from __future__ import annotations

import pytest

from ledger.authored.fold import fold
from ledger.errors import TaskRefused

EVERY = {"every_s": 60}
CRON = {"cron": "0 9 * * MON"}
AT = {"at": "2026-11-30T09:00:00.000000Z"}
RRULE = {"rrule": "RRULE:FREQ=DAILY", "start": "2026-11-30T09:00:00"}
ANY = {"any": [EVERY]}
KINDS: list[dict[str, object]] = [EVERY, CRON, AT, RRULE, ANY]


def folded(schedule: object) -> object:
    return fold({"entrypoint": "x", "schedule": schedule}).authored["schedule"]


def refused(schedule: object) -> str:
    with pytest.raises(TaskRefused) as caught:
        fold({"entrypoint": "x", "schedule": schedule})
    path = caught.value.path
    assert path == "schedule" or path.startswith("schedule.")
    return path.removeprefix("schedule").removeprefix(".")


def message(schedule: object) -> str:
    with pytest.raises(TaskRefused) as caught:
        fold({"entrypoint": "x", "schedule": schedule})
    return str(caught.value)


@pytest.mark.parametrize("schedule", KINDS)
def test_each_kind_stands_alone_and_its_defaults_change_nothing(schedule: dict[str, object]) -> None:
    assert folded(schedule) == schedule
    defaults = {
        "dialect": 1.0,
        "seconds": False,
        "anchor": "1970-01-01 01:00:00+01:00",
        "timezone": "UTC",
        "dst": {"gap": "shift", "overlap": "first"},
        "starts_at": None,
        "ends_at": None,
        "exclude": [],
        "spread_s": 0,
    }
    assert folded({**defaults, **schedule}) == schedule
    assert folded({**schedule, "dst": {}}) == schedule
    assert folded({**schedule, "dst": {"gap": None, "overlap": None}}) == schedule
    kinds = dict.fromkeys(("cron", "every_s", "at", "rrule", "any", "start"))
    assert folded({**kinds, **defaults, **schedule}) == schedule


@pytest.mark.parametrize("schedule", [None, 7, "0 9 * * *", [], True])
def test_a_schedule_is_an_object(schedule: object) -> None:
    assert refused(schedule) == ""


def test_a_schedule_has_exactly_one_kind() -> None:
    assert refused({}) == ""
    assert refused({"timezone": "no such zone"}) == ""
    assert refused({"start": "2026-11-30T09:00:00"}) == ""
    assert refused({"cron": None}) == ""
    for one in KINDS:
        for other in KINDS:
            if one is not other:
                assert refused({**one, **other}) == ""
    # Neither kind is looked at before there is one of them; an unknown member comes before that.
    assert refused({"cron": 7, "every_s": "x"}) == ""
    assert refused({"cron": 7, "every_s": "x", "unknown": None}) == "unknown"


WALL = {"cron", "rrule"}


@pytest.mark.parametrize(
    ("member", "value", "kinds"),
    [
        ("seconds", True, {"cron"}),
        ("anchor", "2026-01-01T00:00:00.000000Z", {"every_s"}),
        ("start", "2026-11-30T09:00:00", {"rrule"}),
        ("dst", {"gap": "skip"}, WALL),
        ("dst", {"overlap": "both"}, WALL),
        ("timezone", "Europe/Paris", {"cron", "every_s", "at", "rrule", "any"}),
        ("starts_at", "2026-01-01T00:00:00.000000Z", {"cron", "every_s", "at", "rrule", "any"}),
        ("ends_at", "2026-01-01T00:00:00.000000Z", {"cron", "every_s", "at", "rrule", "any"}),
        ("exclude", [{"on": "12-25"}], {"cron", "every_s", "at", "rrule", "any"}),
        ("spread_s", 86_400, {"cron", "every_s", "at", "rrule", "any"}),
    ],
)
def test_a_given_member_goes_with_its_kinds(member: str, value: object, kinds: set[str]) -> None:
    for schedule in KINDS:
        kind = next(iter(schedule))
        given = {**schedule, member: value}
        if member == "seconds" and kind == "cron":
            given["cron"] = "0 0 9 * * MON"
        if kind in kinds:
            assert folded(given) == given
        else:
            assert refused(given) == member


def test_a_member_of_another_kind_is_first_judged_by_its_form() -> None:
    assert refused({**EVERY, "dst": {"gap": "leap"}}) == "dst.gap"
    assert refused({**EVERY, "dst": {"gaps": "shift"}}) == "dst.gaps"
    assert refused({**EVERY, "dst": "skip"}) == "dst"
    assert refused({**EVERY, "seconds": "no"}) == "seconds"
    assert "must be true or false" in message({**EVERY, "seconds": 1})
    assert "goes with cron, not with every_s" in message({**EVERY, "seconds": True})


@pytest.mark.parametrize(
    ("member", "base", "values"),
    [
        ("dialect", EVERY, [0, 2, "1", True, 1.5]),
        ("seconds", CRON, ["true", 1, 0, [], {}]),
        ("cron", {}, [7, [], {}, "", "0 9 * *", "0 9 * * * *", "0 0 30 2 *", "@reboot", "H * * * *"]),
        ("every_s", {}, ["60", "15m", 0, -60, 31_622_401, 0.5, True, [60]]),
        ("anchor", EVERY, [7, "", "1969-12-31T23:59:59Z", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"]),
        ("at", {}, [7, "", "tomorrow", "1969-12-31T23:59:59Z", "2026-01-01", "2026-01-01T00:00:00.0000001Z"]),
        ("rrule", {"start": "2026-11-30T09:00:00"}, [7, [], "", "FREQ=DAILY", "RRULE:FREQ=HOURLY"]),
        ("start", {"rrule": "RRULE:FREQ=DAILY"}, [
            None, 7, "", "2026-11-30", "2026-11-30T09:00", "2026-11-30 09:00:00", "2026-11-30t09:00:00",
            "2026-11-30T09:00:00Z", "2026-11-30T09:00:00.0", "2026-11-30T24:00:00", "2026-11-30T23:59:60",
            "2026-02-29T09:00:00", "1969-12-31T23:59:59", "9999-01-01T00:00:00", "2026-11-30T09:00:00\n",
        ]),
        ("any", {}, [7, {}, [], [EVERY] * 17, "x"]),
        ("timezone", CRON, [7, "", "utc", "europe/paris", "Europe/Paris ", "+01:00", "posix/UTC", "../UTC"]),
        ("dst", CRON, [7, "skip", []]),
        ("dst.gap", CRON, ["Shift", "first", 7, []]),
        ("dst.overlap", RRULE, ["shift", "Both", True]),
        ("starts_at", EVERY, [7, "2026-01-01T00:00:00", "1969-12-31T23:59:59Z"]),
        ("ends_at", EVERY, [7, "2026-01-01T00:00:00", "1969-12-31T23:59:59Z"]),
        ("exclude", EVERY, [7, "12-25", {"on": "12-25"}, [{"on": "12-25"}] * 201]),
        ("spread_s", EVERY, ["60", -1, 86_401, 0.5, True]),
    ],
)  # fmt: skip
def test_a_member_that_does_not_fit_is_refused_at_its_path(
    member: str, base: dict[str, object], values: list[object]
) -> None:
    outer, _, inner = member.partition(".")
    for value in values:
        assert refused({**base, outer: {inner: value} if inner else value}) == member, value


def test_what_is_kept_in_its_normal_form() -> None:
    assert folded({"cron": " \t0  9 \t* * mon\r\n"}) == {"cron": "0 9 * * MON"}
    assert folded({"cron": "@daily"}) == {"cron": "@DAILY"}
    assert folded({"cron": "0 0 9 l * ?", "seconds": True}) == {"cron": "0 0 9 L * ?", "seconds": True}
    assert folded({"every_s": 6e1, "anchor": "2026-01-01T01:00:00+01"}) == {
        "every_s": 60,
        "anchor": "2026-01-01T00:00:00.000000Z",
    }
    assert folded({"every_s": 31_622_400}) == {"every_s": 31_622_400}
    assert folded({"at": "1970-01-01T00:00:00Z"}) == {"at": "1970-01-01T00:00:00.000000Z"}
    for zone in ("Etc/UTC", "Asia/Calcutta", "Europe/Kyiv", "GMT", "America/Argentina/Buenos_Aires"):
        assert folded({**CRON, "timezone": zone}) == {**CRON, "timezone": zone}
    for start in ("1970-01-01T00:00:00", "9998-12-31T23:59:59", "2024-02-29T02:30:00", "2026-03-29T02:30:00"):
        assert folded({**RRULE, "start": start, "timezone": "Europe/Paris"}) == {
            **RRULE,
            "start": start,
            "timezone": "Europe/Paris",
        }
    assert folded({**CRON, "dst": {"gap": "shift", "overlap": "last"}}) == {
        **CRON,
        "dst": {"overlap": "last"},
    }


def test_six_fields_are_read_when_the_member_above_says_so() -> None:
    six = {"cron": "0 0 9 * * MON", "seconds": True}
    assert folded(six) == six
    assert refused({"cron": "0 0 9 * * MON"}) == "cron"
    assert refused({"cron": "0 9 * * MON", "seconds": True}) == "cron"
    assert refused({"cron": "@daily", "seconds": True}) == "cron"


def test_the_end_must_be_later_than_the_start() -> None:
    first, second = "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000001Z"
    assert folded({**EVERY, "starts_at": first, "ends_at": second}) == {
        **EVERY,
        "starts_at": first,
        "ends_at": second,
    }
    assert refused({**EVERY, "starts_at": first, "ends_at": first}) == "ends_at"
    # Compared as instants, not as they are written.
    assert refused({**EVERY, "starts_at": first, "ends_at": "2026-01-01T00:30:00+01:00"}) == "ends_at"
    span = {"from": first, "to": second}
    assert folded({**EVERY, "exclude": [span]}) == {**EVERY, "exclude": [span]}
    assert refused({**EVERY, "exclude": [{"on": "01-01"}, {"from": second, "to": first}]}) == "exclude.1.to"
    assert refused({**EVERY, "exclude": [{"from": first, "to": first}]}) == "exclude.0.to"


@pytest.mark.parametrize(
    "on", ["2026-12-25", "0001-01-01", "9999-12-31", "12-25", "02-29", "2024-02-29", "2000-02-29"]
)
def test_a_day_that_exists_is_excluded(on: str) -> None:
    schedule = {**EVERY, "exclude": [{"on": on}, {"on": on}]}
    assert folded(schedule) == schedule


@pytest.mark.parametrize(
    "on",
    [
        *(
            "",
            "25",
            "12-32",
            "13-01",
            "00-10",
            "10-00",
            "2-29",
            "02-30",
            "04-31",
            "12-25\n",
            "12/25",
            "--12-25",
        ),
        *(
            "2026-02-29",
            "1900-02-29",
            "0000-01-01",
            "26-12-25",
            "2026-12-25T00:00:00Z",
            "20261225",
            1225,
            True,
        ),
    ],
)
def test_a_day_that_does_not_exist_is_refused(on: object) -> None:
    assert refused({**EVERY, "exclude": [{"on": "12-25"}, {"on": on}]}) == "exclude.1.on"


def test_an_exclusion_has_one_of_two_forms() -> None:
    instant = "2026-01-01T00:00:00Z"
    for element in (
        *(
            None,
            7,
            "12-25",
            [],
            {},
            {"on": None},
            {"from": instant},
            {"to": instant},
            {"from": instant, "to": None},
        ),
        *(
            {"on": "12-25", "from": instant},
            {"on": "12-25", "from": instant, "to": instant},
            {"on": 7, "to": 7},
        ),
    ):
        assert refused({**EVERY, "exclude": [element]}) == "exclude.0", element
    assert refused({**EVERY, "exclude": [{"on": "12-25"}, {"until": None, "at": 1}]}) == "exclude.1.at"
    assert refused({**EVERY, "exclude": [{"from": 7, "to": 7}]}) == "exclude.0.from"
    assert refused({**EVERY, "exclude": [{"from": instant, "to": 7}]}) == "exclude.0.to"
    nulls = {"on": "12-25", "from": None, "to": None}
    assert folded({**EVERY, "exclude": [nulls] * 200}) == {**EVERY, "exclude": [{"on": "12-25"}] * 200}


def test_the_elements_of_a_union_are_schedules_of_their_own() -> None:
    elements = [
        {"cron": " 0 9 * * mon ", "timezone": "UTC", "dst": {"gap": "shift"}, "seconds": False, "at": None},
        {"every_s": 60.0, "anchor": "1970-01-01T00:00:00Z"},
        {"at": "2026-11-30T10:00:00+01:00", "timezone": "Europe/Paris"},
        {**RRULE, "dst": {"overlap": "both"}},
    ]
    schedule = {"any": elements, "timezone": "Asia/Tokyo", "spread_s": 5}
    assert folded(schedule) == {
        "any": [
            {"cron": "0 9 * * MON"},
            {"every_s": 60},
            {"at": "2026-11-30T09:00:00.000000Z", "timezone": "Europe/Paris"},
            {**RRULE, "dst": {"overlap": "both"}},
        ],
        "timezone": "Asia/Tokyo",
        "spread_s": 5,
    }
    assert folded({"any": [EVERY] * 16}) == {"any": [EVERY] * 16}


@pytest.mark.parametrize(
    ("element", "path"),
    [
        (None, ""),
        (7, ""),
        ([EVERY], ""),
        ({}, ""),
        ({"timezone": "UTC"}, ""),
        ({**EVERY, **CRON}, ""),
        ({"any": [EVERY]}, "any"),
        ({**EVERY, "any": None}, "any"),
        ({**EVERY, "dialect": 1}, "dialect"),
        ({**EVERY, "exclude": []}, "exclude"),
        ({**EVERY, "starts_at": None}, "starts_at"),
        ({**EVERY, "ends_at": None}, "ends_at"),
        ({**EVERY, "spread_s": 0}, "spread_s"),
        ({"cron": "0 9 * *"}, "cron"),
        ({"cron": "0 0 9 * * *"}, "cron"),
        ({"rrule": "RRULE:FREQ=DAILY"}, "start"),
        ({**EVERY, "start": "2026-11-30T09:00:00"}, "start"),
        ({**AT, "dst": {"gap": "skip"}}, "dst"),
        ({**CRON, "dst": {"gap": "x"}}, "dst.gap"),
        ({**CRON, "timezone": "Mars"}, "timezone"),
    ],
)
def test_an_element_is_refused_at_its_index(element: object, path: str) -> None:
    assert refused({"any": [EVERY, CRON, element, "never reached"]}) == f"any.2{path and '.'}{path}"


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (
            {**CRON, "timezone": "Europe/Pariss"},
            "schedule.timezone: 'Europe/Pariss' is no zone of tzdata 2026.6; did you mean 'Europe/Paris' or "
            "'Europe/Warsaw' or 'Europe/Madrid'?",
        ),
        (
            {"rrule": "RRULE:FREQ=DAILY"},
            "schedule.start: is missing; an rrule needs its first local time, such as 2026-11-30T09:00:00",
        ),
        (
            {**CRON, **EVERY},
            "schedule: must have exactly one of cron, every_s, at, rrule, any; it has cron and every_s",
        ),
        ({"every": 60}, "schedule.every: is no member here; did you mean 'every_s'?"),
        ({**EVERY, "tz": "UTC"}, "schedule.tz: is no member here"),
    ],
)
def test_a_refusal_names_the_member_and_the_right_form(schedule: object, text: str) -> None:
    assert message(schedule) == text
