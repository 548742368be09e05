"""Desks of positions that bots came to, and what the page makes of them in a real browser."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from pbem.cli.pages import desk_json, page_words
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.canon import Json
from pbem.engine.parts import FormTerms
from pbem.engine.run.odds import StepBudget
from pbem.pages.desk import desk_page
from pbem.pages.desk.data import LetterTarget
from pbem.runtime.page_makers import DeskRequest

SENT = LetterTarget("pbem+g1-spain-abcdefgh234567ab@games.example", "g1 T3", 3, "k7q2")

FRAME = """() => {
  const [frame, map] = [$("map"), view.svg.getBoundingClientRect()];
  const box = frame.getBoundingClientRect();
  return { zoom: view.zoom, at: [frame.scrollLeft, frame.scrollTop],
    band: Math.max(box.width - map.width, box.height - map.height),
    cut: Math.max(map.width - box.width, map.height - box.height), bottom: box.bottom };
}"""
"""How the map lies in its frame: the largest band beside it, and the most that is cut off."""


def desk_of(
    game: str,
    state: Any,
    seat: str,
    language: str = "en",
    sent: LetterTarget = SENT,
    odds: int = 0,
    begun: bool = False,
) -> Json:
    """The data of a seat's desk; with `odds` so many steps are spent on what its attacks are worth."""
    terms = FormTerms(begun, StepBudget(odds) if odds else None)
    view = game_by_name(game).view(state, seat)
    return desk_json(DeskRequest(game, view, seat, language, sent.address, sent.subject, sent.turn, sent.code, terms))


@cache
def castillejos() -> Json:
    """The desk of Spain before the first phase."""
    return desk_of("africa1860", begun("africa1860", "castillejos"), "spain")


@cache
def barrosa() -> Json:
    """The desk of the French before the first phase, in the training for that battle."""
    return desk_of("peninsular", begun("peninsular", "training"), "french")


def begun(game: str, scenario: str) -> Any:
    """The position before the first phase."""
    rules = game_by_name(game)
    return rules.start(rules.edition(scenario, {}, {}))


def written(folder: Path, data: Json | None) -> str:
    """The page as a file, and its address."""
    path = folder / "desk.html"
    path.write_text(desk_page(page_words(), data), "utf-8")
    return path.as_uri()


class Reader:
    """Somebody with the page open. Whatever goes wrong in it, or leaves it, is kept."""

    def __init__(self, browser: Browser, address: str, **more: Any) -> None:
        self.context: BrowserContext = browser.new_context(**more)
        self.tab: Page = self.context.new_page()
        self.tab.set_default_timeout(5000)
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.refused = False
        self.address = address
        self.tab.on("pageerror", lambda wrong: self.faults.append(str(wrong)))
        self.tab.on("console", lambda line: self.faults.append(line.text))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.goto(address)

    def block(self) -> str:
        """The block as it stands on the page."""
        return self.tab.locator("#block").input_value()

    def close(self) -> None:
        """Nothing went wrong, nothing was asked for but the page, and nothing scrolls aside.

        Where something was `refused` by the page's policy, the browser says that and no more.
        """
        aside = self.tab.evaluate("document.documentElement.scrollWidth > innerWidth")
        self.context.close()
        kept = [fault for fault in self.faults if self.refused and "Content Security Policy" in fault]
        assert self.faults == kept
        assert self.asked == [self.address]
        assert not aside
