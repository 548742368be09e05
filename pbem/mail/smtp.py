"""Send letters as bytes to one SMTP server, over one connection (RFC 5321).

The reply to each letter says whether it is sent, to be tried again, or refused permanently, and by whose
fault; `next_try` returns when to try again.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, NamedTuple

import aiosmtplib
from aiosmtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from pbem.mail.address import check_address
from pbem.mail.oauth import AccessTokens
from pbem.mail.trust import certificate_error

Security = Literal["none", "starttls", "tls"]
Verdict = Literal["sent", "again", "failed"]
Stage = Literal["connection", "sender", "recipient", "data"]

SMTP_POINTS = ("greeted", "handed")
"""The points of `on_step` in `send_all`: a connection is open; a letter was sent, with any result."""

_MINUTES = (1, 5, 15, 60, 120, 240, 480, *(720,) * 8, 519)
"""Waits between tries, in minutes; together five days (RFC 5321, 4.5.4.1, asks for four or five at least). Long before,
the alert `queue` tells the operator. A server that has taken a letter keeps to its own times."""
GIVE_UP_AFTER = timedelta(minutes=sum(_MINUTES))
"""How old a letter is when it is given up."""
_FAILURES = (SMTPException, OSError, asyncio.IncompleteReadError, ValueError)
"""The library's errors for a failed or broken connection."""
_NOT_OURS = frozenset({421, 530, 534, 535, 538, 454})
"""Codes about the connection or its login, not about the letter (RFC 5321; RFC 4954, section 6)."""


@dataclass(frozen=True, kw_only=True)
class SmtpSettings:
    """The server that letters are handed to.

    No login without `user`; `timeout` in seconds is for each command. `hostname` is our name in EHLO; `tls`
    replaces the context that checks certificates against the system's store. With `token` the login is by
    XOAUTH2.
    """

    host: str
    port: int
    security: Security = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    timeout: float = 30.0
    hostname: str = "localhost"
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    token: AccessTokens | None = field(default=None, repr=False)


class Envelope(NamedTuple):
    """A letter to send: envelope sender (empty: null path), one recipient, the bytes."""

    sender: str
    recipient: str
    raw: bytes


class SmtpReply(NamedTuple):
    """The result of sending a letter.

    `code` and `text` are the server's last reply (code 0: there was none, `text` says why); `stage` is the command
    to which it replied. Only a failure at the stage "recipient" shows that the address is bad.
    """

    code: int
    text: str
    verdict: Verdict
    stage: Stage


OnReply = Callable[[SmtpReply], Awaitable[None]]
"""Called with the reply to a letter before the next one is sent."""


def next_try(attempts: int) -> timedelta | None:
    """Return the wait after `attempts` tries (from 1); None after the last."""
    if attempts < 1:
        raise ValueError(f"a wait follows at least one try, got {attempts}")
    return timedelta(minutes=_MINUTES[attempts - 1]) if attempts <= len(_MINUTES) else None


async def ignore_reply(reply: SmtpReply) -> None:
    """Do nothing with a reply: the default of `on_reply`."""


async def send_all(
    settings: SmtpSettings,
    envelopes: Sequence[Envelope],
    on_step: Callable[[str], None] = lambda point: None,
    on_reply: OnReply = ignore_reply,
) -> tuple[SmtpReply, ...]:
    """Hand in the letters, in order, and return a reply for each.

    It never raises because of the server. `on_reply` gets each reply as soon as it is known; errors in it are
    passed on.

    If the connection breaks, it is opened once more for the letters after the one at which it broke; if it breaks
    again, or cannot be opened, the others are to be tried later. The letter at which it broke may have been
    accepted: when it is sent again it has the same Message-ID.
    """
    replies: list[SmtpReply] = []
    for _ in range(2):
        replies_before = len(replies)
        failure = await _send_rest(settings, envelopes, replies, on_step, on_reply)
        if failure is None:
            break
        if len(replies) == replies_before or len(replies) == len(envelopes):
            # If no letter got through, a second connection would fail in the same way.
            break
    while failure is not None and len(replies) < len(envelopes):
        replies.append(failure)
        await on_reply(failure)
    return tuple(replies)


