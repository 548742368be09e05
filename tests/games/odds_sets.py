"""Order sets of one to four lines with an attack among them, made from the forms of positions that bots came to.

Before the attack stands fire, a move, another attack, or a condition that the dice decide on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from pbem.engine.terms import Orders
from tests.games.forms import Line, Moment, attacked, form_of, moments, refused

ATTACKS = ("ASSAULT ", "CHARGE ")
KINDS = {
    "alone": (),
    "fire": ("FIRE ",),
    "move": ("MOVE ",),
    "more": (*ATTACKS, "CARACOLE "),
    "stop": ("FIRE ", *ATTACKS),
    "if": ("FIRE ", *ATTACKS),
}
"""What stands before the attack; STOP IF and IF behind one of these."""
TRIES = 12
EVERY = {"africa1860": 5, "peninsular": 2}
"""Of the positions with an attack every so manieth is tried: they come from many games."""


class OrderSet(NamedTuple):
    """Orders in a position, their text, and of what kind they are."""

    at: Moment
    orders: Orders
    text: tuple[str, ...]
    kind: str


def order_sets(name: str, first: int = 0) -> Iterator[OrderSet]:
    """Order sets without end, each from another position."""
    kinds = list(KINDS)
    met = made = 0
    every = EVERY[name]
    for moment in moments(name, count(first)):
        lines = form_of(moment, "en")
        if not any(way.startswith(ATTACKS) for line in lines for way in line.ways):
            continue
        met += 1
        if met % every:
            continue
        order_set = _set(moment, lines, kinds[made % len(kinds)], random.Random(f"{name} {first} {met}"))
        if order_set is not None:
            made += 1
            yield order_set


def _set(moment: Moment, lines: list[Line], kind: str, luck: random.Random) -> OrderSet | None:
    """Orders of a kind that may be given; None if none was found."""
    attacks = [line for line in lines if line.ways[0].startswith(ATTACKS)]
    before = [line for line in lines if line.ways[0].startswith(KINDS[kind])] if KINDS[kind] else []
    if KINDS[kind] and not before:
        return None
    for _ in range(TRIES):
        last = luck.choice(attacks)
        chosen = luck.sample(before, min(len(before), luck.choice((1, 1, 2)))) if before else []
        near = [line for line in before if any(_at(way, last) for way in line.ways)]
        chosen = [luck.choice(near)] if near and luck.random() < 0.7 else chosen
        text = _block(moment, [*chosen, last], kind, luck)
        if len(text) > 6 or last in chosen or refused(moment, text):
            continue
        text_lines = "".join(f"{line}\n" for line in text)
        orders = moment.game.parse(text_lines, moment.view, moment.seat).orders
        return OrderSet(moment, orders, tuple(text), kind)
    return None


def _block(moment: Moment, chosen: list[Line], kind: str, luck: random.Random) -> list[str]:
    """The lines as a block, each below its ACTIVATE; a condition before the last."""
    text: list[str] = []
    heads = list(dict.fromkeys(line.head for line in chosen))
    for head in heads:
        text += [head] if head else []
        for line in [line for line in chosen if line.head == head]:
            near = [way for way in line.ways if _at(way, chosen[-1])]
            way = luck.choice(near or line.ways)
            text += _conditional(moment, way, kind, luck) if line is chosen[-1] else [way]
    return text


def _at(way: str, attack: Line) -> bool:
    """Whether an order is against the place that is attacked."""
    return any(f" {target} " in f"{way} " for target in attacked(attack.ways[0]))


def _conditional(moment: Moment, way: str, kind: str, luck: random.Random) -> list[str]:
    """The attack with the condition before it; how many enemies there are depends on what comes before."""
    strength = "STEPS" if moment.game.name == "africa1860" else "PF"
    known = moment.view.units.values()
    mine = moment.view.edition.seats[moment.seat]
    enemy = sum(getattr(unit, strength.lower()) for unit in known if unit.side != mine)
    number = max(enemy - luck.choice((0, 0, 1)), 1)
    if kind == "stop":
        return [f"STOP IF ENEMY {strength} LESS THAN {number}", way]
    if kind == "if":
        return [f"IF ENEMY {strength} AT LEAST {number}", way, "ENDIF"]
    return [way]
