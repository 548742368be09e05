"""The server, which stays the same while it runs, and one piece of work on it: a transaction with its acts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypedDict

from sqlalchemy import Engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session

from pbem.audit import sealing
from pbem.audit.sealing import Secret
from pbem.audit.signing import Secrets
from pbem.engine.data.canon import Json, loads
from pbem.engine.data.messages import Msg, plain
from pbem.engine.run.odds import Memory
from pbem.mail import address
from pbem.mail.address import OwnAddresses
from pbem.runtime import tokens
from pbem.runtime.blocklist import Blocked
from pbem.runtime.clock import Clock
from pbem.runtime.limits import LIMITS, Limits, Meter
from pbem.runtime.signed_tree import Signed
from pbem.store import queries, tables
from pbem.store.durable import Unwritten
from pbem.store.engine import reader_of

if TYPE_CHECKING:
    from pbem.engine.data.events import Event
    from pbem.engine.game import AnyGame, PinnedEdition, Registry
    from pbem.mail.authentication import Txt
    from pbem.runtime.page_makers import Artist, Bookbinder, Joiner, Reviewer
    from pbem.store.tables.log import Witness

# Acts: what happened to a game, told to the listeners in the transaction in which it happened.
#
# Whoever does a thing writes it to the log himself, in sight. Listeners are for what follows from it: press that was
# kept, reports to observers, letters to witnesses, the letters that open everything. Who listens, and in which order,
# stands in one table (`server.listeners`), which the server is made with.


class Kind(Enum):
    """The kinds of acts."""

    OPENED = "opened"
    """A phase is open, and its seats are told of what led to it."""
    CLOSED = "closed"
    """A list of orders, or of answers, is closed."""
    RESOLVED = "resolved"
    """The dice of a phase are rolled, or those of one letter of a phase that is still open."""
    RULED = "ruled"
    """A moderator has ruled, and everybody is told."""
    TAKEN_UP = "taken up"
    """K8 A part of a war that was over is about to be played on; `phase` is the one that it is taken up at."""
    VACANT = "vacant"
    """A seat of a game needs somebody."""
    OVER = "over"
    """The game is over: by its last phase, or by the will of its players or moderator."""


class Act(NamedTuple):
    """Something that happened to a game, as listeners are told it.

    `state` is the position after it and `happened` each event that led there with the state before it; without a state
    there is nothing to report. `phase` is the one that is open now, or closed, or None once the game is over; `number`
    phases are behind it. `cause` tells the act from others of the same phase.
    """

    kind: Kind
    game: tables.Game
    phase: tables.Phase | None = None
    state: object = None
    happened: tuple[tuple[Event, object], ...] = ()
    number: int = 0
    cause: str = ""


WEATHER = (OperationalError, InterfaceError, Unwritten)
"""Errors of a database that is away, busy, damaged or full, and of a full disk: the work is tried again later.

Any other error is a fault of this program.
"""


WITNESS = "witness"
"""What stands in the place of a seat in the address that a witness answers to; no seat may be called so."""

MODERATOR = "moderator"
"""What stands in the place of a seat in the address of a game's moderator; no seat may be called so."""

DIRECTOR = "director"
"""What stands in the place of a seat in the address of a tournament's director; no seat may be called so."""

PHASES = 1024
"""How many resolved phases a server remembers the luck of (`Caches.luck`)."""

STATES = 64
"""How many states a server keeps read: those of the games that letters came for last."""


TEXT, HTML, READER = FORMATS = ("text", "html", "reader")
"""The formats of letters: text alone, with a page of HTML beside it, and text for a screen reader."""

DATA = "+json"
"""What stands in the format of a seat whose reports come as data as well (`play.phase_reports`)."""

DESK = "+desk"
"""What stands last in the format of a seat whose reports bring an order desk (`play.promises`)."""


ON, OFF, DARK = MAPS = ("on", "off", "dark")
"""Whether pages show the map: as it is printed, not at all, or for a dark screen."""


def look_of(format_: str) -> str:
    """How a letter of this format looks, whatever goes with it: one of `FORMATS`."""
    return format_.partition("+")[0]


class Renderer(Protocol):
    """Turns a letter (`letters.content`) into text."""

    def subject(self, letter: Json, language: str) -> str:
        """One line, without Re: or control characters."""
        ...

    def letter(self, letter: Json, language: str, aloud: bool = False) -> str:
        """The whole text, LF at every line's end; `aloud`, as a screen reader reads it best."""
        ...

    def page(self, letter: Json, language: str) -> str:
        """The letter as a page of HTML, to be shown in the place of its text."""
        ...


class Broken(ValueError):
    """A request that cannot be done, and why."""

    def __init__(self, why: Msg) -> None:
        super().__init__(plain(why))
        self.why = why


