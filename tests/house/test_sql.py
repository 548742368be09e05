"""SQL is in the store alone, and there it is said by the session, but for what `EXCEPTED` lists with its reason."""

import ast
import inspect
import re
from collections.abc import Iterator

import pytest
from sqlmodel import Session

from benchmarks import statements as benchmark
from pbem.store import hot_statements
from tests.house.sources import SERVED, Source, below

ABOVE = (*SERVED, "cli")

LIBRARIES = {"sqlmodel", "sqlalchemy"}
HANDED_ON = {"Engine", "Session", "make_url"}
"""What a layer above may know of them: what it hands on to the store, beside the exceptions that come out of it."""
RUN = {"exec", "execute", "exec_driver_sql", "scalar", "scalars"}
"""Methods of sessions and connections that run a statement."""


def statements(source: Source) -> Iterator[str]:
    """What a file takes of the libraries to make statements from, and where it runs one."""
    for node in (*source.nodes(ast.Import), *source.nodes(ast.ImportFrom), *source.nodes(ast.Call)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] in LIBRARIES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES:
            names = [alias.name for alias in node.names if node.module != "sqlalchemy.exc"]
            names = [f"{node.module}.{name}" for name in names if name not in HANDED_ON]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUN:
            names = [f".{node.func.attr}()"]
        else:
            continue
        yield from (f"line {node.lineno}: {name}" for name in names)


def test_nobody_above_the_store_makes_a_statement():
    sources = below(*ABOVE)
    assert len(sources) > 100
    assert [f"{source.name}, {statement}" for source in sources for statement in statements(source)] == []


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("from sqlmodel import Session, select", ["line 1: sqlmodel.select"]),
        ("from sqlmodel import col as c, func", ["line 1: sqlmodel.col", "line 1: sqlmodel.func"]),
        ("def late():\n    from sqlalchemy import text", ["line 2: sqlalchemy.text"]),
        ("from sqlalchemy.sql import expression", ["line 1: sqlalchemy.sql.expression"]),
        ("from sqlalchemy import *", ["line 1: sqlalchemy.*"]),
        ("import sqlalchemy as sa", ["line 1: sqlalchemy"]),
        ("import sqlmodel.sql.expression", ["line 1: sqlmodel.sql.expression"]),
        ("connection.exec_driver_sql('DELETE FROM game')", ["line 1: .exec_driver_sql()"]),
        ("session.exec(found).all()", ["line 1: .exec()"]),
    ],
)
def test_this_test_sees_a_planted_one(planted, seen):
    assert list(statements(Source("planted.py", planted))) == seen


@pytest.mark.parametrize(
    "planted",
    [
        "from sqlalchemy import Engine, make_url\nfrom sqlmodel import Session",
        "from sqlalchemy.exc import OperationalError",
        "from select import select",
        "from pbem.store import queries\nqueries.games.seats(session, name)",
        "session.add(row)\nsession.get(tables.Game, name)",
    ],
)
def test_this_test_lets_sessions_be_handed_on(planted):
    assert list(statements(Source("planted.py", planted))) == []


EXCEPTED = {
    "pbem/store/compiled_statements.py": "how the statements of the next are handed to the driver",
    "pbem/store/hot_statements.py": "what letters cost, each with what a benchmark says of it",
    "pbem/store/engine.py": "PRAGMAs of SQLite, and how its transactions begin",
    "pbem/store/upkeep.py": "the file of an SQLite database, copied and looked over without a session",
    "pbem/store/coordination.py": "advisory locks and NOTIFY of PostgreSQL, which are no rows",
    "pbem/store/erasure.py": "triggers that refuse to delete, lifted for one transaction; VACUUM",
    "pbem/store/migrations/__init__.py": "before there are tables: their version, and who makes them",
}
"""Files of the store that hand SQL as text to the database, or statements to its driver, and why."""
TEXT = {"text", "TextClause", "DDL"}
PAST_THE_SESSION = {"exec_driver_sql", "driver_connection", "cursor", "connection", "connect", "begin_nested"}


def past_the_session(source: Source) -> Iterator[str]:
    """Where a file of the store takes SQL as text, or a way to the database that is not the session."""
    for node in (*source.nodes(ast.ImportFrom), *source.nodes(ast.Call), *source.nodes(ast.Attribute)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES:
            names = [alias.name for alias in node.names if alias.name in TEXT]
        elif isinstance(node, ast.Attribute) and node.attr in PAST_THE_SESSION:
            names = [f".{node.attr}"]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in RUN and node.args:
            names = ["SQL as text"] if isinstance(node.args[0], ast.Constant | ast.JoinedStr) else []
        else:
            continue
        yield from (f"line {node.lineno}: {name}" for name in names)


def test_the_store_goes_through_the_session():
    sources = [source for source in below("store") if not source.name.startswith("pbem/store/migrations/versions/")]
    by_file = {source.name: [*past_the_session(source)] for source in sources}
    assert {name: places for name, places in by_file.items() if places and name not in EXCEPTED} == {}
    assert [name for name in EXCEPTED if not by_file.get(name)] == []


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("from sqlalchemy import select, text", ["line 1: text"]),
        ("session.connection().execute(found)", ["line 1: .connection"]),
        ("session.execute('DELETE FROM game')", ["line 1: SQL as text"]),
        ("session.execute(f'DELETE FROM {name}')", ["line 1: SQL as text"]),
        ("session.exec(select(t.Game))", []),
        ("session.execute(update(t.Game).values(state='over'))", []),
    ],
)
def test_a_statement_past_the_session_is_seen(planted, seen):
    assert [*past_the_session(Source("pbem/store/planted.py", planted))] == seen


def hot() -> dict[str, str]:
    """The functions of `hot_statements` that run a statement, with what stands above each."""
    comments = {}
    for name, function in inspect.getmembers(hot_statements, inspect.isfunction):
        first = next(iter(inspect.signature(function).parameters.values()), None)
        if (
            function.__module__ == hot_statements.__name__
            and first is not None
            and first.annotation == Session.__name__
        ):
            comments[name] = inspect.getcomments(function) or ""
    return {name: above for name, above in comments.items() if name != "insert_or_update" and not name.startswith("_")}


def test_each_hot_statement_has_its_row_in_the_benchmark_and_says_what_that_found():
    assert {*hot()} == {row.name for row in benchmark.ROWS}
    for name, above in hot().items():
        by_statement, by_session = map(int, re.findall(r"\d+", above))
        assert 2 * by_statement < by_session, name


@pytest.mark.full
def test_the_benchmark_of_hot_statements_runs():
    assert [name for name, *_ in benchmark.run(1)] == [row.name for row in benchmark.ROWS]
