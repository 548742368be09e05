"""Letters in other formats, through the door: asked for, answered from, and the orders in them left alone."""

import email
import email.policy
import html
from email.message import EmailMessage

import pytest
from sqlmodel import select

from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import ANA, PlayedBattle, readable


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def page_of(raw):
    part = email.message_from_bytes(raw, policy=email.policy.default).get_body(("html",))
    assert part is not None
    return part.get_content()


def reply(table, own, page, wrapped):
    """A reply by a program that writes HTML alone, with the page that it answers below."""
    made = EmailMessage(policy=email.policy.SMTP)
    made["From"], made["To"], made["Subject"] = ANA, table.addresses["spain"], "Re: orders"
    made["Date"], made["Message-ID"] = table.clock.at, f"<{wrapped}@players.example>"
    below = page[page.index(">", page.index("<body")) + 1 : page.index("</body>")]
    quote = {
        "gmail": f'<div class="gmail_quote"><div>El lunes escribió:</div><blockquote>{below}</blockquote></div>',
        "bare": f"<div>{below}</div>",
    }[wrapped]
    typed = "".join(f"<div>{html.escape(line)}</div>" for line in own.splitlines())
    made.set_content(f"<html><body>{typed}<br>{quote}</body></html>", subtype="html")
    return made.as_bytes()


def test_a_report_comes_as_a_page_too_and_its_text_is_as_it_was(table):
    table.answer("spain", "FORMATO HTML")
    (raw,) = table.deliver(table.letter("spain", "MAPA\nESTADO\n")).answers
    text = readable(raw)
    assert "<pre" in page_of(raw)
    assert "Tarajal [S" in page_of(raw)
    table.answer("spain", "FORMATO TEXTO")
    (raw,) = table.deliver(table.letter("spain", "MAPA\nESTADO\n")).answers
    assert readable(raw) == text


@pytest.mark.parametrize("wrapped", ["gmail", "bare"])
def test_orders_of_a_quoted_page_are_not_read_again(table, wrapped):
    table.answer("spain", "FORMATO HTML")
    orders = "ORDENES T1\nACTIVAR Tarajal\nMOVER Luchana A Nudos\nFIN\n"
    (raw,) = table.deliver(table.letter("spain", orders)).answers
    (raw,) = table.deliver(reply(table, "ORDENES T1\nPASAR\nFIN\n", page_of(raw), wrapped)).answers
    assert "revisión 2" in readable(raw)
    with table.server.session() as session:
        texts = {row.text for row in session.exec(select(tables.QueuedOrders)) if row.state == "queued"}
    assert texts == {"PASS\n"}


def test_a_letter_read_aloud_draws_nothing(table):
    table.answer("spain", "FORMATO LECTOR")
    answer = table.answer("spain", "MAPA\nORDENES T1\nACTIVR Tarajal\nFIN\n")
    assert "Se refiere a: ACTIVR\nACTIVR no es una orden Regla O3.\n" in answer
    answer = table.answer("spain", "MAPA\n")
    assert "Aquí va un mapa dibujado en las cartas de otro formato." in answer
    assert "Tarajal [S" not in answer
    assert "Tarajal: Nudos (carretera), Playa\n" in answer
    assert "----" not in answer
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox)).all()
    again = {outbox_sender.render(table.server, (row.message_id,))[0] for row in rows}
    assert len(again) == len(rows)
