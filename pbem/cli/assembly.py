"""The `Server`: what the settings say, made into the one object that the campaign asks for."""

from __future__ import annotations

import json
import os
import pickle
import platform
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from pbem.audit.signing import secrets_of
from pbem.cli.exit_codes import Stop
from pbem.cli.log_output import open_log
from pbem.cli.rulebooks import games, lay_beside, registry
from pbem.cli.setting_files import Misconfigured, former, read_key
from pbem.cli.settings import Settings, clock_of, load
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import at_hand, language_of, lay
from pbem.engine.data.scene import Scene
from pbem.lazy import Logger, lazily
from pbem.log import log_health, sequencer
from pbem.log.sequencer import give_back_lease
from pbem.runtime.blocklist import Blocked
from pbem.runtime.limits import LIMITS
from pbem.runtime.signed_tree import SignedRecord
from pbem.runtime.transaction import PlayPolicy, Plugins, Server, ServerKeys, ServerSettings, UserError
from pbem.store import upkeep
from pbem.store.coordination import Lock, Taken
from pbem.store.engine import file_of, open_engine
from pbem.store.external_record import FileRecord, RowRecord, Within
from pbem.store.migrations import Newer, upgrade

with lazily():
    from pbem.cli import mail_servers, pages
    from pbem.letters import catalogue, own_languages, text
    from pbem.mail import html
    from pbem.maps import drawn_on, palette, png, worker_pool
    from pbem.maps import grounds as map_grounds
    from pbem.pages import site
    from pbem.play import positions
    from pbem.play.commands.questions import review
    from pbem.server import listeners

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from pbem.audit.signing import Secrets
    from pbem.engine.data.chronicle import Chronicle
    from pbem.maps.worker_pool import Inline, Studio
    from pbem.runtime.limits import Limits
    from pbem.runtime.page_makers import Commission, Workplace
    from pbem.store.coordination import Part
    from pbem.store.external_record import ExternalRecord


SERVED = "`pbem serve` runs on this database: stop it first"

OTHER_KEYS = (
    "{} or {} is not the key that the log was begun with, or goes on with. If a change of keys was cut short, end it: "
    "pbem log rotate"
)

BLOCKED = "blocked.txt"
"""The list of senders of whom nothing is read, in the data folder."""


@contextmanager
def opened(where: Path | Settings) -> Iterator[Server]:
    """The server for one command, closed behind it; what cannot be done is a Stop.

    The settings are those of a file, or were read already.
    """
    read = settings(where) if isinstance(where, Path) else where
    server = open_server(read)
    open_log()
    try:
        yield server
        give_back_lease(server)
    except UserError as wrong:
        raise Stop(str(wrong)) from None
    except OperationalError as wrong:
        raise unusable(wrong, read) from None
    finally:
        server.close()


@contextmanager
def alone_here(read: Settings, served: str = SERVED, part: Part = "alone") -> Iterator[Lock]:
    """Hold the lock of the database, before anything of it is opened; Stop, with the words `served`, if another has it.

    Nobody else may work on it then, but where one takes `part` with others. The data folder is made if it is missing.
    """
    private()
    try:
        read.server.data.mkdir(parents=True, exist_ok=True)
        engine = engine_of("database.url", read.database.url)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"cannot use the data folder {read.server.data}: {wrong.strerror}") from None
    lock = Lock(engine, _owner(), part)
    try:
        try:
            lock.take()
        except Taken as other:
            raise Stop(f"{served}: {other}") from None
        except DBAPIError as wrong:
            raise unusable(wrong, read) from None
        except OSError as wrong:
            raise Stop(f"cannot use the folder of the database: {wrong.filename}: {wrong.strerror}") from None
        yield lock
    finally:
        lock.release()
        engine.dispose()


def _owner() -> str:
    """What others are told of who holds the lock."""
    return f"{platform.node()}:{os.getpid()}"


def settings(path: Path) -> Settings:
    """Read the settings; Stop says what is wrong with them."""
    try:
        return load(path)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None


def site_of(read: Settings) -> site.Site:
    """Return the site that the settings tell of."""
    return site.Site(read.site.title, read.server.domain, read.site.address, read.server.language)


