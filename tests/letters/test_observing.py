"""What an onlooker of the real game reads, in full; nothing under fog."""

import json
import re

import pytest
from sqlmodel import select

from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable, seek_dice

EVE, SERVER = "eve@elsewhere.example", "pbem@games.example"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def write(table, text):
    return readable(table.deliver(table.letter("", text, sender=EVE, to=SERVER)).answers[0])


def last_report(table):
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.recipient == EVE)).all()
    (body,) = outbox_sender.render(table.server, [[row for row in rows if row.kind == "report"][-1].message_id])
    return body, readable(body)


def test_the_onlooker_reads_of_both_sides_alike(tmp_path):
    def watch_losses(folder, secrets):
        table = PlayedBattle(folder, secrets=secrets)
        write(table, re.findall(r"OBSERVAR g1 CODIGO \w+", write(table, "Observar g1"))[0])
        table.answer("morocco", "STANDING AGGRESSIVE")
        table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n")
        table.wait(31)
        with table.server.session() as session:
            events = session.exec(select(tables.Event.body).where(tables.Event.kind == "loses")).all()
        # The last loss of a unit tells how many steps it has left. Who is destroyed has no line among the forces.
        losses = [json.loads(body)["data"] for body in events]
        worn = {loss["side"] for loss in {loss["unit"]: loss for loss in losses}.values() if loss["left"]}
        return table if worn == {"spain", "morocco"} else None

    table = seek_dice(tmp_path, "a unit of either side that is worn and left", watch_losses)
    raw, text = last_report(table)
    assert b"Reply-To: pbem@games.example\r\n" in raw
    assert b"pbem+" not in re.sub(rb"List-Unsubscribe: \S+", b"", raw.split(b"Message-ID", 1)[1])
    assert "Usted observa esta partida." in text
    assert "Asalto a Cresta desde Nudos: Cuenca, Orozco, Vergara. [O8]" in text
    assert "por su línea" not in text
    assert "Fuerzas: España, lo que ha cambiado" in text
    assert "Fuerzas: Marruecos, lo que ha cambiado" in text
    assert "ACTIVAR" not in text
    assert text.endswith(
        "Si no quiere más informes, escríbame OBSERVAR FIN.\n\npbem@games.example - AYUDA: lista de comandos.\n"
    )
    table.server.engine.dispose()


def test_the_standing_orders_behind_an_act_change_no_byte_of_it(tmp_path):
    reports = []
    for name, secret in (("one", "STANDING FOR ALL\nWHEN ASSAULTED THEN SCREEN NONE\nENDSTANDING"), ("two", "STATUS")):
        (tmp_path / name).mkdir()
        table = PlayedBattle(tmp_path / name)
        write(table, re.findall(r"OBSERVE g1 CODE \w+", write(table, "OBSERVE g1"))[0])
        table.answer("morocco", secret)
        table.answer("spain", "ORDERS T1\nACTIVATE Tarajal\nMOVE Luchana, Principe WITH Prim TO Nudos\nEND\n")
        table.wait(31)
        reports.append(last_report(table)[1])
        table.server.engine.dispose()
    assert reports[0] == reports[1]


def test_a_game_under_fog_is_shown_to_nobody(table):
    with table.server.work() as work:
        founding.new_game(
            work,
            founding.NewGame(name="g2", game="africa1860", scenario="castillejos", options={"fog": "on"}, pace=Pace()),
        )
    answer = " ".join(write(table, "OBSERVE g2").split())
    assert "The game g2 cannot be watched: not all of it may be known to everybody." in answer
