"""Lists that a witness of a game is shown: what he says of them is kept and told on, and a second list is refused."""

from datetime import timedelta

import pytest
from sqlmodel import select

from pbem.audit import signing, witness, witness_statement
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import COSIGNATURE
from pbem.audit.witness import LONGEST_TEXT, WitnessRefusal
from pbem.engine.data.messages import plain_english
from pbem.log import grades, sequencer, witnesses
from pbem.log.sequencer import Note
from pbem.store import tables
from pbem.store.tables.log import Statement
from tests.campaign.test_beacons import moment, out, shut
from tests.campaign.test_witness import Watched, answered, asked_in, own_saw, rows
from tests.cli.test_witness import OWN
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of

FOREIGN, FOREIGN_SECRET = signing.make_signer("friends.test/ana", b"x" * 32, COSIGNATURE)


@pytest.fixture
def house(tmp_path):
    house = Watched(tmp_path)
    yield house
    house.server.engine.dispose()


def closes(house):
    with house.server.session() as session:
        closes_found = session.exec(select(tables.Leaf).where(tables.Leaf.kind == "close").order_by("id")).all()
    return [leaf_hash(row.body).hex() for row in closes_found]


def closed_again(house, game="g1", segment=1):
    """The server writes another list of a phase, as one that cheats would, and asks the witness about it."""
    with house.server.work() as work:
        where = (("phase", "T1.north~1"), ("segment", str(segment)), ("groups", "all"))
        says = (*where, ("slate", "0" * 64), ("seen", "-"))
        sequencer.append(work, Note("close", says, game))
        (row,) = (row for row in work.session.exec(select(tables.Witness)).all() if row.state == "sworn")
        witnesses.queue_letter(work, work.session.get_one(tables.Game, "g1"), row, (), f"again {game} {segment}")
    house.sent()


