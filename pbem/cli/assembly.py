"""Assemble the `Server` from the settings."""

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
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from pbem.audit.signing import secrets_of
from pbem.cli.exit_codes import CommandError, Unavailable
from pbem.cli.log_output import open_log
from pbem.cli.rulebooks import game_by_name, games, use_folder
from pbem.cli.setting_files import Misconfigured, former_keys, read_key
from pbem.cli.settings import Settings, clock_of, load
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import available_language, language_of, set_languages
from pbem.engine.data.scene import Scene
from pbem.lazy import Logger, lazily
from pbem.log import log_health, sequencer
from pbem.log.sequencer import give_back_lease
from pbem.runtime.blocklist import Blocklist
from pbem.runtime.limits import LIMITS
from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.runtime.transaction import BotGamePolicy, Plugins, Server, ServerKeys, ServerSettings, UserError
from pbem.store import upkeep
from pbem.store.coordination import DatabaseLock, LockTaken
from pbem.store.engine import database_file, open_engine
from pbem.store.external_record import FileRecord, RowRecord, SameDatabase
from pbem.store.migrations import NewerDatabase, upgrade

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

    from pbem.audit.signing import LogSecrets
    from pbem.engine.data.chronicle import Chronicle
    from pbem.maps.worker_pool import InlineRenderer, WorkerPool
    from pbem.runtime.limits import Limits
    from pbem.runtime.page_makers import DeskRequest, PictureRequest
    from pbem.store.coordination import Part
    from pbem.store.external_record import ExternalRecord


SERVED = "`pbem serve` runs on this database: stop it first"

OTHER_KEYS = (
    "{} or {} is not the key that the log was begun with, or goes on with. If a change of keys was cut short, end it: "
    "pbem log rotate"
)

BLOCKED = "blocked.txt"
"""The list of blocked senders, in the data folder; their letters are not read."""


@contextmanager
def open_for_command(source: Path | Settings) -> Iterator[Server]:
    """Open the server for one command and close it afterwards.

    Raise CommandError for what cannot be done. `source` is the settings' file, or the settings themselves.
    """
    loaded = load_settings(source) if isinstance(source, Path) else source
    server = open_server(loaded)
    open_log()
    try:
        yield server
        give_back_lease(server)
    except UserError as wrong:
        raise CommandError(str(wrong)) from None
    except OperationalError as wrong:
        raise database_error(wrong, loaded) from None
    finally:
        server.close()


@contextmanager
def hold_database_lock(settings: Settings, served: str = SERVED, part: Part = "alone") -> Iterator[DatabaseLock]:
    """Hold the lock of the database before anything of it is opened.

    Raise CommandError with the text `served` if another process has it. Only processes that take the same `part`
    may then work on the database too. The data folder is created if it is missing.
    """
    make_files_private()
    try:
        settings.server.data.mkdir(parents=True, exist_ok=True)
        engine = engine_of("database.url", settings.database.url)
    except Misconfigured as wrong:
        raise CommandError(str(wrong)) from None
    except OSError as wrong:
        raise CommandError(f"cannot use the data folder {settings.server.data}: {wrong.strerror}") from None
    lock = DatabaseLock(engine, _owner(), part)
    try:
        try:
            lock.take()
        except LockTaken as other:
            raise Unavailable(f"{served}: {other}") from None
        except DBAPIError as wrong:
            raise database_error(wrong, settings) from None
        except OSError as wrong:
            raise CommandError(f"cannot use the folder of the database: {wrong.filename}: {wrong.strerror}") from None
        yield lock
    finally:
        lock.release()
        engine.dispose()


def _owner() -> str:
    """Return the name of this process as others see the lock's holder."""
    return f"{platform.node()}:{os.getpid()}"


def load_settings(path: Path) -> Settings:
    """Read the settings; raise CommandError if they are wrong."""
    try:
        return load(path)
    except Misconfigured as wrong:
        raise CommandError(str(wrong)) from None


