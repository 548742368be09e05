"""Run JOIN of a tournament: request, code of conduct, and confirmation.

::

    JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en
    JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en CODE ab2cd3ef ACCEPT 7f3a
    JOIN liga60 TEAM "Los Tercios" NAME Ana

In a team tournament the first player to name a team is its captain; later ones apply to the captain (`ADMIT`).
Nothing is stored before the confirmation: the line mailed back repeats the whole request, with the defaults of
missing parts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import available_timezones

from pbem.engine.data.languages import pick_phrase, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, content
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandLine
from pbem.mail import CODE_PATTERN
from pbem.play import seating
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, director_desk, entry, post, prospects, record, round_states, teams
from pbem.tournaments.arithmetic.entering import needs_approval
from pbem.tournaments.entry import EntryRequest

_KEYS = r"(?:team|equipo|name|nombre|zone|zona|pace|ritmo|tables|mesas|lang|language|idioma|code|codigo|accept|acepto)"
WISHES = (
    r'(?: (?:team|equipo) (?:"[^"]{1,60}"|[^ ]{1,40})'
    rf"| (?:name|nombre) [^ ]{{1,60}}(?: (?!{_KEYS} )[^ ]{{1,60}}){{0,4}}| (?:zone|zona) [^ ]{{1,40}}"
    r"| (?:pace|ritmo) (?:\d{1,3} h|[^ ]{1,20})| (?:tables|mesas) [^ ]{1,20}"
    r"| (?:lang|language|idioma) (?:[a-z]{2}(?:, ?[a-z]{2}){0,4}|[^ ]{1,40}))*"
)
"""The options after the name of a tournament, in any order, as a regular expression of folded words.

It also matches invalid values, so that the answer can name the fault.
"""
# The parts of an entry, in any order, in English or Spanish; code and consent come last.
# A digest has 64 hex digits, of which the first `_SIGNS` are enough.
_LAST = re.compile(rf"(?:code|codigo) (?P<code>{CODE_PATTERN})(?: (?:accept|acepto) (?P<digest>[0-9a-f]{{4,64}}))?$")
_TEAM = re.compile(r' (?:team|equipo) (?:"[^"]*"|\S+)')
_CALLED = re.compile(r'(?:^|\s)(?:team|equipo)\s+(?:["“”„‟«»]([^"“”„‟«»]*)["“”„‟«»]|(\S+))', re.IGNORECASE)
# A choice: 30 characters fit into the 32 of an export; with a letter, so that the name is no number.
_TEAM_NAME = re.compile(r"(?=.{1,30}$)(?=.*[^\W\d_])[^\W_]+(?:[ '-][^\W_]+)*")
_NAME = re.compile(rf" (?:name|nombre) (\S+(?: (?!{_KEYS} )\S+)*)")
_ZONE = re.compile(r" (?:zone|zona) (\S+)")
_PACE = re.compile(r" (?:pace|ritmo) (\d{1,3} h|\S+)")
_TABLES = re.compile(r" (?:tables|mesas) (\S+)")
_LANGUAGES = re.compile(r" (?:lang|language|idioma) ([a-z]{2}(?:, ?[a-z]{2})+|\S+)")
# The bounds are a choice: a name fits into the tables of letters, and five languages are enough to find a common one.
_GOOD = (
    (_NAME, re.compile(r"[^\W_]{1,20}"), msg("A name is one word of at most 20 letters or figures.")),
    (_PACE, re.compile(r"0{0,2}[1-9]\d{0,2} ?h"), msg("The pace is hours for an answer; write them as 24h.")),
    (_TABLES, re.compile(r"0?[1-9]\d?"), msg("So many tables at once cannot be; write a number from 1 to 99.")),
    (
        _LANGUAGES,
        re.compile(r"[a-z]{2}(?:, ?[a-z]{2}){0,4}"),
        msg("Languages are written in two letters each, parted by commas, as en,es."),
    ),
)
"""The options, their valid values, and the answer to invalid ones."""
_WORDS = (
    ("JOIN", "UNIRSE A"),
    ("TEAM", "EQUIPO"),
    ("NAME", "NOMBRE"),
    ("ZONE", "ZONA"),
    ("PACE", "RITMO"),
    ("TABLES", "MESAS"),
    ("LANG", "IDIOMA"),
    ("CODE", "CODIGO"),
    ("ACCEPT", "ACEPTO"),
)
"""The words of the confirming line."""
_ASKING = 8
"""Most applicants to one team at once: a captain reads and answers each by hand."""
_SIGNS = 4
"""Hex digits of the digest that JOIN requires: few enough to type, and they show that the text was read."""


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    return {zone.casefold(): zone for zone in available_timezones()}


def is_tournament(tx: Transaction, name: str) -> bool:
    """Return whether a name is that of a tournament."""
    return queries.tournaments.exists(tx.session, name)


def tournament_list_line(tx: Transaction, event: tables.Tournament) -> Msg | None:
    """Return a tournament's line in a list; None if nobody can enter or watch it."""
    if event.state == "open":
        taken_count, places = entry.taken_places(tx, event), record.rules_of(event).entry.places
        if record.boards_per_match(event):
            return msg(
                '{event}: {title}, for teams. Open: {taken} of {places} places are taken; JOIN {event} TEAM "name".',
                event=event.id,
                title=event.title,
                taken=taken_count,
                places=places,
            )
        return msg(
            "{event}: {title}. Open: {taken} of {places} places are taken; JOIN {event}.",
            event=event.id,
            title=event.title,
            taken=taken_count,
            places=places,
        )
    if event.state in ("playing", "held"):
        return msg("{event}: {title}. Being played.", event=event.id, title=event.title)
    return None