def test_the_list_is_shown_and_what_he_says_of_it_goes_with_the_report(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    shown = asked_in(house.kept[OWN][-1]).closes
    (close,) = closes(house)
    assert [leaf_hash(leaf.data).hex() for leaf in shown] == [close]
    assert house.watch() == ["cosigned"]
    (row,) = rows(house, Statement)
    assert row.at == int(house.clock.now().timestamp())
    out(house, 123)
    for who in (ANN, BOB):
        report = house.shown(who)[-1]
        assert report.grade == "A"
        (statement,) = (witness_statement.read(block) for block in report.sees)
        assert statement.holds(house.key, signing.verify)
        assert [(close.where, close.leaf) for close in statement.said.closes] == [(("g1", "T1.north~1", 1), close)]
        assert statement.said.tree.size in [int(witnessed.note.split(b"\n")[1]) for witnessed in report.witnessed]


def test_a_cosignature_that_says_nothing_of_the_list_is_grade_b(house):
    """He signs the tree; that it holds one list of the segment alone, he does not say."""
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert answered(house, witness.write(own_saw(house)).decode()) == "cosigned"
    mails = out(house, 123)
    assert "grade B" in text_of(next(row for row in mails if row.kind == "report"))
    report = house.shown(ANN)[-1]
    assert (report.grade, len(report.witnessed), report.sees) == ("B", 1, ())


def test_a_second_list_is_refused_aloud_with_both_as_a_proof(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert house.watch() == ["cosigned"]
    closed_again(house)
    assert house.watch() == ["refused-doubled"]
    mails = house.sent()
    assert {(row.kind, row.recipient) for row in mails} >= {("announcement", ANN), ("announcement", BOB)}
    letter = text_of(next(row for row in mails if row.recipient == ANN))
    assert "closed one segment of a phase with two lists" in letter
    assert "pbemdice/v1/refuses" in letter
    assert {leaf for leaf in closes(house)[:1]} == {
        witness_statement.read(row.said).said.closes[0].leaf for row in rows(house, Statement)
    }
    # His own copy, whatever the server does with its own.
    assert OWN in [letter.recipient for letter in house.friend.sent]


def test_a_second_list_that_none_is_proves_nothing(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    closed_again(house, segment=2)
    asked = asked_in(house.kept[OWN][-1])
    proven = [witness.ProvenList(close, asked.note) for close in asked.closes]
    for pair in ((proven[0], proven[0]), (proven[0], proven[1])):
        refusal_text = witness.write(WitnessRefusal(house.key, "doubled", asked.note, pair)).decode()
        assert answered(house, refusal_text) == "malformed"
    assert house.sent() == []


def test_what_is_said_of_lists_by_another_key_or_of_another_tree_is_worth_nothing(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    house.friend.sent.clear()
    for raw in house.kept.pop(OWN):
        house.friend.mailbox.put(raw)
    house.friend.one.step()
    saw = house.friend.answers[-1]
    statement = witness_statement.read(saw.sees).said
    forged = witness_statement.sign(statement, FOREIGN, FOREIGN_SECRET)
    stolen = forged._replace(by=witness_statement.read(saw.sees).by)
    later = statement._replace(at=statement.at - 5)
    elsewhere = statement._replace(tree=statement.tree._replace(origin="games.example/else"))
    for wrong in (
        forged._replace(by=forged.by._replace(id=stolen.by.id)),
        stolen._replace(said=later),
        stolen._replace(said=statement._replace(closes=(statement.closes[0]._replace(leaf="0" * 64),))),
        witness_statement.sign(elsewhere, house.key, house.friend.home.sign),
    ):
        report_text = witness.write(saw._replace(sees=witness_statement.write(wrong))).decode()
        assert answered(house, report_text) == "malformed"
    assert rows(house, Statement) == []
    assert answered(house, witness.write(saw).decode()) == "cosigned"
    assert answered(house, witness.write(saw).decode()) == "cosigned"
    assert len(rows(house, Statement)) == 1


def test_a_letter_has_room_for_some_lists_and_this_game_s_come_first(house):
    house.swear()
    for number in range(70):
        with house.server.work() as work:
            says = (("phase", "T1~1"), ("segment", "1"), ("groups", "all"), ("slate", "0" * 64), ("seen", "-"))
            sequencer.append(work, Note("close", says, f"other-{number}"))
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    raw = house.kept[OWN][-1]
    shown = asked_in(raw)
    assert len(witness.write(shown)) <= LONGEST_TEXT
    games = [witness_statement.closed_list_of(close.data).game for close in shown.closes]
    assert games[0] == "g1"
    assert len(games) > 5
    assert house.watch() == ["cosigned"]
    out(house, 123)
    assert house.shown(ANN)[-1].grade == "A"


def test_a_closing_that_is_moved_to_later_is_shown_to_him_at_once(house):
    house.swear()
    with house.server.work() as work:
        game = work.session.get_one(tables.Game, "g1")
        witnesses.show_later_closing(work, game, "T1.north~1 closes at 1")
    mails = house.sent()
    assert [(row.kind, row.recipient) for row in mails] == [("witness", OWN)]
    assert "closes later than was said" in text_of(mails[0])
    assert house.watch() == ["cosigned"]


def moved(house, to, moment=None):
    """The moderator lets the phase close later than was said."""
    from pbem.log import closing_times
    from pbem.store import queries

    with house.server.work(moment) as work:
        game = work.session.get_one(tables.Game, "g1")
        phase = queries.phases.open_phase(work.session, "g1")
        assert phase is not None
        closing_times.note(work, game, phase, to, "moderator")
    return house.sent()


def test_a_move_counts_if_it_was_seen_before_the_round_that_it_replaces(house):
    house.swear()
    mails = moved(house, moment(123) + timedelta(days=60))
    assert [row.kind for row in mails] == ["witness"]
    assert house.watch() == ["cosigned"]
    with house.server.session() as session:
        (move,) = grades.closing_moves(session, "g1", "T1.north~1")
    assert not move.is_late
    assert [witness.key for witness in move.seen] == [house.key.text]
    assert moved(house, moment(123) + timedelta(days=50)) == []
    with house.server.session() as session:
        assert len(grades.closing_moves(session, "g1", "T1.north~1")) == 1


def replaced(house):
    """The round that the phase was opened with."""
    with house.server.session() as session:
        opened = session.exec(select(tables.Leaf).where(tables.Leaf.kind == "open")).one()
    return int(sequencer.Noted(0, "open", "", opened.body, opened.says)("round"))


def test_a_move_that_no_witness_saw_before_that_round_does_not_count(house):
    house.swear()
    was = replaced(house)
    house.clock.set(moment(was) - timedelta(seconds=10))
    moved(house, house.clock.now() + timedelta(days=1))
    house.clock.set(moment(was))
    assert house.watch() == ["cosigned"]
    with house.server.session() as session:
        (move,) = grades.closing_moves(session, "g1", "T1.north~1")
    assert (move.is_late, move.round, move.seen) == (False, was, ())


def test_a_move_when_the_round_was_out_is_late(house):
    house.swear()
    was = replaced(house)
    house.clock.set(moment(was) + timedelta(seconds=1))
    moved(house, house.clock.now() + timedelta(days=1))
    with house.server.session() as session:
        (move,) = grades.closing_moves(session, "g1", "T1.north~1")
    assert (move.is_late, move.round) == (True, was)


class Late(grades.Witnessed):
    is_late = True


def graded(house, kind, **change):
    """The grade of the first phase if the closing had been moved once, and the leaf was seen so."""
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert house.watch() == ["cosigned"]
    with house.server.session() as session:
        game = session.get_one(tables.Game, "g1")
        (close,) = grades.closed_lists(session, "g1", "T1.north~1")
        move = kind(close.leaf, close.chain, close.round, close.seen)._replace(**change)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(grades, "closing_moves", lambda *_: (move,))
            return grades.grade(session, game, "T1.north~1")


@pytest.mark.parametrize(
    ("kind", "change", "grade"),
    [(grades.Witnessed, {}, "A"), (grades.Witnessed, {"seen": ()}, "B"), (Late, {}, "C")],
)
def test_grades_by_how_a_moved_closing_was_seen(kind, change, grade, house):
    house.swear()
    given_grade, sentence, _ = graded(house, kind, **change)
    assert given_grade == grade
    assert f"grade {grade}" in plain_english(sentence)
