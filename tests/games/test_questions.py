"""Every game asks: each window of many phases can be asked by letter, in words, and goes on as if it never paused."""

import random
from string import ascii_uppercase

import pytest

from pbem.audit.dice import DiceStream
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.run.questions import Asks, knowable, matters
from pbem.engine.run.runners import Paused, play, resume
from pbem.engine.terms import Orders
from pbem.games.peninsular.doctrine import WINDOWS as PENINSULAR
from pbem.games.peninsular.questions import _ASKED as PENINSULAR_ASKED
from pbem.letters.catalogue import load_catalogue

GAMES = (("africa1860", "castillejos", 6), ("peninsular", "barrosa", 3))


def test_every_window_has_a_question():
    assert PENINSULAR.keys() == PENINSULAR_ASKED.keys()


@pytest.mark.parametrize(("name", "scenario", "turns"), GAMES, ids=[game[0] for game in GAMES])
def test_a_game_that_asks_about_everything_can_be_played(name, scenario, turns):
    game, luck = game_by_name(name), random.Random(7)
    state = game.start(game.edition(scenario, {}, {}))
    bot = next(iter(game.bots.values()))
    seats = tuple(game.seats(state))
    spanish, asked, idle = load_catalogue("es", name), 0, 0
    for phase in range(2 * turns):
        if game.phase(state) is None:
            break
        orders = {seat: Orders() for seat in seats}
        for seat in game.active(state):
            view = game.view(state, seat)
            orders[seat] = game.parse(bot(view, seat, random.Random(phase).randrange), view, seat).orders
        answers: dict[str, tuple[str, ...]] = {}
        sent: tuple[Event, ...] = ()
        while True:
            decisions = game.decisions(state, orders, answers, Asks(frozenset(seats)))
            result = resume(game.rules, game.world(state, orders), DiceStream(bytes([phase]) * 64), decisions, sent)
            if not isinstance(result, Paused):
                break

            def wording(position, window, silence):
                return game.telling.question(game.view(position, window.seat), window, silence)

            questions = knowable(game.rules, result.world, decisions, wording, seats)
            assert questions[0].window == result.windows[0]
            if not matters(game.rules, result.world, questions[0]):
                idle += 1
                assert len(ends(game, state, orders, answers, questions[0], phase)) == 1
            for question in questions:
                values = [option.value for option in question.question.options]
                assert question.silence.value in values
                assert len(set(values)) == len(values) <= len(ascii_uppercase)
                assert spanish.say(question.question.text)
                answers[question.window.id] = luck.choice(values)
            asked, sent = asked + len(questions), result.events
        # The answers alone give the same again, and nobody need be asked.
        again = play(
            game.rules,
            game.world(state, orders),
            DiceStream(bytes([phase]) * 64),
            game.decisions(state, orders, answers),
        )
        assert not isinstance(again, Paused)
        assert dumps([e.to_json() for e in again.events]) == dumps([e.to_json() for e in result.events])
        state = game.decode(game.encode(result.state), game.edition(scenario, {}, {}))
        assert game.invariants(state) == ()
    assert asked > 10
    # What an answer of the other game decides always happens otherwise.
    assert bool(idle) == (name == "africa1860")


def ends(game, state, orders, answers, asked, phase):
    """The positions that a phase ends in after each answer to a question."""
    values_found = set()
    for option in asked.question.options:
        given = {**answers, asked.window.id: option.value}
        done = play(
            game.rules, game.world(state, orders), DiceStream(bytes([phase]) * 64), game.decisions(state, orders, given)
        )
        values_found.add(dumps(game.encode(done.state)))
    return values_found
