"""Simulate games between bots by letter on a moved clock, and tabulate them.

The letters go through the intake, clocks, pauses and reports of a real game; only the mailbox is left out. A player
answers each report and each letter of questions once, after a random time. A letter that would come after the
deadline is not written, and counts as silence. A game that is held for lack of orders is resumed at once.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import Engine

from pbem.audit.signing import secrets_of
from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.output import letter_text
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.sums import share_with_interval
from pbem.engine.map.sheets import AreaGround
from pbem.engine.run.questions import Asks
from pbem.engine.run.runners import play
from pbem.engine.terms import ONLOOKER
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.play import adjudication, deadlines, history, holds, pauses, phases, seating
from pbem.play.commands.table import founding
from pbem.play.positions import Position, read_position
from pbem.runtime.terms import INTERRUPT_REACTIONS, Terms
from pbem.runtime.transaction import Plugins, Server, ServerKeys, ServerSettings, Transaction
from pbem.server import outbox_sender
from pbem.server.intake import ReceivedLetter
from pbem.server.listeners import LISTENERS
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import migrations, queries, tables
from pbem.store.engine import open_engine

NAME = "simulated"
START = datetime(2030, 1, 7, 12, tzinfo=UTC)
"""A Monday, as in the demo, so that phases fall on the same weekdays in every simulation."""
MEDIAN_HOURS, SIGMA = 10.0, 1.2
"""The time after which half of all letters are answered, and the spread of its logarithm: a choice, most within a day
and some after several."""


class Simulation(NamedTuple):
    """The game to play: scenario, the bot of all seats, and what to ask about.

    `places` and `events` are the places and events about which questions may be asked.
    """

    game: str
    scenario: str
    bot: str
    places: Sequence[str]
    events: Sequence[str]

    @property
    def seats(self) -> tuple[str, ...]:
        """Return the seats of the game."""
        return tuple(game_by_name(self.game).seats(self._start()))

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the sides that score."""
        stakes = game_by_name(self.game).telling.stakes(self._start(), ONLOOKER, ())
        return tuple(score.side for score in stakes.scores)

    def _start(self) -> object:
        rules = game_by_name(self.game)
        return rules.start(rules.edition(self.scenario, {}, {}))


class QuestionMode(NamedTuple):
    """How many questions are asked.

    For a `share` of the places and events there is a standing order ASK; `terms` are those of the game.
    """

    name: str
    share: float = 0.0
    terms: Terms = Terms()


class SimulatedGame(NamedTuple):
    """A played game: letters to each seat, questions, unanswered ones, choices, days.

    `winner` is the side that won, or was ahead when the game was broken off; ``draw`` if none.
    """

    letters: dict[str, int]
    questions: int
    silent: int
    choices: int
    days: float
    winner: str = ""


class _Letter(NamedTuple):
    """A letter on its way: arrival, serial number, seat, function for its text."""

    at: datetime
    number: int
    seat: str
    text: Callable[[Transaction, Position], str]


