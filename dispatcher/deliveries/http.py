"""The kind `http`: a signed webhook, whose answer is the run's end.

The entrypoint is the address. 2xx with JSON, or with nothing, is a success, unless the JSON says that it
failed; 202 takes the run on, and it is finished later by its key; 410 says that the agent is gone. Redirects
are not followed: an address that was checked must not lead to one that was not.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Collection
from functools import partial

import httpx

from dispatcher.deliveries.addresses import Refused
from dispatcher.deliveries.message import ANSWER_MOST, NoJson, judged, message_of, quoted, read_json
from dispatcher.deliveries.posting import Poster, read_address
from dispatcher.deliveries.signature import Signer
from dispatcher.outcome import HANDED_OFF, Ending
from dispatcher.registry import Handler
from dispatcher.run import Run
from ledger.authored.models import Definition
from ledger.errors import BadInput
from ledger.spans import carried


class Http:
    """Sends webhooks. `allowed` are names that may mean an address that is not of the public internet."""

    looped = True
    in_turn = False

    def __init__(
        self, signer: Signer, allowed: Collection[str] = (), context: ssl.SSLContext | None = None
    ) -> None:
        self._signer = signer
        self._poster = Poster(allowed, context)

    def handler(self, definition: Definition) -> Handler | str:
        """A request to the entrypoint."""
        try:
            url = read_address(definition.entrypoint)
        except BadInput as error:
            return f"the entrypoint is {error}"
        return Handler(definition.entrypoint, partial(self._deliver, url), noted=True)

    async def close(self) -> None:
        """Close what is open."""
        await self._poster.close()

    async def _deliver(self, url: httpx.URL, run: Run) -> Ending:
        body = json.dumps(message_of(run), ensure_ascii=False, separators=(",", ":")).encode()
        key = str(run.key)
        headers = {**self._signer.headers(key, int(time.time()), body), "Idempotency-Key": key, **carried()}
        try:
            async with self._poster.posted(url, headers, body) as answer:
                return await _read(answer, url.host, run)
        except Refused as error:
            return Ending("failed", error=str(error))
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
            return Ending("failed", error=f"no answer from {url.host!r}: {said}")


async def _read(answer: httpx.Response, host: str, run: Run) -> Ending:
    """Read an answer, as far as it may go, and judge it."""
    status = answer.status_code
    if status == httpx.codes.ACCEPTED:
        return HANDED_OFF
    said = f"{host!r} answered {status}"
    body = bytearray()
    async for part in answer.aiter_raw():
        body += part
        if len(body) > ANSWER_MOST:
            return Ending("failed", error=f"{said} with more than {ANSWER_MOST} bytes: read no further")
    text = body.decode("utf-8", "backslashreplace")
    if not answer.is_success:
        return _failed(status, said, text)
    if not text.strip():
        return Ending("succeeded")
    try:
        return judged(run, read_json(text))
    except NoJson:
        return Ending("failed", error=f"{said} with what is no JSON: {quoted(text)}")


def _failed(status: int, said: str, text: str) -> Ending:
    quote = f": {quoted(text)}" if text else ""
    if status == httpx.codes.GONE:
        return Ending("failed", error=f"{said}, so the agent is gone{quote}", how="gone")
    if 300 <= status < 400:
        return Ending("failed", error=f"{said}: redirects are not followed; name the last address")
    return Ending("failed", error=f"{said}{quote}")
