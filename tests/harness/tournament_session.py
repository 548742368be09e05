"""Tournaments as text: the parts of `scene`, and some of their own::

-- with event=cup60 --                                before anything: its rules are cup60.toml beside the stories
-- in ana@players.example 2030-01-07T12:30Z --        a letter to the server's address
-- in ana@players.example as e1 2030-01-07T12:30Z --  to the address of an entrant
-- in ana@players.example as cup60-r1-01.spain 2030-02-05T12:30Z --     to the address of a seat
-- rule SHUT BECAUSE all are there --                 a ruling of the director
-- end cup60-r1-01 concede spain 2030-02-05T12:30Z -- a game ends by this word
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlmodel import select

from pbem.cli.rulebooks import games
from pbem.engine.data.messages import msg
from pbem.play.commands.table import ending
from pbem.server.worker import run_all_jobs
from pbem.store import queries, tables
from pbem.tournaments import founding, rulings
from pbem.tournaments.arithmetic.rules.reading import read_rules
from pbem.tournaments.record import tournament_by_name
from tests.harness.server import DRAWS
from tests.harness.session import Part, PlayedSession, open_session_server

CONDUCT = "Be kind.\nWrite in time.\n"


class TournamentSession(PlayedSession):
    """A tournament that has been founded, and what happens to it."""

    def __init__(self, folder: Path, event: str, killed: bool) -> None:
        self.server = open_session_server(folder, DRAWS)
        self.killed, self.uid, self.event = killed, 0, event
        self.codes, self.addresses, self.friend = {}, {}, None
        text = (Path(__file__).parents[1] / "sessions" / f"{event}.toml").read_text("utf-8")
        rules = read_rules(text, f"{event}.toml", founding.server_check(self.server, games()))
        with self.server.work() as work:
            founding.create_tournament(
                work, founding.NewTournament(event, rules, CONDUCT, "rosa@players.example", games=games())
            )

    def do(self, part: Part) -> None:
        word, rest = part.head.split(" ", 1)
        if word != "rule":
            rest, _, when = rest.rpartition(" ")
            self.clock.at = datetime.fromisoformat(when.replace("Z", "+00:00"))
        if word == "in":
            self.arrive(rest, part.text)
        if word == "rule":
            self._twice(lambda on_step: self.rule(rest, on_step))
        if word == "end":
            self._twice(lambda on_step: self.end(rest, on_step))
        with self.server.session() as session:
            session.merge(tables.Poll(account="file", folder="", begun=self.clock.at))
        self._twice(lambda on_step: run_all_jobs(self.server, on_step))

    def rule(self, line: str, on_step: Callable[[str], None]) -> None:
        with self.server.work() as work:
            rulings.make_ruling(work, tournament_by_name(work.session, self.event), rulings.read(line))
            on_step("taken")

    def end(self, how_text: str, on_step: Callable[[str], None]) -> None:
        name, _, how = how_text.partition(" ")
        with self.server.work() as work:
            game = queries.games.game(work.session, name)
            assert game is not None
            phase = queries.phases.present_phase(work.session, name)
            ending.end_game(work, game, phase, ending.GameEnd(msg("The game is over."), how))
            on_step("taken")

    def _shown(self, row: tables.Outbox, whole: bool) -> str:
        """The letter without digests, which change with every key that rules may have."""
        return re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", super()._shown(row, whole))

    def _address(self, seat: str) -> str:
        """Where letters of an entrant or a seat go now; else the server's address."""
        game, _, name = seat.partition(".")
        with self.server.session() as session:
            number = seat.removeprefix("e")
            if number.isdigit():
                row = queries.tournaments.entrant(session, self.event, int(number))
                return self.server.entrant_address(row) if row is not None else "pbem@games.example"
            asked = select(tables.Seat).where(tables.Seat.game_id == game, tables.Seat.name == name)
            found_seat = session.exec(asked).one_or_none()
            return self.server.seat_address(found_seat) if found_seat is not None else "pbem@games.example"
