"""Write the site of a server: pages of games and tournaments, lists and feeds.

It only has games whose players agreed to that. The folder contains `pbem-site.json`, which lists our files: other
files in the folder are not touched, and a folder with another site's list is refused. Only changed files are
written. Every file is replaced in one step, so that a web server may serve the folder at any time.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.cli.pages import archive_page_of, replace_page_file, say_clean, say_in_language
from pbem.cli.printing import PrintedGame, rules_document
from pbem.cli.rulebooks import game_by_name, playable_rulebooks
from pbem.engine.data.canon import digest
from pbem.engine.data.languages import language_of, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.engine.reasons import refusal_for_others
from pbem.letters.catalogue import capitalize_first, load_catalogue
from pbem.pages.printed.web import Link, to_html
from pbem.pages.site import Card, Item, Site, TournamentEntry, feed_file, index_file, index_page, make_feed
from pbem.pages.tournament import Links, tournament_page
from pbem.play.chapters import ChronicleRefused
from pbem.play.positions import lock_game
from pbem.play.publicity import published_games
from pbem.server.archive_attachments import gather_archive_input, make_archive_chronicle
from pbem.tournaments.page import page_fingerprint, public_tournaments, tournament_sheet

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chapter, Chronicle
    from pbem.engine.data.event_sheet import TournamentSheet
    from pbem.engine.game import AnyGame
    from pbem.play.publicity import PublishedGame
    from pbem.runtime.transaction import Server
    from pbem.server.archive_attachments import ArchiveInput


class TournamentFiles(NamedTuple):
    """The files of a tournament: title, state in each language, and fingerprint."""

    title: str
    over: bool
    stands: dict[str, str]
    mark: str


def tournament_page_file(name: str, language: str, first: str) -> str:
    """Return the file name of a tournament's page.

    The `first` language has the plain name.
    """
    return f"{name}.html" if language == first else f"{name}.{language}.html"


def write_tournament(
    server: Server, name: str, out: Path, surroundings: tuple[str, Collection[str], str], held: str = ""
) -> TournamentFiles | None:
    """Write a tournament's page in each language.

    Return None if `held` is its fingerprint, so that nothing has changed. `surroundings` are the first language,
    the games that have a page beside it, and the file of the list or nothing. Raise OSError if the page cannot be
    written.
    """
    first, games, index = surroundings
    game_pages = sorted(game for game in games if game.startswith(f"{name}-"))
    mark = digest([_tournament_mark(server, name), game_pages, first])
    if mark == held:
        return None
    sheets = _tournament_sheets(server, name)
    stands = {}
    for language, sheet in sheets.items():
        say = partial(say_clean, "", language)
        links = [
            (tournament_page_file(name, other_language, first), other_language, language_of(other_language).name)
            for other_language in supported_languages()
            if other_language != language
        ]
        links += [(index, language, server.settings.domain)] if index else []
        page = tournament_page(sheet, say, language, Links(game_pages, links))
        replace_page_file(out / tournament_page_file(name, language, first), page)
        stands[language] = say(sheet.stands)
    first_sheet = sheets[first]
    return TournamentFiles(first_sheet.title, first_sheet.over, stands, mark)


def _tournament_mark(server: Server, name: str) -> str:
    with server.reading() as tx:
        return page_fingerprint(tx, name)


def _tournament_sheets(server: Server, name: str) -> dict[str, TournamentSheet]:
    """Read a tournament at once, so that the database is free while pages are made."""
    with server.reading() as tx:
        return {language: tournament_sheet(tx, name, language) for language in supported_languages()}


STATE_FILE = "pbem-site.json"
"""The file that records what was written: for each game its fingerprint and its entries in the list and the feeds."""
ROUND = 10
"""Games whose pages are written together while the server runs: each takes about a second."""
_FORM = 1
"""The version of the state file: a file of another version is ignored, and all pages are written again."""


class SiteResult(NamedTuple):
    """The result of writing a site: games shown, written and removed.

    `left` is whether some are still to be written.
    """

    shown: int
    fresh: tuple[str, ...]
    gone: tuple[str, ...]
    left: bool


def write_site(
    server: Server, out: Path, site: Site, most: int = 1 << 30, may_continue: Callable[[], bool] = lambda: True
) -> SiteResult:
    """Update the folder, `most` games at a time, while `may_continue` is True.

    Raise OSError if it cannot be written.
    """
    if not out.is_dir():
        out.mkdir(parents=True)
        # A web server may be somebody else on this machine.
        out.chmod(0o755)
    _claim(out, site)
    stored = _stored_part(out, "games")
    with server.reading() as tx:
        games = published_games(tx)
    fresh: list[str] = []
    # Nobody is to find what is not to be shown any more.
    gone = tuple(name for name in stored if name not in {game.game for game in games})
    for name in gone:
        (out / f"{name}.html").unlink(missing_ok=True)
        del stored[name]
    stale = [game for game in games if stored.get(game.game, {}).get("mark") != game.mark]
    for game in stale[:most]:
        if not may_continue():
            break
        stored[game.game] = _write_game(server, out, game, site)
        fresh.append(game.game)
    events, changed = _write_tournaments(server, out, site, frozenset(stored), may_continue)
    if fresh or gone or changed or not (out / index_file(site, site.language)).is_file():
        _write_lists(out, site, stored, events)
        event_records = {name: files._asdict() for name, files in events.items()}
        _store_state(out, stored, event_records)
    return SiteResult(len(games), tuple(fresh), gone, len(stale) > len(fresh))


def _claim(out: Path, site: Site) -> None:
    """Mark a folder as the site's; raise FileExistsError if it is another's."""
    if (out / STATE_FILE).exists():
        return
    for name in (index_file(site, language) for language in supported_languages()):
        if (out / name).exists():
            raise FileExistsError(errno.EEXIST, f"its {name} is not of a site: name another folder")
    # Whoever is killed before all of it is there finds it his own.
    _store_state(out, {}, {})


def _store_state(out: Path, games: Mapping[str, object], events: Mapping[str, object]) -> None:
    replace_page_file(out / STATE_FILE, json.dumps({"form": _FORM, "games": games, "events": events}, sort_keys=True))


def update_site_beside_server(out: Path, site: Site, server: Server, goes_on: Callable[[], bool]) -> None:
    """Update the folder beside a running server, some games at a time."""
    write_site(server, out, site, ROUND, goes_on)


def _write_tournaments(
    server: Server, out: Path, site: Site, games: frozenset[str], may_continue: Callable[[], bool]
) -> tuple[dict[str, TournamentFiles], bool]:
    """Write the changed tournament pages; return all files and if any changed.

    It goes on as long as `may_continue` returns True.
    """
    with server.reading() as tx:
        public = public_tournaments(tx)
    before = {name: TournamentFiles(**record) for name, record in _stored_part(out, "events").items()}
    files: dict[str, TournamentFiles] = {}
    changed = False
    paged = {name for name in games if (out / f"{name}.html").is_file()}
    for name in public:
        if not may_continue():
            files |= {name: before[name]} if name in before else {}
            continue
        mark = before[name].mark if name in before and (out / f"{name}.html").is_file() else ""
        written = write_tournament(server, name, out, (site.language, paged, index_file(site, site.language)), mark)
        changed = changed or written is not None
        files[name] = written or before[name]
    return files, changed


def _stored_part(out: Path, key: str) -> dict[str, Any]:
    """Return the part of the state file under a key; empty if unreadable."""
    try:
        state = json.loads((out / STATE_FILE).read_text("utf-8"))
        return dict(state.get(key, {})) if state["form"] == _FORM else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Whatever is wrong with the file, it only costs that all pages are written again.
        return {}


class _GameRead(NamedTuple):
    """A game as read: rules, sides of its seats, and its data if it has a page."""

    rules: AnyGame
    sides: Mapping[str, str]
    story: ArchiveInput | None


def _read_game(server: Server, published: PublishedGame, paged: bool) -> _GameRead:
    """Read a game at once, so that the database is free while its page is made."""
    gathered = None
    with server.reading() as tx:
        game = lock_game(tx.session, published.game)
        rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
        if paged:
            with suppress(ChronicleRefused):
                gathered = gather_archive_input(tx, published.game)
    return _GameRead(rules, rules.seats(rules.start(edition)), gathered)


def _write_game(server: Server, out: Path, published: PublishedGame, site: Site) -> dict[str, Any]:
    """Write the page of a game if it has one; return its part of the state file."""
    # The list has its name.
    read = _read_game(
        server, published, not published.hidden and f"{published.game}.html" != index_file(site, site.language)
    )
    chronicle = None if read.story is None else make_archive_chronicle(server, read.story)
    path = out / f"{published.game}.html"
    if chronicle is None:
        path.unlink(missing_ok=True)
    else:
        rulebook = [_rules_file(read.rules.name, site, language) for language in supported_languages()]
        replace_page_file(path, archive_page_of(chronicle, site.language, rulebook if _has_book(read.rules) else ()))
    cards = {language: _card(read, published, chronicle, language) for language in supported_languages()}
    return {"mark": published.mark, "cards": {language: _card_record(card) for language, card in cards.items()}}


def _card(read: _GameRead, published: PublishedGame, chronicle: Chronicle | None, language: str) -> Card:
    """Return a game's card in a language."""
    rules = read.rules
    say = partial(say_clean, rules.name, language)
    players = tuple(
        " ".join(say(msg("{side}: {name}", side=rules.telling.side(read.sides[seat]), name=name)).split())
        for seat, name in published.names.items()
    )
    title = say(rules.telling.report(chronicle.start, chronicle.seat, ()).title) if chronicle else say(rules.title)
    chapters = chronicle.chapters if chronicle else ()
    last = chapters[-1].turn if chapters else 0
    progress = msg("over after turn {turn}", turn=last) if published.over else msg("turn {turn}", turn=last)
    items = tuple(_items(chronicle, published, rules, say, language)) if chronicle else ()
    return Card(
        published.game,
        title,
        players,
        say(progress) if chronicle else "",
        published.began,
        published.over,
        published.hidden,
        chronicle is not None,
        items,
    )


