"""`pbem campaign`: set up wars of battles and camps, begin them and look at them."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli import options
from pbem.cli.exit_codes import CommandError
from pbem.cli.options import HERE, Config, read_name_value_pairs
from pbem.cli.output import AsJson, moment_as_cell, print_json, print_rows, print_table
from pbem.cli.rulebooks import find_game, games, use_folder, wars_of
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.play import seating
    from pbem.play.commands.table import founding
    from pbem.play.rulings import appointment
    from pbem.server import game_cards
    from pbem.wars import cards, declaring


app = typer.Typer(no_args_is_help=True, help="Set wars up, battles and camps in a chain, and look at them.")


@app.command()
def new(
    name: Annotated[str, typer.Option("--id", metavar="NAME", help="What to call it here, such as war-60.")],
    war: Annotated[str, typer.Option(help="Which war, by the name of its file.")],
    game: Annotated[str, typer.Option(help="Whose rules; those that have the war.")] = "",
    seat: Annotated[
        list[str] | None, typer.Option(metavar="SEAT=ADDRESS", help="A seat given to somebody, as spain=ana@mail.org.")
    ] = None,
    language: Annotated[
        str, typer.Option(metavar="LANG", help="en, es or one of the server's own: of those that seats are given to.")
    ] = "en",
    option: options.RuleOptions = None,
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
    """Make a war and its first battle.

    Seats are given once and go on from battle to camp to battle.
    """
    settings = assembly.load_settings(config)
    use_folder(settings.games.folder)
    pace = options.pace_of(settings, {"zone": zone, "hour": hour, "weekdays": weekdays, "grace": grace, "undo": undo})
    terms = options.terms_of(settings, name, term or (), beacon, delta)
    chosen = read_name_value_pairs(option or (), "an option reads NAME=VALUE")
    seat_addresses = read_name_value_pairs(seat or (), "a seat is given as SEAT=ADDRESS")
    request = declaring.NewWar(name, game or _game_of(war), war, chosen, pace, terms, open_seats, bot or ())
    with assembly.open_for_command(settings) as server, server.work() as tx:
        first = declaring.new_war(tx, request)
        for place, email in seat_addresses.items():
            seating.invite_seat(tx, seating.Invitation(first, place, email, language=language, zone=pace.zone))
        if moderator:
            appointment.appoint(tx, appointment.Appointment(game=first, email=moderator, zone=pace.zone))
    if terms.beacon == "none" and (why := options.why_no_beacon(settings, terms)):
        print(f"Its dice wait for no beacon, so that whoever has the keys could foresee them: {why}.")
    print(
        f"{name} is set up; its first battle is the game {first}. Seats that are free yet: pbem seat invite {first} "
        f"SEAT ADDRESS; then pbem campaign start {name}"
    )
    show(name, config=config)


def _game_of(war: str) -> str:
    """Return the game that has a war; raise CommandError unless exactly one does."""
    wars = {name: wars_of(find_game(name)) for name in games()}
    matches = [name for name, known in wars.items() if war in known]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise CommandError(f"{war} is a war of {' and of '.join(matches)}: say which with --game")
    lines = "; ".join(f"{name}: {', '.join(known)}" for name, known in wars.items() if known)
    raise CommandError(f"no game has a war {war!r}; there are: {lines}")


@app.command()
def start(name: WarName, config: Config = HERE) -> None:
    """Start a war all of whose seats are taken.

    The first reports go out; what follows begins by itself.
    """
    settings = assembly.load_settings(config)
    with assembly.open_for_command(settings) as server:
        with server.reading() as tx:
            first = cards.show_war(tx, name).games[0].game
        no_beacon = options.is_beacon_silent(server, settings, first)
        with server.work() as tx:
            founding.start_game(tx, first, dark=no_beacon)
    if no_beacon:
        print(f"No relay of the beacon answered: the dice of {name} wait for none (grade C), and all are told so.")
    show(name, config=config)


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all wars: rules, file, state, and the game that is played now."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        wars = cards.list_wars(tx)
    if as_json:
        print_json("wars/1", wars=wars)
    elif not wars:
        print("No wars yet. Make one: pbem campaign new --id NAME --war WAR")
    else:
        print_rows(cards.WarLine, wars)


WarName = Annotated[str, typer.Argument(metavar="NAME", help="The war's name on this server.")]


@app.command()
def show(name: WarName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one war: its battles and camps so far, how it stands, and who plays."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        card = cards.show_war(tx, name)
        played = game_cards.show_game(tx, card.played)
    if as_json:
        print_json("war/1", card)
        return
    print(f"{card.name}: {card.game}, war {card.war}, {card.state}")
    print_rows(cards.WarGameLine, card.games)
    for line in card.standing:
        print(line)
    if played.phase:
        print(f"{played.name} is played: phase {played.phase}, until {moment_as_cell(played.deadline)}")
    people = [("SEAT", "PLAYER", "MAIL", "WRITES TO")]
    people += [(s.seat, s.person or "nobody yet", s.email or "-", s.address or "-") for s in played.seats]
    print_table(people)
