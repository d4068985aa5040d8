"""Tasks worked by hand: a task as JSON text, and its canonical authored object or the path of the refusal."""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

import json
from collections.abc import Iterator

from tests.conformance.hand.working import Worked, digest_of, entry, refusal

_EVERY = '"entrypoint":"e","schedule":{"every_s":60}'
_FOLDED = '"entrypoint":"e",'


def _cron(text: str) -> str:
    return f'{{"entrypoint":"e","schedule":{{"cron":{json.dumps(text)}}}}}'


def _schedule(members: str) -> str:
    return f'{{"entrypoint":"e","schedule":{{{members}}}}}'


# The canonical text has its members sorted: entrypoint before schedule, both after arguments and agent.
_TAKEN = (
    ("the least that a task can say", "{" + _EVERY + "}", "{" + _EVERY + "}"),
    ("nulls are left out", "{" + _EVERY + ',"name":null,"retry":null,"payload":null}', "{" + _EVERY + "}"),
    (
        "defaults are left out, however they are spelled",
        "{" + _EVERY + ',"name":"","agent":"default","destination":"LOCAL:default","delivery":"PYTHON","timeout_s":9e2}',
        "{" + _EVERY + "}",
    ),
    ("what is left empty is left out", "{" + _EVERY + ',"retry":{"attempts":0,"factor":2.0},"misfire":{}}', "{" + _EVERY + "}"),
    ("nothing equals the default that is left out", "{" + _EVERY + ',"payload":{}}', '{"entrypoint":"e","payload":{},"schedule":{"every_s":60}}'),
    ("a payload of zero stays", "{" + _EVERY + ',"payload":-0.0}', '{"entrypoint":"e","payload":0,"schedule":{"every_s":60}}'),
    ("a grace of sixty stays", "{" + _EVERY + ',"misfire":{"grace_s":60}}', '{"entrypoint":"e","misfire":{"grace_s":60},"schedule":{"every_s":60}}'),
    ("an opaque value is kept whole", "{" + _EVERY + ',"display":{"b":null,"a":[1.0]}}', '{"display":{"a":[1],"b":null},"entrypoint":"e","schedule":{"every_s":60}}'),
    ("outcomes are sorted and said once", "{" + _EVERY + ',"retry":{"on":["lost","failed","lost"]}}', '{"entrypoint":"e","retry":{"on":["failed","lost"]},"schedule":{"every_s":60}}'),
    ("sorted, they are the default", "{" + _EVERY + ',"retry":{"on":["timed_out","failed","failed"]}}', "{" + _EVERY + "}"),
    ("no outcome is not the default", "{" + _EVERY + ',"retry":{"on":[]}}', '{"entrypoint":"e","retry":{"on":[]},"schedule":{"every_s":60}}'),
    ("a moment is folded to UTC", "{" + _EVERY + ',"paused_until":"2026-11-30 10:00:00+01"}', '{"entrypoint":"e","paused_until":"2026-11-30T09:00:00.000000Z","schedule":{"every_s":60}}'),
    ("arguments of a command", "{" + _EVERY + ',"delivery":"Command","arguments":["-v",""]}', '{"arguments":["-v",""],"delivery":"command","entrypoint":"e","schedule":{"every_s":60}}'),
    ("no arguments go with every delivery", "{" + _EVERY + ',"arguments":[]}', "{" + _EVERY + "}"),
    ("an address of http", '{"delivery":"HTTP","entrypoint":"http://x","schedule":{"every_s":60}}', '{"delivery":"http","entrypoint":"http://x","schedule":{"every_s":60}}'),
    ("labels", "{" + _EVERY + ',"labels":{"b":"","a":"\\u00e9"}}', '{"entrypoint":"e","labels":{"a":"\u00e9","b":""},"schedule":{"every_s":60}}'),
    ("min and max may be equal", "{" + _EVERY + ',"min_interval_s":60,"max_interval_s":60.0}', '{"entrypoint":"e","max_interval_s":60,"min_interval_s":60,"schedule":{"every_s":60}}'),
    ("dialect 1 is the default", _schedule('"every_s":60,"dialect":1'), "{" + _EVERY + "}"),
    ("the anchor's default, in another zone", _schedule('"every_s":60,"anchor":"1970-01-01T01:00:00+01:00"'), "{" + _EVERY + "}"),
    ("a default goes with every kind", _schedule('"every_s":60,"seconds":false,"dst":{"gap":"shift"},"exclude":[]'), "{" + _EVERY + "}"),
    ("a kind that is null is none", _schedule('"every_s":60,"cron":null,"at":null,"start":null'), "{" + _EVERY + "}"),
    ("cron text: white space and capitals", _cron(" \t0  9\t* * mon-fri\r\n"), "{" + _FOLDED + '"schedule":{"cron":"0 9 * * MON-FRI"}}'),
    ("an alias is stored in capitals", _cron("@daily"), "{" + _FOLDED + '"schedule":{"cron":"@DAILY"}}'),
    ("zeros in front stay", _cron("007 09 * * *"), "{" + _FOLDED + '"schedule":{"cron":"007 09 * * *"}}'),
    ("a question mark stays", _cron("0 0 ? * ?"), "{" + _FOLDED + '"schedule":{"cron":"0 0 ? * ?"}}'),
    ("a step beyond the field's end", _cron("*/999 * * * *"), "{" + _FOLDED + '"schedule":{"cron":"*/999 * * * *"}}'),
    ("either day field may fit: Mondays in February", _cron("0 0 31 2 MON"), "{" + _FOLDED + '"schedule":{"cron":"0 0 31 2 MON"}}'),
    ("the seventh day of the week is Sunday", _cron("0 0 * * 7-7"), "{" + _FOLDED + '"schedule":{"cron":"0 0 * * 7-7"}}'),
    ("seven at the start of a range is 0, so this one does not wrap", _cron("0 0 * * 7-3/2"), "{" + _FOLDED + '"schedule":{"cron":"0 0 * * 7-3/2"}}'),
    ("the nearest weekday, the nth day, the last", _cron("0 0 1W,L * ?"), "{" + _FOLDED + '"schedule":{"cron":"0 0 1W,L * ?"}}'),
    ("six fields", _schedule('"cron":"*/10 * * * * fri","seconds":true'), "{" + _FOLDED + '"schedule":{"cron":"*/10 * * * * FRI","seconds":true}}'),
    ("an rrule is kept as written", _schedule('"rrule":"RRULE:COUNT=3;FREQ=DAILY","start":"2026-11-30T09:00:00"'), "{" + _FOLDED + '"schedule":{"rrule":"RRULE:COUNT=3;FREQ=DAILY","start":"2026-11-30T09:00:00"}}'),
    ("a numbered day under yearly", _schedule('"rrule":"RRULE:FREQ=YEARLY;BYDAY=-53SU","start":"1970-01-01T00:00:00"'), "{" + _FOLDED + '"schedule":{"rrule":"RRULE:FREQ=YEARLY;BYDAY=-53SU","start":"1970-01-01T00:00:00"}}'),
    ("an element of any is folded like a schedule, and order stays", _schedule('"any":[{"cron":"@daily","timezone":"UTC"},{"at":"1970-01-01 00:00:00z"}]'), "{" + _FOLDED + '"schedule":{"any":[{"cron":"@DAILY"},{"at":"1970-01-01T00:00:00.000000Z"}]}}'),
    ("exclusions keep order and repeats", _schedule('"every_s":60,"exclude":[{"on":"12-25"},{"on":"01-01","to":null},{"on":"12-25"}]'), "{" + _FOLDED + '"schedule":{"every_s":60,"exclude":[{"on":"12-25"},{"on":"01-01"},{"on":"12-25"}]}}'),
    ("a leap day of every leap year", _schedule('"every_s":60,"exclude":[{"on":"02-29"}]'), "{" + _FOLDED + '"schedule":{"every_s":60,"exclude":[{"on":"02-29"}]}}'),
    ("bounds a microsecond apart", _schedule('"every_s":60,"starts_at":"2026-11-30T09:00:00Z","ends_at":"2026-11-30T09:00:00.000001Z"'), "{" + _FOLDED + '"schedule":{"ends_at":"2026-11-30T09:00:00.000001Z","every_s":60,"starts_at":"2026-11-30T09:00:00.000000Z"}}'),
    ("a zone that is a link", _schedule('"every_s":60,"timezone":"US/Eastern"'), "{" + _FOLDED + '"schedule":{"every_s":60,"timezone":"US/Eastern"}}'),
    ("what has no effect is kept", "{" + _EVERY + ',"misfire":{"limit":5},"pause_note":"x"}', '{"entrypoint":"e","misfire":{"limit":5},"pause_note":"x","schedule":{"every_s":60}}'),
)  # fmt: skip

