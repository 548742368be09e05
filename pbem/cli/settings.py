"""The settings of a server: `pbem.toml`, and environment variables such as ``PBEM_IMAP__PASSWORD`` above it.

A setting nobody knows is an error now rather than a surprise later: every part forbids what it does not name.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, parse_key
from pbem.cli.setting_files import Misconfigured, read_settings
from pbem.cli.web import check_address as check_url
from pbem.engine.data.languages import SHIPPED
from pbem.mail.address import check_address


def _bare_address(address: str) -> str:
    if "+" in check_address(address):
        raise ValueError("the part behind a + is the server's to fill")
    return address


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as wrong:
        raise ValueError(f"no time zone is called {name!r}; one is Europe/Madrid") from wrong
    return name


def _witness_key(text: str) -> str:
    try:
        if parse_key(text).kind != COSIGNATURE:
            raise Malformed("it is of another kind")
    except Malformed as wrong:
        raise ValueError(f"not the key of a witness: {wrong}") from None
    return text


def _database(url: str) -> str:
    """The address of a database of a kind that the tables are made for."""
    if url and not re.fullmatch(r"sqlite:///(?!:memory:)[^?]+|postgresql(\+psycopg)?://.+", url):
        raise ValueError("a database is sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
    return url


Security = Literal["tls", "starttls", "none"]
Port = Annotated[int, Field(ge=1, le=65535)]


class Section(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


S = TypeVar("S", bound=Section)


class Server(Section):
    """Who the server is and where its things lie."""

    address: Annotated[str, AfterValidator(_bare_address)]
    operator: Annotated[str, AfterValidator(check_address)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})?$")] = "en"
    letters_an_hour: Annotated[int, Field(ge=1, le=1_000_000)] = 30
    data: Path = Path("data")
    keys: Path = Path("pbem.key")
    log_key: Path = Path("log.key")
    dice_key: Path = Path("dice.key")
    former: tuple[Annotated[str, AfterValidator(_bare_address)], ...] = ()
    log: Annotated[str, Field(pattern=r"^([^\s+/]+/[^\s+/]+)?$")] = ""

    @property
    def signed(self) -> Path:
        """The file beside the log's key that remembers what was signed last."""
        return self.log_key.with_suffix(".signed")

    @property
    def claim(self) -> Path:
        """The file of the server's claims on its mailbox, in no backup."""
        return self.data / "mailbox.claim"

    @property
    def origin(self) -> str:
        """What the log is called: by the address that the server had when it was begun."""
        return self.log or f"{self.domain}/{self.local}"

    @property
    def local(self) -> str:
        """The part of the address before the @."""
        return self.address.rpartition("@")[0]

    @property
    def domain(self) -> str:
        """The part of the address behind the @."""
        return self.address.rpartition("@")[2]


class Database(Section):
    """Where the tables are; empty means an SQLite file in the data folder."""

    url: Annotated[str, AfterValidator(_database)] = ""


class Imap(Section):
    """The mailbox letters arrive in; `ca` is a file with the one authority that is believed, None: the system's."""

    host: str
    port: Port = 993
    security: Security = "tls"
    user: str
    password: SecretStr = SecretStr("")
    ca: Path | None = None
    inbox: str = "INBOX"
    processed: str = "Processed"
    poison: str = "Poison"
    poll: Annotated[float, Field(gt=0, le=3600)] = 60
    timeout: Annotated[float, Field(ge=1, le=600)] = 30
    authserv_id: str = ""
    dkim: bool = False


class Smtp(Section):
    """The server letters are sent through; `ca` as of the mailbox."""

    host: str
    port: Port = 465
    security: Security = "tls"
    user: str = ""
    password: SecretStr = SecretStr("")
    ca: Path | None = None


class Oauth(Section):
    """Who gives access tokens in place of both passwords; nobody if `endpoint` is empty."""

    endpoint: str = ""
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")
    refresh_token: SecretStr = SecretStr("")


