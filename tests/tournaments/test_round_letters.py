"""What letters say of a round: what came of each board, what comes next, and who has no opponent and why."""

from collections import Counter

import pytest
from sqlmodel import select

from pbem.engine.data.canon import loads
from pbem.store import changes, tables
from pbem.tournaments import draw, proofs, record
from tests.harness.letters import text_of
from tests.harness.tournament import CUP, START, names, with_values


def test_the_first_letter_of_a_game_has_pairing_address_dates_and_proofs_once(hall):
    people = hall.fill(4)
    hall.sent()
    hall.until("playing", 1)
    game, address = hall.seat(people[0], 1)
    letters = hall.sent(people[0])
    (letter,) = [row for row in letters if "you play" in text_of(row)]
    assert (letter.kind, letter.reply_to) == ("report", address)
    assert (proofs.window_in_letter(letter.model) or ("",))[0] == "event/cup60"
    flat_text = " ".join(text_of(letter).split())
    assert f"At {game} you play" in flat_text
    assert f"Its letters go to {address}." in flat_text
    assert "keep it to yourself" in flat_text
    assert f"What you write about cup60 itself goes to {hall.address(people[0])}." in flat_text
    assert "Why this pairing:" in flat_text
    assert "invitation" not in [row.kind for row in letters]
    (calendar,) = [block["files"] for block in loads(letter.content.model)["blocks"] if "files" in block]
    ((name, text),) = calendar
    assert name == "cup60-r1.ics"
    assert "SUMMARY:cup60: round 1 ends at the latest" in text
    assert f"The attachment {name} puts the dates of this round into a calendar." in flat_text


