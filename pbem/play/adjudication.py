"""Resolve closed orders to events, as a pure function, for equal replays.

A phase closes into a list of all seats' orders: their canonical text, and their standing orders, rule by rule. The
list is sealed into closed orders (`blocks.closed_orders_block`). Closed orders and the server's secrets fix the
dice, and the game's rules do the rest. If a seat is asked by letter, the phase waits for the answer. With the
answers it is resolved again from its start, and later events have dice of their own (segments).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pbem.audit import blocks, sealing
from pbem.audit.dice import DiceStream
from pbem.audit.sealing import Secret
from pbem.engine.data.canon import Json, digest, dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.engine.orders import luck
from pbem.engine.orders.canonical import each_rule
from pbem.engine.orders.doctrine import without_owner
from pbem.engine.run.questions import AskedQuestion, Asking, Asks, Question, Value, knowable, matters
from pbem.engine.run.runners import Paused, play, require_same
from pbem.engine.run.steps import LETTER, Choice, OrderRecorder, Rolled, Window, World
from pbem.engine.terms import Orders, Phase, Seat

# The segments of a phase: which dice an answer by letter can still change.
#
# A pause ends a segment. What is rolled after it comes from dice of its own, which follow from the answers too, so that
# nobody can answer a question with dice in view. A label belongs to the segment that first rolled it and stays there: a
# run that meets the question again meets it after the same rolls.


class SeatAnswers(NamedTuple):
    """A seat's answers at a pause.

    `revision` is the number of letters; `answers` has the answer to each window, in the order of the questions,
    where an empty answer is silence. `orders` is the canonical text of the letter if orders were awaited.
    """

    revision: int = 0
    answers: tuple[tuple[str, Value], ...] = ()
    orders: str | None = None

    @property
    def text(self) -> str:
        """Canonical lines for the next closed orders: ``B>C/vanguard morocco = Leon``."""
        answers = "".join(f"{window} = {' '.join(value)}".rstrip() + "\n" for window, value in self.answers)
        return answers + (self.orders or "")


Pause = Mapping[Seat, SeatAnswers]
"""Answers of a pause by seat; a seat that was not asked has none."""


def answers_of(pauses: Sequence[Pause]) -> dict[str, Value]:
    """Return all answers by window id."""
    return {
        window: value for pause in pauses for seat_answers in pause.values() for window, value in seat_answers.answers
    }


def vrf_output_of_segment(secret: Secret, slate: bytes, value: bytes | None = None) -> bytes:
    """Return the 64 secret bytes that the dice of a segment follow from.

    `value` is the beacon's value if the dice waited for a beacon.
    """
    return secret(blocks.vrf_input(slate, value))


class Dice:
    """The dice of a phase's segments, and its decisions.

    An object serves one run only, since it goes on to the next segment's dice at each window that a pause asked
    about. `segment_of` maps each rolled label to its segment, counted from 0. `segment_rolls` are the rolls in
    order, each with its segment, counted from 1 as in closed lists. `fired` are the names of the standing orders
    that decided, by seat, `answered` the windows that letters decided.
    """

    def __init__(self, betas: Sequence[bytes], pauses: Sequence[Pause], decisions: Asking[object]) -> None:
        self.segment_of: dict[str, int] = {}
        self.segment_rolls: list[tuple[int, Rolled]] = []
        self.fired: dict[Seat, set[str]] = {}
        self.answered: set[str] = set()
        self._streams = [DiceStream(seed) for seed in betas]
        self._after = {window: number for number, pause in enumerate(pauses, 1) for window in answers_of((pause,))}
        self._decisions = decisions
        self._now = 0

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the values of a label from its segment's dice."""
        self.segment_of[label] = self._now
        values = self._streams[self._now].roll(label, n, sides)
        self.segment_rolls.append((self._now + 1, Rolled(label, n, sides, values)))
        return values

    def answer(self, state: object, window: Window) -> Choice | None:
        """Return the choice for a window.

        From an asked window on, the dice are those after its answer.
        """
        self._now = max(self._now, self._after.get(window.id, 0))
        choice = self._decisions.answer(state, window)
        if choice is not None and choice.by != "default":
            if choice.by == "answer":
                self.answered.add(window.id)
            else:
                self.fired.setdefault(window.seat, set()).add(without_owner(choice.by))
        return choice


