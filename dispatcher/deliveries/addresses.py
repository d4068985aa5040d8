"""Which addresses a webhook may go to: those of the public internet, and whatever an allowed name means.

A name is resolved once for each request, every address it has is looked at, and the connection goes to one of
these addresses: what the name means a moment later changes nothing.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# Addresses that carry one of the old kind, which is where a packet for them ends.
_TRANSLATED = IPv6Network("64:ff9b::/96")
# So many names are looked up at once; a name server that does not answer holds up no other kind.
_LOOKUPS = 16

Address = IPv4Address | IPv6Address


class Refused(Exception):
    """The name may not be reached, or means nothing."""


class Addresses:
    """Looks names up; `allowed` are the names, and addresses as written, that may mean any address; `option`
    is how the operator allows one.
    """

    def __init__(self, allowed: Collection[str], option: str = "--http-allow") -> None:
        self._option = option
        self._allowed = frozenset(name.lower().rstrip(".") for name in allowed)
        self._threads = ThreadPoolExecutor(_LOOKUPS, "ledger-lookup")

    async def of(self, host: str, port: int) -> list[str]:
        """The addresses to connect to, in order. Raises `Refused`."""
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            )
        except (OSError, UnicodeError) as error:
            raise Refused(f"the name {host!r} has no address: {error}") from error
        texts = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
        if host.lower().rstrip(".") not in self._allowed:
            for text in texts:
                why = forbidden(ip_address(text))
                if why is not None:
                    raise Refused(
                        f"{host!r} means {text}, {why}: no webhook goes there unless the operator allows "
                        f"that name ({self._option})"
                    )
        return texts

    def close(self) -> None:
        """Look nothing up any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def forbidden(address: Address) -> str | None:
    """Why an address is not of the public internet; None where it is."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in _TRANSLATED:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return forbidden(inner)
        if address.is_site_local:
            return "an address of a site"
    for what, found in (
        ("the loopback", address.is_loopback),
        ("a link-local address", address.is_link_local),
        ("a multicast address", address.is_multicast),
        ("no address of anybody", address.is_unspecified),
        ("a private address", not address.is_global),
        ("a reserved address", address.is_reserved),
    ):
        if found:
            return what
    return None
