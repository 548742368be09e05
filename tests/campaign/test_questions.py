"""What a seat may ask and set, and what that answers."""

import email

import pytest

from pbem.engine.data.messages import msg, plain_english
from pbem.engine.data.report import Entry
from pbem.play import history
from pbem.play.commands.questions import dice_luck, views
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.game import BOB, PlayedGame
from tests.harness.letters import mail

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
MAP = "s1 Ant\ns2 Bee\ns5 Cat\ns6 Dog\n"


def play_turn(house, north="PASS", south="PASS"):
    """Both seats move, and time goes by."""
    for seat, text in (("north", north), ("south", south)):
        turn = house.all(tables.Phase)[-1].turn
        house.write(seat, f"ORDERS T{turn}\n{text}\nEND")
        house.clock.forward(minutes=31)
        house.tick()
    house.sent()


def settled(house):
    """What no question may change."""
    return (
        [(row.seat_id, row.revision, row.state) for row in house.all(tables.QueuedOrders)],
        [(row.seat_id, row.scope, row.text) for row in house.all(tables.StandingOrders)],
        [(row.language, row.zone, row.nonce, row.strikes) for row in house.all(tables.Seat)],
        [(row.at, row.cause) for row in house.all(tables.Due)],
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("MAP", f"The map now:\n{MAP}"),
        ("mapa t1", f"The map as turn 1 began:\n{MAP}"),
        ("MOVES s1", "What could be ordered in s1:\nAnt: MOVE to s2\n"),
        ("Movimientos S1", "What could be ordered in S1:\n"),
        ("RULES T1", "Rule T1:\nT1  A counter is stuck on a 1.\n"),
        ("regla t1", "Rule T1:\nT1  A counter is stuck on a 1.\n"),
        ("CHART", "The charts of this game:\nT1: Stuck\n"),
        ("tabla STUCK", "Chart STUCK:\nT1  Stuck\n\n  T1.1  0  on a 1\n"),
        (
            "ODDS move Ant to s2",
            "Odds of this attack now: move Ant to s2:\nAnt: wins 83 %\n"
            "Exact, if your opponent has no standing orders.\n",
        ),
        ("HISTORY", "There is no history yet: nothing has happened.\n"),
        ("HISTORIA T1-T2", "There is no history yet: nothing has happened.\n"),
        (
            "OBSERVE g1",
            "You have the seat north in g1: its reports tell you more.\n",
        ),
        ("LIST", "Games on this server:\ng1: A toy, One after the other\n  Being played.\n"),
    ],
)
def test_a_question_is_answered_and_changes_nothing(house, text, answer):
    before = settled(house)
    assert house.write("north", text).outcome == "answer"
    assert house.answer() == f"kind: answer (en)\n{answer}"
    assert settled(house) == before


def test_questions_are_answered_together_in_their_order(house):
    house.write("north", "MOVES s2; MAP\nCHART; RULES T1")
    answer = house.answer()
    places = [answer.index(title) for title in ("What could", "The map now", "The charts", "Rule T1")]
    assert places == sorted(places)
    assert len(house.all(tables.Inbox)) == 1


def test_questions_and_orders_in_one_letter_are_both_seen_to(house):
    assert house.write("north", "HELP dice\nMAP\n" + ORDERS).outcome == "receipt"
    answer = house.answer()
    assert answer.index("Help: dice") < answer.index("The map now") < answer.index("Your orders as I understand them")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("MAP T2", "line 1: MAP T2\n    ^^\nThere was no turn 2 so far. [] ['MAP']\n"),
        ("mapa t9", "line 1: mapa t9\n     ^^\nThere was no turn 9 so far. [] ['MAP']\n"),
        (
            "RULES 8.4",
            "line 1: RULES 8.4\n      ^^^\nThere is no rule 8.4 in this game; RULES alone lists them. [] []\n",
        ),
        (
            "TABLA stuk",
            "line 1: TABLA stuk\n      ^^^^\nThere is no chart stuk; CHART alone lists them all. [] ['CHART Stuck']\n",
        ),
        (
            "set tz Madird",
            "line 1: set tz Madird\n       ^^^^^^\n"
            "There is no time zone Madird; one reads Europe/Madrid or UTC. [] ['SET TZ Europe/Madrid']\n",
        ),
        (
            "FIJAR ZONA new york",
            "line 1: FIJAR ZONA new york\n           ^^^^^^^^\n"
            "There is no time zone new york; one reads Europe/Madrid or UTC. [] ['SET TZ America/New_York']\n",
        ),
        (
            "STANDING BALANCED",
            "line 1: STANDING BALANCED\n         ^^^^^^^^\n"
            "This game has no ready-made standing orders of that name. [] []\n",
        ),
        (
            "  odds MOVE  Ant to s9",
            "line 1:   odds MOVE  Ant to s9\n       ^^^^\nAnt moves one space at a time. [T1] []\n",
        ),
    ],
)
def test_a_question_without_an_answer_refuses_the_letter(house, text, complaint):
    before = settled(house)
    assert house.write("north", text).outcome == "refusal"
    assert complaint in house.answer()
    assert settled(house) == before


