"""A vector file that is damaged, cut, empty or not there fails the run; nothing is read half."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from conformance.entries import BadVectors, Entry, Piece, file_bytes, read_folder, write_files

_ONE: list[tuple[Entry, list[Piece]]] = [
    (
        Entry("a", "due", b"x\xffyy", {"due": "z"}, "by hand", "one"),
        ["x", {"hex": "ff"}, {"repeat": "y", "times": 2}],
    ),
    (Entry("b", "due", b"plain", {"error": "e", "fact": "f"}, "agreed", "two"), ["plain"]),
]


def folder(tmp_path: Path) -> Path:
    write_files(tmp_path, {"one.jsonl": _ONE, "two.jsonl": []})
    return tmp_path


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    assert read_folder(folder(tmp_path)) == [entry for entry, _ in _ONE]


def test_each_byte_that_is_changed_is_seen(tmp_path: Path) -> None:
    file = folder(tmp_path) / "one.jsonl"
    raw = file.read_bytes()
    for place in range(len(raw)):
        file.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(BadVectors):
            read_folder(tmp_path)


def test_each_place_where_it_is_cut_is_seen(tmp_path: Path) -> None:
    file = folder(tmp_path) / "one.jsonl"
    raw = file.read_bytes()
    for length in range(len(raw)):
        file.write_bytes(raw[:length])
        with pytest.raises(BadVectors):
            read_folder(tmp_path)


def test_a_line_lost_or_doubled_is_seen(tmp_path: Path) -> None:
    file = folder(tmp_path) / "one.jsonl"
    first, second, trailer = file.read_bytes().splitlines(keepends=True)
    for lines in (
        [second, trailer],
        [first, trailer],
        [trailer],
        [first, first, second, trailer],
        [second, first, trailer],
    ):
        file.write_bytes(b"".join(lines))
        with pytest.raises(BadVectors, match="damaged"):
            read_folder(tmp_path)


def test_a_file_that_is_not_there_is_seen(tmp_path: Path) -> None:
    (folder(tmp_path) / "two.jsonl").unlink()
    with pytest.raises(BadVectors, match="belongs to the files"):
        read_folder(tmp_path)


def test_no_folder_and_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(BadVectors, match="no folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(BadVectors, match="holds no vectors"):
        read_folder(tmp_path)


def test_two_entries_of_one_name(tmp_path: Path) -> None:
    write_files(tmp_path, {"one.jsonl": [*_ONE, _ONE[0]]})
    with pytest.raises(BadVectors, match="two entries named a"):
        read_folder(tmp_path)


_LINE = {"name": "a", "op": "due", "about": "x", "origin": "by hand", "request": "x", "answer": {}}


@pytest.mark.parametrize(
    "line",
    [
        {name: value for name, value in _LINE.items() if name != "answer"},
        {**_LINE, "origin": "guessed"},
        {**_LINE, "name": ""},
        {**_LINE, "request": 7},
        {**_LINE, "request": [{"hex": "f"}]},
        {**_LINE, "request": [{"repeat": "x", "times": 1e9}]},
        {**_LINE, "request": [{"repeat": "x", "times": -1}]},
        {**_LINE, "answer": []},
        {**_LINE, "more": 1},
        ["a"],
    ],
)
def test_an_entry_that_cannot_be_understood(tmp_path: Path, line: object) -> None:
    body = json.dumps(line).encode() + b"\n"
    trailer = {"count": 1, "sha256": hashlib.sha256(body).hexdigest(), "files": ["one.jsonl"]}
    (tmp_path / "one.jsonl").write_bytes(body + json.dumps(trailer).encode() + b"\n")
    with pytest.raises(BadVectors, match=r"one\.jsonl:1: "):
        read_folder(tmp_path)


def test_pieces_that_do_not_make_the_request_are_not_written() -> None:
    with pytest.raises(BadVectors, match="the pieces do not make the request"):
        file_bytes([(_ONE[0][0], ["other"])], ["one.jsonl"])
