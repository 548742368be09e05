"""Write stored games as pages, pictures and patches.

`pbem archive`, `pbem site`, `pbem map`, `pbem print`, `pbem replay`, `pbem review`, `pbem patch`.

An archive is one page of a game, a site the pages of all games that their players let be shown, a map one picture as a
seat sees it, and a print a turn, a game or a scenario's welcome pack as PDF.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.options import HERE, Config, GameName, check_language
from pbem.cli.rulebooks import find_game, game_by_name, game_of_scenario
from pbem.engine.data.messages import plain_english
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly, pages, printing, welcome_pack
    from pbem.cli import sites as site_files
    from pbem.engine import review as engine_review
    from pbem.engine.map import sheets
    from pbem.letters import catalogue
    from pbem.maps import drawing, drawn_on, grounds, palette, png
    from pbem.pages import printed
    from pbem.pages.archive import film, index
    from pbem.pages.printed import web
    from pbem.play import chapters, positions
    from pbem.play import replay as log_replay
    from pbem.play.commands.questions import review as game_review
    from pbem.play.rulings import ruling_lines
    from pbem.runtime import tokens
    from pbem.server import archive_attachments
    from pbem.store import queries
    from pbem.wars import replay as war_replay

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle
    from pbem.letters.catalogue import Catalogue
    from pbem.maps.drawn_on import Style
    from pbem.pages.printed import Document
    from pbem.play.positions import ShownScene
    from pbem.play.rulings.ruling_lines import RulesCheck


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
    """Write a game as one page.

    It shows every step on the map, with dice, charts, rules and orders.

    While it goes on the page shows what everybody may see; once it is over, everything but addresses and letters.
    """
    if f"{name}.html" == index.INDEX:
        raise CommandError(f"{index.INDEX} is the list of games: a game of that name cannot have a page beside it")
    if not seat and assembly.can_see(out / site_files.STATE_FILE):
        raise CommandError(f"{out} is kept by `pbem site`, whose list this would replace: name another folder")
    with assembly.open_for_command(config) as server:
        check_language(language)
        try:
            with server.reading() as tx:
                gathered = archive_attachments.gather_archive_input(tx, name, seat)
        except chapters.ChronicleRefused as wrong:
            raise CommandError(str(wrong)) from None
        chronicle = archive_attachments.make_archive_chronicle(server, gathered)
        file = tokens.page_name(server.keys.key, name, seat) if seat else name
    page = pages.archive_page_of(chronicle, language)
    try:
        out.mkdir(parents=True, exist_ok=True)
        pages.replace_page_file(out / f"{file}.html", page, 0o600 if seat else 0o644)
        if not seat:
            _list_archive(out / index.INDEX, chronicle, language)
    except OSError as wrong:
        raise CommandError(f"cannot write to {out}: {wrong.strerror}") from None
    print(out / f"{file}.html")


def _list_archive(path: Path, chronicle: Chronicle, language: str) -> None:
    """Add a game to the list of the games that have a page."""
    before = index.read_entries(path.read_text("utf-8", errors="replace")) if path.is_file() else ()
    kept = [entry for entry in before if (path.parent / f"{entry.game}.html").is_file()]
    pages.replace_page_file(
        path,
        index.index_page(
            [*kept, pages.list_entry(chronicle)],
            lambda sentence: pages.say_in_language("", language, sentence),
            language,
        ),
    )


@app.command("site")
def write_pages(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder; else that of [site].")
    ] = None,
    config: Config = HERE,
) -> None:
    """Write the games whose players agreed by PUBLISH.

    Each gets a page; beside them are their list, and feeds of their reports.

    Only what changed is written. With `folder` under [site] in pbem.toml `pbem serve` does the same by itself.
    """
    settings = assembly.load_settings(config)
    folder = out or settings.site.folder
    if folder is None:
        raise CommandError("where to? Name a folder with --out, or as `folder` under [site] in pbem.toml")
    with assembly.open_for_command(settings) as server:
        try:
            result = site_files.write_site(server, folder, assembly.site_of(settings))
        except OSError as wrong:
            raise CommandError(f"cannot write to {folder}: {wrong.strerror}") from None
    for name in result.fresh:
        print(folder / f"{name}.html")
    for name in result.gone:
        print(f"taken away: {name}")
    if not result.shown:
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
    phone: Annotated[
        bool, typer.Option("--phone/--wide", help="The part that a telephone shows, as MAP PHONE brings it.")
    ] = False,
    symbols: Annotated[
        bool, typer.Option("--symbols/--figures", help="Branches by the symbols of staff maps, as by MAP SYMBOLS.")
    ] = False,
    animate: Annotated[
        bool, typer.Option("--animate", help="A turn, or a phase of it, a step a second, as FILE.gif.")
    ] = False,
    config: Config = HERE,
) -> None:
    """Draw the map of a game as a seat saw it.

    `pbem map fit SCENARIO` fits the cells of a new map to its edges.
    """
    if scenario:
        if name != "fit":
            raise CommandError(
                f"what is {scenario}? One game is drawn at a time; to fit a map, write: pbem map fit {scenario}"
            )
        _fit_map(scenario)
        return
    if animate:
        if phone:
            raise CommandError("a turn is animated on the whole map: leave --phone out")
        _animate_turn(AnimationRequest(name, seat, turn, phase), out, (language, dark, not symbols), config)
        return
    if out is None or out.suffix not in (".svg", ".png"):
        raise CommandError(
            f"a picture is written to FILE.svg or FILE.png, not to {out.name if out else 'nowhere'}: use --out"
        )
    with assembly.open_for_command(config) as server, server.reading() as tx:
        try:
            shown = positions.scene_of(tx, name, seat, turn, phase)
        except positions.PictureRefused as wrong:
            raise CommandError(str(wrong)) from None
    write_map(out, shown, map_style(shown.game, language, dark, not symbols), phone)
    print(out)


class AnimationRequest(NamedTuple):
    """The turn to animate, by default the last one, or one phase, as a seat saw it."""

    name: str
    seat: str
    turn: int | None
    phase: str


def _animate_turn(request: AnimationRequest, out: Path | None, look: tuple[str, bool, bool], config: Path) -> None:
    """Write a turn as animated GIF, and tell how large it is."""
    if out is None or out.suffix != ".gif":
        raise CommandError(f"a turn is animated in FILE.gif, not in {out.name if out else 'nowhere'}: use --out")
    chronicle = _chronicle(request.name, request.seat, config)
    turn = request.turn or max((chapter.turn for chapter in chronicle.chapters), default=0)
    style = map_style(chronicle.rules, *look)
    drawn = film.draw_film(chronicle, game_by_name(chronicle.rules), style, turn, request.phase)
    if drawn is None:
        wanted = f"T{turn}.{request.phase}".rstrip(".") if turn else "it"
        raise CommandError(f"nothing of {wanted} is over in {request.name}")
    try:
        made = png.encode_gif(drawn.ground, drawn.frames, drawn.width)
        out.write_bytes(made)
    except png.Unavailable as wrong:
        raise CommandError(str(wrong)) from None
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None
    print(f"{out}: {len(drawn.frames)} steps, {len(made):,} bytes")


def _chronicle(name: str, seat: str, config: Path) -> Chronicle:
    """Return the chronicle of a game, as a seat got it by letter."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        try:
            gathered = chapters.gather_chronicle(tx, name, seat, is_own=True)
        except chapters.ChronicleRefused as wrong:
            raise CommandError(str(wrong)) from None
    return chapters.make_chronicle(gathered)