def _items(
    chronicle: Chronicle, published: PublishedGame, rules: object, say: Callable[[Msg], str], language: str
) -> Iterator[Item]:
    """Return the feed items: each phase as far as it was public when it closed."""
    for chapter in chronicle.chapters:
        if chapter.name in published.closed:
            yield Item(
                chapter.name,
                published.closed[chapter.name],
                _phase_title(chronicle, chapter, language),
                _lines(chronicle, chapter, rules, say),
            )


def _phase_title(chronicle: Chronicle, chapter: Chapter, language: str) -> str:
    return capitalize_first(load_catalogue(language, chronicle.rules).phase(chapter.name))


def _lines(chronicle: Chronicle, chapter: Chapter, rules: Any, say: Callable[[Msg], str]) -> tuple[str, ...]:
    """Return a phase's report for everybody: summary, then happenings by number."""
    report = rules.telling.report(chapter.after, chronicle.seat, chapter.seen)
    happened = (
        f"#{number} {say(refusal_for_others(entry.text))}" for number, entry in enumerate(report.entries, report.first)
    )
    return (*(say(refusal_for_others(line)) for line in report.summary), *happened)


def _write_lists(out: Path, site: Site, stored: dict[str, Any], events: Mapping[str, TournamentFiles]) -> None:
    for language in supported_languages():
        cards = [
            _card_from(record["cards"].get(language) or record["cards"]["en"]) for _, record in sorted(stored.items())
        ]
        say = partial(say_in_language, "", language)
        named = site._replace(title=site.title or say(msg("Games by mail")))
        tournaments = [_tournament_entry(name, files, site, language) for name, files in events.items()]
        rules = _write_rules(out, site, language)
        replace_page_file(
            out / index_file(site, language), index_page(named, (cards, tournaments), say, language, rules)
        )
        replace_page_file(out / feed_file(site, language), make_feed(named, cards, language))


