"""E11 What looks like an agreement, gathered from what is stored, for the letter of the director's desk alone.

It is told as what happened, each of it once, and stands in no leaf and in nobody else's letter. Letters are looked at
by the moment in which the mail server received them, and by the host that handed in the newest of each entrant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.mail.address import base_address
from pbem.mail.trace import handed_in_by
from pbem.play.adjudication import read_closed
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import founding, record, round_states, scoring
from pbem.tournaments.arithmetic.entrants import Result
from pbem.tournaments.arithmetic.facts import Fact, GaveUp, GivenOrders, ObservedPlay, WroteAt, facts_of

_LOOKED_AT = 5
"""Letters of an entrant whose way is looked at, the newest."""
_TOLD: Mapping[str, Msg] = {
    "host": msg("{a} and {b} write by one sending host, which {others} others here write by: {letters} letters."),
    "minute": msg(
        "{a} and {b}: {times} of {letters} letters of the one who writes less came within a minute of one of the other."
    ),
    "alike": msg(
        "{a} and {b}: of their orders in positions that both had, {percent} in a hundred are alike, of "
        "others' {strangers}; {phases} phases."
    ),
    "resigned ahead": msg("{a} gave up to {b} in round {round}, in turn {turn}, {margin} points ahead."),
    "one way": msg("{a} has all points of {tables} tables, {b} none: {points}."),
}


def told_once(work: Work, event: tables.Tournament) -> list[Msg]:
    """What is worth a look and was not told yet; it counts as told now."""
    told = set[str](loads(event.facts))
    fresh = [fact for fact in facts_of(_evidence(work, event)) if _key(fact) not in told]
    if not fresh:
        return []
    event.facts = dumps(sorted(told | {_key(fact) for fact in fresh}))
    work.session.add(event)
    work.session.flush()
    names = record.names_of(work.session, event)
    return [_worded(fact, names) for fact in fresh]


def _key(fact: Fact) -> str:
    """What a fact is known by: what happened to whom, and when if it can happen again."""
    when = f" r{fact.values['round']}" if "round" in fact.values else ""
    return f"{fact.what} {fact.entrants[0]} {fact.entrants[1]}{when}"


def _worded(fact: Fact, names: Mapping[int, str]) -> Msg:
    a, b = (names[number] for number in fact.entrants)
    values: dict[str, str | int] = dict(fact.values)
    if "halves" in values:
        values["points"] = int(values.pop("halves")) // 2
    return msg(_TOLD[fact.what].text, a=a, b=b, **values)


def _evidence(work: Work, event: tables.Tournament) -> ObservedPlay:
    pairs = [
        (round_, board)
        for round_ in queries.tournaments.rounds(work.session, event.id)
        for board in queries.tournaments.boards(work.session, round_.id)
        if board.second
    ]
    rows = queries.tournaments.entrants(work.session, event.id)
    return ObservedPlay(
        tuple(_letters(work, event, rows)),
        tuple(_orders(work, event, [board for _, board in pairs])),
        tuple(_games_given_up(work, event, pairs)),
        tuple(_results(work, event)),
    )


def _letters(work: Work, event: tables.Tournament, rows: Sequence[tables.Entrant]) -> Iterator[WroteAt]:
    """The letters of entrants to their seats and to the tournament, the newest of each with their hosts."""
    whose: dict[str, int] = {}
    known = queries.persons.addresses_of_all(work.session, [row.person_id for row in rows])
    for row in rows:
        for address in known[row.person_id]:
            whose[address.email] = whose[base_address(address.email)] = row.number
    found = queries.tournaments.written(work.session, tuple(whose), event.created)
    newest: dict[int, list[str]] = {}
    for one in found:
        newest.setdefault(whose[one.sender], []).append(one.sha256)
    wanted = {digest for digests in newest.values() for digest in digests[-_LOOKED_AT:]}
    bodies = queries.tournaments.bodies(work.session, wanted)
    for one in found:
        raw = bodies.get(one.sha256)
        yield WroteAt(whose[one.sender], int(one.at.timestamp()), handed_in_by(raw) if raw else "")


def _orders(work: Work, event: tables.Tournament, boards: Sequence[tables.Board]) -> Iterator[GivenOrders]:
    """The orders of all seats by the position that they were given in, which is known by its digest."""
    sitting = {board.game_id: board for board in boards if board.game_id}
    here = founding.at_tables(work, event)
    first, second = (here.seat_of(side) for side in (0, 1))
    before: dict[str, str] = {}
    for phase in queries.tournaments.closed_phases(work.session, tuple(sitting)):
        board = sitting[phase.game_id]
        place = f"{phase.turn}.{phase.name} {before.get(phase.game_id, '')}"
        before[phase.game_id] = phase.state_digest or ""
        for seat, orders in read_closed(phase.orders).items():
            if seat in (first, second) and orders.revision:
                number = board.first if seat == first else board.second
                lines = frozenset(line.strip() for line in orders.text.splitlines() if line.strip())
                yield GivenOrders(number, f"{place} {seat}", lines)


def _games_given_up(
    work: Work, event: tables.Tournament, pairs: Sequence[tuple[tables.Round, tables.Board]]
) -> Iterator[GaveUp]:
    """Who gave up, and how far he was ahead by the position that he left; of rounds that closed since the last look."""
    here = founding.at_tables(work, event)
    for round_, board in pairs:
        word, _, side = board.ended.partition(" ")
        old = round_.closed is not None and event.desk_at is not None and round_.closed < event.desk_at
        if word != "concede" or side not in here.sides or board.state not in round_states.DECIDED or old:
            continue
        game = queries.games.game(work.session, board.game_id or "")
        if game is None:
            continue
        ahead, _ = scoring.standing_now(work, here, game)
        first = side == here.sides[0]
        yield GaveUp(
            board.first if first else board.second,
            board.second if first else board.first,
            ahead if first else -ahead,
            round_.number,
            board.turns,
        )


def _results(work: Work, event: tables.Tournament) -> Iterator[Result]:
    for stage in range(1, event.stage + 1):
        yield from record.board_results(work.session, event, stage)
