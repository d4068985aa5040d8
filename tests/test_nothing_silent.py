"""What a run left out is named at its end, and fails the run in CI."""

from __future__ import annotations

from pathlib import Path

import pytest

# The run within the run has no other plugin that could speak.
_ALONE = ("-p", "tests.nothing_silent", "-p", "no:randomly", "-p", "no:asyncio")

_SUITE = """
import pytest

def test_right(): pass

@pytest.mark.skipif(True, reason="no such machine")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_expected_to_fail(): assert False
"""


def ended(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, *arguments: str
) -> pytest.RunResult:
    monkeypatch.setenv("CI", ci)
    pytester.makepyfile(_SUITE)
    return pytester.runpytest_inprocess(*_ALONE, *arguments)


def test_elsewhere_the_run_names_what_it_left_out(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = ended(pytester, monkeypatch, "", "-k", "not right")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines_random(
        [
            "*test_right: deselected",
            "*test_skipped: no such machine",
            "*test_expected_to_fail: expected to fail: known",
        ]
    )


@pytest.mark.parametrize("choice", ["skipped", "expected", "right or skipped", "right"])
def test_in_ci_it_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    result = ended(pytester, monkeypatch, "true", "-k", choice)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["CI=true: a run that leaves something out has failed"])


def test_in_ci_a_whole_run_passes(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile("def test_right(): pass")
    result = pytester.runpytest_inprocess(*_ALONE)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*could not run*")


def test_in_several_processes_it_is_told_as_in_one(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    pytester.makepyfile(_SUITE)
    result = pytester.runpytest_subprocess(*_ALONE, "-n", "2", "-k", "right or skipped")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines_random(
        ["*test_skipped: no such machine", "*test_expected_to_fail: deselected"]
    )
