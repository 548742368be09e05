"""What can happen to a server, each with what must be true after it: the machine's actions, for tests by hand as well.

Every letter holds a word of its own, and the spaces that counters are sent to have numbers that nobody else uses: what
a letter to one seat may hold of them is known.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlmodel import col, select

from pbem.engine.data.canon import loads
from pbem.log import log_check
from pbem.play.replay import replay
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.store.tables import log as log_tables
from pbem.verifier.record import FALSE
from tests.audit.checked import items, verify
from tests.harness.letters import mail
from tests.machine.model import Model
from tests.machine.quartet import COUNTERS, SIDES
from tests.machine.roles import Roles
from tests.machine.server import GAME, MODERATOR, Host
from tests.mail.test_delivery import RETURNED, TO, dsn

BEGINS = datetime(2026, 10, 23, 9, tzinfo=UTC)
"""A Friday; in the night to Sunday an hour comes twice in the zone of the game."""
TERMS = Terms(reminder_hours=12, ladder=("standby", "moderator"))
PACE = Pace("Europe/Madrid", hour=20)
_WORD = re.compile(r"\bzq\d+\b|\bs[1-9]\d{3}\b")
_CODE = re.compile(r"^(RESIGN|CONCEDE|DRAW) CODE ([a-z2-7]{8})$", re.MULTILINE)
_ROUNDS = 40


class Written(NamedTuple):
    """A letter as it was handed in: who wrote it, from a seat's address or as a stranger, and its bytes."""

    seat: str
    name: str
    raw: bytes
    kind: str
    text: str = ""
    turn: int = 0
    dated: datetime = BEGINS
    answered: bool = True


