"""Tells an address outside, Healthchecks style, that a pass began, what it proved, or what is wrong.

`URL/start`, then `URL` for a pass that is green, its drills with it, or `URL/fail`. Whoever listens there
notices silence too, which nothing on this machine can. A ping never changes a pass: one that fails is said.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from threading import Thread

import httpx

from ledger.errors import BadInput
from ledger.facts import instant_text
from sweeper.report import PassReport

# The whole of one ping, names looked up and the answer's head read; the pass goes on after that.
BOUND_S = 10.0
# Listeners keep so much of a body at most.
BODY_MOST = 10_000
_NAMED = 20


class Ping:
    """Pings of one address; `complain` hears of each that did not arrive. Raises `BadInput` for no address.

    Complaints name the host alone: the path of such an address is its password.
    """

    def __init__(self, address: str, complain: Callable[[str], None], bound_s: float = BOUND_S) -> None:
        try:
            self._url = httpx.URL(address)
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise BadInput(f"--ping: the address cannot be read: {error}") from error
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise BadInput("--ping: write a whole address, such as https://hc-ping.com/your-uuid")
        self._complain = complain
        self._bound_s = bound_s

    def start(self) -> None:
        """Say that a pass begins."""
        self._send("/start", "")

    def closed(self, report: PassReport) -> None:
        """Say how a pass has ended: its success only where every tenant's drill has passed (I14)."""
        self._send("" if report.green else "/fail", said_of(report))

    def failed(self, why: str) -> None:
        """Say that a pass did not close, and why."""
        self._send("/fail", f"the pass did not close: {why}")

    def _send(self, way: str, body: str) -> None:
        """Send within the bound, on a thread: a name that nobody answers for would hold this one up."""
        wrong = [f"no answer within {self._bound_s:g} s"]
        sending = Thread(target=self._try, args=(way, body[:BODY_MOST], wrong), daemon=True)
        sending.start()
        sending.join(self._bound_s)
        said = list(wrong)
        if said:
            self._complain(f"ping{way} of {self._url.host} did not arrive: {said[-1]}")

    def _try(self, way: str, body: str, wrong: list[str]) -> None:
        url = self._url.copy_with(path=self._url.path.rstrip("/") + way)
        content = body.encode("utf-8", "backslashreplace")
        headers = {"User-Agent": "occurrence-ledger", "Content-Type": "text/plain; charset=utf-8"}
        try:
            with httpx.stream("POST", url, content=content, headers=headers, timeout=self._bound_s) as answer:
                if answer.is_success:
                    wrong.clear()
                else:
                    wrong.append(f"it answered {answer.status_code}")
        except Exception as error:  # noqa: BLE001 - whatever keeps a ping back is said, and the sweep goes on
            wrong.append(str(error) or type(error).__name__)


def said_of(report: PassReport) -> str:
    """What a pass did, for the body of a ping: counts, drills and their time, then what is wrong."""
    words = " + ".join(f"{report.count(word)} {word}" for word in ("healthy", "repaired", "failed"))
    times = [v.drill_ms for v in report.verdicts if v.drill == "passed" and v.drill_ms is not None]
    if report.spare is not None and report.spare.ms is not None:
        times.append(report.spare.ms)
    slowest = f", the slowest in {max(times):.1f} ms" if times else ""
    drills = ", ".join(f"{word} {n}" for word, n in report.drills.items())
    closed = instant_text(report.closed.astimezone(UTC))
    lines = [
        f"pass {report.number}, closed {closed}, took {report.took_s:.2f} s",
        f"tenants: {report.expected} = {words}",
        f"tasks: {report.tasks}, {report.open} open, {report.ended} ended",
        f"drills: {drills}{slowest}",
        *(f"repaired: {kind} {n}" for kind, n in report.repairs.items()),
        *(f"fault: {fault}" for fault in report.faults),
        *(f"note: {note}" for note in report.notes),
    ]
    wrong = [verdict for verdict in report.verdicts if not verdict.green]
    for one in wrong[:_NAMED]:
        because = " ".join(part for part in (one.cause, one.detail) if part)
        lines.append(f"tenant {one.tenant!r}: {one.word}, drill {one.drill}{because and f': {because}'}")
    if len(wrong) > _NAMED:
        lines.append(f"and {len(wrong) - _NAMED} tenants more")
    return "\n".join(lines)
