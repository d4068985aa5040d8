"""Lines that are no requests: not JSON, not UTF-8, no object, too deep, too long, of no known operation."""

from __future__ import annotations

import random
from typing import TypeAlias

from conformance.making import facts, wire

_FACTS = {
    "tenant": "acme",
    "delivery": "http",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "team:11",
    "task": "weekly-report",
    "digest": "ab" * 32,
    "due": "2026-11-30T09:00:00Z",
}
_DUE = '{"op":"due","text":"2026-11-30T09:00:00Z"}'
_MOST = 2**20

# A line in pieces, as the vector files keep it.
Pieces: TypeAlias = list[str | dict[str, object]]


def _hex(piece: str) -> dict[str, object]:
    return {"hex": piece}


def _repeat(piece: str, times: int) -> dict[str, object]:
    return {"repeat": piece, "times": times}


def lines() -> dict[str, Pieces]:
    """Hostile lines by what each tries; some are requests after all, and are to be answered."""
    return {**_json(), **_utf8(), **_members(), **_names(), **_nesting(), **_sizes()}


def _json() -> dict[str, Pieces]:
    texts = {
        "blank": "",
        "one space": " ",
        "a carriage return alone": "\r",
        "tabs": "\t\t",
        "white space around": f" \t\r{_DUE}\r\t ",
        "a form feed before": f"\f{_DUE}",
        "a no-break space before": f"\u00a0{_DUE}",
        "a vertical tab within": _DUE.replace(",", ",\v"),
        "a NUL behind": f"{_DUE}\0",
        "a byte order mark": f"\ufeff{_DUE}",
        "a byte order mark after a space": f" \ufeff{_DUE}",
        "two values": f"{_DUE}{_DUE}",
        "a comma behind": f"{_DUE},",
        "a comma too many": _DUE.replace("}", ",}"),
        "a comma first": _DUE.replace("{", "{,"),
        "no closing brace": _DUE[:-1],
        "a closing bracket": _DUE[:-1] + "]",
        "no colon": _DUE.replace('"op":', '"op"'),
        "an equals sign": _DUE.replace('"op":', '"op"='),
        "single quotes": _DUE.replace('"', "'"),
        "a name without quotes": _DUE.replace('"op"', "op"),
        "a comment": f"{_DUE}// x",
        "a comment within": _DUE.replace(",", "/**/,"),
        "null": "null",
        "true": "true",
        "a number": "7",
        "a text": '"due"',
        "an array": f"[{_DUE}]",
        "an empty object": "{}",
        "an empty array": "[]",
        "True": '{"op":"due","text":True}',
        "nul": '{"op":"due","text":nul}',
        "undefined": '{"op":"due","text":undefined}',
        "a text that does not end": '{"op":"due","text":"2026',
        "a tab in a text": '{"op":"due","text":"\t"}',
        "a control character in a text": '{"op":"due","text":"\x1f"}',
        "a delete character in a text": '{"op":"due","text":"\x7f"}',
        "an escape of x": '{"op":"due","text":"\\x41"}',
        "an escape of a capital U": '{"op":"due","text":"\\U0041"}',
        "an escape of a quote of the other kind": '{"op":"due","text":"\\\'"}',
        "an escape of three digits": '{"op":"due","text":"\\u041"}',
        "an escape with a sign": '{"op":"due","text":"\\u+041"}',
        "an escape with a letter too far": '{"op":"due","text":"\\u004g"}',
        "an escape with wide digits": '{"op":"due","text":"\\u００41"}',
        "a backslash at the end": '{"op":"due","text":"\\',
        "escapes for a whole timestamp": '{"op":"due","text":"\\u0032026-11-30T09:00:00\\u005A"}',
        "escapes in a name": '{"\\u006fp":"\\u0064ue","te\\u0078t":"2026-11-30T09:00:00Z"}',
        "an escaped solidus": '{"op":"due","text":"2026\\/11"}',
    }
    numbers = (
        *(
            "NaN",
            "-NaN",
            "Infinity",
            "-Infinity",
            "inf",
            "nan",
            "01",
            "-01",
            "00",
            "1.",
            ".5",
            "-.5",
            "+1",
            "1e",
        ),
        *(
            "1e+",
            "1E-",
            "0x10",
            "1_000",
            "1,5",
            "--1",
            "- 1",
            "1.e1",
            "0b1",
            "1f",
            "1n",
            "١",
            "-",
            "1e1.5",
            "1.2.3",
        ),
        *("1e5", "-0", "1E+2", "0.0", "-0e-0", "1e400"),
    )
    texts |= {f"the number {number}": f'{{"op":"due","text":{number}}}' for number in numbers}
    texts |= {
        f"the number {number} in an authored object": f'{{"op":"digest","authored":{{"a":{number}}}}}'
        for number in numbers[:14]
    }
    return {about: [text] for about, text in texts.items()}


