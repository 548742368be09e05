"""A mailbox is one server's: its claim is a folder, and no crash, cut or restore makes a server refuse its own."""

import json

import pytest

from pbem.mail.imap import ImapSettings, MailboxDown
from pbem.server.mailbox_lock import REMEMBERED_LOCKS, MailboxLock, MailboxTaken
from pbem.store.durable import UnwritableFile


class Folders:
    """The folders of a mailbox; what changes them is refused, or cut off after so many commands."""

    def __init__(self, **settings):
        self.settings = ImapSettings(host="mail.example", port=993, user="pbem", **settings)
        self.there = {"INBOX", "Processed", "Poison", "pbem-server-notes"}
        self.refuses: tuple[bool, ...] = ()
        self.left = 1000

    def folders(self):
        self._cut()
        return set(self.there)

    def full_name(self, folder):
        return folder

    def put_folder(self, folder, *, there):
        self._cut()
        if there in self.refuses:
            return False
        (self.there.add if there else self.there.discard)(folder)
        return True

    def claims(self):
        return sorted(name for name in self.there if "pbem-server-" in name and name != "pbem-server-notes")

    def _cut(self):
        self.left -= 1
        if self.left < 0:
            raise MailboxDown("cut")


@pytest.fixture
def box():
    return Folders()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "mailbox.claim"


def test_each_life_has_a_claim_of_its_own_and_leaves_one(box, file):
    first = MailboxLock(file, box)
    assert not first.is_held
    first.hold()
    first.hold()
    assert first.is_held
    (before,) = box.claims()
    MailboxLock(file, box).hold()
    (after,) = box.claims()
    assert after != before
    assert file.stat().st_mode & 0o777 == 0o600


def test_another_server_is_refused_and_the_first_goes_on(box, file, tmp_path):
    first, other = MailboxLock(file, box), MailboxLock(tmp_path / "other", box)
    first.hold()
    (claim,) = box.claims()
    with pytest.raises(MailboxTaken, match=rf"the folder {claim} there.*pbem mail claim"):
        other.hold()
    assert other.others() == [claim]
    first.hold()
    assert box.claims() == [claim]
    assert not (tmp_path / "other").exists()


def test_who_takes_it_over_has_it_and_the_other_one_is_told_and_stays_out(box, file, tmp_path):
    first, other = MailboxLock(file, box), MailboxLock(tmp_path / "other", box)
    first.hold()
    assert other.take_over() == [*first_claims(file)]
    assert other.take_over() == []
    MailboxLock(tmp_path / "other", box).hold()
    for lock in (first, MailboxLock(file, box)):
        with pytest.raises(MailboxTaken):
            lock.hold()
    assert first.is_held


def first_claims(file):
    return json.loads(file.read_text())


@pytest.mark.parametrize("left", range(12))
def test_a_line_that_is_cut_anywhere_locks_nobody_out(box, file, tmp_path, left):
    MailboxLock(file, box).hold()
    box.left = left
    life = MailboxLock(file, box)
    try:
        life.hold()
    except MailboxDown:
        box.left = 1000
        life.hold()
    box.left = 1000
    MailboxLock(file, box).hold()
    assert len(box.claims()) == 1
    with pytest.raises(MailboxTaken):
        MailboxLock(tmp_path / "other", box).hold()


def test_of_two_that_begin_at_once_none_goes_on_and_the_next_try_decides(box, file, tmp_path):
    other = MailboxLock(tmp_path / "other", box)
    put = box.put_folder

    def at_once(folder, *, there):
        box.put_folder = put
        done = put(folder, there=there)
        with pytest.raises(MailboxTaken):
            other.hold()
        box.there.add("pbem-server-" + folder.split("-")[2] + "-b-0123456789ab")
        return done

    box.put_folder = at_once
    with pytest.raises(MailboxTaken):
        MailboxLock(file, box).hold()
    box.there.discard(*(name for name in box.claims() if name.endswith("-b-0123456789ab")))
    assert box.claims() == []
    MailboxLock(file, box).hold()


def test_a_claim_that_somebody_removed_is_made_again(box, file):
    claim = MailboxLock(file, box)
    claim.hold()
    (folder,) = box.claims()
    box.there.discard(folder)
    claim.hold()
    assert box.claims() == [folder]


def test_a_mailbox_put_back_from_a_backup_is_still_its_servers(box, file):
    MailboxLock(file, box).hold()
    before = set(box.there)
    for _ in range(3):
        claim = MailboxLock(file, box)
        claim.hold()
    box.there = before
    claim.hold()
    MailboxLock(file, box).hold()
    assert len(box.claims()) == 1


def test_a_mail_server_that_makes_or_removes_no_folders_stops_nobody(box, file):
    box.refuses = (True,)
    claim = MailboxLock(file, box)
    claim.hold()
    claim.hold()
    assert box.claims() == []
    box.refuses = (False,)
    for _ in range(3):
        MailboxLock(file, box).hold()
    assert len(box.claims()) == 3
    box.refuses = ()
    MailboxLock(file, box).hold()
    assert len(box.claims()) == 1


def test_a_disk_that_is_full_is_waited_for_and_a_file_that_is_spoilt_is_none(box, file, tmp_path):
    with pytest.raises(UnwritableFile):
        MailboxLock(tmp_path / "gone" / "mailbox.claim", box).hold()
    assert box.claims() == []
    claim = MailboxLock(file, box)
    claim.hold()
    for spoilt in ("{", '{"a": 1}', "[1]", ""):
        file.write_text(spoilt)
        claim.hold()
        with pytest.raises(MailboxTaken):
            MailboxLock(file, box).hold()


def test_no_more_is_kept_than_needed(box, file):
    for _ in range(REMEMBERED_LOCKS + 5):
        MailboxLock(file, box).hold()
    assert len(first_claims(file)) == REMEMBERED_LOCKS


@pytest.mark.parametrize(
    ("processed", "beside"), [("Processed", ""), ("INBOX.Processed", "INBOX."), ("INBOX/Done/Old", "INBOX/Done/")]
)
def test_a_claim_lies_beside_what_is_done(file, tmp_path, processed, beside):
    box = Folders(processed=processed)
    MailboxLock(file, box).hold()
    (claim,) = box.claims()
    assert claim.startswith(f"{beside}pbem-server-")
    other = Folders(processed="Elsewhere")
    other.there = box.there
    with pytest.raises(MailboxTaken):
        MailboxLock(tmp_path / "other", other).hold()


def test_servers_that_read_different_folders_of_an_account_do_not_meet(box, file, tmp_path):
    MailboxLock(file, box).hold()
    other = Folders(folder="Post")
    other.there = box.there
    MailboxLock(tmp_path / "other", other).hold()
    assert len(box.claims()) == 2
