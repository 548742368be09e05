"""Order forms held against the checks that letters are held against, in positions that bots have played to.

A form is read as a player uses it: a mark is taken away before a line (and before the ACTIVATE that it stands under),
of `a | b` one is left, and the block is sent. ``make forms`` does it at length.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from pbem.audit.dice import DiceStream
from pbem.engine.data.messages import plain_english
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.engine.run.runners import advance, play
from pbem.engine.run.steps import LETTER, Ask
from pbem.engine.terms import Orders, RejectedLine
from tests.fuzz.__main__ import find_laws

HEADS = re.compile(r"(?:ACTIVATE|ACTIVAR) \S+")
CHOICE = re.compile(r"[^\s;]+(?: \| [^\s;]+)+")
TOGETHER = frozenset({"C5", "R4", "T3", "T7", "S7", "S2", "S3", "S4", "S5"})
"""By these rules one order may stand in another's way: room, friends to fall back on, ways, lines of fire, a division's
orders, a front that is shared."""

GONE = "there is no enemy in {to}"
"""Whom another order takes without a die is not there any more to be fired at."""


class Moment(NamedTuple):
    """A position in which a seat is asked for orders; `begun` after some of its letters; what the seat speaks."""

    game: AnyGame
    state: Any
    seat: str
    begun: bool = False

    language: str = "en"

    @property
    def view(self) -> Any:
        return self.game.view(self.state, self.seat)


class Line(NamedTuple):
    """A line of a form: its number, the ACTIVATE that it stands under, and what it may say."""

    number: int
    head: str
    ways: tuple[str, ...]


class Found(AssertionError):
    """A form that offers what is refused, or keeps silent of what MOVES names."""


def moments(name: str, seeds: Iterator[int]) -> Iterator[Moment]:
    """Every position of games between bots in which orders are asked for, in every edition; where the game knows it
    those after each letter as well, a letter being what stands under an ACTIVATE."""
    laws = find_laws(name)
    for seed in seeds:
        luck = random.Random(seed)
        options = {key: luck.choice(values) for key, values in laws.options.items()}
        edition = laws.game.edition(luck.choice(laws.scenarios), options, {})
        state = laws.game.start(edition)
        bots = {seat: luck.choice((*sorted(laws.bots), "random")) for seat in laws.game.seats(state)}
        while (phase := laws.game.phase(state)) is not None:
            dice = DiceStream(hashlib.sha512(f"{seed} {phase}".encode()).digest())
            orders: dict[str, Orders] = {}
            for seat in laws.game.seats(state):
                view = laws.game.view(state, seat)
                orders[seat] = laws.game.parse(laws.bots[bots[seat]](view, seat, luck.randrange), view, seat).orders
                if seat in laws.game.active(state):
                    yield Moment(laws.game, state, seat)
                    if laws.game.by_letter:
                        yield from _after_letters(Moment(laws.game, state, seat), orders[seat], dice)
            done = play(laws.game.rules, laws.game.world(state, orders), dice, laws.game.decisions(state, orders, {}))
            state = done.state


def _after_letters(opened: Moment, orders: Orders, dice: DiceStream) -> Iterator[Moment]:
    """The positions after the first letter, and after half of them."""
    game, actions = opened.game, orders.actions
    for count in sorted({1, len(actions) // 2} - {0}):
        first = {opened.seat: Orders(actions[:count])}
        world = game.world(opened.state, first, ())
        decisions = game.decisions(opened.state, first, {})
        while world.agenda:
            outcome = game.rules.step(world.state, world.agenda[0])
            if isinstance(outcome, Ask) and outcome.window.what == LETTER:
                break
            world = advance(game.rules, world, dice, decisions).world
        yield Moment(game, world.state, opened.seat, begun=True)


def form_of(moment: Moment, language: str) -> list[Line]:
    """The lines of a form as its letter shows it, each with what can be left of it."""
    lines: list[Line] = []
    head = ""
    for text in _unfolded(
        fold_form(moment.game.aids.template(moment.view, moment.seat, language, FormTerms(moment.begun)))
    ):
        order_text = text.removeprefix("# ").partition("  # ")[0]
        match = HEADS.match(order_text)
        head = order_text if match else head
        lines.append(Line(len(lines), head, tuple(_ways(order_text))))
    return lines


def _unfolded(lines: Sequence[str]) -> Iterator[str]:
    """The form's lines in which something can be ordered, each in one, joined as a letter's are."""
    whole_line = ""
    for line in (line for line in lines if not line.startswith("##")):
        if line.startswith("#     "):
            whole_line += " " + line.removeprefix("#     ")
            continue
        if whole_line:
            yield whole_line
        whole_line = line
    if whole_line:
        yield whole_line


def _ways(order_text: str) -> Iterator[str]:
    parts = CHOICE.split(order_text)
    choices = [group.split(" | ") for group in CHOICE.findall(order_text)]
    for chosen in product(*choices):
        yield "".join(a + b for a, b in zip(parts, (*chosen, ""), strict=True))


def refused(moment: Moment, order_lines: Sequence[str]) -> Sequence[RejectedLine]:
    """Why a block of these lines is refused, names and words being those that a letter has."""
    order_lines = speech.echo_lines(order_lines, moment.game.telling.spoken, moment.language)
    reading = moment.game.parse("".join(f"{line}\n" for line in order_lines), moment.view, moment.seat)
    return reading.rejected or moment.game.check(moment.view, moment.seat, reading.orders, moment.begun)


def in_block(line: Line, way: str) -> list[str]:
    """A line as it is sent alone."""
    return [way] if not line.head or line.head == way else [line.head, way]


def check_alone(moment: Moment, lines: Sequence[Line], luck: random.Random, share: float = 1.0) -> int:
    """Every way of every line alone, or that share of them; how many."""
    count = 0
    for line in lines:
        for way in line.ways:
            if luck.random() < share:
                count += 1
                if rejected := refused(moment, in_block(line, way)):
                    why = plain_english(rejected[0].why)
                    raise Found(f"{in_block(line, way)}: {why} [{rejected[0].rule}]\n{_position(moment)}")
    return count


def _position(moment: Moment) -> str:
    return (
        f"{moment.seat}, turn {moment.state.turn}, begun {moment.begun}: {moment.state.edition.scenario.get('title')}"
    )


def check_together(moment: Moment, lines: Sequence[Line], luck: random.Random) -> tuple[int, int]:
    """As many lines together as no unit forbids: none is refused but for what two orders do to each other.

    Return how many stood together and how many did that.
    """
    units, out = moment.view.units, 0
    taken: set[str] = set()
    chosen: list[tuple[Line, str]] = []
    for line in luck.sample(lines, len(lines)):
        way = luck.choice(line.ways)
        names = {word for word in re.findall(r"[^\s,;+]+", way) if word in units} | attacked(way)
        if not (names & taken or HEADS.fullmatch(way)):
            chosen.append((line, way))
            taken |= names
    chosen.sort(key=lambda item: item[0].number)
    while rejected := refused(moment, [way for _, way in _blocks(chosen)]):
        bad = rejected[0]
        line, way = _blocks(chosen)[bad.line - 1]
        if (bad.rule not in TOGETHER and bad.why.text != GONE) or (line, way) not in chosen:
            raise Found(f"{way} among {chosen}: {plain_english(bad.why)} [{bad.rule}]\n{_position(moment)}")
        chosen.remove((line, way))
        out += 1
    return len(chosen), out


def attacked(way: str) -> set[str]:
    """The place that an order assaults: it is assaulted once."""
    way = way.rpartition("; ")[2]
    if way.startswith(("ASSAULT", "ASALTAR")):
        return {way.split()[1]}
    if way.startswith(("CHARGE", "CARGAR")):
        return {re.split(r" (?:AT|A) ", way)[1].split()[0]}
    return set()


def _blocks(chosen: Sequence[tuple[Line, str]]) -> list[tuple[Line, str]]:
    """The lines of a block, ACTIVATE where one stands under it."""
    block: list[tuple[Line, str]] = []
    head = ""
    for line, way in chosen:
        if line.head != head:
            head = line.head
            block.append((line, head))
        block.append((line, way))
    return block


class Named(NamedTuple):
    """What MOVES says that a unit could do."""

    unit: str
    verb: str
    to: str


_SAID = re.compile(r"\{unit\}: (MOVE|FIRE|ASSAULT|CHARGE|CARACOLE|RETIRE|SUPPORT)\b")


def named_by_moves(moment: Moment) -> Iterator[Named]:
    """Every order that MOVES names to the seat, in all places in which it has units."""
    side = moment.state.edition.seats[moment.seat]
    for place in sorted({unit.at for unit in moment.view.units.values() if unit.side == side}):
        for sentence in moment.game.aids.moves(moment.view, moment.seat, place, moment.begun):
            verb, gaps = _SAID.match(sentence.text), dict(sentence.args)
            places = gaps.get("spaces", gaps.get("hexes", ()))
            if verb:
                yield from (Named(str(gaps["unit"]), verb[1], str(to)) for to in places)


def offered(lines: Sequence[Line]) -> set[Named]:
    """What the lines of an English form offer, unit by unit."""
    named: set[Named] = set()
    for line in lines:
        for way in line.ways:
            words = re.findall(r"[^\s,;+]+", way)
            verb = words[0]
            to = (
                words[1]
                if verb == "ASSAULT"
                else words[words.index("AT" if "AT" in words else "TO") + 1]
                if ({"AT", "TO"} & set(words))
                else ""
            )
            main, _, guns = way.partition(" SUPPORT ")
            named |= {Named(word, verb, to) for word in re.findall(r"[^\s,;+]+", main)[1:]}
            named |= {Named(word, "SUPPORT", to) for word in re.findall(r"[^\s,;+]+", guns)}
    return named


def check_named(moment: Moment, lines: Sequence[Line]) -> int:
    """Each order that MOVES names stands in the form, or else HELP ORDERS tells how it is written.

    A counter that could move at all has a line, be it for a few hexes; guns support an assault only if there is one.
    """
    form, count = offered(lines), 0
    moving = {name.unit for name in form if name.verb == "MOVE"}
    attacked = {name.to for name in form if name.verb in ("ASSAULT", "CHARGE")}
    for name in named_by_moves(moment):
        count += 1
        if name in form or (name.verb == "SUPPORT" and name.to not in attacked):
            continue
        if name.verb == "MOVE" and name.unit in moving and not moment.game.by_letter:
            continue
        raise Found(f"MOVES names {name}, the form does not\n{_position(moment)}")
    return count


@lru_cache(maxsize=4)
def first_moments(name: str, count: int, first: int = 0) -> tuple[Moment, ...]:
    """So many positions; every third of those that come, or they would be of a few games alone."""
    moments_found = []
    for number, index in enumerate(moments(name, iter(range(first, sys.maxsize)))):
        if number % 3 == 0:
            moments_found.append(index)
        if len(moments_found) == count:
            break
    return tuple(moments_found)


def examine(moment: Moment, luck: random.Random, share: float = 1.0) -> Counter[str]:
    """All checks of a position; what was looked at."""
    moment = moment._replace(language=luck.choice(("en", "es")))
    lines, english = form_of(moment, moment.language), form_of(moment, "en")
    tally = Counter(lines=len(lines), alone=check_alone(moment, lines, luck, share), named=check_named(moment, english))
    stood, out = check_together(moment, lines, luck)
    tally.update(together=stood, excluded=out)
    side = moment.state.edition.seats[moment.seat]
    own = [unit for unit in moment.view.units.values() if unit.side == side]
    tally["begun"] += moment.begun
    tally["shaken"] += any(getattr(unit, "demoralised", False) or getattr(unit, "state", "") == "DE" for unit in own)
    tally["activated"] += any(getattr(unit, "activated", False) for unit in own)
    tally["fog"] += moment.state.edition.options.get("fog") == "on"
    return tally


def main() -> None:
    """Many positions of both games."""
    parser = argparse.ArgumentParser(prog="python -m tests.games.forms", description=__doc__)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first game")
    wanted = parser.parse_args()
    for name in ("africa1860", "peninsular"):
        tally: Counter[str] = Counter()
        for number, index in enumerate(moments(name, iter(range(wanted.first, sys.maxsize)))):
            if number == wanted.positions:
                break
            tally += examine(index, random.Random(number))
        print(f"{name}: {wanted.positions} positions, {dict(tally)}")


if __name__ == "__main__":
    main()
