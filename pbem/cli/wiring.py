"""Wiring: what the settings say, made into the objects that the layers below ask for."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.ends import Stop
from pbem.cli.rulebooks import games, registry
from pbem.cli.settings import Misconfigured, Settings, load, read_key
from pbem.core.game import Game

if TYPE_CHECKING:
    from ssl import SSLContext

    from sqlalchemy import Engine

    from pbem.audit.signing import Secrets
    from pbem.campaign.office import Office
    from pbem.cli.settings import Imap, Mailing, Smtp
    from pbem.mail.authentication import Txt
    from pbem.mail.imap import ImapSettings
    from pbem.mail.oauth import Tokens
    from pbem.mail.smtp import SmtpSettings

__all__ = [
    "FileClock",
    "SystemClock",
    "clock_of",
    "find_game",
    "game_of",
    "game_with_chart",
    "games",
    "imap_settings",
    "look_up",
    "office_over",
    "open_office",
    "registry",
    "settings",
    "smtp_settings",
    "tokens",
]


class SystemClock:
    """The machine's time, in whole seconds."""

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        return datetime.now(UTC).replace(microsecond=0)


class FileClock:
    """The time that a file holds, such as ``2030-01-01T12:00:00Z``, read anew at each question."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now()

    def now(self) -> datetime:
        """The moment, aware, in UTC; Misconfigured if the file does not hold one."""
        try:
            moment = datetime.fromisoformat(self.path.read_text("ascii").strip())
        except (OSError, ValueError) as wrong:
            raise Misconfigured(f"the clock's file {self.path} cannot be read: {wrong}") from None
        if moment.tzinfo is None:
            raise Misconfigured(f"the clock's file {self.path} does not say which zone; end the moment with Z")
        return moment.astimezone(UTC).replace(microsecond=0)


def clock_of(read: Settings) -> SystemClock | FileClock:
    """The clock that the settings name; Misconfigured if its file does not hold a moment."""
    return SystemClock() if read.clock.source == "system" else FileClock(Path(read.clock.source[5:]))


def find_game(name: str) -> Game:
    """Find a game by name; Stop, with those there are, if there is none."""
    try:
        return registry(name)
    except KeyError:
        raise Stop(f"no game is called {name!r}; there are: {', '.join(games())}") from None


def game_of(scenario: str) -> str:
    """Return the game that ships a scenario; Stop, with all there are, if none does or several do."""
    found = [name for name in games() if scenario in registry(name).editions()]
    if len(found) == 1:
        return found[0]
    if found:
        raise Stop(f"{scenario} is a scenario of {' and of '.join(found)}: say which with --game")
    listed = "; ".join(f"{game}: {', '.join(sorted(registry(game).editions()))}" for game in games())
    raise Stop(f"no game has a scenario {scenario!r}; there are: {listed}")


def game_with_chart(name: str) -> str:
    """Return the first game, by name, that has such a chart; Stop, with the charts of all, if none has."""
    found = next((game for game in games() if registry(game).rulebook.chart(name) is not None), "")
    if not found:
        listed = "; ".join(f"{game}: {', '.join(registry(game).rulebook.charts())}" for game in games())
        raise Stop(f"no game has a chart {name!r}; there are: {listed}")
    return found


def settings(path: Path) -> Settings:
    """Read the settings; Stop says what is wrong with them."""
    try:
        return load(path)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None


def open_office(read: Settings) -> Office:
    """Open the database, bring its tables up to date, and put the office together; Stop says what is in the way."""
    from sqlalchemy.exc import ArgumentError, OperationalError

    from pbem.campaign import guard, logbook
    from pbem.store.engine import open_engine
    from pbem.store.migrations import upgrade

    try:
        read.server.data.mkdir(parents=True, exist_ok=True)
        office = office_over(open_engine(read.database.url), read)
        upgrade(office.engine)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"cannot use the data folder {read.server.data}: {wrong.strerror}") from None
    except ArgumentError as wrong:
        raise Stop(f"database.url is not one: {wrong}") from None
    except OperationalError as wrong:
        raise Stop(f"the database does not open: {wrong.orig}") from None
    with office.session() as session:
        if logbook.others(session, office):
            raise Stop(f"{read.server.log_key} or {read.server.dice_key} is not the key that the log was begun with")
    try:
        guard.begin(office)
    except OSError as wrong:
        raise Stop(f"{read.server.signed} cannot be written: {wrong.strerror}") from None
    return office


def office_over(engine: Engine, read: Settings) -> Office:
    """The office over a database that is open; Misconfigured if a key or the clock cannot be read."""
    from pbem.campaign.office import Office
    from pbem.campaign.signed import Signed
    from pbem.mail.inbound import SENTINEL
    from pbem.reports.text import TextLetters

    audit = _secrets(read)
    return Office(
        engine=engine,
        games=registry,
        clock=clock_of(read),
        renderer=TextLetters(SENTINEL),
        key=read_key(read.server.keys),
        local=read.server.local,
        domain=read.server.domain,
        operator=read.server.operator,
        authserv_id=read.imap.authserv_id,
        txt=look_up() if read.imap.dkim else None,
        letters_an_hour=read.server.letters_an_hour,
        late=timedelta(hours=read.beacon.late),
        secrets=audit,
        signed=Signed(read.server.signed) if audit else None,
        owner=f"{platform.node()}:{os.getpid()}",
    )


def _secrets(read: Settings) -> Secrets | None:
    """The keys of log and dice; None where a server has neither. Misconfigured if one is there and not the other."""
    from pbem.audit.signing import secrets_of

    paths = (read.server.log_key, read.server.dice_key)
    if not any(path.exists() for path in paths):
        return None
    log, dice = map(read_key, paths)
    try:
        return secrets_of(f"{read.server.domain}/{read.server.local}", log, dice)
    except ValueError as wrong:
        raise Misconfigured(f"{paths[0]} and {paths[1]}: {wrong}") from None


def look_up() -> Txt:
    """What looks TXT records up in the DNS, within five seconds; Stop if the libraries for that are not there."""
    try:
        import dkim  # noqa: F401
        from dns.exception import DNSException
        from dns.resolver import Resolver
    except ImportError:
        raise Stop('imap.dkim needs two more libraries: install "pbem[dkim]", or set it to false') from None
    resolver = Resolver()
    resolver.lifetime = 5

    def txt(name: str) -> str | None:
        try:
            found = resolver.resolve(name, "TXT")
        except (DNSException, ValueError, OSError):
            return None
        return next((b"".join(record.strings).decode("utf-8", "replace") for record in found), None)

    return txt


def imap_settings(read: Mailing) -> ImapSettings:
    """The mailbox as the mail layer wants it."""
    from pbem.mail.imap import ImapSettings

    part = read.imap
    return ImapSettings(
        host=part.host,
        port=part.port,
        security=part.security,
        user=part.user,
        password=part.password.get_secret_value(),
        folder=part.inbox,
        processed=part.processed,
        poison=part.poison,
        tls=_context(part),
        token=tokens(read),
    )


def smtp_settings(read: Mailing) -> SmtpSettings:
    """The way out as the mail layer wants it."""
    from pbem.mail.smtp import SmtpSettings

    part = read.smtp
    return SmtpSettings(
        host=part.host,
        port=part.port,
        security=part.security,
        user=part.user,
        password=part.password.get_secret_value(),
        tls=_context(part),
        token=tokens(read),
    )


@cache
def tokens(read: Mailing) -> Tokens | None:
    """Where access tokens come from, the same for both servers; None if they ask for passwords. Stop if it is wrong."""
    from pbem.mail.oauth import Provider, Tokens

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
    from pbem.mail.trust import trusting

    if part.ca is None or part.security == "none":
        return None
    try:
        return trusting(part.ca)
    except OSError as wrong:
        raise Stop(f"{part.ca} holds no certificate of an authority: {wrong}") from None
