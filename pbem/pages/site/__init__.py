"""The games of a server for everybody: a list of them, and a feed of what happened in them (RFC 4287).

Both are made of cards, one a game, and know nothing else. What they lead to are the pages of `pbem.pages.archive`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from pbem.engine.data.languages import known, language_of
from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, read, worded_in

FOLDER = Path(__file__).parent
MOST = 60
"""Items of a feed, the newest ones."""
Say = Callable[[Msg], str]
_ATOM = "http://www.w3.org/2005/Atom"


class Item(NamedTuple):
    """Something that happened in a game: its name there, such as ``T2.spain``, when, its title and the lines below."""

    name: str
    at: datetime
    title: str
    lines: tuple[str, ...] = ()


class Card(NamedTuple):
    """A game in one language: its name, its title, who plays what, how it stands, what happened in it.

    `paged` if it has a page; one that is `hidden` has none as long as it goes on.
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


class Contest(NamedTuple):
    """A tournament in one language: its name, its file, its title, how it stands, whether it has ended."""

    event: str
    file: str
    title: str
    stands: str
    over: bool = False


class Site(NamedTuple):
    """What the site is called, the mail domain that names what is on it, its address (URL) if it is known, and in which
    language a visitor meets it first.
    """

    title: str
    domain: str
    address: str = ""
    language: str = "en"


def index_of(site: Site, language: str) -> str:
    """Return the file of the list in a language."""
    return "index.html" if language == site.language else f"index.{language}.html"


def feed_of(site: Site, language: str) -> str:
    """Return the file of the feed in a language."""
    return "feed.xml" if language == site.language else f"feed.{language}.xml"


def index_page(
    site: Site,
    listed: tuple[Sequence[Card], Sequence[Contest]],
    say: Say,
    language: str,
    rules: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the list of tournaments and games as a page: those that go on, then those that are over.

    Games stand with the newest first. `rules` are the files of rulebooks, and what each is called.
    """
    cards, contests = listed
    others = "".join(
        f' <a href="{index_of(site, one)}" hreflang="{one}" lang="{one}">{worded_in(language_of(one).name)}</a>'
        for one in known()
        if one != language
    )
    going, over = ([card for card in cards if card.over is ended] for ended in (False, True))
    parts = (
        _contests(say(msg("Tournaments")), contests),
        _part(say(msg("Games that go on")), sorted(going, key=_newest, reverse=True), say),
        _part(say(msg("Games that are over")), sorted(over, key=_newest, reverse=True), say),
    )
    drawn = {
        "language": language,
        "title": worded_in(site.title),
        "feed": f'\n<link rel="alternate" type="application/atom+xml" href="{feed_of(site, language)}" '
        f'title="{worded_in(site.title)}">',
        "lead": worded_in(say(_LEAD)),
        "parts": "".join(parts) or f"<p>{worded_in(say(msg('No game is shown here yet.')))}</p>",
        "links": f'<a href="{feed_of(site, language)}">{worded_in(say(msg("Feed of reports (Atom)")))}</a>'
        + "".join(f' <a href="{worded_in(file)}">{worded_in(title)}</a>' for file, title in rules)
        + others,
    }
    css = read(COMMON, ["base.css"]) + read(FOLDER, ["site.css"])
    return bind(Page(read(COMMON, ["list.html"]), css, "", {}, drawn))


_LEAD = msg(
    "Games played by mail on this server whose players let them be shown. Every page is one file that holds the whole "
    "game: step by step on the map, with its dice and rules."
)


def _newest(card: Card) -> tuple[datetime, str]:
    return max((one.at for one in card.items), default=card.began), card.game


def _part(title: str, cards: Sequence[Card], say: Say) -> str:
    lines = "".join(_line(card, say) for card in cards)
    return f'<section class="card"><h2>{worded_in(title)}</h2><ul>{lines}</ul></section>' if cards else ""


def _contests(title: str, contests: Sequence[Contest]) -> str:
    lines = "".join(
        f'<li><a href="{worded_in(one.file)}">{worded_in(f"{one.title} ({one.event})")}</a>'
        f'<br><span class="soft">{worded_in(one.stands)}</span></li>'
        for one in sorted(contests, key=lambda one: (one.over, one.event))
    )
    return f'<section class="card"><h2>{worded_in(title)}</h2><ul>{lines}</ul></section>' if lines else ""


def _line(card: Card, say: Say) -> str:
    title = worded_in(f"{card.title} ({card.game})")
    name = f'<a href="{worded_in(card.game)}.html">{title}</a>' if card.paged else f"<b>{title}</b>"
    told = [" – ".join(card.players), card.stands]
    if card.hidden:
        told.append(say(msg("Its positions are shown when it is over.")))
    return f"<li>{name}" + "".join(f'<br><span class="soft">{worded_in(line)}</span>' for line in told) + "</li>"


def feed(site: Site, cards: Sequence[Card], language: str) -> str:
    """Return the feed of what happened, the newest first, as Atom (RFC 4287); names are tag URIs (RFC 4151)."""
    base = f"{site.address.rstrip('/')}/" if site.address else ""
    Xml.register_namespace("", _ATOM)
    root = _element(None, "feed", {"{http://www.w3.org/XML/1998/namespace}lang": language})
    found = sorted(((item, card) for card in cards for item in card.items), key=_order, reverse=True)[:MOST]
    _element(root, "id", text=f"tag:{site.domain},2024:{language}/feed")
    _element(root, "title", text=site.title)
    _element(root, "updated", text=_moment(found[0][0].at if found else datetime(2024, 1, 1, tzinfo=UTC)))
    _element(root, "link", {"rel": "self", "href": base + feed_of(site, language)})
    _element(root, "link", {"rel": "alternate", "href": base + index_of(site, language), "type": "text/html"})
    _element(_element(root, "author"), "name", text=site.title)
    for item, card in found:
        entry = _element(root, "entry")
        _element(entry, "id", text=f"tag:{site.domain},{card.began:%Y-%m-%d}:{language}/{card.game}/{item.name}")
        _element(entry, "title", text=f"{card.title} ({card.game}): {item.title}")
        _element(entry, "updated", text=_moment(item.at))
        if card.paged:
            _element(
                entry, "link", {"rel": "alternate", "href": f"{base}{card.game}.html#{item.name}", "type": "text/html"}
            )
        _element(entry, "content", {"type": "text"}, "\n".join(item.lines))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _order(one: tuple[Item, Card]) -> tuple[datetime, str, str]:
    item, card = one
    return item.at, card.game, item.name


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _element(above: Xml.Element | None, name: str, fields: dict[str, str] | None = None, text: str = "") -> Xml.Element:
    full = f"{{{_ATOM}}}{name}"
    made = Xml.Element(full, fields or {}) if above is None else Xml.SubElement(above, full, fields or {})
    made.text = text or None
    return made
