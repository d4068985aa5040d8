"""Makes the vectors that nobody worked by hand: `python -m conformance.gather`.

It generates requests, asks both implementations, run apart from each other, and keeps an answer only where
the two agree. One difference, and nothing is written. `--check` writes nothing and tells whether the
files are what it would write. The file worked by hand is not touched: see tests/conformance/by_hand.py.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator

from conformance.entries import FOLDER, Entry, Piece, file_bytes, piece_bytes
from conformance.making.digest_set import digests
from conformance.making.due_set import due_texts
from conformance.making.fold_set import folds
from conformance.making.key_set import keys
from conformance.making.sets import Candidate, requests
from conformance.making.slot_set import slot_requests
from conformance.pair import Pair, agreed

BY_HAND = "by-hand.jsonl"
SETS: dict[str, Callable[[], Iterator[Candidate]]] = {
    "key": keys,
    "digest": digests,
    "due": due_texts,
    "fold": folds,
    "slots": slot_requests,
    "request": requests,
}
FILES = sorted([BY_HAND, *(f"{op}.jsonl" for op in SETS)])
_BURST = 200
_LONG_RUN = re.compile(r"(.)\1{199,}", re.DOTALL)


class Disagreement(Exception):
    """The two implementations answer a request differently, so it cannot become a vector."""


def gathered() -> dict[str, bytes]:
    """Each file of agreed vectors as it should be. Raises Disagreement, with every difference."""
    files: dict[str, bytes] = {}
    differences: list[str] = []
    with Pair() as pair:
        for op, make in SETS.items():
            entries = list(_entries(pair, op, _unique(make()), differences))
            files[f"{op}.jsonl"] = file_bytes(entries, FILES)
        pair.finish()
    if differences:
        raise Disagreement("\n".join(differences))
    return files


def _unique(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each request once, by its bytes; the first to ask it says what it is about."""
    found: dict[bytes, Candidate] = {}
    for candidate in candidates:
        found.setdefault(_bytes(candidate.pieces), candidate)
    return list(found.values())


def _entries(
    pair: Pair, op: str, candidates: list[Candidate], differences: list[str]
) -> Iterator[tuple[Entry, list[Piece]]]:
    for start in range(0, len(candidates), _BURST):
        burst = candidates[start : start + _BURST]
        lines = [_bytes(candidate.pieces) for candidate in burst]
        for candidate, line, (product, other) in zip(burst, lines, pair.ask(lines), strict=True):
            answer = agreed(product, other)
            if answer is None:
                differences.append(
                    f"{op}, {candidate.about}: {line[:300]!r}\n  product     {product[:300]!r}\n"
                    f"  JavaScript  {other[:300]!r}"
                )
                continue
            # Named by its bytes, so that a vector more does not rename the others.
            name = f"{op}-{hashlib.sha256(line).hexdigest()[:10]}"
            yield Entry(name, op, line, answer, "agreed", candidate.about), _pieces(candidate.pieces)


def _pieces(pieces: list[Piece]) -> list[Piece]:
    """The same bytes, with long runs of one character written as repeats."""
    found: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, str):
            found.append(piece)
            continue
        at = 0
        for run in _LONG_RUN.finditer(piece):
            found += [piece[at : run.start()], {"repeat": run[1], "times": len(run[0])}]
            at = run.end()
        found.append(piece[at:])
    return [piece for piece in found if piece != ""] or [""]


def _bytes(pieces: list[Piece]) -> bytes:
    return b"".join(map(piece_bytes, pieces))


def main() -> int:
    """The command line. Exit code 0: written, or as it should be. 1: a difference."""
    parser = argparse.ArgumentParser(prog="python -m conformance.gather", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the files are right")
    check = parser.parse_args().check
    try:
        files = gathered()
    except Disagreement as error:
        print(f"the implementations differ, so nothing was written:\n{error}", file=sys.stderr)
        return 1
    stale = [name for name, raw in files.items() if (FOLDER / name).read_bytes() != raw] if check else []
    for name, raw in files.items():
        if not check:
            (FOLDER / name).write_bytes(raw)
        count = len(raw.splitlines()) - 1
        print(f"{name}: {count} vectors, {len(raw)} bytes{', not as committed' if name in stale else ''}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
