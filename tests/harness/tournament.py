"""A tournament to test with: a server with real games, a clock that is set, entrants who write letters.

Games are ended by a word, as their players would end them, unless a test plays them. What tests do alike from the
beginning on is done once and its database copied (`done_once`), also by other workers of the same run.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any, TypeVar, cast

from sqlalchemy import Engine
from sqlmodel import select

from pbem.cli.rulebooks import game_by_name, games
from pbem.engine.data.messages import msg
from pbem.play.commands.table import ending
from pbem.runtime.limits import LIMITS
from pbem.runtime.transaction import Server
from pbem.server.intake import LetterOutcome, ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import queries, tables
from pbem.store.engine import open_engine
from pbem.tournaments import entry, founding, post, prospects
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.record import tournament_by_name
from pbem.tournaments.running import advance_tournaments
from tests.harness.clock import Clock
from tests.harness.letters import PlainLetters, mail, text_of
from tests.harness.server import empty_database, open_server

DIRECTOR = "rosa@players.example"
START = datetime(2030, 1, 28, 12, tzinfo=UTC)
CONDUCT = "Be kind.\nWrite in time.\n"
CUP = """
title = "Castillejos Cup"
zone = "Europe/Madrid"
[entry]
places = 16
waiting = 8
closes = "2030-02-01"
late_rounds = 2
[table]
scenario = "drill"
[round]
days = 30
[[stage]]
format = "swiss"
rounds = 3
[unfinished]
order = ["points:4", "draw"]
[prizes]
1 = "Book"
"best:<1600" = "Print"
"""
_WORTH_KEEPING = 0.06
"""CPU seconds; of a state that took less since the one before no database is kept: it is made again from that."""
_Act = TypeVar("_Act", bound=Callable[..., Any])
_CODE = re.compile(r"(?:CODE|CODIGO) [a-z2-7]{8}[^\n]*")


def served(engine: Engine, clock: Clock) -> Server:
    """The server over a database, with keys that never change."""
    limits = LIMITS.with_changes({"strangers": 10_000, "at_domain": 10_000, "requests": 50})
    return open_server(Path(), engine=engine, clock=clock, games=game_by_name, limits=limits)


def done_once(act: _Act) -> _Act:
    """Do something to a tournament, or take the state that it led to when it was done before from the same state.

    A state is known by what was done since the beginning. Whoever takes hold of the `server` may do anything to it:
    from then on everything is done.
    """

    @wraps(act)
    def do(hall: PlayedTournament, *args: Any, **more: Any) -> Any:
        if not hall.state:
            return act(hall, *args, **more)
        known = hall.state_after(act.__module__, act.__qualname__, args, more)
        if (kept := hall.take(known, lambda: act(hall, *args, **more))) is not None:
            return kept[0]
        try:
            value = act(hall, *args, **more)
        except BaseException:
            hall.state = ""
            raise
        hall.reach(known, value)
        return value

    return cast(_Act, do)


def done_whole(act: _Act) -> _Act:
    """The same for what is done in many small steps, of whose states none is kept."""

    @wraps(act)
    def whole(hall: PlayedTournament, *args: Any, **more: Any) -> Any:
        state, hall.state = hall.state, ""
        value = act(hall, *args, **more)
        hall.state = state
        return value

    return cast(_Act, done_once(whole))


class PlayedTournament:
    """The server, and what a test does with its tournament."""

    states: Path | None = None
    """The folder of states that were reached; without it none is kept."""

    def __init__(self, folder: Path, rules: str = CUP, name: str = "cup60", engine: Engine | None = None) -> None:
        self.name, self.clock, self.uid, self.folder = name, Clock(START), 0, folder
        self._server: Server | None = None
        self._kept: Path | None = None
        self._still: list[tuple[datetime, int, Callable[[], object]]] = []
        self.state, self._since = "", 0.0
        if engine is not None:
            self._server = served(engine, self.clock)
        elif self.states is not None:
            self.state = self.state_after(type(self).__qualname__, rules, name)
            if self.take(self.state, partial(self._found, rules)) is not None:
                return
        self._found(rules)
        if self.state:
            self.reach(self.state, None)

    def _found(self, rules: str) -> None:
        name = self.name
        read = read_rules(rules, f"{name}.toml", founding.server_check(self.opened, games()))
        with self.opened.work() as work:
            founding.create_tournament(work, founding.NewTournament(name, read, CONDUCT, DIRECTOR, games=games()))

    @property
    def server(self) -> Server:
        """The server, for a test to do with what it likes."""
        self.state = ""
        return self.opened

    @server.setter
    def server(self, other: Server) -> None:
        self._server, self.state = other, ""

    @property
    def opened(self) -> Server:
        """The server, for what leads to the same state each time."""
        if self._server is None:
            database = self.folder / "pbem.db"
            if self._kept is not None:
                for old in self.folder.glob("pbem.db-*"):
                    old.unlink()
                database.write_bytes(zlib.decompress(self._kept.read_bytes()))
            elif not database.exists():
                database.write_bytes(empty_database())
            self._server = served(open_engine(f"sqlite:///{database}"), self.clock)
        if self._still:
            state, moment, uid, still = self.state, self.clock.at, self.uid, self._still
            self.state, self._still = "", []
            for self.clock.at, self.uid, act in still:
                act()
            self.state, self.clock.at, self.uid = state, moment, uid
        return self._server

    def state_after(self, *done: object) -> str:
        """The name of the state that follows when something is done now."""
        key = repr((self.state, self.clock.at, self.uid, *done))
        return sha256(key.encode()).hexdigest()

    def take(self, state: str, act: Callable[[], object]) -> tuple[object] | None:
        """Take a state that was reached before, and return what was returned then; None if it was not.

        Where its database was not kept what led there is still to be done, by the `act`, once the server is wanted.
        """
        path = (self.states or Path()) / state
        if not path.exists():
            return None
        before = self.clock.at, self.uid
        self.clock.at, self.uid, value = pickle.loads(path.read_bytes())  # noqa: S301
        if path.with_suffix(".db").exists():
            if self._server is not None:
                self._server.engine.dispose()
                self._server = None
            self._kept, self._still = path.with_suffix(".db"), []
        else:
            self._still.append((*before, act))
        self.state, self._since = state, process_time()
        return (value,)

    def reach(self, state: str, value: object) -> None:
        """Keep what there is of the state that was reached: its database unless it is made again as fast."""
        self.state = state
        if self.states is None:
            return
        kept = {"": pickle.dumps((self.clock.at, self.uid, value))}
        if process_time() - self._since > _WORTH_KEEPING:
            connection = self.opened.engine.raw_connection()
            kept = {".db": zlib.compress(connection.driver_connection.serialize(), 1), **kept}  # type: ignore[union-attr]
            connection.close()
            self._since = process_time()
        for suffix, data in kept.items():
            path = self.states / f"{os.getpid()}.new"
            path.write_bytes(data)
            path.replace(self.states / (state + suffix))

    @classmethod
    def beside(cls, first: Any, rules: str, name: str) -> PlayedTournament:
        """Another tournament on the same server."""
        made = cls.__new__(cls)
        made.name, made.clock, made.uid = name, first.clock, 100_000
        made._server, made._still, made.state = first.server, [], ""
        read = read_rules(rules, f"{name}.toml", founding.server_check(first.server, games()))
        with first.server.work() as work:
            founding.create_tournament(work, founding.NewTournament(name, read, CONDUCT, DIRECTOR, games=games()))
        return made

    @classmethod
    def over(cls, engine: Engine, moment: datetime, name: str = "cup60", uid: int = 200_000) -> PlayedTournament:
        """The server over a database that has the tournament already, from a moment on."""
        made = cls.__new__(cls)
        made.name, made.clock, made.uid = name, Clock(moment), uid
        made._server, made._still, made.state = served(engine, made.clock), [], ""
        return made

    def until_moment(self, moment: datetime) -> None:
        """The clock goes on to a moment and an hour more."""
        self.forward(hours=(moment - self.clock.at).total_seconds() / 3600 + 1)

    @done_whole
    def forward(self, **much: float) -> None:
        """The clock goes on, and what is due meanwhile is done when it is due.

        What stays due although nothing is done waits for something else than the clock, as for a beacon's round.
        """
        for _ in self.meanwhile(**much):
            pass

    def meanwhile(self, **much: float) -> Iterator[None]:
        """The same, looked at whenever something may have been done."""
        end = self.clock.at + timedelta(**much)
        done = 1
        while self.clock.at < end:
            done = self._on(end, done)
            yield

    @done_whole
    def _on(self, end: datetime, done: int) -> int:
        """The clock goes on to what is due next; what was done before says whether more of it is awaited at once."""
        soon = self.clock.at + timedelta(seconds=1)
        moments = self.moments()
        known = (moment for moment in moments if done or moment >= soon)
        self.clock.at = min(end, max(min(known, default=end), soon))
        return self.run() if any(moment <= self.clock.at for moment in moments) else 0

    def moments(self) -> list[datetime]:
        """When something is due."""
        with self.opened.session() as session:
            dues = session.exec(select(tables.Due.at)).all()
            wakes = session.exec(select(tables.Tournament.wake)).all()
        return [moment for moment in (*dues, *wakes) if moment is not None]

    @done_whole
    def run(self) -> int:
        """What is due now is done."""
        with self.opened.session() as session:
            session.merge(tables.Poll(account="box", folder="INBOX", begun=self.clock.at))
        return run_due_jobs(self.opened) + advance_tournaments(self.opened)

    @done_whole
    def write(self, who: str, text: str, to: str = "pbem@games.example") -> LetterOutcome:
        """A letter comes in now."""
        self.uid += 1
        raw = mail(who, to, text, Date=self.clock.at, Message_ID=f"<{self.uid}.{self.name}@players.example>")
        return take_and_commit(self.opened, ReceivedLetter("box", "INBOX", 1, self.uid, self.clock.at, raw))

    @done_whole
    def sent(self, who: str = "") -> list[tables.Outbox]:
        """The letters queued since the last call, in order, to one or to all; they count as sent."""
        with self.opened.session() as session:
            rows = session.exec(select(tables.Outbox).where(tables.Outbox.state == "queued")).all()
            rows = [row for row in rows if who in ("", row.recipient)]
            for row in rows:
                row.state = "sent"
        return sorted(rows, key=lambda row: row.id or 0)

    def told(self, who: str) -> str:
        """All that somebody was sent since the last call, as text."""
        return "\n".join(f"[{subject(row)}]\n{text_of(row)}" for row in self.sent(who))

    @done_once
    def fill(self, count: int, rounds: int = 0) -> list[str]:
        """So many enter, without the letters that ask for it; and so many rounds are played, all won by the first."""
        people = names(count)
        self._enter_all(people)
        for number in range(1, rounds + 1):
            self.until("playing", number)
            self.play(number)
        self.sent()
        return people

    @done_whole
    def _enter_all(self, people: Sequence[str]) -> None:
        with self.opened.work() as work:
            event = tournament_by_name(work.session, self.name)
            for who in people:
                row = entry.enter_person(work, event, entry.EntryRequest(who, languages="en"))
                assert row is not None
                post.mail_entrant(
                    work, event, row, prospects.welcome_entrant(work, event, row), f"welcome {row.number}"
                )

    def seat(self, who: str, number: int) -> tuple[str, str]:
        """The game of somebody in a round, and the address of his seat in it."""
        row = self.entrant(who)
        assert row is not None
        with self.opened.session() as session:
            for board in self.boards(number):
                for seat in queries.games.seats(session, board.game_id or ""):
                    if seat.person_id == row.person_id:
                        return str(board.game_id), self.opened.seat_address(seat)
        raise AssertionError(f"{who} has no game in round {number}")

    def changed(self, **to: str) -> str:
        """The rules of the cup with other values: ``places="4"`` for the line of that key."""
        return with_values(CUP, **to)

    @done_whole
    def enter(self, who: str, wish: str = "", spanish: bool = False) -> tables.Entrant | None:
        """Enter by both letters; None if that did not work."""
        self.write(who, f"{'UNIRSE A' if spanish else 'JOIN'} {self.name} {wish}".strip())
        (line,) = [
            line
            for line in self.told(who).splitlines()
            if line.strip().startswith(("JOIN", "UNIRSE")) and _CODE.search(line)
        ]
        self.write(who, line)
        return self.entrant(who)

    def entrant(self, who: str) -> tables.Entrant | None:
        with self.opened.session() as session:
            person = queries.persons.person_by_email(session, who)
            return queries.tournaments.entrant_of(session, self.name, person.id) if person else None

    def number(self, who: str) -> int:
        row = self.entrant(who)
        assert row is not None
        return row.number

    def address(self, who: str) -> str:
        row = self.entrant(who)
        assert row is not None
        return self.opened.entrant_address(row)

    @done_whole
    def say(self, who: str, text: str) -> str:
        """A letter of an entrant, and what he is answered."""
        self.sent(who)
        self.write(who, text, self.address(who))
        return self.told(who)

    def confirm(self, who: str, text: str) -> str:
        """The same for what wants a code."""
        (line,) = [line for line in self.say(who, text).splitlines() if _CODE.search(line)]
        return self.say(who, line.strip())

    @property
    def event(self) -> tables.Tournament:
        with self.opened.session() as session:
            return session.get_one(tables.Tournament, self.name)

    def rounds(self) -> Sequence[tables.Round]:
        with self.opened.session() as session:
            return queries.tournaments.rounds(session, self.name)

    def boards(self, number: int = 0) -> Sequence[tables.Board]:
        """The boards of a round, or of all."""
        with self.opened.session() as session:
            all_rounds = queries.tournaments.rounds(session, self.name)
            return [
                board
                for row in all_rounds
                if number in (0, row.number)
                for board in queries.tournaments.boards(session, row.id)
            ]

    @done_whole
    def end(self, game: str, how: str) -> None:
        """A game ends by a word: ``concede spain``, ``draw``."""
        with self.opened.work() as work:
            row = queries.games.game(work.session, game)
            assert row is not None
            phase = queries.phases.present_phase(work.session, game)
            ending.end_game(work, row, phase, ending.GameEnd(msg("That is it."), how))

    @done_whole
    def play(self, number: int, lost: str = "morocco") -> None:
        """All games of a round end: this side loses them."""
        for board in self.boards(number):
            if board.game_id and board.state == "playing":
                self.end(board.game_id, f"concede {lost}")
        self.run()

    @done_whole
    def until(self, state: str, number: int, hours: int = 24 * 120) -> None:
        """The clock goes on until a round has come to a state."""
        end = self.clock.at + timedelta(hours=hours)
        done = 1
        while self.clock.at < end:
            if any(round_.number == number and round_.state == state for round_ in self.rounds()):
                return
            done = self._on(end, done)
        raise AssertionError(f"round {number} never was {state}: {[(r.number, r.state) for r in self.rounds()]}")

    def leaves(self, kind: str = "") -> list[Any]:
        with self.opened.session() as session:
            leaves = queries.log.leaves(session, f"event/{self.name}")
            return [leaf for leaf in leaves if kind in ("", leaf.kind)]


def subject(row: tables.Outbox) -> str:
    return PlainLetters().subject(json.loads(row.model), row.language)


def names(count: int) -> list[str]:
    """So many addresses."""
    return [f"p{number}@players.example" for number in range(1, count + 1)]


def with_values(rules: str, **to: str) -> str:
    """Rules with other values for some keys."""
    for key, value in to.items():
        rules, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", rules, flags=re.MULTILINE)
        assert count == 1, key
    return rules
