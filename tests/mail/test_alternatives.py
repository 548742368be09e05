"""A letter in two parts: where both say the same, lines that a client broke in the text part are whole again."""

import pytest

from pbem.mail.address import OwnAddresses
from pbem.mail.inbound import read_letter
from pbem.mail.mime import has_same_words
from tests.mail.envelopes import part, several
from tests.mail.replies import PLAYER, SEAT, divs, lines, page, wrapped

LONG = "ASSAULT Sierra WITH Cordoba, Vergara, Madrid, Barcelona LED BY Prim VANGUARD Cordoba SCREEN Cazadores"
OTHER = "# what follows is for the case that the enemy has left the pass by the time we get there, all of it"
ORDERS = f"Hello,\n\nORDERS T3\n{OTHER}\n{LONG}\nMOVE Leon TO Otero\nEND\n\nAna"
ABOVE = "On Sat, 21 Nov 2026 at 10:00, The Judge <judge@war.test> wrote:"


def broken(text, width=72):
    return "\n".join(wrapped(line, width) for line in lines(text))


def letter(plain, html):
    head = f"From: {PLAYER}\nTo: {SEAT}\nMIME-Version: 1.0\n".encode()
    parts = [part("text/plain", plain), part("text/html", f"<html><body>{html}</body></html>")]
    return read_letter(head + several("alternative", "b", parts), OwnAddresses("judge", "war.test"))


@pytest.mark.parametrize("width", [60, 68, 72, 78])
def test_lines_that_were_broken_to_fit_are_those_that_were_written(width):
    assert letter(broken(ORDERS, width), divs(ORDERS)).text == ORDERS


def test_an_answer_above_a_marked_quote_too():
    plain = page(broken(ORDERS), "", wrapped(ABOVE, 50), "", "> MOVE Old TO Valle", "")
    html = f"{divs(ORDERS)}<br><div>{ABOVE.replace('<', '&lt;')}</div><blockquote>MOVE Old TO Valle</blockquote>"
    assert letter(plain, html).text == ORDERS


def test_a_page_that_lost_the_breaks_is_not_read():
    plain = "ORDERS T3\nMOVE Leon TO Otero\nPASS\nEND"
    assert letter(plain, f"<div>{plain}</div>").text == plain


@pytest.mark.parametrize(
    "html",
    [
        divs(ORDERS.replace("Madrid", "Toledo")),
        divs(ORDERS) + "<div>PASS</div>",
        divs(ORDERS) + "<blockquote>PASS</blockquote>",
    ],
)
def test_a_page_that_says_anything_else_is_not_read(html):
    assert letter(ORDERS, html).text == ORDERS


def test_a_quote_that_only_one_part_marks_keeps_its_marks():
    assert not has_same_words("STATUS\n> MOVE Old", "STATUS\nMOVE Old")
    assert not has_same_words("STATUS\n> MOVE Old", "STATUS")
    assert has_same_words("STATUS\n> MOVE Old\n> TO Valle", "STATUS\n> MOVE Old TO Valle")
