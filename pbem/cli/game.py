"""`pbem game`: set up, show, moderate, begin, resume and delete games.

Each command opens the database of a server, asks the layers below, and prints.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import options
from pbem.cli.exit_codes import CommandError, on_one_line
from pbem.cli.options import HERE, Config, GameName, check_language, confirm_by_typing, read_name_value_pairs
from pbem.cli.output import AsJson, moment_as_cell, print_json, print_rows, print_table, table_cell
from pbem.cli.rulebooks import (
    find_game,
    game_of_scenario,
    games,
    own_charts,
    scenarios_of,
    shipped_scenarios,
    use_folder,
)
from pbem.engine.data.messages import plain_english
from pbem.engine.data.sources import SourceError
from pbem.lazy import lazily
from pbem.runtime.terms import Terms

with lazily():
    from pbem.cli import assembly
    from pbem.log import witnesses
    from pbem.play import holds, positions
    from pbem.play.commands.questions import dice_luck
    from pbem.play.commands.table import founding
    from pbem.play.rulings import appointment, moderator_letter, ruling_lines
    from pbem.server import game_cards
    from pbem.store import queries


if TYPE_CHECKING:
    from pbem.engine.game import AnyGame

app = typer.Typer(no_args_is_help=True, help="Set games up and look at them.")


def _shipped_scenarios() -> str:
    """Return the shipped scenarios of all games, by file name."""
    return ", ".join(name for game in games() for name in shipped_scenarios(game))


@app.command()
def new(
    name: GameName,
    scenario: Annotated[str, typer.Option(help=f"What to play: {_shipped_scenarios()}. `pbem scenarios` tells more.")],
    game: Annotated[str, typer.Option(help="Whose rules; those that have the scenario.")] = "",
    option: options.RuleOptions = None,
    overlay: Annotated[
        list[str] | None, typer.Option(metavar="CHART=FILE", help="A chart of your own in place of the rulebook's.")
    ] = None,
    zone: options.Zone = None,
    hour: options.Hour = None,
    weekdays: options.Weekdays = None,
    grace: options.Grace = None,
    undo: options.Undo = None,
    term: options.TermWords = None,
    beacon: options.BeaconName = "",
    delta: options.Delta = None,
    open_seats: options.OpenSeats = False,
    bot: options.Bots = None,
    moderator: options.Moderating = "",
    config: Config = HERE,
) -> None:
    """Make a new game.

    Its seats are then invited one by one. The pace comes from the settings unless given here.
    """
    settings = assembly.load_settings(config)
    use_folder(settings.games.folder)
    game = game or game_of_scenario(scenario)
    _check_scenario(game, scenario)
    pace = options.pace_of(settings, {"zone": zone, "hour": hour, "weekdays": weekdays, "grace": grace, "undo": undo})
    terms = options.terms_of(settings, name, term or (), beacon, delta)
    chosen = read_name_value_pairs(option or (), "an option reads NAME=VALUE")
    for word in chosen.keys() & Terms._fields:
        raise CommandError(f"{word} is no option of the rules but a term: --term {word}={chosen[word]}")
    charts_here = own_charts(settings.games.folder, game)
    files = {**charts_here, **read_name_value_pairs(overlay or (), "an overlay reads CHART=FILE")}
    charts = _chart_files(find_game(game), scenario, chosen, files)
    with assembly.open_for_command(settings) as server, server.work() as tx:
        founding.new_game(
            tx,
            founding.NewGame(
                name=name,
                game=game,
                scenario=scenario,
                options=chosen,
                overlay=charts,
                pace=pace,
                terms=terms,
                open_seats=open_seats,
                bots=bot or (),
            ),
        )
        if moderator:
            appointment.appoint(tx, appointment.Appointment(game=name, email=moderator, zone=pace.zone))
    if terms.beacon == "none" and (why := options.why_no_beacon(settings, terms)):
        print(f"Its dice wait for no beacon, so that whoever has the keys could foresee them: {why}.")
    if charts_here:
        print(f"It is played by charts from {settings.games.folder}: {', '.join(charts_here)}.")
    print(f"{name} is set up. Next: pbem seat invite {name} SEAT ADDRESS, for each of its seats:")
    show(name, config=config)


def _check_scenario(game: str, scenario: str) -> None:
    shipped = find_game(game).editions()
    if scenario not in scenarios_of(find_game(game)):
        titles = (f"{name} ({plain_english(title)})" for name, title in sorted(shipped.items()))
        raise CommandError(f"{game} has no scenario {scenario!r}; there are: {', '.join(titles)}")


def _chart_files(rules: AnyGame, scenario: str, options: Mapping[str, str], files: Mapping[str, str]) -> dict[str, str]:
    """Read the chart texts.

    Raise CommandError with file, line and reason if the game cannot use one.
    """
    charts = {}
    for name, file in files.items():
        try:
            charts[name] = Path(file).read_text("utf-8")
        except OSError as wrong:
            raise CommandError(f"{file} cannot be read: {wrong.strerror}") from None
        except UnicodeDecodeError:
            raise CommandError(f"{file} is not text in UTF-8") from None
    try:
        rules.edition(scenario, options, charts)
    except SourceError as wrong:
        # Its own name for the chart means nothing to whoever gave us a file.
        file = files.get(wrong.file.rpartition(".")[0], wrong.file)
        own = rules.shelf.own(scenario) if rules.shelf is not None else None
        if own and wrong.file == f"{scenario}.toml":
            file = str(own.joinpath("scenarios", wrong.file))
        raise CommandError(str(SourceError(file, wrong.line, wrong.reason))) from None
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None
    return charts


@app.command()
def rule(
    name: GameName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "PROCESS T3.spain BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Moderate a game by a ruling.

    It is numbered, and all players are told. PREDICT and EXPORT only look.
    """
    with assembly.open_for_command(config) as server, server.work() as tx:
        question = moderator_letter.read_only_question(line)
        if question == "export":
            print(json.dumps(moderator_letter.export_game(tx.session, name), ensure_ascii=False, indent=1))
            return
        if question:
            sentences = moderator_letter.predict_closing(tx, name)
        else:
            sentences = ruling_lines.make_ruling(tx, name, ruling_lines.LINES.read_written(line)).sentences
    for sentence in sentences:
        print(plain_english(sentence))