class Play(NamedTuple):
    """Who may have games against bots set up by letter, ``off``, ``authenticated`` or ``any``, and by which rules."""

    who: str = "off"
    games: tuple[str, ...] = ()


_NOBODY = Play()


WORKER = "worker "
"""How the `owner` of a worker begins, and that of no server."""


@dataclass(frozen=True)
class ServerSettings:
    """What a server is told: its names, and how it deals with letters.

    Letters come to ``local+...@domain``; `operator` is where the server writes when it is in trouble. `former` are
    addresses, in lower case, at which it was before it moved; letters to them are still read. `owner` names this
    process among those that work on one database; with `shared` other workers serve the same one.

    `authserv_id` is the name under which the mail provider says what it knows of a sender. Of a seat, or of another
    who has an address here, `letters_an_hour` are read. `limits` are what one letter may cost. `play` says whose
    letters set games against bots up. A round of a beacon that has not come `late` after its moment is told of.
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
    play: Play = _NOBODY
    late: timedelta = timedelta(hours=2)


@dataclass(frozen=True)
class ServerKeys:
    """The keys: `key`, from which tokens and Message-IDs are derived, and the keys of the log and of the dice.

    `signed` knows, outside the database, the newest tree which was signed; without it nobody notices that the database
    was put back from a backup.
    """

    key: bytes
    secrets: Secrets
    signed: Signed | None = None

    def __post_init__(self) -> None:
        if len(self.key) < 32:
            raise ValueError(f"a server key has at least 32 bytes, got {len(self.key)}")


@dataclass(frozen=True)
class Plugins:
    """What the program hands in: the games, what lays letters out, who listens to acts, and what a server may lack.

    `txt` looks a name up in the DNS, where signatures are to be checked here. Nothing is read of those whom `blocked`
    has. Without an `artist` letters have no pictures, without somebody who lays `desks` or binds `stories` they bring
    none, and without a `reviewer` no game is reviewed. `cpu` tells the processor time that the thread at work has used.
    """

    games: Registry
    renderer: Renderer
    listeners: Listeners
    txt: Txt | None = None
    blocked: Blocked | None = None
    artist: Artist | None = None
    desks: Joiner | None = None
    stories: Bookbinder | None = None
    reviewer: Reviewer | None = None
    cpu: Callable[[], float] = thread_time


@dataclass(frozen=True)
class Caches:
    """What a server remembers as long as it runs, and can work out again.

    `weighed` are the odds that were reckoned last: who verifies orders and then sends them has them reckoned once.
    `luck` is what hung on the dice of resolved phases. `proven` are the orders that were read back last from their
    canonical text, by the state that they were read in, seat and text. `noted` are the leaves of the phases that
    letters came for last, by game and phase. `rounds` are the beacon's values that came since this process began, by
    chain and number; those that were used are in the log.
    """

    editions: dict[str, PinnedEdition] = field(default_factory=dict)
    rounds: dict[tuple[str, int], bytes] = field(default_factory=dict)
    weighed: Memory = field(default_factory=Memory)
    luck: Memory = field(default_factory=lambda: Memory(PHASES))
    proven: Memory = field(default_factory=lambda: Memory(STATES))
    noted: Memory = field(default_factory=lambda: Memory(STATES))
    states: OrderedDict[tuple[str, str], object] = field(default_factory=OrderedDict)


@dataclass(frozen=True)
class Server:
    """A server: what it is told, its database, its clock and its keys; and what it is made with and remembers."""

    settings: ServerSettings
    engine: Engine
    clock: Clock
    keys: ServerKeys
    plugins: Plugins
    caches: Caches = field(default_factory=Caches, repr=False, compare=False)

    @property
    def address(self) -> str:
        """The server's own address, without a seat."""
        return f"{self.settings.local}@{self.settings.domain}"

    @property
    def own(self) -> OwnAddresses:
        """What mail is ours."""
        return OwnAddresses(self.settings.local, self.settings.domain, former=self.settings.former)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def work(self, now: datetime | None = None) -> Iterator[Work]:
        """One transaction (see `session`) as a `Work`, whose moment is the present one if none is given."""
        with self.session() as session:
            yield Work(session, self, now or self.clock.now())

    @contextmanager
    def reading(self, now: datetime | None = None) -> Iterator[Work]:
        """One moment of the database as a `Work` that cannot write; it keeps nobody waiting, and waits for nobody."""
        info = {queries.games.READING: True}
        with Session(reader_of(self.engine), expire_on_commit=False, info=info) as session, session.begin():
            yield Work(session, self, now or self.clock.now())

    def close(self) -> None:
        """Close the database, and let go whoever draws."""
        self.engine.dispose()
        for one in (self.keys.signed, self.plugins.artist, self.plugins.reviewer):
            if one is not None:
                one.close()

    def seat_address(self, seat: tables.Seat) -> str:
        """Where a seat's letters are to be sent."""
        token = tokens.token(self.keys.key, seat.game_id, seat.name, seat.generation)
        return address.format(
            address.SeatAddress(self.settings.local, seat.game_id, seat.name, token, self.settings.domain)
        )

    def moderator_address(self, row: tables.Moderator) -> str:
        """Where the letters of a game's moderator are to be sent."""
        token = tokens.moderator(self.keys.key, row.game_id, row.generation)
        return address.format(
            address.SeatAddress(self.settings.local, row.game_id, MODERATOR, token, self.settings.domain)
        )

    def witness_address(self, row: Witness) -> str:
        """Where a witness is to send his answers."""
        token = tokens.witness(self.keys.key, row.game_id, row.id or 0)
        return address.format(
            address.SeatAddress(self.settings.local, row.game_id, WITNESS, token, self.settings.domain)
        )

    def entrant_address(self, row: tables.Entrant) -> str:
        """Where an entrant writes about his tournament."""
        token = tokens.entrant(self.keys.key, row.tournament_id, row.number, row.generation)
        seat = f"e{row.number}"
        return address.format(
            address.SeatAddress(self.settings.local, row.tournament_id, seat, token, self.settings.domain)
        )

    def director_address(self, row: tables.Tournament) -> str:
        """Where the letters of a tournament's director are to be sent."""
        token = tokens.director(self.keys.key, row.id, row.director_generation)
        return address.format(address.SeatAddress(self.settings.local, row.id, DIRECTOR, token, self.settings.domain))

    def secret_of(self, game: tables.Game) -> Secret:
        """What the game's dice and seals come from; LookupError for a scheme that is not ours."""
        if game.scheme != sealing.SCHEME:
            raise LookupError(f"no key here for the dice scheme {game.scheme}")
        return self.keys.secrets.secret

    def rules_of(self, game: tables.Game) -> AnyGame:
        """The game's rules; KeyError if this server has lost them."""
        return self.plugins.games(game.system)

    def edition_of(self, session: Session, game: tables.Game) -> PinnedEdition:
        """The edition that the game is pinned to, read from the database and kept."""
        return self.edition(session, self.rules_of(game), game.edition_digest)

    def edition(self, session: Session, rules: AnyGame, digest: str) -> PinnedEdition:
        """Return the edition of a digest, read from the database and kept."""
        found = self.caches.editions.get(digest)
        if found is None:
            found = rules.edition_from_json(loads(session.get_one(tables.Edition, digest).text))
            if found.digest != digest:
                raise ValueError(f"edition {digest} reads back as {found.digest}")
            self.caches.editions[digest] = found
        return found

    def state_of(self, session: Session, game: tables.Game, text: str) -> object:
        """The state of a game that the text of a snapshot holds; it must not be changed, for it is kept.

        It is known by the edition and by the whole text that it was read from: whoever writes another text, for
        whatever reason, gets another state.
        """
        key = (game.edition_digest, text)
        state = self.caches.states.get(key)
        if state is None:
            state = self.rules_of(game).decode(loads(text), self.edition_of(session, game))
            self.caches.states[key] = state
            if len(self.caches.states) > STATES:
                self.caches.states.popitem(last=False)
        else:
            self.caches.states.move_to_end(key)
        return state


