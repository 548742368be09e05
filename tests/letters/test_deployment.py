"""A phase of both sides at once: neither hears of the other's orders before it closes, and then both do."""

import re

import pytest

from pbem.cli.letter_checks import Rulebooks, verify_items
from pbem.cli.rulebooks import game_by_name, games
from pbem.play.replay import replay
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from pbem.store import queries
from pbem.verifier.record import OK
from tests.audit.checked import QUICK, items, reader
from tests.harness.battle import PlayedBattle
from tests.letters.stories import masked
from tests.letters.test_true_letters import one_at_a_time, proofs

LETTERS = (
    "STATUS; HISTORY",
    "VERIFY T0\nDEPLOY Nizam TO Centro\nEND",
    "MAP; MOVES Campamento; BRIEF",
    "ODDS ASSAULT Cresta WITH Nizam LED BY MuleyAbbas; WHY 1",
    "ORDERS T0\nDEPLOY Nizam TO Centro\nEND",
    "HELP; LIST; DICE T0",
)
DEPLOYED = (
    "ORDERS T0\nDEPLOY Prim, Principe TO Nudos\nEND",
    "ORDERS T0\nDEPLOY Cuenca, Orozco, Montana1 TO Tarajal\nDEPLOY Luchana TO Nudos\nEND",
    "ORDERS T0\nPASS\nEND",
)
OUT_OF_SIGHT = ("ORDERS T0\nPASS\nEND", "ORDERS T0\nDEPLOY Alba, Leon, Montado3 TO Ribera\nDEPLOY Prim TO Aduana\nEND")


def table(folder, *options, **more):
    folder.mkdir(exist_ok=True)
    return PlayedBattle(folder, options=("deploy=on", *options), **more)


def phases(made):
    with made.server.session() as session:
        return [(row.turn, row.name, row.state) for row in queries.phases.all_phases(session, "g1")]


def answers(folder, deployed):
    """All that Morocco is told before the phase closes."""
    made = table(folder)
    made.answer("spain", deployed)
    replies = [masked(made, made.answer("morocco", letter)) for letter in LETTERS]
    made.server.engine.dispose()
    return replies


def test_nothing_of_a_deployment_is_felt_before_all_are_revealed(tmp_path):
    first, *others = [answers(tmp_path / str(n), deployed) for n, deployed in enumerate(DEPLOYED)]
    assert all(other == first for other in others)


def test_guns_that_would_never_get_out_of_a_marsh_are_worth_a_second_look(tmp_path):
    made = table(tmp_path, scenario="tetuan")
    answer = made.answer("spain", "VERIFICAR T0\nDESPLEGAR Caballo A Lagunas\nDESPLEGAR Montado3 A Ribera\nFIN")
    assert "Caballo no tiene ningún camino para salir de Lagunas: se quedará allí [C11]" in " ".join(answer.split())
    assert "sale de Ribera" not in answer
    made.answer("spain", "FIJAR IDIOMA en")
    answer = made.answer("spain", "VERIFY T0\nDEPLOY Prim, Arapiles, Caballo, Montana TO Lagunas\nEND")
    assert "no way out of Lagunas bears Caballo, Montana: they stay there [C11]" in " ".join(answer.split())
    made.server.engine.dispose()


def test_under_fog_nothing_out_of_sight_is_revealed_at_all(tmp_path):
    reports = []
    for n, deployed in enumerate(OUT_OF_SIGHT):
        made = table(tmp_path / str(n), "fog=on", scenario="tetuan")
        made.answer("spain", deployed)
        made.answer("morocco", "ORDERS T0\nDEPLOY Jinetes TO Jardines\nEND")
        made.wait(31)
        reports.append(
            [masked(made, made.last_to("morocco")), masked(made, made.answer("morocco", "HISTORY; STATUS; MAP"))]
        )
        assert phases(made)[-1] == (1, "spain", "open")
        made.server.engine.dispose()
    assert reports[0] == reports[1]
    assert "Deployment of Morocco in Jardines: Jinetes." in reports[0][0]


def test_it_closes_when_both_are_in_at_once_if_both_say_go_and_else_at_the_deadline(tmp_path):
    made = table(tmp_path / "go")
    assert "Still waiting for orders from: Spain" in made.answer("morocco", "ORDERS T0\nDEPLOY Nizam TO Sur\nEND\nGO")
    made.wait(60)
    assert phases(made) == [(0, "deployment", "open")]
    made.answer("spain", "ORDENES T0\nDESPLEGAR Prim A Nudos\nFIN\nYA")
    made.wait(0)
    assert phases(made) == [(0, "deployment", "resolved"), (1, "spain", "open")]
    made.server.engine.dispose()


