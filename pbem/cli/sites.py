"""Write the site of a server: a page a game that its players let be shown, a page a tournament, lists and feeds.

The folder holds `pbem-site.json`, in which stands what of it is ours: nothing else in it is touched, and a folder with
another's list is refused. Only what changed is written. Every file is written beside itself and put in its place whole,
so that a web server may serve the folder at any time.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.cli.pages import page_of, put, say_clean, says
from pbem.cli.printing import Desk, booklet
from pbem.cli.rulebooks import playable
from pbem.engine.data.canon import digest
from pbem.engine.data.languages import known, language_of
from pbem.engine.data.messages import Msg, msg
from pbem.engine.reasons import of_others
from pbem.letters.catalogue import capital, load
from pbem.pages.contest import Way, contest_page
from pbem.pages.printed.web import to_html
from pbem.pages.site import Card, Contest, Item, Site, feed, feed_of, index_of, index_page
from pbem.play.chapters import NoChronicle
from pbem.play.positions import lock_game
from pbem.play.publicity import published_games
from pbem.server.archive_attachments import gather, story
from pbem.tournaments.page import page_fingerprint, public_tournaments, tournament_sheet

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chapter, Chronicle
    from pbem.engine.data.event_sheet import EventSheet
    from pbem.engine.game import AnyGame
    from pbem.play.publicity import PublishedGame
    from pbem.runtime.transaction import Server
    from pbem.server.archive_attachments import Story


class EventFiles(NamedTuple):
    """What was written of a tournament: its title, how it stands in each language, and what it was made from."""

    title: str
    over: bool
    stands: dict[str, str]
    mark: str


def file_of(name: str, language: str, first: str) -> str:
    """Return the file of a tournament's page in a language; the one that is met `first` has the plain name."""
    return f"{name}.html" if language == first else f"{name}.{language}.html"


def write_event(
    server: Server, name: str, out: Path, place: tuple[str, Collection[str], str], held: str = ""
) -> EventFiles | None:
    """Write the page of a tournament in each language, and return what was written; None if `held` is its mark.

    `place` are the language that is met first, the games that have a page beside it, and the file of the list or
    nothing. OSError if it cannot be written.
    """
    first, games, index = place
    there = sorted(one for one in games if one.startswith(f"{name}-"))
    mark = digest([_event_mark(server, name), there, first])
    if mark == held:
        return None
    told = _event_sheets(server, name)
    stands = {}
    for language, sheet in told.items():
        say = partial(say_clean, "", language)
        links = [(file_of(name, one, first), one, language_of(one).name) for one in known() if one != language]
        links += [(index, language, server.settings.domain)] if index else []
        page = contest_page(sheet, say, language, Way(there, links))
        put(out / file_of(name, language, first), page)
        stands[language] = say(sheet.stands)
    one = told[first]
    return EventFiles(one.title, one.over, stands, mark)


def _event_mark(server: Server, name: str) -> str:
    with server.reading() as tx:
        return page_fingerprint(tx, name)


def _event_sheets(server: Server, name: str) -> dict[str, EventSheet]:
    """Read a tournament, so that the database is free again while its pages are made."""
    with server.reading() as tx:
        return {language: tournament_sheet(tx, name, language) for language in known()}


HELD = "pbem-site.json"
"""The file that says what was written: by game its mark, and what stands of it in the list and in the feeds."""
ROUND = 10
"""Games whose pages are written at once while the server runs: each takes about a second."""
_FORM = 1


class Written(NamedTuple):
    """How many games are shown, whose pages were written now, whose were taken away, and whether any are left to do."""

    shown: int
    fresh: tuple[str, ...]
    gone: tuple[str, ...]
    left: bool


