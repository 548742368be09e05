"""Show a game as a file to look at: `pbem archive`, `pbem site`, `pbem map`, `pbem print`.

An archive is one page of a game, a site the pages of all games that their players let be shown, a map one picture as a
seat sees it, and a print a turn, a game or a scenario's welcome pack as PDF.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config, GameName, spoken
from pbem.cli.rulebooks import find_game, game_of, registry

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle
    from pbem.letters.catalogue import Catalogue
    from pbem.maps.drawn_on import Style
    from pbem.pages.printed import Document
    from pbem.play.positions import ShownScene

app = typer.Typer()


@app.command()
def archive(
    name: GameName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for NAME.html and index.html.")],
    seat: Annotated[
        str, typer.Option(help="What this seat sees of a game that goes on, under a name that nobody can guess.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="In which language it opens; it has all.")] = "en",
    config: Config = HERE,
) -> None:
    """Write a game as one page: every step of it on the map, with dice, charts, rules and orders.

    While it goes on the page shows what everybody may see; once it is over, everything but addresses and letters.
    """
    from pbem.cli.assembly import opened
    from pbem.cli.database import is_there
    from pbem.cli.pages import page_of, put
    from pbem.cli.sites import HELD
    from pbem.pages.archive.index import INDEX
    from pbem.play.chapters import NoChronicle
    from pbem.runtime import tokens
    from pbem.server.archive_attachments import gather, story

    if f"{name}.html" == INDEX:
        raise Stop(f"{INDEX} is the list of games: a game of that name cannot have a page beside it")
    if not seat and is_there(out / HELD):
        raise Stop(f"{out} is kept by `pbem site`, whose list this would replace: name another folder")
    with opened(config) as server:
        spoken(language)
        try:
            with server.reading() as work:
                found = gather(work, name, seat)
        except NoChronicle as wrong:
            raise Stop(str(wrong)) from None
        told = story(server, found)
        file = tokens.page(server.key, name, seat) if seat else name
    page = page_of(told, language)
    try:
        out.mkdir(parents=True, exist_ok=True)
        put(out / f"{file}.html", page, 0o600 if seat else 0o644)
        if not seat:
            _list_archive(out / INDEX, told, language)
    except OSError as wrong:
        raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    print(out / f"{file}.html")


def _list_archive(path: Path, told: Chronicle, language: str) -> None:
    """Put a game on the list, beside those that are on it and whose pages are there."""
    from pbem.cli.pages import listed, put, says
    from pbem.pages.archive.index import index_page, listed_in

    before = listed_in(path.read_text("utf-8", errors="replace")) if path.is_file() else ()
    kept = [one for one in before if (path.parent / f"{one.game}.html").is_file()]
    put(path, index_page([*kept, listed(told)], lambda said: says("", language, said), language))


@app.command("site")
def write_pages(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder; else that of [site].")
    ] = None,
    config: Config = HERE,
) -> None:
    """Write the games whose players agreed by PUBLISH: a page each, the list of them, and feeds of their reports.

    Only what changed is written. With `folder` under [site] in pbem.toml `pbem serve` does the same by itself.
    """
    from pbem.cli.assembly import opened, settings, site_of
    from pbem.cli.sites import write_site

    read = settings(config)
    folder = out or read.site.folder
    if folder is None:
        raise Stop("where to? Name a folder with --out, or as `folder` under [site] in pbem.toml")
    with opened(read) as server:
        try:
            done = write_site(server, folder, site_of(read))
        except OSError as wrong:
            raise Stop(f"cannot write to {folder}: {wrong.strerror}") from None
    for name in done.fresh:
        print(folder / f"{name}.html")
    for name in done.gone:
        print(f"taken away: {name}")
    if not done.shown:
        print("no game is shown: its players agree to that by PUBLISH ON")


@app.command("map")
def draw_map(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game's name; or fit, before a SCENARIO.")],
    scenario: Annotated[str, typer.Argument(help="With fit: a scenario that is played on the map.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="FILE.svg or FILE.png.")] = None,
    seat: Annotated[str, typer.Option(help="Whose view; without it that of onlookers.")] = "",
    turn: Annotated[int | None, typer.Option(help="After that turn, not after the last phase.")] = None,
    phase: Annotated[str, typer.Option(help="After that phase of it.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    dark: Annotated[bool, typer.Option("--dark", help="For a dark page.")] = False,
    config: Config = HERE,
) -> None:
    """Draw the map of a game as a seat saw it. `pbem map fit SCENARIO` fits the cells of a new map to its edges."""
    from pbem.cli.assembly import opened
    from pbem.play.positions import NoPicture, scene_of

    if scenario:
        if name != "fit":
            raise Stop(f"what is {scenario}? One game is drawn at a time; to fit a map, write: pbem map fit {scenario}")
        _fit_map(scenario)
        return
    if out is None or out.suffix not in (".svg", ".png"):
        raise Stop(f"a picture is written to FILE.svg or FILE.png, not to {out.name if out else 'nowhere'}: use --out")
    with opened(config) as server, server.reading() as work:
        try:
            shown = scene_of(work, name, seat, turn, phase)
        except NoPicture as wrong:
            raise Stop(str(wrong)) from None
    _write_map(out, shown, _map_style(shown, language, dark))
    print(out)


def _map_style(shown: ShownScene, language: str, dark: bool) -> Style:
    """How the reader has it."""
    from pbem.letters.catalogue import load
    from pbem.maps.drawn_on import Style
    from pbem.maps.palette import DARK, LIGHT

    try:
        words = load(language, shown.game)
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    return Style(words.say, words.called.written, DARK if dark else LIGHT)


def _write_map(out: Path, shown: ShownScene, style: Style) -> None:
    """Write what a letter would bring, or the same as SVG."""
    from pbem.maps.drawing import draw
    from pbem.maps.grounds import ready
    from pbem.maps.png import Unavailable, fitted

    scene, ground = shown.scene, ready(shown.ground, shown.scene)
    try:
        made = fitted(scene, ground, style) if out.suffix == ".png" else draw(scene, ground, style).encode()
        out.write_bytes(made)
    except Unavailable as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None


def _fit_map(scenario: str) -> None:
    """Print the sites of a sheet whose cells have the map's edges as borders, and no others; ends with 1 if none do."""
    from pbem.engine.map.sheets import AreaGround, told_apart
    from pbem.engine.map.sheets import fit as fitted

    rules = find_game(game_of(scenario))
    ground = rules.pictured.ground(rules.edition(scenario, {}, {})) if rules.pictured else None
    if not isinstance(ground, AreaGround):
        raise Stop(f"{scenario} is played on no map of areas")
    edges = {frozenset((edge.a, edge.b)) for edge in ground.area.edges}
    sites = fitted(ground.sheet.sites, edges, ground.sheet.box)
    print("[sites]")
    for name, (x, y) in sorted(sites.items()):
        print(f"{name} = [{x:.0f}, {y:.0f}]")
    held = told_apart(ground.sheet._replace(sites=sites), ground.area)
    for what, pairs in (("no border", held.missing), ("a border and no edge", held.false)):
        for pair in sorted(map(sorted, pairs)):
            print(f"# {'-'.join(pair)}: {what}")
    if not held:
        raise typer.Exit(FINDING)


