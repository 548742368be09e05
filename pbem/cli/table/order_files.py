"""Orders as seats wrote them into files: read, and told line by line where they are refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pbem.cli.exit_codes import Stop
from pbem.cli.table.phase import Phase
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, plain
from pbem.engine.orders import luck
from pbem.engine.orders.block import bare, ends, header
from pbem.engine.terms import Orders, Rejected


class Refused(NamedTuple):
    """A line of a seat's file that is not carried out."""

    seat: str
    line: int
    text: str
    why: str
    rule: str


def read_orders(
    phase: Phase, letters: Mapping[str, str], standing: Mapping[str, str]
) -> tuple[dict[str, Orders], list[Refused]]:
    """Read letters and standing orders; refused lines are reported and left out."""
    game, _, state = phase.position
    orders: dict[str, Orders] = {}
    refused: list[Refused] = []
    for seat in game.seats(state):
        rules: tuple[Any, ...] = ()
        actions: tuple[Any, ...] = ()
        for text in (standing.get(seat, ""), letters.get(seat, "")):
            body = _body(text, seat, phase.turn)
            reading = game.parse(body, game.view(state, seat), seat)
            refused += [_refused(seat, body, item) for item in reading.rejected]
            actions, rules = reading.orders.actions, reading.orders.standing or rules
        if actions and seat not in phase.active:
            who = ", ".join(phase.active) or "nobody"
            raise Stop(f"this phase waits for {who}: of {seat} it takes standing orders alone, with --standing")
        orders[seat] = Orders(actions, rules)
    return orders, refused


def _body(text: str, seat: str, turn: int | None) -> str:
    """The lines of a file up to its end, with a header and LUCK made empty: lines keep their numbers."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    said = header(bare(lines[first]))
    if said is not None:
        if said.turn is not None and turn is not None and said.turn != turn:
            raise Stop(f"the orders of {seat} are for turn {said.turn}, this is turn {turn}")
        lines[first] = ""
    lines = ["" if luck.given(line) is not None else line for line in lines]
    return "\n".join(itertools.takewhile(lambda line: not ends(bare(line)), lines))


def _refused(seat: str, body: str, item: Rejected) -> Refused:
    lines = body.split("\n")
    text = lines[item.line - 1] if 0 < item.line <= len(lines) else item.word
    return Refused(seat, item.line, text, plain(item.why), item.rule)


def not_carried_out(events: Iterable[Event], letters: Mapping[str, str]) -> list[Refused]:
    """Lines that the position stood against, as the game's events tell them."""
    found: list[Refused] = []
    for happened in events:
        if happened.kind == "not carried out":
            data = happened.data
            seat = next((seat for seat in happened.seen_by or () if seat in letters), data["side"])
            found.append(Refused(seat, data["line"], data["order"], plain(Msg.from_json(data["why"])), happened.cite))
    return found
