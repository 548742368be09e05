"""The commands about games, seats and single letters: each opens the office, asks the campaign, and prints."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.cli.ends import FINDING, Stop
from pbem.cli.log import open_log
from pbem.cli.wiring import find_game, game_of, open_office, settings
from pbem.core.game import Game
from pbem.core.messages import plain
from pbem.core.sources import SourceError
from pbem.reports.layout import clean

if TYPE_CHECKING:
    from pbem.campaign.office import Office

__all__ = [
    "asked",
    "deliver_letter",
    "invite",
    "list_all",
    "moderate",
    "moderator",
    "moment",
    "new",
    "print_table",
    "read_letter",
    "readable",
    "replay_game",
    "resume",
    "rotate",
    "show",
    "show_chart",
    "start",
]


NOT_DONE = frozenset({"refusal", "closed", "over", "fault", "not-ruled", "answered-stranger"})
"""Outcomes of a letter by which nothing, or not what its writer wanted, was done."""


def new(
    config: Path,
    name: str,
    game: str,
    scenario: str,
    options: Sequence[str],
    overlay: Sequence[str],
    pace: Mapping[str, Any],
    terms: Sequence[str] = (),
    open_seats: bool = False,
    moderator: str = "",
) -> None:
    """Make a game; `overlay` is NAME=FILE a chart of one's own, `pace` holds what differs from the settings."""
    from pbem.campaign import appointing
    from pbem.campaign.clock import Pace
    from pbem.campaign.service import new_game
    from pbem.campaign.terms import Terms

    read = settings(config)
    game = game or game_of(scenario)
    shipped = find_game(game).editions()
    if scenario not in shipped:
        titles = (f"{name} ({plain(title)})" for name, title in sorted(shipped.items()))
        raise Stop(f"{game} has no scenario {scenario!r}; there are: {', '.join(titles)}")
    told: dict[str, Any] = {**read.games.model_dump(), **pace}
    try:
        agreed = Pace(
            zone=told["zone"],
            weekdays=_days(told["weekdays"]),
            hour=told["hour"],
            grace_hours=told["grace"],
            undo_minutes=told["undo"],
        )
        accepted = Terms.agreed(_pairs(terms, "a term reads NAME=VALUE"))
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    if accepted.beacon != "none" and not read.beacon.relays:
        raise Stop("no relays of the beacon are named: put some under [beacon] in the settings, or leave --beacon out")
    chosen = _pairs(options, "an option reads NAME=VALUE")
    charts = _overlay(find_game(game), scenario, chosen, _pairs(overlay, "an overlay reads CHART=FILE"))
    with asked(open_office(read)) as office, office.session() as session:
        new_game(
            session,
            office,
            name=name,
            game=game,
            scenario=scenario,
            options=chosen,
            overlay=charts,
            pace=agreed,
            terms=accepted,
            open_seats=open_seats,
        )
        if moderator:
            appointing.appoint(session, office, game=name, email=moderator, zone=agreed.zone)
    print(f"{name} is set up. Next: pbem seat invite {name} SEAT ADDRESS, for each of its seats:")
    show(config, name)


def invite(config: Path, name: str, seat: str, address: str, person: str, language: str, zone: str) -> None:
    """Give a seat to somebody and print the seat's address."""
    from pbem.campaign.service import invite_seat

    with asked(open_office(settings(config))) as office, office.session() as session:
        seat_address = invite_seat(
            session, office, game=name, seat=seat, email=address, person=person, language=language, zone=zone
        )
    print(seat_address)


def rotate(config: Path, name: str, seat: str) -> None:
    """Give a seat another address and print it."""
    from pbem.campaign.service import rotate_seat

    with asked(open_office(settings(config))) as office, office.session() as session:
        address = rotate_seat(session, office, game=name, seat=seat)
    print(address)


def start(config: Path, name: str) -> None:
    """Start a game and show it."""
    from pbem.campaign.service import start_game

    with asked(open_office(settings(config))) as office, office.session() as session:
        start_game(session, office, name)
    show(config, name)


