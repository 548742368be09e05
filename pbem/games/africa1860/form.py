"""The order form: the orders that could be given now, line by line, and none that would be refused.

A line is one order, or several that differ only in where they lead, with `|` between the spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import percent
from pbem.engine.deployment_aids import DeploymentAids
from pbem.engine.orders.choices import Offer as Way
from pbem.engine.orders.choices import ways
from pbem.engine.parts import AS_IT_IS, Aids, FormTerms
from pbem.engine.run.odds import Reckoning
from pbem.engine.run.steps import Rules
from pbem.games.africa1860.check import fallen, review
from pbem.games.africa1860.choices import Offer, about_to_order, choices, leaderless, moves, of_space, places
from pbem.games.africa1860.doctrine import Doctrine
from pbem.games.africa1860.grammar import GRAMMAR, VOCABULARY, Action, Assault, Caracole, Fire, Move, Retire, lexicon
from pbem.games.africa1860.sequence import DEPLOYING, RULES
from pbem.games.africa1860.shock import Attack, assault_odds
from pbem.games.africa1860.state import State
from pbem.games.africa1860.view import sight

_AS_SEEN = (", as far as you see", ", según lo que ve")
"""Under fog nobody knows who else is near."""


def template(
    rules: Rules[State], view: State, seat: str, language: str, terms: FormTerms = AS_IT_IS
) -> tuple[str, ...]:
    """Return the form of a seat, all of it comments, so that a form sent back as it came orders nothing.

    Space by space: its activation, fire, assaults and charges with what they are worth, caracoles, moves; R8 then what
    the demoralised may do, which needs no activation. Who can do nothing may pass. There is none when the game is over.
    """
    if view.phase == "over":
        return ()
    side = view.edition.seats[seat]
    form = _Form(rules, about_to_order(view, side, terms.begun), seat, language, terms)
    return (*(tuple(form.lines()) or (f"# {VOCABULARY.word('PASS', language)}",)), *form.shut())


def offered(rules: Rules[State], view: State, seat: str, terms: FormTerms = AS_IT_IS) -> tuple[Way, ...]:
    """Return all that the form of a seat offers, each with the ACTIVATE that it takes; who can do nothing may pass."""
    if view.phase == "over":
        return ()
    state = about_to_order(view, view.edition.seats[seat], terms.begun)
    return tuple(_Form(rules, state, seat, "en", terms).ways()) or (Way("PASS"),)


_UNLED = (
    "cannot be activated: no leader, locality or camp there; move a leader in first [O5]",
    "no puede activarse: sin líder, localidad ni campamento; lleve antes un líder [O5]",
)
"""Said once of all such spaces, for which the form has no line."""
_UNSEEN = ("out of sight:", "sin ver:")
"""Under fog a move is offered to where nobody knows whether an enemy stands."""


class _Form:
    def __init__(self, rules: Rules[State], state: State, seat: str, language: str, terms: FormTerms) -> None:
        self.rules, self.state, self.language, self.purse = rules, state, language, terms.purse
        self.standing = terms.standing
        self.own = Doctrine({seat: terms.standing})

    def say(self, keyword: str) -> str:
        return VOCABULARY.word(keyword, self.language)

    def lines(self) -> Iterator[str]:
        for space in self.state.camping(self.state.phase):
            acting, retiring = of_space(self.state, space)
            if acting:
                yield f"# {self.say('ACTIVATE')} {space}"
            for offer in (*acting, *retiring):
                yield f"# {self.spoken(offer)}{self.worth(offer.action, space)}{self.unseen(offer)}"

    def shut(self) -> tuple[str, ...]:
        """O5 The spaces that lack a leader, if there are any, and why."""
        spaces = leaderless(self.state)
        return (f"## {', '.join(spaces)}: {chosen(self.language, *_UNLED)}",) if spaces else ()

    def ways(self) -> Iterator[Way]:
        """What `lines` has, each way apart."""
        for space in self.state.camping(self.state.phase):
            acting, retiring = of_space(self.state, space)
            head = f"{self.say('ACTIVATE')} {space}"
            if acting:
                yield Way(head)
            for offer in acting:
                chance = self.chance(offer.action, space)
                yield from (Way(f"{head}\n{said}", chance) for said in ways(self.spoken(offer)))
            yield from (Way(said) for offer in retiring for said in ways(self.spoken(offer)))

    def unseen(self, offer: Offer) -> str:
        """C0 Under fog, where a move would lead out of sight: an enemy who stands there bars it."""
        if not isinstance(offer.action, Move) or self.state.edition.options["fog"] == "off":
            return ""
        spaces = [
            space for space in offer.spaces if space not in sight(self.state, self.state.commanding or self.state.phase)
        ]
        return f"  # {chosen(self.language, *_UNSEEN)} {', '.join(spaces)}" if spaces else ""

    def worth(self, action: Action, space: str) -> str:
        """How often an assault wins, in the form's words; nothing if that is not known."""
        chance = self.chance(action, space)
        seen = chosen(self.language, *_AS_SEEN) if self.state.edition.options["fog"] == "on" else ""
        return "" if chance is None else f"  # {percent(chance)} %{seen}"

    def chance(self, action: Action, space: str) -> float | None:
        """How often an assault wins, as it stands and on its own; None if that takes too long to tell."""
        if not isinstance(action, Assault) or self.purse is None:
            return None
        state = self.state.change(used=(*self.state.used, space))
        key = ("form", self.state.edition.digest, state.key(), action, space, self.standing)

        def weigh(step: Callable[[], None]) -> float:
            return float(assault_odds(self.rules, state, Attack(action, space), self.own, Reckoning(step=step)).hold)

        return self.purse.pay(key, weigh)

    def spoken(self, offer: Offer) -> str:
        """The order in the words of the reader's language."""
        action, spaces = offer
        to, say = " | ".join(spaces), self.say
        if isinstance(action, Move):
            units = ", ".join(action.units or action.leaders)
            leaders = f" {say('WITH')} {', '.join(action.leaders)}" if action.units and action.leaders else ""
            return f"{say('MOVE')} {units}{leaders} {say('TO')} {to}"
        if isinstance(action, Fire):
            return f"{say('FIRE')} {_groups(action.shots)} {self.at} {to}"
        if isinstance(action, Caracole):
            return f"{say('CARACOLE')} {', '.join(action.units)} {self.at} {to}"
        if isinstance(action, Retire):
            return f"{say('RETIRE')} {', '.join(action.units)} {say('TO')} {to}"
        if isinstance(action, Assault):
            return self.assault(action)
        raise TypeError(f"{action!r} stands in no form")

    @property
    def at(self) -> str:
        return "AT" if self.say("TO") == "TO" else self.say("TO")

    def assault(self, order: Assault) -> str:
        units, say = ", ".join(order.units), self.say
        charge = f"{say('CHARGE')} {units} {self.at} {order.target}"
        parts = [charge if order.verb == "CHARGE" else f"{say('ASSAULT')} {order.target} {say('WITH')} {units}"]
        parts += [f"{say('LED BY')} {order.leader}"] if order.leader else []
        parts += [f"{say('SUPPORT')} {_groups(order.support)}"] if order.support else []
        return " ".join(parts)


