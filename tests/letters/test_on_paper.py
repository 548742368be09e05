"""A game told again for paper: what a seat got by letter and no more, and all of it once it is over."""

import random
from itertools import count

import pytest
from sqlmodel import select

from pbem.cli.printing import PrintedGame, game_document
from pbem.cli.rulebooks import game_by_name
from pbem.letters.catalogue import load_catalogue
from pbem.pages.printed import Grid, Happenings, Heading, Plain, to_pdf
from pbem.play.chapters import ChronicleRefused, gather_chronicle, make_chronicle
from pbem.play.positions import read_position
from pbem.play.rulings import ruling_lines
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.battle import PlayedBattle

GAMES = {"africa1860": ("drill", ("spain", "morocco")), "peninsular": ("training", ("british", "french"))}


def played(table, phases):
    """Bots write for both seats, so many phases or to the end."""
    chance = random.Random(1)
    for _ in count() if phases is None else range(phases):
        with table.server.work() as work:
            game = work.session.get(tables.Game, "g1")
            if game.state == "over":
                return
            position = read_position(work, game)
            rules, state = position.rules, position.state
        for seat in rules.active(state):
            text = rules.bots["forward"](rules.view(state, seat), seat, chance.randrange)
            _, turn = rules.phase(state) or ("", 0)
            table.answer(seat, f"ORDERS T{turn}\n{text}END\n" if text else "PASS\n")
        table.wait(60 * 24 * 8)


@pytest.fixture(params=GAMES)
def table(request, tmp_path):
    scenario, seats = GAMES[request.param]
    made = PlayedBattle(tmp_path, scenario, undo=0, game=request.param, seats=seats)
    yield made
    made.server.engine.dispose()


def chronicle_of(table, seat=""):
    with table.server.work() as work:
        return make_chronicle(gather_chronicle(work, "g1", seat, is_own=True))


def made(game, language="en", turn=None):
    return game_document(PrintedGame(game_by_name(game.rules), load_catalogue(language, game.rules)), game, "a4", turn)


def happenings(doc):
    return [entry for part in doc.parts if isinstance(part, Happenings) for entry in part.entries]


def headings(doc):
    return [part.text for part in doc.parts if isinstance(part, Heading)]


@pytest.mark.full
def test_a_turn_is_what_the_letters_said(table):
    played(table, 2)
    for seat in table.addresses:
        game = chronicle_of(table, seat)
        assert {by.seat for chapter in game.chapters for by in chapter.orders} <= {seat}
        doc = made(game, "es" if seat == next(iter(table.addresses)) else "en", 1)
        letter = " ".join(table.last_to(seat).split())
        last = [part for part in doc.parts if isinstance(part, Happenings)][-1]
        # A long letter leaves out events without result, and one's own marches that ended as ordered.
        in_letter = [entry for entry in last.entries if f"#{entry[0]} " in letter]
        for number, sentence, rule, _ in in_letter:
            assert f"#{number} {sentence}{f' [{rule}]' if rule else ''}" in letter
        assert len(in_letter) >= len(last.entries) / 4
        assert to_pdf(doc) == to_pdf(doc)


def test_before_the_first_phase_there_is_the_position(table):
    doc = made(chronicle_of(table))
    assert "Before the first phase" in headings(doc)
    assert not happenings(doc)
    assert to_pdf(doc).startswith(b"%PDF-")


@pytest.mark.full
def test_a_whole_game_has_orders_dice_and_where_the_points_came_from(tmp_path):
    table = PlayedBattle(tmp_path, "drill", undo=0)
    played(table, None)
    game = chronicle_of(table)
    assert game.over
    doc = made(game, "es")
    assert "De dónde salen los puntos" in headings(doc) or "Where the points came from" in headings(made(game))
    orders = [part.text for part in doc.parts if isinstance(part, Plain)]
    assert any(text.startswith("ACTIVAR ") for text in orders)
    assert not any("LUCK" in text or "SUERTE" in text for text in orders)
    heads = {part.heads for part in doc.parts if isinstance(part, Grid)}
    assert ("Tirada", "Dados", "Salió") in heads
    assert ("Regla", "Lo que dice") in heads
    cited = [part for part in doc.parts if isinstance(part, Grid)][-1]
    assert cited.heads == ("Regla", "Lo que dice")
    numbers = [number for number, _ in cited.groups[0][1]]
    assert {"O2", "O8.8"} <= {*numbers}
    assert len(numbers) == len({*numbers})
    assert to_pdf(doc) == to_pdf(doc)
    table.server.engine.dispose()


@pytest.mark.full
def test_fog_is_kept_while_the_game_runs_and_lifted_when_it_is_over(tmp_path):
    table = PlayedBattle(tmp_path, "drill", undo=0, fog=True)
    played(table, 1)
    with pytest.raises(ChronicleRefused, match="hides its positions while it is played"):
        chronicle_of(table)
    game = chronicle_of(table, seat="spain")
    with table.server.work() as work:
        position = read_position(work, work.session.exec(select(tables.Game)).one())
        hidden = {*position.state.units} - {*game.chapters[-1].after.units}
    assert hidden
    text = repr(made(game))
    assert [name for name in hidden if f"'{name}" in text or f" {name}," in text or f">{name}<" in text] == []
    played(table, None)
    assert all(name in repr(made(chronicle_of(table))) for name in hidden)
    assert "In the letters of the seats: Spain #" in repr(made(chronicle_of(table)))
    assert "by your" not in repr(made(chronicle_of(table)))
    assert made(chronicle_of(table, "spain")).parts != made(chronicle_of(table)).parts
    table.server.engine.dispose()


def test_what_is_not_there_is_told(table):
    with table.server.work() as work:
        with pytest.raises(ChronicleRefused, match="has no seat 'x'"):
            gather_chronicle(work, "g1", "x", is_own=True)
        with pytest.raises(UserError):
            gather_chronicle(work, "g9", is_own=True)
        work.session.exec(select(tables.Game)).one().state = "forming"
        with pytest.raises(ChronicleRefused, match="has not begun"):
            gather_chronicle(work, "g1", is_own=True)
        work.session.rollback()


def test_a_ruling_stands_between_the_phases(tmp_path):
    table = PlayedBattle(tmp_path, "drill", undo=0)
    played(table, 1)
    with table.server.work() as work:
        ruling_lines.make_ruling(
            work, "g1", ruling_lines.read_line("AWARD spain 3 VP BECAUSE of a fault of the server")
        )
    doc = made(chronicle_of(table))
    assert "Turn 1: a ruling corrected the position" in headings(doc)
    table.server.engine.dispose()
