"""How the demo is told: plain lines, a line for each second of runs, and what commands answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from ledger.demo.evidence import Line, Reader
from ledger.demo.stage import Stage

Say = Callable[[str], None]


class Show:
    """Says things; `reader` holds every line of the handlers' file that has been read."""

    def __init__(self, say: Say, stage: Stage) -> None:
        self.say = say
        self.reader = Reader(stage.evidence)
        self._stage = stage
        self._waiting: list[Line] = []

    def act(self, title: str, *lines: str) -> None:
        """Begin an act: what it does, and why."""
        self.say(f"\n{title}")
        for line in lines:
            self.say(f"  {line}")

    def command(self, *arguments: str) -> int:
        """Run a command of the ledger's as a person would, and show what it answers; its exit code."""
        self.say(f"  $ ledger {' '.join(arguments)}")
        done = self._stage.command(*arguments)
        for line in (done.stdout + done.stderr).rstrip().splitlines():
            self.say(f"  | {line}".rstrip())
        return done.returncode

    def runs(self, *, last: bool = False) -> None:
        """Show who began in each second that is over (in all, at `last`), and how late after the slot."""
        self._waiting += self.reader.more()
        now = int(time.time())
        over = [line for line in self._waiting if last or _second(line) < now]
        self._waiting = [line for line in self._waiting if line not in over]
        for second in sorted({_second(line) for line in over}):
            runs = "  ".join(_run(line) for line in over if _second(line) == second)
            self.say(f"  {datetime.fromtimestamp(second, UTC):%H:%M:%S}  {runs}")

    def seen(self, tenant: str, task: str) -> list[Line]:
        """The calls of one task's handler that have been read."""
        return [line for line in self.reader.lines if (line.tenant, line.task) == (tenant, task)]


def clock(instant: datetime | None) -> str:
    """An instant as the demo shows it, to the second, in UTC."""
    return "never" if instant is None else f"{instant.astimezone(UTC):%H:%M:%S}"


def _second(line: Line) -> int:
    return int(line.at.timestamp())


def _run(line: Line) -> str:
    when = line.wake if line.wake.startswith("retry") else f"+{line.late_ms:.0f} ms"
    return f"{line.tenant}/{line.task} {when}"
