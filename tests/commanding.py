"""The root command in this process, as a shell would run it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from click.testing import CliRunner

from ledger.cli import main


@dataclass(frozen=True, slots=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        return cast("dict[str, object]", json.loads(self.out))

    @property
    def rows(self) -> list[dict[str, object]]:
        return cast("list[dict[str, object]]", self.json["rows"])


class Shell:
    """Runs commands against one database, for one tenant."""

    def __init__(self, dsn: str | None, tenant: str = "acme") -> None:
        self._env = {"LEDGER_DSN": dsn, "LEDGER_TENANT": tenant}

    def __call__(self, *arguments: str, stdin: str | bytes | None = None) -> Said:
        done = CliRunner().invoke(main, arguments, input=stdin, env=self._env)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Said(done.exit_code, done.stdout, done.stderr)

    def does(self, *arguments: str, stdin: str | bytes | None = None) -> Said:
        """Run a command that has to succeed and has nothing to complain of."""
        said = self(*arguments, stdin=stdin)
        assert (said.code, said.err) == (0, ""), said
        return said

    def refuses(self, *arguments: str, code: int, stdin: str | bytes | None = None) -> str:
        """Run a command that has to fail; the one line that it says. A text with a caret may stand below."""
        said = self(*arguments, stdin=stdin)
        assert said.code == code, said
        assert said.err.startswith("ledger: "), said
        line, *excerpt = said.err.splitlines()
        assert not excerpt or (len(excerpt) == 2 and excerpt[1].strip() == "^"), said
        assert said.out == "", said
        return line.removeprefix("ledger: ")
