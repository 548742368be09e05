"""No question of the store reads a table from its beginning to its end that grows with games played or letters written.

Every function of `store.queries` is asked once, with values that its signature names, and so are those of
`hot_statements` and `changes`; SQLite says of each statement how it would find the rows.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError, NoResultFound
from sqlmodel import Session, SQLModel

from pbem.store import changes, hot_statements, migrations, queries
from pbem.store.engine import open_engine
from tests.plans import scans

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def is_asked(function: Callable[..., Any]) -> bool:
    """Whether a function runs a statement of its own, of tables that it names itself."""
    first, *others = inspect.signature(function).parameters.values()
    return first.annotation == "Session" and not any(
        re.search("SQLModel|object", parameter.annotation) for parameter in others
    )


ASKED = [
    (f"{module.__name__.rpartition('.')[2]}.{name}", function)
    for module in (*(getattr(queries, name) for name in queries.__all__), changes, hot_statements)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_") and is_asked(function)
]
BY_PERSONS = {
    "counts.count_due": "a page of an index for some hundred rows; its entries are not looked at",
    "games.names_of_begun": "pbem game patch, of all games",
    "games.all_games": "lists of all games",
    "inbox.letter_digests": "pbem try as it begins again, of one small server",
    "log.count_by_game": "pbem log show, of all games",
    "log.count_numbered": "pbem log check, which reads the whole log",
    "outbox.seats_written_to": "pbem simulate, in a database of its own",
    "phases.all_answers": "pbem simulate, in a database of its own",
    "persons.registered_addresses": "pbem mail block",
    "tournaments.all_tournaments": "LIST and pbem event list, of all tournaments",
    "games.wars": "pbem campaign list, of all wars",
    "tournaments.pools": "pbem rating, of all pools",
    "tournaments.rated_leaves": "pbem rating replay, which reads the log",
    "rulings.precedents": "a moderator's letter, of all appeals",
}
"""Questions that read all there is of something, and who asks them or how little that is."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = open_engine(f"sqlite:///{tmp_path_factory.mktemp('scans')}/pbem.db")
    migrations.upgrade(engine)
    yield engine
    engine.dispose()


def value_of(kind: Any) -> Any:
    """A value of an annotation, as a caller could have it."""
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return value_of(typing.get_args(kind)[0])
    if origin is tuple:
        return tuple(value_of(part) for part in typing.get_args(kind) if part is not ...)
    if origin is Mapping or origin in (dict,):
        key, value = typing.get_args(kind)
        return {value_of(key): value_of(value)}
    if origin is not None and issubclass(origin, Iterable):
        return several(typing.get_args(kind)[0])
    if kind in PLAIN:
        return PLAIN[kind]
    hints = typing.get_type_hints(kind)
    if issubclass(kind, SQLModel):
        return kind(**{name: value_of(field.annotation) for name, field in kind.model_fields.items()})
    return kind(**{name: value_of(of) for name, of in hints.items() if name in kind._fields})


PLAIN: dict[Any, Any] = {str: "g1", int: 1, bytes: b"x", bool: True, datetime: NOW, type(None): None}


def several(kind: Any) -> list[Any]:
    """Three values: what is found for one may be looked for among all for several."""
    value = value_of(kind)
    if not isinstance(value, tuple) or hasattr(value, "_fields"):
        return [value] * 3
    return [tuple(part if not isinstance(part, int) else part + number for part in value) for number in range(3)]


def ask(session: Session, function: Callable[..., Any]) -> None:
    """Ask a question of the store."""
    hints = typing.get_type_hints(function)
    given: dict[str, Any] = {}
    rest: Sequence[Any] = ()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = [value_of(hints[name])]
        elif hints[name] is Session:
            given[name] = session
        else:
            given[name] = value_of(hints[name])
    with suppress(NoResultFound, IntegrityError):
        function(*given.values(), *rest)


def test_there_are_questions():
    assert len(ASKED) > 120


def test_every_question_finds_its_rows_by_an_index(engine, subtests):
    for name, function in ASKED:
        with subtests.test(name):
            with scans(engine) as scanned, Session(engine) as session:
                session.begin()
                ask(session, function)
                session.rollback()
            if name in BY_PERSONS:
                assert scanned
            else:
                assert scanned == []
