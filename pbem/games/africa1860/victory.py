"""O6 Check victory at the end of each turn, C12 breaking, and the standing.

Under fog the holder of a space out of sight is unknown, and so are the points; a seat knows its own reinforcements,
and the enemy units that it sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block
from pbem.engine.data.score_sheet import (
    UNSEEN_HOLDER,
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
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.end_phase import TURNS_TO_NEW_LEADER
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit, enemy_of, of_side, read_unit, roster
from pbem.games.africa1860.view import hears_by_couriers, may_hide, seen_spaces, visible_spaces


def points_earned(state: State) -> list[ScoredPoints]:
    """Return the points that count now, by reason.

    Reasons are spaces held, guns and convoys captured, steps that the enemy lost, awards.

    The scenario says how many points each is worth; without a scenario only captures count.
    """
    rules = state.edition.scenario.get("victory", {})
    result = []
    for space, value in sorted(rules.get("spaces", {}).items()):
        holder = state.holder(space) or rules.get("owner", {}).get(space, "")
        if holder:
            result.append(ScoredPoints(holder, "place", space, value))
    worth, per = rules.get("capture", 1), rules.get("steps_per_point", 0)
    for side in SIDES:
        taken, dead, given = state.captures.get(side, 0), state.dead.get(side, 0), state.awards.get(side, 0)
        result.append(
            ScoredPoints(side, "capture", side, worth * taken, taken, _captured_units(state, side) if taken else ())
        )
        if per:
            result.append(ScoredPoints(enemy_of(side), "steps", side, dead // per, dead))
        result.append(ScoredPoints(side, "award", side, given, given))
    return result


def _captured_units(state: State, side: str) -> tuple[str, ...]:
    """Return the guns and convoys that a side has taken."""
    lost = (ident for ident, how in state.gone.items() if how == "captured")
    return tuple(sorted(ident for ident in lost if (unit := roster(state).get(ident)) and unit.side != side))


def points_by_side(state: State) -> dict[str, int]:
    """Return both sides' victory points now."""
    return sum_points(points_earned(state), SIDES)


def exact_points(state: State) -> dict[str, Fraction]:
    """Return both sides' points with fractions for steps lost since the last point.

    If no scenario says what counts, a step is a point.
    """
    points = {side: Fraction(value) for side, value in points_by_side(state).items()}
    per = state.edition.scenario.get("victory", {"steps_per_point": 1}).get("steps_per_point", 0)
    if per:
        full = "victory" in state.edition.scenario
        for side in SIDES:
            dead = state.dead.get(side, 0)
            points[enemy_of(side)] += Fraction(dead % per if full else dead, per)
    return points


def awards(state: State) -> dict[str, int]:
    """Return the points that a moderator has given to each side."""
    return {side: state.awards.get(side, 0) for side in SIDES}


def count_points(state: State, task: Task) -> Outcome:
    """Count the points; after the last turn or a destroyed side decide the game.

    Rules: O6, C12, K7.2.

    C12, K7.2 If the scenario counts a broken or destroyed side as the loser, the other side has won; if both are,
    the margin decides.
    """
    points = points_by_side(state)
    victory_event = event("victory", "O6", points=points)
    last = state.edition.scenario.get("turns", 0)
    if not _lost_by_breaking(state) and not _destroyed_sides(state) and (not last or state.turn < last):
        return Did((victory_event,))
    winner, cite = winner_and_rule(state, points)
    return Did((victory_event, event("game over", cite, winner=winner, points=points)))


def winner_and_rule(state: State, points: Mapping[str, int]) -> tuple[str, str]:
    """Return the winner by these points if the game ends now, and the rule.

    ``draw`` if nobody wins.

    K7.2, C12 If one side alone is destroyed or beaten, the other wins whatever the points. The winner is empty if
    the scenario has no terms of victory.
    """
    needs = needed_leads(state)
    for lost, rule in ((_destroyed_sides(state), "K7.2"), (_lost_by_breaking(state), "C12")):
        if len(lost) == 1:
            return enemy_of(lost[0]), rule
    if not needs:
        return "", "O6"
    lead = points["spain"] - points["morocco"]
    return "spain" if lead >= needs["spain"] else "morocco" if -lead >= needs["morocco"] else "draw", "O6"


def _lost_by_breaking(state: State) -> list[str]:
    """C12 Return the broken sides, where the scenario counts those as lost."""
    return [*state.broken] if state.edition.scenario.get("victory", {}).get("broken_loses") else []


