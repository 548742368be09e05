"""Define the settings: `pbem.toml`, and environment variables that override it.

A variable reads ``PBEM_IMAP__PASSWORD``. Every part refuses settings that it does not name, so that an
unknown one is an error at once.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
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
from pbem.cli.setting_files import Misconfigured, credential_path, read_password, read_settings
from pbem.cli.web import check_address as check_url
from pbem.engine.data.languages import SHIPPED_LANGUAGES
from pbem.mail.address import LOOPBACK, check_address


def _check_bare_address(address: str) -> str:
    if "+" in check_address(address):
        raise ValueError("the part behind a + is the server's to fill")
    return address


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as wrong:
        # ZoneInfo raises all three: for an unknown name, for that of a folder such as Europe, and for a path.
        raise ValueError(f"no time zone is called {name!r}; one is Europe/Madrid") from wrong
    return name


def _check_witness_key(text: str) -> str:
    try:
        if parse_key(text).kind != COSIGNATURE:
            raise Malformed("it is of another kind")
    except Malformed as wrong:
        raise ValueError(f"not the key of a witness: {wrong}") from None
    return text


def _check_database_url(url: str) -> str:
    """Check that a database address is of a supported kind."""
    if url and not re.fullmatch(r"sqlite:///(?!:memory:)[^?]+|postgresql(\+psycopg)?://.+", url):
        raise ValueError("a database is sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
    return url


Security = Literal["tls", "starttls", "none"]
Port = Annotated[int, Field(ge=1, le=65535)]


class SettingsSection(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


S = TypeVar("S", bound=SettingsSection)


class ServerSection(SettingsSection):
    """The server's identity and its files."""

    address: Annotated[str, AfterValidator(_check_bare_address)]
    operator: Annotated[str, AfterValidator(check_address)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})?$")] = "en"
    # Letters read of one seat, moderator, entrant or director. A choice: nobody has written so many in an hour by hand.
    letters_an_hour: Annotated[int, Field(ge=1, le=1_000_000)] = 30
    data: Path = Path("data")
    keys: Path = Path("pbem.key")
    log_key: Path = Path("log.key")
    dice_key: Path = Path("dice.key")
    former: tuple[Annotated[str, AfterValidator(_check_bare_address)], ...] = ()
    log: Annotated[str, Field(pattern=r"^([^\s+/]+/[^\s+/]+)?$")] = ""

    @property
    def signature_file(self) -> Path:
        """Return the file beside the log's key with the last signature."""
        return self.log_key.with_suffix(".signed")

    @property
    def claim_file(self) -> Path:
        """Return the file of the server's claims on its mailbox, in no backup."""
        return self.data / "mailbox.claim"

    @property
    def origin(self) -> str:
        """Return the log's name, from the server's address when the log was begun."""
        return self.log or f"{self.domain}/{self.local}"

    @property
    def local(self) -> str:
        """Return the part of the address before the @."""
        return self.address.rpartition("@")[0]

    @property
    def domain(self) -> str:
        """Return the part of the address after the @."""
        return self.address.rpartition("@")[2]


class DatabaseSection(SettingsSection):
    """The database; an empty address means an SQLite file in the data folder."""

    url: Annotated[str, AfterValidator(_check_database_url)] = ""


class ImapSection(SettingsSection):
    """The mailbox for incoming letters.

    `ca` is a file with the one trusted authority, None: the system's; `password_file` a file with the password.
    """

    host: str
    port: Port = 993
    security: Security = "tls"
    user: str
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    ca: Path | None = None
    inbox: str = "INBOX"
    processed: str = "Processed"
    poison: str = "Poison"
    poll: Annotated[float, Field(gt=0, le=3600)] = 60
    timeout: Annotated[float, Field(ge=1, le=600)] = 30
    authserv_id: str = ""
    dkim: bool = False


def _check_listen(text: str) -> str:
    if re.fullmatch(r".*:[0-9]+", text) and not LOOPBACK.fullmatch(text):
        raise ValueError("LMTP is for this machine alone: the path of a socket, or 127.0.0.1:PORT")
    return text


