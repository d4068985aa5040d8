"""One guarded POST: whoever sends a webhook, a run or an event, sends it through here.

The name is looked up once, every address it has is looked at, and the connection goes to one of these.
Nothing comes from the environment, redirects are not followed, and nothing packed is asked for.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias

import httpx

from dispatcher.deliveries.addresses import Addresses, Refused
from ledger.errors import BadInput

Address: TypeAlias = httpx.URL

# How long a connection may take to come about; how long the answer may take is its caller's to say.
CONNECT_S = 10.0


def read_address(text: str) -> Address:
    """The address of a webhook. Raises `BadInput` for a text that is none."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise BadInput(f"no address of a webhook: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise BadInput("no address of a webhook: it names no host")
    return url


class Poster:
    """Posts to addresses of the public internet, and to what the names `allowed` mean; `option` is how the
    operator allows one, as a refusal says.
    """

    def __init__(
        self,
        allowed: Collection[str] = (),
        context: ssl.SSLContext | None = None,
        option: str = "--http-allow",
    ) -> None:
        self._addresses = Addresses(allowed, option)
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

    async def close(self) -> None:
        """Close what is open."""
        self._addresses.close()
        await self._client.aclose()

    @asynccontextmanager
    async def posted(
        self, url: httpx.URL, headers: Mapping[str, str], body: bytes
    ) -> AsyncIterator[httpx.Response]:
        """Send JSON to the first address that takes a connection; the answer is not read yet.

        Raises `Refused` for a name that may not be reached, and httpx's errors where no answer comes.
        """
        whole = {
            **headers,
            "Content-Type": "application/json",
            # What is packed could be unpacked to any size.
            "Accept-Encoding": "identity",
            "Host": url.netloc.decode("ascii"),
        }
        port = url.port or (443 if url.scheme == "https" else 80)
        answer = await self._send(url, await self._addresses.of(url.host, port), whole, body)
        try:
            yield answer
        finally:
            await answer.aclose()

    async def told(
        self, url: Address, headers: Mapping[str, str], body: bytes, patience_s: float
    ) -> str | None:
        """Send what has no answer but its status; None where that is 2xx, in time, else what went wrong."""
        try:
            async with asyncio.timeout(patience_s), self.posted(url, headers, body) as answer:
                return None if answer.is_success else f"{url.host!r} answered {answer.status_code}"
        except TimeoutError:
            return f"no answer from {url.host!r} within {patience_s:g} s"
        except Refused as error:
            return str(error)
        except httpx.HTTPError as error:
            return f"no answer from {url.host!r}: {str(error) or type(error).__name__}"

    async def _send(
        self, url: httpx.URL, addresses: list[str], headers: Mapping[str, str], body: bytes
    ) -> httpx.Response:
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
                return await self._client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                # Nothing was sent.
                if n == len(addresses):
                    raise
        raise Refused(f"the name {url.host!r} has no address")
