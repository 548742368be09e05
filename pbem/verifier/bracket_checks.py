"""Check that a knockout pairs those whom seeds and earlier scores bring together.

E3.3, E3.9, E3.10, E3.14 and E3.15 are computed here anew, so that nobody can move a winner or a seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .bundles import Leaf
from .list_checks import rule, rules_in
from .record import Place
from .tournament_lists import DrawList, number_of

NOBODY = "-"
UNKNOWN = ""
"""Nobody in a place of a bracket, and somebody whom no letter names."""


class PlayedRound(NamedTuple):
    """The pairs of a round, the scores of each pair's tables, and who had a bye."""

    pairs: list[Leaf]
    scores: dict[tuple[str, str], Leaf]
    byes: set[str]


MOST, MOST_GROUPS = range(4097), 64
"""Entrants and divisions of a stage, as many as rules may have."""


def check_qualified(checks: Any, place: Place, closed: DrawList, shut: Leaf, *, rerun: bool) -> None:
    """Check the first list of a later stage against the table before it.

    Only full mode checks that table. The departures count that the log has when the table is counted, or at any
    moment until the list is shut.
    """
    number = int(closed.block["stage"])
    checks.say(rerun or None, place, "who goes on into stage {} is not checked here: full mode does", number)
    tables = [leaf for leaf in checks.known if leaf.kind == "standing" and leaf.seq < shut.seq]
    text = checks.texts.get(tables[-1]["table"].removeprefix("sha256:")) if tables else None
    rows, stage = rules_in(text), checks.stage(closed)
    if not isinstance(rows, list) or stage is None or number < 2:
        return
    counts = [stage.get(key, 0.0) for key in ("take", "each")]
    # All numbers of JSON are read as floats.
    if not all(isinstance(count, float | int) and not isinstance(count, bool) and count in MOST for count in counts):
        return
    take, each = map(int, counts)
    groups: dict[object, list[str]] = {}
    for row in (row for row in rows if isinstance(row, dict)):
        values = row.get("values")
        division = values.get("division") if isinstance(values, dict) and each else None
        name = row.get("entrant")
        groups.setdefault(division if isinstance(division, float) else None, []).append(
            name if isinstance(name, str) else NOBODY
        )
    if len(groups) > MOST_GROUPS or (stage.get("format") == "league" and not take and not each):
        return  # E3.7 full mode moves entrants between divisions
    since = [leaf for leaf in checks.known if tables[-1].seq <= leaf.seq < shut.seq]
    wanted = [
        order_qualifiers(
            groups, checks.absent([leaf for leaf in checks.known if leaf.seq <= last.seq], closed.round)[0], each
        )
        for last in since
        if last is tables[-1] or last.kind in ("enter", "team", "leave")
    ]
    wanted = [names[:take] if take else names for names in wanted]
    why = "by the table before it others go on, or as other seeds: {}"
    checks.say(closed.names in wanted, place, why, " ".join(wanted[-1]) or NOBODY)


def order_qualifiers(groups: Mapping[object, Sequence[str]], gone: set[str], each: int) -> list[str]:
    """E3.15 Return who goes on by seed; two of one group meet as late as they can."""
    remaining = [[name for name in group if name not in gone] for group in groups.values()]
    if not each:
        return [name for group in remaining for name in group]
    remaining = [group[:each] for group in remaining]
    order, seeds = bracket_order(sum(map(len, remaining))), list[str]()
    for place in range(max(map(len, remaining), default=0)):
        row = [group[place] for group in remaining if len(group) > place]
        best = -1
        for start in range(len(row)):
            names = [*seeds, *row[start:], *row[:start]]
            slots = {names[seed]: slot for slot, seed in enumerate(order) if seed < len(names)}
            rounds = [
                (slots[group[place]] ^ slots[mate]).bit_length()
                for group in remaining
                if len(group) > place
                for mate in group[:place]
            ]
            if min(rounds, default=0) > best:
                best, chosen = min(rounds, default=0), names
        seeds = chosen
    return seeds