@pytest.mark.parametrize(
    ("text", "complaint", "answered"),
    [
        (
            "MAP\nProbabilidad mover Cat a s4",
            "line 2: Probabilidad mover Cat a s4\n                   ^^^\nCat is not yours. [T1] []\n",
            "The map now",
        ),
        ("STATUS\nMAPS", "line 2: MAPS\n^^^^\nI do not know this command. [] ['MAP T1']\n", "Turn 1."),
        ("TABLA stuk\nHELP dice", "There is no chart stuk", "Help: dice"),
    ],
)
def test_a_question_without_an_answer_does_not_keep_the_others_from_theirs(house, text, complaint, answered):
    before = settled(house)
    assert house.write("north", text).outcome != "refusal"
    answer = house.answer()
    assert complaint in answer
    assert "I could not answer one line of your letter" in answer
    assert answered in answer
    assert settled(house) == before


@pytest.mark.parametrize(
    "text", ["SET LANG es\nMAP T7", "MAP T7\nEXTEND 24h", "STATUS\nEXTNED 24h", "MAP\nMOVE Ant TO s2"]
)
def test_what_does_something_is_done_with_all_of_its_letter_or_not_at_all(house, text):
    before = settled(house)
    assert house.write("north", text).outcome == "refusal"
    assert settled(house) == before


def test_of_questions_that_take_long_three_are_answered_and_the_orders_beside_them_count(house):
    asked = "ODDS MOVE Ant TO s2; ODDS MOVE Ant TO s2\nMAP\nWHY #1\nODDS MOVE Bee TO s3\n"
    assert house.write("north", asked + ORDERS).outcome == "receipt"
    assert "3 in a letter, all told. Not answered here, by line: 4. Ask again." in house.answer()
    assert len(house.all(tables.QueuedOrders)) == 1


def test_a_wrong_question_holds_the_orders_back_and_says_so(house):
    house.write("north", "MAP T7\n" + ORDERS)
    answer = house.answer()
    assert answer.startswith("kind: refusal (en)\nI did nothing with your letter: one line is wrong.\n")
    assert answer.endswith(f"Ready to send as it is:\nMAP\n{ORDERS}")
    assert house.all(tables.QueuedOrders) == []


def test_the_map_of_an_earlier_turn_is_that_of_its_beginning(house):
    play_turn(house, north="MOVE Bee TO s3")
    assert [row.kind for row in house.all(tables.Event)].count("moved") == 1
    moved = MAP.replace("s2 Bee", "s3 Bee")
    house.write("south", "MAP T1; MAP T2; MAP")
    assert house.answer() == (
        f"kind: answer (en)\nThe map as turn 1 began:\n{MAP}The map as turn 2 began:\n{moved}The map now:\n{moved}"
    )


def test_a_state_is_found_without_its_snapshot(house):
    play_turn(house, north="MOVE Bee TO s3")
    with house.server.work() as work:
        game = work.session.get_one(tables.Game, "g1")
        kept = [history.state_after(work, game, number) for number in range(3)]
        for number in (1, 2):
            work.session.delete(work.session.get_one(tables.Snapshot, ("g1", number)))
        work.session.flush()
        assert [history.state_after(work, game, number) for number in range(3)] == kept
        assert kept[1].at("Bee") == 3


