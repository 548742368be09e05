"""Make the page of a server's status: troubles, mail, backup and games.

Everybody may read it. It is made of counts, moments and our own words; of games it names those alone whose players
let them be shown, by the names that the site gives them, and their seats. No player is named, nor any address.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from pbem import __version__
from pbem.cli.alerts import SENTENCES
from pbem.cli.metrics import ServerFigures
from pbem.engine.data.messages import Msg, plain_english
from pbem.mail.address import strike_tokens
from pbem.pages.binder import COMMON, Page, bind, escape_text, read_files
from pbem.pages.site import FOLDER, Site
from pbem.play.game_standing import standing_of
from pbem.play.positions import game_titles
from pbem.play.publicity import published_games
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables

MOST_GAMES = 50
"""Games that are listed one by one: for each its position is read."""
_CSS = """
table { width: 100%; border-collapse: collapse; }
th { font-weight: normal; text-align: left; color: var(--soft); padding: .35rem .8rem .35rem 0; width: 45%; }
th, td { border-top: 1px solid var(--line); vertical-align: top; }
td { padding: .35rem 0; }
.alarm { border-color: var(--alarm); color: var(--alarm); }
"""
_REFRESH = '\n<meta http-equiv="refresh" content="60">'


def make_status_page(server: Server, figures: ServerFigures, site: Site) -> str:
    """Return the page, as a file without requests."""
    with server.reading(figures.now) as tx:
        games = "".join(_game_lines(tx, figures.now))
    title = escape_text(f"{site.title or 'Games by mail'}: status")
    link = (
        f'<a href="{escape_text(site.address)}">{escape_text(site.title or site.address)}</a>' if site.address else ""
    )
    markup = {
        "language": "en",
        "title": title,
        "feed": _REFRESH,
        "lead": escape_text(f"{_moment(figures.now)}, pbem {__version__}"),
        "parts": _troubles(figures) + _figures_table(figures) + games,
        "links": link,
    }
    css = read_files(COMMON, ["base.css"]) + read_files(FOLDER, ["site.css"]) + _CSS
    return strike_tokens(bind(Page(read_files(COMMON, ["list.html"]), css, "", {}, markup)))


def _troubles(figures: ServerFigures) -> str:
    if not figures.troubles:
        return '<section class="card">All is well.</section>'
    lines = "".join(f"<li>{escape_text(SENTENCES.get(word, word))}</li>" for word in figures.troubles)
    return f'<section class="card alarm"><h2>It needs a person</h2><ul>{lines}</ul></section>'


def _figures_table(figures: ServerFigures) -> str:
    health, now = figures.health, figures.now
    oldest = f", the oldest for {_span(now - health.oldest)}" if health.oldest else ""
    rows = {
        "Running for": _span(now - figures.started),
        "Last look into the mailbox": _ago(health.polled, now),
        "Last letter taken in": _ago(figures.last_letter, now, "none since the start"),
        "Letters to take in": str(figures.waiting),
        "Letters to send": f"{health.queued}{oldest}",
        "Letters given up": str(health.failed),
        "Last backup": _ago(figures.last_backup, now),
        "Games": ", ".join(f"{count} {state}" for state, count in sorted(health.games.items())) or "none",
    }
    lines = "".join(
        f'<tr><th scope="row">{escape_text(name)}</th><td>{escape_text(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f'<section class="card"><h2>Server</h2><table>{lines}</table></section>'


def _game_lines(tx: Transaction, now: datetime) -> Iterator[str]:
    """Yield the section of the games that are shown, those over left out."""
    shown = [game for game in published_games(tx) if not game.over]
    if not shown:
        return
    yield '<section class="card"><h2>Games that may be shown</h2><ul>'
    for published in shown[:MOST_GAMES]:
        game = queries.games.game(tx.session, published.game)
        if game is not None:
            name = escape_text(f"{': '.join(_english(part) for part in game_titles(tx.server, game))} ({game.id})")
            yield f'<li><b>{name}</b><br><span class="soft">{escape_text(_standing(tx, game))}</span></li>'
    if len(shown) > MOST_GAMES:
        yield f"<li>and {len(shown) - MOST_GAMES} more</li>"
    yield "</ul></section>"


def _standing(tx: Transaction, game: tables.Game) -> str:
    standing = standing_of(tx, game)
    if standing.state == "held":
        return "held"
    if standing.waits is not None:
        return f"turn {standing.turn}: {plain_english(standing.waits)}"
    awaited = f"awaited: {', '.join(standing.missing)}" if standing.missing else "all orders are in"
    until = f", until {_moment(standing.deadline)}" if standing.deadline else ""
    return f"turn {standing.turn}, {awaited}{until}"


def _english(name: Msg | str) -> str:
    return plain_english(name) if isinstance(name, Msg) else name


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _ago(moment: datetime | None, now: datetime, never: str = "never") -> str:
    return never if moment is None else f"{_span(now - moment)} ago"


def _span(span: timedelta) -> str:
    """Return a time in its largest units: ``3 days``, ``2 h``, ``5 min``, ``40 s``."""
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