def write_site(
    server: Server, out: Path, site: Site, most: int = 1 << 30, on: Callable[[], bool] = lambda: True
) -> Written:
    """Bring the folder up to date, `most` games at a time, as long as it is to go `on`.

    OSError if it cannot be written.
    """
    if not out.is_dir():
        out.mkdir(parents=True)
        # A web server may be somebody else on this machine.
        out.chmod(0o755)
    _claim(out, site)
    held = _kept_in(out, "games")
    with server.reading() as tx:
        games = published_games(tx)
    fresh: list[str] = []
    # Nobody is to find what is not to be shown any more.
    gone = tuple(name for name in held if name not in {one.game for one in games})
    for name in gone:
        (out / f"{name}.html").unlink(missing_ok=True)
        del held[name]
    stale = [one for one in games if held.get(one.game, {}).get("mark") != one.mark]
    for one in stale[:most]:
        if not on():
            break
        held[one.game] = _write_game(server, out, one, site)
        fresh.append(one.game)
    events, changed = _write_events(server, out, site, frozenset(held), on)
    if fresh or gone or changed or not (out / index_of(site, site.language)).is_file():
        _write_lists(out, site, held, events)
        kept = {name: one._asdict() for name, one in events.items()}
        _hold(out, held, kept)
    return Written(len(games), tuple(fresh), gone, len(stale) > len(fresh))


def _claim(out: Path, site: Site) -> None:
    """Make a folder the site's; FileExistsError if it has a list that something else has put there."""
    if (out / HELD).exists():
        return
    for name in (index_of(site, language) for language in known()):
        if (out / name).exists():
            raise FileExistsError(errno.EEXIST, f"its {name} is not of a site: name another folder")
    # Whoever is killed before all of it is there finds it his own.
    _hold(out, {}, {})


def _hold(out: Path, games: Mapping[str, object], events: Mapping[str, object]) -> None:
    put(out / HELD, json.dumps({"form": _FORM, "games": games, "events": events}, sort_keys=True))


def keep_site(out: Path, site: Site, server: Server, goes_on: Callable[[], bool]) -> None:
    """Bring the folder up to date beside the letters of a server that runs, some games at a time."""
    write_site(server, out, site, ROUND, goes_on)


def _write_events(
    server: Server, out: Path, site: Site, games: frozenset[str], on: Callable[[], bool]
) -> tuple[dict[str, EventFiles], bool]:
    """Write the pages of tournaments that changed, as long as it is to go `on`; return what is written of all, and
    whether any was now."""
    with server.reading() as tx:
        there = public_tournaments(tx)
    before = {name: EventFiles(**one) for name, one in _kept_in(out, "events").items()}
    found: dict[str, EventFiles] = {}
    changed = False
    paged = {name for name in games if (out / f"{name}.html").is_file()}
    for name in there:
        if not on():
            found |= {name: before[name]} if name in before else {}
            continue
        mark = before[name].mark if name in before and (out / f"{name}.html").is_file() else ""
        written = write_event(server, name, out, (site.language, paged, index_of(site, site.language)), mark)
        changed = changed or written is not None
        found[name] = written or before[name]
    return found, changed


def _kept_in(out: Path, key: str) -> dict[str, Any]:
    """What was written before; nothing if that cannot be told."""
    try:
        found = json.loads((out / HELD).read_text("utf-8"))
        return dict(found.get(key, {})) if found["form"] == _FORM else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


class _Read(NamedTuple):
    """What was read of a game: its rules, the sides of its seats, and how it went if that is to be told."""

    rules: AnyGame
    sides: Mapping[str, str]
    story: Story | None


def _read_game(server: Server, one: PublishedGame, paged: bool) -> _Read:
    """Read a game, so that the database is free again while its page is made."""
    found = None
    with server.reading() as tx:
        game = lock_game(tx.session, one.game)
        rules, edition = tx.server.rules_of(game), tx.server.edition_of(tx.session, game)
        if paged:
            with suppress(NoChronicle):
                found = gather(tx, one.game)
    return _Read(rules, rules.seats(rules.start(edition)), found)


def _write_game(server: Server, out: Path, one: PublishedGame, site: Site) -> dict[str, Any]:
    """Write the page of a game if it has one, and return what is kept of it."""
    # The list has its name.
    read = _read_game(server, one, not one.hidden and f"{one.game}.html" != index_of(site, site.language))
    told = None if read.story is None else story(server, read.story)
    path = out / f"{one.game}.html"
    if told is None:
        path.unlink(missing_ok=True)
    else:
        put(path, page_of(told, site.language))
    cards = {language: _card(read, one, told, language) for language in known()}
    return {"mark": one.mark, "cards": {language: _kept(card) for language, card in cards.items()}}


