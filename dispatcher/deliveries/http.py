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

from dispatcher.deliveries.addresses import Addresses, Refused
from dispatcher.deliveries.message import ANSWER_MOST, NoJson, judged, message_of, quoted, read_json
from dispatcher.deliveries.signature import Signer
from dispatcher.outcome import HANDED_OFF, Ending
from dispatcher.registry import Handler
from dispatcher.run import Run
from ledger.authored.models import Definition

# How long a connection may take to come about; the answer may take until the run's deadline.
CONNECT_S = 10.0


class Http:
    """Sends webhooks. `allowed` are names that may mean an address that is not of the public internet."""

    looped = True
    in_turn = False

    def __init__(
        self, signer: Signer, allowed: Collection[str] = (), context: ssl.SSLContext | None = None
    ) -> None:
        self._signer = signer
        self._addresses = Addresses(allowed)
        # Each request has a connection of its own: one that was made for another name would not be checked.
        # No proxy and no password comes from the environment.
        self._client = httpx.AsyncClient(
            verify=context or ssl.create_default_context(),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            headers={"User-Agent": "occurrence-ledger", "Accept": "application/json"},
        )

    def handler(self, definition: Definition) -> Handler | str:
        """A request to the entrypoint."""
        try:
            url = httpx.URL(definition.entrypoint)
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            return f"the entrypoint is no address of a webhook: {error}"
        if url.scheme not in ("http", "https") or not url.host:
            return "the entrypoint is no address of a webhook: it names no host"
        return Handler(definition.entrypoint, partial(self._deliver, url), noted=True)

    async def close(self) -> None:
        """Close what is open."""
        self._addresses.close()
        await self._client.aclose()

    async def _deliver(self, url: httpx.URL, run: Run) -> Ending:
        body = json.dumps(message_of(run), ensure_ascii=False, separators=(",", ":")).encode()
        key = str(run.key)
        headers = {
            **self._signer.headers(key, int(time.time()), body),
            "Idempotency-Key": key,
            "Content-Type": "application/json",
            # What is packed could be unpacked to any size.
            "Accept-Encoding": "identity",
            "Host": url.netloc.decode("ascii"),
        }
        try:
            port = url.port or (443 if url.scheme == "https" else 80)
            addresses = await self._addresses.of(url.host, port)
            return await self._send(url, addresses, headers, body, run)
        except Refused as error:
            return Ending("failed", error=str(error))
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
            return Ending("failed", error=f"no answer from {url.host!r}: {said}")

    async def _send(
        self, url: httpx.URL, addresses: list[str], headers: dict[str, str], body: bytes, run: Run
    ) -> Ending:
        """Send to the first address that takes a connection."""
        for n, address in enumerate(addresses, 1):
            request = self._client.build_request(
                "POST",
                url.copy_with(host=address),
                headers=headers,
                content=body,
                # The certificate must be the name's, not the address's.
                extensions={"sni_hostname": url.raw_host.decode("ascii")},
            )
            try:
                answer = await self._client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                # Nothing was sent.
                if n == len(addresses):
                    raise
                continue
            try:
                return await _read(answer, url.host, run)
            finally:
                await answer.aclose()
        raise Refused(f"the name {url.host!r} has no address")


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