def site_of(settings: Settings) -> site.Site:
    """Return the site that the settings describe."""
    return site.Site(settings.site.title, settings.server.domain, settings.site.address, settings.server.language)


def open_server(settings: Settings) -> Server:
    """Open the database, upgrade its tables, and assemble the server.

    Raise CommandError with the reason if that is impossible.
    """
    make_files_private()
    try:
        settings.server.data.mkdir(parents=True, exist_ok=True)
        server = server_on_engine(engine_of("database.url", settings.database.url), settings)
        upgrade(server.engine)
    except Misconfigured as wrong:
        raise CommandError(str(wrong)) from None
    except OSError as wrong:
        raise CommandError(f"cannot use the data folder {settings.server.data}: {wrong.strerror}") from None
    except NewerDatabase as later:
        raise CommandError(f"the database is newer than this program: {later}. Nothing was changed: {NEWER}") from None
    except OperationalError as wrong:
        raise database_error(wrong, settings) from None
    try:
        _check_keys(server, settings)
    except OperationalError as wrong:
        raise database_error(wrong, settings) from None
    try:
        log_health.begin(server)
    except SameDatabase as wrong:
        raise CommandError(
            f"log.signed is to name another database, which no backup of this one puts back: {wrong}"
        ) from None
    except DBAPIError as wrong:
        raise CommandError(f"what was signed last cannot be asked for: {wrong.orig}") from None
    except OSError as wrong:
        raise CommandError(f"{settings.server.signature_file} cannot be written: {wrong.strerror}") from None
    return server


def _check_keys(server: Server, settings: Settings) -> None:
    """Raise CommandError if the log was begun with other keys."""
    with server.work() as tx:
        if sequencer.has_foreign_keys(tx):
            raise CommandError(OTHER_KEYS.format(settings.server.log_key, settings.server.dice_key))


def engine_of(setting: str, url: str) -> Engine:
    """Open the database that a setting names.

    Raises Misconfigured if its driver is not installed, or cannot read the address.
    """
    try:
        return open_engine(url)
    except (ArgumentError, ValueError) as wrong:
        raise Misconfigured(f"{setting} is no database: {wrong}") from None
    except ImportError:
        raise Misconfigured(
            f"{setting} needs psycopg, which is not installed: pip install 'pbem[postgresql]'"
        ) from None


def server_on_engine(engine: Engine, settings: Settings) -> Server:
    """Assemble the server over an open database; raise Misconfigured."""
    use_folder(settings.games.folder)
    _load_languages(settings)
    clock = clock_of(settings)
    return Server(
        ServerSettings(
            settings.server.local,
            settings.server.domain,
            settings.server.operator,
            owner=_owner(),
            shared=engine.dialect.name != "sqlite",
            former=tuple(address.casefold() for address in settings.server.former),
            authserv_id=settings.imap.authserv_id,
            letters_an_hour=settings.server.letters_an_hour,
            limits=_limits(settings),
            play=BotGamePolicy(settings.open.play, games()),
            late=timedelta(hours=settings.beacon.late),
        ),
        engine,
        clock,
        ServerKeys(read_key(settings.server.keys), _secrets(settings), SignedTreeRecord(external_record_of(settings))),
        Plugins(
            game_by_name,
            _Letters(settings),
            lambda kind: listeners.LISTENERS[kind],
            txt=mail_servers.make_txt_lookup() if settings.imap.dkim else None,
            blocked=Blocklist(settings.server.data / BLOCKED),
            artist=picture_renderer(clock.now, settings.games.folder, settings.letters.locale),
            desks=_Pages(),
            stories=_Pages(),
            reviewer=ReviewProcesses(settings),
        ),
    )


def _load_languages(settings: Settings) -> None:
    """Load the server's own languages for letters; raise Misconfigured if unusable."""
    try:
        set_languages(own_languages.read_languages(settings.letters.locale) if settings.letters.locale else ())
        language_of(settings.server.language)
    except ValueError as wrong:  # among them own_languages.UnusableFile
        raise Misconfigured(str(wrong)) from None


