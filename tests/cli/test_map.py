"""The map of a game on the command line, and sites that fit its edges."""

import re

import pytest
from beacon_game import GAME as BEACON
from PIL import Image

from pbem.cli.main import main
from tests.harness.command_line import SPAIN


def test_a_map_is_drawn_as_a_seat_sees_it(hand, begun):
    out = hand.folder / "map.svg"
    assert hand.fine("map", "ceuta-1", "--seat", "spain", "--language", "es", "-o", out) == f"{out}\n"
    svg = out.read_text("utf-8")
    assert "Castillejos, 1 de enero de 1860" in svg
    assert "Turno 1 de 14, mueve: España" in svg
    png = hand.folder / "map.png"
    hand.fine("map", "ceuta-1", "--dark", "-o", png)
    assert png.read_bytes().startswith(b"\x89PNG")


WHERE = "a picture is written to FILE.svg or FILE.png"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            ("ceuta-1", "-o", "map.gif"),
            "pbem: a picture is written to FILE.svg or FILE.png, not to map.gif: use --out\n",
        ),
        (("ceuta-1", "-o", "no/map.svg"), "pbem: no/map.svg cannot be written: No such file or directory\n"),
        (("ceuta-1", "--seat", "x", "-o", "m.svg"), "pbem: ceuta-1 has no seat 'x'; there are spain, morocco\n"),
        (("ceuta-1", "--turn", "3", "-o", "m.svg"), "pbem: nothing of T3 is over in ceuta-1\n"),
        (("ceuta-1", "--language", "fr", "-o", "m.svg"), "pbem: letters are written in en or es, not in 'fr'\n"),
        (("ceuta-1",), "pbem: a picture is written to FILE.svg or FILE.png, not to nowhere: use --out\n"),
        (
            ("a", "b"),
            "pbem: what is b? One game is drawn at a time; to fit a map, write: pbem map fit b\n",
        ),
        (("nowhere", "-o", "m.svg"), "pbem: There is no game nowhere.\n"),
        (
            ("ceuta-1", "--animate", "-o", "m.png"),
            "pbem: a turn is animated in FILE.gif, not in m.png: use --out\n",
        ),
        (("ceuta-1", "--animate", "-o", "m.gif"), "pbem: nothing of it is over in ceuta-1\n"),
        (
            ("ceuta-1", "--animate", "--turn", "2", "--phase", "spain", "-o", "m.gif"),
            "pbem: nothing of T2.spain is over in ceuta-1\n",
        ),
        (
            ("ceuta-1", "--animate", "--seat", "x", "-o", "m.gif"),
            "pbem: ceuta-1 has no seat 'x'; there are spain, morocco\n",
        ),
        (
            ("ceuta-1", "--animate", "--phone", "-o", "m.gif"),
            "pbem: a turn is animated on the whole map: leave --phone out\n",
        ),
        (("nowhere", "--animate", "-o", "m.gif"), "pbem: There is no game nowhere.\n"),
    ],
)
def test_what_cannot_be_drawn_is_told(hand, begun, asked, message):
    code, out, err = hand("map", *asked)
    assert (code, out, err) == (2, "", message)


def test_a_game_without_pictures_has_none():
    assert BEACON.pictured is None


def test_a_map_of_hexes_has_no_sites_to_fit(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["map", "fit", "barrosa"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "pbem: barrosa is played on no map of areas\n"


def test_a_turn_is_animated_and_a_map_is_drawn_as_letters_bring_it(hand, begun):
    hand.deliver(SPAIN, begun["spain"], "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    out = hand.folder / "turn.gif"
    assert " steps, " in hand.fine("map", "ceuta-1", "--turn", "1", "--animate", "-o", out)
    shown = Image.open(out)
    assert shown.format == "GIF"
    assert getattr(shown, "n_frames", 1) > 1
    sizes = {}
    for options in ((), ("--phone",), ("--symbols",), ("--wide", "--figures")):
        svg = hand.folder / "map.svg"
        hand.fine("map", "ceuta-1", *options, "-o", svg)
        sizes[options] = svg.read_text("utf-8")
    assert sizes["--wide", "--figures"] == sizes[()]
    assert len(set(sizes.values())) == 3
    widths = [float(re.findall(r'width="([0-9.]+)"', sizes[options])[0]) for options in (("--phone",), ())]
    assert widths[0] < widths[1]
