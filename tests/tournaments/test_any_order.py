"""Letters in any order, at any moment: each entrant has one pairing a round, and nothing waits for ever."""

from collections import Counter
from random import Random

import pytest

from pbem.audit.draws import parse_draw
from pbem.engine.data.canon import loads
from tests.harness.teams import TEAMS
from tests.harness.tournament import CUP, names, with_values
from tests.tournaments.test_event_letters import render, verdict

WORDS = (
    "REST R1",
    "REST R2",
    "REST R3",
    "RETURN",
    "RETURN R3",
    "WITHDRAW",
    "WITHDRAW AFTER R1",
    "HERE",
    "ACCEPT",
    "DECLINE",
    "STATUS",
)


def one_pairing_a_round(hall):
    """Nobody sits at two boards of a round, on either side, nor passes a round in which he plays."""
    for round_ in hall.rounds():
        counts = Counter(
            number for board in hall.boards(round_.number) for number in (board.first, board.second) if number
        )
        assert max(counts.values(), default=1) == 1, (round_.name, counts)


def something(hall, people, chance):
    who = chance.choice(people)
    if hall.entrant(who) is None:
        if hall.event.state in ("open", "playing"):
            hall.enter(who)
        return
    word = chance.choice(WORDS)
    answer = hall.say(who, word)
    if word.startswith("WITHDRAW") and "CODE" in answer and chance.random() < 0.7:
        hall.say(who, next(line for line in answer.splitlines() if " CODE " in line))


def ends_some(hall, chance):
    for board in hall.boards():
        if board.game_id and board.state == "playing" and chance.random() < 0.4:
            hall.end(board.game_id, chance.choice(["concede spain", "concede morocco", "draw"]))


def it_ends(hall):
    """Nobody writes any more: in two hundred days all is over, and nothing is waited for."""
    for _ in range(40):
        if hall.event.state not in ("open", "playing"):
            break
        hall.forward(days=5)
        render(hall)
        one_pairing_a_round(hall)
    assert hall.event.state in ("over", "cancelled")
    assert hall.event.wake is None


def nothing_is_false(hall, who):
    """What somebody's letters prove of the tournament, none of it false."""
    letter_verdict, came = verdict(hall, who)
    assert {line.check: line.why for line in letter_verdict.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is False] == []
    return came


@pytest.mark.parametrize(
    "seed",
    [pytest.param(0, marks=pytest.mark.full), *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))],
)
def test_whatever_is_written_when_each_has_one_pairing_a_round_and_it_ends(halls, seed):
    chance = Random(seed)
    hall = halls(with_values(CUP, places="5", waiting="2", days="12"))
    people = names(7)
    for who in people[:4]:
        hall.enter(who)
    for _ in range(25):
        for _ in range(chance.randrange(3)):
            something(hall, people, chance)
        if chance.random() < 0.4:
            ends_some(hall, chance)
        hall.forward(hours=chance.choice([1, 20, 60]))
        one_pairing_a_round(hall)
    it_ends(hall)


def something_of_teams(hall, people, chance):
    """A letter of a member, of a captain, or of somebody who asks."""
    who = chance.choice(people)
    row = hall.entrant(who)
    if row is None:
        hall.write(who, f"JOIN {hall.name} TEAM {chance.choice(['Lions', 'Bears', 'Foxes'])}")
        for line in hall.told(who).splitlines():
            if " CODE " in line:
                hall.write(who, line)
        return
    numbers = [str(hall.number(person)) for person in people if hall.entrant(person) is not None]
    some = chance.sample(numbers, min(len(numbers), chance.randrange(1, 3)))
    word = chance.choice([*WORDS, f"ADMIT {chance.choice(numbers)}", f"LINEUP {', '.join(some)}", "TEAMS"])
    answer = hall.say(who, word)
    if word.startswith("WITHDRAW") and "CODE" in answer and chance.random() < 0.5:
        hall.say(who, next(line for line in answer.splitlines() if " CODE " in line))


@pytest.mark.parametrize(
    "seed", [pytest.param(0, marks=pytest.mark.full), *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))]
)
def test_whatever_teams_write_when_each_sits_at_one_board_and_their_letters_prove_it(halls, seed):
    chance = Random(seed)
    hall = halls(with_values(TEAMS, places="3", days="12"))
    people = names(9)
    hall.enter("stays@players.example", "TEAM Owls NAME Eva")
    for who, team in zip(people[:5], ("Lions", "Bears", "Lions", "Bears", "Owls"), strict=True):
        hall.enter(who, f"TEAM {team}")
    for _ in range(20):
        for _ in range(chance.randrange(4)):
            something_of_teams(hall, people, chance)
        if chance.random() < 0.4:
            ends_some(hall, chance)
        hall.forward(hours=chance.choice([1, 20, 60]))
        render(hall)
        one_pairing_a_round(hall)
    it_ends(hall)
    nothing_is_false(hall, "stays@players.example")


LADDER = with_values(CUP, places="6", waiting="2", days="12").replace(
    'format = "swiss"\nrounds = 3', 'format = "ladder"\nrounds = 4\nreach = 3'
)
ASKED = (
    *["CHALLENGE {}", "RETAR {}"] * 4,
    "ACCEPT",
    "ACEPTAR {}",
    "DECLINE {}",
    "WITHDRAW CHALLENGE",
    "REST R2",
    "REST R3",
    "RETURN",
    "WITHDRAW",
    "STATUS",
)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.full), pytest.param(2, marks=pytest.mark.long)])
def test_whatever_is_challenged_when_each_has_one_pairing_a_round_and_the_log_proves_it(halls, seed):
    chance = Random(seed)
    hall = halls(LADDER)
    people = names(6)
    for who in people:
        hall.enter(who)
        render(hall)
    hall.until("shut", 1)
    answers = Counter[bool]()
    while hall.event.state == "playing":
        for _ in range(chance.randrange(1, 6)):
            # The first only accepts: his letters are to prove it all.
            turn_count = chance.randrange(1, 6)
            who, other = people[turn_count], turn_count + 1 - chance.choice((-2, 0, 1, 1, 1, 2, 2, 3, 4))
            answer = hall.say(who, chance.choice(ASKED).format(max(0, other)))
            answers["kind: fault" in answer] += 1
            if "You challenge" in answer and chance.random() < 0.8:
                hall.say(people[other - 1], f"ACCEPT {hall.number(who)}")
            if "WITHDRAW CODE" in answer and chance.random() < 0.2:
                hall.say(who, next(line for line in answer.splitlines() if "WITHDRAW CODE" in line))
        if chance.random() < 0.5:
            ends_some(hall, chance)
        render(hall)
        hall.forward(hours=chance.choice([1, 12, 24, 60]))
        one_pairing_a_round(hall)
        render(hall)
    assert hall.event.state == "over"
    assert set(answers) == {False}
    came = nothing_is_false(hall, people[0])
    assert [finding.why for finding in came if finding.truth is not True] == []
    # Two are drawn against each other by a challenge if the list says so, and nobody else is.
    listed = [two for round_ in hall.rounds() for two in parse_draw(round_.slate.encode()).challenges]
    pairs = [pair for round_ in hall.rounds() for pair in loads(round_.drawn)["pairs"]]
    drawn = [{pair["first"], pair["second"]} for pair in pairs if pair["why"][0]["what"] == "challenge"]
    assert listed
    assert drawn == [{*two} for two in listed]