class MailSection(SettingsSection):
    """The way in for letters: the mailbox, LMTP, or the pipe command alone.

    LMTP is spoken at `listen`, a socket with a mode and a group (empty: our own), or a loopback address.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True)

    way_in: Literal["imap", "lmtp", "none"] = Field(default="imap", alias="in")
    listen: Annotated[str, Field(min_length=1), AfterValidator(_check_listen)] = "/run/pbem/lmtp.sock"
    mode: Annotated[str, Field(pattern=r"^0?[0-7]{3}$")] = "0660"
    group: str = ""


class SmtpSection(SettingsSection):
    """The server for outgoing letters; files as for the mailbox."""

    host: str
    port: Port = 465
    security: Security = "tls"
    user: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    ca: Path | None = None


class OauthSection(SettingsSection):
    """The issuer of access tokens in place of both passwords.

    There is none if `endpoint` is empty.
    """

    endpoint: str = ""
    client_id: str = ""
    client_secret: SecretStr = SecretStr("")
    refresh_token: SecretStr = SecretStr("")


class GamesSection(SettingsSection):
    """The pace of new games, and the server's own scenarios.

    `spread` is the number of minutes over which deadlines are spread; `folder` has scenarios and charts of
    one's own.
    """

    zone: Annotated[str, AfterValidator(_check_zone)] = "UTC"
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


class WordingSection(SettingsSection):
    """Folders with own `templates` and languages (`locale`).

    If named, their files replace the shipped ones.
    """

    templates: Path | None = None
    locale: Path | None = None

    @field_validator("templates", "locale")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class BeaconSection(SettingsSection):
    """The relays, HTTP addresses, that are asked for beacon rounds, in order.

    `default` is the beacon of new games if relays are named, `delta` the seconds from their closing to the round. A
    round that has not come `late` hours after its moment is reported.
    """

    relays: tuple[Annotated[str, Field(pattern=r"^https?://\S+$")], ...] = ()
    default: Literal["none", "quicknet"] = "quicknet"
    delta: Annotated[int, Field(ge=0, le=86_400)] = 600
    late: Annotated[int, Field(ge=1, le=168)] = 2


class ClockSection(SettingsSection):
    """The source of the time."""

    source: Annotated[str, Field(pattern=r"^(system|file:.+)$")] = "system"


class HttpWitnessesSection(SettingsSection):
    """Witnesses asked by HTTP (C2SP tlog-witness).

    Addresses and keys are lists in the same order.
    """

    urls: tuple[Annotated[str, AfterValidator(check_url)], ...] = ()
    keys: tuple[Annotated[str, AfterValidator(_check_witness_key)], ...] = ()

    @model_validator(mode="after")
    def _each_has_a_key(self) -> Self:
        if len(self.urls) != len(self.keys) or len(set(self.keys)) != len(self.keys):
            raise ValueError("witness.urls and witness.keys go together: a key for each address, in the same order")
        return self


class LogSection(SettingsSection):
    """The format of the program's log, and from which level on it is written."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class ServerLogSection(LogSection):
    """The program's log, and where the signed log is published.

    `tiles` is the folder, if named, in which the signed log is published. `signed` is another database that records
    the last signed tree; if empty, the file beside the log's key does.
    """

    tiles: Path | None = None
    signed: Annotated[str, AfterValidator(_check_database_url)] = ""

    @field_validator("tiles")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class OpenGamesSection(SettingsSection):
    """The senders who may have a game against a bot by letter.

    They are nobody, those whose mail proves its sender, or everybody.
    """

    play: Literal["off", "authenticated", "any"] = "off"


class RetentionSection(SettingsSection):
    """The days for which texts and pictures of finished games are kept; 0: for good."""

    letters: Annotated[int, Field(ge=0, le=36_500)] = 0
    pictures: Annotated[int, Field(ge=0, le=36_500)] = 0


class SiteSection(SettingsSection):
    """The folder of the public site, if named, and its address on the web."""

    folder: Path | None = None
    address: Annotated[str, Field(pattern=r"^(https?://[!-~]+)?$")] = ""
    title: Annotated[str, Field(max_length=80)] = ""

    @field_validator("folder")
    @classmethod
    def _no_folder_is_none(cls, folder: Path | None) -> Path | None:
        return None if folder == Path() else folder