@dataclass
class Play:
    """A server, the model beside it, and what was seen so far."""

    folder: Path
    server: Host = field(init=False)
    roles: Roles = field(init=False)
    model: Model = field(default_factory=Model)
    letters: list[Written] = field(default_factory=list)
    waiting: dict[int, Written] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    readers: dict[str, set[str]] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=lambda: {f"{seat}@players.example": seat for seat in SIDES})
    codes: dict[tuple[str, str], tuple[str, datetime]] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    received: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    leaves: dict[tuple[str, int], bytes] = field(default_factory=dict)
    touched: datetime = BEGINS
    forced: bool = False
    count: int = 0

    def __post_init__(self) -> None:
        self.server = Host(self.folder, TERMS, PACE, BEGINS)
        self.roles = Roles(self)
        self.settle()

    @property
    def now(self) -> datetime:
        return self.server.clock.now()

    # What happens.

    def orders(self, seat: str, *, turn: int = 0, kind: str = "good", back: float = 0, later: bool = False) -> Written:
        """A block of orders, good or bad; `back` minutes lie between its writing and its arrival."""
        word, number = self.word(seat), 1000 + self.count
        unit, turn = COUNTERS[seat], turn or self.model.turn
        line = {
            "good": f"MOVE {unit} TO s{number}",
            "attack": f"CREEP {unit} TO s{1 + number % 4}",
            "fall": f"MOVE {unit} TO s0",
            "bad": f"JUMP {unit} TO s{number}",
        }[kind]
        self.readers[f"s{number}"] = {seat}
        head = "LATER" if later else "ORDERS"
        what = "bad" if kind == "bad" else "later" if later else "orders"
        return self._put(seat, what, f"{head} T{turn} // {word}\n{line}\nEND\n", f"{line}\n", turn, back)

    def say(self, seat: str, kind: str, text: str) -> Written:
        """Any other letter of a seat's player."""
        return self._put(seat, kind, f"{text}\n# {self.word(seat)}\n", text)

    def other(self, seat: str, text: str) -> Written:
        """Something else that a player may write; {unit} in it is his counter."""
        return self.say(seat, "other", text.format(unit=COUNTERS[seat]))

    def press(self, seat: str, to: str) -> Written:
        """A letter to another seat, which nobody else may read."""
        word = self.word(seat)
        self.readers[word] = {seat, to}
        return self._put(seat, "press", f"PRESS TO {to}\nMeet me, {word}.\nENDPRESS\n", to)

    def confirm(self, seat: str, word: str, right: bool = True) -> None:
        """Send a code back, the one that was mailed or a wrong one."""
        code, when = self.codes.get((seat, word), ("aaaaaaaa", self.now))
        good = right and (seat, word) in self.codes and (self.now.date() - when.date()).days < 7
        self._put(seat, f"confirmed {word}" if good else "wrong code", f"{word} CODE {code if right else 'aaaaaaaa'}\n")

    def again(self, place: int) -> None:
        """The same bytes come once more."""
        if self.letters:
            old = self.letters[place % len(self.letters)]
            self.waiting[self.server.box.put(old.raw)] = old
            self.settle()

    def stranger(self) -> None:
        name = self.name()
        raw = mail("eve@elsewhere.example", "pbem@games.example", "Who are you?\n", Message_ID=name, Date=self.now)
        self.post("", name, raw, "stranger")

    def bounce(self, place: int) -> None:
        """A letter to a seat comes back for good."""
        if not self.server.delivered:
            return
        envelope = self.server.delivered[place % len(self.server.delivered)]
        name = self.name()
        raw = dsn("Action: failed\r\nStatus: 5.1.1").replace(TO.encode(), envelope.sender.encode())
        raw = raw.replace(b"<report@mx.example>", name.encode())
        returned = email.message_from_bytes(envelope.raw)["Message-ID"]
        raw = raw.replace(RETURNED.encode(), str(returned).encode())
        self.post("", name, raw, "bounce", answered=False)

    def forward(self, **much: float) -> None:
        self.server.clock.forward(**much)
        self.settle()

    def to_the_next_due(self) -> bool:
        """The clock goes on to what is due first, or stays; False if nothing is."""
        dues = self.server.all(tables.Due)
        if dues:
            self.server.clock.set(max(self.now, min(due.at for due in dues)))
        self.settle()
        return bool(dues)

    def rule(self, line: str) -> bool:
        """A ruling from the command line; False if it cannot be made."""
        word, rest = (*line.split(" ", 1), "")[:2]
        self.forced = word == "PROCESS"
        try:
            self.server.rule(f"{line} BECAUSE of the season")
        except (UserError, RuntimeError):
            self.forced = False
            self.settle()
            return False
        self.touched = self.now
        self._ruled(word, rest)
        self.observe()
        self.forced = False
        self.settle()
        return True

    def line_of(self, word: str) -> str:
        """The line of a ruling on the game as it stands now."""
        if word == "PROCESS":
            return f"PROCESS T{self.model.turn}.{self.model.moving}"
        if word == "SUBSTITUTE":
            seat = sorted(SIDES)[self.count % 4]
            return f"SUBSTITUTE {seat} BY other{self.count}@players.example"
        return word

    def _ruled(self, word: str, rest: str) -> None:
        model = self.model
        if word == "HOLD":
            assert model.state == "running"
            model.state = "held"
        elif word in ("RESUME", "PROCESS"):
            assert model.state != "over"
            model.state = "running"
        elif word == "ADJUDICATE":
            model.state = "over"
        elif word == "SUBSTITUTE":
            seat, _, who = rest.split()[:3]
            self.homes[who] = seat
            model.players.add(seat)
            self.server.addresses[seat] = self._address(seat)
            self.codes = {key: code for key, code in self.codes.items() if key[0] != seat}

    # What must be true.

    def settle(self) -> None:
        """All letters that came are taken in, what is due is done, what can go out goes out; and all is looked at."""
        box = self.server.box
        for _ in range(max(1, len(box.lying))):
            deadline = self._deadline()
            lying = dict(box.lying)
            self.roles.look()
            self.server.poll()
            for uid in lying.keys() - box.lying.keys():
                self._took(self.waiting[uid], lying[uid].at, deadline)
                self.observe()
                self.forced = False
        if not box.down:
            assert not box.lying, "a letter stays in the mailbox"
        self.server.tick()
        self.observe()
        if not box.down:
            late = self.model.must_close(self.now, self._deadline(), self.touched)
            assert not late, f"{self.model.turn} {self.model.moving} should have closed by {self.now}"
        for envelope in self.server.drain():
            self._read(envelope.recipient, envelope.raw)
        self._look_at_mail()
        self._look_at_log()
        self._somebody_is_waited_for()

    def _took(self, letter: Written, moment: datetime, deadline: datetime) -> None:
        """A letter was taken in: what the model makes of it, and the server."""
        rows = self._inbox(letter)
        assert rows, f"{letter.name} was never taken in"
        first = letter.name not in self.taken
        for line in self.roles.took(letter.name, rows[0], first):
            word, _, rest = line.partition(" BECAUSE")[0].partition(" ")
            self.forced, self.touched = word == "PROCESS", self.now
            self._ruled(word, rest)
        if not first:
            return
        self.taken.add(letter.name)
        if not letter.seat:
            return
        if rows[0].verdict != "seat":
            assert self._vacated(letter), f"the player of {letter.seat} is taken for a {rows[0].verdict}"
            return
        self.touched = self.now
        outcome, model, open_ = rows[0].outcome, self.model, moment <= deadline
        later = letter.kind == "later" and outcome == "receipt"
        if later and model.later(letter.seat, letter.turn, letter.text, letter.dated):
            return
        if letter.kind == "orders" or later:
            expected = model.orders(letter.seat, letter.turn, letter.text, letter.dated, open_)
            assert (outcome == "receipt") == (expected == "receipt"), f"{letter}: {outcome}, not {expected}"
            if expected == "receipt":
                model.moved, model.early = self.now, model.early - {letter.seat}
        elif letter.kind == "bad":
            assert outcome in ("refusal", "closed", "over"), outcome
        elif letter.kind in ("wait", "nowait", "go") and open_:
            model.wish(letter.seat, letter.kind)
        elif letter.kind == "cancel" and open_:
            model.cancel(letter.seat)
        elif letter.kind == "other" and letter.text == "CANCEL LATER":
            model.kept = {key: kept for key, kept in model.kept.items() if key[0] != letter.seat}
        elif letter.kind.startswith("confirmed "):
            self._confirmed(letter.seat, letter.kind.split()[1])

    def _confirmed(self, seat: str, word: str) -> None:
        if self.model.state == "over":
            return
        if word == "RESIGN":
            self.model.players.discard(seat)
        else:
            self.model.agree(seat, word)

    def observe(self) -> None:
        """The server's game is that of the model."""
        game, model = self._game(), self.model
        rows = sorted(self.server.all(tables.Phase), key=lambda row: row.number)
        names = {row.id: row.name for row in self.server.all(tables.Seat)}
        ends = [event.phase_id for event in self.server.all(tables.Event) if event.kind == "ended"]
        assert len(ends) == len(set(ends)), "a phase was resolved twice"
        assert set(ends) == {row.id for row in rows if row.state == "resolved"}
        for row in rows[model.phases :]:
            if row.state == "open" or model.state == "over":
                break
            if not model.closed:
                assert self.forced or model.may_close(self.now, row.deadline), f"{row.turn} {row.name} closed too early"
                for seat, (revision, text) in model.close().items():
                    carried, orders_text, _ = loads(row.orders)[seat]
                    assert (carried, orders_text) == (revision, text), f"orders of {seat}: {carried, orders_text}"
                    for word in _WORD.findall(text):
                        self.readers[word] = {*SIDES, MODERATOR}
            if row.state == "resolved":
                model.resolve(self.now)
        if game.state == "held" and model.state == "running":
            fell = any("s0" in held.text for held in model.queued.values())
            missing = any(seat not in model.queued for seat in model.active)
            assert fell or (missing and self.now >= rows[-1].deadline), f"held: {game.held_why}"
            model.state, model.closed = "held", rows[-1].state == "closed"
        assert game.state == model.state
        if model.state == "over":
            return
        assert (rows[-1].turn, rows[-1].name, rows[-1].state == "closed") == (model.turn, model.moving, model.closed)
        if not model.closed:
            queued = {
                names[row.seat_id]: (row.revision, row.text)
                for row in self.server.all(tables.QueuedOrders)
                if row.phase_id == rows[-1].id and row.state == "queued"
            }
            expected = {seat: tuple(held[:2]) for seat, held in model.queued.items()}
            assert queued == expected, f"orders that are in: {queued}, not {expected}"

    def _somebody_is_waited_for(self) -> None:
        """A game that goes on waits for a moment that is planned, a held one for whoever reads why it is held."""
        game, dues = self._game(), self.server.all(tables.Due)
        if game.state == "running":
            kind = "answers" if self.model.closed else "close"
            assert kind in {due.kind for due in dues}, f"nothing is due: {dues}"
        else:
            assert not dues, f"a game that is {game.state} has something due: {dues}"
            assert game.state == "over" or game.held_why

    def _read(self, recipient: str, raw: bytes) -> None:
        """A letter is delivered: the same name is the same letter, and nothing in it is another's secret."""
        letter = email.message_from_bytes(raw, policy=email.policy.default)
        name = str(letter["Message-ID"])
        same = hashlib.sha256(recipient.encode() + raw).hexdigest()
        assert self.bodies.setdefault(name, same) == same, f"{name} was sent as two letters"
        seat = self.homes.get(recipient, "")
        body = letter.get_body(("plain",))
        text = "" if body is None else str(body.get_content())
        for word in set(_WORD.findall(text)):
            readers = self.readers.get(word)
            over = self.model.state == "over" and word.startswith("s")
            assert readers is None or (seat or recipient) in readers or over, (
                f"{seat or recipient} reads {word}:\n{text}"
            )
        self.roles.read(recipient, letter, text)
        self.received[seat or recipient].append(raw)
        if seat:
            for word, code in _CODE.findall(text):
                self.codes[seat, word] = (code, letter["Date"].datetime)

    def _look_at_mail(self) -> None:
        """Every letter taken in has one answer, and its orders were taken down once at most."""
        rows = self.server.all(tables.Outbox)
        answers: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            if row.in_reply_to:
                answers[row.in_reply_to].add(row.message_id)
        names = {row.id: row.message_id for row in self.server.all(tables.Inbox)}
        sets = [names[row.inbox_id] for row in self.server.all(tables.QueuedOrders)]
        assert len(sets) == len(set(sets)), "the orders of a letter were taken down twice"
        for letter in self.letters:
            if letter.name in self.taken:
                known = self._vacated(letter) and letter.name not in self.roles.answered
                least = 0 if known or not letter.answered else 1
                assert least <= len(answers[letter.name]) <= int(letter.answered), f"{letter}: {answers[letter.name]}"

    def _look_at_log(self) -> None:
        """The leaves that were there are there, as they were."""
        there = {(row.game, row.seq): row.body for row in self.server.all(log_tables.Leaf)}
        assert there.items() >= self.leaves.items(), "a leaf of the log was changed"
        self.leaves = there

    def finish(self) -> None:
        """Good weather, and the clock from moment to moment: the game ends, its letters verify, and it replays."""
        self.server.box.down = self.server.refusing = False
        self.settle()
        for _ in range(_ROUNDS):
            if self.model.state == "over":
                break
            if self.model.state == "held":
                for seat in SIDES:
                    self.orders(seat)
                self.rule("RESUME")
            assert self.to_the_next_due() or self.model.state != "running"
        assert self.model.state == "over", "the game does not end"
        self.forward(minutes=10)
        with self.server.server.work() as work:
            assert replay(work, GAME).difference is None
        assert log_check.check(self.server.server).wrong == ()
        for who, letters in self.received.items():
            sent_items = [item for index, raw in enumerate(letters) for item in items(f"{who}{index}", raw)]
            if sent_items:
                lines = verify(sent_items).lines
                assert [line for line in lines if line.status == FALSE] == [], who

    def close(self) -> None:
        self.server.close()

    # Small things.

    def _put(self, seat: str, kind: str, body: str, text: str = "", turn: int = 0, back: float = 0) -> Written:
        name, dated = self.name(), (self.now - timedelta(minutes=back)).replace(microsecond=0)
        who = [home for home, of in self.homes.items() if of == seat][-1]
        raw = mail(who, self.server.addresses[seat], body, Message_ID=name, Date=dated)
        return self.post(seat, name, raw, kind, text=text, turn=turn, dated=dated)

    def post(self, seat: str, name: str, raw: bytes, kind: str, **more: Any) -> Written:
        """A letter lies in the mailbox."""
        letter = Written(seat, name, raw, kind, **more)
        self.letters.append(letter)
        self.waiting[self.server.box.put(letter.raw)] = letter
        self.settle()
        return letter

    def name(self) -> str:
        self.count += 1
        return f"<machine-{self.count}@players.example>"

    def word(self, seat: str) -> str:
        self.count += 1
        self.readers[f"zq{self.count}"] = {seat}
        return f"zq{self.count}"

    def _vacated(self, letter: Written) -> bool:
        """Whether the seat that a letter came from has or had another player by now."""
        return letter.seat in self.given_up or letter.seat not in self.model.players

    @property
    def given_up(self) -> set[str]:
        return {seat for seat in SIDES if list(self.homes.values()).count(seat) > 1}

    def _inbox(self, letter: Written) -> list[tables.Inbox]:
        with self.server.server.session() as session:
            query = select(tables.Inbox).where(tables.Inbox.message_id == letter.name).order_by(col(tables.Inbox.id))
            return list(session.exec(query).all())

    def _game(self) -> tables.Game:
        (game,) = self.server.all(tables.Game)
        assert isinstance(game, tables.Game)
        return game

    def _deadline(self) -> datetime:
        """The deadline of the phase that is open, as the server has it."""
        rows = [row for row in self.server.all(tables.Phase) if row.state in ("open", "closed")]
        return rows[-1].deadline if rows else datetime.max.replace(tzinfo=UTC)

    def _address(self, seat: str) -> str:
        with self.server.server.session() as session:
            row = session.exec(select(tables.Seat).where(tables.Seat.name == seat)).one()
            return self.server.server.seat_address(row)
