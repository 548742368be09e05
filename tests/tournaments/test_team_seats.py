"""Seats of teams: offered to reserves alone, given up, ruled about; and who judges what teams dispute."""

import pytest

from pbem.runtime.transaction import UserError
from pbem.store import queries
from tests.harness.teams import TEAMS, form, member, number_of
from tests.harness.tournament import DIRECTOR, PlayedTournament
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule


@pytest.fixture
def playing(tmp_path):
    """Two teams of three with two boards, a round of theirs being played."""
    hall = begun(tmp_path)
    yield hall, {team: [member(team, number) for number in (1, 2, 3)] for team in ("Lions", "Bears")}
    hall.server.engine.dispose()


def begun(folder):
    hall = PlayedTournament(folder, TEAMS.replace("rounds = 3", "rounds = 1"))
    form(hall, Lions=3, Bears=3)
    hall.until("playing", 1)
    render(hall)
    hall.sent()
    return hall


def sitting(hall):
    return {number for board in hall.boards(1) for number in (board.first, board.second)}


def proven(hall, who):
    render(hall)
    result, came = verdict(hall, who)
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []


def test_a_reserve_is_told_so_and_takes_the_seat_of_who_withdraws(playing):
    hall, teams = playing
    gone, reserve = teams["Lions"][0], teams["Lions"][2]
    hall.confirm(gone, "WITHDRAW")
    hall.run()
    mail_text = hall.told(reserve)
    assert "a seat is offered to you" in mail_text
    assert "DECLINE leaves it to the next of your team" in mail_text
    assert "The seat is yours" in hall.say(reserve, "ACCEPT")
    hall.run()
    assert hall.number(reserve) in sitting(hall)
    assert hall.number(gone) not in sitting(hall)
    assert hall.entrant(reserve).state == "in"
    hall.play(1)
    hall.run()
    assert hall.event.state == "over"
    proven(hall, teams["Bears"][0])


def test_nobody_but_the_team_is_asked_and_the_board_is_lost(playing):
    hall, teams = playing
    gone, reserve = teams["Lions"][0], teams["Lions"][2]
    hall.confirm(gone, "WITHDRAW")
    hall.run()
    assert "It passes on to the next of your team." in hall.say(reserve, "DECLINE")
    hall.run()
    lost = [board for board in hall.boards(1) if hall.number(gone) in (board.first, board.second)]
    assert [(board.state, board.how) for board in lost] == [("scored", "forfeit")]
    assert "offered" not in hall.told(teams["Bears"][2])


@pytest.mark.full
def test_a_silent_member_is_asked_and_his_reserve_after_him(playing):
    hall, teams = playing
    text = ""
    for _ in range(10):
        hall.forward(hours=24)
        text += "".join(hall.told(who) for who in teams["Lions"])
        for who in teams["Bears"][:2]:
            hall.say(who, "HERE")
    assert "your seat is offered to the reserves of your team" in text
    assert "a seat is offered to you" in text


@pytest.mark.full
def test_a_captain_is_told_of_a_silent_comrade_and_of_who_sits_in_his_place(playing):
    hall, teams = playing
    captain, comrade, reserve = teams["Lions"]
    heard = ""
    while "a seat is offered to you" not in hall.told(reserve):
        hall.forward(hours=20)
        heard += hall.told(captain) + hall.say(captain, "HERE")
        for who in teams["Bears"][:2]:
            hall.say(who, "HERE")
    (game, _), two, three = hall.seat(comrade, 1), hall.number(comrade), hall.number(reserve)
    assert f"L2 (e{two}) sends no orders at {game}, and was asked for a word." in heard
    assert "the seat is offered to the reserves of your team" in heard
    assert "is silent]" not in hall.told(comrade)
    hall.say(reserve, "ACCEPT")
    hall.run()
    assert f"L3 (e{three}) plays on at {game} in the place of L2 (e{two})." in hall.told(captain)