def map_style(game: str, language: str, dark: bool, figures: bool = True) -> drawn_on.Style:
    """Return a reader's style of maps; raise CommandError for unknown languages."""
    try:
        words = catalogue.load_catalogue(language, game)
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None
    colours = palette.DARK if dark else palette.LIGHT
    return drawn_on.Style(words.say, words.called.with_names, colours, figures=figures)


def write_map(out: Path, shown: ShownScene, style: Style, narrow: bool = False) -> None:
    """Write a picture as a letter would have it, or the same as SVG."""
    scene, ground = shown.scene, grounds.prepare_ground(shown.ground, shown.scene, narrow=narrow)
    try:
        made = (
            png.encode_png(scene, ground, style)
            if out.suffix == ".png"
            else drawing.draw(scene, ground, style).encode()
        )
        out.write_bytes(made)
    except png.Unavailable as wrong:
        raise CommandError(str(wrong)) from None
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None


def _fit_map(scenario: str) -> None:
    """Print sites of a sheet whose cells have exactly the map's edges as borders.

    Ends with 1 if none do.
    """
    rules = find_game(game_of_scenario(scenario))
    ground = rules.pictured.ground(rules.edition(scenario, {}, {})) if rules.pictured else None
    if not isinstance(ground, sheets.AreaGround):
        raise CommandError(f"{scenario} is played on no map of areas")
    edges = {frozenset((edge.a, edge.b)) for edge in ground.area.edges}
    sites = sheets.fit(ground.sheet.sites, edges, ground.sheet.box)
    print("[sites]")
    for name, (x, y) in sorted(sites.items()):
        print(f"{name} = [{x:.0f}, {y:.0f}]")
    comparison = sheets.compare_seen_borders(ground.sheet._replace(sites=sites), ground.area)
    for fault, pairs in (("no border", comparison.missing), ("a border and no edge", comparison.false)):
        for pair in sorted(map(sorted, pairs)):
            print(f"# {'-'.join(pair)}: {fault}")
    if not comparison:
        raise typer.Exit(FINDING)


