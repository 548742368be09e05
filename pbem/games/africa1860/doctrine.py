"""Answer a side's questions by stored answers, standing orders or defaults (C10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pbem.engine.commanders.holding import seat_counted_apart
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import conditions
from pbem.engine.orders import doctrine as core
from pbem.engine.orders.standing import ASK, Reaction, Rule
from pbem.engine.run.questions import Asks
from pbem.engine.run.steps import Choice, Window
from pbem.engine.terms import Orders
from pbem.games.africa1860.state import CAVALRY, COMBAT_CODES, INFANTRY, LIGHT, State, Unit, best_unit, enemy_of
from pbem.games.africa1860.victory import points_by_side
from pbem.games.africa1860.view import position_seen_by

# What IF, STOP IF and standing orders can ask of the position, from one side's point of view.


Scene = conditions.Scene[Unit]


def _steps(unit: Unit) -> int:
    return unit.steps if unit.is_combat else 0


COUNT_FUNCTIONS: Mapping[str, Callable[[Unit], int]] = {
    "STEPS": _steps,
    "UNITS": lambda unit: unit.code in COMBAT_CODES,
    "CAV": lambda unit: unit.code == CAVALRY,
    "INF": lambda unit: unit.code in INFANTRY,
    "ART": lambda unit: unit.code == "ART",
}
"""How much one unit adds to what MY and ENEMY count."""


class Conditions(conditions.Conditions[State, Unit]):
    """The conditions of this game; STEPS sums steps, the others count units."""

    measure = "STEPS"
    counts = COUNT_FUNCTIONS

    def seen(self, state: State, side: str) -> State:
        return position_seen_by(state, side)

    def sides(self, state: State, side: str) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
        mine: list[Unit] = []
        enemy: list[Unit] = []
        for unit in state.units.values():
            (mine if unit.side == side else enemy).append(unit)
        return tuple(mine), tuple(enemy)

    def fits(self, unit: Unit, how: str) -> bool:
        """Return whether a unit fits FRESH (not activated, not demoralised) or SPENT."""
        if how == "DEMORALISED":
            return unit.demoralised
        spent = unit.activated or unit.fired
        return spent if how == "SPENT" else not (spent or unit.demoralised)

    def points(self, state: State, side: str) -> int:
        return points_by_side(state)[side]


CONDITIONS = Conditions()


class WindowSpec(NamedTuple):
    """The answer of standing orders to a window, and the question by letter.

    In order: the reaction, the matching events, the kind of event that reports it (which LIMIT counts), and the
    question.
    """

    reaction: str
    events: tuple[str, ...]
    told: str
    question: Msg


WINDOWS: Mapping[str, WindowSpec] = {
    "vanguard": WindowSpec(
        "VANGUARD",
        ("ASSAULTED",),
        "vanguard",
        msg("{space} is attacked from {origin}. Which unit of yours is the vanguard?"),
    ),
    "screen": WindowSpec(
        "SCREEN",
        ("ASSAULTED",),
        "screen",
        msg("{space} is attacked from {origin}. Which unit of yours screens the vanguard?"),
    ),
    "cavalry": WindowSpec(
        "CAVALRY", ("ASSAULTED",), "marked", msg("{space} is attacked from {origin}. What does {unit} do?")
    ),
    "guns": WindowSpec(
        "ARTILLERY", ("ASSAULTED",), "marked", msg("{space} is attacked from {origin}. What do your guns there do?")
    ),
    "losses": WindowSpec(
        "LOSSES",
        ("ASSAULTED",),
        "losses",
        msg("{space} is attacked from {origin}. Who takes losses first, after the vanguard?"),
    ),
    "fallback": WindowSpec(
        "FALLBACK",
        ("ASSAULTED",),
        "retreats",
        msg("{space} is lost to the attack from {origin}. Where do your units retreat to?"),
    ),
    "detach": WindowSpec(
        "DETACH", ("CHARGED",), "detached", msg("Cavalry in {space} counter-charges. Which cavalry of yours meets it?")
    ),
    "target vanguard": WindowSpec(
        "VANGUARD",
        ("CHARGED",),
        "meets",
        msg("Cavalry from {origin} caracoles at {space}. Which unit of yours is the vanguard?"),
    ),
    "target screen": WindowSpec(
        "SCREEN",
        ("CHARGED",),
        "meets",
        msg("Cavalry from {origin} caracoles at {space}. Which unit of yours screens the vanguard?"),
    ),
    "counterbattery": WindowSpec(
        "COUNTERBATTERY",
        ("SHELLED",),
        "marked",
        msg("Guns have fired from {origin} at {space}. Does {unit} answer them?"),
    ),
    "approach": WindowSpec(
        "APPROACH", ("APPROACHED",), "marked", msg("The enemy enters {space}, next to {unit}. What does it do?")
    ),
}


def default_vanguard(units: Sequence[Unit], riding: frozenset[str]) -> str:
    """C10 Return the best undemoralised infantry, else cavalry, else any unit (R1).

    Cavalry in `riding` does not count. Only combat units do.
    """
    steady = [unit for unit in units if not unit.demoralised]
    best = (
        best_unit(steady, lambda unit: unit.code in INFANTRY)
        or best_unit(steady, lambda unit: unit.code == CAVALRY and unit.id not in riding)
        or best_unit(steady, lambda unit: unit.is_combat)
        or best_unit(list(units), lambda unit: unit.is_combat)
    )
    return "" if best is None else best.id


def default_screen(units: Sequence[Unit], vanguard: str) -> str:
    """C10 Return the undemoralised light infantry with most coins, else NONE.

    The vanguard is not chosen.
    """
    able = [unit for unit in units if unit.code == LIGHT and not unit.demoralised and unit.id != vanguard]
    best = min(able, key=lambda unit: (-min(unit.fire, unit.steps), unit.id), default=None)
    return "NONE" if best is None else best.id


def default_notice(state: State, seat: str, *chosen: Choice) -> tuple[Event, ...]:
    """Return the event of a default choice, for the seat's side only (C10)."""
    return notice_of_default(state, seat, "C10") if "default" in [choice.by for choice in chosen] else ()