def test_a_captain_hears_whom_the_director_lets_in(halls):
    hall = halls(TEAMS)
    teams = form(hall, Lions=2)
    hall.enter(member("Lions", 3), 'TEAM "Lions" NAME L3')
    hall.sent()
    rule(hall, f"ADMIT {hall.number(member('Lions', 3))} BECAUSE his captain is ill")
    assert "plays for your team: the director has let him in." in hall.told(teams["Lions"][0])


def test_rulings_name_members_and_teams(playing):
    hall, teams = playing
    lions, bears = number_of(hall, "Lions"), number_of(hall, "Bears")
    captain, reserve = (hall.number(who) for who in (teams["Lions"][0], teams["Lions"][2]))
    stranger = hall.number(teams["Bears"][2])
    for line, why in (
        (f"BAR {captain} {stranger}", f"name e{lions} for e{captain}"),
        (f"SUBSTITUTE {captain} BY {stranger}", "does not play for the team of"),
        (f"SUBSTITUTE {captain} BY {hall.number(teams['Lions'][1])}", "has a board of his own"),
        (f"ADMIT {lions}", "is a team: name one of its members"),
    ):
        with pytest.raises(UserError, match=why):
            rule(hall, f"{line} BECAUSE so it is")
    assert "are not paired unless" in rule(hall, f"BAR {lions} {bears} BECAUSE they are brothers")
    assert "takes the place of" in rule(hall, f"SUBSTITUTE {captain} BY {reserve} BECAUSE he asked for it")
    assert reserve in sitting(hall)
    assert "Bears" in rule(hall, f"FORFEIT {bears} R1 BECAUSE none of them came")
    assert {board.how for board in hall.boards(1)} == {"forfeit"}


def test_a_team_that_is_expelled_is_out_with_all_its_members(playing):
    hall, teams = playing
    assert "are expelled" in rule(hall, f"EXPEL {number_of(hall, 'Lions')} BECAUSE of what they wrote")
    assert {hall.entrant(who).state for who in teams["Lions"]} == {"expelled"}
    assert not any("you are its captain now" in hall.told(who) for who in teams["Lions"])
    hall.run()
    assert hall.event.state == "over"
    assert "Book: Bears" in hall.told(teams["Bears"][0])


@pytest.mark.full
def test_no_juror_is_of_either_team(halls):
    hall = halls(TEAMS.replace("rounds = 3", "rounds = 1"))
    teams = form(hall, "Foxes", "Crows", Lions=3, Bears=3)
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    game, who = (
        board.game_id,
        next(member for some in teams.values() for member in some if hall.number(member) == board.first),
    )
    assert "is put to the director" in hall.say(who, f"DISPUTE {game} he moved twice")
    hall.forward(hours=80)
    with hall.opened.session() as session:
        (dispute,) = queries.tournaments.disputes(session, hall.name)
        asked = {vote.entrant for vote in queries.tournaments.votes(session, dispute.id)}
        rows = {row.number: row.team_id for row in queries.tournaments.entrants(session, hall.name)}
    parties = {rows[board.first], rows[board.second]}
    assert asked
    assert not {rows[number] for number in asked} & parties


def test_the_directors_questions_show_matches_and_members(playing):
    hall, _ = playing
    hall.play(1)
    hall.run()
    from pbem.tournaments.commands.questions import round_blocks, standing_blocks
    from pbem.tournaments.record import tournament_by_name

    with hall.opened.reading() as work:
        event = tournament_by_name(work.session, hall.name)
        text = f"{round_blocks(work, event, 1, 'en')} {standing_blocks(work, event, 'en')}"
    assert "at the boards" in text
    assert "Members, by points at the boards" in text
    assert hall.told(DIRECTOR)


def test_questions_of_a_member(playing):
    hall, teams = playing
    who = teams["Lions"][1]
    assert "You play for Lions" in hall.say(who, "STATUS")
    assert "Why this pairing, round 1" in hall.say(who, "WHY PAIRING")
    assert "Lions (e2)" in hall.say(who, "WHY RANK")
    assert "Lions (e2) - Bears" in hall.say(who, "ROUND R1") or "Bears" in hall.say(who, "ROUND R1")
    assert "You are not lined up for Lions" not in hall.told(member("Lions", 1))
