"""Save a position as one file: the game's name, its whole edition, and the state.

::

    {"edition":{"charts":{...},"game":"...","map":{...},...},"game":"...","state":{"phase":"...","turn":1,...}}

It is one line of canonical JSON and a line feed. Because it holds the edition, charts and scenario
included, the file can be resolved years later with the game's rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.game import AnyGame, PinnedEdition, Registry


class UnreadablePosition(ValueError):
    """Raised for a file that is no position, with the reason."""


class SavedPosition(NamedTuple):
    """A state with its game and edition."""

    game: AnyGame
    edition: PinnedEdition
    state: Any


def write_position(position: SavedPosition) -> str:
    """Return the text of the file."""
    game, edition, state = position
    return dumps({"game": game.name, "edition": edition.to_json(), "state": game.encode(state)}) + "\n"


def read_position(text: str, games: Registry) -> SavedPosition:
    """Read the output of `write_position`; raise Unreadable for other text or games."""
    try:
        value = loads(text)
    except ValueError as error:
        raise UnreadablePosition(f"it is no JSON: {error}") from None
    if not isinstance(value, dict) or not {"game", "edition", "state"} <= value.keys():
        raise UnreadablePosition("a position holds game, edition and state")
    try:
        game = games(value["game"])
    except KeyError:
        raise UnreadablePosition(f"no game is called {value['game']!r}") from None
    try:
        edition = game.edition_from_json(value["edition"])
        return SavedPosition(game, edition, game.decode(value["state"], edition))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # Text of others may hold anything, and a game reads it without checking each part.
        raise UnreadablePosition(f"edition or state do not fit {game.name}: {error}") from None
