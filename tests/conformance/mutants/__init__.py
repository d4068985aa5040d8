"""Small breakages of both implementations, and how one is made in a copy and judged."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from conformance import second
from conformance.entries import Entry
from conformance.runner import Outcome, judge

CHECKOUT = Path(__file__).resolve().parents[3]
_HERE = Path(__file__).parent


class Mutant(NamedTuple):
    """A breakage: in `file`, `old` (which stands there once) becomes `new`."""

    which: str
    what: str
    file: str
    old: str
    new: str


def mutants(which: str) -> list[Mutant]:
    """The committed breakages of `product` or `javascript`."""
    table = tomllib.loads((_HERE / f"{which}.toml").read_text(encoding="utf-8"))
    return [Mutant(which, **mutant) for mutant in table["mutant"]]


class Copy:
    """A copy of one implementation, which mutants are made in, one at a time."""

    def __init__(self, which: str, folder: Path) -> None:
        self.which = which
        self.folder = folder
        source = CHECKOUT if which == "product" else second.FOLDER
        for name in ("ledger", "projector") if which == "product" else ("src", "node_modules"):
            # Compiled files come along, and stay right: copying keeps the times of the sources.
            shutil.copytree(source / name, folder / name)
        if which == "javascript":
            for name in ("serve.mjs", "package.json"):
                shutil.copy2(source / name, folder / name)

    def judged(self, entries: Sequence[Entry], mutant: Mutant | None = None) -> Outcome:
        """The verdict on the copy, broken or whole: on the entries, until one differs."""
        if mutant is None:
            return self._judge(entries)
        file = self.folder / mutant.file
        whole = file.read_text(encoding="utf-8")
        if whole.count(mutant.old) != 1:
            raise LookupError(f"{mutant.file} has {whole.count(mutant.old)} times, not once: {mutant.old!r}")
        file.write_text(whole.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            return self._judge(entries)
        finally:
            file.write_text(whole, encoding="utf-8")

    def _judge(self, entries: Sequence[Entry]) -> Outcome:
        if self.which == "javascript":
            command = [
                str(second.node_program()),
                str(self.folder / "serve.mjs"),
                str(second.tzdata_folder()),
            ]
        else:
            # Nothing is compiled to disk: a mutant of the same size and second would pass for the last one.
            python = ["env", f"PYTHONPATH={self.folder}", "PYTHONDONTWRITEBYTECODE=1", sys.executable]
            command = [*python, "-m", "projector.protocol"]
        return judge(entries, command, timeout=60, folder=self.folder, stop_early=True)