def _utf8() -> dict[str, Pieces]:
    broken = {
        "a byte ff": "ff",
        "a byte 80 alone": "80",
        "a sequence cut short": "c3",
        "an overlong solidus": "c0af",
        "an overlong NUL": "c080",
        "an overlong of three bytes": "e080af",
        "a high surrogate in UTF-8": "eda080",
        "a low surrogate in UTF-8": "edb080",
        "a surrogate pair in UTF-8": "eda0bdedb880",
        "beyond U+10FFFF": "f4908080",
        "a sequence of five bytes": "f888808080",
        "Latin-1": "e9",
    }
    found: dict[str, Pieces] = {
        f"{about} in a text": ['{"op":"due","text":"', _hex(piece), '"}'] for about, piece in broken.items()
    }
    found |= {
        f"{about} in an authored object": ['{"op":"digest","authored":{"a":"', _hex(piece), '"}}']
        for about, piece in broken.items()
    }
    found["a request in UTF-16"] = [_hex(_DUE.encode("utf-16-be").hex())]
    found["a byte order mark of UTF-16"] = [_hex("feff"), _DUE]
    found["a byte ff outside of any text"] = [_hex("ff"), _DUE]
    return found


def _members() -> dict[str, Pieces]:
    key, text = wire.plain(_FACTS), '"2026-11-30T09:00:00Z"'
    task = '{"entrypoint":"e","schedule":{"every_s":60}}'
    texts = {
        "no op": '{"text":"x"}',
        "op is null": f'{{"op":null,"text":{text}}}',
        "op is a number": f'{{"op":1,"text":{text}}}',
        "op is an array": f'{{"op":["due"],"text":{text}}}',
        "op is an object": f'{{"op":{{"due":1}},"text":{text}}}',
        "op is true": f'{{"op":true,"text":{text}}}',
        "an unknown op": f'{{"op":"dues","text":{text}}}',
        "an op in capitals": f'{{"op":"DUE","text":{text}}}',
        "an empty op": f'{{"op":"","text":{text}}}',
        "an op with a space": f'{{"op":"due ","text":{text}}}',
        "an op that every object has": f'{{"op":"constructor","text":{text}}}',
        "an op named __proto__": f'{{"op":"__proto__","text":{text}}}',
        "op behind its parts": f'{{"text":{text},"op":"due"}}',
        "due without text": '{"op":"due"}',
        "due with facts": f'{{"op":"due","facts":{key}}}',
        "due with one member more": f'{{"op":"due","text":{text},"id":1}}',
        "due with a null more": f'{{"op":"due","text":{text},"id":null}}',
        "due with an empty name more": f'{{"op":"due","text":{text},"":1}}',
        "due with Text": f'{{"op":"due","Text":{text}}}',
        "key without facts": '{"op":"key"}',
        "key with text": f'{{"op":"key","text":{text}}}',
        "key with facts beside": f'{{"op":"key",{key[1:]}',
        "key with a member more": f'{{"op":"key","facts":{key},"due":{text}}}',
        "digest without authored": '{"op":"digest"}',
        "digest with task": f'{{"op":"digest","task":{task}}}',
        "digest with a member more": '{"op":"digest","authored":{},"task":{}}',
        "fold without task": '{"op":"fold"}',
        "fold with authored": f'{{"op":"fold","authored":{task}}}',
        "fold with a member more": f'{{"op":"fold","task":{task},"enabled":true}}',
        "slots without count": '{"op":"slots","schedule":{"every_s":60},"after":"2026-11-30T09:00:00Z"}',
        "slots without after": '{"op":"slots","schedule":{"every_s":60},"count":1}',
        "slots without schedule": '{"op":"slots","after":"2026-11-30T09:00:00Z","count":1}',
        "slots with a member more": '{"op":"slots","schedule":{},"after":"","count":1,"before":""}',
    }
    return {about: [line] for about, line in texts.items()}


def _names() -> dict[str, Pieces]:
    """Names twice and lone surrogates: bad requests everywhere but in an authored object."""
    twice = wire.plain(_FACTS)[:-1] + ',"tenant":"acme"}'
    texts = {
        "op twice": '{"op":"due","op":"due","text":"x"}',
        "op twice, once escaped": '{"op":"due","\\u006fp":"due","text":"x"}',
        "text twice": '{"op":"due","text":"x","text":"x"}',
        "a fact twice": f'{{"op":"key","facts":{twice}}}',
        "authored twice": '{"op":"digest","authored":{},"authored":{}}',
        "a name twice in a due text": '{"op":"due","text":{"a":1,"a":1}}',
        "a name twice within a task": _with_payload('{"a":1,"a":1}'),
        "a name twice, once escaped, within a task": _with_payload('{"a":1,"\\u0061":1}'),
        "a name twice deep in a task": _with_payload('[[{"b":{"a":1,"a":1}}]]'),
        "a name twice under a member named authored of a task": (
            '{"op":"fold","task":{"authored":{"a":1,"a":1},"entrypoint":"e","schedule":{"every_s":60}}}'
        ),
        "the same name in two objects": _with_payload('[{"a":1},{"a":{"a":1}}]'),
        "a name twice in slots": '{"op":"slots","schedule":{"a":1,"a":1},"after":"","count":1}',
        "a lone surrogate in a due text": '{"op":"due","text":"\\ud800"}',
        "a lone low surrogate in a due text": '{"op":"due","text":"\\udc00"}',
        "surrogates in the wrong order": '{"op":"due","text":"\\ude00\\ud83d"}',
        "a surrogate pair, escaped": '{"op":"due","text":"\\ud83d\\ude00"}',
        "half a pair escaped, half a letter": '{"op":"due","text":"\\ud83dx"}',
        "a lone surrogate in a fact": '{"op":"key","facts":{"tenant":"\\ud800"}}',
        "a lone surrogate in a fact's name": '{"op":"key","facts":{"\\ud800":"x"}}',
        "a lone surrogate in a task": _with_payload('"\\udfff"'),
        "a lone surrogate in a name of a task": _with_payload('{"\\udfff":1}'),
        "a lone surrogate in slots": '{"op":"slots","schedule":{"cron":"\\ud800"},"after":"","count":1}',
        "a lone surrogate in an authored object": '{"op":"digest","authored":{"a":"\\ud800"}}',
        "a lone surrogate in a name of an authored object": '{"op":"digest","authored":{"\\ud800":1}}',
        "a name twice in an authored object": '{"op":"digest","authored":{"a":1,"a":1}}',
    }
    return {about: [line] for about, line in texts.items()}


