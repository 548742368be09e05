"""The daemon's threads: however a letter comes in, one thread makes all transactions."""

import asyncio
import os
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event

from pbem.cli import mail_servers
from pbem.cli.alerts import Heartbeat
from pbem.cli.daemon import Daemon, DaemonSettings, PeriodicJob
from pbem.cli.log_output import open_log
from pbem.mail import authentication
from pbem.mail.imap import ImapSettings
from pbem.mail.smtp import SmtpReply, SmtpSettings
from pbem.server import mailbox_lock, worker
from pbem.store import tables
from tests.campaign.test_breakers import PASS, many
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail
from tests.harness.mailbox import FolderMailbox
from tests.harness.server import changed


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
    yield made
    made.server.engine.dispose()


class OnePoll(FolderMailbox):
    """A mailbox that is read once."""

    def fullness(self):
        return None

    def __init__(self, root, stopping):
        super().__init__(root)
        self.stopping = stopping

    def wait(self, seconds):
        self.stopping.set()

    def close(self):
        self.is_connected = False


class Offline(Daemon):
    """A daemon whose letters leave nowhere."""

    async def send(self, envelopes, report):
        for _ in envelopes:
            await report(SmtpReply(250, "ok", "sent", "data"))


async def test_the_thread_of_the_mailbox_makes_no_transaction(house, tmp_path):
    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    smtp = SmtpSettings(host="mail.example", port=1)
    daemon = Offline(house.server, DaemonSettings(imap, smtp, 1.0), open_log())
    mailbox: Any = OnePoll(tmp_path / "mail", daemon.stopping)
    daemon.mailbox = mailbox
    mailbox.put(mail(ANN, house.addresses["north"], "STATUS"))
    begun: list[str] = []
    event.listen(house.server.engine, "begin", lambda connection: begun.append(threading.current_thread().name))
    await daemon.take_letters()
    await daemon.turn()
    daemon.worker.shutdown()
    assert set(begun) == {"transactions_0"}
    assert mailbox.uids("Processed") == [1]
    assert house.all(tables.Inbox)[-1].outcome == "status"
    assert {row.state for row in house.all(tables.Outbox)} == {"sent"}


@pytest.mark.full
@pytest.mark.parametrize(("games", "at_once"), [(15, 5), pytest.param(60, 20, marks=pytest.mark.full)])
async def test_on_an_evening_of_many_games_the_first_reports_are_out_before_the_last_are_looked_at(
    house, monkeypatch, games, at_once
):
    if at_once != worker._ROWS:
        monkeypatch.setattr(worker, "_ROWS", at_once)
    many(house, games)
    seats = [seat for seat in house.all(tables.Seat) if seat.name == "north"]
    for seat in seats:
        raw = mail(ANN, house.server.seat_address(seat), PASS, Message_ID=f"<{seat.game_id}@players.example>")
        assert house.receive(raw).outcome == "receipt"
    house.sent()
    house.clock.forward(minutes=31)
    house.poll()
    points: list[str] = []
    duties = DaemonSettings(
        ImapSettings(host="mail.example", port=1, user="pbem", password="x"),
        SmtpSettings(host="mail.example", port=1),
        1.0,
        at=points.append,
    )
    daemon = Offline(house.server, duties, open_log())
    await daemon.turn()
    daemon.worker.shutdown()
    steps = [point for point in points if point in ("closed", "recorded")]
    assert steps.count("closed") >= games
    assert "recorded" in steps[: 2 * at_once + 1]
    assert {row.state for row in house.all(tables.Outbox)} == {"sent"}
    assert {row.state for row in house.all(tables.Phase) if row.turn == 1 and row.name == "north"} == {"resolved"}


class Told(Offline):
    """A daemon that is told to stop in the middle of handing letters in."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.handed_in: list[str] = []

    async def send(self, envelopes, report):
        self.handed_in += [envelope.recipient for envelope in envelopes]
        os.kill(os.getpid(), signal.SIGTERM)
        while not self.stopping.is_set():
            await asyncio.sleep(0)
        await super().send(envelopes, report)

    def read_mailbox(self, loop, mailbox):
        self.stopping.wait()


async def test_a_letter_on_its_way_when_the_daemon_is_told_to_stop_is_noted_and_not_sent_again(house):
    house.write("north", "STATUS")
    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    daemon = Told(house.server, DaemonSettings(imap, SmtpSettings(host="mail.example", port=1), 1.0), open_log())
    await daemon.run()
    assert daemon.handed_in == [ANN]
    assert {row.state for row in house.all(tables.Outbox)} == {"sent"}


class Claimed(OnePoll):
    """A mailbox that is read once, and has folders; `others` are the claims of other servers."""

    def __init__(self, root, stopping, others):
        super().__init__(root, stopping)
        self.named = {"INBOX", "Processed", "Poison", *others}

    def folders(self):
        return set(self.named)

    def full_name(self, folder):
        return folder

    def put_folder(self, folder, *, there):
        (self.named.add if there else self.named.discard)(folder)
        return True


@pytest.mark.parametrize("state", ["free", "away", "another's", "another's later"])
async def test_a_server_whose_mailbox_is_anothers_sends_nothing_of_its_queue(house, tmp_path, monkeypatch, state):
    house.write("north", "STATUS")
    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    duties = DaemonSettings(imap, SmtpSettings(host="mail.example", port=1), 1.0, claim=tmp_path / "mailbox.claim")
    daemon = Offline(house.server, duties, open_log())
    other = f"{mailbox_lock._lock_name(imap)[1]}other-0123456789ab"
    mailbox: Any = Claimed(tmp_path / "mail", daemon.stopping, [other] if state == "another's" else [])
    daemon.mailbox = mailbox
    mailbox.down = state == "away"

    def queued():
        return sum(row.state == "queued" for row in house.all(tables.Outbox))

    # The clocks run before the mailbox has been looked into.
    await daemon.turn()
    assert queued() == 1
    if state == "away":
        monkeypatch.setattr(daemon.stopping, "wait", lambda seconds: daemon.stopping.set())
    await daemon.take_letters()
    if state == "another's later":
        mailbox.named.add(other)
        daemon.stopping.clear()
        house.write("north", "STATUS")
        await daemon.take_letters()
    await daemon.turn()
    daemon.worker.shutdown()
    assert queued() == {"free": 0, "away": 0, "another's": 1, "another's later": 2}[state]


async def test_the_dns_is_asked_by_the_thread_of_the_mailbox_twice_a_letter_at_most(house, tmp_path):
    """A stranger's letter with five signatures kept everybody waiting, for as long as his name servers were silent."""
    asked: list[str] = []

    def txt(name):
        asked.append(threading.current_thread().name)

    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    server = changed(house.server, txt=txt)
    daemon = Offline(server, DaemonSettings(imap, SmtpSettings(host="mail.example", port=1), 1.0), open_log())
    mailbox: Any = OnePoll(tmp_path / "mail", daemon.stopping)
    daemon.mailbox = mailbox
    signatures = "".join(
        f"DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=s{number}; h=from; bh=AAAA; b=AAAA\r\n"
        for number in range(5)
    )
    mailbox.put(signatures.encode() + mail("eve@evil.example", "pbem@games.example", "HELP"))
    await daemon.take_letters()
    assert asked == ["mailbox_0"] * 2


