"""S14 Victory: the points of the scenario, how the game stands by them, and both in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block
from pbem.engine.data.stakes import (
    Account,
    Army,
    Arrival,
    Gain,
    Goal,
    ScoredPoints,
    Stakes,
    Tally,
    Wording,
    account_for,
    gains,
    scores,
    sum_points,
)
from pbem.engine.data.stakes import winning as won_by
from pbem.engine.deployment import phases
from pbem.engine.parts import ScoredGame
from pbem.engine.reasons import Teller
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.standard import winner_of
from pbem.engine.terms import Step
from pbem.games.peninsular.edition import SIDE_NAMES, SIDES, camp
from pbem.games.peninsular.end_phase import awaited
from pbem.games.peninsular.state import State, hindsight
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, read_unit, reserves


class Prize(NamedTuple):
    """S14 What a side has won besides ground and losses: ``colour``, ``battery`` or ``exit``; whose they were, or who
    stands there; and the points."""

    kind: str
    side: str
    units: tuple[Unit, ...]
    points: int


def counted(state: State) -> list[ScoredPoints]:
    """Return what points are counted for now: hexes held, enemy counters eliminated or routed, enemy PF lost, colours
    and batteries taken, battalions at the exit, awards.

    What each is worth stands in the scenario; without one nothing counts.
    """
    rules = state.edition.scenario.get("victory", {})
    found = []
    for ident, value in sorted(rules.get("hexes", {}).items()):
        holder = state.holder(ident) or rules.get("owner", {}).get(ident, "")
        if holder:
            found.append(ScoredPoints(party(state, holder), "place", ident, value))
    for prize in prizes(state):
        ids = tuple(unit.id for unit in prize.units)
        found.append(ScoredPoints(prize.side, prize.kind, prize.side, prize.points, len(ids), ids))
    per, given = rules.get("pf_per_point", 0), awards(state)
    for side in state.edition.phases:
        foe = next(one for one in state.edition.phases if one != side)
        routed = tuple(u.id for u in state.counters(side) if u.is_combat and u.state == ROUTED)
        lost = sum(n for one, n in state.toll.items() if camp(one) == camp(side))
        dead = sum(n for one, n in state.dead.items() if camp(one) == camp(side))
        if rules.get("eliminated"):
            found.append(
                ScoredPoints(foe, "eliminated", side, rules["eliminated"] * lost, lost, _eliminated(state, side))
            )
        if rules.get("routed"):
            found.append(ScoredPoints(foe, "routed", side, rules["routed"] * len(routed), len(routed), routed))
        if per:
            found.append(ScoredPoints(foe, "pf", side, dead // per, dead))
        found.append(ScoredPoints(side, "award", side, given[side], given[side]))
    return found


def _eliminated(state: State, side: str) -> tuple[str, ...]:
    """The counters of a side and its friends that are out of play."""
    lost = (roster(state).get(ident) for ident in state.gone)
    return tuple(sorted(unit.id for unit in lost if unit and unit.is_combat and camp(unit.side) == camp(side)))


def count(state: State) -> dict[str, int]:
    """Return the points of both sides now."""
    return sum_points(counted(state), state.edition.phases)


def prizes(state: State) -> list[Prize]:
    """S14 Return the colours and guns that each side has taken, and who stands at the exit, where they count."""
    rules = state.edition.scenario.get("victory", {})
    found = []
    for kind, lost in (("colour", colours(state)), ("battery", guns(state))):
        value = rules.get(kind, 0)
        for side in state.edition.phases if value else ():
            units = tuple(unit for unit in lost if camp(unit.side) != camp(side))
            found.append(Prize(kind, side, units, value * len(units)))
    way_out, there = rules.get("exit", {}), tuple(gone_out(state))
    if there:
        through = len(there) >= way_out["battalions"]
        found.append(Prize("exit", party(state, way_out["side"]), there, way_out["points"] if through else 0))
    return [prize for prize in found if prize.units]


def roster(state: State) -> Mapping[str, Unit]:
    """Return the counters that the scenario brings, at once or later, as they begin."""
    known = state.edition.remembered
    if "roster" not in known:
        now = map(read_unit, state.edition.scenario.get("units", ()))
        known["roster"] = {unit.id: unit for unit in (*now, *reserves(state.edition.scenario))}
    found: Mapping[str, Unit] = known["roster"]
    return found


def colours(state: State) -> list[Unit]:
    """S14 Return the battalions that have lost their colour or eagle: those that carried one and are eliminated."""
    carriers = state.edition.scenario.get("victory", {}).get("colours", ())
    return [roster(state)[ident] for ident in carriers if ident in state.gone]


def guns(state: State) -> list[Unit]:
    """S14 Return the batteries that were lost."""
    lost = [unit for ident in state.gone if (unit := roster(state).get(ident)) is not None]
    return sorted(unit for unit in lost if unit.kind == "art")


def gone_out(state: State) -> list[Unit]:
    """S14 Return the battalions that stand steady at the exit of their side: they are as good as through."""
    way_out = state.edition.scenario.get("victory", {}).get("exit", {})
    there = [unit for at in way_out.get("hexes", ()) for unit in state.own(at, way_out["side"])]
    return [unit for unit in there if unit.kind == "inf" and unit.state == NORMAL]


def worth(state: State) -> dict[str, Fraction]:
    """Return the points of both sides with the fractions that PF lost since the last full point are worth.

    Where no scenario says what counts, a PF is a point.
    """
    points = {side: Fraction(value) for side, value in count(state).items()}
    per = state.edition.scenario.get("victory", {}).get("pf_per_point", 0)
    scored = "victory" in state.edition.scenario
    by_camp = {camp(side): side for side in points}
    for side in points if per or not scored else ():
        lost = sum(n for other, n in state.dead.items() if camp(other) == camp(side))
        points[_enemy(by_camp, side)] += Fraction(lost % per, per) if scored else lost
    return points


def party(state: State, side: str) -> str:
    """Return the side that a side, or one of its friends, counts its points for; empty if it is none."""
    return next((ours for ours in state.edition.phases if side in SIDES and camp(ours) == camp(side)), "")


def awards(state: State) -> dict[str, int]:
    """Return the points that a moderator has given to each side."""
    return {side: state.awards.get(side, 0) for side in state.edition.phases}


def _enemy(by_camp: dict[str, str], side: str) -> str:
    return next(other for ours, other in by_camp.items() if ours != camp(side))


def victory(state: State, task: Task) -> Outcome:
    """S14 The points are counted; after the last turn the scenario's margin decides."""
    points = count(state)
    told = event("victory", "S14", points=points)
    last = state.edition.scenario.get("turns", 0)
    if not last or state.turn < last:
        return Did((told,))
    return Did((told, event("game over", "S14", winner=verdict(state, points), points=points)))


