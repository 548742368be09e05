"""What the command line may ask for, and what it is told when it cannot be done."""

import email
import email.policy
from datetime import timedelta

import pytest

from pbem.engine.data.canon import dumps
from pbem.engine.data.events import event
from pbem.engine.run.steps import Did
from pbem.play import holds, seating
from pbem.play.commands.table import founding
from pbem.play.replay import replay
from pbem.runtime.transaction import Transaction, UserError
from pbem.server import game_cards, service
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed
from tests.harness.toygame import Rules, Toy


@pytest.fixture
def empty(tmp_path):
    made = PlayedGame(tmp_path, started=False)
    yield made
    made.server.engine.dispose()


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"name": "Upper"}, "A game's name is 1 to 20 of a-z, 0-9 and hyphens, got 'Upper'."),
        ({"name": "-x"}, "A game's name is 1 to 20 of a-z, 0-9 and hyphens, got '-x'."),
        ({"name": "g1"}, "There is a game g1 already."),
        ({"game": "chess"}, "There are no rules chess on this server."),
        ({"scenario": "moon"}, "This cannot be played: no scenario moon"),
        ({"options": {"gravity": "0"}}, "This cannot be played: no option gravity"),
    ],
)
def test_no_such_game(empty, facts, why):
    asked = {"name": "g2", "game": "toy", "scenario": "turns"} | facts
    with empty.server.work() as work, pytest.raises(UserError) as error:
        founding.new_game(work, founding.NewGame(**asked))
    assert str(error.value) == why
    assert [row.id for row in empty.all(tables.Game)] == ["g1"]


def test_a_domain_too_long_for_addresses(empty):
    server = changed(empty.server, local="p" * 40)
    with server.work() as work, pytest.raises(UserError, match="no valid addresses"):
        founding.new_game(work, founding.NewGame(name="g2", game="toy", scenario="turns"))


def test_all_that_one_transaction_does_is_done_in_one_moment(empty):
    began = empty.clock.now()
    with empty.server.work() as work:
        empty.clock.set(began + timedelta(hours=1))
        assert (work.server, work.now) == (empty.server, began)
        assert work.at(empty.clock.now()) == Transaction(work.session, empty.server, began + timedelta(hours=1))
    with empty.server.work(began) as work:
        assert work.now == began


def test_a_key_too_short(empty):
    with pytest.raises(ValueError, match="at least 32 bytes"):
        changed(empty.server, key=b"k")


def test_an_edition_is_stored_whole_under_its_digest(empty):
    (edition,) = empty.all(tables.Edition)
    assert edition.text == '{"rules":"toy 1","scenario":"turns","turns":2}'
    assert empty.game().edition_digest == edition.digest
    assert empty.game().scheme == "pbemdice/v1"


def test_an_edition_that_reads_back_as_another_is_not_played(empty):
    with empty.server.session() as session:
        session.get_one(tables.Edition, empty.game().edition_digest).text = dumps({"scenario": "both", "turns": 2})
    with empty.server.session() as session, pytest.raises(ValueError, match="reads back as"):
        empty.server.edition_of(session, session.get_one(tables.Game, "g1"))


def test_an_invitation(empty):
    address = empty.invite("north", "Ann@Players.example", person="Ann", language="es", zone="Europe/Madrid")
    (letter,) = empty.sent()
    assert (letter.recipient, letter.language, letter.reply_to) == (ANN, "es", address)
    assert text_of(letter) == (
        "kind: invitation (es)\n"
        "You have the seat north in the game g1: A toy.\n"
        f"All letters of this seat go to {address}.\n"
        "Anyone who knows this address can give your orders: keep it to yourself. HELP lists what you can write.\n"
    )
    assert address.startswith("pbem+g1-north-")
    assert empty.invite("south", ANN) != address
    assert len(empty.all(tables.Person)) == 1


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"game": "g7"}, "There is no game g7."),
        ({"seat": "west"}, "There is no seat west in g1; there are: north, south."),
        ({"email": "ann"}, "The seat cannot be given away: not an address that mail can be sent to: 'ann'"),
        ({"email": "a@b.example\nBcc: x@y"}, "The seat cannot be given away: not an address"),
        ({"zone": "Mars"}, "The seat cannot be given away: there is no time zone 'Mars'"),
    ],
)
def test_no_such_seat(empty, facts, why):
    asked = {"game": "g1", "seat": "north", "email": ANN} | facts
    with empty.server.work() as work, pytest.raises(UserError) as error:
        seating.invite_seat(work, seating.Invitation(**asked))
    assert str(error.value).startswith(why)
    assert empty.all(tables.Address) == []


def test_a_game_begins_once(house):
    with house.server.work() as work, pytest.raises(UserError, match="has begun already"):
        founding.start_game(work, "g1")
    with house.server.work() as work, pytest.raises(UserError, match="is not held"):
        holds.resume_game(work, "g1")
    with house.server.work() as work, pytest.raises(UserError, match="There is no game g7"):
        founding.start_game(work, "g7")


