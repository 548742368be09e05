"""What a director's line names, an entrant, a round, a table: found, or refused with what there is instead (Broken)."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables

_STATES = {
    "draft": msg("not open yet"),
    "open": msg("open for entrants"),
    "playing": msg("being played"),
    "held": msg("held"),
    "over": msg("finished"),
    "cancelled": msg("cancelled"),
}


def must_be(event: tables.Tournament, *states: str) -> None:
    """Broken unless a tournament is in one of these states."""
    if event.state not in states:
        wanted = tuple(_STATES[one] for one in states)
        raise Broken(
            msg(
                "{event} is {state}; this can be ruled while it is: {states}.",
                event=event.id,
                state=_STATES[event.state],
                states=wanted,
            )
        )


def entrant_named(work: Work, event: tables.Tournament, number: str) -> tables.Entrant:
    """The entrant of a number."""
    row = queries.tournaments.entrant(work.session, event.id, int(number))
    if row is None:
        last = max((one.number for one in queries.tournaments.entrants(work.session, event.id)), default=0)
        raise Broken(
            msg(
                "There is no entrant e{number} in {event}; the last is e{last}, and STATUS lists them.",
                number=int(number),
                event=event.id,
                last=last,
            )
        )
    return row


def round_named(work: Work, event: tables.Tournament, number: str) -> tables.Round:
    """The round of a number that is not void."""
    row = queries.tournaments.round_named(work.session, event.id, int(number))
    if row is None:
        raise Broken(_no_round(work, event, number))
    return row


def _no_round(work: Work, event: tables.Tournament, number: str) -> Msg:
    """That there is no such round, and which is the newest."""
    rounds = queries.tournaments.rounds(work.session, event.id)
    if not rounds:
        return msg("{event} has no round yet.", event=event.id)
    return msg(
        "There is no round {number} in {event}; the newest is R{last}.",
        number=int(number),
        event=event.id,
        last=rounds[-1].number,
    )


def not_played(work: Work, event: tables.Tournament, round_: tables.Round) -> Msg:
    """That a round is not played now, and which one is."""
    last = queries.tournaments.rounds(work.session, event.id)[-1]
    if last.state in ("drawn", "playing"):
        return msg("Round {number} is not played now, but R{last} is.", number=round_.number, last=last.number)
    return msg("Round {number} is not played now, and no other is.", number=round_.number)


def table_named(work: Work, event: tables.Tournament, game: str) -> tuple[tables.Round, tables.Board]:
    """The round and the board that a game is the table of."""
    of = queries.tournaments.board_of(work.session, game)
    if of is None or of[0].id != event.id:
        raise Broken(
            msg("{game} is no table of {event}; STATUS lists those of the newest round.", game=game, event=event.id)
        )
    return of[1], of[2]
