"""The machine: what may happen to a server, in any order that chance comes upon."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.machine.play import Play
from tests.machine.quartet import SIDES
from tests.machine.roles import LINES, QUESTIONS, WAYS
from tests.machine.server import POINTS

seats = st.sampled_from(sorted(SIDES))
MINUTES = (1, 29, 31, 3 * 60, 10 * 60, 26 * 60, 3 * 24 * 60, 15 * 24 * 60)
WISHES = {"wait": "WAIT", "nowait": "NOWAIT", "go": "GO", "cancel": "CANCEL"}
OTHERS = (
    "EXTEND 20h",
    "EXTEND 500h",
    "VACATION 2026-10-25 TO 2026-10-29",
    "HELP",
    "CANCEL LATER",
    "STANDBY",
    "1A",
    "MAP",
    "STANDING FOR {unit}\nASK\nENDSTANDING",
    "STANDING FOR {unit}\nFLEE\nENDSTANDING",
    "STANDING FOR Ant\nRUN\nENDSTANDING",
)
RULINGS = (
    "HOLD",
    "RESUME",
    "RESUME",
    "PROCESS",
    "DEADLINE 2026-10-25 02:30",
    "DEADLINE 2026-11-20 20:00",
    "EXTEND 30h",
    "SUBSTITUTE",
    "ADJUDICATE red wins",
)


class Machine(RuleBasedStateMachine):
    """Each rule does one thing and looks at everything; at the end the game is played out."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp(prefix="pbem-machine-"))
        self.play = Play(self.folder)

    @rule(seat=seats, back=st.sampled_from([0, 0, 0, 45]), twice=st.booleans())
    def orders(self, seat: str, back: float, twice: bool) -> None:
        self.play.orders(seat, back=back)
        if twice:
            self.play.again(-1)

    @rule(pick=st.integers(0, 1))
    def awaited_orders(self, pick: int) -> None:
        active = self.play.model.active
        if active:
            self.play.orders(active[pick])

    @rule(seat=seats, kind=st.sampled_from(["bad", "attack", "fall"]), turn=st.integers(0, 3))
    def odd_orders(self, seat: str, kind: str, turn: int) -> None:
        self.play.orders(seat, kind=kind, turn=turn)

    @rule(seat=seats, turn=st.integers(1, 4))
    def later(self, seat: str, turn: int) -> None:
        self.play.orders(seat, turn=turn, later=True)

    @rule(seat=seats, wish=st.sampled_from(sorted(WISHES)))
    def wishes(self, seat: str, wish: str) -> None:
        self.play.say(seat, wish, WISHES[wish])

    @rule(seat=seats, text=st.sampled_from(OTHERS))
    def says(self, seat: str, text: str) -> None:
        self.play.other(seat, text)

    @rule(seat=seats, to=seats)
    def press(self, seat: str, to: str) -> None:
        self.play.press(seat, to)

    @rule(seat=seats, word=st.sampled_from(["RESIGN", "CONCEDE", "DRAW"]), right=st.sampled_from([True, True, False]))
    def confirms(self, seat: str, word: str, right: bool) -> None:
        if (seat, word) not in self.play.codes:
            self.play.say(seat, "ask", word)
        self.play.confirm(seat, word, right)

    @rule(place=st.integers(0, 50))
    def again(self, place: int) -> None:
        self.play.again(place)

    @rule()
    def stranger(self) -> None:
        self.play.stranger()

    @rule(place=st.integers(0, 50))
    def bounce(self, place: int) -> None:
        self.play.bounce(place)

    @rule(minutes=st.sampled_from(MINUTES))
    def time_goes_on(self, minutes: int) -> None:
        self.play.forward(minutes=minutes)

    @rule()
    def next_due(self) -> None:
        self.play.to_the_next_due()

    @rule(line=st.sampled_from(RULINGS))
    def is_ruled(self, line: str) -> None:
        self.play.rule(self.play.line_of(line))

    @rule(role=st.sampled_from(sorted(QUESTIONS)), data=st.data(), pick=st.integers(0, 2), elsewhere=st.booleans())
    def asks(self, role: str, data: st.DataObject, pick: int, elsewhere: bool) -> None:
        self.play.roles.ask(role, data.draw(st.sampled_from(QUESTIONS[role])), pick, elsewhere)

    @rule(pick=st.integers(0, 2))
    def enters(self, pick: int) -> None:
        self.play.roles.ask("entrant", "WITHDRAW", pick)
        self.play.roles.confirm(-1, "alone")

    @rule(role=st.sampled_from(sorted(LINES)), data=st.data(), elsewhere=st.booleans(), way=st.sampled_from(WAYS))
    def is_ruled_by_letter(self, role: str, data: st.DataObject, elsewhere: bool, way: str) -> None:
        self.play.roles.rule(role, data.draw(st.sampled_from(LINES[role])), elsewhere)
        self.play.roles.confirm(-1, way)

    @rule(pick=st.sampled_from([-1, -1, -1, -2, 0]), way=st.sampled_from(WAYS))
    def codes(self, pick: int, way: str) -> None:
        self.play.roles.confirm(pick, way)

    @rule(mailbox=st.booleans(), smtp=st.booleans())
    def weather(self, mailbox: bool, smtp: bool) -> None:
        self.play.server.box.down, self.play.server.refusing = mailbox, smtp

    @rule(point=st.sampled_from(POINTS))
    def kill(self, point: str) -> None:
        self.play.server.doom = point

    def teardown(self) -> None:
        try:
            self.play.finish()
        finally:
            self.play.close()
            shutil.rmtree(self.folder)


def run(examples: int, steps: int, first: int | None = None) -> None:
    """Let so many machines run, the same ones every time; with `first` others. What breaks one is made short."""
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=first is None,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    machine = Machine if first is None else seed(first)(Machine)
    run_state_machine_as_test(machine, settings=how)
