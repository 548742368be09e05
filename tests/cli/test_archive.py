"""Games as pages on the command line, and the list of them."""

from tests.pages.archives import held


def test_a_game_that_goes_on_shows_what_everybody_may_see(hand, begun):
    out = hand.folder / "www"
    assert hand.fine("archive", "ceuta-1", "--out", out) == f"{out / 'ceuta-1.html'}\n"
    data = held((out / "ceuta-1.html").read_text("utf-8"))
    assert not data["over"]
    assert [step["at"] for step in data["steps"]] == ["start"]
    assert '<a href="ceuta-1.html">Castillejos, 1 January 1860</a>' in (out / "index.html").read_text("utf-8")


def test_the_list_keeps_what_was_on_it_and_is_there(hand, begun):
    out = hand.folder / "www"
    hand.fine("archive", "ceuta-1", "--out", out)
    hand.fine(
        "game", "new", "melilla", "--scenario", "castillejos", "--bot", "spain=forward", "--bot", "morocco=random"
    )
    hand.fine("game", "start", "melilla")
    hand.fine("archive", "melilla", "--out", out, "--language", "es")
    listed = (out / "index.html").read_text("utf-8")
    assert "ceuta-1.html" in listed
    assert "melilla, hasta el turno 0" in listed
    (out / "ceuta-1.html").unlink()
    hand.fine("archive", "melilla", "--out", out)
    assert "ceuta-1" not in (out / "index.html").read_text("utf-8")
