"""E5.5 Sides that are bid for: sealed, settled when both have bid or time is up, paid for in points."""

import pytest

from tests.harness.tournament import CUP
from tests.tournaments.test_absentees import write_orders

BIDS = CUP.replace("rounds = 3", 'rounds = 1\nsides = "bid"')


@pytest.fixture
def drawn(halls):
    hall = halls(BIDS)
    people = hall.fill(2)
    hall.until("drawn", 1)
    return hall, people


def test_who_meet_are_asked_for_bids_and_no_table_is_founded_yet(drawn):
    hall, people = drawn
    assert "[[cup60] Round 1: bid for a side]" in hall.told(people[0])
    assert hall.boards(1)[0].game_id is None


def test_who_bids_more_has_the_side_and_pays(drawn):
    hall, people = drawn
    answer = hall.say(people[0], "BID 3 FOR spain")
    assert "Your bid is 3 for spain." in answer
    hall.say(people[1], "PUJAR 2 POR España")
    hall.run()
    board = hall.boards(1)[0]
    assert (board.first, board.price) == (hall.number(people[0]), 3)
    assert "e1 pays 3: so much is taken off his points." in hall.told(people[1])
    assert hall.seat(people[0], 1)[1].startswith("pbem+cup60-r1-01-spain-")


def test_what_was_paid_decides_where_nothing_else_does(drawn, monkeypatch):
    hall, people = drawn
    hall.say(people[0], "BID 3 FOR spain")
    hall.say(people[1], "BID 1 FOR spain")
    hall.until("playing", 1)
    write_orders(hall, people[0])
    monkeypatch.setattr("pbem.tournaments.scoring.find_lead", lambda *_: (2, "spain"))
    hall.end(hall.boards(1)[0].game_id, "")
    hall.run()
    board = hall.boards(1)[0]
    assert (board.margin, board.first_halves, board.second_halves) == (-1, 0, 2)


def test_without_bids_the_sides_are_as_drawn_when_the_games_begin(drawn):
    hall, people = drawn
    before = hall.boards(1)[0]
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    assert (board.first, board.second, board.price) == (before.first, before.second, 0)
    assert "Nobody bid: the sides are as drawn" in hall.told(people[0])


@pytest.mark.parametrize(
    ("line", "why"),
    [("BID 3 FOR france", "The sides are"), ("BID 3000 FOR spain", "I do not understand what follows it")],
)
def test_a_bid_for_what_there_is_not_is_refused(drawn, line, why):
    hall, people = drawn
    assert why in hall.say(people[0], line)


def test_nobody_bids_after_the_table_is_founded(drawn):
    hall, people = drawn
    hall.until("playing", 1)
    assert "No side is to be bid for" in hall.say(people[0], "BID 3 FOR spain")


def test_a_bidder_knows_what_follows_if_he_bids_alone_or_for_another_side(drawn):
    hall, people = drawn
    mail_text = " ".join(hall.told(people[0]).split())
    assert "If only one of you bids he has his side for nothing" in mail_text
    assert "If you bid for different sides each has his, and nobody pays." in mail_text
    board = hall.boards(1)[0]
    mine, first = ("Spain", "e1") if board.first == hall.number(people[0]) else ("Morocco", "e2")
    assert f"As drawn you have {mine}: so it stays if nobody bids." in mail_text
    assert f"Of two bids alike for one side that of {first} counts." in mail_text
    hall.say(people[1], "BID 3 FOR spain")
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    assert (board.first, board.price) == (hall.number(people[1]), 0)
