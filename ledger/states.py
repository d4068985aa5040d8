"""The states of an occurrence, and the only transitions that are legal (I6)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal[
    "pending",
    "running",
    "succeeded",
    "failed",
    "timed_out",
    "lost",
    "cancelled",
    "skipped",
    "retired",
    "ended",
]

# What a handler, or the platform's own runtime, may report.
Outcome: TypeAlias = Literal["succeeded", "failed"]

# From a run to how it may close.
Closed: TypeAlias = Literal["succeeded", "failed", "timed_out", "lost", "cancelled"]

CLOSED: Final = frozenset({"succeeded", "failed", "timed_out", "lost", "cancelled", "skipped"})
# A slot whose last attempt closed like this has failed.
FAILED: Final = frozenset({"failed", "timed_out", "lost"})

# None: the row did not exist. Waiting and set-aside rows are pending ones, outside the due indexes.
TRANSITIONS: Final[dict[State | None, frozenset[State]]] = {
    None: frozenset({"pending", "ended"}),
    "pending": frozenset({"running", "skipped", "retired", "cancelled"}),
    "retired": frozenset({"pending"}),
    "running": frozenset({"succeeded", "failed", "timed_out", "lost", "cancelled"}),
}