class Printing(NamedTuple):
    """What of a game is to be printed, for whom, on what."""

    name: str
    seat: str
    turn: int | None
    language: str
    paper: str


@app.command("print")
def print_pdf(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server.")] = "",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="FILE.pdf.")] = Path("pbem.pdf"),
    turn: Annotated[int | None, typer.Option(help="That turn alone, not the whole game.")] = None,
    seat: Annotated[str, typer.Option(help="As that seat saw it; without it as onlookers did.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    welcome: Annotated[str, typer.Option(metavar="SCENARIO", help="A scenario for who is new to it.")] = "",
    config: Config = HERE,
) -> None:
    """Write a game, a turn of it or a scenario's welcome pack as PDF, for paper or an archive.

    While a game runs it tells what its seat, or who looks on, has got by letter, and nothing else; once it is over,
    everything, without --seat.
    """
    from pbem.pages.printed import PAPERS, Unavailable, to_pdf

    if bool(name) == bool(welcome):
        raise Stop("what is to be printed? A game of this server by its name, or --welcome SCENARIO")
    if paper not in PAPERS:
        raise Stop(f"paper is {' or '.join(PAPERS)}, not {paper!r}")
    wanted = Printing(name, seat, turn, language, paper)
    made = _welcome_pack(welcome, language, paper) if welcome else _document_of_game(wanted, config)
    try:
        out.write_bytes(to_pdf(made))
    except Unavailable as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None
    print(out)


def _document_of_game(wanted: Printing, config: Path) -> Document:
    """A game of the server, or a turn of it."""
    from pbem.cli.assembly import opened
    from pbem.cli.printing import Desk, game_document
    from pbem.play.chapters import NoChronicle, chronicle, gather

    with opened(config) as server, server.reading() as work:
        try:
            read = gather(work, wanted.name, wanted.seat, own=True)
        except NoChronicle as wrong:
            raise Stop(str(wrong)) from None
    told = chronicle(read)
    if wanted.turn is not None and all(one.turn != wanted.turn for one in told.chapters):
        raise Stop(f"nothing of turn {wanted.turn} is over in {wanted.name}")
    desk = Desk(registry(told.rules), _catalogue(wanted.language, told.rules))
    return game_document(desk, told, wanted.paper, wanted.turn)


def _welcome_pack(scenario: str, language: str, paper: str) -> Document:
    """The welcome pack of a scenario."""
    from pbem.cli.printing import Desk, welcome_document

    rules = registry(game_of(scenario))
    return welcome_document(Desk(rules, _catalogue(language, rules.name)), scenario, paper)


def _catalogue(language: str, game: str) -> Catalogue:
    from pbem.letters.catalogue import load

    try:
        return load(language, game)
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