class _MovedClock:
    """A clock that is moved."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at


class SimulatedMatch:
    """A running game in an empty database, played to its end or that of turn `turns`."""

    def __init__(
        self, engine: Engine, simulation: Simulation, mode: QuestionMode, seed: str, turns: int | None
    ) -> None:
        self.simulation, self.mode, self.turns = simulation, mode, turns
        rules = game_by_name(simulation.game)
        if not rules.bots:
            raise ValueError(f"{simulation.game} comes without bots")
        self.bot = rules.bots[simulation.bot]
        # Nothing is kept secret by it: the same seed has to give the same games.
        self.luck = random.Random(seed)  # noqa: S311
        self.clock = _MovedClock()
        key = hashlib.sha512(seed.encode()).digest()
        # The 64 bytes of the hash are the seeds of two keys, of the log and of the dice.
        secrets, words = secrets_of("games.test/pbem", key[:32], key[32:]), TextLetters(SENTINEL)
        self.server = Server(
            ServerSettings("pbem", "games.test", "op@games.test"),
            engine,
            self.clock,
            ServerKeys(key, secrets),
            Plugins(game_by_name, words, LISTENERS.__getitem__),
        )
        self.post: list[_Letter] = []
        self.written = self.came = 0
        self.seen: set[tuple[str, int | None]] = set()
        with self.server.work() as tx:
            founding.new_game(
                tx, founding.NewGame(name=NAME, game=simulation.game, scenario=simulation.scenario, terms=mode.terms)
            )
            self.addresses = {
                seat: seating.invite_seat(tx, seating.Invitation(game=NAME, seat=seat, email=_email(seat)))
                for seat in simulation.seats
            }
            founding.start_game(tx, NAME)

    def play(self) -> SimulatedGame:
        """Run one event after the other, the earliest first."""
        while self._goes_on():
            with self.server.session() as session:
                due = queries.schedule.next_moment(session)
            if self.post and (due is None or self.post[0].at <= due):
                self._arrive(heapq.heappop(self.post))
            elif due is not None:
                self._wait(due)
            else:
                raise CommandError(f"the game of {self.mode.name} waits for nothing", FINDING)
        return self._count_played()

    def _goes_on(self) -> bool:
        """Plan the answers to new letters; return False when the game has ended."""
        with self.server.work() as tx:
            game = tx.session.get_one(tables.Game, NAME)
            phase = queries.phases.open_phase(tx.session, NAME)
            if game.state == "held":
                self._resume(tx, phase)
            if game.state == "over" or (phase and self.turns and phase.turn > self.turns):
                return False
            position, closed = self._position(tx), queries.phases.waiting_phase(tx.session, NAME)
            if phase and self._new("orders", phase.id):
                for seat in position.active:
                    self._write(seat, self._orders(phase.id, seat), phase.deadline)
            segment = queries.phases.open_pause(tx.session, closed) if closed else None
            if segment and self._new("questions", segment.id):
                for row in queries.games.seats(tx.session, NAME):
                    if pauses.questions_of_pause(tx.session, segment, row):
                        self._write(row.name, self._answers(segment.id, row.name), segment.deadline)
        return True

    def _new(self, kind: str, number: int | None) -> bool:
        new = (kind, number) not in self.seen
        self.seen.add((kind, number))
        return new

    def _resume(self, tx: Transaction, phase: tables.Phase | None) -> None:
        """Resume a game that was held for lack of orders.

        Raise CommandError if it was held for another reason.
        """
        game = tx.session.get_one(tables.Game, NAME)
        everybody = queries.games.seats(tx.session, NAME)
        if phase is None or not deadlines.seats_holding_game(tx.session, self._position(tx), phase, everybody):
            raise CommandError(f"the game of {self.mode.name} is held: {game.held_why}", FINDING)
        holds.resume_game(tx, NAME)
        self.seen.discard(("orders", phase.id))

    def _write(self, seat: str, text: Callable[[Transaction, Position], str], until: datetime | None = None) -> None:
        """Plan a letter, unless it would come in too late."""
        hours = self.luck.lognormvariate(math.log(MEDIAN_HOURS), SIGMA)
        arrival = self.clock.at + timedelta(seconds=round(hours * 3600))
        self.written += 1
        if until is None or arrival < until:
            heapq.heappush(self.post, _Letter(arrival, self.written, seat, text))

    def _orders(self, phase: int | None, seat: str) -> Callable[[Transaction, Position], str]:
        """Return the bot's letter of orders, with new standing orders, if still wanted."""

        def text(tx: Transaction, position: Position) -> str:
            open_phase = queries.phases.open_phase(tx.session, NAME)
            if open_phase is None or open_phase.id != phase:
                return ""
            written = self.bot(position.rules.view(position.state, seat), seat, self.luck.randrange)
            return f"CANCEL STANDING\nORDERS T{open_phase.turn}\n{written.rstrip()}\n{self._random_questions()}END\n"

        return text

    def _answers(self, segment: int | None, seat: str) -> Callable[[Transaction, Position], str]:
        """Return random answers to each question, if they are still wanted."""

        def text(tx: Transaction, position: Position) -> str:
            asking = tx.session.get_one(tables.Segment, segment)
            row = queries.games.seat(tx.session, NAME, seat)
            if asking.state != "asking" or row is None:
                return ""
            asked = pauses.questions_of_pause(tx.session, asking, row)
            return (
                "RESPOND "
                + " ".join(f"{question.row.number}{self.luck.choice(question.option_signs)}" for question in asked)
                + "\n"
            )

        return text

    def _arrive(self, letter: _Letter) -> None:
        self.clock.at = max(self.clock.at, letter.at)
        with self.server.work() as tx:
            game = tx.session.get_one(tables.Game, NAME)
            text = letter.text(tx, self._position(tx)) if game.state == "running" else ""
        if not text:
            return
        self.came += 1
        head = {
            "From": _email(letter.seat),
            "To": self.addresses[letter.seat],
            "Subject": "orders",
            "Date": format_datetime(self.clock.at),
            "Message-ID": f"<{self.came}@players.test>",
            "MIME-Version": "1.0",
            "Content-Type": 'text/plain; charset="utf-8"',
            "Content-Transfer-Encoding": "8bit",
        }
        raw = ("".join(f"{name}: {value}\n" for name, value in head.items()) + f"\n{text}").replace("\n", "\r\n")
        received = take_and_commit(
            self.server, ReceivedLetter("post", "INBOX", 1, self.came, self.clock.at, raw.encode("utf-8"))
        )
        if received.outcome == "refusal":
            (answer,) = outbox_sender.render(self.server, received.answers)
            raise CommandError(f"a bot's letter is refused:\n{text}\n{letter_text(answer)}", FINDING)

    def _wait(self, until: datetime) -> None:
        self.clock.at = max(self.clock.at, until)
        with self.server.session() as session:
            session.merge(tables.Poll(account="post", folder="INBOX", begun=self.clock.at))
        run_due_jobs(self.server)

    def _random_questions(self) -> str:
        """Return a share of the places and events as standing orders that ask."""
        blocks = []
        for place in self.simulation.places if self.mode.share else ():
            events = [event for event in self.simulation.events if self.luck.random() < self.mode.share]
            lines = [f"{number}. WHEN {event} THEN ASK" for number, event in enumerate(events, 1)]
            if lines:
                blocks += [f"STANDING FOR SPACE {place}", *lines, "ENDSTANDING"]
        return "".join(f"{line}\n" for line in blocks)

    def _position(self, tx: Transaction) -> Position:
        return read_position(tx, tx.session.get_one(tables.Game, NAME))

    def _count_played(self) -> SimulatedGame:
        with self.server.work() as tx:
            game = tx.session.get_one(tables.Game, NAME)
            letters = Counter({seat: 0 for seat in self.addresses})
            letters.update(queries.outbox.seats_written_to(tx.session))
            answers = queries.phases.all_answers(tx.session)
            resolved = queries.phases.resolved_phases(tx.session, game.id)
            unasked = sum(self._count_unasked(tx, game, phase) for phase in resolved)
            days = (self.clock.at - resolved[0].opened) / timedelta(days=1) if resolved else 0.0
            position = read_position(tx, game)
            winner = position.rules.telling.stakes(position.state, ONLOOKER, ()).leader
        silent = sum(answer is None for answer in answers)
        return SimulatedGame(dict(letters), len(answers), silent, len(answers) + unasked, days, winner)

    def _count_unasked(self, tx: Transaction, game: tables.Game, phase: tables.Phase) -> int:
        """Return how many choices of a phase nobody was asked about.

        The phase is run again, with everybody to be asked by letter.
        """
        position = read_position(tx, game)
        start = history.state_after(tx, game, phase.number - 1)
        before = position._replace(state=start, number=phase.number - 1)
        everybody = frozenset(self.addresses)
        inputs = phases.phase_input_of(tx, before, phase)
        run = adjudication.prepare_run(inputs, Asks(everybody, everybody))
        play(position.rules.rules, run.world, run.dice, run.dice)
        return sum(map(len, run.decisions.unasked.values()))


