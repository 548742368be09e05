"""Reading orders: blocks of lines in English or Spanish, by the names that a camp may use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pbem.core.game import Reading
from pbem.core.orders.names import Names
from pbem.core.orders.standing import Lexicon
from pbem.games.peninsular.orders.actions import Action, Assault, Fire, If, Stop
from pbem.games.peninsular.orders.grammar import GRAMMAR
from pbem.games.peninsular.phase.arrivals import groups
from pbem.games.peninsular.setup.edition import Edition, camp
from pbem.games.peninsular.state import State
from pbem.kit.orders.languages import Languages
from pbem.kit.orders.parser import Frame, Parser

__all__ = ["lexicon", "parse"]


@lru_cache(maxsize=16)
def _hexes(ids: frozenset[str]) -> Names:
    return Names({ident: () for ident in sorted(ids)})


def _sides(edition: Edition) -> Mapping[str, str]:
    """Whose each counter of the scenario is, those out of play and still to come too."""
    scenario = edition.scenario
    texts = (*scenario.get("units", ()), *(text for group in groups(scenario) for text in group["units"]))
    return {words[2]: words[0] for words in map(str.split, texts)}


LANGUAGES = Languages(GRAMMAR.idiom, _sides, lambda edition: _hexes(edition.map.hexes), camp)


def lexicon(view: State, side: str) -> Lexicon:
    """Return the names a seat of `side` may use: hexes, counters of its camp, and all counters it can see."""
    return LANGUAGES.of(view.edition, view.units, side).lexicon


class _Half(Frame[Action]):
    """S1 Orders as a half goes, in whatever lines they stand.

    Fire and assaults follow the marches, whose order among themselves stays as it was written. Nothing goes across an
    IF or a STOP IF, for what stands above one may decide it.
    """

    def close(self) -> tuple[Action, ...]:
        """Return the actions, of which there are no more."""
        out: list[Action] = []
        waiting: list[Action] = []
        for action in self.items:
            if isinstance(action, If | Stop):
                out += [*waiting, action]
                waiting = []
            else:
                (waiting if isinstance(action, Fire | Assault) else out).append(action)
        return (*out, *waiting)


def parse(text: str, view: State, side: str) -> Reading:
    """Read a block of orders for `side`; the first line END or FIN ends it, what follows is not read."""
    return Parser(GRAMMAR, LANGUAGES.of(view.edition, view.units, side), view, side, _Half).read(text)
