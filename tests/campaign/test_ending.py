"""Seats given up and taken over, games conceded, drawn and claimed: each after a code, each told to everybody."""

import re

import pytest
from sqlmodel import select

from pbem.engine.data.canon import loads
from pbem.engine.data.messages import Msg, plain_english
from pbem.letters import content, outbox
from pbem.letters.codes import Asker
from pbem.letters.content import LetterHead
from pbem.play.commands.seats import takeover
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import mail, text_of

PASS = "ORDERS T{}\nPASS\nEND\n"
CARL = "carl@players.example"


@pytest.fixture
def house(tmp_path):
    return PlayedGame(tmp_path, terms=CALM._replace(ladder=("standing", "standby"), claim_after=2))


def new_letters(house):
    """What was written since the last call, by recipient and kind."""
    return {(row.recipient, row.kind): text_of(row) for row in house.sent()}


def line_of(letter):
    """The line with a code that a letter asks to be sent back."""
    (line,) = re.findall(r"^.* (?:CODE|CODIGO) [a-z2-7]{8}$", letter, re.MULTILINE)
    return line


def confirm(house, seat, command):
    """Write a command and then the line that confirms it; what was written after that."""
    house.write(seat, command)
    line = line_of(house.answer())
    house.write(seat, line)
    return new_letters(house)


def ask(house, text, sender=CARL):
    house.receive(mail(sender, "pbem@games.example", text))
    return new_letters(house)


def pass_deadline(house):
    (phase,) = [row for row in house.all(tables.Phase) if row.state == "open"]
    house.clock.set(phase.deadline)
    house.tick()


def seat(house, name):
    return next(row for row in house.all(tables.Seat) if row.name == name)


def test_nothing_ends_without_its_code(house):
    for command in ("RESIGN", "CONCEDE", "CONCEDE CODE", "DRAW"):
        assert house.write("north", command).outcome == "confirm"
        assert "Nothing has changed yet." in house.answer()
    house.write("north", "CONCEDE CODE aaaaaaaa")
    assert "This code is not valid for that, or has expired. CONCEDE without a code gets a new one." in house.answer()
    assert house.game().state == "running"
    assert seat(house, "north").person_id is not None


def test_a_code_is_good_for_its_own_seat_and_command_alone(house):
    house.write("north", "CONCEDE")
    code = line_of(house.answer()).split()[-1]
    for who, command in (("south", "CONCEDE"), ("north", "RESIGN")):
        house.write(who, f"{command} CODE {code}")
        assert "This code is not valid for that" in house.answer()
    house.clock.forward(days=8)
    house.write("north", f"CONCEDE CODE {code}")
    assert "This code is not valid for that" in house.answer()


def test_who_concedes_ends_the_game_and_everybody_hears_of_it(house):
    content = confirm(house, "north", "RENDIRSE")
    assert content[ANN, "over"].startswith("kind: over (en)\nred has conceded the game.\nThe game is over.")
    assert content[BOB, "over"].startswith("kind: over (en)\nred has conceded the game.\nThe game is over.")
    game = house.game()
    assert game.state == "over"
    assert plain_english(Msg.from_json(loads(game.result))) == "red has conceded the game."
    assert house.all(tables.Due) == []
    house.write("south", "STATUS")
    assert "red has conceded the game.\nThe game is over." in house.answer()
    assert house.write("south", PASS.format(1)).outcome == "closed"


def test_a_draw_needs_both_in_one_phase(house):
    content = confirm(house, "north", "DRAW")
    assert "Your offer is passed on. It lapses when this phase closes." in content[ANN, "settings"]
    assert "north offers a draw." in content[BOB, "announcement"]
    house.write("north", "GO\n" + PASS.format(1))
    house.tick()
    house.sent()
    content = confirm(house, "south", "TABLAS")
    assert house.game().state == "running"
    content = confirm(house, "north", "DRAW")
    assert "All have agreed on a draw." in content[BOB, "over"]
    assert house.game().state == "over"


def test_the_same_offer_twice_is_one(house):
    confirm(house, "north", "DRAW")
    confirm(house, "north", "DRAW")
    assert house.game().state == "running"
    assert len(house.all(tables.Proposal)) == 1


