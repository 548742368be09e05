"""Prepare the settings of mailbox and outgoing server for the mail layer.

They are addresses, certificates, passwords or tokens.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any

from pbem.cli.exit_codes import CommandError
from pbem.mail.authentication import MOST_SIGNATURES
from pbem.mail.imap import ImapSettings
from pbem.mail.oauth import AccessTokens, TokenProvider
from pbem.mail.smtp import SmtpSettings
from pbem.mail.trust import tls_context

if TYPE_CHECKING:
    from ssl import SSLContext

    from pbem.cli.settings import ImapSection, MailSettings, SmtpSection
    from pbem.mail.authentication import Txt


def imap_settings(settings: MailSettings) -> ImapSettings:
    """Return the mailbox settings for the mail layer."""
    part = settings.imap
    return ImapSettings(
        **_connection_fields(settings, part),
        folder=part.inbox,
        processed=part.processed,
        poison=part.poison,
        timeout=part.timeout,
    )


def smtp_settings(settings: MailSettings) -> SmtpSettings:
    """Return the settings of the outgoing server for the mail layer."""
    return SmtpSettings(**_connection_fields(settings, settings.smtp))


def _connection_fields(settings: MailSettings, part: ImapSection | SmtpSection) -> dict[str, Any]:
    """Return a server's address and credentials.

    Raise CommandError if only the service has the password.
    """
    if part.password_file is not None:
        raise CommandError(
            f"{part.password_file} is a credential that systemd hands to the service alone. Commands that use the "
            "mailbox are run with it by systemd-run (docs/settings.md, Credentials), or where CREDENTIALS_DIRECTORY "
            "names a folder with a copy"
        )
    return {
        "host": part.host,
        "port": part.port,
        "security": part.security,
        "user": part.user,
        "password": part.password.get_secret_value(),
        "tls": _tls_context(part),
        "token": access_tokens(settings),
    }


KEY_SECONDS = 3.0
"""Seconds that the DNS look-ups of all keys for one letter may take: letters after it wait as long. A choice: a
DNS that works answers within one."""

KEY_SECONDS_A_MINUTE = 12.0
"""Seconds of waiting within a minute after which no key is looked up: the owner of a name could let its servers say
nothing."""


@cache
def access_tokens(settings: MailSettings) -> AccessTokens | None:
    """Return the source of access tokens, the same for both servers, or None.

    None if the servers want passwords. Raise CommandError if the settings are wrong.
    """
    part = settings.oauth
    if not part.endpoint:
        return None
    try:
        provider = TokenProvider(
            url=part.endpoint,
            client_id=part.client_id,
            client_secret=part.client_secret.get_secret_value(),
            refresh_token=part.refresh_token.get_secret_value(),
        )
    except ValueError as wrong:
        raise CommandError(f"oauth.endpoint: {wrong}") from None
    return AccessTokens(provider)


def _tls_context(part: ImapSection | SmtpSection) -> SSLContext | None:
    """Return the TLS context for the server's certificate; None means the default."""
    if part.ca is None or part.security == "none":
        return None
    try:
        return tls_context(part.ca)
    except OSError as wrong:
        raise CommandError(f"{part.ca} holds no certificate of an authority: {wrong}") from None


def make_txt_lookup(now: Callable[[], float] = monotonic) -> Txt:
    """Return a function that looks up TXT records in the DNS.

    Raise CommandError if the libraries for that are missing. It is called for each checked signature of a letter,
    and all calls for a letter have `KEY_SECONDS` seconds. After waiting `KEY_SECONDS_A_MINUTE` for silent name
    servers, none is asked until a minute has passed.
    """
    # An extra, which may not be installed.
    try:
        import dkim  # noqa: F401
        from dns.exception import DNSException
        from dns.resolver import Resolver

    except ImportError:
        raise CommandError('imap.dkim needs two more libraries: install "pbem[dkim]", or set it to false') from None
    resolver = Resolver()
    resolver.lifetime = KEY_SECONDS / MOST_SIGNATURES
    waited: deque[tuple[float, float]] = deque()

    def txt(name: str) -> str | None:
        started = now()
        while waited and waited[0][0] <= started - 60:
            waited.popleft()
        if sum(seconds for _, seconds in waited) >= KEY_SECONDS_A_MINUTE:
            return None
        try:
            records = resolver.resolve(name, "TXT")
        except (DNSException, ValueError, OSError):
            # The name is from the letter and may be none at all. Without a key its signature proves nothing.
            return None
        finally:
            waited.append((now(), now() - started))
        return next((b"".join(record.strings).decode("utf-8", "replace") for record in records), None)

    return txt
