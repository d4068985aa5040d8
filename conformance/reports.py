"""What a run says: for people, for programs (JSON), and for build servers (JUnit)."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from conformance.runner import NOT_ASKED, Outcome, Verdict
from conformance.values import difference

# Differences that the text shows in full; the JSON and JUnit reports have them all.
SHOWN = 20
_REQUEST_SHOWN = 200


def counts(outcome: Outcome) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]]:
    """Per operation and per expected refusal: how many were asked, and how many agree."""
    return (
        _tally((verdict.entry.op, verdict.agrees) for verdict in outcome.verdicts),
        _tally(
            (verdict.entry.refusal, verdict.agrees) for verdict in outcome.verdicts if verdict.entry.refusal
        ),
    )


def text(outcome: Outcome) -> str:
    """The run for people: what differed, byte by byte, then the counts, and last the verdict."""
    return "\n".join(_text_lines(outcome)) + "\n"


def write_json(outcome: Outcome, file: Path) -> None:
    """The run for programs. Raises OSError."""
    operations, refusals = counts(outcome)
    file.write_text(
        json.dumps(
            {
                "command": outcome.command,
                "passed": outcome.passed,
                "asked": len(outcome.verdicts),
                "agreed": sum(verdict.agrees for verdict in outcome.verdicts),
                "not_implemented": len(outcome.lacking),
                "operations": {op: {"asked": n, "agreed": k} for op, (n, k) in operations.items()},
                "refusals": {code: {"asked": n, "agreed": k} for code, (n, k) in refusals.items()},
                "faults": outcome.faults,
                "differences": [_as_json(verdict) for verdict in outcome.differing],
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


def write_junit(outcome: Outcome, file: Path) -> None:
    """The run as JUnit's XML: a test case for each entry, one more for the protocol. Raises OSError."""
    differing = outcome.differing
    suite = ElementTree.Element(
        "testsuite",
        name="conformance",
        tests=str(len(outcome.verdicts) + 1),
        failures=str(len(differing) + bool(outcome.faults)),
        errors="0",
        skipped=str(len(outcome.lacking)),
    )
    for verdict in outcome.verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"conformance.{verdict.entry.op}", name=verdict.entry.name
        )
        if verdict.lacks:
            ElementTree.SubElement(case, "skipped", message="not implemented, as may be")
        if verdict.what:
            failure = ElementTree.SubElement(case, "failure", message=_printable(verdict.what))
            failure.text = "\n".join(_shown(verdict))
    case = ElementTree.SubElement(suite, "testcase", classname="conformance", name="the protocol is kept")
    if outcome.faults:
        failure = ElementTree.SubElement(case, "failure", message=_printable(outcome.faults[0]))
        failure.text = "\n".join(map(_printable, outcome.faults))
    ElementTree.indent(suite)
    file.write_bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n")


def _text_lines(outcome: Outcome) -> Iterator[str]:
    differing = outcome.differing
    asked = [verdict for verdict in differing if verdict.what != NOT_ASKED]
    for verdict in asked[:SHOWN]:
        yield from _shown(verdict)
        yield ""
    if len(asked) > SHOWN:
        yield f"… and {len(asked) - SHOWN} more differences; --json FILE lists them all"
        yield ""
    operations, refusals = counts(outcome)
    yield from _table("operation", operations)
    yield ""
    yield from _table("refusal", refusals)
    yield ""
    origins = Counter(verdict.entry.origin for verdict in outcome.verdicts)
    yield "vouched for: " + ", ".join(f"{origin} {n}" for origin, n in sorted(origins.items()))
    yield f"under test: {shlex.join(outcome.command)}"
    for fault in outcome.faults:
        yield f"fault: {_printable(fault)}"
    every = len(outcome.verdicts)
    if outcome.passed and outcome.lacking:
        lack = len(outcome.lacking)
        yield f"{every - lack} of {every} vectors agree, {lack} not implemented, as may be; none differs"
    elif outcome.passed:
        yield f"all {every} vectors agree"
    else:
        yield f"{len(differing)} of {every} vectors differ, {len(outcome.faults)} faults of the program"


def _shown(verdict: Verdict) -> Iterator[str]:
    entry = verdict.entry
    yield f"{entry.name} ({entry.origin}): {_printable(entry.about)}"
    yield f"  {_printable(verdict.what)}"
    yield f"  request   {_cut(entry.request)}"
    if verdict.answered is None:
        yield f"  expected  {_cut(verdict.expected_bytes)}" if verdict.expected_bytes else "  no answer"
    elif not verdict.answered_bytes:
        yield f"  expected  {_cut(verdict.expected_bytes)}"
        yield f"  answered  {_cut(verdict.answered)}"
    elif verdict.answered_bytes != verdict.expected_bytes:
        parted = difference(verdict.expected_bytes, verdict.answered_bytes)
        yield f"  expected  {parted.expected}"
        yield f"  answered  {parted.answered}"
        yield f"            {' ' * parted.mark}^ byte {parted.at}"


def _as_json(verdict: Verdict) -> dict[str, object]:
    found: dict[str, object] = {
        "name": verdict.entry.name,
        "origin": verdict.entry.origin,
        "about": verdict.entry.about,
        "what": verdict.what,
        "request": _cut(verdict.entry.request),
        "expected": verdict.entry.answer,
        "answered": None if verdict.answered is None else verdict.answered.decode(errors="backslashreplace"),
    }
    if verdict.answered_bytes and verdict.answered_bytes != verdict.expected_bytes:
        found["byte"] = difference(verdict.expected_bytes, verdict.answered_bytes).at
    return found


def _table(title: str, rows: dict[str, tuple[int, int]]) -> Iterator[str]:
    wide = max(len(name) for name in [title, *rows])
    yield f"{title:<{wide}}  asked  agreed"
    for name, (asked, agreed) in rows.items():
        yield f"{name:<{wide}}  {asked:>5}  {agreed:>6}"


def _tally(pairs: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    asked: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    for name, agrees in pairs:
        asked[name] += 1
        agreed[name] += agrees
    return {name: (asked[name], agreed[name]) for name in sorted(asked)}


def _cut(raw: bytes) -> str:
    shown = _printable(raw[:_REQUEST_SHOWN].decode(errors="backslashreplace"))
    return shown if len(raw) <= _REQUEST_SHOWN else f"{shown}… ({len(raw)} bytes)"


def _printable(written: str) -> str:
    """Text of one line that a terminal and an XML file can hold."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape", "surrogatepass").decode("ascii")
        for sign in written
    )
