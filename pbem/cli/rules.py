"""Look up and try rules.

`pbem scenarios`, `pbem chart`, `pbem cases`, `pbem adjudicate`, `pbem simulate`.

A phase to adjudicate is a file of a position (see `pbem.engine.saved_position`; ``--new GAME/SCENARIO`` prints a first
one) or one rule case of a file of cases, a file of orders for each seat, and the dice: thrown by hand and written down
as in cases, or derived from 64 bytes as the server does. Lines that are refused are reported, the others carried out.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.cli.exit_codes import FINDING, CommandError, escape_unprintable
from pbem.cli.options import HERE, OWN_BATTLES, Config, OwnBattles, read_name_value_pairs
from pbem.cli.output import AsJson, print_json, print_table, table_cell
from pbem.cli.rulebooks import (
    find_game,
    game_with_chart,
    playable_rulebooks,
    scenarios_of,
    shipped_scenarios,
    use_folder,
    wars_of,
)
from pbem.engine.data.messages import plain_english
from pbem.lazy import lazily

with lazily():
    from pbem.cli import adjudication, assembly, log_output
    from pbem.cli import simulate as simulation
    from pbem.engine import cases as rule_cases
    from pbem.server import game_cards


if TYPE_CHECKING:
    from pbem.cli.adjudication import Table
    from pbem.engine.game import AnyGame

app = typer.Typer()


@app.command()
def scenarios(
    game: Annotated[str, typer.Option(help="Those of one game alone.")] = "",
    as_json: AsJson = False,
    folder: OwnBattles = OWN_BATTLES,
) -> None:
    """List what can be played: game, scenario, turns, seats, and a line about each.

    Your own battles and the wars of linked battles are among it.
    """
    use_folder(folder if folder.is_dir() else None)
    rows = list(_scenario_rows(game))
    if as_json:
        print_json("scenarios/1", scenarios=rows)
        return
    table = [("GAME", "SCENARIO", "TURNS", "SEATS", "WHAT IT IS")]
    print_table(
        table + [(row.game, row.scenario, table_cell(row.turns), ", ".join(row.seats), row.about) for row in rows]
    )
    for name in dict.fromkeys(row.game for row in rows):
        if wars := wars_of(find_game(name)):
            print(f"Wars of {name}, linked battles, begun by pbem campaign new --war: {', '.join(wars)}")


class ScenarioLine(NamedTuple):
    """A playable scenario; `turns` is None without a fixed number of turns."""

    game: str
    scenario: str
    turns: int | None
    seats: tuple[str, ...]
    about: str


def _scenario_rows(game: str) -> Iterator[ScenarioLine]:
    for name, rules in ((game, find_game(game)),) if game else playable_rulebooks():
        for scenario in scenarios_of(rules):
            try:
                yield _scenario_line(name, rules, scenario)
            except (ValueError, KeyError):
                if scenario in shipped_scenarios(name):
                    raise
                yield ScenarioLine(name, scenario, None, (), f"it has mistakes: pbem scenario check {scenario}")


def _scenario_line(name: str, rules: AnyGame, scenario: str) -> ScenarioLine:
    state = rules.start(rules.edition(scenario, {}, {}))
    first, *_ = rules.seats(state)
    turns = rules.telling.stakes(rules.view(state, first), first, ()).turns
    line = rules.rulebook.brief(scenario).get("line") or plain_english(rules.editions()[scenario])
    return ScenarioLine(name, scenario, turns or None, tuple(rules.seats(state)), line)


@app.command()
def chart(
    name: Annotated[str, typer.Argument(help="A chart by its rule or its name, such as C6.")],
    game: Annotated[str, typer.Option(help="The game it belongs to; the first that has it.")] = "",
    of: Annotated[str, typer.Option(metavar="NAME", help="As this game on the server has it.")] = "",
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """Print a chart of a game as its rulebook has it.

    For one game, as it was changed there.
    """
    game = "" if of else game or game_with_chart(name)
    lines = (_chart_of_server(config, of, name) if of else _chart_of_rulebook(game, name)).rstrip("\n").split("\n")
    if as_json:
        print_json("chart/1", game=of or game, chart=name, lines=lines)
        return
    for line in lines:
        print(escape_unprintable(line))


def _chart_of_rulebook(game: str, chart: str) -> str:
    rules = find_game(game)
    text = rules.rulebook.chart(chart)
    if text is None:
        raise CommandError(f"{game} has no chart {chart!r}; there are: {', '.join(rules.rulebook.charts())}")
    return text


def _chart_of_server(config: Path, name: str, chart: str) -> str:
    """Return a chart of a game on this server, with its overlays."""
    with assembly.open_for_command(config) as server, server.work() as tx:
        rules, edition = game_cards.edition_of(tx, name)
    text = rules.rulebook.chart(chart, edition)
    if text is None:
        raise CommandError(f"{name} has no chart {chart!r}; there are: {', '.join(rules.rulebook.charts())}")
    return text


@app.command()
def cases(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Cases as TOML.")],
    game: Annotated[str, typer.Option(help="The game of files that name none.")] = "",
) -> None:
    """Run files of rule cases.

    Prints a line for each that fails, at last N passed, N failed. Ends with 1 if any failed.
    """
    run_cases(files, game)


def run_cases(files: Sequence[Path], game: str) -> None:
    """Run case files; print failures, and at last ``N passed, N failed``.

    Files that cannot be read raise CommandError before any case is run; failed cases SystemExit with a finding.
    `game` is for files that do not name theirs.
    """
    loaded = [(path, *adjudication.read_cases(path, game)) for path in files]
    passed = failed = 0
    for path, rules, _, file in loaded:
        for title, case in rule_cases.split_cases(file):
            faults = _faults_of_case(rules, file, title, case)
            if faults:
                failed += 1
                print(f"FAILED {path.name}: {title}: {'; '.join(faults)}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    if failed:
        raise SystemExit(FINDING)


def _faults_of_case(game: AnyGame, file: Table, title: str, case: Table) -> tuple[str, ...]:
    """Return what is wrong with a case; a bug of ours counts as a fault."""
    try:
        return rule_cases.run_case(game, file, case)
    except Exception as bug:
        print(f"In {title}:", file=sys.stderr)
        traceback.print_exc()
        return (f"it cannot be run: {type(bug).__name__}: {bug}",)


SeatFiles = Annotated[list[str] | None, typer.Option(metavar="SEAT=FILE", help="May be given for each seat.")]


@app.command()
def adjudicate(
    position: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A position, or a file of rule cases.")
    ] = None,
    orders: SeatFiles = None,
    standing: SeatFiles = None,
    dice: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Dice thrown by hand, LABEL: VALUES a line.")
    ] = None,
    beta: Annotated[str, typer.Option(metavar="HEX", help="64 bytes that all dice are derived from.")] = "",
    case: Annotated[str, typer.Option(metavar="N", help="Which case of the file, by number or title.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Events as JSON lines.")] = False,
    step: Annotated[bool, typer.Option("--step", help="Each step as the rules take it.")] = False,
    state_out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the position after it.")] = None,
    language: Annotated[str, typer.Option(metavar="LANG", help="Of the report, en or es.")] = "en",
    new: Annotated[str, typer.Option(metavar="GAME/SCENARIO", help="Print a scenario's first position.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="With --new: rules.")] = None,
) -> None:
    """Resolve one phase without a server.

    Takes a position, a file of orders for each seat, and dice.

    pbem adjudicate --new GAME/SCENARIO > state.json

    pbem adjudicate state.json --orders spain=spain.txt --beta $(openssl rand -hex 64) --state-out next.json

    With --step each step is printed as it is taken: its task, its roll or who chose what and why, its events.

    Ends with 1 if a line was refused; the others are carried out.
    """
    if new:
        if position is not None:
            raise CommandError("--new prints a first position and resolves nothing: leave the file away")
        typer.echo(
            adjudication.first_position(new, read_name_value_pairs(option or (), "an option reads NAME=VALUE")),
            nl=False,
        )
        return
    if position is None:
        raise CommandError("which position? A first one: pbem adjudicate --new GAME/SCENARIO > state.json")
    if option:
        raise CommandError("--option goes with --new: the position has its options already")
    adjudication.resolve_and_print(
        adjudication.CommandInput(
            position, case, orders or (), standing or (), dice, beta, as_json, state_out, language, step
        )
    )


@app.command()
def simulate(
    game: Annotated[str, typer.Option(help="The game to play; the first that can be simulated.")] = "",
    scenario: Annotated[str, typer.Option(help="The battle of it; the one of its settings without this.")] = "",
    games: Annotated[int, typer.Option(min=1, help="Games of each mode.")] = 10,
    seed: Annotated[int, typer.Option(help="What the games follow from.")] = 1,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns to play; all of them without this.")] = None,
    bot: Annotated[
        str, typer.Option(help="The bot that has all seats; that of the game's settings without this.")
    ] = "",
) -> None:
    """Play games between bots on a moved clock.

    Counts letters, days, wins and margins.
    """
    log_output.open_log(level=logging.ERROR)
    for line in simulation.mode_table(simulation.simulation_of(game, scenario, bot), games, seed, turns):
        print(line, flush=True)
