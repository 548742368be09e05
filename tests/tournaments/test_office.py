"""A director speaks to all, warns, and hands over."""

import pytest

from pbem.engine.data.messages import plain_english
from pbem.letters.catalogue import load_catalogue
from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.tournaments import rulings, standings
from pbem.tournaments.record import stage_seeds, tournament_by_name
from tests.harness.tournament import CUP, DIRECTOR, names, subject, with_values
from tests.tournaments.test_director import offered, says
from tests.tournaments.test_event_rulings import rule


def test_an_announcement_reaches_all_in_their_language(hall):
    people = hall.fill(3)
    line = "ANNOUNCE The server moves on Monday. ES: El servidor se muda el lunes."
    message = rulings.read(line).message()
    assert plain_english(message) == "ANNOUNCE The server moves on Monday."
    assert load_catalogue("es").say(message) == "ANUNCIAR El servidor se muda el lunes."
    shown = says(hall, line)
    assert "In English: The server moves on Monday." in shown
    assert "In Spanish: El servidor se muda el lunes." in shown
    assert "In Spanish" not in says(hall, "ANNOUNCE The server moves on Monday.")
    rule(hall, line)
    letter = hall.told(people[0])
    assert "ANNOUNCE The server moves on Monday." in letter
    assert "Reason" not in letter
    rule(hall, "ANUNCIAR Gracias a todos")
    assert "Gracias a todos" in hall.told(people[0])


def test_a_warning_is_told_stands_in_the_docket_and_is_taken_back(hall):
    people = hall.fill(4)
    answer = rule(hall, "WARN 2 BECAUSE of rude letters")
    assert "e2 is warned." in answer
    assert "WARN 2" in hall.told(people[1])
    assert "1. WARN 2 BECAUSE of rude letters" in says(hall, "DOCKET")
    assert "The warning of e2 does not count." in rule(hall, "UNDO 1 BECAUSE it was another")


def test_somebody_else_directs(hall):
    people = hall.fill(4)
    old = hall.opened.director_address(hall.event)
    hall.sent()
    with pytest.raises(UserError, match="e2 plays in cup60, and cannot direct it"):
        rule(hall, f"HANDOVER {people[1]} BECAUSE he asked")
    rule(hall, "HANDOVER Ana@Example.org BECAUSE I am away till May")
    assert "You do not direct cup60 any more: somebody else does." in hall.told(DIRECTOR)
    mail_text = hall.told("ana@example.org")
    assert "You direct Castillejos Cup (cup60)." in mail_text
    new = hall.opened.director_address(hall.event)
    assert new != old
    assert new in mail_text
    everybody = hall.told(people[0])
    assert "HANDOVER ..." in everybody
    assert "ana@example.org" not in everybody.lower()
    hall.write("ana@example.org", "STATUS", new)
    assert "Castillejos Cup (cup60): 4 play" in hall.told("ana@example.org")
    with pytest.raises(UserError, match="HANDOVER gives it to somebody else"):
        rule(hall, "UNDO 1 BECAUSE I am back")
    with pytest.raises(UserError, match="directs cup60 already"):
        rule(hall, "HANDOVER ana@example.org BECAUSE x")


def test_who_hands_over_is_not_told_the_new_address(hall):
    hall.fill(2)
    hall.sent()
    asked = says(hall, "HANDOVER ana@example.org BECAUSE I am away")
    hall.write(DIRECTOR, offered(asked)[0], hall.opened.director_address(hall.event))
    letters = hall.sent(DIRECTOR)
    assert [subject(row) for row in letters][-1] == "[cup60] carried out"
    new = hall.opened.director_address(hall.event)
    assert not [row for row in letters if new in row.model + row.envelope_sender]


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("Hello ES: Hola", "Hello ES: Hola"),
        ("Hola EN: Hello", "Hello ES: Hola"),
        ("ES: Hola EN: Hello", "Hello ES: Hola"),
        ("EN: Hello ES:Hola", "Hello ES: Hola"),
        ("Hello ES:", "Hello"),
        ("ES: Hola", "Hola"),
        ("Hello ES: Hola ES: otra vez", "Hello ES: Hola ES: otra vez"),
    ],
)
def test_an_announcement_may_begin_in_either_language(text, stored):
    assert rulings.read(f"ANNOUNCE {text}").rest == stored
    assert rulings.read(f"ANNOUNCE {stored}").rest == stored


