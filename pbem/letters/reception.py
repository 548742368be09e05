"""A letter to an address that is not a seat's: the gates that it passes, alike for all roles, and its one answer.

A letter whose From is known to be false is not read, and nobody is read more often within an hour than he may write.
The answer goes to the registered address alone. It warns if the letter came from another address, or if others can
read the address that it went to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import ClassVar, Generic, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox, senders
from pbem.letters.content import Head, Mistake
from pbem.mail.address import base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.runtime import limits
from pbem.runtime.transaction import Work
from pbem.store import queries, tables


@dataclass
class RoleAnswer(Work):
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

    @property
    def kind(self) -> str:
        """The kind of the answer, the weightiest of what was said; empty as long as nothing was."""
        return min(self.kinds, key=self.RANKS.index, default="")

    def say(self, kind: str, *sentences: Msg, blocks: Iterable[Json] = ()) -> None:
        """Add to the answer."""
        self.kinds.append(kind)
        self.opening += sentences
        self.blocks += blocks

    def to_json(self, head: Head) -> Json:
        """The letter to send back."""
        called = self.CALLED.get(self.kind)
        letter = content.Letter(
            self.kind, head, opening=self.opening, errors=self.errors, blocks=self.blocks, what=called
        )
        return letter.to_json()


A = TypeVar("A", bound=RoleAnswer)


@dataclass(frozen=True)
class Role(Generic[A]):
    """Who writes to an address, and what is done with his letter.

    `name` is what his letters are called in the inbox, `about` the game or the tournament, `written` how many letters
    came from him within the hour, this one not counted. `head` says what heads a letter to him, with the address that
    he writes to, which his letter may change. `wants` tells whether a text says something to do; `carry_out` does it,
    and returns whether there was nothing.
    """

    name: str
    about: str
    zone: str
    written: int
    to: outbox.Envelope
    answer: A
    head: Callable[[], Head]
    wants: Callable[[str], bool]
    carry_out: Callable[[A, str], bool]


def receive(work: Work, letter: IncomingLetter, row: tables.Inbox, role: Role[A], evidence: Evidence) -> str:
    """Do what a letter says and queue its answer; return what came of it."""
    if evidence == "fail":
        _tell_operator(work, role)
        return "unauthentic"
    over = senders.too_many(work.server, role.written)
    if over > 1:
        return "over-budget"
    answer, address, email = role.answer, role.head().address, role.to.recipient
    if letter.sender and base_address(letter.sender) != base_address(email):
        answer.opening += _from_elsewhere(letter.sender)
    if over:
        answer.say(answer.NOT_DONE, _too_many(work, role.zone))
    elif work.meter is not None and work.meter.excess is not None:
        answer.say(answer.NOT_DONE, *limits.told(work.meter.excess))
    elif letter.refusal is not None:
        answer.say(answer.NOT_DONE, _UNREAD, *senders.notes_on_limit(letter), limits.LARGER)
    else:
        nothing = role.carry_out(answer, letter.text)
        answer.opening += senders.notes_on_letter(letter, nothing=nothing)
    # After ROTATE the new one stands there: what the others have read is worthless.
    if role.head().address == address:
        answer.opening += senders.warn_of_readers(letter, email, address)
    cause = f"{letter.message_id} {row.sha256}" + (f" {row.id}" if row.copy_of is not None else "")
    outbox.queue(work, answer.to_json(role.head()), role.to, cause, row)
    return "over-budget" if over else answer.kind


def tell_of_trouble(work: Work, row: tables.Inbox, role: Role[A], told: Msg, cause: str) -> None:
    """Tell somebody that a letter of his was not read."""
    letter = content.Letter("fault", role.head(), opening=(told,))
    outbox.queue(work, letter.to_json(), role.to, cause, row)


_UNREAD = msg("Your letter could not be read, or is larger than I read. Nothing was changed.")


def _too_many(work: Work, zone: str) -> Msg:
    return msg(
        "More than {count} letters came from you within an hour. This one was not read, and others will not even "
        "be answered; send it again after {when}.",
        count=work.server.letters_an_hour,
        when=content.when(work.now + timedelta(hours=1), zone),
    )


def _from_elsewhere(sender: str) -> tuple[Msg, ...]:
    return (
        msg("This letter came from {address}, which is not where I write to you.", address=sender),
        msg("If it was not you, somebody knows your address here: ROTATE gives you another one."),
    )


def _tell_operator(work: Work, role: Role[A]) -> None:
    """Tell once a day that a letter says falsely who it is from: it was not read, and its writer gets no answer."""
    if queries.inbox.taken_since(work.session, role.name, work.now - timedelta(days=1), ["unauthentic"]):
        return
    what = msg(_FALSE[role.name].text, game=role.about)
    game = role.about if role.name == "moderator" else ""
    outbox.to_operator(work, outbox.Notice(what, "", cause=f"false {role.about} {work.now.isoformat()}", game=game))


_FALSE = {
    "moderator": msg("A letter to the moderator's address of {game} was not read: its From is false."),
    "entrant": msg("A letter to an entrant's address in {game} was not read: its From is false."),
    "director": msg("A letter to the director's address of {game} was not read: its From is false."),
}
