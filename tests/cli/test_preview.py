"""`pbem mail preview`: a letter in a browser, by the templates as they are now; nothing else changes."""

import base64
import re
import sqlite3
from contextlib import closing

from pbem.data import data

PICTURE = re.compile(r'src="data:image/png;base64,([A-Za-z0-9+/=]+)"')


def rows(hand):
    """All that lies in the tables of letters and pictures."""
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened:
        return [opened.execute(query).fetchall() for query in ("SELECT * FROM outbox", "SELECT * FROM picture")]


def last_id(hand):
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened:
        return str(opened.execute("SELECT message_id FROM outbox WHERE kind = 'report' LIMIT 1").fetchone()[0])


def test_the_last_report_is_a_page_that_needs_nothing_else(hand, begun):
    page = hand.fine("mail", "preview", "--kind", "report", "--game", "ceuta-1")
    (data,) = PICTURE.findall(page)
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert "cid:" not in page
    assert page.lstrip().startswith("<!")


def test_a_letter_by_its_name_in_another_language_and_as_text(hand, begun):
    name = last_id(hand)
    there = hand.fine("mail", "preview", name, "--text")
    again = hand.fine("mail", "preview", name.strip("<>"), "--text", "--language", "en")
    assert there.startswith("Subject: ")
    assert "escriba encima de esta línea" in there
    assert "please write above this line" in again
    assert "escriba" not in again


def test_nothing_is_stored_and_nothing_is_queued(hand, begun, tmp_path):
    before = rows(hand)
    assert before[0]
    assert hand.fine("mail", "preview", "--language", "en", "--out", tmp_path / "letter.html").strip().endswith(".html")
    assert "<html" in (tmp_path / "letter.html").read_text("utf-8")
    assert rows(hand) == before


def test_templates_of_the_server_s_own_are_seen_at_once(hand, begun):
    config = hand.folder / "pbem.toml"
    config.write_text(re.sub("(?m)^folder = .*$", 'folder = "own"', config.read_text("utf-8")), "utf-8")
    own = hand.folder / "own" / "templates"
    own.mkdir(parents=True)
    shipped = data("templates").joinpath("letter.html.j2").read_text("utf-8")
    (own / "letter.html.j2").write_text(shipped.replace("</body>", "<p>Ceuta club</p></body>"), "utf-8")
    assert "<p>Ceuta club</p>" in hand.fine("mail", "preview", "--kind", "report")


def test_a_name_that_is_none_is_answered_with_those_there_are(hand, begun):
    code, _, err = hand("mail", "preview", "<nobody@games.example>")
    assert code == 2
    assert "there is no letter '<nobody@games.example>'" in err
    assert last_id(hand) in err
    assert "--kind report" in err
    assert (
        "there is no letter of the kind 'reprot' about ceuta-1"
        in hand("mail", "preview", "--kind", "reprot", "--game", "ceuta-1")[2]
    )
    assert "and no other" in hand("mail", "preview", "--game", "elsewhere")[2]
    assert "not in 'fr'" in hand("mail", "preview", "--language", "fr")[2]
