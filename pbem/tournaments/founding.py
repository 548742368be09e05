"""E2 Found a tournament: check its rules against this server, store and log it.

Its director is notified. Its tables are ordinary games, whose terms follow from the rules alone
(`terms_of`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from pbem.audit import beacon
from pbem.engine.bots import DiceFromSeed
from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame, PinnedEdition, has_secrets
from pbem.engine.run.runners import play
from pbem.letters import content
from pbem.mail.address import check_address
from pbem.play.seating import find_or_create_person
from pbem.runtime.clock import Pace
from pbem.runtime.stopped_time import write_spans
from pbem.runtime.terms import ACTIVATION_PACE, BEACON_CHOICES, INTERRUPT_REACTIONS, Terms
from pbem.runtime.transaction import Server, Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import entry, leaves, post, record, round_states
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.arithmetic.pairing.costs import MOST_WEIGHED
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.reading import Objection, digest_of_rules, rules_to_json
from pbem.tournaments.arithmetic.rules.records import StageRules, TournamentRules, most_entrants, scenarios_of

DUPLICATE, MIRROR = "duplicate", "mirror"
"""The words of the rules for a round with shared dice, and for boards with both sides."""

_QUICKLY_DRAWN = ("robin", "knockout", "double", "league")
"""Formats of which rounds of any size are drawn in seconds; the others weigh the pairs of all entrants."""

VERSION = 2
"""The version of the leaves of a new tournament."""

# A tournament's name: at most 11 characters, since the names of its games, of at most 20, begin with it.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,9}[a-z0-9])?")
_MOST_PHASES = 500
"""Phases after which a game counts as endless, as for bots (`autoplay.MOST_PHASES`)."""


class NewTournament(NamedTuple):
    """A requested tournament: name, rules, text of the code of conduct, director.

    `games` are the games whose scenarios are searched, where the rules name no game.
    """

    name: str
    rules: TournamentRules
    conduct: str
    director: str
    language: str = "en"
    games: tuple[str, ...] = ()


class TableGame(NamedTuple):
    """The game at the tables: rules, present edition and phases of one side."""

    game: str
    rules: AnyGame
    edition: PinnedEdition
    phases: int = 0

    @property
    def seats(self) -> Mapping[str, str]:
        """Return the sides of the scenario by seat."""
        return self.rules.seats(self.rules.start(self.edition))

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the sides of the scenario in order."""
        return tuple(dict.fromkeys(self.seats.values()))

    def seat_of(self, side: int) -> str:
        """Return the seat of the first side (0) or the second (1)."""
        return next(seat for seat, owner in self.seats.items() if owner == self.sides[side])


def table_game(tx: Transaction, event: tables.Tournament, scenario: str = "") -> TableGame:
    """Return the game at a tournament's tables, in the edition of its founding.

    Without a scenario it is that of `[table]`; the others have the same seats and sides.
    """
    rules = tx.server.plugins.games(event.system)
    digest = record.editions_of(event)[scenario] if scenario else event.edition
    return TableGame(event.system, rules, tx.server.edition(tx.session, rules, digest), event.phases)


def find_table_game(server: Server, rules: TournamentRules, names: tuple[str, ...] = ()) -> TableGame:
    """Return the game that the rules name; raise UserError if this server has none.

    `names` are the available games.
    """
    game_names = (rules.table.game,) if rules.table.game else names
    for name in game_names:
        try:
            game = server.plugins.games(name)
        # A game that this server does not have.
        except KeyError:
            continue
        if rules.table.scenario in game.editions():
            edition = game.edition(rules.table.scenario, {}, {})
            return TableGame(name, game, edition, _count_phases(game, edition))
    raise UserError(msg("No game here has the scenario {scenario}.", scenario=rules.table.scenario))


def games_of_stages(setup: TableGame, rules: TournamentRules) -> dict[str, TableGame]:
    """Return the games of all scenarios that stages may play, by scenario.

    `setup` is that of `[table]`.
    """
    games = {rules.table.scenario: setup}
    for scenario in scenarios_of(rules)[1:]:
        edition = setup.rules.edition(scenario, {}, {})
        games[scenario] = setup._replace(edition=edition, phases=_count_phases(setup.rules, edition))
    return games


def _count_phases(rules: AnyGame, edition: PinnedEdition) -> int:
    """Return the highest number of phases of one side in a game without any orders.

    It is counted once for each game and edition: when the rules are checked, and not again at the founding.
    """
    key = (id(rules), edition.digest)
    if key not in _PHASES:
        # The game is kept as well, so that no other gets its id.
        _PHASES[key] = (rules, _play_through(rules, edition))
    return _PHASES[key][1]


