"""What hung on the dice of resolved phases, to the eyes of a seat or of whoever may know everything.

A resolved phase comes out the same for ever, so what was reckoned of it is remembered. A player is told what follows
from what he saw, from his own orders, and from the defaults of the rules for everybody else's; when the game is over,
and whoever decides at any time, from all that was so. Nothing of it is done while a letter is taken in (`luck_letter`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine import luck
from pbem.engine.data.events import Event
from pbem.engine.game import Game
from pbem.engine.luck import Eyes, WeighedPhase, WeighedRoll
from pbem.engine.parts import ScoredGame
from pbem.engine.run.runners import Decisions
from pbem.engine.terms import Orders, Phase
from pbem.letters import outbox
from pbem.play import adjudication, dice_segments, history, phases
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Server, Work
from pbem.store import tables

EVERYTHING = ""
"""In the place of a seat: asks as somebody who may know everything, a moderator, or anybody once the game is over."""


def scored(rules: Game) -> ScoredGame:
    """What the game says that its positions are worth; LookupError if it does not."""
    if rules.scored is None:
        raise LookupError(f"{rules.name} does not say what its dice are worth")
    return rules.scored


class PhaseLuck(NamedTuple):
    """The luck of a resolved phase, to the eyes that asked; None where there was no room for it."""

    phase: Phase
    weighed: WeighedPhase | None


class _Seat:
    """A seat's eyes: what comes through the gate of the game."""

    def __init__(self, rules: Game, seat: str) -> None:
        self._rules, self._scored, self._seat = rules, scored(rules), seat

    def know(self, state: Any, happened: Sequence[Event] = ()) -> Any:
        return self._scored.hindsight(self._rules.view(state, self._seat), happened)

    def see(self, happened: Sequence[Event], before: Any) -> list[Event]:
        shown = []
        for one in happened:
            shown.append(self._rules.see(one, self._seat, before))
            before = self._rules.rules.apply(before, one)
        return [one for one in shown if one is not None]


class _PhaseToWeigh(NamedTuple):
    """A phase about to be weighed: how it went, who asks, and who answers for the players where it is foreseen."""

    run: adjudication.Run
    eyes: Eyes[Any]
    reckoned: Decisions[Any]


class ToWeigh(NamedTuple):
    """Phases to be weighed: each with the key it is remembered by, and what it is weighed from where it is not.

    `sides` are those that points are counted for; `side` is that of the seat that asks, empty if none does.
    """

    game: Game
    sides: tuple[str, ...]
    side: str
    phases: tuple[tuple[Phase, tuple[Any, ...], _PhaseToWeigh | None], ...]


def gather(work: Work, rows: Sequence[tables.Phase], seat: str) -> ToWeigh:
    """All that resolved phases of a game, at least one, are weighed from, to the eyes of a seat or to EVERYTHING."""
    game = work.session.get_one(tables.Game, rows[0].game_id)
    rules = work.server.rules_of(game)
    all_known = seat == EVERYTHING or game.state == "over"
    found = []
    for row in rows:
        key = (row.id, row.events_digest, EVERYTHING if all_known else seat)
        inputs = None
        if work.server.luck.find(key) is None:
            inputs = _prepare(work, game, row, EVERYTHING if all_known else seat)
        found.append((outbox.phase_of(row), key, inputs))
    state = history.state_after(work, game, rows[0].number - 1)
    side = scored(rules).party(state, rules.seats(state)[seat]) if seat else ""
    return ToWeigh(rules, tuple(scored(rules).worth(state)), side, tuple(found))


def _prepare(work: Work, game: tables.Game, row: tables.Phase, seat: str) -> _PhaseToWeigh:
    rules = work.server.rules_of(game)
    state = history.state_after(work, game, row.number - 1)
    letters = Terms.read(game.terms).pace == ACTIVATION
    here = Position(game, rules, work.server.edition_of(work.session, game), state, row.number - 1, letters)
    inputs = phases.input_of(work, here, row)
    run = adjudication.run_of(inputs)
    if seat == EVERYTHING:
        return _PhaseToWeigh(run, luck.EVERYTHING, run.decisions)
    view, text = rules.view(state, seat), inputs.closed[seat].whole if seat in inputs.closed else ""
    own = adjudication.parse_closed(rules, state, seat, text)
    everybody = {name: own if name == seat else Orders() for name in rules.seats(state)}
    answers = dice_segments.answers_of([{seat: pause[seat]} for pause in inputs.pauses if seat in pause])
    return _PhaseToWeigh(run, _Seat(rules, seat), rules.decisions(view, everybody, answers))


def weigh(server: Server, asked: ToWeigh, most: int) -> tuple[PhaseLuck, ...]:
    """Weigh phases in their order; those for which `most` steps do not suffice, the latest counting first, are left."""
    found: list[PhaseLuck] = []
    for phase, key, inputs in reversed(asked.phases):
        known = server.luck.find(key)
        if known is None and inputs is not None and most > 0:
            run = inputs.run
            played = luck.Played(asked.game.rules, run.world, run.dice, run.dice)
            made = luck.weigh(scored(asked.game), played, luck.Weighing(inputs.eyes, inputs.reckoned))
            known = made, made.steps
            server.luck.keep(key, *known)
        # What is remembered costs what it cost: an answer does not depend on what was asked before it.
        fits = known is not None and known[1] <= most
        most = most - known[1] if known is not None and fits else 0
        found.append(PhaseLuck(phase, known[0] if known is not None and fits else None))
    return tuple(reversed(found))


def rolls(phases: Sequence[PhaseLuck]) -> list[WeighedRoll]:
    """Return all rolls of these phases, as far as they had room."""
    each = [one.weighed.combats for one in phases if one.weighed is not None]
    return [roll for combats in each for combat in combats for roll in combat.rolls]


def sum_up(phases: Sequence[PhaseLuck], place: int) -> tuple[float, float]:
    """Return the luck of a side, by its place, in all these phases, and its standard deviation."""
    return luck.standard(rolls(phases), place)
