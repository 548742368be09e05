"""The answer to a letter of a seat, as it grows while the letter is executed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import speech
from pbem.engine.terms import OrderWarning, RespeltName
from pbem.letters import content, outbox
from pbem.letters.content import LetterHead
from pbem.letters.reception import Answer
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines, promises
from pbem.play.positions import Position
from pbem.store import changes, queries, tables
from pbem.store.queries.seats import PhaseStatus, SeatStatus


@dataclass(kw_only=True)
class SeatAnswer(Answer):
    """A letter's sender, its game, and the one answer to it.

    `letter` is the received letter and `inbox` its row. `position` and `phase` are None before the game has begun;
    `phase` is None also when the game is over, and while the phase waits for answers: then it is `closed`.
    `sittings` are the seats of the game when the letter came, in the order of play. `going` is True once the letter
    has said GO, `unread` if nothing in it was understood. `in_force` are the seat's standing orders, known once its
    block of orders was queued.
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
    warnings: list[OrderWarning] = field(default_factory=list)
    respelt: list[RespeltName] = field(default_factory=list)
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
        self._queued |= {sitting.seat.name: sitting.orders for sitting in self.sittings}
        self._said |= {sitting.seat.name: sitting.word for sitting in self.sittings}

    @property
    def seats(self) -> tuple[tables.Seat, ...]:
        """Return the game's seats in the order of play."""
        return tuple(sitting.seat for sitting in self.sittings)

    @property
    def active(self) -> bool:
        """Return whether the open phase asks this seat for orders."""
        return self.phase is not None and self.here is not None and self.seat.name in self.here.active

    @property
    def current(self) -> tables.Phase | None:
        """Return the present phase, open or waiting for answers."""
        return self.phase or self.closed

    @property
    def queued_orders(self) -> tables.QueuedOrders | None:
        """Return the seat's orders that would count if the phase closed now."""
        row = self._queued[self.seat.name]
        return row if row is not None and row.state == "queued" else None

    def queue(self, row: tables.QueuedOrders) -> None:
        """Record stored orders as the seat's queued ones."""
        self._queued[self.seat.name] = row

    def set_wish(self, word: str) -> None:
        """Store the seat's wish for the open phase's closing, replacing the last."""
        if self.phase is not None and word != (self._said[self.seat.name] or ""):
            changes.set_wish(self.session, self.phase, self.seat, word)
            self._said[self.seat.name] = word or None

    @property
    def wish(self) -> str:
        """Return the seat's wish for the closing of the open phase; empty if none."""
        return self._said[self.seat.name] or ""

    @property
    def phase_status(self) -> PhaseStatus:
        """Return the state of the open phase's seats, with changes by this letter."""
        by_seat = {seat: row for seat, row in self._queued.items() if row is not None and row.state == "queued"}
        early = {seat: row.origin for seat, row in by_seat.items() if row.waits}
        return PhaseStatus(frozenset(by_seat), {seat: word for seat, word in self._said.items() if word}, early)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the seats whose orders the open phase still waits for."""
        return deadlines.seats_without_orders(self.here, self.phase_status) if self.here is not None else ()

    def require_position(self) -> Position | None:
        """Return the game's position; before its beginning None, and say so."""
        if self.here is None:
            self.say("answer", msg("The game has not begun."))
        return self.here

    def echo_lines(self, lines: Iterable[str]) -> list[str]:
        """Return lines of canonical orders in the words of the reader's language."""
        return speech.echo_lines(lines, self.server.rules_of(self.game).telling.spoken, self.seat.language)

    def reword_lines(self, lines: Iterable[str]) -> list[str]:
        """Return the player's lines with canonical words in the player's language."""
        return speech.reword_lines(lines, self.server.rules_of(self.game).telling.spoken, self.seat.language)

    def when(self, moment: datetime) -> Msg:
        """Return a moment in the seat's own zone."""
        return content.moment_in_words(moment, self.seat.zone)

    def announce(self, opening: outbox.Opening, cause: str, may_wait: bool = True) -> None:
        """Notify everybody but the writer, whose answer has the news.

        `may_wait` is as in a circular.
        """
        outbox.announce_to_all(
            self, self.game, self.phase, outbox.Announcement(opening, cause=cause, but=self.seat, may_wait=may_wait)
        )

    def _what(self) -> Msg | None:
        """Return the subject of letters without orders, or not executed."""
        if self.kind == "refusal" and not (self.has_block or self.has_later):
            return content.NOT_CARRIED_OUT
        return content.NO_ORDERS if self.unread and self.kind == "help" else self.news

    def to_json(self, head: LetterHead) -> Json:
        """Return the letter to send back.

        The subject of a refusal says whether there were orders in the letter.
        """
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
