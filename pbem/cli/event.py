"""`pbem event`: found tournaments, look at them, rule in them, and write them as pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.json_output import (
    AsJson,
    BoardRow,
    ChallengeRow,
    EntrantRow,
    MemberRow,
    RankRow,
    RoundRow,
    TeamRow,
    TournamentRow,
    instant,
    print_json,
)
from pbem.cli.options import HERE, Config, spoken
from pbem.cli.plain_output import moment, print_table
from pbem.cli.rulebooks import games, lay_beside
from pbem.engine.data.languages import known
from pbem.engine.data.messages import plain
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly, sites
    from pbem.tournaments import cards as tournament_cards
    from pbem.tournaments import founding, record, rulings, running
    from pbem.tournaments.arithmetic.rules import ends, reading


if TYPE_CHECKING:
    from pbem.runtime.transaction import Server
    from pbem.tournaments.arithmetic.rules.records import Rules
    from pbem.tournaments.cards import BoardLine, ChallengeLine, EntrantLine, RoundLine, TeamLine

app = typer.Typer(no_args_is_help=True, help="Hold tournaments by mail: rules from a file, draws from the log.")


@app.command()
def new(
    name: EventName,
    file: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Its rules, as cup60.toml.")],
    director: Annotated[str, typer.Option(metavar="ADDRESS", help="Who directs it by letter.")],
    language: Annotated[str, typer.Option(help="en or es: of the letters to the director.")] = "en",
    config: Config = HERE,
) -> None:
    """Found a tournament: entrants come by letter (JOIN), and the rest goes by itself."""
    read = assembly.settings(config)
    lay_beside(read.games.folder)
    with assembly.opened(read) as server:
        rules = _rules(server, file)
        conduct = _conduct(file, rules.code)
        wanted = founding.NewTournament(name, rules, conduct, director, language, games())
        with server.work() as work:
            event = founding.found(work, wanted)
            _say_the_price(rules, event.phases)
    show(name, config=config)


def _rules(server: Server, file: Path) -> Rules:
    """The rules of a file; Stop with every fault, its line and the way out."""
    try:
        return reading.read_rules(file.read_text("utf-8"), file.name, founding.against_here(server, games()))
    except reading.RulesRefused as refused:
        raise Stop(str(refused)) from refused
    except UnicodeDecodeError as wrong:
        raise Stop(f"{file.name} is no text in UTF-8") from wrong


def _conduct(file: Path, named: str) -> str:
    """The text of the code of conduct, which lies beside the rules; Stop if it is not there."""
    if not named:
        return ""
    path = file.parent / named
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as missing:
        raise Stop(f'{path} cannot be read: write the code of conduct there, or code = "" where there is none') from (
            missing
        )


def _say_the_price(rules: Rules, phases: int) -> None:
    """How long rounds may take, told before anybody enters."""
    for at, stage in enumerate(rules.stage):
        end = ends.certain_end(rules, phases, at)
        print(
            f"stage {at + 1}, {stage.format}: a game of {phases} phases a side is over after {end.days} days for "
            "certain"
        )
        if end.tables > 1:
            price = ends.price_of(rules, phases, at)
            print(f"    sides {stage.sides}: {price.board} days where one table would take {price.alone}")
        if not record.can_be_taken_over(rules, stage):
            print("    no seat is offered to those who wait: who leaves or falls silent loses his games")
    print(f"all of it takes {ends.length_in_days(rules, phases)} days at most")


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all tournaments: state, entrants, the round that is played, when each is looked at next."""
    with assembly.opened(config) as server, server.reading() as work:
        cards = tournament_cards.list_events(work)
    playing = {card.name: sum(one.state == "in" for one in card.entrants) for card in cards}
    if as_json:
        rows = [
            TournamentRow(
                name=card.name,
                title=card.title,
                state=card.state,
                entrants=playing[card.name],
                round=card.rounds[-1].name if card.rounds else None,
                next=instant(card.wake),
            )
            for card in cards
        ]
        print_json({"schema": "tournaments/1", "tournaments": rows})
        return
    if not cards:
        print("No tournaments yet. Found one: pbem event new NAME --file RULES.toml --director ADDRESS")
        return
    table = [("NAME", "TITLE", "STATE", "IN", "ROUND", "LOOKED AT NEXT")]
    for card in cards:
        round_ = card.rounds[-1].name if card.rounds else "-"
        table.append((card.name, card.title, card.state, str(playing[card.name]), round_, moment(card.wake)))
    print_table(table)


EventName = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name on this server, such as cup60.")]


