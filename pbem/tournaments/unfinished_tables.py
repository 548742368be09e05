"""E10 What the end of a round cuts off: decided by points, by bots that play the position on, by a jury, or drawn.

A position is played on so many times with dice of lots that are needed when the round ends, before version 2 of those
of its draw; their labels begin ``adj/``: whoever has the proof plays the same games. That takes seconds, and is done
before the transaction that needs it (`think`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from pbem.audit import dice, vrf
from pbem.engine.autoplay import Playing, play_on
from pbem.engine.bots import Pick, picks
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame, find_lead
from pbem.engine.terms import Seat
from pbem.play.positions import position
from pbem.runtime.transaction import Server, Work
from pbem.store import queries, tables
from pbem.tournaments import founding, lots, record, round_states, scoring
from pbem.tournaments.arithmetic.pairing.drawn import Reason
from pbem.tournaments.arithmetic.unfinished import Cut, decide_by_rules
from pbem.tournaments.founding import Played
from pbem.tournaments.scoring import ADJUDICATED
from pbem.tournaments.substitution import end_game

Thoughts = Mapping[str, tuple[int, int, int]]
"""What came of the positions of games played on, by their names: won by the first side, drawn, won by the second."""


class _Continued:
    """The dice of one game that is played on: those of the draw, by labels of their own."""

    def __init__(self, stream: dice.Stream, label: str) -> None:
        self._stream, self._label = stream, label

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides` of a label."""
        return self._stream.roll(f"{self._label}/{label}", n, sides)


def played_on(rules: AnyGame, state: object, beta: bytes, games: int, name: str) -> tuple[int, int, int]:
    """Play a position on so many times; ``adj/NUMBER/TABLE/TURN.PHASE/LABEL`` is the label of each die."""
    if rules.scored is None or not rules.bots:
        return 0, games, 0
    stream, bot = dice.Stream(beta), rules.bots[next(iter(rules.bots))]
    sides = tuple(dict.fromkeys(rules.seats(state).values()))
    won = [0, 0]
    for number in range(1, games + 1):

        def moment(here: object, number: int = number) -> str:
            phase, turn = rules.phase(here) or ("over", 0)
            return f"adj/{number}/{name}/T{turn}.{phase}"

        def chance(here: Any, seat: Seat, moment: Any = moment) -> Pick:
            seed = stream.roll(f"{moment(here)}/bot {seat}", 8, 256)
            return picks(bytes(value - 1 for value in seed))

        def thrown(here: Any, moment: Any = moment) -> _Continued:
            return _Continued(stream, moment(here))

        last = play_on(Playing(rules, bot, thrown, chance), state)
        _, winner = find_lead(rules, last, sides)
        for side in (0, 1):
            won[side] += winner == sides[side]
    return won[0], games - sum(won), won[1]


class _Task(NamedTuple):
    """A position that is to be played on."""

    game: str
    rules: AnyGame
    state: Any
    beta: bytes
    games: int


def think(server: Server, name: str, now: datetime) -> Thoughts:
    """What came of the first position of a tournament that must be played on by now; nothing if none must."""
    with server.reading(now) as work:
        task = _task(work, name)
    if task is None:
        return {}
    return {task.game: played_on(task.rules, task.state, task.beta, task.games, task.game)}


def _task(work: Work, name: str) -> _Task | None:
    event = queries.tournaments.tournament(work.session, name)
    if event is None or event.state != "playing":
        return None
    way = next((one for one in record.rules_of(event).unfinished.order if one.word == "continue"), None)
    if way is None:
        return None
    current = next(iter(queries.tournaments.rounds(work.session, name)[-1:]), None)
    if current is None or current.state != "playing" or current.ends is None or current.ends > work.now:
        return None
    found = queries.tournaments.table_games(work.session, current.id)
    playing = (one for one in scoring.open_boards(work, current) if one.state == "playing")
    game = next((found[one.game_id] for one in playing if one.game_id and found[one.game_id].state != "over"), None)
    if game is None or _by_points(work, event, game):
        return None
    proof = current.lots
    if event.version > 1:
        lot = lots.newest(work, event, _stem(current))
        if lot is None or not lot.proof or _is_stale(current, lot):
            return None
        proof = lot.proof
    state, rules = position(work, game).state, work.server.rules_of(game)
    return _Task(game.id, rules, state, vrf.output_of(bytes.fromhex(proof)), way.number)


