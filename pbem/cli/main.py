"""The command `pbem`: what it can do, and what each of its words means.

The libraries of the database and of the daemon take a second to load: commands fetch them when they run, so that
``pbem --help`` answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from pbem import __version__
from pbem.cli import ends, logs, offline, witness
from pbem.cli.settings import FILE_NAME

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    help="Board wargames by e-mail: players write orders, the server adjudicates them and mails the reports.",
    epilog="See it work on this machine, without any mail account: pbem demo",
)
game_app = typer.Typer(no_args_is_help=True, help="Set games up and look at them.")
seat_app = typer.Typer(no_args_is_help=True, help="Give people their places at the table.")
mail_app = typer.Typer(no_args_is_help=True, help="Letters without a mailbox.")
app.add_typer(game_app, name="game")
app.add_typer(seat_app, name="seat")
app.add_typer(mail_app, name="mail")
app.add_typer(logs.app, name="log")

Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The server's settings.")]
GameName = Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server, such as ceuta-1.")]
HERE = Path(FILE_NAME)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pbem {__version__}")
        raise typer.Exit


@app.callback()
def _pbem(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which one.")
    ] = False,
) -> None:
    pass


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the server is to live; made if missing.")] = Path(),
) -> None:
    """Write pbem.toml, to be filled in, and the server's secret key. Nothing that exists is overwritten."""
    from pbem.cli.setup import init_server

    init_server(folder)


@app.command()
def serve(config: Config = HERE) -> None:
    """Run the server: take letters in, keep the deadlines, send the answers. Ends cleanly on Ctrl-C or SIGTERM."""
    from pbem.cli.serve import serve_until_stopped

    serve_until_stopped(config)


@app.command()
def doctor(
    resolver: Annotated[str, typer.Option(metavar="HOST[:PORT]", help="Whom to ask for SPF, DKIM and DMARC.")] = "",
    dkim: Annotated[str, typer.Option(metavar="SELECTOR", help="The selector your mail server signs with.")] = "",
    letter: Annotated[bool, typer.Option("--letter", help="Send a letter to the server itself and await it.")] = False,
    config: Config = HERE,
) -> None:
    """Look at everything a server needs and say what to do. Ends with 1 if something is wrong."""
    from pbem.cli.doctor import look

    look(config, resolver, dkim, letter)


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep database and letters here.")] = None,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns to play; all of them without this.")] = None,
    game: Annotated[str, typer.Option(help="The game to play; the first that has a demo.")] = "",
    seconds: Annotated[float, typer.Option(min=5, help="Give up after so many seconds.")] = 300,
    verbose: Annotated[bool, typer.Option("--verbose", help="A line for every letter.")] = False,
) -> None:
    """Play a game by mail on this machine: a mail server, the daemon, and two players who write letters."""
    from pbem.cli.demo import run_demo

    run_demo(game=game, out=out, turns=turns, seconds=seconds, verbose=verbose)


@app.command()
def simulate(
    game: Annotated[str, typer.Option(help="The game to play; the first that can be simulated.")] = "",
    games: Annotated[int, typer.Option(min=1, help="Games of each mode.")] = 10,
    seed: Annotated[int, typer.Option(help="What the games follow from.")] = 1,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns to play; all of them without this.")] = None,
) -> None:
    """Play games between bots on a moved clock: how many letters and days they take, by how much is asked."""
    from pbem.cli.simulate import simulate as run

    run(game=game, games=games, seed=seed, turns=turns)


@app.command()
def chart(
    name: Annotated[str, typer.Argument(help="A chart by its rule or its name, such as C6.")],
    game: Annotated[str, typer.Option(help="The game it belongs to; the first that has it.")] = "",
    of: Annotated[str, typer.Option(metavar="NAME", help="As this game on the server has it.")] = "",
    config: Config = HERE,
) -> None:
    """Print a chart of a game as its rulebook has it, or as it was laid over the rulebook's for one game."""
    from pbem.cli.wiring import find_game, game_with_chart

    if of:
        from pbem.cli.games import show_chart

        show_chart(config, of, name)
        return
    rules = find_game(game or game_with_chart(name))
    text = rules.rulebook.chart(name)
    if text is None:
        raise ends.Stop(f"{game} has no chart {name!r}; there are: {', '.join(rules.rulebook.charts())}")
    typer.echo(text.rstrip("\n"))


