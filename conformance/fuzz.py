"""Requests at random to both implementations: `python -m conformance.fuzz --requests 100000 --seed 7`.

Each request is made from the seed and its number alone, so one that made a difference can be made again
with `--only NUMBER`. A run that asked too little of some kind proves little, so it fails: at least
40 requests in a hundred are to be taken, and each refusal is to be met twice in a thousand.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from conformance.making import dues, facts, hostile, objects, tasks, twist, walks, wire
from conformance.pair import Pair, agreed, lacks
from conformance.values import read
from conformance.walked import Walked

# The refusals of each operation that JavaScript and the product both answer.
REFUSALS = {
    "key": (
        *(
            "not_an_object",
            "missing",
            "unknown",
            "not_a_string",
            "empty",
            "too_long",
            "bad_character",
            "bad_token",
        ),
        *(
            "bad_retry",
            "bad_destination",
            "bad_digest",
            "bad_timestamp",
            "no_offset",
            "too_precise",
            "out_of_range",
        ),
    ),
    "digest": tuple(objects.FAULTS),
    "due": ("not_a_string", "bad_timestamp", "no_offset", "too_precise", "out_of_range"),
    "fold": ("bad_task",),
    "slots": (
        *("bad_schedule", "not_a_string", "bad_timestamp", "no_offset", "too_precise", "out_of_range"),
        "bad_count",
    ),
    "request": ("bad_request",),
}
# Of each thousand requests at least so many are refused with each code, and so many taken.
LEAST_REFUSED = 2
LEAST_TAKEN = 400
_BURST = 500
_SHOWN = 4000


def request(seed: int, number: int) -> tuple[str, bytes]:
    """The operation and the line of one request."""
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 - to be made again from its seed is the point
    op = rng.choices(("key", "digest", "due", "fold", "slots", "request"), (29, 15, 10, 24, 18, 4))[0]
    if op == "request":
        return op, hostile.random_line(rng)
    asked = {"op": op, **_MAKERS[op](rng)}
    line = wire.plain(asked) if rng.random() < 0.5 else wire.spelled(asked, rng)
    return op, line.encode()


# The faults of facts by their codes, so that a rare one is met as often as the others.
_BY_CODE: dict[str, list[tuple[str, facts.Maker]]] = {}
for _name, _faults in facts.FAULTS.items():
    for _label, _make in _faults.items():
        _BY_CODE.setdefault(_label.partition(" ")[0], []).append((_name, _make))
_CODES = sorted(_BY_CODE)


def _key(rng: random.Random) -> object:
    made = facts.valid(rng)
    if rng.random() < 0.45:
        return made
    turn = rng.randrange(24)
    if turn == 0:
        return rng.choice(objects.NOT_OBJECTS)
    if turn > 20:
        twist.leaf(made, rng)
        return made
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(facts.NAMES)
        if turn == 1:
            made.pop(name, None)
        elif turn == 2:
            made[rng.choice(("Tenant", "", "version", "😀", "\ue000", "__proto__", "due "))] = "x"
        elif turn == 3:
            made[name] = facts.not_a_string(rng)
        else:
            name, make = rng.choice(_BY_CODE[rng.choice(_CODES)])
            made[name] = make(rng)
    return made


def _digest(rng: random.Random) -> object:
    if rng.random() < 0.5:
        return objects.valid(rng)
    # Large texts take long to carry, so they come less often.
    codes = list(objects.FAULTS)
    return objects.FAULTS[rng.choices(codes, (3, 3, 3, 3, 3, 3, 2))[0]](rng)


def _due(rng: random.Random) -> object:
    turn = rng.random()
    if turn < 0.5:
        return dues.valid(rng) if turn < 0.4 else twist.text(dues.valid(rng), rng)
    return facts.not_a_string(rng) if turn < 0.58 else dues.FAULTS[rng.choice(list(dues.FAULTS))](rng)


def _fold(rng: random.Random) -> object:
    return tasks.valid(rng) if rng.random() < 0.7 else tasks.wrong(rng)


# The members of a request beside `op`.
_MAKERS: dict[str, Callable[[random.Random], dict[str, object]]] = {
    "key": lambda rng: {"facts": _key(rng)},
    "digest": lambda rng: {"authored": _digest(rng)},
    "due": lambda rng: {"text": _due(rng)},
    "fold": lambda rng: {"task": _fold(rng)},
    "slots": lambda rng: walks.valid(rng) if rng.random() < 0.7 else walks.wrong(rng),
}


class Tally:
    """What was asked so far, and what was answered."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.paths: Counter[str] = Counter()
        self.walked = Walked()

    def count(self, op: str, answer: dict[str, object], line: bytes) -> None:
        self.asked[op] += 1
        code = answer.get("error")
        if code is None:
            self.taken[op] += 1
            if "slots" in answer and isinstance(asked := read(line), dict):
                self.walked.count(asked, answer)
            return
        self.refused["request" if code == "bad_request" else op, str(code)] += 1
        if code == "bad_task":
            self.paths[str(answer["fact"])] += 1

    def lines(self) -> list[str]:
        """The counts, for people."""
        total = sum(self.asked.values())
        found = [f"{op}: {n} asked, {self.taken[op]} taken" for op, n in sorted(self.asked.items())]
        found.append(f"taken: {sum(self.taken.values())} of {total}")
        for op, codes in REFUSALS.items():
            found.append(f"refused, {op}: " + ", ".join(f"{code} {self.refused[op, code]}" for code in codes))
        found.append(f"tasks were refused at {len(self.paths)} different paths")
        return [*found, *self.walked.lines()]

    def shortfalls(self) -> list[str]:
        """What was met too seldom for the run to prove anything."""
        total = sum(self.asked.values())
        least = total * LEAST_REFUSED // 1000
        found = [
            f"{op}: {code} was met {self.refused[op, code]} times, the least is {least}"
            for op, codes in REFUSALS.items()
            for code in codes
            if self.refused[op, code] < least
        ]
        if sum(self.taken.values()) * 1000 < total * LEAST_TAKEN:
            found.append(f"only {sum(self.taken.values())} of {total} requests were taken")
        return [*found, *self.walked.shortfalls()]


