"""The members of a schedule, of the elements of `any` and of `exclude`, with right and wrong values."""

from __future__ import annotations

from conformance.making import crons, dues, rules
from conformance.making import samples as s
from conformance.making.members import Member
from conformance.making.wire import Raw

_DST: tuple[object, ...] = ({}, {"gap": None}, {"gap": "shift", "overlap": "first"})
_DST_SAYS = {"gap": "skip", "overlap": "both"}
_GAP = s.choice("shift", "skip")
_OVERLAP = s.choice("first", "last", "both")
_NO_SCHEDULE: tuple[object, ...] = (
    *s.NOT_OBJECT,
    {},
    {"timezone": "UTC"},
    {"cron": None},
    {"kind": "cron"},
    None,
)
_CRONS = ((*crons.GOOD, *crons.LONG_GOOD), (*crons.BAD, *crons.LONG_BAD, *s.NOT_TEXT))
_RULES = ((*rules.GOOD, *rules.LONG_GOOD), (*rules.BAD, *rules.LONG_BAD, *s.NOT_TEXT))
_SOME_ZONES = ("UTC", "Europe/Paris", *s.ZONES[:: len(s.ZONES) // 24])

SCHEDULE_MEMBERS = (
    Member("schedule", (), _NO_SCHEDULE, s.EVERY),
    Member("schedule.dialect", (1, Raw("1.0"), Raw("10e-1")), (0, 2, -1, *s.NOT_WHOLE), s.CRON),
    Member("schedule.seconds", (True,), (0, 1, "true", "", [], {}, None), s.SIX),
    Member("schedule.seconds", (False,), (True,), s.CRON),
    Member("schedule.seconds", (False,), (True, "x"), s.EVERY),
    Member("schedule.cron", *_CRONS, s.CRON, crons.at_random),
    Member("schedule.cron", crons.GOOD_SECONDS, crons.BAD_SECONDS, s.SIX, crons.with_seconds),
    Member("schedule.every_s", *s.whole(1, 31_622_400), s.EVERY, s.number_in(1, 31_622_400)),
    Member("schedule.anchor", ("1970-01-01T01:00:00+01:00", *s.TIMES), s.NOT_TIMES, s.EVERY, dues.valid),
    Member("schedule.anchor", ("1970-01-01T00:00:00Z",), ("1970-01-01T00:00:01Z", "x"), s.CRON),
    Member("schedule.at", s.TIMES, s.NOT_TIMES, s.BARE, dues.valid),
    Member("schedule.rrule", *_RULES, s.RULE, rules.at_random),
    Member("schedule.start", s.LOCAL, (*s.NOT_LOCAL, None), s.RULE),
    Member("schedule.start", (None,), ("2026-11-30T09:00:00", "x", ""), s.CRON),
    Member("schedule.timezone", _SOME_ZONES, s.NOT_ZONES, s.CRON, s.zone),
    Member("schedule.timezone", ("UTC", "Asia/Kathmandu"), ("Nepal",), s.AT),
    Member("schedule.dst", (*_DST, _DST_SAYS), (*s.NOT_OBJECT, {"x": 1}), s.RULE),
    Member("schedule.dst", _DST, (_DST_SAYS, {"gap": "x"}, {"x": 1}, "x"), s.EVERY),
    Member("schedule.dst", _DST, (_DST_SAYS,), s.ANY),
    Member("schedule.dst.gap", *_GAP, s.CRON),
    Member("schedule.dst.overlap", *_OVERLAP, s.CRON),
    Member("schedule.starts_at", s.TIMES, s.NOT_TIMES, s.EVERY, dues.valid),
    Member("schedule.ends_at", s.TIMES, s.NOT_TIMES, s.CRON, dues.valid),
    Member("schedule.spread_s", *s.whole(0, 86_400, 0), s.EVERY, s.number_in(0, 86_400)),
)

_ELEMENT: dict[str, object] = {"entrypoint": "e", "schedule": {"any": [{"every_s": 60}, {}]}}
_SIXTEEN = [{"every_s": n} for n in range(1, 17)]
_NO_ELEMENT: tuple[object, ...] = (
    *(None, *s.NOT_OBJECT, {}, {"any": []}, {"every_s": 1, "at": s.TIMES[0]}, {"dialect": 1, "every_s": 1}),
    *({"spread_s": 0, "every_s": 1}, {"exclude": [], "every_s": 1}, {"starts_at": None, "every_s": 1}),
)
ANY_MEMBERS = (
    Member("schedule.any", ([{"every_s": 1}], _SIXTEEN), ([], "x", {}, 7, [{}, *_SIXTEEN]), s.BARE),
    Member("schedule.any.1", ({"at": s.TIMES[0]}, {"cron": "@daily", "timezone": None}), _NO_ELEMENT, s.ANY),
    Member("schedule.any.1.cron", crons.GOOD[::9], crons.BAD[::17], _ELEMENT, crons.at_random),
    Member("schedule.any.1.every_s", *s.whole(1, 31_622_400), _ELEMENT),
    Member("schedule.any.1.at", s.TIMES, s.NOT_TIMES[:6], _ELEMENT, dues.valid),
    Member("schedule.any.1.seconds", (False,), (True, "x"), s.ANY),
    Member("schedule.any.1.timezone", ("UTC", "Europe/Paris"), ("utc", "", 7), s.ANY),
    Member("schedule.any.0.anchor", s.TIMES, s.NOT_TIMES[:6], s.ANY, dues.valid),
    Member("schedule.any.1.anchor", ("1970-01-01T00:00:00Z",), s.TIMES[:2], s.ANY),
    Member("schedule.any.1.dst", (*_DST, _DST_SAYS), ({"x": 1}, []), s.ANY),
    Member("schedule.any.0.dst", _DST, (_DST_SAYS,), s.ANY),
    Member("schedule.any.1.dst.gap", *_GAP, s.ANY),
    Member("schedule.any.1.rrule", (), rules.GOOD[:2], _ELEMENT),
)

_ON: dict[str, object] = s.excluding({"on": "12-25"}, {"on": "01-01"})
_SPAN: dict[str, object] = s.excluding({"from": "2026-11-30T09:00:00Z", "to": "2030-01-01T00:00:00Z"})
_TWO_HUNDRED = [{"on": "12-25"}] * 200
_NO_EXCLUSION: tuple[object, ...] = (
    *(None, *s.NOT_OBJECT, {}, {"on": None}, {"from": s.TIMES[0]}, {"to": s.TIMES[0]}, {"at": s.TIMES[0]}),
    *({"on": "12-25", "from": s.TIMES[0], "to": s.TIMES[4]}, {"on": "12-25", "to": s.TIMES[4]}),
)
_NOT_LATER = ("2026-11-30T09:00:00Z", "2026-11-30T10:00:00+01:00", "2026-11-30T08:00:00Z")
_NO_EXCLUDE: tuple[object, ...] = ([*_TWO_HUNDRED, {}], "x", {}, 7, True, {"on": "12-25"})
EXCLUDE_MEMBERS = (
    Member("schedule.exclude", ([], _TWO_HUNDRED, _TWO_HUNDRED[:2]), _NO_EXCLUDE, s.CRON),
    Member("schedule.exclude.1", ({"on": "12-26"}, {"on": "12-26", "to": None}), _NO_EXCLUSION, _ON),
    Member("schedule.exclude.1.on", s.DATES, s.NOT_DATES, _ON),
    Member("schedule.exclude.0.from", ("2026-11-30T09:00:00Z", s.TIMES[2]), s.NOT_TIMES, _SPAN),
    Member("schedule.exclude.0.to", ("2031-01-01 00:00:00+01",), (*s.NOT_TIMES, *_NOT_LATER), _SPAN),
)