def test_a_seat_given_up_speaks_for_nobody_and_the_game_goes_on(house):
    content = confirm(house, "north", "ABANDONAR")
    assert "You have given up your seat." in content[ANN, "settings"]
    assert "north has been given up by its player." in content[BOB, "announcement"]
    before = len(house.all(tables.QueuedOrders))
    assert house.write("north", PASS.format(1)).verdict == "stranger"
    assert len(house.all(tables.QueuedOrders)) == before
    pass_deadline(house)
    assert [(row.number, row.state) for row in house.all(tables.Phase)] == [(1, "resolved"), (2, "open")]


def stand_by(house, text="STANDBY"):
    line = line_of(ask(house, text)[CARL, "confirm"])
    return ask(house, line)


def test_who_stands_by_is_told_and_takes_the_seat_with_an_address_of_his_own(house):
    assert "You stand by: I write to you when a seat needs somebody." in stand_by(house)[CARL, "answer"]
    old = house.addresses["north"]
    content = confirm(house, "north", "RESIGN")
    assert "The seat north of g1 needs somebody: A toy, One after the other." in content[CARL, "announcement"]
    assert "TAKEOVER g1 AS north" in content[CARL, "announcement"]
    line = line_of(ask(house, "TAKEOVER g1 AS north")[CARL, "confirm"])
    content = ask(house, line)
    assert "The seat north in g1 is yours." in content[CARL, "joined"]
    assert "You take this seat over." in content[CARL, "report"]
    assert "ORDERS T1 #" in content[CARL, "report"]
    assert "north from now on." in content[BOB, "announcement"]
    new = re.search(r"pbem\+g1-north-[a-z2-7]{16}@games.example", content[CARL, "invitation"])
    assert new is not None
    assert new[0] != old
    assert house.receive(mail(CARL, new[0], PASS.format(1))).outcome == "receipt"
    assert house.receive(mail(ANN, old, PASS.format(1))).verdict == "stranger"


@pytest.mark.parametrize("word", ["HERE", "STATUS"])
def test_a_seat_whose_player_is_only_slow_is_not_offered(house, word):
    stand_by(house, "STANDBY g1")
    pass_deadline(house)
    house.write("south", "GO\n" + PASS.format(1))
    house.tick()
    house.sent()
    pass_deadline(house)
    content = new_letters(house)
    assert "HERE is enough, or any other letter. If none comes by Friday 8 May 2026, 20:00" in content[ANN, "report"]
    house.clock.forward(hours=23)
    house.write("north", word)
    assert (
        "You are there, and the seat is yours" in new_letters(house)[ANN, "settings" if word == "HERE" else "status"]
    ) == (word == "HERE")
    house.clock.forward(hours=1)
    house.tick()
    assert (CARL, "announcement") not in new_letters(house)
    assert "No such seat of g1 needs somebody now." in ask(house, "TAKEOVER g1")[CARL, "answer"]


def test_where_no_hours_are_agreed_on_a_silent_seat_is_offered_at_once(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(ladder=("standby",), here_hours=0))
    stand_by(house, "STANDBY g1")
    pass_deadline(house)
    content = new_letters(house)
    assert "Others may take your seat over now" in content[ANN, "report"]
    assert "The seat north of g1 needs somebody" in content[CARL, "announcement"]


def test_a_silent_seat_is_offered_but_not_before_a_poll_that_could_have_found_its_word(house):
    stand_by(house, "STANDBY g1")
    pass_deadline(house)
    house.write("south", "GO\n" + PASS.format(1))
    house.tick()
    pass_deadline(house)
    house.sent()
    house.clock.forward(hours=24)
    assert run_due_jobs(house.server) == 0
    house.tick()
    assert "The seat north of g1 needs somebody" in new_letters(house)[CARL, "announcement"]


def test_a_seat_that_missed_too_many_deadlines_can_be_taken_until_a_word_comes(house):
    stand_by(house, "STANDBY g1")
    pass_deadline(house)
    assert (CARL, "announcement") not in new_letters(house)
    house.write("south", "GO\n" + PASS.format(1))
    house.tick()
    assert "No such seat of g1 needs somebody now." in ask(house, "TAKEOVER g1")[CARL, "answer"]
    pass_deadline(house)
    assert "No such seat of g1 needs somebody now." in ask(house, "TAKEOVER g1")[CARL, "answer"]
    house.clock.forward(hours=24)
    house.tick()
    assert "The seat north of g1 needs somebody" in new_letters(house)[CARL, "announcement"]
    line = line_of(ask(house, "TAKEOVER g1")[CARL, "confirm"])
    assert line.startswith("TAKEOVER g1 AS north CODE ")
    content = ask(house, line)
    assert "Your seat north in g1 was taken over by somebody else." in content[ANN, "announcement"]
    assert seat(house, "north").missed == 0


