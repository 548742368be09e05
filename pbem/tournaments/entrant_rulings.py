"""Make rulings about entrants and teams: admit, expel, bar, substitute.

In a team tournament a number means a member or a team: BAR takes teams, since these are paired, and SUBSTITUTE
takes members, who sit at the boards.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine, UndoableRuling
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, founding, leaves, post, prospects, record, substitution, teams
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.substitution import TablePlace


@dataclass
class DirectorContext(Transaction):
    """The transaction of a ruling, with the director's tournament (locked).

    `by` is the name of the co-director who rules; empty for the director.
    """

    event: tables.Tournament = field(kw_only=True)
    by: str = field(kw_only=True, default="")


ONE = r"e?(?P<one>\d{1,4})"
"""The number of an entrant or team in a ruling: at most four digits, as many as `entry.places` can have."""
_OTHER = r"e?(?P<other>\d{1,4})"
_BARS = re.compile(rf"BAR {ONE} {_OTHER}", re.IGNORECASE)


# Find the entrant, round or table that a ruling names, or raise UserError with what there is instead.


_STATES = {
    "draft": msg("not open yet"),
    "open": msg("open for entrants"),
    "playing": msg("being played"),
    "held": msg("held"),
    "over": msg("finished"),
    "cancelled": msg("cancelled"),
}


def require_state(event: tables.Tournament, *states: str) -> None:
    """Raise UserError unless a tournament is in one of these states."""
    if event.state not in states:
        state_texts = tuple(_STATES[state] for state in states)
        raise UserError(
            msg(
                "{event} is {state}; this can be ruled only while it is {states}.",
                event=event.id,
                state=_STATES[event.state],
                states=state_texts,
            )
        )


def _entrant_by_number(tx: Transaction, event: tables.Tournament, number: str) -> tables.Entrant:
    """Return the entrant with a number; raise UserError if there is none."""
    row = queries.tournaments.entrant(tx.session, event.id, int(number))
    if row is None:
        last = max((entrant.number for entrant in queries.tournaments.entrants(tx.session, event.id)), default=0)
        raise UserError(
            msg(
                "There is no entrant e{number} in {event}; the last is e{last}, and STATUS lists them.",
                number=int(number),
                event=event.id,
                last=last,
            )
        )
    return row


def round_by_number(tx: Transaction, event: tables.Tournament, number: str) -> tables.Round:
    """Return the valid round with a number; raise UserError if there is none."""
    row = queries.tournaments.round_numbered(tx.session, event.id, int(number))
    if row is None:
        raise UserError(_no_round_text(tx, event, number))
    return row


def _no_round_text(tx: Transaction, event: tables.Tournament, number: str) -> Msg:
    """Return the fault of an unknown round, with the newest one."""
    rounds = queries.tournaments.rounds(tx.session, event.id)
    if not rounds:
        return msg("{event} has no round yet.", event=event.id)
    return msg(
        "There is no round {number} in {event}; the newest is R{last}.",
        number=int(number),
        event=event.id,
        last=rounds[-1].number,
    )


def not_played_text(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> Msg:
    """Return the error that a round is not being played, and name the one that is."""
    last = queries.tournaments.rounds(tx.session, event.id)[-1]
    if last.state in ("drawn", "playing"):
        return msg("Round {number} is not played now, but R{last} is.", number=round_.number, last=last.number)
    return msg("Round {number} is not played now, and no other is.", number=round_.number)


def table_by_game(tx: Transaction, event: tables.Tournament, game: str) -> tuple[tables.Round, tables.Board]:
    """Return the round and board of a game; raise UserError if it is no table here."""
    board_row = queries.tournaments.board_of(tx.session, game)
    if board_row is None or board_row[0].id != event.id:
        raise UserError(
            msg("{game} is no table of {event}; STATUS lists those of the newest round.", game=game, event=event.id)
        )
    return board_row[1], board_row[2]


def single_entrant(tx: Transaction, event: tables.Tournament, number: str) -> tables.Entrant:
    """Return the entrant with a number; raise UserError for a team's or unknown one."""
    if contenders.team_by_number(tx, event, int(number)) is not None:
        raise UserError(msg("e{number} is a team: name one of its members.", number=int(number)))
    return _entrant_by_number(tx, event, number)


def entrants_by_number(tx: Transaction, event: tables.Tournament, number: str) -> tuple[str, list[tables.Entrant]]:
    """Return the public name of a number, and its entrants.

    They are one entrant, or all members of a team.
    """
    team = contenders.team_by_number(tx, event, int(number))
    if team is not None:
        return record.public_team_name(team), contenders.members(tx, team, "in", "withdrawn", "left", teams.ASKS)
    row = single_entrant(tx, event, number)
    return record.public_entrant_name(row), [row]