def open_server(read: Settings) -> Server:
    """Open the database, bring its tables up to date, and put the server together; Stop says what is in the way."""
    private()
    try:
        read.server.data.mkdir(parents=True, exist_ok=True)
        server = server_over(engine_of("database.url", read.database.url), read)
        upgrade(server.engine)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"cannot use the data folder {read.server.data}: {wrong.strerror}") from None
    except Newer as later:
        raise Stop(f"the database is newer than this program: {later}. Nothing was changed: {NEWER}") from None
    except OperationalError as wrong:
        raise unusable(wrong, read) from None
    try:
        _know_keys(server, read)
    except OperationalError as wrong:
        raise unusable(wrong, read) from None
    try:
        log_health.begin(server)
    except Within as wrong:
        raise Stop(f"log.signed is to name another database, which no backup of this one puts back: {wrong}") from None
    except DBAPIError as wrong:
        raise Stop(f"what was signed last cannot be asked for: {wrong.orig}") from None
    except OSError as wrong:
        raise Stop(f"{read.server.signed} cannot be written: {wrong.strerror}") from None
    return server


def _know_keys(server: Server, read: Settings) -> None:
    """Stop if the log was begun with other keys."""
    with server.work() as tx:
        if sequencer.has_foreign_keys(tx):
            raise Stop(OTHER_KEYS.format(read.server.log_key, read.server.dice_key))


def engine_of(setting: str, url: str) -> Engine:
    """Open the database that a setting names; Misconfigured if what opens it is not installed, or cannot read it."""
    try:
        return open_engine(url)
    except (ArgumentError, ValueError) as wrong:
        raise Misconfigured(f"{setting} is no database: {wrong}") from None
    except ImportError:
        raise Misconfigured(
            f"{setting} needs psycopg, which is not installed: pip install 'pbem[postgresql]'"
        ) from None


def server_over(engine: Engine, read: Settings) -> Server:
    """The server over a database that is open; Misconfigured if a key or the clock cannot be read."""
    lay_beside(read.games.folder)
    _speak(read)
    clock = clock_of(read)
    return Server(
        ServerSettings(
            read.server.local,
            read.server.domain,
            read.server.operator,
            owner=_owner(),
            shared=engine.dialect.name != "sqlite",
            former=tuple(one.casefold() for one in read.server.former),
            authserv_id=read.imap.authserv_id,
            letters_an_hour=read.server.letters_an_hour,
            limits=_limits(read),
            play=PlayPolicy(read.open.play, games()),
            late=timedelta(hours=read.beacon.late),
        ),
        engine,
        clock,
        ServerKeys(read_key(read.server.keys), _secrets(read), SignedRecord(beside_of(read))),
        Plugins(
            registry,
            _Letters(read),
            lambda kind: listeners.LISTENERS[kind],
            txt=mail_servers.look_up() if read.imap.dkim else None,
            blocked=Blocked(read.server.data / BLOCKED),
            artist=artist(clock.now, read.games.folder, read.letters.locale),
            desks=_Pages(),
            stories=_Pages(),
            reviewer=Reviewing(read),
        ),
    )


def _speak(read: Settings) -> None:
    """From now on letters can be written in the server's own languages too; Misconfigured for what cannot be used."""
    try:
        lay(own_languages.read_languages(read.letters.locale) if read.letters.locale else ())
        language_of(read.server.language)
    except ValueError as wrong:  # among them own_languages.Unfit
        raise Misconfigured(str(wrong)) from None


def beside_of(read: Settings) -> ExternalRecord:
    """Where is remembered what was signed last; Misconfigured if that is no database."""
    if not read.log.signed:
        return FileRecord(read.server.signed)
    return RowRecord(engine_of("log.signed", read.log.signed), read.server.origin)


class _Pages:
    """Makes the pages that letters bring by `cli.pages`, which is read for the first of them."""

    def lay(self, place: Workplace) -> Sequence[tuple[str, str]]:
        return pages.DeskJoiner().lay(place)

    def bind(self, told: Chronicle, language: str) -> tuple[str, str]:
        return pages.PageBinder().bind(told, language)


class _Letters:
    """Lays letters out by templates that are read for the first of them, or at once where some are the server's own."""

    def __init__(self, read: Settings) -> None:
        self._read = read
        if read.letters.templates or read.games.folder:
            _ = self._made

    @cached_property
    def _made(self) -> text.TextLetters:
        try:
            own = own_languages.read_own_templates(self._read.games.folder, self._read.letters.templates)
        except own_languages.Unfit as wrong:
            raise Misconfigured(str(wrong)) from None
        return text.TextLetters(html.SENTINEL, own, Logger(__name__).warning)

    def subject(self, letter: Json, language: str) -> str:
        return self._made.subject(letter, language)

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        return self._made.letter(letter, language, aloud)

    def page(self, letter: Json, language: str) -> str:
        return self._made.page(letter, language)


