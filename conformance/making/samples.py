"""Values, right and wrong, for the members of a task. Right is only meant so: no answer stands here."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from conformance.making.wire import Raw

Maker = Callable[[random.Random], object]
ZONES: tuple[str, ...] = tuple(
    json.loads((Path(__file__).parents[1] / "javascript/src/zones.json").read_text(encoding="utf-8"))["zones"]
)
# Members whose form is no text take none of these, and most others take none either.
NOT_TEXT: tuple[object, ...] = (7, True, False, 1.5, [], {}, ["x"])
NOT_WHOLE: tuple[object, ...] = (
    "60", "", True, False, 1.5, Raw("6e-1"), [], {}, [60], Raw("0.1"), "0x10", Raw("1.0000000000000002"),
)  # fmt: skip
NOT_OBJECT: tuple[object, ...] = ("x", "", 7, True, False, [], [{}])

EVERY: dict[str, object] = {"entrypoint": "e", "schedule": {"every_s": 60}}
CRON: dict[str, object] = {"entrypoint": "e", "schedule": {"cron": "0 9 * * *"}}
SIX: dict[str, object] = {"entrypoint": "e", "schedule": {"cron": "0 0 9 * * *", "seconds": True}}
RULE: dict[str, object] = {
    "entrypoint": "e",
    "schedule": {"rrule": "RRULE:FREQ=DAILY", "start": "2026-11-30T09:00:00"},
}
AT: dict[str, object] = {"entrypoint": "e", "schedule": {"at": "2026-11-30T09:00:00Z"}}
ANY: dict[str, object] = {"entrypoint": "e", "schedule": {"any": [{"every_s": 60}, {"cron": "0 9 * * *"}]}}
HTTP: dict[str, object] = {**EVERY, "delivery": "http", "entrypoint": "https://reports.example/run"}
COMMAND: dict[str, object] = {**EVERY, "delivery": "command"}
BARE: dict[str, object] = {"entrypoint": "e", "schedule": {}}

OPAQUE: tuple[object, ...] = (
    {}, [], 0, "", False, True, [None], {"a": None}, {"b": [{"a": None}]}, "\0", {"\0": "\0"}, {"": {}},
    Raw("-0"), Raw("1e-7"), Raw("6e1"), 1.5, {"😀": 1, "\ue000": 2}, {"enabled": True, "tenant": 1},
    "Zoe\u0308", {"cron": "  0 9 * * mon "},
)  # fmt: skip


def text(most: int, *, least: int = 0) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Right and wrong values of a text of so many code points."""
    right = (
        "Weekly report",
        "Zoë",
        "Zoe\u0308",
        " ",
        "\n",
        "\x01",
        "null",
        "x" * most,
        "é" * most,
        "😀" * most,
    )
    wrong = ("x" * (most + 1), "😀" * (most + 1), "\0", "a\0b", *NOT_TEXT)
    return (right, ("", *wrong)) if least else (("", *right), wrong)


