"""What no file of the repository may say: one machine's paths, a registry's host, work put off."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
MOST_IGNORES = 9

# Written so that no pattern matches its own text here.
FORBIDDEN = {
    r"(?<![\w./~})-])/(?:work|root|opt|home/\w+|tmp|Users)/[\w.]": "a path of one machine",
    r"https?://\S+/simple\b": "a package index",
    r"\bindex[-_]url\b": "a package index",
    r"(?:files\.)?pythonhosted[.]org|registry[.]npmjs|deb[.]debian|pypi[.]org": "a registry's host",
    r'"resolved"\s*:': "the address that a lock file was made from",
    r"\b(?:TO[D]O|FIX[M]E)\b": "work put off: do it, or file it",
    r"^(?:<{7}|>{7}) ": "a conflict left in",
}
# A link in Markdown to a file of the repository.
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)")
_IGNORE = re.compile(r"#\s*type:\s*ignore(?P<codes>\[[^\]]+\])?\s*(?P<reason>.*)")


def committed() -> list[Path]:
    """Every file that git has or would add, relative to the checkout."""
    # The checkout may be another account's, which git would refuse to read.
    asked = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    told = subprocess.run(asked, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    return [path for name in told.split("\0") if name and (CHECKOUT / (path := Path(name))).is_file()]


def texts() -> Iterator[tuple[Path, str]]:
    for path in committed():
        try:
            yield path, (CHECKOUT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def said(path: Path, text: str) -> list[str]:
    """The forbidden things in `text`, each as `path:line: what`."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [
            f"{path}:{number}: {what}" for pattern, what in FORBIDDEN.items() if re.search(pattern, line)
        ]
    return found


def ignores(path: Path, text: str) -> Iterator[tuple[str, bool]]:
    """Each `type: ignore` comment as `path:line`, and whether it names its code and its reason."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (match := _IGNORE.match(token.string)):
            reason = match["reason"].strip("# ")
            yield f"{path}:{token.start[0]}", bool(match["codes"]) and len(reason.split()) >= 2


def test_nothing_forbidden_is_said() -> None:
    read = dict(texts())
    assert {"Makefile", "pyproject.toml", "README.md"} <= {str(path) for path in read}
    found = [line for path, text in read.items() for line in said(path, text)]
    assert not found, "\n" + "\n".join(found)


def test_each_ignored_type_has_its_reason() -> None:
    found = [one for path, text in texts() if path.suffix == ".py" for one in ignores(path, text)]
    bare = [where for where, reasoned in found if not reasoned]
    assert not bare, "\nwrite `# type: ignore[code]  # the reason`:\n" + "\n".join(bare)
    assert len(found) <= MOST_IGNORES, "\n" + "\n".join(where for where, _ in found)


def test_links_lead_to_files_that_are_there() -> None:
    found = []
    for path, text in texts():
        if path.suffix == ".md":
            for target in _LINK.findall(text):
                if not (CHECKOUT / path.parent / target).exists():
                    found.append(f"{path}: no file {target}")
    assert not found, "\n" + "\n".join(found)


def test_the_build_backend_is_the_pinned_one() -> None:
    pinned = set((CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines())
    required = re.search(
        r'requires = \["([^"]+)"\]', (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert required is not None
    assert required[1] in pinned
    loose = [line for line in pinned if not re.fullmatch(r"[\w.-]+==[\w.]+", line)]
    assert not loose, f"not an exact pin: {loose}"


@pytest.mark.parametrize(
    "line",
    [
        "cd /" + "work/main",
        "see `/" + "root/.venv`",
        "--find-links=/" + "opt/wheels",
        "https" + "://mirror.example/pypi/simple",
        "extra-index" + "-url = x",
        '      "resol' + 'ved": "x"',
        "# TO" + "DO: later",
        "<<<<" + "<<< HEAD",
    ],
)
def test_the_guard_bites(line: str) -> None:
    assert said(Path("x.py"), f"fine\n{line}\n")[0].startswith("x.py:2: ")


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env bash",
        "Data under /var/lib/occurrence-ledger or ~/.local/share",
        "tests/tmp/x, work/main and a/root/b",
        "https://example.com/simpler",
        "the index of a url; resolved: yes",
        "todo lists are tasks",
    ],
)
def test_the_guard_lets_pass_what_is_right(line: str) -> None:
    assert said(Path("x.py"), line) == []


def test_an_ignore_without_its_reason_is_seen() -> None:
    mark = "# type" + ": ignore"
    lines = [
        f"a = 1  {mark}",
        f"b = 1  {mark}[misc]",
        f"c = 1  {mark}[misc]  # stubs lack it",
        f'd = "{mark}"',
    ]
    assert list(ignores(Path("x.py"), "\n".join(lines))) == [
        ("x.py:1", False),
        ("x.py:2", False),
        ("x.py:3", True),
    ]
