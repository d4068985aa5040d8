"""The ledger as an implementation under test: one JSON request a line in, one JSON answer a line out.

This is how implementations in any language are held to agree byte for byte (I19). The judge knows
nothing of this package, and this module knows nothing of the judge. No line ends the program: one that
is no request is answered like any other.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import BinaryIO, TypeAlias

from ledger import strict_json
from ledger.authored.fold import fold
from ledger.authored.models import Definition
from ledger.errors import FactRefused, TaskRefused
from ledger.facts import instant_text, read_facts, read_instant
from ledger.keys import derive, digest
from projector.slots import schedule_of

MAX_LINE_BYTES = 2**20
MAX_NESTING = 100
MAX_COUNT = 1000
# Before this nobody asks for slots: zones had no rules yet.
EARLIEST_AFTER = datetime(1800, 1, 1, tzinfo=UTC)

Answer: TypeAlias = dict[str, object]
_Request: TypeAlias = Mapping[str, object]

BAD_REQUEST: Answer = {"error": "bad_request", "fact": "request"}


def main() -> None:
    """Serve standard input to standard output until it ends."""
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer each line of `source` on `sink`, in order, flushing each."""
    for line in _lines(source):
        sink.write(json.dumps(_answer_always(line), separators=(",", ":")).encode("ascii") + b"\n")
        sink.flush()


def answer(line: bytes | None) -> Answer:
    """The answer to one line (without its line feed); None stands for a line that was too long."""
    request = _read_request(line)
    if request is None:
        return BAD_REQUEST
    try:
        return _OPS[str(request["op"])][1](request)
    except FactRefused as error:
        return {"error": error.code, "fact": error.fact}


def _answer_always(line: bytes | None) -> Answer:
    try:
        return answer(line)
    except Exception as error:  # noqa: BLE001 - no line ends the program; a defect is told, not hidden
        traceback.print_exc()
        return {"error": "internal", "fact": "request", "message": f"{type(error).__name__}: {error}"}


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Lines that end at a line feed alone; None for one that is too long, whose rest is passed over."""
    while line := source.readline(MAX_LINE_BYTES + 1):
        if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line.removesuffix(b"\n")
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(MAX_LINE_BYTES)
        yield None


def _read_request(line: bytes | None) -> _Request | None:
    """A request that has exactly the members of its op, or None for whatever is a bad request."""
    if line is None:
        return None
    try:
        request = strict_json.read(line)
    except strict_json.NotJson:
        return None
    if not isinstance(request, dict) or isinstance(request, strict_json.Doubled):
        return None
    op = request.get("op")
    if not isinstance(op, str) or op not in _OPS or request.keys() != _OPS[op][0]:
        return None
    found = strict_json.inspect(request)
    # Inside `authored`, the one other member of a digest request, these two have codes of their own.
    unclean = op != "digest" and (found.doubled or found.bad_text)
    return None if unclean or found.depth > MAX_NESTING else request


def _key(request: _Request) -> Answer:
    derived = derive(read_facts(request["facts"]))
    return {
        "key": str(derived.key),
        "fingerprint": derived.fingerprint.hex(),
        "preimage": derived.preimage,
    }


def _digest(request: _Request) -> Answer:
    digested = digest(request["authored"])
    return {"digest": digested.digest.hex(), "canonical": digested.canonical}


def _due(request: _Request) -> Answer:
    return {"due": instant_text(read_instant(request["text"], "due"))}


def _fold(request: _Request) -> Answer:
    try:
        folded = fold(request["task"])
    except TaskRefused as error:
        return {"error": "bad_task", "fact": error.path, "message": error.message}
    return {"authored": folded.authored, "digest": folded.digest.hex()}


def _slots(request: _Request) -> Answer:
    """The first `count` slots strictly after `after` of a schedule that some task could have."""
    try:
        folded = fold({"entrypoint": "-", "schedule": request["schedule"]})
        slots = schedule_of(Definition.of(folded.canonical).schedule)
    except TaskRefused as error:
        return {"error": "bad_schedule", "fact": "schedule", "message": error.message}
    instant: datetime | None = read_instant(request["after"], "after", EARLIEST_AFTER)
    count = request["count"]
    if isinstance(count, float) and count.is_integer():
        count = int(count)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_COUNT:
        raise FactRefused("bad_count", "count", f"must be a whole number from 1 to {MAX_COUNT}")
    found: list[str] = []
    while len(found) < count and instant is not None:
        instant = slots.next(instant)
        if instant is not None:
            found.append(instant_text(instant))
    return {"slots": found, "ended": len(found) < count}


_OPS: dict[str, tuple[frozenset[str], Callable[[_Request], Answer]]] = {
    "key": (frozenset({"op", "facts"}), _key),
    "digest": (frozenset({"op", "authored"}), _digest),
    "due": (frozenset({"op", "text"}), _due),
    "fold": (frozenset({"op", "task"}), _fold),
    "slots": (frozenset({"op", "schedule", "after", "count"}), _slots),
}

if __name__ == "__main__":
    main()
