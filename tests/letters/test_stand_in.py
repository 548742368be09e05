"""The term absent=BOT: who has announced that he is away and sends nothing is played by a bot, and all are told."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.play import rollback, seating
from pbem.play.commands.table import founding
from pbem.play.positions import read_position
from pbem.play.replay import replay
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import ANA, PlayedBattle, readable
from tests.letters.test_bot_seats import doubts, mailbox

IDRIS = "idris@somewhere.example"
ORDERS = "ORDERS T{turn}\nPASS\nEND\n"
DAY = 24 * 60


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def begin(table, *, language="en", **terms):
    """A drill of Ana's (Spain) and Idris's (Morocco), a day a phase."""
    agreed = Terms.from_words({"absent": "bot=forward", "reminder_hours": "0", **terms})
    pace = Pace(hour=20, grace_hours=20, undo_minutes=0)
    with table.server.work() as work:
        founding.new_game(work, founding.NewGame("g2", "africa1860", "drill", pace=pace, terms=agreed))
    for seat, email in (("spain", ANA), ("morocco", IDRIS)):
        with table.server.work() as work:
            invitation = seating.Invitation("g2", seat, email, language=language if seat == "morocco" else "en")
            table.addresses[seat] = seating.invite_seat(work, invitation)
    with table.server.work() as work:
        founding.start_game(work, "g2")
    table.wait(0)


def write(table, seat, text):
    sender = ANA if seat == "spain" else IDRIS
    raw = table.letter(seat, text, sender=sender)
    return " ".join(table.answer_to(raw).split())


def play(table, turn):
    """Ana's orders of a turn, and Idris's silence until his deadline."""
    write(table, "spain", ORDERS.format(turn=turn))
    table.wait(1)
    table.wait(2 * DAY)


def days(table, first, last):
    return tuple((table.clock.at + timedelta(days=count)).date().isoformat() for count in (first, last))


def last_letters(table, seat):
    """The words of the last letter to a seat of g2 that answers none."""
    with table.server.session() as session:
        row = session.exec(select(tables.Seat).where(tables.Seat.game_id == "g2", tables.Seat.name == seat)).one()
        wanted = select(tables.Outbox).where(tables.Outbox.seat_id == row.id, tables.Outbox.kind == "report")
        rows = session.exec(wanted)
        letters = sorted(rows.all(), key=lambda row: row.id or 0)
    return [
        " ".join(readable(outbox_sender.render(table.server, (letter.message_id,))[0]).split()) for letter in letters
    ]


def sets(table):
    """Whose orders phases were played by: phase, seat, by a bot or a letter."""
    with table.server.session() as session:
        seats = {row.id: row.name for row in session.exec(select(tables.Seat)).all()}
        phases = {row.id: f"T{row.turn}.{row.name}" for row in session.exec(select(tables.Phase)).all()}
        rows = sorted(session.exec(select(tables.QueuedOrders)).all(), key=lambda row: row.id or 0)
    return [(phases[row.phase_id], seats[row.seat_id], row.origin == "bot") for row in rows]


def test_a_bot_writes_at_the_deadline_for_who_is_away_and_both_are_told(table, tmp_path):
    begin(table)
    first, last = days(table, 0, 14)
    answer = write(table, "morocco", f"VACATION {first} TO {last}\n")
    assert "the bot forward writes for you if none of your orders are in" in answer
    write(table, "spain", ORDERS.format(turn=1))
    table.wait(1)
    assert sets(table) == [("T1.spain", "spain", False)]
    table.wait(3 * DAY)
    assert sets(table) == [("T1.spain", "spain", False), ("T1.morocco", "morocco", True)]
    (ours,) = [letter for letter in last_letters(table, "spain") if "Orders by the bot" in letter]
    assert re.search(r"Orders by the bot forward for Morocco, who is away until \d+ \w+ \d{4}\.", ours)
    (theirs,) = [letter for letter in last_letters(table, "morocco") if "Orders by the bot" in letter]
    assert "Orders by the bot forward for you, since none of yours were in: you are away until " in theirs
    assert "Deadlines missed so far" not in theirs
    with table.server.work() as work:
        assert replay(work, "g2").difference is None


def test_his_own_letter_wins_and_ends_his_absence(table):
    begin(table)
    first, last = days(table, 0, 14)
    write(table, "morocco", f"VACATION {first} TO {last}\n")
    write(table, "spain", ORDERS.format(turn=1))
    table.wait(DAY)
    answer = write(table, "morocco", ORDERS.format(turn=1))
    assert "You are back: the bot forward does not write for you any more." in answer
    table.wait(1)
    assert sets(table)[1:] == [("T1.morocco", "morocco", False)]
    play(table, 2)
    assert not any(bot for *_, bot in sets(table))
    assert "Deadlines missed so far: 1." in last_letters(table, "morocco")[-1]


def test_a_phase_that_began_before_is_not_the_bots(table):
    begin(table)
    write(table, "spain", ORDERS.format(turn=1))
    table.wait(1)
    first, last = days(table, 0, 14)
    assert "no bot writes in it, and it closes" in write(table, "morocco", f"VACATION {first} TO {last}\n")
    table.wait(3 * DAY)
    assert sets(table) == [("T1.spain", "spain", False)]
    assert "Deadlines missed so far: 1." in last_letters(table, "morocco")[-1]


def test_nobody_is_held_or_offered_for_while_a_bot_writes(table):
    begin(table, ladder="moderator")
    first, last = days(table, 0, 20)
    write(table, "morocco", f"VACATION {first} TO {last}\n")
    for turn in (1, 2, 3):
        play(table, turn)
    assert [order_set for order_set in sets(table) if order_set[2]] == [
        (f"T{turn}.morocco", "morocco", True) for turn in (1, 2, 3)
    ]
    with table.server.session() as session:
        assert session.get_one(tables.Game, "g2").state == "running"


@pytest.mark.full
def test_the_orders_are_those_of_the_bot_and_letters_of_the_game_verify(table, tmp_path):
    begin(table)
    first, last = days(table, 0, 20)
    write(table, "morocco", f"VACATION {first} TO {last}\n")
    for turn in range(1, 7):
        play(table, turn)
    with table.server.session() as session:
        assert session.get_one(tables.Game, "g2").state == "over"
        rows = session.exec(select(tables.QueuedOrders).where(tables.QueuedOrders.origin == "bot")).all()
    assert len(rows) == 6
    doubts_found = doubts(mailbox(table, tmp_path / "letters"))
    assert {truth for truth, _ in doubts_found} == {None}
    assert all("a bot wrote in your place: whether you were away you alone know" in why for _, why in doubts_found)


def test_what_a_bot_wrote_is_not_taken_along_when_a_phase_is_opened_anew(table):
    """The bot writes again at the deadline, from the position that there is then; nobody is told of orders of his."""
    begin(table)
    first, last = days(table, 0, 14)
    write(table, "morocco", f"VACATION {first} TO {last}\n")
    play(table, 1)
    with table.server.work() as work:
        spanish, moroccan = (
            work.session.exec(
                select(tables.Phase).where(tables.Phase.game_id == "g2", tables.Phase.name == name)
            ).all()[0]
            for name in ("spain", "morocco")
        )
        position = read_position(work, work.session.get_one(tables.Game, "g2"))
        assert list(rollback._check_orders(work.session, position, spanish)) == ["spain"]
        assert rollback._check_orders(work.session, position, moroccan) == {}


def test_a_game_that_does_not_agree_on_it_waits_as_before(table):
    begin(table, absent="wait")
    first, last = days(table, 0, 9)
    assert "no deadline of yours falls on these days" in write(table, "morocco", f"VACATION {first} TO {last}\n")
    write(table, "spain", ORDERS.format(turn=1))
    table.wait(5 * DAY)
    assert sets(table) == [("T1.spain", "spain", False)]


def test_it_is_announced_in_the_founding_letter(table):
    begin(table, language="es")
    assert "The bot forward writes for him at each deadline" in last_letters(table, "spain")[0]
    assert "forward" in last_letters(table, "morocco")[0]
    assert "Ausencia: " in last_letters(table, "morocco")[0]


def test_a_bot_that_the_game_does_not_have_is_refused(table):
    with pytest.raises(UserError, match="There is no bot napoleon for this game; there are:"):
        begin(table, absent="napoleon")
    with pytest.raises(ValueError, match=r"absent"):
        Terms.from_words({"absent": "Bot = x"})


ASSAULT = """ORDERS T1
ACTIVATE Tarajal
MOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos
ACTIVATE Nudos
FIRE Montana1 AT Cresta
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
END
"""


@pytest.mark.parametrize(("absent", "asked"), [("bot=forward", 0), ("wait", 1)])
def test_who_is_away_is_asked_nothing_where_nobody_waits_for_him(tmp_path, absent, asked):
    table = PlayedBattle(tmp_path, terms=Terms.from_words({"absent": absent}))
    table.answer("morocco", "STANDING FOR ALL\n1. WHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING\n")
    first, last = days(table, 0, 14)
    table.answer("morocco", f"VACATION {first} TO {last}\n")
    table.answer("spain", ASSAULT)
    table.wait(30)
    with table.server.session() as session:
        questions = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "question")).all()
        phase = session.exec(select(tables.Phase).where(tables.Phase.name == "spain")).one()
    assert (len(questions), phase.state) == (asked, "closed" if asked else "resolved")
    if not asked:
        letter = " ".join(table.last_to("morocco").split())
        assert re.search(r"You are away: \d questions? w\w+ not put to you, and your standing orders", letter)
        with table.server.work() as work:
            assert replay(work, "g1").difference is None
    table.server.engine.dispose()
