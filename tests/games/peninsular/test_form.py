"""The order form: comments to be edited, as long as there is something to order."""

import re
from dataclasses import replace

import pytest

from pbem.engine.map.hexes import within
from pbem.engine.parts import FormTerms
from pbem.engine.run.odds import StepBudget
from pbem.games.peninsular import GAME
from pbem.games.peninsular.fire import may_fire
from pbem.letters.catalogue import load_catalogue

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


@pytest.mark.parametrize(("language", "words"), [("en", ("MOVE", "TO")), ("es", ("MOVER", "A"))])
def test_s4a_several_arms_of_a_hex_are_offered_to_go_together_and_may(language, words):
    move, to = words
    offered = [line for line in GAME.aids.template(BARROSA, "british", language) if ", Duncan" in line]
    assert offered == [
        f"# {move} 2/67right, DuncanB, Graham {to} 1412  # 1109",
        f"# {move} 2/3Guards, DuncanA {to} 1412  # 1209",
    ]
    text = "\n".join(line.removeprefix("# ").replace("1412", "1210") for line in offered[1:])
    reading = GAME.parse(text, BARROSA, "british")
    assert reading.rejected == ()
    assert [item.rule for item in GAME.check(BARROSA, "british", reading.orders)] == ["T3"]
    reading = GAME.parse(text.replace("1210", "1310"), BARROSA, "british")
    assert GAME.check(BARROSA, "british", reading.orders) == ()


def test_s4a_moves_tells_where_the_counters_of_a_hex_can_go_together():
    moves_told = {language: _moves(BARROSA, "british", "1209", language)[-1] for language in ("en", "es")}
    assert moves_told["en"].startswith("together, 2/3Guards, DuncanA: MOVE to ")
    assert moves_told["es"].startswith("juntas, 2/3Guards, DuncanA: MOVER a ")
    hexes = list(spread_out(moves_told["en"].partition("MOVE to ")[2]))
    assert "1310" in hexes
    for hex_id in (f"{column:02}{row:02}" for column in range(9, 16) for row in range(6, 13)):
        orders = GAME.parse(f"MOVE 2/3Guards, DuncanA TO {hex_id}", BARROSA, "british").orders
        if hex_id != "1209":
            assert (GAME.check(BARROSA, "british", orders) == ()) is (hex_id in hexes), hex_id
    old = BARROSA.change(edition=replace(BARROSA.edition, errata=""))
    assert not [line for line in _moves(old, "british", "1209", "en") if "together" in line]
    assert not [line for line in GAME.aids.template(old, "british", "en") if "together" in line]


def test_s14_moves_tells_a_battalion_that_the_exit_is_in_reach():
    near = BARROSA.change(phase="french").with_units({"1/8": BARROSA.units["1/8"].but(at="0104")})
    assert "1/8: the exit is in reach, 0101, 0102, 0103 (S14)" in _moves(near, "french", "0104", "en")
    assert "1/8: la salida está a su alcance, 0101, 0102, 0103 (S14)" in _moves(near, "french", "0104", "es")
    assert not [line for line in _moves(BARROSA, "british", "1209", "en") if "exit" in line]


def spread_out(runs):
    """The hexes of ``0806, 1009-1011``."""
    for run in runs.split(", "):
        first, _, last = run.partition("-")
        yield from (f"{number:04}" for number in range(int(first), int(last or first) + 1))


def test_moves_groups_the_hexes_of_a_column_and_says_which_of_them_matter():
    moves_told = _moves(BARROSA, "british", "1208", "en")
    assert moves_told[3].startswith("Barnard: MOVE to 0705-0707, 0710, 0805-0810, ")
    assert "KGL: next to the enemy: 1516, 1614, 1615" in _moves(BARROSA, "british", "1013", "en")
    assert "2/95: hexes with points in reach: 1514, 1613, 1713, 1714" in _moves(BARROSA, "british", "1311", "en")


def test_s7_fire_that_cannot_be_given_after_the_moves_is_warned_of_with_what_is_in_its_way():
    gun = BARROSA.units["DuncanA"].but(at="1309", limbered=False, facing="SE", range=9)
    state = BARROSA.with_units({"DuncanA": gun})
    refusals = {hex_id: may_fire(state, gun, hex_id) for hex_id in within("1309", 9) if hex_id in state.edition.map}
    hex_id = min(
        hex_id for hex_id, refusal in refusals.items() if refusal and "{blocker} is in the way" in refusal.why.text
    )
    state = state.with_units({"1Drag": state.units["1Drag"].but(at=hex_id)})
    orders = GAME.parse(f"PASS\nFIRE DuncanA AT {hex_id}", state, "british").orders
    (warning,) = [warned for warned in GAME.aids.review(state, "british", orders) if warned.line == 2]
    assert load_catalogue("en", "peninsular").say(warning.why) == (
        f"as things stand: DuncanA has no line of fire to {hex_id}: 1209 is in the way (light wood)"
    )
    assert load_catalogue("es", "peninsular").say(warning.why).endswith(": lo impide 1209 (bosque ligero)")


