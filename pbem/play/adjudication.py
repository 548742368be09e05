"""From closed orders to events: pure, so that a game and its replay cannot differ.

A phase closes into a list of what every seat is played by: the canonical text of its orders, and those of its standing
orders, rule by rule. The list is sealed into a slate, the slate gives the dice by the secrets of the scheme, and the
game's rules do the rest. Where a seat is asked by letter the phase waits; with the answers it is resolved again
from its start, and what comes after them has dice of its own (segments).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.audit import blocks, sealing
from pbem.audit.dice import Stream
from pbem.audit.sealing import Secret
from pbem.engine.data.canon import Json, digest, dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.engine.orders import luck
from pbem.engine.orders.canonical import each_rule
from pbem.engine.orders.doctrine import without_owner
from pbem.engine.run.questions import Asked, Asking, Asks, Question, Value, knowable, matters
from pbem.engine.run.runners import Paused, play, require_same
from pbem.engine.run.steps import LETTER, Choice, Followed, Rolled, Window, World
from pbem.engine.terms import Orders, Phase, Seat

# The segments of a phase: which dice an answer by letter can still change.
#
# A pause ends a segment. What is rolled after it comes from dice of its own, which follow from the answers too, so that
# nobody can answer a question with dice in view. A label belongs to the segment that first rolled it and stays there: a
# run that meets the question again meets it after the same rolls.


class SeatAnswers(NamedTuple):
    """What a seat was asked at a pause and what it said: how many letters came, and each window's answer.

    An empty answer is silence. The windows stand in the order in which they were asked. `orders` is the canonical text
    of the letter, where what was awaited was one of orders.
    """

    revision: int = 0
    answers: tuple[tuple[str, Value], ...] = ()
    orders: str | None = None

    @property
    def text(self) -> str:
        """The canonical text that the next slate commits to: ``B>C/vanguard morocco = Leon``, a line a window."""
        answers = "".join(f"{window} = {' '.join(value)}".rstrip() + "\n" for window, value in self.answers)
        return answers + (self.orders or "")


Pause = Mapping[Seat, SeatAnswers]
"""What came of a pause, by seat; whoever was not asked said nothing."""


def answers_of(pauses: Sequence[Pause]) -> dict[str, Value]:
    """All answers by window id."""
    return {window: value for pause in pauses for one in pause.values() for window, value in one.answers}


def beta(secret: Secret, slate: bytes, value: bytes | None = None) -> bytes:
    """The 64 secret bytes that the dice of a segment follow from, by the beacon's value if it waited for one."""
    return secret(blocks.alpha(slate, value))


