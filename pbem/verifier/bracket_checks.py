"""Check that a knockout pairs those whom seeds and earlier scores bring together.

E3.3, E3.9, E3.10 and E3.14 to E3.17 are computed here anew, so that nobody can move a winner or a seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .bundles import Leaf
from .list_checks import rule_as_text, rules_in
from .record import LogPlace
from .tournament_lists import DrawList, number_of

NOBODY = "-"
UNKNOWN = ""
"""Nobody in a place of a bracket, and somebody whom no letter names."""


class PlayedRound(NamedTuple):
    """The pairs of a round, the scores of each pair's tables, and who had a bye."""

    pairs: list[Leaf]
    scores: dict[tuple[str, str], Leaf]
    byes: set[str]


class TieGame(NamedTuple):
    """A game of a tie: its pair, and by how much the first of the tie leads.

    The lead is in half points and in margin.
    """

    pair: Leaf
    halves: int
    margin: int


class KnockoutTie(NamedTuple):
    """Two places of a bracket with their games; `winner` is None until one goes on."""

    names: tuple[str, str]
    winner: str | None = None
    games: tuple[TieGame, ...] = ()


class KnockoutForm(NamedTuple):
    """The form of a knockout: a game for third place, games of a tie, and replays."""

    third: bool
    best: int
    replays: int


MOST_GAMES = range(10)
"""Games of a tie, and replays, as many as rules may have."""


def knockout_form(stage: Mapping[str, Any]) -> KnockoutForm | None:
    """Return the form of a stage, None if its rules cannot be."""
    best, replays = (stage.get(key, usual) for key, usual in (("best", 1.0), ("replays", 0.0)))
    # All numbers of JSON are read as floats.
    if not all(isinstance(count, float) and count in MOST_GAMES for count in (best, replays)):
        return None
    return KnockoutForm(stage.get("third") is True, int(best), int(replays))


MOST, MOST_GROUPS = range(4097), 64
"""Entrants and divisions of a stage, as many as rules may have."""


def check_qualifiers(checks: Any, place: LogPlace, closed: DrawList, shut: Leaf, *, rerun: bool) -> None:
    """Check the first list of a later stage against the table before it.

    Only full mode checks that table. The departures count that the log has when the table is counted, or at any
    moment until the list is shut.
    """
    number = int(closed.block["stage"])
    checks.say(rerun or None, place, "who goes on into stage {} is not checked here: full mode does", number)
    tables = [leaf for leaf in checks.known if leaf.kind == "standing" and leaf.seq < shut.seq]
    text = checks.texts.get(tables[-1]["table"].removeprefix("sha256:")) if tables else None
    rows, stage = rules_in(text), checks.stage(closed)
    if stage is not None and number > 1:
        check_no_tie_was_open(checks, place, str(number - 1), shut)
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


def check_no_tie_was_open(checks: Any, place: LogPlace, number: str, shut: Leaf) -> None:
    """E3.17 Check that no tie of several games was open when the next stage began."""
    lists = [listed for listed in checks.course.draws.values() if listed.block["game"] == checks.game]
    lists = sorted((listed for listed in lists if listed.block["stage"] == number), key=lambda listed: listed.round)
    stage = (checks.stage(lists[-1]) or {}) if lists else {}
    form = knockout_form(stage)
    if stage.get("format") != "knockout" or lists[-1].boards or form is None or form.best + form.replays < 2:
        return
    if len(lists) == 1 and number == "1" and rule_as_text(checks.rules, "entry", "seeds") == "lot":
        return  # the lots of its only round decide its seeds
    before = [leaf for leaf in checks.known if leaf.seq < shut.seq]
    rounds = (played_round(before, f"r{round_}") for round_ in range(lists[0].round, lists[-1].round + 1))
    ties = ties_before(lists[-1].names, rounds, form)
    left = {name for tie in ties for name in tie.names} - {NOBODY}
    open_ties = any(tie.winner is None for tie in ties) and len(left) > 1
    complete = checks.course.gapless(checks.game, 0, shut.seq) and UNKNOWN not in left
    checks.say(not open_ties or (False if complete else None), place, "by its ties stage {} was not over", number)


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


def check_bracket(checks: Any, place: LogPlace, closed: DrawList, pairs: list[Leaf]) -> None:
    """Check the pairs of a list's round, as drawn, if its stage is a knockout."""
    stage, number = checks.stage(closed) or {}, closed.block["stage"]
    form = knockout_form(stage)
    if stage.get("format") != "knockout" or closed.boards or form is None:
        return
    lists = (listed for listed in checks.course.draws.values() if listed.block["game"] == checks.game)
    first = min(listed.round for listed in lists if listed.block["stage"] == number)
    if number == "1" and closed.round == first and rule_as_text(checks.rules, "entry", "seeds") == "lot":
        return  # the lots of this round decide its seeds
    before = [leaf for leaf in checks.known if leaf.seq < pairs[0].seq]
    rounds = (played_round(before, f"r{round_}") for round_ in range(first, closed.round))
    ties = ties_before(closed.names, rounds, form)
    to_meet = [tie for tie in ties if tie.winner is None]
    wanted = {frozenset(name for name in tie.names if name in closed.present) for tie in to_meet} - {frozenset()}
    met = {pair[side] for pair in pairs if pair["second"] != NOBODY for side in ("first", "second")}
    # Whoever was drawn and stayed away has a board of his own afterwards: it is no bye.
    drawn = {
        frozenset((pair["first"], pair["second"])) - {NOBODY}
        for pair in pairs
        if pair["second"] != NOBODY or pair["first"] in {*closed.present} - met
    }
    # By number in a pair, then by text: always the same sentence.
    shown = ", ".join(sorted("-".join(sorted(names, key=number_of)) for names in wanted)) or NOBODY
    unknown = any(UNKNOWN in (*tie.names, tie.winner) for tie in ties)
    complete = checks.course.gapless(checks.game, 0, pairs[0].seq) and not unknown
    why = "by its bracket and the scores before it others meet: {}"
    checks.say(drawn == wanted or (False if complete else None), place, why, shown)
    for tie in (tie for tie in to_meet if tie.games):
        last = tie.games[-1].pair
        same = [pair for pair in pairs if (pair["first"], pair["second"]) == (last["first"], last["second"])]
        why = "{} and {} do not exchange the sides of their last game"
        checks.say(not same or (False if complete else None), place, why, last["first"], last["second"])


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


