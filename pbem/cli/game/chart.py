"""`pbem chart`: a chart as the rulebook has it, or as one game has it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.json_output import AsJson, print_json
from pbem.cli.options import HERE, Config
from pbem.cli.rulebooks import find_game, game_with_chart
from pbem.cli.terminal import harmless

app = typer.Typer()


@app.command()
def chart(
    name: Annotated[str, typer.Argument(help="A chart by its rule or its name, such as C6.")],
    game: Annotated[str, typer.Option(help="The game it belongs to; the first that has it.")] = "",
    of: Annotated[str, typer.Option(metavar="NAME", help="As this game on the server has it.")] = "",
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """Print a chart of a game as its rulebook has it, or as it was laid over the rulebook's for one game."""
    game = "" if of else game or game_with_chart(name)
    lines = (_of_server(config, of, name) if of else _of_rulebook(game, name)).rstrip("\n").split("\n")
    if as_json:
        print_json({"schema": "chart/1", "game": of or game, "chart": name, "lines": lines})
        return
    for line in lines:
        print(harmless(line))


def _of_rulebook(game: str, chart: str) -> str:
    rules = find_game(game)
    text = rules.rulebook.chart(chart)
    if text is None:
        raise Stop(f"{game} has no chart {chart!r}; there are: {', '.join(rules.rulebook.charts())}")
    return text


def _of_server(config: Path, name: str, chart: str) -> str:
    """A chart as the edition of a game on this server has it, overlays and all."""
    from pbem.cli.server.assembly import opened
    from pbem.server.service import edition_of

    with opened(config) as server, server.work() as work:
        rules, edition = edition_of(work, name)
    text = rules.rulebook.chart(chart, edition)
    if text is None:
        raise Stop(f"{name} has no chart {chart!r}; there are: {', '.join(rules.rulebook.charts())}")
    return text
