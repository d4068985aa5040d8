"""Subscribers are told of closings by signed webhooks: at least once, each at its own pace."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from dispatcher import Registry, Run
from dispatcher.deliveries.posting import Poster
from dispatcher.sender import Pass, Sender, backoff_s
from dispatcher.telling import Teller
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves.outbox import BOUND, Wish, add, read_kinds, subscribers
from ledger.statements.outbox import Subscriber
from tests.commanding import Shell
from tests.dispatcher.desk import TENANT, Book, Ears, at_work
from tests.dispatcher.receiver import Receiver, Request, answer, receiving
from tests.dispatcher.stands import SECRET

OTHER = "whsec_" + base64.b64encode(b"the other secret, of a length").decode()


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELL_SECRETS", f"{SECRET} {OTHER}")


def told(book: Book, name: str, url: str, tenant: str | None = TENANT, **members: object) -> None:
    """Add a subscriber."""
    whole = {"kinds": read_kinds(None), "secret": "env:TELL_SECRETS", "bound": BOUND} | members
    with connect(book.dsn) as connection:
        run(connection, add(Wish(name, tenant, url, **whole), "a test"), Scope("owner"))


def seen(book: Book, name: str) -> Subscriber:
    with connect(book.dsn) as connection:
        return run(connection, subscribers(name), Scope("reader"))[0]


def fails(book: Book, task: str, tenant: str = TENANT) -> UUID:
    """A run that fails; its key."""
    key = book.due(task, delivery="pull", tenant=tenant)
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE key = %s", key)
    mine = book.ledger.tenant(tenant)
    mine.start(key)
    mine.finish(key, "failed", error="no paper")
    return key


def hurry(book: Book) -> None:
    """What is left alone after a failure, or held by whoever has gone, may be taken up now."""
    book.sql("UPDATE ledger.subscriber SET try_at = now()")


@asynccontextmanager
async def sender(book: Book) -> AsyncIterator[Sender]:
    made = Sender(book.dsn, Poster(["127.0.0.1"], option="--tell-allow"), Teller())
    async with aclosing(made):
        yield made


async def one_pass(book: Book) -> Pass:
    async with sender(book) as made:
        return await made.once()


def signed_by(request: Request, secret: str) -> bool:
    """The receiver's own reading of the standard."""
    headers = request.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request.body
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode() in headers["webhook-signature"].split(" ")


async def test_a_closing_is_told_once_signed_and_under_an_id_of_its_own(
    book: Book, receiver: Receiver
) -> None:
    receiver.answers["/told"] = answer(204)
    told(book, "pager", receiver.url("/told"))
    key = fails(book, "report")
    fails(book, "elsewhere", tenant="globex")
    assert await one_pass(book) == Pass(1, [])
    assert await one_pass(book) == Pass(0, [])
    (sent,) = receiver.requests
    due, closed = book.row(key, "due, closed")
    assert json.loads(sent.body) == {
        "type": "occurrence.failed",
        "timestamp": closed.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": {
            "n": 1,
            "tenant": TENANT,
            "task": "report",
            "key": str(key),
            "slot": due.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "wake": "schedule",
            "reason": None,
            "error": "no paper",
            "blocker": None,
            "failures": 1,
            "retry": False,
        },
    }
    assert sent.headers["webhook-id"] == f"closed_{key}"
    assert signed_by(sent, SECRET)
    assert signed_by(sent, OTHER)
    one = seen(book, "pager")
    assert (one.sent, one.waiting, one.failures, one.error) == (1, 0, 0, None)
    assert one.sent_at is not None


async def test_what_was_sent_and_not_noted_is_sent_again_under_the_same_id(
    book: Book, receiver: Receiver
) -> None:
    """At least once: a sender that dies between the two leaves the event to the next one."""
    receiver.answers["/told"] = answer(200, "{}")
    told(book, "pager", receiver.url("/told"))
    for n in range(3):
        fails(book, f"t{n}")
    async with sender(book) as dies:
        look = await dies._look()
        assert len(look.windows) == 1
        for _ in range(3):
            await receiver.came.acquire()
        for task in dies._sending:
            task.cancel()
    first = sorted(request.headers["webhook-id"] for request in receiver.requests)
    book.sql("UPDATE ledger.subscriber SET after = 0, sent = 0")
    hurry(book)
    assert (await one_pass(book)).sent == 3
    assert sorted(request.headers["webhook-id"] for request in receiver.requests[3:]) == first


