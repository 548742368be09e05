"""`pbem rating replay`: ratings counted again from the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pbem.cli.columns import print_table
from pbem.cli.event_json import PeriodRow
from pbem.cli.exit_codes import FINDING, FINE, USAGE
from pbem.cli.json_output import AsJson, print_json
from pbem.cli.options import HERE, Config
from pbem.cli.rating.list import Pool

if TYPE_CHECKING:
    from pbem.tournaments.rating_replay import Recounted

app = typer.Typer()


@app.command()
def replay(pool: Pool = "", as_json: AsJson = False, config: Config = HERE) -> None:
    """Count every month of ratings again from the log, and compare to the last digit.

    Ends with 0 if all are the same, 1 if one is not, 2 if one cannot be counted again.
    """
    from pbem.cli.server.assembly import opened
    from pbem.tournaments.rating_replay import replay_ratings

    with opened(config) as server, server.reading() as work:
        found = tuple(replay_ratings(work, pool))
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