class Games(Section):
    """The pace of new games, minutes to `spread` deadlines over, a folder with scenarios and charts of one's own."""

    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    weekdays: Annotated[tuple[Annotated[int, Field(ge=0, le=6)], ...], Field(min_length=1)] = (0, 1, 2, 3, 4, 5, 6)
    hour: Annotated[int, Field(ge=0, le=23)] = 20
    grace: Annotated[int, Field(ge=0, le=24 * 60)] = 24
    undo: Annotated[int, Field(ge=0, le=7 * 24 * 60)] = 30
    spread: Annotated[int, Field(ge=0, le=60)] = 0
    folder: Path | None = None

    @field_validator("folder")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class Wording(Section):
    """Folders, if they are named, with `templates` of letters and with languages (`locale`) that come before ours."""

    templates: Path | None = None
    locale: Path | None = None

    @field_validator("templates", "locale")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class Beacon(Section):
    """The relays, addresses of HTTP, that rounds of the public beacon are asked of, in order.

    `default` is what new games wait for if relays are named, `delta` the seconds from their closing to the round. A
    round that has not come so many hours after its moment is `late`, and told of.
    """

    relays: tuple[Annotated[str, Field(pattern=r"^https?://\S+$")], ...] = ()
    default: Literal["none", "quicknet"] = "quicknet"
    delta: Annotated[int, Field(ge=0, le=86_400)] = 600
    late: Annotated[int, Field(ge=1, le=168)] = 2


class Clock(Section):
    """Where the time comes from."""

    source: Annotated[str, Field(pattern=r"^(system|file:.+)$")] = "system"


class AskedByHttp(Section):
    """Witnesses who are asked by HTTP (C2SP tlog-witness): their addresses, and the key of each, in the same order."""

    urls: tuple[Annotated[str, AfterValidator(check_url)], ...] = ()
    keys: tuple[Annotated[str, AfterValidator(_witness_key)], ...] = ()

    @model_validator(mode="after")
    def _each_has_a_key(self) -> Self:
        if len(self.urls) != len(self.keys) or len(set(self.keys)) != len(self.keys):
            raise ValueError("witness.urls and witness.keys go together: a key for each address, in the same order")
        return self


class Log(Section):
    """How the log is written."""

    format: Literal["console", "json"] = "console"


class ServerLog(Log):
    """How the log is written, and the folder, if one is named, in which the signed log is kept as `tiles` for all.

    `signed` is another database that remembers what was signed last; empty: the file beside the log's key.
    """

    tiles: Path | None = None
    signed: Annotated[str, AfterValidator(_database)] = ""

    @field_validator("tiles")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class Open(Section):
    """Who may have a game against a bot by letter: nobody, those whose mail proves its sender, or anybody."""

    play: Literal["off", "authenticated", "any"] = "off"


class Keep(Section):
    """For how many days is kept what letters said of games that are over, and what was drawn; 0: for good."""

    letters: Annotated[int, Field(ge=0, le=36_500)] = 0
    pictures: Annotated[int, Field(ge=0, le=36_500)] = 0


class SitePages(Section):
    """The folder, if one is named, in which games are shown that their players let be shown; its address on the web."""

    folder: Path | None = None
    address: Annotated[str, Field(pattern=r"^(https?://[!-~]+)?$")] = ""
    title: Annotated[str, Field(max_length=80)] = ""

    @field_validator("folder")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class Metrics(Section):
    """The port on the loopback address that the server's numbers are read from; 0: none."""

    port: Annotated[int, Field(ge=0, le=65535)] = 0


class Alerting(Section):
    """The program, with its first arguments, that is told of what needs a person; nobody if it is empty."""

    command: tuple[Annotated[str, Field(min_length=1)], ...] = ()