async def test_a_receiver_that_is_dead_holds_nobody_up_and_loses_nothing(
    book: Book, receiver: Receiver
) -> None:
    receiver.answers["/well"] = answer(200)
    receiver.answers["/hangs"] = receiver.hang
    for n in range(40):
        told(book, f"hangs{n}", receiver.url("/hangs"))
    told(book, "well", receiver.url("/well"))
    keys = [fails(book, f"t{n}") for n in range(20)]
    async with sender(book) as made:
        working = asyncio.create_task(made.run())
        for _ in range(40 + 20):
            await receiver.came.acquire()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    sent = [request for request in receiver.requests if request.path == "/well"]
    assert {json.loads(request.body)["data"]["key"] for request in sent} == {str(key) for key in keys}
    assert len(receiver.requests) == 40 + 20, "one that does not answer is asked with one event"
    assert seen(book, "hangs7").waiting == 20
    receiver.answers["/hangs"] = answer(200)
    receiver.requests.clear()
    book.sql("UPDATE ledger.subscriber SET try_at = now() WHERE name = 'hangs7'")
    assert await one_pass(book) == Pass(20, [])
    assert {r.headers["webhook-id"] for r in receiver.requests} == {f"closed_{key}" for key in keys}
    assert seen(book, "hangs7").waiting == 0


async def test_a_refusal_is_kept_said_and_tried_again_later_each_time(book: Book, receiver: Receiver) -> None:
    receiver.answers["/told"] = answer(503, "x" * 100_000)
    told(book, "pager", receiver.url("/told"))
    for n in range(3):
        fails(book, f"t{n}")
    for tries in (1, 2, 3):
        done = await one_pass(book)
        assert (done.sent, len(done.problems)) == (0, 1)
        assert "'127.0.0.1' answered 503" in done.problems[0]
        one = seen(book, "pager")
        assert (one.failures, one.waiting) == (tries, 3)
        assert timedelta(0) < one.try_at - one.moment <= timedelta(seconds=backoff_s(tries))
        assert await one_pass(book) == Pass(0, []), "it is left alone"
        hurry(book)
    assert len(receiver.requests) == 3
    receiver.answers["/told"] = answer(200)
    assert await one_pass(book) == Pass(3, [])
    one = seen(book, "pager")
    assert (one.failures, one.error, one.waiting) == (0, None, 0)
    assert [backoff_s(n) for n in (1, 2, 5, 9, 10, 1000)] == [1, 2, 16, 256, 300, 300]


@pytest.mark.parametrize(
    ("host", "secret", "said"),
    [
        ("127.0.0.2", "env:TELL_SECRETS", "unless the operator allows that name (--tell-allow)"),
        ("localhost", "env:TELL_SECRETS", "the loopback"),
        ("127.0.0.1", "env:NOT_SET", "env:NOT_SET are not in this"),
        ("127.0.0.1", "file:/no/such", "file:/no/such cannot be read"),
        ("127.0.0.1", "file:{bad}", "begins with whsec_"),
        ("127.0.0.1", "env:TELL_SECRETS", "no answer from '127.0.0.1'"),
    ],
)
async def test_nothing_goes_where_it_must_not_nor_unsigned(
    book: Book, tmp_path: Path, host: str, secret: str, said: str
) -> None:
    bad = tmp_path / "secrets"
    bad.write_text("hunter2")
    told(book, "pager", f"http://{host}:9/", secret=secret.format(bad=bad))
    fails(book, "report")
    done = await one_pass(book)
    assert done.sent == 0
    assert said in done.problems[0]
    assert "hunter2" not in done.problems[0]
    assert said in str(seen(book, "pager").error)


