"""An implementation under test, as a process: asked line by line, and never trusted to answer.

It may hang, die, answer too much or never end; each is told apart and named, none blocks the judge. One
loop writes and reads at once, so neither side can wait for the other over a full pipe.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

# Longer than any right answer: a canonical text is at most 64 KiB, escaped at most six times as long.
MAX_ANSWER = 2**20
_CHUNK = 2**16
_STDERR_SHOWN = 2000


class Unstartable(Exception):
    """The command cannot be run at all."""


class ProgramFault(Exception):
    """The program broke the protocol. `answers` are those it gave in this burst before it did."""

    def __init__(self, what: str, answers: list[bytes]) -> None:
        super().__init__(what)
        self.what = what
        self.answers = answers


class Program:
    """A running implementation. Use it in a `with` block: it is ended there, with all its children."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float = 10.0,
        folder: Path | None = None,
    ) -> None:
        """Start `command`. `timeout` is in seconds, for each answer. Raises Unstartable."""
        self.command = list(command)
        self.timeout = timeout
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by kill()
        self._unread = b""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - to run the given command is what this is for
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=folder,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._errors.close()
            raise Unstartable(f"cannot start {' '.join(self.command)}: {error}") from error
        source, sink = self._process.stdin, self._process.stdout
        assert source is not None and sink is not None  # noqa: S101, PT018 - both were asked for as pipes
        self._in, self._out = source, sink
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.kill()

    def ask(self, lines: Sequence[bytes]) -> list[bytes]:
        """Send the lines at once and return as many answers, in the order in which they came.

        Raises ProgramFault when it hangs, dies, or answers more than it was asked.
        """
        answers: list[bytes] = []
        if self._unread:
            raise ProgramFault("answered more lines than it was asked", answers)
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._in, selectors.EVENT_WRITE)
            unsent = memoryview(b"".join(line + b"\n" for line in lines))
            deadline = time.monotonic() + self.timeout
            while len(answers) < len(lines):
                left = deadline - time.monotonic()
                # Checked on its own: a program that drips bytes and ends no line is never without events.
                events = selector.select(left) if left > 0 else []
                if not events:
                    raise self._hung(answers)
                for key, _ in events:
                    if key.fileobj is self._in:
                        unsent = self._send(unsent, selector)
                    elif self._take(answers):
                        deadline = time.monotonic() + self.timeout
        if len(answers) > len(lines):
            raise ProgramFault("answered more lines than it was asked", answers[: len(lines)])
        return answers

    def finish(self) -> None:
        """Close its input and see it end. Raises ProgramFault if it says more, hangs, or ends badly."""
        with contextlib.suppress(OSError):
            self._in.close()
        os.set_blocking(self._out.fileno(), True)
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            if not selector.select(self.timeout):
                raise self._endless()
        if self._unread or os.read(self._out.fileno(), 1):
            raise ProgramFault("answered more lines than it was asked", [])
        try:
            code = self._process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise self._endless() from None
        if code != 0:
            raise ProgramFault(f"ended with {_ending(code)}{self._said()}", [])

    def kill(self) -> None:
        """End it, and whatever it started; nothing happens if it has ended."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for pipe in (self._in, self._out, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()

    def _send(self, unsent: memoryview, selector: selectors.BaseSelector) -> memoryview:
        try:
            sent = os.write(self._in.fileno(), unsent[:_CHUNK])
        except BlockingIOError:
            return unsent
        except OSError:
            # It reads no more: whether it is dead or only silent, its output will tell.
            sent = len(unsent)
        if sent >= len(unsent):
            selector.unregister(self._in)
        return unsent[sent:]

    def _take(self, answers: list[bytes]) -> bool:
        """Read what there is; True if that completed an answer."""
        try:
            chunk = os.read(self._out.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            raise self._died(answers)
        *whole, self._unread = (self._unread + chunk).split(b"\n")
        answers += whole
        if len(self._unread) > MAX_ANSWER:
            raise ProgramFault(f"wrote more than {MAX_ANSWER} bytes without ending its line", answers)
        return bool(whole)

    def _hung(self, answers: list[bytes]) -> ProgramFault:
        return ProgramFault(f"gave no answer within {self.timeout:g} s{self._said()}", answers)

    def _endless(self) -> ProgramFault:
        return ProgramFault(f"did not end within {self.timeout:g} s after its input had ended", [])

    def _died(self, answers: list[bytes]) -> ProgramFault:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ProgramFault(f"closed its output and did not end{self._said()}", answers)
        return ProgramFault(f"died: {_ending(code)}{self._said()}", answers)

    def _said(self) -> str:
        """The end of what it wrote on standard error, as the tail of a message."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _STDERR_SHOWN))
        said = self._errors.read().decode(errors="replace").strip()
        return f"; its standard error ends: {said}" if said else ""


def _ending(code: int) -> str:
    if code < 0:
        return f"signal {-code} ({signal.strsignal(-code)})"
    return f"exit code {code}"