class _JoinRequest(NamedTuple):
    """The request of a line, with its code and digest."""

    wish: EntryRequest
    code: str
    digest: str


def join_tournament(tx: Transaction, asker: Asker, name: str, command: CommandLine) -> CommandReply:
    """Request a place in a tournament, or confirm it with code and digest."""
    event = queries.tournaments.tournament(tx.session, name)
    if event is None:
        raise ValueError(f"no tournament: {name!r}")
    if (objection := entry.entry_objection(tx, event, asker.email)) is not None:
        return _refuse(objection)
    request = _read_request(tx, asker, command)
    if isinstance(request, Msg):
        return _refuse(request)
    if (objection := _team_objection(tx, event, request.wish.team)) is not None:
        return _refuse(objection, *_open_team_lines(tx, event, request.wish.team))
    # What follows is in the language that he wants to play in, whatever the line was written in.
    asker = asker._replace(language=request.wish.language)
    reply = _confirm(tx, asker, event, request) if request.code else _request_code(tx, asker, event, request.wish)
    return reply._replace(language=asker.language)


def _confirm(tx: Transaction, asker: Asker, event: tables.Tournament, request: _JoinRequest) -> CommandReply:
    """Enter a player whose code is valid and who accepts the code of conduct."""
    if not codes.is_valid_code(tx.server, request.code, *_request(event, asker)):
        return _refuse(
            msg("This code is not good for {event}, or too old. JOIN without a code gets a new one.", event=event.id)
        )
    if not _accepts_conduct(event, request.digest):
        sentence = msg("The code of conduct that you accept is not the one of {event}: here it is.", event=event.id)
        reply = _request_code(tx, asker, event, request.wish)
        return CommandReply(reply.kind, (sentence, *reply.sentences), reply.blocks)
    row = entry.enter_person(tx, event, request.wish)
    if row is None and request.wish.team:
        return _refuse(
            msg("{event} takes no more teams.", event=event.id), *_open_team_lines(tx, event, request.wish.team)
        )
    if row is None and needs_approval(record.rules_of(event)):
        return _refuse(msg("So many ask to play in {event} that nobody else can now.", event=event.id))
    if row is None and not record.rules_of(event).entry.waiting:
        return _refuse(msg("{event} is full, and has no waiting list.", event=event.id))
    if row is None:
        return _refuse(msg("{event} is full, and so is its waiting list.", event=event.id))
    post.mail_entrant(tx, event, row, prospects.welcome_entrant(tx, event, row), f"welcome {row.number}")
    if row.state == teams.ASKS:
        teams.ask_captain(tx, event, row)
        confirmation = msg(
            "The captain of {team} is asked. A letter with the address to write to is on its way.",
            team=request.wish.team,
        )
    elif row.state == "waiting" and needs_approval(record.rules_of(event)):
        director_desk.notify_of_applicant(tx, event, row)
        confirmation = msg(
            "The director of {event} is asked. A letter with the address to write to is on its way.", event=event.id
        )
    elif row.state == "in":
        confirmation = msg(
            "You are in {event}. Its own letter, with the address to write to, is on its way.", event=event.id
        )
    else:
        confirmation = msg(
            "You are on the waiting list of {event}. Its own letter, with the address to write to, is on its way.",
            event=event.id,
        )
    return CommandReply("joined", (confirmation,))


def _refuse(*reasons: Msg) -> CommandReply:
    return CommandReply("answer", reasons)


def _request(event: tables.Tournament, asker: Asker) -> tuple[str, ...]:
    return ("enter", event.id, asker.email.casefold())


def _accepts_conduct(event: tables.Tournament, digest: str) -> bool:
    """Return whether what he typed is the start of the code of conduct's digest."""
    return not event.conduct.strip() or (
        len(digest) >= _SIGNS and entry.conduct_digest(event).partition(":")[2].startswith(digest)
    )


