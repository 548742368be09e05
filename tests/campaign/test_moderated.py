"""What a moderator's letters are answered, what of it comes to players, and who moderates."""

import json
from email import message_from_bytes, policy

import pytest

from pbem.engine.data.messages import plain_english
from pbem.play.commands.table import founding
from pbem.play.replay import replay
from pbem.play.rulings import appointment, moderator_letter, ruling_lines
from pbem.runtime.transaction import UserError
from pbem.server import outbox_sender
from pbem.store import tables
from tests.campaign.test_bounces import bounce
from tests.harness import toygame
from tests.harness.game import ANN, BOB, CALM, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.moderated_game import EVE, MO, ModeratedGame
from tests.harness.server import make_once

pytestmark = pytest.mark.usefixtures("stuck")

HOLD = "HOLD BECAUSE the map is being mended\n"


@pytest.fixture
def house(moderated):
    return moderated


# What is told to whom


def test_no_letter_of_the_moderators_goes_to_a_player_and_none_tells_where_he_is(house):
    for text in ("STATUS", "HISTORY", "PREDICT", "EXPORT", "HELP", "BANISH", HOLD, "ROTATE"):
        house.dictate(text, sender=EVE)
    house.write("south", "APPEAL Ant was stuck")
    for row in house.all(tables.Outbox):
        if row.recipient == MO:
            continue
        for secret in (house.moderator, MO):
            assert secret not in row.model + row.reply_to
    mine = [row for row in house.all(tables.Outbox) if row.kind in ("chair", "confirm", "appeal", "not-ruled")]
    assert {row.recipient for row in mine} == {MO}
    assert EVE not in {row.recipient for row in house.all(tables.Outbox)}


