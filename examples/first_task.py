"""A first task: one handler, one task, every five seconds.

    python -m examples.first_task                        defines the task; a second time changes nothing
    ledger run --app examples.first_task:registry        runs it until Ctrl-C
    ledger history --tenant acme                         shows what ran

LEDGER_DSN names the database; `ledger db dsn` starts one and prints it.
"""

from __future__ import annotations

from ledger import Ledger, Registry, Run, Schedule, Task

registry = Registry()


@registry.handler("greet")
async def greet(run: Run) -> object:
    """Whatever it returns is kept in the ledger as the run's result."""
    print(f"{run.slot:%H:%M:%S} hello {run.payload}, {run.lateness.total_seconds() * 1000:.0f} ms late")
    return {"greeted": run.payload}


def main() -> None:
    with Ledger() as ledger:
        acme = ledger.tenant("acme", by="examples")
        task = Task(entrypoint="greet", payload="world", schedule=Schedule(every_s="5s"))
        answer = acme.define("hello", task)
        print(f"{answer.task}: {answer.did}, next at {answer.next}")


if __name__ == "__main__":
    main()
