"""The camp as the house knows it: every member of the protocol, each a line into its chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine import parts
from pbem.engine.bots import Bot, Pick
from pbem.engine.data.events import Event
from pbem.engine.data.messages import msg
from pbem.engine.orders import wrapped
from pbem.engine.orders.doctrine import Plain
from pbem.engine.run.steps import World
from pbem.engine.shelf import Shelf
from pbem.engine.standard import Book, Standard
from pbem.engine.terms import ONLOOKER, Orders, Reading, Rejected, Warned
from pbem.engine.war.ledger import BROKEN
from pbem.games.camp.aids import check, form, review, thrifty
from pbem.games.camp.cases import Cased
from pbem.games.camp.edition import Edition, camp_edition
from pbem.games.camp.orders import GRAMMAR, VOCABULARY, parse, spoken
from pbem.games.camp.state import State, start
from pbem.games.camp.steps import RULES, camp_world
from pbem.games.camp.telling import HELP, Telling

SHELF = Shelf("pbem.games.camp", (), {})


class Aids(parts.Aids):
    """What helps to write orders."""

    def template(
        self, view: State, seat: str, language: str, terms: parts.FormTerms = parts.AS_IT_IS
    ) -> tuple[str, ...]:
        """The lines that are paid by the points, in the words of a language."""
        if view.phase == "over":
            return ()
        side = view.edition.seats[seat]
        # M2 Whoever commands in chief is offered what the points of his side pay; the others add to it.
        lines = (form(view, side) if seat == view.edition.seats_of(side)[0] else ()) or ("PASS",)
        return tuple(f"# {spoken(line, language)}" for line in lines)

    def review(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
        """What the lines cost together."""
        return review(view, view.edition.seats[seat], orders)

    def begins(self, line: str, standing: bool) -> bool:
        """Whether a line begins an order."""
        return wrapped.begins(line, standing, GRAMMAR.verbs, VOCABULARY)


def _bot(view: State, seat: str, pick: Pick) -> str:
    side = view.edition.seats[seat]
    return thrifty(view, side) if seat == view.edition.seats_of(side)[0] else "PASS"


class Camp(Standard):
    """The camp between two legs of a war. It has no scenarios: a war makes its editions."""

    name, title, rules = "camp", msg("A camp"), RULES
    telling, aids = Telling(), Aids()
    rulebook = Book(SHELF, HELP, {})
    cased = Cased()
    shelf, pinned, position, doctrine = SHELF, Edition, State, Plain
    bots: Mapping[str, Bot] = {"thrifty": _bot}

    start, canon, made_of = staticmethod(start), staticmethod(GRAMMAR.canon), staticmethod(camp_edition)

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
        """ValueError: no camp stands alone."""
        raise ValueError(f"there is no camp {scenario!r}: camps are made between the legs of a war")

    def active(self, state: State) -> tuple[str, ...]:
        """K3 Both sides order at once."""
        return () if state.phase == "over" else tuple(state.edition.seats)

    def parse(self, text: str, view: State, seat: str) -> Reading:
        """Orders of a letter by their fixed checks."""
        return parse(text, view, view.edition.seats[seat])

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        """Orders against the position."""
        return check(view, view.edition.seats[seat], orders)

    def world(
        self, state: State, orders: Mapping[str, Orders], letters: Sequence[Sequence[Any]] | None = None
    ) -> World[Any]:
        """The camp with everybody's orders."""
        return camp_world(state, orders)

    def view(self, state: State, seat: str) -> Any:
        """What a seat may know: all of it, or under fog its own side's."""
        if not state.edition.fog:
            return state
        if seat == ONLOOKER:
            return None
        return state.of_side(state.edition.seats[seat])

    def see(self, happened: Event, seat: str, before: State) -> Event | None:
        """What a seat may know of an event."""
        seats = happened.seen_by
        return happened if seats is None or seat in seats else None

    def invariants(self, state: State) -> tuple[str, ...]:
        """K1, K3 What is wrong with a ledger or with what is left of the points."""
        wrong = [f"{side} has {left} points" for side, left in state.points.items() if left < 0]
        for ident, unit in state.units.items():
            if ident != unit.id or not 0 <= unit.now <= unit.full:
                wrong.append(f"{ident} has {unit.now} steps of {unit.full}")
            if (unit.standing == BROKEN) != (unit.now == 0):
                wrong.append(f"{ident} is {unit.standing} with {unit.now} steps")
        return tuple(wrong)


GAME = Camp()
