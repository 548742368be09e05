"""Replace or remove no-shows at tables: substitutes, forfeits, byes.

If the game is locked, nothing is done: each function returns whether it has acted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.letters.codes import Asker
from pbem.play.commands.seats import takeover
from pbem.play.commands.table import ending
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, leaves, post, record, round_states, teams
from pbem.tournaments.arithmetic.entrants import BYE
from pbem.tournaments.draw import table_name
from pbem.tournaments.record import StageSeed
from pbem.tournaments.scoring import FORFEIT


class TablePlace(NamedTuple):
    """A seat of a table with its tournament, round, board and entrant."""

    event: tables.Tournament
    round: tables.Round
    board: tables.Board
    seat: tables.Seat
    row: tables.Entrant

    @property
    def team(self) -> bool:
        """Return whether the entrant plays for a team."""
        return self.row.team_id is not None


def give_seat_to_substitute(tx: Transaction, place: TablePlace, silence: tables.Silence) -> bool:
    """Give the seat to the substitute, who plays on and gets the score of the table."""
    event, board = place.event, place.board
    rows = queries.tournaments.entrants(tx.session, event.id)
    substitute_row = next((row for row in rows if contenders.has_seat_offer(row, place.row.number)), None)
    email = queries.persons.email_of(tx.session, substitute_row.person_id) if substitute_row is not None else None
    game = queries.games.free_game(tx.session, str(board.game_id))
    if substitute_row is None or email is None:
        silence.state, silence.until = "open", tx.now
        tx.session.add(silence)
        return True
    if game is None:
        return False
    takeover.hand_over(tx, game, place.seat, Asker(email, substitute_row.language, substitute_row.zone))
    if place.team:
        substitute_row.offered_until = substitute_row.offered_for = None
        tx.session.add(substitute_row)
    else:
        entry.admit_entrant(tx, event, substitute_row, place.round.number)
    silence.state = "closed"
    _replace(tx, place, substitute_row)
    tx.session.add(silence)
    tx.session.flush()
    _add_absence(tx, place)
    _remove_silent(tx, place, "replaced", gave_up=silence.gave_up)
    if place.team:
        _notify_captain(tx, place, substitute_row)
    return True


def _notify_captain(tx: Transaction, place: TablePlace, substitute_row: tables.Entrant) -> None:
    new_name, old_name, game = (
        record.public_entrant_name(substitute_row),
        record.public_entrant_name(place.row),
        place.board.game_id,
    )
    sentences = (msg("{who} plays on at {game} in the place of {one}.", who=new_name, game=game, one=old_name),)
    letter = post.LetterContent(msg("{who} has a seat of your team", who=new_name), sentences)
    teams.notify_captain_of_seat(
        tx, place.event, substitute_row, lambda _: letter, f"seat {place.board.id} {substitute_row.number}"
    )


def _replace(tx: Transaction, place: TablePlace, substitute_row: tables.Entrant) -> None:
    event, round_, board = place.event, place.round, place.board
    if board.first == place.row.number:
        board.first = substitute_row.number
    else:
        board.second = substitute_row.number
    tx.session.add(board)
    order = record.stage_seeds(event, round_.stage)
    if not place.team and substitute_row.number not in {seed.number for seed in order}:
        record.store_stage_seeds(event, round_.stage, [*order, StageSeed(substitute_row.number, substitute_row.start)])
    tx.session.flush()
    legs = [row for row in queries.tournaments.boards(tx.session, round_.id) if row.board == board.board]
    names = [table_name(event.id, round_, leg.board, leg.leg) for leg in legs]
    game = tx.session.get(tables.Game, board.game_id) if board.game_id else None
    # E2.4 The battle that the two before chose is played on.
    battle = game.scenario if game is not None and record.stage_of(event, round_.stage).battle else ""
    leaves.record_pair(tx, event, round_, (board.board, board.first, board.second), names, battle)


def _remove_silent(
    tx: Transaction, place: TablePlace, reason: str, extra_lines: Sequence[Msg] = (), *, gave_up: bool = False
) -> None:
    """Remove a silent entrant until he returns; he was absent in this round.

    With `gave_up` he was not silent, but left his seat.
    `extra_lines` are added to the letter if his opponent was silent as well.
    """
    if not contenders.has_left(place.row):
        entry.remove_entrant(tx, place.event, place.row, "left", reason)
        names = {"event": place.event.id, "game": place.board.game_id}
        sentences = (
            msg("You are out of {event}, because you gave up your seat at {game}.", **names)
            if gave_up
            else msg("You are out of {event}: no word of yours came.", event=place.event.id),
            *extra_lines,
            *([msg("Somebody else plays on at {game}.", game=place.board.game_id)] if reason == "replaced" else []),
            msg("RETURN brings you back for the rounds to come, if the rules still let you in."),
        )
        letter = post.LetterContent(msg("you are out"), sentences)
        post.mail_entrant(tx, place.event, place.row, letter, f"out {place.board.id}")


def _add_absence(tx: Transaction, place: TablePlace) -> None:
    """Add a row for an absent entrant's round; a team match counts as played."""
    boards = queries.tournaments.boards(tx.session, place.round.id)
    if place.team or any(place.row.number in (row.first, row.second) for row in boards):
        return
    board = tables.Board(
        round_id=place.round.id or 0,
        board=max(row.board for row in boards) + 1,
        first=place.row.number,
    )
    round_states.pass_round(board, "absent", 0)
    tx.session.add(board)
    tx.session.flush()
    leaves.record_pair(tx, place.event, place.round, (board.board, board.first, 0), ())
    leaves.record_score(tx, place.event, place.round, board)


