"""Check who may write to which address, and answer his letter.

All roles share this. A role is a file: it finds its own addresses (`RoleFinder`), and its `Role` has the
author, the handling of the text, and the address of the answer. The server lists the finders (catalogue.py)
and passes each letter through the same checks (intake.py).
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
from pbem.letters.content import LetterHead, Mistake
from pbem.mail.address import SeatAddress, base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import NO_OWN_WORDS, IncomingLetter, OwnWords
from pbem.runtime import tokens
from pbem.runtime.limits import Limits
from pbem.runtime.transaction import Act, Transaction
from pbem.store import tables


class IncomingFromRole(NamedTuple):
    """A letter with a known author: its text, inbox row, bytes, and From evidence."""

    letter: IncomingLetter
    row: tables.Inbox
    raw: bytes
    evidence: Evidence


@dataclass(kw_only=True)
class Answer(Transaction):
    """The one answer to a letter, while it is made."""

    RANKS: ClassVar[tuple[str, ...]] = ()
    """Kinds of answers, the weightiest first."""
    NOT_DONE: ClassVar[str] = "refusal"
    """The kind of an answer to a letter that was refused."""
    CALLED: ClassVar[Mapping[str, Msg]] = MappingProxyType({})
    """What an answer's subject calls a kind, if the role has a name of its own for it."""

    kinds: list[str] = field(default_factory=list)
    opening: list[Msg] = field(default_factory=list)
    errors: list[Mistake] = field(default_factory=list)
    blocks: list[Json] = field(default_factory=list)
    closing: list[Msg] = field(default_factory=list)
    news: Msg | None = None
    """What the answer's subject says, if it is not what its kind says."""
    following: list[Act] = field(default_factory=list)
    """Acts that listeners are told once the answer is queued, so that their letters come after it."""
    silent: str = ""
    """Why nothing is answered, as stored with the letter; empty if there is an answer."""

    @property
    def kind(self) -> str:
        """Return the kind of the answer, the weightiest so far; empty at first."""
        return min(self.kinds, key=self.RANKS.index, default="")

    @property
    def outcome(self) -> str:
        """Return what came of the letter, as its row stores it."""
        return self.silent or self.kind

    def say(self, kind: str, *sentences: Msg, blocks: Iterable[Json] = ()) -> None:
        """Add to the answer."""
        self.kinds.append(kind)
        self.opening += sentences
        self.blocks += blocks

    def notify_of_following(self) -> None:
        """Tell listeners the acts that follow the queued answer."""
        for act in self.following:
            self.notify_listeners(act)

    def refuse_unread(self, sentences: Iterable[Msg]) -> None:
        """Add the reason why the letter was not read."""
        self.say(self.NOT_DONE, *sentences)

    def to_json(self, head: LetterHead) -> Json:
        """Return the letter to send back."""
        return content.Letter(
            self.kind,
            head,
            opening=self.opening,
            errors=self.errors,
            blocks=self.blocks,
            closing=self.closing,
            what=self.news or self.CALLED.get(self.kind),
        ).to_json()


A = TypeVar("A", bound=Answer)
A_contra = TypeVar("A_contra", bound=Answer, contravariant=True)


class RoleReader(Protocol[A_contra]):
    """Reads and carries out the letters of a role."""

    def has_requests(self, text: str, limits: Limits, /) -> bool:
        """Return whether a text asks for anything."""

    def carry_out(self, answer: A_contra, text: str, /) -> bool:
        """Carry out a text whole or not at all; return whether it is empty."""