def _email(seat: str) -> str:
    return f"{seat}@players.test"


GAMES = Path(__file__).with_name("simulations")
MODES = (
    QuestionMode("standing orders only"),
    QuestionMode("ASK for 15 %", share=0.15),
    QuestionMode("interrupt", terms=Terms(reactions=INTERRUPT_REACTIONS, asks=1000)),
)
"""Nobody is asked; players ask to be asked about some things; everybody is asked about everything."""


def simulation_of(game: str = "", scenario: str = "", bot: str = "") -> Simulation:
    """Return the simulation of a game, by default of the first that has one.

    Raise CommandError, naming the games with one, if there is none. In another battle than that of the game's
    settings, players are asked about any space of its map.
    """
    files = {path.stem: path for path in sorted(GAMES.glob("*.toml"))}
    name = game or next(iter(files))
    if name not in files:
        raise CommandError(f"{game} cannot be simulated; these can: {', '.join(files)}")
    simulation = Simulation(name, **tomllib.loads(files[name].read_text("utf-8")))
    if bot and bot not in game_by_name(name).bots:
        raise CommandError(f"{name} has no bot {bot}; there are: {', '.join(sorted(game_by_name(name).bots))}")
    simulation = simulation._replace(bot=bot or simulation.bot)
    return simulation._replace(scenario=scenario, places=_places(name, scenario)) if scenario else simulation