@pytest.mark.parametrize(
    ("done", "sentence"),
    [
        (
            lambda work, game, seat: takeover.hand_over(work, game, seat, Asker(f"{seat.name}@x.example")),
            "was taken over by",
        ),
        (lambda work, game, seat: takeover.vacate_seat(work, game.id, seat.name), "was taken from you by"),
    ],
    ids=["handed over", "vacated"],
)
def test_both_players_of_a_game_are_told_that_they_sit_there_no_more(house, done, sentence):
    """Of one generation the seats are, and each letter has a name of its own."""
    with house.server.work() as work:
        game = queries.games.game(work.session, "g1")
        for seat in queries.games.seats(work.session, "g1"):
            done(work, game, seat)
    written = new_letters(house)
    assert f"Your seat north in g1 {sentence}" in written[ANN, "announcement"]
    assert f"Your seat south in g1 {sentence}" in written[BOB, "announcement"]


def test_a_letter_of_the_same_matter_is_another_one_to_somebody_else(house):
    letter = content.Letter("announcement", LetterHead("g1", "toy"), opening=(Msg("Hello."),)).to_json()
    with house.server.work() as work:
        for who in (ANN, BOB, ANN):
            outbox.queue_letter(work, letter, outbox.Recipient(who, "en"), "the same")
    assert sorted(row.recipient for row in house.sent()) == [ANN, BOB]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("TAKEOVER g1", "No such seat of g1 needs somebody now."),
        ("TAKEOVER nowhere", "There is no game nowhere; LIST tells which there are."),
        ("STANDBY nowhere", "There is no game nowhere; LIST tells which there are."),
        ("STANDBY STOP", "You were not standing by."),
        (
            "STANDBY CODE aaaaaaaa",
            "This code is not valid for that, or has expired. STANDBY without a code gets a new one.",
        ),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(house, text, why):
    assert why in ask(house, text)[CARL, "answer"]
    assert house.all(tables.Standby) == []


def test_standing_by_ends_when_one_says_so(house):
    stand_by(house)
    assert "You stand by already." in ask(house, "STANDBY")[CARL, "answer"]
    assert "You do not stand by any more." in ask(house, "RESERVA FIN")[CARL, "answer"]
    assert house.all(tables.Standby) == []


def test_who_plays_takes_no_second_seat(house):
    confirm(house, "north", "RESIGN")
    house.write("south", "TAKEOVER g1")
    assert "You have a seat in g1 already." in house.answer()


def test_a_game_is_claimed_only_when_the_others_have_left_it(house):
    house.write("south", "CLAIM")
    answer = house.answer()
    assert "missed 2 deadlines in a row or given up; playing: north." in answer
    pass_deadline(house)
    house.write("south", "WAIT")
    house.write("south", PASS.format(1))
    pass_deadline(house)
    pass_deadline(house)
    house.sent()
    content = confirm(house, "south", "RECLAMAR")
    assert "blue has claimed the game: the others have left it." in content[ANN, "over"]
    assert house.game().state == "over"


def test_the_forces_of_an_empty_seat_are_no_hindrance_to_a_draw(house):
    confirm(house, "north", "RESIGN")
    content = confirm(house, "south", "DRAW")
    assert "All have agreed on a draw." in content[BOB, "over"]


def test_a_game_not_begun_has_nothing_to_end(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    house.invite("north", ANN)
    house.sent()
    house.write("north", "CONCEDE")
    assert "The game is not being played; there is nothing to end." in house.answer()


def test_observers_hear_of_the_end(house):
    with house.server.session() as session:
        person = tables.Person(name="carl")
        session.add(person)
        session.flush()
        session.add(tables.Address(person_id=person.id or 0, email=CARL))
        session.add(tables.Observer(game_id="g1", person_id=person.id or 0))
    content = confirm(house, "north", "CONCEDE")
    assert "red has conceded the game." in content[CARL, "over"]
    with house.server.session() as session:
        row = session.exec(select(tables.Outbox).where(tables.Outbox.recipient == CARL)).one()
    assert row.reply_to == "pbem@games.example"


@pytest.mark.parametrize("word", ["WITHDRAW", "Retirar"])
def test_a_word_with_two_meanings_is_asked_back(house, word):
    house.write("north", word)
    answer = house.answer()
    assert f"line 1: {word}\n" in answer
    assert "CANCEL takes your orders back, RESIGN gives your seat up." in answer
    assert seat(house, "north").person_id is not None
