"""What a director rules about entrants and teams: let in, expelled, kept apart, given another's seat.

Where teams play, a number is a member's or a team's: who is paired is kept apart, who sits somewhere is replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pbem.engine.data.messages import Msg, msg
from pbem.letters.rulings import Making, Ruling, RulingLine
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, founding, post, prospects, record, substitution, teams
from pbem.tournaments.substitution import TablePlace


@dataclass
class Directed(Work):
    """What a director rules on: his tournament, its row locked, at a moment."""

    event: tables.Tournament = field(kw_only=True)


ONE = r"e?(?P<one>\d{1,4})"
"""How an entrant or a team is named in a line."""
_OTHER = r"e?(?P<other>\d{1,4})"


# What a director's line names, an entrant, a round, a table: found, or refused with what there is instead (Broken).


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


def _any_entrant_named(work: Work, event: tables.Tournament, number: str) -> tables.Entrant:
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


def entrant_named(work: Work, event: tables.Tournament, number: str) -> tables.Entrant:
    """The entrant of a number; Broken if there is none, or if a team has it."""
    if contenders.team_named(work, event, int(number)) is not None:
        raise Broken(msg("e{number} is a team: name one of its members.", number=int(number)))
    return _any_entrant_named(work, event, number)


def people_named(work: Work, event: tables.Tournament, number: str) -> tuple[str, list[tables.Entrant]]:
    """Who is meant by a number, as others see it, and the people of it: an entrant, or all members of a team."""
    team = contenders.team_named(work, event, int(number))
    if team is not None:
        return record.shown_team(team), contenders.members(work, team, "in", "withdrawn", "left", teams.ASKS)
    row = entrant_named(work, event, number)
    return record.shown_name(row), [row]


def _paired(work: Work, event: tables.Tournament, number: str) -> tables.Entrant | tables.Team:
    """Who is paired by a number: an entrant, or where teams play a team."""
    if not record.boards_a_match(event):
        return entrant_named(work, event, number)
    team = contenders.team_named(work, event, int(number))
    if team is None:
        row = entrant_named(work, event, number)
        raise Broken(
            msg(
                "Teams are paired, and not their members: name e{team} for e{number}.",
                number=row.number,
                team=contenders.mine(work, row),
            )
        )
    return team


def _shown(row: tables.Entrant | tables.Team) -> str:
    return record.shown_team(row) if isinstance(row, tables.Team) else record.shown_name(row)


def _admit(work: Directed, line: RulingLine) -> Making:
    event = work.event
    must_be(event, "open", "playing", "held")
    row = entrant_named(work, event, line["one"])
    who = record.shown_name(row)
    if row.state == "in":
        raise Broken(msg("{who} plays already.", who=who))
    if event.stage > 1:
        raise Broken(msg("The stage that is played has begun without him."))
    team = contenders.team_of(work, row)
    if team is not None and team.state == "in" and teams.free_places(work, event, team) < 1:
        raise Broken(msg("{team} have as many members as they may have.", team=record.shown_team(team)))
    first = entry.next_round(work, event)
    yield (msg("{who} plays from round {number} on.", who=who, number=first),)
    row.out_after = None
    entry.admit(work, event, row, first)
    post.to_entrant(work, event, row, prospects.welcome(work, event, row), f"admitted {row.number} {row.since}")
    let_in = msg("{who} plays for your team: the director has let him in.", who=record.shown_name(row))
    teams.tell_captain(work, event, row, row.since, let_in)


def _expel(work: Directed, line: RulingLine) -> Making:
    must_be(work.event, "open", "playing", "held")
    who, rows = people_named(work, work.event, line["one"])
    if all(row.state == "expelled" for row in rows):
        raise Broken(msg("{who} is expelled already.", who=who))
    lost = msg("{who} is expelled; his seats are offered to those who wait, or lost.", who=who)
    if len(rows) > 1:
        lost = msg("{who} are expelled; their games are lost.", who=who)
    elif rows[0].team_id is not None:
        lost = msg("{who} is expelled; his seats are offered to the reserves of his team, or lost.", who=who)
    yield (lost,)
    told = msg("You are expelled from {event} by its director.", event=work.event.id)
    # The captain last: nobody else becomes it on the way out.
    for row in reversed(rows):
        post.to_entrant(work, work.event, row, post.Told(msg("you are out"), (told,)), f"expelled {row.number}")
        entry.leave(work, work.event, row, "expelled", "expelled")


def _bar(work: Directed, line: RulingLine) -> Making:
    must_be(work.event, "open", "playing", "held")
    one, other = (_paired(work, work.event, line[name]) for name in ("one", "other"))
    if one.number == other.number:
        raise Broken(msg("{one} meets himself never: BAR names two who are not to be paired.", one=_shown(one)))
    yield (
        msg(
            "{one} and {other} are not paired unless nothing else is possible [E4.1].",
            one=_shown(one),
            other=_shown(other),
        ),
    )
    for row, against in ((one, other), (other, one)):
        row.barred = record.words_of(record.numbers_in(row.barred) | {against.number})
        work.session.add(row)


def done_or_again(done: bool) -> None:
    if not done:
        raise Broken(msg("Somebody works on that game this very moment: try it again."))


def _substitute(work: Directed, line: RulingLine) -> Making:
    must_be(work.event, "playing", "held")
    one, other = (entrant_named(work, work.event, line[name]) for name in ("one", "other"))
    if one.team_id is None and other.state not in ("waiting", "offered"):
        waiting = tuple(
            record.shown_name(row)
            for row in queries.tournaments.entrants(work.session, work.event.id)
            if row.state in ("waiting", "offered")
        )
        raise Broken(
            msg(
                "{who} is not on the waiting list; on it: {waiting}.",
                who=record.shown_name(other),
                waiting=waiting or ("-",),
            )
        )
    place = _place(work, work.event, one)
    if place.team:
        _reserve(work, place, other)
    if not record.can_be_taken_over(record.rules_of(work.event), record.stage_of(work.event, place.round.stage)):
        raise Broken(
            msg(
                "Nobody can take over a seat in this stage: FORFEIT {number} {round} gives the games to his opponent.",
                number=one.number,
                round=place.round.name.upper(),
            )
        )
    taken = msg(
        "{other} takes the place of {one}, and plays on from now.",
        one=record.shown_name(one),
        other=record.shown_name(other),
    )
    yield (taken,)
    other.offered_for, other.offered_until = one.number, work.now
    if not place.team:
        other.state = "offered"
    silence = tables.Silence(
        board_id=place.board.id or 0, entrant=one.number, state="accepted", asked=work.now, until=work.now
    )
    work.session.add_all((other, silence))
    work.session.flush()
    done_or_again(substitution.substitute(work, place, silence))


def _reserve(work: Work, place: TablePlace, other: tables.Entrant) -> None:
    """A stranger plays for no team, nor does one who has a board of his own."""
    boards = queries.tournaments.boards(work.session, place.round.id)
    if other.team_id != place.row.team_id or other.state != "in":
        raise Broken(
            msg(
                "{who} does not play for the team of {one}.",
                who=record.shown_name(other),
                one=record.shown_name(place.row),
            )
        )
    if any(other.number in (board.first, board.second) for board in boards):
        raise Broken(msg("{who} has a board of his own in this round.", who=record.shown_name(other)))


def _place(work: Work, event: tables.Tournament, row: tables.Entrant) -> TablePlace:
    """The seat of an entrant in the round that is played."""
    round_ = queries.tournaments.rounds(work.session, event.id)[-1]
    first = founding.at_tables(work, event).seat_of(0)
    for board, seat in queries.tournaments.at_tables(work.session, round_.id):
        if row.number == (board.first if seat.name == first else board.second):
            return TablePlace(event, round_, board, seat, row)
    raise Broken(msg("{who} has no game now.", who=record.shown_name(row)))


RULINGS = (
    Ruling("ADMIT", "ADMITIR", _admit, "18", re.compile(ONE), "capitals", often=0),
    Ruling("EXPEL", "EXPULSAR", _expel, "9", re.compile(ONE), "capitals", often=0),
    Ruling("BAR", "SEPARAR", _bar, "3 7", re.compile(rf"{ONE} {_OTHER}"), "capitals", often=0),
    Ruling(
        "SUBSTITUTE",
        "SUSTITUIR",
        _substitute,
        "5 BY 17",
        re.compile(rf"{ONE} (?:by|por) {_OTHER}"),
        "capitals",
        within=(("BY", "POR"),),
        often=0,
    ),
)
