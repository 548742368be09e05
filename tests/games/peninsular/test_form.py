"""The order form: comments to be edited, as long as there is something to order."""

from dataclasses import replace

import pytest

from pbem.games.peninsular import GAME
from pbem.reports.catalogue import load

START = GAME.start(GAME.edition(next(iter(GAME.editions())), {}, {}))
SEATS = tuple(GAME.seats(START))


@pytest.mark.parametrize("seat", SEATS)
def test_every_line_offered_is_only_for_reading(seat):
    form = GAME.aids.template(START, seat, "es")
    assert form
    assert GAME.parse("\n".join(form), START, seat).orders == ((), ())


@pytest.mark.parametrize("seat", SEATS)
def test_a_game_that_is_over_wants_no_orders(seat):
    assert GAME.aids.template(START.change(phase="over"), seat, "en") == ()


BARROSA = GAME.start(GAME.edition("barrosa", {}, {}))


@pytest.mark.parametrize(("language", "words"), [("en", ("MOVE", "TO", "together")), ("es", ("MOVER", "A", "juntas"))])
def test_s4a_several_arms_of_a_hex_are_offered_to_go_together_and_may(language, words):
    move, to, together = words
    offered = [line for line in GAME.aids.template(BARROSA, "british", language) if line.endswith(together)]
    assert offered == [
        f"# {move} 2/67right, DuncanB, Graham {to} ...   # 1109, 3 {'PM' if language == 'es' else 'MP'}, {together}",
        f"# {move} 2/3Guards, DuncanA {to} ...   # 1209, 3 {'PM' if language == 'es' else 'MP'}, {together}",
    ]
    text = "\n".join(line.removeprefix("# ").replace("...", "1210") for line in offered[1:])
    reading = GAME.parse(text, BARROSA, "british")
    assert reading.rejected == ()
    assert [item.rule for item in GAME.check(BARROSA, "british", reading.orders)] == ["T3"]
    reading = GAME.parse(text.replace("1210", "1310"), BARROSA, "british")
    assert GAME.check(BARROSA, "british", reading.orders) == ()


def test_s4a_moves_tells_where_the_counters_of_a_hex_can_go_together():
    told = {language: _moves(BARROSA, "british", "1209", language)[-1] for language in ("en", "es")}
    assert told["en"].startswith("together, 2/3Guards, DuncanA: MOVE to ")
    assert told["es"].startswith("juntas, 2/3Guards, DuncanA: MOVER a ")
    hexes = told["en"].partition("MOVE to ")[2].split(", ")
    assert "1310" in hexes
    for at in (f"{column:02}{row:02}" for column in range(9, 16) for row in range(6, 13)):
        orders = GAME.parse(f"MOVE 2/3Guards, DuncanA TO {at}", BARROSA, "british").orders
        if at != "1209":
            assert (GAME.check(BARROSA, "british", orders) == ()) is (at in hexes), at
    old = BARROSA.change(edition=replace(BARROSA.edition, errata=""))
    assert not [line for line in _moves(old, "british", "1209", "en") if "together" in line]
    assert not [line for line in GAME.aids.template(old, "british", "en") if "together" in line]


def test_s14_moves_tells_a_battalion_that_the_exit_is_in_reach():
    near = BARROSA.change(phase="french").with_units({"1/8": BARROSA.units["1/8"].but(at="0104")})
    assert "1/8: the exit is in reach, 0101, 0102, 0103 (S14)" in _moves(near, "french", "0104", "en")
    assert "1/8: la salida está a su alcance, 0101, 0102, 0103 (S14)" in _moves(near, "french", "0104", "es")
    assert not [line for line in _moves(BARROSA, "british", "1209", "en") if "exit" in line]


def _moves(state, seat, at, language):
    return [load(language, "peninsular").say(line) for line in GAME.aids.moves(state, seat, at)]