def show_chart(config: Path, name: str, chart: str) -> None:
    """Print a chart as the edition of a game on this server has it, overlays and all."""
    from pbem.campaign.service import edition_of

    with asked(open_office(settings(config))) as office, office.session() as session:
        rules, edition = edition_of(session, office, name)
    text = rules.rulebook.chart(chart, edition)
    if text is None:
        raise Stop(f"{name} has no chart {chart!r}; there are: {', '.join(rules.rulebook.charts())}")
    print(text.rstrip("\n"))


def resume(config: Path, name: str) -> None:
    """Let a held game go on and show it."""
    from pbem.campaign.service import resume_game

    with asked(open_office(settings(config))) as office, office.session() as session:
        resume_game(session, office, name)
    show(config, name)


def moderator(config: Path, name: str, email: str, language: str, zone: str, plays: bool, change: str) -> None:
    """Let somebody moderate a game by letter and print the address he writes to; or rotate it, or remove him."""
    from pbem.campaign import appointing

    with asked(open_office(settings(config))) as office, office.session() as session:
        if change == "remove":
            appointing.dismiss(session, office, name)
        elif change == "rotate":
            print(appointing.rotate(session, office, name))
        else:
            print(
                appointing.appoint(session, office, game=name, email=email, language=language, zone=zone, plays=plays)
            )


def moderate(config: Path, name: str, line: str) -> None:
    """Do what a moderator's line says and print what everybody is told, or what was looked at."""
    from pbem.campaign import moderating

    with asked(open_office(settings(config))) as office, office.session() as session:
        order, now = moderating.read(line), office.clock.now()
        if order.word == "EXPORT":
            print(json.dumps(moderating.export(session, name), ensure_ascii=False, indent=1))
            return
        looks = order.word in moderating.LOOKS
        said = moderating.look(session, office, name, now) if looks else None
        told = said if said is not None else moderating.rule(session, office, name, order, now).sentences
    for sentence in told:
        print(plain(sentence))


def list_all(config: Path) -> None:
    """Print a line for each game."""
    from pbem.campaign.service import list_games

    with asked(open_office(settings(config))) as office, office.session() as session:
        lines = list_games(session)
    if not lines:
        print("No games yet. Make one: pbem game new NAME --scenario SCENARIO")
        return
    table = [("NAME", "GAME", "SCENARIO", "STATE", "PHASE", "DEADLINE")]
    table += [(g.name, g.game, g.scenario, g.state, g.phase or "-", moment(g.deadline)) for g in lines]
    print_table(table)


def show(config: Path, name: str) -> None:
    """Print what there is to know of a game."""
    from pbem.campaign.service import show_game

    with asked(open_office(settings(config))) as office, office.session() as session:
        card = show_game(session, office, name)
    line = card.line
    print(f"{line.name}: {line.game}, {line.scenario}, {line.state}")
    print(f"edition {card.edition}, dice {card.scheme}")
    if card.held_why:
        print(f"held because of: {card.held_why}")
    if line.phase:
        print(f"phase {line.phase}, until {moment(line.deadline)}")
    if card.moderator:
        print("moderated by {}, who writes to {}".format(*card.moderator))
    rows = [("SEAT", "PLAYER", "MAIL", "LANGUAGE", "ORDERS", "MISSED", "WRITES TO")]
    for seat in card.seats:
        orders = f"revision {seat.revision}" if seat.revision else "awaited" if seat.active else "-"
        rows.append(
            (
                seat.seat,
                seat.person or "nobody yet",
                f"{seat.email} (letters come back)" if seat.unreachable else seat.email or "-",
                seat.language,
                orders,
                str(seat.strikes),
                seat.address if seat.person else "-",
            )
        )
    print_table(rows)
    for phase, ruling in card.void:
        print(f"{phase} is void by ruling {ruling}")
    for at, kind, cause in card.dues:
        print(f"{moment(at)}  {kind} ({cause})")


