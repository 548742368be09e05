"""TEST STANDING: an attack that nobody has ordered, made up from units the seat sees or from numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import Statement, tokens
from pbem.engine.orders.standing import unknown_space, unknown_unit
from pbem.engine.run.steps import Task, World
from pbem.engine.terms import Rejected, Trial
from pbem.games.africa1860.battle.doctrine import default_screen, default_vanguard
from pbem.games.africa1860.battle.odds import since
from pbem.games.africa1860.orders.reading import lexicon
from pbem.games.africa1860.orders.vocabulary import VOCABULARY
from pbem.games.africa1860.setup.units import CAVALRY, Unit, other
from pbem.games.africa1860.state import Fight, State

MOST = 8
"""Units of one kind that may be made up."""
_MADE: Mapping[str, Mapping[str, str]] = {
    "INF": {"spain": "IR", "morocco": "NZ"},
    "LIGHT": {"spain": "IL", "morocco": "IL"},
    "CAV": {"spain": "CAB", "morocco": "CAB"},
    "ART": {"spain": "ART", "morocco": "ART"},
}


def trial(text: str, view: State, side: str) -> Trial:
    """Read ``Cresta BY Bujari, Nizam FROM Nudos`` or ``Cresta BY 3 INF, 1 CAV``, and set the attack up.

    Made up units have fire 2, assault 2, morale 4 and 4 steps. All cavalry charges, anything else assaults; artillery
    supports, a gun a group. Without FROM they come from where the first of them stands, if that is next to the space,
    else from the first space beside it that is not the defender's.
    """
    reader = Reader(Statement(1, tokens(text)), VOCABULARY, "C10")
    try:
        names = lexicon(view, side)
        target = reader.name(names.spaces, unknown_space, "O2")
        reader.expect("BY")
        force = [*_force(reader, view, side)]
        while reader.mark(",") or reader.accept("AND"):
            force += _force(reader, view, side)
        origin = reader.name(names.spaces, unknown_space, "O2") if reader.accept("FROM") else ""
        reader.finish()
        return _attack(reader, view, side, _Wanted(target, {unit.id: unit for unit in force}, origin))
    except Wrong as wrong:
        return Trial(None, rejected=(wrong.rejected,))


def _force(reader: Reader, view: State, side: str) -> list[Unit]:
    """A unit of the enemy that is in sight, or a number of a kind."""
    enemy, token = other(side), reader.token
    if token is not None and token.text.isdigit():
        count = reader.number()
        if not 1 <= count <= MOST:
            reader.at -= 1
            raise reader.wrong(msg("a number from 1 to {most} stands here", most=MOST))
        kind = reader.expect(*_MADE)
        code = _MADE[kind][enemy]
        return [Unit(f"{kind}-{n}", enemy, code, "", 2, 2, 4, 4, 4) for n in range(1, count + 1)]
    at = reader.at
    unit = view.units.get(reader.name(lexicon(view, side).units, unknown_unit, "R2"))
    if unit is None or unit.side == side:
        reader.at = at
        raise reader.wrong(msg("this is no unit of the enemy that you see"), "R2")
    return [unit.marked(activated=False, fired=False, acted=False)]


class _Wanted(NamedTuple):
    """An attack as it was asked for: on which space, by whom, and from where, if that was said."""

    target: str
    force: Mapping[str, Unit]
    origin: str


def _attack(reader: Reader, view: State, side: str, wanted: _Wanted) -> Trial:
    enemy, area, (target, force, origin) = other(side), view.edition.map, wanted

    def refuse(word: str, why: Msg, rule: str) -> Trial:
        column = next((token.column for token in reader.words if token.text == word), 0)
        return Trial(None, rejected=(Rejected(1, column, word, why, rule),))

    first = reader.words[0].text
    if not view.own(target, side):
        return refuse(first, msg("none of your units stands in {space}", space=target), "O8")
    free = [near for near in area.neighbours(target) if view.holder(near) != side]
    stands = next((unit.at for unit in force.values() if unit.at in free), free[0] if free else "")
    start = origin or stands
    if start not in free:
        word = reader.words[-1].text if origin else first
        return refuse(word, msg("no enemy can come at {space} from there", space=target), "O8")
    units = {ident: unit._replace(at=start) for ident, unit in force.items()}
    combat = [unit for unit in units.values() if unit.is_combat]
    if not combat:
        return refuse(first, msg("an attack needs infantry or cavalry"), "O8")
    leaders = [unit.id for unit in units.values() if unit.is_leader]
    guns = tuple((unit.id,) for unit in units.values() if unit.code == "ART")
    vanguard = default_vanguard(combat, frozenset())
    screen = default_screen(combat, vanguard)
    rides = all(unit.code == CAVALRY for unit in combat)
    fight = Fight(
        "",
        "charge" if rides else "assault",
        enemy,
        start,
        target,
        tuple(sorted([*(unit.id for unit in combat), *leaders])),
        leaders[0] if leaders else "",
        support=guns,
        vanguard=vanguard,
        screen="" if screen == "NONE" else screen,
    )
    state = view.change(phase=enemy, units={**view.units, **units}, used=(start,), fight=None)
    before = state.bouts.get(f"{start}>{target}", 0)

    def over(world: World[State]) -> bool:
        return world.state.fight is None and world.state.bouts.get(f"{start}>{target}", 0) > before

    return Trial(World(state, (Task("begin", (fight,)),)), since(state), over)
