"""Count the points of the scenario and describe the score (S14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block
from pbem.engine.data.score_sheet import (
    AccountStep,
    Army,
    Arrival,
    Gain,
    Goal,
    PointSource,
    ScoredPoints,
    ScoreSheet,
    ScoreWords,
    join_parts,
    point_changes,
    scores,
    sum_points,
)
from pbem.engine.data.score_sheet import (
    points_account as account_for_points,
)
from pbem.engine.data.score_sheet import victory_block as won_by
from pbem.engine.deployment import phase_names
from pbem.engine.parts import PositionValues
from pbem.engine.reasons import Teller
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.standard import winner_of
from pbem.engine.terms import PositionChange
from pbem.games.peninsular.edition import SIDE_NAMES, SIDES, alliance_of
from pbem.games.peninsular.end_phase import waiting_reinforcements
from pbem.games.peninsular.state import State, with_revealed_orders
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, later_units, read_unit


class Prize(NamedTuple):
    """A prize besides hexes and losses: ``colour``, ``battery`` or ``exit`` (S14).

    It has the former owners or the units at the exit, and the points.
    """

    kind: str
    side: str
    units: tuple[Unit, ...]
    points: int


def points_earned(state: State) -> list[ScoredPoints]:
    """Return the points now.

    They are for hexes held, enemy counters eliminated or routed, enemy PF lost, colours and batteries taken,
    battalions at the exit, and awards. The scenario sets their values; without one nothing counts.
    """
    rules = state.edition.scenario.get("victory", {})
    result = []
    for ident, value in sorted(rules.get("hexes", {}).items()):
        holder = state.holder(ident) or rules.get("owner", {}).get(ident, "")
        if holder:
            result.append(ScoredPoints(scoring_side(state, holder), "place", ident, value))
    for prize in prizes(state):
        ids = tuple(unit.id for unit in prize.units)
        result.append(ScoredPoints(prize.side, prize.kind, prize.side, prize.points, len(ids), ids))
    per, given = rules.get("pf_per_point", 0), awards(state)
    for side in state.edition.phases:
        foe = next(other_side for other_side in state.edition.phases if other_side != side)
        routed = tuple(u.id for u in state.counters(side) if u.is_combat and u.state == ROUTED)
        lost = sum(n for army, n in state.toll.items() if alliance_of(army) == alliance_of(side))
        dead = sum(n for army, n in state.dead.items() if alliance_of(army) == alliance_of(side))
        if rules.get("eliminated"):
            result.append(
                ScoredPoints(foe, "eliminated", side, rules["eliminated"] * lost, lost, _eliminated_units(state, side))
            )
        if rules.get("routed"):
            result.append(ScoredPoints(foe, "routed", side, rules["routed"] * len(routed), len(routed), routed))
        if per:
            result.append(ScoredPoints(foe, "pf", side, dead // per, dead))
        result.append(ScoredPoints(side, "award", side, given[side], given[side]))
    return result


def _eliminated_units(state: State, side: str) -> tuple[str, ...]:
    """Return the counters of a side and its friends that are out of play."""
    lost = (roster(state).get(ident) for ident in state.gone)
    return tuple(
        sorted(unit.id for unit in lost if unit and unit.is_combat and alliance_of(unit.side) == alliance_of(side))
    )


def points_by_side(state: State) -> dict[str, int]:
    """Return the points of both sides now."""
    return sum_points(points_earned(state), state.edition.phases)


def prizes(state: State) -> list[Prize]:
    """Return colours and guns taken by each side, and its units at the exit.

    Only those that count by the scenario. Rule: S14.
    """
    rules = state.edition.scenario.get("victory", {})
    prizes_won = []
    for kind, lost in (("colour", lost_colours(state)), ("battery", lost_guns(state))):
        value = rules.get(kind, 0)
        for side in state.edition.phases if value else ():
            units = tuple(unit for unit in lost if alliance_of(unit.side) != alliance_of(side))
            prizes_won.append(Prize(kind, side, units, value * len(units)))
    way_out, there = rules.get("exit", {}), tuple(units_at_exit(state))
    if there:
        through = len(there) >= way_out["battalions"]
        prizes_won.append(
            Prize("exit", scoring_side(state, way_out["side"]), there, way_out["points"] if through else 0)
        )
    return [prize for prize in prizes_won if prize.units]


def roster(state: State) -> Mapping[str, Unit]:
    """Return the scenario's counters at the beginning, including later arrivals."""
    cache = state.edition.cache
    if "roster" not in cache:
        now = map(read_unit, state.edition.scenario.get("units", ()))
        cache["roster"] = {unit.id: unit for unit in (*now, *later_units(state.edition.scenario))}
    result: Mapping[str, Unit] = cache["roster"]
    return result


