"""Help with deployment: order form, possible places, and warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT_PHASE, Deploy, Deployment, DeploymentPosition, Zone, no_zone_text
from pbem.engine.orders.choices import PLAIN, Choices, Offer, Verb
from pbem.engine.orders.grammar import Grammar, Ids
from pbem.engine.orders.standing import Lexicon, place_meant
from pbem.engine.orders.wrapped import begins
from pbem.engine.parts import DEFAULT_FORM_TERMS, FormTerms, OrderHelp
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders, OrderWarning

S = TypeVar("S", bound=DeploymentPosition)
_VERB = Verb("DEPLOY", msg("Deploy to"), {PLAIN: "DEPLOY {units} TO {to}"}, apart=True)
_ZONE = ("zone", "zona")


class DeploymentHelp(NamedTuple):
    """Help with writing the orders of deployment, by a game's rules and grammar."""

    deployment: Deployment
    rules: Rules[Any]
    grammar: Grammar[Any, Any]

    def around(self, aids: OrderHelp[S], lexicon: Callable[[S, str], Lexicon]) -> OrderHelp[S]:
        """Return a game's help with orders, with this help in the deployment phase.

        Places are named by the words of the `lexicon` of a side, or by units in them.
        """

        def template(view: S, seat: str, language: str, terms: FormTerms = DEFAULT_FORM_TERMS) -> tuple[str, ...]:
            if view.phase == DEPLOYMENT_PHASE:
                return self.template(view, view.edition.seats[seat], language)
            return aids.template(view, seat, language, terms)

        def offers(view: S, seat: str, terms: FormTerms = DEFAULT_FORM_TERMS) -> tuple[Offer, ...]:
            if view.phase == DEPLOYMENT_PHASE:
                return self.offers(view, view.edition.seats[seat])
            return aids.offers(view, seat, terms)

        def choices(view: S, seat: str, begun: bool = False) -> Choices:
            if view.phase == DEPLOYMENT_PHASE:
                return self.choices(view, view.edition.seats[seat])
            return aids.choices(view, seat, begun)

        def review(view: S, seat: str, orders: Orders, begun: bool = False) -> tuple[OrderWarning, ...]:
            if view.phase == DEPLOYMENT_PHASE:
                return self.review(view, view.edition.seats[seat], orders)
            return aids.review(view, seat, orders, begun)

        begins_order = partial(begins, verbs=self.grammar.verbs, vocabulary=self.grammar.vocabulary)
        with_place_names = self._by_place(aids, lexicon)
        return replace(
            with_place_names, template=template, offers=offers, choices=choices, review=review, begins=begins_order
        )

    def _by_place(self, aids: OrderHelp[S], lexicon: Callable[[S, str], Lexicon]) -> OrderHelp[S]:
        """Return help with orders whose `place` and `moves` find places by their names."""

        def find_place(view: S, seat: str, words: str) -> tuple[str, tuple[Msg, ...]]:
            places_of_units = {ident: unit.at for ident, unit in view.units.items()}
            return place_meant(lexicon(view, view.edition.seats[seat]), words, places_of_units)

        def moves(view: S, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
            place_id, notes = find_place(view, seat, place)
            if view.phase == DEPLOYMENT_PHASE:
                return (*notes, *self.moves(view, view.edition.seats[seat], place_id))
            return (*notes, *(aids.moves(view, seat, place_id, begun) if place_id else ()))

        return replace(aids, moves=moves, place=lambda view, seat, words: find_place(view, seat, words)[0])

    def template(self, view: DeploymentPosition, side: str, language: str) -> tuple[str, ...]:
        """Return the form, zone by zone.

        Each place with units has a line that names them; the list of the zone's places follows.
        """
        lines: list[str] = []
        for zone in self._zones(view, side):
            lines += [f"# {line}" for line in self._lines(view, zone, language)]
            lines.append(f"## {pick_phrase(language, *_ZONE)}: {', '.join(zone.places)}")
        return tuple(lines) or (f"# {self.grammar.vocabulary.word('PASS', language)}",)

    def offers(self, view: DeploymentPosition, side: str) -> tuple[Offer, ...]:
        """Return the offers of the form."""
        offers = tuple(Offer(line) for zone in self._zones(view, side) for line in self._lines(view, zone, "en"))
        return offers or (Offer("PASS"),)

    def choices(self, view: DeploymentPosition, side: str) -> Choices:
        """Return the places that each unit may be deployed to."""
        offers: dict[str, Mapping[str, Ids]] = {}
        for zone in self._zones(view, side):
            for unit in zone.units:
                if unit in view.units and (places := self._possible_places(view, side, unit, zone)):
                    offers[unit] = {_VERB.verb: places}
        return Choices((_VERB,), offers, idiom=self.grammar.idiom)

    def moves(self, view: DeploymentPosition, side: str, place: str) -> tuple[Msg, ...]:
        """Return, for each unit of the side in a place, its possible places."""
        party, lines = self.deployment.ways.party, []
        for ident, unit in sorted(view.units.items()):
            if unit.at == place and party(unit.side) == party(side):
                zone = self.deployment.zone(view, ident)
                places = self._possible_places(view, side, ident, zone) if zone is not None else ()
                lines.append(
                    msg("{unit}: DEPLOY to {places}", unit=ident, places=places) if places else no_zone_text(ident)
                )
        return tuple(lines) or (msg("no unit of yours stands in {place}", place=place),)

    def review(self, view: DeploymentPosition, side: str, orders: Orders) -> tuple[OrderWarning, ...]:
        """Return warnings about units that must give way or will be stuck."""
        return (
            *(
                OrderWarning(0, sentence, happened.cite)
                for happened in self.deployment.foresee(self.rules, view, side, orders.actions)
                if happened.kind == "makes room"
                for sentence in (
                    msg(
                        "{unit} finds no room in {start} and will stand in {to}",
                        unit=happened.data["unit"],
                        start=happened.data["from"],
                        to=happened.data["to"],
                    ),
                )
            ),
            *self._stuck_warnings(view, orders),
        )

    def _stuck_warnings(self, view: DeploymentPosition, orders: Orders) -> Iterator[OrderWarning]:
        ways = self.deployment.ways
        for order in (action for action in orders.actions if isinstance(action, Deploy)):
            stuck_units = tuple(unit for unit in order.units if ways.stuck(view.edition, view.units[unit], order.to))
            if stuck_units:
                sentence = msg(
                    "no way out of {place} bears {units}: {units:|it stays|they stay} there",
                    place=order.to,
                    units=stuck_units,
                )
                yield OrderWarning(order.line, sentence, ways.on_ways)

    def _possible_places(self, view: DeploymentPosition, side: str, unit: str, zone: Zone) -> Ids:
        party, problem = self.deployment.ways.party(side), self.deployment.problem
        return tuple(to for to in zone.places if problem(view, Deploy(0, (unit,), to), party) is None)

    def _zones(self, view: DeploymentPosition, side: str) -> Iterator[Zone]:
        party = self.deployment.ways.party
        for zone in view.edition.zones:
            units = [view.units[unit] for unit in zone.units if unit in view.units]
            if units and party(units[0].side) == party(side):
                yield zone

    def _lines(self, view: DeploymentPosition, zone: Zone, language: str) -> Iterable[str]:
        """Yield an order line for each place of a zone that holds units of the zone."""
        units_by_place: dict[str, list[str]] = {}
        for unit in zone.units:
            if unit in view.units:
                units_by_place.setdefault(view.units[unit].at, []).append(unit)
        word = self.grammar.vocabulary.word
        for place in (place for place in zone.places if place in units_by_place):
            yield f"{word('DEPLOY', language)} {_join(units_by_place[place])} {word('TO', language)} {place}"


def _join(units: Sequence[str]) -> str:
    return ", ".join(units)
