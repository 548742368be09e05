"""`pbem rating`: list the ratings of a pool, and count them again from the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, FINE, USAGE
from pbem.cli.json_output import AsJson, PeriodRow, RatingRow, print_json
from pbem.cli.options import HERE, Config
from pbem.cli.plain_output import print_table
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.tournaments import cards, ratings


if TYPE_CHECKING:
    from pbem.tournaments.ratings import Recounted

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
    with assembly.opened(config) as server, server.reading() as work:
        lines = cards.list_ratings(work, pool, everybody)
    if as_json:
        rows = [
            RatingRow(
                pool=one.pool,
                period=one.period,
                log_name=one.log_name,
                name=one.name or None,
                points=one.points,
                deviation=one.deviation,
                public=one.public,
            )
            for one in lines
        ]
        print_json({"schema": "ratings/1", "ratings": rows})
        return
    if not lines:
        print("Nobody is listed. Rules of tournaments name a pool; SET RATING PUBLIC lets a player's rating be seen.")
        return
    print_table(
        [("POOL", "AFTER", "RATING", "DEVIATION", "NAME", "IN THE LOG")]
        + [(one.pool, one.period, str(one.points), str(one.deviation), one.name or "-", one.log_name) for one in lines]
    )


@app.command()
def replay(pool: Pool = "", as_json: AsJson = False, config: Config = HERE) -> None:
    """Count every month of ratings again from the log, and compare to the last digit.

    Ends with 0 if all are the same, 1 if one is not, 2 if one cannot be counted again.
    """
    with assembly.opened(config) as server, server.reading() as work:
        found = tuple(ratings.replay_ratings(work, pool))
    same = [not one.wrong if one.checkable else None for one in found]
    if as_json:
        rows = [_row(one, alike) for one, alike in zip(found, same, strict=True)]
        print_json({"schema": "recounted/1", "periods": rows})
    else:
        table = [("POOL", "MONTH", "GAMES", "PEOPLE", "COUNTED AGAIN")]
        words = {True: "the same", False: "DIFFERS", None: "not countable"}
        table += [
            (one.pool, one.period, str(one.games), str(one.people), words[alike])
            for one, alike in zip(found, same, strict=True)
        ]
        print_table(table)
        for one in found:
            for why in one.wrong:
                print(f"{one.pool} {one.period}: {why}")
    raise typer.Exit(FINDING if False in same else USAGE if None in same else FINE)


def _row(one: Recounted, same: bool | None) -> PeriodRow:
    return PeriodRow(
        pool=one.pool,
        period=one.period,
        games=one.games,
        people=one.people,
        digest=one.digest,
        same=same,
        wrong=list(one.wrong),
    )
