"""What this release of the package derives with; a database of other numbers is not started on (I20)."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import NamedTuple


class Release(NamedTuple):
    """The numbers that the `settings` row must show."""

    key_version: int
    digest_version: int
    dialect: int
    tzdata: str


RELEASE = Release(key_version=1, digest_version=1, dialect=1, tzdata=version("tzdata"))


def newer(tzdata: str, other: str) -> bool:
    """Whether a release of tzdata, such as `2026.6`, came after another one."""
    one, two = ([int(n) for n in re.findall(r"\d+", text)] for text in (tzdata, other))
    return one > two
