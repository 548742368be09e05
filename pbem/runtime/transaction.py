"""Define the server, constant while it runs, and transactions on it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from time import thread_time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict

from sqlalchemy import Engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session

from pbem.audit import sealing
from pbem.audit.sealing import Secret
from pbem.audit.signing import LogSecrets
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import Msg, plain_english
from pbem.engine.run.odds import Memory
from pbem.mail import address
from pbem.mail.address import OwnAddresses
from pbem.runtime import tokens
from pbem.runtime.blocklist import Blocklist
from pbem.runtime.clock import Clock
from pbem.runtime.limits import LIMITS, CostMeter, Limits
from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.store import queries, tables
from pbem.store.durable import UnwritableFile
from pbem.store.engine import read_only_engine

if TYPE_CHECKING:
    from pbem.engine.data.events import Event
    from pbem.engine.game import AnyGame, PinnedEdition, Registry
    from pbem.mail.authentication import Txt
    from pbem.runtime.page_makers import DeskMaker, PageMaker, PictureMaker, Reviewer
    from pbem.store.tables.log import Witness

# Acts: what happened to a game, told to the listeners in the transaction in which it happened.
#
# Whoever does a thing writes it to the log himself, in sight. Listeners are for what follows from it: press that was
# kept, reports to observers, letters to witnesses, the letters that open everything. Who listens, and in which order,
# stands in one table (`server.listeners`), which the server is made with.


class ActKind(Enum):
    """The kinds of acts."""

    OPENED = "opened"
    """A phase was opened, and its seats are notified of the events before it."""
    CLOSED = "closed"
    """A list of orders, or of answers, was closed."""
    RESOLVED = "resolved"
    """The dice of a phase, or of one letter of an open phase, were rolled."""
    RULED = "ruled"
    """A moderator has ruled, and everybody is notified."""
    TAKEN_UP = "taken up"
    """K8 A finished part of a war is about to be resumed, at `phase`."""
    VACANT = "vacant"
    """A seat of a game needs a new player."""
    OVER = "over"
    """The game is over: by its last phase, or by a decision of its players or moderator."""


class Act(NamedTuple):
    """Something that happened to a game, as listeners are told.

    `state` is the position after it, and `happened` are the events that led there, each with the state before it;
    without a state there is nothing to report. `phase` is the phase that is open or closed now, or None once the
    game is over; `number` counts the phases before it. `cause` distinguishes the act from others of the same phase.
    """

    kind: ActKind
    game: tables.Game
    phase: tables.Phase | None = None
    state: object = None
    happened: tuple[tuple[Event, object], ...] = ()
    number: int = 0
    cause: str = ""


TRANSIENT_ERRORS = (OperationalError, InterfaceError, UnwritableFile)
"""Errors of a database that is away, busy, damaged or full, and of a full disk: the work is tried again later. Any
other error is a bug in this program."""


WITNESS = "witness"
"""In place of a seat in the address to which a witness answers; no seat may have this name."""

MODERATOR = "moderator"
"""In place of a seat in the address of a game's moderator; no seat may have this name."""

DIRECTOR = "director"
"""In place of a seat in the address of a tournament's director; no seat may have this name."""

MOST_CACHED_PHASES = 1024
"""Resolved phases whose luck is cached (`Caches.luck`), of some dozen games. Others are computed again."""

MOST_CACHED_EDITIONS = 256
"""Editions that are cached: each game of a war has its own. Others are read from the database again."""

MOST_CACHED_STATES = 64
"""States that are cached, of the games for which letters came last. Others are read from the database again."""


TEXT, HTML, READER = LETTER_FORMATS = ("text", "html", "reader")
"""The formats of letters: text alone, with an HTML page beside it, and text for a screen reader."""

DATA_SUFFIX = "+json"
"""The suffix of a seat's format if its reports also come as data (`play.phase_reports`)."""

DESK_SUFFIX = "+desk"
"""The last suffix of a seat's format if its reports bring an order desk (`play.promises`)."""


