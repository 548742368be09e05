"""M Several commanders a side, by letters: who is told what, when a phase closes, and what a silent one costs."""

import re

import pytest

from pbem.play.replay import replay
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.store import queries
from tests.harness.battle import PlayedBattle
from tests.letters.stories import masked

SEATS = ("ros", "prim", "odonnell", "abbas", "ahmed", "caid")
MARCH = "ACTIVATE LlanoEste\nMOVE Arapiles, Castilla, Catalanes, Cordoba WITH Prim TO LlanoCentro\nEND"


def table(folder, *options, seats=SEATS, scenario="tetuan", **more):
    folder.mkdir(exist_ok=True)
    return PlayedBattle(folder, scenario=scenario, seats=seats, options=("commands=split", *options), **more)


def phases(made):
    with made.server.session() as session:
        return [(row.turn, row.name, row.state) for row in queries.phases.all_phases(session, "g1")]


LETTERS = (
    "STATUS; HISTORY",
    "VERIFY T1\nACTIVATE Ribera\nMOVE Baza TO Huertas\nEND",
    "MAP; MOVES LlanoEste; BRIEF",
    "ORDERS T1\nACTIVATE Ribera\nMOVE Baza TO Huertas\nEND",
    "ODDS ASSAULT Lagunas WITH Zamora LED BY Ros; WHY 1",
    "HELP; LIST; DICE T1",
    "GO",
)
SETS = (
    f"ORDERS T1\n{MARCH}",
    "ORDERS T1\nWAIT FOR ros\nACTIVATE Aduana\nMOVE Alba, Leon, Saboya WITH Orozco TO LlanoEste\nEND",
    "ORDERS T1\nPASS\nEND",
)


def answers(folder, text):
    """All that Ros is told before the phase closes, where Prim has sent this."""
    made = table(folder)
    made.answer("prim", text)
    replies = [masked(made, made.answer("ros", letter)) for letter in LETTERS]
    made.server.engine.dispose()
    return replies


def test_nothing_of_anothers_set_is_felt_before_the_phase_closes(tmp_path):
    first, *others = [answers(tmp_path / str(n), text) for n, text in enumerate(SETS)]
    assert all(other == first for other in others)


def test_anothers_units_are_refused_by_letter_with_the_way_out(tmp_path):
    made = table(tmp_path)
    answer = made.answer("prim", "ORDERS T1\nACTIVATE Ribera\nMOVE Baza TO Huertas\nEND")
    assert "Baza is under ros: he orders it himself" in answer
    assert "M1" in answer
    assert "ASSIGN" in answer
    answer = made.answer("ros", "ORDENES T1\nACTIVAR Aduana\nMOVER Alba A LlanoEste\nFIN")
    assert "Alba está al mando de prim" in answer


def test_the_brief_parts_those_of_ones_side_from_the_enemy(tmp_path):
    made = table(tmp_path)
    answer = " ".join(made.answer("prim", "BRIEF").split())
    assert "You play Spain (seat prim) with Spain (seat odonnell), Spain (seat ros), against Moro" in answer
    answer = " ".join(made.answer("ros", "SITUACION").split())
    assert "A su lado: España (puesto odonnell), España (puesto prim). Enfrente: Marruecos (puesto " in answer


def test_a_shown_set_is_seen_and_taken_in_by_the_side_alone(tmp_path):
    made = table(tmp_path)
    made.answer("prim", f"ORDERS T1\nSHOW SIDE\n{MARCH}")
    seen = made.answer("odonnell", "VERIFY T1\nPASS\nEND")
    assert "The set of prim, as it stands" in seen
    assert "MOVE Arapiles, Castilla, Catalanes, Cordoba WITH Prim TO LlanoCentro" in seen
    assert "Taken in are the sets of prim; those of ros are not shown to you." in seen
    assert "El pliego de prim, tal como está" in made.answer("ros", "ESTADO")
    for enemy in ("abbas", "ahmed", "caid"):
        assert "LlanoCentro" not in made.answer(enemy, "STATUS")
        assert "as it stands" not in made.answer(enemy, "VERIFY T1\nPASS\nEND")
    made.answer("prim", f"ORDERS T1\n{MARCH}")
    assert "as it stands" not in made.answer("odonnell", "STATUS")