async def probe_server(settings: SmtpSettings) -> SmtpReply:
    """Open a connection, log in and leave; return the greeting, or the failure."""
    client = _client(settings)
    try:
        greeting = await client.connect()
    # No letter was sent yet: the failure is the connection's, or the login's.
    except _FAILURES as error:
        return _connection_failure(error, settings)
    finally:
        await _leave(client)
    return SmtpReply(greeting.code, greeting.message, "sent", "connection")


async def _send_rest(
    settings: SmtpSettings,
    envelopes: Sequence[Envelope],
    replies: list[SmtpReply],
    on_step: Callable[[str], None],
    on_reply: OnReply,
) -> SmtpReply | None:
    """Send letters without reply over one connection; return its failure, or None."""
    if len(replies) == len(envelopes):
        return None
    client = _client(settings)
    try:
        try:
            await client.connect()
        except _FAILURES as error:
            return _connection_failure(error, settings)
        on_step("greeted")
        while len(replies) < len(envelopes):
            reply = await _send(client, envelopes[len(replies)])
            replies.append(reply)
            on_step("handed")
            await on_reply(reply)
            if reply.stage == "connection":
                return reply
    finally:
        await _leave(client)
    return None


def _client(settings: SmtpSettings) -> aiosmtplib.SMTP:
    token = settings.token
    return aiosmtplib.SMTP(
        hostname=settings.host,
        port=settings.port,
        timeout=settings.timeout,
        local_hostname=settings.hostname,
        use_tls=settings.security == "tls",
        start_tls=settings.security == "starttls",
        username=settings.user or None,
        password=settings.password if settings.user and token is None else None,
        oauth_token_generator=None if token is None else lambda: asyncio.to_thread(token),
        tls_context=settings.tls,
    )


async def _send(client: aiosmtplib.SMTP, envelope: Envelope) -> SmtpReply:
    try:
        check_address(envelope.recipient)
        if envelope.sender:
            check_address(envelope.sender)
        _, text = await client.sendmail(envelope.sender, envelope.recipient, envelope.raw)
    # The first three tell at which stage the server refused, the next two that the connection failed; a subclass comes
    # before its parent.
    except SMTPRecipientsRefused as error:
        refusal = error.recipients[0]
        return _classify(refusal.code, refusal.message, "recipient")
    except SMTPSenderRefused as error:
        return _classify(error.code, error.message, "sender")
    except SMTPDataError as error:
        return _classify(error.code, error.message, "data")
    except SMTPResponseException as error:
        return SmtpReply(error.code, error.message, "again", "connection")
    except (SMTPException, OSError, asyncio.IncompleteReadError) as error:
        return _connection_failure(error)
    except ValueError as error:
        # The address is not valid in an envelope: no server will ever take it.
        return SmtpReply(0, str(error), "failed", "recipient")
    return SmtpReply(250, text, "sent", "data")


def _classify(code: int, text: str, stage: Stage) -> SmtpReply:
    if code in _NOT_OURS:
        return SmtpReply(code, text, "again", "connection" if code == 421 else stage)
    return SmtpReply(code, text, "failed" if 500 <= code <= 599 else "again", stage)


def _connection_failure(error: Exception, settings: SmtpSettings | None = None) -> SmtpReply:
    if settings is not None and settings.token is not None and isinstance(error, aiosmtplib.SMTPAuthenticationError):
        # The token may have been revoked: the next try gets a new one.
        settings.token.forget()
    if isinstance(error, SMTPResponseException):
        return SmtpReply(error.code, error.message, "again", "connection")
    reason = certificate_error(error, settings.host) if settings is not None else ""
    return SmtpReply(0, reason or f"{type(error).__name__}: {error}", "again", "connection")


async def _leave(client: aiosmtplib.SMTP) -> None:
    if client.is_connected:
        with suppress(SMTPException, OSError):
            await client.quit()
    client.close()