_PHASES: dict[tuple[int, str], tuple[AnyGame, int]] = {}


def _play_through(rules: AnyGame, edition: PinnedEdition) -> int:
    """Play a game without any orders, and return the most phases of one side."""
    state, counts = rules.start(edition), dict[str, int]()
    seats = rules.seats(state)
    for number in range(_MOST_PHASES):
        if rules.phase(state) is None:
            break
        for seat in rules.active(state):
            counts[seats[seat]] = counts.get(seats[seat], 0) + 1
        reactions: dict[str, Any] = {}
        world, dice = rules.world(state, reactions), DiceFromSeed(f"phases {number}")
        state = play(rules.rules, world, dice, rules.decisions(state, reactions, {})).state
    return max(counts.values(), default=1)


def server_check(server: Server, names: tuple[str, ...]) -> Any:
    """Return a `Check` of rules against this server: its games, zones and pools."""

    def check(rules: TournamentRules) -> Iterator[Objection]:
        yield from _time_objections(rules, server.clock.now())
        if rules.table.beacon not in BEACON_CHOICES:
            yield "table.beacon", msg("there is no such beacon"), msg("write one of: {words}", words=BEACON_CHOICES)
        elif rules.table.beacon != "none" and not beacon.is_library_installed():
            yield "table.beacon", msg("rounds of beacons cannot be checked here"), msg('install "pbem[beacon]"')
        if "luck" in rules.ties.order:
            yield "ties.order", msg("luck is not counted at the tables of a server"), msg("leave {key} out", key="luck")
        yield from _ranking_objections(rules)
        yield from _team_objections(rules)
        yield from _approval_objections(rules)
        yield from size_objections(rules)
        try:
            Terms.from_words(rules.table.terms)
        except ValueError as wrong:
            yield "table.terms", msg("{why}", why=str(wrong)), msg("write them as pbem game new has them")
        try:
            setup = find_table_game(server, rules, names)
        except UserError as broken:
            yield "table.scenario", broken.why, msg("pbem scenarios lists what there is")
            return
        if setup.rules.scored is None:
            yield "table.scenario", msg("its positions have no points"), msg("take a game that counts them")
        if len(setup.sides) != 2 or len(setup.seats) != 2:
            yield "table.scenario", msg("a table has two seats"), msg("take a scenario of two sides, a seat each")
        objections = tuple(_stage_scenario_objections(rules, setup))
        yield from objections
        if not objections:
            games = games_of_stages(setup, rules).values()
            yield from _shared_dice_objections(rules, games)
            yield from ends.short_round_objections(rules, max(game.phases for game in games))

    return check


def _stage_scenario_objections(rules: TournamentRules, setup: TableGame) -> Iterator[Objection]:
    """E2.2 Yield objections to battles that cannot be played.

    The game lacks them, or their seats are not those of `[table]`.
    """
    seats = [*setup.seats.items()]
    for number, stage in enumerate(rules.stage, start=1):
        for scenario in dict.fromkeys(stage.scenarios):
            if scenario not in setup.rules.editions():
                fault = msg("{game} has no scenario {scenario}", game=setup.game, scenario=scenario)
                yield f"stage {number}.scenarios", fault, msg("pbem scenarios lists what there is")
            elif [*setup._replace(edition=setup.rules.edition(scenario, {}, {})).seats.items()] != seats:
                fault = msg("{scenario} has other seats than {table}", scenario=scenario, table=rules.table.scenario)
                yield f"stage {number}.scenarios", fault, msg("take scenarios of the same seats and sides")


def _time_objections(rules: TournamentRules, now: datetime) -> Iterator[Objection]:
    """Yield objections to an unknown time zone and to a closing time in the past."""
    try:
        closes = record.closing_by_rules(rules)
        ZoneInfo(rules.zone)
    except (KeyError, ValueError, OSError):
        # An unknown zone is a KeyError; a name that is no path, or that of a folder, raises the others.
        yield "zone", msg("there is no such time zone"), msg("write one as Europe/Madrid")
        return
    if closes is not None and closes <= now:
        yield "entry.closes", msg("the list of entrants would have shut already"), msg("write a later day")


