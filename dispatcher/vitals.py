"""What a dispatcher shows of itself while it works, for Prometheus: it needs the extra `metrics`."""

from __future__ import annotations

from typing import get_args

from dispatcher.lag import LAGS_S, Vitals
from dispatcher.state import Word
from ledger.metrics import Histogram, Metric

# What became of the rows that a claim looked at and did not start.
REFUSALS = ("skipped", "waiting", "retired", "aside")
_STATES: tuple[str, ...] = get_args(Word)


def metrics_of(vitals: Vitals) -> list[Metric | Histogram]:
    """The numbers of one dispatcher, each there from the start, at nought."""
    counts = {name: vitals.counts.get(name, 0) for name in ("looked_at", "started", "finished")}
    refused = {word: vitals.counts.get(word, 0) for word in REFUSALS}
    closed = {word: vitals.counts.get(word, 0) for word in ("timed_out", "lost")}
    states = {state: float(state == vitals.state) for state in _STATES}
    prefix = "ledger_dispatcher"
    lag = vitals.lag
    beaten = "How long ago the heartbeat was last written."
    unwritten = "Ends that the ledger has not taken yet."
    others = "Runs of any process that were closed here."
    return [
        Metric(f"{prefix}_state", "1 for what it is doing now.", states, "state"),
        Metric(f"{prefix}_claims_total", "Batches claimed.", vitals.claims, kind="counter"),
        Metric(f"{prefix}_rows_total", "Due rows looked at.", counts["looked_at"], kind="counter"),
        Metric(f"{prefix}_starts_total", "Runs started.", counts["started"], kind="counter"),
        Metric(f"{prefix}_finishes_total", "Ends written.", counts["finished"], kind="counter"),
        Metric(f"{prefix}_refusals_total", "Due rows not started.", refused, "reason", "counter"),
        Metric(f"{prefix}_closed_total", others, closed, "reason", "counter"),
        Metric(f"{prefix}_running", "Runs whose handler has not ended.", vitals.running),
        Metric(f"{prefix}_free_workers", "How many more runs could begin now.", vitals.free),
        Metric(f"{prefix}_unwritten_finishes", unwritten, vitals.unwritten),
        Metric(f"{prefix}_heartbeat_age_seconds", beaten, vitals.beaten_s),
        Histogram(
            f"{prefix}_start_lag_seconds", "Start after run_at.", LAGS_S, tuple(lag.counts), lag.total_s
        ),
    ]
