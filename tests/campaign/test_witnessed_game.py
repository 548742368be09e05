"""A whole game over a mail server, with a beacon and a witness: every phase has grade A, and proves it."""

import asyncio
import hashlib

import pytest

from pbem.audit.bundle import parse
from pbem.cli.main import main
from pbem.cli.witness_cosigner import open_witness_home, watch_server
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.mail.smtp import SmtpSettings, send_all
from pbem.play import beacons
from pbem.play.commands.table import founding
from pbem.server.mailbox_poller import MailboxPoller
from pbem.server.outbox_sender import send_due_letters
from pbem.server.scheduler import run_due_jobs
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.audit import standalone
from tests.audit.checked import QUICK, items, verify
from tests.campaign.test_beacons import TERMS
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail

SERVER, FRIEND = "pbem@games.example", "ana@friends.test"
SENDERS = {"north": ANN, "south": BOB}


def value(chain, number):
    """What this beacon says in a round."""
    return hashlib.sha384(f"{chain.hash} {number}".encode()).digest()


def check(chain, number, signature):
    return signature == value(chain, number)


def believed(public, message, signature):
    """Whether a beacon of the tests has signed a round: nobody else could tell."""
    return len(signature) == 48


class Played(PlayedGame):
    """A game whose letters go by SMTP and are fetched by IMAP, each of the three programs with its own mailbox."""

    def __init__(self, folder):
        super().__init__(folder, started=False, terms=TERMS, undo_minutes=0, grace_hours=24 * 40)
        self.post = EmbeddedMail({who: "x" for who in (SERVER, FRIEND, ANN, BOB)}, clock=self.clock.now)
        for seat, who in SENDERS.items():
            self.invite(seat, who)
        with self.server.work() as work:
            founding.start_game(work, "g1")

    def open(self):
        host, port = self.post.host, self.post.imap_port
        own = ImapSettings(host=host, port=port, security="none", user=SERVER, password="x")
        self.mailbox = ImapMailbox(own)
        self.pump = MailboxPoller(self.server, self.mailbox)
        self.smtp = SmtpSettings(host=host, port=self.post.smtp_port, security="none")
        self.friend = self.folder / "friend" / "witness.toml"
        with pytest.raises(SystemExit, match="0"):
            main(["witness", "init", str(self.friend.parent), "--address", FRIEND, "--server", SERVER])
        text = self.friend.read_text("utf-8").replace('security = "tls"', 'security = "none"')
        text = text.replace("imap.example.net", host).replace("smtp.example.net", host)
        text = text.replace("port = 993", f"port = {port}").replace("port = 465", f"port = {self.post.smtp_port}")
        # The server lets letters in without a login, and knows none.
        before, smtp, after = text.replace('password = ""', 'password = "x"').partition("[smtp]")
        self.friend.write_text(before + smtp + after.replace(f'user = "{FRIEND}"', 'user = ""'), "utf-8")

    def turn(self):
        """The server looks into its mailbox, does what is due, and sends what there is."""
        assert self.pump.step().retry_in is None
        run_due_jobs(self.server)
        asyncio.run(
            send_due_letters(self.server, lambda letters, on_reply: send_all(self.smtp, letters, on_reply=on_reply))
        )

    def letter(self, seat, text):
        who, to = SENDERS[seat], self.addresses[seat]
        self.post.deliver(to, mail(who, to, text, Date=self.clock.now()), who)
        self.turn()

    def watch(self):
        """The friend's program looks once, and the server gets what it sent."""
        assert watch_server(self.friend, once=True, clock=self.clock) == 0
        self.turn()

    def phase(self, seat, turn, *lines):
        self.clock.forward(days=1)
        self.letter(seat, "\n".join([f"ORDERS T{turn}", *lines, "END", ""]))
        self.clock.forward(minutes=1)
        self.watch()
        self.clock.forward(seconds=TERMS.delta)
        beacons.fetch_rounds(self.server, value, check)
        self.turn()

    def end(self):
        self.mailbox.close()
        self.server.engine.dispose()


@pytest.mark.full
def test_from_the_first_letter_to_the_last(tmp_path):
    house = Played(tmp_path)
    with house.post:
        house.open()
        house.turn()
        house.letter("south", f"SET WITNESS {FRIEND}\n")
        house.clock.forward(minutes=5)
        house.watch()
        for turn, north, south in ((1, "Ant TO s2", "Dog TO s7"), (2, "Bee TO s3", "Cat TO s4")):
            house.phase("north", turn, f"MOVE {north}")
            house.phase("south", turn, f"MOVE {south}")
        assert house.game().state == "over"
        letters = {who: house.post.letters_in(who) for who in (ANN, BOB, FRIEND)}
        left = house.post.letters_in(SERVER)
    assert left == ()
    assert len(letters[FRIEND]) == 5
    key = open_witness_home(house.friend).key
    for who in (ANN, BOB):
        items_shown = [item for index, raw in enumerate(letters[who]) for item in items(f"{who}{index}", raw)]
        assert [parse(item.data).grade for item in items_shown if b"\nletter report\n" in item.data] == ["A"] * 3
        # The letter that says that the game is over opens it, and carries what witnesses say of the last phase.
        last = parse(items_shown[-1].data)
        assert last.letter == "disclosure"
        assert last.witnessed
        for pinned, wanted in (((key,), {}), ((), {"timing": NOT_CHECKED})):
            # The labels of a toy's rules nobody knows; and this beacon is no public one, which bare Python finds out.
            wanted = {"labels": NOT_CHECKED, **wanted}
            verdict = verify(items_shown, witnesses=pinned, by=QUICK._replace(beacon=believed))
            assert {line.check: line.status for line in verdict.lines if line.status != OK} == wanted
            assert [phase.worth.grade for phase in verdict.phases] == ["A" if pinned else "C"] * 4
            plain = {
                name: status for name, status in standalone.statuses(items_shown, None, pinned).items() if status != OK
            }
            assert plain == {"beacon": FALSE, **wanted}
    house.end()