async def test_the_answer_to_a_redirect_is_no_success(book: Book, receiver: Receiver) -> None:
    receiver.answers["/told"] = answer(302, location="http://127.0.0.1/")
    told(book, "pager", receiver.url("/told"))
    fails(book, "report")
    assert "answered 302" in (await one_pass(book)).problems[0]


async def test_it_is_told_beside_a_dispatcher_as_it_comes(book: Book, receiver: Receiver) -> None:
    receiver.answers["/told"] = answer(200)
    told(book, "pager", receiver.url("/told"), tenant=None, kinds=["failed", "recovered"])
    registry = Registry()

    @registry.handler("job")
    async def job(_: Run) -> None:
        raise ValueError("no paper")

    async with sender(book) as made:
        telling = asyncio.create_task(made.run())
        async with at_work(book.dsn, registry, ears=Ears()) as (_, ears):
            key = book.due("report")
            await ears.hear("run written", key=key)
            await receiver.came.acquire()
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
    (sent,) = receiver.requests
    assert json.loads(sent.body)["data"]["key"] == str(key)


async def test_subscribers_by_command(book: Book, receiver: Receiver, tmp_path: Path) -> None:
    shell = Shell(book.dsn)
    secret = tmp_path / "secrets"
    secret.write_text(SECRET)
    receiver.answers["/told"] = answer(200)
    url = receiver.url("/told")
    where = ["--secret", f"file:{secret}", "--tenant", TENANT, "--kind", "failed"]
    added = shell.does("tell", "add", "pager", url, *where, "--json").json
    assert added == {"name": "pager", "after": 0}
    refused = await asyncio.to_thread(shell, "tell", "test", "pager")
    assert (refused.code, receiver.requests) == (1, [])
    assert "--tell-allow" in refused.out
    tested = await asyncio.to_thread(shell.does, "tell", "test", "pager", "--tell-allow", "127.0.0.1")
    assert tested.out == "pager: arrived\n"
    assert json.loads(receiver.requests[0].body)["type"] == "ledger.test"
    assert signed_by(receiver.requests[0], SECRET)
    fails(book, "report")
    sent = await asyncio.to_thread(shell.does, "tell", "send", "--tell-allow", "127.0.0.1", "--json")
    assert sent.json == {"sent": 1, "problems": []}
    (row,) = json.loads(shell.does("tell", "list", "--json").out)
    assert (row["name"], row["sent"], row["waiting"], row["secret"]) == ("pager", 1, 0, f"file:{secret}")
    assert "pager" in shell.does("tell", "list").out
    receiver.answers["/told"] = answer(500)
    fails(book, "again")
    failed = await asyncio.to_thread(shell, "tell", "send", "--tell-allow", "127.0.0.1")
    assert failed.code == 1
    assert "problem: " in failed.out
    shell.does("tell", "remove", "pager")
    assert "no subscriber 'pager'" in shell.refuses("tell", "remove", "pager", code=2)
    for wrong, said in (
        (["x", "ftp://x.example/"], "no address of a webhook"),
        (["x", "https://me:pw@x.example/"], "a name or a password"),
        (["x", url, "--secret", SECRET], "never kept"),
        (["x", url, "--kind", "succeeded"], "kind"),
        (["x y", url], "name"),
    ):
        line = shell.refuses("tell", "add", *wrong, code=2)
        assert said in line
        assert SECRET not in line


async def test_two_receivers_hear_of_their_own_tenants(book: Book) -> None:
    async with receiving() as one, receiving() as other:
        for receiver, tenant in ((one, TENANT), (other, "globex")):
            receiver.answers["/"] = answer(200)
            told(book, tenant, receiver.url("/"), tenant=tenant)
        for tenant in (TENANT, "globex"):
            fails(book, f"of-{tenant}", tenant=tenant)
        assert (await one_pass(book)).sent == 2
        assert {json.loads(r.body)["data"]["tenant"] for r in one.requests} == {TENANT}
        assert {json.loads(r.body)["data"]["tenant"] for r in other.requests} == {"globex"}
