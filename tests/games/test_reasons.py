"""WHY and OBSERVE in every game: phases of bots, each happening taken apart, the onlooker beside the seats."""

import random

import pytest
from beacon_game import GAME as BEACON

from pbem.audit.dice import DiceStream
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import dumps
from pbem.engine.run.runners import Done, play, trace
from pbem.engine.terms import ONLOOKER, Orders
from pbem.installed import playable_games

GAMES = [*map(game_by_name, playable_games()), BEACON]
PHASES = 8


def wander(view, seat, pick):
    """A march of the beacon that is allowed, an attack if there is one, and a standing order."""
    near = view.edition.map.neighbours
    lines = [(f"MARCH {band} TO {to}", to) for band, place in view.own(seat).items() for to in near(place)]
    allowed = [line for line in lines if not BEACON.check(view, seat, BEACON.parse(line[0], view, seat).orders)]
    attacks = (
        [move for move in allowed if view.holder(move[1])] or [move for move in allowed if move[1] == "Hill"] or allowed
    )
    return f"{attacks[pick(len(attacks))][0]}\nSTANDING FOR SPACE Quay\nWHEN ATTACKED THEN YIELD\nENDSTANDING"


def phases(game):
    """Phases of the game's first scenario: state before, orders, dice, result."""
    chance = random.Random(5)
    state = game.start(game.edition(sorted(game.editions())[0], {}, {}))
    bots = game.bots or {"": wander}
    bot = bots[min(bots)]
    for number in range(PHASES):
        if game.phase(state) is None:
            return
        orders = {seat: Orders() for seat in game.seats(state)}
        for seat in orders:
            view = game.view(state, seat)
            read = game.parse(bot(view, seat, chance.randrange), view, seat).orders
            orders[seat] = read if seat in game.active(state) else Orders((), read.standing)
        dice = DiceStream(bytes([number]) * 64)
        done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
        assert isinstance(done, Done)
        yield state, orders, dice, done
        state = done.state


def states(game, state, events):
    for happened in events:
        yield happened, state
        state = game.rules.apply(state, happened)


def seen_by(game, seat, state, done):
    faults = []
    for happened, before in states(game, state, done.events):
        shown = game.see(happened, seat, before)
        if shown is not None:
            faults.append((shown, game.view(before, seat)))
    return faults


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_happening_can_be_taken_apart(game):
    charts = 0
    for state, orders, dice, done in phases(game):
        rolls = {rolled.label: rolled for rolled in done.rolls}
        for seat in game.seats(state):
            seen = seen_by(game, seat, state, done)
            view = game.view(done.state, seat)
            entries = game.telling.happenings(seen)
            shown_entries = game.telling.report(view, seat, seen).entries
            # A report may leave to WHY what decided nothing.
            assert [(entry.rule, entry.text) for entry in shown_entries] == [
                (entry.rule, entry.text) for entry in entries
            ]
            assert all(
                {*short.details} <= {*whole.details} for short, whole in zip(shown_entries, entries, strict=True)
            )
            places = []
            for number, entry in enumerate(entries, 1):
                because = game.telling.why(view, seat, seen, number, orders[seat])
                shown = because.entry.details[: len(entry.details)]
                assert because.entry._replace(details=shown) == entry
                assert set(because.labels) <= set(rolls)
                assert all("[" in text for text in because.charts)
                assert not because.standing or "standing order" in str(entry.details)
                places += because.events
                charts += len(because.charts)
            assert len(places) == len(set(places))
            assert game.telling.why(view, seat, seen, 0, orders[seat]) is None
            assert game.telling.why(view, seat, seen, len(entries) + 1, orders[seat]) is None
        traced = trace(
            game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}), game.telling.order_line
        )
        assert tuple(traced_event.event for traced_event in traced) == done.events
        written = {line.strip() for given in orders.values() for line in game.canon(given).splitlines()}
        assert {traced_event.origin for traced_event in traced} <= {"", *written}
    assert charts


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_an_onlooker_knows_no_more_than_any_seat(game):
    for state, _, _, done in phases(game):
        public = seen_by(game, ONLOOKER, state, done)
        events_told = [(happened.kind, happened.cite) for happened, _ in public]
        for seat in game.seats(state):
            own = [(happened.kind, happened.cite) for happened, _ in seen_by(game, seat, state, done)]
            assert not [event_told for event_told in events_told if event_told not in own]
        assert all("by" not in happened.data for happened, _ in public)
        assert all(happened.seen_by is None for happened, _ in public)
        report = game.telling.report(game.view(done.state, ONLOOKER), ONLOOKER, public)
        assert "standing" not in dumps(report.to_json())


@pytest.mark.parametrize("game", [game for game in GAMES if game.forecast is not None], ids=lambda game: game.name)
def test_what_is_no_attack_is_not_weighed(game):
    state = game.start(game.edition(sorted(game.editions())[0], {}, {}))
    for seat in game.seats(state):
        for text in ("", "PASS", "dance", "ASSAULT", "CHARGE nobody AT nowhere"):
            assert game.forecast.attack(text, game.view(state, seat), seat).rejected
