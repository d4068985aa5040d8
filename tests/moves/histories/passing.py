"""The slots that a row stands in for without running them, and what it keeps of them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from tests.moves.own_governor import OwnVersion
from tests.moves.own_keys import own_text

PASSED_MOST = 1000

Passed = list[dict[str, object]] | None


class Passing(NamedTuple):
    """Slots before an instant are passed over, and why."""

    until: datetime
    why: str

    @property
    def reason(self) -> str:
        """What the rows say of it: too late for its grace, a slot is missed as any other."""
        return "misfire" if self.why == "grace" else self.why


def passed_over(
    version: OwnVersion, span: tuple[datetime, datetime], wished: datetime | None, passing: Passing | None
) -> Passed:
    """What a row keeps of the slots that it stands in for: for each what held it back first."""
    slots = version.to_pass(*span)
    passes = [(passing.until, passing.reason)] if passing else []
    spans = [(version.paused_until, "paused"), *passes, (wished, "hint")]
    kept = []
    for until, why in spans:
        held = [slot for slot in slots if until is not None and slot < until]
        kept.append(_kept(held, why))
        slots = slots[len(held) :]
    kept.append(_kept(slots, "clamp"))
    return [entry for entry in kept if entry] or None


def _kept(slots: list[datetime], reason: str) -> dict[str, object]:
    """One entry of `passed`, exact to a thousand."""
    if not slots:
        return {}
    kept: dict[str, object] = {
        "first": own_text(slots[0]),
        "last": own_text(slots[-1]),
        "count": min(len(slots), PASSED_MOST),
        "reason": reason,
    }
    return kept | {"more": True} if len(slots) > PASSED_MOST else kept
