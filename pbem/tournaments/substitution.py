"""A seat of a table given to another, or out of the game: substitutes, forfeits, byes of who never came.

A game that somebody else works on is left for now: each returns whether it was done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters.codes import Asker
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import ending
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, leaves, post, record, round_states, teams
from pbem.tournaments.arithmetic.entrants import BYE
from pbem.tournaments.draw import table_named
from pbem.tournaments.record import Seed
from pbem.tournaments.scoring import FORFEIT


class TablePlace(NamedTuple):
    """A seat of a table: tournament, round, board, the seat itself, and the entrant whose it is."""

    event: tables.Tournament
    round: tables.Round
    board: tables.Board
    seat: tables.Seat
    row: tables.Entrant

    @property
    def team(self) -> bool:
        """Whether he plays for a team."""
        return self.row.team_id is not None


def substitute(work: Work, place: TablePlace, silence: tables.Silence) -> bool:
    """Give the seat to who accepted it: he plays on from now, and what the table counts is his."""
    event, board = place.event, place.board
    rows = queries.tournaments.entrants(work.session, event.id)
    other = next((row for row in rows if contenders.has_offer(row, place.row.number)), None)
    email = queries.persons.email_of(work.session, other.person_id) if other is not None else None
    game = queries.games.free_game(work.session, str(board.game_id))
    if other is None or email is None:
        silence.state, silence.until = "open", work.now
        work.session.add(silence)
        return True
    if game is None:
        return False
    takeover.hand_over(work, game, place.seat, Asker(email, other.language, other.zone))
    if place.team:
        other.offered_until = other.offered_for = None
        work.session.add(other)
    else:
        entry.admit(work, event, other, place.round.number)
    silence.state = "closed"
    _replace(work, place, other)
    work.session.add(silence)
    work.session.flush()
    _was_away(work, place)
    _leave(work, place, "replaced")
    if place.team:
        _tell_captain(work, place, other)
    return True


def _tell_captain(work: Work, place: TablePlace, other: tables.Entrant) -> None:
    who, one, game = record.shown_name(other), record.shown_name(place.row), place.board.game_id
    told = (msg("{who} plays on at {game} in the place of {one}.", who=who, game=game, one=one),)
    said = post.Told(msg("{who} has a seat of your team", who=who), told)
    teams.tell_of_seat(work, place.event, other, lambda _: said, f"seat {place.board.id} {other.number}")


def _replace(work: Work, place: TablePlace, other: tables.Entrant) -> None:
    event, round_, board = place.event, place.round, place.board
    if board.first == place.row.number:
        board.first = other.number
    else:
        board.second = other.number
    work.session.add(board)
    order = record.order_of(event, round_.stage)
    if not place.team and other.number not in {one.number for one in order}:
        record.keep_order(event, round_.stage, [*order, Seed(other.number, other.start)])
    work.session.flush()
    legs = [one for one in queries.tournaments.boards(work.session, round_.id) if one.board == board.board]
    named = [table_named(event.id, round_, one.board, one.leg) for one in legs]
    leaves.note_pair(work, event, round_, (board.board, board.first, board.second), named)


def _leave(work: Work, place: TablePlace, why: str, both: Sequence[Msg] = ()) -> None:
    """Who was silent plays no more until he comes back, and was away in this round.

    `both` tells that his opponent was silent as well.
    """
    if not contenders.is_out(place.row):
        entry.leave(work, place.event, place.row, "left", why)
        told = (
            msg("You are out of {event}: no word of yours came.", event=place.event.id),
            *both,
            *([msg("Somebody else plays on at {game}.", game=place.board.game_id)] if why == "replaced" else []),
            msg("RETURN brings you back for the rounds to come, if the rules still let you in."),
        )
        said = post.Told(msg("you are out"), told)
        post.to_entrant(work, place.event, place.row, said, f"out {place.board.id}")


def _was_away(work: Work, place: TablePlace) -> None:
    """A row of its own says that he passed the round without an opponent; a team has played it."""
    boards = queries.tournaments.boards(work.session, place.round.id)
    if place.team or any(place.row.number in (one.first, one.second) for one in boards):
        return
    board = tables.Board(
        round_id=place.round.id or 0,
        board=max(one.board for one in boards) + 1,
        first=place.row.number,
    )
    round_states.pass_round(board, "absent", 0)
    work.session.add(board)
    work.session.flush()
    leaves.note_pair(work, place.event, place.round, (board.board, board.first, 0), ())
    leaves.note_score(work, place.event, place.round, board)


def forfeit(work: Work, place: TablePlace, silence: tables.Silence) -> bool:
    """The game is lost by who is silent or has gone."""
    who = record.shown_name(place.row)
    why = msg("{who} has lost the game by forfeit.", who=who)
    if not end_game(work, place.board, why, f"{FORFEIT} {place.seat.side}"):
        return False
    silence.state = "closed"
    work.session.add(silence)
    _leave(work, place, "silent")
    return True


def forfeit_both(work: Work, one: TablePlace, other: TablePlace) -> bool:
    """E6.1 Neither is there: the game counts 0:0, and both are out."""
    board = one.board
    game = queries.games.free_game(work.session, str(board.game_id))
    if game is None:
        return False
    both = {"one": record.shown_name(one.row), "other": record.shown_name(other.row), "game": game.id}
    why = msg("Neither {one} nor {other} sent a word at {game}: it counts 0:0 [E6.1].", **both)
    if game.state == "over":
        board.ended = FORFEIT
        work.session.add(board)
    else:
        _end(work, game.id, why, FORFEIT)
    for place, his in ((one, other), (other, one)):
        to_him = msg(
            "Neither you nor {other} sent a word at {game}: it counts 0:0 [E6.1].",
            **both | {"other": record.shown_name(his.row)},
        )
        _leave(work, place, "silent", (to_him,))
    work.session.flush()
    return True


def give_bye(work: Work, place: TablePlace, silence: tables.Silence) -> bool:
    """Who never came is no opponent: the other has a bye, and the game counts nothing."""
    event, board = place.event, place.board
    game = board.game_id
    if queries.games.free_game(work.session, str(game)) is None:
        return False
    other = board.second if board.first == place.row.number else board.first
    round_states.turn_into_bye(board, other, BYE)
    work.session.add(board)
    work.session.flush()
    leaves.note_pair(work, event, place.round, (board.board, other, 0), ())
    leaves.note_score(work, event, place.round, board)
    silence.state = "closed"
    work.session.add(silence)
    _end(work, str(game), msg("{who} never came; the game counts nothing.", who=record.shown_name(place.row)), "bye")
    _was_away(work, place)
    _leave(work, place, "silent")
    return True


def end_game(work: Work, board: tables.Board, why: Msg, how: str) -> bool:
    """End the game of a board by a word; False while somebody else has it."""
    if queries.games.free_game(work.session, str(board.game_id)) is None:
        return False
    _end(work, str(board.game_id), why, how)
    return True


def _end(work: Work, name: str, why: Msg, how: str) -> None:
    game = queries.games.free_game(work.session, name)
    if game is not None and game.state != "over":
        phase = queries.phases.played_phase(work.session, name)
        ending.end_game(work, game, phase, ending.End(why, how))
