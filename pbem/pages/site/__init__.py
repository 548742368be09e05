"""Make the public list of a server's games, and a feed (RFC 4287).

Both are made of cards, one a game, and know nothing else. They link to the pages of `pbem.pages.archive`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from pbem.engine.data.languages import language_of, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, escape_text, read_files

FOLDER = Path(__file__).parent
MOST_ITEMS = 60
"""The most items of a feed: the newest ones are kept. A choice: a reader loads all of them again at each change."""
Say = Callable[[Msg], str]
_ATOM = "http://www.w3.org/2005/Atom"


class Item(NamedTuple):
    """An event of a game: name there (``T2.spain``), time, title, lines."""

    name: str
    at: datetime
    title: str
    lines: tuple[str, ...] = ()


class Card(NamedTuple):
    """A game in one language: name, title, players, state, events.

    `paged` is True if the game has a page; a `hidden` game has none before it is over.
    """

    game: str
    title: str
    players: tuple[str, ...]
    stands: str
    began: datetime
    over: bool = False
    hidden: bool = False
    paged: bool = False
    items: tuple[Item, ...] = ()


class TournamentEntry(NamedTuple):
    """A tournament in one language: name, file, title, state, whether it has ended."""

    event: str
    file: str
    title: str
    stands: str
    over: bool = False


class Site(NamedTuple):
    """The site: title, mail domain for names, URL if known, first language."""

    title: str
    domain: str
    address: str = ""
    language: str = "en"


def index_file(site: Site, language: str) -> str:
    """Return the file of the list in a language."""
    return "index.html" if language == site.language else f"index.{language}.html"


def feed_file(site: Site, language: str) -> str:
    """Return the file of the feed in a language."""
    return "feed.xml" if language == site.language else f"feed.{language}.xml"


def index_page(
    site: Site,
    entries: tuple[Sequence[Card], Sequence[TournamentEntry]],
    say: Say,
    language: str,
    rules: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the list of tournaments and games as a page.

    Those under way come before those over. The newest games come first. `rules` are the files of rulebooks,
    and their names.
    """
    cards, tournaments = entries
    others = "".join(
        f' <a href="{index_file(site, code)}" hreflang="{code}" lang="{code}">{escape_text(language_of(code).name)}</a>'
        for code in supported_languages()
        if code != language
    )
    # Each list with the latest news first.
    under_way, over = ([card for card in cards if card.over is is_over] for is_over in (False, True))
    parts = (
        _tournament_section(say(msg("Tournaments")), tournaments),
        _section(say(msg("Games that go on")), sorted(under_way, key=_latest_key, reverse=True), say),
        _section(say(msg("Games that are over")), sorted(over, key=_latest_key, reverse=True), say),
    )
    markup = {
        "language": language,
        "title": escape_text(site.title),
        "feed": f'\n<link rel="alternate" type="application/atom+xml" href="{feed_file(site, language)}" '
        f'title="{escape_text(site.title)}">',
        "lead": escape_text(say(_LEAD)),
        "parts": "".join(parts) or f"<p>{escape_text(say(msg('No game is shown here yet.')))}</p>",
        "links": f'<a href="{feed_file(site, language)}">{escape_text(say(msg("Feed of reports (Atom)")))}</a>'
        + "".join(f' <a href="{escape_text(file)}">{escape_text(title)}</a>' for file, title in rules)
        + others,
    }
    css = read_files(COMMON, ["base.css"]) + read_files(FOLDER, ["site.css"])
    return bind(Page(read_files(COMMON, ["list.html"]), css, "", {}, markup))


_LEAD = msg(
    "Games played by mail on this server whose players let them be shown. Every page is one file that holds the whole "
    "game: step by step on the map, with its dice and rules."
)


def _latest_key(card: Card) -> tuple[datetime, str]:
    return max((item.at for item in card.items), default=card.began), card.game


def _section(title: str, cards: Sequence[Card], say: Say) -> str:
    lines = "".join(_card_line(card, say) for card in cards)
    return f'<section class="card"><h2>{escape_text(title)}</h2><ul>{lines}</ul></section>' if cards else ""


def _tournament_section(title: str, tournaments: Sequence[TournamentEntry]) -> str:
    # Those under way come first.
    lines = "".join(
        f'<li><a href="{escape_text(tournament.file)}">{escape_text(f"{tournament.title} ({tournament.event})")}</a>'
        f'<br><span class="soft">{escape_text(tournament.stands)}</span></li>'
        for tournament in sorted(tournaments, key=lambda tournament: (tournament.over, tournament.event))
    )
    return f'<section class="card"><h2>{escape_text(title)}</h2><ul>{lines}</ul></section>' if lines else ""


def _card_line(card: Card, say: Say) -> str:
    title = escape_text(f"{card.title} ({card.game})")
    name = f'<a href="{escape_text(card.game)}.html">{title}</a>' if card.paged else f"<b>{title}</b>"
    texts = [" – ".join(card.players), card.stands]
    if card.hidden:
        texts.append(say(msg("Its positions are shown when it is over.")))
    return f"<li>{name}" + "".join(f'<br><span class="soft">{escape_text(line)}</span>' for line in texts) + "</li>"


def make_feed(site: Site, cards: Sequence[Card], language: str) -> str:
    """Return the feed of events, newest first, as Atom (RFC 4287, RFC 4151)."""
    base = f"{site.address.rstrip('/')}/" if site.address else ""
    Xml.register_namespace("", _ATOM)
    root = _element(None, "feed", {"{http://www.w3.org/XML/1998/namespace}lang": language})
    newest = sorted(((item, card) for card in cards for item in card.items), key=_item_key, reverse=True)[:MOST_ITEMS]
    _element(root, "id", text=f"tag:{site.domain},2024:{language}/feed")
    _element(root, "title", text=site.title)
    _element(root, "updated", text=_atom_time(newest[0][0].at if newest else datetime(2024, 1, 1, tzinfo=UTC)))
    _element(root, "link", {"rel": "self", "href": base + feed_file(site, language)})
    _element(root, "link", {"rel": "alternate", "href": base + index_file(site, language), "type": "text/html"})
    _element(_element(root, "author"), "name", text=site.title)
    for item, card in newest:
        entry = _element(root, "entry")
        _element(entry, "id", text=f"tag:{site.domain},{card.began:%Y-%m-%d}:{language}/{card.game}/{item.name}")
        _element(entry, "title", text=f"{card.title} ({card.game}): {item.title}")
        _element(entry, "updated", text=_atom_time(item.at))
        if card.paged:
            _element(
                entry, "link", {"rel": "alternate", "href": f"{base}{card.game}.html#{item.name}", "type": "text/html"}
            )
        _element(entry, "content", {"type": "text"}, "\n".join(item.lines))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _item_key(entry: tuple[Item, Card]) -> tuple[datetime, str, str]:
    item, card = entry
    return item.at, card.game, item.name


def _atom_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _element(
    parent: Xml.Element | None, name: str, fields: dict[str, str] | None = None, text: str = ""
) -> Xml.Element:
    full = f"{{{_ATOM}}}{name}"
    element = Xml.Element(full, fields or {}) if parent is None else Xml.SubElement(parent, full, fields or {})
    element.text = text or None
    return element
