"""Reading task files: YAML or JSON, from a path or from standard input.

YAML is read as its own core schema reads it, as JSON with fewer quotes: `on` and `no` are words, not
switches, and a date is text. Of two members with one name none is dropped in silence.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml

from ledger.errors import BadInput
from ledger.facts import read_identifier, shown
from ledger.strict_json import NotJson, inspect, read
from projector.door import read_task
from projector.moves.apply import Stated

# Bytes of a file at most: some ten thousand tasks.
FILE_MOST = 16 * 2**20
# Members that a file may write beside the authored ones.
_BESIDE = ("enabled", "allow_duplicate")


class _Core(yaml.SafeLoader):
    """Values as JSON has them; anything else is text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name


for _tag, _form, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-0123456789")),
):
    _Core.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_form})$"), _first)


def _mapping(loader: _Core, node: yaml.MappingNode) -> dict[object, object]:
    members: dict[object, object] = {}
    for name_node, value_node in node.value:
        name = loader.construct_object(name_node, deep=True)
        if not isinstance(name, str):
            raise yaml.MarkedYAMLError(
                problem="a name must be text: write it in quotes", problem_mark=name_node.start_mark
            )
        if name in members:
            raise yaml.MarkedYAMLError(
                problem=f"{name!r} stands twice in one object", problem_mark=name_node.start_mark
            )
        members[name] = loader.construct_object(value_node, deep=True)
    return members


_Core.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_file(path: str) -> object:
    """The value of a YAML or JSON file; `-` is standard input. Raises `BadInput`, naming file and place."""
    name = "standard input" if path == "-" else path
    try:
        data = sys.stdin.buffer.read(FILE_MOST + 1) if path == "-" else _bytes(path)
    except OSError as error:
        raise BadInput(f"{name}: cannot be read: {error.strerror or error}") from error
    if len(data) > FILE_MOST:
        raise BadInput(f"{name}: is larger than {FILE_MOST // 2**20} MiB; split it")
    if path.endswith(".json"):
        try:
            value = read(data)
        except NotJson as error:
            raise BadInput(f"{name}: {error}") from error
        if inspect(value).doubled:
            raise BadInput(f"{name}: one name stands twice in an object; keep one of the two")
        return value
    return read_yaml(data, name)


def read_yaml(data: bytes, name: str) -> object:
    """The value of YAML, or of JSON, which is YAML too. Raises `BadInput`, with its name and the place."""
    try:
        return yaml.load(data.decode(), _Core)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BadInput(f"{name}: not YAML{where}: {error.problem or error.context}") from error
    except RecursionError as error:
        raise BadInput(f"{name}: is nested too deeply to be read") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise BadInput(f"{name}: not YAML in UTF-8: {error}") from error


def read_stated(path: str) -> list[Stated]:
    """The tasks of a file: an object `tasks`, from id to the task's object. Raises `BadInput`."""
    value = read_file(path)
    if not isinstance(value, dict) or set(value) != {"tasks"} or not isinstance(value["tasks"], dict):
        raise BadInput(
            f"{path}: write one object `tasks`, from each task's id to its object: "
            "tasks: {report: {entrypoint: make_report, schedule: {cron: '0 9 * * MON'}}}"
        )
    return [_stated(path, task, what) for task, what in value["tasks"].items()]


def _stated(path: str, task: object, what: object) -> Stated:
    if not isinstance(what, dict):
        raise BadInput(f"{path}: task {shown(task)} must be an object, not {shown(what)}")
    beside = {name: what[name] for name in _BESIDE if what.get(name) is not None}
    for name, switch in beside.items():
        if not isinstance(switch, bool):
            raise BadInput(f"{path}: task {shown(task)}: {name} is true or false, not {shown(switch)}")
    try:
        folded = read_task({name: member for name, member in what.items() if name not in _BESIDE})
        return Stated(
            read_identifier(task, "task"), folded, beside.get("enabled"), bool(beside.get("allow_duplicate"))
        )
    except BadInput as error:
        refused = BadInput(f"{path}: task {shown(task)}: {error}")
        refused.excerpt = error.excerpt
        raise refused from error


def _bytes(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(FILE_MOST + 1)
