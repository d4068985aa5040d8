"""The connections of a pass: one, or several side by side, each with a thread of its own.

Work is given out a piece at a time, so a slow tenant holds up only the connection that serves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

from ledger.driver.connect import SyncConnection
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import Unreachable
from ledger.moves.step import Move

R = TypeVar("R")
Work = TypeVar("Work")
Done = TypeVar("Done")

_ALL = Scope("sweeper")


class Session:
    """A connection of a pass; where it is lost in one tenant's turn, the next one gets another."""

    def __init__(self, connection: SyncConnection, reopen: Callable[[], SyncConnection] | None) -> None:
        self.connection = connection
        self._reopen = reopen

    def run(self, move: Move[R], scope: Scope = _ALL) -> R:
        return run(self.connection, move, scope)

    def renew(self) -> None:
        """Raises `Unreachable` where no other connection is to be had."""
        if self._reopen is None:
            raise Unreachable("the connection of the pass was lost, and no other can be opened here")
        self.connection.close()
        self.connection = self._reopen()

    def another(self) -> Session:
        """A session beside this one. Raises `Unreachable` where no other connection is to be had."""
        if self._reopen is None:
            raise Unreachable("the pass was given one connection, and no way to open another")
        return Session(self._reopen(), self._reopen)


def side_by_side(
    work: Sequence[Work], sessions: Sequence[Session], do: Callable[[Session, Work], Done]
) -> Iterator[tuple[int, Done]]:
    """What `do` makes of each piece of work, with the piece's number, in the order in which they are done.

    With one session all is done here, one piece after the other; else in a thread for each. The first error
    ends it: it is raised once every thread has come to the end of its piece.
    """
    if len(sessions) == 1:
        for n, piece in enumerate(work):
            yield n, do(sessions[0], piece)
        return
    crew = _Crew(work, do)
    threads = [Thread(target=crew.serve, args=(session,), daemon=True) for session in sessions]
    for thread in threads:
        thread.start()
    try:
        yield from crew.results(len(threads))
    finally:
        crew.stop.set()
        for thread in threads:
            thread.join()


class _Crew(Generic[Work, Done]):
    """Threads that take pieces of the same work until none is left, or until they are to stop."""

    def __init__(self, work: Sequence[Work], do: Callable[[Session, Work], Done]) -> None:
        self.stop = Event()
        self._pieces = iter(enumerate(work))
        self._taking = Lock()
        self._do = do
        self._told: SimpleQueue[tuple[int, Done] | BaseException | None] = SimpleQueue()

    def serve(self, session: Session) -> None:
        """Do pieces on one session; None is told at the end, or the error that ended it."""
        try:
            while not self.stop.is_set():
                with self._taking:
                    piece = next(self._pieces, None)
                if piece is None:
                    break
                self._told.put((piece[0], self._do(session, piece[1])))
        except BaseException as error:  # noqa: BLE001 - raised again where the results are awaited
            self._told.put(error)
        else:
            self._told.put(None)

    def results(self, threads: int) -> Iterator[tuple[int, Done]]:
        """What is told, until so many threads have come to their end."""
        while threads:
            told = self._told.get()
            if told is None:
                threads -= 1
            elif isinstance(told, BaseException):
                raise told
            else:
                yield told
