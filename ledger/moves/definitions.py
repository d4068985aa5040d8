"""Definitions by their digests, read from the ledger once for each process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from ledger.authored.models import Definition
from ledger.moves.step import Call, Move, ask
from ledger.statements.acts import READ_DEFINITIONS, DefinitionText


@lru_cache(maxsize=32_768)
def parse(canonical: str) -> Definition:
    """A stored text as a definition; the text of one digest never changes, so this may be kept."""
    return Definition.of(canonical)


class _Known:
    """The texts read so far, by (tenant, digest); where they are too many, the older half goes.

    Threads share it without a lock: what one of them keeps while another takes the half away is read again.
    """

    def __init__(self, limit: int = 32_768) -> None:
        self.limit = limit
        self.texts: dict[tuple[str, bytes], str] = {}

    def keep(self, rows: Sequence[DefinitionText]) -> None:
        texts = self.texts
        for row in rows:
            texts[row.tenant, row.digest] = row.canonical
        if len(texts) > self.limit:
            self.texts = dict(list(texts.items())[self.limit // 2 :])


_known = _Known()


def read_definitions(names: Collection[tuple[str, bytes]]) -> Move[dict[tuple[str, bytes], str]]:
    """The canonical texts of (tenant, digest) pairs; one that the ledger does not hold is left out."""
    call = unread_definitions(names)
    return kept_definitions(names, [] if call is None else (yield from ask(call)))


def unread_definitions(names: Collection[tuple[str, bytes]]) -> Call[DefinitionText] | None:
    """The statement for those that this process has not read yet, for a pipeline; its rows go to
    `kept_definitions`. None where all are known.
    """
    missing = [name for name in dict.fromkeys(names) if name not in _known.texts]
    if not missing:
        return None
    tenants, digests = zip(*missing, strict=True)
    return READ_DEFINITIONS(tenants=list(tenants), digests=list(digests))


def kept_definitions(
    names: Collection[tuple[str, bytes]], read: Sequence[DefinitionText]
) -> dict[tuple[str, bytes], str]:
    """What `read_definitions` answers, from what was known and what was just read; that is kept."""
    # Whatever goes between the look and the reading is gone for this answer too: each is looked at once.
    known = ((name, _known.texts.get(name)) for name in names)
    found = {name: text for name, text in known if text is not None}
    found |= {(row.tenant, row.digest): row.canonical for row in read}
    if read:
        _known.keep(read)
    return found
