"""A log that goes on with other keys: what was open keeps its dice, and what is opened then has others."""

import pytest

from pbem.audit import blocks, checkpoint, signing, vrf
from pbem.audit.monitor import Monitor, TrustedState
from pbem.audit.note import Key, parse_key
from pbem.audit.signing import secrets_of
from pbem.cli.monitor import LogFiles, open_files
from pbem.log import keyring, log_check, log_health, published, sequencer
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.campaign.test_recorded import Recorded
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of
from tests.harness.server import DICE, LOG, SECRETS, changed, make_once

NEW_LOG, NEW_DICE = b"n" * 32, b"m" * 32
OWN = secrets_of(SECRETS.log.name, NEW_LOG, NEW_DICE)._replace(former=(SECRETS,))


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    house.sent()
    yield house
    house.server.engine.dispose()


def rotate(house):
    with house.server.work() as work:
        made = keyring.rotate(work, OWN.log.public, OWN.dice.public)
    house.server = changed(house.server, secrets=OWN)
    return made


def watched(house, folder):
    """What a monitor finds in the files of the log."""
    published.publish(house.server, folder)
    source = LogFiles(open_files(str(folder)))
    findings: list[str] = []
    watch = Monitor(TrustedState(SECRETS.log), source.vouching_note, signing.verify, findings.append)
    for leaf in source.leaves(source.checkpoint()):
        watch.take(leaf)
    watch.check_signed_tree(source.checkpoint())
    return findings


def test_the_key_before_vouches_and_the_new_one_signs_from_then_on(house, tmp_path):
    made = rotate(house)
    assert made.origin == SECRETS.log.name
    with house.server.work() as work:
        signed = work.session.get_one(tables.Checkpoint, made.size).note
        assert checkpoint.read_signed(signed, SECRETS.log, signing.verify) == made
        ((row, leaf),) = sequencer.rotates(work.session)
        assert (row.number, leaf.number("size"), leaf("why")) == (made.size - 1, made.size - 1, "keys")
        assert not sequencer.has_foreign_keys(work)
        assert keyring.present_keys(work) == (OWN.log.public, OWN.dice.public.hex())
        assert sequencer.current_name(work) == f"{SECRETS.log.name}/2"
    assert watched(house, tmp_path / "www") == []
    house.orders("north", 1, "MOVE Ant TO s2")
    with house.server.session() as session:
        head = sequencer.head(session)
    assert head is not None
    new = Key(f"{SECRETS.log.name}/2", OWN.log.public)
    assert checkpoint.read_signed(head.note, new, signing.verify).size > made.size
    assert watched(house, tmp_path / "www") == []
    assert log_check.check(house.server).wrong == ()


def test_all_are_told(house):
    rotate(house)
    announcements = {row.recipient: text_of(row) for row in house.sent() if row.kind == "announcement"}
    assert set(announcements) == {ANN, BOB}
    assert "were changed" in announcements[ANN]


def test_an_open_phase_keeps_its_key_and_the_next_has_the_new_one(house):
    rotate(house)
    house.orders("north", 1, "MOVE Ant TO s2")
    house.poll()
    house.tick()
    game = house.game()
    with house.server.work() as work:
        by_key = {}
        for phase in ("T1.north", "T1.south"):
            block = b"pbemdice/v1/blind\ngame g1\nphase " + phase.encode() + b"\n"
            by_key[phase] = keyring.prove_of(work, "g1")(block)
            assert keyring.secret_of(work, game)(block) == vrf.output_of(by_key[phase])
            wanted = SECRETS if phase == "T1.north" else OWN
            assert by_key[phase] == wanted.prove(block)


def test_the_dice_of_a_list_are_found_by_its_slate(house):
    rotate(house)
    house.orders("north", 1, "MOVE Ant TO s2")
    house.poll()
    house.tick()
    (close,) = (row for row in house.all(tables.Leaf) if row.kind == "close")
    (roll,) = (row for row in house.all(tables.Leaf) if row.kind == "roll")
    block = blocks.vrf_input(close.opens.encode())
    proof = SECRETS.prove(block)
    assert proof.hex().encode() in roll.says
    with house.server.work() as work:
        assert keyring.prove_of(work, "g1")(block) == proof


def test_a_server_with_keys_that_the_log_does_not_name_is_not_opened(house):
    rotate(house)
    with house.server.work() as work:
        for secrets in (SECRETS, OWN._replace(former=()), secrets_of(SECRETS.log.name, LOG, NEW_DICE)):
            work.server = changed(house.server, secrets=secrets)
            assert sequencer.has_foreign_keys(work)
        work.server = changed(house.server, secrets=OWN)
        assert not sequencer.has_foreign_keys(work)


def test_nothing_is_rotated_before_anything_is_signed(tmp_path):
    from tests.harness.server import open_server

    server = open_server(tmp_path)
    with server.work() as work, pytest.raises(UserError, match="Nothing is signed"):
        keyring.rotate(work, OWN.log.public, OWN.dice.public)
    assert DICE != NEW_DICE


def test_twice(house, tmp_path):
    rotate(house)
    house.orders("north", 1, "MOVE Ant TO s2")
    third = secrets_of(SECRETS.log.name, b"t" * 32, b"u" * 32)._replace(former=(SECRETS, OWN._replace(former=())))
    with house.server.work() as work:
        made = keyring.rotate(work, third.log.public, third.dice.public)
    house.server = changed(house.server, secrets=third)
    assert made.origin == f"{SECRETS.log.name}/2"
    assert watched(house, tmp_path / "www") == []
    with house.server.work() as work:
        assert [parse_key(leaf("log")).name for _, leaf in sequencer.rotates(work.session)] == [
            f"{SECRETS.log.name}/2",
            f"{SECRETS.log.name}/3",
        ]
        assert log_health.stored_tree(work) == made
