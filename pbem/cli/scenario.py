"""A battle of one's own: `pbem scenario new`, `check` and `map`.

The files of all own battles are in one folder; for a server `folder` under ``[games]`` names it. Each game has there
``scenarios/NAME.toml``, ``maps/NAME...`` and ``briefs/NAME.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, CommandError, escape_unprintable
from pbem.cli.options import OWN_BATTLES, OwnBattles
from pbem.cli.rulebooks import find_game, game_of_scenario, own_charts, scenarios_of, use_folder
from pbem.engine.autoplay import AutoplaySettings, pick_for_bot, play_on
from pbem.engine.bots import DiceFromSeed, Pick
from pbem.engine.data.sources import SourceError
from pbem.engine.terms import ONLOOKER
from pbem.installed import folder_of
from pbem.lazy import lazily

with lazily():
    from pbem.cli import game_pages
    from pbem.play import positions

if TYPE_CHECKING:
    from pbem.engine.game import AnyGame

app = typer.Typer(no_args_is_help=True, help="Make a battle of your own: write its files, check them, draw its map.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The battle's name: small letters, digits, hyphens.")]
# A choice: it names files on any system and stands in lists of battles, so that it is short and plain.
_NAME = re.compile(r"[a-z][a-z0-9-]{1,30}")
_BOTS = ("forward", "veteran", "recruit")
"""The bots for the test games, the first of these that the game has."""

_COMMENTS: Mapping[str, str] = {
    "title": "What letters and lists call the battle.",
    "map": "The map: files of this name in maps/, yours or shipped.",
    "turns": "The game ends after so many turns.",
    "sides": "The side that plays the first half of each turn, then the other.",
    "units": "One line for each counter at the start. The last word is its place on the map.",
    "divisions": "Divisions with their morale and commander. A counter names its own after the word division.",
    "reinforcements": "Units that arrive later: in which turn, and where. See docs/own-battle.en.md.",
    "deployment": "Places between which a side may shift its units before turn 1, with the option deploy.",
    "[options]": "Optional rules of this battle.",
    "[seats]": "A seat is a player; the word in quotes is the side he plays.",
    "[chief]": "The commander-in-chief of each side, one of its cmd counters.",
    "[edge]": "The map edge to which each side retreats: N, S, E or W.",
    "[names]": "Full names for letters. A counter without one keeps its short name.",
    "[victory]": "What scores. The first side wins if it leads by its needs or more; the other by its own or less.",
    "[victory.spaces]": "Points for the side that holds the place when the game ends.",
    "[victory.hexes]": "Points for the side that holds the hex when the game ends. Keep the quotes.",
    "[victory.owner]": "The owner of each place until a unit enters it.",
}
"""The comments that `new` writes above a line or a table."""


@app.command()
def new(
    name: Name,
    like: Annotated[str, typer.Option(metavar="SCENARIO", help="The shipped battle to begin from.")] = "drill",
    folder: OwnBattles = OWN_BATTLES,
) -> None:
    """Write the commented files of a new battle.

    They are scenario, map and brief; the battle can be played as it stands.

    It begins as a copy of a shipped battle: drill for a map of areas, training for hexes, or any other.
    """
    if not _NAME.fullmatch(name):
        raise CommandError(
            f"{name!r} is no name for a battle: use small letters, digits and hyphens, such as my-battle"
        )
    use_folder(folder)
    game = find_game(game_of_scenario(like))
    shipped = folder_of(game.name)
    if shipped is None or not (shipped / "scenarios" / f"{like}.toml").is_file():
        raise CommandError(f"{like} is not a shipped battle: see pbem scenarios")
    if name in scenarios_of(game):
        raise CommandError(f"there is a battle {name} already: choose another name")
    made = dict(_copies(shipped, like, name))
    for path, text in made.items():
        target = folder / game.name / path
        if target.exists():
            raise CommandError(f"{target} exists and is not overwritten: choose another name or remove the file")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        except OSError as wrong:
            raise CommandError(f"{target} cannot be written: {wrong.strerror}") from None
        print(target)


def _copies(shipped: Path, like: str, name: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of a battle like a shipped one.

    Each is its path in the game's folder, and the text.
    """
    text = (shipped / "scenarios" / f"{like}.toml").read_text("utf-8")
    drawn_on = tomllib.loads(text)["map"]
    lines = [f"# {name}: begun as a copy of {like}. Change anything, then run: pbem scenario check {name}"]
    for line in text.splitlines():
        key = line.strip() if line.startswith("[") else line.partition(" =")[0]
        if key in _COMMENTS:
            lines.append(f"# {_COMMENTS[key]}")
        lines.append({"title": f'title = "{name}"', "map": f'map = "{name}"'}.get(key, line))
    yield Path("scenarios", f"{name}.toml"), "\n".join(lines) + "\n"
    for file in sorted((shipped / "maps").glob(f"{drawn_on}.*")):
        yield Path("maps", file.name.replace(drawn_on, name, 1)), file.read_text("utf-8")
    brief = shipped / "briefs" / f"{like}.toml"
    if brief.is_file():
        yield Path("briefs", f"{name}.toml"), brief.read_text("utf-8")


