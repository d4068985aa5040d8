"""What this release of the package derives with; a database of other numbers is not started on (I20)."""

from __future__ import annotations

from importlib.metadata import version
from typing import NamedTuple


class Release(NamedTuple):
    """The numbers that the `settings` row must show."""

    key_version: int
    digest_version: int
    dialect: int
    tzdata: str


RELEASE = Release(key_version=1, digest_version=1, dialect=1, tzdata=version("tzdata"))
