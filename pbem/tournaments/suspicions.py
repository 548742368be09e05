"""E11 Collect signs of agreements for the director's letter alone.

Each fact is reported once, and is in no leaf and in no other letter. Letters are examined by the moment when the
mail server received them and, for each entrant's newest letters, by the host that sent them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import find_lead
from pbem.engine.terms import ONLOOKER
from pbem.mail.address import base_address
from pbem.mail.trace import submitting_domain
from pbem.play.adjudication import closed_orders_from_json
from pbem.play.positions import read_position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, record, round_states
from pbem.tournaments.arithmetic.entrants import TableResult
from pbem.tournaments.arithmetic.facts import (
    LetterTrace,
    ObservedFact,
    ObservedPlay,
    PhaseOrders,
    Resignation,
    notable_facts,
)
from pbem.tournaments.founding import TableGame

_LETTERS_EXAMINED = 5
"""Newest letters of an entrant whose sending host is examined: each is parsed again, and the route of a person's mail
rarely changes."""
_FACT_TEXTS: Mapping[str, Msg] = {
    "host": msg("{a} and {b} write by one sending host, which {others} others here write by: {letters} letters."),
    "minute": msg(
        "{a} and {b}: {times} of {letters} letters of the one who writes less came within a minute of one of the other."
    ),
    "alike": msg(
        "{a} and {b}: of their orders in positions that both had, {percent} in a hundred are alike, of "
        "others' {strangers}; {phases} phases."
    ),
    "resigned ahead": msg(
        "{a} gave up to {b} in round {round}, in turn {turn}, {margin} {margin:|point|points} better than a draw."
    ),
    "one way": msg("{a} has all points of {tables} tables, {b} none: {points}."),
}


def new_fact_lines(tx: Transaction, event: tables.Tournament, since: datetime) -> list[Msg]:
    """Return the facts not reported yet, and mark them as reported.

    Resignations in rounds that closed before `since` are ignored.
    """
    reported = set[str](loads(event.facts))
    fresh = [fact for fact in notable_facts(_evidence(tx, event, since)) if _key(fact) not in reported]
    if not fresh:
        return []
    event.facts = dumps(sorted(reported | {_key(fact) for fact in fresh}))
    tx.session.add(event)
    tx.session.flush()
    names = record.names_by_number(tx.session, event)
    return [_fact_text(fact, names) for fact in fresh]


def _key(fact: ObservedFact) -> str:
    """Return the key of a fact: its kind and entrants.

    The round is added if the fact can occur in several.
    """
    when = f" r{fact.values['round']}" if "round" in fact.values else ""
    return f"{fact.what} {fact.entrants[0]} {fact.entrants[1]}{when}"


def _fact_text(fact: ObservedFact, names: Mapping[int, str]) -> Msg:
    a, b = (names[number] for number in fact.entrants)
    values: dict[str, str | int] = dict(fact.values)
    if "halves" in values:
        values["points"] = int(values.pop("halves")) // 2
    return msg(_FACT_TEXTS[fact.what].text, a=a, b=b, **values)


def _evidence(tx: Transaction, event: tables.Tournament, since: datetime) -> ObservedPlay:
    pairs = [
        (round_, board)
        for round_ in queries.tournaments.rounds(tx.session, event.id)
        for board in queries.tournaments.boards(tx.session, round_.id)
        if board.second
    ]
    rows = queries.tournaments.entrants(tx.session, event.id)
    return ObservedPlay(
        tuple(_letters(tx, event, rows)),
        tuple(_orders(tx, event, [board for _, board in pairs])),
        tuple(_games_given_up(tx, event, pairs, since)),
        tuple(_results(tx, event)),
    )


def _letters(tx: Transaction, event: tables.Tournament, rows: Sequence[tables.Entrant]) -> Iterator[LetterTrace]:
    """Yield entrants' letters to seats and tournament; only the newest have hosts."""
    number_by_address: dict[str, int] = {}
    addresses = queries.persons.addresses_of_all(tx.session, [row.person_id for row in rows])
    for row in rows:
        for address in addresses[row.person_id]:
            number_by_address[address.email] = number_by_address[base_address(address.email)] = row.number
    letters = queries.tournaments.letters_from(tx.session, tuple(number_by_address), event.created)
    newest: dict[int, list[str]] = {}
    for letter in letters:
        newest.setdefault(number_by_address[letter.sender], []).append(letter.sha256)
    digests_needed = {digest for digests in newest.values() for digest in digests[-_LETTERS_EXAMINED:]}
    bodies = queries.tournaments.letter_bodies(tx.session, digests_needed)
    for letter in letters:
        raw = bodies.get(letter.sha256)
        yield LetterTrace(
            number_by_address[letter.sender], int(letter.at.timestamp()), submitting_domain(raw) if raw else ""
        )


def _orders(tx: Transaction, event: tables.Tournament, boards: Sequence[tables.Board]) -> Iterator[PhaseOrders]:
    """Yield the orders of all seats with the digest of their position."""
    by_game = {board.game_id: board for board in boards if board.game_id}
    setup = founding.table_game(tx, event)
    first, second = (setup.seat_of(side) for side in (0, 1))
    digests: dict[str, str] = {}
    for phase in queries.tournaments.closed_phases(tx.session, tuple(by_game)):
        board = by_game[phase.game_id]
        phase_key = f"{phase.turn}.{phase.name} {digests.get(phase.game_id, '')}"
        digests[phase.game_id] = phase.state_digest or ""
        for seat, orders in closed_orders_from_json(phase.orders).items():
            if seat in (first, second) and orders.revision:
                number = board.first if seat == first else board.second
                lines = frozenset(line.strip() for line in orders.text.splitlines() if line.strip())
                yield PhaseOrders(number, f"{phase_key} {seat}", lines)


def _games_given_up(
    tx: Transaction,
    event: tables.Tournament,
    pairs: Sequence[tuple[tables.Round, tables.Board]],
    since: datetime,
) -> Iterator[Resignation]:
    """Yield resignations in rounds open after a moment, with the lead at that time.

    The lead is what exceeds a draw.
    """
    setup = founding.table_game(tx, event)
    for round_, board in pairs:
        word, _, side = board.ended.partition(" ")
        is_old = round_.closed is not None and round_.closed < since
        if word != "concede" or side not in setup.sides or board.state not in round_states.DECIDED or is_old:
            continue
        game = queries.games.game(tx.session, board.game_id or "")
        if game is None:
            continue
        first = side == setup.sides[0]
        yield Resignation(
            board.first if first else board.second,
            board.second if first else board.first,
            _lead_beyond_draw(tx, founding.table_game(tx, event, game.scenario), game, side),
            round_.number,
            board.turns,
        )


def _lead_beyond_draw(tx: Transaction, setup: TableGame, game: tables.Game, side: str) -> int:
    """Return how far a side's lead was beyond a draw.

    Return 0 if the side gained nothing since the beginning.
    """
    try:
        state = read_position(tx, game).state
    except LookupError:
        # The game has not begun: nobody leads.
        return 0
    sides = (side, next(other for other in setup.sides if other != side))
    lead, start_lead = (
        find_lead(setup.rules, position, sides)[0] for position in (state, setup.rules.start(setup.edition))
    )
    scores = setup.rules.telling.stakes(state, ONLOOKER, ()).scores
    needed = next((score.lead for score in scores if score.side == side and score.lead is not None), 1)
    return lead - needed + 1 if lead > start_lead else 0


def _results(tx: Transaction, event: tables.Tournament) -> Iterator[TableResult]:
    for stage in range(1, event.stage + 1):
        yield from record.board_results(tx.session, event, stage)
