"""The last letters of a game: however it ends, they say who won, by how much, why, how to see it and to play again."""

import random
import re

import pytest
from sqlmodel import select

from pbem.letters.catalogue import load_catalogue
from pbem.play import positions
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import BotGamePolicy
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

SEATS = {"africa1860": ("drill", ("spain", "morocco")), "peninsular": ("training", ("french", "british"))}
"""Scenario and seats of each game, of which the first writes Spanish and the second English."""
POINTS = (
    r"Puntos de victoria: .+ -?\d+, .+ -?\d+; diferencia \d+\.",
    r"Victory points: .+ -?\d+, .+ -?\d+; margin \d+\.",
)
WHY = ("De dónde vienen los puntos", "Where the points came from")
AGAIN = ("Para jugar otra vez, escriba JUGAR {} a", "To play again, write PLAY {} to")
SEEN = ("ya lo cuentan todo", "tell everything now")
WINNER = ("Ganador: {}.", "Winner: {}.")
FORSAKEN = ("", "No orders came for so long that the game was closed.")
NOBODY = ("No ha ganado nadie", "Nobody has won")


@pytest.fixture(params=[seat if seat == "africa1860" else pytest.param(seat, marks=pytest.mark.full) for seat in SEATS])
def table(request, tmp_path):
    scenario, seats = SEATS[request.param]
    terms = Terms(ladder=("close",)) if request.node.originalname == "test_a_game_that_nobody_plays" else Terms()
    made = PlayedBattle(tmp_path, scenario, 0, terms, request.param, seats)
    made.server = changed(made.server, play=BotGamePolicy("any", (request.param,)))
    bot(made, 0)
    made.wait(1)
    yield made
    made.server.engine.dispose()


def bot(table, phase):
    """Let the bot write for the seats that are to order now; return whether any is."""
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        now = position.rules.phase(position.state)
        if now is None:
            return False
        draw = random.Random(phase).randrange
        texts = {
            seat: position.rules.bots["forward"](position.rules.view(position.state, seat), seat, draw)
            for seat in position.active
        }
    for seat, text in texts.items():
        table.answer(seat, f"ORDERS T{now[1]}\n{text}\nEND\n")
    return True


def code(text):
    match = re.search(r"\b[A-Z]+ (CODE|CODIGO) [a-z2-7]{8}", text)
    assert match
    return match[0]


def last_letter(table, seat):
    """The last letter to a seat: its kind, and as it is sent."""
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat)).all()
    last = max(rows, key=lambda row: row.id or 0)
    return last.kind, outbox_sender.render(table.server, (last.message_id,))[0]


def told_to(table, seat):
    """The last letter to a seat, with single blanks."""
    return " ".join(readable(last_letter(table, seat)[1]).split())


def is_whole(table, seat, won=None):
    """Check that the last letter to a seat tells and opens all; `won` is the seat that has won, None for nobody."""
    language = [*table.addresses].index(seat)
    kind, raw = last_letter(table, seat)
    assert kind in ("over", "report")
    assert b"letter disclosure" in raw
    text = " ".join(readable(raw).split())
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        assert position.rules.scored is not None
        party = position.rules.scored.party(position.state, won or seat)
        side = load_catalogue(("es", "en")[language], position.game.system).say(position.rules.telling.side(party))
        scenario = position.game.scenario
    assert (WINNER[language].format(side) if won else NOBODY[language]) in text
    assert re.search(POINTS[language], text), text
    assert WHY[language] in text
    assert AGAIN[language].format(scenario) in text
    assert SEEN[language] in text


def concede(table):
    """The first seat gives the game up."""
    first, second = table.addresses
    table.answer(first, code(table.answer(first, "RENDIRSE")))
    return first, second


def test_a_game_that_is_conceded(table):
    first, second = concede(table)
    is_whole(table, first, second)
    is_whole(table, second, second)


def test_a_game_that_is_drawn(table):
    first, second = table.addresses
    table.answer(first, code(table.answer(first, "TABLAS")))
    table.answer(second, code(table.answer(second, "DRAW")))
    is_whole(table, first)
    is_whole(table, second)


def test_a_game_that_is_claimed(table):
    first, second = table.addresses
    table.answer(first, code(table.answer(first, "ABANDONAR")))
    table.answer(second, code(table.answer(second, "CLAIM")))
    is_whole(table, second, second)


SAFE = (
    "Su bando ya no puede perder, pase lo que pase. RECLAMAR",
    "Your side cannot lose any more, whatever happens. CLAIM",
)
BEATEN = (
    "Su bando ya no puede ganar, pase lo que pase. RENDIRSE",
    "Your side cannot win any more, whatever happens. CONCEDE",
)


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_game_whose_winner_is_certain_may_be_claimed(table, ahead):
    leader, loser = [*table.addresses][ahead], [*table.addresses][1 - ahead]
    assert "missed 3 deadlines" in table.answer(leader, "CLAIM") or "3 plazos" in table.answer(leader, "CLAIM")
    with table.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(f"AWARD {leader} 99 BECAUSE of a bet"))
    bot(table, 1)
    table.wait(1)
    assert SAFE[ahead] in told_to(table, leader)
    assert BEATEN[1 - ahead] in told_to(table, loser)
    assert "CODE" not in table.answer(loser, "CLAIM")
    table.answer(leader, code(table.answer(leader, "CLAIM")))
    is_whole(table, leader, leader)
    is_whole(table, loser, leader)


def test_a_game_that_nobody_plays(table):
    for _ in range(12):
        table.wait(4 * 24 * 60)
    for seat in table.addresses:
        assert FORSAKEN[[*table.addresses].index(seat)] in told_to(table, seat)
        is_whole(table, seat)


def test_a_game_that_the_moderator_ends(table):
    with table.server.work() as work:
        ruling_lines.make_ruling(
            work, "g1", ruling_lines.read_line("ADJUDICATE Spain wins by a hair BECAUSE it is late")
        )
    for language, seat in enumerate(table.addresses):
        text = told_to(table, seat)
        assert "Spain wins by a hair" in text
        assert NOBODY[language] not in text
        assert re.search(POINTS[language], text)
        assert WHY[language] in text


def test_a_game_that_is_played_to_its_end(table):
    phase = 1
    while bot(table, phase):
        table.wait(1)
        phase += 1
        assert phase < 200
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        assert position.rules.scored is not None
        won = position.rules.scored.winner(position.state)
        seat = next(
            (
                address
                for address in table.addresses
                if won and position.rules.scored.party(position.state, address) == won
            ),
            None,
        )
    for address in table.addresses:
        is_whole(table, address, seat)


def test_why_tells_what_everybody_ordered_once_the_game_is_over(table):
    before = [table.answer(seat, "WHY #1") for seat in table.addresses]
    assert sum("your order: " in text or "su orden: " in text for text in before) == 1
    concede(table)
    after = [table.answer(seat, "WHY #1") for seat in table.addresses]
    assert not any("secret" in text for text in after)
    assert sum("of another player: " in text or "de otro jugador: " in text for text in after) == 1
