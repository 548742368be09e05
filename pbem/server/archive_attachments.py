"""A game as it went, with what hung on its dice: what pages about games are made of, and who gets one by letter.

When a game is over the letter that opens it brings its page, which is laid when the letter is put into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chapter, Chronicle, Fortune
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import ONLOOKER
from pbem.lazy import Logger
from pbem.letters import content
from pbem.play import chapters, history, revealed_orders
from pbem.play.chapters import ChronicleInput
from pbem.play.commands.questions import dice_luck
from pbem.play.commands.questions.dice_luck import EVERYTHING, PhaseLuck, ToWeigh
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.store import queries

log = Logger(__name__)

LARGEST = 400_000
"""Octets of a page that goes by letter; a larger one is to be had from whoever runs the server."""
UNBOUNDED = 10**12
STEPS = 400_000
"""Steps of the rules that the luck of a game may take where a letter waits for it."""


class Story(NamedTuple):
    """What was read of a game: how it went; if it is over what its luck is weighed from, and what phases are called."""

    read: ChronicleInput
    asked: ToWeigh | None = None
    names: tuple[str, ...] = ()


def gather(tx: Transaction, name: str, seat: str = ONLOOKER) -> Story:
    """Read all that `story` needs; it raises what `chapters.gather` raises."""
    read = chapters.gather(tx, name, seat)
    rows = queries.phases.resolved(tx.session, name)
    if not read.eyes.over or not rows or read.eyes.rules.scored is None:
        return Story(read)
    return Story(read, dice_luck.gather_phases(tx, rows, EVERYTHING), tuple(map(history.name_of, rows)))


def story(server: Server, found: Story, most: int = UNBOUNDED) -> Chronicle:
    """Return how a game went; of one that is over also the luck of its dice.

    It is weighed as far as `most` steps of the rules suffice; a game whose phases cannot all be weighed so, or whose
    rules do not say what positions are worth, is told without.
    """
    told = chapters.make_chronicle(found.read)
    if found.asked is None:
        return told
    weighed = dice_luck.weigh(server, found.asked, most)
    if any(one.weighed is None for one in weighed):
        return told
    lucks = dict(zip(found.names, weighed, strict=True))
    chaptered = tuple(_lucky(one, lucks[one.name]) if one.name in lucks else one for one in told.chapters)
    return told._replace(chapters=chaptered, sides=found.asked.sides)


def _lucky(chapter: Chapter, luck: PhaseLuck) -> Chapter:
    rolls = dice_luck.weighed_rolls([luck])
    fortunes = {
        one.label: Fortune(tuple(map(float, one.luck)), tuple(map(float, one.variance)))
        for one in rolls
        if not one.left
    }
    return chapter._replace(luck=fortunes)


def lay(server: Server, promising: Sequence[Json], languages: Sequence[str]) -> list[Json]:
    """Return the letters, in order, with the pages that they promise; WEATHER if the database is away."""
    made: dict[tuple[str, str], Json] = {}
    found = []
    for letter, language in zip(promising, languages, strict=True):
        blocks = letter["blocks"]
        if any(_promises(block) for block in blocks):
            blocks = [_laid(server, letter["game"], language, made) if _promises(one) else one for one in blocks]
        found.append({**letter, "blocks": blocks})
    return found


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and revealed_orders.PAGE in block


def _laid(server: Server, game: str, language: str, made: dict[tuple[str, str], Json]) -> Json:
    """The block with its page; what is wrong with that, or too large of it, is said in its place."""
    if (game, language) not in made:
        try:
            made[game, language] = _bound(server, game, language)
        except TRANSIENT_ERRORS:
            raise
        except Exception:
            # Whatever is wrong with it, the letter must not be lost.
            log.exception("the page of a game cannot be made", game=game)
            made[game, language] = _said(_FAILED)
    return made[game, language]


def _bound(server: Server, game: str, language: str) -> Json:
    if server.plugins.stories is None:
        raise LookupError("nobody binds pages any more")
    with server.reading() as tx:
        found = gather(tx, game)
    name, text = server.plugins.stories.bind(story(server, found, STEPS), language)
    if len(text) > LARGEST:
        return _said(_LARGE)
    return {**_said(*revealed_orders.PAGE_LINES), "files": [[name, text]]}


def _said(*lines: Msg) -> Json:
    return content.sentences(revealed_orders.PAGE_TITLE, [(0, line) for line in lines])


_FAILED = msg("It could not be made; the operator can read why in the log.")
_LARGE = msg("It is too large for a letter: ask whoever runs the server for it (pbem archive).")