def _moves(state, seat, hex_id, language):
    return [load_catalogue(language, "peninsular").say(line) for line in GAME.aids.moves(state, seat, hex_id)]


def test_s2_an_assault_is_offered_with_the_order_to_attack_that_it_wants_where_that_counts_at_once():
    held = {"Ruffin": BARROSA.divisions["Ruffin"]._replace(order="MANOEUVRE")}
    near = BARROSA.units["2/95"].but(at="1714")
    units = {"2/95": near, "Victor": BARROSA.units["Victor"].but(at="1912")}
    state = BARROSA.change(phase="french", divisions={**BARROSA.divisions, **held}).with_units(units)
    lines = [line for line in GAME.aids.template(state, "french", "es") if "ASALTAR" in line]
    assert lines == ["# ORDEN Ruffin ATAQUE; ASALTAR 1714 CON 1/24, 1/9L, 2/24 AL MANDO DE 1/24"]
    far = state.with_units({"Victor": state.units["Victor"].but(at="2201")})
    assert not [line for line in GAME.aids.template(far, "french", "es") if "ASALTAR" in line]


def test_s2_hexes_that_are_in_reach_only_in_manoeuvre_are_marked():
    lines = {line.partition(" TO ")[0]: line for line in GAME.aids.template(BARROSA, "british", "en") if " TO " in line}
    assert lines["# MOVE 2/95"].endswith("; MANOEUVRE")
    assert "MANOEUVRE" not in lines["# MOVE KGL WITH Whittingham"]
    spanish = "\n".join(GAME.aids.template(BARROSA, "british", "es"))
    assert "  # 1311; MANIOBRA\n" in spanish
    for line in lines.values():
        order, _, note = line.removeprefix("# ").partition("  # ")
        units, _, hexes = order.partition(";")[0].partition(" TO ")
        marked = note.partition("; MANOEUVRE: ")[2] or (hexes if note.endswith("; MANOEUVRE") else "")
        for hex_id in hexes.split(" | "):
            text = f"ORDER Dilkes ATTACK\nORDER Wheatley ATTACK\nORDER Barnard ATTACK\n{units} TO {hex_id}"
            refused = GAME.check(BARROSA, "british", GAME.parse(text, BARROSA, "british").orders)
            assert bool(refused) is (hex_id in marked), line


def test_s7_fire_is_offered_with_how_often_it_has_an_effect():
    foe = BARROSA.units["1/24"]
    guns = BARROSA.units["DuncanA"]._replace(limbered=False, at="1514", facing="SE")
    state = BARROSA.with_units({"DuncanA": guns, "1/24": foe._replace(at="1615")})
    (line,) = [
        form_line
        for form_line in GAME.aids.template(state, "british", "en", _odds())
        if form_line.startswith("# FIRE DuncanA")
    ]
    assert re.fullmatch(r"# FIRE DuncanA AT \d{4}( \| \d{4})*  # effect \d+ %( \| \d+ %)*", line)
    assert line.count("|") % 2 == 0
    (bare,) = [
        form_line for form_line in GAME.aids.template(state, "british", "en") if form_line.startswith("# FIRE DuncanA")
    ]
    assert set(re.findall(r"\d{4}", line)) < set(re.findall(r"\d{4}", bare))
    assert bare == "# FIRE DuncanA AT 1615 | 1616 | 1715 | 1815"


def test_counters_with_the_same_single_target_share_a_line_of_fire_and_are_read_from_it():
    foe, names = BARROSA.units["1/24"].but(at="1615"), ("2/1Guards", "Coldstream")
    others = {ident: unit.but(at="2201") for ident, unit in BARROSA.units.items() if unit.side == "french"}
    near = {name: BARROSA.units[name].but(at="1515", facing="SE") for name in names}
    state = BARROSA.with_units({**others, "1/24": foe, **near})
    (line,) = [line for line in GAME.aids.template(state, "british", "en", _odds()) if line.startswith("# FIRE 2/1G")]
    order, _, note = line.removeprefix("# ").partition("  # ")
    assert order == "FIRE 2/1Guards, Coldstream AT 1615"
    assert re.fullmatch(r"effect \d+ %, \d+ %", note)
    read = GAME.parse(order, state, "british")
    assert not read.rejected
    assert not GAME.check(state, "british", read.orders)


def test_assaults_with_hardly_a_chance_are_left_to_odds():
    state = BARROSA.with_units({"BrowneBn": BARROSA.units["BrowneBn"].but(at="1714", facing="SE")})
    state = state.change(divisions={**state.divisions, "Dilkes": state.divisions["Dilkes"]._replace(order="ATTACK")})
    lines = [line for line in GAME.aids.template(state, "british", "en", _odds()) if "ASSAULT" in line]
    assert lines, "one has a chance"
    assert all(int(line.split()[-2]) >= 20 for line in lines), lines


def _odds():
    return FormTerms(purse=StepBudget(30_000))
