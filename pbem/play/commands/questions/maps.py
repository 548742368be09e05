"""Questions of a seat about its map: how it is or was, and what could be ordered. They are answered from its view."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.engine.orders.speech import meant
from pbem.letters import content, outbox
from pbem.letters.command_words import Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play import history, scenes
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command, Often
from pbem.play.positions import Position
from pbem.store import queries, tables

_PLACE = re.compile(r"(?:[^\W_][\w' .-]{0,39})?")
_WHEN = re.compile(r"(?:t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9-]{0,19}))?)?")
"""What follows MAP: nothing for now, a turn, or a phase of one."""
_PICTURES = 4
"""Maps in an answer beyond which what could be ordered is told in words alone."""


def show_map(answer: Answer, command: Line) -> None:
    """The map as it is now, as it was when a turn began, or as it was after a phase, with what was seen in it."""
    here = answer.begun()
    if here is None:
        return
    answer.say("answer")
    asked = _asked(answer, command)
    if asked is None:
        _show(answer, here, msg("The map now"), here.state)
        return
    turn, name = asked
    rows = _phases(answer, turn)
    if name:
        row = next(row for row in reversed(rows) if row.name == name and row.events_digest is not None)
        happened = history.events_with_states(answer, answer.game, row)
        title = msg("The map after {phase}", phase=str(outbox.phase_of(row)).partition("~")[0])
        state = history.state_after(answer, answer.game, row.number)
        _show(answer, here, title, state, history.view_events(here.rules, answer.seat.name, happened))
    else:
        state = history.state_after(answer, answer.game, rows[0].number - 1)
        _show(answer, here, msg("The map as turn {turn} began", turn=turn), state)


def _show(answer: Answer, here: Position, title: Msg, state: Any, seen: Sequence[tuple[Event, Any]] = ()) -> None:
    """The map of a position in words, and as a picture for pages."""
    view = here.rules.view(state, answer.seat.name)
    block = content.sentences(title, here.rules.telling.text_map(view, answer.seat.name))
    picture = scenes.for_letter(answer, here, answer.seat, view, seen)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})


def map_wrong(answer: Answer, command: Line) -> Mistake | None:
    """A turn that has not begun has no map, nor has a phase that is not over."""
    asked = _asked(answer, command)
    if asked is None or answer.here is None:
        return None
    turn, name = asked
    rows = _phases(answer, turn)
    if not rows:
        why = msg("There was no turn {turn} so far.", turn=turn)
        return command.wrong(why, command.phrase, word=command.said)
    over = [row.name for row in rows if row.events_digest is not None]
    if not name or name in over:
        return None
    why = msg("No phase called {name} of turn {turn} is over.", name=name, turn=turn)
    offered = [f"{command.phrase} T{turn}.{one}" for one in over] or [f"{command.phrase} T{turn}"]
    return command.wrong(why, *offered, word=command.said)


def _asked(answer: Answer, command: Line) -> tuple[int, str] | None:
    """The turn, and the phase if one is named, in any language; None for now."""
    found = _WHEN.fullmatch(fold(command.rest))
    if found is None or found["turn"] is None:
        return None
    called = answer.here.rules.telling.called if answer.here is not None else {}
    return int(found["turn"]), meant(found["phase"] or "", called)


def _phases(answer: Answer, turn: int) -> Sequence[tables.Phase]:
    """The phases of a turn that have begun, in order, without those that are void."""
    first = queries.phases.first_of_turn(answer.session, answer.game.id, turn)
    return () if first is None else [row for row in queries.phases.from_on(answer.session, first) if row.turn == turn]


def moves(answer: Answer, command: Line) -> None:
    """What the seat's units in a place could be ordered to do; without one, where they are."""
    here = answer.begun()
    if here is None:
        return
    seat = answer.seat.name
    view = here.rules.view(here.state, seat)
    answer.say("answer")
    shown = sum("picture" in other for other in answer.blocks)
    picture = None
    if not command.rest:
        places = [(0, line) for line in here.rules.aids.places(view, seat)]
        block = content.sentences(msg("Where your units are; MOVES and a place tells more"), places)
        if not shown:
            picture = scenes.for_letter(answer, here, answer.seat, view)
    else:
        said = here.rules.aids.moves(view, seat, command.said, here.begun)
        block = content.sentences(msg("What could be ordered in {place}", place=command.said), [(0, s) for s in said])
        if shown < _PICTURES:
            picture = scenes.asked_about(answer, here, answer.seat, view, command.said)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})


COMMANDS = (
    Command(
        Form("map", ("MAP", "MAPA"), _WHEN, "MAP T1", "MAPA T1"),
        show_map,
        check=map_wrong,
        help=(
            msg(
                "MAP, MAP T2, MAP T2.spain: the map now, as turn 2 began, after a phase. MOVES, MOVES place: your ways."
            ),
        ),
        often=Often(letter=3),
    ),
    Command(
        Form("moves", ("MOVES", "MOVIMIENTOS"), _PLACE, "MOVES place", "MOVIMIENTOS lugar"),
        moves,
        often=Often(letter=10),
    ),
)
