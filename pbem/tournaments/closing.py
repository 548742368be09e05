"""A round closed, and what follows it: the next list, the next stage, or the end with its prizes.

A round closes when everything in it is decided. Its table is logged and mailed, and the next list shuts after the hours
that the rules give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import at_hand, known
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import (
    challenges,
    contenders,
    draw,
    leaves,
    lots,
    post,
    record,
    round_states,
    sheets,
    standings,
    teams,
    unfinished_tables,
)
from pbem.tournaments.arithmetic.absence import came
from pbem.tournaments.arithmetic.rules.records import Prize, manner_of
from pbem.tournaments.arithmetic.stages import go_on
from pbem.tournaments.challenges import ladder_told
from pbem.tournaments.record import Seed
from pbem.tournaments.standings import SeenTable
from pbem.tournaments.substitution import end_game


def close(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Close a round of which everything is decided, and tell all how they stand."""
    unfinished_tables.show_lots(work, event, round_)
    round_states.close_round(round_, work.now)
    for board in queries.tournaments.boards(work.session, round_.id):
        round_states.close_table(board)
        work.session.add(board)
    for row in queries.tournaments.entrants(work.session, event.id):
        if row.state == "in" and row.out_after is not None and row.out_after <= round_.number:
            row.state, row.left_once = "withdrawn", True
            work.session.add(row)
            teams.left(work, event, row, ("withdrawn", "withdrew", round_.number + 1))
    work.session.add(round_)
    work.session.flush()
    seen = standings.seen(work, event, round_.stage)
    leaves.note_standing(work, event, round_, standings.as_json(seen.table))
    about = msg("round {number} is over", number=round_.number)
    told = msg("Round {number} is over; this is how all stand.", number=round_.number)
    drawn = lots.told_when_over(work, event, f"{standings.TIES}/{round_.name}")
    follows, opens = what_follows(work, event, round_), _opens(work, event, round_)
    open_ = queries.tournaments.open_disputes(work.session, event.id)
    awaited = tuple(f"D{one.number}" for one in open_) if follows != "round" else ()
    here = challenges.here_of(work, event)

    def tell(row: tables.Entrant) -> post.Told:
        then = msg(
            "The list of round {number} shuts on {when}; until then REST, RETURN and WITHDRAW count.",
            number=round_.number + 1,
            when=content.when(opens, row.zone),
        )
        then = msg("What follows waits for disputes to be decided: {disputes}.", disputes=awaited) if awaited else then
        lines = [] if isinstance(here, Msg) else [(0, line) for line in ladder_told(here, row)]
        ladder = (content.sentences(msg("The ladder"), lines, whole=True),) if lines else ()
        return post.Told(about, (told, *drawn, then) if awaited or follows != "end" else (told, *drawn), ladder)

    _tell(work, event, round_, seen, tell)


def results_block(work: Work, round_: tables.Round, names: Mapping[int, str], language: str) -> Json:
    """The results of a round as a block of a letter."""
    return _results(round_, _lines(work, round_, names, language))


def _lines(work: Work, round_: tables.Round, names: Mapping[int, str], language: str) -> list[tuple[int, Msg]]:
    event = work.session.get_one(tables.Tournament, round_.tournament_id)
    return teams.board_lines(work, event, round_, lambda board: sheets.board_line(board, names, language), language)


def _results(round_: tables.Round, lines: Sequence[tuple[int, Msg]], mine: int | None = None) -> Json:
    """The same from its lines; of many those from the top, and what stands around the reader's."""
    shown = [(0, one) if isinstance(one, Msg) else one for one in sheets.excerpt(lines, mine)]
    return content.sentences(msg("Results of round {number}", number=round_.number), shown, whole=True)


def _tell(
    work: Work,
    event: tables.Tournament,
    round_: tables.Round,
    seen: SeenTable,
    tell: Callable[[tables.Entrant], post.Told],
) -> None:
    """Mail the results of a round and the table, below what each is told of them."""
    at_board = teams.places_at_boards(work, event, round_)
    lines = {language: _lines(work, round_, seen.names, language) for language in known()}
    table = {language: sheets.standings_lines(seen.table, seen.names, language) for language in known()}
    at_rank = {row.number: at for at, row in enumerate(seen.table.rows, start=1)}
    team_of = contenders.team_numbers(work, event)
    members = {language: teams.members_block(work, event, language, round_.stage) for language in known()}

    def told(row: tables.Entrant) -> post.Told:
        language = at_hand(row.language)
        near = sheets.excerpt(table[language], at_rank.get(team_of.get(row.number, row.number)))
        shown = content.block(msg("Standing"), [*near, sheets.standings_heads(seen.table)])
        said = tell(row)
        mine = _results(round_, lines[language], at_board.get(row.number))
        return said._replace(blocks=(mine, shown, *members[language], *said.blocks))

    post.to_all(work, event, told, f"{round_.name} closed {work.now.isoformat()}")


