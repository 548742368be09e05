"""What letters ask of the database: so many statements and no more. A count, which is the same on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from pbem.campaign.base.terms import Terms
from pbem.campaign.door import postman
from pbem.store import tables
from tests.campaign.house import ANN, House, mail
from tests.campaign.test_recorded import Recorded

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
OTHERS = "ORDERS T1\nMOVE Bee TO s3\nEND\n"


@contextmanager
def counted(house: House) -> Iterator[list[str]]:
    """The statements of the block, those that begin transactions among them."""
    asked: list[str] = []

    def note(connection, cursor, statement, *rest):
        asked.append(statement)

    def begin(connection):
        asked.append("BEGIN")

    event.listen(house.server.engine, "before_cursor_execute", note)
    event.listen(house.server.engine, "begin", begin)
    try:
        yield asked
    finally:
        event.remove(house.server.engine, "before_cursor_execute", note)
        event.remove(house.server.engine, "begin", begin)


def begun(asked):
    return sum(statement.startswith("BEGIN") for statement in asked)


def test_orders_that_replace_others_take_fifteen_statements(house):
    """The log is two of them: the leaves at hand, the new leaf."""
    house.write("north", ORDERS)
    with counted(house) as asked:
        taken = house.write("north", OTHERS)
    assert (taken.outcome, len(asked), begun(asked)) == ("receipt", 15, 1)
    assert sum("FROM game" in statement for statement in asked) == 1
    assert sum("leaf" in statement for statement in asked) == 2


def rendered(house, letters):
    """How many statements it takes to render what these letters are answered with."""
    names = [house.write("north", text).answers[0] for text in letters]
    with counted(house) as asked:
        assert len(postman.render(house.server, names)) == len(letters)
    return len(asked)


def test_a_letter_that_is_seen_again_takes_two(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(raw, uid=5)
    with counted(house) as asked:
        assert house.receive(raw, uid=5).verdict == "known"
    assert len(asked) == 2


def test_letter_by_letter_nobody_is_asked_twice_what_he_wishes(tmp_path):
    house = House(tmp_path, terms=Terms(reminder_hours=0, pace="activation"))
    for text in (ORDERS, OTHERS):
        for step in (lambda text=text: house.write("north", text), house.tick):
            with counted(house) as asked:
                step()
            assert sum("JOIN wish" in statement for statement in asked) == 1
    assert [row.state for row in house.all(tables.QueuedOrders)] == ["carried", "carried"]


def test_receipts_are_rendered_and_proven_by_the_same_statements_however_many_they_are(tmp_path):
    """Eight for the letters alone, eight to sign for all leaves at once, seven to prove them and note what was shown.

    With the first orders the phase closes earlier: one more, since nobody is told so while it waits for answers.
    """
    house = Recorded(tmp_path, undo_minutes=30)
    house.sent()

    assert rendered(house, [ORDERS]) == 25
    assert rendered(house, [OTHERS]) == rendered(house, [ORDERS, OTHERS, ORDERS, OTHERS]) == 24
