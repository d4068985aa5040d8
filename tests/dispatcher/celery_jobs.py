"""What Celery's workers run in the tests: an app as a platform has one, and tasks that do as told."""

from __future__ import annotations

import os
from pathlib import Path

from celery import Celery

from dispatcher.deliveries.celery_worker import report_to
from ledger import Ledger

app = Celery("jobs", broker=os.environ.get("BROKER"))
app.conf.update(broker_connection_retry_on_startup=True, worker_hijack_root_logger=False)
report_to(Ledger)


@app.task(bind=True, name="succeed")
def succeed(self: object, run: dict[str, object]) -> object:
    request = getattr(self, "request")  # noqa: B009 - Celery binds a task that no type tells of
    return {"run": run, "id": request.id, "pid": os.getppid()}


@app.task(name="fail")
def fail(run: dict[str, object]) -> object:
    raise ValueError(f"no such report: {run['payload']}")


@app.task(name="in_band")
def in_band(_: dict[str, object]) -> object:
    return {"status": "failed", "error": "no such report", "breadcrumb": "half way"}


@app.task(name="crumb")
def crumb(_: dict[str, object]) -> object:
    return {"breadcrumb": "half way"}


@app.task(name="oversize")
def oversize(_: dict[str, object]) -> object:
    return "é" * 200_000


@app.task(name="crash")
def crash(_: dict[str, object]) -> None:
    os._exit(9)


@app.task(name="gated")
def gated(run: dict[str, object]) -> object:
    """Wait until the gate, a pipe, is opened from the other side."""
    return Path(str(run["payload"])).read_text()
