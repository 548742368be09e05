"""E11 What looks like an agreement, gathered from what is stored, for the letter of the director's desk alone.

It is told as what happened, each of it once, and stands in no leaf and in nobody else's letter. Letters are looked at
by the moment in which the mail server received them, and by the host that handed in the newest of each entrant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import Msg, msg
from pbem.mail.address import base_address
from pbem.mail.trace import handed_in_by
from pbem.play.adjudication import read_closed
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import founding, record, round_states, scoring
from pbem.tournaments.arithmetic.entrants import BYE, FIRST, NOBODY, PENDING, Result

# E11 What looks like an agreement, as facts for the director alone: what happened, to whom, how often, beside others.
#
# No fact is a verdict: friends write in one evening from one provider, and some openings are good for everybody.
#
#     Fact("host", (3, 7), {"letters": 12, "others": 0})       both wrote from one sending host, which `others` use too
#     Fact("minute", (3, 7), {"times": 5, "letters": 9})       letters within a minute of each other, of the rarer's
#     Fact("alike", (3, 7), {"percent": 81, "strangers": 34, "phases": 12})   orders alike, in positions all had
#     Fact("resigned ahead", (3, 7), {"margin": 5, "round": 2, "turn": 9})    3 gave up to 7 while he was ahead
#     Fact("one way", (3, 7), {"tables": 4, "halves": 8})      3 had all that was to be had of 7


class WroteAt(NamedTuple):
    """A letter of an entrant: when, in seconds, and from which sending host (empty: not known)."""

    entrant: int
    at: int
    host: str = ""


class GivenOrders(NamedTuple):
    """An entrant's orders of a phase, as canonical lines; `position` is the same text for all who had the same."""

    entrant: int
    position: str
    lines: frozenset[str]


class GaveUp(NamedTuple):
    """A resignation: who, to whom, how far he was ahead, and when."""

    entrant: int
    other: int
    margin: int
    round: int
    turn: int


class ObservedPlay(NamedTuple):
    """All that is looked at; `results` of one pool may be of several tournaments, with the numbers of this one."""

    letters: Sequence[WroteAt] = ()
    orders: Sequence[GivenOrders] = ()
    resigned: Sequence[GaveUp] = ()
    results: Sequence[Result] = ()


class Usual(NamedTuple):
    """What is not worth a look: hosts of more than `sharing` entrants; fewer than `times` letters within a minute, or
    less than `share` percent of the rarer's; fewer than `phases` in common, or `above` percent alike more than
    strangers; fewer than `tables` between two."""

    sharing: int = 4
    times: int = 3
    share: int = 25
    phases: int = 5
    above: int = 25
    tables: int = 3


class Fact(NamedTuple):
    """What happened, between which two, with numbers by name; the order of the two says who did it to whom."""

    what: str
    entrants: tuple[int, int]
    values: Mapping[str, int]


_MINUTE = 60


def facts_of(evidence: ObservedPlay, usual: Usual = Usual()) -> tuple[Fact, ...]:  # noqa: B008 - a frozen record
    """E11 Return what is worth a look, the same for the same evidence in any order."""
    found = [
        *_hosts(evidence.letters, usual),
        *_minutes(evidence.letters, usual),
        *_alike(evidence.orders, usual),
        *_resigned(evidence.resigned),
        *_one_way(evidence.results, usual),
    ]
    return tuple(sorted(found, key=lambda one: (one.what, one.entrants, sorted(one.values.items()))))


def _hosts(letters: Sequence[WroteAt], usual: Usual) -> Iterable[Fact]:
    """Two who write from one host that hardly anybody else uses."""
    used: dict[str, dict[int, int]] = {}
    for one in letters:
        if one.host:
            counts = used.setdefault(one.host.casefold(), {})
            counts[one.entrant] = counts.get(one.entrant, 0) + 1
    for counts in used.values():
        if 2 <= len(counts) <= usual.sharing:
            for a, b in combinations(sorted(counts), 2):
                yield Fact("host", (a, b), {"letters": counts[a] + counts[b], "others": len(counts) - 2})


def _minutes(letters: Sequence[WroteAt], usual: Usual) -> Iterable[Fact]:
    """Two whose letters come within a minute of each other, more often than it happens."""
    ordered = sorted(letters, key=lambda one: one.at)
    near: dict[tuple[int, int], dict[int, set[int]]] = {}
    first = 0
    for at, one in enumerate(ordered):
        while ordered[first].at < one.at - _MINUTE:
            first += 1
        for before in range(first, at):
            other = ordered[before].entrant
            if other != one.entrant:
                two = near.setdefault((min(one.entrant, other), max(one.entrant, other)), {})
                two.setdefault(one.entrant, set()).add(at)
                two.setdefault(other, set()).add(before)
    written = Counter(one.entrant for one in ordered)
    for (a, b), close in near.items():
        few = a if written[a] <= written[b] else b
        times = len(close[few])
        if times >= usual.times and 100 * times >= usual.share * written[few]:
            yield Fact("minute", (a, b), {"times": times, "letters": written[few]})


def _alike(orders: Sequence[GivenOrders], usual: Usual) -> Iterable[Fact]:
    """Two whose orders in positions that both had are alike, far more than those of all other twos."""
    at: dict[str, dict[int, frozenset[str]]] = {}
    for one in orders:
        at.setdefault(one.position, {})[one.entrant] = one.lines
    likeness: dict[tuple[int, int], list[int]] = {}
    for had in at.values():
        for a, b in combinations(sorted(had), 2):
            if had[a] or had[b]:
                percent = 100 * len(had[a] & had[b]) // len(had[a] | had[b])
                likeness.setdefault((a, b), []).append(percent)
    # Strangers are all twos without either: all, less those of the one and of the other.
    sums: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for two, percents in likeness.items():
        for key in (NOBODY, *two):
            sums[key] += sum(percents)
            counts[key] += len(percents)
    for (a, b), percents in likeness.items():
        strangers = counts[NOBODY] - counts[a] - counts[b] + len(percents)
        if len(percents) >= usual.phases and strangers:
            mean = sum(percents) // len(percents)
            others = (sums[NOBODY] - sums[a] - sums[b] + sum(percents)) // strangers
            if mean >= others + usual.above:
                yield Fact("alike", (a, b), {"percent": mean, "strangers": others, "phases": len(percents)})


def _resigned(resigned: Sequence[GaveUp]) -> Iterable[Fact]:
    """Who gave up while he was ahead."""
    for one in resigned:
        if one.margin > 0:
            values = {"margin": one.margin, "round": one.round, "turn": one.turn}
            yield Fact("resigned ahead", (one.entrant, one.other), values)


def _one_way(results: Sequence[Result], usual: Usual) -> Iterable[Fact]:
    """Two of whom one had all points at all their tables."""
    halves: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one in results:
        if one.second == NOBODY or one.how in (PENDING, BYE):
            continue
        low = min(one.first, one.second)
        seat = FIRST if one.first == low else 1 - FIRST
        two = (low, max(one.first, one.second))
        halves.setdefault(two, []).append((one.halves[seat], one.halves[1 - seat]))
    for (a, b), met in halves.items():
        mine, his = (sum(column) for column in zip(*met, strict=True))
        if len(met) >= usual.tables and bool(mine) != bool(his):
            yield Fact("one way", (a, b) if mine else (b, a), {"tables": len(met), "halves": mine + his})


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
    known = queries.people.addresses_of_all(work.session, [row.person_id for row in rows])
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
