"""Summarize a plan: main attack with odds, reserve, guarded places.

The summary has three sentences. Where the main attack fails more often than not, a fourth gives the reason
for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg, percent

MOST_NAMED = 4
"""Groups or places that a sentence names, the weightiest first: more make it unreadable."""


EVEN_CHANCE = 0.5
"""Chance below which a plan's main attack is explained: it fails more often than it succeeds."""
CERTAIN_SHARE = 0.995
"""A share of cases that is shown as all of them: it would be rounded to 100 percent anyway."""


class AttackOdds(NamedTuple):
    """The odds of an attack: chance of success and average losses.

    Losses are in the game's words. The odds apply if the attack is made at all, which happens in `share` of cases.
    `about` marks odds that come from sample games and not from all dice; `alone` is the chance as the order form
    gives it, without the orders before, if it differs.
    """

    win: Any
    own: Msg
    enemy: Msg
    share: Any = 1.0
    about: bool = False
    alone: Any = None


class PlannedAttack(NamedTuple):
    """An attack of the plan: target, attackers and weight.

    `odds` is None if they were not computed. `better` names other possible attackers and their chance, if that is
    higher.
    """

    target: str
    who: Msg
    weight: int
    odds: AttackOdds | None = None
    better: tuple[Msg, Any] | None = None


def sort_attacks(blows: Sequence[PlannedAttack]) -> list[PlannedAttack]:
    """Return attacks by weight times chance of being made, the greatest first."""
    return sorted(blows, key=lambda blow: (-blow.weight * (1 if blow.odds is None else blow.odds.share), blow.target))


def plan_sentences(
    blows: Sequence[PlannedAttack], fire: Msg | None, moves: Sequence[Msg], posts: Sequence[Msg]
) -> tuple[Msg, ...]:
    """Return the sentences of a plan.

    `moves` (destination and units) and `posts` come with the most important first; `fire` is given if guns fire.
    """
    ranked = sort_attacks(blows)
    rest = (_reserve(moves, attacking=bool(blows)), _guard(posts))
    return (_main(ranked, fire), *_why(ranked[:1]), *rest)


def _why(main: Sequence[PlannedAttack]) -> tuple[Msg, ...]:
    """Explain a main attack that usually fails, and name a likelier one."""
    if not main or main[0].odds is None or main[0].odds.win >= EVEN_CHANCE:
        return ()
    reason = msg(
        "It fails more often than it succeeds. The bot tries it for what it may win and for what it costs "
        "the enemy anyway; if that is too dear, leave it out."
    )
    if main[0].better is None:
        return (reason,)
    attackers, win = main[0].better
    likelier = msg("Likelier to succeed there: {who}, about {win} %.", who=attackers, win=percent(win))
    return reason, likelier


def _main(blows: Sequence[PlannedAttack], fire: Msg | None) -> Msg:
    if not blows and fire is not None:
        return msg("It does not assault: no assault that it sees is worth the cost; {fire}.", fire=fire)
    if not blows:
        return msg("It does not assault: no assault that it sees is worth the cost.")
    first, *others = blows
    if others:
        also = tuple(_briefly(blow) for blow in others[:MOST_NAMED])
        return msg(
            "The main blow falls on {target}: {who}; {odds}; further blows: {others}.",
            target=first.target,
            who=first.who,
            odds=_odds(first),
            others=also,
        )
    return msg("The main blow falls on {target}: {who}; {odds}.", target=first.target, who=first.who, odds=_odds(first))


def _odds(blow: PlannedAttack) -> Msg:
    if blow.odds is None:
        return msg("its odds are left open here")
    template = msg("it succeeds in {win} % of cases, and costs you {own} and the enemy {enemy} on average")
    if blow.odds.share < CERTAIN_SHARE:
        template = msg(
            "in {share} % of cases it comes to that, and then succeeds in {win} %, and costs you {own} and the enemy "
            "{enemy} on average"
        )
    win, share = _percent(blow.odds.win, blow.odds.about), _percent(blow.odds.share, blow.odds.about)
    gaps = {name: value for name, value in (("win", win), ("share", share)) if f"{{{name}}}" in template.text}
    sentence = msg(template.text, own=blow.odds.own, enemy=blow.odds.enemy, **gaps)
    if blow.odds.alone is None:
        return sentence
    return msg("{odds} (by itself, as things stand, in {win} %)", odds=sentence, win=_percent(blow.odds.alone))


def _percent(share: object, about: bool = False) -> str | Msg:
    number = percent(share)
    return msg("about {number}", number=number) if about else number


def _briefly(blow: PlannedAttack) -> Msg:
    if blow.odds is None:
        return msg("{target}", target=blow.target)
    template = msg("{target} (about {win} %)") if blow.odds.about else msg("{target} ({win} %)")
    return msg(template.text, target=blow.target, win=_percent(blow.odds.win))


def _reserve(moves: Sequence[Msg], *, attacking: bool) -> Msg:
    if not moves:
        return msg("Nobody else moves.") if attacking else msg("Nobody moves.")
    places = shorten_list(moves)
    if attacking:
        return msg("The reserve goes to {places}.", places=places)
    return msg("The army goes to {places}.", places=places)


def _guard(posts: Sequence[Msg]) -> Msg:
    if not posts:
        return msg("No place that counts and none beside the enemy is guarded.")
    return msg("It guards {posts}.", posts=shorten_list(posts))


def unit_list(ids: Sequence[str]) -> tuple[str | Msg, ...]:
    """Return units for a list: of many only the first, and the number of the rest."""
    rest = len(ids) - MOST_NAMED
    if rest <= 1:
        return tuple(ids)
    return (*ids[:MOST_NAMED], msg("{count} more", count=rest))


def shorten_list(groups: Sequence[Msg]) -> tuple[Msg, ...]:
    """Return the first groups, and the number of the rest."""
    more = len(groups) - MOST_NAMED
    if more <= 0:
        return tuple(groups)
    rest = by_number(more, msg("one more group"), msg("{count} more groups", count=more))
    return (*groups[:MOST_NAMED], rest)