class Dice:
    """The dice of a phase's segments and its decisions, which know where one segment ends.

    To be used for one run: a window that was asked at a pause turns to the dice of the segment after it. `segment_of`
    says of each label rolled which segment it belongs to, counted from 0; `segment_rolls` are the rolls in order, each
    with its segment, counted from 1 as in slates. `fired` are the names of the standing orders that decided, by seat,
    `answered` the windows that letters did.
    """

    def __init__(self, betas: Sequence[bytes], pauses: Sequence[Pause], decisions: Asking[object]) -> None:
        self.segment_of: dict[str, int] = {}
        self.segment_rolls: list[tuple[int, Rolled]] = []
        self.fired: dict[Seat, set[str]] = {}
        self.answered: set[str] = set()
        self._streams = [Stream(one) for one in betas]
        self._after = {window: number for number, pause in enumerate(pauses, 1) for window in answers_of((pause,))}
        self._decisions = decisions
        self._now = 0

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the values of a label, from the segment it belongs to."""
        self.segment_of[label] = self._now
        values = self._streams[self._now].roll(label, n, sides)
        self.segment_rolls.append((self._now + 1, Rolled(label, n, sides, values)))
        return values

    def answer(self, state: object, window: Window) -> Choice | None:
        """Return the choice for a window; from one that was asked on, the dice are those after its answer."""
        self._now = max(self._now, self._after.get(window.id, 0))
        choice = self._decisions.answer(state, window)
        if choice is not None and choice.by != "default":
            if choice.by == "answer":
                self.answered.add(window.id)
            else:
                self.fired.setdefault(window.seat, set()).add(without_owner(choice.by))
        return choice


class Unsound(Exception):
    """The rules contradicted themselves or the stored orders; nothing of the resolution may be used."""


class ClosedOrders(NamedTuple):
    """What a seat's orders were when the phase closed: the revision (0: none came) and the canonical text.

    Above the text stands the word that was given for the dice, if one was. `standing` are the canonical texts of its
    standing orders in force, a rule each.
    """

    revision: int = 0
    text: str = ""
    standing: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """All of it, as it is read back."""
        return self.text + "".join(self.standing)


class PhaseInput(NamedTuple):
    """What a phase is resolved from.

    The secrets of the dice, the game's id, rules, edition and state, the phase, what every seat's orders were
    when it closed (or its first letter came), what came of the pauses so far, and whether it is resolved letter by
    letter. `slates` are those of its segments that are known; the others are made, by the same secrets. `values` are
    what the beacon said for each segment, None where a ruling has it wait for none; without a beacon there are none.
    `dice` is what a first list that is made now says of its dice.
    """

    secret: Secret
    game_id: str
    rules: AnyGame
    edition: PinnedEdition
    state: object
    phase: Phase
    closed: Mapping[Seat, ClosedOrders]
    pauses: Sequence[Pause] = ()
    by_letter: bool = False
    slates: tuple[bytes, ...] = ()
    values: tuple[bytes | None, ...] = ()
    dice: str = "own"


class Trail(NamedTuple):
    """What a phase was played by: the lines of orders that it came to, the standing orders that decided, by seat.

    `answered` are the windows that letters decided, `said` the events that orders themselves gave.
    """

    reached: tuple[str, ...] = ()
    fired: Mapping[Seat, frozenset[str]] = MappingProxyType({})
    answered: frozenset[str] = frozenset()
    said: tuple[Event, ...] = ()


class Resolution(NamedTuple):
    """A resolved phase: the slates of its segments, its events, rolls, and the state before, between and after.

    ``states[i]`` is the state before ``events[i]``, the last one the state after all. `unasked` is how often a seat was
    to be asked by letter when its questions were used up. `segment_rolls` are the rolls, each with its segment, from 1.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    rolls: tuple[Rolled, ...]
    states: tuple[object, ...]
    unasked: Mapping[Seat, int]
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()
    trail: Trail = Trail()

    @property
    def happened(self) -> tuple[tuple[Event, object], ...]:
        """Each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))

    @property
    def events_digest(self) -> str:
        """The digest that two runs of a phase are compared by."""
        return digest([happened.to_json() for happened in self.events])

    @property
    def rolls_json(self) -> Json:
        """The rolls in order, as they are stored."""
        return [[roll.label, roll.n, roll.sides, list(roll.values)] for roll in self.rolls]


class Waiting(NamedTuple):
    """A phase that waits for answers: the slates so far, what happened, the states as in `Resolution`, the questions.

    `world` is where it stands and `decisions` are those it stopped at; `segment_rolls` as in `Resolution`.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    states: tuple[object, ...]
    asked: tuple[Asked, ...]
    world: World[object]
    decisions: Asking[object]
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()

    @property
    def happened(self) -> tuple[tuple[Event, object], ...]:
        """Each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))


class AfterLetter(NamedTuple):
    """A phase whose letters so far are carried out: the slates, what happened, the states as in `Resolution`.

    `window` is the id of the window that the next letter answers; `segment_rolls` as in `Resolution`.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    states: tuple[object, ...]
    window: str
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()

    @property
    def happened(self) -> tuple[tuple[Event, object], ...]:
        """Each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))


class Run(NamedTuple):
    """A closed phase about to be resolved; its dice are for one run. `betas` are their secrets, one a segment."""

    slates: tuple[bytes, ...]
    world: World[object]
    decisions: Asking[object]
    dice: Dice
    betas: tuple[bytes, ...]


def run_of(inputs: PhaseInput, asks: Asks | None = None) -> Run:
    """Make a closed phase ready for a runner; without `asks` nobody is asked anything that he was not asked."""
    rules, state, closed, pauses = inputs.rules, inputs.state, inputs.closed, inputs.pauses
    orders = {seat: parse_closed(rules, state, seat, closed[seat].whole) for seat in closed}
    decisions = rules.decisions(state, orders, answers_of(pauses), asks)
    slates = slates_of(inputs)
    values = inputs.values or [None] * len(slates)
    betas = tuple(beta(inputs.secret, *both) for both in zip(slates, values, strict=True))
    dice = Dice(betas, pauses, decisions)
    if not inputs.by_letter:
        return Run(slates, rules.world(state, orders), decisions, dice, betas)
    later = [[answers.orders for answers in pause.values() if answers.orders is not None] for pause in pauses]
    actions = [
        [action for text in texts for action in parse_closed(rules, state, _mover(rules, state), text).actions]
        for texts in later
        if texts
    ]
    return Run(slates, rules.world(state, orders, actions), decisions, dice, betas)


def resolve(
    inputs: PhaseInput, asks: Asks | None = None, sent: Sequence[Event] = ()
) -> Resolution | Waiting | AfterLetter:
    """Roll and adjudicate a closed phase, to its end, to the next question, or to the end of the last letter.

    `sent` are the events that were mailed at earlier pauses: Diverged if they do not come out again. Unsound if the
    rules leave the phase unfinished or contradict themselves.
    """
    rules, state, phase = inputs.rules, inputs.state, inputs.phase
    run, followed = run_of(inputs, asks), Followed(rules.rules, rules.telling.order_line)
    done = play(followed, run.world, run.dice, run.dice)
    if asks is not None and isinstance(done, Paused) and _is_idle(inputs, run, done, asks):
        # This may stand before what was sent, so that is compared only where the run stops in earnest.
        return resolve(inputs, asks._replace(idle=asks.idle | {done.windows[0].id}), sent)
    require_same(done.events, sent)
    states = [state]
    for happened in done.events:
        states.append(rules.rules.apply(states[-1], happened))
    if rules.encode(states[-1]) != rules.encode(done.state):
        raise Unsound(f"the events of {phase} do not add up to the state after it")
    segment_rolls = tuple(run.dice.segment_rolls)
    if isinstance(done, Paused):
        window = done.windows[0]
        if window.what == LETTER:
            return AfterLetter(run.slates, done.events, tuple(states), window.id, segment_rolls)
        if asks is None or window.seat in asks.mute or window.id in answers_of(inputs.pauses):
            # Nobody may ask this, or it was answered: a phase that waited would wait for ever.
            raise Unsound(f"{phase} waits for {window.id}")
        asked = knowable(
            rules.rules, done.world, run.decisions, wording(rules), tuple(inputs.closed), together=asks.together
        )
        return Waiting(run.slates, done.events, tuple(states), asked, done.world, run.decisions, segment_rolls)
    if wrong := rules.invariants(states[-1]):
        raise Unsound(f"after {phase}: " + "; ".join(wrong))
    unasked = {seat: len(windows) for seat, windows in run.decisions.unasked.items()}
    fired = {seat: frozenset(names) for seat, names in run.dice.fired.items()}
    trail = Trail(followed.reached, fired, frozenset(run.dice.answered), tuple(followed.said))
    return Resolution(run.slates, done.events, done.rolls, tuple(states), unasked, segment_rolls, trail)


def _is_idle(inputs: PhaseInput, run: Run, done: Paused[object], asks: Asks) -> bool:
    """Return whether a run stopped at a question that changes nothing, in a game that leaves those out."""
    window = done.windows[0]
    if not asks.together or window.what == LETTER or window.id in asks.idle:
        return False
    silence = run.decisions.silence(done.state, window)
    question = wording(inputs.rules)(done.state, window, silence)
    return not matters(inputs.rules.rules, done.world, Asked(window, question, silence, 0))


def _mover(rules: AnyGame, state: object) -> Seat:
    """Return one of the seats that are active; any will do, since those of a side may read each other's letters."""
    return rules.active(state)[0]