def verdict(state: State, points: Mapping[str, int]) -> str:
    """Return who wins with these points if it ends now, ``draw`` if nobody does; empty without terms of a scenario."""
    first, second = state.edition.phases
    needs, lead = leads(state), points[first] - points[second]
    if not needs:
        return ""
    return first if lead >= needs[first] else second if -lead >= needs[second] else "draw"


def leads(state: State) -> dict[str, int]:
    """Return the least lead over the other with which each side wins; empty where no scenario says."""
    first, second = state.edition.phases
    rules = state.edition.scenario.get("victory", {})
    return {first: rules["first_needs"], second: -rules["second_needs"]} if "first_needs" in rules else {}


def find_safe_leader(state: State) -> str:
    """Return the side that wins even if all that can still count goes to the other; empty if none does.

    All means every hex, colour and battery, the exit, and every enemy counter on the map or to come.
    """
    points = count(state)
    leader = verdict(state, points)
    if state.phase == "over" or leader not in points:
        return ""
    other = next(side for side in points if side != leader)
    rules, kept, given = state.edition.scenario["victory"], dict.fromkeys(points, 0), awards(state)
    for one in counted(state):
        if one.kind not in ("place", "exit", "routed"):
            kept[one.side] += one.points
    mine = [unit for unit in roster(state).values() if unit.is_combat and camp(unit.side) == camp(leader)]
    left = [state.units.get(unit.id, unit) for unit in mine if unit.id not in state.gone]
    most = given[other] + sum(rules.get("hexes", {}).values()) + rules.get("exit", {}).get("points", 0)
    most += max(rules.get("eliminated", 0), rules.get("routed", 0)) * len(mine)
    most += rules.get("battery", 0) * sum(unit.kind == "art" for unit in mine)
    most += rules.get("colour", 0) * sum(unit.id in rules.get("colours", ()) for unit in mine)
    dead = sum(n for side, n in state.dead.items() if camp(side) == camp(leader))
    most += (dead + sum(unit.pf for unit in left)) // (rules.get("pf_per_point", 0) or 10**6)
    return leader if verdict(state, {**kept, other: most}) == leader else ""


SCORED = ScoredGame(
    worth=worth, party=party, winner=partial(winner_of, worth), safe=find_safe_leader, hindsight=hindsight
)
_WON = {
    "colour": msg("{side} have taken colours and eagles, {a} points: {units}"),
    "battery": msg("{side} have taken guns, {a} points: {units}"),
    "exit": msg("{side} at the exit, {a} points, {n} battalions are needed: {units}"),
}


def over(data: Data) -> Msg:
    """Who has won."""
    if data["winner"] == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} win.", side=SIDE_NAMES[data["winner"]])


