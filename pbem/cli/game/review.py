"""`pbem review`: a game that is over, told by its turning points, luck taken apart from choices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, GameName, spoken

app = typer.Typer()


@app.command()
def review(
    name: GameName,
    plays: Annotated[int, typer.Option(min=10, max=10_000, help="Games that are played from each position.")] = 60,
    language: Annotated[str, typer.Option(metavar="LANG", help="In which language it is told.")] = "en",
    config: Config = HERE,
) -> None:
    """Tell which phases turned a game that is over, by orders or by dice, as bots play on from its positions.

    It takes minutes. The same game and the same number of plays give the same words.
    """
    from pbem.cli.desks import says
    from pbem.cli.server.assembly import opened
    from pbem.engine.data.messages import plain
    from pbem.engine.review import Plays
    from pbem.play.commands.questions import turning_points
    from pbem.play.positions import game_named

    with opened(config) as server:
        spoken(language)
        try:
            with server.reading() as work:
                asked = turning_points.gather(work, game_named(work.session, name))
        except turning_points.NoReview as wrong:
            raise Stop(plain(wrong.why)) from None
        wanted = Plays(plays, 2 * plays)
        found = turning_points.review(asked, wanted, _progress())
        for depth, said in turning_points.lines(server, asked, found, wanted):
            print("  " * depth + says(asked.rules.name, language, said))


def _progress() -> Callable[[int, int], None]:
    """Tell on a terminal how far it is."""
    shown = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if shown:
            sys.stderr.write(f"\r{done:,} of {total:,} games" + ("\n" if done >= total else ""))
            sys.stderr.flush()

    return tell