def _destroyed_sides(state: State) -> list[str]:
    """K7.2 Return the sides without a combat unit on the map or to come.

    Empty unless the scenario counts them as lost.
    """
    scenario = state.edition.scenario
    if not scenario.get("victory", {}).get("destroyed_loses"):
        return []
    later = range(state.turn + 1, scenario.get("turns", state.turn) + 1)
    to_come = (row["unit"] for row in scenario.get("reinforcements", ()) if row["turn"] in later)
    units = (*state.units.values(), *map(read_unit, (*state.waiting, *to_come)))
    remaining = {unit.side for unit in units if unit.is_combat}
    return [side for side in SIDES if side not in remaining]


def needed_leads(state: State) -> dict[str, int]:
    """Return the least winning lead by side; empty without any."""
    return leads_of(state.edition.scenario)


def leads_of(scenario: Mapping[str, Json]) -> dict[str, int]:
    """Return a scenario's smallest winning leads by side; empty without any."""
    rules = scenario.get("victory", {})
    return {"spain": rules["spain_needs"], "morocco": -rules["morocco_needs"]} if "spain_needs" in rules else {}


# C12 Breaking, an option of a scenario: a side that has lost too much neither assaults nor charges any more.


def break_sides(state: State, task: Task) -> Outcome:
    """C12 Break each side that has lost the scenario's share of all its steps.

    It counts from the side's next phase on.
    """
    events = []
    for side, lost, steps in sides_below_share(state):
        if side not in state.broken:
            turn = state.turn + (SIDES.index(side) <= SIDES.index(state.phase))
            events.append(event("breaks", "C12", side=side, lost=lost, steps=steps, turn=turn))
    return Did(tuple(events))


def sides_below_share(state: State) -> Iterator[tuple[str, int, int]]:
    """C12 Yield sides that lost the share, with their lost and total steps.

    Leaders have no steps; guns and trains that are captured are lost.
    """
    for side in SIDES:
        lost = state.dead.get(side, 0) + state.taken.get(side, 0)
        remaining = sum(unit.steps for unit in state.units.values() if unit.side == side and not unit.is_leader)
        if lost and 100 * lost >= state.edition.breaking * (lost + remaining):
            yield side, lost, lost + remaining


# What reports say of it.


def _points_text(data: Data, before: State) -> Msg:
    points = data["points"]
    return msg("Victory points: Spain {spain}, Morocco {morocco}.", spain=points["spain"], morocco=points["morocco"])


def winner_text(data: Data, before: State) -> Msg:
    """Return the text naming the winner."""
    if data["winner"] == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} wins.", side=SIDE_NAMES[data["winner"]])


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "breaks": of_side(
        msg("{side} breaks: {lost} of {steps} steps are lost. From its next phase on it neither assaults nor charges.")
    ),
    "victory": _points_text,
    "game over": winner_text,
}
OUTCOME_KINDS = frozenset(ENTRY_SENTENCES) - {"victory"}
"""Kinds of event that are results; the points are in the situation anyway."""


# How the game stands for a seat: goals, points, what changed, who is to come, the armies; and these in words.

Seen = Sequence[tuple[Event, State]]


def score_sheet(view: State, seat: str, seen: Seen) -> ScoreSheet:
    """Return a seat's score sheet, and its changes in the events that it saw."""
    scenario, side = view.edition.scenario, view.edition.seats.get(seat, "")
    foggy, known = may_hide(view, seat), visible_spaces(view, seat)
    turns, over = scenario.get("turns", 0), view.phase == "over"
    now = _visible_points(view, known)
    points = sum_points(now, SIDES)
    goals, terms = _goals(view, known), needed_leads(view)
    leader, cite = winner_and_rule(view, points)
    if over:
        leader = view.winner
    before = seen[0][1] if seen else view
    both = known & seen_spaces(before, seat) if foggy else known
    return ScoreSheet(
        turn=min(view.turn, turns or view.turn),
        turns=turns,
        # The present turn counts; a scenario without a last turn has none left.
        left=max(0, turns - max(view.turn, 1) + 1),
        over=over,
        leader="" if foggy else leader,
        goals=goals,
        tallies=_tallies(view),
        scores=scores(points, terms, known=not foggy),
        counted=tuple(now),
        gains=point_changes(_visible_points(before, both), _visible_points(view, both)),
        expected=() if over else tuple(_expected_arrivals(view, (side,) if foggy else SIDES)),
        armies=tuple(
            _army(view, army_side, foggy and (army_side != side or hears_by_couriers(view, seat)))
            for army_side in SIDES
        ),
        hidden=sum(goal.worth for goal in goals if goal.holder == UNSEEN_HOLDER),
        cite=cite if over else "",
    )


def how_to_win(view: State, seat: str) -> Block:
    """Return in words what counts, and how a side wins."""
    block = won_by(score_sheet(view, seat, ()), score_words(view))
    losses = (1, _LOSSES[view.edition.options["loss_basis"]])
    return block._replace(lines=(*((0, line) for line in holding_rule(view)), *block.lines, losses))