def _tell_points(data: Data, before: State) -> Msg:
    (first, one), (second, two) = data["points"].items()
    return msg("Victory points: {one} {a}, {two} {b}.", one=SIDE_NAMES[first], a=one, two=SIDE_NAMES[second], b=two)


def won(view: State) -> Iterator[Msg]:
    """Return a line for each kind of prize that a side has."""
    needed = view.edition.scenario.get("victory", {}).get("exit", {}).get("battalions", 0)
    for kind, side, units, points in prizes(view):
        more = {"n": needed} if kind == "exit" else {}
        ids = tuple(unit.id for unit in units)
        yield msg(_WON[kind].text, side=SIDE_NAMES[side], a=points, units=ids, **more)


def taken(happened: Event, before: State) -> Iterator[Msg]:
    """Return a line for each colour and each battery that is lost in an event, where the scenario counts them."""
    rules, data = before.edition.scenario.get("victory", {}), happened.data
    lost = data["units"] if happened.kind == "eliminated" else ()
    if happened.kind == "loses" and not data["left"]:
        lost = [data["unit"]]
    for unit in (before.units[ident] for ident in lost if ident in before.units):
        if rules.get("colour") and unit.id in rules["colours"]:
            yield _pays(
                msg("{unit} has lost its colour or eagle: {a} points for {side}"), unit, rules["colour"], before
            )
        if rules.get("battery") and unit.kind == "art":
            yield _pays(msg("the guns of {unit} are taken: {a} points for {side}"), unit, rules["battery"], before)


def _pays(sentence: Msg, unit: Unit, points: int, before: State) -> Msg:
    enemy = next(side for side in before.edition.phases if camp(side) != camp(unit.side))
    return msg(sentence.text, unit=unit.id, a=points, side=SIDE_NAMES[party(before, enemy)])


Seen = Sequence[tuple[Event, State]]


def stakes(view: State, seat: str, seen: Seen) -> Stakes:
    """Return how the game stands in a seat's view, and what changed in the events that it saw."""
    turns, over = view.edition.scenario.get("turns", 0), view.phase == "over"
    now = counted(view)
    points = sum_points(now, view.edition.phases)
    return Stakes(
        turn=min(view.turn, turns or view.turn),
        turns=turns,
        left=max(0, turns - max(view.turn, 1) + 1),
        over=over,
        leader=view.winner if over else verdict(view, points),
        goals=tuple(_goals(view)),
        tallies=tuple(_tallies(view)),
        scores=scores(points, leads(view)),
        counted=tuple(now),
        gains=gains(counted(seen[0][1]) if seen else now, now),
        expected=() if over else tuple(_expected(view)),
        armies=tuple(_army(view, side) for side in view.edition.phases),
        cite="S14" if over else "",
    )


def _goals(view: State) -> Iterable[Goal]:
    """S14 The hexes that count, and the way out."""
    rules = view.edition.scenario.get("victory", {})
    for ident, worth in sorted(rules.get("hexes", {}).items()):
        there = view.holder(ident)
        holder = there or rules.get("owner", {}).get(ident, "")
        yield Goal("place", (ident,), worth, party(view, holder) if holder else "", bool(there))
    if way_out := rules.get("exit"):
        there = len(gone_out(view)) >= way_out["battalions"]
        side = party(view, way_out["side"])
        yield Goal("exit", tuple(way_out["hexes"]), way_out["points"], side if there else "", bool(gone_out(view)))


def _tallies(view: State) -> Iterable[Tally]:
    rules = view.edition.scenario.get("victory", {})
    for kind in ("eliminated", "routed", "battery"):
        if rules.get(kind):
            yield Tally(kind, rules[kind])
    if rules.get("pf_per_point"):
        yield Tally("pf", 1, rules["pf_per_point"])
    if rules.get("colour"):
        yield Tally("colour", rules["colour"], units=tuple(rules["colours"]))
    if way_out := rules.get("exit"):
        yield Tally("exit", way_out["points"], way_out["battalions"], (way_out["side"], *way_out["hexes"]))


def _expected(view: State) -> Iterable[Arrival]:
    """S1 Who may still come."""
    for group in awaited(view):
        units = [read_unit(text) for text in group["units"]]
        late, turn = group["turn"] < view.turn + 1, max(group["turn"], view.turn + 1)
        if turn <= view.edition.scenario.get("turns", turn):
            places = tuple(dict.fromkeys(unit.at for unit in units))
            ids = tuple(unit.id for unit in units)
            side = party(view, units[0].side)
            yield Arrival(side, turn, ids, places, group["name"], group.get("needs", 1), late)


