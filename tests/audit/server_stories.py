"""What real servers write: games, a war, tournaments, each played to its end; every letter that anybody was sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlmodel import col, select

from pbem.audit.bundle_parts import Ruling
from pbem.cli import rulebooks
from pbem.cli.letter_checks import Rulebooks
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.play.rulings import ruling_lines
from pbem.runtime.clock import Pace
from pbem.server import outbox_sender
from pbem.store import queries, tables
from pbem.tournaments import rulings
from pbem.verifier.mailbox import LetterToCheck
from tests.audit import attacks_on_teams
from tests.audit.attacks import begun, closed, ended
from tests.audit.attacks_on_dice import line_of
from tests.audit.attacks_on_lots import JURY, Lots, after_draw
from tests.audit.checked import items
from tests.audit.simulated import ORDERS, first_phase, second_phase
from tests.audit.small_server import FIRST, Server
from tests.audit.tournament_server import paired, played, reported
from tests.campaign.test_beacons import Waiting, closing, moment, out, shut
from tests.campaign.test_disclosing import conceded
from tests.campaign.test_recorded import ASK, Recorded
from tests.campaign.test_rerun import kept
from tests.campaign.test_rotating import rotate
from tests.harness import toygame
from tests.harness.battle import ANA, PlayedBattle
from tests.harness.game import ANN, BOB
from tests.harness.teams import TEAMS, form
from tests.harness.tournament import CUP, PlayedTournament, names, with_values
from tests.harness.war import PlayedWar
from tests.tournaments.test_absentees import write_orders
from tests.tournaments.test_event_letters import render

Letters = list[LetterToCheck]
REAL, TOY = (
    Rulebooks(rulebooks.game_by_name, rulebooks.games()),
    Rulebooks(toygame.registry, ("toy",)),
)


class Story(NamedTuple):
    """What is played in a folder, and the rules that full mode runs again."""

    play: Callable[[Path], Letters]
    books: Rulebooks = REAL


STORIES: dict[str, Story] = {}


def story(books: Rulebooks = REAL) -> Callable[[Callable[[Path], Letters]], Callable[[Path], Letters]]:
    def register(play: Callable[[Path], Letters]) -> Callable[[Path], Letters]:
        STORIES[play.__name__] = Story(play, books)
        return play

    return register


# Games.


def rule(house: Recorded, line: str) -> None:
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(f"{line} BECAUSE it was read wrongly"))
    house.tick()


def over(house: Recorded) -> Letters:
    conceded(house)
    letters: Letters = kept(house, ANN, BOB)
    house.server.engine.dispose()
    return letters


@story(TOY)
def asked_and_ruled(folder: Path) -> Letters:
    """A phase with a question by letter, one played again, one resolved once more, a corrected position."""
    house = Recorded(folder)
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    house.orders("north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.tick()
    house.write("south", "1A\n")
    house.sent()
    house.tick()
    house.orders("south", 1, "CREEP Dog TO s7")
    house.tick()
    rule(house, "EXTEND 48h")
    rule(house, "REOPEN T1.south")
    house.orders("south", 1, "CREEP Dog TO s7")
    house.tick()
    rule(house, "EDIT UNIT Cat AT s9")
    rule(house, "READJUDICATE T1.south")
    house.orders("north", 2, "MOVE Ant TO s2")
    house.tick()
    return over(house)


@story(TOY)
def waited(folder: Path) -> Letters:
    """Two phases that wait for rounds of the beacon, of which one does not come."""
    house = Waiting(folder)
    shut(house, "north", 1, 123, "CREEP Bee TO s3")
    out(house, 123)
    shut(house, "south", 1, 1000, "CREEP Dog TO s7")
    house.clock.set(moment(1000) + house.server.settings.late)
    rule(house, "BEACON CHANGE T1.south none")
    house.sent()
    house.clock.set(closing(657413) - timedelta(hours=1))
    return over(house)


@story(TOY)
def with_other_keys(folder: Path) -> Letters:
    """Two phases; between them the log goes on with other keys."""
    house = Recorded(folder)
    house.orders("north", 1, "CREEP Bee TO s3")
    house.tick()
    rotate(house)
    house.orders("south", 1, "CREEP Dog TO s7")
    house.tick()
    return over(house)


@story()
def against_a_bot(folder: Path) -> Letters:
    """A drill against a program."""
    table = PlayedBattle(folder)
    wanted = founding.NewGame(
        "g2", "africa1860", "drill", pace=Pace(hour=20, undo_minutes=0), bots=("morocco=forward",)
    )
    with table.server.work() as work:
        founding.new_game(work, wanted)
    with table.server.work() as work:
        table.addresses["spain"] = seating.invite_seat(work, seating.Invitation("g2", "spain", ANA))
    with table.server.work() as work:
        founding.start_game(work, "g2")
    table.wait(0)
    for turn in range(1, 7):
        table.answer("spain", f"ORDERS T{turn}\nPASS\nEND\n")
        table.wait(0)
    letters = mailed(table.server, "g2")
    table.server.engine.dispose()
    return letters


def mailed(server: Any, *games: str) -> Letters:
    """All letters of these games, of all without a name, as they are mailed."""
    with server.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id))).all()
    mine = [row.message_id for row in rows if row.game_id in games or not games]
    return [
        item
        for index, ident in enumerate(mine)
        for item in items(str(index), outbox_sender.render(server, (ident,))[0])
    ]


@story()
def war(folder: Path) -> Letters:
    """Two battles in fog with a camp between them."""
    return fought(PlayedWar(folder, "fog=on", war="drill"))


@story()
def open_war(folder: Path) -> Letters:
    """The same, and nothing is hidden."""
    return fought(PlayedWar(folder, war="drill"))


def fought(table: PlayedWar) -> Letters:
    table.confirmed("morocco", "CONCEDE")
    table.answer("spain", "ORDENES T1\nPASAR\nFIN")
    table.wait(2 * 24 * 60)
    table.sit()
    table.confirmed("spain", "RENDIRSE")
    letters = mailed(table.server)
    table.server.engine.dispose()
    return letters


# Tournaments.


def posted(hall: PlayedTournament) -> Letters:
    """All letters that anybody was sent."""
    render(hall)
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id))).all()
        letters = [item for row in rows if row.body for item in items(str(row.id), row.body)]
    hall.opened.engine.dispose()
    return [letter for letter in letters if not letter.trouble]


def direct(hall: PlayedTournament, line: str) -> None:
    with hall.opened.work() as work:
        event = work.session.get_one(tables.Tournament, hall.name)
        rulings.make_ruling(work, event, rulings.read(line))
    hall.run()


def sit(hall: PlayedTournament, count: int) -> list[str]:
    """So many enter by letter, and are shown their letters."""
    people = names(count)
    for who in people:
        assert hall.enter(who) is not None
        render(hall)
    return people


SWISS = with_values(CUP, late_rounds='2\nseeds = "lot"').replace("rounds = 3", 'rounds = 2\nsides = "lot"')
SWISS = SWISS.replace("[prizes]", '[ties]\norder = ["points", "lot"]\n[rating]\npool = "main"\n[prizes]')


@story()
def cup(folder: Path) -> Letters:
    """Two rounds of a Swiss by lot, one who leaves, a dispute that goes to a jury."""
    hall = PlayedTournament(folder, SWISS)
    people = sit(hall, 7)
    hall.until("playing", 1)
    render(hall)
    hall.say(people[2], "REST R2")
    hall.play(1)
    render(hall)
    first = next(board for board in hall.boards(1) if board.game_id)
    loser = next(who for who in people if hall.number(who) == first.second)
    hall.say(loser, f"DISPUTE {first.game_id} He agreed to a draw.")
    hall.forward(hours=74)
    direct(hall, "RULING D1 DENY BECAUSE nobody agreed")
    hall.until("playing", 2)
    render(hall)
    hall.play(2)
    hall.forward(days=40)
    return posted(hall)


@story()
def one_luck(folder: Path) -> Letters:
    """Tables of a round that have one luck, played by programs."""
    hall = PlayedTournament(folder, CUP.replace("rounds = 3", 'rounds = 1\nsides = "duplicate"'))
    sit(hall, 4)
    hall.until("playing", 1)
    with hall.opened.session() as session:
        for seat in session.exec(select(tables.Seat)).all():
            seat.bot = ("forward", "recruit")[seat.game_id == "cup60-r1-02"]
    for _ in hall.meanwhile(days=60):
        render(hall)
        with hall.opened.session() as session:
            results = [leaf for leaf in queries.log.leaves(session, "cup60-r1-01") if leaf.kind == "result"]
        if len(results) >= 3:
            break
    hall.play(1)
    hall.run()
    return posted(hall)


@story()
def battles(folder: Path) -> Letters:
    """Two rounds: of the first the battle is drawn by lot, of the second it is chosen at each table."""
    drawn = 'rounds = 2\nscenarios = ["drill", "castillejos", "wadras"]\nbattle = ["lot", "choice"]'
    hall = PlayedTournament(folder, CUP.replace("rounds = 3", drawn))
    people = sit(hall, 4)
    for number in (1, 2):
        if number == 2:
            hall.until("drawn", 2)
            hall.say(people[0], "CHOOSE wadras, drill")
        hall.until("playing", number)
        render(hall)
        hall.play(number)
    hall.run()
    return posted(hall)


@story()
def ladder(folder: Path) -> Letters:
    """A ladder on which one is challenged."""
    rules = CUP.replace('format = "swiss"\nrounds = 3', 'format = "ladder"\nrounds = 2\nreach = 2')
    hall = PlayedTournament(folder, rules)
    people = sit(hall, 6)
    hall.until("playing", 1)
    hall.say(people[4], "CHALLENGE 3")
    hall.say(people[2], "ACCEPT")
    hall.play(1, lost="spain")
    hall.until("playing", 2)
    hall.play(2)
    hall.run()
    return posted(hall)


@story()
def teams(folder: Path) -> Letters:
    """Four teams of two."""
    hall = PlayedTournament(folder, with_values(TEAMS, rounds="1"))
    lions = form(hall, "Lions", "Bears", "Foxes", "Crows")["Lions"]
    hall.say(lions[0], f"LINEUP {hall.number(lions[1])}, {hall.number(lions[0])}")
    hall.until("playing", 1)
    render(hall)
    hall.play(1)
    hall.run()
    return posted(hall)


@story()
def cut_off(folder: Path) -> Letters:
    """A round that ends before its games do: programs play them on."""
    hall = PlayedTournament(folder, with_values(CUP, days="3", rounds="1", order='["continue:10:60%", "draw"]'))
    people = sit(hall, 2)
    hall.until("playing", 1)
    write_orders(hall, people[0])
    hall.until("closed", 1)
    hall.run()
    return posted(hall)


@story()
def played_out(folder: Path) -> Letters:
    """A round of one table that programs play to the end of the game."""
    hall = PlayedTournament(folder, with_values(CUP, rounds="1"))
    sit(hall, 2)
    hall.until("playing", 1)
    with hall.opened.session() as session:
        for seat in session.exec(select(tables.Seat)).all():
            seat.bot = "forward"
    hall.until("closed", 1)
    hall.run()
    return posted(hall)


# Servers in small, for values that the real one does not go on from.


@story(TOY)
def small_change(folder: Path) -> Letters:
    """A closed list that waits for another round, by a ruling."""
    server, letters = begun()
    closed(server, letters, server.slate(FIRST, 1, ORDERS, 123))
    text = line_of("BEACON CHANGE T1.spain TO quicknet")
    server.ruling(FIRST, 1, text)
    server.change_beacon(FIRST, 1, 1, 1000)
    return [LetterToCheck(*item) for item in ended(server, letters, "C", rulings=(Ruling(1, text),)).items]


@story(TOY)
def small_pause(folder: Path) -> Letters:
    """Two phases, the second of two segments."""
    server = Server()
    return [LetterToCheck(*letter) for letter in (*first_phase(server), *second_phase(server))]


@story()
def small_lots(folder: Path) -> Letters:
    """A round whose first table is disputed: a jury by a later round of the beacon."""

    def act(server: Lots) -> None:
        server.need(JURY, "-", "e3 e4", 123)
        server.drawn(JURY, " ".join(server.by_lot(JURY, "e3 e4", 123)), 123)

    return [LetterToCheck(*item) for item in after_draw(act).items]


@story()
def small_teams(folder: Path) -> Letters:
    """A round of two teams, by a round of the beacon."""
    return [LetterToCheck(*item) for item in attacks_on_teams.round_of().items]


@story(TOY)
def small_board(folder: Path) -> Letters:
    """Two tables that have one luck, by a round of the beacon."""
    server, letters = paired()
    played(server, letters)
    server.deal()
    return [LetterToCheck(*letter) for letter in reported(server, letters)]
