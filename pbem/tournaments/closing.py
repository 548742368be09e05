"""Close a round and plan the next step: a list, a stage, or the end with prizes.

A round closes when everything in it is decided. Its table is logged and mailed, and the next list closes
after the hours that the rules give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import available_language, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.runtime.transaction import Transaction
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
from pbem.tournaments.arithmetic.absence import entrants_present, entrants_without_last_table
from pbem.tournaments.arithmetic.rules.records import Prize, manner_of
from pbem.tournaments.arithmetic.stages import qualifiers_for_next_stage
from pbem.tournaments.challenges import ladder_lines
from pbem.tournaments.record import StageSeed
from pbem.tournaments.standings import NamedTable
from pbem.tournaments.substitution import end_game_of_board


def close_round(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Close a decided round, and mail the standings to all.

    After the last round the letter of the tournament's end has them.
    """
    unfinished_tables.publish_playout_lots(tx, event, round_)
    round_states.close_round(round_, tx.now)
    for board in queries.tournaments.boards(tx.session, round_.id):
        round_states.close_table(board)
        tx.session.add(board)
    for row in queries.tournaments.entrants(tx.session, event.id):
        if row.state == "in" and row.out_after is not None and row.out_after <= round_.number:
            row.state, row.left_once = "withdrawn", True
            tx.session.add(row)
            teams.handle_departure(tx, event, row, ("withdrawn", "withdrew", round_.number + 1))
    tx.session.add(round_)
    tx.session.flush()
    standing = standings.named_table(tx, event, round_.stage)
    leaves.record_standing(tx, event, round_, standings.standings_to_json(standing.table))
    successor, next_closing = kind_of_next_step(tx, event, round_), record.next_closing(event, round_, tx.now)
    open_disputes = queries.tournaments.open_disputes(tx.session, event.id)
    awaited = tuple(f"D{dispute.number}" for dispute in open_disputes) if successor != "round" else ()
    if successor == "end" and not awaited:
        return
    about = msg("round {number} is over", number=round_.number)
    sentence = msg("Round {number} is over; this is how all stand.", number=round_.number)
    lots_lines = lots.tie_lots_lines(tx, event, f"{standings.TIES}/{round_.name}")
    challenge_state = challenges.challenge_state(tx, event)

    def tell(row: tables.Entrant) -> post.LetterContent:
        next_line = msg(
            "The list of round {number} shuts on {when}; until then REST, RETURN and WITHDRAW count.",
            number=round_.number + 1,
            when=content.moment_in_words(next_closing, row.zone),
        )
        next_line = (
            msg("What follows waits for disputes to be decided: {disputes}.", disputes=awaited)
            if awaited
            else next_line
        )
        lines = [] if isinstance(challenge_state, Msg) else [(0, line) for line in ladder_lines(challenge_state, row)]
        ladder = (content.sentence_block(msg("The ladder"), lines, whole=True),) if lines else ()
        return post.LetterContent(about, (sentence, *lots_lines, next_line), ladder)

    _send_results(tx, event, round_, standing, tell)


def results_block(tx: Transaction, round_: tables.Round, names: Mapping[int, str], language: str) -> Json:
    """Return the results of a round as a block of a letter."""
    event = tx.session.get_one(tables.Tournament, round_.tournament_id)
    return _excerpt_block(event, round_, _result_lines(tx, event, round_, names, language))


def _result_lines(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, names: Mapping[int, str], language: str
) -> list[tuple[int, Msg]]:
    return teams.board_lines(tx, event, round_, lambda board: sheets.board_line(board, names, language), language)


def _excerpt_block(
    event: tables.Tournament, round_: tables.Round, lines: Sequence[tuple[int, Msg]], own_index: int | None = None
) -> Json:
    """Return results from their lines; of many, only the top and the reader's part."""
    battle = [(0, line) for line in record.battle_lines(event, round_)]
    excerpt_lines = battle + [
        (0, line) if isinstance(line, Msg) else line for line in sheets.excerpt_around_own_line(lines, own_index)
    ]
    return content.sentence_block(msg("Results of round {number}", number=round_.number), excerpt_lines, whole=True)


