"""A mailbox full of letters: what is awaited comes first, a batch at a time, and nothing is held that need not be."""

from datetime import timedelta

import pytest

from pbem.mail.address import OwnAddresses
from pbem.mail.imap import NotMoved, WaitingLetter
from pbem.server import mailbox_poller
from pbem.server.mailbox_poller import Backlog, MailboxPoller, PollOptions
from pbem.store import tables
from tests.harness.clock import START
from tests.harness.game import ANN
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox
from tests.harness.server import changed

OWN = OwnAddresses("pbem", "games.example")
SEAT = b"To: pbem+g1-north-abcdefghijklmnop@games.example\r\n"
ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"


class FullBox(FolderMailbox):
    """A mailbox that notes how much was asked of it at once."""

    def __init__(self, root):
        super().__init__(root)
        self.asked, self.refuses, self.old = [], "", 0

    def fetch(self, letters):
        self.asked.append(len(letters))
        return super().fetch(letters)

    def look(self, uids):
        mails = super().look(uids)
        return [
            letter._replace(internaldate=START - timedelta(days=30)) if letter.uid <= self.old else letter
            for letter in mails
        ]

    def move(self, uids, folder):
        if self.refuses:
            raise NotMoved(self.refuses)
        super().move(uids, folder)


@pytest.fixture
def box(tmp_path, monkeypatch):
    monkeypatch.setattr(mailbox_poller, "BATCH_LETTERS", 10)
    monkeypatch.setattr("pbem.server.mailbox_poller.BATCH_LETTERS", 10)
    return FullBox(tmp_path / "mail")


def newsletters(box, count):
    for number in range(count):
        box.put(mail("news@shop.example", "pbem@games.example", "Buy!", Precedence="bulk", X_Number=str(number)))


def waits(uid, to=b"", days=0, size=1000):
    return WaitingLetter(uid, size, START - timedelta(days=days), to)


def uids(waiting):
    return [letter.uid for letter in waiting.batch()]


def test_a_few_letters_are_taken_as_they_came():
    some = Backlog(OWN)
    some.add([waits(1, days=9), waits(2, SEAT), waits(3), waits(4, SEAT, days=9)], START - timedelta(days=2))
    assert uids(some) == [1, 2, 3, 4]


def test_of_many_those_to_seats_come_first_and_what_is_old_last():
    many = Backlog(OWN)
    many.add([waits(uid, SEAT if uid % 10 == 0 else b"", days=9 * (uid <= 150)) for uid in range(1, 301)], START)
    taken = []
    while batch := uids(many):
        taken += batch
        many.remove(batch)
        if len(taken) == 100:
            many.add([waits(400, SEAT), waits(401)], START)
    seats, others = list(range(160, 301, 10)), [uid for uid in range(151, 301) if uid % 10]
    assert taken[:100] == seats + others[:85]
    assert taken[100] == 400
    assert taken[101 : 101 + len(others) - 85 + 1] == [*others[85:], 401]
    # The last hundred are few, and come as they lie there.
    assert sorted(taken) == [*range(1, 301), 400, 401]


def test_a_batch_holds_no_more_than_its_octets():
    big = Backlog(OWN)
    big.add([waits(uid, size=900_000) for uid in range(1, 21)], START)
    assert uids(big) == [1, 2, 3, 4]


def test_of_letters_that_wait_it_is_not_kept_whom_they_are_for():
    """A hundred thousand of them wait now and then, and each may name as many as it likes."""
    backlog = Backlog(OWN)
    backlog.add([waits(uid, to=b"To: x@y.example\r\n" * 50_000) for uid in range(1, 9)], START)
    assert [letter.recipients for letter in backlog.batch()] == [b""] * 8


def test_a_poll_is_whole_when_all_that_may_be_waited_for_is_in():
    many = Backlog(OWN)
    many.add([waits(uid, days=9 * (uid <= 150)) for uid in range(1, 251)], START)
    many.note_look(START, 250)
    assert many.whole() is None
    many.remove(uids(many))
    # A hundred letters of those days are in, and the old ones keep nobody waiting.
    assert many.whole() == START
    assert many.whole() is None
    assert len(many) == 150


def test_a_backlog_is_fetched_taken_and_moved_in_batches(house, box):
    newsletters(box, 35)
    pump = MailboxPoller(house.server, box)
    left = []
    while True:
        assert pump.step().retry_in is None
        left.append((pump.waiting, len(box.uids("INBOX"))))
        if not pump.waiting:
            break
    assert left == [(25, 25), (15, 15), (5, 5), (0, 0)]
    assert max(box.asked) == 10
    assert len(house.all(tables.Poll)) == 1


def test_a_new_letter_does_not_wait_behind_hundreds_of_old_ones(house, box):
    newsletters(box, 200)
    box.old = 200
    pump = MailboxPoller(house.server, box)
    pump.step()
    assert pump.waiting == 190
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    pump.step()
    assert [row.kind for row in house.sent()] == ["receipt"]
    # What lay there before is nobody's letter in time: the deadlines need not wait for it.
    assert [row.begun for row in house.all(tables.Poll)] == [house.clock.now()]


def test_letters_of_players_in_a_full_mailbox_are_found_at_the_start(house, box):
    newsletters(box, 60)
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    newsletters(box, 60)
    MailboxPoller(house.server, box).step()
    assert [row.kind for row in house.sent()] == ["receipt"]


def test_it_shows_signs_of_life_between_letters(house, box):
    newsletters(box, 3)
    alive = []
    MailboxPoller(
        house.server, box, polling=PollOptions(alive=lambda: alive.append(len(house.all(tables.Inbox))))
    ).step()
    assert alive == [1, 2, 3]


def test_a_mailbox_that_will_not_move_letters_holds_no_others_up(house, box):
    """The mailbox is full: what is taken stays where it lies, is taken once, and is moved when there is room."""
    newsletters(box, 15)
    box.refuses = "[OVERQUOTA] Quota exceeded"
    pump = MailboxPoller(house.server, box)
    assert [tuple(pump.step()) for _ in range(2)] == [(10, None), (5, None)]
    box.put(mail(ANN, house.addresses["north"], ORDERS))
    assert tuple(pump.step()) == (1, None)
    assert [row.kind for row in house.sent()] == ["receipt"]
    assert (pump.unmoved_count, pump.refused) == (16, "[OVERQUOTA] Quota exceeded")
    assert tuple(pump.step()) == (0, None)
    assert sum(box.asked) == 16
    box.refuses = ""
    pump.step()
    assert (pump.unmoved_count, box.uids("INBOX")) == (0, [])
    assert len(box.uids("Processed")) == 16


def test_the_line_breaks_in_the_middle_of_a_backlog(house, box):
    newsletters(box, 25)
    pump = MailboxPoller(house.server, box)
    pump.step()
    box.down = True
    assert pump.step().retry_in == 1
    box.down = False
    pump.step()
    while pump.waiting:
        pump.step()
    assert len(box.uids("Processed")) == 25
    assert [row.copy_of for row in house.all(tables.Inbox)] == [None] * 25


def test_a_letter_to_an_address_from_before_a_move_is_found_and_taken_first(house, box):
    """Players go on writing where they wrote: their letters are no strangers' letters."""
    moved = changed(house.server, former=("judge@old.example",))
    newsletters(box, 30)
    before = house.addresses["north"].replace("pbem+", "judge+").replace("@games.example", "@old.example")
    uid = box.put(mail(ANN, before, ORDERS))
    MailboxPoller(moved, box).step()
    assert uid in box.uids("Processed")
    assert [(row.recipient, row.kind) for row in house.sent()] == [(ANN, "receipt")]
