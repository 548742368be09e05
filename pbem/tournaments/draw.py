"""E4 Close and publish the list of a round, and draw it by unpredictable lots.

The draw comes after the beacon round that the list names, or without a beacon after the hours of the rules. It
stores one row for each table, so that a mirrored board has two, and one for each bye or rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pbem.audit import beacon, blocks, draws, vrf
from pbem.audit.draws import DrawList, ListedEntrant
from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.languages import available_language, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import moment_in_words
from pbem.log import closing_times
from pbem.log.closing_times import second
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import challenges, contenders, leaves, lots, post, record, round_states, sheets, standings, teams
from pbem.tournaments.arithmetic.battles import battle_lots
from pbem.tournaments.arithmetic.entering import half_points_for_bye, half_points_for_rest, seed_entrants
from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, Entrant, Lots, entrant_records
from pbem.tournaments.arithmetic.pairing.draw import draw as draw_round
from pbem.tournaments.arithmetic.pairing.drawn import PairingReason, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.ladder import ladder_before
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.records import StageRules, TournamentRules, battle_word, manner_of
from pbem.tournaments.arithmetic.stages import board_number, boards_of_match, tables_of_board
from pbem.tournaments.challenges import ladder_lines
from pbem.tournaments.contenders import Participant
from pbem.tournaments.record import StageSeed

FORFEIT = "forfeit"
"""The kind of result of a board without an opponent."""
_AGAIN = "abcdefghijklmnopqrstuvwxyz"


def table_name(event: str, round_: tables.Round, board: int, leg: str = "") -> str:
    """Return the name of a board's game.

    It is ``cup60-r2-03``; on mirrored boards it ends in ``03a`` or ``03b``; after a second draw of the round it has
    ``r2b``.
    """
    again = _AGAIN[round_.attempt - 1] if round_.attempt > 1 else ""
    return f"{event}-{round_.name}{again}-{board:02}{leg}"


def shared_dice_name(event: str, round_: tables.Round) -> str:
    """Return the common name of a round's tables with shared dice: ``cup60-r2``.

    The names of those tables begin with it.
    """
    return table_name(event, round_, 0).rpartition("-")[0]


def is_stage_over(tx: Transaction, event: tables.Tournament, within: int) -> bool:
    """Return whether the stage has finished, so that it has no round `within`."""
    round_input = standings.stage_input(tx, event)._replace(round=within)
    if round_input.manner.format in ("swiss", "ladder"):
        return within > round_input.manner.rounds > 0
    return draw_round(round_input, lots.zero_lots).over


def close_entrant_list(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Close the list of a round: entrants by seed, and beacon round of its lots."""
    teams.drop_unadmitted_applicants(tx, event)
    rules, rows = record.rules_of(event), contenders.participants(tx, event, round_.number)
    order = _order(event, round_, rows)
    record.store_stage_seeds(event, round_.stage, order)
    round_.draws = record.later_on_tournament_clock(event, tx.now, rules.round.list_hours)
    chain = beacon.CHAINS_OF_TERMS[rules.table.beacon]
    number = closing_times.round_of(chain, second(round_.draws))
    round_.beacon = f"{chain} {number}" if chain != "none" else "none"
    listed_numbers = {seed.number for seed in order}
    lineups = _lineups(tx, event, round_, order)
    draw_list = DrawList(
        leaves.log_name_of(event),
        round_.number,
        round_.attempt,
        round_.stage,
        event.digest,
        round_.beacon,
        tuple(_list_entry(rows[seed.number], seed) for seed in order),
        tuple(sorted(number for number in listed_numbers if _is_away(rows[number], round_.number, dict(lineups)))),
        tuple(
            sorted(
                pair for pair in set(_barred_pairs(rows[seed.number] for seed in order)) if {*pair} <= listed_numbers
            )
        ),
        (),
        record.boards_per_match(event),
        lineups,
    )
    settled = challenges.settle_challenges(tx, event, round_, _round_input(tx, event, round_, draw_list))
    draw_list = draw_list._replace(challenges=settled.stand)
    block = draws.write_draw(draw_list)
    round_states.shut_list(round_, block.decode("utf-8"))
    tx.session.add_all((event, round_))
    tx.session.flush()
    says = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("slate", blocks.sha256_hex(block)),
        ("chain", chain),
        ("beacon", str(number)),
    )
    leaves.record_leaf(tx, event, "shut", says, round_.slate)
    _send_list(tx, event, round_, draw_list, settled)


