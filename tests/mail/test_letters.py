"""Answers as mail clients send them: one letter a file, beside it what its author wrote."""

from pathlib import Path

import pytest

from pbem.mail.address import OwnAddresses
from pbem.mail.inbound import read_letter
from pbem.mail.quoting import block_fingerprint

LETTERS = sorted((Path(__file__).parent / "letters").glob("*.eml"))
OWN = OwnAddresses("judge", "war.test")
FLAGS = ("quoted_block", "ambiguous", "orders_only_quoted", "untouched")

ENGLISH = """ORDERS T3 #k7q2
# One action a line. Lines that begin with # are comments.
# ACTIVATE Ceuta
# MOVE Saboya, Leon WITH Prim TO Serrallo
END"""
SPANISH = """ORDENES T3 #m4x5
# Una acción por línea. Lo que empieza por # es un comentario.
# ACTIVAR Tetuan
END"""
TEMPLATES = {
    "k7q2": block_fingerprint(ENGLISH),
    "z5z5": block_fingerprint(ENGLISH.replace("k7q2", "z5z5")),
    "m4x5": block_fingerprint(SPANISH),
}


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.stem)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_letter_says_what_its_author_wrote(path, ending):
    flags, text = path.with_suffix(".txt").read_text("utf-8").split("\n\n", 1)
    incoming = read_letter(path.read_bytes().replace(b"\n", ending), OWN, TEMPLATES)
    assert (incoming.refusal, incoming.reason) == (None, "")
    assert incoming.text == text.rstrip("\n")
    assert " ".join(flag for flag in FLAGS if getattr(incoming, flag)) == flags.replace("-", "")
    assert incoming.seat is not None
    assert incoming.seat.game == "wt-042"
    assert incoming.sender in ("ana@players.test", "jose@players.test")
    assert "missing" not in incoming.message_id
    assert incoming.date is not None
    assert incoming.date.isoformat().startswith("2026-11-21T1")


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.stem)
def test_an_old_order_in_a_quote_never_counts_without_its_template(path):
    """With no template known, nothing that was quoted can come through."""
    incoming = read_letter(path.read_bytes(), OWN)
    assert not incoming.quoted_block
    raw = path.read_text("utf-8")
    quoted = [line for line in raw.split("\n") if line.startswith(">") and "ACTIVA" in line]
    for line in quoted:
        order = line.lstrip("> #")
        assert order not in incoming.text or f"\n{order}\n" in raw


def test_there_are_letters_of_many_clients_in_both_languages():
    names = [path.stem for path in LETTERS]
    for client in ("gmail", "outlook", "apple-mail", "thunderbird"):
        assert {name.removeprefix(client)[1:3] for name in names if name.startswith(client)} >= {"en", "es"}