def external_record_of(settings: Settings) -> ExternalRecord:
    """Return the record of the last signed tree; raise Misconfigured if unusable."""
    if not settings.log.signed:
        return FileRecord(settings.server.signature_file)
    return RowRecord(engine_of("log.signed", settings.log.signed), settings.server.origin)


class _Pages:
    """A maker of the pages that letters bring; it loads `cli.pages` on first use."""

    def lay(self, place: DeskRequest) -> Sequence[tuple[str, str]]:
        return pages.DeskPageMaker().lay(place)

    def bind(self, chronicle: Chronicle, language: str) -> tuple[str, str]:
        return pages.ArchivePageMaker().bind(chronicle, language)


class _Letters:
    """A renderer of letters by templates.

    Templates are read on first use, or at once where some are the server's own.
    """

    def __init__(self, settings: Settings) -> None:
        self._read = settings
        if settings.letters.templates or settings.games.folder:
            _ = self._text_letters

    @cached_property
    def _text_letters(self) -> text.TextLetters:
        try:
            own = own_languages.read_own_templates(self._read.games.folder, self._read.letters.templates)
        except own_languages.UnusableFile as wrong:
            raise Misconfigured(str(wrong)) from None
        return text.TextLetters(html.SENTINEL, own, Logger(__name__).warning)

    def subject(self, letter: Json, language: str) -> str:
        return self._text_letters.subject(letter, language)

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        return self._text_letters.letter(letter, language, aloud)

    def page(self, letter: Json, language: str) -> str:
        return self._text_letters.page(letter, language)


def _limits(settings: Settings) -> Limits:
    """Return the limits of one letter; raise Misconfigured for a wrong one."""
    try:
        return LIMITS.with_changes(settings.limits.root)
    except ValueError as wrong:
        raise Misconfigured(f"[limits]: {wrong}") from None


def _secrets(settings: Settings) -> LogSecrets:
    """Return the keys of log and dice.

    Raises Misconfigured if one cannot be used, or both are the same.
    """
    paths = (settings.server.log_key, settings.server.dice_key)
    if not any(path.exists() for path in paths):
        raise Misconfigured(
            f"there is neither {paths[0]} nor {paths[1]}, and every game is recorded in a log signed with them: "
            "`pbem init` in an empty folder writes both, copy them from there"
        )
    log, dice = map(read_key, paths)
    before = list(zip(*map(former_keys, paths), strict=False))
    try:
        older = tuple(
            secrets_of(settings.server.origin, read_key(former_log), read_key(former_dice))
            for former_log, former_dice in before
        )
        return secrets_of(settings.server.origin, log, dice)._replace(former=older)
    except ValueError as wrong:
        raise Misconfigured(f"{paths[0]} and {paths[1]}: {wrong}") from None


# The database of a server that cannot be used: what it is, and the way out.


NEWER = "run the newer program again, or put back the backup of before with `pbem restore FILE`"
"""The advice for a database of a newer program."""


ROOM = 1_000_000
"""Octets of free disk space without which no command works: SQLite writes a journal beside each change."""


def make_files_private() -> None:
    """Make everything that this process writes readable for its owner alone.

    Database, folders and backups hold all secrets.
    """
    os.umask(0o077)


def can_see(path: Path) -> bool:
    """Return whether this user can see a file; in a closed folder it cannot."""
    try:
        return path.exists()
    except OSError:
        return False


def check_database(settings: Settings) -> None:
    """Check the database file before serving; raise CommandError if it is damaged."""
    path = database_file(settings.database.url)
    refuse_unfinished_restore(settings)
    if path is not None and can_see(path) and path.stat().st_size and (condition := upkeep.check_file(path)) != "ok":
        raise CommandError(damaged_database_text(settings, condition))