@app.command()
def replay(name: GameName, config: Config = HERE) -> None:
    """Resolve a whole game again from its stored orders and dice, and compare. Ends with 1 if anything differs."""
    from pbem.cli.games import replay_game

    replay_game(config, name)


@game_app.command("new")
def game_new(
    name: GameName,
    scenario: Annotated[str, typer.Option(help="What to play; a wrong one gets the list.")],
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
    beacon: Annotated[str, typer.Option(help="What the dice wait for besides the orders: none or quicknet.")] = "",
    delta: Annotated[
        int | None, typer.Option(min=0, max=86_400, metavar="SECONDS", help="From the close to the beacon's round.")
    ] = None,
    open_seats: Annotated[bool, typer.Option("--open", help="Whoever asks by letter (JOIN) gets a free seat.")] = False,
    moderator: Annotated[str, typer.Option(metavar="ADDRESS", help="Who moderates it by letter.")] = "",
    config: Config = HERE,
) -> None:
    """Make a new game; its seats are then invited one by one. The pace comes from the settings unless told here."""
    from pbem.cli.games import new

    pace = {"zone": zone, "hour": hour, "weekdays": weekdays, "grace": grace, "undo": undo}
    told = {key: value for key, value in pace.items() if value is not None}
    dice = [f"beacon={beacon}"] * bool(beacon) + ([] if delta is None else [f"delta={delta}"])
    agreed = [*(term or []), *dice]
    new(config, name, game, scenario, option or [], overlay or [], told, agreed, open_seats, moderator)


