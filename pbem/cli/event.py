"""`pbem event`: found, show and direct tournaments, and write their pages."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import CommandError
from pbem.cli.options import HERE, Config, check_language
from pbem.cli.output import AsJson, moment_as_cell, print_json, print_rows
from pbem.cli.rulebooks import games, use_folder
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import msg, plain_english
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly, sites
    from pbem.tournaments import cards, exports, founding, record, rulings, running, seeding, time_report
    from pbem.tournaments.arithmetic.rules import ends, reading


if TYPE_CHECKING:
    from pbem.runtime.transaction import Server
    from pbem.tournaments.arithmetic.rules.reading import Objection
    from pbem.tournaments.arithmetic.rules.records import TournamentRules

app = typer.Typer(no_args_is_help=True, help="Hold tournaments by mail: rules from a file, draws from the log.")


@app.command()
def new(
    name: EventName,
    file: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Its rules, as cup60.toml.")],
    director: Annotated[str, typer.Option(metavar="ADDRESS", help="Who directs it by letter.")],
    language: Annotated[str, typer.Option(help="en or es: of the letters to the director.")] = "en",
    config: Config = HERE,
) -> None:
    """Found a tournament.

    Entrants come by letter (JOIN), and the rest goes by itself.
    """
    settings = assembly.load_settings(config)
    use_folder(settings.games.folder)
    with assembly.open_for_command(settings) as server:
        rules = _rules(server, file)
        conduct = (file.parent / rules.code).read_text("utf-8") if rules.code else ""
        request = founding.NewTournament(name, rules, conduct, director, language, games())
        with server.work() as tx:
            event = founding.create_tournament(tx, request)
            _print_durations(rules, event.phases)
    show(name, config=config)


def _rules(server: Server, file: Path) -> TournamentRules:
    """Read the rules of a file; raise CommandError with every fault and the way out."""
    server_check = founding.server_check(server, games())

    def check(rules: TournamentRules) -> Iterator[Objection]:
        yield from server_check(rules)
        yield from _conduct_objections(file, rules.code)

    try:
        return reading.read_rules(file.read_text("utf-8"), file.name, check)
    except reading.RulesRefused as refused:
        raise CommandError(str(refused)) from refused
    except UnicodeDecodeError as error:
        raise CommandError(f"{file.name} is no text in UTF-8") from error


def _conduct_objections(file: Path, named: str) -> Iterator[Objection]:
    """Yield the objection to a code of conduct that is not beside the rules."""
    path = file.parent / named
    try:
        if named:
            path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        advice = msg("write the code of conduct there, or {line} where there is none", line='code = ""')
        yield "code", msg("{file} cannot be read", file=str(path)), advice


def _print_durations(rules: TournamentRules, phases: int) -> None:
    """Print how long rounds may take, before anybody enters."""
    for index, stage in enumerate(rules.stage):
        end = ends.latest_round_end(rules, phases, index)
        print(
            f"stage {index + 1}, {stage.format}: a game of {phases} phases a side is over after {end.days} days for "
            "certain"
        )
        if end.tables > 1:
            price = ends.duration_cost(rules, phases, index)
            print(f"    sides {stage.sides}: {price.board} days where one table would take {price.alone}")
    for sentence in founding.stage_notes(rules):
        print(plain_english(sentence))
    print(f"all of it takes {ends.longest_duration_in_days(rules, phases)} days at most")


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all tournaments.

    Shows state, entrants, the round that is played, and when each is looked at next.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        lines = cards.list_tournaments(tx)
    if as_json:
        print_json("tournaments/1", tournaments=lines)
    elif not lines:
        print("No tournaments yet. Found one: pbem event new NAME --file RULES.toml --director ADDRESS")
    else:
        print_rows(cards.TournamentLine, lines)


EventName = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name on this server, such as cup60.")]


@app.command()
def show(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one tournament.

    Shows entrants and where they write to, teams, rounds, boards and results.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        card = cards.show_tournament(tx, name)
        address = server.director_address(record.tournament_by_name(tx.session, name))
    if as_json:
        print_json("tournament/1", card)
        return
    print(
        f"{card.name}: {card.title}, {card.scenario}, {card.state}" + (f" ({card.held_why})" if card.held_why else "")
    )
    print(f"rules {card.rules}")
    print(f"director {card.director}, who writes to {address}")
    if card.next is not None:
        print(f"looked at next: {moment_as_cell(card.next)}")
    if card.entrants:
        print_rows(cards.EntrantLine, card.entrants)
    if card.teams:
        print_rows(cards.TeamLine, card.teams)
    for row in card.rounds:
        print(f"{row.name}: {row.state}, list shuts {moment_as_cell(row.list_shuts)}, ends {moment_as_cell(row.ends)}")
        if row.boards:
            print_rows(cards.BoardLine, row.boards)
    if card.challenges:
        print_rows(cards.ChallengeLine, card.challenges)


@app.command()
def standings(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show how all stand in the stage that is played, with what parts those level."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        lines, members = cards.list_ranks(tx, name), cards.list_members(tx, name)
    if as_json:
        print_json("standings/1", name=name, table=lines, members=members)
        return
    print_rows(cards.RankLine, lines)
    if members:
        print_rows(cards.MemberLine, members)


class ExportFormat(StrEnum):
    """The formats of an export."""

    TRF16 = "trf16"
    CSV = "csv"
    JSON = "json"


@app.command()
def export(
    name: EventName,
    form: Annotated[
        ExportFormat, typer.Option("--format", metavar="FORMAT", help="trf16 (FIDE's report), csv or json.")
    ] = ExportFormat.JSON,
    ranks: Annotated[bool, typer.Option("--standings", help="As csv: how all stand, in place of the results.")] = False,
    config: Config = HERE,
) -> None:
    """Print results and standings for other programs: FIDE's TRF16, CSV or JSON."""
    with assembly.open_for_command(config) as server, server.reading() as tx:
        if form is ExportFormat.JSON:
            results, table = exports.list_results(tx, name), cards.list_ranks(tx, name)
            print_json("results/1", name=name, results=results, table=table)
        elif form is ExportFormat.TRF16:
            print(exports.tournament_as_trf(tx, name), end="")
        else:
            print((exports.standings_as_csv if ranks else exports.results_as_csv)(tx, name), end="")


