"""The answer to a letter: the letter being worked on, and the answer as it grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import speech
from pbem.engine.terms import Respelt, Warned
from pbem.letters import content, outbox
from pbem.letters.content import Head
from pbem.letters.reception import Answer
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines, promises
from pbem.play.positions import Position
from pbem.store import changes, queries, tables
from pbem.store.queries.seats import Heard, SeatStatus


@dataclass(kw_only=True)
class SeatAnswer(Answer):
    """Who wrote, the game as it stands, and what the one answer will say.

    `letter` is what was received and `inbox` its row. `here` and `phase` are None before the game has begun; `phase` is
    None also when the game is over, and while the phase waits for answers: then it is `closed`. `sittings` are the
    seats of the game as they were when the letter came, in the order of play. `going` is True once the letter has said
    GO, `unread` if nothing in it was understood. `in_force` are the seat's standing orders, known once its block of
    orders was queued.
    """

    RANKS = (
        "over",
        "closed",
        "refusal",
        "receipt",
        "answered",
        "verified",
        "cancelled",
        "joined",
        "confirm",
        "status",
        "answer",
        "settings",
        "help",
    )

    game: tables.Game
    seat: tables.Seat
    letter: IncomingLetter
    inbox: tables.Inbox
    here: Position | None
    phase: tables.Phase | None
    sittings: tuple[SeatStatus, ...]
    warnings: list[Warned] = field(default_factory=list)
    respelt: list[Respelt] = field(default_factory=list)
    template: bool = False
    has_block: bool = False
    has_later: bool = False
    going: bool = False
    unread: bool = False
    in_force: Sequence[str] | None = None
    closed: tables.Phase | None = None
    _queued: dict[str, tables.QueuedOrders | None] = field(init=False, default_factory=dict)
    _said: dict[str, str | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._queued |= {one.seat.name: one.orders for one in self.sittings}
        self._said |= {one.seat.name: one.word for one in self.sittings}

    @property
    def seats(self) -> tuple[tables.Seat, ...]:
        """The seats of the game in the order of play."""
        return tuple(one.seat for one in self.sittings)

    @property
    def active(self) -> bool:
        """True if the open phase asks this seat for orders."""
        return self.phase is not None and self.here is not None and self.seat.name in self.here.active

    @property
    def current(self) -> tables.Phase | None:
        """The phase that the game is in, be it open or waiting for answers."""
        return self.phase or self.closed

    @property
    def queued(self) -> tables.QueuedOrders | None:
        """The orders that this seat would be played by if the phase closed now."""
        row = self._queued[self.seat.name]
        return row if row is not None and row.state == "queued" else None

    def queue(self, row: tables.QueuedOrders) -> None:
        """From now on these are the seat's queued orders; they have been stored."""
        self._queued[self.seat.name] = row

    def wish(self, word: str) -> None:
        """Write what the seat wants of the open phase's closing, in the place of what it said before."""
        if self.phase is not None and word != (self._said[self.seat.name] or ""):
            changes.wish(self.session, self.phase, self.seat, word)
            self._said[self.seat.name] = word or None

    @property
    def wished(self) -> str:
        """What the seat said of the open phase's closing; empty if nothing."""
        return self._said[self.seat.name] or ""

    @property
    def heard(self) -> Heard:
        """What the open phase has heard of its seats, with what this letter has done so far."""
        by_seat = {seat: row for seat, row in self._queued.items() if row is not None and row.state == "queued"}
        early = {seat: row.origin for seat, row in by_seat.items() if row.waits}
        return Heard(frozenset(by_seat), {seat: word for seat, word in self._said.items() if word}, early)

    @property
    def missing(self) -> tuple[str, ...]:
        """The seats whose orders the open phase still waits for."""
        return deadlines.not_in(self.here, self.heard) if self.here is not None else ()

    def begun(self) -> Position | None:
        """The game as it stands; before it has begun the answer says so."""
        if self.here is None:
            self.say("answer", msg("The game has not begun."))
        return self.here

    def echoed(self, lines: Iterable[str]) -> list[str]:
        """Lines of canonical orders in the words of the reader's language."""
        return speech.echoed(lines, self.server.rules_of(self.game).telling.spoken, self.seat.language)

    def reworded(self, lines: Iterable[str]) -> list[str]:
        """Lines that the player wrote, canonical words among his in those of his language."""
        return speech.reworded(lines, self.server.rules_of(self.game).telling.spoken, self.seat.language)

    def when(self, moment: datetime) -> Msg:
        """A moment in the seat's own zone."""
        return content.when(moment, self.seat.zone)

    def announce(self, told: outbox.Opening, cause: str, may_wait: bool = True) -> None:
        """Tell everybody but the writer, who hears of it in the answer; `may_wait` as in a circular."""
        outbox.to_all(self, self.game, self.phase, outbox.Circular(told, cause=cause, but=self.seat, may_wait=may_wait))

    def _what(self) -> Msg | None:
        """What the subject says in the place of the kind: that no orders were in the letter, or none of it was done."""
        if self.kind == "refusal" and not (self.has_block or self.has_later):
            return content.NOT_DONE
        return content.NO_ORDERS if self.unread and self.kind == "help" else None

    def to_json(self, head: Head) -> Json:
        """The letter to send back. A refusal says in its subject whether there were orders in the letter."""
        template = self.seat.template.split("\n") if self.template and self.seat.template else ()
        texts = queries.orders.standing_texts(self.session, self.seat) if template else ()
        form = None if self.here is None else promises.promise_form(self.here, template, texts)
        return content.Letter(
            self.kind,
            head,
            opening=self.opening,
            errors=self.errors,
            warnings=self.warnings,
            blocks=self.blocks,
            closing=self.closing,
            template=template,
            form=form,
            what=self._what(),
        ).to_json()
