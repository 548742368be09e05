"""Resolve stored games again: `pbem replay`, `pbem review`, `pbem patch`.

Replaying compares a whole game with what was stored; a review names the turning points of a game that is over; a patch
shows what the rules installed here would change in stored games, and applies it to one of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config, GameName, spoken
from pbem.engine.data.messages import plain
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly, pages
    from pbem.engine import review as engine_review
    from pbem.play import positions
    from pbem.play import replay as log_replay
    from pbem.play.commands.questions import review as game_review
    from pbem.play.rulings import ruling_lines
    from pbem.store import queries
    from pbem.wars import replay as war_replay


if TYPE_CHECKING:
    from pbem.play.rulings.ruling_lines import Checked

app = typer.Typer()


@app.command()
def replay(name: GameName, config: Config = HERE) -> None:
    """Resolve a whole game, or a war, again from its stored orders and dice. Ends with 1 if anything differs.

    Of a war each edition is made again from the end of the game before, and compared as well.
    """
    with assembly.opened(config) as server, server.reading() as work:
        results = (
            [*war_replay.replay_war(work, name)]
            if war_replay.is_war(work, name)
            else [(name, log_replay.replay(work, name))]
        )
        others = {
            game: log_replay.begun_otherwise(work, game) for game, result in results if result.difference is not None
        }
    for game, result in results:
        if result.difference is not None:
            phase, what, stored, now = result.difference
            by = f" ({other})" if (other := others[game]) else ""
            raise Stop(f"{phase} of {game} comes out otherwise{by}: {what} was {stored!r} and is {now!r}", FINDING)
        print(f"{game}: {result.phases} phase{'' if result.phases == 1 else 's'} resolved again, all the same")


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
    with assembly.opened(config) as server:
        spoken(language)
        try:
            with server.reading() as work:
                asked = game_review.gather(work, positions.game_named(work.session, name))
        except game_review.NoReview as wrong:
            raise Stop(plain(wrong.why)) from None
        wanted = engine_review.Plays(plays, 2 * plays)
        found = game_review.reckon_review(asked, wanted, _tell_progress())
        for depth, said in game_review.review_lines(server, asked, found, wanted):
            print("  " * depth + pages.says(asked.rules.name, language, said))


def _tell_progress() -> Callable[[int, int], None]:
    """Tell on a terminal how far it is."""
    shown = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if shown:
            sys.stderr.write(f"\r{done:,} of {total:,} games" + ("\n" if done >= total else ""))
            sys.stderr.flush()

    return tell


MOST = 100
"""Characters of what was and of what would be that a line shows."""


@app.command()
def patch(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="Games; all that have begun.")] = None,
    to: Annotated[str, typer.Option("--apply", metavar="GAME", help="Resolve its first such phase once more.")] = "",
    because: Annotated[str, typer.Option(metavar="REASON", help="With --apply: what its players are told.")] = (
        "the rules as they are read here were corrected"
    ),
    config: Config = HERE,
) -> None:
    """List which phases of stored games come out otherwise by the rules installed here; nothing is changed.

    A line for each phase, parted by tabs: game, phase, what differs first, as stored, as it would be. Ends with 1 if
    anything differs. With --apply the first such phase of one game is resolved once more, as READJUDICATE does.
    """
    if to and games:
        raise Stop("--apply names the one game that it is about; without it all games named are only looked at")
    if to:
        _apply_patch(config, to, because)
        return
    with assembly.opened(config) as server:
        with server.session() as session:
            wanted = games or tuple(queries.games.begun(session))
        found = []
        for name in wanted:
            # A transaction each: a server that runs is kept waiting by one game at a time.
            with server.work() as work:
                found.append(ruling_lines.check_rules(work, name))
    for one in found:
        _show_differences(one)
    differing = [one.game for one in found if one.differences]
    if differing:
        raise Stop(f"{len(differing)} of {len(found)} games come out otherwise: {', '.join(differing)}", FINDING)
    print(f"nothing differs: {sum(one.phases for one in found)} phases of {len(found)} games resolved again")


def _apply_patch(config: Path, name: str, because: str) -> None:
    with assembly.opened(config) as server, server.work() as work:
        ruled = ruling_lines.apply_rules(work, name, because)
    for sentence in ruled.sentences:
        typer.echo(plain(sentence))


def _show_differences(one: Checked) -> None:
    """A line for each phase that differs: game, phase, what differs, as stored, as it would be; parted by tabs."""
    for difference in one.differences:
        parts = (one.game, difference.phase, difference.what, _short(difference.stored), _short(difference.now))
        typer.echo("\t".join(parts))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST else text[: MOST - 3] + "..."