_REFUSED = (
    ("no object", "[]", "task"),
    ("a bad number comes before everything", '{"x":1,"payload":1e30}', "task"),
    ("65 levels", "{" + _EVERY + ',"payload":' + "[" * 64 + "]" * 64 + "}", "task"),
    ("an unknown member, null", "{" + _EVERY + ',"colour":null}', "colour"),
    ("the switch is no member", "{" + _EVERY + ',"enabled":true}', "enabled"),
    ("unknown members by code points", "{" + _EVERY + ',"\U0001f600":1,"\ue000":1}', "\ue000"),
    ("unknown comes before a wrong name", "{" + _EVERY + ',"zz":1,"name":7}', "zz"),
    ("no entrypoint", '{"schedule":{"every_s":60}}', "entrypoint"),
    ("no schedule", '{"entrypoint":"e"}', "schedule"),
    ("the table's order, not the text's", '{"schedule":{},"entrypoint":""}', "entrypoint"),
    ("201 characters", "{" + _EVERY + ',"name":"' + "x" * 201 + '"}', "name"),
    ("U+0000 in a text", "{" + _EVERY + ',"description":"a\\u0000"}', "description"),
    ("a number is no name", "{" + _EVERY + ',"name":7}', "name"),
    ("an agent with a space", "{" + _EVERY + ',"agent":"a b"}', "agent"),
    ("a destination without a colon", "{" + _EVERY + ',"destination":"local"}', "destination"),
    ("an unknown delivery", "{" + _EVERY + ',"delivery":"kafka"}', "delivery"),
    ("http with a name for an address", "{" + _EVERY + ',"delivery":"http"}', "entrypoint"),
    ("capitals in the scheme", '{"delivery":"http","entrypoint":"HTTP://x","schedule":{"every_s":60}}', "entrypoint"),
    ("arguments of a Python handler", "{" + _EVERY + ',"arguments":["x"]}', "arguments"),
    ("null among the arguments", "{" + _EVERY + ',"delivery":"command","arguments":[null]}', "arguments"),
    ("a choice in capitals", "{" + _EVERY + ',"overlap":"SKIP"}', "overlap"),
    ("text is no number", "{" + _EVERY + ',"timeout_s":"60"}', "timeout_s"),
    ("true is no number", "{" + _EVERY + ',"timeout_s":true}', "timeout_s"),
    ("half a second", "{" + _EVERY + ',"timeout_s":0.5}', "timeout_s"),
    ("a week and a second", "{" + _EVERY + ',"timeout_s":604801}', "timeout_s"),
    ("a member of an inner object", "{" + _EVERY + ',"retry":{"factor":11}}', "retry.factor"),
    ("an unknown member of an inner object", "{" + _EVERY + ',"retry":{"factor":11,"x":1}}', "retry.x"),
    ("an outcome that is none fails the array whole", "{" + _EVERY + ',"retry":{"on":["failed","ok"]}}', "retry.on"),
    ("min above max fails at max", "{" + _EVERY + ',"min_interval_s":61,"max_interval_s":60}', "max_interval_s"),
    ("a moment without an offset", "{" + _EVERY + ',"paused_until":"2026-11-30T09:00:00"}', "paused_until"),
    ("a label that is no text fails them whole", "{" + _EVERY + ',"labels":{"a":1}}', "labels"),
    ("no kind", _schedule('"timezone":"UTC"'), "schedule"),
    ("two kinds", _schedule('"every_s":60,"at":"2026-11-30T09:00:00Z"'), "schedule"),
    ("an unknown member comes before two kinds", _schedule('"every_s":60,"at":"x","x":1'), "schedule.x"),
    ("two kinds come before a wrong one", _schedule('"every_s":0,"at":"x","dialect":2'), "schedule"),
    ("dialect 2", _schedule('"every_s":60,"dialect":2'), "schedule.dialect"),
    ("seconds with an interval", _schedule('"every_s":60,"seconds":true'), "schedule.seconds"),
    ("an anchor with cron", _schedule('"cron":"@daily","anchor":"2026-11-30T09:00:00Z"'), "schedule.anchor"),
    ("a rule without its start", _schedule('"rrule":"RRULE:FREQ=DAILY"'), "schedule.start"),
    ("a start with an offset", _schedule('"rrule":"RRULE:FREQ=DAILY","start":"2026-11-30T09:00:00Z"'), "schedule.start"),
    ("dst with an interval fails whole", _schedule('"every_s":60,"dst":{"gap":"skip"}'), "schedule.dst"),
    ("a zone in small letters", _schedule('"every_s":60,"timezone":"europe/paris"'), "schedule.timezone"),
    ("it ends when it starts", _schedule('"every_s":60,"starts_at":"2026-11-30T09:00:00Z","ends_at":"2026-11-30T10:00:00+01"'), "schedule.ends_at"),
    ("an exclusion of both forms", _schedule('"every_s":60,"exclude":[{"on":"12-25","to":"2026-11-30T09:00:00Z"}]'), "schedule.exclude.0"),
    ("null among the exclusions", _schedule('"every_s":60,"exclude":[{"on":"12-25"},null]'), "schedule.exclude.1"),
    ("the 30th of February", _schedule('"every_s":60,"exclude":[{"on":"02-30"}]'), "schedule.exclude.0.on"),
    ("a span that ends when it begins", _schedule('"every_s":60,"exclude":[{"from":"2026-11-30T09:00:00Z","to":"2026-11-30T09:00:00z"}]'), "schedule.exclude.0.to"),
    ("any of nothing", _schedule('"any":[]'), "schedule.any"),
    ("any within any", _schedule('"any":[{"any":[{"every_s":60}]}]'), "schedule.any.0.any"),
    ("a wrong cron in an element", _schedule('"any":[{"every_s":60},{"cron":"x"}]'), "schedule.any.1.cron"),
    ("a spread of a day and a second", _schedule('"every_s":60,"spread_s":86401'), "schedule.spread_s"),
    ("four fields", _cron("0 9 * *"), "schedule.cron"),
    ("six fields without seconds", _cron("0 0 9 * * *"), "schedule.cron"),
    ("a line feed between fields", _cron("0 9\n* * *"), "schedule.cron"),
    ("a no-break space at the end", _cron("0 9 * * *\u00a0"), "schedule.cron"),
    ("minute 60", _cron("60 * * * *"), "schedule.cron"),
    ("a number of four digits", _cron("0000 * * * *"), "schedule.cron"),
    ("a step of nothing", _cron("*/0 * * * *"), "schedule.cron"),
    ("a range that wraps takes no step", _cron("0 0 * * FRI-SUN/2"), "schedule.cron"),
    ("L beside a day of the week", _cron("0 0 L * MON"), "schedule.cron"),
    ("the 29th weekday", _cron("0 0 29W * *"), "schedule.cron"),
    ("the sixth Friday", _cron("0 0 * * 5#6"), "schedule.cron"),
    ("a question mark in the hour", _cron("0 ? * * *"), "schedule.cron"),
    ("H", _cron("H * * * *"), "schedule.cron"),
    ("the 30th of February, and every day of the week", _cron("0 0 30 2 *"), "schedule.cron"),
    ("an alias with seconds", _schedule('"cron":"@daily","seconds":true'), "schedule.cron"),
    ("a rule in small letters", _schedule('"rrule":"RRULE:FREQ=daily","start":"2026-11-30T09:00:00"'), "schedule.rrule"),
    ("COUNT and UNTIL", _schedule('"rrule":"RRULE:FREQ=DAILY;COUNT=1;UNTIL=20261231T000000","start":"2026-11-30T09:00:00"'), "schedule.rrule"),
    ("a numbered day under weekly", _schedule('"rrule":"RRULE:FREQ=WEEKLY;BYDAY=1MO","start":"2026-11-30T09:00:00"'), "schedule.rrule"),
    ("a position of nothing", _schedule('"rrule":"RRULE:FREQ=DAILY;BYSETPOS=1","start":"2026-11-30T09:00:00"'), "schedule.rrule"),
    ("too large comes last", '{"entrypoint":"e","schedule":{"every_s":60},"payload":"' + "x" * 65536 + '","name":7}', "name"),
)  # fmt: skip

