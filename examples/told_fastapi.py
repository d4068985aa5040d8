"""A receiver that is told of what closes badly: the unsigned is refused, and what comes twice counts once.

LEDGER_DSN=postgresql://… python -m examples.told_fastapi

By command, where `ledger run` then sends what comes:
ledger tell add pager https://pager.example/told --tenant acme --kind failed --kind recovered
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import threading
import time
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response

from ledger import Ledger, Retry, Schedule, Task
from ledger.cli import main as ledger_command

SECRET = "whsec_" + base64.b64encode(b"of this example, and of no more").decode()
TOLERANCE_S = 300

app = FastAPI()
# A receiver of yours keeps these in its database, beside what it does about them.
heard: dict[str, dict[str, Any]] = {}


@app.post("/told")
async def told(request: Request) -> Response:
    """Take an event: Standard Webhooks, checked by hand. Any answer but 2xx has it sent again later."""
    ident, at = request.headers.get("webhook-id", ""), request.headers.get("webhook-timestamp", "0")
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    mac = hmac.digest(key, f"{ident}.{at}.".encode() + await request.body(), hashlib.sha256)
    wanted = "v1," + base64.b64encode(mac).decode()
    given = request.headers.get("webhook-signature", "").split(" ")
    fresh = at.isdigit() and abs(time.time() - int(at)) < TOLERANCE_S
    if not fresh or not any(hmac.compare_digest(wanted, one) for one in given):
        return Response(status_code=401)
    # The id of an event never changes, so what is sent once more is known.
    heard.setdefault(ident, await request.json())
    return Response(status_code=204)


def serve() -> tuple[uvicorn.Server, str]:
    """The app on a free port of this machine; and its address."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/told"


def tell(*arguments: str) -> None:
    """`ledger tell …`, as a shell would run it."""
    ledger_command(["tell", *arguments], standalone_mode=False)


def send() -> None:
    """One pass of telling, as cron would do it; `ledger run` does it all the time."""
    try:
        tell("send", "--tell-allow", "127.0.0.1")
    except SystemExit as done:
        if done.code:
            raise


def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    os.environ["PAGER_SECRETS"] = SECRET
    server, address = serve()
    tell("add", "pager", address, "--tenant", "acme", "--secret", "env:PAGER_SECRETS")
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme", by="examples")
        again = Retry(attempts=1, backoff_s=1)
        schedule = Schedule(cron="0 9 * * MON")
        acme.define("report", Task(entrypoint="print", delivery="pull", schedule=schedule, retry=again))
        # The platform's own runtime: it prints the report, in vain at first.
        run = acme.start(acme.run_now("report", "by-hand-1").key)
        acme.finish(run.key, "failed", error="no paper")
        while not (due := acme.due()):
            time.sleep(0.1)
        acme.finish(acme.start(due[0].key).key, "succeeded")
        send()
        for event in heard.values():
            data = event["data"]
            print(event["type"], data["task"], data["wake"], data["error"] or data["reason"])

        # The same by a cursor, for whoever would rather ask; nothing is ever put behind it.
        page = acme.events()
        print("by cursor:", [(one.kind, one.task) for one in page.events], "then", page.cursor)
    server.should_exit = True


if __name__ == "__main__":
    main()
