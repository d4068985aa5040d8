"""A receiver of webhooks: the unsigned is refused, and an effect happens once, however often it is asked for.

LEDGER_DSN=postgresql://… python -m examples.webhook_fastapi
LEDGER_WEBHOOK_SECRETS=whsec_… ledger run --delivery http --http-allow 127.0.0.1
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import os
import threading
import time
from collections.abc import Awaitable, Callable

import httpx
import psycopg
import uvicorn
from fastapi import FastAPI, Request, Response

from dispatcher import Dispatcher
from dispatcher.deliveries.http import Http
from dispatcher.deliveries.signature import Signer
from ledger import Ledger, Schedule, Task, aclaim_once

SECRET = "whsec_" + base64.b64encode(b"of this example, and of no more").decode()
TOLERANCE_S = 300

app = FastAPI()


@app.middleware("http")
async def signed(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    """Let nothing through that the ledger has not signed: Standard Webhooks, in ten lines."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    ident, at = request.headers.get("webhook-id", ""), request.headers.get("webhook-timestamp", "0")
    mac = hmac.digest(key, f"{ident}.{at}.".encode() + await request.body(), hashlib.sha256)
    wanted = "v1," + base64.b64encode(mac).decode()
    given = request.headers.get("webhook-signature", "").split(" ")
    fresh = at.isdigit() and abs(time.time() - int(at)) < TOLERANCE_S
    if not fresh or not any(hmac.compare_digest(wanted, one) for one in given):
        return Response(status_code=401)
    return await go_on(request)


@app.post("/report")
async def report(run: dict[str, object]) -> dict[str, object]:
    """Send a report; `run` says which: tenant, task, key, slot, attempt, payload and so on."""
    async with await psycopg.AsyncConnection.connect(os.environ["LEDGER_DSN"]) as connection:
        # The claim and the effect are one transaction: both are there, or neither.
        first = await aclaim_once(connection, str(run["key"]), "report")
        if first:
            await connection.execute("INSERT INTO example_report (key) VALUES (%s)", (run["key"],))
    return {"status": "ok", "sent": first}


def serve() -> tuple[uvicorn.Server, str]:
    """The app on a free port of this machine; and its address."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/report"


def main() -> None:
    dsn = os.environ["LEDGER_DSN"]
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS example_report (key uuid PRIMARY KEY)")
    server, address = serve()
    with Ledger(dsn) as ledger:
        acme = ledger.tenant("acme", by="examples")
        schedule = Schedule(cron="0 9 * * MON", timezone="Europe/Paris")
        acme.define("weekly-report", Task(entrypoint=address, delivery="http", schedule=schedule))
        asked = acme.run_now("weekly-report", "by-hand-1")
        kinds = {"http": Http(Signer(SECRET), allowed=["127.0.0.1"])}
        asyncio.run(Dispatcher(dsn, None, deliveries=kinds).tick())
        run = acme.explain(asked.key).row
        print(f"{run.task}: {run.state}, result {run.result}")

    # The same message once more, as a network may bring it: the effect has happened.
    body = f'{{"key": "{asked.key}"}}'.encode()
    headers = Signer(SECRET).headers(str(asked.key), int(time.time()), body)
    headers["content-type"] = "application/json"
    print("again:", httpx.post(address, content=body, headers=headers, trust_env=False).json())
    print("unsigned:", httpx.post(address, content=body, trust_env=False).status_code)
    server.should_exit = True


if __name__ == "__main__":
    main()