def refuse_unfinished_restore(settings: Settings) -> None:
    """Raise CommandError if a restore of the database is unfinished."""
    path = database_file(settings.database.url)
    if path is not None and can_see(upkeep.staged_path(path)):
        raise CommandError(
            f"a `pbem restore` was begun here and not ended ({upkeep.staged_path(path)} is there): run it again"
        )


def database_error(wrong: DBAPIError, settings: Settings) -> CommandError:
    """Return the error for a fault of the database, with advice."""
    path = database_file(settings.database.url)
    code = getattr(wrong.orig, "sqlite_errorcode", 0) & 0xFF
    ownership = "it, the folder it lies in and the files beside it are to belong to the server's user"
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path)):
        return Unavailable(
            f"the disk is full: nothing was done and nothing is lost. Make room for {path}, and do it again"
        )
    if code == sqlite3.SQLITE_READONLY:
        return CommandError(f"{path} cannot be written to: {ownership}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return CommandError(f"{path} cannot be opened: {ownership}")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return CommandError(damaged_database_text(settings, str(wrong.orig)))
    return Unavailable(f"the database cannot be used: {wrong.orig}")


def _is_full(path: Path | None) -> bool:
    """Return whether there is no room beside a database.

    SQLite reports a full disk only for its main file, not for the files beside it.
    """
    try:
        return path is not None and shutil.disk_usage(path.parent).free < ROOM
    except OSError:
        # Then the driver's own error is told, which says more than a guess.
        return False


def damaged_database_text(settings: Settings, damage: str) -> str:
    """Return the message about a damaged database."""
    mend = "Keep it, and put the last backup in its place with `pbem restore FILE`; `pbem mail retake` gets back"
    return f"{database_file(settings.database.url)} is damaged: {damage}. {mend} the letters that came since"


# Render the pictures of letters: games give the scene, the catalogue the words.


class PictureSubject(NamedTuple):
    """A picture as a letter keeps it, with its language and its game's rules."""

    picture: Json
    language: str
    rules: str


def draw_picture_as_png(
    folder: Path | None, subject: PictureSubject, edition: Any, locale: Path | None = None
) -> bytes:
    """Draw a picture as PNG, on the ground of an edition.

    `folder` and `locale` are those of the server. A worker calls it, in processes that do not share this one's
    state.
    """
    use_folder(folder)
    set_languages(own_languages.read_languages(locale))
    rules, words = (
        game_by_name(subject.rules),
        catalogue.load_catalogue(available_language(subject.language), subject.rules),
    )
    if rules.pictured is None:
        raise LookupError(f"{subject.rules} has no pictures any more")
    scene = Scene.from_json(subject.picture["scene"])
    narrow, figures = not subject.picture.get("wide", False), not subject.picture.get("symbols", False)
    ground = map_grounds.prepare_ground(rules.pictured.ground(edition), scene, edition.digest, narrow)
    colours = palette.DARK if subject.picture["dark"] else palette.LIGHT
    return png.encode_png(scene, ground, drawn_on.Style(words.say, words.called.with_names, colours, figures=figures))


class PictureRenderer:
    """A renderer of the pictures in letters, by a pool of processes."""

    def __init__(self, studio: WorkerPool | InlineRenderer) -> None:
        self._studio = studio

    def draw(self, wanted: Sequence[PictureRequest], until: datetime) -> Sequence[bytes | None]:
        """Draw pictures as PNG.

        A picture is None if it cannot be drawn, which is logged, or is not ready in time.
        """
        grounds = {commission.edition.digest: commission.edition for commission in wanted}
        subjects = [
            worker_pool.DrawTask(
                PictureSubject(commission.picture, commission.language, commission.rules), commission.edition.digest
            )
            for commission in wanted
        ]
        return self._studio.draw(subjects, grounds, until)

    def close(self) -> None:
        """End the drawing processes, if there are any."""
        self._studio.close()


def picture_renderer(
    now: Callable[[], datetime], folder: Path | None = None, locale: Path | None = None
) -> PictureRenderer | None:
    """Return the renderer; None if the libraries for pictures are not installed."""
    # They are not imported to see whether they are there: that takes as long as many a command.
    if any(find_spec(name) is None for name in worker_pool.NEEDED):
        return None
    return PictureRenderer(worker_pool.WorkerPool(partial(draw_picture_as_png, folder, locale=locale), now, _log_fault))


def _log_fault(fault: str) -> None:
    Logger(__name__).error("a picture cannot be drawn", why=fault)


# Review games for letters: in a process of low priority beside the server, one game after another.
#
# The process opens the database by itself, as the command line does, leaves what came of it in a file, and ends when
# the server does. Its results are kept as long as the server runs: another server, or another day, would give the
# same.


_KEPT = 64
"""Reviews that are kept until their letters are written; a dropped one is made again, which takes minutes.
A choice: far more than games end at once."""
_LEAVE = 2.0
"""Seconds that a process has to end before it is killed: a server that stops should not wait longer."""


class ReviewProcesses:
    """The processes that review finished games, one each."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._done: dict[str, Json] = {}
        self._game = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def look(self, game: str) -> Json:
        """Return the lines of a review, or None until they are ready.

        Raise ValueError if the review failed.
        """
        if game in self._done:
            return self._done[game]
        if self._process is None:
            self._begin(game)
            return None
        if self._process.poll() is None:
            return None
        lines = self._collect_result()
        if self._game != game:
            self._begin(game)
            return None
        if game not in self._done:
            raise ValueError(lines)
        return self._done[game]

    def close(self) -> None:
        """Terminate a running review, and kill it if it does not end."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_LEAVE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(_LEAVE)
            self._collect_result()

    def _begin(self, game: str) -> None:
        self._folder, self._game = tempfile.TemporaryDirectory(prefix="pbem-review-"), game
        code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.cli.assembly import run_review; run_review()"
        with Path(self._folder.name, "said").open("wb") as output:
            # A group of its own: Ctrl-C is for the server.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        request = pickle.dumps((self._settings.model_dump(), game, str(Path(self._folder.name, "lines")), os.getpid()))
        if self._process.stdin is not None:
            self._process.stdin.write(request)
            self._process.stdin.close()

    def _collect_result(self) -> str:
        """Collect the result of a finished process, and return its output."""
        folder, self._folder, self._process = self._folder, None, None
        if folder is None:
            return ""
        with folder as name:
            lines, output = Path(name, "lines"), Path(name, "said")
            if lines.is_file():
                self._done[self._game] = json.loads(lines.read_text("utf-8"))
                while len(self._done) > _KEPT:
                    del self._done[next(iter(self._done))]
            return output.read_text("utf-8", errors="replace")[-500:] or "it took too long, or was ended"


REVIEW_SECONDS = 7200
"""Seconds of processor time that a review may take, after which it counts as failed. A choice: reviews take minutes,
and one that never ends should stop the same day."""


def run_review() -> None:
    """Review a game given on standard input; write the lines to a file, or nothing."""
    fields, game, path, server = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the server itself
    # Units that forbid a process to change its priority let the review run at the server's own.
    with suppress(PermissionError):
        os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (REVIEW_SECONDS, REVIEW_SECONDS))

    def still(done: int, total: int) -> None:
        if os.getppid() != server:
            raise SystemExit

    lines = _compute_lines(fields, game, still)
    new = Path(f"{path}.new")
    new.write_text(json.dumps(lines), "utf-8")
    new.rename(path)


def _compute_lines(fields: object, game: str, progress: Any) -> Json:
    with open_for_command(Settings.model_validate(fields)) as server:
        with server.reading() as tx:
            request = review.gather_review(tx, positions.lock_game(tx.session, game))
        review_result = review.compute_review(request, review.BY_LETTER, progress)
        lines = review.review_lines(server, request, review_result, review.BY_LETTER)
    return [[depth, message.to_json()] for depth, message in lines]
