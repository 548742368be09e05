"""REST, RETURN, WITHDRAW and HERE, at every moment between a list and the end of a round."""

from datetime import timedelta

import pytest

from pbem.server import service
from pbem.tournaments import record
from pbem.tournaments.arithmetic.rulebook import rules_below
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from tests.harness.letters import mail, text_of
from tests.harness.server import changed
from tests.harness.tournament import CUP, with_values


def board_of(hall, who, number):
    """How somebody passes a round: his board, None if he is not in it."""
    row = hall.number(who)
    boards = [board for board in hall.boards(number) if row in (board.first, board.second)]
    assert len(boards) < 2
    return boards[0] if boards else None


def test_a_round_rested_is_worth_half_a_point_once(hall):
    people = hall.fill(5)
    assert "You rest round 1." in hall.say(people[0], "REST R1")
    hall.say(people[0], "DESCANSAR R2")
    hall.until("playing", 1)
    hall.play(1)
    hall.until("playing", 2)
    assert [(board_of(hall, people[0], n).how, board_of(hall, people[0], n).first_halves) for n in (1, 2)] == [
        ("half-bye", 1),
        ("rest", 0),
    ]


def test_before_a_draw_nobody_is_told_that_he_was_not_in_it(hall):
    people = hall.fill(4)
    assert "No round is drawn yet." in hall.say(people[0], "WHY PAIRING")
    hall.until("playing", 1)
    assert "Round 2 is not drawn." in hall.say(people[0], "WHY PAIRING R2")


def test_the_rules_that_letters_name_are_sent(hall):
    who, *_ = hall.fill(4)

    def says(words):
        return " ".join(hall.say(who, words).split())

    assert "Rule E3.10: E3.10 If one of two has to go on: the one with more points" in says("RULES E3.10")
    chapters = says("REGLAS")
    assert " E11 What looks like an agreement" in chapters
    assert "Stage 1: Swiss, 3 rounds [E3.1]. Ranked by points, Buchholz," in chapters
    assert "E4.3" not in chapters
    assert "No rule of tournaments has the number E99; RULES alone lists them." in says("RULE e99")
    assert "RULES lists the rules of tournaments;" in says("HELP")


def test_the_rules_that_letters_name_are_sent_to_seats_as_well(hall):
    who, *_ = hall.fill(4)
    hall.until("playing", 1)
    _, address = hall.seat(who, 1)

    def says(words):
        hall.sent()
        hall.write(who, words, address)
        return " ".join(hall.told(who).split())

    for number in ("E3.10", "E4.3"):
        assert " ".join(rules_below(number, "en")[0].split()) in says(f"RULES {number}")
    assert "No rule of tournaments has the number E99." in says("RULES E99")
    assert "There is no rule 99 in this game; RULES alone lists them." in says("RULES 99")


def test_who_left_is_told_how_it_ended_and_nothing_before(hall):
    people = hall.fill(4, rounds=1)
    hall.confirm(people[3], "WITHDRAW")
    hall.until("playing", 2)
    hall.told(people[3])
    for number in (2, 3):
        assert hall.told(people[3]) == ""
        hall.until("playing", number)
        hall.play(number)
    hall.until_moment(hall.server.clock.now() + timedelta(days=9))
    assert hall.event.state == "over"
    (mail_text,) = hall.sent(people[3])
    assert mail_text.kind == "over"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("RULES", ["RULES of a game is answered at the address of a seat", "E11 What looks like an agreement"]),
        ("RULES E3.10", ["Rule E3.10: E3.10 If one of two has to go on"]),
        ("REGLAS e3.10", ["E3.10 Si de dos ha de seguir uno"]),
        ("RULES 3.10", ["RULES of a game is answered at the address of a seat", "If one of two has to go on"]),
        ("RULES E99", ["No rule of tournaments has the number E99"]),
        ("RULES retreat", ["RULES of a game is answered at the address of a seat"]),
    ],
)
def test_the_rules_of_tournaments_are_sent_to_anybody(hall, line, parts):
    hall.write("eva@forum.example", line)
    answer = " ".join(hall.told("eva@forum.example").split())
    assert [part for part in parts if part not in answer] == []
    assert "kind: answer" in answer


def test_the_list_says_how_the_rules_of_tournaments_are_had(hall):
    hall.write("eva@forum.example", "LIST")
    assert "RULES to pbem@games.example sends their rules" in " ".join(hall.told("eva@forum.example").split())


def test_a_round_that_there_will_not_be_cannot_be_rested(hall):
    people = hall.fill(4)
    last = most_rounds(record.rules_of(hall.event))
    assert f"You rest round {last}." in hall.say(people[0], f"REST R{last}")
    assert f"cup60 has no round after R{last}." in hall.say(people[0], f"REST R{last + 1}")


@pytest.mark.full
def test_who_returns_is_paired_again(hall):
    people = hall.fill(4)
    hall.say(people[0], "REST R2")
    hall.say(people[0], "REST R3")
    hall.say(people[0], "RETURN R3")
    for number in (1, 2):
        hall.until("playing", number)
        hall.play(number)
    hall.until("playing", 3)
    assert board_of(hall, people[0], 2).how == "half-bye"
    assert board_of(hall, people[0], 3).second


def test_a_list_that_is_shut_stands(hall):
    people = hall.fill(4)
    hall.until("shut", 1)
    assert "The list of round 1 is shut: the next one is R2." in hall.say(people[0], "REST R1")
    hall.until("playing", 1)
    assert board_of(hall, people[0], 1).second


def test_who_withdraws_after_a_round_plays_it_and_no_other(hall):
    people = hall.fill(4)
    assert "You leave cup60 after round 1." in hall.confirm(people[0], "WITHDRAW AFTER R1")
    hall.until("playing", 1)
    assert board_of(hall, people[0], 1).second
    hall.play(1)
    hall.until("playing", 2)
    assert board_of(hall, people[0], 2) is None


