"""Vectors on disk: one entry a line, and a last line that proves that no line is lost or changed.

An entry holds a request as the raw bytes of its line, and the answer. Requests are often not JSON, and
some are not even UTF-8 or fill a megabyte, so a request is a list of pieces: text, bytes in hex, or a
piece repeated. The last line of a file, the trailer, has the count of its entries, the SHA-256 of all bytes
above it, and the names of all files of the set. Damage therefore fails a run, and so does an absent file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from conformance.values import NotJson, read

ORIGINS = ("specification", "by hand", "agreed")
FOLDER = Path(__file__).parent / "vectors"

# A piece of a request: text; {"hex": "ff"}; {"repeat": "a", "times": 70000}.
Piece: TypeAlias = str | dict[str, object]


class BadVectors(ValueError):
    """A vector file cannot be trusted or understood; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One vector. `about` says what it tries; `origin` who vouches for the answer (ORIGINS)."""

    name: str
    op: str
    request: bytes
    answer: dict[str, object]
    origin: str
    about: str

    @property
    def refusal(self) -> str:
        """The code of the refusal that is expected, or "" for an answer that is none."""
        error = self.answer.get("error", "")
        return error if isinstance(error, str) else ""


def read_folder(folder: Path) -> list[Entry]:
    """Every entry of every file of `folder`, in the order of file names. Raises BadVectors."""
    if not folder.is_dir():
        raise BadVectors(f"{folder} is no folder of vectors")
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise BadVectors(f"{folder} holds no vectors; they are files named *.jsonl")
    names = [file.name for file in files]
    entries = [entry for file in files for entry in _read_file(file, names)]
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            raise BadVectors(f"{folder} has two entries named {entry.name}")
        seen.add(entry.name)
    return entries


def write_files(folder: Path, files: dict[str, list[tuple[Entry, list[Piece]]]]) -> None:
    """Write a whole set: for each file name its entries, each with the pieces of its request."""
    for name, entries in files.items():
        (folder / name).write_bytes(file_bytes(entries, sorted(files)))


def file_bytes(entries: Sequence[tuple[Entry, list[Piece]]], names: list[str]) -> bytes:
    """The bytes of one file of the set that consists of `names`.

    Raises BadVectors where the pieces of a request are not its bytes.
    """
    lines = []
    for entry, pieces in entries:
        if b"".join(map(piece_bytes, pieces)) != entry.request:
            raise BadVectors(f"{entry.name}: the pieces do not make the request")
        written: object = pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else pieces
        line = {
            "name": entry.name,
            "op": entry.op,
            "about": entry.about,
            "origin": entry.origin,
            "request": written,
            "answer": entry.answer,
        }
        lines.append(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    body = b"".join(lines)
    trailer = {"count": len(lines), "sha256": hashlib.sha256(body).hexdigest(), "files": names}
    return body + json.dumps(trailer, separators=(",", ":")).encode() + b"\n"


def _read_file(file: Path, names: list[str]) -> Iterator[Entry]:
    raw = file.read_bytes()
    if not raw.endswith(b"\n"):
        raise BadVectors(f"{file} is empty or truncated: its last line, with count and digest, is not whole")
    body_end = raw.rfind(b"\n", 0, -1) + 1
    lines = raw[:body_end].split(b"\n")[:-1]
    trailer = _object(file, len(lines) + 1, raw[body_end:-1])
    if trailer.keys() != {"count", "sha256", "files"}:
        raise BadVectors(f"{file} is truncated: its last line is not a trailer with count and digest")
    if trailer["count"] != len(lines):
        raise BadVectors(
            f"{file} is damaged: it has {len(lines)} entries, its trailer counts {trailer['count']}"
        )
    if trailer["sha256"] != hashlib.sha256(raw[:body_end]).hexdigest():
        raise BadVectors(f"{file} is damaged: its bytes do not have the digest of its trailer")
    if trailer["files"] != names:
        raise BadVectors(f"{file} belongs to the files {trailer['files']}, the folder has {names}")
    for number, line in enumerate(lines, 1):
        yield _entry(file, number, line)


def _entry(file: Path, number: int, line: bytes) -> Entry:
    found = _object(file, number, line)
    texts = {name: found.get(name) for name in ("name", "op", "about", "origin")}
    answer = found.get("answer")
    if found.keys() != {*texts, "request", "answer"} or not isinstance(answer, dict):
        raise BadVectors(f"{file}:{number}: an entry has name, op, about, origin, request and answer")
    for name, text in texts.items():
        if not isinstance(text, str) or not text:
            raise BadVectors(f"{file}:{number}: {name} is to be text")
    if texts["origin"] not in ORIGINS:
        raise BadVectors(f"{file}:{number}: the origin is to be one of {', '.join(ORIGINS)}")
    request = found["request"]
    pieces = request if isinstance(request, list) else [request]
    try:
        raw = b"".join(map(piece_bytes, pieces))
    except (TypeError, ValueError, KeyError) as error:
        raise BadVectors(
            f"{file}:{number}: the request is not text, hex or repeated pieces: {error}"
        ) from error
    return Entry(str(texts["name"]), str(texts["op"]), raw, answer, str(texts["origin"]), str(texts["about"]))


def piece_bytes(piece: object) -> bytes:
    if isinstance(piece, str):
        return piece.encode()
    if isinstance(piece, dict) and piece.keys() == {"hex"}:
        return bytes.fromhex(piece["hex"])
    if isinstance(piece, dict) and piece.keys() == {"repeat", "times"}:
        times = piece["times"]
        if isinstance(times, int) and 0 <= times <= 2**22:
            return piece_bytes(piece["repeat"]) * times
    raise ValueError(f"no piece of a request: {piece!r}")


def _object(file: Path, number: int, line: bytes) -> dict[str, object]:
    try:
        found = read(line)
    except NotJson as error:
        raise BadVectors(f"{file}:{number}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadVectors(f"{file}:{number}: not an object")
    return found
