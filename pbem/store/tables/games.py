"""Define the tables of people, editions, games and seats, wars and tournaments."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.store.tables import one_of


class Edition(SQLModel, table=True):
    """An edition from rules to roster, as the canonical JSON that its digest is of."""

    digest: str = Field(primary_key=True)
    system: str
    text: str


class Person(SQLModel, table=True):
    """A person who plays or runs games.

    `language` and `zone` are the defaults of new seats. `rating_public` is True if others may see his rating.
    """

    id: int | None = Field(default=None, primary_key=True)
    name: str
    language: str = "en"
    zone: str = "UTC"
    rating_public: bool = False


class Address(SQLModel, table=True):
    """A mail address of a person, lower-case; answers go to the first one."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    email: str = Field(unique=True)


class Game(SQLModel, table=True):
    """A game: its system and pinned edition, its dice scheme, and its pace.

    `weekdays` are digits 0 (Monday) to 6; a deadline falls at `hour` of `zone` on one of them, at least
    `grace_hours` after the phase opened. `root` is empty; in games begun by 1.0.0 it is the Message-ID to which all
    letters refer. While the game is forming, `open_seats` lets anybody take a free seat. `terms` are agreed terms
    that differ from the usual, as canonical JSON; `result` says how the game ended if its players or its moderator
    ended it. `asked_by` is the person who asked for it by letter, to play against a bot. `emptied` is when the
    content of its letters was deleted. `stopped` are the spans in which none of its deadlines runs
    (`runtime.stopped_time`).
    """

    __table_args__ = (one_of("state", "forming", "running", "held", "over"),)

    id: str = Field(primary_key=True, max_length=20)
    system: str
    scenario: str
    edition_digest: str = Field(foreign_key="edition.digest")
    scheme: str
    state: str = Field(default="forming", index=True)
    held_why: str = ""
    zone: str = "UTC"
    weekdays: str = "0123456"
    hour: int = 20
    grace_hours: int = 24
    undo_minutes: int = 30
    root: str
    created: datetime = Field(index=True)
    open_seats: bool = False
    terms: str = "{}"
    result: str = ""
    asked_by: int | None = Field(default=None, foreign_key="person.id", index=True)
    emptied: datetime | None = None
    stopped: str = Field(default="", sa_column_kwargs={"server_default": ""})