def lost_colours(state: State) -> list[Unit]:
    """Return eliminated battalions that carried a colour or eagle (S14)."""
    carriers = state.edition.scenario.get("victory", {}).get("colours", ())
    return [roster(state)[ident] for ident in carriers if ident in state.gone]


def lost_guns(state: State) -> list[Unit]:
    """S14 Return the batteries that were lost."""
    lost = [unit for ident in state.gone if (unit := roster(state).get(ident)) is not None]
    return sorted(unit for unit in lost if unit.kind == "art")


def units_at_exit(state: State) -> list[Unit]:
    """Return the battalions steady at their side's exit (S14)."""
    way_out = state.edition.scenario.get("victory", {}).get("exit", {})
    units_there = [unit for hex_id in way_out.get("hexes", ()) for unit in state.own(hex_id, way_out["side"])]
    return [unit for unit in units_there if unit.kind == "inf" and unit.state == NORMAL]


def exact_points(state: State) -> dict[str, Fraction]:
    """Return both sides' points with fractions for PF since the last full point.

    If the scenario gives no points, a PF is a point.
    """
    points = {side: Fraction(value) for side, value in points_by_side(state).items()}
    per = state.edition.scenario.get("victory", {}).get("pf_per_point", 0)
    scored = "victory" in state.edition.scenario
    by_camp = {alliance_of(side): side for side in points}
    for side in points if per or not scored else ():
        lost = sum(n for other, n in state.dead.items() if alliance_of(other) == alliance_of(side))
        points[_enemy(by_camp, side)] += Fraction(lost % per, per) if scored else lost
    return points


def scoring_side(state: State, side: str) -> str:
    """Return the side that counts a side's points; empty if none."""
    return next((ours for ours in state.edition.phases if side in SIDES and alliance_of(ours) == alliance_of(side)), "")


def awards(state: State) -> dict[str, int]:
    """Return the points that a moderator has given to each side."""
    return {side: state.awards.get(side, 0) for side in state.edition.phases}


def _enemy(by_camp: dict[str, str], side: str) -> str:
    return next(other for ours, other in by_camp.items() if ours != alliance_of(side))


def count_points(state: State, task: Task) -> Outcome:
    """Count the points; after the last turn the scenario's margin decides (S14)."""
    points = points_by_side(state)
    victory_event = event("victory", "S14", points=points)
    last = state.edition.scenario.get("turns", 0)
    if not last or state.turn < last:
        return Did((victory_event,))
    return Did((victory_event, event("game over", "S14", winner=verdict(state, points), points=points)))


def verdict(state: State, points: Mapping[str, int]) -> str:
    """Return the winner if it ends now, ``draw``, or empty without scenario terms."""
    first, second = state.edition.phases
    needs, lead = needed_leads(state), points[first] - points[second]
    if not needs:
        return ""
    return first if lead >= needs[first] else second if -lead >= needs[second] else "draw"


def needed_leads(state: State) -> dict[str, int]:
    """Return each side's least winning lead; empty without a scenario's terms."""
    first, second = state.edition.phases
    rules = state.edition.scenario.get("victory", {})
    return {first: rules["first_needs"], second: -rules["second_needs"]} if "first_needs" in rules else {}


def find_certain_winner(state: State) -> str:
    """Return the side that wins whatever happens; empty if none is certain.

    All points still to be won are considered: every hex, colour and battery, the exit, and every enemy counter on
    the map or to come.
    """
    points = points_by_side(state)
    leader = verdict(state, points)
    if state.phase == "over" or leader not in points:
        return ""
    other = next(side for side in points if side != leader)
    rules, kept, given = state.edition.scenario["victory"], dict.fromkeys(points, 0), awards(state)
    for scored in points_earned(state):
        if scored.kind not in ("place", "exit", "routed"):
            kept[scored.side] += scored.points
    mine = [unit for unit in roster(state).values() if unit.is_combat and alliance_of(unit.side) == alliance_of(leader)]
    left = [state.units.get(unit.id, unit) for unit in mine if unit.id not in state.gone]
    most = given[other] + sum(rules.get("hexes", {}).values()) + rules.get("exit", {}).get("points", 0)
    most += max(rules.get("eliminated", 0), rules.get("routed", 0)) * len(mine)
    most += rules.get("battery", 0) * sum(unit.kind == "art" for unit in mine)
    most += rules.get("colour", 0) * sum(unit.id in rules.get("colours", ()) for unit in mine)
    dead = sum(n for side, n in state.dead.items() if alliance_of(side) == alliance_of(leader))
    # Without a price for PF the divisor is larger than any sum of PF, which gives 0 points.
    most += (dead + sum(unit.pf for unit in left)) // (rules.get("pf_per_point", 0) or 10**6)
    return leader if verdict(state, {**kept, other: most}) == leader else ""


