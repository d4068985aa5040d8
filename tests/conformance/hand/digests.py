"""Digests worked by hand: an authored object as JSON text, and its canonical text or the refusal."""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

from collections.abc import Iterator

from conformance.entries import Piece
from tests.conformance.hand.working import Worked, digest_of, entry, refusal

_BACKSLASH = "\\"

_TAKEN = (
    ("nothing at all", "{}", "{}"),
    ("white space is no part of it", ' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'),
    ("members are sorted", '{"b":1,"a":2,"C":3,"":4}', '{"":4,"C":3,"a":2,"b":1}'),
    ("inner members are sorted too", '{"a":[{"z":1,"y":2}]}', '{"a":[{"y":2,"z":1}]}'),
    ("elements stay where they are", '{"a":[3,1,2,1]}', '{"a":[3,1,2,1]}'),
    ("a shorter name comes first", '{"aa":1,"a":2,"a0":3}', '{"a":2,"a0":3,"aa":1}'),
    ("digits sort as characters", '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'),
    # U+1F600 is written as D83D DE00, so it comes before U+E000 and U+FFFD.
    (
        "names sort by UTF-16 units",
        '{"\ue000":1,"\U0001f600":2,"\ufffd":3}',
        '{"\U0001f600":2,"\ue000":1,"\ufffd":3}',
    ),
    ("1.0 is 1", '{"a":1.0}', '{"a":1}'),
    ("6e1 is 60", '{"a":6e1}', '{"a":60}'),
    ("600e-1 is 60", '{"a":600e-1}', '{"a":60}'),
    ("minus zero is zero", '{"a":-0,"b":-0.0,"c":-0e5}', '{"a":0,"b":0,"c":0}'),
    ("too small to be anything but zero", '{"a":1e-400,"b":-1e-400}', '{"a":0,"b":0}'),
    ("a tenth", '{"a":0.10,"b":1e-1,"c":0.1000000000000000055}', '{"a":0.1,"b":0.1,"c":0.1}'),
    ("from ten to the minus seven on, an exponent", '{"a":0.000001,"b":0.0000001}', '{"a":0.000001,"b":1e-7}'),
    ("an exponent has a sign only if it is minus", '{"a":1.5e-10,"b":123e-20}', '{"a":1.5e-10,"b":1.23e-18}'),
    ("the largest and the smallest", '{"a":9007199254740991,"b":-9007199254740991}', '{"a":9007199254740991,"b":-9007199254740991}'),
    ("the nearest double of a longer number", '{"a":9007199254740991.4}', '{"a":9007199254740991}'),
    ("two doubles that are not one", '{"a":0.1,"b":0.30000000000000004}', '{"a":0.1,"b":0.30000000000000004}'),
    ("the smallest double", '{"a":5e-324,"b":4.9406564584124654e-324}', '{"a":5e-324,"b":5e-324}'),
    ("a text keeps its form: no normalisation", '{"a":"Zo\u00eb","b":"Zoe\u0308"}', '{"a":"Zo\u00eb","b":"Zoe\u0308"}'),
    ("escapes that JSON can do without are undone", '{"a":"\\u0041\\/\\u00e9"}', '{"a":"A/\u00e9"}'),
    ("a pair of escapes is one character", '{"a":"\\ud83d\\ude00"}', '{"a":"\U0001f600"}'),
    ("short escapes", '{"a":"\\u0008\\u0009\\u000a\\u000c\\u000d"}', '{"a":"\\b\\t\\n\\f\\r"}'),
    ("other control characters, in small hex", '{"a":"\\u0000\\u001F\\u000B"}', '{"a":"\\u0000\\u001f\\u000b"}'),
    ("a quotation mark and a backslash", '{"a":"\\u0022\\u005c"}', '{"a":"\\"\\\\"}'),
    ("characters that other writers escape", '{"a":"<>&\u2028\u2029\u007f"}', '{"a":"<>&\u2028\u2029\u007f"}'),
    ("null, deep within, is kept", '{"a":[null],"b":{"c":null}}', '{"a":[null],"b":{"c":null}}'),
    ("true and false", '{"b":false,"a":true}', '{"a":true,"b":false}'),
    ("nothing is left out here, whatever it is", '{"a":{},"b":[],"c":"","d":0}', '{"a":{},"b":[],"c":"","d":0}'),
    ("a name that scripts trip over", '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'),
    ("names of the switch and the facts, deep within", '{"a":{"enabled":1,"task":2,"tenant":3}}', '{"a":{"enabled":1,"task":2,"tenant":3}}'),
    ("other cases of these names", '{"Enabled":1,"TASK":2}', '{"Enabled":1,"TASK":2}'),
    ("64 levels", '{"a":' + "[" * 63 + "]" * 63 + "}", '{"a":' + "[" * 63 + "]" * 63 + "}"),
)  # fmt: skip
_REFUSED = (
    ("null", "null", "not_an_object"),
    ("an array", "[]", "not_an_object"),
    ("a text", '"{}"', "not_an_object"),
    ("a name twice", '{"a":1,"a":1}', "duplicate_member"),
    ("a name twice, once escaped", '{"a":1,"\\u0061":2}', "duplicate_member"),
    ("a name twice, deep within", '{"a":[[{"b":1,"c":2,"b":3}]]}', "duplicate_member"),
    ("half a pair", '{"a":"\\ud83d"}', "bad_text"),
    ("the second half of a pair", '{"a":"x\\ude00"}', "bad_text"),
    ("half a pair in a name", '{"\\ud83d":1}', "bad_text"),
    ("halves in the wrong order", '{"a":["\\ude00\\ud83d"]}', "bad_text"),
    ("2 to the 53", '{"a":9007199254740992}', "bad_number"),
    ("2 to the 53 and one, with a fraction", '{"a":9007199254740993.0}', "bad_number"),
    ("half above the largest rounds to an even that is too large", '{"a":9007199254740991.5}', "bad_number"),
    ("1e30", '{"a":[1e30]}', "bad_number"),
    ("minus 1e30", '{"a":{"b":-1e30}}', "bad_number"),
    ("beyond every double", '{"a":1e400}', "bad_number"),
    ("65 levels of arrays", '{"a":' + "[" * 64 + "]" * 64 + "}", "too_deep"),
    ("65 levels of objects", '{"a":' * 64 + "{}" + "}" * 64, "too_deep"),
    ("the switch", '{"enabled":true}', "not_authored"),
    ("the tenant", '{"tenant":"acme"}', "not_authored"),
    ("the task", '{"task":{}}', "not_authored"),
    ("null at the top", '{"name":null}', "not_authored"),
    ("a name twice comes before half a pair", '{"a":"\\ud83d","b":1,"b":1}', "duplicate_member"),
    ("half a pair comes before a bad number", '{"a":1e30,"b":"\\ud83d"}', "bad_text"),
    ("a bad number comes before too deep", '{"a":' + "[" * 64 + "]" * 64 + ',"b":1e30}', "bad_number"),
    ("too deep comes before not authored", '{"enabled":' + "[" * 64 + "]" * 64 + "}", "too_deep"),
    ("a value that a later one of the same name hides", '{"a":1e30,"a":1}', "duplicate_member"),
)  # fmt: skip