def _with_payload(payload: str) -> str:
    return f'{{"op":"fold","task":{{"entrypoint":"e","schedule":{{"every_s":60}},"payload":{payload}}}}}'


def _nesting() -> dict[str, Pieces]:
    """The request's own object is the first level; 100 are read, and 64 of them may be authored."""
    found: dict[str, Pieces] = {}
    for levels in (63, 64, 65, 98, 99, 100, 101, 200):
        arrays = levels - 1
        found[f"a due text at level {levels}"] = [
            '{"op":"due","text":', _repeat("[", arrays), _repeat("]", arrays), "}",
        ]  # fmt: skip
        found[f"an authored array at level {levels}"] = [
            '{"op":"digest","authored":', _repeat("[", arrays), _repeat("]", arrays), "}",
        ]  # fmt: skip
        found[f"an authored object at level {levels}"] = [
            '{"op":"digest","authored":', _repeat('{"a":', arrays - 1), "{}", _repeat("}", arrays - 1), "}",
        ]  # fmt: skip
        found[f"a task with a payload at level {levels}"] = [
            '{"op":"fold","task":{"entrypoint":"e","schedule":{"every_s":60},"payload":',
            _repeat("[", arrays - 1), _repeat("]", arrays - 1), "}}",
        ]  # fmt: skip
    found["a hundred thousand brackets"] = [_repeat("[", 100_000)]
    found["a hundred thousand objects"] = [_repeat('{"a":', 100_000)]
    found["two hundred thousand brackets in a text's place"] = ['{"op":"due","text":', _repeat("[", 200_000)]
    return found


def _sizes() -> dict[str, Pieces]:
    """A line may have 1,048,576 bytes before its line feed."""
    head, tail = '{"op":"due","text":"', '"}'
    room = _MOST - len(head) - len(tail)
    return {
        "a line of exactly 1 MiB": [head, _repeat("x", room), tail],
        "a line of one byte more": [head, _repeat("x", room + 1), tail],
        "a line of exactly 1 MiB, spaces at its end": [_DUE, _repeat(" ", _MOST - len(_DUE))],
        "a line of one space more": [_DUE, _repeat(" ", _MOST - len(_DUE) + 1)],
        "a line of 3 MiB": [_repeat("x", 3 * _MOST)],
        "a fact of a million characters": [
            '{"op":"key","facts":{"tenant":"', _repeat("x", 1_000_000), '","delivery":"a"}}',
        ],
        "a number of a million digits": ['{"op":"digest","authored":{"a":', _repeat("7", 1_000_000), "}}"],
        "a number of a million zeros": ['{"op":"digest","authored":{"a":0.', _repeat("0", 1_000_000), "1}}"],
        "an exponent of a thousand digits": ['{"op":"digest","authored":{"a":1e', _repeat("9", 1_000), "}}"],
        "a tiny number": ['{"op":"digest","authored":{"a":1e-', _repeat("9", 1_000), "}}"],
    }  # fmt: skip


def random_line(rng: random.Random) -> bytes:
    """A line that is most likely no request: a good one with a few bytes changed, or cut, or doubled."""
    good = wire.request("key", facts=facts.valid(rng)) if rng.random() < 0.3 else _DUE
    raw = bytearray(good.encode())
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(raw)) if raw else 0
        turn = rng.randrange(4)
        if turn == 0:
            del raw[at : at + rng.randint(1, 4)]
        elif turn == 1:
            raw[at:at] = rng.choice(
                (b"\xff", b"\x80", b"{", b"}", b'"', b"\\", b",", b":", b"\xef\xbb\xbf", b"\xed\xa0\x80")
            )
        elif turn == 2:
            raw[at : at + 1] = bytes([rng.choice((*range(10), *range(11, 256)))])
        else:
            raw[at:at] = raw[max(0, at - 10) : at]
    return bytes(raw).replace(b"\n", b" ")
