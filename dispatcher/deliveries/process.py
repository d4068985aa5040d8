"""One program at work: a process group of its own, fed once, read to a bound, and ended for certain."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress

# How long a program that is told to end may take before it is killed, and how long its pipes are read then.
TERM_S = 5.0
PIPES_S = 1.0


class _Ears(asyncio.SubprocessProtocol):
    """Keeps what a program says, to a bound, and throws away the rest: a program is never blocked by it."""

    def __init__(self, most: int) -> None:
        self.said = {1: bytearray(), 2: bytearray()}
        self.cut = False
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self._most = most

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self.said[fd]
        room = self._most - len(kept)
        kept += data[: max(room, 0)]
        self.cut = self.cut or (fd == 1 and len(data) > room)

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, _: Exception | None) -> None:
        self.closed.set()


class Ended:
    """How a program ended: its exit code (negative: the signal that ended it), and what it said."""

    def __init__(self, code: int, ears: _Ears) -> None:
        self.code = code
        self.out, self.err = bytes(ears.said[1]), bytes(ears.said[2])
        self.cut = ears.cut


async def run_program(
    command: Sequence[str], environment: Mapping[str, str], given: bytes, most: int
) -> Ended:
    """Run a program, without a shell; `given` is its standard input, `most` bytes of each output are kept.

    Whoever is cancelled here ends the program first: it is told to, and killed if it does not. Its whole
    group ends with it. Raises OSError where it cannot be started.
    """
    ears = _Ears(most)
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: ears,
        *command,
        env=dict(environment),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    group = transport.get_pid()
    try:
        stdin = transport.get_pipe_transport(0)
        if isinstance(stdin, asyncio.WriteTransport):
            stdin.write(given)
            # What it has not read when it ends is nobody's; the pipe closes once all is written.
            stdin.close()
        await ears.exited.wait()
    except asyncio.CancelledError:
        _tell(group, signal.SIGTERM)
        await _within(TERM_S, ears.exited)
        raise
    finally:
        _tell(group, signal.SIGKILL)
        try:
            await _within(PIPES_S, ears.closed)
        finally:
            transport.close()
    code = transport.get_returncode()
    return Ended(-signal.SIGKILL if code is None else code, ears)


def _tell(group: int, number: signal.Signals) -> None:
    """Send a signal to all that the program has started and that is left of it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


async def _within(seconds: float, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
