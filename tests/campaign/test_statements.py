"""What letters ask of the database: so many statements and no more. A count, which is the same on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from pbem.log import log_health
from pbem.play import beacons, outage_guard
from pbem.runtime.terms import Terms
from pbem.server import game_cards, outbox_sender
from pbem.store import tables
from tests.campaign.test_breakers import many
from tests.campaign.test_postgresql import flow
from tests.campaign.test_recorded import Recorded
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail
from tests.harness.moderated_game import ModeratedGame
from tests.plans import listening, scans

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
OTHERS = "ORDERS T1\nMOVE Bee TO s3\nEND\n"


@contextmanager
def counted(house: PlayedGame) -> Iterator[list[str]]:
    """The statements of the block, those that begin transactions among them."""
    asked: list[str] = []

    def note(connection, cursor, statement, *rest):
        asked.append(statement)

    def begin(connection):
        asked.append("BEGIN")

    with listening(house.server.engine, before_cursor_execute=note, begin=begin):
        yield asked


def begun(asked):
    return sum(statement.startswith("BEGIN") for statement in asked)


def test_orders_that_replace_others_take_fourteen_statements(house):
    """The log is two of them: the leaves at hand, the new leaf; two are the answer, its row and what it says."""
    house.write("north", ORDERS)
    with counted(house) as asked:
        taken = house.write("north", OTHERS)
    assert (taken.outcome, len(asked), begun(asked)) == ("receipt", 14, 1)
    assert sum("FROM game" in statement for statement in asked) == 1
    assert sum("leaf" in statement for statement in asked) == 2


def rendered(house, letters):
    """How many statements it takes to render what these letters are answered with."""
    names = [house.write("north", text).answers[0] for text in letters]
    with counted(house) as asked:
        assert len(outbox_sender.render(house.server, names)) == len(letters)
    return len(asked)


def test_a_letter_that_is_seen_again_takes_two(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(raw, uid=5)
    with counted(house) as asked:
        assert house.receive(raw, uid=5).verdict == "known"
    assert len(asked) == 2


def test_games_are_listed_by_two_statements_however_many_they_are(house):
    many(house, 5)
    with counted(house) as asked, house.server.reading() as work:
        assert [line.phase for line in game_cards.list_games(work.session)] == ["T1.north~1"] * 5
    assert len(asked) - begun(asked) == 2


def test_letter_by_letter_nobody_is_asked_twice_what_he_wishes(tmp_path):
    house = PlayedGame(tmp_path, terms=Terms(reminder_hours=0, pace="activation"))
    for text in (ORDERS, OTHERS):
        for step in (lambda text=text: house.write("north", text), house.tick):
            with counted(house) as asked:
                step()
            assert sum("JOIN wish" in statement for statement in asked) == 1
    assert [row.state for row in house.all(tables.QueuedOrders)] == ["carried", "carried"]


def test_receipts_are_rendered_and_proven_by_the_same_statements_however_many_they_are(tmp_path):
    """Eight for the letters alone, ten to see that leaves wait and sign for all at once, seven to prove them.

    With the first orders the phase closes earlier: one more, since nobody is told so while it waits for answers.
    """
    house = Recorded(tmp_path, undo_minutes=30)
    house.sent()

    assert rendered(house, [ORDERS]) == 27
    assert rendered(house, [OTHERS]) == rendered(house, [ORDERS, OTHERS, ORDERS, OTHERS]) == 26


def test_what_a_server_asks_in_the_story_of_a_game_it_finds_by_indexes(tmp_path):
    """Letters of all kinds, phases by consent and by the clock, rulings; an outage at the end."""
    house = ModeratedGame(tmp_path)
    with scans(house.server.engine) as scanned:
        flow(house)
        with house.server.work() as work:
            log_health.look(work)
            beacons.rounds_due(work)
            outage_guard.handle_polling_gap(work, work.now - timedelta(hours=3), work.now)
    assert [statement for statement in scanned if "FROM ruling" not in statement] == []
