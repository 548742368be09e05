"""RATING and SET RATING: how an entrant is rated in the pool of his tournament, and whether others may see it.

What somebody may know of others is what they let be seen; anybody may ask for that, by ``RATING cup60``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import ratings, record
from pbem.tournaments.arithmetic.ratings import GroundRating, shown
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

_MONTHS = 12
"""Months of his own that an entrant is told."""
_SHOWN = re.compile(r"(?P<public>public|publico)|private|privado")


class _Line(NamedTuple):
    """Somebody as a list of ratings has him."""

    points: int
    deviation: int
    name: str


def public_block(work: Work, event: tables.Tournament, pool: str) -> Json | None:
    """The entrants of a tournament who let their ratings be seen, the strongest first; None if nobody does."""
    people = {row.person_id: row for row in queries.tournaments.entrants(work.session, event.id)}
    period = queries.tournaments.last_period(work.session, pool)
    found = [
        _Line(*shown(ratings.rating_of_row(row)), record.shown_name(people[row.person_id]))
        for row, person in queries.tournaments.people_in(work.session, pool, period)
        if person.rating_public and row.person_id in people
    ]
    if not found:
        return None
    lines = [f"{one.points:>5} ±{2 * one.deviation:<4} {one.name}" for one in sorted(found, key=_strongest)]
    return content.block(msg("Ratings that may be seen, after {month}", month=period), lines)


def _strongest(one: _Line) -> tuple[int, str]:
    return -one.points, one.name


def rating(answer: EntrantAnswer, command: Line) -> None:
    """How he is rated, by the month; what the side is worth; how others are who let it be seen."""
    pool = record.rules_of(answer.event).rating.pool
    mine = queries.tournaments.history_of(answer.session, answer.row.person_id, pool, _MONTHS)
    told = [_mine(pool, mine), _seen(answer), *_ground(answer, pool)]
    blocks = [_history(mine)] if mine else []
    public = public_block(answer, answer.event, pool)
    answer.say("answer", *told, blocks=blocks if public is None else [*blocks, public])


def _mine(pool: str, mine: Sequence[tables.Rating]) -> Msg:
    if not mine:
        return msg("You are not rated in the pool {pool} yet: a month is counted when it is over [E9].", pool=pool)
    points, deviation = shown(ratings.rating_of_row(mine[0]))
    return msg(
        "After {month} you are rated {points} in the pool {pool}, between {low} and {high} with 95 in 100; the "
        "log calls you {name} there [E9].",
        month=mine[0].period,
        points=str(points),
        pool=pool,
        low=str(points - 2 * deviation),
        high=str(points + 2 * deviation),
        name=mine[0].name,
    )


def _seen(answer: EntrantAnswer) -> Msg:
    person = answer.session.get_one(tables.Person, answer.row.person_id)
    if person.rating_public:
        return msg("Others may see it; SET RATING PRIVATE ends that.")
    return msg("Nobody but you is told; SET RATING PUBLIC lets others see it.")


def _ground(answer: EntrantAnswer, pool: str) -> list[Msg]:
    """E9.1 What the first side of what is played is worth."""
    event, period = answer.event, queries.tournaments.last_period(answer.session, pool)
    book = ratings.book_after(answer, pool, period)
    ground: GroundRating | None = book.grounds.get(event.edition)
    if ground is None:
        return []
    points, deviation = shown(ground)
    return [
        msg(
            "The first side of what is played here is worth {points} points, give or take {deviation} [E9.1].",
            points=points,
            deviation=2 * deviation,
        )
    ]


def _history(mine: Sequence[tables.Rating]) -> Json:
    lines = []
    for row in mine:
        points, deviation = shown(ratings.rating_of_row(row))
        lines.append(f"{row.period}  {points:>5} ±{2 * deviation}")
    return content.block(msg("Your rating by the month"), lines)


def rating_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Not every tournament is rated."""
    if record.rules_of(answer.event).rating.pool:
        return None
    return msg("{event} is not rated: its rules name no pool.", event=answer.event.id)


def set_rating(answer: EntrantAnswer, command: Line) -> None:
    """Let others see how he is rated, or not, in all tournaments here."""
    found = _SHOWN.fullmatch(command.rest)
    person = answer.session.get_one(tables.Person, answer.row.person_id)
    person.rating_public = bool(found and found["public"])
    answer.session.add(person)
    answer.session.flush()
    if person.rating_public:
        answer.say("settings", msg("From now on others may see how you are rated, in all pools here."))
    else:
        answer.say("settings", msg("From now on nobody but you is told how you are rated."))


COMMANDS = (
    EntrantCommand(
        Form("rating", ("RATING", "NIVEL"), NOTHING, "RATING", "NIVEL"),
        rating,
        rating_wrong,
        (msg("RATING: how you are rated by the month. SET RATING PUBLIC, PRIVATE: whether others may see it."),),
    ),
    EntrantCommand(
        Form("set rating", ("SET RATING", "FIJAR NIVEL"), _SHOWN, "SET RATING PUBLIC", "FIJAR NIVEL PUBLICO"),
        set_rating,
    ),
)
