"""Retries that were never minted: a slot whose last attempt failed, and whose author asks for another.

Whoever closes a run mints its retry in that transaction, so this finds nothing unless something is broken.
It is exact, so that the sweep never runs what nobody asked for: the slot is the series' newest, its last
attempt is closed under rules that ask for more, no attempt after it was ever made, and no act came since,
which may have dropped the retry on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ledger.facts import instant_text
from ledger.moves.adopt import SERIES, NewRow, Subject, lane_of
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.retry import UNHANDED_IN_A_ROW, attempt_of, next_attempt
from ledger.moves.step import Move, ask
from ledger.statements.occurrences import RunRow
from ledger.statements.sweep import READ_CHAIN, ChainRow, FailedSeries
from ledger.states import FAILED, Closed


def unminted(tenant: str, failed: Sequence[FailedSeries]) -> Move[tuple[list[NewRow], list[tuple[str, str]]]]:
    """The retries that are missing among series that failed last, and tasks whose rules cannot be read."""
    recent = [series for series in failed if not series.acted_since]
    if not recent:
        return [], []
    texts = yield from read_definitions([(tenant, series.in_force) for series in recent])
    subjects: list[tuple[FailedSeries, Subject]] = []
    unreadable: list[tuple[str, str]] = []
    for series in recent:
        try:
            definition = parse(texts[tenant, series.in_force])
        except Exception as error:  # noqa: BLE001 - one task's text is that task's trouble alone (I12)
            said = f"definition {series.in_force.hex()} cannot be read: {type(error).__name__}: {error}"
            unreadable.append((series.task, said))
        else:
            if series.state in definition.retry.on and definition.retry.attempts:
                subjects.append((series, Subject(tenant, series.task, series.in_force, definition)))
    chains = yield from _chains(tenant, subjects)
    minted = [_next(series, subject, chains.get(n, [])) for n, (series, subject) in enumerate(subjects)]
    return [row for row in minted if row is not None], unreadable


def _chains(tenant: str, subjects: Sequence[tuple[FailedSeries, Subject]]) -> Move[dict[int, list[ChainRow]]]:
    """The attempts after the first, of each slot, by the number of its series here."""
    lanes = [
        (n, series.task, f"retry:{i}@{instant_text(series.due)}", series.due)
        for n, (series, subject) in enumerate(subjects)
        # Between two attempts that count, fewer than three may be handed back before they begin.
        for i in range(1, (subject.definition.retry.attempts + 1) * UNHANDED_IN_A_ROW + 1)
    ]
    if not lanes:
        return {}
    ns, tasks, names, dues = map(list, zip(*lanes, strict=True))
    chains: dict[int, list[ChainRow]] = {}
    for row in (yield from ask(READ_CHAIN(tenant=tenant, ns=ns, tasks=tasks, lanes=names, dues=dues))):
        chains.setdefault(row.n, []).append(row)
    return chains


def _next(series: FailedSeries, subject: Subject, chain: Sequence[ChainRow]) -> NewRow | None:
    """The retry that should follow the last attempt, and was never made."""
    last: FailedSeries | ChainRow = max(chain, key=lambda row: attempt_of(row.wake)[0], default=series)
    if last.state not in FAILED or last.closed is None:
        return None
    if last.state == "failed" and last.handed is None and (last.reason or "").startswith("unhanded"):
        # Handed back for the last time: that is a failure which its rules do not speak of.
        return None
    state: Closed = "failed" if last.state == "failed" else "lost" if last.state == "lost" else "timed_out"
    run = RunRow(
        key=last.key,
        tenant=subject.tenant,
        task=subject.task,
        state=last.state,
        reason=last.reason,
        wake=last.wake,
        lane=SERIES if last is series else lane_of(last.wake, series.due),
        due=series.due,
        digest=subject.digest,
        failures=last.failures,
        incarnation=None,
        deadline=None,
        handed=last.handed,
        history=last.history,
        # Its wait counts from the closing, so it is the row that the closing should have minted.
        moment=last.closed,
    )
    minted = next_attempt(run, subject, state, unhanded=False)
    return None if minted is None else replace(minted, predecessor=last.key)
