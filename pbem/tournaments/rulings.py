"""Make a director's rulings, each with its reason, docket number and leaf.

::

    read("EXTEND R2 48h BECAUSE the server was away")     a line, or UserError
    make(work, event, order)                              the ruling as all were told; UserError if it is impossible

English and Spanish words are read alike; the docket has the English ones.
"""

from __future__ import annotations

import re

from pbem.engine.data.messages import msg
from pbem.letters.content import when
from pbem.letters.rulings import MadeRuling, Making, Ruling, RulingLine, Rulings, reason
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import (
    clock_rulings,
    closing,
    disputes,
    entrant_rulings,
    founding,
    post,
    record,
    round_states,
    running,
    scoring,
    substitution,
    unfinished_tables,
)
from pbem.tournaments.entrant_rulings import ONE, DirectorContext, entrants_by_number, require_unlocked
from pbem.tournaments.verdicts import VOTES, WORDS, record_verdict, verdict_text, vote_word


def _close_entries(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "open")
    yield (msg("The list of entrants is shut now."),)
    running.begin_tournament(tx, tx.event)


def _hold(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "playing")
    yield (msg("{event} is held: nothing is drawn or closed until it goes on. Games go on.", event=tx.event.id),)
    round_states.hold(tx.event, "by its director")


def _cancel(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "open", "playing", "held")
    yield (msg("{event} is cancelled; games that are played go on by themselves.", event=tx.event.id),)
    closing.cancel_tournament(tx, tx.event, msg("Its director has cancelled {event}.", event=tx.event.id))


def _forfeit(tx: DirectorContext, line: RulingLine) -> Making:
    """End the games of somebody, or of a team, in a round; UserError if none is left that is not decided."""
    event = tx.event
    entrant_rulings.require_state(event, "playing", "held")
    name, rows = entrants_by_number(tx, event, line["one"])
    round_ = entrant_rulings.round_by_number(tx, event, line["round"])
    mine = [
        (row.number, one)
        for one in scoring.open_boards(tx, round_)
        for row in rows
        if row.number in (one.first, one.second) and one.game_id
    ]
    if not mine:
        raise UserError(msg("{who} has no game in round {number} that is not over.", who=name, number=round_.number))
    yield (msg("{who} loses his games of round {number} by forfeit.", who=name, number=round_.number),)
    sides, names = founding.table_game(tx, event).sides, record.names_of(tx.session, event)
    for number, board in mine:
        cause = msg("{who} has lost the game by forfeit.", who=names[number])
        side = sides[0 if board.first == number else 1]
        require_unlocked(substitution.end_game(tx, board, cause, f"{scoring.FORFEIT} {side}"))


