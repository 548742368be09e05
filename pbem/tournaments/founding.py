"""E2 A tournament founded: its rules held against what is played here, written down, logged, told to its director.

Its tables are ordinary games; what their terms are follows from the rules alone (`terms_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from pbem.audit import beacon
from pbem.engine.bots import OwnDice
from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame, PinnedEdition, hides
from pbem.engine.run.runners import play
from pbem.letters import content
from pbem.mail.address import check_address
from pbem.play.seating import person_of
from pbem.runtime.clock import Pace
from pbem.runtime.terms import ACTIVATION, BEACONS, INTERRUPT, Terms
from pbem.runtime.transaction import Broken, Server, Work
from pbem.store import queries, tables
from pbem.tournaments import entry, leaves, post, record, round_states
from pbem.tournaments.arithmetic.rules import ends
from pbem.tournaments.arithmetic.rules.reading import Against, digest_of, rules_to_json
from pbem.tournaments.arithmetic.rules.records import Rules, Stage

DUPLICATE, MIRROR = "duplicate", "mirror"
"""The words of the rules for tables of a round that have one luck, and for both sides on one board."""

VERSION = 2
"""Of which version the leaves of a tournament are that is founded now."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,9}[a-z0-9])?")
_LONGEST = 500
"""Phases past which a game is taken for one without an end."""


class NewTournament(NamedTuple):
    """A tournament that is asked for: its name, rules, the text of its code of conduct, and who directs it.

    `games` are the games that its scenario may be of, where the rules name none.
    """

    name: str
    rules: Rules
    conduct: str
    director: str
    language: str = "en"
    games: tuple[str, ...] = ()


class Played(NamedTuple):
    """What is played at the tables: whose rules, the edition of today, and phases of one side in a whole game."""

    game: str
    rules: AnyGame
    edition: PinnedEdition
    phases: int = 0

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the scenario in its order."""
        return tuple(dict.fromkeys(self.rules.seats(self.rules.start(self.edition)).values()))

    def seat_of(self, side: int) -> str:
        """The seat of the first side (0) or the second (1)."""
        seats = self.rules.seats(self.rules.start(self.edition))
        return next(seat for seat, of in seats.items() if of == self.sides[side])


def at_tables(work: Work, event: tables.Tournament) -> Played:
    """What is played at the tables of a tournament: the edition that it was founded with."""
    rules = work.server.plugins.games(event.system)
    return Played(event.system, rules, work.server.edition(work.session, rules, event.edition), event.phases)


def played(server: Server, rules: Rules, names: tuple[str, ...] = ()) -> Played:
    """What the rules have played; Broken if this server cannot. `names` are the games that there are."""
    wanted = (rules.table.game,) if rules.table.game else names
    for name in wanted:
        try:
            game = server.plugins.games(name)
        except KeyError:
            continue
        if rules.table.scenario in game.editions():
            edition = game.edition(rules.table.scenario, {}, {})
            return Played(name, game, edition, _phases(game, edition))
    raise Broken(msg("No game here has the scenario {scenario}.", scenario=rules.table.scenario))


def _phases(rules: AnyGame, edition: PinnedEdition) -> int:
    """How many phases each side has at most in a game in which nobody orders anything."""
    state, counts = rules.start(edition), dict[str, int]()
    seats = rules.seats(state)
    for number in range(_LONGEST):
        if rules.phase(state) is None:
            break
        for seat in rules.active(state):
            counts[seats[seat]] = counts.get(seats[seat], 0) + 1
        given: dict[str, Any] = {}
        world, dice = rules.world(state, given), OwnDice(f"phases {number}")
        state = play(rules.rules, world, dice, rules.decisions(state, given, {})).state
    return max(counts.values(), default=1)


def against_here(server: Server, names: tuple[str, ...]) -> Any:
    """What this server has against rules that are sound by themselves: a `Check` of tournaments' rules."""

    def check(rules: Rules) -> Iterator[Against]:
        try:
            ZoneInfo(rules.zone)
        except (KeyError, ValueError, OSError):
            yield "zone", msg("there is no such time zone"), msg("write one as Europe/Madrid")
        if rules.table.beacon not in BEACONS:
            yield "table.beacon", msg("there is no such beacon"), msg("write one of: {words}", words=BEACONS)
        elif rules.table.beacon != "none" and not beacon.available():
            yield "table.beacon", msg("rounds of beacons cannot be checked here"), msg('install "pbem[beacon]"')
        yield from _not_here(rules)
        try:
            Terms.from_words(rules.table.terms)
        except ValueError as wrong:
            yield "table.terms", msg("{why}", why=str(wrong)), msg("write them as pbem game new has them")
        try:
            here = played(server, rules, names)
        except Broken as broken:
            yield "table.scenario", broken.why, msg("pbem scenarios lists what there is")
            return
        yield from _one_luck(rules, here)
        if here.rules.scored is None:
            yield "table.scenario", msg("its positions have no points"), msg("take a game that counts them")
        seats = here.rules.seats(here.rules.start(here.edition))
        if len(here.sides) != 2 or len(seats) != 2:
            yield "table.scenario", msg("a table has two seats"), msg("take a scenario of two sides, a seat each")
        yield from ends.too_short(rules, here.phases)

    return check


