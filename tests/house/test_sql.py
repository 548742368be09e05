"""Whoever is above the store asks by its functions: neither campaign nor the commands make statements of their own."""

import ast
from collections.abc import Iterator

import pytest

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
    assert [f"{source.name}, {found}" for source in sources for found in statements(source)] == []


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