def forfeit_game(tx: Transaction, place: TablePlace, silence: tables.Silence) -> bool:
    """End the game as lost by the entrant who is silent or gone."""
    name = record.public_entrant_name(place.row)
    reason = msg("{who} has lost the game by forfeit.", who=name)
    if not end_game_of_board(tx, place.board, reason, f"{FORFEIT} {place.seat.side}"):
        return False
    silence.state = "closed"
    tx.session.add(silence)
    _remove_silent(tx, place, "silent", gave_up=silence.gave_up)
    return True


def forfeit_both(tx: Transaction, first: TablePlace, second: TablePlace) -> bool:
    """E6.1 End a game 0:0 between two absent entrants, who are both out."""
    board = first.board
    game = queries.games.free_game(tx.session, str(board.game_id))
    if game is None:
        return False
    values = {
        "one": record.public_entrant_name(first.row),
        "other": record.public_entrant_name(second.row),
        "game": game.id,
    }
    reason = msg("Neither {one} nor {other} sent a word at {game}: it counts 0:0 [E6.1].", **values)
    if game.state == "over":
        board.ended = FORFEIT
        tx.session.add(board)
    else:
        _end(tx, game.id, reason, FORFEIT)
    for place, opponent in ((first, second), (second, first)):
        sentence = msg(
            "Neither you nor {other} sent a word at {game}: it counts 0:0 [E6.1].",
            **values | {"other": record.public_entrant_name(opponent.row)},
        )
        _remove_silent(tx, place, "silent", (sentence,))
    tx.session.flush()
    return True


def give_bye_to_opponent(tx: Transaction, place: TablePlace, silence: tables.Silence) -> bool:
    """Give a bye to the opponent of a no-show; the game counts nothing."""
    event, board = place.event, place.board
    game = board.game_id
    if queries.games.free_game(tx.session, str(game)) is None:
        return False
    opponent = board.second if board.first == place.row.number else board.first
    round_states.turn_into_bye(board, opponent, BYE)
    tx.session.add(board)
    tx.session.flush()
    leaves.record_pair(tx, event, place.round, (board.board, opponent, 0), ())
    leaves.record_score(tx, event, place.round, board)
    silence.state = "closed"
    tx.session.add(silence)
    _end(
        tx,
        str(game),
        msg("{who} never came; the game counts nothing.", who=record.public_entrant_name(place.row)),
        "bye",
    )
    _add_absence(tx, place)
    _remove_silent(tx, place, "silent")
    return True


def end_game_of_board(tx: Transaction, board: tables.Board, reason: Msg, cause: str) -> bool:
    """End the game of a board with a cause; return False while it is locked."""
    if queries.games.free_game(tx.session, str(board.game_id)) is None:
        return False
    _end(tx, str(board.game_id), reason, cause)
    return True


def _end(tx: Transaction, name: str, reason: Msg, cause: str) -> None:
    game = queries.games.free_game(tx.session, name)
    if game is not None and game.state != "over":
        phase = queries.phases.present_phase(tx.session, name)
        ending.end_game(tx, game, phase, ending.GameEnd(reason, cause))
