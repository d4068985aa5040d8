"""Numbers, lists and spans as English says them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

_UNITS = ((604_800, "week"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def joined(parts: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def counted(number: int, unit: str) -> str:
    """`minute`, `15 minutes`: what `every` is followed by."""
    return unit if number == 1 else f"{number} {unit}s"


def duration(seconds: int) -> str:
    """`15 minutes`, `1 hour 30 minutes`: whole seconds in the largest units."""
    said = []
    for size, unit in _UNITS:
        number, seconds = divmod(seconds, size)
        if number:
            said.append(f"{number} {unit}{'' if number == 1 else 's'}")
    return " ".join(said) or "0 seconds"


def each(seconds: int) -> str:
    """A duration as `every` is followed by: `day`, `15 minutes`."""
    said = duration(seconds)
    return said.removeprefix("1 ") if said.count(" ") == 1 else said


def runs(numbers: Sequence[int], name: Callable[[int], str]) -> list[str]:
    """Ascending numbers by their names, three and more in a row as `a to c`."""
    said: list[str] = []
    start = 0
    for end in range(1, len(numbers) + 1):
        if end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
            continue
        row = numbers[start:end]
        said += [f"{name(row[0])} to {name(row[-1])}"] if len(row) > 2 else [name(n) for n in row]
        start = end
    return said


def stepped(numbers: Sequence[int]) -> int | None:
    """The step, above 1, of four ascending numbers or more that stand equally far apart."""
    steps = {b - a for a, b in pairwise(numbers)}
    step = steps.pop() if len(steps) == 1 else 0
    return step if len(numbers) > 3 and step > 1 else None


def tiling(numbers: Sequence[int], size: int) -> int | None:
    """The step of ascending numbers that stand equally far apart round a circle of `size`."""
    step, rest = divmod(size, len(numbers))
    even = not rest and all(n == numbers[0] + i * step for i, n in enumerate(numbers))
    return step if even and len(numbers) > 1 else None