def table_block(seen: SeenTable, language: str) -> Json:
    """The table as a block of a letter."""
    return sheets.standings_block(msg("Standing"), seen.table, seen.names, language)


def say_again(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """The result of a round that was closed has changed: the table is logged and told anew, what was drawn stands."""
    seen = standings.seen(work, event, round_.stage)
    leaves.note_standing(work, event, round_, standings.as_json(seen.table))
    about = msg("a result of round {number} has changed", number=round_.number)
    told = msg(
        "A game of round {number} was opened again and is over now. The table is counted anew; what was drawn "
        "from the old one stands.",
        number=round_.number,
    )
    _tell(work, event, round_, seen, lambda row: post.Told(about, (told,)))


def follow(work: Work, event: tables.Tournament) -> None:
    """Plan what follows the round that was closed last: a round, the next stage, or the end."""
    last = queries.tournaments.rounds(work.session, event.id)[-1]
    then, opens = what_follows(work, event, last), _opens(work, event, last)
    if then == "end":
        end(work, event)
    elif then == "round":
        plan_round(work, event, (last.number + 1, last.within + 1), opens)
    else:
        _next_stage(work, event)
        plan_round(work, event, (last.number + 1, 1), opens)


def _opens(work: Work, event: tables.Tournament, last: tables.Round) -> datetime:
    """When the list shuts of the round that follows one that was closed."""
    return (last.closed or work.now) + timedelta(hours=record.rules_of(event).round.gap_hours)


def what_follows(work: Work, event: tables.Tournament, last: tables.Round) -> str:
    """What follows a round that was closed: ``round``, ``stage`` or ``end``."""
    if len(_playing(work, event)) < 2:
        return "end"
    if not draw.is_over(work, event, last.within + 1):
        return "round"
    return "stage" if event.stage < len(record.rules_of(event).stage) else "end"


def _playing(work: Work, event: tables.Tournament) -> list[int]:
    """Who of the stage is not out."""
    rows = contenders.contenders(work, event)
    order = record.order_of(event, event.stage)
    there = [one.number for one in order if not rows[one.number].out]
    if event.stage == 1:
        there += [number for number, one in rows.items() if not one.out and number not in there]
    return there


def plan_round(work: Work, event: tables.Tournament, number: tuple[int, int], opens: datetime) -> None:
    """Plan a round by its number and that within its stage: its list shuts at a moment."""
    work.session.add(
        tables.Round(tournament_id=event.id, stage=event.stage, number=number[0], within=number[1], opens=opens)
    )
    work.session.flush()


def _next_stage(work: Work, event: tables.Tournament) -> None:
    """E3.9 The best of the stage go on, in the order in which they stood, with what they carry along."""
    rules = record.rules_of(event)
    table = standings.standing(work, event)
    gone = frozenset(row.number for row in table.rows) - frozenset(_playing(work, event))
    taken = go_on(table, manner_of(record.stage_of(event)), rules.stage[event.stage], gone)
    order = [Seed(number, taken.start.get(number, 0)) for number in taken.seeds]
    event.stage += 1
    record.keep_order(event, event.stage, order)
    work.session.add(event)
    work.session.flush()
    names = record.names_of(work.session, event)
    who = tuple(names[one.number] for one in order)
    told = msg("Stage {number} begins with: {who}.", number=event.stage, who=who)
    about = msg("stage {number}", number=event.stage)
    there = {one.number for one in order}

    def tell(row: tables.Entrant) -> post.Told:
        mine = (
            msg("You are in it.")
            if row.number in there
            else msg("You are not in it, and play no more; you are told how it goes.")
        )
        return post.Told(about, (told, mine))

    post.to_all(work, event, tell, f"stage {event.stage}")


def end(work: Work, event: tables.Tournament) -> None:
    """The tournament is over: the last table, the prizes."""
    round_states.finish(event)
    work.session.add(event)
    seen = standings.seen(work, event)
    won = prizes_of(work, event, seen)
    told = [msg("{title} is over. Thank you for playing.", title=event.title)]
    if event.version > 1 and not _came(work, event):
        told = [msg("{title} is over. Nobody came: there is no winner, and no prize [E6.2].", title=event.title)]
    prizes = (content.sentences(msg("Prizes"), [(0, line) for line in won], whole=True),) if won else ()
    said = {
        language: post.Told(
            msg("the tournament is over"),
            told,
            (
                *prizes,
                table_block(seen, language),
                sheets.crosstable_block(msg("Crosstable"), seen.table, seen.names, language),
                *teams.members_block(work, event, language),
            ),
            kind="over",
        )
        for language in known()
    }
    post.to_all(work, event, lambda row: said[at_hand(row.language)], "over")
    post.to_director(work, event, said[at_hand(event.director_language)], "over")


def prizes_of(work: Work, event: tables.Tournament, seen: SeenTable) -> list[Msg]:
    """The prizes of a tournament that is over, each with who has won it."""
    strength = {number: one.strength for number, one in contenders.contenders(work, event).items()}
    numbers = [row.number for row in seen.table.rows]
    if event.version > 1:
        there = _came(work, event)
        numbers = [one for one in numbers if one in there]
    found, taken = [], set[int]()
    for prize in record.rules_of(event).prizes:
        winner = _winner(prize, numbers, strength, taken)
        if winner:
            taken.add(winner)
            found.append(msg("{prize}: {who}", prize=prize.text, who=seen.names[winner]))
    return found


def _came(work: Work, event: tables.Tournament) -> set[int]:
    """E6.2 Who came to a table, of all stages."""
    found = set[int]()
    rounds = queries.tournaments.rounds(work.session, event.id)
    results = {stage: record.results_of(work.session, event, stage) for stage in {one.stage for one in rounds}}
    for round_ in rounds:
        pairs = loads(round_.drawn)["pairs"] if round_.drawn else ()
        drawn = {number for pair in pairs if pair["second"] for number in (pair["first"], pair["second"])}
        found |= came(drawn, [one for one in results[round_.stage] if one.round == round_.within])
    return found


def _winner(prize: Prize, numbers: Sequence[int], strength: Mapping[int, int], taken: set[int]) -> int:
    """Who of those from the top wins a prize: of its place, or the best it is for who has none yet; 0: nobody."""
    if prize.place:
        return numbers[prize.place - 1] if prize.place <= len(numbers) else 0
    for number in numbers:
        mine = strength[number]
        if number not in taken and mine >= prize.above and (not prize.below or mine < prize.below):
            return number
    return 0


_LEFT = {"withdrawn": "withdrew", "expelled": "expelled", "left": "silent"}
"""Why somebody is out, as leaves have it."""


def void(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """A round is drawn again: its games end and count nothing, its new list shuts at once; False while one is busy.

    Who left since the void list is out of the new one: the log says so before it is shut.
    """
    why = msg("The round is drawn again; this game counts nothing.")
    for silence in queries.tournaments.silences(work.session, event.id, "asked", "director", "open", "offered"):
        silence.state = "closed"
        work.session.add(silence)
    for board in queries.tournaments.boards(work.session, round_.id):
        if board.game_id is not None and not end_game(work, board, why, "void"):
            return False
        round_states.void_table(board)
        work.session.add(board)
    for number, state in _left(work, event, round_):
        leaves.note_left(work, event, number, round_.number, _LEFT[state])
    round_states.void_round(round_)
    work.session.add(round_)
    work.session.flush()
    again = tables.Round(
        tournament_id=event.id,
        stage=round_.stage,
        number=round_.number,
        within=round_.within,
        attempt=round_.attempt + 1,
        opens=work.now,
    )
    work.session.add(again)
    work.session.flush()
    return True


def _left(work: Work, event: tables.Tournament, round_: tables.Round) -> list[tuple[int, str]]:
    """Who of a round's list is out since, teams and their members too, with the state that they are in."""
    there = {one.number for one in record.order_of(event, round_.stage)}
    rows = queries.tournaments.entrants(work.session, event.id)
    found = [
        (row.number, row.state) for row in rows if row.number in there or (row.team_id is not None and row.left_once)
    ]
    found += [(team.number, team.state) for team in contenders.teams_of(work, event)]
    return [one for one in found if one[1] in _LEFT]


def cancel(work: Work, event: tables.Tournament, why: Msg) -> None:
    """Nothing comes of the tournament; all who entered are told why."""
    round_states.cancel(event, work.now)
    for lot in lots.awaited(work, event):
        lots.drop(work, lot)
    work.session.add(event)
    said = post.Told(msg("the tournament is cancelled"), (why,))
    post.to_all(work, event, lambda row: said, "cancelled")
    post.to_director(work, event, said, "cancelled")
