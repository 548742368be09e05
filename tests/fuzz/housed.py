"""The laws with what only the house has: the dice of games that are played, and its words in every language."""

from __future__ import annotations

from pbem.audit.dice import DiceStream
from pbem.engine.testing.laws import GameLaws
from pbem.letters.catalogue import load_catalogue


def housed(laws: GameLaws) -> GameLaws:
    """Laws by the house's own dice and words."""
    name = laws.game.name
    return laws._replace(
        throws=DiceStream, says=lambda sentence, language: load_catalogue(language, name).say(sentence)
    )