_LOSSES: Mapping[str, Msg] = {
    "defender-stack": msg("Shock losses begin at half the steps of all defenders [R24]."),
    "defender-vanguard": msg("Shock losses begin at half the defending vanguard's steps [R24]."),
    "opponent-stack": msg("Losses in the shock: each side's from half the steps of its enemy [C0, R24]."),
}


def holding_rule(view: State) -> tuple[Msg, ...]:
    """O6 Return how a goal is held, if the scenario has goals."""
    rules = view.edition.scenario.get("victory", {})
    owners = {rules.get("owner", {}).get(space, "") for space in rules.get("spaces", {})}
    if not owners:
        return ()
    if len(owners) > 1:
        return (_HELD, msg("An empty goal belongs again to the side that held it at the start."))
    return (msg(_HELD_OR_EMPTY.text, side=_holder(owners.pop())),)


_HELD = msg(
    "A side holds a goal if any unit of its own, even a leader, is there. Goals score at the end of the last turn."
)
_HELD_OR_EMPTY = msg(
    "A goal is held by any unit in it, even a leader; an empty one belongs to {side}. Goals score after the last turn."
)


def _visible_points(view: State, known: frozenset[str]) -> list[ScoredPoints]:
    """Return the points that count, without spaces out of sight."""
    return [scored for scored in points_earned(view) if scored.kind != "place" or scored.what in known]


def _goals(view: State, known: frozenset[str]) -> tuple[Goal, ...]:
    rules = view.edition.scenario.get("victory", {})
    goals = []
    for space, worth in sorted(rules.get("spaces", {}).items()):
        there = view.holder(space)
        holder = there or rules.get("owner", {}).get(space, "")
        seen = space in known
        goals.append(Goal("place", (space,), worth, holder if seen else UNSEEN_HOLDER, seen and bool(there)))
    return tuple(goals)


def _tallies(view: State) -> tuple[PointSource, ...]:
    rules = view.edition.scenario.get("victory", {})
    tallies = [PointSource("capture", rules.get("capture", 1))]
    if rules.get("steps_per_point", 0):
        tallies.append(PointSource("steps", 1, rules["steps_per_point"]))
    if view.edition.breaking:
        tallies.append(PointSource("broken" if rules.get("broken_loses") else "breaking", 0, view.edition.breaking))
    if rules.get("destroyed_loses"):
        tallies.append(PointSource("destroyed", 0))
    return tuple(tallies)


def _expected_arrivals(view: State, sides: Iterable[str]) -> Iterable[Arrival]:
    """O6 Return reinforcements still to come, barred ones first; O9 new leaders."""
    units_by_arrival: dict[tuple[int, str, str, bool], list[str]] = {}
    for text in view.waiting:
        unit = read_unit(text)
        units_by_arrival.setdefault((view.turn, unit.side, unit.at, True), []).append(unit.id)
    for row in view.edition.scenario.get("reinforcements", ()):
        unit = read_unit(row["unit"])
        if row["turn"] >= view.turn and unit.id not in view.units and unit.id not in view.gone:
            units_by_arrival.setdefault((row["turn"], unit.side, unit.at, False), []).append(unit.id)
    for side, ident, turn in view.lost:
        if turn + TURNS_TO_NEW_LEADER >= view.turn:
            units_by_arrival.setdefault((turn + TURNS_TO_NEW_LEADER, side, "", False), []).append(f"{ident}-2")
    # Of one turn and side barred units stay first: the sort keeps their order.
    for (turn, side, index, late), ids in sorted(
        units_by_arrival.items(), key=lambda entry: (entry[0][0], SIDES.index(entry[0][1]))
    ):
        if side in sides and turn <= view.edition.scenario.get("turns", turn):
            yield Arrival(side, turn, tuple(ids), (index,) if index else (), late=late)


def _army(view: State, side: str, dim: bool) -> Army:
    """Return a side's army on the map; its full steps include those of lost units."""
    units_here = [unit for _, unit in sorted(view.units.items()) if unit.side == side]
    combat = [unit for unit in units_here if unit.is_combat]
    gone = () if dim else (roster(view).get(ident) for ident in view.gone)
    lost = [unit for unit in gone if unit is not None and unit.side == side and unit.is_combat]
    return Army(
        side,
        len(combat),
        _steps(combat),
        sum(unit.full for unit in (*combat, *lost)),
        sum(unit.code == "ART" for unit in units_here),
        sum(unit.is_leader for unit in units_here),
        tuple(unit.id for unit in units_here if unit.demoralised),
        whole=not dim,
    )


def _steps(units: Iterable[Unit]) -> int:
    return sum(unit.steps for unit in units)