def _approval_objections(rules: TournamentRules) -> Iterator[Objection]:
    """E1 Yield the objections to rules that do not go together with approval."""
    if needs_approval(rules) and rules.teams.boards:
        advice = msg("write one of: {words}", words=("all", "invitation"))
        yield "entry.by", msg("captains let players into their teams"), advice
    elif needs_approval(rules) and not rules.entry.waiting:
        yield "entry.waiting", msg("who asks to enter waits for the director"), msg("write {line}", line="waiting = 8")


def _ranking_objections(rules: TournamentRules) -> Iterator[Objection]:
    """E7 Yield the objection to an order of criteria in which results do not count."""
    ranked_stages = [stage for stage in rules.stage if stage.format in ("swiss", "robin", "league")]
    if ranked_stages and rules.ties.order and "points" not in rules.ties.order:
        advice = msg("write {line}", line=f"order = {dumps(['points', *rules.ties.order])}")
        yield "ties.order", msg("this is the whole ranking, and {word} is not in it", word="points"), advice


def _team_objections(rules: TournamentRules) -> Iterator[Objection]:
    """E3.8 Yield the objections to rules that do not go together with teams."""
    if not rules.teams.boards:
        return
    if rules.entry.waiting:
        yield "entry.waiting", msg("teams do not wait for places"), msg("write {line}", line="waiting = 0")
    for number, stage in enumerate(rules.stage, start=1):
        if stage.sides in ("mirror", "bid"):
            advice = msg("write one of: {words}", words=("balanced", "lot", "duplicate"))
            yield f"stage {number}.sides", msg("the boards of a match have sides to and fro"), advice
        if "choice" in stage.battle:
            advice = msg("write one of: {words}", words=("turn", "lot"))
            yield f"stage {number}.battle", msg("who sits at a board may change until it is played"), advice
        if stage.format == "ladder":
            advice = msg("write one of: {words}", words=("swiss", "robin", "knockout", "double", "league"))
            yield f"stage {number}.format", msg("a ladder is of people, not of teams"), advice


def size_objections(rules: TournamentRules) -> Iterator[Objection]:
    """E4.10 Yield objections to stages too large to be drawn while letters wait."""
    advice = msg("write {n} or less, or take a format of: {words}", n=MOST_WEIGHED, words=_QUICKLY_DRAWN)
    for number, stage in enumerate(rules.stage, start=1):
        if stage.format not in _QUICKLY_DRAWN and most_entrants(rules, number - 1) > MOST_WEIGHED:
            fault = msg("a stage of the format {word} has at most {n}", word=stage.format, n=MOST_WEIGHED)
            yield f"stage {number}.take" if number > 1 else "entry.places", fault, advice


def _shared_dice_objections(rules: TournamentRules, games: Collection[TableGame]) -> Iterator[Objection]:
    """E8 Yield objections to shared dice that are known early or hidden."""
    stages = [f"stage {number}.sides" for number, stage in enumerate(rules.stage, start=1) if has_shared_dice(stage)]
    if not stages:
        return
    advice = msg("write one of: {words}", words=("balanced", "mirror", "lot"))
    if any(has_secrets(game.rules, game.rules.start(game.edition)) for game in games):
        yield stages[0], msg("duplicate dice are for games that hide nothing"), advice
    terms = rules.table.terms
    if terms.get("reactions") == INTERRUPT_REACTIONS:
        yield "table.terms", msg("duplicate dice do not wait for questions"), msg("leave {key} out", key="reactions")
    if terms.get("pace") == ACTIVATION_PACE:
        yield "table.terms", msg("duplicate dice are for whole phases"), msg("leave {key} out", key="pace")


def has_shared_dice(stage: StageRules) -> bool:
    """E8 Return whether all tables of a round, or of a mirrored board, share dice."""
    return stage.sides == DUPLICATE or (stage.sides == MIRROR and stage.luck == "one")


def board_terms(terms: Terms, board: str) -> Terms:
    """E8 Return the terms of a table with shared dice: no questions during a phase."""
    return terms._replace(board=board, asks=0, minute=deadline_minute_of_table(board))


def terms_of(rules: TournamentRules, phases: int, game: str) -> Terms:
    """Return the terms of a table.

    E2.1 Half of the bank is for EXTEND, half for VACATION; a chess clock of all steps and the bank runs. Nobody may
    claim a game or take a seat over: the rules of the tournament decide about no-shows.
    """
    table = rules.table
    half = table.bank_hours // 2
    terms = Terms.from_words(table.terms)
    return terms._replace(
        beacon=table.beacon,
        clock_hours=table.bank_hours + phases * table.step_hours,
        short_hours=_grace(table.step_hours),
        extend_hours=half,
        vacation_days=half // 24,
        claim_after=0,
        hints="off",
        ladder=("standing",),
        minute=deadline_minute_of_table(game),
    )


