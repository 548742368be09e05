"""E2.3 The battle of a round is drawn by lot: played by the server from JOIN to prize, in both languages."""

import json
import re

from pbem.audit import vrf
from pbem.store import tables
from pbem.tournaments import lots, record
from tests.harness.tournament import CUP, DIRECTOR, names
from tests.tournaments.test_event_letters import render
from tests.tournaments.test_event_rulings import rule
from tests.tournaments.test_ties import play, proven, read_by

DRAWN = CUP.replace("rounds = 3", 'rounds = 3\nscenarios = ["drill", "castillejos", "wadras"]\nbattle = "lot"')


def battles(hall, number):
    """The scenarios of a round's games, and whether each has the edition of the founding."""
    with hall.server.reading() as tx:
        games = [tx.session.get_one(tables.Game, board.game_id) for board in hall.boards(number) if board.game_id]
    editions = record.editions_of(hall.event)
    assert all(game.edition_digest == editions[game.scenario] for game in games)
    return {game.scenario for game in games}


def by_lot(round_):
    """The battle of the lowest lot of a round, from the proof that its letters open."""
    drawn = lots.lots_from_secret(vrf.output_of(bytes.fromhex(round_.lots)))
    return min(("drill", "castillejos", "wadras"), key=lambda name: drawn(f"battle/{name}"))


def test_a_tournament_of_drawn_battles_from_join_to_prize_in_both_languages(halls):
    hall = halls(DRAWN)
    assert "Stage 1 draws the battle of each round by lot: drill, castillejos, wadras [E2.3]." in " ".join(
        hall.told(DIRECTOR).split()
    )
    people = names(5)
    for who in people:
        hall.enter(who, spanish=who == people[4])
        render(hall)
    for number in (1, 2, 3):
        hall.until("playing", number)
        (battle,) = battles(hall, number)
        assert battle == by_lot(hall.rounds()[-1]) == json.loads(hall.rounds()[-1].drawn)["battle"]
        english = " ".join(read_by(hall, who) for who in people[:4])
        assert f"This round is of {battle} [E2.3]." in english
        assert re.search(rf"The battle, by the lowest lot: {battle} \d+, \w+ \d+, \w+ \d+\. \[E2\.3\]", english)
        play(hall, number)
    assert len(re.findall(rf"Results of round 3 (?:• |- )?This round is of {battle} ", read_by(hall, people[0]))) == 1
    assert f"This round is of {battle} [E2.3]." in hall.say(people[0], "ROUND R3")
    spanish = read_by(hall, people[4])
    assert "En esta ronda se juega" in spanish
    assert "La batalla, por el número de sorteo más bajo:" in spanish
    assert "by the lowest lot: " in hall.say(people[0], "WHY PAIRING")
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[1])


def test_a_round_that_is_drawn_again_has_its_battle_drawn_again(halls):
    hall = halls(DRAWN)
    hall.fill(4)
    for attempt in (1, 2, 3):
        hall.until("drawn", 1)
        round_ = next(row for row in hall.rounds() if row.state == "drawn")
        assert round_.attempt == attempt
        assert json.loads(round_.drawn)["battle"] == by_lot(round_)
        if attempt < 3:
            rule(hall, "REDRAW R1 BECAUSE the list was wrong")
    hall.until("playing", 1)
    assert battles(hall, 1) == {by_lot(round_)}
    render(hall)


def test_some_rounds_are_drawn_and_others_come_in_turn(halls):
    hall = halls(DRAWN.replace('"lot"', '["turn", "lot"]'))
    assert "Stage 1 finds the battles of its rounds so, and then from the first again: in turn, by lot;" in " ".join(
        hall.told(DIRECTOR).split()
    )
    people = hall.fill(4)
    for number in (1, 2, 3):
        play(hall, number)
    assert [battles(hall, number) for number in (1, 3)] == [{"drill"}, {"wadras"}]
    second = next(row for row in hall.rounds() if row.number == 2)
    assert battles(hall, 2) == {by_lot(second)}
    proven(hall, people[0])


# E2.4 Battles that the two at a table choose.


CHOSEN = DRAWN.replace('"lot"', '"choice"').replace("rounds = 3", "rounds = 2")


def lots_of(hall, board):
    """The battles of a board by their lots."""
    drawn = lots.lots_from_secret(vrf.output_of(bytes.fromhex(hall.rounds()[-1].lots)))
    return sorted(("drill", "castillejos", "wadras"), key=lambda name: drawn(f"battle/{board}/{name}"))


def scenario_at(hall, board):
    with hall.server.reading() as tx:
        return tx.session.get_one(tables.Game, board.game_id).scenario