def fuzz(requests: int, seed: int) -> tuple[Tally, list[str]]:
    """Ask both `requests` lines. Answers the counts and the differences, at most ten of them.

    Raises ProgramFault if one of them breaks the protocol, NotInstalled, Unstartable.
    """
    tally = Tally()
    differences: list[str] = []
    with Pair() as pair:
        for start in range(0, requests, _BURST):
            numbers = range(start, min(start + _BURST, requests))
            made = [request(seed, number) for number in numbers]
            answers = pair.ask([line for _, line in made])
            for number, (op, line), (product, other) in zip(numbers, made, answers, strict=True):
                answer = agreed(product, other)
                if answer is not None:
                    tally.count(op, answer, line)
                elif lacks(line, product, other):
                    tally.asked[op] += 1
                    tally.walked.lacked += 1
                else:
                    differences.append(described(seed, number, line, product, other))
            if len(differences) >= 10:
                return tally, differences
        pair.finish()
    return tally, differences


def described(seed: int, number: int, line: bytes, product: bytes, other: bytes) -> str:
    """A difference with all that is needed to see it again."""
    return "\n".join(
        (
            f"seed {seed}, request {number} ({len(line)} bytes); again: --seed {seed} --only {number}",
            f"  request     {line[:_SHOWN]!r}",
            f"  product     {product[:_SHOWN]!r}",
            f"  JavaScript  {other[:_SHOWN]!r}",
        )
    )


def main() -> int:
    """The command line. Exit code 0: no difference. 1: a difference, or a run that did too little."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument(
        "--only", type=int, metavar="NUMBER", help="ask this one request and show both answers"
    )
    chosen = parser.parse_args()
    if chosen.only is not None:
        line = request(chosen.seed, chosen.only)[1]
        with Pair() as pair:
            [(product, other)] = pair.ask([line])
        print(described(chosen.seed, chosen.only, line, product, other))
        return 0 if agreed(product, other) is not None or lacks(line, product, other) else 1
    print(f"fuzz: {chosen.requests} requests, seed {chosen.seed}", flush=True)
    begun = time.monotonic()
    tally, differences = fuzz(chosen.requests, chosen.seed)
    shortfalls = [] if differences else tally.shortfalls()
    for line_ in (*tally.lines(), *differences, *(f"too little: {what}" for what in shortfalls)):
        print(line_)
    print(f"{len(differences)} differences, {time.monotonic() - begun:.0f} s, seed {chosen.seed}")
    return 1 if differences or shortfalls else 0


if __name__ == "__main__":
    sys.exit(main())