def notice_of_default(state: State, seat: str, cite: str) -> tuple[Event, ...]:
    """Return the event of a default choice, for the seat's side only (C10, C10a).

    M3 If the side has several commanders, only the one who had to answer is notified.
    """
    side = state.edition.seats[seat]
    if seat_counted_apart(state, seat):
        return (Event("default doctrine", cite, {"side": side}, (seat,)),)
    seats = tuple(seat for seat, holds in state.edition.seats.items() if holds == side)
    return (Event("default doctrine", cite, {"side": side}, seats),)


class Doctrine(core.Doctrine[State, Scene]):
    """Answers windows by stored answers, then standing orders, then C10."""

    def rules(self, window: Window) -> Sequence[Rule]:
        """Return a seat's standing orders that can answer a window."""
        standing = self.standing.get(window.seat)
        if not standing:
            return ()
        result = self._bearing.get((window.seat, window.what))
        if result is None:
            wanted = (WINDOWS[window.what].reaction, ASK)
            result = self._bearing[window.seat, window.what] = [
                rule for rule in standing if any(item.keyword in wanted for item in (*rule.reactions, *rule.otherwise))
            ]
        return result

    @cached_property
    def _bearing(self) -> dict[tuple[str, str], list[Rule]]:
        return {}

    def scene(self, state: State, window: Window) -> Scene:
        """Return what the owner of the window sees."""
        return _scene(state, window)

    def reactions(self, state: State, window: Window, rule: Rule, scene: Scene) -> Sequence[Reaction]:
        """Return a rule's reactions if event, scope, condition and limit allow it."""
        asked, side = WINDOWS[window.what], state.edition.seats[window.seat]
        events = asked.events
        if state.fight is not None and state.fight.kind in _charges(state) and "ASSAULTED" in events:
            events = (*events, "CHARGED")
        if rule.event not in events or not _in_scope(rule, window, scene) or _is_used_up(state, window, asked, rule):
            return ()
        # M6 Under couriers he knows what his own command does, whoever's set is carried out.
        eyes = state if state.known is None else state.change(commanding=seat_counted_apart(state, window.seat))
        return rule.reactions if CONDITIONS.holds(eyes, rule.condition, side, scene) else rule.otherwise

    def apart(self, state: State, window: Window) -> str:
        """Return the commander whose rules are shown and counted separately (M3)."""
        return seat_counted_apart(state, window.seat)

    def value(self, state: State, window: Window, reaction: Reaction) -> tuple[str, ...]:
        """Return a reaction's answer to the window."""
        return _fit(state, window, reaction) if reaction.keyword == WINDOWS[window.what].reaction else ()

    def fits(self, state: State, window: Window, given: tuple[str, ...]) -> bool:
        """Return whether an answer's units can still act; NONE always fits."""
        return given[0] in window.options or given == ("NONE",)

    def open(self, window: Window) -> bool:
        """Return whether there is a choice: several options, or whether to detach."""
        return len(window.options) > 1 or window.what == "detach"

    def default(self, state: State, window: Window) -> tuple[str, ...]:
        """Return the default of a side without an answer (C10)."""
        if window.what in ("vanguard", "target vanguard"):
            units = [state.units[ident] for ident in window.options]
            riders = [unit for unit in units if unit.code == CAVALRY] if window.what == "vanguard" else []
            riding = frozenset(unit.id for unit in riders if self._rides(state, window, unit))
            return (default_vanguard(units, riding),)
        if window.what in ("screen", "target screen"):
            return (default_screen([state.units[i] for i in window.options if i != "NONE"], ""),)
        if window.what in ("losses", "detach"):
            return ()
        return window.options[:1]

    def _rides(self, state: State, window: Window, unit: Unit) -> bool:
        """C10 Return whether standing orders let cavalry caracole or counter-charge."""
        cavalry = Window(window.where, "cavalry", state.answerer(unit), unit.id, ("STAY", "CARACOLE", "COUNTERCHARGE"))
        return self.silence(state, cavalry).value[0] != "STAY"