MAP_ON, MAP_OFF, MAP_DARK = MAP_CHOICES = ("on", "off", "dark")
"""Whether pages show the map: as printed, not at all, or for a dark screen."""

MAP_WIDE, MAP_SYMBOLS = "wide", "symbols"
"""What may follow these, after a plus: the map for a wide screen, and counters with the symbols of staff maps."""


def base_format(format_: str) -> str:
    """Return the one of `LETTER_FORMATS` with which a format begins."""
    return format_.partition("+")[0]


class Renderer(Protocol):
    """Turns a letter (`letters.content`) into text."""

    def subject(self, letter: Json, language: str) -> str:
        """Return one line, without Re: or control characters."""
        ...

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        """Return the whole text, LF at line ends; `aloud` for a screen reader."""
        ...

    def page(self, letter: Json, language: str) -> str:
        """Return the letter as a page of HTML, the alternative to its text."""
        ...


class UserError(ValueError):
    """A request that is impossible, with the reason for its author."""

    def __init__(self, why: Msg) -> None:
        super().__init__(plain_english(why))
        self.why = why


class BotGamePolicy(NamedTuple):
    """The rule on who may start games against bots by letter, and which games."""

    who: str = "off"
    games: tuple[str, ...] = ()


_NOBODY = BotGamePolicy()


WORKER_PREFIX = "worker "
"""The prefix of a worker's `owner`, which no server's has."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a server: its names, and how it deals with letters.

    Letters come to ``local+...@domain``; `operator` is the address for notices about trouble. `former` are the
    server's addresses before it moved, in lower case; letters to them are still read. `owner` names this process
    among those that use one database; with `shared` other workers use it too.

    `authserv_id` is the name in the mail provider's Authentication-Results. `letters_an_hour` is how many letters
    of one author are read within an hour. `limits` bound the cost of a letter. `play` says whose letters start
    games against bots. A beacon's round that is later than `late` is reported. With `by_hand` this process takes
    letters that are handed to it.
    """

    local: str
    domain: str
    operator: str
    name: str = "pbem"
    owner: str = "alone"
    shared: bool = False
    former: tuple[str, ...] = ()
    authserv_id: str = ""
    letters_an_hour: int = 30
    limits: Limits = LIMITS
    play: BotGamePolicy = _NOBODY
    late: timedelta = timedelta(hours=2)
    by_hand: bool = False


@dataclass(frozen=True)
class ServerKeys:
    """The keys of a server: `key` for tokens and Message-IDs, log keys, dice keys.

    `signed` records, outside the database, the newest tree that was signed; without it nobody notices that the
    database was restored from a backup.
    """

    key: bytes
    secrets: LogSecrets
    signed: SignedTreeRecord | None = None

    def __post_init__(self) -> None:
        if len(self.key) < 32:
            raise ValueError(f"a server key has at least 32 bytes, got {len(self.key)}")


@dataclass(frozen=True)
class Plugins:
    """The parts that the program passes in: games, renderer, listeners, options.

    `txt` looks a name up in the DNS, if signatures are to be checked here. Letters of senders in `blocked` are not
    read. Without an `artist` letters have no pictures, without a maker of `desks` or of `stories` (pages of games)
    they bring none, and without a `reviewer` no game is reviewed. `cpu` returns the processor time that the working
    thread has used.
    """

    games: Registry
    renderer: Renderer
    listeners: Listeners
    txt: Txt | None = None
    blocked: Blocklist | None = None
    artist: PictureMaker | None = None
    desks: DeskMaker | None = None
    stories: PageMaker | None = None
    reviewer: Reviewer | None = None
    cpu: Callable[[], float] = thread_time