def whole(least: int, most: int, default: int | None = None) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Right and wrong values of a whole number in a range."""
    right = [least, most, (least + most) // 2, Raw(f"{most}.0"), Raw(f"{most}e0"), Raw(f"{most}0e-1")]
    right += [] if default is None else [default, Raw(f"{default}.0")]
    wrong = (least - 1, most + 1, -1, Raw(f"{most}.5"), *NOT_WHOLE)
    return (*right,), wrong


def choice(*names: str) -> tuple[tuple[object, ...], tuple[object, ...]]:
    first = names[0]
    wrong = (first.upper(), first.title(), f"{first} ", f" {first}", f"{first}\n", "", "x", *NOT_TEXT)
    return names, wrong


def number_in(least: int, most: int) -> Maker:
    return lambda rng: rng.choice((least, most, rng.randint(least, most), rng.randint(least, min(most, 100))))


TIMES = (
    "2026-11-30T09:00:00Z", "2026-11-30 10:00:00+01:00", "1970-01-01T00:00:00Z", "2026-11-30t09:00:00.5z",
    "9999-12-31T23:59:59.999999Z", "2026-02-28T23:59:59.123456000-0530", "2026-11-30T09:00:00.000000Z",
)  # fmt: skip
NOT_TIMES = (
    "2026-11-30T09:00:00", "2026-11-30", "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z",
    "2026-11-30T24:00:00Z", "2026-11-30T09:00:00.1234567Z", "2026-11-30T09:00:00 Z", "2026-11-30T09:00Z",
    "", "now", "9999-12-31T23:59:59-01", 1764493200, *NOT_TEXT,
)  # fmt: skip
LOCAL = (
    "2026-11-30T09:00:00", "1970-01-01T00:00:00", "9998-12-31T23:59:59", "2024-02-29T00:00:00",
    "2026-03-29T02:30:00",
)  # fmt: skip
NOT_LOCAL = (
    "1969-12-31T23:59:59", "9999-01-01T00:00:00", "2023-02-29T00:00:00", "2026-11-31T00:00:00",
    "2026-11-30T24:00:00", "2026-11-30T09:60:00", "2026-11-30T09:00:60", "2026-11-30 09:00:00",
    "2026-11-30t09:00:00", "2026-11-30T09:00", "2026-11-30T09:00:00Z", "2026-11-30T09:00:00+01:00",
    "2026-11-30T09:00:00.0", "2026-11-30T09:00:00\n", "", " 2026-11-30T09:00:00", "20261130T090000",
    "0000-01-01T00:00:00", "２026-11-30T09:00:00", *NOT_TEXT,
)  # fmt: skip
NOT_ZONES = (
    "europe/paris", "Europe/Paris ", " UTC", "utc", "Paris", "", "+01:00", "UTC+1", "localtime",
    "posixrules", "CEST", "../UTC", "Europe\\Paris", "Europe/Paris\n", "Europe", "tzdata.zi", "zone.tab",
    "EST6", "Etc/GMT+15", *NOT_TEXT,
)  # fmt: skip
DATES = ("2026-12-25", "12-25", "02-29", "2024-02-29", "0001-01-01", "9999-12-31", "01-01")
NOT_DATES = (
    "2023-02-29", "02-30", "13-01", "00-10", "01-00", "04-31", "0000-01-01", "2026-1-1", "1-1", "12-25\n",
    " 12-25", "2026-12-25T00:00:00Z", "20261225", "12/25", "", "-12-25", "1900-02-29", "26-12-25",
    "+2026-12-25", *NOT_TEXT,
)  # fmt: skip

IDENTIFIERS = ("agent:7", "A", "x" * 200, "Default", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "011", "a\u007e")
NOT_IDENTIFIERS = (
    "", "x" * 201, "a b", "é", "a\n", '"', "\\", "\x7f", "\u00a0", "😀" * 150, "a\0", *NOT_TEXT,
)  # fmt: skip
DESTINATIONS = (
    "LOCAL:default", "team:11", "Team:011", "local:Default", "a:b:c", "a::", "x" * 64 + ":" + "y" * 200,
)  # fmt: skip
NOT_DESTINATIONS = (
    "", "team", ":11", "team:", "1:a", "te am:1", "team:1 ", "team:1\n", "é:1", "team:é", "x" * 65 + ":1",
    "team:" + "y" * 201, "\u212a:1", "team:\\", *NOT_TEXT,
)  # fmt: skip
DELIVERIES = ("Python", "PYTHON", "celery", "Celery", "command", "COMMAND", "pull", "PuLL")
NOT_DELIVERIES = (
    "", "kafka", " python", "python ", "python\n", "pyth\u043en", "pul\u2113", "PYTHOİ", "http:", *NOT_TEXT,
)  # fmt: skip
ADDRESSES = (
    "http://a", "https://a.example/x?y=1#z", "http://u:p@h", "http://~", "https://" + "a" * 1992,
    'http://"',
)  # fmt: skip
NOT_ADDRESSES = (
    "http://", "https://", "HTTP://a", "Https://a", "ftp://a", "http:/a", "http//a", "http://a b",
    "http://é", "e", " http://a", "http://a\n", "httpss://a", "//a", "https:// ", "http://\x7f",
    "https://" + "a" * 1993,
)  # fmt: skip
ARGUMENTS: tuple[object, ...] = (
    [], ["a"], ["", " ", "é", "\n"], ["-x", "--y=1"] * 50, ["Zoe\u0308"], ["null", "1"],
)  # fmt: skip
NOT_ARGUMENTS: tuple[object, ...] = (
    "a", "", {}, [1], [None], ["a", None], [["a"]], ["a\0"], ["\0", 1], 7, True, [True], [{}], {"0": "a"},
)  # fmt: skip
OUTCOMES: tuple[object, ...] = (
    ["failed"], ["timed_out", "failed"], ["failed", "timed_out"], ["failed", "timed_out", "failed"], [],
    ["lost"], ["timed_out", "lost", "failed", "lost"],
)  # fmt: skip
NOT_OUTCOMES: tuple[object, ...] = (
    "failed", ["ok"], [None], ["Failed"], {}, [["failed"]], 7, ["failed", 1], ["failed", ""], True, "",
)  # fmt: skip
LABELS: tuple[object, ...] = (
    {"a": "b"}, {"": ""}, {"é": "😀"}, {"__proto__": "x"}, {f"l{n}": "v" for n in range(64)},
    {"b": "1", "a": "2"}, {}, {"\ue000": "1", "😀": "2"},
)  # fmt: skip
NOT_LABELS: tuple[object, ...] = (
    {f"l{n}": "v" for n in range(65)}, {"a": 1}, {"a": None}, {"a\0": "x"}, {"a": "\0"}, {"a": {}},
    {"a": []}, [], [["a", "b"]], "a", "", 7, True, {"a": "b", "c": False},
)  # fmt: skip


def zone(rng: random.Random) -> object:
    return rng.choice(ZONES)


def excluding(*elements: dict[str, object]) -> dict[str, object]:
    """A task whose schedule excludes these."""
    return {"entrypoint": "e", "schedule": {"every_s": 60, "exclude": list(elements)}}