@dataclass(frozen=True, kw_only=True)
class Role(ABC, Generic[A]):
    """The author of letters to an address, and how they are handled.

    `about` is the game or the tournament, `email` the author's registered address, to which all answers go,
    `written` the number of his letters within the hour before this one, `seat` his seat if he has one. `game` is
    the game that the operator's letters about him name, if any.
    """

    NAME: ClassVar[str]
    """The name of this role's letters in the inbox."""
    FALSE: ClassVar[Msg | None] = None
    """What the operator reads of a letter that was refused because its From is false, with the gap `game`."""
    READS_FORGED: ClassVar[bool] = False
    """Whether a letter with a false From is read all the same: the address alone proves enough."""
    KNOWN: ClassVar[bool] = True
    """Whether the address written to proves who the author is. For other authors only the header is kept."""
    READER: ClassVar[RoleReader[Any]]
    """The reader of this role's letters."""

    work: Transaction
    about: str
    email: str
    zone: str = "UTC"
    written: int = 0
    game: str = ""
    seat: tables.Seat | None = None

    @abstractmethod
    def head(self, answer: A | None = None) -> LetterHead:
        """Return the head of a letter to the author.

        Its address is the one to which the author writes, which his letter may have changed.
        """

    @abstractmethod
    def envelope(self, answer: A | None = None) -> outbox.Recipient:
        """Return the recipient and format of a letter to the author."""

    @abstractmethod
    def answer(self, incoming: IncomingFromRole) -> A:
        """Return an empty answer to a stored letter of the author."""

    def wants(self, text: str) -> bool:
        """Return whether a text asks for anything."""
        return self.READER.has_requests(text, self.work.server.settings.limits)

    def carry_out(self, answer: A, text: str) -> bool:
        """Carry out a text; return whether it is empty."""
        return self.READER.carry_out(answer, text)

    def essence(self, text: str) -> object:
        """Return the requests of a text, equal for equal letters.

        The result is false if there are none.
        """
        return text.split()

    def own_words(self, head: IncomingLetter) -> OwnWords:
        """Return the server's words that the author's letter may quote."""
        return NO_OWN_WORDS

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """Return notes on a letter's From."""
        return senders.notes_on_other_address(self.email, sender)

    def sign(self, row: tables.Inbox) -> None:
        """Record a letter's author in its row, by seat or registered address."""
        if self.seat is not None:
            row.seat_id = self.seat.id
        elif self.email:
            row.sender = base_address(self.email)

    def is_enough(self, answer: A) -> bool:
        """Return whether to leave the answer out: the author got too many like it."""
        return False


class AddressState(NamedTuple):
    """The state of an address, and its role if its token is valid.

    The address is valid, was valid before, has a wrong token, or belongs to nobody.
    """

    kind: Literal["token", "rotated", "wrong", "none"]
    role: Role[Any] | None = None


RoleFinder = Callable[[Transaction, SeatAddress], AddressState | None]
"""Finds the owner of an address; None if the address is not of its role. The game or tournament is locked before it is
read, so that what is read stays true until the end of the transaction."""


RECOGNISED_GENERATIONS = 20
"""Replaced addresses that are still recognised, so that old threads get an answer: players replace an address a few
times."""


def token_state(token: str, generation: int, token_of: Callable[[int], str]) -> Literal["token", "rotated", "wrong"]:
    """Return whether a token is of a generation, of an earlier one, or wrong."""
    if tokens.is_same_secret(token_of(generation), token):
        return "token"
    # Generations are counted from 1, and a range ends before its second number.
    older = range(generation - 1, max(0, generation - 1 - RECOGNISED_GENERATIONS), -1)
    return (
        "rotated"
        if any(tokens.is_same_secret(token_of(older_generation), token) for older_generation in older)
        else "wrong"
    )


def address_state(tx: Transaction, address: SeatAddress | None, finders: Sequence[RoleFinder]) -> AddressState:
    """Return whether an address is valid at this moment, and whose it is."""
    if address is None:
        return AddressState("none")
    claims = (find(tx, address) for find in finders)
    return next((claim for claim in claims if claim is not None), AddressState("wrong"))


def address_state_in_text(
    tx: Transaction, addresses: Iterable[SeatAddress], finders: Sequence[RoleFinder]
) -> AddressState:
    """Return the state of the only valid role address in a letter's text.

    None if the text has no such address, or several.
    """
    # A choice: a letter rarely names more than one; each claim costs queries, and anybody can name many.
    claims = [address_state(tx, address, finders) for address in sorted(addresses)[:5]]
    valid = [candidate for candidate in claims if candidate.kind == "token"]
    return valid[0] if len(valid) == 1 else AddressState("none")
