"""What hung on the dice: promised where DICE is answered, reckoned when the letter is put into words.

As with odds (weighing.py) no transaction waits for it: the model's block says of which phases it is to be told, and to
whose eyes. A resolved phase comes out the same for ever, so what was reckoned of it is remembered. A player is told
what follows from what he saw, from his own orders, and from the defaults of the rules for everybody else's; when the
game is over, and whoever decides at any time, from all that was so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import structlog
from sqlmodel import Session

from pbem.campaign import adjudication, letters, outgoing, past, phases, segments
from pbem.campaign.office import WEATHER, Office
from pbem.campaign.positions import Position
from pbem.campaign.terms import ACTIVATION, Terms
from pbem.core import luck
from pbem.core.canon import Json
from pbem.core.game import Game, Orders, Phase
from pbem.core.luck import Combat, Throw, Weighed
from pbem.core.messages import Msg, decimal, msg
from pbem.core.reasons import labels_of
from pbem.core.runners import Decisions
from pbem.store import tables

__all__ = ["EVERYTHING", "Asked", "Fortune", "gathered", "kept", "promise", "scored", "signed", "summed", "weighed"]

log = structlog.get_logger(__name__)

EVERYTHING = ""
"""Whose eyes see all that was so: a moderator's, and everybody's when the game is over."""
PER_LETTER = 40_000
"""Steps of the rules for all the phases that one answer tells of, the latest first. A phase takes some five hundred."""
COMBATS = 8
"""Combats that are told one by one, those on which most hung."""
THROWS = 4
"""Throws that are told of each of them."""
NOTHING = 0.005
"""What is shown with two places and comes to nothing."""


class Fortune(NamedTuple):
    """The luck of a resolved phase, to the eyes that asked; None where there was no room for it."""

    phase: Phase
    weighed: Weighed | None


class _Matter(NamedTuple):
    """A phase about to be weighed: how it went, and what is known of it."""

    run: adjudication.Run
    eyes: Callable[[Any], Any]
    reckoned: Decisions[Any]
    told: Callable[[str], bool]


class Asked(NamedTuple):
    """Phases to be weighed: each with the key it is remembered by, and what it is weighed from where it is not.

    `sides` are those that points are counted for; `side` is that of the seat that asks, empty if none does.
    """

    game: Any
    sides: tuple[str, ...]
    side: str
    phases: tuple[tuple[Phase, tuple[Any, ...], _Matter | None], ...]


def scored(game: Game) -> bool:
    """Whether a game says what its positions are worth."""
    return hasattr(game, "worth")


def promise(title: Msg, rows: Sequence[tables.Phase], seat: str) -> Json:
    """A block that will tell a seat what hung on the dice of these resolved phases of a game that is `scored`."""
    return letters.block(title, ()) | {"luck": {"phases": [row.id for row in rows], "seat": seat}}


def kept(office: Office, models: Sequence[Json]) -> list[Json]:
    """The same letters with what was promised in them; WEATHER if the database is away."""
    promised = [block["luck"] for model in models for block in model["blocks"] if _promises(block)]
    if not promised:
        return list(models)
    with office.session() as session:
        asked = iter([_asked(session, office, one) for one in promised])
    letter = []
    for model in models:
        whole = [_keep(office, block, next(asked)) if _promises(block) else block for block in model["blocks"]]
        letter.append({**model, "blocks": whole})
    return letter


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and "luck" in block


def _asked(session: Session, office: Office, wanted: Json) -> Asked | None:
    try:
        rows = [session.get_one(tables.Phase, number) for number in wanted["phases"]]
        return gathered(session, office, rows, wanted["seat"])
    except WEATHER:
        raise
    except Exception:
        # Whatever is wrong with it, the letter that it stands in must not be lost.
        log.exception("luck cannot be reckoned", wanted=wanted)
        return None


def _keep(office: Office, block: Json, asked: Asked | None) -> Json:
    lines = [(0, msg("The luck could not be reckoned; the operator can read why in the log."))]
    if asked is not None:
        try:
            lines = _lines(asked, weighed(office, asked, PER_LETTER))
        except Exception:
            log.exception("luck cannot be reckoned", wanted=block["luck"])
    return {"title": block["title"], "lines": [[depth, said.to_json()] for depth, said in lines]}


def gathered(session: Session, office: Office, rows: Sequence[tables.Phase], seat: str) -> Asked:
    """All that resolved phases of a game, at least one, are weighed from, to the eyes of a seat or to EVERYTHING."""
    game = session.get_one(tables.Game, rows[0].game_id)
    rules: Any = office.rules_of(game)
    all_known = seat == EVERYTHING or game.state == "over"
    found = []
    for row in rows:
        key = (row.id, row.events_digest, EVERYTHING if all_known else seat)
        matter = None
        if office.fortunes.find(key) is None:
            matter = _matter(session, office, game, row, EVERYTHING if all_known else seat)
        found.append((outgoing.phase_of(row), key, matter))
    state = past.state_after(session, office, game, rows[0].number - 1)
    side = rules.party(state, rules.seats(state)[seat]) if seat else ""
    return Asked(rules, tuple(rules.worth(state)), side, tuple(found))


def _matter(session: Session, office: Office, game: tables.Game, row: tables.Phase, seat: str) -> _Matter:
    rules = office.rules_of(game)
    state = past.state_after(session, office, game, row.number - 1)
    by_letter = Terms.read(game.terms).pace == ACTIVATION
    here = Position(game, rules, office.edition_of(session, game), state, row.number - 1, by_letter)
    matter = phases.matter_of(session, office, here, row)
    run = adjudication.run_of(matter)
    if seat == EVERYTHING:
        return _Matter(run, lambda state: state, run.decisions, lambda label: True)
    view, text = rules.view(state, seat), matter.closed[seat].text if seat in matter.closed else ""
    own = adjudication.parse_closed(rules, state, seat, text)
    everybody = {name: own if name == seat else Orders() for name in rules.seats(state)}
    answers = segments.answers_of([{seat: pause[seat]} for pause in matter.pauses if seat in pause])
    seen = past.seen(rules, seat, past.happened_in(session, office, game, row))
    labels = {label for happened, _ in seen for label in labels_of(happened.data)}
    reckoned = rules.decisions(view, everybody, answers)
    return _Matter(run, lambda state: rules.view(state, seat), reckoned, labels.__contains__)


def weighed(office: Office, asked: Asked, most: int) -> tuple[Fortune, ...]:
    """Weigh phases in their order; those for which `most` steps do not suffice, the latest counting first, are left."""
    found: list[Fortune] = []
    for phase, key, matter in reversed(asked.phases):
        known = office.fortunes.find(key)
        if known is None and matter is not None and most > 0:
            run = matter.run
            made = luck.weigh(asked.game, run.world, run.dice, run.dice, matter.eyes, matter.reckoned, matter.told)
            known = made, made.steps
            office.fortunes.keep(key, *known)
        # What is remembered costs what it cost: an answer does not depend on what was asked before it.
        fits = known is not None and known[1] <= most
        most = most - known[1] if known is not None and fits else 0
        found.append(Fortune(phase, known[0] if known is not None and fits else None))
    return tuple(reversed(found))


def summed(fortunes: Sequence[Fortune], place: int) -> tuple[float, float]:
    """Return the luck of a side, by its place, in all these phases, and its standard deviation."""
    each = [one.weighed.combats for one in fortunes if one.weighed is not None]
    return luck.standard([throw for combats in each for combat in combats for throw in combat.throws], place)


def signed(value: float) -> Msg:
    """Points, with two places and their sign."""
    return decimal(value, 2, signed=True)


def _lines(asked: Asked, fortunes: Sequence[Fortune]) -> list[tuple[int, Msg]]:
    """What hung on the dice, to a seat: the combats on which most hung, each with its throws; the sum of all."""
    place = asked.sides.index(asked.side)
    combats = [(one.phase, combat) for one in fortunes if one.weighed is not None for combat in one.weighed.combats]
    mattering = [both for both in combats if _deviation(both[1].throws, place) >= NOTHING]
    mattering.sort(key=lambda both: -_deviation(both[1].throws, place))
    lines: list[tuple[int, Msg]] = []
    for phase, combat in mattering[:COMBATS]:
        lines += _combat(phase, combat, asked.sides, place)
    lines += _others([combat for _, combat in mattering[COMBATS:]], place)
    lines += _left(fortunes, combats)
    if mattering:
        lines.append((0, _sum(*summed(fortunes, place))))
    elif not lines:
        lines.append((0, msg("No points hung on dice that you saw.")))
    return lines


def _deviation(throws: Sequence[Throw], place: int) -> float:
    return luck.standard(throws, place)[1]


def _combat(phase: Phase, combat: Combat, sides: Sequence[str], place: int) -> list[tuple[int, Msg]]:
    value, deviation = luck.standard(combat.throws, place)
    where = msg("T{turn} {phase}, {where}", turn=phase.turn, phase=phase.name, where=combat.where)
    lines = [(0, msg("{where}: your luck {luck}, deviation {deviation}", where=where, luck=signed(value),
                     deviation=decimal(deviation, 2)))]  # fmt: skip
    if combat.came:
        points = tuple(
            msg("{side} {came} ({expected} expected)", side=side, came=signed(came), expected=signed(expected))
            for side, came, expected in zip(sides, combat.came, combat.expected, strict=True)
        )
        lines.append((1, msg("points: {points}", points=points)))
        if abs(_lead(combat.came, place) - _lead(combat.expected, place) - value) >= NOTHING:
            lines.append((1, msg("the rest is no luck: somebody chose otherwise than by default")))
    throws = sorted(combat.throws, key=lambda throw: -throw.variance[place])
    return lines + [(1, _throw(one, place)) for one in throws[:THROWS] if one.variance[place] ** 0.5 >= NOTHING]


def _lead(points: Sequence[Any], place: int) -> float:
    return float(2 * points[place] - sum(points))


def _throw(throw: Throw, place: int) -> Msg:
    return msg(
        "{what} = {values}: {luck}, deviation {deviation}",
        what=throw.label.partition("/")[2],
        values=" ".join(map(str, throw.values)),
        luck=signed(throw.luck[place]),
        deviation=decimal(throw.variance[place] ** 0.5, 2),
    )


def _others(combats: Sequence[Combat], place: int) -> list[tuple[int, Msg]]:
    if not combats:
        return []
    value, deviation = luck.standard([throw for combat in combats for throw in combat.throws], place)
    return [(0, msg("{count} others, on which less hung: your luck {luck}, deviation {deviation}", count=len(combats),
                    luck=signed(value), deviation=decimal(deviation, 2)))]  # fmt: skip


def _left(fortunes: Sequence[Fortune], combats: Sequence[tuple[Phase, Combat]]) -> list[tuple[int, Msg]]:
    """What took too long to be weighed: single throws, and whole turns of a long span."""
    lines: list[tuple[int, Msg]] = []
    labels = tuple(throw.label for _, combat in combats for throw in combat.throws if not throw.weighed)
    if labels:
        lines.append((0, msg("Not weighed, for it would take too long: {labels}", labels=labels)))
    turns = tuple(dict.fromkeys(f"T{one.phase.turn}" for one in fortunes if one.weighed is None))
    if turns:
        lines.append((0, msg("Not weighed in this letter, for it would take too long; ask for them apart: {turns}",
                             turns=turns)))  # fmt: skip
    return lines


def _sum(value: float, deviation: float) -> Msg:
    return msg(
        "In all your luck is {luck} points: {times} standard deviations, of which one is {deviation}.",
        luck=signed(value),
        times=decimal(value / deviation if deviation else 0.0, 1, signed=True),
        deviation=decimal(deviation, 2),
    )
