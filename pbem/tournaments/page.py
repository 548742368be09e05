"""Show a tournament on public pages, with published names only.

An entrant is shown as ``e7``, unless he published a name by PUBLISH at a table of this tournament. The name of a
team is public, as its founder was told.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.canon import digest
from pbem.engine.data.event_sheet import BoardSheet, RoundSheet, StageSheet, TournamentSheet
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import closing, contenders, record, round_states, sheets, standings, teams
from pbem.tournaments.standings import NamedTable

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


def public_tournaments(tx: Transaction) -> tuple[str, ...]:
    """Return the names of the tournaments with a page: all but drafts."""
    return tuple(row.id for row in queries.tournaments.all_tournaments(tx.session) if row.state != "draft")


def page_fingerprint(tx: Transaction, name: str) -> str:
    """Return a digest that changes with a tournament's page.

    It is cheaper to compute than the page.
    """
    event = record.tournament_by_name(tx.session, name)
    rounds = queries.tournaments.rounds(tx.session, name)
    parts = [event.title, event.state, event.stage, event.rules, event.fields, sorted(_names(tx, event).items())]
    for round_row in rounds:
        boards = queries.tournaments.boards(tx.session, round_row.id)
        challenge_rows = queries.tournaments.challenges(tx.session, event.id, round_row.number)
        parts.append(
            [
                round_row.number,
                round_row.state,
                round_row.opens.isoformat(),
                sum(row.state == "accepted" for row in challenge_rows),
                *([*_board_fields(board)] for board in boards),
            ]
        )
    return digest(parts)


def _board_fields(board: tables.Board) -> tuple[str | int, ...]:
    """Return all that a page shows of a board."""
    halves = (board.first_halves, board.second_halves, board.margin)
    return board.first, board.second, board.state, board.how, *halves, board.game_id or ""


def tournament_sheet(tx: Transaction, name: str, language: str) -> TournamentSheet:
    """Return a tournament's page in a language; raise UserError if unknown."""
    event = record.tournament_by_name(tx.session, name)
    names = _names(tx, event)
    begun = range(event.stage, 0, -1)
    stages = tuple(_stage(tx, event, number, names, language) for number in begun)
    rounds = queries.tournaments.rounds(tx.session, event.id)
    round_sheets = tuple(_round(tx, event, row, names, language) for row in reversed(rounds))
    prizes: tuple[Msg, ...] = ()
    if event.state == "over":
        prizes = tuple(closing.prizes_of(tx, event, NamedTable(standings.current_table(tx, event), names)))
    ended = event.state in round_states.ENDED
    return TournamentSheet(event.id, event.title, _state_text(event), ended, prizes, stages, round_sheets)


def _names(tx: Transaction, event: tables.Tournament) -> Mapping[int, str]:
    """Return the public names of entrants and teams."""
    pens: dict[int, str] = {}
    for seat in queries.tournaments.seats_of(tx.session, event.id):
        if seat.person_id is not None and seat.published and seat.pen_name:
            pens[seat.person_id] = seat.pen_name
    names = {}
    for row in queries.tournaments.entrants(tx.session, event.id):
        pen = pens.get(row.person_id)
        names[row.number] = f"{pen} (e{row.number})" if pen else f"e{row.number}"
    return names | {team.number: record.public_team_name(team) for team in contenders.teams_of(tx, event)}


def _state_text(event: tables.Tournament) -> Msg:
    if event.state == "open":
        closes = record.closing_time(event)
        if closes is not None:
            return msg("Entries are taken until {when}.", when=moment_in_words(closes, event.zone))
        return msg("Entries are taken.")
    return _STANDS[event.state]


def _stage(
    tx: Transaction, event: tables.Tournament, number: int, names: Mapping[int, str], language: str
) -> StageSheet:
    table = standings.current_table(tx, event, number)
    crossed = sheets.crosstable_rows(table, names, language)
    rounds = len(crossed[0]) - 3 if crossed else 0
    head = ["", "", *(str(index + 1) for index in range(rounds)), "="]
    return StageSheet(
        number,
        record.stage_of(event, number).format,
        tuple(map(tuple, sheets.standings_rows(table, names, language))),
        tuple(map(tuple, [head, *crossed])),
        tuple(
            (
                names[row.number],
                names[contenders.pairing_number(tx, row)],
                f"{sheets.points_figure(halves, language)} / {count}",
            )
            for row, halves, count in teams.member_scores(tx, event, number)
        ),
    )


def _round(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, names: Mapping[int, str], language: str
) -> RoundSheet:
    state_text = _ROUND[round_.state]
    if round_.state == "planned":
        state_text = msg(state_text.text, when=moment_in_words(round_.opens, event.zone))
    boards, team_of = list[BoardSheet](), contenders.team_numbers(tx, event)
    for match, rows in teams.boards_by_match(tx, event, round_):
        if match is not None:
            score = " - ".join(
                sheets.points_figure(halves, language) for halves in teams.team_points(team_of, match, rows)
            )
            boards.append(BoardSheet(names[match[0]], names[match[1]], score, None, ""))
        boards += [_board(board, names, language) for board in rows]
    lines = () if boards else _challenges(tx, event, round_, names)
    if round_.state == "closed" and (level := standings.present_level(tx, event, round_.stage, round_.within)):
        lines = tuple(sheets.tie_lines(level, names, language))
    lines = (*record.battle_lines(event, round_), *lines)
    return RoundSheet(round_.number, state_text, tuple(boards), lines)


def _challenges(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, names: Mapping[int, str]
) -> tuple[Msg, ...]:
    """Return the accepted challenges for a round; the log already shows them."""
    rows = queries.tournaments.challenges(tx.session, event.id, round_.number)
    return tuple(
        msg("{who} has challenged {other}, who has accepted.", who=names[row.challenger], other=names[row.challenged])
        for row in rows
        if row.state == "accepted"
    )


def _board(board: tables.Board, names: Mapping[int, str], language: str) -> BoardSheet:
    score = ""
    if board.state in round_states.DECIDED:
        score_parts = [sheets.points_figure(board.first_halves, language)]
        score_parts += [sheets.points_figure(board.second_halves, language)] if board.second else []
        score = " - ".join(score_parts)
    second = names[board.second] if board.second else ""
    return BoardSheet(names[board.first], second, score, _HOW.get(board.how), board.game_id or "")
