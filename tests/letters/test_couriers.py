"""M6 Couriers by letters: what a commander may not know yet changes no byte of what he is sent."""

import email
import email.policy
import re

import pytest
from sqlmodel import select

from pbem.play.replay import replay
from pbem.play.rulings import appointment
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable
from tests.letters.stories import masked

SEATS = ("ros", "prim", "odonnell", "abbas", "ahmed", "caid")
COURIERS = ("commands=split", "fog=on", "couriers=on")
UMPIRE = "mo@players.example"
FAR = ("zabala", "prim", "morocco")
QUESTIONS = (
    "STATUS",
    "MAP",
    "HISTORY",
    "BRIEF",
    "SITUATION",
    "LIST",
    "VERIFY T{turn}\nPASS\nEND",
    "ODDS FROM Nudos ASSAULT Cresta WITH Cordoba LED BY Zabala",
    "MOVES Tarajal",
    "DICE T1",
    "WHY 1",
    "WHY 2 T1",
    "FORM",
    "ORDERS T{turn}\nACTIVATE Nudos\nMOVE Cuenca TO Tarajal\nEND",
)
MARCHES = (
    "PASS",
    "ACTIVATE Tarajal\nMOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos\nACTIVATE Nudos\n"
    "FIRE Montana1 AT Cresta\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco",
    "ACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco",
)


def table(folder, scenario="tetuan", seats=SEATS):
    folder.mkdir(exist_ok=True)
    return PlayedBattle(folder, scenario=scenario, seats=seats, options=COURIERS)


def parts(made, raw):
    """All of a letter that is about the game: its subject and its parts, but for what proves the dice."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    texts = [str(message["Subject"])]
    for part in message.walk():
        if not part.is_multipart() and part.get_filename() not in ("pbemdice.txt",):
            text = re.sub(r"SEEN%20\d+%20[^&\"]*?%0D", "", str(part.get_content()).replace("\r\n", "\n"))
            texts.append(masked(made, text))
    return texts


def letters_to_zabala(folder, march):
    """All that Zabala is told on turn 1, whose corps is not there yet, whatever Prim has ordered."""
    made = table(folder, "castillejos", FAR)
    made.answer("zabala", "FORMAT HTML JSON\n")
    made.answer("prim", f"ORDERS T1\n{march}\nEND\nGO")
    replies = [masked(made, made.answer("zabala", text.format(turn=1))) for text in QUESTIONS]
    made.answer("zabala", "ORDERS T1\nPASS\nEND\nGO")
    made.wait(1)
    replies += parts(made, made.last_sent("zabala"))
    replies += [masked(made, made.answer("zabala", text.format(turn=2))) for text in QUESTIONS]
    made.answer("morocco", "ORDERS T1\nPASS\nEND\nGO")
    made.wait(60 * 24 * 4)
    replies += parts(made, made.last_sent("zabala"))
    with made.server.work() as work:
        assert replay(work, "g1").difference is None
    made.server.engine.dispose()
    return replies


@pytest.mark.full
def test_what_another_commander_does_far_off_changes_no_letter(tmp_path):
    first, *others = [letters_to_zabala(tmp_path / str(n), march) for n, march in enumerate(MARCHES)]
    assert len(first) > 30
    for other in others:
        for letter, twin in zip(first, other, strict=True):
            assert letter == twin


def passed(made, turn, *seats):
    for seat in seats:
        made.answer(seat, f"ORDERS T{turn}\nPASS\nEND\nGO")
    made.wait(1)


def apart(folder):
    """Turn 2 of Tetuán, on which Prim stands two spaces from Ros and O'Donnell."""
    made = table(folder)
    made.answer("prim", "ORDERS T1\nACTIVATE LlanoEste\nMOVE Castilla, Cordoba WITH Prim TO LlanoCentro\nEND\nGO")
    passed(made, 1, "ros", "odonnell")
    passed(made, 1, "abbas", "ahmed", "caid")
    return made


def got(made, seat):
    """The letters of others that a seat has been passed on."""
    with made.server.session() as session:
        query = select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat, tables.Outbox.kind == "press")
        names = [row.message_id for row in session.exec(query)]
    return "".join(readable(outbox_sender.render(made.server, (name,))[0]) for name in names)