_EXAMPLE = (
    '{"name":"Weekly report","agent":"agent:7","destination":"team:11","delivery":"http",'
    '"entrypoint":"https://reports.example/run","schedule":{"cron":"0 9 * * MON","timezone":"Europe/Paris"},'
    '"retry":{"attempts":3}}'
)


def folds() -> Iterator[Worked]:
    example: dict[str, object] = {
        "authored": json.loads(_EXAMPLE),
        "digest": "5721451d220db24aaff107a5343c7323ce96e61e8e411e53da396a70db703d9c",
    }
    yield entry("hand-fold-example", "the worked example", [_request(_EXAMPLE)], example, "specification")
    for number, (about, task, canonical) in enumerate(_TAKEN, 1):
        answer: dict[str, object] = {"authored": json.loads(canonical), "digest": digest_of(canonical)}
        yield entry(f"hand-fold-{number:02}", about, [_request(task)], answer, "by hand")
    for number, (about, task, path) in enumerate(_REFUSED, 1):
        answer = refusal("bad_task", path)
        yield entry(f"hand-fold-refused-{number:02}", about, [_request(task)], answer, "by hand")
    large = '{"entrypoint":"e","schedule":{"every_s":60},"payload":"'
    answer = refusal("bad_task", "task")
    request = ['{"op":"fold","task":' + large, {"repeat": "x", "times": 65536}, '"}}']
    yield entry("hand-fold-large", "more than 65,536 canonical bytes", request, answer, "by hand")


def _request(task: str) -> str:
    return f'{{"op":"fold","task":{task}}}'
