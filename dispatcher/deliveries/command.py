"""The kind `command`: a program that the operator has allowed, with the task's arguments, without a shell.

The payload is its standard input, as JSON, and the facts of the run stand in its environment, which holds
nothing else of this process's: no password of the database. Exit code 0 is a success.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from dispatcher.deliveries.message import ANSWER_MOST, NoJson, facts_of, quoted, read_json, take
from dispatcher.deliveries.process import Ended, run_program
from dispatcher.outcome import Ending, returned
from dispatcher.registry import Handler
from dispatcher.run import Run
from ledger.authored.models import Definition
from ledger.errors import BadInput

# So much of the end of what a program says on its standard error is kept where it fails.
ERROR_MOST = 8_000


class Command:
    """Runs programs. `allowed`: each as tasks name it, a path or a name that is found in the PATH now.

    Raises `BadInput` for one that is no program here.
    """

    looped = False
    in_turn = True

    def __init__(self, allowed: Sequence[str]) -> None:
        self._programs: dict[str, str] = {}
        for name in allowed:
            path = shutil.which(name)
            if path is None:
                raise BadInput(f"allowing the command {name!r}: there is no such program here")
            self._programs[name] = os.path.abspath(path)
        self._path = os.environ.get("PATH", os.defpath)

    def handler(self, definition: Definition) -> Handler | str:
        """The program that the entrypoint names, if it is allowed."""
        name = definition.entrypoint
        path = self._programs.get(name)
        if path is None:
            known = ", ".join(map(repr, sorted(self._programs))) or "none"
            return f"the command {name!r} is not allowed here; allowed: {known} (--allow-command)"
        return Handler(name, partial(self._run, [path, *definition.arguments]), in_turn=True)

    async def close(self) -> None:
        """Nothing is held open."""

    async def _run(self, command: list[str], run: Run) -> Ending:
        environment = {"PATH": self._path, "LANG": "C.UTF-8"} | {
            f"LEDGER_{name.upper()}": str(value) for name, value in facts_of(run).items()
        }
        payload = json.dumps(run.payload, ensure_ascii=False).encode()
        try:
            ended = await run_program(command, environment, payload, ANSWER_MOST)
        except (OSError, ValueError) as error:
            return Ending("failed", error=f"{command[0]} could not be started: {error}")
        return _judged(run, ended)


def _judged(run: Run, ended: Ended) -> Ending:
    text = ended.out.decode("utf-8", "backslashreplace")
    answer: object = text or None
    if not ended.cut:
        with suppress(NoJson):
            answer = read_json(text)
    take(run, answer)
    if ended.code == 0:
        return returned(answer)
    if ended.code < 0:
        with suppress(ValueError):
            return Ending("failed", error=f"ended by {signal.Signals(-ended.code).name}{_said(ended)}")
    return Ending("failed", error=f"exit code {ended.code}{_said(ended)}")


def _said(ended: Ended) -> str:
    """The end of what it said of its failure."""
    text = ended.err.decode("utf-8", "backslashreplace").strip()
    if not text:
        return f": {quoted(ended.out.decode('utf-8', 'backslashreplace'))}" if ended.out else ""
    return f": {text}" if len(text) <= ERROR_MOST else f": …{text[-ERROR_MOST:]}"