def test_the_letter_of_a_round_that_is_over_says_when_the_next_list_shuts(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    hall.sent()
    hall.play(1)
    mail_text = hall.told(people[0])
    assert "1 - 0, margin" in mail_text
    assert "The list of round 2 shuts on " in mail_text
    assert "until then REST, RETURN and WITHDRAW count." in mail_text


def test_after_the_last_round_no_list_is_promised(halls):
    hall = halls(with_values(CUP, rounds="1"))
    people = hall.fill(4)
    hall.until("playing", 1)
    hall.sent()
    hall.play(1)
    assert "The list of round" not in hall.told(people[0])


def test_who_rests_is_told_what_that_is_worth(hall):
    people = hall.fill(6)
    hall.say(people[0], "REST R1")
    hall.say(people[0], "REST R2")
    hall.until("playing", 1)
    assert "You rest this round: it is worth 0.5 points." in hall.told(people[0])
    hall.play(1)
    assert f"e{hall.number(people[0])} rested: 0.5" in hall.told(people[1])
    hall.until("playing", 2)
    assert "You rest this round: it is worth 0 points." in hall.told(people[0])


def test_who_is_out_of_a_bracket_is_told_so_when_its_next_round_is_drawn(halls):
    hall = halls(with_values(CUP, places="4", rounds="0").replace('"swiss"', '"knockout"'))
    people = hall.fill(4)
    hall.until("playing", 1)
    lost = {board.second for board in hall.boards(1) if board.game_id}
    hall.play(1)
    hall.sent()
    hall.until("playing", 2)
    for who in people:
        mail_text = hall.told(who)
        assert ("You have no game in round 2: you are out of the bracket." in mail_text) == (hall.number(who) in lost)


def test_a_round_shows_what_came_of_each_board_as_its_letter_does(hall):
    people = hall.fill(5)
    for state, text in (("drawn", "not begun"), ("playing", "being played")):
        hall.until(state, 1)
        lines = [line for line in hall.say(people[0], "ROUND").splitlines() if "cup60-r1-" in line]
        assert lines
        assert all(line.endswith(f", {text}") for line in lines)
    hall.play(1)
    answer = hall.say(people[0], "ROUND R1")
    assert "cup60-r1-01: e" in answer
    assert "1 - 0, margin" in answer
    assert "has a bye: 1" in answer


def test_everybody_is_told_whether_he_is_in_the_next_stage(halls):
    rules = CUP.replace("[unfinished]", '[[stage]]\nformat = "knockout"\ntake = 4\n[unfinished]')
    hall = halls(with_values(rules, rounds="1"))
    people = hall.fill(6)
    hall.until("playing", 1)
    hall.play(1)
    letters = [hall.told(who) for who in people]
    assert sum("You are in it." in letter for letter in letters) == 4
    assert sum("You are not in it, and play no more; you are told how it goes." in letter for letter in letters) == 2


@pytest.mark.parametrize("board", [1, 99, 100, 999, 1000, 2048])
def test_a_board_of_any_number_is_known_as_a_table_of_its_tournament(board):
    round_ = tables.Round(tournament_id="cup60", stage=1, number=99, within=1, opens=START, attempt=2)
    name = draw.table_name("cup60", round_, board, "b")
    assert record.is_table_name(name)
    assert not record.is_table_name(name.removesuffix("b") + "c")


def test_results_are_joined_to_the_end_of_a_game_that_is_not_sent_yet(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    hall.sent()
    (first, second) = hall.boards(1)
    hall.end(first.game_id, "concede spain")
    hall.run()
    early = {row.recipient for row in hall.sent()}
    hall.end(second.game_id, "concede spain")
    hall.run()
    for who in people:
        letters = hall.sent(who)
        assert [row.kind for row in letters] == (["announcement"] if who in early else ["over"])
        assert "Round 1 is over; this is how all stand." in text_of(letters[0])
        assert f"goes to {hall.address(who)}" in text_of(letters[0]) or who in early
        assert (proofs.window_in_letter(letters[0].model) or ("",))[0] == "event/cup60"


def test_a_letter_that_another_joined_while_it_was_rendered_is_rendered_again(hall):
    hall.fill(2)
    hall.until("playing", 1)
    hall.sent()
    (board,) = hall.boards(1)
    hall.end(board.game_id, "draw")
    with hall.server.session() as session:
        (row, _) = session.exec(select(tables.Outbox).where(tables.Outbox.state == "queued")).all()
        number, before = row.id, row.model
    hall.run()
    with hall.server.work() as tx:
        row = tx.session.get_one(tables.Outbox, number)
        assert row.model != before
        changes.store_bodies(tx.session, {number: b"old"}, {number: before})
        tx.session.refresh(row.content)
        assert row.body is None
        changes.store_bodies(tx.session, {number: b"new"}, {number: row.model})
        tx.session.refresh(row.content)
        assert row.body == b"new"


def test_where_sides_are_bid_for_the_pairing_is_told_before_the_game(halls):
    hall = halls(CUP.replace("rounds = 3", 'rounds = 1\nsides = "bid"'))
    people = hall.fill(2)
    hall.until("drawn", 1)
    assert "BID" in hall.told(people[0])
    hall.until("playing", 1)
    assert [row.kind for row in hall.sent(people[0])] == ["announcement", "report"]


@pytest.mark.full
def test_a_swiss_takes_three_letters_to_enter_and_three_a_round_of_each_player(halls):
    """They are list, draw with the first report, and end of the game with the results: who has a bye gets fewer."""
    hall = halls(with_values(CUP, rounds="5"))
    people = names(9)
    for who in people:
        hall.write(who, "JOIN cup60")
        asked = hall.sent(who)
        (line,) = [line for line in text_of(asked[0]).splitlines() if line.startswith("JOIN cup60 ") and "CODE" in line]
        hall.write(who, line)
        assert len(asked) + len(hall.sent(who)) == 3
    for number in range(1, 6):
        hall.until("playing", number)
        hall.play(number)
    hall.run()
    assert hall.event.state == "over"
    counts = Counter(letter.recipient for letter in hall.sent())
    assert max(counts[who] for who in people) == 15
