"""A real HTTP server on the loopback that keeps what it is sent, and answers as a test says."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def answer(status: int, body: str | bytes = b"", **headers: str) -> bytes:
    """A whole HTTP answer."""
    raw = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(raw)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + raw


@dataclass
class Receiver:
    """`answers`: by path, the bytes of an answer, or who answers by hand; made by `receiving`."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    answers: dict[str, bytes | Answering] = field(default_factory=dict)
    # Acquired once for each request that has come.
    came: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    # How many requests were given up by whoever sent them.
    given_up: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def hang(self, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        """Answer never, and wait until the other side has gone."""
        with suppress(ConnectionError):
            await reader.read()
        self.given_up.release()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ")
            headers = {
                name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
            }
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.requests.append(Request(method, path, headers, body))
            self.came.release()
            say = self.answers[path]
            if isinstance(say, bytes):
                writer.write(say)
                await writer.drain()
            else:
                await say(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            # Whoever asked has gone.
            self.given_up.release()
        finally:
            writer.close()


@asynccontextmanager
async def receiving(*, context: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=context)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver
