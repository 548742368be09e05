"""How games went, of what is stored: phases of several segments, rulings, numbers of letters."""

import pytest

from pbem.audit.dice import DiceStream
from pbem.cli.rulebooks import game_by_name
from pbem.cli.simulate import NAME, QuestionMode, SimulatedMatch, Simulation
from pbem.engine.data.events import Event
from pbem.engine.run.steps import BROKEN_OFF
from pbem.play.chapters import Viewer, gather_chronicle, make_chapter, make_chronicle
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.store import migrations
from pbem.store.engine import open_engine
from tests.games.africa1860.test_fog import start


def went(mode, places=(), events=()):
    """How a short game of bots went."""
    engine = open_engine("sqlite://")
    migrations.upgrade(engine)
    match = SimulatedMatch(engine, Simulation("africa1860", "drill", "forward", places, events), mode, "seed", None)
    match.play()
    with match.server.work() as work:
        chronicle = make_chronicle(gather_chronicle(work, NAME))
    engine.dispose()
    return chronicle


@pytest.mark.full
@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(QuestionMode("letters", 0.0, Terms(pace=ACTIVATION_PACE)), id="letters", marks=pytest.mark.full),
        pytest.param(QuestionMode("whole"), id="whole"),
    ],
)
def test_every_roll_follows_from_the_key_of_its_segment(mode):
    chronicle = went(mode)
    assert chronicle.over
    rolls = 0
    for phase_chapter in chronicle.chapters:
        assert len(phase_chapter.origins) == len(phase_chapter.seen)
        for label, thrown in phase_chapter.throws.items():
            beta = bytes.fromhex(phase_chapter.keys[thrown.key])
            assert DiceStream(beta).roll(label, thrown.n, thrown.sides) == thrown.values
            rolls += 1
    assert rolls > 20
    many = {len(phase_chapter.keys) for phase_chapter in chronicle.chapters}
    assert many == ({2} if mode.terms.pace == ACTIVATION_PACE else {1})
    segments = {(given.seat, given.segment) for phase_chapter in chronicle.chapters for given in phase_chapter.orders}
    assert (("spain", 2) in segments) == (mode.terms.pace == ACTIVATION_PACE)


def test_numbers_of_letters_that_differ_are_told_of_each_seat_when_it_is_over():
    """That his orders broke off only who gave them was told: from there on the letter of the other counts otherwise."""
    rules, state = game_by_name("africa1860"), start("off")
    stop = {"side": "spain", "order": "STOP IF TURN AT LEAST 1", "line": 1, "values": []}
    happened = [
        (Event("activates", "O3", {"side": "spain", "space": "Nudos"}), state),
        (Event(BROKEN_OFF, "O3", stop), state),
        (Event("activates", "O3", {"side": "spain", "space": "Tarajal"}), state),
    ]
    over, seen = (
        make_chapter(Viewer(rules, seat, over), ("T1.spain", 1, "spain"), state, happened, state)
        for seat, over in (("", True), ("morocco", False))
    )
    assert over.numbers == {"spain": (1, 2, 3), "morocco": (1, 0, 2)}
    assert len(over.seen) == 3
    assert len(seen.seen) == 2
    assert seen.numbers == {}
