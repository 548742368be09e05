"""`pbem event standings`: how all stand in a tournament."""

from __future__ import annotations

import typer

from pbem.cli.columns import print_table
from pbem.cli.event.show import EventName
from pbem.cli.event_json import MemberRow, RankRow
from pbem.cli.json_output import AsJson, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def standings(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show how all stand in the stage that is played, with what parts those level."""
    from pbem.cli.server.assembly import opened
    from pbem.tournaments.cards import member_lines, ranks

    with opened(config) as server, server.reading() as work:
        lines, members = ranks(work, name), member_lines(work, name)
    if as_json:
        rows = [
            RankRow(rank=one.rank, entrant=one.entrant, name=one.name, points=one.points, values=dict(one.values))
            for one in lines
        ]
        made = [
            MemberRow(entrant=one.entrant, name=one.name, team=one.team, points=one.points, boards=one.boards)
            for one in members
        ]
        print_json({"schema": "standings/1", "name": name, "table": rows, "members": made})
        return
    table = [("RANK", "ENTRANT", "NAME", "POINTS", "TIES")]
    for one in lines:
        ties = ", ".join(f"{key} {value}" for key, value in one.values)
        table.append((str(one.rank), one.entrant, one.name or "-", one.points, ties or "-"))
    print_table(table)
    if members:
        print_table(
            [("MEMBER", "NAME", "TEAM", "POINTS", "BOARDS")]
            + [(m.entrant, m.name or "-", m.team, m.points, str(m.boards)) for m in members]
        )
