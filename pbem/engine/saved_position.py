"""A position as one file: the game's name, its edition whole, and the state.

::

    {"edition":{"charts":{...},"game":"...","map":{...},...},"game":"...","state":{"phase":"...","turn":1,...}}

One line of canonical JSON and a line feed. Because the edition stands in it, charts and scenario included, the file can
be resolved by whoever knows the game's rules, years later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.game import AnyGame, PinnedEdition, Registry


class Unreadable(ValueError):
    """A file that is no position; says why."""


class SavedPosition(NamedTuple):
    """A state with what it is played by."""

    game: AnyGame
    edition: PinnedEdition
    state: Any


def write_position(position: SavedPosition) -> str:
    """Return the text of the file."""
    game, edition, state = position
    return dumps({"game": game.name, "edition": edition.to_json(), "state": game.encode(state)}) + "\n"


def read_position(text: str, games: Registry) -> SavedPosition:
    """Read what `write_position` wrote; Unreadable if it is something else or of a game that `games` does not know."""
    try:
        value = loads(text)
    except ValueError as wrong:
        raise Unreadable(f"it is no JSON: {wrong}") from None
    if not isinstance(value, dict) or not {"game", "edition", "state"} <= value.keys():
        raise Unreadable("a position holds game, edition and state")
    try:
        game = games(value["game"])
    except KeyError:
        raise Unreadable(f"no game is called {value['game']!r}") from None
    try:
        edition = game.edition_from_json(value["edition"])
        return SavedPosition(game, edition, game.decode(value["state"], edition))
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise Unreadable(f"edition or state do not fit {game.name}: {wrong}") from None
