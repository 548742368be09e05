"""Order desks by letter: with the answer to DESK, with reports for who wants that; a leaked one, and a stale one."""

import base64
import email
import email.policy
import gzip
import json
import re

import pytest
from sqlmodel import select

from pbem.cli.pages import DeskPageMaker, page_words
from pbem.pages.desk import desk_page
from pbem.play import positions
from pbem.runtime.terms import Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

GAMES = {"africa1860": ("castillejos", ("spain", "morocco")), "peninsular": ("training", ("british", "french"))}


def seated(folder, game="africa1860", **more):
    scenario, seats = GAMES[game]
    made = PlayedBattle(folder, scenario, undo=0, game=game, seats=seats, **more)
    made.server = changed(made.server, desks=DeskPageMaker())
    return made


@pytest.fixture(params=GAMES)
def table(request, tmp_path):
    made = seated(tmp_path, request.param)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def castillejos(tmp_path):
    made = seated(tmp_path)
    yield made
    made.server.engine.dispose()


def desk_of(raw):
    """The page and the data that a letter brings; nothing if it brings none."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    files = {part.get_filename(): part for part in message.iter_attachments()}
    if "desk.html" not in files:
        assert "pbemdesk.txt" not in files
        return None
    assert files["desk.html"].get_content_type() == "text/html"
    page, text = (files[name].get_content().replace("\r\n", "\n") for name in ("desk.html", "pbemdesk.txt"))
    data = json.loads(text)
    assert page == desk_page(page_words(), data) or page.rstrip("\n") == desk_page(page_words(), data).rstrip("\n")
    return data


def mover(table):
    """The seat that is to write now."""
    with table.server.work() as work:
        return positions.read_position(work, positions.lock_game(work.session, "g1")).active[0]


def seat_of(table, name):
    with table.server.session() as session:
        return session.exec(select(tables.Seat).where(tables.Seat.name == name)).one()


def asked(table, seat, text="DESK\n"):
    (raw,) = table.deliver(table.letter(seat, text)).answers
    return raw


def queued(table):
    """Orders that wait, of whomever."""
    with table.server.session() as session:
        return session.exec(select(tables.QueuedOrders)).all()


def test_the_answer_brings_the_desk_of_the_open_phase(table):
    seat = mover(table)
    raw = asked(table, seat)
    data = desk_of(raw)
    assert data is not None
    assert data["address"] == table.addresses[seat]
    assert data["subject"] == "g1 T1"
    assert re.fullmatch("[a-z2-7]{4}", data["code"])
    assert any(data["offers"].values())
    assert any(offer["chance"] is not None for offer in data["wholes"]) or not data["wholes"]
    assert "desk.html" in readable(raw)


def test_what_it_writes_is_taken_and_a_stale_one_is_refused_by_its_code(castillejos):
    data = desk_of(asked(castillejos, "spain"))
    orders = f"ORDERS T1 #{data['code']}\nACTIVATE Nudos\nMOVE Vergara WITH Orozco TO Tarajal\nEND\n"
    assert "MOVER Vergara CON Orozco A Tarajal" in castillejos.answer("spain", orders)
    castillejos.wait(60 * 24 * 3)
    castillejos.answer("morocco", "PASS\n")
    castillejos.wait(60 * 24 * 6)
    held = queued(castillejos)
    early = castillejos.answer("spain", orders)
    assert "Estas órdenes son del turno 1; estamos en el turno 2." in early
    stale = castillejos.answer("spain", orders.replace("T1", "T2"))
    assert "MOVER" not in stale.partition("ORDENES")[0]
    assert f"#{data['code']}" in stale
    why = "Este bloque es de una carta anterior de este turno; use el del último informe."
    assert why in " ".join(stale.split())
    assert queued(castillejos) == held
    fresh = desk_of(asked(castillejos, "spain"))
    assert fresh["code"] != data["code"]
    taken = orders.replace("T1", "T2").replace(data["code"], fresh["code"])
    assert "MOVER Vergara CON Orozco A Tarajal" in castillejos.answer("spain", taken)


def test_a_desk_that_leaked_is_worth_nothing_after_rotate(castillejos):
    data = desk_of(asked(castillejos, "spain"))
    castillejos.answer("spain", "ROTAR\n")
    orders = f"ORDERS T1 #{data['code']}\nACTIVATE Nudos\nMOVE Vergara TO Tarajal\nEND\n"
    thief = castillejos.letter("spain", orders, to=data["address"], sender="thief@elsewhere.example")
    answers = castillejos.deliver(thief).answers
    assert all(castillejos.addresses["spain"] not in raw.decode() for raw in answers)
    assert queued(castillejos) == []
    now = castillejos.server.seat_address(seat_of(castillejos, "spain"))
    again = desk_of(castillejos.deliver(castillejos.letter("spain", "DESK\n", to=now)).answers[0])
    assert again["address"] != data["address"]
    taken = castillejos.deliver(castillejos.letter("spain", orders, to=now)).answers[0]
    assert "MOVER Vergara A Tarajal" in readable(taken)


def test_who_is_not_to_move_is_told_that(castillejos):
    raw = asked(castillejos, "morocco")
    assert desk_of(raw) is None
    assert "You have no orders to give now; there will be a desk when you do." in readable(raw)


def test_it_comes_with_each_report_for_who_wants_that_and_ends_with_another_format(castillejos):
    answer = castillejos.answer("morocco", "FORMAT HTML DESK\n")
    assert "an order desk from now on" in answer
    castillejos.answer("spain", "PASS\n")
    castillejos.wait(60 * 24 * 3)
    assert desk_of(castillejos.last_sent("morocco")) is not None
    assert desk_of(castillejos.last_sent("spain")) is None
    castillejos.answer("morocco", "FORMAT JSON\n")
    assert seat_of(castillejos, "morocco").format == "html+json+desk"
    castillejos.answer("morocco", "FORMAT HTML\n")
    assert seat_of(castillejos, "morocco").format == "html"
    castillejos.answer("morocco", "FORMATO ESCRITORIO\n")
    assert seat_of(castillejos, "morocco").format == "html+desk"


def test_under_fog_it_shows_nothing_that_its_seat_does_not_see(tmp_path):
    table = seated(tmp_path, fog=True)
    data = desk_of(asked(table, "spain"))
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        view = position.rules.view(position.state, "spain")
        hidden = set(position.state.units) - set(view.units)
    assert hidden
    text = json.dumps({**data, "map": ""}) + gzip.decompress(base64.b64decode(data["map"])).decode()
    assert [unit for unit in hidden if re.search(rf"\b{re.escape(unit)}\b", text)] == []
    table.server.engine.dispose()


def test_a_fault_of_ours_costs_the_desk_and_not_the_letter(castillejos, monkeypatch):
    monkeypatch.setattr(DeskPageMaker, "lay", lambda self, place: 1 / 0)
    raw = asked(castillejos, mover(castillejos))
    assert desk_of(raw) is None
    assert "No se ha podido preparar el escritorio de órdenes" in readable(raw)


def test_a_server_without_desks_says_so(castillejos):
    castillejos.server = changed(castillejos.server, desks=None)
    assert desk_of(asked(castillejos, "spain")) is None


def test_between_letters_that_are_carried_out_it_offers_what_is_left(tmp_path):
    scenario, seats = GAMES["africa1860"]
    table = PlayedBattle(tmp_path, scenario, terms=Terms(pace="activation"), seats=seats)
    table.server = changed(table.server, desks=DeskPageMaker())
    assert {"Cuenca", "Luchana"} <= desk_of(asked(table, "spain"))["offers"].keys()
    table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    table.wait(0)
    left = desk_of(asked(table, "spain"))["offers"]
    assert "MOVE" in left["Luchana"]
    assert "MOVE" not in left.get("Cuenca", {})
    table.server.engine.dispose()
