"""E10 Decide games cut off by a round's end: by points, bots, jury or draw.

Bots play a position on with dice from lots, which are requested when the round ends; before version 2 they are the
lots of its draw. The labels of the dice begin ``adj/``: anybody with the proof plays the same games. Playing takes
seconds, and is done before the transaction that needs it (`run_due_playouts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from pbem.audit import dice, vrf
from pbem.engine.autoplay import AutoplaySettings, play_on
from pbem.engine.bots import Pick, seeded_pick
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame, find_lead
from pbem.engine.terms import Seat
from pbem.play.positions import read_position
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, lots, record, round_states, scoring
from pbem.tournaments.arithmetic.pairing.drawn import PairingReason
from pbem.tournaments.arithmetic.unfinished import CutOffTable, decide_by_rules
from pbem.tournaments.founding import TableGame
from pbem.tournaments.scoring import ADJUDICATED
from pbem.tournaments.substitution import end_game_of_board

PlayoutResults = Mapping[str, tuple[int, int, int]]
"""Outcomes of games played on, by name: won by the first side, drawn, won by the second."""


class _PlayoutDice:
    """The dice of a game that is played on, from lots by their own labels."""

    def __init__(self, stream: dice.DiceStream, label: str) -> None:
        self._stream, self._label = stream, label

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides` of a label."""
        return self._stream.roll(f"{self._label}/{label}", n, sides)


def playout_wins(rules: AnyGame, state: object, beta: bytes, games: int, name: str) -> tuple[int, int, int]:
    """Play a position on several times; return how often each side won.

    The numbers are: won by the first side, drawn, won by the second. The label of each die is
    ``adj/NUMBER/TABLE/TURN.PHASE/LABEL``.
    """
    if rules.scored is None or not rules.bots:
        return 0, games, 0
    stream, bot = dice.DiceStream(beta), rules.bots[next(iter(rules.bots))]
    sides = tuple(dict.fromkeys(rules.seats(state).values()))
    wins = [0, 0]
    for number in range(1, games + 1):

        def moment(position_state: object, number: int = number) -> str:
            phase, turn = rules.phase(position_state) or ("over", 0)
            return f"adj/{number}/{name}/T{turn}.{phase}"

        def chance(position_state: Any, seat: Seat, moment: Any = moment) -> Pick:
            seed = stream.roll(f"{moment(position_state)}/bot {seat}", 8, 256)
            return seeded_pick(bytes(value - 1 for value in seed))

        def dice_at(position_state: Any, moment: Any = moment) -> _PlayoutDice:
            return _PlayoutDice(stream, moment(position_state))

        final_state = play_on(AutoplaySettings(rules, bot, dice_at, chance), state)
        _, winner = find_lead(rules, final_state, sides)
        for side in (0, 1):
            wins[side] += winner == sides[side]
    return wins[0], games - sum(wins), wins[1]


class _PlayoutTask(NamedTuple):
    """A position that is to be played on."""

    game: str
    rules: AnyGame
    state: Any
    beta: bytes
    games: int


def run_due_playouts(server: Server, name: str, now: datetime) -> PlayoutResults:
    """Play on the first position of a tournament that is due; empty if there is none."""
    with server.reading(now) as tx:
        task = _playout_task(tx, name)
    if task is None:
        return {}
    return {task.game: playout_wins(task.rules, task.state, task.beta, task.games, task.game)}


def _playout_task(tx: Transaction, name: str) -> _PlayoutTask | None:
    event = queries.tournaments.tournament(tx.session, name)
    if event is None or event.state != "playing":
        return None
    playout_rule = next((rule for rule in record.rules_of(event).unfinished.order if rule.word == "continue"), None)
    if playout_rule is None:
        return None
    current = next(iter(queries.tournaments.rounds(tx.session, name)[-1:]), None)
    if current is None or current.state != "playing" or current.ends is None or current.ends > tx.now:
        return None
    games = queries.tournaments.table_games(tx.session, current.id)
    playing = (board for board in scoring.open_boards(tx, current) if board.state == "playing")
    game = next(
        (games[board.game_id] for board in playing if board.game_id and games[board.game_id].state != "over"), None
    )
    if game is None or _is_decided_by_points(tx, event, game):
        return None
    proof = current.lots
    if event.version > 1:
        lot = lots.newest_lot(tx, event, _lots_name(current))
        if lot is None or not lot.proof or _is_stale(current, lot):
            return None
        proof = lot.proof
    state, rules = read_position(tx, game).state, tx.server.rules_of(game)
    return _PlayoutTask(game.id, rules, state, vrf.output_of(bytes.fromhex(proof)), playout_rule.number)


