"""What hung on the dice, put into letters: promised where DICE is answered, reckoned when the letter is rendered.

As with odds (`odds`) no transaction waits for it: a block of the letter says of which phases it is to be told, and to
whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog

from pbem.campaign.base import letters
from pbem.campaign.base.server import WEATHER, Server
from pbem.campaign.base.work import Work
from pbem.campaign.commands.questions import evidence, fortune
from pbem.campaign.commands.questions.evidence import Evidence, signed
from pbem.campaign.commands.questions.fortune import EVERYTHING, Asked, Fortune
from pbem.core import luck
from pbem.core.data.canon import Json
from pbem.core.data.messages import Msg, decimal, msg
from pbem.core.game import Phase
from pbem.core.luck import TOO_LONG, UNSEEN, Combat, Throw
from pbem.store import tables

__all__ = ["PER_LETTER", "kept", "page", "promise"]

log = structlog.get_logger(__name__)

PER_LETTER = 40_000
"""Steps of the rules for all the phases that one answer tells of, the latest first. A phase takes some five hundred."""
COMBATS = 8
"""Combats that are told one by one, those on which most hung."""
THROWS = 4
"""Throws that are told of each of them."""
NOTHING = 0.005
"""What is shown with two places and comes to nothing."""


def promise(title: Msg, rows: Sequence[tables.Phase], seat: str) -> Json:
    """A block that will tell a seat what hung on the dice of these resolved phases of a game that is `scored`."""
    return letters.block(title, ()) | {"luck": {"phases": [row.id for row in rows], "seat": seat}}


def page(rows: Sequence[tables.Phase]) -> Json:
    """A block that will tell a moderator what is known of all the dice of a game, whose resolved phases these are."""
    return letters.block(msg("The dice of the game"), ()) | {
        "luck": {"phases": [row.id for row in rows[:1]], "seat": ""}
    }


def kept(server: Server, promising: Sequence[Json]) -> list[Json]:
    """The same letters with what was promised in them; WEATHER if the database is away."""
    promised = [block["luck"] for letter in promising for block in letter["blocks"] if _promises(block)]
    if not promised:
        return list(promising)
    with server.work() as work:
        asked = iter([_asked(work, one) for one in promised])
    whole = []
    for letter in promising:
        blocks = [_keep(server, block, next(asked)) if _promises(block) else block for block in letter["blocks"]]
        whole.append({**letter, "blocks": blocks})
    return whole


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and "luck" in block


def _asked(work: Work, wanted: Json) -> Asked | Evidence | None:
    try:
        rows = [work.session.get_one(tables.Phase, number) for number in wanted["phases"]]
        if wanted["seat"] == EVERYTHING:
            return evidence.gathered(work, work.session.get_one(tables.Game, rows[0].game_id))
        return fortune.gathered(work, rows, wanted["seat"])
    except WEATHER:
        raise
    except Exception:
        # Whatever is wrong with it, the letter that it stands in must not be lost.
        log.exception("luck cannot be reckoned", wanted=wanted)
        return None


def _keep(server: Server, block: Json, asked: Asked | Evidence | None) -> Json:
    lines = [(0, msg("The luck could not be reckoned; the operator can read why in the log."))]
    try:
        if isinstance(asked, Asked):
            lines = _lines(asked, fortune.weighed(server, asked, PER_LETTER))
        elif asked is not None:
            lines = evidence.lines(server, asked, PER_LETTER)
    except Exception:
        log.exception("luck cannot be reckoned", wanted=block["luck"])
    return {"title": block["title"], "lines": [[depth, said.to_json()] for depth, said in lines]}


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
        lines.append((0, _sum(*fortune.summed(fortunes, place))))
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
            lines.append((1, msg("the rest is no luck: it comes of what was chosen, or of what you did not see")))
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
    return [(0, msg("Others, on which less hung: {count}; your luck {luck}, deviation {deviation}", count=len(combats),
                    luck=signed(value), deviation=decimal(deviation, 2)))]  # fmt: skip


def _left(fortunes: Sequence[Fortune], combats: Sequence[tuple[Phase, Combat]]) -> list[tuple[int, Msg]]:
    """What took too long to be weighed: single throws, and whole turns of a long span."""
    lines: list[tuple[int, Msg]] = []
    for why, told in (
        (TOO_LONG, msg("Not weighed, for it would take too long: {labels}")),
        (UNSEEN, msg("Not weighed, for it rested on what you could not see: {labels}")),
    ):
        labels = tuple(throw.label for _, combat in combats for throw in combat.throws if throw.left == why)
        if labels:
            lines.append((0, msg(told.text, labels=labels)))
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
