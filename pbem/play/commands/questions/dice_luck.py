"""What hung on the dice of resolved phases, to the eyes of a seat or of whoever may know everything.

A resolved phase comes out the same for ever, so what was reckoned of it is remembered. A player is told what follows
from what he saw, from his own orders, and from the defaults of the rules for everybody else's; when the game is over,
and whoever decides at any time, from all that was so. Nothing of it is done while a letter is taken in (`luck_letter`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlmodel import Session

from pbem.engine import luck
from pbem.engine.data.canon import Json, loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.game import AnyGame
from pbem.engine.luck import TOO_LONG, UNSEEN, Combat, Eyes, WeighedPhase, WeighedRoll
from pbem.engine.parts import ScoredGame
from pbem.engine.reasons import labels_of
from pbem.engine.run.labels import Label, in_words, place_in_words, what_in_words
from pbem.engine.run.runners import Decisions
from pbem.engine.terms import Orders, Phase
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.play import adjudication, history, phases
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.store import queries, tables

EVERYTHING = ""
"""In the place of a seat: asks as somebody who may know everything, a moderator, or anybody once the game is over."""


def scored(rules: AnyGame) -> ScoredGame[Any]:
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

    def __init__(self, rules: AnyGame, seat: str) -> None:
        self._rules, self._scored, self._seat = rules, scored(rules), seat

    def know(self, state: object, happened: Sequence[Event] = ()) -> object:
        return self._scored.hindsight(self._rules.view(state, self._seat), happened)

    def see(self, happened: Sequence[Event], before: object) -> list[Event]:
        shown = []
        for one in happened:
            shown.append(self._rules.see(one, self._seat, before))
            before = self._rules.rules.apply(before, one)
        return [one for one in shown if one is not None]


class _PhaseToWeigh(NamedTuple):
    """A phase about to be weighed: how it went, who asks, and who answers for the players where it is foreseen."""

    run: adjudication.Run
    eyes: Eyes[object]
    reckoned: Decisions[object]


class ToWeigh(NamedTuple):
    """Phases to be weighed: each with the key it is remembered by, and what it is weighed from where it is not.

    `sides` are those that points are counted for; `side` is that of the seat that asks, empty if none does.
    """

    game: AnyGame
    sides: tuple[str, ...]
    side: str
    phases: tuple[tuple[Phase, tuple[object, ...], _PhaseToWeigh | None], ...]


def gather_phases(work: Transaction, rows: Sequence[tables.Phase], seat: str) -> ToWeigh:
    """All that resolved phases of a game, at least one, are weighed from, to the eyes of a seat or to EVERYTHING."""
    game = work.session.get_one(tables.Game, rows[0].game_id)
    rules = work.server.rules_of(game)
    all_known = seat == EVERYTHING or game.state == "over"
    found = []
    for row in rows:
        key = (row.id, row.events_digest, EVERYTHING if all_known else seat)
        inputs = None
        if work.server.caches.luck.find(key) is None:
            inputs = _prepare(work, game, row, EVERYTHING if all_known else seat)
        found.append((outbox.phase_of(row), key, inputs))
    state = history.state_after(work, game, rows[0].number - 1)
    side = scored(rules).party(state, rules.seats(state)[seat]) if seat else ""
    return ToWeigh(rules, tuple(scored(rules).worth(state)), side, tuple(found))


def _prepare(work: Transaction, game: tables.Game, row: tables.Phase, seat: str) -> _PhaseToWeigh:
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
    answers = adjudication.answers_of([{seat: pause[seat]} for pause in inputs.pauses if seat in pause])
    return _PhaseToWeigh(run, _Seat(rules, seat), rules.decisions(view, everybody, answers))


def weigh(server: Server, asked: ToWeigh, most: int) -> tuple[PhaseLuck, ...]:
    """Weigh phases in their order; those for which `most` steps do not suffice, the latest counting first, are left."""
    found: list[PhaseLuck] = []
    for phase, key, inputs in reversed(asked.phases):
        known = server.caches.luck.find(key)
        if known is None and inputs is not None and most > 0:
            run = inputs.run
            played = luck.Played(asked.game.rules, run.world, run.dice, run.dice)
            made = luck.weigh(scored(asked.game), played, luck.Weighing(inputs.eyes, inputs.reckoned))
            known = made, made.steps
            server.caches.luck.keep(key, *known)
        # What is remembered costs what it cost: an answer does not depend on what was asked before it.
        fits = known is not None and known[1] <= most
        most = most - known[1] if known is not None and fits else 0
        found.append(PhaseLuck(phase, known[0] if known is not None and fits else None))
    return tuple(reversed(found))


def weighed_rolls(phases: Sequence[PhaseLuck]) -> list[WeighedRoll]:
    """Return all rolls of these phases, as far as they had room."""
    each = [one.weighed.combats for one in phases if one.weighed is not None]
    return [roll for combats in each for combat in combats for roll in combat.rolls]


def sum_up(phases: Sequence[PhaseLuck], place: int) -> tuple[float, float]:
    """Return the luck of a side, by its place, in all these phases, and its standard deviation."""
    return luck.standard(weighed_rolls(phases), place)


# The moderator's page on dice: faces by who rolled them, how lucky each side was, and e-values against fair dice.
#
# Every die that was ever rolled counts among the faces, once: what a ruling took back has shown its faces all the same,
# and to leave it out would let whoever rules choose what is counted. Luck is told of the game as it stands.


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


def gather_page(work: Transaction, game: tables.Game) -> DicePage:
    """All dice of a game, and the phases that it came by."""
    scored = work.server.rules_of(game).scored
    done = queries.phases.resolved(work.session, game.id)
    asked = gather_phases(work, done, EVERYTHING) if done and scored is not None else None
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


def page_lines(server: Server, page: DicePage, most: int) -> list[tuple[int, Msg]]:
    """The page, luck as far as `most` steps of the rules suffice."""
    if not any(page.faces[EVERYBODY].values()):
        return [(0, msg("No dice have been thrown yet."))]
    found: list[tuple[int, Msg]] = []
    for side, faces in page.faces.items():
        found += _faces(side, faces)
    if page.asked is not None:
        found += _luck(page.asked, weigh(server, page.asked, most))
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
    rolls = [roll for roll in weighed_rolls(phases) if not roll.left]
    for place, side in enumerate(asked.sides):
        value, deviation = sum_up(phases, place)
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
    left = sum(bool(roll.left) for roll in weighed_rolls(phases))
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


# What hung on the dice, put into letters: promised where DICE is answered, reckoned when the letter is rendered.
#
# As with odds (`odds`) no transaction waits for it: a block of the letter says of which phases it is to be told, and to
# whom.


log = Logger(__name__)

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


def _gather(work: Transaction, wanted: Json) -> ToWeigh | DicePage | None:
    try:
        rows = [work.session.get_one(tables.Phase, number) for number in wanted["phases"]]
        if wanted["seat"] == EVERYTHING:
            return gather_page(work, work.session.get_one(tables.Game, rows[0].game_id))
        return gather_phases(work, rows, wanted["seat"])
    except TRANSIENT_ERRORS:
        raise
    except Exception:
        # Whatever is wrong with it, the letter that it stands in must not be lost.
        log.exception("luck cannot be reckoned", wanted=wanted)
        return None


def _fulfil(server: Server, block: Json, asked: ToWeigh | DicePage | None) -> Json:
    lines = [(0, msg("The luck could not be reckoned; the operator can read why in the log."))]
    try:
        if isinstance(asked, ToWeigh):
            lines = _lines(asked, weigh(server, asked, PER_LETTER))
        elif asked is not None:
            lines = page_lines(server, asked, PER_LETTER)
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
        lines.append((0, _sum(*sum_up(phases, place))))
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