POSITION_VALUES = PositionValues(
    worth=exact_points,
    party=scoring_side,
    winner=partial(winner_of, exact_points),
    safe=find_certain_winner,
    hindsight=with_revealed_orders,
)
_WON = {
    "colour": msg("{side} have taken colours and eagles, {a} points: {units}"),
    "battery": msg("{side} have taken guns, {a} points: {units}"),
    "exit": msg("{side} at the exit, {a} points, {n} battalions are needed: {units}"),
}


def winner_text(data: Data) -> Msg:
    """Return the text naming the winner."""
    if data["winner"] == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} win.", side=SIDE_NAMES[data["winner"]])


def _points_text(data: Data, before: State) -> Msg:
    (first, points), (second, two) = data["points"].items()
    return msg("Victory points: {one} {a}, {two} {b}.", one=SIDE_NAMES[first], a=points, two=SIDE_NAMES[second], b=two)


def prize_lines(view: State) -> Iterator[Msg]:
    """Yield a line for each kind of prize of a side."""
    needed = view.edition.scenario.get("victory", {}).get("exit", {}).get("battalions", 0)
    for kind, side, units, points in prizes(view):
        more = {"n": needed} if kind == "exit" else {}
        ids = tuple(unit.id for unit in units)
        yield msg(_WON[kind].text, side=SIDE_NAMES[side], a=points, units=ids, **more)


def trophy_lines(happened: Event, before: State) -> Iterator[Msg]:
    """Yield a line for each colour and battery lost in an event, if they count."""
    rules, data = before.edition.scenario.get("victory", {}), happened.data
    lost = data["units"] if happened.kind == "eliminated" else ()
    if happened.kind == "loses" and not data["left"]:
        lost = [data["unit"]]
    for unit in (before.units[ident] for ident in lost if ident in before.units):
        if rules.get("colour") and unit.id in rules["colours"]:
            yield _points_sentence(
                msg("{unit} has lost its colour or eagle: {a} points for {side}"), unit, rules["colour"], before
            )
        if rules.get("battery") and unit.kind == "art":
            yield _points_sentence(
                msg("the guns of {unit} are taken: {a} points for {side}"), unit, rules["battery"], before
            )


def _points_sentence(sentence: Msg, unit: Unit, points: int, before: State) -> Msg:
    enemy = next(side for side in before.edition.phases if alliance_of(side) != alliance_of(unit.side))
    return msg(sentence.text, unit=unit.id, a=points, side=SIDE_NAMES[scoring_side(before, enemy)])


Seen = Sequence[tuple[Event, State]]


def score_sheet(view: State, seat: str, seen: Seen) -> ScoreSheet:
    """Return the score in a seat's view and its changes in the seen events."""
    turns, over = view.edition.scenario.get("turns", 0), view.phase == "over"
    now = points_earned(view)
    points = sum_points(now, view.edition.phases)
    return ScoreSheet(
        turn=min(view.turn, turns or view.turn),
        turns=turns,
        # The present turn counts; a scenario without a last turn has none left.
        left=max(0, turns - max(view.turn, 1) + 1),
        over=over,
        leader=view.winner if over else verdict(view, points),
        goals=tuple(_goals(view)),
        tallies=tuple(_tallies(view)),
        scores=scores(points, needed_leads(view)),
        counted=tuple(now),
        gains=point_changes(points_earned(seen[0][1]) if seen else now, now),
        expected=() if over else tuple(_expected_arrivals(view)),
        armies=tuple(_army(view, side) for side in view.edition.phases),
        cite="S14" if over else "",
    )