class MetricsSection(SettingsSection):
    """The address and port that serve the server's metrics; port 0: none.

    `status` says who sees the page of the status there.
    """

    address: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    status: Literal["off", "local", "any"] = "local"


class AlertsSection(SettingsSection):
    """The program called for troubles, with its first arguments; empty: none.

    `backup_hours` is the age of the last backup that makes a trouble of it; 0: none.
    """

    command: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    backup_hours: Annotated[int, Field(ge=0, le=8760)] = 0


class MailSettings(BaseSettings):
    """The settings of every program with a mailbox."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, env_nested_delimiter="__")

    imap: ImapSection
    smtp: SmtpSection
    oauth: OauthSection = OauthSection()
    log: LogSection = LogSection()

    @model_validator(mode="after")
    def _plain_passwords_stay_at_home(self) -> Self:
        for name, part in _mail_sections(self):
            if part.security == "none" and part.user and part.host not in {"localhost", "127.0.0.1", "::1"}:
                raise ValueError(f"{name}.security is none: the password would cross the network in the clear")
        return self

    @field_validator("imap", "smtp")
    @classmethod
    def _no_file_is_none(cls, part: ImapSection | SmtpSection) -> ImapSection | SmtpSection:
        if part.password_file not in {None, Path()} and part.password.get_secret_value():
            raise ValueError("password and password_file are both set: take one away")
        named = {name: getattr(part, name) for name in ("ca", "password_file")}
        return part.model_copy(update={name: None if file == Path() else file for name, file in named.items()})

    @model_validator(mode="after")
    def _a_provider_is_named_in_full(self) -> Self:
        if self.oauth.endpoint:
            lacking = [name for name, value in self.oauth if not value and name != "client_secret"]
            if lacking:
                raise ValueError(f"oauth.{lacking[0]} is empty: without it there are no tokens")
        return self


class LetterLimits(RootModel[dict[str, Annotated[float, Field(gt=0)]]]):
    """The limits of one letter, by name (`runtime.limits`).

    Limits that are left out keep their default.
    """

    model_config = ConfigDict(frozen=True)

    def __hash__(self) -> int:
        """Return a hash of the values, so that settings can be cached."""
        return hash(tuple(sorted(self.root.items())))


class Settings(MailSettings):
    """All settings of a server; paths are absolute once `load` has read them."""

    model_config = SettingsConfigDict(env_prefix="PBEM_")

    server: ServerSection
    mail: MailSection = MailSection()
    log: ServerLogSection = ServerLogSection()
    database: DatabaseSection = DatabaseSection()
    games: GamesSection = GamesSection()
    letters: WordingSection = WordingSection()
    beacon: BeaconSection = BeaconSection()
    witness: HttpWitnessesSection = HttpWitnessesSection()
    clock: ClockSection = ClockSection()
    keep: RetentionSection = RetentionSection()
    site: SiteSection = SiteSection()
    open: OpenGamesSection = OpenGamesSection()
    metrics: MetricsSection = MetricsSection()
    alerts: AlertsSection = AlertsSection()
    limits: LetterLimits = LetterLimits({})

    @model_validator(mode="before")
    @classmethod
    def _only_a_mailbox_has_a_host(cls, values: Any) -> Any:
        if isinstance(values, dict) and (values.get("mail") or {}).get("in") in ("lmtp", "none"):
            return {**values, "imap": {"host": "", "user": "", **(values.get("imap") or {})}}
        return values

    @model_validator(mode="after")
    def _language_is_spoken(self) -> Self:
        if self.server.language not in SHIPPED_LANGUAGES and self.letters.locale is None:
            raise ValueError("server.language is en or es, or a language of the folder that letters.locale names")
        return self


def load(path: Path) -> Settings:
    """Read the settings; raise Misconfigured with every setting that is wrong."""
    return _with_absolute_paths(read_settings(Settings, path, "pbem init"), path.resolve().parent)


def _with_absolute_paths(settings: Settings, folder: Path) -> Settings:
    """Return the settings with every path absolute, relative ones from `folder`."""
    server = settings.server.model_copy(
        update={name: folder / getattr(settings.server, name) for name in ("data", "keys", "log_key", "dice_key")},
    )
    url = _url_from(folder, settings.database.url) or f"sqlite:///{server.data / 'pbem.sqlite3'}"
    source = settings.clock.source
    if source.startswith("file:"):
        source = f"file:{folder / source.removeprefix('file:')}"
    return settings.model_copy(
        update={
            "server": server,
            "mail": _with_absolute_socket(settings.mail, folder),
            "database": DatabaseSection(url=url),
            "clock": ClockSection(source=source),
            "games": _with_absolute_folders(settings.games, folder, "folder"),
            "letters": _with_absolute_folders(settings.letters, folder, "templates", "locale"),
            "log": _with_absolute_folders(settings.log, folder, "tiles").model_copy(
                update={"signed": _url_from(folder, settings.log.signed)}
            ),
            "site": _with_absolute_folders(settings.site, folder, "folder"),
            **with_mail_files(settings, folder),
        }
    )


def _with_absolute_folders(part: S, folder: Path, *names: str) -> S:
    """Return a section with its folders relative to `folder` made absolute."""
    named = {name: getattr(part, name) for name in names}
    return part.model_copy(update={name: folder / place if place else None for name, place in named.items()})


def _with_absolute_socket(mail: MailSection, folder: Path) -> MailSection:
    return mail if LOOPBACK.fullmatch(mail.listen) else mail.model_copy(update={"listen": str(folder / mail.listen)})


def _url_from(folder: Path, url: str) -> str:
    """Return a database's address, with an SQLite file made absolute from `folder`."""
    return f"sqlite:///{folder / url.removeprefix('sqlite:///')}" if url.startswith("sqlite:///") else url