@dataclass(frozen=True)
class Caches:
    """Values that a server keeps while it runs, and can compute again.

    `weighed` are the odds that were computed last, so that a player who verifies orders and then sends them has
    them computed once. `luck` is how much the dice of resolved phases mattered. `proven` are the orders that were
    read back last from their canonical text, by the state that they were read in, seat and text. `noted` are the
    leaves of the phases for which letters came last, by game and phase. `rounds` are the beacon's values that came
    last, by chain and number; those that were used are in the log, and those still awaited are asked for again.
    """

    editions: dict[str, PinnedEdition] = field(default_factory=dict)
    rounds: dict[tuple[str, int], bytes] = field(default_factory=dict)
    weighed: Memory = field(default_factory=Memory)
    luck: Memory = field(default_factory=lambda: Memory(MOST_CACHED_PHASES))
    proven: Memory = field(default_factory=lambda: Memory(MOST_CACHED_STATES))
    noted: Memory = field(default_factory=lambda: Memory(MOST_CACHED_STATES))
    states: OrderedDict[tuple[str, str], object] = field(default_factory=OrderedDict)


def drop_oldest(cache: dict[Any, Any], most: int) -> None:
    """Drop the entries that came first until `most` are left."""
    while len(cache) > most:
        cache.pop(next(iter(cache)), None)


@dataclass(frozen=True)
class Server:
    """A server: settings, database, clock, keys, plug-ins and caches."""

    settings: ServerSettings
    engine: Engine
    clock: Clock
    keys: ServerKeys
    plugins: Plugins
    caches: Caches = field(default_factory=Caches, repr=False, compare=False)

    @property
    def address(self) -> str:
        """Return the server's own address, without a seat."""
        return f"{self.settings.local}@{self.settings.domain}"

    @property
    def own(self) -> OwnAddresses:
        """Return the addresses that are this server's."""
        return OwnAddresses(self.settings.local, self.settings.domain, former=self.settings.former)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open one transaction: commit at the end of the block, roll back on errors."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def work(self, now: datetime | None = None) -> Iterator[Transaction]:
        """Open a `Transaction` (see `session`) at a moment, by default the present."""
        with self.session() as session:
            yield Transaction(session, self, now or self.clock.now())

    @contextmanager
    def reading(self, now: datetime | None = None) -> Iterator[Transaction]:
        """Open a read-only `Transaction` on one moment of the database.

        It does not block writers, and does not wait for them.
        """
        info = {queries.games.READING: True}
        with Session(read_only_engine(self.engine), expire_on_commit=False, info=info) as session, session.begin():
            yield Transaction(session, self, now or self.clock.now())

    def close(self) -> None:
        """Close the database and stop the plug-ins."""
        self.engine.dispose()
        for resource in (self.keys.signed, self.plugins.artist, self.plugins.reviewer):
            if resource is not None:
                resource.close()

    def seat_address(self, seat: tables.Seat) -> str:
        """Return the address for letters of a seat."""
        token = tokens.seat_token(self.keys.key, seat.game_id, seat.name, seat.generation)
        return address.format_address(
            address.SeatAddress(self.settings.local, seat.game_id, seat.name, token, self.settings.domain)
        )

    def moderator_address(self, row: tables.Moderator) -> str:
        """Return the address for letters of a game's moderator."""
        token = tokens.moderator_token(self.keys.key, row.game_id, row.generation)
        return address.format_address(
            address.SeatAddress(self.settings.local, row.game_id, MODERATOR, token, self.settings.domain)
        )

    def witness_address(self, row: Witness) -> str:
        """Return the address for answers of a witness."""
        token = tokens.witness_token(self.keys.key, row.game_id, row.id or 0)
        return address.format_address(
            address.SeatAddress(self.settings.local, row.game_id, WITNESS, token, self.settings.domain)
        )

    def entrant_address(self, row: tables.Entrant) -> str:
        """Return the address for letters of an entrant."""
        token = tokens.entrant_token(self.keys.key, row.tournament_id, row.number, row.generation)
        seat = f"e{row.number}"
        return address.format_address(
            address.SeatAddress(self.settings.local, row.tournament_id, seat, token, self.settings.domain)
        )

    def director_address(self, row: tables.Tournament, official: tables.Appointment | None = None) -> str:
        """Return the address for a director's or co-director's letters."""
        token = tokens.director_token(self.keys.key, row.id, row.director_generation)
        if official is not None:
            token = tokens.co_director_token(self.keys.key, row.id, official.id or 0, official.generation)
        return address.format_address(
            address.SeatAddress(self.settings.local, row.id, DIRECTOR, token, self.settings.domain)
        )

    def secret_of(self, game: tables.Game) -> Secret:
        """Return a game's secret of dice and seals; raise LookupError for another scheme."""
        if game.scheme != sealing.SCHEME:
            raise LookupError(f"no key here for the dice scheme {game.scheme}")
        return self.keys.secrets.secret

    def rules_of(self, game: tables.Game) -> AnyGame:
        """Return the game's rules; raise KeyError if this server has lost them."""
        return self.plugins.games(game.system)

    def edition_of(self, session: Session, game: tables.Game) -> PinnedEdition:
        """Return the edition to which the game is pinned, cached."""
        return self.edition(session, self.rules_of(game), game.edition_digest)

    def edition(self, session: Session, rules: AnyGame, digest: str) -> PinnedEdition:
        """Return the edition with a digest, cached."""
        edition = self.caches.editions.get(digest)
        if edition is None:
            edition = rules.edition_from_json(loads(session.get_one(tables.Edition, digest).text))
            if edition.digest != digest:
                raise ValueError(f"edition {digest} reads back as {edition.digest}")
            self.caches.editions[digest] = edition
            drop_oldest(self.caches.editions, MOST_CACHED_EDITIONS)
        return edition

    def state_of(self, session: Session, game: tables.Game, text: str) -> object:
        """Return the state in the text of a snapshot, cached.

        The caller must not change it. The key of the cache is the edition and the whole text.
        """
        key = (game.edition_digest, text)
        state = self.caches.states.get(key)
        if state is None:
            state = self.rules_of(game).decode(loads(text), self.edition_of(session, game))
            self.caches.states[key] = state
            if len(self.caches.states) > MOST_CACHED_STATES:
                self.caches.states.popitem(last=False)
        else:
            self.caches.states.move_to_end(key)
        return state

    def text_of(self, game: tables.Game, state: object) -> str:
        """Return the canonical text of a state.

        It is known of those that `state_of` returned last.
        """
        known = (text for (_, text), cached in reversed(self.caches.states.items()) if cached is state)
        return next(known, "") or dumps(self.rules_of(game).encode(state))