def _goals(view: State) -> Iterable[Goal]:
    """Return the hexes that count, and the exit (S14)."""
    rules = view.edition.scenario.get("victory", {})
    for ident, worth in sorted(rules.get("hexes", {}).items()):
        there = view.holder(ident)
        holder = there or rules.get("owner", {}).get(ident, "")
        yield Goal("place", (ident,), worth, scoring_side(view, holder) if holder else "", bool(there))
    if way_out := rules.get("exit"):
        there = len(units_at_exit(view)) >= way_out["battalions"]
        side = scoring_side(view, way_out["side"])
        yield Goal("exit", tuple(way_out["hexes"]), way_out["points"], side if there else "", bool(units_at_exit(view)))


def _tallies(view: State) -> Iterable[PointSource]:
    rules = view.edition.scenario.get("victory", {})
    for kind in ("eliminated", "routed", "battery"):
        if rules.get(kind):
            yield PointSource(kind, rules[kind])
    if rules.get("pf_per_point"):
        yield PointSource("pf", 1, rules["pf_per_point"])
    if rules.get("colour"):
        yield PointSource("colour", rules["colour"], units=tuple(rules["colours"]))
    if way_out := rules.get("exit"):
        yield PointSource("exit", way_out["points"], way_out["battalions"], (way_out["side"], *way_out["hexes"]))


def _expected_arrivals(view: State) -> Iterable[Arrival]:
    """Return the expected reinforcements (S1)."""
    for group in waiting_reinforcements(view):
        units = [read_unit(text) for text in group["units"]]
        late, turn = group["turn"] < view.turn + 1, max(group["turn"], view.turn + 1)
        if turn <= view.edition.scenario.get("turns", turn):
            places = tuple(dict.fromkeys(unit.at for unit in units))
            ids = tuple(unit.id for unit in units)
            side = scoring_side(view, units[0].side)
            yield Arrival(side, turn, ids, places, group["name"], group.get("needs", 1), late)


def _army(view: State, side: str) -> Army:
    """Return a side with its friends.

    Guns count by their PF, losses by full PF (S14).
    """
    counters = view.counters(side)
    fighting = [unit for unit in counters if unit.is_combat]
    gone = (roster(view).get(ident) for ident in view.gone)
    lost = [unit for unit in gone if unit is not None and alliance_of(unit.side) == alliance_of(side)]
    return Army(
        side,
        sum(unit.kind in ("inf", "cav") for unit in counters),
        sum(unit.pf for unit in fighting),
        sum(unit.full for unit in (*fighting, *lost) if unit.is_combat),
        sum(unit.kind == "art" for unit in counters),
        sum(unit.kind == "cmd" for unit in counters),
        tuple(unit.id for unit in counters if unit.state == DISORDERED),
        tuple(unit.id for unit in counters if unit.state == ROUTED),
    )


def victory_terms(view: State, seat: str) -> Block:
    """Return the block on points, prizes and how to win."""
    block = won_by(score_sheet(view, seat, ()), score_words(view))
    carriers = tuple(view.edition.scenario.get("victory", {}).get("colours", ()))
    listed = (msg("Battalions with a colour or eagle: {units}", units=carriers),) if carriers else ()
    ground = (_GROUND,) if view.edition.scenario.get("victory", {}).get("hexes") else ()
    return block._replace(lines=(*block.lines, *((1, line) for line in (*ground, *listed, *prize_lines(view)))))


_GROUND = msg(
    "Points for a hex go to who stands there at the end; those of an empty one to its first owner, or to nobody if it "
    "had none"
)


def points_account(steps: Sequence[PositionChange]) -> Block:
    """Return the sources of a game's points."""
    end: State = steps[-1].after
    start = scores(sum_points(points_earned(steps[0].before), end.edition.phases), {})
    played = (
        AccountStep(
            step.turn,
            phase_names(SIDE_NAMES).get(step.phase),
            point_changes(points_earned(step.before), points_earned(step.after)),
        )
        for step in steps
    )
    return account_for_points(start, played, score_words(end))


def score_words(view: State) -> ScoreWords:
    """Return this game's words for the score."""
    rules = view.edition.scenario.get("victory", {})
    each, needed = rules.get("pf_per_point", 0), rules.get("exit", {}).get("battalions", 0)
    sides = {side: SIDE_NAMES[side] for side in view.edition.phases}
    return ScoreWords(sides, _KINDS, lambda gain: _gain(gain, each, needed), _arrival, _army_line, _tally, ())