def deadline_minute_of_table(game: str) -> int:
    """Return the minute past the hour of a table's deadlines, spread over a round."""
    return crc32(game.encode()) % 60


def pace_of(rules: TournamentRules) -> Pace:
    """Return the pace of tables: phases end at an hour of the tournament's zone."""
    return Pace(zone=rules.zone, grace_hours=_grace(rules.table.step_hours))


def _grace(step: int) -> int:
    """Return the shortest hours of a phase, so that deadlines come once a step.

    A phase that opens a little after the hour has its deadline at that hour a step later, not a whole day after
    that hour.
    """
    # A choice: four hours are "a little"; a step may be shorter than that.
    return max(0, step - 4)


def create_tournament(tx: Transaction, request: NewTournament) -> tables.Tournament:
    """Create a tournament open for entries, and write to its director.

    Raise UserError if the request is invalid on this server.
    """
    name, rules = request.name, request.rules
    if _NAME.fullmatch(name) is None:
        raise UserError(msg("A tournament's name is 1 to 11 of a-z, 0-9 and hyphens, got {event}.", event=repr(name)))
    if queries.tournaments.exists(tx.session, name) or tx.session.get(tables.Game, name) is not None:
        raise UserError(msg("There is a game or tournament {event} already.", event=name))
    if queries.log.first_leaf(tx.session, f"event/{name}") is not None:
        raise UserError(msg("A tournament {event} was held here before; its leaves are in the log.", event=name))
    try:
        check_address(request.director)
    except ValueError as wrong:
        raise UserError(msg("The director cannot be written to: {why}", why=str(wrong))) from wrong
    setup = find_table_game(tx.server, rules, request.games)
    director = find_or_create_person(tx.session, request.director, language=request.language, zone=rules.zone)
    closes = record.closing_by_rules(rules)
    games = games_of_stages(setup, rules)
    for game in games.values():
        if tx.session.get(tables.Edition, game.edition.digest) is None:
            text = dumps(game.edition.to_json())
            tx.session.add(tables.Edition(digest=game.edition.digest, system=game.game, text=text))
            tx.session.flush()
    event = tables.Tournament(
        id=name,
        title=rules.title,
        rules=dumps(rules_to_json(rules)),
        digest=digest_of_rules(rules),
        version=VERSION,
        conduct=request.conduct,
        system=setup.game,
        edition=setup.edition.digest,
        phases=max(game.phases for game in games.values()),
        zone=rules.zone,
        wake=closes,
        director_id=director.id,
        director_language=request.language,
        root="",
        created=tx.now,
        stopped=write_spans(record.holidays_of(rules)),
    )
    record.store_editions(event, {scenario: game.edition.digest for scenario, game in games.items()})
    round_states.open_entry(event)
    tx.session.add(event)
    tx.session.flush()
    leaves.record_founding(tx, event)
    post.mail_director(tx, event, _director_letter(tx, event, closes), "found")
    return event


def _director_letter(tx: Transaction, event: tables.Tournament, closes: datetime | None) -> post.LetterContent:
    rules = record.rules_of(event)
    end = ends.latest_round_end(rules, event.phases)
    opening = [
        msg(
            "You direct {title} ({event}). Its rules have the digest {digest}.",
            title=event.title,
            event=event.id,
            digest=event.digest,
        ),
        msg(
            "What you write about it goes to {address}: keep it to yourself.",
            address=tx.server.director_address(event),
        ),
        msg('Entrants write JOIN {event} TEAM "name" to {server}.', event=event.id, server=tx.server.address)
        if rules.teams.boards
        else msg("Entrants write JOIN {event} to {server}.", event=event.id, server=tx.server.address),
        *([_ENTRY_BY[rules.entry.by]] if rules.entry.by in _ENTRY_BY else []),
        msg("A round is over after {days} at the latest.", days=content.days_in_words(rules.round.days or end.days)),
    ]
    opening += record.holiday_lines(rules)
    if closes is not None:
        opening.append(
            msg("The list of entrants shuts on {when}, by itself.", when=content.moment_in_words(closes, event.zone))
        )
    else:
        opening.append(msg("The list of entrants shuts when you say SHUT."))
    opening += stage_notes(rules)
    if event.conduct.strip():
        opening.append(msg("The code of conduct has the digest {digest}.", digest=entry.conduct_digest(event)))
    return post.LetterContent(msg("you direct it"), opening, kind="invitation")


