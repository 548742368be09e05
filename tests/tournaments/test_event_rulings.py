"""What a director rules: read in both languages, held against how it stands, numbered, logged, told to all."""

import pytest

from pbem.audit import bundle
from pbem.engine.data.messages import plain_english
from pbem.runtime.transaction import UserError
from pbem.tournaments import proofs, rulings
from pbem.tournaments.record import tournament_by_name
from tests.harness.tournament import CUP, with_values


def rule(hall, line):
    with hall.server.work() as work:
        ruled = rulings.make_ruling(work, tournament_by_name(work.session, hall.name), rulings.read(line))
    hall.run()
    return "\n".join(plain_english(sentence) for sentence in ruled.sentences)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "A ruling begins with one of"),
        ("EXTEND R2 BECAUSE x", "It is written as EXTEND R2 48h BECAUSE ..."),
        ("EXTEND R2 48h", "A ruling says why"),
        ("EXTEND R2 48h BECAUSE  ", "A ruling says why"),
        ("DANCE 3 BECAUSE x", "A ruling begins with one of"),
    ],
)
def test_a_line_that_is_no_ruling_is_refused(line, why):
    with pytest.raises(UserError, match=why):
        rulings.read(line)


@pytest.mark.parametrize("ruling", rulings.RULINGS, ids=lambda ruling: ruling.word)
def test_every_ruling_is_read_in_both_languages(ruling):
    english = rulings.read(f"{ruling.example_in('en')} BECAUSE so it is")
    spanish = rulings.read(f"{ruling.example_in('es')} PORQUE so it is")
    mixed = rulings.read(f"{ruling.spanish} {ruling.example} BECAUSE so it is")
    assert english == spanish == mixed
    assert english.ruling is ruling


def test_a_ruling_is_numbered_logged_and_told(hall):
    people = hall.fill(4)
    rule(hall, "SHUT BECAUSE all are there")
    mail_text = hall.told(people[0])
    assert "Ruling 1 of the director: SHUT" in mail_text
    assert "Reason: all are there" in mail_text
    assert [leaf.kind for leaf in hall.leaves("verdict")] == ["verdict"]
    assert hall.rounds()[0].state == "shut"


def test_a_reason_with_accents_reaches_everybody_with_an_attachment(hall):
    people = hall.fill(4)
    rule(hall, "SHUT PORQUE así lo pidió el señor Muñoz")
    assert "así lo pidió el señor Muñoz" in hall.told(people[0])
    (leaf,) = hall.leaves("verdict")
    assert leaf.opens == r"1. SHUT BECAUSE as\xed lo pidi\xf3 el se\xf1or Mu\xf1oz"
    with hall.server.work() as work:
        letter = proofs.add_window({"seat": "e1"}, proofs.window_after(work, f"event/{hall.name}", leaf.seq - 1))
        shown = proofs.attachment_of_letter(work, letter)
    assert shown is not None
    assert [part.text for part in bundle.parse(shown).opens] == [leaf.opens]


def test_a_round_is_prolonged(hall):
    hall.fill(4)
    hall.until("playing", 1)
    before = hall.rounds()[0].ends
    rule(hall, "PRORROGAR R1 48h PORQUE hubo un apagon")
    assert (hall.rounds()[0].ends - before).total_seconds() == 48 * 3600


def test_a_tournament_that_is_held_draws_nothing_until_it_goes_on(hall):
    hall.fill(4)
    hall.until("shut", 1)
    rule(hall, "HOLD BECAUSE the rules are in doubt")
    hall.forward(days=9)
    assert hall.rounds()[0].state == "shut"
    rule(hall, "RESUME BECAUSE they are not")
    hall.until("playing", 1)


def test_a_game_is_adjudicated(hall):
    hall.fill(4)
    hall.until("drawn", 1)
    with pytest.raises(UserError, match="has not begun"):
        rule(hall, f"ADJUDICATE {hall.boards(1)[0].game_id} spain BECAUSE both agreed")
    hall.until("playing", 1)
    game = hall.boards(1)[0].game_id
    assert f"{game} is adjudicated to spain." in rule(hall, f"ADJUDICATE {game} spain BECAUSE both agreed")
    board = hall.boards(1)[0]
    assert (board.how, board.first_halves, board.second_halves) == ("adjudicated", 2, 0)
    with pytest.raises(UserError, match="is over"):
        rule(hall, f"ADJUDICATE {game} draw BECAUSE both agreed")