def digests() -> Iterator[Worked]:
    name = '{"name":"Zo\u00eb","timeout_s":6e1}'
    example: dict[str, object] = {
        "digest": "9a6314976939cc1ddcef9069a74c09df7b29f683d0c054e01f4bb80c304f505b",
        "canonical": '{"name":"Zo\u00eb","timeout_s":60}',
    }
    request: list[Piece] = [_request(name)]
    yield entry("hand-digest-example", "the worked example", request, example, "specification")
    for number, (about, authored, canonical) in enumerate(_TAKEN, 1):
        answer: dict[str, object] = {"digest": digest_of(canonical), "canonical": canonical}
        yield entry(f"hand-digest-{number:02}", about, [_request(authored)], answer, "by hand")
    for number, (about, authored, code) in enumerate(_REFUSED, 1):
        answer = refusal(code, "authored")
        yield entry(f"hand-digest-refused-{number:02}", about, [_request(authored)], answer, "by hand")
    yield from _sizes()


def _sizes() -> Iterator[Worked]:
    """`{"a":"…"}` is eight bytes and its text; 65,536 bytes are taken."""
    head, tail = '{"op":"digest","authored":{"a":"', '"}}'
    canonical = '{"a":"' + "x" * 65528 + '"}'
    answer: dict[str, object] = {"digest": digest_of(canonical), "canonical": canonical}
    full: list[Piece] = [head, {"repeat": "x", "times": 65528}, tail]
    yield entry("hand-digest-full", "65,536 canonical bytes", full, answer, "by hand")
    refused = refusal("too_large", "authored")
    for number, (about, piece, times) in enumerate(
        (
            ("65,537 canonical bytes", "x", 65529),
            ("bytes are counted, not characters", "\u00e9", 32765),
            # An escape of six bytes in the request is one of two bytes in the canonical text.
            ("escapes count as they are written canonically", _BACKSLASH + "u000a", 32765),
        ),
        1,
    ):
        request: list[Piece] = [head, {"repeat": piece, "times": times}, tail]
        yield entry(f"hand-digest-large-{number}", about, request, refused, "by hand")
    # Not authored comes before too large.
    request = ['{"op":"digest","authored":{"task":1,"a":"', {"repeat": "x", "times": 70_000}, tail]
    answer = refusal("not_authored", "authored")
    yield entry("hand-digest-large-4", "not authored comes before too large", request, answer, "by hand")


def _request(authored: str) -> str:
    return f'{{"op":"digest","authored":{authored}}}'