def _has_book(game: AnyGame) -> bool:
    """Return whether a game has the full text of its rules."""
    first = next(iter(game.rulebook.contents("en")), "")
    return bool(first and game.rulebook.full_text(first.split()[0]))


def _rules_file(name: str, site: Site, language: str) -> str:
    return tournament_page_file(f"rules-{name}", language, site.language)


def _write_rules(out: Path, site: Site, language: str) -> list[tuple[str, str]]:
    """Write each game's rulebook, if it has one; return files and titles."""
    written = []
    for name, game in playable_rulebooks():
        if not _has_book(game):
            continue
        links = [
            (_rules_file(name, site, other_language), other_language, language_of(other_language).name)
            for other_language in supported_languages()
            if other_language != language
        ]
        links.append((index_file(site, language), language, site.domain))
        file = _rules_file(name, site, language)
        page, title = _rules_page(name, language, tuple(links))
        replace_page_file(out / file, page)
        written.append((file, title))
    return written


@lru_cache(maxsize=64)
def _rules_page(name: str, language: str, links: tuple[Link, ...]) -> tuple[str, str]:
    """Return a game's rulebook as a page, and its title; making one takes seconds."""
    document = rules_document(PrintedGame(game_by_name(name), load_catalogue(language, name)))
    return to_html(document, links), document.title


def _tournament_entry(name: str, files: TournamentFiles, site: Site, language: str) -> TournamentEntry:
    stands = files.stands.get(language, files.stands["en"])
    return TournamentEntry(name, tournament_page_file(name, language, site.language), files.title, stands, files.over)


def _card_record(card: Card) -> dict[str, Any]:
    items = [{**item._asdict(), "at": item.at.isoformat()} for item in card.items]
    return {**card._asdict(), "began": card.began.isoformat(), "items": items}


def _card_from(record: dict[str, Any]) -> Card:
    parse_moment = datetime.fromisoformat
    items = tuple(
        Item(row["name"], parse_moment(row["at"]), row["title"], tuple(row["lines"])) for row in record["items"]
    )
    return Card(
        **{**record, "players": tuple(record["players"]), "began": parse_moment(record["began"]), "items": items}
    )
