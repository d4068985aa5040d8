"""Definitions by their digests, read from the ledger once for each process."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ledger.authored.models import Definition
from ledger.moves.step import Move, ask
from ledger.statements.acts import READ_DEFINITIONS


@lru_cache(maxsize=32_768)
def parse(canonical: str) -> Definition:
    """A stored text as a definition; the text of one digest never changes, so this may be kept."""
    return Definition.of(canonical)


class _Known:
    """The texts read so far, by (tenant, digest), bounded: the oldest go first."""

    def __init__(self, limit: int = 32_768) -> None:
        self.limit = limit
        self.texts: dict[tuple[str, bytes], str] = {}

    def keep(self, name: tuple[str, bytes], text: str) -> None:
        while len(self.texts) >= self.limit:
            del self.texts[next(iter(self.texts))]
        self.texts[name] = text


_known = _Known()


def read_definitions(names: Collection[tuple[str, bytes]]) -> Move[dict[tuple[str, bytes], str]]:
    """The canonical texts of (tenant, digest) pairs; one that the ledger does not hold is left out."""
    missing = [name for name in dict.fromkeys(names) if name not in _known.texts]
    found = {name: _known.texts[name] for name in names if name in _known.texts}
    if missing:
        tenants, digests = zip(*missing, strict=True)
        for row in (yield from ask(READ_DEFINITIONS(tenants=list(tenants), digests=list(digests)))):
            found[row.tenant, row.digest] = row.canonical
            _known.keep((row.tenant, row.digest), row.canonical)
    return found
