"""Earlier happenings like one that is asked about: by the same rule and chart, as the seat that asks saw them.

They are looked for as HISTORY looks: in what `Game.see` let through to the seat, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Because, Orders
from pbem.play import history
from pbem.play.commands.answer import Answer
from pbem.play.positions import Position
from pbem.store import queries, tables

MOST = 3
"""Earlier happenings that are told."""


def like(answer: Answer, here: Position, phase: tables.Phase, number: int, because: Because) -> list[Msg]:
    """The happenings before `number` of the phase that are like it, a line each, the nearest first, `MOST` at most."""
    found = []
    for line in _before(answer, here, phase, number, because):
        found.append(line)
        if len(found) == MOST:
            break
    return found


def _before(answer: Answer, here: Position, phase: tables.Phase, number: int, because: Because) -> Iterator[Msg]:
    if not because.entry.rule:
        return
    rules, seat = here.rules, answer.seat.name
    view = rules.view(here.state, seat)
    done = queries.phases.resolved(answer.session, answer.game.id)
    for one in reversed([row for row in done if row.number <= phase.number]):
        entries, seen = history.entries(answer, answer.game, one, seat)
        last = number - 1 if one.number == phase.number else len(entries)
        for place in range(last, 0, -1):
            if entries[place - 1].rule != because.entry.rule:
                continue
            other = rules.telling.why(view, seat, seen, place, Orders())
            if other is not None and alike(because, other):
                yield msg(
                    "Turn {turn}, {phase}, #{number}: {text}",
                    turn=one.turn,
                    phase=one.name,
                    number=place,
                    text=other.entry.text,
                )


def alike(one: Because, other: Because) -> bool:
    """Whether two happenings of one rule are of one kind: neither read another chart than the other did first."""
    charts = {_first(one), _first(other)} - {""}
    return len(charts) < 2


def _first(because: Because) -> str:
    """The heading of the first chart that was read, which is the same whatever was read in it; empty if none was."""
    return because.charts[0].partition("\n")[0] if because.charts else ""
