"""E4 The list of a round shut and shown to all, and the round drawn from it by lots that nobody could know before.

Between the two stands the beacon's round that the list names, or nothing but the hours of the rules. What is drawn is
rows: a board a table, mirrored ones two, and one for whoever passes the round without an opponent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from pbem.audit import beacon, blocks, draws, vrf
from pbem.audit.draws import Draw, Listed
from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.languages import at_hand, known
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import when
from pbem.log import closing_times
from pbem.log.closing_times import second
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import challenges, contenders, leaves, lots, post, record, round_states, sheets, standings, teams
from pbem.tournaments.arithmetic.entering import halves_for_bye, halves_for_rest, seeded
from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, Entrant, Lots, tallies
from pbem.tournaments.arithmetic.pairing.draw import draw as draw_round
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field
from pbem.tournaments.arithmetic.pairing.ladder import ladder_before
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.records import Rules, manner_of
from pbem.tournaments.arithmetic.stages import board_number, boards_of_match, seatings
from pbem.tournaments.challenges import ladder_told
from pbem.tournaments.contenders import Contender
from pbem.tournaments.record import Seed

FORFEIT = "forfeit"
"""How a board counts that nobody sits opposite at."""
_AGAIN = "abcdefghijklmnopqrstuvwxyz"


def table_named(event: str, round_: tables.Round, board: int, leg: str = "") -> str:
    """What the game of a board is called: ``cup60-r2-03``, mirrored ``03a``, ``03b``, of a second draw ``r2b-03``."""
    again = _AGAIN[round_.attempt - 1] if round_.attempt > 1 else ""
    return f"{event}-{round_.name}{again}-{board:02}{leg}"


def board_of(event: str, round_: tables.Round) -> str:
    """What the tables of a round are called that all have one luck: ``cup60-r2``, which each name begins with."""
    return table_named(event, round_, 0).rpartition("-")[0]


def is_over(work: Work, event: tables.Tournament, within: int) -> bool:
    """Whether the stage that is played has no round of this number: what it is made of is played."""
    field = standings.field(work, event)._replace(round=within)
    if field.manner.format in ("swiss", "ladder"):
        return within > field.manner.rounds > 0
    return draw_round(field, lots.no_lots).over


def shut(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Shut the list of a round: who is in it, in the order of seeds, and which beacon's round its lots wait for."""
    teams.lapse(work, event)
    rules, rows = record.rules_of(event), contenders.contenders(work, event, round_.number)
    order = _order(event, round_, rows)
    record.keep_order(event, round_.stage, order)
    round_.draws = work.now + timedelta(hours=rules.round.list_hours)
    chain = beacon.CHAINS[rules.table.beacon]
    number = closing_times.round_of(chain, second(round_.draws))
    round_.beacon = f"{chain} {number}" if chain != "none" else "none"
    there = {one.number for one in order}
    lineups = _lineups(work, event, round_, order)
    slate = Draw(
        leaves.chain_of(event),
        round_.number,
        round_.attempt,
        round_.stage,
        event.digest,
        round_.beacon,
        tuple(_listed(rows[seed.number], seed) for seed in order),
        tuple(sorted(number for number in there if _is_away(rows[number], round_.number, dict(lineups)))),
        tuple(sorted(pair for pair in set(_barred(rows[one.number] for one in order)) if {*pair} <= there)),
        (),
        record.boards_a_match(event),
        lineups,
    )
    settled = challenges.settle(work, event, round_, _field(work, event, round_, slate))
    slate = slate._replace(challenges=settled.stand)
    block = draws.draw(slate)
    round_states.shut_list(round_, block.decode("utf-8"))
    work.session.add_all((event, round_))
    work.session.flush()
    says = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("slate", blocks.sha256_hex(block)),
        ("chain", chain),
        ("beacon", str(number)),
    )
    leaves.note(work, event, "shut", says, round_.slate)
    _tell_list(work, event, round_, slate, settled)


def _rows(work: Work, event: tables.Tournament) -> dict[int, tables.Entrant]:
    return {row.number: row for row in queries.tournaments.entrants(work.session, event.id)}