@app.command()
def times(name: EventName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show what time players took.

    Shows hours of their clocks, deadlines missed, and the longest wait.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        lines = time_report.list_times(tx, name)
    if as_json:
        print_json("times/1", name=name, players=lines)
    else:
        print_rows(time_report.TimeLine, lines)


@app.command()
def rule(
    name: EventName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "EXTEND R2 48h BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Direct a tournament: a ruling, numbered, logged, and told to all who play."""
    with assembly.open_for_command(config) as server:
        with server.work() as tx:
            event = record.tournament_by_name(tx.session, name)
            ruled = rulings.make_ruling(tx, event, rulings.read_ruling_line(tx, event, line))
        running.advance_tournaments(server)
    for sentence in ruled.sentences:
        print(plain_english(sentence))


@app.command()
def seed(
    name: EventName,
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, metavar="FILE", help="CSV: entrant,rating or email,rating.")
    ],
    because: Annotated[str, typer.Option("--because", metavar="WORDS", help="The reason.")],
    config: Config = HERE,
) -> None:
    """Seed a tournament from a list of ratings, before its first list shuts.

    It is one ruling, SEED. Addresses of the list that have not entered are left out, and counted.
    """
    with assembly.open_for_command(config) as server:
        with server.work() as tx:
            event = record.tournament_by_name(tx.session, name)
            listed = seeding.read_seed_list(tx, event, file.read_text("utf-8"), because)
            ruled = rulings.make_ruling(tx, event, rulings.read_ruling_line(tx, event, listed.line))
        running.advance_tournaments(server)
    for sentence in ruled.sentences:
        print(plain_english(sentence))
    if listed.others:
        print(f"Not entered, and left out: {len(listed.others)}.")


@app.command()
def archive(
    name: EventName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for NAME.html.")],
    language: Annotated[
        str, typer.Option(metavar="LANG", help="In which language NAME.html is; others beside.")
    ] = "en",
    config: Config = HERE,
) -> None:
    """Write a tournament as a page.

    It has standings, crosstable and rounds, with links to the pages of games in the same folder.
    """
    with assembly.open_for_command(config) as server:
        check_language(language)
        try:
            out.mkdir(parents=True, exist_ok=True)
            games = [path.stem for path in out.glob(f"{name}-*.html")]
            sites.write_tournament(server, name, out, (language, games, ""))
        except OSError as wrong:
            raise CommandError(f"cannot write to {out}: {wrong.strerror}") from None
    for other_language in supported_languages():
        print(out / sites.tournament_page_file(name, other_language, language))
