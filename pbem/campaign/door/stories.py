"""A game as it went, with what hung on its dice: what pages about games are made of."""

from __future__ import annotations

from pbem.campaign.base.server import Work
from pbem.campaign.commands.questions import phase_luck
from pbem.campaign.commands.questions.phase_luck import EVERYTHING, PhaseLuck
from pbem.campaign.turn import attempts, chapters
from pbem.core.data.chronicle import Chapter, Chronicle, Fortune
from pbem.core.game import ONLOOKER
from pbem.store import queries, tables

__all__ = ["story"]


def story(work: Work, name: str, seat: str = ONLOOKER, most: int = 10**12) -> Chronicle:
    """Return how a game went, as `chapters.chronicle` does; of one that is over also the luck of its dice.

    It is weighed as far as `most` steps of the rules suffice; a game whose phases cannot all be weighed so, or whose
    rules do not say what positions are worth, is told without.
    """
    told = chapters.chronicle(work, name, seat)
    game = work.session.get_one(tables.Game, name)
    rows = queries.phases.resolved(work.session, name)
    if not told.over or not rows or work.server.rules_of(game).scored is None:
        return told
    asked = phase_luck.gather(work, rows, EVERYTHING)
    weighed = phase_luck.weigh(work.server, asked, most)
    if any(one.weighed is None for one in weighed):
        return told
    lucks = {attempts.name_of(row): one for row, one in zip(rows, weighed, strict=True)}
    found = (_lucky(one, lucks[one.name]) if one.name in lucks else one for one in told.chapters)
    return told._replace(chapters=tuple(found), sides=asked.sides)


def _lucky(chapter: Chapter, luck: PhaseLuck) -> Chapter:
    rolls = phase_luck.rolls([luck])
    fortunes = {
        one.label: Fortune(tuple(map(float, one.luck)), tuple(map(float, one.variance)))
        for one in rolls
        if not one.left
    }
    return chapter._replace(luck=fortunes)