def _not_here(rules: Rules) -> Iterator[Against]:
    """E3.8 What cannot go together with teams."""
    if not rules.teams.boards:
        return
    if rules.entry.waiting:
        yield "entry.waiting", msg("teams do not wait for places"), msg("write {line}", line="waiting = 0")
    for at, stage in enumerate(rules.stage, start=1):
        if stage.sides in ("mirror", "bid"):
            way = msg("write one of: {words}", words=("balanced", "lot", "duplicate"))
            yield f"stage {at}.sides", msg("the boards of a match have sides to and fro"), way
        if stage.format == "ladder":
            way = msg("write one of: {words}", words=("swiss", "robin", "knockout", "double", "league"))
            yield f"stage {at}.format", msg("a ladder is of people, not of teams"), way


def _one_luck(rules: Rules, here: Played) -> Iterator[Against]:
    """E8 What tables of one luck cannot be: their dice would be known to some before others, or hidden from a side."""
    stages = [f"stage {at}.sides" for at, stage in enumerate(rules.stage, start=1) if has_one_luck(stage)]
    if not stages:
        return
    way = msg("write one of: {words}", words=("balanced", "mirror", "lot"))
    if hides(here.rules, here.rules.start(here.edition)):
        yield stages[0], msg("duplicate dice are for games that hide nothing"), way
    terms = rules.table.terms
    if terms.get("reactions") == INTERRUPT:
        yield "table.terms", msg("duplicate dice do not wait for questions"), msg("leave {key} out", key="reactions")
    if terms.get("pace") == ACTIVATION:
        yield "table.terms", msg("duplicate dice are for whole phases"), msg("leave {key} out", key="pace")


def has_one_luck(stage: Stage) -> bool:
    """E8 Whether tables of a stage have one luck: all of a round, or the two of a mirrored board."""
    return stage.sides == DUPLICATE or (stage.sides == MIRROR and stage.luck == "one")


def board_terms(terms: Terms, board: str) -> Terms:
    """E8 The terms of a table that has one luck with others: nobody is asked by letter while a phase is resolved."""
    return terms._replace(board=board, asks=0, minute=minute_of(board))


def terms_of(rules: Rules, phases: int, game: str) -> Terms:
    """The terms of a table. E2.1 Both halves of a bank are EXTEND and VACATION, a clock of all steps and the bank runs.

    Nobody may claim a game or take a seat over: what becomes of the silent the rules of the tournament say.
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
        minute=minute_of(game),
    )


def minute_of(game: str) -> int:
    """How far past the hour the deadlines of a table fall: those of one round are spread over it."""
    return crc32(game.encode()) % 60


def pace_of(rules: Rules) -> Pace:
    """When the deadlines of tables fall: every step of a phase ends at an hour of the tournament's zone."""
    return Pace(zone=rules.zone, grace_hours=_grace(rules.table.step_hours))


