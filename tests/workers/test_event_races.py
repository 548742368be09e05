"""Letters about a tournament that come at the same moment, to two processes on one PostgreSQL."""

import threading
from dataclasses import replace

import pytest

from pbem.log import log_check, log_health
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.store import migrations, queries
from pbem.store.engine import open_engine
from pbem.tournaments.running import advance_tournaments
from tests.harness.letters import mail
from tests.harness.tournament import CUP, PlayedTournament, with_values
from tests.postgresql import cluster, other

pytestmark = pytest.mark.full

WAITS = "waits@players.example"


@pytest.fixture(scope="module")
def postgres():
    with cluster() as folder:
        yield folder


@pytest.fixture
def halls(postgres, tmp_path):
    """A maker of halls, each in a database of its own."""
    made: list[PlayedTournament] = []

    def make(rules):
        place = other(postgres, f"hall{len(made)}{tmp_path.name[-20:].replace('-', '_')}".lower())
        engine = open_engine(place)
        migrations.upgrade(engine)
        made.append(PlayedTournament(tmp_path, rules, engine=engine))
        return made[-1], place

    yield make
    for world in made:
        world.server.engine.dispose()


@pytest.fixture
def hall(halls):
    return halls(with_values(CUP, places="3", waiting="1", late_rounds="0"))


def at_once(place, server, *doings):
    """Have each done by a server of its own, all beginning at the same moment; what came of each, in order."""
    start, results = threading.Barrier(len(doings)), {}

    def run(index, doing):
        mine = replace(server, engine=open_engine(place))
        start.wait()
        try:
            results[index] = doing(mine)
        finally:
            mine.engine.dispose()

    threads = [threading.Thread(target=run, args=numbered) for numbered in enumerate(doings)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return [results[index] for index in range(len(doings))]


def letter(hall, who, text, to="pbem@games.example"):
    """A letter that a server takes in when it is told to."""
    hall.uid += 1
    raw = mail(who, to, text, Date=hall.clock.at)
    return lambda server, uid=hall.uid: take_and_commit(
        server, ReceivedLetter("box", "INBOX", 1, uid, hall.clock.at, raw)
    )


def coded(letter_text):
    """The line that a letter asks to be sent back."""
    return next(line.strip() for line in letter_text.splitlines() if " CODE " in line)


def asked(hall, who):
    """The line that lets somebody in."""
    hall.sent()
    hall.write(who, f"JOIN {hall.name}")
    return coded(hall.told(who))


def sound(hall):
    log_health.sign(hall.server)
    assert log_check.check(hall.server).wrong == ()


def test_two_who_join_for_the_last_place_get_one_place_and_one_wait(hall):
    hall, place = hall
    people = [*hall.fill(2), "late@players.example", "later@players.example"]
    lines = [letter(hall, who, asked(hall, who)) for who in people[2:]]
    at_once(place, hall.server, *lines)
    assert sorted(hall.entrant(who).state for who in people) == ["in", "in", "in", "waiting"]
    assert sorted(hall.number(who) for who in people) == [1, 2, 3, 4]
    assert len(hall.leaves("enter")) == 3
    sound(hall)


def test_one_who_sends_his_code_twice_at_once_enters_once(hall):
    hall, place = hall
    line = asked(hall, WAITS)
    at_once(place, hall.server, *(letter(hall, WAITS, line) for _ in range(3)))
    assert hall.number(WAITS) == 1
    assert len(hall.leaves("enter")) == 1
    assert [row.kind for row in hall.sent(WAITS)].count("invitation") == 1
    sound(hall)


def test_who_withdraws_twice_at_once_leaves_once_and_his_place_is_offered_once(hall):
    hall, place = hall
    people = hall.fill(3)
    hall.enter(WAITS)
    line = coded(hall.say(people[0], "WITHDRAW"))
    both = [letter(hall, people[0], line, hall.address(people[0])) for _ in range(2)]
    at_once(place, hall.server, *both, advance_tournaments, advance_tournaments)
    hall.run()
    assert hall.entrant(people[0]).state == "withdrawn"
    assert len(hall.leaves("leave")) == 1
    assert hall.entrant(WAITS).state == "offered"
    assert sum("a place is offered" in row.model for row in hall.sent(WAITS)) == 1
    sound(hall)


def offered(hall):
    """Round 1, in which one of two is silent and his seat is offered: he, and the name of the game."""
    people = hall.fill(3)
    hall.enter(WAITS)
    hall.until("playing", 1)
    other = next(people[board.second - 1] for board in hall.boards(1) if board.second)
    for _ in range(60):
        if hall.entrant(WAITS).state == "offered":
            break
        hall.say(other, "HERE")
        hall.forward(hours=6)
    silent = people[hall.entrant(WAITS).offered_for - 1]
    return silent, hall.seat(silent, 1)


@pytest.mark.parametrize("way", ["to the tournament", "to his game"])
@pytest.mark.parametrize("round_", range(3))
def test_here_and_the_substitutes_acceptance_at_once_leave_one_at_the_seat_who_was_told_so(halls, way, round_):
    hall, place = halls(with_values(CUP, places="3", waiting="1", late_rounds="0"))
    silent, (game, seat) = offered(hall)
    to = hall.address(silent) if way == "to the tournament" else seat
    hall.sent()
    at_once(
        place,
        hall.server,
        letter(hall, silent, "HERE", to),
        letter(hall, WAITS, "ACCEPT", hall.address(WAITS)),
        advance_tournaments,
    )
    mail_text, his = hall.told(WAITS), hall.told(silent)
    hall.run()
    hall.run()
    with hall.server.session() as session:
        persons = {seat.person_id for seat in queries.games.seats(session, game)}
    he, other_ = (hall.entrant(who).person_id for who in (silent, WAITS))
    assert len(persons & {he, other_}) == 1
    assert (other_ in persons) == ("The seat is yours." in mail_text)
    if way == "to the tournament":
        assert (he in persons) == ("your seats are kept." in his)
    numbers = [number for board in hall.boards(1) for number in (board.first, board.second) if number]
    assert len(numbers) == len(set(numbers))
    sound(hall)
