"""Yesterday's backup under today's game: what players have written since is met again, and read in its turn."""

import pytest

from pbem.runtime.transaction import UserError
from pbem.server.service import reread_refused_letters
from pbem.store import tables
from tests.campaign import test_recovering
from tests.campaign.test_recovering import Restorable, read_record
from tests.harness.game import BOB
from tests.harness.letters import mail

house = test_recovering.house


def move(turn, unit, to):
    return f"ORDERS T{turn}\nMOVE {unit} TO {to}\nEND\n"


def went_on(house: Restorable) -> list[bytes]:
    """Two turns are played after the backup, orders for each phase in a letter; these letters, in order."""
    house.backup()
    before = len(house.came)
    for seat, turn, unit, to in (
        ("north", 1, "Ant", "s2"),
        ("south", 1, "Dog", "s7"),
        ("north", 2, "Bee", "s3"),
    ):
        house.clock.forward(minutes=5)
        assert house.write(seat, move(turn, unit, to)).outcome == "receipt"
        house.clock.forward(hours=1)
        house.tick()
        house.sent()
    return house.came[before:]


def orders(house):
    """The lists that were closed, phase by phase."""
    phases = {row.id: f"{row.name}{row.turn}" for row in house.all(tables.Phase)}
    return {phases[row.phase_id]: row.text for row in house.all(tables.QueuedOrders) if row.state != "replaced"}


def come_back(house, letters):
    """They are moved back into the inbox, and all met by one look into it."""
    moment = house.clock.now()
    outcomes = [house.receive(raw, moment=moment).outcome for raw in letters]
    house.tick()
    house.sent()
    return outcomes


def restored(house):
    letters = went_on(house)
    was = orders(house)
    house.restore()
    house.sent()
    house.recover()
    return letters, was


def test_orders_of_later_turns_are_read_anew_when_their_turn_is_open(house):
    letters, was = restored(house)
    assert come_back(house, letters) == ["receipt", "refusal", "refusal"]
    # Moved back once more they are copies, and answered as before: nobody's orders would ever count.
    house.clock.forward(hours=1)
    house.tick()
    assert house.receive(letters[1]).outcome == "refusal"
    house.sent()
    (retaken,) = reread_refused_letters(house.server, "g1")
    assert (retaken.seat, retaken.outcome) == ("south", "receipt")
    house.sent()
    assert "it was read once more" in house.kept[BOB][-1].decode().replace("\r\n", " ")
    house.clock.forward(hours=1)
    house.tick()
    (retaken,) = reread_refused_letters(house.server, "g1")
    assert (retaken.seat, retaken.outcome) == ("north", "receipt")
    house.clock.forward(hours=1)
    house.tick()
    assert orders(house) == was
    assert read_record(house).tree.origin == "games.example/pbem/2"


def test_what_was_carried_out_is_not_read_twice(house):
    letters, _ = restored(house)
    come_back(house, letters)
    house.clock.forward(hours=1)
    house.tick()
    assert len(reread_refused_letters(house.server, "g1", "south")) == 1
    assert reread_refused_letters(house.server, "g1") == ()
    assert reread_refused_letters(house.server, "g1", "north") == ()


def test_newer_orders_are_not_replaced_by_those_of_before(house):
    letters, _ = restored(house)
    come_back(house, letters)
    house.clock.forward(hours=1)
    house.tick()
    house.sent()
    assert house.write("south", move(1, "Cat", "s6")).outcome == "receipt"
    assert reread_refused_letters(house.server, "g1") == ()
    assert orders(house)["south1"].split() == ["MOVE", "Cat", "TO", "s6"]


def test_a_seat_has_not_written_more_letters_by_it_than_are_read(house):
    letters, _ = restored(house)
    come_back(house, letters)
    house.clock.forward(hours=1)
    house.tick()
    for _ in range(40):
        house.write("south", "STATUS\n")
    (retaken,) = reread_refused_letters(house.server, "g1")
    assert retaken.outcome == "receipt"


def test_there_has_to_be_an_open_phase_and_a_seat_of_that_name(house):
    with pytest.raises(UserError, match="There is no game g2"):
        reread_refused_letters(house.server, "g2")
    with pytest.raises(UserError, match="There is no seat west in g1"):
        reread_refused_letters(house.server, "g1", "west")
    with house.server.session() as session:
        game = session.get_one(tables.Game, "g1")
        game.state = "held"
        session.add(game)
    with pytest.raises(UserError, match="No phase of g1 is open"):
        reread_refused_letters(house.server, "g1")


def test_letters_of_others_are_left_alone(house):
    house.receive(mail("eve@evil.example", house.addresses["north"].replace("north", "south"), move(1, "Dog", "s7")))
    assert reread_refused_letters(house.server, "g1") == ()
