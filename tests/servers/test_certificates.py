"""A running server before wrong certificates: it says what is wrong, sends nothing in the clear, and goes on trying."""

from __future__ import annotations

import pytest

from tests.harness.processes import ServerFolder
from tests.servers.conftest import JUDGE, USERS, need_real_servers
from tests.servers.real import RealMail, until
from tests.servers.test_tls import Overheard

pytestmark = pytest.mark.full

NOTHING = "Nothing was sent"
WRONG = {
    "expired": (
        f"certificate has expired. {NOTHING}. Whoever runs the server has to renew it",
        "renew its certificate",
    ),
    # OpenSSL 3.6 has more to say of the first.
    "early": (f" {NOTHING}. Look at the clock of this machine", "set the clock"),
    "other": (f"is not valid for '127.0.0.1'. {NOTHING}. Name the host that it was made for", "name the host that"),
    "own": (f"self-signed certificate. {NOTHING}. If the server has an authority", "the server's own authority as"),
}


def test_each_wrong_certificate_is_named_with_the_way_out_until_a_good_one_is_shown(tmp_path, authority):
    """The way in is by TLS from the first byte, the way out by STARTTLS."""
    need_real_servers()
    kinds = {
        "expired": authority.another("expired", days=(-2, -1)),
        "early": authority.another("early", days=(2, 3)),
        "other": authority.another("other", names="DNS:mail.other.test"),
        "own": authority.nobodys("own"),
    }
    with (
        RealMail(USERS, authority) as mail,
        Overheard(mail.imaps_port) as imap,
        Overheard(mail.smtp_port) as smtp,
        ServerFolder(tmp_path, mail) as office,
    ):
        office.play()
        trusted = f'ca = "{authority.root}"'
        office.settle(
            {
                "imap": f'port = {imap.port}\nsecurity = "tls"\n{trusted}',
                "smtp": f'port = {smtp.port}\nsecurity = "starttls"\n{trusted}',
            }
        )
        for kind, (words, todo) in WRONG.items():
            mail.show(kinds[kind])
            office.fine("seat", "rotate", "ceuta-1", "spain")
            office.log.unlink(missing_ok=True)
            running = office.serve()
            office.hears("poll failed")
            office.hears("letter tried")
            for event, key in (("poll failed", "why"), ("letter tried", "reply")):
                assert all(words in line[key] for line in office.lines(event)), (kind, office.lines(event))
            code, looked = office.command("doctor")
            assert code == 1
            assert (looked.count(todo), looked.count("is not to be trusted")) == (2, 2), looked
            if kind != "own":
                assert running.stop() == 0
        for way in (imap, smtp):
            assert not any(word in way.said.upper() for word in (b"LOGIN", b"AUTH", b"MAIL FROM"))
        assert mail.letters_in(JUDGE) == ()
        mail.show(authority)
        office.hears("mailbox connected")
        mail.deliver(JUDGE, b"From: stranger@else.test\r\nTo: judge@war.test\r\n\r\nHELLO\r\n", "stranger@else.test")
        assert until(lambda: len(mail.letters_in(JUDGE, "Processed")) == 1), office.said()
        assert running.stop() == 0