def test_letters_ride_and_the_writer_is_not_told_how_long(tmp_path):
    made = apart(tmp_path)
    replies = [made.answer("ros", f"PRESS TO {seat}\nCome on.\nENDPRESS") for seat in ("odonnell", "prim")]
    assert replies[0].replace("odonnell", "prim") == replies[1]
    assert "Come on." in got(made, "odonnell")
    assert "Come on." not in got(made, "prim")
    passed(made, 2, "ros", "odonnell", "prim")
    assert "Ros to prim, turn 2" in got(made, "prim")
    assert "Come on." in made.answer("prim", "HISTORY T2")


def test_what_is_said_to_all_rides_to_ones_own_side_and_is_at_once_with_the_enemy(tmp_path):
    made = apart(tmp_path)
    made.answer("prim", "SAY Good morning")
    assert "Good morning" in got(made, "abbas")
    assert "Good morning" not in got(made, "odonnell") + got(made, "ros")
    passed(made, 2, "ros", "odonnell", "prim")
    assert "Good morning" in got(made, "odonnell")
    assert "Prim a ros, turno 2" in got(made, "ros")


def test_two_letters_a_turn_to_each(tmp_path):
    made = apart(tmp_path)
    made.answer("odonnell", "PRESS TO prim\nOne.\nENDPRESS\nPRESS TO prim\nTwo.\nENDPRESS")
    refused = " ".join(made.answer("odonnell", "PRESS TO prim, ros\nThree.\nENDPRESS").split())
    assert "Riders carry 2 letters a turn from one commander to another; none is left to prim this turn." in refused
    assert "Three." not in got(made, "ros")
    assert "rides" in made.answer("odonnell", "PRESS TO ros\nThree.\nENDPRESS")
    passed(made, 2, "ros", "odonnell", "prim")
    passed(made, 2, "abbas", "ahmed", "caid")
    assert "rides" in made.answer("odonnell", "PRESS TO prim\nFour.\nENDPRESS")


def test_a_set_is_shown_to_whoever_is_near_and_told_to_others_in_the_report(tmp_path):
    made = apart(tmp_path)
    made.answer("prim", "ORDERS T2\nSHOW SIDE\nACTIVATE LlanoCentro\nMOVE Castilla TO Falda\nEND\nGO")
    for seat in ("odonnell", "ros"):
        assert "Falda" not in made.answer(seat, "STATUS")
    passed(made, 2, "ros", "odonnell")
    assert "ordered: MOVE Castilla TO Falda" not in made.last_to("odonnell")
    passed(made, 2, "abbas", "ahmed", "caid")
    assert "ordered: MOVE Castilla TO Falda" in " ".join(made.last_to("odonnell").split())
    assert "ordenó: MOVER Castilla A Falda" in " ".join(made.last_to("ros").split())


def test_nobody_is_asked_by_letter_and_who_wants_to_be_is_told(tmp_path):
    made = table(tmp_path)
    answer = " ".join(made.answer("caid", "STANDING\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING").split())
    assert "where couriers ride nobody is asked in time, ASK is passed over" in answer


@pytest.mark.parametrize("options", [("couriers=on",), ("couriers=on", "fog=on"), ("couriers=on", "commands=split")])
def test_a_game_with_couriers_and_no_fog_or_one_commander_is_not_founded(tmp_path, options):
    with pytest.raises(ValueError, match="couriers = on needs"):
        PlayedBattle(tmp_path, scenario="tetuan", seats=SEATS, options=options)


def test_a_moderator_without_a_seat_is_told_what_is_on_its_way(tmp_path):
    made = apart(tmp_path)
    made.answer("ros", "PRESS TO prim\nCome on.\nENDPRESS")
    with made.server.work() as work:
        umpire = appointment.appoint(work, appointment.Appointment(game="g1", email=UMPIRE))
    answer = made.answer("", "STATUS", to=umpire, sender=UMPIRE)
    assert "On the way between commanders" in answer
    assert "prim to ros: what he saw on turn 1, there on turn 2" in answer
    assert "Ros to prim: a letter of turn 2" in answer
    assert "Come on." not in answer


def test_reports_say_of_when_they_are(tmp_path):
    made = apart(tmp_path)
    report = " ".join(made.last_to("odonnell").split())
    assert "As of turn 1: prim reports." in report
    assert "TrinCentro held by Morocco: 2 IL, 1 ART, MuleyAhmed (9 steps)" in report
    assert "TrinCentro (clear), as of turn 1 (prim)" in report
    assert "TrinCentro [M 2/6 a1 o1]'T1" in report
    assert "TrinCentro (despejado), según prim, turno 1" in " ".join(made.last_to("ros").split())
    assert "'T1" not in readable(made.last_sent("prim"))