def test_who_sends_nothing_stands_as_the_scenario_has_him_and_has_missed_a_deadline(tmp_path):
    made = table(tmp_path / "late")
    made.answer("morocco", "ORDERS T0\nDEPLOY Nizam TO Sur\nEND")
    made.wait(60 * 40)
    assert phases(made) == [(0, "deployment", "resolved"), (1, "spain", "open")]
    report = made.last_to("spain")
    assert "#1 España: nadie se despliega; todos quedan donde dice el escenario." in report
    assert "#2 Despliegue de Marruecos en Sur: Nizam. [K6]" in report
    with made.server.session() as session:
        assert {seat.name: seat.strikes for seat in queries.games.seats(session, "g1")} == {"morocco": 0, "spain": 1}
    made.server.engine.dispose()


@pytest.fixture
def played(tmp_path):
    """A game at the pace of activations: deployed together, then letter by letter."""
    made = table(tmp_path / "played", terms=Terms(pace="activation"))
    answer = made.answer("spain", "ORDENES T0\nDESPLEGAR Prim, Principe A Nudos\nFIN")
    assert "Aún faltan las órdenes de: Marruecos" in answer
    assert "Nothing waits for DONE" in made.answer("morocco", "DONE")
    made.answer("morocco", "ORDERS T0\nDEPLOY AngheraDos TO Cresta\nEND")
    assert phases(made) == [(0, "deployment", "open")]
    made.wait(31)
    made.answer("spain", "ORDENES T1\nACTIVAR Nudos\nFUEGO Montana1 A Cresta\nFIN")
    made.wait(0)
    made.answer("spain", "LISTO")
    made.wait(0)
    assert phases(made)[:2] == [(0, "deployment", "resolved"), (1, "spain", "resolved")]
    yield made
    made.server.engine.dispose()


def test_letters_are_carried_out_one_by_one_only_where_one_side_writes(played):
    with played.server.work() as work:
        assert replay(work, "g1") == (2, None)


def test_a_deployment_is_verified_by_the_letters_alone_once_the_game_is_over(played):
    code = played.answer("morocco", "CONCEDE").split("CODE ")[1].split()[0]
    played.answer("morocco", f"CONCEDE CODE {code}")
    letters = [
        item
        for seat, sent in one_at_a_time(played).items()
        for n, (_, raw) in enumerate(sent)
        if proofs(raw) is not None
        for item in items(f"{seat}{n}", raw)
    ]
    line = verify_items(letters, reader(), QUICK, Rulebooks(game_by_name, games())).lines[-1]
    # Two phases: rolls, what happened and the position after each; and where they and the third begin.
    assert (line.status, line.why, line.held) == (OK, (), 2 * 3 + 3)


def test_a_bot_holds_a_seat_of_it(tmp_path):
    made = table(tmp_path / "bot")
    with made.server.work() as work:
        seat = queries.games.seat(work.session, "g1", "morocco")
        assert seat is not None
        seat.person_id, seat.bot = None, "forward"
        work.session.add(seat)
    made.answer("spain", "ORDENES T0\nDESPLEGAR Prim A Nudos\nFIN")
    made.wait(60 * 40)
    assert phases(made)[:2] == [(0, "deployment", "resolved"), (1, "spain", "open")]
    made.server.engine.dispose()


def test_a_moderator_has_it_played_again(tmp_path):
    made = table(tmp_path / "again")
    for seat, text in (("spain", "DEPLOY Prim TO Nudos"), ("morocco", "DEPLOY Nizam TO Sur")):
        made.answer(seat, f"ORDERS T0\n{text}\nEND\nGO")
    made.wait(0)
    with made.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line("REOPEN T0.deployment BECAUSE both asked"))
    assert phases(made)[-1] == (0, "deployment", "open")
    assert "DEPLOY MuleyAbbas, Nizam, Bujari TO Campamento" in " ".join(
        made.last_to("morocco").replace("#", "").split()
    )
    for seat in ("spain", "morocco"):
        made.answer(seat, "ORDERS T0\nPASS\nEND\nGO")
    made.wait(0)
    assert phases(made)[-1] == (1, "spain", "open")
    with made.server.work() as work:
        assert replay(work, "g1").difference is None
    made.server.engine.dispose()


def test_the_letter_in_which_units_are_deployed_has_the_map_and_where_ways_lead(tmp_path):
    table = PlayedBattle(tmp_path, "wadras", options=("deploy=on",))
    spain, morocco = table.last_to("spain"), table.last_to("morocco")
    assert "El mapa" in spain
    assert re.search(r"^ +Aldea \[M 2/6\]#$", spain, re.MULTILINE)
    assert "  Vado: Izquierda (vado), Lomas (vado), Puente, Ribera\n" in spain
    assert "  Campamento: " not in spain.partition("Adónde llevan")[2].partition("Sus fuerzas")[0]
    assert (
        "  Lomas: Aldea, Amsal (slope up), Izquierda, Llano (road), Puente (bridge), Vado (ford)\n"
        in morocco.replace("\n    ", " ")
    )
    table.server.engine.dispose()


def test_so_has_that_of_hexes(tmp_path):
    table = PlayedBattle(tmp_path, "barrosa", game="peninsular", seats=("french", "british"), options=("deploy=on",))
    assert "El mapa" in table.last_to("french")
    table.server.engine.dispose()
