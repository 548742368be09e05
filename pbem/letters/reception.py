"""Who may write to which address, and the one answer to his letter, alike for all roles.

A role is a file: it finds out which addresses are its own (`Finder`), and says by a `Role` who wrote, what is done with
the text, and where the answer goes. The server lists the finders (catalogue.py) and passes each letter through the same
gates (intake.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg
from pbem.letters import content, outbox, senders
from pbem.letters.content import Head, Mistake
from pbem.mail.address import SeatAddress, base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import NOTHING_OF_OURS, IncomingLetter, Ours
from pbem.runtime import tokens
from pbem.runtime.limits import Limits
from pbem.runtime.transaction import Transaction
from pbem.store import tables


class Incoming(NamedTuple):
    """A letter whose author is known: what was read of it, its row in the inbox, its bytes, what its From is worth."""

    letter: IncomingLetter
    row: tables.Inbox
    raw: bytes
    evidence: Evidence


@dataclass(kw_only=True)
class Answer(Transaction):
    """What the one answer to a letter will say."""

    RANKS: ClassVar[tuple[str, ...]] = ()
    """Kinds of answers, the weightiest first."""
    NOT_DONE: ClassVar[str] = "refusal"
    """The kind of an answer to a letter that was refused."""
    CALLED: ClassVar[Mapping[str, Msg]] = MappingProxyType({})
    """What an answer's subject calls it, by its kind, where that is not what it is called at a table."""

    kinds: list[str] = field(default_factory=list)
    opening: list[Msg] = field(default_factory=list)
    errors: list[Mistake] = field(default_factory=list)
    blocks: list[Json] = field(default_factory=list)
    closing: list[Msg] = field(default_factory=list)
    silent: str = ""
    """Why nothing is answered, as the letter's row tells what came of it; empty if something is."""

    @property
    def kind(self) -> str:
        """The kind of the answer, the weightiest of what was said; empty as long as nothing was."""
        return min(self.kinds, key=self.RANKS.index, default="")

    @property
    def outcome(self) -> str:
        """What came of the letter, as its row tells it."""
        return self.silent or self.kind

    def say(self, kind: str, *sentences: Msg, blocks: Iterable[Json] = ()) -> None:
        """Add to the answer."""
        self.kinds.append(kind)
        self.opening += sentences
        self.blocks += blocks

    def refuse_unread(self, sentences: Iterable[Msg]) -> None:
        """Say why the letter was not read."""
        self.say(self.NOT_DONE, *sentences)

    def to_json(self, head: Head) -> Json:
        """The letter to send back."""
        return content.Letter(
            self.kind,
            head,
            opening=self.opening,
            errors=self.errors,
            blocks=self.blocks,
            closing=self.closing,
            what=self.CALLED.get(self.kind),
        ).to_json()


A = TypeVar("A", bound=Answer)
A_contra = TypeVar("A_contra", bound=Answer, contravariant=True)


class Reader(Protocol[A_contra]):
    """What the letters of a role may say: how it is read and carried out."""

    def wanted(self, text: str, limits: Limits, /) -> bool:
        """Tell whether a text says something to do."""

    def carry_out(self, answer: A_contra, text: str, /) -> bool:
        """Do all of what a text says, or nothing of it; return whether it says nothing."""


@dataclass(frozen=True, kw_only=True)
class Role(ABC, Generic[A]):
    """Who writes to an address, and what is done with his letter.

    `about` is the game or the tournament, `email` his registered address, which alone is answered, `written` how many
    letters came from him within the hour before this one, `seat` his seat if he has one. `game` is where the operator's
    letters about him belong, if he is one of a game.
    """

    NAME: ClassVar[str]
    """What his letters are called in the inbox."""
    FALSE: ClassVar[Msg | None] = None
    """What the operator is told of a letter that was not read because its From is false, with the gap `game`."""
    READS_FORGED: ClassVar[bool] = False
    """Whether a letter is read whose From is known to be false: its address proves enough."""
    KNOWN: ClassVar[bool] = True
    """Whether the address that he writes to proves who he is. Of others nothing but the header is kept."""
    READER: ClassVar[Reader[Any]]
    """What his letters are read by."""

    work: Transaction
    about: str
    email: str
    zone: str = "UTC"
    written: int = 0
    game: str = ""
    seat: tables.Seat | None = None

    @abstractmethod
    def head(self, answer: A | None = None) -> Head:
        """What heads a letter to him, with the address that he writes to, which what he wrote may have changed."""

    @abstractmethod
    def envelope(self, answer: A | None = None) -> outbox.Envelope:
        """Where a letter to him goes, and how he wants it."""

    @abstractmethod
    def answer(self, incoming: Incoming) -> A:
        """Begin the answer to a letter of his, which has been kept; nothing is said in it yet."""

    def wants(self, text: str) -> bool:
        """Tell whether a text says something to do."""
        return self.READER.wanted(text, self.work.server.settings.limits)

    def carry_out(self, answer: A, text: str) -> bool:
        """Do what a text says; return whether it says nothing."""
        return self.READER.carry_out(answer, text)

    def essence(self, text: str) -> object:
        """What two letters have in common that say the same; false if the text says nothing."""
        return text.split()

    def own_words(self, head: IncomingLetter) -> Ours:
        """What of ours may come back in a letter of his."""
        return NOTHING_OF_OURS

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """What to tell of a letter's From."""
        return senders.notes_on_other_address(self.email, sender)

    def sign(self, row: tables.Inbox) -> None:
        """Note in a letter's row who wrote it: his seat, else his registered address."""
        if self.seat is not None:
            row.seat_id = self.seat.id
        elif self.email:
            row.sender = base_address(self.email)

    def is_enough(self, answer: A) -> bool:
        """Tell whether the answer stays away, because he got too many like it."""
        return False


class Claim(NamedTuple):
    """What an address is worth, and with a good token whom it speaks for.

    It is a role's, one that was a role's, none that ever was, or no such address at all.
    """

    kind: Literal["token", "rotated", "wrong", "none"]
    role: Role[Any] | None = None


Finder = Callable[[Transaction, SeatAddress], Claim | None]
"""Finds out whom an address speaks for; None if it is not of its role.

What it says is about is locked before anything of it is read: what is read then stays true until the end of the
transaction.
"""


GENERATIONS = 20
"""Replaced addresses that are still known as such."""


def worth(token: str, generation: int, token_of: Callable[[int], str]) -> Literal["token", "rotated", "wrong"]:
    """Tell whether a token is that of a generation, one of those before it, or none."""
    if tokens.is_same(token_of(generation), token):
        return "token"
    older = range(generation - 1, max(0, generation - 1 - GENERATIONS), -1)
    return "rotated" if any(tokens.is_same(token_of(one), token) for one in older) else "wrong"


def claim(tx: Transaction, address: SeatAddress | None, finders: Sequence[Finder]) -> Claim:
    """Find out whom an address speaks for at this moment."""
    if address is None:
        return Claim("none")
    claims = (find(tx, address) for find in finders)
    return next((claim for claim in claims if claim is not None), Claim("wrong"))


def one_named(tx: Transaction, named: Iterable[SeatAddress], finders: Sequence[Finder]) -> Claim:
    """The claim of a letter to no role's address whose text holds some: that of the only good one, else none."""
    claims = [claim(tx, address, finders) for address in sorted(named)[:5]]
    good = [found for found in claims if found.kind == "token"]
    return good[0] if len(good) == 1 else Claim("none")