def participant_by_number(tx: Transaction, event: tables.Tournament, number: str) -> tables.Entrant | tables.Team:
    """Return the participant with a number: an entrant, or a team.

    Raise UserError if there is none.
    """
    if not record.boards_per_match(event):
        return single_entrant(tx, event, number)
    team = contenders.team_by_number(tx, event, int(number))
    if team is None:
        row = single_entrant(tx, event, number)
        raise UserError(
            msg(
                "Teams are paired, and not their members: name e{team} for e{number}.",
                number=row.number,
                team=contenders.pairing_number(tx, row),
            )
        )
    return team


def participant_name(row: tables.Entrant | tables.Team) -> str:
    return record.public_team_name(row) if isinstance(row, tables.Team) else record.public_entrant_name(row)


def with_numbers(tx: Transaction, event: tables.Tournament, ruling: Ruling[Any], rest: str) -> str:
    """Return the text of a ruling with numbers for names of entrants and teams.

    ``Ana (e3)`` is e3 also if several are called Ana. Raise UserError if a name is nobody's, or of several.
    """
    if ruling.form is None or not {"one", "pairs"} & ruling.form.groupindex.keys() or ruling.match(rest):
        return rest
    shown = defaultdict[str, list[str]](list)
    rows: list[tables.Entrant | tables.Team] = [*queries.tournaments.entrants(tx.session, event.id)]
    rows += contenders.teams_of(tx, event)
    for row in rows:
        if row.name:
            shown[" ".join(fold(row.name).split())].append(participant_name(row))
    names = "|".join(re.escape(name) for name in sorted(shown, key=len, reverse=True))
    known = re.compile(rf"""["«]?(?<!\w)(?P<name>{names})(?!\w)["»]?(?:\s*\(?e(?P<number>\d{{1,4}})\)?)?""")

    def number_of(match: re.Match[str]) -> str:
        if match["number"]:
            return match["number"]
        if len(who := shown[match["name"]]) > 1:
            raise UserError(msg("Several have that name: {who}. Write the number.", who=tuple(who)))
        return who[0].rpartition("(e")[2].rstrip(")")

    text = " ".join(fold(rest).split())
    numbered = known.sub(number_of, text) if names else text
    if numbered == text and re.match(r"(?!e?\d|r ?\d)\w", text):
        raise UserError(
            msg(
                "Nobody in {event} has a name of {text}. STATUS lists names and numbers; it is written as {line}.",
                event=event.id,
                text=rest,
                line=RulingLine(ruling, ruling.example, "...").message(),
            )
        )
    return numbered