def _limits(read: Settings) -> Limits:
    """What one letter may cost, by the settings; Misconfigured for a limit that is none."""
    try:
        return LIMITS.changed(read.limits.root)
    except ValueError as wrong:
        raise Misconfigured(f"[limits]: {wrong}") from None


def _secrets(read: Settings) -> Secrets:
    """The keys of log and dice; Misconfigured if one cannot be used, or both are the same."""
    paths = (read.server.log_key, read.server.dice_key)
    if not any(path.exists() for path in paths):
        raise Misconfigured(
            f"there is neither {paths[0]} nor {paths[1]}, and every game is recorded in a log signed with them: "
            "`pbem init` in an empty folder writes both, copy them from there"
        )
    log, dice = map(read_key, paths)
    before = list(zip(*map(former, paths), strict=False))
    try:
        older = tuple(secrets_of(read.server.origin, read_key(one), read_key(other)) for one, other in before)
        return secrets_of(read.server.origin, log, dice)._replace(former=older)
    except ValueError as wrong:
        raise Misconfigured(f"{paths[0]} and {paths[1]}: {wrong}") from None


# The database of a server that cannot be used: what it is, and the way out.


NEWER = "run the newer program again, or put back the backup of before with `pbem restore FILE`"
"""What is to be done about tables that a newer program has made."""


ROOM = 1_000_000
"""Octets without which no command can work."""


def private() -> None:
    """Whatever this process makes from now on is its owner's alone: database, folders, backups hold all secrets."""
    os.umask(0o077)


def is_there(path: Path) -> bool:
    """Whether something is there as far as this user can see; behind a closed door there is nothing."""
    try:
        return path.exists()
    except OSError:
        return False


def check_whole(read: Settings) -> None:
    """Look a database in a file over before it is served; Stop says what is wrong with it, and what to do."""
    path = file_of(read.database.url)
    refuse_unfinished(read)
    if path is not None and is_there(path) and path.stat().st_size and (found := upkeep.look_over(path)) != "ok":
        raise Stop(damaged(read, found))


def refuse_unfinished(read: Settings) -> None:
    """Stop if a database was being put back and is not yet."""
    path = file_of(read.database.url)
    if path is not None and is_there(upkeep.staged(path)):
        raise Stop(f"a `pbem restore` was begun here and not ended ({upkeep.staged(path)} is there): run it again")


