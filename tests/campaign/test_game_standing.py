"""How a game stands is one record: the same for all who read it, and none of it tells what a seat keeps to itself."""

import pytest
from sqlmodel import select

from pbem.engine.data.messages import plain_english
from pbem.letters import outbox
from pbem.letters.content import WAITS_FOR_BEACON
from pbem.play.game_standing import GameStanding, standing_of, standing_sentences
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import text_of


def stands(server, game="g1") -> GameStanding:
    with server.work() as work:
        return standing_of(work, work.session.get_one(tables.Game, game))


def sentences(server) -> str:
    with server.work() as work:
        return " ".join(plain_english(sentence) for sentence in standing_sentences(stands(server), work.now, "UTC"))


def test_all_who_ask_read_the_same_of_an_open_phase(moderated):
    house = moderated
    texts = sentences(house.server)
    assert texts.startswith("Turn 1. Waiting for orders from: north. Deadline: ")
    for seat in ("north", "south"):
        house.write(seat, "STATUS")
        assert texts in house.answer()
    house.dictate("STATUS\n")
    assert texts in house.answer()


def test_a_digest_tells_it_too(moderated):
    house = moderated
    house.write("north", "SET NOTIFY DAILY 18")
    house.write("south", "SAY hello")
    texts = sentences(house.server)
    house.sent()
    (due,) = [row.at for row in house.all(tables.Due) if row.kind == outbox.NEWS_DUE]
    house.clock.set(due)
    house.tick()
    (text,) = [text_of(row) for row in house.sent() if (row.recipient, row.kind) == (ANN, "digest")]
    assert texts in text


def test_orders_that_wait_for_their_closing_are_told_to_the_moderator_as_to_players(moderated):
    house = moderated
    house.write("north", "ORDERS T1\nPASS\nEND\n")
    house.sent()
    texts = sentences(house.server)
    assert "All orders are in: they are carried out on " in texts
    house.dictate("STATUS\n")
    assert texts in house.answer()


def test_a_phase_that_waits_for_its_beacon_does_not_say_that_dice_have_rolled(moderated):
    house = moderated
    with house.server.work() as work:
        (phase,) = work.session.exec(select(tables.Phase))
        phase.state = "closed"
        work.session.add(phase)
    assert stands(house.server).waits == WAITS_FOR_BEACON
    house.dictate("STATUS\n")
    assert plain_english(WAITS_FOR_BEACON) in house.answer()


@pytest.mark.parametrize(
    ("begin", "seat", "orders"),
    [
        (PlayedGame, "north", ("PASS", "MOVE Ant TO s2")),
        (PlayedBattle, "spain", ("ACTIVAR Nudos", "ACTIVAR Nudos\nFUEGO Montana1 A Cresta")),
    ],
    ids=["toy", "africa1860"],
)
def test_it_is_the_same_whatever_was_ordered(begin, seat, orders, tmp_path):
    """Only whether a seat has written is known, never what."""
    texts_found = set()
    for number, lines in enumerate(orders):
        (folder := tmp_path / str(number)).mkdir()
        table = begin(folder)
        before = stands(table.server)
        (table.write if begin is PlayedGame else table.answer)(seat, f"ORDERS T1\n{lines}\nEND\n")
        texts_found.add(stands(table.server))
        assert (before.missing, stands(table.server).missing) == ((seat,), ())
        table.server.engine.dispose()
    assert len(texts_found) == 1


def test_the_record_holds_no_row_and_no_orders():
    fields = set(GameStanding._fields)
    assert fields == {
        *("state", "turn", "phase", "by_letter", "active", "missing", "undecided", "deadline", "closing", "waits"),
        "result",
    }