class Seat(SQLModel, table=True):
    """A commander's place in a game.

    Its token is derived from `generation`, never stored. `nonce` and `template` are those of the last order
    template sent. `last_letter` are the Message-IDs of the last letter to it and of the first of its thread, a dash
    if there is none. `bounces` counts the letters to it that came back permanently since its player last wrote,
    `unreachable` is the moment at which they became too many. `strikes` counts all missed deadlines, `missed` those
    in a row; `silent` is the moment since which its player has been asked for a sign of presence; `spent` are the
    seconds that phases waited for it. `notify` is its rhythm of news (`news.Rhythm`), empty where the terms of the
    game decide; `reminded` is True if it wants reminders. `format` is that of its letters
    (`runtime.transaction.LETTER_FORMATS`), `map` says whether pages show the map, and how
    (`runtime.transaction.MAP_CHOICES`). `repeats` are the lines that are repeated each turn, as canonical text,
    `repeats_from` is the letter that brought them. `muted` are the seats, separated by blanks, whose letters it
    does not want; `press_forbidden` is True if its own are not delivered. `bot` is the bot that plays it, if any.
    `published` is how much of the game
    its player lets everybody see (`play.publicity`), `pen_name` the name under which he wants to be shown.
    """

    __table_args__ = (UniqueConstraint("game_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    game_id: str = Field(foreign_key="game.id")
    name: str = Field(max_length=12)
    side: str
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    generation: int = 1
    language: str = "en"
    zone: str = "UTC"
    format: str = "html"
    map: str = "on"
    nonce: str = ""
    template: str = ""
    last_letter: str = ""
    strikes: int = 0
    bounces: int = 0
    unreachable: datetime | None = None
    missed: int = 0
    silent: datetime | None = None
    spent: int = 0
    notify: str = ""
    reminded: bool = True
    repeats: str = ""
    repeats_from: int | None = None
    muted: str = ""
    press_forbidden: bool = False
    bot: str = ""
    published: str = ""
    pen_name: str = ""

    @property
    def is_free(self) -> bool:
        """Return whether neither a player nor a bot has it."""
        return self.person_id is None and not self.bot


# The tables of wars: chains of games, each begun after the one before.


class War(SQLModel, table=True):
    """A war: the rules of its battles, its name among their wars, and its progress.

    `opening` is the whole war before its first leg, `record` the war now, both as canonical JSON
    (`engine.war.chain`): file, lists of the legs, options, outcomes, ledger. `sued` are the sides that sued for
    peace in the present camp, separated by blanks.
    """

    __table_args__ = (one_of("state", "going", "over"),)

    # Its games are called war-1, war-2 and so on, and a game's name has at most 20 characters.
    id: str = Field(primary_key=True, max_length=16)
    system: str
    name: str
    state: str = "going"
    opening: str
    record: str
    sued: str = ""


class WarGame(SQLModel, table=True):
    """A game of a war: its place from 1 on; odd places are legs, even ones camps.

    K8 A game is void if an earlier one is resumed. It then loses its place: the places of void games count down
    from -1. `ended` says how it ended early, as ``concede spain``; it is empty if the game reached its last turn.
    """

    __tablename__ = "war_game"
    __table_args__ = (UniqueConstraint("war_id", "place"),)

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    war_id: str = Field(foreign_key="war.id")
    place: int
    ended: str = ""

    @property
    def camp(self) -> int:
        """Return the number of the camp, from 1; 0 for a leg."""
        return 0 if self.place % 2 else self.place // 2

    @property
    def leg(self) -> int:
        """Return the number of the leg, or of the leg before a camp, from 1."""
        return (self.place + 1) // 2


class Tournament(SQLModel, table=True):
    """A tournament: its rules (canonical JSON, digest), progress and director.

    `stage` counts from 1, 0 before the first. `wake` is the moment of its next automatic step, None if there is
    none. `desk_at` is when the director had his last daily letter, `facts` canonical JSON of possible agreements
    reported to him (E11). `held_why` says why nothing is drawn or closed while it is held. `root` has the meaning
    of a game's. `conduct` is the code of conduct that entrants accept.

    `version` is the version of its leaves in the log: a tournament that was founded by 1.0.0 keeps 1.

    `system` and `edition` are played at every table, `phases` is the number of phases of one side in a game that
    reaches its last turn. `fields` is canonical JSON: for each stage that was begun, ``"1"``, the numbers of its
    entrants in the order of their seeds, each with the half points that he brought along. `stopped` are the spans
    in which none of its deadlines runs: holidays, pauses and outages (`runtime.stopped_time`). `closes` is when the
    list of entrants closes, if a ruling has moved that.
    """

    __table_args__ = (one_of("state", "draft", "open", "shut", "playing", "held", "over", "cancelled"),)

    id: str = Field(primary_key=True, max_length=11)
    title: str
    state: str = "draft"
    stage: int = 0
    rules: str
    digest: str
    version: int = Field(default=2, sa_column_kwargs={"server_default": "1"})
    conduct: str = ""
    system: str
    edition: str = Field(foreign_key="edition.digest")
    phases: int = 0
    fields: str = "{}"
    zone: str = "UTC"
    held_why: str = ""
    wake: datetime | None = Field(default=None, index=True)
    director_id: int | None = Field(default=None, foreign_key="person.id")
    director_generation: int = 1
    director_language: str = "en"
    desk_at: datetime | None = None
    facts: str = "[]"
    root: str
    created: datetime
    stopped: str = Field(default="", sa_column_kwargs={"server_default": ""})
    closes: datetime | None = None