def _extend(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_ = entrant_rulings.round_by_number(tx, tx.event, line["round"])
    if round_.ends is None or round_.state not in ("drawn", "playing"):
        raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
    end = record.later(tx.event, round_.ends, int(line["hours"]))
    at = when(end, tx.event.zone)
    yield (msg("Round {number} ends at {when} at the latest.", number=round_.number, when=at),)
    round_.ends = end
    tx.session.add(round_)


def _adjudicate(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "playing", "held")
    _, board = entrant_rulings.table_by_game(tx, tx.event, line["game"])
    sides = founding.table_game(tx, tx.event).sides
    game = queries.games.game(tx.session, line["game"])
    if line["side"] not in (*sides, "draw", "tablas"):
        raise UserError(msg("A game is given to one of {sides}, or is a draw.", sides=sides))
    if board.state == "due":
        raise UserError(msg("{game} has not begun: it can be adjudicated once it is played.", game=line["game"]))
    if game is None or game.state == "over" or board.state not in ("playing", "disputed"):
        raise UserError(msg("{game} is over: what it counts is decided.", game=line["game"]))
    if line["side"] not in sides:
        yield (msg("{game} is adjudicated as a draw.", game=line["game"]),)
    else:
        yield (msg("{game} is adjudicated to {side}.", game=line["game"], side=line["side"]),)
    first, second = sides
    halves = (2, 0) if line["side"] == first else (0, 2) if line["side"] == second else (1, 1)
    require_unlocked(unfinished_tables.adjudge(tx, board, halves, msg("The director has adjudicated the game.")))


def _judge(tx: DirectorContext, line: RulingLine) -> Making:
    """Decide a dispute; raise UserError if there is none that is not decided."""
    entrant_rulings.require_state(tx.event, "playing", "held")
    known = queries.tournaments.disputes(tx.session, tx.event.id, "director", "jury")
    row = next((one for one in known if one.number == int(line["number"])), None)
    if row is None:
        raise UserError(
            msg(
                "There is no dispute D{number} to be ruled on now; there are: {disputes}.",
                number=int(line["number"]),
                disputes=tuple(f"D{one.number}" for one in known) or ("-",),
            )
        )
    word, by = WORDS[line["word"]], queries.tournaments.entrant(tx.session, tx.event.id, row.by)
    yield (verdict_text(word, record.shown_name(by) if by is not None else ""),)
    disputes.rule_on(tx, tx.event, row, (word, ""))


def _redraw(tx: DirectorContext, line: RulingLine) -> Making:
    entrant_rulings.require_state(tx.event, "playing", "held")
    round_ = entrant_rulings.round_by_number(tx, tx.event, line["round"])
    if round_ != queries.tournaments.rounds(tx.session, tx.event.id)[-1] or round_.state not in (
        "drawn",
        "playing",
    ):
        raise UserError(entrant_rulings.not_played_text(tx, tx.event, round_))
    boards = queries.tournaments.boards(tx.session, round_.id)
    if any(board.second and board.state not in ("due", "playing") for board in boards):
        raise UserError(msg("A game of round {number} is over: it cannot be drawn again.", number=round_.number))
    yield (msg("Round {number} is void, its games end, and it is drawn again from a new list.", number=round_.number),)
    require_unlocked(closing.void_round(tx, tx.event, round_))


_ROUND = r"r ?(?P<round>\d{1,3})"
_NOTHING = re.compile("")
_LATER = re.compile(rf"{_ROUND} (?P<hours>\d{{1,4}}) ?h")
_GIVEN = re.compile(r"(?P<game>[a-z0-9-]{1,20}) (?P<side>[a-z][a-z0-9]{0,11})")
_JUDGED = re.compile(rf"d ?(?P<number>\d{{1,4}}) (?P<word>{'|'.join(WORDS)})")
_VOTES = tuple((vote, vote_word(vote, "es")) for vote in VOTES)

RULINGS = (
    Ruling("SHUT", "CERRAR", _close_entries, "", _NOTHING, "capitals", moves=True),
    Ruling("HOLD", "SUSPENDER", _hold, "", _NOTHING, "capitals"),
    *clock_rulings.RULINGS,
    Ruling("CANCEL", "ANULAR", _cancel, "", _NOTHING, "capitals", moves=True),
    *entrant_rulings.RULINGS,
    Ruling("FORFEIT", "PERDER", _forfeit, "9 R2", re.compile(rf"{ONE} {_ROUND}"), "capitals", often=0),
    Ruling("EXTEND", "PRORROGAR", _extend, "R2 48h", _LATER, "capitals", often=0),
    Ruling("ADJUDICATE", "ADJUDICAR", _adjudicate, "cup60-r2-05 spain", _GIVEN, "small", often=0),
    Ruling("RULING", "FALLO", _judge, "D4 UPHOLD", _JUDGED, "capitals", within=_VOTES, often=0),
    Ruling("REDRAW", "SORTEAR", _redraw, "R3", re.compile(_ROUND), "capitals", moves=True),
)
"""All rulings of a director; a new one is a record beside its functions."""

LINES: Rulings[DirectorContext] = Rulings(RULINGS)
"""The reader of ruling lines."""
read = LINES.read_line


def make(tx: Transaction, event: tables.Tournament, order: RulingLine) -> MadeRuling:
    """Make a ruling: record it, notify all, and apply it; UserError if it is impossible.

    The docket and the log have it before it is applied.
    """
    context = DirectorContext(**tx.shared, event=event)
    making = order.ruling.make(context, order)
    effects = next(making)
    number = record_verdict(tx, event, order.text, order.because)
    head = msg("Ruling {number} of the director: {text}", number=number, text=LINES.told(order.text))
    sentences = (head, *effects, reason(order.because))
    post.mail_all(tx, event, lambda row: post.LetterContent(msg("a ruling"), sentences), f"ruling {number}")
    next(making, None)
    if event.state in round_states.LIVE:
        event.wake = tx.now
    tx.session.add(event)
    tx.session.flush()
    return MadeRuling(str(number), sentences)
