"""Answer a side's questions by stored answers, standing orders or defaults (S1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import seat_counted_apart
from pbem.engine.orders import conditions
from pbem.engine.orders import doctrine as core
from pbem.engine.orders.standing import Reaction, Rule
from pbem.engine.run.steps import Window
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import NORMAL, Unit, will_rank
from pbem.games.peninsular.victory import points_by_side

# What IF, STOP IF and standing orders can ask of the position, from one side's point of view.


Scene = conditions.Scene[Unit]


def _strength(unit: Unit) -> int:
    return unit.pf if unit.is_combat else 0


COUNT_FUNCTIONS: Mapping[str, Callable[[Unit], int]] = {
    "PF": _strength,
    "UNITS": lambda unit: unit.is_combat,
    "CAV": lambda unit: unit.kind == "cav",
    "INF": lambda unit: unit.kind == "inf",
    "ART": lambda unit: unit.kind == "art",
}
"""How much one counter adds to what MY and ENEMY count."""


class Conditions(conditions.Conditions[State, Unit]):
    """The conditions of this game.

    PF sums strength points, the others count counters.
    """

    measure = "PF"
    counts = COUNT_FUNCTIONS

    def friends(self, side: str, other: str) -> bool:
        return alliance_of(side) == alliance_of(other)

    def sides(self, state: State, side: str) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
        return tuple(state.counters(side)), tuple(state.enemies(side))

    def fits(self, unit: Unit, how: str) -> bool:
        """Return whether a unit is DISORDERED, SPENT or FRESH.

        Disordered includes routed; spent has fired; fresh is steady and has not fired.
        """
        if how == "DISORDERED":
            return unit.state != NORMAL
        return unit.fired if how == "SPENT" else unit.state == NORMAL and not unit.fired

    def points(self, state: State, side: str) -> int:
        return next((n for name, n in points_by_side(state).items() if alliance_of(name) == alliance_of(side)), 0)


CONDITIONS = Conditions()


class WindowSpec(NamedTuple):
    """How standing orders answer a window.

    In order: the reaction, the matching events (the empty one: any time), and the kind of event that LIMIT counts.
    """

    reaction: str
    events: tuple[str, ...]
    told: str


WINDOWS: Mapping[str, WindowSpec] = {
    "square": WindowSpec("SQUARE", ("CHARGED", "ASSAULTED", ""), "forms"),
    "fire": WindowSpec("FIRE", ("ASSAULTED", ""), "fires"),
    "retreat": WindowSpec("RETREAT", ("SHELLED", "ASSAULTED", ""), "gives way"),
    "defence": WindowSpec("LED BY", ("ASSAULTED", "CHARGED", ""), "leads"),
    "advance": WindowSpec("ADVANCE", ("",), "advances"),
    "rally": WindowSpec("RALLY", ("",), "rally"),
}
"""How standing orders answer each window. SQUARE is answered by the reactions SQUARE and STAND."""


class Doctrine(core.Doctrine[State, Scene]):
    """Answers windows by stored answers, then standing orders, then the first option."""

    def scene(self, state: State, window: Window) -> Scene:
        """Return what the seat sees that may react in a window."""
        return _scene(state, window)

    def reactions(self, state: State, window: Window, rule: Rule, scene: Scene) -> Sequence[Reaction]:
        """Return a rule's reactions if event, scope, condition and limit allow it."""
        asked, side = WINDOWS[window.what], state.edition.seats[window.seat]
        if not _in_scope(state, rule, window, scene):
            return ()
        if rule.event and not _happens(rule.event, asked, scene):
            return ()
        name = core.name_of(rule, seat_counted_apart(state, window.seat))
        if rule.limit and state.uses.get(f"{side} {name} {asked.told}", 0) >= rule.limit:
            return ()
        return rule.reactions if CONDITIONS.holds(state, rule.condition, side, scene) else rule.otherwise

    def apart(self, state: State, window: Window) -> str:
        """Return the commander whose rules are shown and counted separately (M3)."""
        return seat_counted_apart(state, window.seat)

    def value(self, state: State, window: Window, reaction: Reaction) -> tuple[str, ...]:
        """Return the option that a reaction chooses in the window."""
        return _fit(state, window, WINDOWS[window.what], reaction)

    def default(self, state: State, window: Window) -> tuple[str, ...]:
        """Return the first option."""
        return window.options[:1]


