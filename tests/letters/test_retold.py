"""A game told again for paper: what a seat got by letter and no more, and all of it once it is over."""

import random
from itertools import count

import pytest
from sqlmodel import select

from pbem.campaign.base.positions import position
from pbem.campaign.base.server import Broken
from pbem.campaign.moderator import ruling_lines
from pbem.campaign.turn.retold import NotTold, retold
from pbem.cli.printing.games import document
from pbem.core.data.messages import plain
from pbem.pages.printed.document import Grid, Happenings, Heading, Plain
from pbem.pages.printed.pdf import to_pdf
from pbem.reports.catalogue import load
from pbem.store import tables
from tests.letters.table import Table

GAMES = {"africa1860": ("drill", ("spain", "morocco")), "peninsular": ("training", ("british", "french"))}


def played(table, phases):
    """Bots write for both seats, so many phases or to the end."""
    chance = random.Random(1)
    for _ in count() if phases is None else range(phases):
        with table.server.work() as work:
            game = work.session.get(tables.Game, "g1")
            if game.state == "over":
                return
            here = retold(work, "g1", next(iter(table.addresses)))
            rules, state = here.rules, _state(work, game)
        for seat in rules.active(state):
            text = rules.bots["forward"](rules.view(state, seat), seat, chance.randrange)
            _, turn = rules.phase(state) or ("", 0)
            table.answer(seat, f"ORDERS T{turn}\n{text}END\n" if text else "PASS\n")
        table.wait(60 * 24 * 8)


def _state(work, game):
    return position(work, game).state


@pytest.fixture(params=GAMES)
def table(request, tmp_path):
    scenario, seats = GAMES[request.param]
    made = Table(tmp_path, scenario, undo=0, game=request.param, seats=seats)
    yield made
    made.server.engine.dispose()


def told(table, **more):
    with table.server.work() as work:
        return retold(work, "g1", **more)


def made(game, language="en", turn=None):
    return document(game, load(language, game.rules.name), "a4", turn)


def happenings(doc):
    return [entry for part in doc.parts if isinstance(part, Happenings) for entry in part.entries]


def headings(doc):
    return [part.text for part in doc.parts if isinstance(part, Heading)]


def test_a_turn_is_what_the_letters_said(table):
    played(table, 2)
    for seat in table.addresses:
        game = told(table, seat=seat, turn=1)
        assert [one.turn for one in game.told] == [1] * len(game.told)
        assert not any(one.orders or one.rolls for one in game.told)
        doc = made(game, "es" if seat == next(iter(table.addresses)) else "en")
        letter = " ".join(table.last_to(seat).split())
        last = [part for part in doc.parts if isinstance(part, Happenings)][-1]
        for number, said, rule, _ in last.entries:
            assert f"#{number} {said}{f' [{rule}]' if rule else ''}" in letter
        assert last.entries
        assert to_pdf(doc) == to_pdf(doc)


def test_before_the_first_phase_there_is_the_position(table):
    doc = made(told(table))
    assert "Before the first phase" in headings(doc)
    assert not happenings(doc)
    assert to_pdf(doc).startswith(b"%PDF-")


def test_a_whole_game_has_orders_dice_and_where_the_points_came_from(tmp_path):
    table = Table(tmp_path, "drill", undo=0)
    played(table, None)
    game = told(table)
    assert game.over
    doc = made(game, "es")
    assert "De dónde salen los puntos" in headings(doc) or plain(game.account.title) in headings(made(game))
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


def test_fog_is_kept_while_the_game_runs_and_lifted_when_it_is_over(tmp_path):
    table = Table(tmp_path, "drill", undo=0, fog=True)
    played(table, 1)
    with pytest.raises(NotTold, match="shows its onlookers nothing while it runs"):
        told(table)
    game = told(table, seat="spain")
    with table.server.work() as work:
        hidden = {*_state(work, work.session.get(tables.Game, "g1")).units} - {*game.told[-1].after.units}
    assert hidden
    text = repr(made(game))
    assert [name for name in hidden if f"'{name}" in text or f" {name}," in text or f">{name}<" in text] == []
    played(table, None)
    assert all(name in repr(made(told(table))) for name in hidden)
    table.server.engine.dispose()


def test_what_is_not_there_is_told(table):
    with table.server.work() as work:
        with pytest.raises(NotTold, match="has no seat 'x'"):
            retold(work, "g1", "x")
        with pytest.raises(NotTold, match="nothing of turn 7 is over in g1"):
            retold(work, "g1", turn=7)
        with pytest.raises(Broken):
            retold(work, "g9")
        work.session.exec(select(tables.Game)).one().state = "forming"
        with pytest.raises(NotTold, match="has not begun"):
            retold(work, "g1")
        work.session.rollback()


def test_a_ruling_stands_between_the_phases(tmp_path):
    table = Table(tmp_path, "drill", undo=0)
    played(table, 1)
    with table.server.work() as work:
        ruling_lines.rule(work, "g1", ruling_lines.read("AWARD spain 3 VP BECAUSE of a fault of the server"))
    doc = made(told(table))
    assert "Turn 1: a ruling corrected the position" in headings(doc)
    table.server.engine.dispose()