class InvalidResult(Exception):
    """The rules contradict themselves or stored orders, so that no result is valid."""


class ClosedOrders(NamedTuple):
    """A seat's orders when the phase closed: revision (0: none), canonical text.

    The LUCK word, if any, is above the text. `standing` are the canonical texts of its standing orders in
    force, a rule each.
    """

    revision: int = 0
    text: str = ""
    standing: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """Return orders and standing orders together, as they are parsed again."""
        return self.text + "".join(self.standing)


class PhaseInput(NamedTuple):
    """The input for resolving a phase.

    The secrets of the dice, the game's id, rules, edition and state, the phase, all seats' orders when it closed
    (or its first letter came), the answers of the pauses so far, and whether it is resolved letter by letter.
    `slates` are the known closed orders of its segments; the others are computed with the same secrets. `values`
    are the beacon's values by segment; a value is None where a ruling said not to wait for a beacon. They are empty
    without a beacon. `dice` is the entry about dice in newly computed first closed orders. `text` is the state's
    canonical text, if it is known.
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
    text: str = ""


class DecisionTrail(NamedTuple):
    """How a phase was decided: executed order lines, and standing orders by seat.

    `answered` are the windows that letters decided, `said` the events that came directly from orders.
    """

    reached: tuple[str, ...] = ()
    fired: Mapping[Seat, frozenset[str]] = MappingProxyType({})
    answered: frozenset[str] = frozenset()
    said: tuple[Event, ...] = ()


class Resolution(NamedTuple):
    """A resolved phase: closed orders, events, rolls, and states.

    ``states[i]`` is the state before ``events[i]``; the last state is that after all events. `unasked` counts the
    questions a seat was not asked because its limit was used up. `segment_rolls` are the rolls, each with its
    segment, from 1.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    rolls: tuple[Rolled, ...]
    states: tuple[object, ...]
    unasked: Mapping[Seat, int]
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()
    trail: DecisionTrail = DecisionTrail()

    @property
    def events_and_states(self) -> tuple[tuple[Event, object], ...]:
        """Yield each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))

    @property
    def events_digest(self) -> str:
        """Digest for comparing two runs of a phase."""
        return digest([event.to_json() for event in self.events])

    @property
    def rolls_json(self) -> Json:
        """Return the rolls in order, as they are stored."""
        return [[roll.label, roll.n, roll.sides, list(roll.values)] for roll in self.rolls]


class PausedPhase(NamedTuple):
    """A phase that waits for answers: closed orders, events, states, questions.

    The states are as in `Resolution`. `world` is its present state and `decisions` those it stopped at;
    `segment_rolls` as in `Resolution`.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    states: tuple[object, ...]
    asked: tuple[AskedQuestion, ...]
    world: World[object]
    decisions: Asking[object]
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()

    @property
    def events_and_states(self) -> tuple[tuple[Event, object], ...]:
        """Yield each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))


class LetterResult(NamedTuple):
    """A phase whose letters so far are executed: closed orders, events, states.

    The states are as in `Resolution`. `window` is the id of the window that the next letter answers;
    `segment_rolls` as in `Resolution`.
    """

    slates: tuple[bytes, ...]
    events: tuple[Event, ...]
    states: tuple[object, ...]
    window: str
    segment_rolls: tuple[tuple[int, Rolled], ...] = ()

    @property
    def events_and_states(self) -> tuple[tuple[Event, object], ...]:
        """Yield each event with the state before it."""
        return tuple(zip(self.events, self.states, strict=False))


class PhaseRun(NamedTuple):
    """A closed phase ready to be resolved once.

    The dice are for one run. `betas` are their secrets, one for each segment.
    """

    slates: tuple[bytes, ...]
    world: World[object]
    decisions: Asking[object]
    dice: Dice
    betas: tuple[bytes, ...]


def prepare_run(inputs: PhaseInput, asks: Asks | None = None) -> PhaseRun:
    """Prepare a closed phase for a run.

    Without `asks` no new questions are asked.
    """
    rules, state, closed, pauses = inputs.rules, inputs.state, inputs.closed, inputs.pauses
    orders = {seat: parse_closed_orders(rules, state, seat, closed[seat].whole) for seat in closed}
    decisions = rules.decisions(state, orders, answers_of(pauses), asks)
    slates = closed_orders_blocks(inputs)
    values = inputs.values or [None] * len(slates)
    betas = tuple(vrf_output_of_segment(inputs.secret, *pair) for pair in zip(slates, values, strict=True))
    dice = Dice(betas, pauses, decisions)
    if not inputs.by_letter:
        return PhaseRun(slates, rules.world(state, orders), decisions, dice, betas)
    texts_by_pause = [[answers.orders for answers in pause.values() if answers.orders is not None] for pause in pauses]
    actions = [
        [action for text in texts for action in parse_closed_orders(rules, state, _mover(rules, state), text).actions]
        for texts in texts_by_pause
        if texts
    ]
    return PhaseRun(slates, rules.world(state, orders, actions), decisions, dice, betas)


def resolve(
    inputs: PhaseInput, asks: Asks | None = None, sent: Sequence[Event] = ()
) -> Resolution | PausedPhase | LetterResult:
    """Resolve a closed phase to its end, the next question, or a letter's end.

    `sent` are the events that were mailed at earlier pauses. Raises Diverged if the new run does not repeat them,
    and InvalidResult if the rules leave the phase unfinished or contradict themselves.
    """
    rules, state, phase = inputs.rules, inputs.state, inputs.phase
    run, followed = prepare_run(inputs, asks), OrderRecorder(rules.rules, rules.telling.order_line)
    played = play(followed, run.world, run.dice, run.dice)
    if asks is not None and isinstance(played, Paused) and _is_idle(inputs, run, played, asks):
        # The run may stop here before the mailed events; they are compared only at a real stop.
        return resolve(inputs, asks._replace(idle=asks.idle | {played.windows[0].id}), sent)
    require_same(played.events, sent)
    states = [state]
    for event in played.events:
        states.append(rules.rules.apply(states[-1], event))
    if states[-1] != played.state and rules.encode(states[-1]) != rules.encode(played.state):
        raise InvalidResult(f"the events of {phase} do not add up to the state after it")
    segment_rolls = tuple(run.dice.segment_rolls)
    if isinstance(played, Paused):
        window = played.windows[0]
        if window.what == LETTER:
            return LetterResult(run.slates, played.events, tuple(states), window.id, segment_rolls)
        if asks is None or window.seat in asks.mute or window.id in answers_of(inputs.pauses):
            # This question is forbidden or answered: waiting for it would never end.
            raise InvalidResult(f"{phase} waits for {window.id}")
        asked = knowable(
            rules.rules,
            played.world,
            run.decisions,
            question_wording(rules),
            tuple(inputs.closed),
            together=asks.together,
        )
        return PausedPhase(run.slates, played.events, tuple(states), asked, played.world, run.decisions, segment_rolls)
    if faults := rules.invariants(states[-1]):
        raise InvalidResult(f"after {phase}: " + "; ".join(faults))
    unasked = {seat: len(windows) for seat, windows in run.decisions.unasked.items()}
    fired = {seat: frozenset(names) for seat, names in run.dice.fired.items()}
    trail = DecisionTrail(followed.reached_lines, fired, frozenset(run.dice.answered), tuple(followed.said))
    return Resolution(run.slates, played.events, played.rolls, tuple(states), unasked, segment_rolls, trail)


def _is_idle(inputs: PhaseInput, run: PhaseRun, paused: Paused[object], asks: Asks) -> bool:
    """Return whether a run stopped at a question that needs no answer.

    The question has no effect, so that it is left out.
    """
    window = paused.windows[0]
    if not asks.together or window.what == LETTER or window.id in asks.idle:
        return False
    silence = run.decisions.silence(paused.state, window)
    question = question_wording(inputs.rules)(paused.state, window, silence)
    return not matters(inputs.rules.rules, paused.world, AskedQuestion(window, question, silence, 0))


def _mover(rules: AnyGame, state: object) -> Seat:
    """Return any active seat; seats of a side may read each other's letters."""
    return rules.active(state)[0]