def _grace(step: int) -> int:
    """How long a phase lasts at least, so that deadlines at one hour of the day come once a step.

    One that opens a little after the hour has its deadline at that hour a step later, not a day after that.
    """
    return max(0, step - 4)


def found(work: Work, wanted: NewTournament) -> tables.Tournament:
    """Found a tournament, open for entrants, and write to its director; Broken if it cannot be."""
    name, rules = wanted.name, wanted.rules
    if _NAME.fullmatch(name) is None:
        raise Broken(msg("A tournament's name is 1 to 11 of a-z, 0-9 and hyphens, got {event}.", event=repr(name)))
    if queries.tournaments.known(work.session, name) or work.session.get(tables.Game, name) is not None:
        raise Broken(msg("There is a game or tournament {event} already.", event=name))
    if queries.log.first(work.session, f"event/{name}") is not None:
        raise Broken(msg("A tournament {event} was held here before; its leaves are in the log.", event=name))
    try:
        check_address(wanted.director)
    except ValueError as wrong:
        raise Broken(msg("The director cannot be written to: {why}", why=str(wrong))) from wrong
    here = played(work.server, rules, wanted.games)
    who = person_of(work.session, wanted.director, language=wanted.language, zone=rules.zone)
    closes = record.closing_of(rules)
    if closes is not None and closes <= work.now:
        raise Broken(msg("The list of {event} would have shut already.", event=name))
    if work.session.get(tables.Edition, here.edition.digest) is None:
        text = dumps(here.edition.to_json())
        work.session.add(tables.Edition(digest=here.edition.digest, system=here.game, text=text))
        work.session.flush()
    event = tables.Tournament(
        id=name,
        title=rules.title,
        rules=dumps(rules_to_json(rules)),
        digest=digest_of(rules),
        version=VERSION,
        conduct=wanted.conduct,
        system=here.game,
        edition=here.edition.digest,
        phases=here.phases,
        zone=rules.zone,
        wake=closes,
        director_id=who.id,
        director_language=wanted.language,
        root="",
        created=work.now,
    )
    round_states.open_entry(event)
    work.session.add(event)
    work.session.flush()
    leaves.note_found(work, event)
    post.to_director(work, event, _told(work, event, closes), "found")
    return event


def _told(work: Work, event: tables.Tournament, closes: datetime | None) -> post.Told:
    rules = record.rules_of(event)
    end = ends.certain_end(rules, event.phases)
    opening = [
        msg(
            "You direct {title} ({event}). Its rules have the digest {digest}.",
            title=event.title,
            event=event.id,
            digest=event.digest,
        ),
        msg(
            "What you write about it goes to {address}: keep it to yourself.",
            address=work.server.director_address(event),
        ),
        msg('Entrants write JOIN {event} TEAM "name" to {server}.', event=event.id, server=work.server.address)
        if rules.teams.boards
        else msg("Entrants write JOIN {event} to {server}.", event=event.id, server=work.server.address),
        msg("A round is over after {days} at the latest.", days=content.days(rules.round.days or end.days)),
    ]
    if closes is not None:
        opening.append(msg("The list of entrants shuts on {when}, by itself.", when=content.when(closes, event.zone)))
    else:
        opening.append(msg("The list of entrants shuts when you say SHUT."))
    forfeited = tuple(str(at) for at, stage in enumerate(rules.stage, 1) if not record.can_be_taken_over(rules, stage))
    if forfeited:
        opening.append(
            msg(
                "In stage {stages} no seat is offered to those who wait: who leaves or falls silent loses his games.",
                stages=forfeited,
            )
        )
    digest: Msg = msg("The code of conduct has the digest {digest}.", digest=entry.conduct_of(event))
    return post.Told(msg("you direct it"), (*opening, digest), kind="invitation")