def _send_results(
    tx: Transaction,
    event: tables.Tournament,
    round_: tables.Round,
    standing: NamedTable,
    letter_for: Callable[[tables.Entrant], post.LetterContent],
    cause: str = "closed",
) -> None:
    """Mail the results of a round and the table, below each reader's own text."""
    at_board = teams.board_line_index(tx, event, round_)
    lines = {language: _result_lines(tx, event, round_, standing.names, language) for language in supported_languages()}
    table = {
        language: sheets.standings_lines(standing.table, standing.names, language) for language in supported_languages()
    }
    at_rank = {row.number: rank for rank, row in enumerate(standing.table.rows, start=1)}
    team_of = contenders.team_numbers(tx, event)
    members = {language: teams.members_block(tx, event, language, round_.stage) for language in supported_languages()}
    ties = {language: ties_blocks(tx, event, round_, language) for language in supported_languages()}

    def full_letter(row: tables.Entrant) -> post.LetterContent:
        language = available_language(row.language)
        excerpt_lines = sheets.excerpt_around_own_line(
            table[language], at_rank.get(team_of.get(row.number, row.number))
        )
        table_lines = content.titled_block(msg("Standing"), [*excerpt_lines, sheets.standings_legend(standing.table)])
        letter = letter_for(row)
        results = _excerpt_block(event, round_, lines[language], at_board.get(row.number))
        return letter._replace(blocks=(results, *ties[language], table_lines, *members[language], *letter.blocks))

    post.mail_all(tx, event, full_letter, f"{round_.name} {cause} {tx.now.isoformat()}", games_of(tx, round_))


def games_of(tx: Transaction, round_: tables.Round) -> dict[int, str]:
    """Return the game of each entrant in a round; on mirrored boards the second."""
    boards = queries.tournaments.boards(tx.session, round_.id)
    return {number: board.game_id for board in boards if board.game_id for number in (board.first, board.second)}


def ties_blocks(tx: Transaction, event: tables.Tournament, round_: tables.Round, language: str) -> tuple[Json, ...]:
    """E3.17 Return how ties stand after a round; empty if they are single games."""
    level = standings.present_level(tx, event, round_.stage, round_.within)
    lines = [] if level is None else [*sheets.tie_lines(level, record.names_by_number(tx.session, event), language)]
    return (content.sentence_block(msg("Ties"), [(0, line) for line in lines], whole=True),) if lines else ()


def standings_block_with_report(standing: NamedTable, language: str) -> Json:
    """Return the table as a block of a letter."""
    return sheets.standings_block(msg("Standing"), standing.table, standing.names, language)


def resend_standings(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, reason: Msg | None = None
) -> None:
    """Log and mail the table again after a changed result; the draw stands.

    Without a `reason` the cause is a reopened game.
    """
    standing = standings.named_table(tx, event, round_.stage)
    leaves.record_standing(tx, event, round_, standings.standings_to_json(standing.table))
    about = msg("a result of round {number} has changed", number=round_.number)
    sentence = reason or msg(
        "A game of round {number} was opened again and is over now. The table is counted anew; what was drawn "
        "from the old one stands.",
        number=round_.number,
    )
    rulings = len(queries.tournaments.docket(tx.session, event.id))
    cause = f"counted after {rulings}"
    _send_results(tx, event, round_, standing, lambda row: post.LetterContent(about, (sentence,)), cause)