def question_wording(rules: AnyGame) -> Callable[[object, Window, Choice], Question]:
    """Return the function that words a game's windows from the owner's view."""
    return lambda state, window, silence: rules.telling.question(rules.view(state, window.seat), window, silence)


def closed_orders_blocks(inputs: PhaseInput, beacon: str = "none") -> tuple[bytes, ...]:
    """Return all segments' closed orders; new ones wait for a round of `beacon`."""
    slates = [*inputs.slates] or [first_closed_orders(inputs, beacon)]
    for pause in inputs.pauses[len(slates) - 1 :]:
        all_answers = {seat: pause.get(seat, SeatAnswers()) for seat in inputs.closed}
        slates.append(_closed_orders_block(inputs, slates, all_answers, beacon))
    return tuple(slates)


def first_closed_orders(inputs: PhaseInput, beacon: str = "none") -> bytes:
    """Return a phase's first closed orders as a block, waiting for `beacon`."""
    return _closed_orders_block(inputs, (), inputs.closed, beacon)


def _closed_orders_block(
    inputs: PhaseInput,
    before: Sequence[bytes],
    orders: Mapping[Seat, ClosedOrders | SeatAnswers],
    beacon: str,
) -> bytes:
    """Return a segment's closed orders after those `before`, with sealed seats."""
    secret, game_id, phase = inputs.secret, inputs.game_id, str(inputs.phase)
    number = len(before) + 1
    place = f"{phase}/{number}" if before else phase
    edition, state = _beginning(inputs)
    closed_list = blocks.ClosedOrders(
        game=game_id,
        phase=phase,
        segment=number,
        previous=blocks.sha256_hex(before[-1]) if before else "-",
        edition=edition,
        state=state,
        beacon=beacon,
        seats={
            seat: commitment_of(secret, sealing.salt_block(game=game_id, phase=place, seat=seat), seat_orders)
            for seat, seat_orders in orders.items()
        },
        dice="own" if before else inputs.dice,
    )
    return blocks.closed_orders_block(closed_list)


