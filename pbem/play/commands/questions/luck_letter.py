"""What hung on the dice, put into letters: promised where DICE is answered, reckoned when the letter is rendered.

As with odds (`odds`) no transaction waits for it: a block of the letter says of which phases it is to be told, and to
whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog

from pbem.engine import luck
from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.luck import TOO_LONG, UNSEEN, Combat, WeighedRoll
from pbem.engine.run.labels import Label, in_words, place_in_words, what_in_words
from pbem.engine.terms import Phase
from pbem.letters import content
from pbem.play.commands.questions import luck_page, phase_luck
from pbem.play.commands.questions.luck_page import DicePage, signed
from pbem.play.commands.questions.phase_luck import EVERYTHING, PhaseLuck, ToWeigh
from pbem.runtime.transaction import WEATHER, Server, Work
from pbem.store import tables

log = structlog.get_logger(__name__)

PER_LETTER = 40_000
"""Steps of the rules for all the phases that one answer tells of, the latest first. A phase takes some five hundred."""
COMBATS = 8
"""Combats that are told one by one, those on which most hung."""
ROLLS = 4
"""Rolls that are told of each of them."""
NOTHING = 0.005
"""Values below this are shown as 0.00, and so are not told."""


def promise(title: Msg, rows: Sequence[tables.Phase], seat: str) -> Json:
    """A block that will tell a seat what hung on the dice of these resolved phases of a game that is `scored`."""
    return content.block(title, ()) | {"luck": {"phases": [row.id for row in rows], "seat": seat}}


def page(rows: Sequence[tables.Phase]) -> Json:
    """A block that will tell a moderator what is known of all the dice of a game, whose resolved phases these are."""
    return content.block(msg("The dice of the game"), ()) | {
        "luck": {"phases": [row.id for row in rows[:1]], "seat": ""}
    }


def fulfil(server: Server, promising: Sequence[Json]) -> list[Json]:
    """Return the letters, in order, with the luck reckoned that they promise; WEATHER if the database is away."""
    promised = [block["luck"] for letter in promising for block in letter["blocks"] if _promises(block)]
    if not promised:
        return list(promising)
    with server.reading() as work:
        asked = iter([_gather(work, one) for one in promised])
    whole = []
    for letter in promising:
        blocks = [_fulfil(server, block, next(asked)) if _promises(block) else block for block in letter["blocks"]]
        whole.append({**letter, "blocks": blocks})
    return whole


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and "luck" in block


def _gather(work: Work, wanted: Json) -> ToWeigh | DicePage | None:
    try:
        rows = [work.session.get_one(tables.Phase, number) for number in wanted["phases"]]
        if wanted["seat"] == EVERYTHING:
            return luck_page.gather(work, work.session.get_one(tables.Game, rows[0].game_id))
        return phase_luck.gather(work, rows, wanted["seat"])
    except WEATHER:
        raise
    except Exception:
        # Whatever is wrong with it, the letter that it stands in must not be lost.
        log.exception("luck cannot be reckoned", wanted=wanted)
        return None


def _fulfil(server: Server, block: Json, asked: ToWeigh | DicePage | None) -> Json:
    lines = [(0, msg("The luck could not be reckoned; the operator can read why in the log."))]
    try:
        if isinstance(asked, ToWeigh):
            lines = _lines(asked, phase_luck.weigh(server, asked, PER_LETTER))
        elif asked is not None:
            lines = luck_page.lines(server, asked, PER_LETTER)
    except Exception:
        log.exception("luck cannot be reckoned", wanted=block["luck"])
    return {"title": block["title"], "lines": [[depth, said.to_json()] for depth, said in lines]}


def _lines(asked: ToWeigh, phases: Sequence[PhaseLuck]) -> list[tuple[int, Msg]]:
    """What hung on the dice, to a seat: the combats on which most hung, each with its rolls; the sum of all."""
    place = asked.sides.index(asked.side)
    combats = [(one.phase, combat) for one in phases if one.weighed is not None for combat in one.weighed.combats]
    mattering = [both for both in combats if _deviation(both[1].rolls, place) >= NOTHING]
    mattering.sort(key=lambda both: -_deviation(both[1].rolls, place))
    lines: list[tuple[int, Msg]] = []
    for phase, combat in mattering[:COMBATS]:
        lines += _combat(phase, combat, asked.sides, place)
    lines += _others([combat for _, combat in mattering[COMBATS:]], place)
    lines += _not_weighed(phases, combats)
    if mattering:
        lines.append((0, _sum(*phase_luck.sum_up(phases, place))))
    elif not lines:
        lines.append((0, msg("No points hung on dice that you saw.")))
    return lines


def _deviation(rolls: Sequence[WeighedRoll], place: int) -> float:
    return luck.standard(rolls, place)[1]


def _combat(phase: Phase, combat: Combat, sides: Sequence[str], place: int) -> list[tuple[int, Msg]]:
    value, deviation = luck.standard(combat.rolls, place)
    where = msg("Turn {turn}, {phase}, {where}", turn=phase.turn, phase=phase.name, where=place_in_words(combat.where))
    lines = [
        (
            0,
            msg(
                "{where}: your luck {luck}, deviation {deviation}",
                where=where,
                luck=signed(value),
                deviation=decimal(deviation, 2),
            ),
        )
    ]
    if combat.came:
        points = tuple(
            msg("{side} {came} ({expected} expected)", side=side, came=signed(came), expected=signed(expected))
            for side, came, expected in zip(sides, combat.came, combat.expected, strict=True)
        )
        lines.append((1, msg("points: {points}", points=points)))
        if abs(_lead(combat.came, place) - _lead(combat.expected, place) - value) >= NOTHING:
            lines.append((1, msg("the rest is no luck: it comes of what was chosen, or of what you did not see")))
    rolls = sorted(combat.rolls, key=lambda roll: -roll.variance[place])
    return lines + [(1, _roll(one, place)) for one in rolls[:ROLLS] if one.variance[place] ** 0.5 >= NOTHING]


def _lead(points: Sequence[Any], place: int) -> float:
    return float(2 * points[place] - sum(points))


def _roll(roll: WeighedRoll, place: int) -> Msg:
    return msg(
        "{what} = {values}: {luck}, deviation {deviation}",
        what=what_in_words(Label.parse(roll.label).what) or roll.label.partition("/")[2],
        values=" ".join(map(str, roll.values)),
        luck=signed(roll.luck[place]),
        deviation=decimal(roll.variance[place] ** 0.5, 2),
    )


def _others(combats: Sequence[Combat], place: int) -> list[tuple[int, Msg]]:
    if not combats:
        return []
    value, deviation = luck.standard([roll for combat in combats for roll in combat.rolls], place)
    return [
        (
            0,
            msg(
                "Others, on which less hung: {count}; your luck {luck}, deviation {deviation}",
                count=len(combats),
                luck=signed(value),
                deviation=decimal(deviation, 2),
            ),
        )
    ]


def _not_weighed(phases: Sequence[PhaseLuck], combats: Sequence[tuple[Phase, Combat]]) -> list[tuple[int, Msg]]:
    """What took too long to be weighed: single rolls, and whole turns of a long span."""
    lines: list[tuple[int, Msg]] = []
    for why, told in (
        (TOO_LONG, msg("Not weighed, for it would take too long: {labels}")),
        (UNSEEN, msg("Not weighed, for it rested on what you could not see: {labels}")),
    ):
        labels = tuple(in_words(roll.label) for _, combat in combats for roll in combat.rolls if roll.left == why)
        if labels:
            lines.append((0, msg(told.text, labels=labels)))
    turns = tuple(dict.fromkeys(f"T{one.phase.turn}" for one in phases if one.weighed is None))
    if turns:
        lines.append(
            (0, msg("Not weighed in this letter, for it would take too long; ask for them apart: {turns}", turns=turns))
        )
    return lines


def _sum(value: float, deviation: float) -> Msg:
    return msg(
        "In all your luck is {luck} points: {times} standard deviations, of which one is {deviation}.",
        luck=signed(value),
        times=decimal(value / deviation if deviation else 0.0, 1, signed=True),
        deviation=decimal(deviation, 2),
    )
