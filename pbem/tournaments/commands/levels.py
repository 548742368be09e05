"""Run RATING and SET RATING: an entrant's rating and who may see it.

Ratings of others are shown if these make them public; anybody may ask for them, by ``RATING cup60``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import ratings, record
from pbem.tournaments.arithmetic.ratings import display_points
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

_MONTHS = 12
"""Months of his own rating that an entrant is shown: a year."""
_SHOWN = re.compile(r"(?P<public>public|publico)|private|privado")


class _RatingLine(NamedTuple):
    """An entrant in a list of ratings."""

    points: int
    deviation: int
    name: str


def public_ratings_block(tx: Transaction, event: tables.Tournament, pool: str) -> Json | None:
    """Return the entrants' public ratings, the strongest first; None without any."""
    people = {row.person_id: row for row in queries.tournaments.entrants(tx.session, event.id)}
    period = queries.tournaments.last_period(tx.session, pool)
    rating_lines = [
        _RatingLine(*display_points(ratings.rating_of_row(row)), record.public_entrant_name(people[row.person_id]))
        for row, person in queries.tournaments.rated_people(tx.session, pool, period)
        if person.rating_public and row.person_id in people
    ]
    if not rating_lines:
        return None
    lines = [
        f"{rating_line.points:>5} ±{2 * rating_line.deviation:<4} {rating_line.name}"
        for rating_line in sorted(rating_lines, key=_sort_key)
    ]
    return content.titled_block(msg("Ratings that may be seen, after {month}", month=period), lines)


def _sort_key(line: _RatingLine) -> tuple[int, str]:
    return -line.points, line.name


def answer_rating(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with his rating by month, the side's worth, and others' public ratings."""
    pool = record.rules_of(answer.event).rating.pool
    own_rows = queries.tournaments.rating_history(answer.session, answer.row.person_id, pool, _MONTHS)
    sentences = [_own_rating_text(pool, own_rows), _privacy_text(answer), *_side_worth_lines(answer, pool)]
    blocks = [_history(own_rows)] if own_rows else []
    public = public_ratings_block(answer, answer.event, pool)
    answer.say("answer", *sentences, blocks=blocks if public is None else [*blocks, public])


def _own_rating_text(pool: str, own_rows: Sequence[tables.Rating]) -> Msg:
    if not own_rows:
        return msg("You are not rated in the pool {pool} yet: a month is counted when it is over [E9].", pool=pool)
    points, deviation = display_points(ratings.rating_of_row(own_rows[0]))
    return msg(
        "After {month} you are rated {points} in the pool {pool}, between {low} and {high} with 95 in 100; the "
        "log calls you {name} there [E9].",
        month=own_rows[0].period,
        points=str(points),
        pool=pool,
        low=str(points - 2 * deviation),
        high=str(points + 2 * deviation),
        name=own_rows[0].name,
    )


def _privacy_text(answer: EntrantAnswer) -> Msg:
    person = answer.session.get_one(tables.Person, answer.row.person_id)
    if person.rating_public:
        return msg("Others may see it; SET RATING PRIVATE ends that.")
    return msg("Nobody but you is told; SET RATING PUBLIC lets others see it.")


def _side_worth_lines(answer: EntrantAnswer, pool: str) -> list[Msg]:
    """E9.1 Return the worth of the first side in each scenario that has been rated."""
    period, editions = queries.tournaments.last_period(answer.session, pool), record.editions_of(answer.event)
    grounds = ratings.ratings_after(answer, pool, period).grounds
    rated = {scenario: display_points(grounds[digest]) for scenario, digest in editions.items() if digest in grounds}
    if len(editions) > 1:
        return [
            msg(
                "The first side of {scenario} is worth {points} points, give or take {deviation} [E9.1].",
                scenario=scenario,
                points=points,
                deviation=2 * deviation,
            )
            for scenario, (points, deviation) in rated.items()
        ]
    return [
        msg(
            "The first side of what is played here is worth {points} points, give or take {deviation} [E9.1].",
            points=points,
            deviation=2 * deviation,
        )
        for points, deviation in rated.values()
    ]


def _history(own_rows: Sequence[tables.Rating]) -> Json:
    lines = []
    for row in own_rows:
        points, deviation = display_points(ratings.rating_of_row(row))
        lines.append(f"{row.period}  {points:>5} ±{2 * deviation}")
    return content.titled_block(msg("Your rating by the month"), lines)


def rating_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why RATING is refused: the tournament has no ratings; else None."""
    if record.rules_of(answer.event).rating.pool:
        return None
    return msg("{event} is not rated: its rules name no pool.", event=answer.event.id)


def set_rating(answer: EntrantAnswer, command: CommandLine) -> None:
    """Make his rating public or private, in all tournaments here."""
    match = _SHOWN.fullmatch(command.rest)
    person = answer.session.get_one(tables.Person, answer.row.person_id)
    person.rating_public = bool(match and match["public"])
    answer.session.add(person)
    answer.session.flush()
    if person.rating_public:
        answer.say("settings", msg("From now on others may see how you are rated, in all pools here."))
    else:
        answer.say("settings", msg("From now on nobody but you is told how you are rated."))


COMMANDS = (
    EntrantCommand(
        CommandForm("rating", ("RATING", "NIVEL"), NO_ARGUMENT, "RATING", "NIVEL"),
        answer_rating,
        rating_error,
        (msg("RATING: how you are rated by the month. SET RATING PUBLIC, PRIVATE: whether others may see it."),),
    ),
    EntrantCommand(
        CommandForm("set rating", ("SET RATING", "FIJAR NIVEL"), _SHOWN, "SET RATING PUBLIC", "FIJAR NIVEL PUBLICO"),
        set_rating,
    ),
)