def with_mail_files(settings: MailSettings, folder: Path) -> dict[str, ImapSection | SmtpSection]:
    """Return the sections of mail with passwords read and files made absolute.

    Relative files are seen from `folder`. Raises Misconfigured for a password's file that cannot be read, is empty,
    or is open to others.
    """
    sections: dict[str, ImapSection | SmtpSection] = {}
    for name, part in _mail_sections(settings):
        changed: dict[str, object] = {"ca": folder / part.ca} if part.ca else {}
        # Without credentials, as in commands by hand, the password is missed where it is used (`mail_servers`).
        if part.password_file and (path := credential_path(part.password_file)) is not None:
            # A process beside the server gets the settings as they are then, and would refuse both.
            password = read_password(f"{name}.password_file", folder / path)
            changed |= {"password": SecretStr(password), "password_file": None}
        sections[name] = part.model_copy(update=changed)
    return sections


def _mail_sections(settings: MailSettings) -> tuple[tuple[str, ImapSection | SmtpSection], ...]:
    return ("imap", settings.imap), ("smtp", settings.smtp)


# Where the time comes from: the machine, or a file for those who try things out.


class SystemClock:
    """The machine's time, in whole seconds."""

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC."""
        return datetime.now(UTC).replace(microsecond=0)


class FileClock:
    """The time in a file, such as ``2030-01-01T12:00:00Z``, read at each call."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now()

    def now(self) -> datetime:
        """Return the moment, aware, in UTC; raise Misconfigured if the file has none."""
        try:
            moment = datetime.fromisoformat(self.path.read_text("ascii").strip())
        except (OSError, ValueError) as wrong:
            raise Misconfigured(f"the clock's file {self.path} cannot be read: {wrong}") from None
        if moment.tzinfo is None:
            raise Misconfigured(f"the clock's file {self.path} does not say which zone; end the moment with Z")
        return moment.astimezone(UTC).replace(microsecond=0)


def clock_of(settings: Settings) -> SystemClock | FileClock:
    """Return the clock that the settings name; raise Misconfigured if unreadable."""
    return SystemClock() if settings.clock.source == "system" else FileClock(Path(settings.clock.source[5:]))
