"""`pbem campaign new`: a war set up, its seats still to be given."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.campaign.show import show
from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, pairs
from pbem.cli.rulebooks import find_game, games, lay_beside

app = typer.Typer()


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
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the rules.")] = None,
    zone: Annotated[str | None, typer.Option(help="Time zone of the deadlines, such as Europe/Madrid.")] = None,
    hour: Annotated[int | None, typer.Option(min=0, max=23, help="Hour of the deadlines.")] = None,
    weekdays: Annotated[str | None, typer.Option(metavar="DIGITS", help="Days with deadlines, 0 is Monday.")] = None,
    grace: Annotated[int | None, typer.Option(min=0, metavar="HOURS", help="At least so long for a phase.")] = None,
    undo: Annotated[int | None, typer.Option(min=0, metavar="MINUTES", help="To change one's mind in.")] = None,
    term: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="What differs from the usual terms of time.")
    ] = None,
    beacon: Annotated[
        str,
        typer.Option(help="What the dice wait for besides the orders, none or quicknet; else as the settings say."),
    ] = "",
    delta: Annotated[
        int | None, typer.Option(min=0, max=86_400, metavar="SECONDS", help="From the close to the beacon's round.")
    ] = None,
    open_seats: Annotated[bool, typer.Option("--open", help="Whoever asks by letter (JOIN) gets a free seat.")] = False,
    bot: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=BOT", help="A seat that a bot plays, as morocco=forward."),
    ] = None,
    moderator: Annotated[str, typer.Option(metavar="ADDRESS", help="Who moderates it by letter.")] = "",
    config: Config = HERE,
) -> None:
    """Make a war and its first battle; seats are given once and go on from battle to camp to battle."""
    from pbem.cli.agreed import dice_of, minute_of, pace_of, terms_of, why_foreseen
    from pbem.cli.server.assembly import opened, settings
    from pbem.play import seating
    from pbem.play.rulings import appointment
    from pbem.wars.declaring import NewWar, new_war

    read = settings(config)
    lay_beside(read.games.folder)
    pace = pace_of(read, {"zone": zone, "hour": hour, "weekdays": weekdays, "grace": grace, "undo": undo})
    terms = terms_of(read, [*minute_of(read, name), *(term or []), *dice_of(beacon, delta)])
    chosen = pairs(option or (), "an option reads NAME=VALUE")
    given = pairs(seat or (), "a seat is given as SEAT=ADDRESS")
    wanted = NewWar(name, game or _game_of(war), war, chosen, pace, terms, open_seats, bot or ())
    with opened(read) as server, server.work() as work:
        first = new_war(work, wanted)
        for place, email in given.items():
            seating.invite_seat(work, seating.Invitation(first, place, email, language=language, zone=pace.zone))
        if moderator:
            appointment.appoint(work, appointment.Appointment(game=first, email=moderator, zone=pace.zone))
    if terms.beacon == "none" and (why := why_foreseen(read, terms)):
        print(f"Its dice wait for no beacon, so that whoever has the keys could foresee them: {why}.")
    print(
        f"{name} is set up; its first battle is the game {first}. Seats that are free yet: pbem seat invite {first} "
        f"SEAT ADDRESS; then pbem campaign start {name}"
    )
    show(name, config=config)


def _game_of(war: str) -> str:
    """The game that has a war; Stop, with all wars there are, if none does or several do."""
    wars = {name: shelf.wars() for name in games() if (shelf := getattr(find_game(name), "shelf", None))}
    found = [name for name, known in wars.items() if war in known]
    if len(found) == 1:
        return found[0]
    if found:
        raise Stop(f"{war} is a war of {' and of '.join(found)}: say which with --game")
    listed = "; ".join(f"{name}: {', '.join(known)}" for name, known in wars.items() if known)
    raise Stop(f"no game has a war {war!r}; there are: {listed}")
