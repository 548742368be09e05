"""The games that everybody may look at: whose players have agreed, and what has changed since one looked last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg
from pbem.engine.game import hides
from pbem.play import history, publicity, reruns
from pbem.runtime.transaction import Work
from pbem.store import queries, tables


class Published(NamedTuple):
    """A game that is shown: whether it is `over`, whether it is `hidden` until it is, who plays it by seat.

    `closed` says when each phase that is over closed, by its name, and is empty of a game that is hidden; `began` is
    when it was set up. `mark` is another as soon as there is anything to be shown anew.
    """

    game: str
    over: bool
    hidden: bool
    names: Mapping[str, str | Msg]
    began: datetime
    closed: Mapping[str, datetime]
    mark: str


def published(work: Work) -> tuple[Published, ...]:
    """Return the games that have begun and that all who play them let be shown, by name."""
    begun = (game for game in queries.games.every(work.session) if game.state != "forming")
    seated = ((game, queries.games.seats(work.session, game.id)) for game in sorted(begun, key=lambda game: game.id))
    return tuple(_published(work, game, seats) for game, seats in seated if publicity.agreed(seats))


def _published(work: Work, game: tables.Game, seats: Sequence[tables.Seat]) -> Published:
    over, names = game.state == "over", publicity.names(work.server.key, seats)
    hidden = not over and _hides(work, game)
    rows = [] if hidden else queries.phases.resolved(work.session, game.id)
    closed = {reruns.name_of(row): row.closed for row in rows if row.closed is not None}
    bases = [] if hidden else [row.number for row in queries.phases.bases(work.session, game.id)]
    called = {seat: name.to_json() if isinstance(name, Msg) else name for seat, name in names.items()}
    agreed = [seat.published for seat in seats]
    mark = dumps([over, hidden, called, agreed, [row.events_digest for row in rows], bases, game.result])
    return Published(game.id, over, hidden, names, game.created, closed, mark)


def _hides(work: Work, game: tables.Game) -> bool:
    """Whether nobody may look at the positions of a game that goes on."""
    return hides(work.server.rules_of(game), history.state_after(work, game, 0))
