"""Reports of both games as they are mailed: those of golden turns, with a form to fill in and a map."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pbem.engine.data.messages import msg
from pbem.engine.data.report import Report
from pbem.engine.data.scene import PlacedPicture, alt_text, with_drawn_pictures
from pbem.engine.terms import ONLOOKER
from pbem.letters.content import Letter, LetterHead, titled_block
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from tests.golden import resolved

LETTERS = TextLetters(SENTINEL)
TURNS = {"africa1860": "assaults", "peninsular": "charge"}
ADDRESS = "pbem+ceuta-1-seat-abcdefghijklmnop@games.example"
MAP = PlacedPicture("map1.1@games.example", 720, 560)
_GOLDEN = Path(__file__).resolve().parents[1] / "games"


@cache
def _played(game: str) -> Any:
    return resolved(_GOLDEN / game / "golden" / TURNS[game])


def report_of(game: str, seat: int = 0) -> Report:
    """What a seat is told of the turn, in the order of the seats; -1 is the onlooker."""
    done = _played(game)
    name = ONLOOKER if seat < 0 else tuple(done.game.seats(done.states[-1]))[seat]
    report: Report = done.game.telling.report(done.game.view(done.states[-1], name), name, done.seen(name))
    return report


def letter_of(game: str, language: str, *, asked: bool = True, **parts: Any) -> Any:
    """The letter to the first seat, its map drawn; `asked`, its orders are wanted."""
    done = _played(game)
    seat = next(iter(done.game.seats(done.states[-1])))
    view = done.game.view(done.states[-1], seat)
    wish = msg("Send your orders by {when}.", when="Monday") if asked else msg("Nothing is wanted of you now.")
    form = ["ORDERS T4 #k7q2", *done.game.aids.template(view, seat, language), "END"] if asked else ()
    made = Letter(
        "report",
        LetterHead("ceuta-1", game, done.game.title, seat, done.phase, ADDRESS),
        opening=(wish, msg("Your clock: {used} of {all} hours are used.", used=7, all=99)),
        wanted=1,
        report=report_of(game),
        closing=(msg("The attachment shows every side's orders for this phase."),),
        template=form,
        blocks=(titled_block(msg("Orders"), ["MOVE Saboya, Leon, Vergara, Cuenca, Principe TO Morabito WITH Prim"]),),
        picture={"scene": {}, "edition": "", "alt": alt_text(scene_of(game)).to_json(), "dark": False},
    ).to_json()
    return with_drawn_pictures({**made, **parts}, [MAP])


def scene_of(game: str) -> Any:
    """What the map of the letter shows."""
    done = _played(game)
    seat = next(iter(done.game.seats(done.states[-1])))
    return done.game.pictured.picture(done.game.view(done.states[-1], seat), seat, done.seen(seat))
