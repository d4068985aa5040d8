"""Webhooks: what is sent, how an answer is read, and where none is sent to."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from dataclasses import replace

import pytest

from dispatcher.deliveries.signature import Signer
from ledger.errors import BadInput, Superseded
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work
from tests.dispatcher.receiver import Answering, Receiver, answer
from tests.dispatcher.stands import SECRET, hook, hooked, http

OTHER = "whsec_" + base64.b64encode(b"the other secret, of a length").decode()


async def test_a_webhook_says_which_run_it_is_and_is_signed_by_both_secrets(
    book: Book, receiver: Receiver
) -> None:
    receiver.answers["/hook?a=1"] = answer(200, "{}")
    async with at_work(book.dsn, None, deliveries=http(secrets=f"{SECRET} {OTHER}")) as (_, ears):
        key = hook(book, receiver.url("/hook?a=1"), payload={"n": ["é", 1]})
        await ears.hear("run written", key=key)
    (sent,) = receiver.requests
    due, started, deadline, handed = book.row(key, "due, started, deadline, handed")
    said = json.loads(sent.body)
    assert said == {
        "tenant": TENANT,
        "task": "it",
        "key": str(key),
        "slot": due.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "started": started.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "deadline": deadline.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "lateness": (started - due).total_seconds(),
        "attempt": 1,
        "wake": "schedule",
        "payload": {"n": ["é", 1]},
    }
    assert handed > started, "it was noted before it was sent"
    headers = sent.headers
    assert (sent.method, headers["content-type"]) == ("POST", "application/json")
    assert headers["idempotency-key"] == headers["webhook-id"] == str(key)
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    # The receiver's own reading of the standard.
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + sent.body
    wanted = []
    for secret in (SECRET, OTHER):
        mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256)
        wanted.append("v1," + base64.b64encode(mac.digest()).decode())
    assert headers["webhook-signature"].split(" ") == wanted


def test_a_signature_is_that_of_the_standards_own_example() -> None:
    signer = Signer("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = signer.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        ("", "no secret is configured"),
        (f"{SECRET} {OTHER} {SECRET}", "not 3"),
        ("c2VjcmV0", "begins with whsec_"),
        ("whsec_!!!", "no base64"),
        ("whsec_c2hvcnQ=", "5 bytes, not 24 to 64"),
    ],
)
def test_without_fit_secrets_there_is_nobody_who_could_send(secrets: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        Signer(secrets)
    assert not secrets or secrets not in str(raised.value)


async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with 10 MB, and go on for as long as it is read."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
    for _ in range(1000):
        writer.write(b"x" * 10_000)
        await writer.drain()


async def no_http(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\x01garbage\r\n\r\n")


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("said", "ends", "in_error"),
    [
        (answer(204), ("succeeded", "succeeded"), None),
        (answer(200, '{"status": "ok"}'), ("succeeded", "succeeded"), None),
        (answer(200, '{"status": "failed", "error": {"code": 7}}'), ("failed", "failed"), '{"code": 7}'),
        (answer(200, '{"status": "failed"}'), ("failed", "failed"), '{"status": "failed"}'),
        (answer(200, "OK"), ("failed", "failed"), "answered 200 with what is no JSON: 'OK'"),
        (answer(200, "[NaN]"), ("failed", "failed"), "no JSON"),
        (answer(200, DEEP), ("failed", "failed"), "no JSON"),
        (answer(200, b"\xff\x00"), ("failed", "failed"), "no JSON"),
        (answer(500, "on fire"), ("failed", "failed"), "answered 500: 'on fire'"),
        (answer(429), ("failed", "failed"), "answered 429"),
        (answer(302, Location="http://127.0.0.1/"), ("failed", "failed"), "redirects are not followed"),
        (answer(410, "who?"), ("failed", "agent_gone"), "the agent is gone: 'who?'"),
        (flood, ("failed", "failed"), "more than 1048576 bytes"),
        (no_http, ("failed", "failed"), "no answer from '127.0.0.1'"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,
)
async def test_an_answer_is_the_end_of_its_run(
    said: bytes | Answering,
    ends: tuple[str, str],
    in_error: str | None,
    book: Book,
    receiver: Receiver,
) -> None:
    receiver.answers["/hook"] = said
    found = await hooked(book, receiver.url("/hook"), http())
    assert found[:2] == ends
    assert len(receiver.requests) == 1
    if in_error is None:
        assert found[3] is None
    else:
        assert in_error in str(found[3])


async def test_a_run_whose_agent_is_gone_is_not_tried_again_and_the_agent_is_noted(
    book: Book, receiver: Receiver
) -> None:
    receiver.answers["/hook"] = answer(410)
    async with at_work(book.dsn, None, deliveries=http()) as (_, ears):
        key = hook(book, receiver.url("/hook"), agent="agent:7", retry={"attempts": 3, "backoff_s": 0})
        await ears.hear("run written", key=key)
    assert book.row(key, "state, outcome, reason, failures") == ("failed", "agent_gone", "agent_gone", 1)
    assert book.sql("SELECT tenant, agent, key FROM ledger.gone_agent") == [(TENANT, "agent:7", key)]
    assert book.sql("SELECT wake FROM ledger.occurrence WHERE wake LIKE 'retry%%'") == []


async def test_a_run_that_is_taken_on_outlives_its_dispatcher_and_is_finished_by_its_key(
    book: Book, receiver: Receiver
) -> None:
    receiver.answers["/hook"] = answer(202, "later")
    async with at_work(book.dsn, None, deliveries=http()) as (_, ears):
        key = hook(book, receiver.url("/hook"))
        await ears.hear("run handed off", key=key)
        assert book.row(key, "state, incarnation, handed IS NULL") == ("running", None, False)
    # Another looks for the dead, twice: nobody is dead whose work somebody else has taken on.
    async with at_work(book.dsn, None, replace(SETTINGS, period_s=0.1), deliveries=http()) as (_, ears):
        await ears.hear("looked for absent processes", times=4)
        assert book.state(key) == "running"
    mine = book.ledger.tenant(TENANT)
    assert mine.finish(key, "succeeded", result={"n": 1}).state == "succeeded"
    with pytest.raises(Superseded):
        mine.finish(key, "failed", error="again")
    assert book.row(key, "state, result") == ("succeeded", '{"n": 1}')


async def test_a_run_that_is_taken_on_is_closed_by_its_deadline(book: Book, receiver: Receiver) -> None:
    receiver.answers["/hook"] = answer(202)
    async with at_work(book.dsn, None, replace(SETTINGS, period_s=0.2), deliveries=http()) as (_, ears):
        key = hook(book, receiver.url("/hook"), timeout_s=1)
        await ears.hear("run handed off", key=key)
        await ears.hear("looked for overdue runs", closed=1)
    assert book.row(key, "state, error") == ("timed_out", "its deadline passed")