def qualify_again(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Requalify entrants if a stage's table changed before the next list closes."""
    newest = queries.tournaments.rounds(tx.session, event.id)[-1]
    if newest.state != "planned" or newest.within > 1 or newest.stage != round_.stage + 1:
        return
    order_before = record.stage_seeds(event, newest.stage)
    event.stage -= 1
    last = queries.tournaments.rounds(tx.session, event.id)[-2]
    if not draw.is_stage_over(tx, event, last.within + 1):
        # E3.16 A correction has opened a tie again: the planned round is of its stage.
        newest.stage, newest.within = last.stage, last.within + 1
        tx.session.add_all((event, newest))
        tx.session.flush()
        sentence = msg("Stage {number} goes on: a tie in it is open again.", number=last.stage)
        about = msg("stage {number}", number=last.stage)
        cause = f"stage {last.stage} {tx.now.isoformat()}"
        post.mail_all(tx, event, lambda row: post.LetterContent(about, (sentence,)), cause)
        return
    _begin_next_stage(tx, event, order_before)


def plan_after_round(tx: Transaction, event: tables.Tournament) -> None:
    """Plan the successor of the last closed round: a round, a stage, or the end."""
    last = queries.tournaments.rounds(tx.session, event.id)[-1]
    successor, closing_time = kind_of_next_step(tx, event, last), record.next_closing(event, last, tx.now)
    if successor == "end":
        end_tournament(tx, event)
    elif successor == "round":
        plan_round(tx, event, (last.number + 1, last.within + 1), closing_time)
    else:
        _begin_next_stage(tx, event)
        plan_round(tx, event, (last.number + 1, 1), closing_time)


def kind_of_next_step(tx: Transaction, event: tables.Tournament, last: tables.Round) -> str:
    """Return the successor of a closed round: ``round``, ``stage`` or ``end``."""
    if len(_active_numbers(tx, event)) < 2:
        return "end"
    if not draw.is_stage_over(tx, event, last.within + 1):
        return "round"
    return "stage" if event.stage < len(record.rules_of(event).stage) else "end"


def _active_numbers(tx: Transaction, event: tables.Tournament) -> list[int]:
    """Return the stage's entrants who are not out."""
    rows = contenders.participants(tx, event)
    order = record.stage_seeds(event, event.stage)
    numbers = [seed.number for seed in order if not rows[seed.number].out]
    if event.stage == 1:
        numbers += [number for number, entrant in rows.items() if not entrant.out and number not in numbers]
    return numbers


def plan_round(tx: Transaction, event: tables.Tournament, number: tuple[int, int], closing_time: datetime) -> None:
    """Plan a round: numbers overall and in its stage, and its list's closing time."""
    tx.session.add(
        tables.Round(tournament_id=event.id, stage=event.stage, number=number[0], within=number[1], opens=closing_time)
    )
    tx.session.flush()


def _begin_next_stage(tx: Transaction, event: tables.Tournament, before: Sequence[StageSeed] = ()) -> None:
    """E3.9 Begin the next stage with the best of the last, in order of rank.

    If that was done `before`, letters go out only if other entrants go on now.
    """
    rules = record.rules_of(event)
    table = standings.current_table(tx, event)
    departed = frozenset(row.number for row in table.rows) - frozenset(_active_numbers(tx, event))
    qualified = qualifiers_for_next_stage(table, manner_of(record.stage_of(event)), rules.stage[event.stage], departed)
    order = [StageSeed(number, qualified.start.get(number, 0)) for number in qualified.seeds]
    event.stage += 1
    record.store_stage_seeds(event, event.stage, order)
    tx.session.add(event)
    tx.session.flush()
    if order == list(before):
        return
    names = record.names_by_number(tx.session, event)
    qualifier_names = tuple(names[seed.number] for seed in order)
    sentence = msg("Stage {number} begins with: {who}.", number=event.stage, who=qualifier_names)
    about = msg("stage {number}", number=event.stage)
    qualifier_numbers = {seed.number for seed in order}

    def tell(row: tables.Entrant) -> post.LetterContent:
        own_line = (
            msg("You are in it.")
            if row.number in qualifier_numbers
            else msg("You are not in it, and play no more; you are told how it goes.")
        )
        return post.LetterContent(about, (sentence, own_line))

    post.mail_all(tx, event, tell, f"stage {event.stage} {tx.now.isoformat()}" if before else f"stage {event.stage}")


def end_tournament(tx: Transaction, event: tables.Tournament) -> None:
    """End the tournament; mail the last results, the table and the prizes."""
    round_states.finish(event)
    tx.session.add(event)
    last = queries.tournaments.rounds(tx.session, event.id)[-1]
    standing = standings.named_table(tx, event)
    prize_lines = prizes_of(tx, event, standing)
    attendees = _attendees(tx, event)
    sentences = [msg("{title} is over. Thank you for playing.", title=event.title)]
    if event.version > 1 and not attendees:
        sentences = [msg("{title} is over. Nobody came: there is no winner, and no prize [E6.2].", title=event.title)]
    sentences += lots.tie_lots_lines(tx, event, f"{standings.TIES}/{last.name}")
    prizes = (
        (content.sentence_block(msg("Prizes"), [(0, line) for line in prize_lines], whole=True),) if prize_lines else ()
    )
    at_board = teams.board_line_index(tx, event, last)
    results = {language: _result_lines(tx, event, last, standing.names, language) for language in supported_languages()}
    tables_blocks = {
        language: (
            standings_block_with_report(standing, language),
            sheets.crosstable_block(msg("Crosstable"), standing.table, standing.names, language),
            *teams.members_block(tx, event, language),
        )
        for language in supported_languages()
    }

    def letter(language: str, own_index: int | None = None) -> post.LetterContent:
        ties = ties_blocks(tx, event, last, language)
        blocks = (*prizes, _excerpt_block(event, last, results[language], own_index), *ties, *tables_blocks[language])
        return post.LetterContent(msg("the tournament is over"), sentences, blocks, kind="over")

    post.mail_all(
        tx,
        event,
        lambda row: letter(available_language(row.language), at_board.get(row.number)),
        "over",
        games_of(tx, last),
        # Who left after he had come to a table is told how it ended, too.
        attendees,
    )
    post.mail_director(tx, event, letter(available_language(event.director_language)), "over")


def prizes_of(tx: Transaction, event: tables.Tournament, standing: NamedTable) -> list[Msg]:
    """Return the prizes of a finished tournament with their winners.

    A place is one of the last stage. For the best of a range of strength every entrant counts, by the last table that
    he is in; in tournaments of version 1 only those of the last stage do, and a prize that nobody wins is left out.
    E6.2 In a knockout nobody has the place of one at whose last table neither player was present.
    """
    strength = {number: entrant.strength for number, entrant in contenders.participants(tx, event).items()}
    last = everybody = [row.number for row in standing.table.rows]
    undecided = frozenset[int]()
    if event.version > 1:
        attendees = _attendees(tx, event)
        earlier = [
            row.number
            for stage in range((event.stage or 1) - 1, 0, -1)
            for row in standings.current_table(tx, event, stage).rows
        ]
        last = [number for number in last if number in attendees]
        everybody = [number for number in dict.fromkeys((*last, *earlier)) if number in attendees]
        if record.stage_of(event, event.stage or 1).format in record.BRACKETS:
            undecided = entrants_without_last_table(record.results_of(tx.session, event, event.stage or 1))
    lines, winners = [], set[int]()
    for prize in record.rules_of(event).prizes:
        winner = _winner(prize, last if prize.place else everybody, strength, winners)
        is_decided = not prize.place or winner not in undecided
        if winner and is_decided:
            winners.add(winner)
            lines.append(msg("{prize}: {who}", prize=prize.text, who=standing.names[winner]))
        elif everybody and event.version > 1:
            lines.append(msg("{prize}: nobody; {why}", prize=prize.text, why=_why_nobody(prize, is_decided)))
    return lines


def _why_nobody(prize: Prize, is_decided: bool) -> Msg:
    if not is_decided:
        return msg("neither player came to the table that was to decide place {place} [E6.2].", place=prize.place)
    if prize.place:
        return msg("nobody who came to a table has place {place}.", place=prize.place)
    return msg("nobody else who came to a table has such a strength.")


def _attendees(tx: Transaction, event: tables.Tournament) -> set[int]:
    """E6.2 Return the entrants who came to a table, in all stages."""
    numbers = set[int]()
    rounds = queries.tournaments.rounds(tx.session, event.id)
    results = {stage: record.results_of(tx.session, event, stage) for stage in {row.stage for row in rounds}}
    for round_ in rounds:
        pairs = loads(round_.drawn)["pairs"] if round_.drawn else ()
        paired = {number for pair in pairs if pair["second"] for number in (pair["first"], pair["second"])}
        numbers |= entrants_present(
            paired, [result for result in results[round_.stage] if result.round == round_.within]
        )
    return numbers


def _winner(prize: Prize, numbers: Sequence[int], strength: Mapping[int, int], winners: set[int]) -> int:
    """Return the winner of a prize from the ranked entrants, 0 for nobody.

    The winner has the place of the prize, or is the best in its range of strength without a prize yet.
    """
    if prize.place:
        return numbers[prize.place - 1] if prize.place <= len(numbers) else 0
    for number in numbers:
        own_strength = strength[number]
        if number not in winners and own_strength >= prize.above and (not prize.below or own_strength < prize.below):
            return number
    return 0


_DEPARTURE_REASONS = {"withdrawn": "withdrew", "expelled": "expelled", "left": "silent"}
"""The reasons of departures in leaves, by state."""


def void_round(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    """Void a round, end its games and close its new list at once.

    Return False while a game is locked. Entrants who left since the void list are out of the new one; the log
    says so before it is closed.
    """
    reason = msg("The round is drawn again; this game counts nothing.")
    for silence in queries.tournaments.silences(tx.session, event.id, "asked", "director", "open", "offered"):
        silence.state = "closed"
        tx.session.add(silence)
    for board in queries.tournaments.boards(tx.session, round_.id):
        if board.game_id is not None and not end_game_of_board(tx, board, reason, "void"):
            return False
        round_states.void_table(board)
        tx.session.add(board)
    for number, state in _departed_entrants(tx, event, round_):
        leaves.record_departure(tx, event, number, round_.number, _DEPARTURE_REASONS[state])
    round_states.void_round(round_)
    tx.session.add(round_)
    tx.session.flush()
    again = tables.Round(
        tournament_id=event.id,
        stage=round_.stage,
        number=round_.number,
        within=round_.within,
        attempt=round_.attempt + 1,
        opens=tx.now,
    )
    tx.session.add(again)
    tx.session.flush()
    return True


def _departed_entrants(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> list[tuple[int, str]]:
    """Return the entrants of a round's list who left since, with their states.

    Departed teams and their members are included.
    """
    listed = {seed.number for seed in record.stage_seeds(event, round_.stage)}
    rows = queries.tournaments.entrants(tx.session, event.id)
    departed = [
        (row.number, row.state) for row in rows if row.number in listed or (row.team_id is not None and row.left_once)
    ]
    departed += [(team.number, team.state) for team in contenders.teams_of(tx, event)]
    return [entry for entry in departed if entry[1] in _DEPARTURE_REASONS]


def cancel_tournament(tx: Transaction, event: tables.Tournament, reason: Msg) -> None:
    """Cancel the tournament, and write the reason to all entrants."""
    round_states.cancel(event, tx.now)
    for lot in lots.pending_lots(tx, event):
        lots.retire_lot(tx, lot)
    tx.session.add(event)
    letter = post.LetterContent(msg("the tournament is cancelled"), (reason,))
    post.mail_all(tx, event, lambda row: letter, "cancelled")
    post.mail_director(tx, event, letter, "cancelled")