def _lots_name(round_: tables.Round) -> str:
    """Return the name in the log of the lots for playing a round's games on."""
    return f"continue/{round_.name}"


def _is_stale(round_: tables.Round, lot: tables.Lot) -> bool:
    """Return whether the round was extended after its lots were requested."""
    return round_.ends is not None and lot.needed < round_.ends


def publish_playout_lots(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Log the proof of the lots that played on the games of a finished round."""
    if event.version > 1:
        lots.publish_proof(tx, event, lots.newest_lot(tx, event, _lots_name(round_)))


def _is_decided_by_points(tx: Transaction, event: tables.Tournament, game: tables.Game) -> bool:
    """Return whether points decide a game before it would be played on."""
    margin, _ = scoring.current_lead(tx, founding.table_game(tx, event), game)
    return decide_by_rules(record.rules_of(event).unfinished.order, CutOffTable(margin)).asks is None


def decide_cut_off_table(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, playout: PlayoutResults
) -> bool:
    """Decide the first cut-off table of a round; return False if there is none."""
    setup = founding.table_game(tx, event)
    for board in scoring.open_boards(tx, round_):
        game = tx.session.get(tables.Game, board.game_id) if board.game_id else None
        if board.state != "playing" or game is None or game.state == "over":
            continue
        if _decide(tx, setup, (event, round_, board), playout):
            return True
    return False


def _decide(
    tx: Transaction,
    setup: TableGame,
    place: tuple[tables.Tournament, tables.Round, tables.Board],
    playout: PlayoutResults,
) -> bool:
    event, round_, board = place
    game = tx.session.get_one(tables.Game, board.game_id)
    margin, _ = scoring.current_lead(tx, setup, game)
    decision = decide_by_rules(record.rules_of(event).unfinished.order, CutOffTable(margin, playout.get(game.id)))
    if decision.halves is not None and decision.why is not None:
        return end_with_adjudication(tx, board, decision.halves, _ending_text(decision.why))
    if decision.asks is not None and decision.asks.word == "jury":
        _refer_to_jury(tx, event, board)
        return True
    # Bots play it on before the next step (`run_due_playouts`), as soon as its lots are drawn.
    if event.version > 1:
        return lots.request_or_draw_lots(tx, event, _lots_name(round_), lambda lot: _is_stale(round_, lot))
    return False


def _ending_text(reason: PairingReason) -> Msg:
    """Return the sentence with which a game ends."""
    values = dict(reason.values)
    if reason.what == "points":
        return msg("The round has ended: decided by points, {margin} ahead [E10].", margin=abs(int(values["margin"])))
    if reason.what == "continue":
        return msg(
            "The round has ended: bots played it on, the first side won {first}, {drawn} were drawn, the second "
            "won {second} [E10].",
            first=values["first"],
            drawn=values["drawn"],
            second=values["second"],
        )
    return msg("The round has ended: the game is drawn [E10].")


def end_with_adjudication(tx: Transaction, board: tables.Board, halves: tuple[int, int], reason: Msg) -> bool:
    """End a game with adjudicated half points; return False while it is locked."""
    if queries.games.free_game(tx.session, str(board.game_id)) is None:
        return False
    round_states.adjudge_table(board, halves)
    tx.session.add(board)
    tx.session.flush()
    return end_game_of_board(tx, board, reason, ADJUDICATED)


def _refer_to_jury(tx: Transaction, event: tables.Tournament, board: tables.Board) -> None:
    """Refer a table that no other way has decided to a jury (`disputes`)."""
    number = 1 + max((earlier.number for earlier in queries.tournaments.disputes(tx.session, event.id)), default=0)
    dispute = tables.Dispute(
        tournament_id=event.id,
        number=number,
        board_id=board.id or 0,
        by=0,
        text="unfinished",
        state="jury",
        until=tx.now,
    )
    round_states.dispute_table(board)
    tx.session.add_all((dispute, board))
    tx.session.flush()