def _happens(event: str, asked: WindowSpec, scene: Scene) -> bool:
    """Return whether a rule's event occurs in a window.

    A charge counts as an assault.
    """
    bold = [unit for unit in scene.enemy if unit.assault == scene.place]
    if event == "CHARGED":
        return ("CHARGED" in asked.events or "ASSAULTED" in asked.events) and any(unit.charge for unit in bold)
    return event in asked.events and bool(bold) == (event == "ASSAULTED")


def _in_scope(state: State, rule: Rule, window: Window, scene: Scene) -> bool:
    kind, ident = rule.scope
    if kind == "ALL":
        return True
    if kind == "SPACE":
        return scene.place == ident
    if kind == "UNIT":
        return window.subject == ident or (not window.subject and ident in window.options)
    return any(unit.id == ident for unit in scene.mine)


def _scene(state: State, window: Window) -> Scene:
    """Return the hex of the owner's counter, the units in it, and the attackers."""
    side = state.edition.seats[window.seat]
    origin, _, target = window.where.partition(">")
    unit = state.units.get(window.subject)
    current = unit.at if unit is not None else target
    mine = tuple(state.own(current, side))
    bold = [unit for unit in state.enemies(side) if unit.assault == current]
    other = origin if current == target else target
    enemy = tuple(bold) or tuple(state.foes(other, side))
    return Scene(current, mine, enemy, bold[0].at if bold else other)


def _fit(state: State, window: Window, asked: WindowSpec, reaction: Reaction) -> tuple[str, ...]:
    """Return the option that a reaction chooses; () if it does not apply."""
    if window.what == "square":
        return (reaction.keyword,) if reaction.keyword in window.options else ()
    if reaction.keyword != asked.reaction:
        return ()
    if window.what != "defence":
        return reaction.words[:1] if reaction.words and reaction.words[0] in window.options else ()
    units = [state.units[ident] for ident in window.options]
    for word in reaction.words:
        if word in window.options:
            return (word,)
        unit = _unit_by_rank(units, word)
        if unit is not None:
            return (unit.id,)
    return ()


def _unit_by_rank(units: Sequence[Unit], word: str) -> Unit | None:
    """Return the counter that INF.STRONGEST and the like name.

    FRESHEST is the unit with the best morale.
    """
    kind, dot, rank = word.partition(".")
    fitting = [unit for unit in units if dot and unit.kind.upper() == kind]
    if rank.startswith("PF>="):
        fitting = [unit for unit in fitting if unit.pf >= int(rank.removeprefix("PF>="))]
    if rank == "WEAKEST":
        return min(fitting, key=lambda unit: (unit.pf, unit.id), default=None)
    if rank == "FRESHEST":
        return min(fitting, key=lambda unit: (will_rank(unit.will), -unit.pf, unit.id), default=None)
    return min(fitting, key=lambda unit: (-unit.pf, unit.id), default=None)


# Ready-made standing orders, for players who want a temper and no details.


PRESETS: Mapping[str, str] = {
    "cautious": """STANDING FOR ALL
1. WHEN CHARGED THEN SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. RETREAT 2
4. ADVANCE NO
ENDSTANDING
""",
    "balanced": """STANDING FOR ALL
1. WHEN CHARGED THEN SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. RETREAT 1
4. ADVANCE YES
ENDSTANDING
""",
    "aggressive": """STANDING FOR ALL
1. WHEN CHARGED IF ODDS AT MOST 1:2 THEN STAND ELSE SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. FIRE AT WILL
4. RETREAT 1
5. ADVANCE YES
ENDSTANDING
""",
}
"""Presets by name; the defaults of the rules decide the rest."""
