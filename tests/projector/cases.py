"""The cases from the wild, read from `data/cron_cases.jsonl`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NotRequired, TypedDict


class Case(TypedDict):
    """A cron text and, after an instant in a zone, its slots; or that it is refused."""

    id: str
    must: str
    cron: str
    seconds: NotRequired[bool]
    zone: NotRequired[str]
    after: NotRequired[str]
    slots: NotRequired[list[str]]
    refused: NotRequired[bool]


def _cases() -> list[Case]:
    lines = files("tests.projector").joinpath("data", "cron_cases.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


CASES = _cases()