class PrintRequest(NamedTuple):
    """What to print of a game, for whom, and on which paper."""

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
    seat: Annotated[
        str, typer.Option(help="As that seat saw it, without it as onlookers did; with --welcome whose first turn.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    welcome: Annotated[str, typer.Option(metavar="SCENARIO", help="A scenario for who is new to it.")] = "",
    rules: Annotated[str, typer.Option(metavar="GAME", help="The booklet of its rules; FILE.html is a page.")] = "",
    config: Config = HERE,
) -> None:
    """Write a game, or something to play it with, as PDF.

    The PDF is a game, a turn of it, a scenario's welcome pack or a booklet of rules, for paper or an archive.

    While a game runs the PDF shows only what its seat, or an observer, has received by letter. Once it is over
    the PDF shows everything, unless --seat is given.
    """
    if sum(map(bool, (name, welcome, rules))) != 1:
        raise CommandError(
            "what is to be printed? A game of this server by its name, --welcome SCENARIO, or --rules GAME"
        )
    if paper not in printed.PAPERS:
        raise CommandError(f"paper is {' or '.join(printed.PAPERS)}, not {paper!r}")
    request = PrintRequest(name, seat, turn, language, paper)
    if rules:
        document = _booklet(rules, language, paper)
    else:
        document = _welcome_pack(welcome, language, paper, seat) if welcome else _document_of_game(request, config)
    try:
        paged = rules and out.suffix == ".html"
        out.write_bytes(web.to_html(document).encode() if paged else printed.to_pdf(document))
    except printed.Unavailable as wrong:
        raise CommandError(str(wrong)) from None
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None
    print(out)


def _document_of_game(request: PrintRequest, config: Path) -> Document:
    """Return the document of a game of the server, or of a turn of it."""
    chronicle = _chronicle(request.name, request.seat, config)
    if request.turn is not None and all(chapter.turn != request.turn for chapter in chronicle.chapters):
        raise CommandError(f"nothing of turn {request.turn} is over in {request.name}")
    desk = printing.PrintedGame(game_by_name(chronicle.rules), _catalogue(request.language, chronicle.rules))
    return printing.game_document(desk, chronicle, request.paper, request.turn)


def _welcome_pack(scenario: str, language: str, paper: str, seat: str = "") -> Document:
    """Return the welcome pack of a scenario, for a seat or for who begins."""
    rules = game_by_name(game_of_scenario(scenario))
    seats = rules.seats(rules.start(rules.edition(scenario, {}, {})))
    if seat and seat not in seats:
        raise CommandError(f"{scenario} has no seat {seat!r}; there are {', '.join(seats)}")
    return welcome_pack.welcome_document(
        printing.PrintedGame(rules, _catalogue(language, rules.name)), scenario, paper, seat
    )


def _booklet(game: str, language: str, paper: str) -> Document:
    """Return the rules of a game."""
    rules = find_game(game)
    return printing.rules_document(printing.PrintedGame(rules, _catalogue(language, rules.name)), paper)


def _catalogue(language: str, game: str) -> Catalogue:
    try:
        return catalogue.load_catalogue(language, game)
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None


# Replaying compares a whole game with what was stored; a review names the turning points of a game that is over; a
# patch shows what the rules installed here would change in stored games, and applies it to one of them.


@app.command()
def replay(name: GameName, config: Config = HERE) -> None:
    """Resolve a game or a war again from its stored orders and dice.

    Ends with 1 if anything differs.

    Of a war each edition is made again from the end of the game before, and compared as well.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        results = (
            [*war_replay.replay_war(tx, name)] if war_replay.is_war(tx, name) else [(name, log_replay.replay(tx, name))]
        )
        others = {
            game: log_replay.other_release_of(tx, game) for game, result in results if result.difference is not None
        }
    for game, result in results:
        if result.difference is not None:
            phase, fact, stored, now = result.difference
            release = f" ({other})" if (other := others[game]) else ""
            raise CommandError(
                f"{phase} of {game} comes out otherwise{release}: {fact} was {stored!r} and is {now!r}", FINDING
            )
        print(f"{game}: {result.phases} phase{'' if result.phases == 1 else 's'} resolved again, all the same")


@app.command()
def review(
    name: GameName,
    plays: Annotated[int, typer.Option(min=10, max=10_000, help="Games that are played from each position.")] = 60,
    language: Annotated[str, typer.Option(metavar="LANG", help="In which language it is told.")] = "en",
    config: Config = HERE,
) -> None:
    """Find the phases that turned a finished game, by orders or dice.

    Bots play on from its positions.

    It takes minutes. The same game and the same number of plays give the same words.
    """
    with assembly.open_for_command(config) as server:
        check_language(language)
        try:
            with server.reading() as tx:
                request = game_review.gather_review(tx, positions.lock_game(tx.session, name))
        except game_review.ReviewRefused as wrong:
            raise CommandError(plain_english(wrong.why)) from None
        wanted = engine_review.PlayCounts(plays, 2 * plays)
        result = game_review.compute_review(request, wanted, _progress_printer())
        for depth, sentence in game_review.review_lines(server, request, result, wanted):
            print("  " * depth + pages.say_in_language(request.rules.name, language, sentence))


def _progress_printer() -> Callable[[int, int], None]:
    """Return a callback that shows progress on a terminal."""
    shown = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if shown:
            sys.stderr.write(f"\r{done:,} of {total:,} games" + ("\n" if done >= total else ""))
            sys.stderr.flush()

    return tell


LONGEST_VALUE = 100
"""Characters of the old and the new value that a line shows: both then fit on a screen, one below the other."""


@app.command()
def patch(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="Games; all that have begun.")] = None,
    to: Annotated[str, typer.Option("--apply", metavar="GAME", help="Resolve its first such phase once more.")] = "",
    because: Annotated[str, typer.Option(metavar="REASON", help="With --apply: what its players are told.")] = (
        "the rules as they are read here were corrected"
    ),
    config: Config = HERE,
) -> None:
    """List phases that come out otherwise by the installed rules.

    Looks at the stored games and changes nothing.

    A line for each phase, parted by tabs: game, phase, what differs first, as stored, as it would be. Ends with 1 if
    anything differs. With --apply the first such phase of one game is resolved once more, as READJUDICATE does.
    """
    if to and games:
        raise CommandError("--apply names the one game that it is about; without it all games named are only looked at")
    if to:
        _apply_patch(config, to, because)
        return
    with assembly.open_for_command(config) as server:
        with server.session() as session:
            wanted = games or tuple(queries.games.names_of_begun(session))
        checks = []
        for name in wanted:
            # A transaction each: a server that runs is kept waiting by one game at a time.
            with server.work() as tx:
                checks.append(ruling_lines.check_rules(tx, name))
    for check in checks:
        _show_differences(check)
    differing = [result.game for result in checks if result.differences]
    if differing:
        raise CommandError(
            f"{len(differing)} of {len(checks)} games come out otherwise: {', '.join(differing)}", FINDING
        )
    print(f"nothing differs: {sum(result.phases for result in checks)} phases of {len(checks)} games resolved again")


def _apply_patch(config: Path, name: str, because: str) -> None:
    with assembly.open_for_command(config) as server, server.work() as tx:
        ruled = ruling_lines.readjudicate_by_new_rules(tx, name, because)
    for sentence in ruled.sentences:
        typer.echo(plain_english(sentence))


def _show_differences(check: RulesCheck) -> None:
    """Print a line for each phase that differs, separated by tabs.

    It has game, phase, what differs, as stored, and as it would be.
    """
    for difference in check.differences:
        parts = (check.game, difference.phase, difference.what, _short(difference.stored), _short(difference.now))
        typer.echo("\t".join(parts))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."
