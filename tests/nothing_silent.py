"""A run says what it did not do, and in CI it must not leave anything out.

Loaded as a pytest plugin. Skipped, deselected and expected-to-fail tests are named at the end with their
reasons; with CI=true any of them fails the run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Protocol

import pytest

_DESELECTED = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_DESELECTED] = []
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Processes())


class _Process(Protocol):
    config: pytest.Config
    workeroutput: Mapping[str, list[str]]


class _Processes:
    """Where tests run in several processes, each of them collects, and tells the first what it left out."""

    def pytest_testnodedown(self, node: _Process) -> None:
        """Called in the first process, once another has ended."""
        here = node.config.stash[_DESELECTED]
        here += [name for name in node.workeroutput["deselected"] if name not in here]


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.stash[_DESELECTED].append(item.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    told: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["deselected"] = session.config.stash[_DESELECTED]
        return
    if _in_ci() and _left_out(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = _left_out(config)
    if left_out:
        terminalreporter.section("could not run, and so not shown to work")
        for line in left_out:
            terminalreporter.write_line(line)
        if _in_ci():
            terminalreporter.write_line("CI=true: a run that leaves something out has failed", red=True)
    seed = config.getoption("randomly_seed", default=None)
    if isinstance(seed, int):
        terminalreporter.write_line(f"random order and random data from seed {seed}: --randomly-seed={seed}")


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() == "true"


def _left_out(config: pytest.Config) -> list[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    assert isinstance(reporter, pytest.TerminalReporter)
    lines = [f"{name}: deselected" for name in config.stash[_DESELECTED]]
    for report in reporter.getreports("skipped"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        lines.append(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}")
    for report in reporter.getreports("xfailed"):
        lines.append(f"{report.nodeid}: expected to fail: {getattr(report, 'wasxfail', '')}")
    return lines
