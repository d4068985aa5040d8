"""The decision trail of a row: what counted when the Governor decided, as it stood, so that it replays.

A JSON object, stored where the plain baseline did not win:

- `hints`: those that counted, each with `kind`, `every_s` or `at`, `given`, `expires`; `won`: the kind that
  won before the bounds, if one did;
- `min_s`, `max_s`: the bounds of the definition; `paused_until`, `resume`: its pause, where that lay ahead;
- `backoff`, `misfire`, `grace`, `suspended` or `quota`: the instant before which slots were passed over: for
  failures, because a newer one has come, because they were too late, or because the tenant was shut out.

Instants are in the ledger's canonical text. Bounds and pause are for people: a replay has the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, TypeAlias, cast

from ledger.authored.models import Definition
from ledger.facts import instant_text, read_instant

HintKind: TypeAlias = Literal["interval", "oneshot"]
HINT_KINDS: tuple[HintKind, ...] = ("interval", "oneshot")
_Reason: TypeAlias = Literal["backoff", "misfire", "grace", "suspended", "quota", "agent_gone"]
_REASONS: tuple[_Reason, ...] = ("backoff", "misfire", "grace", "suspended", "quota", "agent_gone")
MICROSECOND = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)


class Hint(NamedTuple):
    """A planner's word on when to run next: `every` for an interval, `at` for a one-shot."""

    kind: HintKind
    given: datetime
    expires: datetime
    at: datetime | None = None
    every: timedelta | None = None

    def fresh(self, base: datetime) -> bool:
        """Whether it counts: it expires after the later of `base` and its giving."""
        return self.expires > max(base, self.given)

    def instant(self, after: datetime, base: datetime) -> datetime | None:
        """What it says of the row that follows; None where its time has gone by."""
        if self.every is not None:
            says = max(base + self.every, self.given)
            if says <= after < self.expires:
                return after + MICROSECOND
        elif self.at is not None and max(self.at, self.given) > after:
            says = max(self.at, self.given, base)
        else:
            return None
        return says if says > after else None


@dataclass(frozen=True, slots=True)
class Passing:
    """Slots that are passed over: all before `until`, for a reason that the ledger keeps."""

    until: datetime
    reason: _Reason


def trail_of(
    definition: Definition,
    hints: Sequence[Hint] = (),
    won: HintKind | None = None,
    paused: datetime | None = None,
    *,
    passing: Passing | None = None,
) -> dict[str, object]:
    """The trail of a decision; `paused` is the end of a pause that lay ahead."""
    trail: dict[str, object] = {}
    if passing is not None:
        trail[passing.reason] = instant_text(passing.until)
        if passing.reason == "misfire":
            return trail
    if hints:
        trail["hints"] = [_written(hint) for hint in sorted(hints)]
    if won is not None:
        trail["won"] = won
    if definition.min_interval_s is not None:
        trail["min_s"] = definition.min_interval_s
    if definition.max_interval_s is not None:
        trail["max_s"] = definition.max_interval_s
    if paused is not None:
        trail |= {"paused_until": instant_text(paused), "resume": definition.resume}
    return trail


def read_trail(trail: Mapping[str, object]) -> tuple[Sequence[Hint], Passing | None]:
    """The hints and the gate of a stored trail."""
    hints = cast("Sequence[Mapping[str, object]]", trail.get("hints", ()))
    passing = [Passing(_instant(trail[reason]), reason) for reason in _REASONS if reason in trail]
    return [_read(hint) for hint in hints], passing[0] if passing else None


def lasting(trail: Mapping[str, object] | None) -> dict[str, object] | None:
    """A trail without what renewing a hint changes: when it expires."""
    if trail is None or "hints" not in trail:
        return None if trail is None else dict(trail)
    hints = cast("Sequence[Mapping[str, object]]", trail["hints"])
    return {**trail, "hints": [{name: hint[name] for name in hint if name != "expires"} for hint in hints]}


def _written(hint: Hint) -> dict[str, object]:
    says: dict[str, object] = {"kind": hint.kind}
    if hint.every is not None:
        says["every_s"] = hint.every // _SECOND
    if hint.at is not None:
        says["at"] = instant_text(hint.at)
    return says | {"given": instant_text(hint.given), "expires": instant_text(hint.expires)}


def _read(says: Mapping[str, object]) -> Hint:
    every = says.get("every_s")
    return Hint(
        cast("HintKind", says["kind"]),
        _instant(says["given"]),
        _instant(says["expires"]),
        _instant(says["at"]) if "at" in says else None,
        every * _SECOND if isinstance(every, int) else None,
    )


def _instant(text: object) -> datetime:
    return read_instant(text, "trail")
