"""The names of time zones: the lines of the `zones` file of the pinned tzdata package.

The host's own zone files are never asked: two hosts would then take two sets of names, and one of
them would keep a task that the other cannot read (I9, I20).
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files

_NEAREST = 3


@cache
def zone_names() -> frozenset[str]:
    """Every name of the pinned release, links too."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").splitlines())


@lru_cache(maxsize=1024)
def read_zone(name: str) -> bytes:
    """The file of a zone. Raises LookupError where there is none, each time: an install may be mended."""
    try:
        content = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        content = b""
    if not content.startswith(b"TZif"):
        raise LookupError(name)
    return content


def is_zone(name: str) -> bool:
    """Whether the pinned release has a zone: a name of its list, with the file that belongs to it."""
    if name not in zone_names():
        return False
    try:
        read_zone(name)
    except LookupError:
        return False
    return True


def unknown_zone(name: str) -> str:
    """What to say of a name that is no zone, with the zones whose name, or city, is most like it."""
    words = _words()
    matches = get_close_matches(name[:64].lower().replace(" ", "_"), words, n=2 * _NEAREST)
    near = [zone for zone in dict.fromkeys(words[match] for match in matches) if is_zone(zone)][:_NEAREST]
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; write one such as 'Europe/Paris'"
    return f"is no zone of tzdata {version('tzdata')}{hint}"


@cache
def _words() -> dict[str, str]:
    """Zones by what people write for them: the whole name, or its last part alone; the shortest name wins."""
    words: dict[str, str] = {}
    for name in sorted(zone_names(), key=lambda name: (-len(name), name)):
        words[name.lower().rpartition("/")[2]] = name
    return words | {name.lower(): name for name in zone_names()}
