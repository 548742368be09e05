"""Make a game's chronicle with its dice luck, and attach pages to letters.

The letter that reveals a finished game brings its page, which is made when the letter is rendered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chapter, Chronicle, RollEffect
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import ONLOOKER
from pbem.lazy import Logger
from pbem.letters import content
from pbem.play import chapters, history, revealed_orders
from pbem.play.chapters import ChronicleInput
from pbem.play.commands.questions import dice_luck
from pbem.play.commands.questions.dice_luck import EVERYTHING, PhaseLuck, PhasesToEvaluate
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.store import queries

log = Logger(__name__)

MOST_PAGE_OCTETS = 400_000
"""Octets of a page that is mailed: with base64 it is half a megabyte, which every provider takes. The operator can
make larger ones."""
ENDLESS_BUDGET = 10**12
"""More steps of the rules than any game takes: for the operator's command, for which nobody else waits."""
LUCK_BUDGET = 400_000
"""Steps of the rules that the luck of a game may take while a letter waits: ten times one answer's
(`dice_luck.PER_LETTER`). With more it is left out."""


class ArchiveInput(NamedTuple):
    """The data of a game: its chronicle; if it is over, its luck and phase names."""

    read: ChronicleInput
    asked: PhasesToEvaluate | None = None
    names: tuple[str, ...] = ()


def gather_archive_input(tx: Transaction, name: str, seat: str = ONLOOKER) -> ArchiveInput:
    """Read the input of `make_archive_chronicle`; see `chapters.gather_chronicle`."""
    chronicle_input = chapters.gather_chronicle(tx, name, seat)
    rows = queries.phases.resolved_phases(tx.session, name)
    if not chronicle_input.eyes.over or not rows or chronicle_input.eyes.rules.scored is None:
        return ArchiveInput(chronicle_input)
    return ArchiveInput(
        chronicle_input,
        dice_luck.gather_phases_to_evaluate(tx, rows, EVERYTHING),
        tuple(map(history.phase_label, rows)),
    )


def make_archive_chronicle(server: Server, gathered: ArchiveInput, most_steps: int = ENDLESS_BUDGET) -> Chronicle:
    """Return the chronicle of a game, with the luck of its dice if it is over.

    The luck may take `most_steps` steps of the rules. It is left out if not all phases can be evaluated within
    that, or if the rules do not score positions.
    """
    chronicle = chapters.make_chronicle(gathered.read)
    if gathered.asked is None:
        return chronicle
    weighed = dice_luck.evaluate_luck(server, gathered.asked, most_steps)
    if any(phase_luck.weighed is None for phase_luck in weighed):
        return chronicle
    lucks = dict(zip(gathered.names, weighed, strict=True))
    chaptered = tuple(
        _with_luck(chapter, lucks[chapter.name]) if chapter.name in lucks else chapter for chapter in chronicle.chapters
    )
    return chronicle._replace(chapters=chaptered, sides=gathered.asked.sides)


def _with_luck(chapter: Chapter, luck: PhaseLuck) -> Chapter:
    rolls = dice_luck.evaluated_rolls([luck])
    fortunes = {
        roll.label: RollEffect(tuple(map(float, roll.luck)), tuple(map(float, roll.variance)))
        for roll in rolls
        if not roll.left
    }
    return chapter._replace(luck=fortunes)


def attach_pages(server: Server, letters: Sequence[Json], languages: Sequence[str]) -> list[Json]:
    """Return letters with the pages they promise.

    Raises one of TRANSIENT_ERRORS if the database is not available.
    """
    pages: dict[tuple[str, str], Json] = {}
    finished = []
    for letter, language in zip(letters, languages, strict=True):
        blocks = letter["blocks"]
        if any(_promises(block) for block in blocks):
            blocks = [
                _page_block(server, letter["game"], language, pages) if _promises(part) else part for part in blocks
            ]
        finished.append({**letter, "blocks": blocks})
    return finished


def _promises(block: Json) -> bool:
    return not isinstance(block, str) and revealed_orders.PAGE in block


def _page_block(server: Server, game: str, language: str, pages: dict[tuple[str, str], Json]) -> Json:
    """Return the block with its page, or with the reason for having none."""
    if (game, language) not in pages:
        try:
            pages[game, language] = _make_page(server, game, language)
        except TRANSIENT_ERRORS:
            raise
        except Exception:
            # Whatever is wrong with the page, the letter must not be lost.
            log.exception("the page of a game cannot be made", game=game)
            pages[game, language] = _sentences_block(_FAILED)
    return pages[game, language]


def _make_page(server: Server, game: str, language: str) -> Json:
    if server.plugins.stories is None:
        raise LookupError("nobody binds pages any more")
    with server.reading() as tx:
        gathered = gather_archive_input(tx, game)
    name, text = server.plugins.stories.bind(make_archive_chronicle(server, gathered, LUCK_BUDGET), language)
    if len(text) > MOST_PAGE_OCTETS:
        return _sentences_block(_LARGE)
    return {**_sentences_block(*revealed_orders.PAGE_LINES), "files": [[name, text]]}


def _sentences_block(*lines: Msg) -> Json:
    return content.sentence_block(revealed_orders.PAGE_TITLE, [(0, line) for line in lines])


_FAILED = msg("It could not be made; the operator can read why in the log.")
_LARGE = msg("It is too large for a letter: ask whoever runs the server for it (pbem archive).")