def _rows(tx: Transaction, event: tables.Tournament) -> dict[int, tables.Entrant]:
    return {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}


def _order(event: tables.Tournament, round_: tables.Round, rows: Mapping[int, Participant]) -> list[StageSeed]:
    """Return the stage's entrants by seed, newcomers last."""
    seeded_before = list(record.stage_seeds(event, round_.stage))
    if round_.stage > 1:
        return seeded_before
    known_numbers = {seed.number for seed in seeded_before}
    newcomers = [entrant for entrant in rows.values() if not entrant.out and entrant.number not in known_numbers]
    if not seeded_before and record.rules_of(event).entry.seeds == "rating":
        # Only the first list is by strength: whoever comes later is last.
        newcomers.sort(key=lambda entrant: (-entrant.strength, entrant.number))
    seeds = [*seeded_before, *(StageSeed(entrant.number, entrant.start) for entrant in newcomers)]
    return [seed._replace(start=rows[seed.number].start) for seed in seeds]


def _lineups(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, order: Sequence[StageSeed]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """E3.11 Return each team's line-up by seed; empty in individual tournaments."""
    teams = {team.number: team for team in contenders.teams_of(tx, event)}
    if not teams:
        return ()
    return tuple(
        (seed.number, contenders.members_at_boards(tx, event, teams[seed.number], round_.number)) for seed in order
    )


def _is_away(entrant: Participant, number: int, lineups: Mapping[int, Sequence[int]]) -> bool:
    """E3.12 Return whether an entrant, or a team without a line-up, misses a round."""
    return (
        entrant.out
        or number in entrant.resting
        or entrant.since > number
        or not lineups.get(entrant.number, (entrant.number,))
    )


def _barred_pairs(rows: Iterable[Participant]) -> Iterator[tuple[int, int]]:
    for row in rows:
        for other in row.barred:
            yield min(row.number, other), max(row.number, other)


def _list_entry(entrant: Participant, seed: StageSeed) -> ListedEntrant:
    return ListedEntrant(seed.number, entrant.strength, entrant.pace, entrant.zone, seed.start, "", entrant.since)


def _send_list(
    tx: Transaction,
    event: tables.Tournament,
    round_: tables.Round,
    draw_list: DrawList,
    settled: challenges.SettledChallenges,
) -> None:
    lists = {language: _list_lines(tx, event, round_, draw_list, language) for language in supported_languages()}
    absent_lines = _absent_lines(tx, event, draw_list)
    places = {
        number: position
        for position, number in enumerate(
            _list_order(event, round_, draw_list, _round_input(tx, event, round_, draw_list))
        )
    }
    teams = contenders.team_numbers(tx, event)
    title = msg("The list of round {number}", number=round_.number)
    names = record.names_by_number(tx.session, event)
    challenge_lines = [
        (0, msg("{who} has challenged {other}, who has accepted.", who=names[challenger], other=names[challenged]))
        for challenger, challenged in draw_list.challenges
    ]
    challenge_blocks = (
        (content.sentence_block(msg("Challenges"), challenge_lines, whole=True),) if challenge_lines else ()
    )
    draws_at = round_.draws or tx.now
    digest = blocks.sha256_hex(round_.slate.encode("utf-8"))

    challenge_state, stage = challenges.challenge_state(tx, event), record.stage_of(event, round_.stage)

    def tell(row: tables.Entrant) -> post.LetterContent:
        opening = [
            msg("The list of round {number} is shut; its digest is {digest}.", number=round_.number, digest=digest),
            msg("The draw is on {when}.", when=moment_in_words(draws_at, row.zone))
            if draw_list.beacon == "none"
            else msg(
                "It is drawn from round {round} of the public beacon, which comes out at {when} and which nobody "
                "can know before.",
                round=draw_list.beacon.partition(" ")[2],
                when=moment_in_words(draws_at, row.zone),
            ),
            *([] if has_questions(stage, round_.within) else [_WHEN_PAIRED]),
            *settled.told.get(row.number, ()),
        ]
        shown_lines = sheets.excerpt_around_own_line(
            lists[available_language(row.language)], places.get(teams.get(row.number, row.number))
        )
        lines = [*shown_lines, *absent_lines]
        block = content.sentence_block(title, [(0, line) for line in lines], whole=True)
        about = msg("the list of round {number}", number=round_.number)
        return post.LetterContent(about, opening, (block, *challenge_blocks, *_next_challenges(challenge_state, row)))

    post.mail_all(tx, event, tell, f"list {round_.name} {round_.attempt}")


_WHEN_PAIRED = msg("The first letter of your game says whom you meet. ROUND shows it as soon as it is drawn.")


def _next_challenges(challenge_state: challenges.ChallengeState | Msg, row: tables.Entrant) -> tuple[Json, ...]:
    """Return the reader's possible challenges for the next round.

    Empty if there is no ladder.
    """
    if isinstance(challenge_state, Msg):
        return ()
    lines = ladder_lines(challenge_state, row)
    if challenges.challengeable_numbers(challenge_state, row.number):
        lines.append(msg("CHALLENGE with a number of these asks to meet in that round."))
    return (content.sentence_block(msg("The ladder"), [(0, line) for line in lines], whole=True),) if lines else ()


def _list_lines(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, draw_list: DrawList, language: str
) -> list[Msg]:
    """Return the list of a round in words: points, side due and line-up."""
    names = record.names_by_number(tx.session, event)
    round_input = _round_input(tx, event, round_, draw_list)
    counted = entrant_records(round_input.entrants, round_input.results, round_input.start)
    lines = []
    lineups, places = dict(draw_list.lineups), _ladder_order(event, round_, round_input)
    for number in _list_order(event, round_, draw_list, round_input):
        tally = counted[number]
        shown_name = f"{places.index(number) + 1}. {names[number]}" if places else names[number]
        values = {"who": shown_name, "points": sheets.points_text(tally.halves, language)}
        due_text = msg("due the first side {count} {count:|time|times}", count=tally.side_due)
        if tally.side_due < 0:
            due_text = msg("due the second side {count} {count:|time|times}", count=-tally.side_due)
        line = msg("{who}: {points}", **values)
        line = msg("{line}; {owed}", line=line, owed=due_text) if tally.side_due else line
        lineup = tuple(names[member] for member in lineups.get(number, ()))
        lines.append(msg("{line}; line-up: {who}", line=line, who=lineup) if lineup else line)
    return lines


def _absent_lines(tx: Transaction, event: tables.Tournament, draw_list: DrawList) -> list[Msg]:
    """Return the entrants missing from a list.

    A letter never leaves these lines out, however many there are.
    """
    rows, names = contenders.participants(tx, event), record.names_by_number(tx.session, event)
    away = tuple(names[number] for number in draw_list.away if not rows[number].out)
    return [msg("Not in it: {who}.", who=away)] if away else []


def _round_input(tx: Transaction, event: tables.Tournament, round_: tables.Round, draw_list: DrawList) -> RoundInput:
    """Return the input of a draw from its list and the present scores."""
    results = record.results_of(tx.session, event, round_.stage, round_.number)
    return lots.round_input_of(draw_list, round_.within, results, manner_of(record.stage_of(event, round_.stage)))


def _list_order(
    event: tables.Tournament, round_: tables.Round, draw_list: DrawList, round_input: RoundInput
) -> list[int]:
    """Return the present entrants in the order of letters: by ladder or by seed."""
    order = _ladder_order(event, round_, round_input) or [entry.number for entry in draw_list.entrants]
    return [number for number in order if number not in draw_list.away]


def _ladder_order(event: tables.Tournament, round_: tables.Round, round_input: RoundInput) -> list[int]:
    """Return the ladder from the top.

    Empty without a ladder, or before a lot has decided its places.
    """
    first = round_.stage == 1 and round_.within == 1
    unknown = first and record.rules_of(event).entry.seeds == "lot"
    return (
        ladder_before(round_input, round_input.round)
        if round_input.manner.format == challenges.LADDER and not unknown
        else []
    )


def beacon_of(tx: Transaction, round_: tables.Round) -> bytes | None:
    """Return the beacon signature that a draw waits for, or None before it is known."""
    chain, _, number = round_.beacon.partition(" ")
    return tx.server.caches.rounds.get((chain, int(number)))


def draw_and_log_round(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> None:
    """Draw a round from its closed list: lots, boards, byes and rests, all logged."""
    rules, draw_list = record.rules_of(event), draws.parse_draw(round_.slate.encode("utf-8"))
    sig = None if round_.beacon == "none" else beacon_of(tx, round_)
    proof = lots.vrf_proof_of_draw(tx, leaves.log_name_of(event), round_.slate.encode("utf-8"), sig)
    lots_by_label = lots.lots_from_secret(vrf.output_of(proof))
    round_.lots, round_.sig = proof.hex(), sig.hex() if sig is not None else ""
    entries = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("sig", round_.sig or "none"),
        ("group", f"draw {proof.hex()}"),
    )
    leaves.record_leaf(tx, event, "lot", entries)
    draw_list = _seed_by_lot(event, round_, draw_list, lots_by_label)
    stage = record.stage_of(event, round_.stage)
    results = record.results_of(tx.session, event, round_.stage, round_.number)
    round_draw = draw_round(lots.round_input_of(draw_list, round_.within, results, manner_of(stage)), lots_by_label)
    battles = _drawn_battles(stage, round_.within, lots_by_label)
    pairs = tuple(
        pair._replace(why=(*pair.why, *battles(pair.board))) if pair.second != NOBODY else pair
        for pair in round_draw.pairs
    )
    round_states.take_draw(round_, dumps(_as_json(round_draw._replace(pairs=pairs))))
    round_.starts = record.later_on_tournament_clock(event, tx.now, _hours_before(rules, stage, round_.within))
    round_.ends = record.later_on_tournament_clock(event, round_.starts, _round_hours(rules, event, round_.stage))
    tx.session.add(round_)
    tx.session.flush()
    if draw_list.boards:
        _add_team_boards(tx, event, round_, round_draw, draw_list)
    else:
        _add_boards(tx, event, round_, round_draw, stage.sides)
    _add_rests(tx, event, round_, draw_list, round_draw)


def _seed_by_lot(event: tables.Tournament, round_: tables.Round, draw_list: DrawList, lots_by_label: Lots) -> DrawList:
    """E1.3 Return the list in the order of lots, where the first draw seeds by lot."""
    rules = record.rules_of(event)
    if rules.entry.seeds != "lot" or round_.stage > 1 or round_.within > 1:
        return draw_list
    by_number = {entry.number: entry for entry in draw_list.entrants}
    seeds = seed_entrants(rules, [Entrant(number) for number in by_number], lots_by_label)
    entries = tuple(by_number[seed.number] for seed in seeds)
    record.store_stage_seeds(event, round_.stage, [StageSeed(entry.number, entry.halves) for entry in entries])
    return draw_list._replace(entrants=entries)


_BIDDING = 24
"""Least hours for bids and choices: a player who reads mail once a day can send one."""


def has_questions(stage: StageRules, within: int) -> bool:
    """Return whether players bid for sides or choose battles after the draw."""
    return stage.sides == "bid" or battle_word(stage, within) == "choice"


def _hours_before(rules: TournamentRules, stage: StageRules, within: int) -> int:
    """Return the hours from the draw to the games.

    The first deadline comes `step_hours` after that.
    """
    return max(_BIDDING if has_questions(stage, within) else 0, rules.round.start_hours - rules.table.step_hours)


def _round_hours(rules: TournamentRules, event: tables.Tournament, stage: int) -> int:
    """Return the longest possible duration of a stage's round, in hours."""
    days = rules.stage[stage - 1].days or rules.round.days
    return 24 * days if days else ends.latest_round_end(rules, event.phases, stage - 1).hours


def _drawn_battles(stage: StageRules, within: int, lots_by_label: Lots) -> Callable[[int], tuple[PairingReason, ...]]:
    """E2.3 E2.4 Return the lots of battles as reasons, by board; there may be none."""
    word = battle_word(stage, within)
    if word == "lot":
        of_round = (PairingReason("E2.3", "battle", battle_lots(stage.scenarios, lots_by_label)),)
        return lambda board: of_round
    if word == "choice":
        return lambda board: (PairingReason("E2.4", "battles", battle_lots(stage.scenarios, lots_by_label, board)),)
    return lambda board: ()


def _as_json(round_draw: RoundDraw) -> object:
    """Return a draw as data: a battle of all, and its boards with their reasons."""
    drawn = [reason.values for pair in round_draw.pairs for reason in pair.why if reason.what == "battle"]
    return {
        **({"battle": next(iter(drawn[0]))} if drawn else {}),
        "opened": [list(pair) for pair in round_draw.opened],
        "pairs": [
            {
                "board": pair.board,
                "first": pair.first,
                "second": pair.second,
                "cost": list(pair.cost),
                "why": [
                    {"rule": reason.rule, "what": reason.what, "values": dict(reason.values)} for reason in pair.why
                ],
            }
            for pair in round_draw.pairs
        ],
    }


def _add_boards(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, round_draw: RoundDraw, sides: str
) -> None:
    """Add rows and leaves of the boards, in order."""
    for pair in round_draw.pairs:
        if pair.second == NOBODY:
            _add_bye_or_rest(tx, event, round_, (pair.board, pair.first), BYE)
            continue
        for seat in tables_of_board(pair, sides):
            tx.session.add(
                tables.Board(
                    round_id=round_.id or 0, board=pair.board, leg=seat.letter, first=seat.first, second=seat.second
                )
            )
        tx.session.flush()
        names = [table_name(event.id, round_, pair.board, seat.letter) for seat in tables_of_board(pair, sides)]
        leaves.record_pair(tx, event, round_, (pair.board, pair.first, pair.second), names)


def _add_team_boards(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, round_draw: RoundDraw, draw_list: DrawList
) -> None:
    """E3.8 Add rows and leaves of the boards of matches.

    A board without an opponent is won by the team that is present.
    """
    for pair in round_draw.pairs:
        first = board_number(pair.board, 1, draw_list.boards)
        if pair.second == NOBODY:
            _add_bye_or_rest(tx, event, round_, (first, pair.first), BYE)
            continue
        for team_board in boards_of_match(pair, dict(draw_list.lineups), draw_list.boards):
            number = first + team_board.board - 1
            if not team_board.first or not team_board.second:
                _add_bye_or_rest(tx, event, round_, (number, team_board.first or team_board.second), FORFEIT)
                continue
            board = tables.Board(
                round_id=round_.id or 0, board=number, first=team_board.first, second=team_board.second
            )
            tx.session.add(board)
            tx.session.flush()
            names = [table_name(event.id, round_, number)]
            leaves.record_pair(tx, event, round_, (number, team_board.first, team_board.second), names)


def _add_rests(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, draw_list: DrawList, round_draw: RoundDraw
) -> None:
    """E1.2 Add the rounds rested; the first few score half a point."""
    rows, rules = contenders.participants(tx, event, round_.number), record.rules_of(event)
    last = max((pair.board for pair in round_draw.pairs), default=0)
    results = record.results_of(tx.session, event, round_.stage)
    for number in sorted(draw_list.away):
        entrant = rows[number]
        if entrant.out or entrant.since > round_.number or round_.number not in entrant.resting:
            continue
        last += 1
        rest_count = sum(result.first == number and result.how in ("half-bye", "rest") for result in results)
        how = "half-bye" if half_points_for_rest(rules, rest_count, round_.stage - 1) else "rest"
        board = board_number(last, 1, draw_list.boards) if draw_list.boards else last
        _add_bye_or_rest(tx, event, round_, (board, number), how)


def _add_bye_or_rest(
    tx: Transaction, event: tables.Tournament, round_: tables.Round, place: tuple[int, int], how: str
) -> None:
    """E7.1, E1.2 Add a round without an opponent, and score it at once."""
    rules, stage = record.rules_of(event), round_.stage - 1
    halves = {BYE: half_points_for_bye(rules, stage), FORFEIT: 2, "half-bye": half_points_for_rest(rules, 0, stage)}
    board = tables.Board(round_id=round_.id or 0, board=place[0], first=place[1])
    round_states.pass_round(board, how, halves.get(how, 0))
    tx.session.add(board)
    tx.session.flush()
    leaves.record_pair(tx, event, round_, (board.board, board.first, NOBODY), ())
    leaves.record_score(tx, event, round_, board)