def _charges(state: State) -> tuple[str, ...]:
    """O4a Return the kinds of fight that WHEN CHARGED answers.

    An interceptor charges the unit that moves.
    """
    return ("charge", "interception") if state.edition.reread else ("charge",)


def _scene(state: State, window: Window) -> Scene:
    """Return the space of the window, the owner's units in it, and the attackers."""
    side = state.edition.seats[window.seat]
    origin, _, target = window.where.partition(".")[0].partition(">")
    fight = state.fight
    if window.what == "detach" and fight is not None:
        stack = tuple(state.units[ident] for ident in fight.stack if ident in state.units)
        return Scene(fight.target, stack, tuple(state.own(fight.target, enemy_of(side))), fight.target)
    if fight is not None and window.what not in ("approach", "counterbattery"):
        stack = tuple(state.units[ident] for ident in fight.stack if ident in state.units)
        return Scene(fight.target, tuple(state.own(fight.target, side)), stack, fight.last_from)
    if window.what == "approach":
        rider = state.units[window.subject]
        return Scene(rider.at, tuple(state.own(rider.at, side)), tuple(state.own(target, enemy_of(side))), target)
    if window.what == "counterbattery":
        gun = state.units[window.subject]
        return Scene(gun.at, tuple(state.own(gun.at, side)), tuple(state.own(origin, enemy_of(side))), origin)
    return Scene(target, tuple(state.own(target, side)), (state.units[window.subject],), origin)


def _in_scope(rule: Rule, window: Window, scene: Scene) -> bool:
    kind, ident = rule.scope
    if kind == "ALL":
        return True
    if kind == "SPACE":
        return scene.place == ident
    if kind == "UNIT" and window.subject and window.what in ("cavalry", "approach", "counterbattery"):
        return window.subject == ident
    return any(unit.id == ident for unit in scene.mine)