class ContextFields(TypedDict):
    """The fields that all contexts of one transaction have in common."""

    session: Session
    server: Server
    now: datetime
    meter: CostMeter | None


@dataclass
class Transaction:
    """One transaction on the server at one moment.

    `now` is the same for all that happens in the transaction. `meter` is what its letter has cost so far; None
    without a letter.
    """

    session: Session
    server: Server
    now: datetime
    meter: CostMeter | None = field(default=None, kw_only=True)

    @property
    def context_fields(self) -> ContextFields:
        """Return the fields for another context in the same transaction, as keywords."""
        return ContextFields(session=self.session, server=self.server, now=self.now, meter=self.meter)

    def at(self, moment: datetime) -> Transaction:
        """Return the same transaction at another moment."""
        return Transaction(self.session, self.server, moment, meter=self.meter)

    def look(self) -> None:
        """Raise TooMuch if the letter has used too much time; call between two steps."""
        if self.meter is not None:
            self.meter.look()

    def notify_listeners(self, act: Act) -> None:
        """Pass an act to all listeners of its kind, in order, in this transaction."""
        for listener in self.server.plugins.listeners(act.kind):
            listener(self, act)


Listener = Callable[[Transaction, Act], None]
Listeners = Callable[[ActKind], Sequence[Listener]]
"""Returns the functions to call for a kind of act, in order."""
