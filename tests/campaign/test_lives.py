"""A letter that ends the server: it ends two lives, and in the third it is set aside unread while others are answered.

The deadly letter ends its process by os._exit where it is read, as the kernel does with one that takes all memory.
"""

import os

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from pbem.mail import inbound
from pbem.server import intake, mailbox_poller
from pbem.store import hot_statements, tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.mailbox import FolderMailbox
from tests.harness.moderated_game import MO, ModeratedGame
from tests.harness.server import open_server

KILLED = 9


def poll(folder, deadly=b"", at_point=lambda point: None):
    """One life: poll once; reading the body of what holds `deadly` words ends it. Its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            read = inbound.read_body

            def reading(raw, *args, **more):
                if deadly and deadly in raw:
                    os._exit(KILLED)
                return read(raw, *args, **more)

            setattr(inbound, "read_body", reading)  # noqa: B010
            server = open_server(folder)
            mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"), at_point).step()
            server.engine.dispose()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def rows(folder, table):
    server = open_server(folder)
    with server.session() as session:
        rows_found = list(session.exec(select(table)).all())
    server.engine.dispose()
    return rows_found


@pytest.fixture
def folder(tmp_path):
    """A good letter, a deadly one and another good one lie in the mailbox."""
    house = PlayedGame(tmp_path)
    box = FolderMailbox(tmp_path / "mail")
    north, south = house.addresses["north"], house.addresses["south"]
    box.put(mail(BOB, south, "STATUS", Message_ID="<1@x.example>"))
    box.put(mail(ANN, north, "DEADLY", Message_ID="<2@x.example>"))
    box.put(mail(BOB, south, "STATUS", Message_ID="<3@x.example>"))
    house.server.engine.dispose()
    return tmp_path


def test_a_letter_that_ended_two_lives_is_set_aside_unread_in_the_third(folder):
    assert [poll(folder, b"DEADLY") for _ in range(4)] == [KILLED, KILLED, 0, 0]
    box = FolderMailbox(folder / "mail")
    assert (box.uids("INBOX"), box.uids("Processed"), box.uids("Poison")) == ([], [1, 3], [2])
    assert [(row.uid, row.verdict, row.outcome) for row in rows(folder, tables.Inbox)] == [
        (1, "seat", "status"),
        (2, "fault", "unread"),
        (3, "seat", "status"),
    ]
    queued = [(row.recipient, row.kind) for row in rows(folder, tables.Outbox) if row.state == "queued"]
    assert queued == [(BOB, "status"), (ANN, "fault"), ("op@games.example", "fault"), (BOB, "status")]
    texts = [text_of(row) for row in rows(folder, tables.Outbox) if row.kind == "fault"]
    assert "It was set aside unread and nothing was changed" in texts[0]
    assert "ended this server twice was set aside unread (inbox row 2)" in texts[1]


def test_the_same_letter_come_again_is_not_read_and_its_author_is_told_so_once(folder):
    for _ in range(3):
        poll(folder, b"DEADLY")
    box = FolderMailbox(folder / "mail")
    for outcome in ("unread", "silent", "silent"):
        box.put((box.root / "Poison" / "2.eml").read_bytes())
        assert poll(folder, b"DEADLY") == 0
        assert [row.outcome for row in rows(folder, tables.Inbox)][-1] == outcome
    faults = [row for row in rows(folder, tables.Outbox) if row.kind == "fault"]
    assert [row.recipient for row in faults] == [ANN, "op@games.example", ANN]
    assert "came again, unchanged, and was not read this time either" in text_of(faults[-1])
    box.put((box.root / "Poison" / "2.eml").read_bytes().replace(b"DEADLY", b"STATUS"))
    assert poll(folder, b"DEADLY") == 0
    assert rows(folder, tables.Inbox)[-1].outcome == "status"


def test_a_copy_that_ends_two_lives_leaves_the_letter_answered_as_it_was(folder):
    assert poll(folder) == 0
    box, before = FolderMailbox(folder / "mail"), len(rows(folder, tables.Outbox))
    box.put((box.root / "Processed" / "2.eml").read_bytes())

    def ends(point):
        if point == "taken":
            os._exit(KILLED)

    assert [poll(folder, at_point=ends) for _ in range(2)] == [KILLED, KILLED]
    assert poll(folder) == 0
    copy = rows(folder, tables.Inbox)[-1]
    assert (copy.verdict, copy.outcome, copy.copy_of) == ("copy", "silent", 2)
    assert (box.uids("INBOX"), box.uids("Processed"), box.uids("Poison")) == ([], [1, 2, 3, 4], [])
    assert [row.recipient for row in rows(folder, tables.Outbox)[before:]] == ["op@games.example"]


def test_a_life_that_ends_elsewhere_is_no_fault_of_the_letter_before(folder):
    def ends(point):
        if point == "polled":
            os._exit(KILLED)

    for _ in range(4):
        assert poll(folder, at_point=ends) == KILLED
    assert poll(folder) == 0
    assert {row.verdict for row in rows(folder, tables.Inbox)} == {"seat"}


def test_a_letter_of_which_not_even_the_header_can_be_read_is_put_aside_by_its_place(folder):
    head = b"<2@x.example>"
    server = open_server(folder)
    with server.session() as session:
        session.add(tables.Begun(account="pbem@mail.example", folder="INBOX", uidvalidity=7, uid=2, lives=3))
    server.engine.dispose()
    box = FolderMailbox(folder / "mail")
    (box.root / "INBOX" / "1.eml").unlink()
    assert poll(folder, head) == 0
    assert (box.uids("INBOX"), box.uids("Processed"), box.uids("Poison")) == ([], [3], [2])
    texts = [text_of(row) for row in rows(folder, tables.Outbox) if row.recipient == "op@games.example"]
    assert len(texts) == 1
    assert "begun 3 times and never ended: INBOX 7 2" in texts[0]


def test_a_database_that_is_away_ends_no_life(folder, monkeypatch):
    server = open_server(folder)
    polling = mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"))
    take, left = intake.take_letter, iter(range(5))

    def away(work, received, *args):
        if received.uid == 2 and next(left, None) is not None:
            raise OperationalError("begin", None, ValueError("locked"))
        return take(work, received, *args)

    monkeypatch.setattr(intake, "take_letter", away)
    for _ in range(6):
        polling.step()
    server.engine.dispose()
    assert [(row.uid, row.verdict) for row in rows(folder, tables.Inbox)] == [(1, "seat"), (2, "seat"), (3, "seat")]


def test_a_stranger_whose_letter_ends_the_server_is_not_written_to(tmp_path):
    house = PlayedGame(tmp_path)
    FolderMailbox(tmp_path / "mail").put(mail("eve@elsewhere.example", "pbem@games.example", "DEADLY"))
    house.server.engine.dispose()
    assert [poll(tmp_path, b"DEADLY") for _ in range(3)] == [KILLED, KILLED, 0]
    assert [row.recipient for row in rows(tmp_path, tables.Outbox) if row.kind == "fault"] == ["op@games.example"]


def test_a_moderator_is_told(tmp_path):
    house = ModeratedGame(tmp_path)
    FolderMailbox(tmp_path / "mail").put(mail(MO, house.moderator, "DEADLY"))
    house.server.engine.dispose()
    assert [poll(tmp_path, b"DEADLY") for _ in range(3)] == [KILLED, KILLED, 0]
    recipients = [row.recipient for row in rows(tmp_path, tables.Outbox) if row.kind == "fault"]
    assert recipients == [MO, "op@games.example"]


def test_a_letter_that_lies_where_another_lay_is_counted_all_the_same(folder):
    """The mail store was put back from a backup: the deadly letter has the number of one that was taken."""
    assert poll(folder) == 0
    box = FolderMailbox(folder / "mail")
    (box.root / "Processed" / "2.eml").unlink()
    (box.root / "INBOX" / "2.eml").write_bytes(mail(ANN, "pbem@games.example", "DEADLY other"))
    assert [poll(folder, b"DEADLY") for _ in range(4)] == [KILLED, KILLED, 0, 0]
    assert (box.uids("INBOX"), box.uids("Poison")) == ([], [2])


def test_an_innocent_letter_does_not_answer_for_the_one_that_lay_in_its_place(folder):
    assert [poll(folder, b"DEADLY") for _ in range(2)] == [KILLED, KILLED]
    box = FolderMailbox(folder / "mail")
    raw = (box.root / "INBOX" / "2.eml").read_bytes().replace(b"DEADLY", b"STATUS").replace(b"<2@", b"<4@")
    (box.root / "INBOX" / "2.eml").write_bytes(raw)
    assert poll(folder, b"DEADLY") == 0
    assert [(row.uid, row.verdict) for row in rows(folder, tables.Inbox)] == [(1, "seat"), (2, "seat"), (3, "seat")]


class Ends:
    """Ends the process when a point is reached for the given time."""

    def __init__(self, point, time=1):
        self.point, self.left = point, time

    def __call__(self, point):
        self.left -= point == self.point
        if self.left == 0:
            os._exit(KILLED)


def interrupted_at(point):
    """What stops a poll at a point, in this process."""

    def stop(reached):
        if reached == point:
            raise KeyboardInterrupt

    return stop


def begun(folder):
    """The letters that are begun and not taken, and how often."""
    return {row.uid: row.lives for row in rows(folder, tables.Begun)}


@pytest.mark.parametrize(
    ("point", "time", "left"),
    [
        ("connected", 1, {}),
        ("fetched", 1, {}),
        ("taken", 1, {1: 1}),
        ("committed", 1, {2: 1}),
        ("taken", 2, {2: 1}),
        ("committed", 2, {3: 1}),
        ("taken", 3, {3: 1}),
        ("committed", 3, {}),
        ("polled", 1, {}),
        ("moved", 1, {}),
    ],
)
def test_the_letter_that_was_taken_is_begun_no_more_and_the_next_one_is(folder, point, time, left):
    assert poll(folder, at_point=Ends(point, time)) == KILLED
    assert begun(folder) == left
    assert poll(folder) == 0
    assert begun(folder) == {}
    assert {row.verdict for row in rows(folder, tables.Inbox)} == {"seat"}


def test_however_often_a_server_is_killed_between_two_letters_the_second_is_charged_once(folder):
    for _ in range(4):
        assert poll(folder, at_point=Ends("committed")) == KILLED
        assert begun(folder) == {2: 1}
    assert poll(folder) == 0
    assert {row.verdict for row in rows(folder, tables.Inbox)} == {"seat"}


def test_only_the_first_letter_of_a_batch_is_begun_in_a_transaction_of_its_own(folder, monkeypatch):
    noted = []
    begin = mailbox_poller.PoisonLetterGuard.begin

    def counted(own, letter):
        noted.append(letter.uid)
        begin(own, letter)

    monkeypatch.setattr(mailbox_poller.PoisonLetterGuard, "begin", counted)
    server = open_server(folder)
    assert mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail")).step().taken == 3
    server.engine.dispose()
    assert noted == [1]


def test_every_letter_is_noted_and_that_is_committed_before_anything_of_it_is_read(folder, monkeypatch):
    seen = []

    def looking(server, letter):
        with server.session() as session:
            seen.append({row.uid: row.lives for row in session.exec(select(tables.Begun))})
        return letter

    monkeypatch.setattr(mailbox_poller, "add_evidence", looking)
    server = open_server(folder)
    assert mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail")).step().taken == 3
    server.engine.dispose()
    assert seen == [{1: 1}, {2: 1}, {3: 1}]


def test_a_letter_behind_one_that_our_own_code_fails_on_is_noted_all_the_same(folder, monkeypatch):
    take = intake.take_letter

    def failing(work, received, *args):
        if received.uid == 1:
            raise ZeroDivisionError
        return take(work, received, *args)

    monkeypatch.setattr(intake, "take_letter", failing)
    server = open_server(folder)
    with pytest.raises(KeyboardInterrupt):
        mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"), interrupted_at("committed")).step()
    server.engine.dispose()
    assert begun(folder) == {2: 1}


def test_a_letter_behind_one_of_which_not_even_a_row_can_be_made_is_noted_by_itself(folder, monkeypatch):
    take = intake.take_letter

    def failing(work, received, *args):
        if received.uid == 1:
            raise ZeroDivisionError
        assert {row.uid for row in work.session.exec(select(tables.Begun))} == {1, received.uid}
        return take(work, received, *args)

    def worse(*args):
        raise ZeroDivisionError

    monkeypatch.setattr(intake, "take_letter", failing)
    monkeypatch.setattr(intake, "set_letter_aside", worse)
    server = open_server(folder)
    assert mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail")).step().taken == 3
    server.engine.dispose()
    assert [row.uid for row in rows(folder, tables.Inbox)] == [2, 3]


def test_what_a_transaction_noted_that_was_not_committed_counts_for_nothing(folder, monkeypatch):
    """The database goes away as the first letter is committed: the second is begun by nobody."""
    server = open_server(folder)
    polling = mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"))
    end, left = hot_statements.delete_begun, iter([True])

    def away(session, place):
        end(session, place)
        if next(left, False):
            event.listen(session, "before_commit", weather)

    def weather(session):
        raise OperationalError("commit", None, ValueError("away"))

    monkeypatch.setattr(hot_statements, "delete_begun", away)
    assert polling.step().taken == 0
    assert begun(folder) == {1: 1}
    assert polling.step().taken == 3
    server.engine.dispose()
    assert (begun(folder), FolderMailbox(folder / "mail").uids("Processed")) == ({}, [1, 2, 3])


def test_a_letter_that_was_noted_by_the_one_before_and_met_a_database_away_is_counted_once(folder, monkeypatch):
    take, left = intake.take_letter, iter(range(5))

    def away(work, received, *args):
        if received.uid == 2 and next(left, None) is not None:
            raise OperationalError("begin", None, ValueError("locked"))
        return take(work, received, *args)

    monkeypatch.setattr(intake, "take_letter", away)
    server = open_server(folder)
    polling = mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"))
    for _ in range(5):
        polling.step()
        assert begun(folder) == {2: 1}
    server.engine.dispose()


def test_a_server_that_is_told_to_stop_begins_no_other_letter(folder):
    """What is stopped in a flood is killed for its slowness, and the letter that it is at would answer for that."""
    server = open_server(folder)
    going = iter([True, False])
    polling = mailbox_poller.PollOptions(going=lambda: next(going, False))
    assert mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"), polling=polling).step().taken == 1
    server.engine.dispose()
    box = FolderMailbox(folder / "mail")
    assert (box.uids("INBOX"), box.uids("Processed")) == ([2, 3], [1])
    assert (rows(folder, tables.Poll), rows(folder, tables.Begun)) == ([], [])
    assert poll(folder) == 0
    assert box.uids("INBOX") == []


def stopped_at(folder, wanted):
    """A life that is told to stop at the first such point; how many letters it takes."""
    server = open_server(folder)
    going = [True]

    def stop(point):
        if point == wanted:
            going[0] = False

    polling = mailbox_poller.PollOptions(going=lambda: going[0])
    taken = mailbox_poller.MailboxPoller(server, FolderMailbox(folder / "mail"), stop, polling).step().taken
    server.engine.dispose()
    return taken


def test_a_stop_while_a_letter_is_taken_begins_and_charges_no_other(folder):
    """It comes after the first letter was begun, and before the transaction that takes it is over."""
    assert stopped_at(folder, "taken") == 1
    assert begun(folder) == {}


def test_a_stop_after_the_next_letter_is_noted_waits_for_that_letter_and_charges_it_with_nothing(folder):
    assert stopped_at(folder, "committed") == 2
    box = FolderMailbox(folder / "mail")
    assert (box.uids("INBOX"), box.uids("Processed"), begun(folder)) == ([3], [1, 2], {})
