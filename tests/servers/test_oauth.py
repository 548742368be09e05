"""Logins by XOAUTH2 with tokens of a provider: fetched once, renewed in time, and said when there is none."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from pbem.cli.try_ import free_ports
from pbem.mail.imap import ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.oauth import AccessTokens, NoToken, TokenProvider
from pbem.mail.smtp import Envelope, SmtpReply, SmtpSettings, send_all
from tests.servers.conftest import ANA, JUDGE, USERS, need_real_servers
from tests.servers.provider import FakeProvider
from tests.servers.real import RealMail, until

LETTER = b"From: judge@war.test\r\nSubject: hi\r\n\r\nhello\r\n"


@pytest.fixture
def provider():
    with FakeProvider(JUDGE) as running:
        yield running


def asking(provider: FakeProvider, refresh="refresh-1") -> TokenProvider:
    return TokenProvider(url=f"{provider.url}/token", client_id="pbem", refresh_token=refresh, timeout=5)


def test_a_token_is_fetched_once_and_renewed_a_minute_before_its_end(provider):
    seconds = [100.0]
    tokens = AccessTokens(asking(provider), lambda: seconds[0])
    assert [tokens(), tokens()] == ["access-1", "access-1"]
    assert provider.asked == 1
    provider.token = "access-2"
    seconds[0] += 3600 - 61
    assert tokens() == "access-1"
    seconds[0] += 1
    assert tokens() == "access-2"
    provider.token = "access-3"
    tokens.forget()
    assert tokens() == "access-3"
    assert provider.asked == 3


def test_why_there_is_no_token_is_said(provider):
    with pytest.raises(NoToken, match=r"400 invalid_grant the refresh token was revoked"):
        AccessTokens(asking(provider, refresh="old"))()
    nobody = TokenProvider(url=f"http://127.0.0.1:{free_ports(1)[0]}/token", client_id="x", refresh_token="y")
    with pytest.raises(NoToken, match="refused"):
        AccessTokens(nobody)()


def test_tokens_are_not_fetched_over_an_open_line():
    with pytest.raises(ValueError, match="https"):
        TokenProvider(url="http://provider.example/token", client_id="x", refresh_token="y")
    assert (
        "y"
        not in repr(TokenProvider(url="https://p.example/t", client_id="x", refresh_token="y")).split("client_id")[1][
            5:
        ]
    )


@pytest.fixture
def server(provider):
    need_real_servers()
    with RealMail(USERS, introspection=f"{provider.url}/introspect?token=", bearer="access-1") as running:
        yield running


def settings(server: RealMail, tokens: AccessTokens) -> tuple[ImapSettings, SmtpSettings]:
    way = {"host": server.host, "security": "none", "user": JUDGE, "timeout": 5, "token": tokens}
    return ImapSettings(port=server.imap_port, **way), SmtpSettings(port=server.smtp_port, **way)  # type: ignore[arg-type]


def sent(smtp: SmtpSettings) -> SmtpReply:
    (reply,) = asyncio.run(send_all(smtp, [Envelope(JUDGE, ANA, LETTER)]))
    return reply


@pytest.mark.full
def test_both_servers_let_us_in_by_a_token(server, provider):
    imap, smtp = settings(server, AccessTokens(asking(provider)))
    with closing(ImapMailbox(imap)) as mailbox:
        mailbox.connect()
        assert mailbox.fetch_new(0) == []
    assert sent(smtp).verdict == "sent"
    assert until(lambda: len(server.letters_in(ANA)) == 1)
    assert provider.asked == 1


@pytest.mark.full
def test_a_token_that_is_not_taken_is_fetched_anew_the_next_time(server, provider):
    provider.token = "stale"
    tokens = AccessTokens(asking(provider))
    imap, smtp = settings(server, tokens)
    assert tokens() == "stale"
    provider.token = "access-1"
    with closing(ImapMailbox(imap)) as mailbox:
        with pytest.raises(MailboxDown, match="LoginError"):
            mailbox.connect()
        mailbox.connect()
    assert provider.asked == 2
    assert sent(smtp).verdict == "sent"
    provider.token = "stale"
    tokens.forget()
    reply = sent(smtp)
    assert (reply.code, reply.verdict, reply.stage) == (535, "again", "connection")
    provider.token = "access-1"
    assert sent(smtp).verdict == "sent"


@pytest.mark.full
def test_without_a_token_it_is_an_outage(server, provider):
    imap, smtp = settings(server, AccessTokens(asking(provider, refresh="old")))
    with closing(ImapMailbox(imap)) as mailbox, pytest.raises(MailboxDown, match="invalid_grant"):
        mailbox.connect()
    reply = sent(smtp)
    assert (reply.verdict, reply.stage) == ("again", "connection")
    assert "invalid_grant" in reply.text