def points_account(steps: Sequence[PositionChange]) -> Block:
    """Return the sources of a game's points."""
    end: State = steps[-1].after
    start = scores(sum_points(points_earned(steps[0].before), SIDES), {})
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
    each = rules.get("steps_per_point", 0)
    return ScoreWords(
        SIDE_NAMES, _KINDS, lambda gain: _gain(gain, each), _arrival, _army_line, _tally, ("capture", "steps")
    )


_KINDS: Mapping[str, Msg] = {
    "place": msg("ground"),
    "capture": msg("guns and convoys"),
    "steps": msg("steps of the enemy"),
    "award": msg("moderator"),
}


def _gain(gain: Gain, each: int) -> Msg:
    """Return the reason why points were gained or lost."""
    if gain.kind == "place":
        return msg("{place}, from {was} to {now}", place=gain.what, was=_holder(gain.was), now=_holder(gain.now))
    if gain.kind == "capture":
        return msg("captured by {side}: {units}", side=SIDE_NAMES[gain.what], units=gain.units)
    if gain.kind == "steps":
        lost = msg(
            "steps lost by {side}: {more}, {total} in all",
            side=SIDE_NAMES[gain.what],
            more=gain.more,
            total=gain.total,
        )
        return lost if gain.points else msg("{lost}, a point for every {each}", lost=lost, each=each)
    return msg("given by the moderator")


def _holder(side: str) -> Msg:
    return SIDE_NAMES[side] if side else msg("nobody")


def _arrival(arrivals: Sequence[Arrival]) -> Msg:
    """Return an arrival at the end of a turn: side, place and units."""
    parts = tuple(map(_comers, arrivals))
    return msg("as turn {turn} ends: {who}", turn=arrivals[0].turn, who=join_parts(parts))


def _comers(arrival: Arrival) -> Msg:
    side, units = SIDE_NAMES[arrival.side], arrival.units
    if not arrival.places:
        return msg("{side}, at a rear town or entry: {units}", side=side, units=units)
    if arrival.late:
        return msg("{side}, held up outside {place}: {units}", side=side, place=arrival.places[0], units=units)
    return msg("{side}, {place}: {units}", side=side, place=arrival.places[0], units=units)


def _army_line(army: Army) -> Msg:
    """Return an army's steps of its full steps, and who is demoralised."""
    sentence = msg("{side} {n} steps of {full}") if army.whole else msg("{side} {n} steps in sight, of {full}")
    text = msg(sentence.text, side=SIDE_NAMES[army.side], n=army.strength, full=army.full)
    if army.shaken:
        text = msg("{told}, demoralised {units}", told=text, units=army.shaken)
    return text


def _tally(tally: PointSource) -> Msg:
    return _TALLIES[tally.kind](tally)


_TALLIES: Mapping[str, Callable[[PointSource], Msg]] = {
    "capture": lambda tally: msg("each gun or convoy captured {n}", n=tally.points),
    "steps": lambda tally: msg("every {n} steps that the enemy loses 1", n=tally.each),
    "breaking": lambda tally: msg("a side that has lost {n} in 100 of its steps breaks [C12]", n=tally.each),
    "broken": lambda tally: msg("a side that has lost {n} in 100 of its steps has lost the game [C12]", n=tally.each),
    "destroyed": lambda tally: msg("a side with no combat unit left or to come has lost the game [K7.2]"),
}


def find_certain_winner(state: State) -> str:
    """Return the side that wins whatever happens; empty if none is certain.

    All points still to be won are considered: every space, and every enemy unit on the map or to come. If a side
    can lose whatever the points, nobody is certain to win.
    """
    points, rules = points_by_side(state), state.edition.scenario.get("victory", {})
    leader = winner_and_rule(state, points)[0]
    if state.phase == "over" or leader not in points or rules.get("broken_loses") or rules.get("destroyed_loses"):
        return ""
    kept, foe = dict.fromkeys(SIDES, 0), enemy_of(leader)
    for scored in points_earned(state):
        if scored.kind != "place":
            kept[scored.side] += scored.points
    left = [state.units.get(ident, unit) for ident, unit in roster(state).items() if ident not in state.gone]
    left = [unit for unit in left if unit.side == leader]
    kept[foe] += sum(rules.get("spaces", {}).values())
    kept[foe] += rules.get("capture", 1) * sum(unit.code in ("ART", "CNV") for unit in left)
    if per := rules.get("steps_per_point", 0):
        # What was lost since the last full point counts with the rest.
        kept[foe] += (state.dead.get(leader, 0) % per + _steps(unit for unit in left if unit.is_combat)) // per
    return leader if winner_and_rule(state, kept)[0] == leader else ""


POSITION_VALUES = PositionValues(
    safe=find_certain_winner,
    worth=exact_points,
    party=lambda state, side: side if side in SIDES else "",
    winner=partial(winner_of, exact_points),
    # An assault, to the end of its shock.
    engaged=lambda state: state.fight is not None,
)