def check_bracket(checks: Any, place: Place, closed: DrawList, pairs: list[Leaf]) -> None:
    """Check the pairs of a list's round, as drawn, if its stage is a knockout."""
    stage, number = checks.stage(closed) or {}, closed.block["stage"]
    if stage.get("format") != "knockout" or closed.boards:
        return
    lists = (listed for listed in checks.course.draws.values() if listed.block["game"] == checks.game)
    first = min(listed.round for listed in lists if listed.block["stage"] == number)
    if number == "1" and closed.round == first and rule(checks.rules, "entry", "seeds") == "lot":
        return  # the lots of this round decide its seeds
    before = [leaf for leaf in checks.known if leaf.seq < pairs[0].seq]
    rounds = (played_round(before, f"r{round_}") for round_ in range(first, closed.round))
    ties = ties_before(closed.names, rounds, third=stage.get("third") is True)
    wanted = {frozenset(name for name in tie if name in closed.present) for tie in ties} - {frozenset()}
    drawn = {
        frozenset((pair["first"], pair["second"])) - {NOBODY}
        for pair in pairs
        if pair["second"] != NOBODY or pair["first"] in closed.present
    }
    # By number in a pair, then by text: always the same sentence.
    shown = ", ".join(sorted("-".join(sorted(names, key=number_of)) for names in wanted)) or NOBODY
    complete = checks.course.gapless(checks.game, 0, pairs[0].seq) and not any(UNKNOWN in tie for tie in ties)
    why = "by its bracket and the scores before it others meet: {}"
    checks.say(drawn == wanted or (False if complete else None), place, why, shown)


def played_round(leaves: Iterable[Leaf], round_: str) -> PlayedRound:
    """Return what leaves say of a round; replaced pairs and void draws are left out."""
    of_round = [leaf for leaf in leaves if leaf.kind in ("pair", "score") and leaf["round"] == round_]
    newest = max((leaf.num("attempt") for leaf in of_round if leaf.kind == "pair"), default=0)
    boards = {leaf["board"]: leaf for leaf in of_round if leaf.kind == "pair" and leaf.num("attempt") == newest}
    scores = {(leaf["board"], leaf["table"]): leaf for leaf in of_round if leaf.kind == "score"}
    byes = {
        pair["first"]
        for board, pair in boards.items()
        if (score := scores.get((board, NOBODY))) is not None and score["how"] == "bye"
    }
    return PlayedRound([*boards.values()], scores, byes)


def bracket_order(count: int) -> list[int]:
    """Return the seeds from 0 in the order of a bracket."""
    order = [0]
    while len(order) < count:
        order = [seed for low in order for seed in (low, 2 * len(order) - 1 - low)]
    return order


def ties_before(names: Sequence[str], rounds: Iterable[PlayedRound], *, third: bool) -> list[tuple[str, str]]:
    """Return who is to meet after some rounds, by seed."""
    slots = [names[seed] if seed < len(names) else NOBODY for seed in bracket_order(len(names))]
    seeds, ties = {name: seed for seed, name in enumerate(names)}, neighbours(slots)
    for played in rounds:
        winners = [decide_tie(tie, played, seeds) for tie in ties[: len(slots) // 2]]
        losers = [{*tie, NOBODY} - {winner} for tie, winner in zip(ties, winners, strict=False)]
        slots, ties = winners, neighbours(winners)
        if third and len(slots) == 2 and NOBODY not in slots and all(len(some) == 2 for some in losers):
            first, second = (UNKNOWN if UNKNOWN in slots else max(some - {NOBODY}) for some in losers)
            ties.append((first, second))
        if len(slots) < 2:
            break
    return ties


def neighbours(slots: Sequence[str]) -> list[tuple[str, str]]:
    return [*zip(slots[::2], slots[1::2], strict=False)]


def decide_tie(tie: tuple[str, str], played: PlayedRound, seeds: Mapping[str, int]) -> str:
    """E3.10 Return who goes on: more points, the greater margin, the better seed."""
    pair = next((pair for pair in played.pairs if {pair["first"], pair["second"]} == {*tie}), None)
    if pair is None or pair["second"] == NOBODY:
        return next((name for name in tie if name in played.byes), NOBODY)
    tables = [played.scores.get((pair["board"], table)) for table in pair["table"].split(" ")]
    lead = [0, 0]
    for index, score in enumerate(tables):
        if score is None:
            return UNKNOWN
        halves = score["halves"].split(" ")
        sign = -1 if index else 1
        lead[0] += sign * (int(halves[0]) - int(halves[1]))
        lead[1] += sign * int(score["margin"])
    if all(score is not None and (score["how"], score["halves"]) == ("forfeit", "0 0") for score in tables):
        return NOBODY
    first, second = pair["first"], pair["second"]
    return first if [*lead, seeds.get(second, 0) - seeds.get(first, 0)] > [0, 0, 0] else second
