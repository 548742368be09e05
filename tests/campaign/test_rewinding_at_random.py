"""Games in which a moderator rules at random: after every step they replay, go on, and have lost nothing."""

import random

import pytest
from sqlmodel import select

from pbem.play.replay import replay
from pbem.play.rulings import ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.game import CALM, PlayedGame

STEPS = 24


def move(house, dice):
    """Orders for the phase that is open, some with a die, some of which cannot be when they are carried out."""
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    units = ("Ant", "Bee") if phase.name == "north" else ("Cat", "Dog")
    lines = [f"{dice.choice(('MOVE', 'CREEP'))} {dice.choice(units)} TO s{dice.randint(1, 9)}" for _ in range(2)]
    wish = dice.choice(("WAIT\n", "GO\n", ""))
    house.write(phase.name, wish + "\n".join([f"ORDERS T{phase.turn}", *lines, "END", ""]))
    if dice.random() < 0.7:
        house.clock.set(max(house.clock.now(), phase.deadline))
    house.tick()


def line(house, dice):
    """A ruling that may or may not be possible."""
    phase = dice.choice(house.all(tables.Phase))
    named = f"T{phase.turn}.{phase.name}"
    edit = f"EDIT UNIT {dice.choice(('Ant', 'Bee', 'Cat', 'Dog'))} AT s{dice.randint(0, 9)}"
    return dice.choice((edit, f"REOPEN {named}", f"READJUDICATE {named}", f"READJUDICATE {named} WITHOUT M1"))


@pytest.mark.parametrize("seed", [11, *(pytest.param(seed, marks=pytest.mark.full) for seed in (10, 13, 14))])
def test_whatever_is_ruled_the_game_replays_and_goes_on(tmp_path, seed):
    house = PlayedGame(tmp_path, options={"turns": "9"}, terms=CALM._replace(ladder=("standing",)))
    dice, made, refused = random.Random(seed), 0, 0
    kept: dict[int | None, tuple[int, str]] = {}
    for _ in range(STEPS):
        if dice.random() < 0.5:
            move(house, dice)
        else:
            try:
                with house.server.work() as work:
                    order = ruling_lines.read_line(f"{line(house, dice)} BECAUSE of the dice")
                    ruling_lines.make_ruling(work, "g1", order)
                made += 1
            except UserError:
                refused += 1
        with house.server.work() as work:
            assert replay(work, "g1").difference is None
            now = {row.id: (row.phase_id, row.body) for row in work.session.exec(select(tables.Event)).all()}
        assert kept.items() <= now.items()
        kept = now
        assert [row.state for row in house.all(tables.Phase)].count("open") == 1
        assert any(due.kind == "close" for due in house.all(tables.Due))
    assert made > 1
    assert refused > 0
    numbers = [row.number for row in (*house.all(tables.Phase), *house.all(tables.Basis))]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    house.server.engine.dispose()
