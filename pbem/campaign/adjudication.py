"""From closed orders to events: pure, so that a game and its replay cannot differ.

A phase closes into a list of canonical texts, one a seat, standing orders included. The list is sealed into a slate,
the slate gives the dice (scheme hmac/v0), and the game's rules do the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pbem.audit import blocks, keys
from pbem.audit.dice import Stream
from pbem.core.canon import Json, digest, dumps
from pbem.core.events import Event
from pbem.core.game import Edition, Game, Orders, Phase, Seat
from pbem.core.runners import Paused, play
from pbem.core.steps import Rolled

__all__ = ["Closed", "Resolution", "Unsound", "parse_closed", "resolve", "slate", "together"]


class Unsound(Exception):
    """The rules contradicted themselves or the stored orders; nothing of the resolution may be used."""


class Closed(NamedTuple):
    """What a seat's orders were when the phase closed: the revision (0: none came) and the canonical text."""

    revision: int = 0
    text: str = ""


class Resolution(NamedTuple):
    """A resolved phase: its slate, events, rolls, and the state before, between and after.

    ``states[i]`` is the state before ``events[i]``, the last one the state after all.
    """

    slate: bytes
    events: tuple[Event, ...]
    rolls: tuple[Rolled, ...]
    states: tuple[Any, ...]

    @property
    def events_digest(self) -> str:
        """The digest that two runs of a phase are compared by."""
        return digest([happened.to_json() for happened in self.events])

    @property
    def rolls_json(self) -> Json:
        """The rolls in order, as they are stored."""
        return [[roll.label, roll.n, roll.sides, list(roll.values)] for roll in self.rolls]


def resolve(
    key: bytes, game_id: str, rules: Game, edition: Edition, state: Any, phase: Phase, closed: Mapping[Seat, Closed]
) -> Resolution:
    """Roll and adjudicate a closed phase; Unsound if the rules leave it unfinished or contradict themselves."""
    sealed = slate(key, game_id, edition, dumps(rules.encode(state)), phase, closed)
    dice = Stream(keys.secret(key, blocks.alpha(sealed)))
    orders = {seat: parse_closed(rules, state, seat, closed[seat].text) for seat in closed}
    done = play(rules.rules, rules.world(state, orders), dice, rules.decisions(state, orders, {}))
    if isinstance(done, Paused):
        raise Unsound(f"{phase} waits for {', '.join(window.id for window in done.windows)}")
    states = [state]
    for happened in done.events:
        states.append(rules.rules.apply(states[-1], happened))
    if rules.encode(states[-1]) != rules.encode(done.state):
        raise Unsound(f"the events of {phase} do not add up to the state after it")
    if wrong := rules.invariants(states[-1]):
        raise Unsound(f"after {phase}: " + "; ".join(wrong))
    return Resolution(sealed, done.events, done.rolls, tuple(states))


def slate(key: bytes, game_id: str, edition: Edition, state: str, phase: Phase, closed: Mapping[Seat, Closed]) -> bytes:
    """The closed list of a phase as a block; `state` is the canonical JSON of the state before it."""
    name = str(phase)
    return blocks.slate(
        game=game_id,
        phase=name,
        segment=1,
        previous="-",
        edition=edition.digest,
        state=keys.blinded(key, game=game_id, phase=name, text=state),
        beacon="none",
        seats={
            seat: blocks.Sealed(
                orders.revision,
                keys.commit(
                    keys.order_salt(key, game=game_id, phase=name, seat=seat, revision=orders.revision), orders.text
                ),
            )
            for seat, orders in closed.items()
        },
    )


def parse_closed(rules: Game, state: Any, seat: Seat, text: str) -> Orders:
    """Read canonical text back; Unsound if the game no longer understands what it once wrote."""
    reading = rules.parse(text, rules.view(state, seat), seat)
    if reading.rejected:
        bad = reading.rejected[0]
        raise Unsound(f"line {bad.line} of the stored orders of {seat} is refused: {bad.word!r}, {bad.why}")
    return reading.orders


def together(rules: Game, state: Any, seat: Seat, text: str, standing: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The canonical text of a seat's actions in `text` and its standing orders, and which of these could not be read.

    Standing orders outlive what they speak of: one that names a unit lost since is left out, and its owner told.
    """
    actions = parse_closed(rules, state, seat, text).actions if text else ()
    view = rules.view(state, seat)
    kept: list[Any] = []
    lost: list[str] = []
    for order in standing:
        reading = rules.parse(order, view, seat)
        if reading.rejected:
            lost.append(order)
        else:
            kept += reading.orders.standing
    return rules.canon(Orders(actions, tuple(kept))), tuple(lost)