def test_the_phase_closes_when_all_commanders_said_go(tmp_path):
    made = table(tmp_path)
    made.answer("prim", f"ORDERS T1\n{MARCH}")
    made.answer("odonnell", "ORDERS T1\nPASS\nEND\nGO")
    answer = made.answer("ros", "ORDENES T1\nACTIVAR Ribera\nMOVER Baza A Huertas\nFIN")
    assert "faltan por decirlo: prim. Plazo" in " ".join(answer.split())
    made.wait(120)
    assert phases(made) == [(1, "spain", "open")]
    made.answer("ros", "YA")
    made.answer("prim", "WAIT")
    made.wait(1)
    assert phases(made) == [(1, "spain", "open")]
    made.answer("prim", "GO")
    made.wait(1)
    assert phases(made) == [(1, "spain", "resolved"), (1, "morocco", "open")]
    report = " ".join(made.last_to("prim").split())
    assert report.index("The set of prim.") < report.index("The set of odonnell.")
    assert "Sets are carried out in this order: odonnell, prim, ros." in report
    assert "The set of prim." not in made.last_to("abbas")
    assert "1. odonnell (O'Donnell)" in report
    assert "Los mandos de su bando" in made.last_to("ros")
    with made.server.work() as work:
        assert replay(work, "g1").difference is None


def test_a_go_without_orders_leaves_it_at_standing_orders(tmp_path):
    made = table(tmp_path)
    for seat in ("ros", "prim", "odonnell"):
        made.answer(seat, "GO")
    made.wait(1)
    assert phases(made) == [(1, "spain", "resolved"), (1, "morocco", "open")]
    assert "Deadlines missed so far" not in made.last_to("prim")


def test_a_silent_commander_holds_nobody_up(tmp_path):
    """Through the whole ladder: the others of his side go on, and no game is held for him."""
    made = table(tmp_path, terms=Terms(ladder=("standing", "standby", "moderator")))
    for turn in range(1, 5):
        for side in (("ros", "odonnell"), ("abbas", "ahmed", "caid")):
            for seat in side:
                made.answer(seat, f"ORDERS T{turn}\nPASS\nEND\nGO")
            made.wait(60 * 24 * 4)
    assert phases(made)[-1] == (5, "spain", "open")
    assert all(state == "resolved" for _, _, state in phases(made)[:-1])
    with made.server.session() as session:
        game = queries.games.game(session, "g1")
        assert game is not None
        assert game.state == "running"


def test_a_silent_command_is_covered_by_letter(tmp_path):
    """Prim sends nothing on turn 1: on turn 2 O'Donnell moves his battalions, and may not fight with them."""
    made = table(tmp_path)
    refused = made.answer("odonnell", "ORDERS T1\nCOVER prim\nACTIVATE LlanoEste\nMOVE Cordoba TO LlanoCentro\nEND")
    assert "prim is not silent: who sends nothing in a phase is covered in the next" in " ".join(refused.split())
    for seat in ("ros", "odonnell"):
        made.answer(seat, "ORDERS T1\nPASS\nEND\nGO")
    made.wait(60 * 24 * 2)
    for seat in ("abbas", "ahmed", "caid"):
        made.answer(seat, "ORDERS T1\nPASS\nEND\nGO")
    made.wait(1)
    answer = made.answer("odonnell", "ORDERS T2\nCOVER prim\nACTIVATE LlanoEste\nMOVE Cordoba TO LlanoCentro\nEND")
    assert "odonnell covers prim, who sent nothing: his units move and retire. [M4]" in " ".join(answer.split())
    assert "Cordoba: from LlanoEste to LlanoCentro" in answer
    assert "CUBRIR prim" in made.answer("ros", "ORDENES T2\nCUBRIR prim\nFIN")
    made.answer("odonnell", "GO")
    made.answer("ros", "ORDENES T2\nPASAR\nFIN\nYA")
    made.wait(60 * 24 * 2)
    assert "odonnell cubre a prim, que no envió nada" in " ".join(made.last_to("ros").split())
    assert "covers" not in made.last_to("abbas")
    with made.server.work() as work:
        assert replay(work, "g1").difference is None


def confirmed(made, seat, command):
    """Send a command, and then the line with its code that the answer shows."""
    shown = made.answer(seat, command)
    made.answer(seat, next(line for line in shown.splitlines() if re.match(rf"{command} (CODE|CODIGO) \S+", line)))


@pytest.mark.parametrize(
    ("command", "who"), [("CONCEDE", ("prim", "odonnell", "ros")), ("DRAW", ("caid", "abbas", "ahmed"))]
)
def test_a_concession_needs_all_commanders_of_the_side_and_a_draw_all_seats(tmp_path, command, who):
    made = table(tmp_path)
    seats = (*who, "prim", "odonnell", "ros") if command == "DRAW" else who
    words = {"CONCEDE": "RENDIRSE", "DRAW": "TABLAS"}
    for seat in seats:
        assert phases(made)[-1] == (1, "spain", "open")
        confirmed(made, seat, words[command] if seat == "ros" else command)
    with made.server.session() as session:
        game = queries.games.game(session, "g1")
        assert game is not None
        assert game.state == "over"


def test_activations_one_by_one_are_for_one_commander(tmp_path):
    with pytest.raises(UserError, match="several seats have one side"):
        table(tmp_path, terms=Terms(pace="activation"))
