"""The mailbox and the way out, as the mail layer wants them: addresses, certificates, passwords or tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any

from pbem.cli.exit_codes import Stop
from pbem.mail.authentication import SIGNATURES
from pbem.mail.imap import ImapSettings
from pbem.mail.oauth import Provider, Tokens
from pbem.mail.smtp import SmtpSettings
from pbem.mail.trust import trusting

if TYPE_CHECKING:
    from ssl import SSLContext

    from pbem.cli.settings import Imap, Mailing, Smtp
    from pbem.mail.authentication import Txt


def imap_settings(read: Mailing) -> ImapSettings:
    """The mailbox as the mail layer wants it."""
    part = read.imap
    return ImapSettings(
        **_reached(read, part),
        folder=part.inbox,
        processed=part.processed,
        poison=part.poison,
        timeout=part.timeout,
    )


def smtp_settings(read: Mailing) -> SmtpSettings:
    """The way out as the mail layer wants it."""
    return SmtpSettings(**_reached(read, read.smtp))


def _reached(read: Mailing, part: Imap | Smtp) -> dict[str, Any]:
    """How a server is reached, and the way in."""
    return {
        "host": part.host,
        "port": part.port,
        "security": part.security,
        "user": part.user,
        "password": part.password.get_secret_value(),
        "tls": _context(part),
        "token": tokens(read),
    }


PATIENCE = 3.0
"""Seconds that all keys for one letter may take to come out of the DNS: letters behind it wait as long."""

IN_A_MINUTE = 12.0
"""Seconds within a minute after which no key is waited for: whoever owns a name can have its servers say nothing."""


@cache
def tokens(read: Mailing) -> Tokens | None:
    """Where access tokens come from, the same for both servers; None if they ask for passwords. Stop if it is wrong."""
    part = read.oauth
    if not part.endpoint:
        return None
    try:
        provider = Provider(
            url=part.endpoint,
            client_id=part.client_id,
            client_secret=part.client_secret.get_secret_value(),
            refresh_token=part.refresh_token.get_secret_value(),
        )
    except ValueError as wrong:
        raise Stop(f"oauth.endpoint: {wrong}") from None
    return Tokens(provider)


def _context(part: Imap | Smtp) -> SSLContext | None:
    """What checks the server's certificate; None is the library's own, against the system's store."""
    if part.ca is None or part.security == "none":
        return None
    try:
        return trusting(part.ca)
    except OSError as wrong:
        raise Stop(f"{part.ca} holds no certificate of an authority: {wrong}") from None


def look_up(now: Callable[[], float] = monotonic) -> Txt:
    """What looks TXT records up in the DNS; Stop if the libraries for that are not there.

    A letter may have it asked for each signature that is looked at, and all of them have `PATIENCE` seconds. When
    silent name servers have been waited for as long as `IN_A_MINUTE` says, none is asked until that is a minute ago.
    """
    # An extra, which may not be installed.
    try:
        import dkim  # noqa: F401
        from dns.exception import DNSException
        from dns.resolver import Resolver

    except ImportError:
        raise Stop('imap.dkim needs two more libraries: install "pbem[dkim]", or set it to false') from None
    resolver = Resolver()
    resolver.lifetime = PATIENCE / SIGNATURES
    waited: deque[tuple[float, float]] = deque()

    def txt(name: str) -> str | None:
        begun = now()
        while waited and waited[0][0] <= begun - 60:
            waited.popleft()
        if sum(seconds for _, seconds in waited) >= IN_A_MINUTE:
            return None
        try:
            found = resolver.resolve(name, "TXT")
        except (DNSException, ValueError, OSError):
            return None
        finally:
            waited.append((now(), now() - begun))
        return next((b"".join(record.strings).decode("utf-8", "replace") for record in found), None)

    return txt