def test_an_export_is_attached_and_comes_to_the_registered_address_alone(house):
    house.write("north", "GO\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.tick()
    house.sent()
    assert house.dictate("EXPORT\n", sender=EVE).outcome == "answer"
    (row,) = house.sent()
    (raw,) = outbox_sender.render(house.server, [row.message_id])
    letter = message_from_bytes(raw, policy=policy.default)
    (attached,) = letter.iter_attachments()
    exported = json.loads(attached.get_content())
    assert (row.recipient, letter["To"], attached.get_filename()) == (MO, MO, "g1.json")
    assert exported["phases"][0]["orders"]["north"] == [1, "MOVE Ant TO s2\n", []]
    with house.server.session() as session:
        assert exported == moderator_letter.export_game(session, "g1")
    assert not any(secret in str(exported) for secret in (ANN, BOB, MO, house.moderator, *house.addresses.values()))
    assert letter["List-Unsubscribe"] is None


def test_a_game_too_large_for_a_letter_is_said_to_be(house, monkeypatch):
    monkeypatch.setattr("pbem.play.rulings.moderator_letter.LARGEST", 100)
    house.dictate("EXPORT\n")
    assert "The game is too large for a letter" in house.answer()


SECRETS = ("ORDERS T1\nMOVE Ant TO s2\nEND\n", "ORDERS T1\nPASS\nEND\n")


def test_nothing_that_a_side_keeps_to_itself_comes_through_the_moderators_letters(tmp_path):
    def answers(folder, secret):
        folder.mkdir()
        house = ModeratedGame(folder)
        house.write("north", "WAIT\n" + secret)
        house.sent()
        for text in (
            "STATUS\nPREDICT\nHISTORY\n",
            HOLD,
            "CODE " + house.asked(HOLD),
            "STATUS",
            "PROCESS T1.south BECAUSE",
        ):
            house.dictate(text)
        texts = [(row.recipient, text_of(row)) for row in house.sent()]
        house.server.engine.dispose()
        return texts

    first, second = (answers(tmp_path / str(number), secret) for number, secret in enumerate(SECRETS))
    assert len(first) > 6
    assert first == second


def test_history_tells_players_and_the_moderator_of_rulings(house):
    with house.server.work() as work:
        order = ruling_lines.read_line("WARN south to be civil BECAUSE of a letter")
        ruling_lines.make_ruling(work, "g1", order)
    house.sent()
    rulings_text = "Rulings:\nRuling M1 of the moderator: WARN south to be civil\n  Reason: of a letter"
    house.write("north", "HISTORY")
    assert rulings_text in house.answer()
    house.dictate("HISTORIA\n")
    assert rulings_text in house.answer()
    house.write("north", "GO\nORDERS T1\nPASS\nEND\n")
    house.tick()
    house.sent()
    for words, is_answered in (("HISTORY", True), ("HISTORY T1", True)):
        house.write("north", words)
        assert (rulings_text in house.answer()) == is_answered
    house.dictate("HISTORY T2-T3\n")
    assert "There is no history yet" in house.answer()
    house.dictate("HISTORY yesterday\n")
    assert "HISTORY is a command, but I do not understand what follows it." in house.answer()


def test_status_names_seats_and_appeals_that_wait(house):
    house.write("south", "APPEAL #1 Ant was stuck")
    house.sent()
    house.dictate("ESTADO\n")
    answer = house.answer()
    assert "The game is being played.\nTurn 1. Waiting for orders from: north." in answer
    assert "north: deadlines missed, 0 in all and 0 in a row." in answer
    assert "Appeals that wait for a ruling:\nA1 south: #1 Ant was stuck" in answer


def test_appeals_go_to_the_moderator_and_not_to_the_operator(house):
    house.write("south", f"APPEAL #1 mine is {house.addresses['south']}")
    letters = house.told()
    assert ("op@games.example", "fault") not in letters
    assert "south of g1 appeals (A1)." in letters[MO, "appeal"]
    assert "How the line begins that answers it:\nRULING A1" in letters[MO, "appeal"]
    assert house.addresses["south"] not in letters[MO, "appeal"]


def test_an_appeal_brings_the_happening_as_its_player_saw_it(house):
    house.write("north", "GO\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.tick()
    house.sent()
    event_text = "#1 of turn 1, north:\n#1 A counter is stuck. [T2]"
    # Only north saw that Ant was stuck.
    for seat, number, is_answered in (("north", 1, True), ("south", 1, False), ("north", 99, False)):
        house.write(seat, f"APPEAL #{number} Ant was stuck")
        assert (event_text in house.told()[MO, "appeal"]) == is_answered
    house.moderator = house.appoint(BOB, plays=True)
    house.sent()
    house.write("north", "APPEAL #1 Ant was stuck")
    assert "of turn 1" not in house.told()[BOB, "appeal"]


def test_the_moderator_hears_when_his_game_is_held(tmp_path):
    house = ModeratedGame(tmp_path, terms=CALM._replace(ladder=("moderator",)))
    (phase,) = house.all(tables.Phase)
    house.clock.set(phase.deadline)
    house.tick()
    letters = house.told()
    assert "No orders came from north again" in letters[MO, "announcement"]
    assert ("op@games.example", "fault") in letters


# Who moderates


def test_players_hear_of_a_moderator_and_not_who_he_is(tmp_path):
    house = PlayedGame(tmp_path)
    with house.server.work() as work:
        address = appointment.appoint(
            work, appointment.Appointment(game="g1", email=MO, language="es", zone="Europe/Madrid")
        )
    letters = house.sent()
    assert [(row.recipient, row.kind) for row in letters] == [
        (MO, "chair"),
        (ANN, "announcement"),
        (BOB, "announcement"),
    ]
    assert (letters[0].language, letters[0].reply_to) == ("es", address)
    assert "This game has a moderator, who rules on appeals" in text_of(letters[1])
    assert all(MO not in row.model and address not in row.model for row in letters[1:])


def test_another_moderator_makes_address_and_codes_of_the_first_worthless(house):
    old, code = house.moderator, house.asked(HOLD)
    house.moderator = house.appoint("zoe@bench.example")
    letters = house.sent()
    assert [row.recipient for row in letters] == [MO, "zoe@bench.example", ANN, BOB]
    assert "You do not moderate g1 any more." in text_of(letters[0])
    assert house.receive(mail(MO, old, HOLD)).verdict == "stranger"
    house.sent()
    assert house.dictate(f"CODE {code}\n", sender="zoe@bench.example").outcome == "not-ruled"


def test_the_same_again_changes_his_language_and_tells_nobody_else(house):
    assert house.appoint(MO, language="es") == house.moderator
    assert [(row.recipient, row.language) for row in house.sent()] == [(MO, "es")]


def test_rotating_makes_the_old_address_and_its_codes_worthless(house):
    old, code = house.moderator, house.asked(HOLD)
    assert house.dictate("ROTATE\n").outcome == "settings"
    (row,) = house.sent()
    house.moderator = row.reply_to
    assert f"You moderate g1 from another address now: {house.moderator}." in text_of(row)
    assert house.receive(mail(MO, old, f"CODE {code}\n")).verdict == "stranger"
    assert house.dictate(f"CODE {code}\n").outcome == "not-ruled"
    assert house.rulings() == []


def test_a_moderator_dismissed_is_heard_no_more(house):
    with house.server.work() as work:
        appointment.dismiss_moderator(work, "g1")
    letters = house.told()
    assert "You do not moderate g1 any more." in letters[MO, "announcement"]
    assert "whoever runs the server decides" in letters[ANN, "announcement"]
    assert house.dictate(HOLD).verdict == "stranger"
    old, again = house.moderator, house.appoint(MO)
    assert again != old
    assert house.dictate(HOLD).verdict == "stranger"
    with house.server.work() as work:
        appointment.dismiss_moderator(work, "g1")
    for command in (appointment.dismiss_moderator, appointment.rotate_moderator):
        with pytest.raises(UserError, match="no moderator who writes letters"), house.server.work() as work:
            command(work, "g1")


@pytest.mark.parametrize("email", [ANN, "ANN@players.example", "ann+mod@players.example"])
def test_a_player_does_not_moderate_unhidden(house, email):
    with pytest.raises(UserError, match="cannot moderate it unhidden"):
        house.appoint(email)
    assert house.sent() == []


@pytest.mark.parametrize("email", ["nobody", "two words@x.example"])
def test_a_moderator_can_be_written_to(house, email):
    with pytest.raises(UserError, match="cannot have that moderator"):
        house.appoint(email)


@pytest.mark.parametrize("email", [MO, "mo+x@bench.example"])
def test_a_moderator_gets_no_seat(house, email):
    with pytest.raises(UserError, match="Whoever moderates g1 cannot have a seat in it"):
        house.invite("north", email)
    house.dictate(f"SUBSTITUTE north BY {email} BECAUSE Ann left\n")
    assert "Whoever moderates g1 cannot have a seat in it." in house.answer()
    house.write("north", f"ADDRESS {email}")
    assert "That address cannot be used." in house.answer()


def test_a_moderator_takes_no_seat_by_letter(tmp_path):
    house = make_once(tmp_path, ModeratedGame)
    house.write("north", "RESIGN")
    (row,) = house.sent()
    code = text_of(row).split("CODE ")[1][:8]
    house.write("north", f"RESIGN CODE {code}")
    house.sent()
    house.receive(mail(MO, "pbem@games.example", "TAKEOVER g1 AS north"))
    assert "Whoever moderates g1 cannot have a seat in it." in house.answer()


def test_a_seat_is_joined_by_others_than_the_moderator(tmp_path):
    house = ModeratedGame(tmp_path, started=False)
    with house.server.session() as session:
        game = session.get_one(tables.Game, "g1")
        game.open_seats = True
    house.receive(mail(MO, "pbem@games.example", "JOIN g1"))
    assert "Whoever moderates g1 cannot have a seat in it." in house.answer()
    house.receive(mail(EVE, "pbem@games.example", "JOIN g1"))
    assert "was asked for with your address" in house.answer()


def test_who_plays_and_moderates_does_it_openly_and_learns_no_secret(house):
    house.moderator = house.appoint(ANN, plays=True)
    letters = house.told()
    for who in (ANN, BOB):
        assert "The moderator of this game may have a seat in it himself." in letters[who, "announcement"]
        assert "He has the seat north." in letters[who, "announcement"]
    for secret in ("EXPORT\n", "DICE\n"):
        house.dictate(secret, sender=ANN)
        assert "You have a seat in this game: all of it can be told to you when it is over." in house.answer()
    house.dictate("EDIT UNIT Ant AT s2 BECAUSE it was there\n", sender=ANN)
    assert "whoever runs the server corrects what not everybody may know" in house.answer()
    house.invite("south", "carl@players.example")
    invited = [row for row in house.sent() if row.kind == "invitation"]
    assert "The moderator of this game may have a seat in it himself." in text_of(invited[0])
    with house.server.work() as work:
        order = ruling_lines.read_line("ADJUDICATE A draw BECAUSE both agreed")
        ruling_lines.make_ruling(work, "g1", order)
    house.sent()
    assert house.dictate("EXPORT\n", sender=ANN).outcome == "answer"


def test_a_fault_of_ours_is_told_to_the_moderator(house, monkeypatch):
    monkeypatch.setattr("pbem.letters.rulings.Rulings.carry_out", lambda *args: 1 / 0)
    assert house.dictate(HOLD).outcome == "fault"
    letters = house.told()
    assert "A fault of this server kept it from reading your letter." in letters[MO, "fault"]
    assert ("op@games.example", "fault") in letters


def test_no_rules_may_call_a_seat_so(tmp_path, monkeypatch):
    house = make_once(tmp_path, ModeratedGame)
    monkeypatch.setattr(toygame.Toy, "seats", lambda self, state: {"moderator": "red"})
    with pytest.raises(UserError) as refused, house.server.work() as work:
        founding.new_game(work, founding.NewGame(name="g2", game="toy", scenario="turns"))
    assert "call a seat moderator" in plain_english(refused.value.why)


def test_the_operator_hears_when_letters_to_the_moderator_come_back(house):
    house.dictate("STATUS\nHELP\n")
    house.write("south", "APPEAL Ant was stuck")
    rows = [row for row in house.sent() if row.recipient == MO]
    outcomes = [bounce(house, row).outcome for row in rows]
    assert outcomes == ["bounced", "bounced"]
    (letter,) = house.sent()
    assert letter.recipient == "op@games.example"
    assert "Letters to the moderator of g1 come back." in text_of(letter)


def test_what_is_corrected_by_letter_is_told_to_each_as_far_as_he_sees_it(house):
    code = house.asked("EDIT UNIT Ant AT s2 BECAUSE it was there\n")
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"
    letters = house.told()
    for who in (ANN, BOB):
        assert "Ruling M1 of the moderator: EDIT\n" in letters[who, "announcement"]
    assert "UNIT Ant" not in letters[MO, "ruled"]
    house.write("south", "HISTORY")
    answer = house.answer()
    assert "Ruling M1 of the moderator: EDIT\n" in answer
    assert "UNIT Ant" not in answer
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


def test_a_game_without_points_says_so(house):
    assert house.dictate("AWARD north 2 BECAUSE of it\n").outcome == "not-ruled"
    assert "has no points that a moderator could give." in house.answer()