def test_all_lookups_for_a_letter_end_within_three_seconds(monkeypatch):
    resolver = SimpleNamespace()
    monkeypatch.setattr("dns.resolver.Resolver", lambda: resolver)
    mail_servers.make_txt_lookup()
    assert resolver.lifetime * authentication.MOST_SIGNATURES == 3


def test_silent_name_servers_keep_nobody_waiting_for_more_than_seconds_of_a_minute(monkeypatch):
    """A hundred letters, each of a name whose servers say nothing: the players' letters stand behind them."""
    from dns.exception import Timeout

    hands, asked = [0.0], list[str]()

    def resolve(name, kind):
        asked.append(name)
        hands[0] += 1.5
        raise Timeout

    monkeypatch.setattr("dns.resolver.Resolver", lambda: SimpleNamespace(resolve=resolve))
    txt = mail_servers.make_txt_lookup(lambda: hands[0])
    assert {txt(f"s._domainkey.d{number}.example") for number in range(200)} == {None}
    assert hands[0] == mail_servers.KEY_SECONDS_A_MINUTE
    hands[0] += 60
    txt("s._domainkey.players.example")
    assert asked[-1] == "s._domainkey.players.example"


async def test_the_heart_beats_between_letters_however_many_go_out(house, tmp_path, monkeypatch):
    """Sending took longer than the health check has patience, and a healthy server was started anew."""
    for _ in range(12):
        house.write("north", "HELP")
    seconds = iter(range(0, 1_000_000, 11))
    beats: list[Heartbeat] = []
    monkeypatch.setattr("pbem.cli.daemon.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr("pbem.cli.daemon.write_heartbeat", lambda path, beat: beats.append(beat))
    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    duties = DaemonSettings(imap, SmtpSettings(host="mail.example", port=1), 1.0, heartbeat=tmp_path / "heartbeat.json")
    daemon = Offline(house.server, duties, open_log())
    await daemon.turn()
    # Every letter is some points, and each point takes its seconds here.
    assert len(beats) >= 12
    mailbox: Any = OnePoll(tmp_path / "mail", daemon.stopping)
    daemon.mailbox = mailbox
    for _ in range(6):
        mailbox.put(mail(ANN, house.addresses["north"], "STATUS"))
    beats.clear()
    await daemon.take_letters()
    assert len(beats) >= 6
    assert {beat.waiting for beat in beats} >= {6}
    assert beats[-1].taken == house.clock.now()


async def test_a_chore_is_done_apart_and_what_goes_wrong_with_it_stops_nothing(house, tmp_path):
    done: list[str] = []

    def wrong(server, goes_on):
        done.append(threading.current_thread().name)
        raise OSError("the disk is full")

    def worse(server, goes_on):
        raise ValueError("a fault of ours")

    imap = ImapSettings(host="mail.example", port=1, user="pbem", password="x")
    daemon = Offline(house.server, DaemonSettings(imap, SmtpSettings(host="mail.example", port=1), 1.0), open_log())
    for do in (wrong, wrong, worse):
        assert "chores" not in await daemon.troubles(tmp_path / "heartbeat.json", house.clock.now())
        await daemon.do_apart(PeriodicJob("trial", 1, do))
    assert "chores" in await daemon.troubles(tmp_path / "heartbeat.json", house.clock.now())
    await daemon.do_apart(PeriodicJob("trial", 1, lambda server, goes_on: None))
    assert "chores" not in await daemon.troubles(tmp_path / "heartbeat.json", house.clock.now())
    daemon.stopping.set()
    await daemon.do_apart(PeriodicJob("trial", 1, wrong))
    daemon.apart.shutdown()
    assert len(done) == 2
    assert {name[:6] for name in done} == {"chores"}
