"""A database put back from a backup under a running game: nothing is signed until the log is anew, nothing is lost."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from pbem.audit import leaves
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.log import log_health, recovery
from pbem.mail.smtp import SmtpReply
from pbem.play import attachment
from pbem.play.replay import replay
from pbem.play.rulings import appointment
from pbem.runtime.signed_tree import RecordedTrees, SignedTreeRecord
from pbem.runtime.transaction import UserError
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.store.external_record import FileRecord
from pbem.store.tables import log as t
from pbem.verifier.record import FALSE, NOT_CHECKED
from tests.audit.checked import items, verify
from tests.campaign.test_recorded import Recorded, left, with_template
from tests.harness.game import ANN, BOB
from tests.harness.server import SECRETS, changed, open_server

TAKEN = SmtpReply(250, "2.0.0 queued", "sent", "data")
NAME = "games.example/pbem"
MO = "mo@bench.example"


class Restorable(Recorded):
    """A recorded game whose database can be put back, the file beside the keys, and a mail server that takes all."""

    def __init__(self, folder, **more):
        self.came: list[bytes] = []
        super().__init__(folder, **more)
        self.file = folder / "log.signed"
        self.guarded()

    def guarded(self):
        self.server = changed(self.server, signed=SignedTreeRecord(FileRecord(self.file)))
        log_health.begin(self.server)

    def receive(self, raw, uid=None, moment=None):
        self.came.append(raw)
        return super().receive(raw, uid, moment)

    def sent(self):
        """What leaves now, by the way that all letters leave."""
        if getattr(self, "file", None) is None:
            return super().sent()
        left = []

        async def send(envelopes, on_reply):
            for envelope in envelopes:
                left.append(envelope.recipient)
                self.kept.setdefault(envelope.recipient, []).append(envelope.raw)
                await on_reply(TAKEN)

        asyncio.run(outbox_sender.send_due_letters(self.server, send))
        return left

    def backup(self):
        with (
            closing(sqlite3.connect(self.folder / "pbem.db")) as now,
            closing(sqlite3.connect(self.folder / "old")) as to,
        ):
            now.backup(to)
        self.old_file = self.file.read_bytes()

    def restore(self, file=False):
        self.server.engine.dispose()
        for ending in ("", "-wal", "-shm"):
            (self.folder / f"pbem.db{ending}").unlink(missing_ok=True)
        shutil.copy(self.folder / "old", self.folder / "pbem.db")
        if file:
            self.file.write_bytes(self.old_file)
        self.server = open_server(self.folder)
        self.guarded()

    def trouble(self):
        with self.server.work() as work:
            return log_health.trouble(work)

    def recover(self, known=None):
        with self.server.work() as work:
            admitted, now = recovery.recover(work, known)
        SignedTreeRecord(FileRecord(self.file)).begin(now)
        return admitted, now

    def lines(self, *addresses):
        items_shown = [
            item
            for who in addresses
            for index, raw in enumerate(self.kept[who])
            for item in items(f"{who}{index}", raw)
        ]
        return left(verify(items_shown))

    def wrong(self, *addresses):
        return {line.check: line.status for line in self.lines(*addresses)}


@pytest.fixture
def house(tmp_path):
    house = Restorable(tmp_path)
    yield house
    house.server.engine.dispose()


def waiting(house):
    return [row.kind for row in house.all(tables.Outbox) if row.state == "queued"]


def rotates(house):
    return [leaves.parse(row.body, row.says) for row in house.all(t.Leaf) if row.kind == "rotate"]


def lost_a_turn(house):
    """North's turn was closed and told after the backup; the letters of before and the size that was signed last."""
    house.orders("north", 1, "MOVE Ant TO s2")
    house.backup()
    house.tick()
    return read_record(house)


def read_record(house):
    known = SignedTreeRecord(FileRecord(house.file)).read()
    assert known is not None
    return known


def test_the_file_knows_every_tree_before_it_leaves(house):
    for turn in range(2):
        house.orders("north" if not turn else "south", 1, "PASS" if not turn else "MOVE Dog TO s7")
        with house.server.work() as work:
            assert SignedTreeRecord(FileRecord(house.file)).read() == RecordedTrees(log_health.stored_tree(work))
        house.tick()
    assert house.trouble() is None
    assert house.file.stat().st_mode & 0o077 == 0


