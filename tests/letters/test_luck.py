"""What hung on the dice: told in answers to DICE, bounded, remembered, and never from what its reader may not know."""

import re
from random import Random

import pytest
from sqlmodel import select

from pbem.audit.signing import secrets_of
from pbem.engine import luck
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import plain_english
from pbem.engine.run.odds import Memory
from pbem.engine.run.runners import walk
from pbem.engine.run.steps import Window
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.peninsular.bots import BOTS
from pbem.play.commands.questions import dice_luck
from pbem.play.positions import read_position
from pbem.store import queries, tables
from tests.harness.battle import PlayedBattle
from tests.harness.server import LOG

ORDERS = "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n"
LOSSES = "STANDING FOR SPACE Cresta\nWHEN ASSAULTED THEN LOSSES AngheraUno ; FALLBACK Morabito\nENDSTANDING"
HEAD = "What depended on the dice of turn"


DICE = secrets_of("games.example/pbem", LOG, b"dice of tests 36".ljust(32, b"."))
"""With this key of the dice Morocco has losses to take in the fight."""


class Lossy(PlayedBattle):
    secrets = DICE


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    game = Lossy(tmp_path_factory.mktemp("table"))
    game.answer("morocco", LOSSES)
    game.answer("spain", ORDERS)
    game.wait(31)
    yield game
    game.server.engine.dispose()


@pytest.fixture
def table(played):
    """The table after a phase, of which nothing is remembered; the game goes on from test to test."""
    object.__setattr__(played.server.caches, "luck", Memory())
    return played


@pytest.fixture
def weighed(monkeypatch):
    """How often a phase was weighed."""
    count = []
    weigh = luck.evaluate_phase

    def counted(*args):
        count.append(args)
        return weigh(*args)

    monkeypatch.setattr(luck, "evaluate_phase", counted)
    return count


def asked(table, seat):
    with table.server.work() as work:
        game = work.session.get_one(tables.Game, "g1")
        return dice_luck.gather_phases_to_evaluate(work, queries.phases.resolved_phases(work.session, game.id), seat)


def test_a_phase_is_weighed_once_for_each_reader(table, weighed):
    first, again = (table.answer("morocco", "DICE T1").partition(HEAD)[2] for _ in range(2))
    assert first == again != ""
    assert "your luck" in first
    assert len(weighed) == 1
    table.answer("spain", "DADOS T1")
    assert len(weighed) == 2


def test_nobody_is_weighed_by_the_standing_orders_of_another(table):
    """Morocco's LOSSES answer for Morocco and for the moderator; in what Spain is told, the default does."""
    answers = {}
    for seat in ("spain", "morocco", dice_luck.EVERYTHING):
        request = asked(table, seat)
        (_, _, inputs) = request.phases[0]
        fights = [state for state in states(inputs) if state.fight is not None and state.fight.enemy_vanguard]
        window = Window(fights[-1].fight.address, "losses", "morocco", "", ("AngheraUno",))
        answers[seat] = inputs.reckoned.answer(inputs.eyes.know(fights[-1]), window).by
    assert answers == {
        "spain": "default",
        "morocco": "standing SPACE Cresta 1",
        dice_luck.EVERYTHING: "standing SPACE Cresta 1",
    }


def states(inputs):
    for _, moment in walk(GAME.rules, inputs.run.world, inputs.run.dice, inputs.run.dice):
        yield moment.world.state


def test_both_sides_are_told_the_same_luck_with_other_signs(table):
    by_seat = {seat: dice_luck.evaluate_luck(table.server, asked(table, seat), 10_000) for seat in ("spain", "morocco")}
    spain, morocco = dice_luck.total_luck(by_seat["spain"], 0), dice_luck.total_luck(by_seat["morocco"], 1)
    assert spain[0] == pytest.approx(-morocco[0])
    assert spain[1] == pytest.approx(morocco[1]) != 0


def test_every_die_is_counted_once_also_of_what_a_ruling_took_back(table):
    with table.server.work() as work:
        game = work.session.get_one(tables.Game, "g1")
        before = dice_luck.gather_dice_page(work, game).faces
        (row,) = queries.phases.resolved_phases(work.session, game.id)
        thrown = [(n, values) for _, n, sides, values in loads(row.rolls or "") if sides > 1]
        assert sum(map(sum, before[""].values())) == sum(n for n, _ in thrown)
        assert before[""] == {
            sides: [before["spain"][sides][face] + before["morocco"][sides][face] for face in range(sides)]
            for sides in (2, 6)
        }
        # The same phase resolved once more, and void: its dice are the same, but for one that is rolled there alone.
        rolls = dumps([*loads(row.rolls or ""), ["end/recover Leon", 1, 6, [6]]])
        again = row.model_dump() | {"id": None, "number": 99, "run": 2, "again_of": row.id, "state": "void"}
        work.session.add(tables.Phase(**again | {"rolls": rolls}))
        work.session.flush()
        after = dice_luck.gather_dice_page(work, game).faces
        assert [now - then for now, then in zip(after[""][6], before[""][6], strict=True)] == [0, 0, 0, 0, 0, 1]
        assert after[""][2] == before[""][2]
        work.session.rollback()