@app.command()
def moderator(
    name: GameName,
    email: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="The moderator's mail address; no player sees it.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    zone: Annotated[str, typer.Option(help="The moderator's time zone, such as Europe/Madrid.")] = "UTC",
    plays: Annotated[bool, typer.Option("--plays", help="He may have a seat too: all players are told.")] = False,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Another address to write to; the old one is worthless.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Nobody moderates it by letter any more.")] = False,
    config: Config = HERE,
) -> None:
    """Let somebody moderate a game by letter.

    The moderator gets a letter and all players are told; the moderator's address is printed.
    """
    if bool(email) + rotate + remove != 1:
        raise CommandError("one of them: ADDRESS, --rotate, --remove")
    with assembly.open_for_command(config) as server, server.work() as tx:
        if remove:
            appointment.dismiss_moderator(tx, name)
        elif rotate:
            print(appointment.rotate_moderator(tx, name))
        else:
            print(
                appointment.appoint(
                    tx, appointment.Appointment(game=name, email=email, language=language, zone=zone, plays=plays)
                )
            )


@app.command()
def witness(
    name: GameName,
    email: Annotated[str, typer.Argument(metavar="ADDRESS", help="Whom to ask; without one they are listed.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    remove: Annotated[bool, typer.Option("--remove", help="Ask him no more.")] = False,
    config: Config = HERE,
) -> None:
    """Ask a friend of the players to witness a game with a beacon.

    Without an address it lists the witnesses and what each saw last.
    """
    if remove and not email:
        raise CommandError("whom? --remove goes with an address")
    with assembly.open_for_command(config) as server, server.work() as tx:
        game = positions.lock_game(tx.session, name)
        if email and not remove:
            witnesses.appoint(tx, game, email, None, check_language(language))
        active = queries.log.active_witnesses(tx.session, name) if remove else ()
        mine = [row for row in active if row.email == email.casefold()]
        if remove and not mine:
            raise CommandError(f"{email} is no witness of {name}")
        for row in mine:
            witnesses.dismiss(tx, game, row)
        for row in queries.log.active_witnesses(tx.session, name):
            last = queries.log.newest_cosignature(tx.session, row)
            seen = f"{last.size} leaves seen at {last.came:%Y-%m-%d %H:%M}" if last else "asked, no answer yet"
            print(f"{row.email}  {row.key or '-'}  {seen}")


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all games: rules, scenario, state, phase and deadline."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        lines = game_cards.list_games(tx.session)
    if as_json:
        print_json("games/1", games=lines)
    elif not lines:
        print("No games yet. Make one: pbem game new NAME --scenario SCENARIO")
    else:
        print_rows(game_cards.GameLine, lines)


@app.command()
def show(name: GameName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one game: its seats, what it waits for, and what is due."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        card, address = game_cards.show_game(tx, name), game_cards.moderator_address(tx, name)
    if as_json:
        print_json("game/1", card)
        return
    print(f"{card.name}: {card.game}, {card.scenario}, {card.state}")
    print(f"edition {card.edition}, dice {card.dice}")
    if card.held_because:
        print(f"held because of: {on_one_line(card.held_because)}")
    if card.phase:
        print(f"phase {card.phase}, until {moment_as_cell(card.deadline)}")
    if card.moderator:
        print(f"moderated by {card.moderator}, who writes to {address}")
    rows = [("SEAT", "PLAYER", "MAIL", "LANGUAGE", "ORDERS", "MISSED", "WRITES TO")]
    for seat in card.seats:
        orders = f"revision {seat.revision}" if seat.revision else "awaited" if seat.awaited else "-"
        email = f"{seat.email} (letters come back)" if seat.letters_come_back else table_cell(seat.email)
        player = seat.person or "nobody yet"
        rows.append((seat.seat, player, email, seat.language, orders, str(seat.missed), table_cell(seat.address)))
    print_table(rows)
    for phase, ruling in card.void:
        print(f"{phase} is void by ruling {ruling}")
    for due_at, kind, cause in card.due:
        print(on_one_line(f"{moment_as_cell(due_at)}  {kind} ({cause})"))


UNBOUNDED = 10**12
"""More steps of the rules than any game takes: on the operator's own machine nobody else waits."""


@app.command()
def dice(name: GameName, config: Config = HERE) -> None:
    """Count the faces of all dice of a game.

    Also tells how lucky each side was, and what speaks against fair dice.
    """
    with assembly.open_for_command(config) as server:
        with server.reading() as tx:
            gathered = dice_luck.gather_dice_page(tx, positions.lock_game(tx.session, name))
        for depth, sentence in dice_luck.dice_page_lines(server, gathered, UNBOUNDED):
            print("  " * depth + plain_english(sentence))


@app.command()
def start(name: GameName, config: Config = HERE) -> None:
    """Start a game all of whose seats are taken: the first reports go out."""
    settings = assembly.load_settings(config)
    with assembly.open_for_command(settings) as server:
        no_beacon = options.is_beacon_silent(server, settings, name)
        with server.work() as tx:
            founding.start_game(tx, name, dark=no_beacon)
    if no_beacon:
        print(f"No relay of the beacon answered: the dice of {name} wait for none (grade C), and all are told so.")
    show(name, config=config)


@app.command()
def resume(name: GameName, config: Config = HERE) -> None:
    """Let a held game go on, once its trouble is mended.

    Its phase closes when it was to, or at once.
    """
    with assembly.open_for_command(config) as server, server.work() as tx:
        holds.resume_game(tx, name)
    show(name, config=config)


@app.command()
def delete(
    name: GameName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Delete a game that has not begun or is over.

    Its letters and orders go too; its leaves of the log remain.
    """
    with assembly.open_for_command(config) as server:
        with server.session() as session:
            state = positions.lock_game(session, name).state
        if state in ("running", "held"):
            raise CommandError(
                f'{name} is being played. End it first: pbem game rule {name} "ADJUDICATE ... BECAUSE ..."'
            )
        print(f"{name} ({state}): orders, positions, reports and letters go for good; a backup is the way back.")
        print("What the log has of it stays, for the log is one for all games; nobody can replay it from here.")
        if not yes and not confirm_by_typing(f"Type {name} to delete it", name):
            raise CommandError("nothing was done")
        with server.work() as tx:
            game_cards.delete_game(tx, name)
    print(f"{name} is deleted. Another game cannot have its name.")