def test_a_restored_database_is_found_out_and_nothing_leaves_nor_closes(house):
    known = lost_a_turn(house).tree
    house.restore()
    trouble = house.trouble()
    assert trouble is not None
    # What the silent seat is closed with, the list, its dice, what came of them, the next phase.
    assert (trouble.known, trouble.here.size) == (known, known.size - 5)
    kept = {who: len(letters) for who, letters in house.kept.items()}
    assert house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n").outcome == "receipt"
    house.write("south", "STATUS\n")
    house.clock.forward(days=5)
    house.poll()
    house.tick()
    assert [row.state for row in house.all(tables.Phase)] == ["open"]
    assert "receipt" in waiting(house)
    assert {len(house.kept[who]) - kept[who] for who in (ANN, BOB)} == {0, 1}
    assert house.all(t.Checkpoint)[-1].size == trouble.here.size
    fault = house.kept["op@games.example"][-1].decode()
    assert "leaves of the log were signed, and the database does not have this log" in " ".join(fault.split())
    house.tick()
    assert house.kept["op@games.example"][-1].decode() == fault


def test_a_game_goes_on_and_its_letters_say_that_there_is_a_gap(house):
    known = lost_a_turn(house).tree
    rolled = [row.rolls for row in house.all(tables.Phase) if row.state == "resolved"]
    house.restore()
    house.sent()
    assert house.recover() == (known, read_record(house).tree)
    (leaf,) = rotates(house)
    assert (leaf("size"), leaf("root")) == (str(known.size), known.root.hex())
    assert leaf("log").startswith(f"{NAME}/2+")
    assert leaf("vrf") == SECRETS.dice.public.hex()
    assert house.trouble() is None
    house.tick()
    assert [row.rolls for row in house.all(tables.Phase) if row.state == "resolved"] == rolled
    house.orders("south", 1, "MOVE Dog TO s7")
    house.tick()
    assert waiting(house) == []
    for who in ((ANN,), (BOB,), (ANN, BOB)):
        assert house.wrong(*who) == {"recovery": NOT_CHECKED}
    (line,) = house.lines(ANN)
    assert line.why[0].startswith(f"the log was begun anew: of {known.size} leaves it kept the first {known.size - 5};")
    assert len(line.why) == 1
    assert house.judge(ANN).code == 2
    assert b"put back from a backup" in house.kept[BOB][-3] + house.kept[BOB][-4] + house.kept[BOB][-5]
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


def test_orders_that_came_after_the_backup_are_taken_in_again(house):
    house.backup()
    house.orders("north", 1, "MOVE Ant TO s2")
    raw = house.came[-1]
    house.restore()
    assert house.receive(raw).outcome == "receipt"
    house.recover()
    house.tick()
    for who in ((ANN,), (BOB,)):
        assert house.wrong(*who) == {"recovery": NOT_CHECKED}
    (line,) = house.lines(ANN)
    assert len(line.why) == 1


