"""TLS under an authority of the test's own, from the first byte and by STARTTLS; a wrong certificate is refused."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.smtp import Envelope, SmtpReply, SmtpSettings, send_all
from pbem.mail.trust import certificate_error, tls_context
from pbem.server.mailbox_poller import MailboxPoller
from tests.harness.game import PlayedGame
from tests.servers.authority import Authority
from tests.servers.conftest import ANA, JUDGE, USERS, need_real_servers
from tests.servers.faults import Proxy, TlsProxy, pass_on
from tests.servers.real import RealMail, until

pytestmark = pytest.mark.full

LETTER = b"From: ana@players.test\r\nSubject: hi\r\n\r\nSTATUS\r\n"


def imap(port: int, security, context: ssl.SSLContext | None) -> ImapSettings:
    return ImapSettings(
        host="127.0.0.1", port=port, security=security, user=JUDGE, password="secret", timeout=5, tls=context
    )


def send(port: int, security, context: ssl.SSLContext | None) -> SmtpReply:
    settings = SmtpSettings(host="127.0.0.1", port=port, security=security, timeout=5, tls=context)
    (reply,) = asyncio.run(send_all(settings, [Envelope(ANA, JUDGE, LETTER)]))
    return reply


def read(settings: ImapSettings) -> int:
    with closing(ImapMailbox(settings)) as mailbox:
        mailbox.connect()
        return len(mailbox.fetch_new(0))


def refused(settings: ImapSettings) -> str:
    with closing(ImapMailbox(settings)) as mailbox:
        with pytest.raises(MailboxDown) as down:
            mailbox.connect()
        assert not mailbox.is_connected
    return str(down.value)


@pytest.fixture
def ports(real_server):
    """Ports of IMAP and SMTP by kind of security."""
    return {
        "tls": (real_server.imaps_port, real_server.smtps_port),
        "starttls": (real_server.imap_port, real_server.smtp_port),
    }


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_letter_goes_out_and_comes_in_by_tls(real_server, ports, authority, security):
    imap_port, smtp_port = ports[security]
    trusted = tls_context(authority.root)
    assert send(smtp_port, security, trusted).verdict == "sent"
    assert until(lambda: read(imap(imap_port, security, trusted)) == 1)
    # Exim writes down by what it was handed in.
    (raw,) = real_server.letters_in(JUDGE)
    assert b"with esmtps" in raw


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_certificate_of_an_unknown_authority_is_refused_in_plain_words(real_server, ports, security):
    imap_port, smtp_port = ports[security]
    why = refused(imap(imap_port, security, None))
    assert why.startswith("the certificate that 127.0.0.1 shows is not to be trusted: ")
    assert "setting ca" in why
    reply = send(smtp_port, security, None)
    assert (reply.verdict, reply.stage) == ("again", "connection")
    assert reply.text.startswith("the certificate that 127.0.0.1 shows is not to be trusted: ")
    assert real_server.letters_in(JUDGE) == ()


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_certificate_for_another_name_is_refused(tmp_path, security):
    need_real_servers()
    other = Authority.make(tmp_path / "other", names="DNS:mail.other.test")
    with RealMail(USERS, other) as server:
        tls = security == "tls"
        why = refused(imap(server.imaps_port if tls else server.imap_port, security, tls_context(other.root)))
        reply = send(server.smtps_port if tls else server.smtp_port, security, tls_context(other.root))
    assert "127.0.0.1" in why.partition("trusted: ")[2]
    assert reply.text == why


class Overheard(Proxy):
    """A line on which is noted what the client says."""

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.said = b""

    def talk(self, client: socket.socket, server: socket.socket) -> None:
        threading.Thread(target=pass_on, args=(server, client), daemon=True).start()
        while some := client.recv(65_536):
            self.said += some
            server.sendall(some)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_an_expired_certificate_is_an_outage_that_says_so_and_nothing_goes_in_the_clear(tmp_path, security):
    """It is tried again and again, until somebody has mended it; meanwhile no password and no letter leaves."""
    need_real_servers()
    old = Authority.make(tmp_path / "old", days=(-2, -1))
    (tmp_path / "house").mkdir()
    house = PlayedGame(tmp_path / "house")
    with RealMail(USERS, old) as server:
        tls = security == "tls"
        with (
            Overheard(server.imaps_port if tls else server.imap_port) as to_imap,
            Overheard(server.smtps_port if tls else server.smtp_port) as to_smtp,
        ):
            context = tls_context(old.root)
            with closing(ImapMailbox(imap(to_imap.port, security, context))) as mailbox, capture_logs() as logged:
                pump = MailboxPoller(house.server, mailbox)
                assert [pump.step().retry_in for _ in range(3)] == [1, 2, 4]
            reply = send(to_smtp.port, security, context)
        server.deliver(JUDGE, LETTER)
    house.server.engine.dispose()
    words = "the certificate that 127.0.0.1 shows is not to be trusted: certificate has expired"
    assert [line["why"].startswith(words) for line in logged if line["event"] == "poll failed"] == [True] * 3
    assert (reply.verdict, reply.stage, reply.text.startswith(words)) == ("again", "connection", True)
    for transcript in (to_imap.said, to_smtp.said):
        assert b"LOGIN" not in transcript
        assert b"AUTH" not in transcript
        assert b"MAIL FROM" not in transcript.upper()


def test_a_server_without_tls_gets_no_password_and_no_letter():
    """STARTTLS is asked for and not there: nothing goes on in the clear."""
    with EmbeddedMail(USERS) as server:
        assert "STARTTLS" in refused(imap(server.imap_port, "starttls", None)).upper()
        reply = send(server.smtp_port, "starttls", None)
        assert (reply.verdict, reply.stage) == ("again", "connection")
        assert server.letters_in(JUDGE) == ()


def test_tls_in_front_of_our_own_server(authority):
    with EmbeddedMail(USERS) as server:
        server.deliver(JUDGE, LETTER)
        with (
            TlsProxy(server.imap_port, authority.served()) as imaps,
            TlsProxy(server.smtp_port, authority.served()) as s,
        ):
            assert send(s.port, "tls", tls_context(authority.root)).verdict == "sent"
            assert read(imap(imaps.port, "tls", tls_context(authority.root))) == 2
            assert "not to be trusted" in refused(imap(imaps.port, "tls", None))


def test_an_authority_that_is_no_file_or_no_certificate(tmp_path):
    with pytest.raises(FileNotFoundError):
        tls_context(tmp_path / "none.pem")
    (tmp_path / "empty.pem").write_text("nothing\n")
    with pytest.raises(ssl.SSLError):
        tls_context(tmp_path / "empty.pem")


def test_only_certificates_are_mistrusted():
    assert certificate_error(OSError("reset"), "h") == ""