HISTORY = [
    ("HISTORY", ("Turn 1, north", "Turn 1, south")),
    ("historia t1", ("Turn 1, north", "Turn 1, south")),
    ("HISTORY T1-T4", ("Turn 1, north", "Turn 1, south")),
]


@pytest.mark.parametrize(("text", "titles"), HISTORY)
def test_history_tells_each_phase_of_the_turns_asked_for(house, text, titles):
    play_turn(house, north="MOVE Bee TO s3")
    house.write("south", text)
    answer = house.answer()
    assert tuple(line[:-1] for line in answer.split("\n") if line.startswith("Turn ")) == titles
    assert "Turn 1, north:\n#1 A counter moved. [T1]\n  {'die': 3, 'to': 3, 'unit': 'Bee'}\n" in answer
    assert "Turn 1, south:\nNothing that you saw.\n" in answer


def test_history_of_turns_that_are_not_over(house):
    play_turn(house)
    house.write("north", "HISTORIA T2-T3")
    assert "Nothing is over of those turns; the last that can be told is turn 1. [] ['HISTORY T1']\n" in house.answer()


def test_history_tells_a_seat_what_it_saw_and_no_more(house):
    """A stuck counter is seen by its owner alone."""
    play_turn(house, north="\n".join(f"MOVE Ant TO s{2 if n % 2 == 0 else 1}" for n in range(24)))
    assert any(row.kind == "stuck" for row in house.all(tables.Event))
    house.write("north", "HISTORY T1")
    house.write("south", "HISTORY T1")
    north, south = (row.model for row in house.sent())
    assert "A counter is stuck." in north
    assert "stuck" not in south


def test_dice_tell_a_seat_the_rolls_it_saw_and_no_others(house):
    """A stuck counter is seen by its owner alone: the numbers of the others' happenings go on without it."""
    play_turn(house, north="\n".join(f"MOVE Ant TO s{2 if n % 2 == 0 else 1}" for n in range(24)))
    kinds = [row.kind for row in house.all(tables.Event)]
    seen = {
        "north": [n for n, kind in enumerate(kinds, 1) if kind == "moved"],
        "south": range(1, kinds.count("moved") + 1),
    }
    assert "stuck" in kinds
    for seat, numbers in seen.items():
        house.write(seat, "DADOS T1")
        lines = house.answer().split("\n")
        assert [line for line in lines if line.startswith("#")] == [f"#{n} A counter moved. [T1]" for n in numbers]
        assert sum("1d6 = " in line for line in lines) == len(numbers)


def test_dice_of_a_turn_that_is_not_over(house):
    house.write("north", "DICE")
    assert "There is no history yet: nothing has happened.\n" in house.answer()
    play_turn(house)
    house.write("north", "DICE T4")
    assert "Nothing is over of those turns; the last that can be told is turn 1. [] ['DICE T1']\n" in house.answer()


def test_a_game_without_points_has_dice_and_no_luck(house):
    play_turn(house, north="MOVE Ant TO s2")
    play_turn(house)
    house.write("north", "DICE T1-T2")
    notice = "This game does not say what its dice are worth: their rolls are told turn by turn. [] ['DICE T2']\n"
    assert notice in house.answer()
    with house.server.work() as work:
        page = dice_luck.gather_dice_page(work, work.session.get_one(tables.Game, "g1"))
    (faces,) = page.faces.values()
    assert (page.asked, {sides: sum(counts) for sides, counts in faces.items()}) == (None, {6: 1})
    assert plain_english(dice_luck.dice_page_lines(house.server, page, 0)[0][1]) == "Dice in all: 1, e-value 1.00"


def test_a_long_history_leaves_the_arithmetic_out(house):
    play_turn(house, north="\n".join(f"MOVE Ant TO s{2 if n % 2 == 0 else 1}" for n in range(60)))
    house.write("north", "HISTORY")
    answer = house.answer()
    assert "Arithmetic and dice are shortened.\n" in answer
    assert "{'unit'" not in answer