def test_a_tournament_of_chosen_battles_from_join_to_prize_in_both_languages(halls):
    hall = halls(CHOSEN)
    assert "In stage 1 the two at each table choose their battle: drill, castillejos, wadras [E2.4]." in " ".join(
        hall.told(DIRECTOR).split()
    )
    people = names(5)
    for who in people:
        hall.enter(who, spanish=who in people[3:])
        render(hall)
    hall.until("drawn", 1)
    by_number = {hall.number(who): who for who in people}
    boards = [board for board in hall.boards(1) if board.second]
    assert all(board.game_id is None for board in boards)
    lowest = {board.board: lots_of(hall, board.board) for board in boards}
    for board in boards:
        for number in (board.first, board.second):
            asked = read_by(hall, by_number[number])
            assert ("say by" in asked) != ("diga antes" in asked)
            assert f"{', '.join(lowest[board.board])}" in asked
    first, silent = boards
    chooser, other = by_number[first.first], by_number[first.second]
    assert "Your choice is" in (answer := hall.say(chooser, "CHOOSE Wadras castillejos")) or "Su elección es" in answer
    assert "wadras" not in read_by(hall, other)
    hall.say(other, "ELEGIR drill, castillejos, wadras")
    hall.run()
    (board,) = [board for board in hall.boards(1) if board.board == first.board]
    # Of drill, castillejos and wadras the places are 3 and 1, 2 and 2, 1 and 3.
    assert scenario_at(hall, board) == "castillejos"
    hall.until("playing", 1)
    (board,) = [board for board in hall.boards(1) if board.board == silent.board]
    assert scenario_at(hall, board) == lowest[silent.board][0]
    mail_text = read_by(hall, chooser) + read_by(hall, other) + read_by(hall, by_number[silent.first])
    assert re.search(r"You play castillejos \[E2\.4\]|Se juega castillejos \[E2\.4\]", mail_text)
    assert re.search(r"chose nothing\.|no eligió nada\.", mail_text)
    assert "No battle is to be chosen" in hall.say(people[0], "CHOOSE drill")
    assert f"; {lowest[silent.board][0]}" in hall.say(people[0], "ROUND R1")
    play(hall, 1)
    hall.until("drawn", 2)
    (mine,) = [board for board in hall.boards(2) if hall.number(people[1]) in (board.first, board.second)]
    if mine.second:
        hall.say(people[1], "CHOOSE wadras")
    play(hall, 2)
    assert not mine.second or "wadras" in {scenario_at(hall, board) for board in hall.boards(2) if board.game_id}
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[1])


def test_choices_of_what_is_not_there_are_refused_and_the_last_one_counts(halls):
    hall = halls(CHOSEN)
    people = hall.fill(2)
    hall.until("drawn", 1)
    for line in ("CHOOSE tetuan", "CHOOSE drill, drill"):
        assert "The battles are" in hall.say(people[0], line)
    assert "CHOOSE needs something after it" in hall.say(people[0], "CHOOSE")
    hall.say(people[0], "CHOOSE drill")
    hall.say(people[0], "CHOOSE wadras, drill")
    hall.until("playing", 1)
    (board,) = hall.boards(1)
    assert scenario_at(hall, board) == "wadras"
    assert "chose wadras, drill." in " ".join(hall.told(people[1]).split())


def test_both_tables_of_a_mirrored_board_are_of_the_chosen_battle(halls):
    hall = halls(CHOSEN.replace("\nrounds = 2", '\nrounds = 1\nsides = "mirror"'))
    people = hall.fill(2)
    hall.until("drawn", 1)
    for who in people:
        hall.say(who, "CHOOSE castillejos")
    hall.run()
    assert [scenario_at(hall, board) for board in hall.boards(1)] == ["castillejos"] * 2
    hall.until("playing", 1)
    render(hall)
    hall.play(1)
    hall.run()
    render(hall)
    proven(hall, people[0])


def test_who_takes_a_place_plays_the_battle_that_was_chosen(halls):
    hall = halls(CHOSEN.replace("places = 16", "places = 2").replace("\nrounds = 2", "\nrounds = 1"))
    for who in names(4):
        hall.enter(who)
        render(hall)
    people = names(4)
    hall.until("drawn", 1)
    hall.say(people[0], "CHOOSE wadras")
    hall.until("playing", 1)
    render(hall)
    rule(hall, "SUBSTITUTE 2 BY 3 BECAUSE he is ill")
    hall.run()
    render(hall)
    (board,) = [board for board in hall.boards(1) if board.second]
    assert {board.first, board.second} == {1, 3}
    assert scenario_at(hall, board) == "wadras"
    hall.play(1)
    hall.run()
    render(hall)
    proven(hall, people[0])