def test_who_is_barred_from_another_does_not_meet_him(hall):
    hall.fill(4)
    rule(hall, "BAR 1 3 BECAUSE they are brothers")
    rule(hall, "BAR 1 2 BECAUSE they are brothers too")
    hall.until("playing", 1)
    assert any({board.first, board.second} == {1, 4} for board in hall.boards(1))


def test_a_round_is_drawn_again_with_other_lots_and_its_first_games_count_nothing(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    first = hall.rounds()[0]
    with hall.server.work() as work:
        row = hall.entrant(people[3])
        row.state = "withdrawn"
        work.session.merge(row)
    rule(hall, "REDRAW R1 BECAUSE e4 had withdrawn in time")
    hall.until("playing", 1)
    again = hall.rounds()[0]
    assert (again.attempt, again.number) == (2, 1)
    assert again.lots != first.lots
    assert {board.game_id for board in hall.boards(1) if board.second} == {"cup60-r1b-01"}
    assert not any(4 in (board.first, board.second) for board in hall.boards(1))
    hall.play(1)
    assert len(hall.leaves("standing")) == 1


def test_an_entrant_is_expelled_forfeits_and_another_is_admitted(halls):
    hall = halls(with_values(CUP, places="4"))
    hall.fill(4)
    hall.enter("waits@players.example")
    hall.until("playing", 1)
    rule(hall, "FORFEIT 1 R1 BECAUSE he cheated")
    rule(hall, "EXPEL 1 BECAUSE he cheated")
    rule(hall, "ADMIT 5 BECAUSE a place is free")
    assert hall.entrant("p1@players.example").state == "expelled"
    assert hall.entrant("waits@players.example").state == "in"
    assert "You were expelled from cup60" in hall.say("p1@players.example", "RETURN")
    lost = next(board for board in hall.boards(1) if 1 in (board.first, board.second))
    assert lost.how == "forfeit"


def test_a_substitute_is_put_in_by_a_ruling(halls):
    hall = halls(with_values(CUP, places="4"))
    hall.fill(4)
    hall.enter("waits@players.example")
    hall.until("playing", 1)
    rule(hall, "SUBSTITUTE 2 BY 5 BECAUSE five weeks without a word")
    assert any(5 in (board.first, board.second) and board.second for board in hall.boards(1))
    assert hall.entrant("p2@players.example").state == "left"


def test_a_tournament_is_cancelled(hall):
    people = hall.fill(4)
    rule(hall, "CANCEL BECAUSE nobody wants it")
    assert hall.event.state == "cancelled"
    assert "Its director has cancelled cup60." in hall.told(people[0])


def test_nobody_is_put_into_the_place_of_another_in_a_knockout(halls):
    rules = with_values(CUP, places="4", rounds="0").replace('"swiss"', '"knockout"')
    hall = halls(rules)
    hall.fill(5)
    hall.until("playing", 1)
    with pytest.raises(UserError, match="FORFEIT 1 R1 gives the games to his opponent"):
        rule(hall, "SUBSTITUTE 1 BY 5 BECAUSE he is gone")


def test_nobody_is_kept_apart_from_himself(hall):
    """The list of the next round could not be written, and the tournament would be held."""
    hall.fill(4)
    with pytest.raises(UserError, match="e2 meets himself never: BAR names two"):
        rule(hall, "BAR 2 2 BECAUSE he plays alone")
    hall.until("playing", 1)


def test_who_is_expelled_and_admitted_more_than_once_is_told_each_time(hall):
    """Each letter has a name of its own: else the first would be sent again in its place."""
    people = hall.fill(4)
    for number in (1, 3):
        rule(hall, "EXPEL 2 BECAUSE rude")
        assert "You are expelled from cup60 by its director." in hall.told(people[1])
        hall.forward(hours=1)
        rule(hall, f"UNDO {number} BECAUSE she was not")
        assert "You are not expelled any more" in hall.told(people[1])
        hall.forward(hours=1)
    assert len(hall.leaves("verdict")) == 4
