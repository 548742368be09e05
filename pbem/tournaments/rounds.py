"""E6 The tables of a round: founded as ordinary games, told to those who sit there, begun together.

What a game is called follows from its round and board alone, so that who was interrupted founds none twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import msg
from pbem.letters.content import when
from pbem.play.commands.table import founding as games
from pbem.play.commands.table.founding import NewGame
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import bidding, founding, post, record, round_states, sheets, teams
from pbem.tournaments.arithmetic.entrants import BYE
from pbem.tournaments.arithmetic.rules.records import Rules
from pbem.tournaments.draw import board_of, table_named
from pbem.tournaments.founding import DUPLICATE, Played

MOST = 20
"""Boards whose tables are founded, or begun, in one transaction."""


class _Opening(NamedTuple):
    """A round whose tables are founded: what is played, by which rules, who is there and what he is called, and all
    boards of the round."""

    event: tables.Tournament
    round: tables.Round
    rules: Rules
    here: Played
    rows: dict[int, tables.Entrant]
    names: dict[int, str]
    boards: Sequence[tables.Board]


def found_tables(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """Found the tables of the next boards that have none, and write to those who sit there; whether there were any."""
    boards = queries.tournaments.boards(work.session, round_.id)
    waiting = [board for board in boards if _wants_table(board)]
    if record.stage_of(event, round_.stage).sides == "bid":
        waiting = [board for board in waiting if bidding.is_settled(work, round_, board)]
    if not waiting:
        return False
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    names = record.names_of(work.session, event)
    here = founding.at_tables(work, event)
    opening = _Opening(event, round_, record.rules_of(event), here, rows, names, boards)
    for at, (_, legs) in enumerate(groupby(waiting, key=attrgetter("board"))):
        if at == MOST:
            break
        _found(work, opening, list(legs))
    return True


def _wants_table(board: tables.Board) -> bool:
    return board.state == "due" and board.game_id is None and bool(board.second)


def _found(work: Work, opening: _Opening, legs: Sequence[tables.Board]) -> None:
    """Found the table or the two tables of a board."""
    event, round_ = opening.event, opening.round
    settled = bidding.settle(work, event, round_, legs[0]) if _is_bid_for(opening) else ()
    for board in legs:
        name = table_named(event.id, round_, board.board, board.leg)
        terms = founding.terms_of(opening.rules, event.phases, name)
        stage = opening.rules.stage[round_.stage - 1]
        if founding.has_one_luck(stage):
            whole = stage.sides == DUPLICATE
            alike = board_of(event.id, round_) if whole else table_named(event.id, round_, board.board)
            terms = founding.board_terms(terms, alike)
        pace = founding.pace_of(opening.rules)
        scenario = opening.rules.table.scenario
        made = NewGame(name, event.system, scenario, pace=pace, terms=terms, edition=opening.here.edition)
        games.new_game(work, made)
        board.game_id = name
        work.session.add(board)
        work.session.flush()
        for side, number in enumerate((board.first, board.second)):
            _invite(work, name, opening.here.seat_of(side), opening.rows[number])
    for number in (legs[0].first, legs[0].second):
        said = _letter(opening, legs, number)
        said = said._replace(opening=(*said.opening, *settled))
        post.to_entrant(work, event, opening.rows[number], said, f"{round_.name} {round_.attempt} pairing")


def _is_bid_for(opening: _Opening) -> bool:
    return record.stage_of(opening.event, opening.round.stage).sides == "bid"


def _invite(work: Work, game: str, seat: str, row: tables.Entrant) -> None:
    email = queries.persons.email_of(work.session, row.person_id)
    if email is not None:
        invite_seat(work, Invitation(game, seat, email, language=row.language, zone=row.zone))


def _letter(opening: _Opening, legs: Sequence[tables.Board], number: int) -> post.Told:
    """What an entrant is told of his round: whom he meets, where, on which side, by when, and why."""
    round_, here, names = opening.round, opening.here, opening.names
    row, board = opening.rows[number], legs[0]
    other = board.second if number == board.first else board.first
    of_teams = bool(record.boards_a_match(opening.event))
    told = teams.match_told(opening.event, round_, board, names) if of_teams else []
    told.append(msg("Your opponent is {who}.", who=names[other]))
    for leg in legs:
        mine = here.sides[0 if number == leg.first else 1]
        told.append(msg("At {game} you play {side}.", game=leg.game_id, side=here.rules.telling.side(mine)))
    if round_.starts is not None and round_.ends is not None:
        pace = founding.pace_of(opening.rules)
        first = pace.past(founding.minute_of(str(board.game_id))).deadline(round_.starts)
        told.append(
            msg(
                "The first orders are wanted by {when}; the round ends at {end} at the latest.",
                when=when(first, row.zone),
                end=when(round_.ends, row.zone),
            )
        )
    side = here.rules.telling.side(here.sides[0 if number == board.first else 1])
    about = msg("Round {number}: you play {side}", number=round_.number, side=side)
    if len(legs) > 1:
        about = msg("Round {number}: you play both sides", number=round_.number)
    if of_teams:
        match = teams.MatchSeen(opening.event, round_, opening.boards, names)
        return post.Told(about, told, match.blocks(board, row.language))
    return post.Told(about, told, (teams.why_match(round_, board.board, names, row.language),))


def begin_tables(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """Begin the next tables that are founded; whether there were any."""
    waiting = [
        board
        for board in queries.tournaments.boards(work.session, round_.id)
        if board.state == "due" and board.game_id is not None
    ][:MOST]
    for board in waiting:
        game = queries.games.game(work.session, str(board.game_id))
        if game is not None and game.state == "forming":
            games.begin(work, game, ())
        round_states.start_table(board)
        work.session.add(board)
    work.session.flush()
    return bool(waiting)


def tell_passing(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Write to those who pass the round without an opponent, and to those for whom it has no board any more."""
    rows = {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}
    if record.boards_a_match(event):
        teams.tell_members(work, event, round_)
        return
    names, boards = record.names_of(work.session, event), queries.tournaments.boards(work.session, round_.id)
    cause = f"{round_.name} {round_.attempt} pairing"
    for board in boards:
        if board.second:
            continue
        row = rows[board.first]
        points = sheets.points_told(board.first_halves, row.language)
        told, blocks = msg("You rest this round: it is worth {points}.", points=points), list[Json]()
        if board.how == BYE:
            told = msg("Nobody is left for you in this round: it counts as won.")
            blocks = [teams.why_match(round_, board.board, names, row.language)]
        about = msg("Round {number}: you rest", number=round_.number)
        post.to_entrant(work, event, row, post.Told(about, (told,), blocks), cause)
    seated = {number for board in boards for number in (board.first, board.second)}
    told = msg("You have no game in round {number}.", number=round_.number)
    if record.stage_of(event, round_.stage).format in _BRACKETS:
        told = msg("You have no game in round {number}: you are out of the bracket.", number=round_.number)
    for seed in record.order_of(event, round_.stage):
        row = rows[seed.number]
        if seed.number not in seated and row.state == "in" and row.since <= round_.number and _are_told(boards):
            about = msg("Round {number}: no game", number=round_.number)
            post.to_entrant(work, event, row, post.Told(about, (told,)), cause)


_BRACKETS = ("knockout", "double")


def _are_told(boards: Sequence[tables.Board]) -> bool:
    """Whether anybody plays: a round in which nobody does passes without a word."""
    return any(board.second for board in boards)
