"""`pbem game rule`: what a moderator's line says, done and told."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pbem.cli.options import HERE, Config, GameName
from pbem.engine.data.messages import plain

app = typer.Typer()


@app.command()
def rule(
    name: GameName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "PROCESS T3.spain BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Moderate a game: a ruling, numbered and told to all players; PREDICT and EXPORT only look."""
    from pbem.cli.server.assembly import opened
    from pbem.play.commands.questions import prediction
    from pbem.play.rulings import ruling_lines

    with opened(config) as server, server.work() as work:
        order = ruling_lines.read(line)
        if order.word == "EXPORT":
            print(json.dumps(prediction.export(work.session, name), ensure_ascii=False, indent=1))
            return
        looks = order.word in ruling_lines.LOOKS
        said = prediction.look(work, name) if looks else None
        told = said if said is not None else ruling_lines.rule(work, name, order).sentences
    for sentence in told:
        print(plain(sentence))