def _places(game: str, scenario: str) -> Sequence[str]:
    """Return the spaces of a scenario's map, or its victory hexes.

    Raise CommandError, with the scenarios that exist, for an unknown one.
    """
    rules = game_by_name(game)
    if scenario not in rules.editions():
        raise CommandError(f"{game} has no scenario {scenario}; there are: {', '.join(rules.editions())}")
    edition = rules.edition(scenario, {}, {})
    ground = rules.pictured and rules.pictured.ground(edition)
    if isinstance(ground, AreaGround):
        return sorted(ground.area.spaces)
    return sorted(edition.scenario.get("victory", {}).get("hexes", ()))


def mode_table(simulation: Simulation, games: int, seed: int, turns: int | None = None) -> Iterator[str]:
    """Yield the table as Markdown, each line as soon as it is known.

    Raise CommandError if a game does not come to its end.
    """
    sides = simulation.sides
    columns = ["mode", "games", *(f"letters to {seat}" for seat in simulation.seats), "choices", "questions", "silence"]
    columns += ["days (median)", "days (90 %)", *(f"{side} wins (95 %, Wilson)" for side in sides), "drawn"]
    yield _line(columns)
    yield _line(["---", *(["--:"] * (len(columns) - 1))])
    fresh = fresh_database()
    for mode in MODES:
        played = [play_simulated_game(fresh, simulation, mode, f"{seed} {n}", turns) for n in range(1, games + 1)]
        yield _line([*_row(mode, played), *_winners(sides, played)])


def play_simulated_game(
    fresh: bytes, simulation: Simulation, mode: QuestionMode, seed: str, turns: int | None = None
) -> SimulatedGame:
    """Play a game in a copy of the empty database `fresh`.

    It is played to its end or to that of turn `turns`.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder, "pbem.db")
        path.write_bytes(fresh)
        with _engine(path) as engine:
            return SimulatedMatch(engine, simulation, mode, seed, turns).play()


def fresh_database() -> bytes:
    """Return an empty database as a file's bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pbem.db")
        with _engine(path) as engine:
            migrations.upgrade(engine)
        return path.read_bytes()


def _row(mode: QuestionMode, games: Sequence[SimulatedGame]) -> list[str]:
    """Return a mode's cells: means per game, shares of all, days by nearest rank."""
    # The second to the fourth field of `SimulatedGame`: questions, unanswered ones, choices.
    asked, silent, choices = (sum(column) for column in zip(*(game[1:4] for game in games), strict=True))
    days = sorted(game.days for game in games)
    return [
        mode.name,
        str(len(games)),
        *(f"{sum(game.letters[seat] for game in games) / len(games):.1f}" for seat in games[0].letters),
        f"{choices / len(games):.1f}",
        # There may have been no choice at all.
        f"{asked / len(games):.1f} ({asked / max(1, choices):.0%})",
        f"{silent / asked:.0%}" if asked else "-",
        *(f"{days[math.ceil(share * len(days)) - 1]:.1f}" for share in (0.5, 0.9)),
    ]


def _winners(sides: Sequence[str], games: Sequence[SimulatedGame]) -> Iterator[str]:
    """Yield each side's share of the decided games with interval, then the draws."""
    won = Counter(game.winner for game in games)
    decided = sum(won[side] for side in sides)
    for side in sides:
        part = share_with_interval(won[side], decided)
        yield f"{part.value:.0%} ({part.low:.0%} to {part.high:.0%})" if decided else "-"
    yield str(len(games) - decided)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


@contextmanager
def _engine(path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{path}")
    try:
        yield engine
    finally:
        engine.dispose()