def _groups(groups: Iterable[Iterable[str]]) -> str:
    return ", ".join("+".join(group) for group in groups)


AIDS = DeploymentAids(DEPLOYING, RULES, GRAMMAR).around(
    Aids(
        template=partial(template, RULES),
        offers=partial(offered, RULES),
        choices=choices,
        fallen=fallen,
        moves=moves,
        places=places,
        review=partial(review, RULES),
    ),
    lexicon,
)


# C10 Ready-made standing orders, for players who want a temper and no details.


PRESETS: Mapping[str, str] = {
    "cautious": """STANDING FOR ALL
1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD INF.WEAKEST ; CAVALRY CARACOLE TO SHELTER ; LOSSES INF.WEAKEST
2. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY STAY
3. WHEN APPROACHED THEN APPROACH IGNORE
4. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
    "balanced": """STANDING FOR ALL
1. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY CARACOLE TO SHELTER ; LOSSES INF.STRONGEST
2. WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CARACOLE ELSE APPROACH IGNORE
3. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
    "aggressive": """STANDING FOR ALL
1. WHEN ASSAULTED THEN VANGUARD INF.STRONGEST ; CAVALRY COUNTERCHARGE ; ARTILLERY FIRE
2. WHEN APPROACHED IF ODDS AT MOST 2:1 THEN APPROACH CHARGE ELSE APPROACH CARACOLE
3. WHEN SHELLED THEN COUNTERBATTERY YES
ENDSTANDING
""",
}
"""Presets by name; what they leave open the default doctrine decides."""