class Mailing(BaseSettings):
    """What every program of ours is told that has a mailbox and sends letters."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, env_nested_delimiter="__")

    imap: Imap
    smtp: Smtp
    oauth: Oauth = Oauth()
    log: Log = Log()

    @model_validator(mode="after")
    def _plain_passwords_stay_at_home(self) -> Self:
        for name, part in _mail(self):
            if part.security == "none" and part.user and part.host not in {"localhost", "127.0.0.1", "::1"}:
                raise ValueError(f"{name}.security is none: the password would cross the network in the clear")
        return self

    @field_validator("imap", "smtp")
    @classmethod
    def _no_file_is_none(cls, part: Imap | Smtp) -> Imap | Smtp:
        return part.model_copy(update={"ca": None}) if part.ca == Path() else part

    @model_validator(mode="after")
    def _a_provider_is_named_in_full(self) -> Self:
        if self.oauth.endpoint:
            lacking = [name for name, value in self.oauth if not value and name != "client_secret"]
            if lacking:
                raise ValueError(f"oauth.{lacking[0]} is empty: without it there are no tokens")
        return self


class LetterLimits(RootModel[dict[str, Annotated[float, Field(gt=0)]]]):
    """What one letter may cost, by the names of the limits (`runtime.limits`); those left out are as there."""

    model_config = ConfigDict(frozen=True)

    def __hash__(self) -> int:
        """Settings are remembered by what they say."""
        return hash(tuple(sorted(self.root.items())))


class Settings(Mailing):
    """Everything a server is told; paths are absolute once `load` has read them."""

    model_config = SettingsConfigDict(env_prefix="PBEM_")

    server: Server
    log: ServerLog = ServerLog()
    database: Database = Database()
    games: Games = Games()
    letters: Wording = Wording()
    beacon: Beacon = Beacon()
    witness: AskedByHttp = AskedByHttp()
    clock: Clock = Clock()
    keep: Keep = Keep()
    site: SitePages = SitePages()
    open: Open = Open()
    metrics: Metrics = Metrics()
    alerts: Alerting = Alerting()
    limits: LetterLimits = LetterLimits({})

    @model_validator(mode="after")
    def _language_is_spoken(self) -> Self:
        if self.server.language not in SHIPPED and self.letters.locale is None:
            raise ValueError("server.language is en or es, or a language of the folder that letters.locale names")
        return self


def load(path: Path) -> Settings:
    """Read the settings; Misconfigured names every setting that is wrong, or the way to a first file."""
    return _seen_from(read_settings(Settings, path, "pbem init"), path.resolve().parent)


def _seen_from(read: Settings, folder: Path) -> Settings:
    """The same settings with every path absolute, relative ones seen from `folder`."""
    server = read.server.model_copy(
        update={name: folder / getattr(read.server, name) for name in ("data", "keys", "log_key", "dice_key")},
    )
    url = _url_from(folder, read.database.url) or f"sqlite:///{server.data / 'pbem.sqlite3'}"
    source = read.clock.source
    if source.startswith("file:"):
        source = f"file:{folder / source.removeprefix('file:')}"
    return read.model_copy(
        update={
            "server": server,
            "database": Database(url=url),
            "clock": Clock(source=source),
            "games": _placed(read.games, folder, "folder"),
            "letters": _placed(read.letters, folder, "templates", "locale"),
            "log": _placed(read.log, folder, "tiles").model_copy(update={"signed": _url_from(folder, read.log.signed)}),
            "site": _placed(read.site, folder, "folder"),
            **authorities(read, folder),
        }
    )


def _placed(part: S, folder: Path, *names: str) -> S:
    """A table with the folders that it names seen from `folder`."""
    named = {name: getattr(part, name) for name in names}
    return part.model_copy(update={name: folder / place if place else None for name, place in named.items()})


def _url_from(folder: Path, url: str) -> str:
    """The address of a database; a file of SQLite is seen from `folder`."""
    return f"sqlite:///{folder / url.removeprefix('sqlite:///')}" if url.startswith("sqlite:///") else url


def authorities(read: Mailing, folder: Path) -> dict[str, Imap | Smtp]:
    """The parts that name a file with an authority, which is seen from `folder`."""
    return {name: part.model_copy(update={"ca": folder / part.ca}) for name, part in _mail(read) if part.ca}


def _mail(read: Mailing) -> tuple[tuple[str, Imap | Smtp], ...]:
    return ("imap", read.imap), ("smtp", read.smtp)


# Where the time comes from: the machine, or a file for those who try things out.


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