_KINDS: Mapping[str, Msg] = {
    "place": msg("ground"),
    "eliminated": msg("counters eliminated"),
    "routed": msg("counters routed"),
    "colour": msg("colours"),
    "battery": msg("guns"),
    "exit": msg("exit"),
    "pf": msg("PF of the enemy"),
    "award": msg("moderator"),
}


def _gain(gain: Gain, each: int, needed: int) -> Msg:
    """Explain a change of points."""
    side = SIDE_NAMES.get(gain.what, msg("nobody"))
    if gain.kind == "place":
        was, now = (SIDE_NAMES[holder] if holder else msg("nobody") for holder in (gain.was, gain.now))
        return msg("hex {place}, from {was} to {now}", place=gain.what, was=was, now=now)
    if gain.kind == "pf":
        lost = msg("PF lost by {side}: {more}, {total} in all", side=side, more=gain.more, total=gain.total)
        return lost
    if gain.kind == "exit":
        return msg(
            "battalions of {side} at the exit: {total}, {needed} are needed", side=side, total=gain.total, needed=needed
        )
    if gain.kind == "award":
        return msg("given by the moderator")
    better = gain.more > 0
    sentence = _GAINS[gain.kind] if better or gain.kind != "routed" else _RALLIED
    return msg(sentence.text, side=side, units=gain.units)


_GAINS: Mapping[str, Msg] = {
    "eliminated": msg("out of play, of {side}: {units}"),
    "routed": msg("routed, of {side}: {units}"),
    "colour": msg("colours and eagles taken by {side}: {units}"),
    "battery": msg("guns taken by {side}: {units}"),
}
_RALLIED = msg("routed no more, of {side}: {units}")


def _arrival(arrivals: Sequence[Arrival]) -> Msg:
    """Return the possible arrivals from a turn on."""
    alike: dict[tuple[object, ...], Arrival] = {}
    for arrival in arrivals:
        key = (arrival.side, arrival.needs, arrival.places)
        earlier = alike.get(key)
        alike[key] = arrival._replace(units=earlier.units + arrival.units) if earlier else arrival
    parts = tuple(map(_comers, alike.values()))
    return msg("from turn {turn} on: {who}", turn=arrivals[0].turn, who=join_parts(parts))


_SIDES = 6
"""The highest number that the die of an arrival shows (S1)."""


def _comers(arrival: Arrival) -> Msg:
    gaps = {"side": SIDE_NAMES[arrival.side], "hexes": arrival.places, "units": arrival.units}
    if arrival.needs == _SIDES:
        return msg("{side}, on a {needs} each turn, in {hexes}: {units}", needs=arrival.needs, **gaps)
    if arrival.needs > 1:
        return msg("{side}, on a die of {needs} or more each turn, in {hexes}: {units}", needs=arrival.needs, **gaps)
    return msg("{side}, in {hexes}: {units}", **gaps)


def _army_line(army: Army) -> Msg:
    """Return the PF of a side, and its disordered or routed units."""
    sentence = msg("{side} {pf} PF of {full}", side=SIDE_NAMES[army.side], pf=army.strength, full=army.full)
    if army.shaken:
        sentence = msg("{told}, disordered {units}", told=sentence, units=army.shaken)
    if army.routed:
        sentence = msg("{told}, routed {units}", told=sentence, units=army.routed)
    return sentence


def _tally(tally: PointSource) -> Msg:
    return _TALLIES[tally.kind](tally)


def _exit(tally: PointSource) -> Msg:
    side, *hexes = tally.units
    return msg(
        "for {side} {each} or more of their battalions steady in {hexes} at the end, {n}",
        n=tally.points,
        side=SIDE_NAMES[side],
        each=tally.each,
        hexes=tuple(hexes),
    )


_TALLIES: Mapping[str, Callable[[PointSource], Msg]] = {
    "eliminated": lambda tally: msg("each enemy counter eliminated {n}", n=tally.points),
    "routed": lambda tally: msg("each one routed at the end {n}", n=tally.points),
    "battery": lambda tally: msg("the guns of each battery eliminated {n} more", n=tally.points),
    "pf": lambda tally: msg("every {n} PF that the enemy loses 1", n=tally.each),
    "colour": lambda tally: msg("each colour or eagle of an eliminated battalion {n} (BRIEF)", n=tally.points),
    "exit": _exit,
}


ENTRY_SENTENCES: Mapping[str, Teller] = {"victory": _points_text, "game over": lambda d, s: winner_text(d)}
