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