@app.command()
def show(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one tournament: entrants and where they write to, teams, rounds, boards, results."""
    with assembly.opened(config) as server, server.reading() as work:
        card = tournament_cards.show_event(work, name)
    if as_json:
        print_json(
            {
                "schema": "tournament/1",
                "name": card.name,
                "title": card.title,
                "state": card.state,
                "held_why": card.held_why or None,
                "stage": card.stage,
                "rules": card.digest,
                "scenario": card.scenario,
                "director": card.director,
                "next": instant(card.wake),
                "entrants": [_entrant(one) for one in card.entrants],
                "teams": [_team(one) for one in card.teams],
                "rounds": [_round(one) for one in card.rounds],
                "challenges": [_challenge(one) for one in card.challenges],
            }
        )
        return
    print(
        f"{card.name}: {card.title}, {card.scenario}, {card.state}" + (f" ({card.held_why})" if card.held_why else "")
    )
    print(f"rules {card.digest}")
    print(f"director {card.director}, who writes to {card.address}")
    if card.wake is not None:
        print(f"looked at next: {moment(card.wake)}")
    if card.entrants:
        print_table(
            [("ENTRANT", "NAME", "STATE", "STRENGTH", "MAIL", "WRITES TO")]
            + [(e.entrant, e.name or "-", e.state, str(e.strength), e.email, e.address) for e in card.entrants]
        )
    if card.teams:
        print_table(
            [("TEAM", "NAME", "STATE", "STRENGTH", "CAPTAIN", "MEMBERS")]
            + [(t.team, t.name, t.state, str(t.strength), t.captain, " ".join(t.members) or "-") for t in card.teams]
        )
    for row in card.rounds:
        print(f"{row.name}: {row.state}, list shuts {moment(row.opens)}, ends {moment(row.ends)}")
        if row.boards:
            print_table(
                [("BOARD", "FIRST", "SECOND", "GAME", "STATE", "POINTS", "MARGIN", "HOW")]
                + [(b.board, b.first, b.second, b.game, b.state, b.points, str(b.margin), b.how) for b in row.boards]
            )
    if card.challenges:
        print_table([("ROUND", "CHALLENGER", "CHALLENGED", "CHALLENGE")] + [(*one,) for one in card.challenges])


def _entrant(one: EntrantLine) -> EntrantRow:
    return EntrantRow(
        entrant=one.entrant,
        name=one.name,
        state=one.state,
        strength=one.strength,
        email=one.email,
        address=one.address,
    )


def _team(one: TeamLine) -> TeamRow:
    return TeamRow(
        team=one.team,
        name=one.name,
        state=one.state,
        captain=one.captain,
        members=list(one.members),
        strength=one.strength,
    )


def _round(one: RoundLine) -> RoundRow:
    return RoundRow(
        name=one.name,
        attempt=one.attempt,
        state=one.state,
        list_shuts=instant(one.opens),
        draws=instant(one.draws),
        starts=instant(one.starts),
        ends=instant(one.ends),
        boards=[_board(board) for board in one.boards],
    )


def _challenge(one: ChallengeLine) -> ChallengeRow:
    return ChallengeRow(round=one.round, challenger=one.challenger, challenged=one.challenged, state=one.state)


def _board(one: BoardLine) -> BoardRow:
    return BoardRow(
        board=one.board,
        first=one.first,
        second=one.second,
        game=one.game,
        state=one.state,
        points=one.points,
        margin=one.margin,
        how=one.how,
    )


@app.command()
def standings(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show how all stand in the stage that is played, with what parts those level."""
    with assembly.opened(config) as server, server.reading() as work:
        lines, members = tournament_cards.ranks(work, name), tournament_cards.member_lines(work, name)
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


@app.command()
def rule(
    name: EventName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "EXTEND R2 48h BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Direct a tournament: a ruling, numbered, logged, and told to all who play."""
    with assembly.opened(config) as server:
        with server.work() as work:
            event = record.tournament_named(work.session, name)
            told = rulings.make(work, event, rulings.read(line))
        running.step(server)
    for sentence in told:
        print(plain(sentence))


@app.command()
def archive(
    name: EventName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for NAME.html.")],
    language: Annotated[
        str, typer.Option(metavar="LANG", help="In which language NAME.html is; others beside.")
    ] = "en",
    config: Config = HERE,
) -> None:
    """Write a tournament as a page: how all stand, crosstable, rounds; linked to the pages of games that lie there."""
    with assembly.opened(config) as server:
        spoken(language)
        try:
            out.mkdir(parents=True, exist_ok=True)
            games = [path.stem for path in out.glob(f"{name}-*.html")]
            sites.write_event(server, name, out, (language, games, ""))
        except OSError as wrong:
            raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    for one in known():
        print(out / sites.file_of(name, one, language))
