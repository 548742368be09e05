"""Turns, games and welcome packs as PDF, from the command line."""

import sys

import pytest


def test_a_game_is_printed_as_a_seat_sees_it(hand, begun):
    out = hand.folder / "game.pdf"
    assert hand.fine("print", "ceuta-1", "--seat", "spain", "--language", "es", "--out", out) == f"{out}\n"
    made = out.read_bytes()
    assert made.startswith(b"%PDF-")
    hand.fine("print", "ceuta-1", "--seat", "spain", "--language", "es", "--out", out)
    assert out.read_bytes() == made


def test_a_welcome_pack_needs_no_server(hand):
    out = hand.folder / "drill.pdf"
    hand.fine("print", "--welcome", "drill", "--paper", "letter", "-o", out)
    assert out.read_bytes().startswith(b"%PDF-")


WHAT = "pbem: what is to be printed? A game of this server by its name, --welcome SCENARIO, or --rules GAME\n"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), WHAT),
        (("ceuta-1", "--welcome", "drill"), WHAT),
        (("ceuta-1", "--rules", "africa1860"), WHAT),
        (("--rules", "chess"), "pbem: no game is called 'chess'; there are: africa1860, peninsular\n"),
        (("ceuta-1", "--paper", "a5"), "pbem: paper is a4 or letter, not 'a5'\n"),
        (("ceuta-1", "--seat", "x"), "pbem: ceuta-1 has no seat 'x'; there are spain, morocco\n"),
        (("--welcome", "drill", "--seat", "x"), "pbem: drill has no seat 'x'; there are spain, morocco\n"),
        (("ceuta-1", "--turn", "3"), "pbem: nothing of turn 3 is over in ceuta-1\n"),
        (("ceuta-1", "--language", "fr"), "pbem: letters are written in en or es, not in 'fr'\n"),
        (("nowhere",), "pbem: There is no game nowhere.\n"),
        (("ceuta-1", "-o", "no/x.pdf"), "pbem: no/x.pdf cannot be written: No such file or directory\n"),
    ],
)
def test_what_cannot_be_printed_is_told(hand, begun, asked, message):
    assert hand("print", *asked) == (2, "", message)


def test_the_rules_are_a_page_or_a_booklet(hand, tmp_path):
    for file, first in ((tmp_path / "rules.html", b"<!DOCTYPE html>"), (tmp_path / "rules.pdf", b"%PDF")):
        assert hand("print", "--rules", "africa1860", "--language", "es", "-o", str(file)) == (0, f"{file}\n", "")
        assert file.read_bytes().startswith(first)


def test_without_the_library_it_is_told_and_the_doctor_says_so(hand, begun, monkeypatch):
    assert "PDF can be made" in hand("doctor")[1]
    monkeypatch.setitem(sys.modules, "typst", None)
    assert hand("print", "ceuta-1") == (2, "", "pbem: PDF needs the extra: pip install 'pbem[pdf]'\n")
    assert "if you want them: pip install 'pbem[pdf]'" in hand("doctor")[1]
