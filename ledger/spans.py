"""Whether spans are made: only in a process that has set OpenTelemetry up, as its own launcher does.

Where it has not, nothing of OpenTelemetry is imported, and whoever makes spans holds None in their place.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.tracing import Tracing


def tracing() -> Tracing | None:
    """Where spans go; None where tracing is off: whoever turns it on has imported the API before."""
    if "opentelemetry.trace" not in sys.modules:
        return None
    from ledger.tracing import Tracing  # noqa: PLC0415 - the API is an extra

    return Tracing.of_process()


def carried() -> dict[str, str]:
    """The headers of a request that carry the span under way (`traceparent`); none where tracing is off."""
    found = tracing()
    return {} if found is None else found.carried()
