"""Goals, points and what changed, in games of bots: what is told is what the position and the scenario say."""

import hashlib
import random
from functools import cache

import pytest

from pbem.audit.dice import DiceStream
from pbem.cli.rulebooks import game_by_name, games
from pbem.engine.data.messages import plain_english
from pbem.engine.run.runners import play
from pbem.engine.terms import Orders, PositionChange
from pbem.letters.catalogue import load_catalogue

SCENARIOS = [(name, scenario) for name in games() for scenario in sorted(game_by_name(name).editions())]
SEEDS = {
    "castillejos": 4,
    "brigades": 2,
    "drill": 8,
    "tetuan": 1,
    "wadras": 1,
    "barrosa": 1,
    "rolica": 1,
    "training": 3,
    "usagre": 2,
}


OFTEN = pytest.mark.parametrize("often", [False, pytest.param(True, marks=pytest.mark.full)])


def seeds(scenario, often):
    """How many games of a scenario are looked at: a third of them at first."""
    return range(SEEDS[scenario] if often else -(-SEEDS[scenario] // 3))


@cache
def phases(name, scenario, seed):
    """A game of bots: turn and name of each phase, the position before it, its events and the position after it."""
    game, luck = game_by_name(name), random.Random(seed)
    state, sheets = game.start(game.edition(scenario, {}, {})), []
    while (phase := game.phase(state)) is not None:
        orders = {}
        for seat in game.seats(state):
            view = game.view(state, seat)
            orders[seat] = Orders(
                game.parse(game.bots["forward"](view, seat, luck.randrange), view, seat).orders.actions
            )
        dice = DiceStream(hashlib.sha512(f"{seed} {phase}".encode()).digest())
        done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
        sheets.append((phase, state, done))
        state = done.state
    return sheets


def africa(state):
    """Points of Africa 1859-60, counted by hand."""
    rules = state.edition.scenario["victory"]
    points = {"spain": 0, "morocco": 0}
    for space, worth in rules["spaces"].items():
        there = {unit.side for unit in state.units.values() if unit.at == space}
        points[(there or {rules["owner"][space]}).pop()] += worth
    points["spain"] += rules["capture"] * state.captures.get("spain", 0)
    points["morocco"] += rules["capture"] * state.captures.get("morocco", 0)
    points["spain"] += state.dead.get("morocco", 0) // rules["steps_per_point"]
    points["morocco"] += state.dead.get("spain", 0) // rules["steps_per_point"]
    return points


def peninsular(state):
    """Points of Peninsular for the French, and for all others together, counted by hand."""
    rules = state.edition.scenario["victory"]
    points = {True: 0, False: 0}

    def french(side):
        return side == "french"

    for hex_id, worth in rules["hexes"].items():
        there = {french(unit.side) for unit in state.units.values() if unit.at == hex_id}
        if not there and hex_id in rules.get("owner", {}):
            there = {french(rules["owner"][hex_id])}
        if there:
            points[there.pop()] += worth
    roster = {text.split()[2]: text.split() for text in state.edition.scenario["units"]}
    for group in state.edition.scenario.get("reinforcements", ()):
        roster |= {text.split()[2]: text.split() for text in group["units"]}
    for ident in state.gone:
        side, kind = roster[ident][:2] if ident in roster else ("", "cmd")
        if kind != "cmd":
            points[not french(side)] += rules["eliminated"]
            points[not french(side)] += rules.get("battery", 0) * (kind == "art")
            points[not french(side)] += rules.get("colour", 0) * (ident in rules.get("colours", ()))
    for unit in state.units.values():
        points[not french(unit.side)] += rules["routed"] * (unit.state == "DE" and unit.kind != "cmd")
    for side in (True, False):
        points[not side] += sum(n for who, n in state.dead.items() if french(who) == side) // rules["pf_per_point"]
    if exit_ := rules.get("exit"):
        out = [
            unit
            for unit in state.units.values()
            if unit.at in exit_["hexes"] and french(unit.side) and unit.kind == "inf" and unit.state == "normal"
        ]
        points[True] += exit_["points"] * (len(out) >= exit_["battalions"])
    return {"british": points[False], "french": points[True]}


BY_HAND = {"africa1860": africa, "peninsular": peninsular}


@OFTEN
@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_points_and_holders_are_those_of_the_position_and_changes_add_up(name, scenario, often):
    game, count_told = game_by_name(name), 0
    assert game.scored is not None
    party = game.scored.party
    for seed in seeds(scenario, often):
        for _, before, done in phases(name, scenario, seed):
            was = BY_HAND[name](before)
            for seat in game.seats(before):
                seen = [(event, game.view(then, seat)) for event, then in zip(done.events, [before], strict=False)]
                sheet = game.telling.stakes(game.view(done.state, seat), seat, seen)
                points = {score.side: score.points for score in sheet.scores}
                assert points == BY_HAND[name](done.state)
                for side in points:
                    assert sum(dict(gain.points).get(side, 0) for gain in sheet.gains) == points[side] - was[side]
                count_told += len(sheet.gains)
                for goal in sheet.goals:
                    if goal.kind == "place":
                        there = {unit.side for unit in done.state.units.values() if unit.at == goal.places[0]}
                        assert goal.manned == bool(there)
                        if there:
                            assert {party(done.state, side) for side in there} == {goal.holder}
    assert count_told > (5 if often else 1)


@OFTEN
@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_the_winner_told_is_the_one_who_won_and_nobody_else_lacks_nothing(name, scenario, often):
    game = game_by_name(name)
    for seed in seeds(scenario, often):
        *_, (_, _, done) = phases(name, scenario, seed)
        over = next(event for event in done.events if event.kind == "game over")
        seat = next(iter(game.seats(done.state)))
        sheet = game.telling.stakes(game.view(done.state, seat), seat, ())
        assert sheet.over
        assert (sheet.leader, sheet.cite) == (over.data["winner"], over.cite)
        assert [score.side for score in sheet.scores if score.lacks == 0] == [sheet.leader] * (sheet.leader != "draw")


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_the_account_of_a_game_says_where_each_point_came_from(name, scenario):
    """Points at the beginning and all that is told of phases come to the points at the end, in either language."""
    game = game_by_name(name)
    played = phases(name, scenario, 0)
    steps = [PositionChange(turn, phase, before, done.state) for (phase, turn), before, done in played]
    block = game.telling.account(steps)
    sums = BY_HAND[name](played[0][1])
    scores = game.telling.stakes(played[0][1], next(iter(game.seats(played[0][1]))), ()).scores
    names = {plain_english(game.telling.side(score.side)): score.side for score in scores}
    assert (
        plain_english(block.lines[0][1])
        == "At the beginning: " + ", ".join(f"{n} {sums[s]}" for n, s in names.items()) + "."
    )
    for _, line in block.lines:
        for change in dict(line.args).get("points", ()) if line.text.startswith("{why}") else ():
            sums[names[plain_english(dict(change.args)["side"])]] += int(dict(change.args)["n"])
    assert sums == BY_HAND[name](played[-1][2].state)
    spanish = load_catalogue("es", name)
    assert all(spanish.say(line) for _, line in block.lines)


def test_who_is_to_come_has_not_come_and_comes_when_told():
    game = game_by_name("africa1860")
    totals: dict[tuple[str, ...], set[int]] = {}
    for (_, turn), before, done in phases("africa1860", "castillejos", 1):
        sheet = game.telling.stakes(before, "spain", ())
        for arrival in sheet.expected:
            assert arrival.turn >= turn
            assert not {*arrival.units} & {*before.units}
            totals.setdefault(arrival.units, set()).add(arrival.turn)
        for event in done.events:
            if event.kind == "enters":
                due = [arrival for arrival in sheet.expected if event.data["id"] in arrival.units]
                assert [arrival.turn for arrival in due] == [turn]
    assert len(totals) >= 12


def test_barrosas_spaniards_are_expected_on_a_die():
    game = game_by_name("peninsular")
    state = game.start(game.edition("barrosa", {}, {}))
    cruz, begines = game.telling.stakes(game.view(state, "french"), "french", ()).expected
    assert (cruz.side, cruz.turn, cruz.name, cruz.needs) == ("british", 4, "Cruz", 5)
    assert (begines.turn, begines.places) == (6, ("0102", "0103"))


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS)
def test_every_scenario_has_a_brief_in_both_languages_for_each_side(name, scenario):
    rulebook, state = (
        game_by_name(name).rulebook,
        game_by_name(name).start(game_by_name(name).edition(scenario, {}, {})),
    )
    both = [rulebook.brief(scenario, language) for language in ("en", "es")]
    for gaps in both:
        assert {"line", "battle", *game_by_name(name).seats(state).values()} == set(gaps)
        assert all(0 < len(text) < 600 for text in gaps.values())
    assert both[0]["battle"] != both[1]["battle"]
    assert rulebook.brief("nowhere") == {}


@pytest.mark.parametrize("name", games())
def test_rules_alone_lists_what_has_no_rule_above_it(name):
    rulebook = game_by_name(name).rulebook
    for language in ("en", "es"):
        numbers = [line.split()[0] for line in rulebook.contents(language)]
        assert len(numbers) == len(set(numbers)) > 20
        assert not [number for number in numbers if "." in number and number.rpartition(".")[0] in numbers]
        parts = sum(len(rulebook.rule(number, language)) for number in numbers if not number[-1].isalpha())
        assert parts >= len(rulebook.rule("1", language))


def test_sentences_of_stakes_hold_only_what_can_be_said():
    """Everything a seat is told of the stakes goes into letters: messages, words, numbers."""
    for name, scenario in SCENARIOS:
        game = game_by_name(name)
        state = game.start(game.edition(scenario, {}, {}))
        for seat in game.seats(state):
            block = game.telling.winning(game.view(state, seat), seat)
            assert all(plain_english(line) for _, line in block.lines)
