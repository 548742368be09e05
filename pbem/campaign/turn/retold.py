"""A game told again, phase by phase, as a seat or an onlooker saw it; all of it once it is over and nobody's is asked
for. While it runs nothing is told that its reader has not got by letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pbem.campaign.base import adjudication, history
from pbem.campaign.base.positions import game_named
from pbem.campaign.base.server import Work
from pbem.core.data.canon import loads
from pbem.core.data.events import Event
from pbem.core.data.report import Block
from pbem.core.game import ONLOOKER, Game, Seat
from pbem.core.orders import luck
from pbem.core.terms import Step
from pbem.store import tables

__all__ = ["NotTold", "Retold", "Roll", "Told", "retold"]


class NotTold(ValueError):
    """What cannot be told again, and why."""


class Roll(NamedTuple):
    """A roll by its label: how many dice of how many sides, and what they showed."""

    label: str
    dice: int
    sides: int
    values: tuple[int, ...]


class Told(NamedTuple):
    """A phase by its turn and name, or a ruling, which has no name: what was seen, and the view after it.

    `orders` of all seats and `rolls` are there once the game is over.
    """

    turn: int
    name: str
    seen: Sequence[tuple[Event, Any]]
    after: Any
    orders: Mapping[Seat, str] = {}
    rolls: tuple[Roll, ...] = ()


class Retold(NamedTuple):
    """A game: its rules, scenario, edition, the view before its first phase, all that is told of it in order.

    `account` says where the points came from, once the game is over.
    """

    game: str
    rules: Game
    scenario: str
    edition: Any
    seat: Seat
    start: Any
    told: tuple[Told, ...]
    over: bool
    account: Block | None = None


class _Reader(NamedTuple):
    """Whose eyes it is seen with; `all_seeing` ones see the position and the events themselves."""

    rules: Game
    seat: Seat
    all_seeing: bool

    def view(self, state: Any) -> Any:
        return state if self.all_seeing else self.rules.view(state, self.seat)

    def seen(self, happened: Sequence[tuple[Event, Any]]) -> Sequence[tuple[Event, Any]]:
        return happened if self.all_seeing else history.view_events(self.rules, self.seat, happened)


def retold(work: Work, name: str, seat: Seat = ONLOOKER, turn: int | None = None) -> Retold:
    """Return what a seat, or who looks on, may be told of a game or of one turn of it.

    Broken for a game that is not there; NotTold for one that has not begun, a seat or turn that is not there, or where
    onlookers are shown nothing while it runs.
    """
    game = game_named(work.session, name)
    if game.state == "forming":
        raise NotTold(f"{name} has not begun")
    rules, over = work.server.rules_of(game), game.state == "over"
    start = history.state_after(work, game, 0)
    if seat not in (*rules.seats(start), ONLOOKER):
        raise NotTold(f"{name} has no seat {seat!r}; there are {', '.join(rules.seats(start))}")
    public = rules.view(start, ONLOOKER) is not None
    if seat == ONLOOKER and not (public or over):
        raise NotTold(f"{name} shows its onlookers nothing while it runs: say whose it is with --seat")
    reader = _Reader(rules, seat, seat == ONLOOKER and not public)
    steps = [(row, step) for row, step in history.steps(work, game) if turn is None or step.turn == turn]
    if not steps and turn is not None:
        raise NotTold(f"nothing of turn {turn} is over in {name}")
    told = tuple(_told(work, game, reader, row, step) for row, step in steps)
    account = rules.telling.account([step for _, step in steps]) if over and turn is None else None
    edition = work.server.edition_of(work.session, game)
    return Retold(name, rules, game.scenario, edition, seat, reader.view(start), told, over, account)


def _told(work: Work, game: tables.Game, reader: _Reader, row: tables.Phase | tables.Basis, step: Step) -> Told:
    after = reader.view(step.after)
    if isinstance(row, tables.Basis):
        return Told(step.turn, "", reader.seen(history.corrected(work, game, row)), after)
    seen = reader.seen(history.events_with_states(work, game, row))
    if game.state != "over":
        return Told(step.turn, step.phase, seen, after)
    rolls = tuple(Roll(label, n, sides, tuple(shown)) for label, n, sides, shown in loads(row.rolls or "[]"))
    closed = adjudication.read_closed(row.orders)
    orders = {seat: _bare(one.text) for seat, one in closed.items() if _bare(one.text)}
    return Told(step.turn, step.phase, seen, after, orders, rolls)


def _bare(text: str) -> str:
    """Orders without the word for the dice above them."""
    return "".join(f"{line}\n" for line in text.splitlines() if luck.given(line) is None)
