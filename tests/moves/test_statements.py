"""Every statement of the project: one file, one header, one constant, its columns the fields of its row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import psycopg
import pytest
from psycopg.pq import ExecStatus

import ledger.statements
from ledger.moves.step import Statement
from tests.servers.databases import Databases

CHECKOUT = Path(__file__).resolve().parents[2]
ROOMS = ("ledger", "projector", "dispatcher", "sweeper")
FILES = {path.stem: path.read_text("utf-8") for path in sorted((CHECKOUT / "ledger" / "sql").glob("*.sql"))}
_PARAMETER = re.compile(r"%\((\w+)\)([sb])")
# Words of a header's list of parameters that name none.
_FILLING = re.compile(r"\([^)]*\)|:[^,;]*")


def constants() -> dict[str, list[tuple[str, Statement[object]]]]:
    """The constants of each statement, by the name of its file."""
    found: dict[str, list[tuple[str, Statement[object]]]] = {}
    for module in iter_modules(ledger.statements.__path__, "ledger.statements."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, Statement):
                found.setdefault(value.name, []).append((name, value))
    return found


STATEMENTS = {name: all_of[0][1] for name, all_of in constants().items()}


@pytest.fixture(scope="module")
def connection(databases: Databases) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    name = databases.clone()
    with psycopg.connect(databases.dsn(name), autocommit=True) as connection:
        # Nothing is found here without its schema, as in a caller's session.
        connection.execute("SET search_path = ''")
        yield connection
    databases.drop(name)


def numbered(sql: str) -> str:
    """The statement with its parameters as the server counts them."""
    names = list(dict.fromkeys(name for name, _ in _PARAMETER.findall(sql)))
    return _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", sql).replace("%%", "%")


def header(sql: str) -> str:
    lines = []
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return " ".join(lines)


def test_each_file_is_one_constant_and_each_constant_is_used() -> None:
    assert constants().keys() == FILES.keys()
    sources = [
        path.read_text("utf-8")
        for room in ROOMS
        for path in (CHECKOUT / room).rglob("*.py")
        if path.parent.name != "statements"
    ]
    for name, all_of in constants().items():
        ((constant, _),) = {(constant, id(value)) for constant, value in all_of}
        assert any(re.search(rf"\b{constant}\b", source) for source in sources), (
            f"{name}.sql is used by nobody"
        )


@pytest.mark.parametrize("name", FILES)
def test_a_statement_can_be_prepared_and_answers_the_fields_of_its_row(
    connection: psycopg.Connection[tuple[object, ...]], name: str
) -> None:
    pgconn = connection.pgconn
    prepared = pgconn.prepare(b"asked", numbered(FILES[name]).encode())
    assert prepared.status == ExecStatus.COMMAND_OK, prepared.error_message.decode()
    described = pgconn.describe_prepared(b"asked")
    columns = [(described.fname(n) or b"").decode() for n in range(described.nfields)]
    connection.execute("DEALLOCATE asked")
    assert tuple(columns) == STATEMENTS[name].fields


@pytest.mark.parametrize("name", FILES)
def test_a_header_says_what_there_is_to_know(name: str) -> None:
    sql = FILES[name]
    said = header(sql)
    assert sql.count(";") == said.count(";"), "one statement a file, without an end of its own"
    used = {parameter for parameter, _ in _PARAMETER.findall(sql)}
    listed = re.search(r"(?:Parameters|parameters): (.*?)(?:\. |\.$)", said)
    if not used:
        assert re.search(r"[Nn]o parameters", said), "says that it takes none"
    else:
        assert listed, "lists its parameters"
        names = {
            word.strip() for word in re.split(r"[,;]| and ", _FILLING.sub("", listed[1])) if word.strip()
        }
        named = {word for word in names if re.fullmatch(r"\w+", word)}
        assert named == used, (named, used)
    answers = STATEMENTS[name].fields
    rows = r"[Rr]ows?\b|[Aa]nswers no"
    assert re.search(rows, said), "says what zero rows mean, or that it answers none"
    assert answers or re.search(r"[Aa]nswers no row", said), "says that it answers no rows"


@pytest.mark.parametrize("name", FILES)
def test_arrays_travel_in_binary_and_no_time_is_written_in_sql(name: str) -> None:
    sql = re.sub(r"^--.*$", "", FILES[name], flags=re.M)
    for parameter, form in _PARAMETER.findall(sql):
        array = re.search(rf"%\({parameter}\)[sb]::\w+\[\]", sql)
        assert (form == "b") == bool(array), f"{parameter}: an array is %(…)b::type[], anything else %(…)s"
    times = (
        r"\b(?:due|at|run_at|after|base|created|started|handed|deadline|closed|retry_at|moment|now\(\))::text"
    )
    assert not re.search(times, sql), "a time as text depends on the session's zone"
    assert not re.search(r"ON CONFLICT\s+DO", sql), (
        "a conflict target is named, or another guard is passed by in silence"
    )