def test_several_are_admitted_expelled_and_warned_by_one_line_with_one_reason(halls):
    hall = halls(with_values(CUP, late_rounds='2\nby = "approval"'))
    people = names(3)
    for who in people:
        hall.enter(who, f"NAME {who.partition('@')[0]}")
    answer = says(hall, *offered(says(hall, "ADMIT p1, 2, p3 BECAUSE they are members")))
    assert answer.count("Reason: they are members") == 3
    assert {hall.entrant(who).state for who in people} == {"in"}
    shown = says(hall, "ADVERTIR 1, 3 PORQUE insultan")
    assert "e1) is warned" in shown
    assert "e3) is warned" in shown
    assert "It is written as" in says(hall, "WARN 1, BECAUSE of rude letters")


def test_the_docket_has_the_words_of_its_reader_and_no_reason_where_there_is_none(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    game = board.game_id
    by, other = (next(who for who in people if hall.number(who) == number) for number in (board.first, board.second))
    hall.say(by, f"DISPUTE {game} He wrote to me outside")
    assert "(RULING D1 with one of UPHOLD, DENY, DRAW, FORFEIT, WARN; at" in " ".join(says(hall, "STATUS").split())
    hall.say(other, "ANSWER D1 I did not")
    rule(hall, "ANNOUNCE Hello ES: Hola")
    rule(hall, f"PAUSE {game} UNTIL 2030-02-20 BECAUSE of a storm PRIVATELY Ana is ill")
    assert "Only those whom this ruling names are told: Ana is ill" in hall.told(by)
    docket = says(hall, "DOCKET").splitlines()
    assert "1. D1 ANSWER" in docket
    assert "2. ANNOUNCE Hello ES: Hola" in docket
    assert f"3. PAUSE {game} UNTIL 2030-02-20 BECAUSE of a storm PRIVATELY Ana is ill" in docket
    with hall.server.session() as session:
        event = session.get_one(tables.Tournament, hall.name)
        event.director_language = "es"
    docket = says(hall, "DOCKET").splitlines()
    assert "2. ANUNCIAR Hello ES: Hola" in docket
    assert f"3. PAUSAR {game} HASTA 2030-02-20 PORQUE of a storm EN PRIVADO Ana is ill" in docket


def halves(hall):
    """The half points of each in the newest table that the log has."""
    with hall.server.reading() as work:
        table = standings.current_table(work, tournament_by_name(work.session, hall.name))
    return {row.number: row.tally.halves for row in table.rows}


def test_points_are_given_and_taken_and_an_award_is_taken_back(hall):
    people = hall.fill(4, rounds=1)
    hall.until("closed", 1)
    before = halves(hall)
    answer = rule(hall, "AWARD 3 0.5 BECAUSE his rest was not counted")
    assert "e3 gets half a point in the standings." in answer or "e3 gets 0.5" in answer
    rule(hall, "OTORGAR 1 -1 PORQUE escribio por fuera")
    assert halves(hall) == before | {3: before[3] + 1, 1: before[1] - 2}
    assert "Points were given or taken. The table is counted anew." in hall.told(people[0])
    rule(hall, "UNDO 2 BECAUSE he did not")
    assert halves(hall) == before | {3: before[3] + 1}
    hall.forward(hours=3)
    assert len(hall.leaves("standing")) > 1
    hall.until("playing", 2)
    hall.play(2)
    hall.until("closed", 2)
    assert halves(hall)[3] in (before[3] + 1, before[3] + 3)


def test_no_points_are_given_before_a_list_or_of_nothing(hall):
    hall.fill(4)
    with pytest.raises(UserError, match="while it is being played"):
        rule(hall, "AWARD 3 1 BECAUSE x")
    hall.until("playing", 1)
    with pytest.raises(UserError, match="No points are no award"):
        rule(hall, "AWARD 3 0 BECAUSE x")


def test_who_goes_on_follows_a_correction_before_the_next_list(halls):
    hall = halls(CUP.replace("rounds = 3", 'rounds = 1\n[[stage]]\nformat = "knockout"\ntake = 2'))
    hall.fill(4)
    hall.until("playing", 1)
    hall.play(1)
    hall.until("planned", 2)
    before = [seed.number for seed in stage_seeds(hall.event, 2)]
    board = hall.boards(1)[0]
    rule(hall, f"CORRECT {board.game_id} morocco BECAUSE it was misread")
    hall.forward(hours=3)
    assert hall.event.stage == 2
    after = [seed.number for seed in stage_seeds(hall.event, 2)]
    assert board.first in before
    assert board.second in after
    assert board.first not in after
    hall.until("playing", 2)
