"""Reading orders: blocks of lines in English or Spanish, by the names that a camp may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pbem.engine.orders.actions import If, Stop
from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.forms import Form
from pbem.engine.orders.languages import Languages
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Parser
from pbem.engine.orders.standing import Lexicon
from pbem.engine.terms import Orders, Reading
from pbem.games.peninsular.orders.actions import Action, Assault, Fire
from pbem.games.peninsular.orders.grammar import GRAMMAR
from pbem.games.peninsular.phase.arrivals import groups
from pbem.games.peninsular.setup.edition import Edition, camp
from pbem.games.peninsular.state import State


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
    return LANGUAGES.of(view.edition, view.units, side, view).lexicon


def in_order(orders: Orders) -> Orders:
    """S1 Return a letter's orders as a half goes, in whatever lines they stood.

    Fire and assaults follow the marches, whose order among themselves stays as it was written. Nothing goes across an
    IF or a STOP IF, for what stands above one may decide it. What was written down before is carried out as it stands.
    """
    return orders._replace(actions=_sorted(orders.actions))


def _sorted(actions: Sequence[Action]) -> tuple[Action, ...]:
    out: list[Action] = []
    waiting: list[Action] = []
    for action in actions:
        if isinstance(action, If | Stop):
            if isinstance(action, If):
                action = action._replace(then=_sorted(action.then), otherwise=_sorted(action.otherwise))
            out += [*waiting, action]
            waiting = []
        else:
            (waiting if isinstance(action, Fire | Assault) else out).append(action)
    return (*out, *waiting)


class _Parser(Parser[State, Action, Frame[Action]]):
    def order(self, reader: Reader, form: Form[State, Any]) -> None:
        """DESPLEGAR says UNLIMBER, and with a place behind TO it says DEPLOY."""
        to = (GRAMMAR.vocabulary.length(reader.words, at, "TO") for at in range(reader.at, len(reader.words)))
        super().order(reader, GRAMMAR.by_verb["DEPLOY"] if form.verb == "UNLIMBER" and any(to) else form)


def parse(text: str, view: State, side: str) -> Reading:
    """Read a block of orders for `side`; the first line END or FIN ends it, what follows is not read."""
    return _Parser(GRAMMAR, LANGUAGES.of(view.edition, view.units, side, view), view, side, Frame).read(text)
