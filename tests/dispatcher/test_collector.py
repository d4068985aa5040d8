"""The collector of a daemon: rarely at work, and still at work."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from dispatcher.collector import MIDDLE, OLD, YOUNG, ease


class Node:
    """Something that can hold itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_what_is_there_is_not_looked_at_again() -> None:
    ease()
    assert gc.get_freeze_count() > 1_000
    assert gc.get_threshold() == (YOUNG, MIDDLE, OLD)


def test_a_cycle_is_still_found() -> None:
    ease()
    node = Node()
    gone = weakref.ref(node)
    del node
    assert gone() is not None
    held = [[n] for n in range(2 * YOUNG)]
    assert gone() is None
    assert len(held) == 2 * YOUNG