def _is_used_up(state: State, window: Window, asked: WindowSpec, rule: Rule) -> bool:
    side, name = state.edition.seats[window.seat], core.name_of(rule, seat_counted_apart(state, window.seat))
    return bool(rule.limit) and state.uses.get(f"{side} {name} {asked.told}", 0) >= rule.limit


def _fit(state: State, window: Window, reaction: Reaction) -> tuple[str, ...]:
    """Return a reaction's words as the window's answer; () if none is possible."""
    words = (*reaction.words, reaction.to) if reaction.to else reaction.words
    if window.what in ("cavalry", "approach", "guns"):
        return words if words[0] in window.options else ()
    if window.what == "fallback":
        return tuple(word for word in words if word in window.options)[:1]
    if window.what == "counterbattery" and words[0] in ("YES", "NO"):
        return words
    if words == ("NONE",):
        return ("NONE",)
    units = [state.units[ident] for ident in window.options if ident in state.units]
    if window.what in ("losses", "detach"):
        ranked = [ident for word in words for ident in _pick(units, word)]
        return tuple(dict.fromkeys(ranked))
    if window.what == "counterbattery":
        gun = [state.units[window.subject]]
        return ("YES",) if any(_pick(gun, word) for word in words) else ("NO",)
    for word in words:
        if word == "NONE" and "NONE" in window.options:
            return ("NONE",)
        picked = _pick(units, word)
        if picked:
            return picked[:1]
    return ()


_KINDS: Mapping[str, frozenset[str]] = {
    "INF": INFANTRY,
    "LIGHT": frozenset({LIGHT}),
    "CAV": frozenset({CAVALRY}),
    "ART": frozenset({"ART"}),
}


def _pick(units: Sequence[Unit], word: str) -> tuple[str, ...]:
    """Return the units a preference means, the best first: an id, or KIND.RANK."""
    kind, dot, rank = word.partition(".")
    if not dot:
        return tuple(unit.id for unit in units if unit.id == word)
    group = [unit for unit in units if unit.code in _KINDS[kind]]
    if rank.startswith("STEPS>="):
        group = [unit for unit in group if unit.steps >= int(rank.removeprefix("STEPS>="))]
        return tuple(unit.id for unit in sorted(group, key=lambda u: (-u.steps, u.id)))
    # Steady before demoralised units, then who has lost fewest steps, then who has most.
    if rank == "FRESHEST":
        return tuple(u.id for u in sorted(group, key=lambda u: (u.demoralised, u.full - u.steps, -u.steps, u.id)))
    sign = 1 if rank == "WEAKEST" else -1
    return tuple(u.id for u in sorted(group, key=lambda u: (sign * u.assault, sign * u.steps, u.id)))


def make_doctrine(
    state: State,
    orders: Mapping[str, Orders],
    answers: Mapping[str, Sequence[str]],
    asks: Asks | None = None,
) -> Doctrine:
    """Return the doctrine: answers, orders, defaults; no letters under couriers (M6)."""
    standing = {seat: given.standing for seat, given in orders.items()}
    return Doctrine(standing, answers, None if state.known is not None else asks)


# C10 Ready-made standing orders, for players who want a temper and no details.


PRESETS: Mapping[str, str] = {
    "cautious": """STANDING FOR ALL
1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD INF.WEAKEST ; CAVALRY CARACOLE TO SHELTER ; LOSSES INF.WEAKEST
2. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY STAY
3. WHEN APPROACHED THEN APPROACH IGNORE
4. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
    "balanced": """STANDING FOR ALL
1. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY CARACOLE TO SHELTER ; LOSSES INF.STRONGEST
2. WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CARACOLE ELSE APPROACH IGNORE
3. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
    "aggressive": """STANDING FOR ALL
1. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY COUNTERCHARGE ; ARTILLERY FIRE
2. WHEN APPROACHED IF ODDS AT MOST 2:1 THEN APPROACH CHARGE ELSE APPROACH CARACOLE
3. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
}
"""Presets by name; the default doctrine decides the rest."""
