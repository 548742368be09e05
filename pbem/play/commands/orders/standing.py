"""Standing orders of a seat: kept a scope at a time until replaced, echoed, looked at again with every letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.terms import Orders, Warned
from pbem.letters import content
from pbem.play import adjudication
from pbem.play.commands.answer import Answer
from pbem.play.positions import Position
from pbem.store import queries, tables


def keep(answer: Answer, here: Position, standing: tuple[Any, ...]) -> list[str]:
    """Replace the standing orders of every scope that was written about, and return the texts of all in force."""
    written = scopes(here, answer.seat.name, standing)
    if not written:
        return queries.orders.standing_texts(answer.session, answer.seat)
    in_force = {row.scope: row for row in queries.orders.standing(answer.session, answer.seat)}
    for scope, text in written.items():
        row = in_force.setdefault(
            scope,
            tables.Standing(seat_id=answer.seat.id or 0, scope=scope, text=text, inbox_id=answer.inbox.id or 0),
        )
        row.text, row.inbox_id = text, answer.inbox.id or 0
        answer.session.add(row)
    answer.session.flush()
    return [row.text for _, row in sorted(in_force.items())]


def scopes(here: Position, seat: str, standing: tuple[Any, ...]) -> dict[str, str]:
    """Standing orders as they are kept: the canonical text of each scope by its first line, which names it."""
    if not standing:
        return {}
    text = here.rules.canon(Orders((), standing))
    prove(here, seat, text)
    return dict(_blocks(text))


def _blocks(canonical: str) -> Iterator[tuple[str, str]]:
    """The first line and the whole text of each standing block."""
    lines: list[str] = []
    for line in canonical.splitlines():
        lines.append(line)
        if line == "ENDSTANDING":
            yield lines[0], "".join(f"{one}\n" for one in lines)
            lines = []


def second_thoughts(here: Position, seat: str, actions: tuple[Any, ...], standing: Iterable[str]) -> list[Warned]:
    """What the game would have a player look at again, in his actions and in all standing orders in force."""
    view = here.rules.view(here.state, seat)
    rules: list[Any] = []
    told: list[Warned] = []
    for text in standing:
        reading = here.rules.parse(text, view, seat)
        rules += reading.orders.standing
        if reading.rejected:
            first = text.split("\n")[0]
            why = msg("This standing order cannot be read any more and will be left out: {order}", order=first)
            told.append(Warned(0, why, reading.rejected[0].rule))
    return [*here.rules.aids.review(view, seat, Orders(actions, tuple(rules)), here.begun), *told]


def echo(answer: Answer, in_force: Sequence[str] | None = None) -> None:
    """The standing orders in force, if there are any; they are looked up if not given."""
    if in_force is None:
        in_force = queries.orders.standing_texts(answer.session, answer.seat)
    lines = answer.echoed("".join(in_force).splitlines())
    told = content.block(_IN_FORCE, lines)
    before = [at for at, block in enumerate(answer.blocks) if block["title"] == told["title"]]
    if before:
        # What counts is what is in force after the whole letter.
        answer.blocks[before[0]] = told
        for block in answer.blocks:
            if "standing" in block.get("weigh", ()):
                block["weigh"]["standing"] = list(in_force)
    elif lines:
        answer.blocks.append(told)


_IN_FORCE = msg("Your standing orders in force")


def prove(here: Position, seat: str, canonical: str) -> Orders:
    """Canonical text must read back to itself, or a replay would not be this game; what it was read as."""
    read = adjudication.parse_closed(here.rules, here.state, seat, canonical)
    again = here.rules.canon(read)
    if again != canonical:
        raise adjudication.Unsound(f"canonical orders of {seat} read back as others:\n{canonical}\n{again}")
    return read
