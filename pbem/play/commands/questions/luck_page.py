"""The moderator's page on dice: faces by who rolled them, how lucky each side was, and e-values against fair dice.

Every die that was ever rolled counts among the faces, once: what a ruling took back has shown its faces all the same,
and to leave it out would let whoever rules choose what is counted. Luck is told of the game as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine import luck
from pbem.engine.data.canon import loads
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.reasons import labels_of
from pbem.letters import outbox
from pbem.play import history
from pbem.play.commands.questions import phase_luck
from pbem.play.commands.questions.phase_luck import EVERYTHING, PhaseLuck, ToWeigh
from pbem.runtime.transaction import Server, Work
from pbem.store import queries, tables

EVERYBODY = ""
"""The key, beside those of sides, under which the faces of all dice of a game are counted."""
WORTH_A_LOOK, GRAVE = 20, 100
"""E-values that fair dice come to at any time in one game of twenty at most, in one of a hundred."""
LARGEST = 1_000_000
"""Larger e-values are told as more than this."""

Faces = Mapping[int, Sequence[int]]
"""How often each face came up, by the number of sides."""


class DicePage(NamedTuple):
    """What is known of a game's dice: faces by side, those of all first, and what its luck is weighed from.

    `asked` is None in a game that does not say what its positions are worth, and before a phase is over.
    """

    faces: Mapping[str, Faces]
    asked: ToWeigh | None


def gather(work: Work, game: tables.Game) -> DicePage:
    """All dice of a game, and the phases that it came by."""
    scored = work.server.rules_of(game).scored
    done = queries.phases.resolved(work.session, game.id)
    asked = phase_luck.gather(work, done, EVERYTHING) if done and scored is not None else None
    state = history.state_after(work, game, 0) if scored is not None else None
    counts: dict[str, dict[int, list[int]]] = {}
    for who in (EVERYBODY, *(asked.sides if asked else ())):
        counts[who] = {}
    seen: set[tuple[str, str]] = set()
    for row in queries.phases.with_rolls(work.session, game.id):
        whose = _rollers(work.session, row)
        for label, n, sides, values in loads(row.rolls or "[]"):
            # One resolved once more, from the same orders, has the same dice under the same names.
            if sides < 2 or (name := (str(outbox.phase_of(row)), label)) in seen:
                continue
            seen.add(name)
            side = scored.party(state, whose.get(label, "")) if scored is not None else ""
            for who in (EVERYBODY, side) if side in counts and side != EVERYBODY else (EVERYBODY,):
                faces = counts[who].setdefault(sides, [0] * sides)
                for value in values[:n]:
                    faces[value - 1] += 1
    return DicePage(counts, asked)


def _rollers(session: Session, row: tables.Phase) -> dict[str, str]:
    """By label, the side that rolled, as far as an event says."""
    return {
        label: happened.data.get("side", "")
        for happened in history.events_of(session, row)
        for label in labels_of(happened.data)
    }


def lines(server: Server, page: DicePage, most: int) -> list[tuple[int, Msg]]:
    """The page, luck as far as `most` steps of the rules suffice."""
    if not any(page.faces[EVERYBODY].values()):
        return [(0, msg("No dice have been thrown yet."))]
    found: list[tuple[int, Msg]] = []
    for side, faces in page.faces.items():
        found += _faces(side, faces)
    if page.asked is not None:
        found += _luck(page.asked, phase_luck.weigh(server, page.asked, most))
    return [*found, *((0, said) for said in _EXPLAINED)]


def _faces(side: str, faces: Faces) -> list[tuple[int, Msg]]:
    number, value = sum(map(sum, faces.values())), _e_value(luck.of_faces(faces))
    head = msg("Dice of {side}: {count}, e-value {value}", count=number, side=side, value=value)
    if side == EVERYBODY:
        head = msg("Dice in all: {count}, e-value {value}", count=number, value=value)
    told = []
    for sides, counts in sorted(faces.items(), reverse=True):
        if sides == 2:
            told.append((1, msg("coins: heads {heads}, tails {tails}", heads=counts[1], tails=counts[0])))
        else:
            shown = " ".join(map(str, counts))
            told.append((1, msg("d{sides}, faces from 1 on: {counts}", sides=sides, counts=shown)))
    return [(0, head), *told]


def _luck(asked: ToWeigh, phases: Sequence[PhaseLuck]) -> list[tuple[int, Msg]]:
    found = [(0, msg("Luck in victory points, each side's less the other's, in the game as it stands"))]
    rolls = [roll for roll in phase_luck.rolls(phases) if not roll.left]
    for place, side in enumerate(asked.sides):
        value, deviation = phase_luck.sum_up(phases, place)
        bets = luck.of_luck((one.luck[place], one.least[place], one.most[place]) for one in rolls)
        told = msg(
            "{side}: {luck}, {times} standard deviations of {deviation}; e-value that it is favoured {value}",
            side=side,
            luck=signed(value),
            times=decimal(value / deviation if deviation else 0.0, 1, signed=True),
            deviation=decimal(deviation, 2),
            value=_e_value(bets),
        )
        found.append((1, told))
    left = sum(bool(roll.left) for roll in phase_luck.rolls(phases))
    if left:
        found.append((1, msg("Throws that took too long to be weighed: {count}", count=left)))
    turns = tuple(dict.fromkeys(f"T{one.phase.turn}" for one in phases if one.weighed is None))
    if turns:
        found.append(
            (1, msg("Not weighed here, for it would take too long; pbem game dice does: {turns}", turns=turns))
        )
    return found


def signed(value: float) -> Msg:
    """Points, with two places and their sign."""
    return decimal(value, 2, signed=True)


def _e_value(logarithm: float) -> Msg:
    value = luck.shown(logarithm)
    return msg("more than {number}", number=LARGEST) if value > LARGEST else decimal(value, 2)


_EXPLAINED = (
    msg(
        "An e-value is what 1 would have become by now, bet against fair dice at fair odds: about 1 or less means "
        "nothing. Fair dice come to {look} at any time in one game of {look} at most, to {grave} in one of {grave}. "
        "{look} is worth a look, {grave} a question to whoever runs the server.",
        look=WORTH_A_LOOK,
        grave=GRAVE,
    ),
    msg(
        "Of the several e-values of a game take the mean, not the largest; those of several games may be multiplied, "
        "or averaged. It may be looked at as often as one likes."
    ),
    msg(
        "None of it proves dice fair or false: it is a by-product. The proof are the log and the letters of the "
        "players, which anybody can check with pbem verify."
    ),
)