def _read_request(tx: Transaction, asker: Asker, command: CommandLine) -> _JoinRequest | Msg:
    """Read the request of a line, or return its fault."""
    rest = _TEAM.sub("", f" {command.rest}")
    team = _CALLED.search(command.said) if rest != f" {command.rest}" else None
    team_name = " ".join((team[1] or team[2] or "").split()) if team is not None else ""
    if team is not None and _TEAM_NAME.fullmatch(team_name) is None:
        return msg(
            "The name of a team is at most 30 letters and figures; one of several words stands in quotation marks."
        )
    person = queries.persons.person_by_email(tx.session, asker.email)
    confirmation, zone = _LAST.search(rest), _ZONE.search(rest)
    zone_name = _zones().get(zone[1]) if zone is not None else (person.zone if person is not None else asker.zone)
    if zone_name is None:
        return msg("There is no time zone {zone}; write one as Europe/Madrid.", zone=zone[1] if zone else "")
    for pattern, valid, fault in _GOOD:
        if (match := pattern.search(rest)) is not None and valid.fullmatch(match[1]) is None:
            return fault
    languages = _LANGUAGES.search(rest)
    language_codes = re.split(r", ?", languages[1]) if languages is not None else [asker.language]
    pace, tables_ = _PACE.search(rest), _TABLES.search(rest)
    wish = EntryRequest(
        asker.email,
        _name(command),
        next((code for code in language_codes if code in supported_languages()), asker.language),
        zone_name,
        int(pace[1].rstrip("h")) if pace is not None else 24,
        int(tables_[1]) if tables_ is not None else 1,
        ",".join(language_codes),
        team_name,
    )
    return _JoinRequest(
        wish, confirmation["code"] if confirmation else "", (confirmation["digest"] or "") if confirmation else ""
    )


def _team_objection(tx: Transaction, event: tables.Tournament, name: str) -> Msg | None:
    """Return why nobody can play for a team of this name, or without a team."""
    if not record.boards_per_match(event):
        return msg("In {event} everybody plays for himself: leave TEAM out.", event=event.id) if name else None
    if not name:
        team_names = tuple(team.name for team in contenders.teams_of(tx, event) if team.state == "in")
        choose_text = msg(
            '{event} is played by teams: say for which, as JOIN {event} TEAM "name". There are: {teams}.',
            event=event.id,
            teams=team_names,
        )
        create_text = msg('{event} is played by teams: JOIN {event} TEAM "name" founds one.', event=event.id)
        return choose_text if team_names else create_text
    team = teams.team_by_name(tx, event, name)
    if team is None:
        free_teams = record.rules_of(event).entry.places - entry.taken_places(tx, event)
        if free_teams > 0 and entry.may_begin(tx, event):
            return None
        return msg("{event} takes no more teams.", event=event.id)
    if team.state != "in":
        return msg("{team} play no more: name another team.", team=record.public_team_name(team))
    if not entry.may_begin(tx, event):
        return msg("Nobody can enter {event} now.", event=event.id)
    if teams.free_team_places(tx, event, team) < 1:
        return msg("{team} have as many members as they may have.", team=record.public_team_name(team))
    if len(contenders.members(tx, team, teams.ASKS)) >= _ASKING:
        return msg("So many ask to play for {team} that nobody else can now.", team=record.public_team_name(team))
    return None


def _open_team_lines(tx: Transaction, event: tables.Tournament, name: str) -> tuple[Msg, ...]:
    """Return the teams with room that a player may ask instead."""
    if not name or not record.boards_per_match(event) or not entry.may_begin(tx, event):
        return ()
    free = tuple(
        record.public_team_name(team)
        for team in contenders.teams_of(tx, event)
        if team.state == "in" and teams.free_team_places(tx, event, team) > 0
    )
    sentence = msg(
        'Teams with room: {teams}. JOIN {event} TEAM "name" asks the captain of one.', teams=free, event=event.id
    )
    return (sentence,) if free else (msg("No other team has room."),)


def _name(command: CommandLine) -> str:
    """Return the name to be shown to others, as it was written."""
    words = _CALLED.sub(" ", command.said).split()
    position = next((index for index, word in enumerate(words[:-1]) if fold(word) in ("name", "nombre")), None)
    # The most that `_GOOD` takes; folded, the name may have been shorter.
    return words[position + 1][:20] if position is not None else ""


def _team_lines(tx: Transaction, event: tables.Tournament, name: str) -> tuple[Msg, ...]:
    """Return the sentences about the team that a player names."""
    if not name:
        return ()
    team = teams.team_by_name(tx, event, name)
    if team is None:
        similar = teams.closest_team(tx, event, name)
        sentence = msg(
            "No team is called {team} yet: it is founded, and you are its captain. Its name is public, on pages too.",
            team=name,
        )
        if similar is None:
            return (sentence,)
        return (
            sentence,
            msg(
                "There is {near} already: if you mean that one, do not send the line below, but JOIN {event} "
                'TEAM "{name}".',
                near=record.public_team_name(similar),
                event=event.id,
                name=similar.name,
            ),
        )
    return (msg("You ask to play for {team}; its captain lets you in or not.", team=record.public_team_name(team)),)