def test_games_in_a_list_and_one_in_full(house):
    house.write("north", "ORDERS T1\nPASS\nEND\n")
    with house.server.work() as work:
        (line,) = game_cards.list_games(work.session)
        card = game_cards.show_game(work, "g1")
    assert line[:5] == ("g1", "toy", "turns", "running", "T1.north~1")
    assert card[:6] == line
    north, south = card.seats
    assert north[:5] == ("north", "red", "ann", ANN, house.addresses["north"])
    assert (north.awaited, north.revision, south.awaited, south.revision) == (False, 1, False, 0)
    assert [cause for _, _, cause in card.due] == ["all-in", "deadline"]


def test_a_letter_by_file_is_answered_in_bytes_and_queued(house):
    done = service.deliver(house.server, mail(ANN, house.addresses["north"], "ORDERS T1\nPASS\nEND\n"))
    assert (done.verdict, done.outcome) == ("seat", "receipt")
    (raw,) = done.answers
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    assert (letter["To"], letter["Reply-To"]) == (ANN, house.addresses["north"])
    assert letter["Auto-Submitted"] == "auto-replied"
    whole, proofs = letter.iter_parts()
    assert all("Your orders are in: revision 1." in part.get_content() for part in whole.iter_parts())
    assert proofs.get_filename() == "pbemdice.txt"
    (row,) = house.sent()
    assert row.body == raw
    again = service.deliver(house.server, mail(BOB, "pbem@games.example", "hello"))
    assert [row.uid for row in house.all(tables.Inbox)] == [1, 2]
    assert (again.verdict, len(again.answers)) == ("stranger", 1)


def played(house):
    for seat, move in (("north", "Bee TO s3"), ("south", "Dog TO s7")):
        house.write(seat, f"ORDERS T1\nMOVE {move}\nEND\n")
        house.clock.forward(minutes=30)
        house.tick()
    assert len(house.all(tables.Phase)) == 3


def test_a_replay_gives_the_same(house):
    played(house)
    with house.server.work() as work:
        assert replay(work, "g1") == (2, None)
        with pytest.raises(UserError, match="There is no game g7"):
            replay(work, "g7")


def test_a_replay_needs_no_snapshot(house):
    played(house)
    with house.server.session() as session:
        for row in house.all(tables.Snapshot):
            session.delete(row)
    with house.server.work() as work:
        assert replay(work, "g1").phases == 2


@pytest.mark.parametrize(
    ("column", "value", "difference"),
    [
        ("orders", '{"north":[1,"MOVE Bee TO s1\\n",[]],"south":[0,"",[]]}', "slate"),
        ("slate", "x", "slate"),
        ("rolls", '[["Bee>s3/push",1,6,[7]]]', "roll 1"),
        ("events_digest", "x", "events"),
        ("state_digest", "x", "state"),
    ],
)
def test_a_replay_finds_what_was_changed_in_the_database(house, column, value, difference):
    played(house)
    with house.server.session() as session:
        setattr(session.get_one(tables.Phase, 1), column, value)
    with house.server.work() as work:
        done = replay(work, "g1")
    assert done.phases == 0
    assert done.difference is not None
    assert done.difference[:2] == ("T1.north~1", difference)


def test_a_replay_finds_the_first_event_that_other_rules_make(house, monkeypatch):
    played(house)
    step = Rules.step

    def other(self, state, task):
        outcome = step(self, state, task)
        if task.name == "end" and state.moving == "south":
            return Did((event("ended", "T9.1", turn=state.turn, moving=state.moving),))
        return outcome

    monkeypatch.setattr(Rules, "step", other)
    with house.server.work() as work:
        done = replay(work, "g1")
    assert done == (
        1,
        (
            "T1.south~1",
            "event 2",
            '{"cite":"T9","data":{"moving":"south","turn":1},"kind":"ended"}',
            '{"cite":"T9.1","data":{"moving":"south","turn":1},"kind":"ended"}',
        ),
    )


def test_rules_that_fail_in_a_replay_are_a_difference(house, monkeypatch):
    played(house)

    def fails(*asked):
        raise TypeError("'NoneType' object is not callable")

    monkeypatch.setattr(Toy, "world", fails)
    with house.server.work() as work:
        done = replay(work, "g1")
    assert done == (0, ("T1.north~1", "fault", "", "TypeError: 'NoneType' object is not callable"))


def test_a_scheme_of_another_server(house):
    with house.server.session() as session:
        session.get_one(tables.Game, "g1").scheme = "dice/v9"
    with house.server.work() as work, pytest.raises(UserError, match="dice/v9 is not known"):
        replay(work, "g1")


def test_nothing_is_due_in_a_house_without_games(empty):
    assert run_due_jobs(empty.server) == 0