def _admit(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    event = tx.event
    require_state(event, "open", "playing", "held")
    row = single_entrant(tx, event, line["one"])
    who = record.public_entrant_name(row)
    if row.state == "in":
        raise UserError(msg("{who} plays already.", who=who))
    if event.stage > 1:
        raise UserError(msg("The stage that is played has begun without him."))
    team = contenders.team_of(tx, row)
    if team is not None and team.state == "in" and teams.free_team_places(tx, event, team) < 1:
        raise UserError(msg("{team} have as many members as they may have.", team=record.public_team_name(team)))
    first = entry.next_open_round(tx, event)
    yield (msg("{who} plays from round {number} on.", who=who, number=first),)
    row.out_after = None
    entry.admit_entrant(tx, event, row, first)
    post.mail_entrant(
        tx, event, row, prospects.welcome_entrant(tx, event, row), f"admitted {row.number} {tx.now.isoformat()}"
    )
    sentence = msg("{who} plays for your team: the director has let him in.", who=record.public_entrant_name(row))
    teams.notify_captain(tx, event, row, row.since, sentence)


def _reject(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    """E1 Keep out an applicant whom the director does not admit."""
    event, row = tx.event, single_entrant(tx, tx.event, line["one"])
    require_state(event, "open", "playing", "held")
    if row.state != "waiting" or not needs_approval(record.rules_of(event)):
        raise UserError(
            msg(
                "{who} does not ask to play: EXPEL {number} puts out who plays.",
                who=record.public_entrant_name(row),
                number=row.number,
            )
        )
    yield (msg("{who} does not play.", who=record.public_entrant_name(row)),)
    entry.remove_entrant(tx, event, row, "expelled", "expelled")
    sentence = msg("The director of {event} does not let you in.", event=event.id)
    post.mail_entrant(
        tx, event, row, post.LetterContent(msg("you do not play"), (sentence,)), f"rejected {tx.now.isoformat()}"
    )
    return row.state


def _undo_rejection(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Let an applicant wait again for the director's word."""
    event, row = tx.event, single_entrant(tx, tx.event, line["one"])
    if row.state != "expelled":
        raise UserError(msg("{who} plays already.", who=record.public_entrant_name(row)))
    yield (msg("{who} asks to play again: ADMIT lets him in.", who=record.public_entrant_name(row)),)
    row.state = "waiting"
    tx.session.add(row)
    tx.session.flush()
    letter = post.LetterContent(msg("the director is asked"), prospects.waiting_list_lines(tx, event, row))
    post.mail_entrant(tx, event, row, letter, f"asks again {tx.now.isoformat()}")


def _expel(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    require_state(tx.event, "open", "playing", "held")
    who, rows = entrants_by_number(tx, tx.event, line["one"])
    if all(row.state == "expelled" for row in rows):
        raise UserError(msg("{who} is expelled already.", who=who))
    lost = msg("{who} is expelled; his games are lost.", who=who)
    if len(rows) == 1 and record.can_offer_seat(tx.session, tx.event, record.stage_of(tx.event), never=False):
        lost = msg("{who} is expelled; his seats are offered to those who wait, or lost.", who=who)
    if len(rows) > 1:
        lost = msg("{who} are expelled; their games are lost.", who=who)
    elif rows[0].team_id is not None:
        lost = msg("{who} is expelled; his seats are offered to the reserves of his team, or lost.", who=who)
    yield (lost,)
    playing = record.numbers_to_column([row.number for row in rows if row.state == "in"])
    sentence = msg("You are expelled from {event} by its director.", event=tx.event.id)
    # The captain last, so that no other member becomes captain meanwhile.
    for row in reversed(rows):
        post.mail_entrant(
            tx,
            tx.event,
            row,
            post.LetterContent(msg("you are out"), (sentence,)),
            f"expelled {row.number} {tx.now.isoformat()}",
        )
        entry.remove_entrant(tx, tx.event, row, "expelled", "expelled")
    return playing


def _undo_expulsion(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Reinstate the entrants who were playing before they were expelled."""
    event, first = tx.event, entry.next_open_round(tx, tx.event)
    require_state(event, "open", "playing", "held")
    name, rows = entrants_by_number(tx, event, line["one"])
    rows = rows or [_entrant_by_number(tx, event, number) for number in before.split()]
    back = [row for row in rows if row.state == "expelled" and row.number in record.numbers_from_column(before)]
    if not back:
        raise UserError(msg("{who} did not play before: ADMIT lets in who waits.", who=name))
    if event.stage > 1 and not {contenders.pairing_number(tx, row) for row in back} & {
        seed.number for seed in record.stage_seeds(event, event.stage)
    }:
        raise UserError(msg("The stage that is played has begun without him."))
    yield (msg("{who} plays again from round {number} on. Games that were lost stay lost.", who=name, number=first),)
    for row in back:
        row.out_after = None
        entry.admit_entrant(tx, event, row, first)
        leaves.record_departure(tx, event, row.number, first, "return")
        sentence = msg("You are not expelled any more: you play again from round {number} on.", number=first)
        letter = post.LetterContent(msg("you play again"), (sentence,))
        post.mail_entrant(tx, event, row, letter, f"back {row.number} {tx.now.isoformat()}")


def _bar(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    require_state(tx.event, "open", "playing", "held")
    first, second = (participant_by_number(tx, tx.event, line[name]) for name in ("one", "other"))
    if first.number == second.number:
        raise UserError(
            msg("{one} meets himself never: BAR names two who are not to be paired.", one=participant_name(first))
        )
    yield (
        msg(
            "{one} and {other} are not paired unless nothing else is possible [E4.1].",
            one=participant_name(first),
            other=participant_name(second),
        ),
    )
    for row, barred_row in ((first, second), (second, first)):
        row.barred = record.numbers_to_column(record.numbers_from_column(row.barred) | {barred_row.number})
        tx.session.add(row)


def _undo_bar(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Let two be paired again, unless another ruling bars them too."""
    require_state(tx.event, "open", "playing", "held")
    first, second = (participant_by_number(tx, tx.event, line[name]) for name in ("one", "other"))
    names = {"one": participant_name(first), "other": participant_name(second)}
    others = [number for number in _bars_standing(tx, {first.number, second.number})][1:]
    if others:
        yield (msg("{one} and {other} stay barred: another ruling says so too.", **names),)
        return
    yield (msg("{one} and {other} may be paired again.", **names),)
    for row, freed_row in ((first, second), (second, first)):
        row.barred = record.numbers_to_column(record.numbers_from_column(row.barred) - {freed_row.number})
        tx.session.add(row)


def _bars_standing(tx: DirectorContext, pair: set[int]) -> list[int]:
    """Return the numbers of the rulings that bar two, and were not taken back."""
    rows = queries.tournaments.docket(tx.session, tx.event.id)
    undone = {row.line for row in rows}
    return [
        row.number
        for row in rows
        if (bar := _BARS.fullmatch(row.line)) is not None
        and {int(bar["one"]), int(bar["other"])} == pair
        and f"UNDO {row.number}" not in undone
    ]


def require_unlocked(is_done: bool) -> None:
    if not is_done:
        raise UserError(msg("Somebody works on that game this very moment: try it again."))


def _substitute(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    require_state(tx.event, "playing", "held")
    replaced, newcomer = (single_entrant(tx, tx.event, line[name]) for name in ("one", "other"))
    if replaced.team_id is None and newcomer.state not in ("waiting", "offered"):
        waiting = tuple(
            record.public_entrant_name(row)
            for row in queries.tournaments.entrants(tx.session, tx.event.id)
            if row.state in ("waiting", "offered")
        )
        raise UserError(
            msg(
                "{who} is not on the waiting list; on it: {waiting}.",
                who=record.public_entrant_name(newcomer),
                waiting=waiting or ("-",),
            )
        )
    place = _place(tx, tx.event, replaced)
    if place.team:
        _require_reserve(tx, place, newcomer)
    if not record.can_be_taken_over(record.rules_of(tx.event), record.stage_of(tx.event, place.round.stage)):
        raise UserError(
            msg(
                "Nobody can take over a seat in this stage: FORFEIT {number} {round} gives the games to his opponent.",
                number=replaced.number,
                round=place.round.name.upper(),
            )
        )
    taken = msg(
        "{other} takes the place of {one}, and plays on from now.",
        one=record.public_entrant_name(replaced),
        other=record.public_entrant_name(newcomer),
    )
    yield (taken,)
    newcomer.offered_for, newcomer.offered_until = replaced.number, tx.now
    if not place.team:
        newcomer.state = "offered"
    silence = tables.Silence(
        board_id=place.board.id or 0, entrant=replaced.number, state="accepted", asked=tx.now, until=tx.now
    )
    tx.session.add_all((newcomer, silence))
    tx.session.flush()
    require_unlocked(substitution.give_seat_to_substitute(tx, place, silence))


def _require_reserve(tx: Transaction, place: TablePlace, newcomer: tables.Entrant) -> None:
    """Raise UserError unless an entrant is a free member of the same team."""
    boards = queries.tournaments.boards(tx.session, place.round.id)
    if newcomer.team_id != place.row.team_id or newcomer.state != "in":
        raise UserError(
            msg(
                "{who} does not play for the team of {one}.",
                who=record.public_entrant_name(newcomer),
                one=record.public_entrant_name(place.row),
            )
        )
    if any(newcomer.number in (board.first, board.second) for board in boards):
        raise UserError(msg("{who} has a board of his own in this round.", who=record.public_entrant_name(newcomer)))


def _place(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> TablePlace:
    """Return the seat of an entrant in the present round.

    Raise UserError if he has none.
    """
    round_ = queries.tournaments.rounds(tx.session, event.id)[-1]
    first = founding.table_game(tx, event).seat_of(0)
    for board, seat in queries.tournaments.seats_at_boards(tx.session, round_.id):
        if row.number == (board.first if seat.name == first else board.second):
            return TablePlace(event, round_, board, seat, row)
    raise UserError(msg("{who} has no game now.", who=record.public_entrant_name(row)))


RULINGS = (
    Ruling(
        "ADMIT",
        "ADMITIR",
        _admit,
        "18",
        re.compile(ONE),
        "capitals",
        often=0,
        each=True,
        undo=msg("EXPEL puts somebody out."),
    ),
    Ruling(
        "REJECT",
        "DENEGAR",
        _reject,
        "18",
        re.compile(ONE),
        "capitals",
        often=0,
        each=True,
        undo=_undo_rejection,
        last_counts=True,
    ),
    Ruling(
        "EXPEL",
        "EXPULSAR",
        _expel,
        "9",
        re.compile(ONE),
        "capitals",
        often=0,
        each=True,
        undo=_undo_expulsion,
        last_counts=True,
    ),
    Ruling("BAR", "SEPARAR", _bar, "3 7", re.compile(rf"{ONE} {_OTHER}"), "capitals", often=0, undo=_undo_bar),
    Ruling(
        "SUBSTITUTE",
        "SUSTITUIR",
        _substitute,
        "5 BY 17",
        re.compile(rf"{ONE} (?:by|por) {_OTHER}"),
        "capitals",
        within=(("BY", "POR"),),
        often=0,
        undo=msg("The seat has another player: SUBSTITUTE gives it to somebody else."),
    ),
)