def unusable(wrong: DBAPIError, read: Settings) -> Stop:
    """What the database refused, in words, and the way out."""
    path = file_of(read.database.url)
    code = getattr(wrong.orig, "sqlite_errorcode", 0) & 0xFF
    whose = "it, the folder it lies in and the files beside it are to belong to the server's user"
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _full(path)):
        return Stop(f"the disk is full: nothing was done and nothing is lost. Make room for {path}, and do it again")
    if code == sqlite3.SQLITE_READONLY:
        return Stop(f"{path} cannot be written to: {whose}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return Stop(f"{path} cannot be opened: {whose}")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Stop(damaged(read, str(wrong.orig)))
    return Stop(f"the database cannot be used: {wrong.orig}")


def _full(path: Path | None) -> bool:
    """Whether there is no room beside a database: SQLite says so of its file, and not of those beside it."""
    try:
        return path is not None and shutil.disk_usage(path.parent).free < ROOM
    except OSError:
        return False


def damaged(read: Settings, found: str) -> str:
    """What is said of a damaged database."""
    mend = "Keep it, and put the last backup in its place with `pbem restore FILE`; `pbem mail retake` gets back"
    return f"{file_of(read.database.url)} is damaged: {found}. {mend} the letters that came since"


# Who draws the pictures of letters: games tell what is seen, the catalogue how it is said.


class Subject(NamedTuple):
    """A picture as a letter keeps it, in the words of `language`, of a game whose rules are called so."""

    picture: Json
    language: str
    rules: str


def painted(folder: Path | None, subject: Subject, edition: Any, locale: Path | None = None) -> bytes:
    """Return a picture as PNG, on the ground of an edition; `folder` and `locale` are those of the server.

    A studio calls it, in processes that know nothing of this one.
    """
    lay_beside(folder)
    lay(own_languages.read_languages(locale))
    rules, words = registry(subject.rules), catalogue.load(at_hand(subject.language), subject.rules)
    if rules.pictured is None:
        raise LookupError(f"{subject.rules} has no pictures any more")
    scene = Scene.from_json(subject.picture["scene"])
    ground = map_grounds.ready(rules.pictured.ground(edition), scene, edition.digest)
    return png.fitted(
        scene,
        ground,
        drawn_on.Style(words.say, words.called.written, palette.DARK if subject.picture["dark"] else palette.LIGHT),
    )


class Draughtsman:
    """Draws what letters show, in a studio."""

    def __init__(self, studio: Studio | Inline) -> None:
        self._studio = studio

    def draw(self, wanted: Sequence[Commission], until: datetime) -> Sequence[bytes | None]:
        """Return each as PNG; None for one that cannot be drawn, which is logged, or is not there in time."""
        grounds = {one.edition.digest: one.edition for one in wanted}
        subjects = [
            worker_pool.Wanted(Subject(one.picture, one.language, one.rules), one.edition.digest) for one in wanted
        ]
        return self._studio.draw(subjects, grounds, until)

    def close(self) -> None:
        """End the processes that draw, if there are any."""
        self._studio.close()


def artist(now: Callable[[], datetime], folder: Path | None = None, locale: Path | None = None) -> Draughtsman | None:
    """Return who draws; None where the libraries that make pictures are not installed."""
    # They are not imported to see whether they are there: that takes as long as many a command.
    if any(find_spec(name) is None for name in worker_pool.NEEDED):
        return None
    return Draughtsman(worker_pool.Studio(partial(painted, folder, locale=locale), now, _tell))


def _tell(fault: str) -> None:
    Logger(__name__).error("a picture cannot be drawn", why=fault)


# Review games for letters: in a process beside the server, behind all that it does, one game after another.
#
# The process opens the database by itself, as the command line does, leaves what came of it in a file, and ends when
# the server does. What it has reckoned is kept as long as the server runs: another server, or another day, comes to the
# same.


_KEPT = 64
"""How many reviews are kept."""
_LEAVE = 2.0
"""Seconds that a process has for leaving before it is made to."""


class Reviewing:
    """Has games reviewed, each by a process of its own; `settings` are those of the server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._done: dict[str, Json] = {}
        self._game = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def look(self, game: str) -> Json:
        """Return the lines of a review; None as long as they are not there. ValueError if there will be none."""
        if game in self._done:
            return self._done[game]
        if self._process is None:
            self._begin(game)
            return None
        if self._process.poll() is None:
            return None
        lines = self._ended()
        if self._game != game:
            self._begin(game)
            return None
        if game not in self._done:
            raise ValueError(lines)
        return self._done[game]

    def close(self) -> None:
        """Let whoever is at work go, and make him go if he does not."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_LEAVE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(_LEAVE)
            self._ended()

    def _begin(self, game: str) -> None:
        self._folder, self._game = tempfile.TemporaryDirectory(prefix="pbem-review-"), game
        code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.cli.assembly import review_apart; review_apart()"
        with Path(self._folder.name, "said").open("wb") as said:
            # A group of its own: Ctrl-C is for the server.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        told = pickle.dumps((self._settings.model_dump(), game, str(Path(self._folder.name, "lines")), os.getpid()))
        if self._process.stdin is not None:
            self._process.stdin.write(told)
            self._process.stdin.close()

    def _ended(self) -> str:
        """Take what is there of a process that is over, and return what it said."""
        folder, self._folder, self._process = self._folder, None, None
        if folder is None:
            return ""
        with folder as name:
            lines, said = Path(name, "lines"), Path(name, "said")
            if lines.is_file():
                self._done[self._game] = json.loads(lines.read_text("utf-8"))
                while len(self._done) > _KEPT:
                    del self._done[next(iter(self._done))]
            return said.read_text("utf-8", errors="replace")[-500:] or "it took too long, or was ended"


REVIEW_SECONDS = 7200
"""Seconds of processor time that a review may take."""


def review_apart() -> None:
    """Review a game as standard input says, and leave the lines in a file, whole or not at all."""
    told, game, path, server = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the server itself
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (REVIEW_SECONDS, REVIEW_SECONDS))

    def still(done: int, total: int) -> None:
        if os.getppid() != server:
            raise SystemExit

    lines = _review_lines(told, game, still)
    new = Path(f"{path}.new")
    new.write_text(json.dumps(lines), "utf-8")
    new.rename(path)


def _review_lines(told: object, game: str, progress: Any) -> Json:
    with opened(Settings.model_validate(told)) as server:
        with server.reading() as tx:
            asked = review.gather(tx, positions.lock_game(tx.session, game))
        found = review.compute_review(asked, review.BY_LETTER, progress)
        lines = review.review_lines(server, asked, found, review.BY_LETTER)
    return [[depth, said.to_json()] for depth, said in lines]