def ties_before(names: Sequence[str], rounds: Iterable[PlayedRound], form: KnockoutForm) -> list[KnockoutTie]:
    """Return the ties of the present level after some rounds.

    Those without a winner are to be played.
    """
    slots = [names[seed] if seed < len(names) else NOBODY for seed in bracket_order(len(names))]
    seeds, ties = {name: seed for seed, name in enumerate(names)}, neighbours_as_ties(slots)
    for played in rounds:
        if is_round_of_next_level(ties, played):
            slots, ties = next_level(len(slots), [close_tie(tie, played, seeds) for tie in ties], third=form.third)
        ties = [decide_tie(tie, played, seeds, form) for tie in ties]
    if ties and all(tie.winner is not None for tie in ties):
        _, ties = next_level(len(slots), ties, third=form.third)
    return ties


def neighbours_as_ties(slots: Sequence[str]) -> list[KnockoutTie]:
    return [KnockoutTie(couple) for couple in zip(slots[::2], slots[1::2], strict=False)]


def is_round_of_next_level(ties: Sequence[KnockoutTie], played: PlayedRound) -> bool:
    """Return whether a round is of the level after these ties.

    It is not if two of a tie meet in it. Else it is if all ties are over, or if it was drawn before a correction
    opened one again.
    """
    met = [{pair["first"], pair["second"]} for pair in played.pairs if pair["second"] != NOBODY]
    if not ties or any({*tie.names} in met for tie in ties):
        return False
    return all(tie.winner is not None for tie in ties) or bool(met and any(tie.games for tie in ties))


def close_tie(tie: KnockoutTie, played: PlayedRound, seeds: Mapping[str, int]) -> KnockoutTie:
    """Return a tie that the draw of the next level ended: whoever was drawn goes on."""
    drawn = {pair[side] for pair in played.pairs for side in ("first", "second") if pair["second"] != NOBODY}
    ahead = next((name for name in tie.names if name in drawn), leader_of_tie(tie, seeds))
    return tie if tie.winner is not None else tie._replace(winner=ahead)


def next_level(size: int, ties: Sequence[KnockoutTie], *, third: bool) -> tuple[list[str], list[KnockoutTie]]:
    """Return the places and ties of the level after one of `size` places.

    All ties of that are over.
    """
    over = ties[: size // 2]
    slots = [tie.winner or UNKNOWN for tie in over]
    following = neighbours_as_ties(slots)
    losers = [{*tie.names, NOBODY} - {tie.winner} for tie in over]
    if third and len(slots) == 2 and NOBODY not in slots and all(len(some) == 2 for some in losers):
        first, second = (UNKNOWN if UNKNOWN in slots else max(some - {NOBODY}) for some in losers)
        following.append(KnockoutTie((first, second)))
    return slots, following


def decide_tie(tie: KnockoutTie, played: PlayedRound, seeds: Mapping[str, int], form: KnockoutForm) -> KnockoutTie:
    """E3.10, E3.16, E3.17 Return a tie after a round, its winner None if it goes on."""
    if tie.winner is not None:
        return tie
    pair = next((pair for pair in played.pairs if {pair["first"], pair["second"]} == {*tie.names}), None)
    if pair is None or pair["second"] == NOBODY:
        return tie._replace(winner=next((name for name in tie.names if name in played.byes), leader_of_tie(tie, seeds)))
    tables = [played.scores.get((pair["board"], table)) for table in pair["table"].split(" ")]
    lead = [0, 0]
    for index, score in enumerate(tables):
        if score is None:
            return tie._replace(winner=UNKNOWN)
        halves = score["halves"].split(" ")
        sign = -1 if index else 1
        lead[0] += sign * (int(halves[0]) - int(halves[1]))
        lead[1] += sign * int(score["margin"])
    if all(score is not None and (score["how"], score["halves"]) == ("forfeit", "0 0") for score in tables):
        return tie._replace(winner=NOBODY)
    turned = -1 if pair["first"] == tie.names[1] else 1
    tie = tie._replace(games=(*tie.games, TieGame(pair, turned * lead[0], turned * lead[1])))
    # Each game to come may bring two half points a table.
    to_come = 2 * len(tables) * max(0, form.best - len(tie.games))
    goes_on = abs(sum(game.halves for game in tie.games)) <= to_come and len(tie.games) < form.best + form.replays
    return tie if goes_on else tie._replace(winner=leader_of_tie(tie, seeds))


def leader_of_tie(tie: KnockoutTie, seeds: Mapping[str, int]) -> str:
    """E3.10 Return who is ahead in all games of a tie.

    More points, else the greater margin, else the better seed.
    """
    if not tie.games:
        return NOBODY
    first, second = tie.names
    lead = [sum(game.halves for game in tie.games), sum(game.margin for game in tie.games)]
    return first if [*lead, seeds.get(second, 0) - seeds.get(first, 0)] > [0, 0, 0] else second
