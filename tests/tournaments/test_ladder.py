"""E3.5 E3.6 A ladder of eight by letters, with challenges of every fate: its log proves all of it in full mode."""

import pytest

from pbem.store import queries
from pbem.tournaments.arithmetic.pairing.ladder import ladder_after_win
from tests.harness.tournament import CUP, PlayedTournament, names
from tests.tournaments.test_event_letters import render, verdict

LADDER = CUP.replace('format = "swiss"\nrounds = 3', 'format = "ladder"\nrounds = 4\nreach = 3')
PEOPLE = names(8)


class Ladder(PlayedTournament):
    """A ladder of eight whose letters are kept as they went out."""

    def letter(self, number: int, text: str) -> str:
        answer = self.say(PEOPLE[number - 1], text)
        render(self)
        return answer

    def to(self, state: str, number: int) -> None:
        self.until(state, number)
        render(self)

    def win(self, number: int, *winners: int) -> None:
        """The boards of a round end: these win, elsewhere the lower number."""
        for board in self.boards(number):
            if board.game_id:
                two = (board.first, board.second)
                winner = next((number for number in two if number in winners), min(two))
                self.end(board.game_id, f"concede {'morocco' if winner == board.first else 'spain'}")
        self.run()
        render(self)

    def met(self, number: int) -> set[frozenset[int]]:
        return {frozenset((board.first, board.second)) for board in self.boards(number)}

    def fates(self, number: int) -> dict[tuple[int, int], str]:
        with self.opened.session() as session:
            rows = queries.tournaments.challenges(session, self.name, number)
            return {(row.challenger, row.challenged): row.state for row in rows}

    def places(self) -> list[int]:
        """The ladder, from the top, as STANDINGS tells it."""
        lines = self.letter(1, "STANDINGS").splitlines()
        rows = [line.split() for line in lines if line[:1].isdigit()]
        return [int(row[1].removeprefix("e")) for row in rows]


@pytest.fixture
def ladder(tmp_path):
    made = Ladder(tmp_path, LADDER)
    for who in PEOPLE:
        assert made.enter(who) is not None
        render(made)
    yield made
    made.server.engine.dispose()


@pytest.mark.full
def test_a_ladder_of_eight_from_the_first_list_to_the_prizes(ladder):
    ladder.to("playing", 1)
    assert ladder.met(1) == {frozenset((number, number + 1)) for number in (1, 3, 5, 7)}
    # For round 2, while round 1 is played: one is accepted, one declined, one taken back, one not answered.
    ladder.letter(6, "CHALLENGE 4")
    ladder.letter(4, "ACEPTAR 6")
    ladder.letter(5, "RETAR 2")
    ladder.letter(2, "DECLINE")
    ladder.letter(8, "CHALLENGE 7")
    ladder.letter(8, "RETIRAR RETO")
    ladder.letter(3, "CHALLENGE 1")
    ladder.win(1)
    ladder.to("shut", 2)
    wanted = {(6, 4): "accepted", (5, 2): "declined", (8, 7): "withdrawn", (3, 1): "lapsed"}
    assert ladder.fates(2) == wanted
    ladder.to("playing", 2)
    assert frozenset({4, 6}) in ladder.met(2)
    assert ladder.places() == [1, 2, 3, 4, 5, 6, 7, 8]
    # e6 wins from below, e7 is challenged and is not there, and one that the places forbid falls.
    ladder.letter(7, "CHALLENGE 6")
    ladder.letter(6, "ACCEPT 7")
    ladder.letter(8, "CHALLENGE 5")
    ladder.letter(5, "ACCEPT")
    ladder.win(2, 6)
    assert ladder.places() == ladder_after_win(list(range(1, 9)), 6, 4, "swap") == [1, 2, 3, 6, 4, 5, 7, 8]
    ladder.letter(8, "REST R3")
    ladder.to("shut", 3)
    assert ladder.fates(3) == {(7, 6): "accepted", (8, 5): "fallen"}
    ladder.to("playing", 3)
    assert frozenset({6, 7}) in ladder.met(3)
    ladder.letter(5, "CHALLENGE 6")
    ladder.letter(6, "ACCEPT")
    ladder.win(3, 7)
    # Now e6 is two below, where e7 has gone; e5 still reaches him.
    assert ladder.places()[3:5] == [7, 6]
    ladder.to("playing", 4)
    assert ladder.fates(4) == {(5, 6): "accepted"}
    assert frozenset({5, 6}) in ladder.met(4)
    ladder.win(4)
    assert ladder.event.state == "over"
    kinds = [leaf.kind for leaf in ladder.leaves("challenge")]
    assert kinds == ["challenge"] * 4
    for who in (PEOPLE[0], PEOPLE[7]):
        result, came = verdict(ladder, who)
        assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
        assert [finding.why for finding in came if finding.truth is not True] == []
        assert {finding.draw[1] for finding in came} >= {f"r{number}~1" for number in range(1, 5)}


@pytest.mark.full
def test_a_ladder_as_a_second_stage_is_challenged_on_before_its_first_list(tmp_path):
    rules = CUP.replace("rounds = 3", 'rounds = 1\n[[stage]]\nformat = "ladder"\nrounds = 1\ntake = 4')
    made = Ladder(tmp_path, rules)
    for who in PEOPLE[:5]:
        made.enter(who)
        render(made)
    made.to("playing", 1)
    assert "that is for ladders" in made.letter(4, "CHALLENGE 1")
    made.win(1)
    made.to("planned", 2)
    places = made.places()
    assert f"You challenge e{places[0]} for round 2" in made.letter(places[3], f"CHALLENGE {places[0]}")
    assert f"There is no e9 in cup60. For round 2 you may challenge: e{places[0]}, e{places[1]}." in made.letter(
        places[2], "CHALLENGE 9"
    )
    out = next(number for number in range(1, 6) if number not in places)
    assert "is not in round 2" in made.letter(places[2], f"CHALLENGE {out}").replace("are not", "is not")
    made.letter(places[0], "ACCEPT")
    made.to("playing", 2)
    assert frozenset({places[0], places[3]}) in made.met(2)
    made.win(2)
    result, came = verdict(made, PEOPLE[0])
    assert [line.why for line in result.lines if line.status == "FALSE"] == []
    assert [finding.why for finding in came if finding.truth is not True] == []
    made.server.engine.dispose()