def replay_game(config: Path, name: str) -> None:
    """Resolve a game again; Stop with a finding where it comes out otherwise."""
    from pbem.campaign.replay import replay

    with asked(open_office(settings(config))) as office, office.session() as session:
        result = replay(session, office, name)
    if result.difference is not None:
        phase, what, stored, now = result.difference
        raise Stop(f"{phase} of {name} comes out otherwise: {what} was {stored!r} and is {now!r}", FINDING)
    print(f"{name}: {result.phases} phases resolved again, all the same")


def deliver_letter(config: Path, file: Path) -> None:
    """Take a letter in, print its answers, and run what is due after it; Stop with a finding if it was refused."""
    from pbem.campaign import guard
    from pbem.campaign.service import deliver
    from pbem.campaign.tick import tick

    with asked(open_office(settings(config))) as office:
        result = deliver(office, file.read_bytes())
        tick(office)
        with office.session() as session:
            stopped = guard.look(session, office)
    if stopped is not None and not result.answers:
        why = f"the log stands still: {plain(stopped.why)}"
        raise Stop(f"the letter was taken in ({result.outcome}), and its answer waits; {why}", FINDING)
    for answer in result.answers:
        print(readable(answer))
    if not result.answers:
        raise Stop(f"the letter gets no answer: {result.verdict}, {result.outcome}", FINDING)
    if result.outcome in NOT_DONE:
        raise Stop(f"the letter was not carried out: {result.outcome}", FINDING)


def read_letter(config: Path, address: str) -> None:
    """Print the last letter written to an address; Stop with a finding if there is none."""
    from sqlmodel import col, select

    from pbem.campaign.postman import rendered
    from pbem.store.tables import Outbox

    with asked(open_office(settings(config))) as office:
        with office.session() as session:
            last = select(Outbox.message_id).where(Outbox.recipient == address.casefold())
            found = session.exec(last.order_by(col(Outbox.id).desc()).limit(1)).all()
        letters = rendered(office, found)
    if not letters:
        raise Stop(f"nothing was written to {address}", FINDING)
    print(readable(letters[0]))


def readable(raw: bytes) -> str:
    """A letter as one reads it: who to, what about, the text."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    text = "" if body is None else str(body.get_content()).replace("\r\n", "\n")
    return f"To: {letter['To']}\nSubject: {letter['Subject']}\n\n{text}"


@contextmanager
def asked(office: Office) -> Iterator[Office]:
    """The office for one request, closed behind it; what cannot be done is a Stop."""
    from pbem.campaign.office import Broken

    open_log()
    try:
        yield office
    except Broken as wrong:
        raise Stop(str(wrong)) from None
    finally:
        office.engine.dispose()


def _overlay(rules: Game, scenario: str, options: Mapping[str, str], files: Mapping[str, str]) -> dict[str, str]:
    """The chart texts of these files; Stop names the file, the line and the reason if one cannot be played by."""
    charts = {}
    for name, file in files.items():
        try:
            charts[name] = Path(file).read_text("utf-8")
        except OSError as wrong:
            raise Stop(f"{file} cannot be read: {wrong.strerror}") from None
        except UnicodeDecodeError:
            raise Stop(f"{file} is not text in UTF-8") from None
    try:
        rules.edition(scenario, options, charts)
    except SourceError as wrong:
        # Its own name for the chart means nothing to whoever gave us a file.
        file = files.get(wrong.file.rpartition(".")[0], wrong.file)
        raise Stop(str(SourceError(file, wrong.line, wrong.reason))) from None
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    return charts


def _pairs(given: Sequence[str], form: str) -> dict[str, str]:
    pairs = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise Stop(f"{form}, got {one!r}")
        pairs[name] = value
    return pairs


def _days(weekdays: str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(weekdays, str):
        if not weekdays or not set(weekdays) <= set("0123456"):
            raise Stop(f"weekdays are digits from 0 (Monday) to 6, such as 01234, got {weekdays!r}")
        return tuple(int(digit) for digit in weekdays)
    return tuple(weekdays)


def moment(at: datetime | None) -> str:
    """A moment in a table."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as they must be.

    Names and addresses are other people's words: what could move a terminal's cursor is left out.
    """
    rows = [tuple(clean(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