@app.command()
def check(
    name: Name,
    folder: OwnBattles = OWN_BATTLES,
    games: Annotated[int, typer.Option(min=0, max=100, help="Test games between bots.")] = 3,
) -> None:
    """Check the files of a battle, and let bots play it.

    Prints file, line and reason of each mistake. If there is no mistake, bots play test games.

    Charts of your own, GAME/charts/NAME.txt, are checked and played by too. Ends with 1 if something is wrong.
    """
    rules = _game_with(name, folder)
    charts = {chart: Path(file).read_text("utf-8") for chart, file in own_charts(folder, rules.name).items()}
    wrong = _faults(rules, name, charts)
    for fault in wrong:
        print(escape_unprintable(str(fault)))
    if wrong:
        raise SystemExit(FINDING)
    state = rules.start(rules.edition(name, {}, charts))
    print(f"{name} can be played: {rules.name}, seats {', '.join(rules.seats(state))}")
    if charts:
        print(f"Charts of your own: {', '.join(charts)}")
    bot = next((bot for bot in (*_BOTS, *rules.bots) if bot in rules.bots), "")
    if bot and games:
        print(f"Test games between bots ({bot}): {_results(rules, bot, state, games)}")


def _game_with(name: str, folder: Path) -> AnyGame:
    use_folder(folder)
    game_names = sorted(path.parts[-3] for path in folder.glob(f"*/scenarios/{name}.toml"))
    if not game_names:
        raise CommandError(
            f"{folder} has no battle {name}: write one by pbem scenario new {name}, or name its --folder"
        )
    return find_game(game_names[0])


def _faults(rules: AnyGame, name: str, charts: Mapping[str, str]) -> list[SourceError]:
    """Return the mistakes in the files of a battle and in its charts.

    Each has its file, line and reason.
    """
    wrong: list[SourceError] = []
    try:
        rules.start(rules.edition(name, {}, charts))
    except SourceError as fault:
        # Before ValueError, its parent class: it knows the line.
        wrong += [fault, *fault.others]
    except ValueError as fault:
        wrong.append(SourceError(f"{name}.toml", 0, str(fault)))
    try:
        rules.rulebook.brief(name)
    except (ValueError, KeyError) as fault:
        wrong.append(SourceError(f"briefs/{name}.toml", 0, f"it cannot be read: {fault}"))
    return wrong


def _results(rules: AnyGame, bot: str, state: object, games: int) -> str:
    """Play games between two bots and return how many each side won."""
    scored = rules.scored
    won: Counter[str] = Counter()
    for number in range(1, games + 1):
        ended = play_on(
            AutoplaySettings(rules, rules.bots[bot], partial(_dice, rules, number), partial(_chance, rules, bot)), state
        )
        won[(scored.winner(ended) if scored else "") or "drawn"] += 1
    return ", ".join(f"{side} {count}" for side, count in won.most_common())


def _dice(rules: AnyGame, number: int, state: object) -> DiceFromSeed:
    return DiceFromSeed(f"{number}/{rules.phase(state)}")


def _chance(rules: AnyGame, bot: str, state: object, seat: str) -> Pick:
    return pick_for_bot(rules, bot, seat, rules.view(state, seat))


@app.command("map")
def draw_map(
    name: Name,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="FILE.png or FILE.svg.")],
    folder: OwnBattles = OWN_BATTLES,
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
) -> None:
    """Draw the map of a battle with its units before turn 1."""
    if out.suffix not in (".svg", ".png"):
        raise CommandError(f"a picture is written to FILE.png or FILE.svg, not to {out.name}")
    rules = _game_with(name, folder)
    if wrong := _faults(rules, name, {}):
        raise CommandError(f"{wrong[0]}\nAll mistakes: pbem scenario check {name}", FINDING)
    if rules.pictured is None:
        raise CommandError(f"{rules.name} has no pictures")
    state = rules.start(rules.edition(name, {}, {}))
    seat = ONLOOKER if rules.view(state, ONLOOKER) is not None else next(iter(rules.seats(state)))
    scene = rules.pictured.picture(rules.view(state, seat), seat, ())
    shown = positions.ShownScene(scene, rules.pictured.ground(state.edition), rules.name)
    game_pages.write_map(out, shown, game_pages.map_style(rules.name, language, dark=False))
    print(out)
