"""A plan in three sentences: where its main blow falls and with what odds, where the reserve goes, what is guarded.

A fourth stands between them where the main blow fails more often than not: why it is advised all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg, percent

SHOWN = 4
"""How many groups or places a sentence names, the weightiest first."""


EVEN = 0.5
"""Below this a main blow is not advised without saying why."""
CERTAIN = 0.995
"""A share of cases that is told as all of them."""


class Weighed(NamedTuple):
    """What an attack comes to: the chance that it succeeds, what it costs on average, in words of the game.

    All that holds if it is made at all, which happens in `share` of cases. `about` says that it was played and not
    counted; `alone` is the chance as the order form has it, as things stand without what is ordered before, if that is
    another.
    """

    win: Any
    own: Msg
    enemy: Msg
    share: Any = 1.0
    about: bool = False
    alone: Any = None


class Blow(NamedTuple):
    """An attack of the plan: on what, by whom, how much it carries; `odds` is None where it was not weighed.

    `better` tells who else could attack the same, and how likely that succeeds, where it is likelier.
    """

    target: str
    who: Msg
    weight: int
    odds: Weighed | None = None
    better: tuple[Msg, Any] | None = None


def main_first(blows: Sequence[Blow]) -> list[Blow]:
    """Return the attacks with that first which carries most, by how likely it is that it is made at all."""
    return sorted(blows, key=lambda blow: (-blow.weight * (1 if blow.odds is None else blow.odds.share), blow.target))


def told(blows: Sequence[Blow], fire: Msg | None, moves: Sequence[Msg], posts: Sequence[Msg]) -> tuple[Msg, ...]:
    """Return the sentences; `moves`, where to and who, and `posts` come with the weightiest first; `fire` if guns
    fire."""
    ranked = main_first(blows)
    rest = (_reserve(moves, attacking=bool(blows)), _guard(posts))
    return (_main(ranked, fire), *_why(ranked[:1]), *rest)


def _why(main: Sequence[Blow]) -> tuple[Msg, ...]:
    """Why a main blow is advised that fails more often than not, and what would be likelier to succeed."""
    if not main or main[0].odds is None or main[0].odds.win >= EVEN:
        return ()
    why = msg(
        "It fails more often than it succeeds. The bot tries it for what it may win and for what it costs "
        "the enemy anyway; if that is too dear, leave it out."
    )
    if main[0].better is None:
        return (why,)
    who, win = main[0].better
    likelier = msg("Likelier to succeed there: {who}, about {win} %.", who=who, win=percent(win))
    return why, likelier


def _main(blows: Sequence[Blow], fire: Msg | None) -> Msg:
    if not blows and fire is not None:
        return msg("It does not attack: no attack that it sees is worth the cost; {fire}.", fire=fire)
    if not blows:
        return msg("It does not attack: no attack that it sees is worth the cost.")
    first, *others = blows
    if others:
        also = tuple(_briefly(one) for one in others[:SHOWN])
        return msg(
            "The main blow falls on {target}: {who}; {odds}; further blows: {others}.",
            target=first.target,
            who=first.who,
            odds=_odds(first),
            others=also,
        )
    return msg("The main blow falls on {target}: {who}; {odds}.", target=first.target, who=first.who, odds=_odds(first))


def _odds(blow: Blow) -> Msg:
    if blow.odds is None:
        return msg("its odds are left open here")
    said = msg("it succeeds in {win} % of cases, and costs you {own} and the enemy {enemy} on average")
    if blow.odds.share < CERTAIN:
        said = msg(
            "in {share} % of cases it comes to that, and then succeeds in {win} %, and costs you {own} and the enemy "
            "{enemy} on average"
        )
    win, share = _percent(blow.odds.win, blow.odds.about), _percent(blow.odds.share, blow.odds.about)
    gaps = {name: value for name, value in (("win", win), ("share", share)) if f"{{{name}}}" in said.text}
    told = msg(said.text, own=blow.odds.own, enemy=blow.odds.enemy, **gaps)
    if blow.odds.alone is None:
        return told
    return msg("{odds} (by itself, as things stand, in {win} %)", odds=told, win=_percent(blow.odds.alone))


def _percent(share: object, about: bool = False) -> str | Msg:
    number = percent(share)
    return msg("about {number}", number=number) if about else number


def _briefly(blow: Blow) -> Msg:
    if blow.odds is None:
        return msg("{target}", target=blow.target)
    said = msg("{target} (about {win} %)") if blow.odds.about else msg("{target} ({win} %)")
    return msg(said.text, target=blow.target, win=_percent(blow.odds.win))


def _reserve(moves: Sequence[Msg], *, attacking: bool) -> Msg:
    if not moves:
        return msg("Nobody else moves.") if attacking else msg("Nobody moves.")
    places = in_short(moves)
    if attacking:
        return msg("The reserve goes to {places}.", places=places)
    return msg("The army goes to {places}.", places=places)


def _guard(posts: Sequence[Msg]) -> Msg:
    if not posts:
        return msg("No place that counts and none beside the enemy is guarded.")
    return msg("It guards {posts}.", posts=in_short(posts))


def named(ids: Sequence[str]) -> tuple[str | Msg, ...]:
    """Return some units for a list of their names: of many the first, and how many there are besides."""
    more = len(ids) - SHOWN
    if more <= 1:
        return tuple(ids)
    return (*ids[:SHOWN], msg("{count} more", count=more))


def in_short(groups: Sequence[Msg]) -> tuple[Msg, ...]:
    """Return the first of them, and how many there are besides."""
    more = len(groups) - SHOWN
    if more <= 0:
        return tuple(groups)
    rest = by_number(more, msg("one more group"), msg("{count} more groups", count=more))
    return (*groups[:SHOWN], rest)