def test_before_the_game_has_begun_there_is_nothing_to_ask_of_it(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    house.invite("north", "ann@players.example")
    house.sent()
    for text in ("MAP", "MOVES s1", "HISTORY", "MAP T3"):
        house.write("north", text)
        assert house.answer() == "kind: answer (en)\nThe game has not begun.\n"
    house.write("north", "CHART T1; LIST")
    assert house.answer() == (
        "kind: answer (en)\nChart T1:\nT1  Stuck\n\n  T1.1  0  on a 1\nGames on this server:\n"
        "g1: A toy, One after the other\n  Being set up by invitation. Free seats: south.\n"
    )
    house.write("north", "STANDING CAUTIOUS")
    assert house.answer() == "kind: refusal (en)\nThe game has not begun; nothing was changed.\n"
    house.server.engine.dispose()


def test_after_the_game_its_map_and_history_can_still_be_asked_for(house):
    play_turn(house)
    play_turn(house)
    assert house.game().state == "over"
    house.write("north", "MAP; HISTORY T2; STATUS")
    answer = house.answer()
    assert answer.startswith("kind: status (en)\nThe game is over.\nThe map now:\n")
    assert "Turn 2, south:\n" in answer
    house.write("south", "STANDING CAUTIOUS")
    assert house.answer() == "kind: closed (en)\nThe game is over; no more orders are taken.\n"


# STATUS


def test_status_tells_when_the_dice_are_rolled_and_who_is_awaited(house):
    house.write("north", ORDERS)
    house.clock.forward(minutes=10)
    house.sent()
    house.write("south", "STATUS")
    assert house.answer() == (
        "kind: status (en)\nTurn 1. All orders are in: they are carried out on Monday 4 May 2026, 12:30 UTC, "
        "and until then they can be changed.\nDeadlines missed so far: 0.\n"
    )


def test_status_never_promises_more_time_than_the_deadline_leaves(house):
    (phase,) = house.all(tables.Phase)
    house.clock.set(phase.deadline)
    house.clock.forward(minutes=-10)
    house.write("north", ORDERS)
    house.sent()
    house.write("north", "STATUS")
    assert "they are carried out on Tuesday 5 May 2026, 20:00 UTC" in house.answer()


def test_status_counts_the_deadlines_missed(house):
    house.clock.set(house.all(tables.Phase)[0].deadline)
    house.clock.forward(minutes=1)
    house.tick()
    house.sent()
    house.write("north", "STATUS")
    assert house.answer() == (
        "kind: status (en)\nTurn 1. Waiting for orders from: south. Deadline: Thursday 7 May 2026, 20:00 UTC.\n"
        "Deadlines missed so far: 1.\n"
    )


# HELP


@pytest.mark.parametrize("topic", ["orders", "STANDING", "Cartas", "plazos", "dice", "comandos"])
def test_a_topic_takes_ten_to_twenty_five_lines_or_so(house, topic):
    house.write("north", f"HELP {topic}")
    answer = house.answer()
    assert answer.startswith("kind: help (en)\nHelp: ")
    assert 9 <= answer.count("\n") - 2 <= 26
    assert ("MOVE counter TO space.\n" in answer) == (topic == "orders")


def test_an_unknown_topic_gets_the_general_help(house):
    house.write("north", "AYUDA por favor")
    answer = house.answer()
    assert "What you can write:\n" in answer
    assert "HELP tells more of:\nORDERS     ORDENES\n" in answer


# Settings


def test_the_zone_is_that_of_the_answer_already(house):
    house.write("north", "SET TZ europe/madrid")
    assert house.answer() == (
        "kind: settings (en)\n"
        "From now on I write times as in Europe/Madrid; now it is Monday 4 May 2026, 14:00 Europe/Madrid (12:00 UTC).\n"
    )
    assert [row.zone for row in house.all(tables.Seat)] == ["Europe/Madrid", "UTC"]
    house.write("north", "STATUS")
    assert "Deadline: Tuesday 5 May 2026, 22:00 Europe/Madrid (20:00 UTC).\n" in house.answer()


@pytest.mark.parametrize("text", ["FORMAT TEXT", "formato texto", "SET FORMAT text"])
def test_text_is_the_format(house, text):
    house.write("north", text)
    assert house.answer() == "kind: settings (en)\nI write to you in plain text.\n"


def read(part):
    body = part.get_payload(decode=True)
    assert isinstance(body, bytes)
    return body.decode("utf-8").replace("\r\n", "\n")


def text_part(letter):
    return read(next(part for part in letter.walk() if part.get_content_type() == "text/plain"))


def test_a_page_of_html_goes_beside_the_text_until_it_is_taken_back(house):
    house.write("north", "FORMAT HTML")
    (row,) = house.sent()
    letter = email.message_from_bytes(outbox_sender.render(house.server, [row.message_id])[0])
    _, whole, *parts, proofs = letter.walk()
    assert whole.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert proofs.get_filename() == "pbemdice.txt"
    text, page = (read(part) for part in parts)
    assert text.startswith("kind: settings (en)\nFrom now on each letter has a page of HTML besides its text;")
    assert page == f"<pre>{text}</pre>\n"
    house.write("south", "STATUS")
    house.write("north", "formato texto")
    letters = [outbox_sender.render(house.server, [row.message_id])[0] for row in house.sent()]
    kinds = [{part.get_content_type() for part in email.message_from_bytes(raw).walk()} for raw in letters]
    assert ["text/html" in some for some in kinds] == [True, False]


@pytest.mark.parametrize("text", ["SET FORMAT READER", "formato lector"])
def test_letters_may_be_written_to_be_read_aloud(house, text):
    house.write("north", text)
    house.write("south", "STATUS")
    rendered = [outbox_sender.render(house.server, [row.message_id])[0] for row in house.sent()]
    first, second = (text_part(email.message_from_bytes(raw)) for raw in rendered)
    assert first.startswith("kind: settings (en, aloud)\nFrom now on I write for a screen reader:")
    assert "aloud" not in second


def test_a_new_player_is_not_written_to_in_the_format_of_the_old_one(house):
    house.write("north", "FORMAT READER")
    house.sent()
    house.invite("north", "cat@players.example")
    assert [row.format for row in house.sent()] == ["html"]


@pytest.mark.parametrize("text", ["STANDING CAUTIOUS", "doctrina prudente", "Standing prudente."])
def test_a_ready_made_temper_replaces_its_scope_and_is_echoed(house, text):
    house.write("south", "STANDING FOR Cat\nSTAND\nENDSTANDING")
    house.write("south", "STANDING FOR Dog\nSTAND\nENDSTANDING")
    house.sent()
    assert house.write("south", text).outcome == "receipt"
    word = text.split()[1].strip(".").upper()
    assert house.answer() == (
        f"kind: receipt (en)\nYour standing orders are now the ready-made ones: {word}.\n"
        "Your standing orders in force:\n"
        "STANDING FOR Cat\n  FLEE\nENDSTANDING\nSTANDING FOR Dog\n  STAND\nENDSTANDING\n"
    )
    assert [row.text for row in house.all(tables.StandingOrders)] == [
        "STANDING FOR Cat\n  FLEE\nENDSTANDING\n",
        "STANDING FOR Dog\n  STAND\nENDSTANDING\n",
    ]


def test_a_temper_is_not_taken_after_the_deadline(house):
    house.clock.set(house.all(tables.Phase)[0].deadline)
    house.clock.forward(seconds=1)
    house.receive(mail(BOB, house.addresses["south"], "STANDING CAUTIOUS"))
    assert house.answer().startswith("kind: closed (en)\nYour letter came after the deadline")
    assert house.all(tables.StandingOrders) == []


def test_a_long_history_drops_the_marches_and_keeps_the_fights():
    marches = tuple(Entry("O3", msg("march {n}", n=n), (msg("dice"),)) for n in range(1, 11))
    fights = tuple(Entry("C6", msg("fight {n}", n=n), (msg("loss"), msg("dice")), (0,), True) for n in range(11, 31))
    short_lines = [plain_english(line) for _, line in views.shorten_history((*marches, *fights))]
    assert short_lines[:3] == ["#11 fight 11 [C6]", "loss", "#12 fight 12 [C6]"]
    assert short_lines[-1] == "(Left out for brevity: #1-#10. WHY and a number shows one.)"
    assert "dice" not in short_lines
    assert [plain_english(line) for _, line in views.shorten_history(marches)] == [
        f"#{n} march {n} [O3]" for n in range(1, 11)
    ]


def test_status_beside_the_last_orders_does_not_say_that_they_can_be_changed(house):
    house.write("north", "ORDERS T1\nMOVE Ant TO s2\nEND\nGO\nSTATUS")
    answer = house.answer()
    assert "Turn 1. All orders are in; they are carried out now." in answer
    assert "until then they can be changed" not in answer
