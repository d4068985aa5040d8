"""What the demo's tasks do: the app of its dispatchers, `ledger run --app ledger.demo.handlers:registry`.

Each handler first leaves a line in a file, by its own clock: the judge holds it against the ledger.
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

from ledger import Registry, Run
from ledger.demo import evidence

registry = Registry()

# Longer than any demo: it ends with its process.
NEVER_DONE_S = 3600


def note(run: Run, how: str) -> None:
    """Leave the line of this call, or print it where no demo has named a file."""
    line = evidence.Line(
        run.tenant, run.task, run.key, run.slot, run.wake, datetime.now(UTC), os.getpid(), how
    )
    path = os.environ.get(evidence.VARIABLE)
    if path is None:
        print(f"{line.at:%H:%M:%S} {line.tenant}/{line.task} {line.wake} +{line.late_ms:.0f} ms", flush=True)
    else:
        evidence.write(Path(path), line)


@registry.handler("tick")
async def tick(run: Run) -> object:
    """An async handler: runs on the event loop."""
    note(run, "async")
    return {"late_ms": round(run.lateness.total_seconds() * 1000, 1)}


@registry.handler("copy")
def copy(run: Run) -> object:
    """A sync handler: runs on a thread."""
    note(run, "thread")
    return {"copied": run.payload}


@registry.handler("import")
async def fail_once(run: Run) -> None:
    """Fails on each slot's first attempt, and succeeds on the retry."""
    note(run, "async")
    if run.attempt == 1:
        raise ConnectionError("the demo's first attempt fails on purpose")


@registry.handler("render")
async def render(run: Run) -> None:
    """Works until its process is killed; the retry, in another process, is quick."""
    note(run, "async")
    if run.attempt == 1:
        await asyncio.sleep(NEVER_DONE_S)
    run.breadcrumb("the second attempt did it")
