"""A command: a program that the operator has allowed reads the payload and says its result.

LEDGER_DSN=postgresql://… python -m examples.command_task
ledger run --delivery command --allow-command sort        serves such tasks until Ctrl-C
"""

from __future__ import annotations

import asyncio
import os

from dispatcher import Dispatcher
from dispatcher.deliveries.command import Command
from ledger import Ledger, Schedule, Task


def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme", by="examples")
        # Never a shell: arguments are a list. The payload is the program's standard input, as JSON.
        task = Task(
            entrypoint="sort",
            delivery="command",
            arguments=["-t:", "-k1"],
            payload={"lines": 2},
            schedule=Schedule(cron="0 3 * * *"),
        )
        acme.define("nightly-sort", task)
        asked = acme.run_now("nightly-sort", "by-hand-1")
        # One pass of the dispatcher, as `ledger tick` makes it.
        dispatcher = Dispatcher(dsn, None, deliveries={"command": Command(["sort"])})
        done = asyncio.run(dispatcher.tick())
        print("started:", done.counts["started"])
        run = acme.explain(asked.key).row
        print(f"{run.task}: {run.state}, result {run.result}")


if __name__ == "__main__":
    main()
