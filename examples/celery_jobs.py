"""Celery does the work: a handler whose effect happens once, and whose end the worker reports by its key.

    export LEDGER_DSN=postgresql://… CELERY_BROKER=redis://…
    celery -A examples.celery_jobs worker
    ledger run --delivery celery --celery examples.celery_jobs:app
    python -m examples.celery_jobs            defines the task, and has it run now

Celery delivers at least once: a broker that thinks a worker gone gives its message to another.
"""

from __future__ import annotations

import asyncio
import os

import psycopg
from celery import Celery

from dispatcher import Dispatcher
from dispatcher.deliveries.celery import Celery as Delivery
from dispatcher.deliveries.celery_worker import report_to
from ledger import Ledger, Schedule, Task, claim_once

app = Celery("jobs", broker=os.environ.get("CELERY_BROKER"))
app.conf.broker_connection_retry_on_startup = True
# Whatever becomes of a task, its run is finished: with its result, its error, or the death of its process.
report_to(Ledger)


@app.task(name="report")
def report(run: dict[str, object]) -> dict[str, object]:
    """Send a report; `run` says which: tenant, task, key, slot, attempt, payload and so on."""
    with psycopg.connect(os.environ["LEDGER_DSN"]) as connection:
        # The claim and the effect are one transaction: both are there, or neither.
        first = claim_once(connection, str(run["key"]), "report")
        if first:
            connection.execute("INSERT INTO example_report (key) VALUES (%s)", (run["key"],))
    return {"sent": first}


def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS example_report (key uuid PRIMARY KEY)")
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme", by="examples")
        schedule = Schedule(cron="0 9 * * MON", timezone="Europe/Paris")
        acme.define("queued-report", Task(entrypoint="report", delivery="celery", schedule=schedule))
        asked = acme.run_now("queued-report", "by-hand-1")
        asyncio.run(Dispatcher(dsn, None, deliveries={"celery": Delivery(app)}).tick())
        print(f"{asked.key}: {acme.explain(asked.key).row.state}")


if __name__ == "__main__":
    main()
