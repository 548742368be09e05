"""What captains, members and those who ask them are told, so that they can decide by it."""

import pytest
from sqlmodel import select

from pbem.store import tables
from tests.harness.letters import text_of
from tests.harness.teams import TEAMS, form, member
from tests.harness.tournament import with_values


def asked(hall, line, who="late@players.example"):
    """What somebody who is in no team is answered at once."""
    hall.sent()
    hall.write(who, line)
    return hall.told(who)


def test_a_name_that_is_nearly_one_founds_no_team_unawares(halls):
    hall = halls(TEAMS)
    form(hall, "Tercios", "Bears")
    answer = asked(hall, 'JOIN cup60 TEAM "Los Tercios"')
    assert "No team is called Los Tercios yet" in answer
    assert "There is Tercios (e2) already: if you mean that one, do not send the line below, but" in answer
    assert 'JOIN cup60 TEAM "Tercios"' in answer
    assert "already" not in asked(hall, "JOIN cup60 TEAM Moles")


def test_a_team_too_many_is_refused_before_its_founder_sends_a_code(halls):
    hall = halls(with_values(TEAMS, places="2", rounds="1"))
    form(hall, Lions=3, Bears=2)
    answer = asked(hall, "JOIN cup60 TEAM Foxes")
    assert "cup60 takes no more teams." in answer
    assert "Teams with room: Bears (" in answer
    assert "Lions" not in answer
    assert "CODE" not in answer
    assert "Teams with room: Bears (" in asked(hall, "JOIN cup60 TEAM Lions")
    last = hall.enter("b3@players.example", "TEAM Bears")
    hall.say(member("Bears", 1), f"ADMIT {last.number}")
    assert "No other team has room." in asked(hall, "JOIN cup60 TEAM Lions")


def test_status_tells_a_captain_who_asks_and_whom_he_has_lined_up(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    answer = hall.say(member("Lions", 1), "STATUS")
    assert "and are its captain." in answer
    assert "The line-up for round 1, as it stands now" in answer
    assert "1. L1 (e" in answer
    assert "2. L2 (e" in answer
    assert "its captain is L1" in hall.say(member("Lions", 2), "STATUS")


def test_status_tells_who_asks_and_who_is_asked_of_each_other(halls):
    hall = halls(TEAMS)
    form(hall, "Lions", "Bears")
    late = hall.enter("late@players.example", "TEAM Lions NAME Luis")
    captain = hall.say(member("Lions", 1), "STATUS")
    assert f"Luis (e{late.number}) asks to play for your team: ADMIT {late.number} lets him in" in captain
    assert "asks to play" not in hall.say(member("Lions", 2), "STATUS")
    answer = hall.say("late@players.example", "STATUS")
    assert "You asked to play for Lions (e2); its captain has not let you in yet." in answer
    assert "Its captain is L1 (e1)." in answer
    hall.until("shut", 1)
    assert f"ADMIT {late.number} lets him in, until Saturday" in hall.told(member("Lions", 1))
    answer = hall.say("late@players.example", "STATUS")
    assert "The captain of Lions (e2) did not let you in" in answer
    assert "RETURN asks him again" in answer


def test_a_captain_is_told_what_comrades_say_and_who_sits_there_then(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    first, second = member("Lions", 1), member("Lions", 2)
    for line, what, sits in (
        ("REST R1", "rests round 1.", "2. L3"),
        ("RETURN R1", "plays again from round 1 on.", "2. L2"),
        ("WITHDRAW AFTER R1", "leaves after round 1.", "2. L3"),
        ("WITHDRAW", "plays no more for your team.", "2. L3"),
    ):
        hall.sent()
        (hall.confirm if line.startswith("WITHDRAW") else hall.say)(second, line)
        with hall.opened.session() as session:
            rows = session.exec(select(tables.Outbox).where(tables.Outbox.recipient == first)).all()
        letter_text = text_of(rows[-1])
        assert f"L2 (e{hall.number(second)}) {what}" in letter_text
        assert sits in letter_text


def test_a_board_that_nobody_is_left_for_is_told_as_lost(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", "Foxes", Lions=1)
    assert "2. nobody: that board is lost [E3.12]" in hall.say(
        member("Lions", 1), f"LINEUP {hall.number(member('Lions', 1))}"
    )
    hall.until("shut", 1)
    assert "2. nobody: that board is lost [E3.12]" in hall.told(member("Lions", 1))


@pytest.mark.full
def test_a_reserve_is_told_why_his_team_meets_whom_it_meets(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    hall.until("playing", 1)
    reserve = member("Lions", 3)
    assert "[E4.3]" in hall.say(reserve, "WHY PAIRING")
    assert "You are not lined up for Lions" in hall.say(reserve, "STATUS")
    hall.play(1)
    hall.run()
    own = hall.say(reserve, "WHY RANK")
    assert own == hall.say(reserve, f"WHY RANK e{hall.number(member('Lions', 1))}")
    assert "Lions" in own


def test_who_leaves_before_a_round_is_in_no_line_up_of_it(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    hall.until("playing", 1)
    hall.confirm(member("Lions", 2), "WITHDRAW AFTER R1")
    answer = hall.say(member("Lions", 1), "STATUS")
    assert "2. L3 (e" in answer
    assert "2. L2" not in answer
    refused = hall.say(member("Lions", 1), f"LINEUP {hall.number(member('Lions', 2))}")
    assert "leaves before round 2: name somebody else." in refused
    hall.confirm(member("Lions", 1), "WITHDRAW")
    answer = hall.told(member("Lions", 2))
    assert "you are its captain now" in answer
    assert "The line-up for round 2, as it stands now" in answer
    assert "1. L3 (e" in answer


@pytest.mark.full
def test_who_rests_is_told_so_and_who_may_dispute_a_board(halls):
    hall = halls(TEAMS)
    form(hall, "Bears", Lions=3)
    hall.say(member("Lions", 3), "REST R1")
    hall.until("playing", 1)
    rests, reserve = hall.told(member("Lions", 3)), member("Lions", 3)
    assert "[[cup60] Round 1: you have no game]" in rests
    assert "in reserve" not in rests
    answer = hall.say(reserve, f"DISPUTE {hall.boards(1)[0].game_id} words")
    assert "only those who sit there dispute it, " in answer
    assert "B1 (e" in answer


def test_members_have_made_nothing_at_a_board_that_is_played(halls):
    hall = halls(TEAMS)
    teams = form(hall, "Lions", "Bears")
    assert "wanted within 24 hours from then on; then all are mailed its list" in hall.say(teams["Lions"][0], "STATUS")
    hall.until("playing", 1)
    assert "of 1" not in hall.say(teams["Lions"][0], "STANDINGS")
    hall.end(hall.boards(1)[0].game_id, "concede morocco")
    hall.run()
    answer = hall.say(teams["Lions"][0], "STANDINGS")
    assert answer.count(": 1 of 1") == 1
    assert answer.count(": 0 of 1") == 1