def test_the_page_says_what_it_could_not_weigh(table):
    with table.server.work() as work:
        page = dice_luck.gather_dice_page(work, work.session.get_one(tables.Game, "g1"))
    lines = [plain_english(line) for _, line in dice_luck.dice_page_lines(table.server, page, 10)]
    assert "Dice in all: " in lines[0]
    assert any(line.startswith("Not weighed here") and line.endswith(": T1") for line in lines)
    whole = [plain_english(line) for _, line in dice_luck.dice_page_lines(table.server, page, 10_000)]
    assert not any(line.startswith("Not weighed here") for line in whole)
    empty = page._replace(faces={"": {}})
    assert [plain_english(line) for _, line in dice_luck.dice_page_lines(table.server, empty, 10)] == [
        "No dice have been thrown yet."
    ]


def test_a_letter_has_room_for_so_many_steps_and_no_more(table, monkeypatch):
    monkeypatch.setattr(dice_luck, "PER_LETTER", 10)
    answers = [table.answer("morocco", "DICE T1") for _ in range(2)]
    for answer in answers:
        assert "Not weighed in this letter, for it would take too long; ask for them\n    apart: T1" in answer
    # What is remembered by now costs what it cost.
    assert answers[0].partition(HEAD)[2] == answers[1].partition(HEAD)[2]


def test_a_fault_in_the_luck_loses_no_letter(table, monkeypatch):
    def broken(*args):
        raise ArithmeticError

    messages = []
    monkeypatch.setattr(luck, "evaluate_phase", broken)
    monkeypatch.setattr(dice_luck.log, "exception", lambda message, **more: messages.append(message), raising=False)
    answer = table.answer("morocco", "DICE T1")
    assert "Dice of turn 1, Spanish phase\n" in answer
    assert "The luck could not be reckoned; the operator can read why in the log." in " ".join(answer.split())
    assert messages == ["luck cannot be reckoned"]


def test_several_turns_are_told_together_and_without_their_rolls(table):
    table.answer("morocco", "ORDERS T1\nPASS\nEND")
    table.wait(31)
    table.answer("spain", "ORDERS T2\nPASS\nEND")
    table.wait(31)
    answer = table.answer("morocco", "DICE T1-T2")
    assert "What depended on the dice of turns 1 to 2\n" in answer
    assert "Turn 1, Spanish phase, from Nudos to Cresta: your luck" in answer
    assert "Dice of turn" not in answer
    assert "Nothing is over of those turns" in table.answer("morocco", "DICE T5-T9")


def test_when_the_game_is_over_everything_is_known(table):
    with table.server.session() as session:
        (game,) = session.exec(select(tables.Game))
        game.state = "over"
        session.add(game)
    (_, key, _) = asked(table, "spain").phases[0]
    assert key[-1] == dice_luck.EVERYTHING


@pytest.mark.full
def test_the_other_game_tells_it_too_and_both_sides_agree(tmp_path):
    table = PlayedBattle(tmp_path, "training", game="peninsular", seats=("british", "french"))
    rules, chance = table.server.plugins.games("peninsular"), Random(11)
    for seat in ("british", "french", "british", "french"):
        with table.server.work() as work:
            position = read_position(work, work.session.get_one(tables.Game, "g1"))
        view = rules.view(position.state, seat)
        orders = rules.parse(BOTS["forward"](view, seat, chance.randrange), view, seat).orders
        table.answer(seat, f"ORDERS T{position.state.turn}\n{rules.canon(Orders(orders.actions))}\nEND\n")
        table.wait(31)
    english, spanish = table.answer("french", "DICE T1-T2"), table.answer("british", "DADOS T1-T2")
    luck_en = re.search(r"Your luck in these turns: ([-+][\d.]+) points", " ".join(english.split()))
    luck_es = re.search(r"Su suerte en estos turnos es de ([-+][\d,]+) puntos", " ".join(spanish.split()))
    assert luck_en is not None
    assert luck_es is not None
    assert float(luck_en[1]) == -float(luck_es[1].replace(",", ".")) != 0
    table.server.engine.dispose()
