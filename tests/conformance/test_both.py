"""Two implementations that share no code agree byte for byte (I19): on vectors, by chance, on waits."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest

from conformance import second
from conformance.entries import FOLDER, read_folder
from conformance.fuzz import Tally, fuzz, request
from conformance.gather import gathered
from conformance.pair import PRODUCT, agreed
from conformance.runner import judge
from ledger.keys import retry_wait, spread_seconds

_REQUESTS = int(os.environ.get("LEDGER_FUZZ", "5000"))


@pytest.mark.parametrize("which", ["product", "javascript"])
def test_every_vector_agrees(which: str, javascript: list[str]) -> None:
    outcome = judge(read_folder(FOLDER), PRODUCT if which == "product" else javascript)
    assert outcome.faults == []
    assert [(verdict.entry.name, verdict.answered) for verdict in outcome.differing] == []
    assert outcome.passed


@pytest.mark.usefixtures("javascript")
def test_the_agreed_vectors_are_what_both_say_today() -> None:
    """The files hold each request that the sets make, and no other; nobody has edited an answer."""
    for name, raw in gathered().items():
        assert (FOLDER / name).read_bytes() == raw, f"{name}: run python -m conformance.gather, and look why"


@pytest.mark.counted
@pytest.mark.usefixtures("javascript")
def test_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    """As many requests as LEDGER_FUZZ says; a run that met some refusal too seldom has failed."""
    seed = random.SystemRandom().randrange(2**32)
    tally, differences = fuzz(_REQUESTS, seed)
    with capsys.disabled():
        print(f"\nfuzz: {_REQUESTS} requests, seed {seed}, {len(differences)} differences", file=sys.stderr)
        print("\n".join(f"  {line}" for line in tally.lines()), file=sys.stderr)
    assert not differences, "\n" + "\n".join(differences)
    assert not tally.shortfalls(), "\n".join(tally.shortfalls())


def test_a_request_is_made_again_from_its_seed_and_number() -> None:
    again = [request(11, number) for number in reversed(range(300))]
    assert [request(11, number) for number in range(300)] == again[::-1]
    assert request(11, 0) != request(12, 0)


def test_a_run_that_met_too_little_is_no_proof() -> None:
    tally = Tally()
    for _ in range(1000):
        tally.count("due", {"error": "no_offset", "fact": "due"}, b"")
    shortfalls = tally.shortfalls()
    assert "only 0 of 1000 requests were taken" in shortfalls
    assert "key: missing was met 0 times, the least is 2" in shortfalls
    assert not any(shortfall.startswith("due: no_offset") for shortfall in shortfalls)


def test_a_difference_is_no_agreement() -> None:
    assert agreed(b'{"due":"a"}', b'{ "due" : "\\u0061" }') == {"due": "a"}
    assert agreed(b'{"due":"a"}', b'{"due":"b"}') is None
    assert agreed(b'{"due":1}', b'{"due":true}') is None
    assert agreed(b"x", b"x") is None
    assert agreed(b"[1]", b"[1]") is None
    told = b'{"error":"bad_task","fact":"name","message":"%s"}'
    assert agreed(told % b"one", told % b"another") == {"error": "bad_task", "fact": "name"}


@pytest.mark.usefixtures("javascript")
def test_spread_and_retries_wait_alike() -> None:
    """The protocol does not ask for these two, so both are asked directly."""
    rng = random.Random(2026)
    spreads = [
        (f"tenant-{rng.random()}", f"task-{n}", rng.choice((0, 1, 3600, 86_400, rng.randint(0, 86_400))))
        for n in range(2000)
    ]
    backoffs = [
        (rng.choice((1, 2, 100)), rng.choice((0, 1, 10, 86_400)), rng.randint(1, 10), rng.choice((1, 3600)))
        for _ in range(2000)
    ]  # fmt: skip
    retries = [(rng.randbytes(32).hex(), *backoff) for backoff in backoffs]
    javascript = _in_javascript({"spreads": spreads, "retries": retries})
    assert next(javascript) == [spread_seconds(*spread) for spread in spreads]
    assert next(javascript) == [
        retry_wait(bytes.fromhex(fingerprint), *rest) // timedelta(microseconds=1)
        for fingerprint, *rest in retries
    ]


def test_the_waits_of_the_specification() -> None:
    assert spread_seconds("acme", "weekly-report", 3600) == 2339
    fingerprint = bytes.fromhex("036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959")
    for n, micros in ((1, 5066377), (2, 10132754), (3, 20265509), (12, 1823895847)):
        assert retry_wait(fingerprint, n, 10, 2, 3600) == timedelta(microseconds=micros)
    text = (FOLDER.parent / "SPECIFICATION.md").read_text(encoding="utf-8")
    for number in ("2339", "5066377", "10132754", "20265509", "1823895847"):
        assert number in text


def _in_javascript(asked: object) -> Iterator[object]:
    program = """
import { readFileSync } from 'node:fs';
import { spreadSeconds, retryWaitMicros } from './index.js';
const { spreads, retries } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(spreads.map((spread) => spreadSeconds(...spread))));
console.log(JSON.stringify(retries.map(([fingerprint, n, backoffS, factor, maxS]) =>
  retryWaitMicros(fingerprint, n, { backoffS, factor, maxS }))));
"""
    node = str(second.node_program())
    done = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps(asked),
        cwd=second.FOLDER,
        capture_output=True,
        text=True,
        check=True,
    )
    yield from map(json.loads, done.stdout.splitlines())
