"""Keys worked by hand: the facts as given, and the preimage that they come to, or the refusal."""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

import json
from collections.abc import Iterator

from tests.conformance.hand.working import Worked, entry, key_answer, refusal

_D = "ab" * 32
_FACTS = {
    "tenant": "acme",
    "delivery": "http",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "team:11",
    "task": "weekly-report",
    "digest": _D,
    "due": "2026-11-30T09:00:00Z",
}
_DUE = "2026-11-30T09:00:00.000000Z"


def _preimage(*facts: str) -> str:
    """No fact has a character that JSON escapes, so the text is the facts between quotes."""
    return '["occurrence/1",' + ",".join(f'"{fact}"' for fact in facts) + "]"


# What is changed in the facts, and the whole preimage: (about, changes, preimage).
_TAKEN: tuple[tuple[str, dict[str, str], str], ...] = (
    ("nothing to fold", {}, _preimage("acme", "http", "schedule", "agent:7", "team:11", "weekly-report", _D, _DUE)),
    (
        "capitals of an identifier stay",
        {"tenant": "ACME", "agent": "Agent:7", "task": "Weekly-Report"},
        _preimage("ACME", "http", "schedule", "Agent:7", "team:11", "Weekly-Report", _D, _DUE),
    ),
    (
        "capitals of the delivery become small",
        {"delivery": "HTTP"},
        _preimage("acme", "http", "schedule", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "a delivery nobody has heard of is a token like any other",
        {"delivery": "Carrier-Pigeon.2+x_"},
        _preimage("acme", "carrier-pigeon.2+x_", "schedule", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "the token of the wake folds, its qualifier does not",
        {"wake": "MANUAL:Req-A"},
        _preimage("acme", "http", "manual:Req-A", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "later colons belong to the qualifier",
        {"wake": "rerun:2:Manual:X"},
        _preimage("acme", "http", "rerun:2:Manual:X", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "a retry with the largest number",
        {"wake": "Retry:999999999"},
        _preimage("acme", "http", "retry:999999999", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "only the token retry needs a number",
        {"wake": "retry-later"},
        _preimage("acme", "http", "retry-later", "agent:7", "team:11", "weekly-report", _D, _DUE),
    ),
    (
        "end, with the last instant of all",
        {"wake": "end", "due": "9999-12-31T23:59:59.999999Z"},
        _preimage(
            "acme", "http", "end", "agent:7", "team:11", "weekly-report", _D, "9999-12-31T23:59:59.999999Z"
        ),
    ),
    (
        "the token of the destination folds, its identifier does not",
        {"destination": "TEAM:Eleven"},
        _preimage("acme", "http", "schedule", "agent:7", "team:Eleven", "weekly-report", _D, _DUE),
    ),
    (
        "a zero in front makes another destination",
        {"destination": "team:011"},
        _preimage("acme", "http", "schedule", "agent:7", "team:011", "weekly-report", _D, _DUE),
    ),
    (
        "a destination with three colons",
        {"destination": "team::1:"},
        _preimage("acme", "http", "schedule", "agent:7", "team::1:", "weekly-report", _D, _DUE),
    ),
    (
        "characters that HTML and shells mind, and JSON does not",
        {"tenant": "<a>&'/`$;", "task": "!#%()*,-.:=?@[]^_{|}~"},
        _preimage("<a>&'/`$;", "http", "schedule", "agent:7", "team:11", "!#%()*,-.:=?@[]^_{|}~", _D, _DUE),
    ),
    (
        "one character is enough",
        {"tenant": "0", "delivery": "x", "wake": "y", "agent": "-", "destination": "z:~", "task": "!"},
        _preimage("0", "x", "y", "-", "z:~", "!", _D, _DUE),
    ),
    (
        "two hundred characters, and tokens of sixty-four",
        {"tenant": "t" * 200, "delivery": "D" * 64, "wake": "W" * 64 + ":" + "q" * 200},
        _preimage(
            "t" * 200, "d" * 64, "w" * 64 + ":" + "q" * 200, "agent:7", "team:11", "weekly-report", _D, _DUE
        ),
    ),
    (
        "every fact at its longest: a preimage of more than one chunk of BLAKE3",
        {
            "tenant": "t" * 200, "delivery": "D" * 64, "wake": "W" * 64 + ":" + "Q" * 200, "agent": "a" * 200,
            "destination": "X" * 64 + ":" + "I" * 200, "task": "k" * 200,
        },
        _preimage(
            "t" * 200, "d" * 64, "w" * 64 + ":" + "Q" * 200, "a" * 200, "x" * 64 + ":" + "I" * 200, "k" * 200, _D, _DUE
        ),
    ),
    (
        "capital hex digits become small",
        {"digest": "0123456789ABCDEFabcdef" + "F" * 42},
        _preimage(
            "acme", "http", "schedule", "agent:7", "team:11", "weekly-report",
            "0123456789abcdefabcdef" + "f" * 42, _DUE,
        ),
    ),
    (
        "the first instant: the key begins with zeros",
        {"due": "1970-01-01T00:00:00Z"},
        _preimage(
            "acme", "http", "schedule", "agent:7", "team:11", "weekly-report", _D, "1970-01-01T00:00:00.000000Z"
        ),
    ),
    (
        "999 microseconds are no millisecond",
        {"due": "1970-01-01T00:00:00.000999Z"},
        _preimage(
            "acme", "http", "schedule", "agent:7", "team:11", "weekly-report", _D, "1970-01-01T00:00:00.000999Z"
        ),
    ),
    (
        "an offset that leads into the day before",
        {"due": "2026-12-01 00:30:00.25+05:45"},
        _preimage(
            "acme", "http", "schedule", "agent:7", "team:11", "weekly-report", _D, "2026-11-30T18:45:00.250000Z"
        ),
    ),
    (
        "facts that read like values of JSON",
        {"tenant": "null", "agent": "true", "task": "1e5"},
        _preimage("null", "http", "schedule", "true", "team:11", "1e5", _D, _DUE),
    ),
)  # fmt: skip

# What is changed, or None for a fact that is not there; the code and the fact of the refusal.
_REFUSED: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("the first of two that are missing", {"due": ..., "agent": ...}, "missing", "agent"),
    ("missing comes before unknown", {"due": ..., "colour": "red"}, "missing", "due"),
    ("unknown comes before not a string", {"tenant": None, "colour": "red"}, "unknown", "colour"),
    ("the first unknown name by code points", {"zebra": "x", "Zebra": "x"}, "unknown", "Zebra"),
    ("U+E000 comes before U+1F600, whatever UTF-16 says", {"\U0001f600": "x", "\ue000": "x"}, "unknown", "\ue000"),
    ("the empty name comes first of all", {"a": "x", "": "x"}, "unknown", ""),
    ("a name with a space is another name", {"due ": "x"}, "unknown", "due "),
    ("null is there, and is no string", {"tenant": None}, "not_a_string", "tenant"),
    ("a number is no string", {"agent": 7, "task": 8}, "not_a_string", "agent"),
    ("not a string, of any fact, comes before every form", {"tenant": "", "due": 0}, "not_a_string", "due"),
    ("an empty tenant", {"tenant": ""}, "empty", "tenant"),
    ("201 characters", {"agent": "x" * 201}, "too_long", "agent"),
    ("too long comes before a foreign character", {"task": " " * 201}, "too_long", "task"),
    ("200 characters beyond the first plane are not too long", {"task": "\U0001f600" * 200}, "bad_character", "task"),
    ("a space at the end is not trimmed", {"tenant": "acme "}, "bad_character", "tenant"),
    ("a line feed at the end is not forgiven", {"tenant": "acme\n"}, "bad_character", "tenant"),
    ("a quotation mark", {"task": 'say "x"'}, "bad_character", "task"),
    ("a backslash", {"agent": "a\\b"}, "bad_character", "agent"),
    ("the delete character", {"agent": "a\x7f"}, "bad_character", "agent"),
    ("a letter that is no ASCII", {"tenant": "Zoë"}, "bad_character", "tenant"),
    ("an empty delivery", {"delivery": ""}, "empty", "delivery"),
    ("a delivery of 65 characters is no token", {"delivery": "d" * 65}, "bad_token", "delivery"),
    ("a token does not begin with a digit", {"delivery": "2http"}, "bad_token", "delivery"),
    ("the Kelvin sign does not fold to k", {"delivery": "\u212aafka"}, "bad_token", "delivery"),
    ("a line feed behind a token", {"delivery": "http\n"}, "bad_token", "delivery"),
    ("an empty wake", {"wake": ""}, "empty", "wake"),
    ("a wake that begins with a colon has an empty token", {"wake": ":x"}, "empty", "wake"),
    ("a wake's token comes before its qualifier", {"wake": "1:"}, "bad_token", "wake"),
    ("an empty qualifier", {"wake": "manual:"}, "empty", "wake"),
    ("a qualifier that is too long", {"wake": "manual:" + "x" * 201}, "too_long", "wake"),
    ("a space in a qualifier", {"wake": "manual:a b"}, "bad_character", "wake"),
    ("a bare retry", {"wake": "retry"}, "bad_retry", "wake"),
    ("retry with nothing behind its colon is empty first", {"wake": "retry:"}, "empty", "wake"),
    ("retry zero", {"wake": "retry:0"}, "bad_retry", "wake"),
    ("a retry with a leading zero", {"wake": "RETRY:01"}, "bad_retry", "wake"),
    ("a retry beyond the largest", {"wake": "retry:1000000000"}, "bad_retry", "wake"),
    ("a retry of a retry", {"wake": "retry:1:2"}, "bad_retry", "wake"),
    ("a destination without a colon", {"destination": "team"}, "bad_destination", "destination"),
    ("an empty destination has no colon either", {"destination": ""}, "bad_destination", "destination"),
    ("a destination without a token", {"destination": ":11"}, "empty", "destination"),
    ("a destination without an identifier", {"destination": "team:"}, "empty", "destination"),
    ("a destination whose token is none", {"destination": "te/am:11"}, "bad_token", "destination"),
    ("a destination with a space", {"destination": "team:1 1"}, "bad_character", "destination"),
    ("a destination's identifier of 201 characters", {"destination": "team:" + "x" * 201}, "too_long", "destination"),
    ("63 hex digits", {"digest": "a" * 63}, "bad_digest", "digest"),
    ("65 hex digits", {"digest": "a" * 65}, "bad_digest", "digest"),
    ("an empty digest", {"digest": ""}, "bad_digest", "digest"),
    ("a g among the hex digits", {"digest": "g" + "a" * 63}, "bad_digest", "digest"),
    ("a due without an offset", {"due": "2026-11-30T09:00:00"}, "no_offset", "due"),
    ("a due before 1970", {"due": "1969-12-31T23:59:59.999999Z"}, "out_of_range", "due"),
    ("the facts are judged in their order", {"task": "", "delivery": "!"}, "bad_token", "delivery"),
    ("an earlier fact's worst comes before a later one's first", {"wake": "retry", "agent": ""}, "bad_retry", "wake"),
)  # fmt: skip

# As it stands in the specification.
_EXAMPLE = {
    "tenant": "acme",
    "delivery": "HTTP",
    "wake": "schedule",
    "agent": "agent:7",
    "destination": "Team:11",
    "task": "weekly-report",
    "digest": _D,
    "due": "2026-11-30 10:00:00.5+01:00",
}
_EXAMPLE_ANSWER: dict[str, object] = {
    "key": "01a22bae-b874-8366-8570-3952923f32b0",
    "fingerprint": "036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959",
    "preimage": (
        '["occurrence/1","acme","http","schedule","agent:7","team:11","weekly-report",'
        '"abababababababababababababababababababababababababababababababab","2026-11-30T09:00:00.500000Z"]'
    ),
}


def keys() -> Iterator[Worked]:
    yield entry(
        "hand-key-example",
        "the worked example",
        [_request(_EXAMPLE)],
        _EXAMPLE_ANSWER,
        "specification",
    )
    for number, (about, changes, preimage) in enumerate(_TAKEN, 1):
        request = _request({**_FACTS, **changes})
        yield entry(f"hand-key-{number:02}", about, [request], key_answer(preimage), "by hand")
    for number, (about, spoilt, code, fact) in enumerate(_REFUSED, 1):
        facts = {name: value for name, value in {**_FACTS, **spoilt}.items() if value is not ...}
        yield entry(f"hand-key-refused-{number:02}", about, [_request(facts)], refusal(code, fact), "by hand")
    for number, facts_text in enumerate(("null", "[]", '"acme"', "7", "true"), 1):
        request = f'{{"op":"key","facts":{facts_text}}}'
        yield entry(
            f"hand-key-no-object-{number}",
            f"facts that are {facts_text}",
            [request],
            refusal("not_an_object", "facts"),
            "by hand",
        )


def _request(facts: object) -> str:
    return json.dumps({"op": "key", "facts": facts})