def commitment_of(secret: Secret, salt: bytes, orders: ClosedOrders | SeatAnswers) -> blocks.Commitment:
    """Commit to a seat's orders or answers by its `sealing.salt_block`."""
    rules = orders.standing if isinstance(orders, ClosedOrders) else None
    return sealing.seat_commitment(secret(salt), orders.revision, orders.text, rules)


def _beginning(inputs: PhaseInput) -> tuple[str, str]:
    """Return the digests that all closed orders of a phase begin with.

    They are the edition's digest and the blinded digest of the state.
    """
    text = inputs.text or dumps(inputs.rules.encode(inputs.state))
    state = sealing.blind_in_phase(inputs.secret, game=inputs.game_id, phase=str(inputs.phase), text=text)
    return inputs.edition.digest, state


def parse_closed_orders(rules: AnyGame, state: object, seat: Seat, text: str) -> Orders:
    """Parse stored canonical text, without its LUCK word.

    Raises InvalidResult if the game refuses text it has written.
    """
    reading = rules.parse(luck.apart(text)[1], rules.view(state, seat), seat)
    if reading.rejected:
        rejected = reading.rejected[0]
        raise InvalidResult(
            f"line {rejected.line} of the stored orders of {seat} is refused: {rejected.word!r}, {rejected.why}"
        )
    return reading.orders


def readable_standing_orders(
    rules: AnyGame, state: object, seat: Seat, standing: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a seat's standing orders as canonical texts, and the unreadable ones.

    A standing order that cannot be read any more, such as one that names a lost unit, is left out; the caller
    notifies its owner.
    """
    view = rules.view(state, seat)
    valid: list[object] = []
    unreadable: list[str] = []
    for order in standing:
        reading = rules.parse(order, view, seat)
        if reading.rejected:
            unreadable.append(order)
        else:
            valid += reading.orders.standing
    return each_rule(rules.canon(Orders((), tuple(valid)))), tuple(unreadable)


def closed_orders_to_json(closed: Mapping[Seat, ClosedOrders]) -> str:
    """Return the orders of all seats as they are stored."""
    return dumps({seat: [orders.revision, orders.text, list(orders.standing)] for seat, orders in closed.items()})


def closed_orders_from_json(stored: str | None) -> dict[Seat, ClosedOrders]:
    """Parse the text of `closed_orders_to_json`; empty before a phase closes."""
    orders_by_seat = loads(stored or "{}")
    return {
        seat: ClosedOrders(revision, text, tuple(rules)) for seat, (revision, text, rules) in orders_by_seat.items()
    }