def _army(view: State, side: str) -> Army:
    """A side and its friends, guns with their PF; of what it has lost, the full PF count as well (S14)."""
    here = view.counters(side)
    fighting = [unit for unit in here if unit.is_combat]
    gone = (roster(view).get(ident) for ident in view.gone)
    lost = [unit for unit in gone if unit is not None and camp(unit.side) == camp(side)]
    return Army(
        side,
        sum(unit.kind in ("inf", "cav") for unit in here),
        sum(unit.pf for unit in fighting),
        sum(unit.full for unit in (*fighting, *lost) if unit.is_combat),
        sum(unit.kind == "art" for unit in here),
        sum(unit.kind == "cmd" for unit in here),
        tuple(unit.id for unit in here if unit.state == DISORDERED),
        tuple(unit.id for unit in here if unit.state == ROUTED),
    )


def winning(view: State, seat: str) -> Block:
    """Return what counts, and how one wins, in words."""
    return won_by(stakes(view, seat, ()), wording(view))


def account(steps: Sequence[Step]) -> Block:
    """Return where the points of a game came from."""
    end: State = steps[-1].after
    start = scores(sum_points(counted(steps[0].before), end.edition.phases), {})
    played = (
        Account(step.turn, phases(SIDE_NAMES).get(step.phase), gains(counted(step.before), counted(step.after)))
        for step in steps
    )
    return account_for(start, played, wording(end))


def wording(view: State) -> Wording:
    """Return what this game says of all that."""
    rules = view.edition.scenario.get("victory", {})
    each, needed = rules.get("pf_per_point", 0), rules.get("exit", {}).get("battalions", 0)
    sides = {side: SIDE_NAMES[side] for side in view.edition.phases}
    return Wording(sides, _KINDS, lambda gain: _gain(gain, each, needed), _arrival, _army_line, _tally)


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
    """Why points came or went."""
    side = SIDE_NAMES.get(gain.what, msg("nobody"))
    if gain.kind == "place":
        was, now = (SIDE_NAMES[one] if one else msg("nobody") for one in (gain.was, gain.now))
        return msg("hex {place}, from {was} to {now}", place=gain.what, was=was, now=now)
    if gain.kind == "pf":
        lost = msg("PF lost by {side}: {more}, {total} in all", side=side, more=gain.more, total=gain.total)
        return lost if gain.points else msg("{lost}, a point for every {each}", lost=lost, each=each)
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
    """Who may come from a turn on."""
    said, *rest = map(_comers, arrivals)
    for part in rest:
        said = msg("{a}; {b}", a=said, b=part)
    return msg("from turn {turn} on: {who}", turn=arrivals[0].turn, who=said)


def _comers(arrival: Arrival) -> Msg:
    gaps = {"side": SIDE_NAMES[arrival.side], "hexes": arrival.places, "units": arrival.units}
    if arrival.needs > 1:
        return msg("{side}, on a die of {needs} or more each turn, in {hexes}: {units}", needs=arrival.needs, **gaps)
    return msg("{side}, in {hexes}: {units}", **gaps)


def _army_line(army: Army) -> Msg:
    """Counters, PF of how many, batteries, commanders; who is disordered or routed."""
    told = msg(
        "{side}: battalions and regiments {units}, PF {pf} of {full}, batteries {guns}, commanders {leaders}",
        side=SIDE_NAMES[army.side],
        units=army.units,
        pf=army.strength,
        full=army.full,
        guns=army.guns,
        leaders=army.leaders,
    )
    if army.shaken:
        told = msg("{told}; disordered: {units}", told=told, units=army.shaken)
    if army.routed:
        told = msg("{told}; routed: {units}", told=told, units=army.routed)
    return told


def _tally(tally: Tally) -> Msg:
    return _TALLIES[tally.kind](tally)


def _exit(tally: Tally) -> Msg:
    side, *hexes = tally.units
    return msg(
        "for {side} {each} or more of their battalions steady in {hexes} at the end, {n}",
        n=tally.points,
        side=SIDE_NAMES[side],
        each=tally.each,
        hexes=tuple(hexes),
    )


_TALLIES: Mapping[str, Callable[[Tally], Msg]] = {
    "eliminated": lambda tally: msg("each enemy counter eliminated {n}", n=tally.points),
    "routed": lambda tally: msg("each one routed at the end {n}", n=tally.points),
    "battery": lambda tally: msg("the guns of each battery eliminated {n} more", n=tally.points),
    "pf": lambda tally: msg("every {n} PF that the enemy loses 1", n=tally.each),
    "colour": lambda tally: msg(
        "the colour or eagle of each of these battalions, if it is eliminated, {n} ({units})",
        n=tally.points,
        units=tally.units,
    ),
    "exit": _exit,
}


HEADS: Mapping[str, Teller] = {"victory": _tell_points, "game over": lambda d, s: over(d)}
