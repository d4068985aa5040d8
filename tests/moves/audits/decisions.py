"""Every decision again from its own row: `after`, `base`, trail and definition give its instant and source.

I10 besides: each slot of the rule within (`after`, `due`) that the row does not stand for is in its `passed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from tests.moves.own_governor import OwnAnswer, OwnHint, OwnVersion, decide, grid, held_off
from tests.moves.own_keys import own_text
from tests.moves.own_slots import MICROSECOND, read

# A count is exact to this many.
_MOST = 1000


def undecided(row: Mapping[str, object], version: OwnVersion) -> Iterator[str]:
    """How a row of a series differs from what its own columns say; nothing where it replays."""
    after, base, due, trail = row["after"], row["base"], row["due"], row["trail"]
    assert isinstance(after, datetime)
    assert isinstance(base, datetime)
    assert isinstance(due, datetime)
    trail = trail if isinstance(trail, dict) else {}
    again = _again(after, base, trail, version)
    found = OwnAnswer(due if row["wake"] != "end" else None, _text(row["source"]))
    if (found.due, found.source) != (again.due, again.source):
        yield f"stands for {found.due} ({found.source}), but its trail gives {again.due} ({again.source})"
    if row["wake"] != again.wake:
        yield f"woken by {row['wake']}, but its trail says {again.wake}"
    slots = version.to_pass(after, due)
    kept = row["passed"] if isinstance(row["passed"], list) else []
    if (why := _not_kept(slots, kept)) is not None:
        yield why
    if again.due is not None and trail.keys().isdisjoint(("misfire", "backoff")):
        yield from _unbounded(due, after, base, version, found.source)


def _again(after: datetime, base: datetime, trail: Mapping[str, object], version: OwnVersion) -> OwnAnswer:
    """What was decided, from the trail; without one, the rule's first slot and nothing else."""
    if "misfire" in trail:
        return grid(after, read(trail["misfire"]), version)
    if "backoff" in trail:
        return held_off(after, base, read(trail["backoff"]), version)
    if not trail:
        due = version.rule.next(after)
        return OwnAnswer(due, version.plain if due else None)
    hints = trail.get("hints", [])
    assert isinstance(hints, list)
    shut = next((trail[why] for why in ("grace", "suspended", "quota", "agent_gone") if why in trail), None)
    too_late = None if shut is None else read(shut)
    return decide(after, base, version, [_hint(hint) for hint in hints], too_late)


def _hint(told: Mapping[str, object]) -> OwnHint:
    every, at = told.get("every_s"), told.get("at")
    return OwnHint(
        str(told["kind"]),
        read(told["given"]),
        read(told["expires"]),
        None if every is None else timedelta(seconds=float(str(every))),
        None if at is None else read(at),
    )


def _not_kept(slots: list[datetime], kept: list[dict[str, object]]) -> str | None:
    """How the slots that were passed over differ from what the row keeps of them: in order, none twice."""
    left = list(slots)
    for entry in kept:
        first, last, count = read(entry["first"]), read(entry["last"]), int(str(entry["count"]))
        n = sum(slot <= last for slot in left)
        if not n or (left[0], left[n - 1], min(n, _MOST)) != (first, last, count):
            return (
                f"passed over {count} from {own_text(first)} to {own_text(last)}, of {len(left)}: {left[:1]}"
            )
        left = left[n:]
    return f"passed over {len(left)} slots from {own_text(left[0])} on without a word" if left else None


def _unbounded(
    due: datetime, after: datetime, base: datetime, version: OwnVersion, source: str | None
) -> Iterator[str]:
    """A bound that does not hold; a pause alone is stronger, and nothing is due before what it follows."""
    if source == "paused":
        return
    if version.least is not None and due < base + version.least:
        yield f"due {due}, less than {version.least} after {base}"
    if version.most is not None and due > max(base + version.most, after + MICROSECOND):
        yield f"due {due}, more than {version.most} after {base}"


def _text(value: object) -> str | None:
    return None if value is None else str(value)
