"""The log: every act a leaf, numbered once, signed in batches, proven to whoever asks."""

import contextlib
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from pbem.audit import checkpoint, leaves, merkle, signing
from pbem.audit.blocks import Malformed
from pbem.engine.run.odds import Memory
from pbem.log import sequencer
from pbem.runtime.transaction import Transaction
from pbem.store.tables import log as tables
from tests.harness.leaf_chain import LeafChain
from tests.harness.server import KEY, SECRETS, changed, open_server

RULING = (("phase", "T1.north~1"), ("number", "1"), ("text", "sha256:" + "0" * 64))


@pytest.fixture
def server(tmp_path):
    return open_server(tmp_path)


def note(server, game="g1", times=1):
    with server.work() as work:
        return [sequencer.append(work, sequencer.Note("ruling", RULING, game)) for _ in range(times)]


def head(server):
    with server.session() as session:
        head = sequencer.head(session)
    assert head is not None
    tree = checkpoint.read_signed(head.note, SECRETS.log, signing.verify)
    assert tree.size == head.size
    return tree


def test_the_first_leaf_tells_the_keys(server):
    assert sequencer.sign(server) == 1
    with server.session() as session:
        (row,) = session.exec(select(tables.Leaf)).all()
    leaf = leaves.parse(row.body, row.says)
    assert (leaf.kind, leaf.game, row.number) == ("genesis", "-", 0)
    assert (leaf("log"), leaf("vrf"), leaf("chain")) == (SECRETS.log.text, SECRETS.dice.public.hex(), "none")
    assert head(server).root == merkle.leaf_hash(row.body)
    assert sequencer.sign(server) == 0


def test_the_keys_come_first_whatever_was_noted_before(server):
    note(server)
    assert sequencer.sign(server) == 2
    with server.session() as session:
        rows = session.exec(select(tables.Leaf)).all()
    assert {row.kind: row.number for row in rows} == {"genesis": 0, "ruling": 1}


def test_leaves_of_a_game_follow_one_another(server):
    noted = [*note(server, "g1"), *note(server, "g2"), *note(server, "g1", 3)]
    assert [leaf.seq for leaf in noted] == [0, 0, 1, 2, 3]
    chain = LeafChain("g1")
    with server.session() as session:
        rows = session.exec(select(tables.Leaf).where(tables.Leaf.game == "g1").order_by("seq")).all()
    for row in rows:
        chain.follow(row.body, row.says)


def test_the_tree_is_that_of_all_leaves_whatever_the_batches(server):
    sequencer.sign(server)
    bodies, roots = [], []
    for times in (1, 4, 2, 9):
        note(server, times=times)
        assert sequencer.sign(server) == times
        roots.append(head(server))
    with server.session() as session:
        rows = session.exec(select(tables.Leaf).order_by("number")).all()
        bodies = [row.body for row in rows]
        tree = merkle.Tree(bodies)
        assert [row.number for row in rows] == list(range(17))
        assert roots[-1].root == merkle.tree_root(tree.node, 17)
        placed = sequencer.place(session, rows, 17)
        assert len(placed) == 17
        for placed_leaf in placed:
            assert merkle.is_included(
                merkle.leaf_hash(placed_leaf.data), placed_leaf.at, 17, placed_leaf.path, roots[-1].root
            )
        for old in roots:
            grown = sequencer.consistency_with(session, old.size, 17)
            assert grown is not None
            assert grown.root == old.root
            assert merkle.is_extension(old.size, 17, old.root, roots[-1].root, grown.path)
        assert sequencer.consistency_with(session, 0, 17) is None


def test_what_is_not_signed_for_is_not_shown(server):
    sequencer.sign(server)
    note(server)
    with server.session() as session:
        rows = session.exec(select(tables.Leaf)).all()
        assert len(rows) == 2
        assert len(sequencer.place(session, rows, 1)) == 1


def test_what_is_remembered_of_a_phase_is_what_the_chain_holds(server):
    """Whatever was added, or taken back with its transaction, since it was looked at last."""
    memory = Memory(8)

    def seen(game="g1", phase="T1.north~1"):
        with server.session() as session:
            known = sequencer.phase_leaves(session, game, phase, memory)
            assert known == sequencer.phase_leaves(session, game, phase)
        return [row.seq for row in known.rows]

    assert seen() == []
    note(server)
    assert seen() == [0]
    with contextlib.suppress(ArithmeticError), server.work() as work:
        sequencer.append(work, sequencer.Note("disclose", (("phase", "T1.north~1"),), "g1"))
        assert [row.seq for row in sequencer.phase_leaves(work.session, "g1", "T1.north~1", memory).rows] == [0, 1]
        raise ArithmeticError
    assert seen() == [0]
    note(server, times=3)
    note(server, "g2")
    assert (seen(), seen("g2")) == ([0, 1, 2, 3], [0])
    assert seen(phase="T2.north~1") == [3]
    with server.work() as work:
        sequencer.append(work, sequencer.Note("disclose", (("phase", "T2.north~1"),), "g1"))
    assert (seen(), seen(phase="T2.north~1")) == ([0, 1, 2, 3, 4], [4])
    note(server)
    assert (seen(), seen(phase="T2.north~1")) == ([0, 1, 2, 3, 5], [4, 5])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaf SET body = x'00'",
        "UPDATE leaf SET number = 7",
        "UPDATE leaf SET number = NULL",
        "UPDATE leaf SET seq = 5",
        "DELETE FROM leaf",
    ],
)
def test_a_leaf_is_never_changed(server, statement):
    sequencer.sign(server)
    with pytest.raises(IntegrityError, match="leaf is append-only"), server.session() as session:
        session.connection().execute(text(statement))


def test_several_sign_in_turn_and_none_while_one_has_the_lease(server):

    other = changed(server, owner="another")
    sequencer.sign(server)
    for server_now in (other, server, other):
        note(server)
        assert sequencer.sign(server_now) == 1
    note(server)
    with server.work() as work:
        assert sequencer.take_lease(work)
    assert sequencer.sign(other) == 0
    assert sequencer.sign(server) == 1
    note(server)
    with server.work() as work:
        assert sequencer.take_lease(work)
    server.clock.set(server.clock.now() + sequencer.LEASE + timedelta(seconds=1))
    assert sequencer.sign(other) == 1


def test_a_leaf_that_does_not_say_what_it_must_takes_nothing_with_it(server):
    with pytest.raises(Malformed), server.work() as work:
        sequencer.append(work, sequencer.Note("ruling", RULING[:1], "g1"))
    assert [leaf.seq for leaf in note(server)] == [0]


def test_other_keys_than_the_log_was_begun_with(server):

    sequencer.sign(server)
    with server.session() as session:
        assert not sequencer.has_foreign_keys(Transaction(session, server, server.clock.now()))
        swapped = changed(server, secrets=signing.secrets_of("games.example/pbem", b"l" * 32, b"e" * 32))
        assert sequencer.has_foreign_keys(Transaction(session, swapped, swapped.clock.now()))


def test_log_and_dice_have_two_keys():
    with pytest.raises(ValueError, match="one key"):
        signing.secrets_of("games.example/pbem", KEY[:32], KEY[:32])
