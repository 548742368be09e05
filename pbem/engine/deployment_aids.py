"""What helps to deploy: the order form with the places of today, what each unit may do, second thoughts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOYMENT, Deploy, Deploying, Deployment, Zone, no_zone
from pbem.engine.orders.choices import PLAIN, Choices, Offer, Verb
from pbem.engine.orders.grammar import Grammar, Ids
from pbem.engine.orders.standing import Lexicon, place_meant
from pbem.engine.orders.wrapped import begins
from pbem.engine.parts import AS_IT_IS, Aids, FormTerms
from pbem.engine.run.steps import Rules
from pbem.engine.terms import Orders, Warned

S = TypeVar("S", bound=Deploying)
_VERB = Verb("DEPLOY", msg("Deploy to"), {PLAIN: "DEPLOY {units} TO {to}"}, apart=True)
_ZONE = ("zone", "zona")


class DeploymentAids(NamedTuple):
    """The aids of one game's deployment: its rules, and the grammar of its orders."""

    deployment: Deployment
    rules: Rules[Any]
    grammar: Grammar[Any, Any]

    def around(self, aids: Aids[S], lexicon: Callable[[S, str], Lexicon]) -> Aids[S]:
        """Return the aids of a game, with those of its deployment in their place while units are deployed.

        Places are named by the words of the `lexicon` of a side, or by units that stand in them.
        """

        def template(view: S, seat: str, language: str, terms: FormTerms = AS_IT_IS) -> tuple[str, ...]:
            if view.phase == DEPLOYMENT:
                return self.template(view, view.edition.seats[seat], language)
            return aids.template(view, seat, language, terms)

        def offers(view: S, seat: str, terms: FormTerms = AS_IT_IS) -> tuple[Offer, ...]:
            if view.phase == DEPLOYMENT:
                return self.offers(view, view.edition.seats[seat])
            return aids.offers(view, seat, terms)

        def choices(view: S, seat: str, begun: bool = False) -> Choices:
            if view.phase == DEPLOYMENT:
                return self.choices(view, view.edition.seats[seat])
            return aids.choices(view, seat, begun)

        def review(view: S, seat: str, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
            if view.phase == DEPLOYMENT:
                return self.review(view, view.edition.seats[seat], orders)
            return aids.review(view, seat, orders, begun)

        begin = partial(begins, verbs=self.grammar.verbs, vocabulary=self.grammar.vocabulary)
        named = self._by_place(aids, lexicon)
        return replace(named, template=template, offers=offers, choices=choices, review=review, begins=begin)

    def _by_place(self, aids: Aids[S], lexicon: Callable[[S, str], Lexicon]) -> Aids[S]:
        """Find places by their names, for `place` and `moves`."""

        def meant(view: S, seat: str, said: str) -> tuple[str, tuple[Msg, ...]]:
            stands = {ident: unit.at for ident, unit in view.units.items()}
            return place_meant(lexicon(view, view.edition.seats[seat]), said, stands)

        def moves(view: S, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
            at, read = meant(view, seat, place)
            if view.phase == DEPLOYMENT:
                return (*read, *self.moves(view, view.edition.seats[seat], at))
            return (*read, *(aids.moves(view, seat, at, begun) if at else ()))

        return replace(aids, moves=moves, place=lambda view, seat, said: meant(view, seat, said)[0])

    def template(self, view: Deploying, side: str, language: str) -> tuple[str, ...]:
        """Return the form: zone by zone a line for each place with those who stand in it today, then its places."""
        lines: list[str] = []
        for zone in self._zones(view, side):
            lines += [f"# {line}" for line in self._lines(view, zone, language)]
            lines.append(f"## {chosen(language, *_ZONE)}: {', '.join(zone.places)}")
        return tuple(lines) or (f"# {self.grammar.vocabulary.word('PASS', language)}",)

    def offers(self, view: Deploying, side: str) -> tuple[Offer, ...]:
        """Return what the form offers."""
        found = tuple(Offer(line) for zone in self._zones(view, side) for line in self._lines(view, zone, "en"))
        return found or (Offer("PASS"),)

    def choices(self, view: Deploying, side: str) -> Choices:
        """Return to where each unit may be deployed."""
        offers: dict[str, Mapping[str, Ids]] = {}
        for zone in self._zones(view, side):
            for unit in zone.units:
                if unit in view.units and (may := self._may(view, side, unit, zone)):
                    offers[unit] = {_VERB.verb: may}
        return Choices((_VERB,), offers, idiom=self.grammar.idiom)

    def moves(self, view: Deploying, side: str, place: str) -> tuple[Msg, ...]:
        """Return, for each unit of the side in a place, to where it may be deployed."""
        party, lines = self.deployment.ways.party, []
        for ident, unit in sorted(view.units.items()):
            if unit.at == place and party(unit.side) == party(side):
                zone = self.deployment.zone(view, ident)
                may = self._may(view, side, ident, zone) if zone is not None else ()
                lines.append(msg("{unit}: DEPLOY to {places}", unit=ident, places=may) if may else no_zone(ident))
        return tuple(lines) or (msg("no unit of yours stands in {place}", place=place),)

    def review(self, view: Deploying, side: str, orders: Orders) -> tuple[Warned, ...]:
        """Return who has to give way to those who are deployed, and who of these will not get away from there."""
        return (
            *(
                Warned(0, told, happened.cite)
                for happened in self.deployment.foreseen(self.rules, view, side, orders.actions)
                if happened.kind == "makes room"
                for told in (
                    msg(
                        "{unit} finds no room in {start} and will stand in {to}",
                        unit=happened.data["unit"],
                        start=happened.data["from"],
                        to=happened.data["to"],
                    ),
                )
            ),
            *self._stuck(view, orders),
        )

    def _stuck(self, view: Deploying, orders: Orders) -> Iterator[Warned]:
        ways = self.deployment.ways
        for order in (one for one in orders.actions if isinstance(one, Deploy)):
            fast = tuple(unit for unit in order.units if ways.stuck(view.edition, view.units[unit], order.to))
            if fast:
                told = msg(
                    "no way out of {place} bears {units}: {units:|it stays|they stay} there", place=order.to, units=fast
                )
                yield Warned(order.line, told, ways.on_ways)

    def _may(self, view: Deploying, side: str, unit: str, zone: Zone) -> Ids:
        party, problem = self.deployment.ways.party(side), self.deployment.problem
        return tuple(to for to in zone.places if problem(view, Deploy(0, (unit,), to), party) is None)

    def _zones(self, view: Deploying, side: str) -> Iterator[Zone]:
        party = self.deployment.ways.party
        for zone in view.edition.zones:
            here = [view.units[unit] for unit in zone.units if unit in view.units]
            if here and party(here[0].side) == party(side):
                yield zone

    def _lines(self, view: Deploying, zone: Zone, language: str) -> Iterable[str]:
        """A line for each place of the zone, and for those outside it where units of the zone begin, which is none."""
        stand: dict[str, list[str]] = {}
        for unit in zone.units:
            if unit in view.units:
                stand.setdefault(view.units[unit].at, []).append(unit)
        say = self.grammar.vocabulary.word
        for place in (place for place in zone.places if place in stand):
            yield f"{say('DEPLOY', language)} {_listed(stand[place])} {say('TO', language)} {place}"


def _listed(units: Sequence[str]) -> str:
    return ", ".join(units)
