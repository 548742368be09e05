"""`pbem rating`: list the ratings of a pool, and count them again from the log."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import FINDING, FINE, USAGE
from pbem.cli.options import HERE, Config
from pbem.cli.output import AsJson, print_json, print_rows, print_table
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.tournaments import cards, ratings

app = typer.Typer(no_args_is_help=True, help="Look at ratings, and count them again from the log.")


Pool = Annotated[str, typer.Argument(metavar="POOL", help="One pool, as rules of tournaments name it; else all.")]


@app.command("list")
def list_all(
    pool: Pool = "",
    everybody: Annotated[bool, typer.Option("--all", help="Those too who let nobody see it.")] = False,
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """List who is rated and lets it be seen, the strongest of each pool first."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        lines = cards.list_ratings(tx, pool, everybody)
    if as_json:
        print_json("ratings/1", ratings=lines)
    elif not lines:
        print("Nobody is listed. Rules of tournaments name a pool; SET RATING PUBLIC lets a player's rating be seen.")
    else:
        print_rows(cards.RatingLine, lines)


@app.command()
def replay(pool: Pool = "", as_json: AsJson = False, config: Config = HERE) -> None:
    """Count every month of ratings again from the log, and compare to the last digit.

    Ends with 0 if all are the same, 1 if one is not, 2 if one cannot be counted again.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        periods = tuple(ratings.replay_ratings(tx, pool))
    same = [period.same for period in periods]
    if as_json:
        print_json("recounted/1", periods=periods)
    else:
        words = {True: "the same", False: "DIFFERS", None: "not countable"}
        print_table(
            [("POOL", "MONTH", "GAMES", "PEOPLE", "COUNTED AGAIN")]
            + [
                (period.pool, period.period, str(period.games), str(period.people), words[period.same])
                for period in periods
            ]
        )
        for period in periods:
            for why in period.wrong:
                print(f"{period.pool} {period.period}: {why}")
    raise typer.Exit(FINDING if False in same else USAGE if None in same else FINE)
