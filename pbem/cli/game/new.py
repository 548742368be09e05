"""`pbem game new`: a game set up, its seats still to be given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.game.show import show
from pbem.cli.options import HERE, Config, GameName, pairs
from pbem.cli.rulebooks import find_game, game_of, games, lay_beside, scenarios_of, shipped_scenarios
from pbem.engine.data.messages import plain
from pbem.engine.data.sources import SourceError
from pbem.engine.standard import Standard

if TYPE_CHECKING:
    from pbem.engine.game import Game

app = typer.Typer()


def _shipped() -> str:
    """The scenarios of all games, a game after the other, as their files are called."""
    return ", ".join(name for game in games() for name in shipped_scenarios(game))


@app.command()
def new(
    name: GameName,
    scenario: Annotated[str, typer.Option(help=f"What to play: {_shipped()}. `pbem scenarios` tells more.")],
    game: Annotated[str, typer.Option(help="Whose rules; those that have the scenario.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the rules.")] = None,
    overlay: Annotated[
        list[str] | None, typer.Option(metavar="CHART=FILE", help="A chart of your own in place of the rulebook's.")
    ] = None,
    zone: Annotated[str | None, typer.Option(help="Time zone of the deadlines, such as Europe/Madrid.")] = None,
    hour: Annotated[int | None, typer.Option(min=0, max=23, help="Hour of the deadlines.")] = None,
    weekdays: Annotated[str | None, typer.Option(metavar="DIGITS", help="Days with deadlines, 0 is Monday.")] = None,
    grace: Annotated[int | None, typer.Option(min=0, metavar="HOURS", help="At least so long for a phase.")] = None,
    undo: Annotated[int | None, typer.Option(min=0, metavar="MINUTES", help="To change one's mind in.")] = None,
    term: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="What differs from the usual terms of time.")
    ] = None,
    beacon: Annotated[
        str,
        typer.Option(help="What the dice wait for besides the orders, none or quicknet; else as the settings say."),
    ] = "",
    delta: Annotated[
        int | None, typer.Option(min=0, max=86_400, metavar="SECONDS", help="From the close to the beacon's round.")
    ] = None,
    open_seats: Annotated[bool, typer.Option("--open", help="Whoever asks by letter (JOIN) gets a free seat.")] = False,
    bot: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=BOT", help="A seat that a bot plays, as morocco=forward."),
    ] = None,
    moderator: Annotated[str, typer.Option(metavar="ADDRESS", help="Who moderates it by letter.")] = "",
    config: Config = HERE,
) -> None:
    """Make a new game; its seats are then invited one by one. The pace comes from the settings unless told here."""
    from pbem.cli.agreed import dice_of, minute_of, pace_of, terms_of, why_foreseen
    from pbem.cli.server.assembly import opened, settings
    from pbem.play.commands.table.founding import NewGame, new_game
    from pbem.play.rulings import appointment
    from pbem.runtime.terms import Terms

    read = settings(config)
    lay_beside(read.games.folder)
    game = game or game_of(scenario)
    _check_scenario(game, scenario)
    pace = pace_of(read, {"zone": zone, "hour": hour, "weekdays": weekdays, "grace": grace, "undo": undo})
    terms = terms_of(read, [*minute_of(read, name), *(term or []), *dice_of(beacon, delta)])
    chosen = pairs(option or (), "an option reads NAME=VALUE")
    for word in chosen.keys() & Terms._fields:
        raise Stop(f"{word} is no option of the rules but a term: --term {word}={chosen[word]}")
    own = _own_charts(read.games.folder, game)
    files = {**own, **pairs(overlay or (), "an overlay reads CHART=FILE")}
    charts = _charts(find_game(game), scenario, chosen, files)
    with opened(read) as server, server.work() as work:
        new_game(
            work,
            NewGame(
                name=name,
                game=game,
                scenario=scenario,
                options=chosen,
                overlay=charts,
                pace=pace,
                terms=terms,
                open_seats=open_seats,
                bots=bot or (),
            ),
        )
        if moderator:
            appointment.appoint(work, appointment.Appointment(game=name, email=moderator, zone=pace.zone))
    if terms.beacon == "none" and (why := why_foreseen(read, terms)):
        print(f"Its dice wait for no beacon, so that whoever has the keys could foresee them: {why}.")
    if own:
        print(f"It is played by charts from {read.games.folder}: {', '.join(own)}.")
    print(f"{name} is set up. Next: pbem seat invite {name} SEAT ADDRESS, for each of its seats:")
    show(name, config=config)


def _own_charts(folder: Path | None, game: str) -> dict[str, str]:
    """The charts that new games of these rules are played by here: ``GAME/charts/NAME.txt`` in the server's folder."""
    there = folder / game / "charts" if folder else None
    return {file.stem: str(file) for file in sorted(there.glob("*.txt"))} if there else {}


def _check_scenario(game: str, scenario: str) -> None:
    shipped = find_game(game).editions()
    if scenario not in scenarios_of(find_game(game)):
        titles = (f"{name} ({plain(title)})" for name, title in sorted(shipped.items()))
        raise Stop(f"{game} has no scenario {scenario!r}; there are: {', '.join(titles)}")


def _charts(rules: Game, scenario: str, options: Mapping[str, str], files: Mapping[str, str]) -> dict[str, str]:
    """The chart texts of these files; Stop names the file, the line and the reason if one cannot be played by."""
    charts = {}
    for name, file in files.items():
        try:
            charts[name] = Path(file).read_text("utf-8")
        except OSError as wrong:
            raise Stop(f"{file} cannot be read: {wrong.strerror}") from None
        except UnicodeDecodeError:
            raise Stop(f"{file} is not text in UTF-8") from None
    try:
        rules.edition(scenario, options, charts)
    except SourceError as wrong:
        # Its own name for the chart means nothing to whoever gave us a file.
        file = files.get(wrong.file.rpartition(".")[0], wrong.file)
        own = rules.shelf.own(scenario) if isinstance(rules, Standard) else None
        if own and wrong.file == f"{scenario}.toml":
            file = str(own.joinpath("scenarios", wrong.file))
        raise Stop(str(SourceError(file, wrong.line, wrong.reason))) from None
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    return charts