_ENTRY_BY = {
    "approval": msg("Who does so asks to play: ADMIT lets him in, REJECT does not."),
    "invitation": msg("Only those may whom you INVITE."),
}


def stage_notes(rules: TournamentRules) -> Iterator[Msg]:
    """Yield notes on stages for a director: seats left empty, drawn games, byes."""

    def numbers_of(*formats: str) -> tuple[str, ...]:
        return tuple(str(number) for number, stage in enumerate(rules.stage, 1) if stage.format in formats)

    for number, stage in enumerate(rules.stage, 1):
        if stage.scenarios:
            yield from _battle_lines(number, stage)
        if stage.each:
            yield msg(
                "Stage {stages}: the best {count} of each division of the stage before go on [E3.15].",
                stages=(str(number),),
                count=stage.each,
            )
    forfeit_stages = tuple(
        str(number) for number, stage in enumerate(rules.stage, 1) if not record.can_be_taken_over(rules, stage)
    )
    if (not rules.entry.waiting or needs_approval(rules)) and not rules.teams.boards:
        yield msg("There is no waiting list: who leaves or falls silent loses his games.")
    elif forfeit_stages:
        yield msg(
            "In stage {stages} no seat is offered to those who wait: who leaves or falls silent loses his games.",
            stages=forfeit_stages,
        )
    if bracket_stages := tuple(number for number in numbers_of("knockout", "double") if not _has_ties(rules, number)):
        yield msg(
            "Stage {stages}: of a drawn game the player with the greater margin goes on, else the better seed [E3.10].",
            stages=bracket_stages,
        )
    yield from _tie_lines(rules)
    if circle_stages := numbers_of("robin", "league"):
        yield msg(
            "Stage {stages}: where the number is odd somebody has a bye each round, and it counts as won [E7.1].",
            stages=circle_stages,
        )


def _battle_lines(number: int, stage: StageRules) -> Iterator[Msg]:
    """Yield a note on the battles of a stage and how each is found."""
    values = {"stages": (str(number),), "scenarios": tuple(dict.fromkeys(stage.scenarios))}
    if not {*stage.battle} - {"turn"}:
        yield msg("Stage {stages} plays in turn: {scenarios} [E2.2].", **values | {"scenarios": stage.scenarios})
    elif {*stage.battle} == {"lot"}:
        yield msg("Stage {stages} draws the battle of each round by lot: {scenarios} [E2.3].", **values)
    elif {*stage.battle} == {"choice"}:
        yield msg("In stage {stages} the two at each table choose their battle: {scenarios} [E2.4].", **values)
    else:
        rounds = tuple(_WORDS_OF_BATTLES[word] for word in stage.battle)
        yield msg(
            "Stage {stages} finds the battles of its rounds so, and then from the first again: {ways}; "
            "they are {scenarios} [E2.2, E2.3, E2.4].",
            ways=rounds,
            **values,
        )


_WORDS_OF_BATTLES = {"turn": msg("in turn"), "lot": msg("by lot"), "choice": msg("by choice of the two at a table")}


def _has_ties(rules: TournamentRules, number: str) -> bool:
    """Return whether the pairs of a stage, from 1, may meet in several games."""
    stage = rules.stage[int(number) - 1]
    return stage.best + stage.replays > 1


def _tie_lines(rules: TournamentRules) -> Iterator[Msg]:
    """Yield notes on ties of several games, and the game for third place."""
    for number, stage in enumerate(rules.stage, 1):
        stages = (str(number),)
        if stage.best > 1:
            yield msg(
                "Stage {stages}: a tie has {count} games at most, a round each, with sides exchanged [E3.17].",
                stages=stages,
                count=stage.best,
            )
        if stage.replays:
            yield msg(
                "Stage {stages}: a drawn tie is played again, with sides exchanged, at most {count} "
                "{count:|time|times} [E3.16].",
                stages=stages,
                count=stage.replays,
            )
        if _has_ties(rules, str(number)):
            yield msg(
                "Stage {stages}: of a tie that is drawn after that the player with the greater margin in all its games "
                "goes on, else the better seed [E3.10].",
                stages=stages,
            )
    if third_stages := tuple(str(number) for number, stage in enumerate(rules.stage, 1) if stage.third):
        yield msg("Stage {stages}: the losers of the semi-finals play for third place [E3.14].", stages=third_stages)
