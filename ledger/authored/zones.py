"""The names of time zones: the lines of the `zones` file of the pinned tzdata package.

The host's own zone files are never asked: two hosts would then take two sets of names, and one of
them would keep a task that the other cannot read (I9, I20).
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.resources import files

from ledger.authored.members import nearest


@cache
def zone_names() -> frozenset[str]:
    """Every name of the pinned release, links too."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").splitlines())


def unknown_zone(name: str) -> str:
    """What to say of a name that is no zone."""
    return f"is no zone of tzdata {version('tzdata')}{nearest(name, zone_names())}"