def test_a_receipt_of_orders_that_are_gone_is_proof_of_it(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    house.backup()
    house.orders("north", 1, "MOVE Bee TO s3")
    house.restore()
    house.recover()
    house.tick()
    assert house.wrong(ANN) == {"recovery": FALSE}
    (line,) = house.lines(ANN)
    assert "g1 order T1.north~1 north: signed before the restore, and gone from the log" in line.why


def test_a_server_that_takes_a_closed_list_back_is_found_by_all_who_saw_it(house):
    """It puts its database back after it has seen the dice, and has the phase closed on other orders."""
    lost_a_turn(house)
    house.restore()
    house.recover()
    house.orders("north", 1, "MOVE Bee TO s3")
    house.tick()
    for who in (ANN, BOB):
        assert house.wrong(who) == {"recovery": FALSE}
        (line,) = house.lines(who)
        assert "g1 close T1.north~1 1: the log said otherwise before the restore" in line.why


def test_a_server_without_that_file_that_signs_on_has_two_logs(house):
    lost_a_turn(house)
    house.file.unlink()
    house.old_file = b""
    house.restore()
    house.server = changed(house.server, signed=None)
    house.orders("north", 1, "MOVE Bee TO s3")
    house.tick()
    assert {house.wrong(who)["chain"] for who in (ANN, BOB)} == {FALSE}


def test_what_a_player_sends_back_shows_that_the_file_was_put_back_too(house):
    """The whole machine was put back: only letters know of what came after."""
    with house.server.work() as work:
        moderator = appointment.appoint(work, appointment.Appointment(game="g1", email=MO))
    assert moderator
    lost_a_turn(house)
    _, line = with_template(house, BOB)
    house.restore(file=True)
    assert house.trouble() is None
    house.write("south", f"STATUS\n> {line[:-8]}AAAAAAAA\n> {line.rpartition(' ')[0]}\n")
    assert house.trouble() is None
    house.write("south", f"STATUS\n\n> {line}\n")
    trouble = house.trouble()
    assert trouble is not None
    assert trouble.known is not None
    assert str(trouble.known.size) == line.split()[2]
    house.tick()
    assert b"pbem log recover" in house.kept[MO][-1]
    admitted, _ = house.recover()
    assert admitted == trouble.known
    house.write("south", f"STATUS\n\n> {line}\n")
    assert house.trouble() is None
    house.tick()
    assert house.wrong(BOB) == {"recovery": NOT_CHECKED}


def test_a_file_that_is_gone_or_damaged(house):
    lost_a_turn(house)
    size = house.all(t.Checkpoint)[-1].size
    house.file.unlink()
    trouble = house.trouble()
    assert (trouble.known, trouble.here.size) == (None, size)
    with pytest.raises(UserError, match="What was signed last is not known"):
        house.recover()
    house.file.write_bytes(b"nonsense\n")
    with pytest.raises(Malformed):
        SignedTreeRecord(FileRecord(house.file)).read()
    assert house.trouble() is not None
    with house.server.work() as work:
        recovery.record_intact(work)
    assert house.trouble() is None
    assert rotates(house) == []
    with house.server.work() as work, pytest.raises(UserError, match="nothing to do"):
        recovery.record_intact(work)


def test_what_another_worker_signs_meanwhile_is_no_restore(house):
    """Who looks at an older moment of the database finds newer trees in the file; they are in the database by then."""
    house.orders("north", 1, "MOVE Ant TO s2")
    with house.server.reading() as before:
        size = log_health.stored_tree(before).size
        house.tick()
        house.sent()
        assert read_record(house).tree.size > size == log_health.stored_tree(before).size
        assert log_health.trouble(before) is None
    assert house.trouble() is None


def test_a_tree_that_somebody_names(house):
    known = lost_a_turn(house).tree
    house.restore(file=True)
    with pytest.raises(UserError, match="as far as is known"):
        house.recover()
    assert house.recover(known)[0] == known
    house.tick()
    assert house.wrong(ANN) == {"recovery": NOT_CHECKED}


def test_a_database_that_is_whole_is_not_said_to_be_a_backup(house):
    lost_a_turn(house)
    house.restore()
    with house.server.work() as work, pytest.raises(UserError, match="without --intact"):
        recovery.record_intact(work)


def test_a_crash_before_the_file_is_written_is_no_restore(house):
    """What was signed and has not left nobody can have seen."""
    before = house.file.read_bytes()
    house.orders("north", 1, "MOVE Ant TO s2")
    after = house.file.read_bytes()
    house.file.write_bytes(before)
    assert house.trouble() is None
    assert house.file.read_bytes() == after != before


def test_put_back_twice_the_second_time_to_before_the_first(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    house.backup()
    house.tick()
    house.restore()
    house.recover()
    house.tick()
    house.restore()
    assert house.trouble().known.origin == f"{NAME}/2"
    house.recover()
    assert [leaf("log").partition("+")[0] for leaf in rotates(house)] == [f"{NAME}/3"]
    house.tick()
    for who in (ANN, BOB):
        assert house.wrong(who) == {"recovery": NOT_CHECKED}


def test_letters_that_only_wait_are_not_looked_for_in_circles(house, monkeypatch):
    """One that is not left out from the first waits all the same, and holds up nobody."""
    lost_a_turn(house)
    house.restore()
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n")
    monkeypatch.setattr(attachment, "PROVABLE", ())
    kept = {who: len(letters) for who, letters in house.kept.items()}
    house.sent()
    house.write("south", "STATUS\n")
    house.sent()
    assert {who: len(house.kept[who]) - kept[who] for who in (ANN, BOB)} == {ANN: 0, BOB: 1}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes files for others")
def test_a_file_written_by_root_is_the_servers_own(tmp_path):
    os.chown(tmp_path, 4711, 4712)
    SignedTreeRecord(FileRecord(tmp_path / "log.signed")).begin(Checkpoint(NAME, 5, b"n" * 32))
    owners = {path.name: (path.stat().st_uid, path.stat().st_gid) for path in tmp_path.iterdir()}
    assert owners == dict.fromkeys(("log.signed", "log.signed.lock"), (4711, 4712))


def test_what_is_remembered_goes_on_only_from_what_it_was_held_against(tmp_path):
    """Two that look at once: one of them writes, the other has to look again, and never goes back."""
    file = SignedTreeRecord(FileRecord(tmp_path / "log.signed"))
    older, newer, shown = (Checkpoint(NAME, size, b"n" * 32) for size in (3, 5, 9))
    assert file.keep(older, None)
    before = file.read()
    assert before == RecordedTrees(older)
    file.add(shown)
    assert not file.keep(newer, before)
    assert not file.keep(newer, None)
    assert file.read() == RecordedTrees(older, (shown,))
    assert file.keep(newer, file.read())
    assert file.read() == RecordedTrees(newer, (shown,))
