"""The span of a pass. Imported only where the process has OpenTelemetry on."""

from __future__ import annotations

from collections.abc import Callable

from ledger.tracing import Tracing
from sweeper.report import PassReport


def traced(spans: Tracing, tenant: str | None, run: Callable[[], PassReport]) -> PassReport:
    """Sweep within a span that says what the pass said; one that is not green, or dies, has failed."""
    with spans.under("ledger.sweep", {} if tenant is None else {"ledger.tenant": tenant}) as span:
        report = run()
        span.set_attributes(
            {
                "ledger.pass": report.number,
                "ledger.expected": report.expected,
                "ledger.healthy": report.count("healthy"),
                "ledger.repaired": report.count("repaired"),
                "ledger.failed": report.count("failed"),
                "ledger.drills_passed": report.drills["passed"],
            }
        )
        if not report.green:
            spans.failed(span, "the pass is not green")
        return report
