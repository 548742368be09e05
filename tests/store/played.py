"""A small server as a release left it: ``python -m tests.store.played VERSION`` writes it, once, before the release.

On it a battle goes on by letters, a war stands in the camp after its first battle, and a tournament is in its second
round. Each is kept for ever as SQL. Every later version must bring it up to date, find its log as signed, come to the
same by its letters, and go on with it.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlmodel import Session, select

from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.play.positions import read_position
from pbem.runtime.clock import Pace
from pbem.store import queries, tables
from pbem.wars.declaring import NewWar, new_war
from tests.harness.tournament import PlayedTournament, names

KEPT = Path(__file__).with_name("released")
BATTLE, WAR, CUP = "g1", "w60", "cup60"
ANA, IDRIS = "ana@players.example", "idris@players.example"


def play(folder: Path) -> PlayedTournament:
    """A server with a tournament, a battle and a war, some weeks on."""
    hall = PlayedTournament(folder, name=CUP)
    for who in names(5):
        hall.enter(who)
    hall.until("playing", 1)
    _table(hall, 1)
    hall.play(1)
    hall.until("playing", 2)
    _table(hall, 2)
    _war(hall)
    _battle(hall)
    return hall


def _table(hall: PlayedTournament, number: int) -> None:
    """Some orders and a dispute at the tables of a round."""
    board = hall.boards(number)[0]
    with hall.server.session() as session:
        seats = queries.games.seats(session, str(board.game_id))
        people = [queries.persons.email_of(session, seat.person_id) or "" for seat in seats]
        addresses = [hall.server.seat_address(seat) for seat in seats]
    for who, address in zip(people, addresses, strict=True):
        hall.write(who, "ORDERS T1\nPASS\nEND\n\nPRESS TO ALL\nGood luck!\nENDPRESS", to=address)
        hall.forward(hours=20)
    if number == 1:
        hall.say(people[0], f"DISPUTE {board.game_id} He wrote to me outside")


def _war(hall: PlayedTournament) -> None:
    """A war whose first battle was conceded."""
    with hall.server.work() as work:
        first = new_war(work, NewWar(WAR, "africa1860", "drill", pace=Pace(undo_minutes=0)))
    _seated(hall, first)
    hall.end(first, "concede morocco")
    hall.run()


def _battle(hall: PlayedTournament) -> None:
    """Castillejos, two turns of it by letters, one of them in Spanish, with a question and press."""
    with hall.server.work() as work:
        founding.new_game(
            work, founding.NewGame(name=BATTLE, game="africa1860", scenario="castillejos", pace=Pace(undo_minutes=0))
        )
    addresses = _seated(hall, BATTLE)
    for _ in range(4):
        seat, turn, lines = _orders(hall, BATTLE)
        words = ("ORDENES", "FIN") if seat == "spain" else ("ORDERS", "END")
        who = ANA if seat == "spain" else IDRIS
        hall.write(who, f"{words[0]} T{turn}\n{lines}\n{words[1]}\n", to=addresses[seat])
        hall.run()
    hall.write(IDRIS, "STATUS\n\nPRESS TO spain\nA fine day.\nENDPRESS", to=addresses["morocco"])
    hall.run()


def _seated(hall: PlayedTournament, game: str) -> dict[str, str]:
    """A game of two seats begun; their addresses."""
    addresses = {}
    for seat, email, language in (("spain", ANA, "es"), ("morocco", IDRIS, "en")):
        with hall.server.work() as work:
            addresses[seat] = seating.invite_seat(
                work, seating.Invitation(game=game, seat=seat, email=email, language=language)
            )
    with hall.server.work() as work:
        founding.start_game(work, game)
    hall.run()
    return addresses


def _orders(hall: PlayedTournament, game: str) -> tuple[str, int, str]:
    """Whose phase it is, its turn, and orders that a bot would give."""
    with hall.server.reading() as work:
        position = read_position(work, work.session.get_one(tables.Game, game))
    rules: Any = position.rules
    _, turn = rules.phase(position.state)
    (seat,) = rules.active(position.state)
    view = rules.view(position.state, seat)
    return seat, turn, rules.bots["recruit"](view, seat, random.Random(turn).randrange).strip()


def moment(session: Session) -> datetime:
    """The last moment of what is kept."""
    return max(row.begun for row in session.exec(select(tables.Poll))).astimezone(UTC)


def dumped(path: Path) -> str:
    """The database at a path as SQL, a statement a line where it fits."""
    with sqlite3.connect(path) as opened:
        return "\n".join(opened.iterdump()) + "\n"


def main() -> None:
    """Write the database of this version."""
    with TemporaryDirectory() as folder:
        play(Path(folder)).server.engine.dispose()
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"{sys.argv[1]}.sql").write_text(dumped(Path(folder, "pbem.db")), "utf-8")


if __name__ == "__main__":
    main()