def test_who_withdraws_between_the_list_and_the_draw_loses_his_game_at_once(hall):
    people = hall.fill(4)
    hall.until("shut", 1)
    hall.confirm(people[0], "RETIRARSE")
    hall.until("playing", 1)
    hall.run()
    assert board_of(hall, people[0], 1).how == "forfeit"
    assert hall.entrant(people[0]).state == "withdrawn"


@pytest.mark.full
def test_who_comes_back_has_nothing_for_the_rounds_he_missed(hall):
    people = hall.fill(5)
    hall.confirm(people[0], "WITHDRAW")
    hall.until("playing", 1)
    hall.play(1)
    assert "You play again from round 2 on." in hall.say(people[0], "RETURN")
    row = hall.entrant(people[0])
    assert (row.state, row.since, row.start) == ("in", 2, 0)
    hall.until("playing", 2)
    assert board_of(hall, people[0], 2) is not None


def test_when_all_rest_the_round_passes_and_the_next_one_comes(hall):
    people = hall.fill(4)
    for who in people:
        hall.say(who, "REST R1")
    hall.until("closed", 1)
    assert {board.how for board in hall.boards(1)} == {"half-bye"}
    hall.until("playing", 2)
    assert len(hall.boards(2)) == 2


def test_when_all_but_one_leave_the_tournament_is_over(hall):
    people = hall.fill(3, rounds=1)
    for who in people[1:]:
        hall.confirm(who, "WITHDRAW")
    hall.forward(days=3)
    assert hall.event.state == "over"


def test_byes_are_spread_and_used_up_only_when_nothing_else_is_possible(halls):
    hall = halls(with_values(CUP, rounds="3"))
    hall.fill(3, rounds=3)
    byes = [board.first for board in hall.boards() if board.how == "bye"]
    assert sorted(byes) == [1, 2, 3]


def test_orders_at_an_entrants_address_are_told_where_to_go(hall):
    people = hall.fill(2)
    answer = hall.say(people[0], "ORDERS T1\nMOVE Leon TO C\nEND")
    assert "Orders go to the address of the game" in answer


def test_an_unknown_line_does_nothing_of_the_letter(hall):
    people = hall.fill(2)
    answer = hall.say(people[0], "REST R1\nRESTT R2")
    assert "I did nothing with your letter" in answer
    assert hall.entrant(people[0]).resting == ""


def test_status_names_ones_games_with_their_addresses(hall):
    people = hall.fill(2)
    hall.until("playing", 1)
    game, address = hall.seat(people[0], 1)
    answer = hall.say(people[0], "ESTADO")
    assert game in answer
    assert address in answer
    assert "Round 1 is under way" in answer


def test_help_lists_every_word_in_both_languages(hall):
    people = hall.fill(2)
    answer = hall.say(people[0], "AYUDA")
    for word in ("WITHDRAW AFTER R2", "RETIRARSE TRAS R2", "PRESENTE", "RECHAZAR"):
        assert word in answer


def test_nobody_leaves_at_once_who_names_a_round_that_is_over_or_never_will_be(hall):
    people = hall.fill(4, rounds=1)
    hall.until("playing", 2)
    answer = hall.say(people[0], "WITHDRAW AFTER R1")
    assert "Round 1 is over already: WITHDRAW alone leaves now, WITHDRAW AFTER R2 after the newest round." in answer
    assert "cup60 has no round after R3." in hall.say(people[0], "WITHDRAW AFTER R9")
    assert hall.entrant(people[0]).state == "in"


def test_an_offer_that_has_passed_on_is_told_so(halls):
    hall = halls(with_values(CUP, places="2", waiting="3", rounds="1"))
    people = hall.fill(4)
    hall.confirm(people[0], "WITHDRAW")
    hall.run()
    hall.clock.at += timedelta(hours=49)
    answer = hall.say(people[2], "ACCEPT")
    assert "What was offered to you in cup60 passed on at Wednesday 30 January 2030" in answer


def test_who_leaves_after_a_round_that_is_over_is_not_drawn_again(hall):
    people = hall.fill(5, rounds=1)
    assert [round_.state for round_ in hall.rounds()] == ["closed", "planned"]
    assert "You have left cup60" in hall.confirm(people[4], "WITHDRAW AFTER R1")
    hall.until("playing", 2)
    assert hall.number(people[4]) not in {who for board in hall.boards(2) for who in (board.first, board.second)}


def test_rotate_gives_an_entrant_an_address_that_nobody_else_knows(hall):
    people = hall.fill(4)
    old = hall.address(people[0])
    answer = hall.say(people[0], "ROTATE")
    new = hall.address(people[0])
    assert new != old
    assert f"You play in cup60 from another address now: {new}." in answer
    assert hall.write(people[0], "STATUS", old).verdict == "stranger"
    assert "it has been replaced by another one." in hall.told(people[0])
    assert "you are e" in hall.say(people[0], "STATUS")


def test_a_letter_with_a_false_from_is_not_read_and_the_operator_hears_of_it_once(hall):
    people = hall.fill(4)
    examined = changed(hall.opened, authserv_id="mx.example")
    field = f"mx.example; dmarc=fail header.from={people[0].partition('@')[2]}"
    for _ in range(2):
        raw = mail(people[0], hall.address(people[0]), "WITHDRAW", Authentication_Results=field)
        assert service.deliver(examined, raw)[:2] == ("entrant", "unauthentic")
    (warning,) = hall.sent("op@games.example")
    assert "A letter to an entrant's address in cup60 was not read: its From is false." in text_of(warning)