def wording(rules: AnyGame) -> Callable[[object, Window, Choice], Question]:
    """How a game words a window, from what its owner sees."""
    return lambda state, window, silence: rules.telling.question(rules.view(state, window.seat), window, silence)


def slates_of(inputs: PhaseInput, beacon: str = "none") -> tuple[bytes, ...]:
    """The closed lists of all segments; those that are made now wait for a round of `beacon`."""
    slates = [*inputs.slates] or [first_slate(inputs, beacon)]
    for pause in inputs.pauses[len(slates) - 1 :]:
        whole = {seat: pause.get(seat, SeatAnswers()) for seat in inputs.closed}
        slates.append(_slate(inputs, slates, whole, beacon))
    return tuple(slates)


def first_slate(inputs: PhaseInput, beacon: str = "none") -> bytes:
    """The closed list of a phase's first segment as a block, whose dice wait for a round of `beacon`."""
    return _slate(inputs, (), inputs.closed, beacon)


def _slate(
    inputs: PhaseInput,
    before: Sequence[bytes],
    orders: Mapping[Seat, ClosedOrders | SeatAnswers],
    beacon: str,
) -> bytes:
    """The closed list of the segment after those `before`, its seats sealed by what they ordered or answered."""
    secret, game_id, phase = inputs.secret, inputs.game_id, str(inputs.phase)
    number = len(before) + 1
    where = f"{phase}/{number}" if before else phase
    edition, state = _beginning(inputs)
    closed_list = blocks.Slate(
        game=game_id,
        phase=phase,
        segment=number,
        previous=blocks.sha256_hex(before[-1]) if before else "-",
        edition=edition,
        state=state,
        beacon=beacon,
        seats={
            seat: commitment_of(secret, sealing.salt(game=game_id, phase=where, seat=seat), one)
            for seat, one in orders.items()
        },
        dice="own" if before else inputs.dice,
    )
    return blocks.slate(closed_list)


