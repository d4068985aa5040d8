"""What a pass leaves for Prometheus: its totals, and the vital signs after it.

A file stays as it is until the next pass, so ages are told as instants: `time() - …` grows while nobody
sweeps. A pass that did not close leaves a file that says so, and nothing of an older proof (I14).
"""

from __future__ import annotations

from datetime import datetime

from ledger.metrics import Metric
from ledger.statements.outbox import Unsent
from sweeper import signs
from sweeper.report import PassReport
from sweeper.signs import Seen

KINDS = (
    "missing",
    "dead digest",
    "stray",
    "misnamed",
    "past end",
    "overdue",
    "lost",
    "retry",
    "set aside",
    "waiting",
    "zone rules",
)
CAUSES = ("lock", "time", "room", "fewer tasks", "repair", "drill", "untried", "connection", "error")
_STATES = ("starting", "active", "draining", "blocked")


def of_attempt(ended: float, closed: bool) -> list[Metric]:
    """Whether the newest pass has closed, and when it ended by this machine's clock, in unix seconds."""
    return [
        Metric("ledger_sweep_attempt_timestamp_seconds", "When the newest pass ended, closed or not.", ended),
        Metric("ledger_sweep_pass_closed", "1 where the newest pass has closed, 0 where it died.", closed),
    ]


def of_pass(report: PassReport) -> list[Metric]:
    """The totals of a pass over all tenants."""
    words = {word: report.count(word) for word in ("healthy", "repaired", "failed")}
    causes = dict.fromkeys(CAUSES, 0)
    for verdict in report.verdicts:
        if verdict.cause is not None:
            causes[verdict.cause] = causes.get(verdict.cause, 0) + 1
    tasks = {"open": report.open, "ended": report.ended}
    repairs = {**dict.fromkeys(KINDS, 0), **report.repairs}
    return [
        Metric("ledger_sweep_passes_total", "Passes that ever began.", report.number, kind="counter"),
        Metric("ledger_sweep_green", "1 where nothing was wrong and every drill has passed.", report.green),
        Metric("ledger_sweep_closed_timestamp_seconds", "When the pass closed.", report.closed.timestamp()),
        Metric("ledger_sweep_duration_seconds", "How long the pass took.", report.took_s),
        Metric("ledger_sweep_tenants", "Tenants of the pass by verdict.", words, "word"),
        Metric("ledger_sweep_not_green_tenants", "Tenants of the pass by why they failed.", causes, "cause"),
        Metric("ledger_sweep_enabled_tasks", "Tasks that are on.", report.tasks),
        Metric("ledger_sweep_standing_tasks", "Tasks that stand as they should.", tasks, "state"),
        Metric("ledger_sweep_repairs", "Repairs of the pass by kind.", repairs, "kind"),
        Metric("ledger_sweep_drills", "Drills of the pass by how they went.", report.drills, "word"),
        Metric("ledger_sweep_faults", "What is wrong with the database as a whole.", len(report.faults)),
    ]


def of_health(seen: Seen) -> list[Metric]:
    """The vital signs as the pass left them."""
    words = {sign.name: float(sign.word != "bad") for sign in signs.read(seen)}
    living = [row for row in seen.ticks if row.incarnation is not None]
    states = {state: sum(row.state == state for row in living) for state in _STATES}
    ticks = [row.tick for row in living if row.tick is not None]
    overdue = [(seen.moment - row.run_at).total_seconds() for row in seen.overdue]
    counts = seen.counts
    beat = "When the dispatcher that has been silent longest gave its last sign of life."
    drilled = "Since when every tenant has been judged: the oldest of the newest verdicts."
    failing = "Series that failed three slots in a row or more."
    starved = f"Tasks whose slots one run keeps from starting, up to {signs.NAMED}."
    snapshot = "Since when the oldest session that can be seen holds its snapshot."
    return [
        Metric("ledger_health_sign", "1 where a vital sign is good, 0 where it is bad.", words, "sign"),
        Metric("ledger_undrilled_tenants", "Tenants without a passed drill.", counts.undrilled),
        Metric("ledger_silent_tenants", "Tenants without a fresh verdict.", seen.silence.silent),
        Metric("ledger_failing_series", failing, counts.failing),
        *_instant("ledger_oldest_verdict_timestamp_seconds", drilled, counts.oldest),
        Metric(
            "ledger_oldest_overdue_seconds",
            f"How long the oldest row is overdue; 0 up to {signs.LATE.seconds} s.",
            max(overdue, default=0.0),
        ),
        Metric("ledger_set_aside_rows", f"Rows that failed alone, up to {signs.NAMED}.", len(seen.aside)),
        Metric("ledger_misnamed_rows", f"Rows found misnamed, up to {signs.NAMED}.", len(seen.misnamed)),
        Metric("ledger_starved_tasks", starved, len(seen.starved)),
        Metric("ledger_dead_rows", "Dead rows.", {one.name: one.dead for one in seen.tables}, "table"),
        *_instant("ledger_oldest_snapshot_timestamp_seconds", snapshot, seen.snapshot.oldest),
        Metric("ledger_dispatchers", "Dispatchers that have not stopped, by state.", states, "state"),
        *_instant("ledger_oldest_heartbeat_timestamp_seconds", beat, min(ticks, default=None)),
    ]


def of_events(unsent: Unsent) -> list[Metric]:
    """What waits to be sent to subscribers, as the pass left it."""
    waits = "Since when the event waits that has waited longest for a subscriber."
    dropped = "Events that were dropped unsent, over the subscribers that stand."
    return [
        Metric("ledger_subscribers", "Who is sent events.", unsent.subscribers),
        Metric("ledger_failing_subscribers", "Those of them that did not take the last try.", unsent.failing),
        Metric("ledger_unsent_events", "Events that wait, over all subscribers.", unsent.waiting),
        Metric("ledger_dropped_events", dropped, unsent.dropped),
        *_instant("ledger_oldest_unsent_event_timestamp_seconds", waits, unsent.oldest),
    ]


def _instant(name: str, says: str, at: datetime | None) -> list[Metric]:
    """What has no time yet is left out: 0 would be a time."""
    return [] if at is None else [Metric(name, says, at.timestamp())]
