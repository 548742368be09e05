"""`pbem map`: the map of a game as a seat sees it, as a picture; sites fitted to the edges of a new map of areas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config
from pbem.cli.rulebooks import find_game, game_of

if TYPE_CHECKING:
    from pbem.maps.drawn_on import Style
    from pbem.play.scenes import Shown

app = typer.Typer()


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
    from pbem.cli.server.assembly import opened
    from pbem.play.scenes import NoPicture, scene_of

    if scenario:
        if name != "fit":
            raise Stop(f"what is {scenario}? One game is drawn at a time; to fit a map, write: pbem map fit {scenario}")
        _fit(scenario)
        return
    if out is None or out.suffix not in (".svg", ".png"):
        raise Stop(f"a picture is written to FILE.svg or FILE.png, not to {out.name if out else 'nowhere'}: use --out")
    with opened(config) as server, server.reading() as work:
        try:
            shown = scene_of(work, name, seat, turn, phase)
        except NoPicture as wrong:
            raise Stop(str(wrong)) from None
    _write(out, shown, _style(shown, language, dark))
    print(out)


def _style(shown: Shown, language: str, dark: bool) -> Style:
    """How the reader has it."""
    from pbem.letters.catalogue import load
    from pbem.maps.drawn_on import Style
    from pbem.maps.palette import DARK, LIGHT

    try:
        words = load(language, shown.game)
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    return Style(words.say, words.called.written, DARK if dark else LIGHT)


def _write(out: Path, shown: Shown, style: Style) -> None:
    """Write what a letter would bring, or the same as SVG."""
    from pbem.maps.drawing import draw
    from pbem.maps.fitted import fitted
    from pbem.maps.grounds import ready
    from pbem.maps.png import Unavailable

    scene, ground = shown.scene, ready(shown.ground, shown.scene)
    try:
        made = fitted(scene, ground, style) if out.suffix == ".png" else draw(scene, ground, style).encode()
        out.write_bytes(made)
    except Unavailable as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None


def _fit(scenario: str) -> None:
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
