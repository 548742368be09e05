"""Castillejos by letters that show its map: who gets one, how it travels, and what no letter waits for."""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
import struct
import zlib
from datetime import timedelta
from functools import partial

import pytest
from sqlmodel import col, select

from pbem.cli.assembly import PictureRenderer, draw_picture_as_png
from pbem.mail.outbound import MISSING_PICTURE
from pbem.mail.smtp import SmtpReply
from pbem.maps.worker_pool import InlineRenderer
from pbem.play.privacy import delete_pictures
from pbem.server import drawing as artistry
from pbem.server import outbox_sender, rendering
from pbem.server.drawing import LONGEST_QUEUED, LONGEST_RENDERING, PictureCollector
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.harness.server import changed

ORDERS = """ORDERS T1
ACTIVATE Tarajal
MOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos
ACTIVATE Nudos
FIRE Montana1 AT Cresta
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
END
"""
LATE = "no se pudo dibujar a tiempo"


def png(wide: int, high: int) -> bytes:
    """The smallest picture of a size that programs take for one."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\0" * wide for _ in range(high))
    head = struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Sketcher:
    """Draws as fast as it is told to, on a clock that it moves, and remembers what it was asked for."""

    def __init__(self, clock, seconds=0.0, fails=False):
        self.clock, self.seconds, self.fails = clock, seconds, fails
        self.asked = []

    def draw(self, wanted, until):
        self.asked += wanted
        return [self._one(until) for _ in wanted]

    def _one(self, until):
        done = self.clock.at + timedelta(seconds=self.seconds)
        self.clock.at = min(done, max(until, self.clock.at))
        return None if self.fails or done > until else png(1440, 900)

    def close(self):
        pass


def drawing(table, **how):
    """From now on the table has somebody who draws."""
    table.server = changed(table.server, artist=Sketcher(table.clock, **how))
    return table.server.plugins.artist


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def played(table):
    """Turn 1 of Spain, and the report to it."""
    table.answer("spain", ORDERS)
    table.wait(31)
    return read(table.last_sent("spain"))


def read(raw):
    return email.message_from_bytes(raw, policy=email.policy.default)


def pictures(letter):
    return [part for part in letter.walk() if part.get_content_type() == "image/png"]


def page(letter):
    return letter.get_body(("html",)).get_content()


def text(letter):
    return letter.get_body(("plain",)).get_content()


def test_a_report_shows_the_map_that_it_brings(table):
    drawing(table)
    letter = played(table)
    (shown,) = pictures(letter)
    assert shown.get_content() == png(1440, 900)
    cid = shown["Content-ID"].strip("<>")
    assert cid.endswith("@games.example")
    assert cid != letter["Message-ID"].strip("<>")
    related = next(part for part in letter.walk() if part.get_content_type() == "multipart/related")
    assert related.get_param("type") == "text/html"
    assert [part.get_content_type() for part in related.iter_parts()] == ["text/html", "image/png"]
    alternative = next(part for part in letter.walk() if part.get_content_type() == "multipart/alternative")
    assert [part.get_content_type() for part in alternative.iter_parts()] == ["text/plain", "multipart/related"]


def test_the_text_is_the_same_with_and_without_the_picture(tmp_path):
    contents = []
    for name in ("plain", "drawn"):
        (tmp_path / name).mkdir()
        table = PlayedBattle(tmp_path / name)
        if name == "drawn":
            drawing(table)
        letter = played(table)
        contents.append((text(letter), len(pictures(letter))))
        table.server.engine.dispose()
    assert contents[0][0] == contents[1][0]
    assert [number for _, number in contents] == [0, 1]


def test_a_picture_is_kept_once_and_in_no_letter(table):
    artist = drawing(table)
    first = read(table.deliver(table.letter("spain", "MAP")).answers[0])
    again = read(table.deliver(table.letter("spain", "MAP")).answers[0])
    assert len(artist.asked) == 1
    assert len(pictures(first)) == len(pictures(again)) == 1
    assert pictures(first)[0]["Content-ID"] != pictures(again)[0]["Content-ID"]
    with table.server.session() as session:
        (kept,) = session.exec(select(tables.Picture)).all()
        bodies = session.exec(
            select(tables.Content.body).join(tables.Outbox).where(col(tables.Outbox.inbox_id).is_not(None))
        ).all()
    assert kept.png == png(1440, 900)
    assert all(body and kept.digest.encode() in body and base64.b64encode(kept.png[:30]) not in body for body in bodies)


def test_a_letter_sent_again_is_the_same_to_the_byte(table):
    drawing(table)
    table.answer("spain", ORDERS)
    table.wait(31)
    first = table.last_sent("spain")
    drawing(table, fails=True)
    assert table.last_sent("spain") == first


def test_a_picture_that_is_not_kept_any_more_is_drawn_anew(table):
    artist = drawing(table)
    table.answer("spain", ORDERS)
    table.wait(31)
    first = table.last_sent("spain")
    table.clock.at += timedelta(days=30)
    assert delete_pictures(table.server, 31) == 0
    assert delete_pictures(table.server, 29, lambda: False) == 0
    asked = len(artist.asked)
    assert delete_pictures(table.server, 29) > 0
    assert drawn(table) == []
    assert table.last_sent("spain") == first
    assert (len(artist.asked), len(drawn(table))) == (asked + 1, 1)
    # Who draws is away: the letter goes all the same, with nothing to be seen where the map was.
    table.clock.at += timedelta(days=30)
    delete_pictures(table.server, 29)
    drawing(table, fails=True)
    (blank,) = pictures(read(table.last_sent("spain")))
    assert blank.get_content() == MISSING_PICTURE


def drawn(table):
    with table.server.session() as session:
        return session.exec(select(tables.Picture.digest)).all()


def test_a_seat_may_have_no_map_or_a_dark_one(table):
    artist = drawing(table)
    assert "muestran el mapa con los colores" in table.answer("spain", "MAPA OSCURO")
    table.answer("spain", "MAP")
    assert [commission.picture["dark"] for commission in artist.asked] == [True]
    assert "pantalla ancha" in table.answer("spain", "MAPA ANCHO")
    assert "estado mayor" in table.answer("spain", "MAPA SIMBOLOS")
    table.answer("spain", "MAP")
    asked = artist.asked[-1].picture
    assert (asked["dark"], asked["wide"], asked["symbols"]) == (True, True, True)
    assert "móvil" in table.answer("spain", "MAP PHONE")
    assert "según su arma" in table.answer("spain", "MAP FIGURES")
    table.answer("spain", "MAP")
    # This picture is kept since the first of these questions.
    assert len(artist.asked) == 2
    assert "no muestran el mapa" in table.answer("spain", "MAP OFF")
    assert not pictures(read(table.deliver(table.letter("spain", "MAPA")).answers[0]))
    assert "muestran el mapa." in table.answer("spain", "MAP ON")
    assert pictures(read(table.deliver(table.letter("spain", "MAPA")).answers[0]))
    table.answer("spain", "FORMAT TEXT")
    assert "FORMATO HTML" in table.answer("spain", "MAP ON")
    assert not pictures(read(table.deliver(table.letter("spain", "MAPA")).answers[0]))


def test_who_asks_for_a_phase_sees_what_moved_in_it(table):
    artist = drawing(table)
    played(table)
    answer = table.answer("spain", "MAPA T1.spain")
    assert "El mapa tras el turno 1, fase española" in answer
    # It is the picture of the report.
    ((asked,), marks) = artist.asked, artist.asked[0].picture["scene"]["marks"]
    assert asked.language == "es"
    assert {kind for kind, *_ in marks} >= {"move", "assault"}
    assert "El mapa tras el turno 1, fase española" in table.answer("spain", "MAPA T1.España")
    answer = " ".join(table.answer("spain", "MAPA T1.marruecos").split())
    assert "No ha terminado ninguna fase llamada Marruecos del turno 1. Quizá quiso decir: MAPA T1.spain" in answer
    assert "Hasta ahora no ha habido turno 7." in table.answer("spain", "MAPA T7.spain")
    artist.asked.clear()
    table.answer("spain", "MAPA T1")
    assert artist.asked[0].picture["scene"]["marks"] == []


def test_moves_and_questions_show_the_map(table):
    artist = drawing(table)
    assert len(pictures(read(table.deliver(table.letter("spain", "MOVES Tarajal; MOVES Nudos")).answers[0]))) == 2
    tarajal, nudos = (commission.picture["scene"] for commission in artist.asked)
    assert {"Nudos"} <= set(tarajal["reach"])
    assert {"Cresta"} <= set(nudos["targets"])
    assert "Cresta" not in tarajal["reach"]
    assert not set(nudos["reach"]) & set(nudos["targets"])
    artist.asked.clear()
    assert len(pictures(read(table.deliver(table.letter("spain", "MOVES")).answers[0]))) == 1
    assert "reach" not in artist.asked[0].picture["scene"]
    table.answer("morocco", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING")
    table.answer("spain", ORDERS)
    table.wait(31)
    artist.asked.clear()
    letter = read(table.last_sent("morocco"))
    assert "\nYou are asked\n" in letter.get_body(("plain",)).get_content().replace("\r\n", "\n")
    assert len(pictures(letter)) == 1
    assert "assault" in {kind for kind, *_ in artist.asked[0].picture["scene"]["marks"]}


def test_a_picture_that_comes_too_late_is_left_out_and_the_letter_says_so(table):
    artist = drawing(table)
    table.answer("spain", ORDERS)
    table.wait(31)
    table.clock.at += LONGEST_QUEUED + timedelta(seconds=1)
    # The postman has been at work since the letter was written.
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "report")).all()
    begun = table.clock.at - LONGEST_QUEUED - timedelta(seconds=1)
    rendering.render(
        table.server, rendering.RenderBatch(rows, PictureCollector(table.server, begun)), outbox_sender.ignore_point
    )
    letters = [read(raw) for raw in outbox_sender.render(table.server, [row.message_id for row in rows])]
    assert all(not pictures(letter) for letter in letters)
    assert LATE in text(letters[-2]) + text(letters[-1])
    assert not artist.asked


def test_a_letter_waits_a_minute_for_its_picture(table):
    drawing(table, seconds=70)
    begun = table.clock.at
    letter = played(table)
    assert not pictures(letter)
    assert LATE in text(letter)
    assert table.clock.at - begun == timedelta(minutes=31) + LONGEST_RENDERING


def test_pictures_of_the_letters_to_come_are_drawn_while_others_are_made(table, monkeypatch):
    monkeypatch.setattr(artistry, "LETTERS_AT_ONCE", 1)
    artist, sent = drawing(table), []
    table.answer("spain", ORDERS)
    table.wait(31)

    async def post(envelopes, report):
        for envelope in envelopes:
            sent.append((read(envelope.raw), len(artist.asked)))
            await report(SmtpReply(250, "taken", "sent", "data"))

    asyncio.run(outbox_sender.send_due_letters(table.server, post))
    maps = [(letter, asked) for letter, asked in sent if pictures(letter)]
    assert len(maps) == len({commission.digest for commission in artist.asked}) == len(artist.asked) == 2
    assert all("cid:" in page(letter) for letter, _ in maps)


def test_a_picture_that_cannot_be_drawn_keeps_no_letter_back(table):
    drawing(table, fails=True)
    letter = played(table)
    assert not pictures(letter)
    assert "<img" not in page(letter)


@pytest.mark.full
def test_a_real_picture_is_drawn(table):
    table.server = changed(
        table.server,
        artist=PictureRenderer(InlineRenderer(partial(draw_picture_as_png, None), table.clock.now, pytest.fail)),
    )
    (shown,) = pictures(read(table.deliver(table.letter("spain", "MAP")).answers[0]))
    assert shown.get_content().startswith(b"\x89PNG")
    assert len(shown.get_content()) <= 120_000


def test_the_first_letter_of_gathered_news_shows_the_map(table):
    artist = drawing(table)
    table.answer("spain", "FIJAR AVISOS DIARIO 18")
    table.answer("morocco", "SAY Good evening")
    artist.asked.clear()
    table.wait(8 * 60)
    with table.server.session() as session:
        (name,) = session.exec(select(tables.Outbox.message_id).where(tables.Outbox.kind == "digest")).all()
    news = read(outbox_sender.render(table.server, (name,))[0])
    assert "Good evening" in text(news)
    assert len(pictures(news)) == 1
    (asked,) = artist.asked
    assert (asked.language, asked.picture["scene"]["marks"]) == ("es", [])
