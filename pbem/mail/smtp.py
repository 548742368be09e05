"""The way out: letters that are already bytes, to one SMTP server, over one connection a drain (RFC 5321).

What comes back says of each letter whether it is sent, to be tried again, or refused for good, and by whose fault;
when to try again is `next_try`.
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
from pbem.mail.oauth import Tokens
from pbem.mail.trust import mistrust

Security = Literal["none", "starttls", "tls"]
Verdict = Literal["sent", "again", "failed"]
Stage = Literal["connection", "sender", "recipient", "data"]

POINTS = ("greeted", "handed")
"""Where `send_all` tells `at` that it is: a connection is open; a letter was handed in, whatever became of it."""

_MINUTES = (1, 5, 15, 60, 120, 240, 480, 720, 720, 519)
"""Waits between tries; together two days, after which a letter is given up (RFC 5321, 4.5.4.1 asks for days)."""
_FAILURES = (SMTPException, OSError, asyncio.IncompleteReadError, ValueError)
"""What the library raises when a connection does not come about or breaks."""
_NOT_OURS = frozenset({421, 530, 534, 535, 538, 454})
"""Codes that speak of the connection or its login, not of the letter (RFC 5321; RFC 4954, section 6)."""


@dataclass(frozen=True, kw_only=True)
class SmtpSettings:
    """Where letters are handed in. No login without `user`; `timeout` in seconds holds for each command.

    `hostname` is our name in EHLO; `tls` replaces the context that checks certificates against the system's store.
    With `token` the login is by XOAUTH2.
    """

    host: str
    port: int
    security: Security = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    timeout: float = 30.0
    hostname: str = "localhost"
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    token: Tokens | None = field(default=None, repr=False)


class Envelope(NamedTuple):
    """A letter on its way: envelope sender (empty: the null path), its one recipient, the bytes."""

    sender: str
    recipient: str
    raw: bytes


class Reply(NamedTuple):
    """What became of a letter.

    `code` and `text` are the server's last words (code 0: there were none, `text` says why); `stage` is where they
    were spoken. Only a failure at the stage "recipient" speaks against the address.
    """

    code: int
    text: str
    verdict: Verdict
    stage: Stage


Told = Callable[[Reply], Awaitable[None]]
"""Hears of the reply to a letter before the next one is handed in."""


def next_try(attempts: int) -> timedelta | None:
    """Return the wait after `attempts` tries (1 or more): 1, 5, 15, 60 minutes, then hours; None after two days."""
    if attempts < 1:
        raise ValueError(f"a wait follows at least one try, got {attempts}")
    return timedelta(minutes=_MINUTES[attempts - 1]) if attempts <= len(_MINUTES) else None


async def nobody(reply: Reply) -> None:
    """Do nothing with a reply: the default of `told`."""


async def send_all(
    settings: SmtpSettings,
    envelopes: Sequence[Envelope],
    at: Callable[[str], None] = lambda point: None,
    told: Told = nobody,
) -> tuple[Reply, ...]:
    """Hand in the letters, in order, and return a reply for each; never raises for what a server does.

    `told` hears each reply as soon as it is known; what it raises passes.

    A connection that breaks is opened once more for the letters that follow the one it broke on; when it breaks again,
    or cannot be opened, the rest is to be tried again. A letter in flight at the break may have been taken: sent again
    it has the same Message-ID.
    """
    replies: list[Reply] = []
    for _ in range(2):
        before = len(replies)
        lost = await _drain(settings, envelopes, replies, at, told)
        if lost is None:
            break
        if len(replies) == before or len(replies) == len(envelopes):
            # Without one letter got through, a second knock would meet the same closed door.
            break
    while lost is not None and len(replies) < len(envelopes):
        replies.append(lost)
        await told(lost)
    return tuple(replies)


async def probe(settings: SmtpSettings) -> Reply:
    """Open a connection, log in and leave; the reply is the server's greeting, or why there is none."""
    client = _client(settings)
    try:
        greeting = await client.connect()
    except _FAILURES as error:
        return _broken(error, settings)
    finally:
        await _leave(client)
    return Reply(greeting.code, greeting.message, "sent", "connection")


async def _drain(
    settings: SmtpSettings,
    envelopes: Sequence[Envelope],
    replies: list[Reply],
    at: Callable[[str], None],
    told: Told,
) -> Reply | None:
    """Send what has no reply yet over one connection; return how the connection broke, None if it did not."""
    if len(replies) == len(envelopes):
        return None
    client = _client(settings)
    try:
        try:
            await client.connect()
        except _FAILURES as error:
            return _broken(error, settings)
        at("greeted")
        while len(replies) < len(envelopes):
            reply = await _send(client, envelopes[len(replies)])
            replies.append(reply)
            at("handed")
            await told(reply)
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


async def _send(client: aiosmtplib.SMTP, envelope: Envelope) -> Reply:
    try:
        check_address(envelope.recipient)
        if envelope.sender:
            check_address(envelope.sender)
        _, text = await client.sendmail(envelope.sender, envelope.recipient, envelope.raw)
    except SMTPRecipientsRefused as error:
        refusal = error.recipients[0]
        return _judged(refusal.code, refusal.message, "recipient")
    except SMTPSenderRefused as error:
        return _judged(error.code, error.message, "sender")
    except SMTPDataError as error:
        return _judged(error.code, error.message, "data")
    except SMTPResponseException as error:
        return Reply(error.code, error.message, "again", "connection")
    except (SMTPException, OSError, asyncio.IncompleteReadError) as error:
        return _broken(error)
    except ValueError as error:
        # An address that cannot stand in an envelope: no server will ever take it.
        return Reply(0, str(error), "failed", "recipient")
    return Reply(250, text, "sent", "data")


def _judged(code: int, text: str, stage: Stage) -> Reply:
    if code in _NOT_OURS:
        return Reply(code, text, "again", "connection" if code == 421 else stage)
    return Reply(code, text, "failed" if 500 <= code <= 599 else "again", stage)


def _broken(error: Exception, settings: SmtpSettings | None = None) -> Reply:
    if settings is not None and settings.token is not None and isinstance(error, aiosmtplib.SMTPAuthenticationError):
        # It may have been called back: the next try is with a new one.
        settings.token.forget()
    if isinstance(error, SMTPResponseException):
        return Reply(error.code, error.message, "again", "connection")
    why = mistrust(error, settings.host) if settings is not None else ""
    return Reply(0, why or f"{type(error).__name__}: {error}", "again", "connection")


async def _leave(client: aiosmtplib.SMTP) -> None:
    if client.is_connected:
        with suppress(SMTPException, OSError):
            await client.quit()
    client.close()
