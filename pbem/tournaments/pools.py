"""E9 Pools of ratings as rows: months, the book that a pool has after one, and a book put into rows.

A month is one of UTC, ``2030-02``, so that tournaments of several zones can be of one pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from pbem.runtime import tokens
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments.arithmetic.ratings import Book, GroundRating, Rating


def month_of(moment: datetime) -> str:
    """The month of a moment: ``2030-02``."""
    return f"{moment.astimezone(UTC):%Y-%m}"


def end_of(month: str) -> datetime:
    """The moment in which a month is over."""
    year, number = map(int, month.split("-"))
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_between(before: str, month: str) -> tuple[str, ...]:
    """The months after one and up to another, which is the last; it alone if there is none before."""
    found = [month_of(end_of(before))] if before else [month]
    while found[-1] < month:
        found.append(month_of(end_of(found[-1])))
    return tuple(found)


def rating_of_row(row: tables.Rating) -> Rating:
    """A row as the arithmetic has it."""
    return Rating(Decimal(row.mu), Decimal(row.phi), Decimal(row.vol))


def book_after(work: Work, pool: str, month: str) -> Book:
    """The book of a pool after a month, people by what the log calls them."""
    people = {row.name: rating_of_row(row) for row in queries.tournaments.of_period(work.session, pool, month)}
    rows = queries.tournaments.grounds(work.session, pool, month)
    return Book(pool, month, people, {row.edition: GroundRating(Decimal(row.mu), Decimal(row.phi)) for row in rows})


def newest(work: Work, pool: str) -> Book:
    """The newest book of a pool; an empty one if nobody was ever rated in it."""
    return book_after(work, pool, queries.tournaments.last_period(work.session, pool))


def name_in(work: Work, pool: str, person: int) -> str:
    """What the log calls a person in a pool: the name that he has, or gets with his first rating."""
    return queries.tournaments.name_of(work.session, person, pool) or tokens.rated(work.server.key, pool, person)


def keep(work: Work, book: Book, people: Mapping[str, int]) -> None:
    """Write a book down; `people` tells whose the names are."""
    for name, rating in book.people.items():
        mu, phi, vol = (f"{value:f}" for value in rating)
        row = tables.Rating(
            person_id=people[name], pool=book.pool, period=book.period, name=name, mu=mu, phi=phi, vol=vol
        )
        work.session.add(row)
    for edition, ground in book.grounds.items():
        mu, phi = (f"{value:f}" for value in ground)
        work.session.add(tables.Ground(edition=edition, pool=book.pool, period=book.period, mu=mu, phi=phi))
    work.session.flush()