class Shared(TypedDict):
    """What all that works in one transaction shares, as keywords."""

    session: Session
    server: Server
    now: datetime
    meter: Meter | None


@dataclass
class Work:
    """What every act of the campaign is made with: one transaction, the server that it is made on, one moment.

    `now` is the same for all that happens in the transaction. `meter` is what the letter that it is about has cost so
    far; None if it is about none.
    """

    session: Session
    server: Server
    now: datetime
    meter: Meter | None = field(default=None, kw_only=True)

    @property
    def shared(self) -> Shared:
        """What this has in common with all that is made within its transaction."""
        return Shared(session=self.session, server=self.server, now=self.now, meter=self.meter)

    def at(self, moment: datetime) -> Work:
        """Return a Work of the same transaction whose `now` is another moment."""
        return Work(self.session, self.server, moment, meter=self.meter)

    def look(self) -> None:
        """Raise TooMuch if the letter has taken more processor time than it may; to be called between two steps."""
        if self.meter is not None:
            self.meter.look()

    def tell(self, act: Act) -> None:
        """Tell an act to all who listen to its kind, in their order, in this transaction."""
        for listener in self.server.plugins.listeners(act.kind):
            listener(self, act)


Listener = Callable[[Work, Act], None]
Listeners = Callable[[Kind], Sequence[Listener]]
"""Who listens to each kind of act, in the order in which they are told."""
