"""The first letter is a brief, every report begins with how things stand, the last says who won and why."""

import pytest
from sqlmodel import select

from pbem.letters.codes import Asker
from pbem.play.commands.seats import takeover
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable

AFRICA, PENINSULAR = ("africa1860", ("spain", "morocco")), ("peninsular", ("british", "french"))


@pytest.fixture
def sit(tmp_path):
    """Make a table of a scenario."""
    made = []

    def make(scenario, terms=None, game=AFRICA):
        made.append(PlayedBattle(tmp_path, scenario, undo=0, terms=terms, game=game[0], seats=game[1]))
        return made[-1]

    yield make
    for table in made:
        table.server.engine.dispose()


def report(table, seat):
    """The last report to a seat."""
    with table.server.session() as session:
        query = select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat, tables.Outbox.kind == "report")
        last = max(session.exec(query), key=lambda row: row.id or 0)
    return readable(outbox_sender.render(table.server, (last.message_id,))[0])


def flat(text):
    return " ".join(text.split())


SCENARIOS = [("castillejos", AFRICA), ("drill", AFRICA), ("barrosa", PENINSULAR), ("training", PENINSULAR)]


@pytest.mark.parametrize(("scenario", "game"), SCENARIOS)
def test_the_first_letter_holds_all_that_one_must_know_in_either_language(sit, scenario, game):
    table = sit(scenario, game=game)
    first, second = (table.last_to(seat) for seat in game[1])
    spanish = ("La batalla", "Lo que cuenta y cómo se gana", "Lo acordado", "Para saber más")
    english = ("The battle", "How to win", "Settings of this game", "Help")
    for letter, titles in ((first, spanish), (second, english)):
        places = [letter.index(f"\n{title}\n") for title in titles]
        assert places == sorted(places)
        assert len(letter.splitlines()) <= 112
    assert "Ritmo: por fases." in first
    assert "Pace: by phases." in second
    # Who plays whom the text of the side tells; BRIEF has it all.
    assert "Usted juega con " in table.answer(game[1][0], "SITUACION")
    assert "You play " in table.answer(game[1][1], "BRIEF")


FIRST_LETTERS = [
    *((AFRICA, name, ("Puntúan tras el último", "score after the last turn")) for name in ("brigades", "castillejos")),
    *(
        (AFRICA, name, ("Puntúan tras el último", "score after the last turn"))
        for name in ("drill", "tetuan", "wadras")
    ),
    *(
        (PENINSULAR, name, ("Además dan puntos", "Other points"))
        for name in ("barrosa", "rolica", "training", "usagre")
    ),
]


@pytest.mark.parametrize(("game", "scenario", "words"), FIRST_LETTERS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_first_letter_has_at_most_a_hundred_lines_and_all_that_decides(sit, game, scenario, words, turned):
    """Both seats in both languages, also where no relay of the beacon answered, which takes two lines more."""
    seats = game[1][::-1] if turned else game[1]
    table = sit(scenario, game=(game[0], seats))
    for seat, points in zip(seats, words, strict=True):
        letter = table.last_to(seat)
        assert len(letter.splitlines()) <= 98
        assert max(len(line) for line in letter.splitlines()[:-1]) <= 74
        assert points in flat(letter)
        assert "RULES C6" not in letter, "not every game has that rule"


def test_the_brief_tells_the_pace_of_activations_and_who_is_asked(sit):
    table = sit("drill", Terms(pace="activation", reactions="interrupt", asks=3))
    letter = flat(table.last_to("morocco"))
    assert "Pace: by activations. Each letter of orders is carried out at once" in letter
    assert "DONE ends your phase." in letter
    assert "(interrupts): you are asked by letter how to answer the enemy, in at most 3 letters a turn." in letter
    assert "LISTO termina su fase." in flat(table.last_to("spain"))


def passed(table, seat, turn):
    table.answer(seat, f"ORDERS T{turn}\nPASS\nEND\n")
    table.wait(1)


def test_after_a_phase_of_passing_nothing_is_said_not_to_have_happened_yet(sit):
    table = sit("drill")
    passed(table, "spain", 1)
    letter = table.last_to("morocco")
    assert "No phase has been played yet." not in letter
    assert "The battle\n" not in letter
    assert "\nTurn 1 of 6\n" in letter
    passed(table, "morocco", 1)
    assert "\nTurn 2 of 6\n" in table.last_to("morocco")


def test_the_last_letter_names_winner_margin_and_where_the_points_came_from(sit):
    table = sit("drill")
    for turn in range(1, 7):
        passed(table, "spain", turn)
        passed(table, "morocco", turn)
    letter = flat(report(table, "morocco"))
    assert "The game is over: victory for Morocco [O6]: Spain 0, Morocco 6 (ground 6)." in letter
    assert "Margin: 6 for Morocco." in letter
    assert "At the end of turn 6: victory for Spain if level with Morocco or ahead;" in letter
    assert "Where the points came from At the beginning: Spain 0, Morocco 6." in letter
    assert "Diferencia: 6 a favor de Marruecos." in flat(report(table, "spain"))
    # What was agreed can still be asked for.
    assert "\nThe battle\n" in table.answer("morocco", "BRIEF")


def test_points_by_a_ruling_have_their_line_in_the_account(sit):
    table = sit("drill")
    passed(table, "spain", 1)
    with table.server.work() as work:
        order = ruling_lines.read_line("AWARD spain 2 VP BECAUSE of a fault of the server")
        ruling_lines.make_ruling(work, "g1", order)
    passed(table, "morocco", 1)
    for turn in range(2, 7):
        passed(table, "spain", turn)
        passed(table, "morocco", turn)
    letter = flat(report(table, "morocco"))
    assert "Spain 2 (moderator 2), Morocco 6 (ground 6)." in letter
    assert "Before turn 1, by the moderator's ruling: given by the moderator: Spain +2" in letter


def test_who_takes_a_seat_over_is_briefed(sit):
    table = sit("castillejos")
    passed(table, "spain", 1)
    with table.server.work() as work:
        game = work.session.get_one(tables.Game, "g1")
        (seat,) = work.session.exec(select(tables.Seat).where(tables.Seat.name == "morocco"))
        takeover.hand_over(work, game, seat, Asker("new@players.example", "en", "UTC"))
    letter = report(table, "morocco")
    assert "\nThe battle\n" in letter
    assert "No phase has been played yet." not in letter