def _stem(round_: tables.Round) -> str:
    """What the log calls the lots by which games of a round are played on."""
    return f"continue/{round_.name}"


def _is_stale(round_: tables.Round, lot: tables.Lot) -> bool:
    """Whether the round was made longer after lots were needed at its end."""
    return round_.ends is not None and lot.needed < round_.ends


def show_lots(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Tell the proof of the lots by which games of a round were played on: it is over."""
    if event.version > 1:
        lots.show(work, event, lots.newest(work, event, _stem(round_)))


def _by_points(work: Work, event: tables.Tournament, game: tables.Game) -> bool:
    """Whether points decide a game before it would be played on."""
    margin, _ = scoring.standing_now(work, founding.at_tables(work, event), game)
    return decide_by_rules(record.rules_of(event).unfinished.order, Cut(margin)).asks is None


def decide(work: Work, event: tables.Tournament, round_: tables.Round, thoughts: Thoughts) -> bool:
    """Decide the first table of a round that the end cuts off; False if there is none that can be decided now."""
    here = founding.at_tables(work, event)
    for board in scoring.open_boards(work, round_):
        game = work.session.get(tables.Game, board.game_id) if board.game_id else None
        if board.state != "playing" or game is None or game.state == "over":
            continue
        if _decide(work, here, (event, round_, board), thoughts):
            return True
    return False


def _decide(
    work: Work, here: Played, at: tuple[tables.Tournament, tables.Round, tables.Board], thoughts: Thoughts
) -> bool:
    event, round_, board = at
    game = work.session.get_one(tables.Game, board.game_id)
    margin, _ = scoring.standing_now(work, here, game)
    found = decide_by_rules(record.rules_of(event).unfinished.order, Cut(margin, thoughts.get(game.id)))
    if found.halves is not None and found.why is not None:
        return adjudge(work, board, found.halves, _said(found.why))
    if found.asks is not None and found.asks.word == "jury":
        _to_jury(work, event, board)
        return True
    # What bots make of it is thought of before the next step (`think`), as soon as its lots are drawn.
    if event.version > 1:
        return lots.step(work, event, _stem(round_), lambda lot: _is_stale(round_, lot))
    return False


def _said(why: Reason) -> Msg:
    """The sentence that a game ends with."""
    values = dict(why.values)
    if why.what == "points":
        return msg("The round has ended: decided by points, {margin} ahead [E10].", margin=abs(int(values["margin"])))
    if why.what == "continue":
        return msg(
            "The round has ended: bots played it on, the first side won {first}, {drawn} were drawn, the second "
            "won {second} [E10].",
            first=values["first"],
            drawn=values["drawn"],
            second=values["second"],
        )
    return msg("The round has ended: the game is drawn [E10].")


def adjudge(work: Work, board: tables.Board, halves: tuple[int, int], why: Msg) -> bool:
    """End a game with what it counts; False while somebody else has it."""
    if queries.games.free_game(work.session, str(board.game_id)) is None:
        return False
    round_states.adjudge_table(board, halves)
    work.session.add(board)
    work.session.flush()
    return end_game(work, board, why, ADJUDICATED)


def _to_jury(work: Work, event: tables.Tournament, board: tables.Board) -> None:
    """Nothing else decided it: a jury does (`disputes`)."""
    number = 1 + max((one.number for one in queries.tournaments.disputes(work.session, event.id)), default=0)
    dispute = tables.Dispute(
        tournament_id=event.id,
        number=number,
        board_id=board.id or 0,
        by=0,
        text="unfinished",
        state="jury",
        until=work.now,
    )
    round_states.dispute_table(board)
    work.session.add_all((dispute, board))
    work.session.flush()
