"""Hints by letter: of what the seat sees alone, ready to be sent, and only where the game has agreed on them."""

import re

import pytest
from sqlmodel import select

from pbem.engine.data.canon import dumps
from pbem.play import positions
from pbem.runtime.terms import Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.letters.stories import masked

ON = Terms(hints="on")
GAMES = {"africa1860": ("castillejos", ("spain", "morocco")), "peninsular": ("training", ("british", "french"))}


@pytest.fixture(params=GAMES)
def table(request, tmp_path):
    scenario, seats = GAMES[request.param]
    made = PlayedBattle(tmp_path, scenario, undo=0, game=request.param, seats=seats, terms=ON)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def fogged(tmp_path):
    """Two tables in fog, alike as far as Spain may know."""
    made = []
    for name in ("one", "other"):
        tmp_path.joinpath(name).mkdir()
        made.append(PlayedBattle(tmp_path / name, undo=0, terms=ON, fog=True))
    yield made
    for game in made:
        game.server.engine.dispose()


def read_position(table):
    with table.server.work() as work:
        return positions.read_position(work, positions.lock_game(work.session, "g1"))


def orders_in(answer):
    """The block of orders that a hint ends with."""
    match = re.search(r"^(?:ORDERS|ORDENES) T\d+\n.*?^(?:END|FIN)\n", answer, re.MULTILINE | re.DOTALL)
    assert match is not None
    return match[0]


@pytest.mark.full
def test_its_orders_can_be_sent_as_they_stand_in_either_language(table):
    for _ in range(4):
        now = read_position(table)
        seat = now.active[0]
        answer = table.answer(seat, orders_in(table.answer(seat, "HINT\n")))
        assert "Your orders are in" in answer or "Sus órdenes están registradas" in answer
        table.wait(60 * 24 * 7)
        assert read_position(table).number == now.number + 1


def test_its_orders_are_whole_among_any_number_of_questions(table):
    seat = read_position(table).active[0]
    alone = orders_in(table.answer(seat, "HINT\n"))
    among = table.answer(seat, "HELP\nMAP\nBRIEF\nHINT\nRULES S1\nRULES C1\nHELP commands\nHELP dice\nSTATUS\n")
    assert "lines left out" in among or "líneas omitidas" in among, "the letter was shortened"
    assert orders_in(among) == alone


def test_it_says_which_bot_it_is_and_three_things(table):
    seat = read_position(table).active[0]
    bot = read_position(table).rules.advice.bot
    hint = " ".join(table.answer(seat, "PISTA\n").split())
    assert f"el bot {bot}" in hint or f"the bot {bot}" in hint
    for words in (
        ("No asalta", "golpe principal", "assaults nothing", "main blow"),
        ("Movimientos: ", "Reserva: ", "Moves: ", "Reserve: "),
        ("efiende ", "guards ", "is guarded"),
    ):
        assert any(word in hint for word in words), words


def _move_a_hidden_unit(table):
    """A Moroccan unit that Spain does not see goes elsewhere, out of its sight."""
    now = read_position(table)
    seen = now.rules.view(now.state, "spain").units
    hidden = sorted(set(now.state.units) - set(seen))
    places = sorted({now.state.units[ident].at for ident in hidden})
    assert len(places) > 1
    unit = now.state.units[hidden[0]]
    moved = now.state.with_units({unit.id: unit.gone_to(next(place for place in places if place != unit.at))})
    assert now.rules.encode(now.rules.view(moved, "spain")) == now.rules.encode(now.rules.view(now.state, "spain"))
    with table.server.session() as session:
        (kept,) = session.exec(select(tables.Snapshot).where(tables.Snapshot.number == now.number))
        kept.body = dumps(now.rules.encode(moved))
        session.add(kept)


@pytest.mark.parametrize("letter", ["PISTA\n", "HINT\nSTATUS\n"])
def test_in_fog_it_hangs_on_nothing_that_its_seat_does_not_see(fogged, letter):
    game, other = fogged
    other.answer("morocco", "STANDING AGGRESSIVE\n")
    other.answer("morocco", "LATER T1\nACTIVATE Loma\nEND\n")
    _move_a_hidden_unit(other)
    answer = masked(game, game.answer("spain", letter))
    assert "Hay niebla" in answer
    assert masked(other, other.answer("spain", letter)) == answer


def test_the_same_question_gets_the_same_answer_and_counts_thrice_a_phase(table):
    seat = read_position(table).active[0]
    replies = [masked(table, table.answer(seat, "HINT\n")) for _ in range(3)]
    assert replies[0] == replies[1] == replies[2]
    fourth = table.answer(seat, "HINT\n")
    assert "en una fase: 3" in fourth or "in one phase: 3" in fourth
    assert orders_free(fourth)


def orders_free(answer):
    return re.search(r"^(?:ORDERS|ORDENES) T\d+$", answer, re.MULTILINE) is None


def test_the_brief_of_everybody_says_that_there_are_hints(table):
    briefs = {seat: " ".join(table.answer(seat, "BRIEF\n").split()) for seat in table.addresses}
    sentences = (
        "every player may ask a bot what it would do",
        "con PISTA un bot le dice qué haría en su lugar",
    )
    assert all(any(words in text for words in sentences) for text in briefs.values())


def test_nobody_is_advised_where_it_is_not_agreed_on(tmp_path):
    table = PlayedBattle(tmp_path)
    assert "no se han acordado pistas" in table.answer("spain", "PISTA\n")
    assert "may ask a bot" not in " ".join(table.answer("morocco", "BRIEF\n").split())
    table.server.engine.dispose()


def test_once_orders_of_a_phase_are_carried_out_the_bot_plans_no_more_of_it(tmp_path):
    table = PlayedBattle(tmp_path, undo=0, terms=Terms(hints="on", pace="activation"))
    assert not orders_free(table.answer("spain", "HINT\n"))
    table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nMOVE Vergara WITH Orozco TO Playa\nEND\n")
    table.wait(1)
    late = table.answer("spain", "HINT\n")
    assert orders_free(late)
    assert "pregunte antes de que se ejecute" in " ".join(late.split())
    table.server.engine.dispose()


def test_a_plan_that_cannot_be_made_loses_no_letter(tmp_path, monkeypatch):
    table = PlayedBattle(tmp_path, terms=ON)

    def broken(*words):
        raise ArithmeticError("out of wits")

    monkeypatch.setitem(vars(read_position(table).rules.advice), "plan", broken)
    assert "No se ha podido calcular" in table.answer("spain", "HINT\n")
    table.server.engine.dispose()


def test_a_bot_that_would_order_nothing_says_so(tmp_path):
    table = PlayedBattle(tmp_path, terms=ON)
    nothing = {name: lambda view, seat, pick: "" for name in read_position(table).rules.bots}
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(vars(read_position(table).rules), "bots", nothing)
        answer = table.answer("spain", "HINT\n")
    assert "Ahora no ordenaría nada" in answer
    assert orders_free(answer)
    table.server.engine.dispose()