def _request_code(tx: Transaction, asker: Asker, event: tables.Tournament, wish: EntryRequest) -> CommandReply:
    """Show the code of conduct, and mail the line that confirms the entry."""
    digest = entry.conduct_digest(event).partition(":")[2]
    code = codes.valid_codes(tx.server, *_request(event, asker))[0]
    words = [pick_phrase(asker.language, english, spanish) for english, spanish in _WORDS]
    line = [words[0], event.id]
    line += [words[1], f'"{wish.team}"'] if wish.team else []
    line += [words[2], wish.name] if wish.name else []
    line += [words[3], wish.zone, words[4], f"{wish.pace}h", words[5], str(wish.tables), words[6], wish.languages]
    has_code = bool(event.conduct.strip())
    line += [words[7], code, *([words[8], digest[:_SIGNS]] if has_code else [])]
    sentences = (
        msg("A place in {title} ({event}) was asked for with your address.", title=event.title, event=event.id),
        *_team_lines(tx, event, wish.team),
        msg("Whoever enters accepts its code of conduct, which {digest} stands for.", digest=digest[:_SIGNS])
        if has_code
        else msg("It has no code of conduct."),
    )
    reply = codes.ask_to_confirm(sentences, msg("The line that lets you in"), " ".join(line))
    conduct = content.titled_block(msg("The code of conduct"), event.conduct.splitlines())
    manner = prospects.how_it_is_played(tx.server, event)
    return CommandReply(reply.kind, reply.sentences, (*reply.blocks, manner, *((conduct,) if has_code else ())))


# OBSERVE of a tournament: a weekly letter about it, confirmed by a code as for a game.


MOST_OBSERVERS = 200
"""Observers of one tournament: each costs a letter a week. The site shows a tournament to everybody."""


def follow_tournament(tx: Transaction, asker: Asker, name: str, code: str | None) -> CommandReply:
    """Request to watch a tournament, or confirm it with the code."""
    event = queries.tournaments.tournament(tx.session, name)
    if event is None:
        raise ValueError(f"no tournament: {name!r}")
    if refused := _objection(tx, event, asker):
        return CommandReply("answer", (refused,))
    request = ("follow", event.id, asker.email.casefold())
    if code is None:
        mailed = codes.valid_codes(tx.server, *request)[0]
        line = pick_phrase(asker.language, f"OBSERVE {event.id} CODE {mailed}", f"OBSERVAR {event.id} CODIGO {mailed}")
        sentence = msg("Your address was given to watch {title} ({event}).", title=event.title, event=event.id)
        return codes.ask_to_confirm([sentence], msg("The line that lets you watch"), line)
    if not codes.is_valid_code(tx.server, code, *request):
        return CommandReply("answer", (codes.invalid_code(f"OBSERVE {event.id}"),))
    person = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    row = tables.Follower(tournament_id=event.id, person_id=person.id or 0, language=asker.language, told=tx.now)
    tx.session.add(row)
    if event.state in round_states.LIVE:
        event.wake = tx.now
        tx.session.add(event)
    tx.session.flush()
    confirmation = msg("From now on you get a letter a week of {event}. OBSERVE STOP {event} ends it.", event=event.id)
    return CommandReply("answer", (confirmation, msg("STANDINGS {event} tells at once how it stands.", event=event.id)))


def _objection(tx: Transaction, event: tables.Tournament, asker: Asker) -> Msg | None:
    """Return why this player cannot watch the tournament, or None."""
    if event.state in ("draft", "over", "cancelled"):
        return msg("Nobody can watch {event} now.", event=event.id)
    person = queries.persons.person_by_email(tx.session, asker.email)
    watching = queries.tournaments.followers(tx.session, event.id)
    if person is not None and any(follower.person_id == person.id for follower in watching):
        return msg("You watch {event} already; OBSERVE STOP {event} ends it.", event=event.id)
    if len(watching) >= MOST_OBSERVERS:
        return msg("{event} has as many observers as it can have: {count}.", event=event.id, count=MOST_OBSERVERS)
    return None


def unfollow_tournaments(tx: Transaction, person: int | None, name: str | None) -> tuple[str, ...]:
    """Stop watching one tournament, or all, and return their names."""
    rows = [row for row in queries.tournaments.followed_by(tx.session, person) if name in (None, row.tournament_id)]
    for row in rows:
        tx.session.delete(row)
    tx.session.flush()
    return tuple(sorted(row.tournament_id for row in rows))