def _card(read: _Read, one: PublishedGame, told: Chronicle | None, language: str) -> Card:
    """A game in a language."""
    rules = read.rules
    say = partial(say_clean, rules.name, language)
    players = tuple(
        " ".join(say(msg("{side}: {name}", side=rules.telling.side(read.sides[seat]), name=name)).split())
        for seat, name in one.names.items()
    )
    title = say(rules.telling.report(told.start, told.seat, ()).title) if told else say(rules.title)
    chapters = told.chapters if told else ()
    last = chapters[-1].turn if chapters else 0
    stands = msg("over after turn {turn}", turn=last) if one.over else msg("turn {turn}", turn=last)
    items = tuple(_items(told, one, rules, say, language)) if told else ()
    return Card(
        one.game, title, players, say(stands) if told else "", one.began, one.over, one.hidden, told is not None, items
    )


def _items(
    told: Chronicle, one: PublishedGame, rules: object, say: Callable[[Msg], str], language: str
) -> Iterator[Item]:
    """What happened, phase by phase, as far as it is known when each closed."""
    for chapter in told.chapters:
        if chapter.name in one.closed:
            yield Item(
                chapter.name,
                one.closed[chapter.name],
                _called(told, chapter, language),
                _lines(told, chapter, rules, say),
            )


def _called(told: Chronicle, chapter: Chapter, language: str) -> str:
    return capital(load(language, told.rules).phase(chapter.name))


def _lines(told: Chronicle, chapter: Chapter, rules: Any, say: Callable[[Msg], str]) -> tuple[str, ...]:
    """The report of a phase for everybody: what came of it, then each happening by its number."""
    report = rules.telling.report(chapter.after, told.seat, chapter.seen)
    happened = (f"#{number} {say(of_others(entry.text))}" for number, entry in enumerate(report.entries, report.first))
    return (*(say(of_others(line)) for line in report.summary), *happened)


def _write_lists(out: Path, site: Site, held: dict[str, Any], events: Mapping[str, EventFiles]) -> None:
    for language in known():
        cards = [_read(kept["cards"].get(language) or kept["cards"]["en"]) for _, kept in sorted(held.items())]
        say = partial(says, "", language)
        named = site._replace(title=site.title or say(msg("Games by mail")))
        shown = [_listed(name, one, site, language) for name, one in events.items()]
        rules = _write_rules(out, site, language)
        put(out / index_of(site, language), index_page(named, (cards, shown), say, language, rules))
        put(out / feed_of(site, language), feed(named, cards, language))


def _write_rules(out: Path, site: Site, language: str) -> list[tuple[str, str]]:
    """Write the rulebook of each game that has one; return the files, and what each is called."""
    found = []
    for name, game in playable():
        first = next(iter(game.rulebook.contents(language)), "")
        if not first or not game.rulebook.full_text(first.split()[0], language):
            continue
        file = partial(file_of, f"rules-{name}", first=site.language)
        links = [(file(language=one), one, language_of(one).name) for one in known() if one != language]
        links.append((index_of(site, language), language, site.domain))
        document = booklet(Desk(game, load(language, name)))
        put(out / file(language=language), to_html(document, links))
        found.append((file(language=language), document.title))
    return found


def _listed(name: str, one: EventFiles, site: Site, language: str) -> Contest:
    stands = one.stands.get(language, one.stands["en"])
    return Contest(name, file_of(name, language, site.language), one.title, stands, one.over)


def _kept(card: Card) -> dict[str, Any]:
    items = [{**item._asdict(), "at": item.at.isoformat()} for item in card.items]
    return {**card._asdict(), "began": card.began.isoformat(), "items": items}


def _read(kept: dict[str, Any]) -> Card:
    at = datetime.fromisoformat
    items = tuple(Item(row["name"], at(row["at"]), row["title"], tuple(row["lines"])) for row in kept["items"])
    return Card(**{**kept, "players": tuple(kept["players"]), "began": at(kept["began"]), "items": items})
