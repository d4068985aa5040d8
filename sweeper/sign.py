"""What a vital sign is: a word, what was seen, since when, and the rows behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

Word: TypeAlias = Literal["good", "bad", "note"]


@dataclass(frozen=True, slots=True)
class Sign:
    """One vital sign: `bad` makes the ledger unhealthy, a `note` is for a person to know. `at` dates it."""

    name: str
    word: Word
    says: str
    at: datetime | None = None
    evidence: Sequence[Mapping[str, object]] = field(default_factory=tuple)
