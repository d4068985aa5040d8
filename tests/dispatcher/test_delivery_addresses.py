"""Where no webhook goes, and that it goes to the very address that was looked at."""

from __future__ import annotations

import socket
import ssl
import subprocess
from ipaddress import ip_address
from pathlib import Path

import pytest

from dispatcher.deliveries.addresses import forbidden
from dispatcher.deliveries.http import Http
from dispatcher.deliveries.signature import Signer
from tests.dispatcher.desk import Book
from tests.dispatcher.receiver import Receiver, answer, receiving
from tests.dispatcher.stands import SECRET, hooked, http


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.0.2.1"),
        *(
            "::",
            "::1",
            "fe80::1",
            "fe80::1%2",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "fec0::1",
            "2001:db8::1",
        ),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:224.0.0.1"),
        *("2002:7f00:1::", "2002:a00:1::1", "64:ff9b::127.0.0.1", "64:ff9b::a00:1"),
    ],
)
def test_an_address_that_is_not_of_the_public_internet_is_forbidden(address: str) -> None:
    assert forbidden(ip_address(address)) is not None


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::8.8.8.8"],
)
def test_an_address_of_the_public_internet_is_not(address: str) -> None:
    assert forbidden(ip_address(address)) is None


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "LOCALHOST", "[::1]", "0"]
)
async def test_no_webhook_goes_to_this_machine_unless_its_name_is_allowed(
    host: str, book: Book, receiver: Receiver
) -> None:
    receiver.answers["/hook"] = answer(200, "{}")
    state, _, _, error = await hooked(book, receiver.url("/hook", host), http(["another.example"]))
    assert state == "failed"
    assert "unless the operator allows that name" in str(error)
    assert receiver.requests == []


async def test_an_allowed_name_may_mean_this_machine(book: Book, receiver: Receiver) -> None:
    receiver.answers["/hook"] = answer(200, "{}")
    state, *_ = await hooked(book, receiver.url("/hook", "localhost"), http(["LocalHost"]))
    assert state == "succeeded"
    assert receiver.requests[0].headers["host"] == f"localhost:{receiver.port}"


class Names:
    """A name server: what each name means, the first time it is asked, the second, and from then on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **meaning: list[list[str]]) -> None:
        self.asked: list[str] = []
        self._meaning = {f"{name}.example": texts for name, texts in meaning.items()}
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: str, port: int, *rest: object, **named: object) -> object:
        if host not in self._meaning:
            return self._real(host, port, *rest, **named)  # type: ignore[arg-type]  # passed on as it came
        self.asked.append(host)
        texts = self._meaning[host]
        now = texts.pop(0) if len(texts) > 1 else texts[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, port)) for text in now]


async def test_the_connection_goes_to_the_very_address_that_was_looked_at(
    book: Book, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is looked up once: what it means a moment later reaches nobody."""
    names = Names(monkeypatch, fickle=[["127.0.0.1"], ["127.0.0.2"]])
    receiver.answers["/hook"] = answer(200, "{}")
    state, *_ = await hooked(book, receiver.url("/hook", "fickle.example"), http(["fickle.example"]))
    assert (state, names.asked) == ("succeeded", ["fickle.example"])
    assert receiver.requests[0].headers["host"] == f"fickle.example:{receiver.port}"


async def test_of_a_names_addresses_all_must_be_public(
    book: Book, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, mixed=[["8.8.8.8", "127.0.0.1"]])
    state, _, _, error = await hooked(book, receiver.url("/hook", "mixed.example"), http())
    assert state == "failed"
    assert "'mixed.example' means 127.0.0.1, the loopback" in str(error)
    assert receiver.requests == []


async def test_the_next_address_is_tried_where_nobody_is_at_the_first(
    book: Book, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, two=[["127.0.0.2", "127.0.0.1"]])
    receiver.answers["/hook"] = answer(200, "{}")
    state, *_ = await hooked(book, receiver.url("/hook", "two.example"), http(["two.example"]))
    assert (state, len(receiver.requests)) == ("succeeded", 1)


@pytest.mark.parametrize("name", ["right", "wrong"])
async def test_the_certificate_must_be_the_names(
    name: str, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection goes to an address, and is believed only if whoever is there proves to be the name."""
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=right.example"
    named = "-addext subjectAltName=DNS:right.example"
    subprocess.run(
        [*made.split(), *named.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    Names(monkeypatch, right=[["127.0.0.1"]], wrong=[["127.0.0.1"]])
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    host = f"{name}.example"
    trusting = Http(Signer(SECRET), [host], ssl.create_default_context(cafile=str(certificate)))
    async with receiving(context=serving) as receiver:
        receiver.answers["/hook"] = answer(200, "{}")
        url = receiver.url("/hook", host).replace("http://", "https://")
        state, _, _, error = await hooked(book, url, {"http": trusting})
    if name == "right":
        assert (state, len(receiver.requests)) == ("succeeded", 1)
    else:
        assert (state, receiver.requests) == ("failed", [])
        assert "not valid for 'wrong.example'" in str(error)


async def test_a_name_that_means_nothing_fails_its_run(book: Book) -> None:
    state, _, _, error = await hooked(book, "http://nobody.invalid/hook", http())
    assert state == "failed"
    assert "'nobody.invalid' has no address" in str(error)


async def test_nobody_there_fails_the_run(book: Book) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    state, _, _, error = await hooked(book, f"http://127.0.0.1:{port}/hook", http())
    assert state == "failed"
    assert "no answer from '127.0.0.1'" in str(error)