def _order(event: tables.Tournament, round_: tables.Round, rows: Mapping[int, Contender]) -> list[Seed]:
    """Those of the stage by their seeds; who came since stands behind them."""
    known = list(record.order_of(event, round_.stage))
    if round_.stage > 1:
        return known
    there = {one.number for one in known}
    new = [one for one in rows.values() if not one.out and one.number not in there]
    if not known and record.rules_of(event).entry.seeds == "rating":
        new.sort(key=lambda one: (-one.strength, one.number))
    seeds = [*known, *(Seed(one.number, one.start) for one in new)]
    return [seed._replace(start=rows[seed.number].start) for seed in seeds]


def _lineups(
    work: Work, event: tables.Tournament, round_: tables.Round, order: Sequence[Seed]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """E3.11 Whom each team lines up, in the order of seeds; nothing where everybody plays for himself."""
    teams = {team.number: team for team in contenders.teams_of(work, event)}
    if not teams:
        return ()
    return tuple((one.number, contenders.line_up(work, event, teams[one.number], round_.number)) for one in order)


def _is_away(one: Contender, number: int, lineups: Mapping[int, Sequence[int]]) -> bool:
    """E3.12 Whether somebody is away from a round: a team is if it has nobody for any board."""
    return one.out or number in one.resting or one.since > number or not lineups.get(one.number, (one.number,))


def _barred(rows: Iterable[Contender]) -> Iterator[tuple[int, int]]:
    for row in rows:
        for other in row.barred:
            yield min(row.number, other), max(row.number, other)


def _listed(one: Contender, seed: Seed) -> Listed:
    return Listed(seed.number, one.strength, one.pace, one.zone, seed.start, "", one.since)


def _tell_list(
    work: Work, event: tables.Tournament, round_: tables.Round, slate: Draw, settled: challenges.Settled
) -> None:
    lists = {language: _list_lines(work, event, round_, slate, language) for language in known()}
    not_in = _not_in(work, event, slate)
    places = {
        number: at for at, number in enumerate(_in_order(event, round_, slate, _field(work, event, round_, slate)))
    }
    teams = contenders.team_numbers(work, event)
    title = msg("The list of round {number}", number=round_.number)
    names = record.names_of(work.session, event)
    asked = [
        (0, msg("{who} has challenged {other}, who has accepted.", who=names[a], other=names[b]))
        for a, b in slate.challenges
    ]
    more = (content.sentences(msg("Challenges"), asked, whole=True),) if asked else ()
    draws_at = round_.draws or work.now
    digest = blocks.sha256_hex(round_.slate.encode("utf-8"))

    here = challenges.here_of(work, event)

    def tell(row: tables.Entrant) -> post.Told:
        opening = [
            msg("The list of round {number} is shut; its digest is {digest}.", number=round_.number, digest=digest),
            msg("It is drawn at {when}.", when=when(draws_at, row.zone))
            if slate.beacon == "none"
            else msg(
                "It is drawn from round {round} of the public beacon, which comes out at {when} and which nobody "
                "can know before.",
                round=slate.beacon.partition(" ")[2],
                when=when(draws_at, row.zone),
            ),
            *settled.told.get(row.number, ()),
        ]
        near = sheets.excerpt(lists[at_hand(row.language)], places.get(teams.get(row.number, row.number)))
        lines = [*near, *not_in]
        block = content.sentences(title, [(0, line) for line in lines], whole=True)
        about = msg("the list of round {number}", number=round_.number)
        return post.Told(about, opening, (block, *more, *_next_challenges(here, row)))

    post.to_all(work, event, tell, f"list {round_.name} {round_.attempt}")


def _next_challenges(here: challenges.Here | Msg, row: tables.Entrant) -> tuple[Json, ...]:
    """Of a ladder, whom the reader may challenge for the round after this one, and how; nothing elsewhere."""
    if isinstance(here, Msg):
        return ()
    lines = ladder_told(here, row)
    if challenges.to_choose(here, row.number):
        lines.append(msg("CHALLENGE with a number of these asks to meet in that round."))
    return (content.sentences(msg("The ladder"), [(0, line) for line in lines], whole=True),) if lines else ()


def _list_lines(work: Work, event: tables.Tournament, round_: tables.Round, slate: Draw, language: str) -> list[Msg]:
    """The list of a round: points, which side is owed to whom, whom a team lines up."""
    names = record.names_of(work.session, event)
    field = _field(work, event, round_, slate)
    counted = tallies(field.entrants, field.results, field.start)
    lines = []
    lineups, places = dict(slate.lineups), _places(event, round_, field)
    for number in _in_order(event, round_, slate, field):
        tally = counted[number]
        who = f"{places.index(number) + 1}. {names[number]}" if places else names[number]
        said = {"who": who, "points": sheets.points_told(tally.halves, language)}
        owed = msg("the first side is owed {count} {count:|time|times}", count=tally.owed)
        if tally.owed < 0:
            owed = msg("the second side is owed {count} {count:|time|times}", count=-tally.owed)
        line = msg("{who}: {points}", **said)
        line = msg("{line}; {owed}", line=line, owed=owed) if tally.owed else line
        sits = tuple(names[member] for member in lineups.get(number, ()))
        lines.append(msg("{line}; line-up: {who}", line=line, who=sits) if sits else line)
    return lines


def _not_in(work: Work, event: tables.Tournament, slate: Draw) -> list[Msg]:
    """Who is not in a list, and might have been; however long that is, it is never among what is left out."""
    rows, names = contenders.contenders(work, event), record.names_of(work.session, event)
    away = tuple(names[one] for one in slate.away if not rows[one].out)
    return [msg("Not in it: {who}.", who=away)] if away else []


def _field(work: Work, event: tables.Tournament, round_: tables.Round, slate: Draw) -> Field:
    """What a list asks to be drawn, by what is scored now."""
    before = record.results_of(work.session, event, round_.stage, round_.number)
    return lots.field_of(slate, round_.within, before, manner_of(record.stage_of(event, round_.stage)))


def _in_order(event: tables.Tournament, round_: tables.Round, slate: Draw, field: Field) -> list[int]:
    """Who is there, as letters list them: from the top of the ladder, or by seeds."""
    order = _places(event, round_, field) or [one.number for one in slate.entrants]
    return [number for number in order if number not in slate.away]


def _places(event: tables.Tournament, round_: tables.Round, field: Field) -> list[int]:
    """The ladder from the top; empty where there is none, or where a lot is yet to decide its places."""
    first = round_.stage == 1 and round_.within == 1
    unknown = first and record.rules_of(event).entry.seeds == "lot"
    return ladder_before(field, field.round) if field.manner.format == challenges.LADDER and not unknown else []


def beacon_of(work: Work, round_: tables.Round) -> bytes | None:
    """The beacon's signature that a draw waits for, if it has come."""
    chain, _, number = round_.beacon.partition(" ")
    return work.server.caches.rounds.get((chain, int(number)))


def draw(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Draw a round whose list is shut: lots, boards, and who passes it without an opponent; the log has all of it."""
    rules, slate = record.rules_of(event), draws.parse_draw(round_.slate.encode("utf-8"))
    sig = None if round_.beacon == "none" else beacon_of(work, round_)
    proof = lots.proof_of(work, leaves.chain_of(event), round_.slate.encode("utf-8"), sig)
    drawn_by = lots.lots_of(vrf.output_of(proof))
    round_.lots, round_.sig = proof.hex(), sig.hex() if sig is not None else ""
    said = (
        ("round", round_.name),
        ("attempt", str(round_.attempt)),
        ("sig", round_.sig or "none"),
        ("group", f"draw {proof.hex()}"),
    )
    leaves.note(work, event, "lot", said)
    slate = _seeded(event, round_, slate, drawn_by)
    stage = record.stage_of(event, round_.stage)
    results = record.results_of(work.session, event, round_.stage, round_.number)
    drawn = draw_round(lots.field_of(slate, round_.within, results, manner_of(stage)), drawn_by)
    round_states.take_draw(round_, dumps(_as_json(drawn)))
    round_.starts = work.now + timedelta(hours=_hours_before(rules, stage.sides))
    round_.ends = round_.starts + timedelta(hours=_hours(rules, event, round_.stage))
    work.session.add(round_)
    work.session.flush()
    if slate.boards:
        _seat_teams(work, event, round_, drawn, slate)
    else:
        _seat(work, event, round_, drawn, stage.sides)
    _pass(work, event, round_, slate, drawn)


def _seeded(event: tables.Tournament, round_: tables.Round, slate: Draw, drawn_by: Lots) -> Draw:
    """E1.3 Where seeds are by lot, the first draw decides them: the list is then in their order."""
    rules = record.rules_of(event)
    if rules.entry.seeds != "lot" or round_.stage > 1 or round_.within > 1:
        return slate
    by_number = {one.number: one for one in slate.entrants}
    seeds = seeded(rules, [Entrant(number) for number in by_number], drawn_by)
    listed = tuple(by_number[one.number] for one in seeds)
    record.keep_order(event, round_.stage, [Seed(one.number, one.halves) for one in listed])
    return slate._replace(entrants=listed)


_BIDDING = 24
"""Hours that are left to bid for sides at least."""


def _hours_before(rules: Rules, sides: str) -> int:
    """From the draw to the games: the first deadline is a step later."""
    return max(_BIDDING if sides == "bid" else 0, rules.round.start_hours - rules.table.step_hours)


def _hours(rules: Rules, event: tables.Tournament, stage: int) -> int:
    """How long a round of a stage lasts at most."""
    days = rules.stage[stage - 1].days or rules.round.days
    return 24 * days if days else ends.certain_end(rules, event.phases, stage - 1).hours


def _as_json(drawn: Drawn) -> object:
    """A round as data: its boards with their reasons."""
    return {
        "opened": [list(pair) for pair in drawn.opened],
        "pairs": [
            {
                "board": pair.board,
                "first": pair.first,
                "second": pair.second,
                "cost": list(pair.cost),
                "why": [{"rule": one.rule, "what": one.what, "values": dict(one.values)} for one in pair.why],
            }
            for pair in drawn.pairs
        ],
    }


def _seat(work: Work, event: tables.Tournament, round_: tables.Round, drawn: Drawn, sides: str) -> None:
    """Rows and leaves of the boards, in order."""
    for pair in drawn.pairs:
        if pair.second == NOBODY:
            _passing(work, event, round_, (pair.board, pair.first), BYE)
            continue
        for seat in seatings(pair, sides):
            work.session.add(
                tables.Board(
                    round_id=round_.id or 0, board=pair.board, leg=seat.letter, first=seat.first, second=seat.second
                )
            )
        work.session.flush()
        named = [table_named(event.id, round_, pair.board, seat.letter) for seat in seatings(pair, sides)]
        leaves.note_pair(work, event, round_, (pair.board, pair.first, pair.second), named)


def _seat_teams(work: Work, event: tables.Tournament, round_: tables.Round, drawn: Drawn, slate: Draw) -> None:
    """E3.8 Rows and leaves of the boards of matches; one that nobody sits opposite at is lost by whose it is."""
    for pair in drawn.pairs:
        first = board_number(pair.board, 1, slate.boards)
        if pair.second == NOBODY:
            _passing(work, event, round_, (first, pair.first), BYE)
            continue
        for one in boards_of_match(pair, dict(slate.lineups), slate.boards):
            number = first + one.board - 1
            if not one.first or not one.second:
                _passing(work, event, round_, (number, one.first or one.second), FORFEIT)
                continue
            board = tables.Board(round_id=round_.id or 0, board=number, first=one.first, second=one.second)
            work.session.add(board)
            work.session.flush()
            named = [table_named(event.id, round_, number)]
            leaves.note_pair(work, event, round_, (number, one.first, one.second), named)


def _pass(work: Work, event: tables.Tournament, round_: tables.Round, slate: Draw, drawn: Drawn) -> None:
    """E1.2 Rounds rested: the first few are worth half a point."""
    rows, rules = contenders.contenders(work, event, round_.number), record.rules_of(event)
    last = max((pair.board for pair in drawn.pairs), default=0)
    results = record.results_of(work.session, event, round_.stage)
    for number in sorted(slate.away):
        one = rows[number]
        if one.out or one.since > round_.number or round_.number not in one.resting:
            continue
        last += 1
        rested = sum(each.first == number and each.how in ("half-bye", "rest") for each in results)
        how = "half-bye" if halves_for_rest(rules, rested, round_.stage - 1) else "rest"
        board = board_number(last, 1, slate.boards) if slate.boards else last
        _passing(work, event, round_, (board, number), how)


def _passing(work: Work, event: tables.Tournament, round_: tables.Round, at: tuple[int, int], how: str) -> None:
    """E7.1, E1.2 A round that somebody passes without an opponent: paired with nobody, and scored at once."""
    rules, stage = record.rules_of(event), round_.stage - 1
    halves = {BYE: halves_for_bye(rules, stage), FORFEIT: 2, "half-bye": halves_for_rest(rules, 0, stage)}
    board = tables.Board(round_id=round_.id or 0, board=at[0], first=at[1])
    round_states.pass_round(board, how, halves.get(how, 0))
    work.session.add(board)
    work.session.flush()
    leaves.note_pair(work, event, round_, (board.board, board.first, NOBODY), ())
    leaves.note_score(work, event, round_, board)
