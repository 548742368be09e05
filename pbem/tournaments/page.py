"""What everybody may see of a tournament, on pages that the server writes: nobody is named who did not ask for it.

An entrant is ``e7`` there, unless a player's own name was given for a page by PUBLISH at a table of this tournament.
The name of a team is public: whoever founds one is told so.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.canon import digest
from pbem.engine.data.event_sheet import BoardSheet, EventSheet, RoundSheet, StageSheet
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import closing, contenders, record, round_states, sheets, standings, teams
from pbem.tournaments.standings import SeenTable

_STANDS = {
    "shut": msg("The list is shut."),
    "playing": msg("It is being played."),
    "held": msg("It is held at the moment."),
    "over": msg("It is over."),
    "cancelled": msg("It is not held."),
}
_ROUND = {
    "planned": msg("its list shuts on {when}"),
    "shut": msg("its list is shut"),
    "drawn": msg("drawn"),
    "playing": msg("being played"),
    "closed": msg("over"),
}
_HOW = {
    "forfeit": msg("by forfeit"),
    "adjudicated": msg("adjudicated"),
    "bye": msg("a bye"),
}


def shown_events(work: Work) -> tuple[str, ...]:
    """The names of the tournaments that have a page, all but drafts."""
    return tuple(one.id for one in queries.tournaments.every(work.session) if one.state != "draft")


def event_mark(work: Work, name: str) -> str:
    """Another text as soon as the page of a tournament would be another; it costs less than the page."""
    event = record.tournament_named(work.session, name)
    rounds = queries.tournaments.rounds(work.session, name)
    told = [event.title, event.state, event.stage, event.rules, event.fields, sorted(_names(work, event).items())]
    for one in rounds:
        boards = queries.tournaments.boards(work.session, one.id)
        asked = queries.tournaments.challenges(work.session, event.id, one.number)
        told.append(
            [
                one.number,
                one.state,
                one.opens.isoformat(),
                sum(row.state == "accepted" for row in asked),
                *([*_seen(board)] for board in boards),
            ]
        )
    return digest(told)


def _seen(board: tables.Board) -> tuple[str | int, ...]:
    """All that a page shows of a board."""
    halves = (board.first_halves, board.second_halves, board.margin)
    return board.first, board.second, board.state, board.how, *halves, board.game_id or ""


def event_sheet(work: Work, name: str, language: str) -> EventSheet:
    """A tournament as a page in a language shows it; Broken if there is none of that name."""
    event = record.tournament_named(work.session, name)
    names = _names(work, event)
    begun = range(event.stage, 0, -1)
    stages = tuple(_stage(work, event, number, names, language) for number in begun)
    rounds = queries.tournaments.rounds(work.session, event.id)
    drawn = tuple(_round(work, event, one, names, language) for one in reversed(rounds))
    prizes: tuple[Msg, ...] = ()
    if event.state == "over":
        prizes = tuple(closing.prizes_of(work, event, SeenTable(standings.standing(work, event), names)))
    ended = event.state in round_states.ENDED
    return EventSheet(event.id, event.title, _stands(event), ended, prizes, stages, drawn)


def _names(work: Work, event: tables.Tournament) -> Mapping[int, str]:
    """What entrants are called where everybody can see it."""
    pens: dict[int, str] = {}
    for seat in queries.tournaments.seats_of(work.session, event.id):
        if seat.person_id is not None and seat.published and seat.pen_name:
            pens[seat.person_id] = seat.pen_name
    found = {}
    for row in queries.tournaments.entrants(work.session, event.id):
        pen = pens.get(row.person_id)
        found[row.number] = f"{pen} (e{row.number})" if pen else f"e{row.number}"
    return found | {team.number: record.shown_team(team) for team in contenders.teams_of(work, event)}


def _stands(event: tables.Tournament) -> Msg:
    if event.state == "open":
        closes = record.closing_of(record.rules_of(event))
        if closes is not None:
            return msg("Entries are taken until {when}.", when=when(closes, event.zone))
        return msg("Entries are taken.")
    return _STANDS[event.state]


def _stage(work: Work, event: tables.Tournament, number: int, names: Mapping[int, str], language: str) -> StageSheet:
    table = standings.standing(work, event, number)
    crossed = sheets.crosstable_rows(table, names, language)
    rounds = len(crossed[0]) - 3 if crossed else 0
    head = ["", "", *(str(at + 1) for at in range(rounds)), "="]
    return StageSheet(
        number,
        record.stage_of(event, number).format,
        tuple(map(tuple, sheets.standings_rows(table, names, language))),
        tuple(map(tuple, [head, *crossed])),
        tuple(
            (names[row.number], names[contenders.mine(work, row)], f"{sheets.points(halves, language)} / {count}")
            for row, halves, count in teams.made_by_members(work, event, number)
        ),
    )


def _round(
    work: Work, event: tables.Tournament, round_: tables.Round, names: Mapping[int, str], language: str
) -> RoundSheet:
    stands = _ROUND[round_.state]
    if round_.state == "planned":
        stands = msg(stands.text, when=when(round_.opens, event.zone))
    boards, team_of = list[BoardSheet](), contenders.team_numbers(work, event)
    for one, rows in teams.matches(work, event, round_):
        if one is not None:
            score = " - ".join(sheets.points(halves, language) for halves in teams.team_points(team_of, one, rows))
            boards.append(BoardSheet(names[one[0]], names[one[1]], score, None, ""))
        boards += [_board(board, names, language) for board in rows]
    asked = () if boards else _challenges(work, event, round_, names)
    return RoundSheet(round_.number, stands, tuple(boards), asked)


def _challenges(
    work: Work, event: tables.Tournament, round_: tables.Round, names: Mapping[int, str]
) -> tuple[Msg, ...]:
    """The challenges for a round that were accepted: the log has them, and its list will."""
    rows = queries.tournaments.challenges(work.session, event.id, round_.number)
    return tuple(
        msg("{who} has challenged {other}, who has accepted.", who=names[one.challenger], other=names[one.challenged])
        for one in rows
        if one.state == "accepted"
    )


def _board(board: tables.Board, names: Mapping[int, str], language: str) -> BoardSheet:
    score = ""
    if board.state in round_states.DECIDED:
        got = [sheets.points(board.first_halves, language)]
        got += [sheets.points(board.second_halves, language)] if board.second else []
        score = " - ".join(got)
    second = names[board.second] if board.second else ""
    return BoardSheet(names[board.first], second, score, _HOW.get(board.how), board.game_id or "")
