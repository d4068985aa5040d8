"""Writes the vectors that were worked by hand: `python -m tests.conformance.by_hand`."""

from __future__ import annotations

from conformance.entries import FOLDER, file_bytes
from conformance.gather import BY_HAND, FILES
from tests.conformance.hand.digests import digests
from tests.conformance.hand.dues import dues
from tests.conformance.hand.folds import folds
from tests.conformance.hand.keys import keys
from tests.conformance.hand.requests import requests
from tests.conformance.hand.slots import slots


def worked() -> bytes:
    """The file, byte for byte."""
    return file_bytes([*keys(), *digests(), *dues(), *folds(), *requests(), *slots()], FILES)


if __name__ == "__main__":
    (FOLDER / BY_HAND).write_bytes(worked())