@game_app.command("rule")
def game_rule(
    name: GameName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "PROCESS T3.spain BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Moderate a game: a ruling, numbered and told to all players; PREDICT and EXPORT only look."""
    from pbem.cli.games import moderate

    moderate(config, name, line)


@game_app.command("moderator")
def game_moderator(
    name: GameName,
    email: Annotated[
        str, typer.Argument(metavar="[ADDRESS]", help="The moderator's mail address; no player sees it.")
    ] = "",
    language: Annotated[str, typer.Option(help="en or es.")] = "en",
    zone: Annotated[str, typer.Option(help="The moderator's time zone, such as Europe/Madrid.")] = "UTC",
    plays: Annotated[bool, typer.Option("--plays", help="He may have a seat too: all players are told.")] = False,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Another address to write to; the old one is worthless.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Nobody moderates it by letter any more.")] = False,
    config: Config = HERE,
) -> None:
    """Let somebody moderate a game by letter: he is written to, the players are told, his address is printed."""
    from pbem.cli.games import moderator

    if bool(email) + rotate + remove != 1:
        raise ends.Stop("one of them: ADDRESS, --rotate, --remove")
    change = "remove" if remove else "rotate" if rotate else ""
    moderator(config, name, email, language, zone, plays, change)


@game_app.command("witness")
def game_witness(
    name: GameName,
    email: Annotated[str, typer.Argument(metavar="[ADDRESS]", help="Whom to ask; without one they are listed.")] = "",
    language: Annotated[str, typer.Option(help="en or es.")] = "en",
    remove: Annotated[bool, typer.Option("--remove", help="Ask him no more.")] = False,
    config: Config = HERE,
) -> None:
    """Ask a friend of the players to be a witness of a game with a beacon; list who is, and what he saw last."""
    from pbem.cli.game_witness import witness as run

    run(config, name, email, language, remove)


@app.command()
def patch(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME...]", help="Games; all that have begun.")] = None,
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
    from pbem.cli.patch import patch_games

    patch_games(config, games or (), to, because)


@game_app.command("list")
def game_list(config: Config = HERE) -> None:
    """List all games: rules, scenario, state, phase and deadline."""
    from pbem.cli.games import list_all

    list_all(config)


@game_app.command("show")
def game_show(name: GameName, config: Config = HERE) -> None:
    """Show one game: its seats, what it waits for, and what is due."""
    from pbem.cli.games import show

    show(config, name)


@game_app.command("dice")
def game_dice(name: GameName, config: Config = HERE) -> None:
    """Tell the faces of all dice of a game, how lucky each side was, and what speaks against fair dice."""
    from pbem.cli.luck import show_dice

    show_dice(config, name)


@game_app.command("start")
def game_start(name: GameName, config: Config = HERE) -> None:
    """Start a game all of whose seats are taken: the first reports go out."""
    from pbem.cli.games import start

    start(config, name)


@game_app.command("resume")
def game_resume(name: GameName, config: Config = HERE) -> None:
    """Let a held game go on, once what held it is mended. Its phase closes when it was to, or at once."""
    from pbem.cli.games import resume

    resume(config, name)


@seat_app.command("invite")
def seat_invite(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    email: Annotated[str, typer.Argument(help="The player's mail address.")],
    person: Annotated[str, typer.Option("--name", help="What to call the player.")] = "",
    language: Annotated[str, typer.Option(help="en or es.")] = "en",
    zone: Annotated[str, typer.Option(help="The player's time zone, such as Europe/Madrid.")] = "UTC",
    config: Config = HERE,
) -> None:
    """Give a seat to somebody: a letter with the seat's own address is queued, and that address printed."""
    from pbem.cli.games import invite

    invite(config, name, seat, email, person, language, zone)


@seat_app.command("rotate")
def seat_rotate(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    config: Config = HERE,
) -> None:
    """Give a seat another address, if somebody else knows the old one: its player is written to, and it is printed."""
    from pbem.cli.games import rotate

    rotate(config, name, seat)


@mail_app.command("deliver")
def mail_deliver(
    file: Annotated[Path, typer.Argument(metavar="FILE.eml", exists=True, dir_okay=False, help="A letter as mailed.")],
    config: Config = HERE,
) -> None:
    """Take one letter in as if it had come by mail, and print the answer. Ends with 1 if it was refused.

    Phases that close by it are resolved at once; what players are then written is sent by `pbem serve`.
    """
    from pbem.cli.games import deliver_letter

    deliver_letter(config, file)


@mail_app.command("read")
def mail_read(
    email: Annotated[str, typer.Argument(help="The address that was written to.")],
    config: Config = HERE,
) -> None:
    """Print the last letter that the server wrote to somebody, sent or not."""
    from pbem.cli.games import read_letter

    read_letter(config, email)


@mail_app.command("queue")
def mail_queue(config: Config = HERE) -> None:
    """List the letters that are not delivered: those that wait for their next try, and those given up."""
    from pbem.cli.letters import show_queue

    show_queue(config)


@mail_app.command("resend")
def mail_resend(
    game: Annotated[str, typer.Argument(metavar="[GAME", help="The game of the seat.")] = "",
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose report.")] = "",
    turn: Annotated[str, typer.Argument(metavar="[TURN]]", help="Which report, such as T3; else the last.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="All letters that were given up.")] = False,
    config: Config = HERE,
) -> None:
    """Send a seat's report once more, the same letter as before; or all letters that were given up."""
    from pbem.cli.letters import resend_letters

    resend_letters(config, game, seat, turn, failed)


offline.register(app)
witness.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (the process's own without `arguments`); ends in SystemExit."""
    ends.run(lambda: _words()(None if arguments is None else list(arguments), prog_name="pbem"))


@cache
def _words() -> Callable[..., object]:
    """All commands, made from the functions above: once for a process, as it takes as long as many a command."""
    return typer.main.get_command(app)