def commitment_of(secret: Secret, salt: bytes, given: ClosedOrders | SeatAnswers) -> blocks.Commitment:
    """What a closed list says of the seat whose `sealing.salt` this is, by its orders or answers."""
    rules = given.standing if isinstance(given, ClosedOrders) else None
    return sealing.commitment(secret(salt), given.revision, given.text, rules)


def _beginning(inputs: PhaseInput) -> tuple[str, str]:
    """Return what every slate of a phase says of its beginning: the edition's digest, the state's blinded one."""
    text = dumps(inputs.rules.encode(inputs.state))
    state = sealing.blinded_by(inputs.secret, game=inputs.game_id, phase=str(inputs.phase), text=text)
    return inputs.edition.digest, state


def parse_closed(rules: AnyGame, state: object, seat: Seat, text: str) -> Orders:
    """Read canonical text back, without the word above it; Unsound if the game does not understand what it wrote."""
    reading = rules.parse(luck.apart(text)[1], rules.view(state, seat), seat)
    if reading.rejected:
        bad = reading.rejected[0]
        raise Unsound(f"line {bad.line} of the stored orders of {seat} is refused: {bad.word!r}, {bad.why}")
    return reading.orders


def in_force(
    rules: AnyGame, state: object, seat: Seat, standing: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The canonical texts of a seat's standing orders, a rule each, and which of them could not be read.

    A standing order that cannot be read any more, such as one that names a unit lost since, is left out; the caller
    tells its owner.
    """
    view = rules.view(state, seat)
    kept: list[object] = []
    lost: list[str] = []
    for order in standing:
        reading = rules.parse(order, view, seat)
        if reading.rejected:
            lost.append(order)
        else:
            kept += reading.orders.standing
    return each_rule(rules.canon(Orders((), tuple(kept)))), tuple(lost)


def write_closed(closed: Mapping[Seat, ClosedOrders]) -> str:
    """What every seat is played by, as it is stored."""
    return dumps({seat: [one.revision, one.text, list(one.standing)] for seat, one in closed.items()})


def read_closed(stored: str | None) -> dict[Seat, ClosedOrders]:
    """Read back what `write_closed` has written; nothing was stored before a phase closes."""
    found = loads(stored or "{}")
    return {seat: ClosedOrders(revision, text, tuple(rules)) for seat, (revision, text, rules) in found.items()}
