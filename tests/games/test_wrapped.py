"""Orders whose lines a mail program broke at any blank, in both games: read as they were written, or refused."""

import re
from functools import cache

import pytest

from pbem.engine.game import AnyGame
from pbem.engine.orders.wrapped import FORM_WIDTH, BlockReader, fold_form, whole
from pbem.games.africa1860.game import GAME as AFRICA
from pbem.games.peninsular.game import GAME as PENINSULAR

GAMES: dict[str, AnyGame] = {"africa1860": AFRICA, "peninsular": PENINSULAR}
STANDING = {
    "africa1860": "STANDING FOR SPACE Condesa\n1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 OR ENEMY CAV MORE THAN 2 THEN "
    "VANGUARD INF.STRONGEST ; SCREEN NONE ELSE FALLBACK Sur\nENDSTANDING",
    "peninsular": "STANDING\n1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 OR ENEMY CAV MORE THAN 2 THEN STAND\nENDSTANDING",
}


@cache
def scene(name):
    """A game, its first position and who is to move in it."""
    game = GAMES[name]
    state = game.start(game.edition("castillejos" if game is AFRICA else min(game.editions()), {}, {}))
    return game, state, "spain" if game is AFRICA else next(iter(game.active(state)))


def reader(game, state, seat):
    def refused(lines):
        rejected = game.parse("\n".join(lines), game.view(state, seat), seat).rejected
        return {bad.line: bool(bad.suggestions) for bad in rejected}

    return BlockReader(game.aids.begins, refused)


def read_lines(game, state, seat, lines):
    reading = game.parse("\n".join(lines), game.view(state, seat), seat)
    return reading.rejected, game.canon(reading.orders)


@cache
def block_of(name, kind):
    """What a form offers in a language, as far as it may be ordered together; or a standing order."""
    game, state, seat = scene(name)
    if kind == "standing":
        return STANDING[name].split("\n")
    block: list[str] = []
    for line in game.aids.template(game.view(state, seat), seat, kind):
        order = re.split(r" \| |   #|!|; ", line.removeprefix("# "))[0]
        tried = [*block, order]
        if "..." not in order and not read_lines(game, state, seat, tried)[0]:
            block = tried
    return block


@pytest.mark.full
@pytest.mark.parametrize("kind", ["en", "es", "standing"])
@pytest.mark.parametrize("name", GAMES)
def test_a_line_broken_at_any_blank_is_read_as_it_was_written_or_refused(name, kind):
    (game, state, seat), block = scene(name), block_of(name, kind)
    wrong, meant = read_lines(game, state, seat, block)
    assert (wrong, bool(meant)) == ((), True)
    read = reader(game, state, seat)
    mended = tried = 0
    for index, line in list(enumerate(block))[:40]:
        words = line.split(" ")
        for cut in range(1, len(words)):
            broken = [*block[:index], " ".join(words[:cut]), " ".join(words[cut:]), *block[index + 1 :]]
            got_wrong, got = read_lines(game, state, seat, whole(broken, read))
            tried += 1
            mended += got == meant and not got_wrong
            alone = read_lines(game, state, seat, broken)
            # What can be read as it stands, or goes on with an order word, is not touched.
            assert got == meant or (got_wrong, got) == alone
    assert mended >= 0.75 * tried


@pytest.mark.parametrize("kind", ["en", "es", "standing"])
@pytest.mark.parametrize("name", GAMES)
def test_whole_lines_stay_as_they_are(name, kind):
    (game, state, seat), block = scene(name), block_of(name, kind)
    assert list(whole(block, reader(game, state, seat))) == block
    commented = [part for line in block for part in (f"# {line}", "", line)]
    assert list(whole(commented, reader(game, state, seat))) == commented


@pytest.mark.parametrize("name", GAMES)
def test_a_comment_that_was_broken_is_one_comment_and_an_order_below_one_stays_an_order(name):
    game, state, seat = scene(name)
    read = reader(game, state, seat)
    comment = "# the enemy has three battalions behind the pass, or four with those"
    assert whole([comment, "regiments seen", "PASS"], read) == [f"{comment} regiments seen", "", "PASS"]
    for order in ("MOVE nobody TO nowhere", "MOEV Leon TO Otero", "FIER"):
        assert list(whole([comment, order], read)) == [comment, order]
    assert list(whole(["# short", "regiments seen"], read)) == ["# short", "regiments seen"]
    assert list(whole([comment, "", "regiments seen"], read)) == [comment, "", "regiments seen"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", ["en", "es"])
def test_no_line_of_an_order_form_is_long_enough_to_be_broken(name, language):
    game, state, seat = scene(name)
    form = fold_form(game.aids.template(game.view(state, seat), seat, language))
    assert max(map(len, form)) <= FORM_WIDTH
    assert all(line.startswith("#") for line in form)
    assert read_lines(game, state, seat, form) == ((), "")


def test_a_form_is_folded_at_blanks_and_orders_in_it_are_left_alone():
    line = "# MOVE " + ", ".join(f"Regiment{n}" for n in range(12)) + " TO A | B"
    folded = fold_form([line, "MOVE " + "x " * 60, "# " + "x" * 90])
    assert "".join(folded[:3]).replace("#", "").replace(" ", "") == line.replace("#", "").replace(" ", "")
    assert [len(part) <= FORM_WIDTH for part in folded] == [True, True, True, False, False]


def test_so_many_mistakes_are_no_broken_lines():
    asked = []

    def refused(lines):
        asked.append(len(lines))
        return dict.fromkeys(range(1, len(lines) + 1), False)

    lines = ["MOVE", "x"] * 200
    assert whole(lines, BlockReader(lambda line, standing: line == "MOVE", refused)) is lines
    assert asked == [400]
