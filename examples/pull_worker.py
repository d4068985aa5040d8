"""A runtime of one's own: it asks what is due, starts it, does the work and finishes it by its key.

LEDGER_DSN=postgresql://… python -m examples.pull_worker
"""

from __future__ import annotations

import os

from ledger import Ledger, NotStarted, Schedule, Superseded, Task, TenantLedger


def work_off(tenant: TenantLedger) -> int:
    """Do all that is due now; how many runs that was. Any number of workers may do so at once."""
    done = 0
    for row in tenant.due():
        try:
            run = tenant.start(row.key)
        except NotStarted as answer:
            print(f"{row.task}: {answer.reason}, somebody else has it")
            continue
        # From here on the work is ours: the series has gone on already, and the key is the token of the work.
        try:
            tenant.finish(run.key, "succeeded", result={"entrypoint": run.entrypoint, "attempt": run.attempt})
        except Superseded:
            print(f"{run.task}: too late, its deadline had passed")
        done += 1
    return done


def main() -> None:
    with Ledger(os.environ["LEDGER_DSN"]) as ledger:
        acme = ledger.tenant("acme", by="examples")
        acme.define("crawl", Task(entrypoint="crawl", delivery="pull", schedule=Schedule(cron="0 4 * * *")))
        asked = acme.run_now("crawl", "by-hand-1")
        print("worked off:", work_off(acme))
        run = acme.explain(asked.key).row
        print(f"{run.task}: {run.state}, result {run.result}")


if __name__ == "__main__":
    main()
