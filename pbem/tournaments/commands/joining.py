"""JOIN of a tournament: what is asked for, the code of conduct with its digest, and the code that lets one in.

::

    JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en
    JOIN cup60 NAME Ana ZONE Europe/Madrid PACE 24h TABLES 2 LANG es,en CODE ab2cd3ef ACCEPT 7f3a
    JOIN liga60 TEAM "Los Tercios" NAME Ana

Where teams play, the first to name one is its captain; others ask him (`ADMIT`).
Nothing is stored in between. The line that is mailed back says all of it again; whoever leaves something out takes what
is usual.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import available_timezones

from pbem.engine.data.languages import chosen, known
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, content
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Line
from pbem.play import seating
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, post, prospects, record, round_states, teams
from pbem.tournaments.entry import Wish

_KEYS = r"(?:team|equipo|name|nombre|zone|zona|pace|ritmo|tables|mesas|lang|language|idioma|code|codigo|accept|acepto)"
WISHES = (
    r'(?: (?:team|equipo) (?:"[^"]{1,60}"|[^ ]{1,40})'
    rf"| (?:name|nombre) [^ ]{{1,60}}(?: (?!{_KEYS} )[^ ]{{1,60}}){{0,4}}| (?:zone|zona) [^ ]{{1,40}}"
    r"| (?:pace|ritmo) (?:\d{1,3} h|[^ ]{1,20})| (?:tables|mesas) [^ ]{1,20}"
    r"| (?:lang|language|idioma) (?:[a-z]{2}(?:, ?[a-z]{2}){0,4}|[^ ]{1,40}))*"
)
"""What may follow the name of a tournament, in any order, as a regular expression of folded words.

It takes what cannot be, too, so that whoever writes it is told what is wrong with it.
"""
_LAST = re.compile(r"(?:code|codigo) (?P<code>[a-z2-7]{8})(?: (?:accept|acepto) (?P<digest>[0-9a-f]{4,64}))?$")
_TEAM = re.compile(r' (?:team|equipo) (?:"[^"]*"|\S+)')
_CALLED = re.compile(r'(?:^|\s)(?:team|equipo)\s+(?:["“”„‟«»]([^"“”„‟«»]*)["“”„‟«»]|(\S+))', re.IGNORECASE)
_TEAM_NAME = re.compile(r"(?=.{1,30}$)(?=.*[^\W\d_])[^\W_]+(?:[ '-][^\W_]+)*")
_NAME = re.compile(rf" (?:name|nombre) (\S+(?: (?!{_KEYS} )\S+)*)")
_ZONE = re.compile(r" (?:zone|zona) (\S+)")
_PACE = re.compile(r" (?:pace|ritmo) (\d{1,3} h|\S+)")
_TABLES = re.compile(r" (?:tables|mesas) (\S+)")
_LANGUAGES = re.compile(r" (?:lang|language|idioma) ([a-z]{2}(?:, ?[a-z]{2})+|\S+)")
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
"""What may be wished for, how it has to be written, and what is said of anything else."""
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
"""The words of the line that lets one in."""
_ASKING = 8
"""How many may ask to play for one team at once."""
_SIGNS = 4
"""Signs of the digest that JOIN asks for."""


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    return {zone.casefold(): zone for zone in available_timezones()}


def is_one(work: Work, name: str) -> bool:
    """Whether a name is that of a tournament."""
    return queries.tournaments.known(work.session, name)


def listed(work: Work, event: tables.Tournament) -> Msg | None:
    """The line of a tournament in a list; None of one that nobody can enter or watch."""
    if event.state == "open":
        taken, places = entry.taken_places(work, event), record.rules_of(event).entry.places
        if record.boards_a_match(event):
            return msg(
                '{event}: {title}, for teams. Open: {taken} of {places} places are taken; JOIN {event} TEAM "name".',
                event=event.id,
                title=event.title,
                taken=taken,
                places=places,
            )
        return msg(
            "{event}: {title}. Open: {taken} of {places} places are taken; JOIN {event}.",
            event=event.id,
            title=event.title,
            taken=taken,
            places=places,
        )
    if event.state in ("playing", "held"):
        return msg("{event}: {title}. Being played.", event=event.id, title=event.title)
    return None


class _Asked(NamedTuple):
    """What a line asks for, and the code and the digest that it bears."""

    wish: Wish
    code: str
    digest: str


def join(work: Work, asker: Asker, name: str, command: Line) -> Said:
    """Ask to enter a tournament, or confirm that with the code and the digest of the code of conduct."""
    event = queries.tournaments.tournament(work.session, name)
    if event is None:
        raise ValueError(f"no tournament: {name!r}")
    if (refused := entry.objection(work, event, asker.email)) is not None:
        return _no(refused)
    asked = _read(work, asker, command)
    if isinstance(asked, Msg):
        return _no(asked)
    if (refused := _team_refused(work, event, asked.wish.team)) is not None:
        return _no(refused, *_room(work, event, asked.wish.team))
    return _confirmed(work, asker, event, asked) if asked.code else _ask(work, asker, event, asked.wish)


def _confirmed(work: Work, asker: Asker, event: tables.Tournament, asked: _Asked) -> Said:
    """Enter somebody whose line bears a code, if that is good and the code of conduct is accepted."""
    if not codes.good(work.server, asked.code, *_request(event, asker)):
        return _no(
            msg("This code is not good for {event}, or too old. JOIN without a code gets a new one.", event=event.id)
        )
    if not _accepts(event, asked.digest):
        told = msg("The code of conduct that you accept is not the one of {event}: here it is.", event=event.id)
        said = _ask(work, asker, event, asked.wish)
        return Said(said.kind, (told, *said.sentences), said.blocks)
    row = entry.enter(work, event, asked.wish)
    if row is None and asked.wish.team:
        return _no(msg("{event} takes no more teams.", event=event.id), *_room(work, event, asked.wish.team))
    if row is None:
        return _no(msg("{event} is full, and so is its waiting list.", event=event.id))
    post.to_entrant(work, event, row, prospects.welcome(work, event, row), f"welcome {row.number}")
    if row.state == teams.ASKS:
        teams.ask(work, event, row)
        done = msg(
            "The captain of {team} is asked. A letter with the address to write to is on its way.", team=asked.wish.team
        )
    elif row.state == "in":
        done = msg("You are in {event}. Its own letter, with the address to write to, is on its way.", event=event.id)
    else:
        done = msg(
            "You are on the waiting list of {event}. Its own letter, with the address to write to, is on its way.",
            event=event.id,
        )
    return Said("joined", (done,))


def _no(*why: Msg) -> Said:
    return Said("answer", why)


def _request(event: tables.Tournament, asker: Asker) -> tuple[str, ...]:
    return ("enter", event.id, asker.email.casefold())


def _accepts(event: tables.Tournament, digest: str) -> bool:
    """Whether the digest is the beginning of that of the code of conduct."""
    return not event.conduct.strip() or (
        len(digest) >= _SIGNS and entry.conduct_of(event).partition(":")[2].startswith(digest)
    )


def _read(work: Work, asker: Asker, command: Line) -> _Asked | Msg:
    """Read what a line asks for; what is wrong with it."""
    rest = _TEAM.sub("", f" {command.rest}")
    team = _CALLED.search(command.said) if rest != f" {command.rest}" else None
    called = " ".join((team[1] or team[2] or "").split()) if team is not None else ""
    if team is not None and _TEAM_NAME.fullmatch(called) is None:
        return msg(
            "The name of a team is at most 30 letters and figures; one of several words stands in quotation marks."
        )
    person = queries.persons.person_by_email(work.session, asker.email)
    last, zone = _LAST.search(rest), _ZONE.search(rest)
    named = _zones().get(zone[1]) if zone is not None else (person.zone if person is not None else asker.zone)
    if named is None:
        return msg("There is no time zone {zone}; write one as Europe/Madrid.", zone=zone[1] if zone else "")
    for wished, good, why in _GOOD:
        if (found := wished.search(rest)) is not None and good.fullmatch(found[1]) is None:
            return why
    languages = _LANGUAGES.search(rest)
    read = re.split(r", ?", languages[1]) if languages is not None else [asker.language]
    pace, tables_ = _PACE.search(rest), _TABLES.search(rest)
    wish = Wish(
        asker.email,
        _name(command),
        next((one for one in read if one in known()), asker.language),
        named,
        int(pace[1].rstrip("h")) if pace is not None else 24,
        int(tables_[1]) if tables_ is not None else 1,
        ",".join(read),
        called,
    )
    return _Asked(wish, last["code"] if last else "", (last["digest"] or "") if last else "")


def _team_refused(work: Work, event: tables.Tournament, called: str) -> Msg | None:
    """Why nobody can play for a team of this name, or without one."""
    if not record.boards_a_match(event):
        return msg("In {event} everybody plays for himself: leave TEAM out.", event=event.id) if called else None
    if not called:
        there = tuple(team.name for team in contenders.teams_of(work, event) if team.state == "in")
        told = msg(
            '{event} is played by teams: say for which, as JOIN {event} TEAM "name". There are: {teams}.',
            event=event.id,
            teams=there,
        )
        none = msg('{event} is played by teams: JOIN {event} TEAM "name" founds one.', event=event.id)
        return told if there else none
    team = teams.named(work, event, called)
    if team is None:
        free = record.rules_of(event).entry.places - entry.taken_places(work, event)
        if free > 0 and entry.may_begin(work, event):
            return None
        return msg("{event} takes no more teams.", event=event.id)
    if team.state != "in":
        return msg("{team} play no more: name another team.", team=record.shown_team(team))
    if not entry.may_begin(work, event):
        return msg("Nobody can enter {event} now.", event=event.id)
    if teams.free_places(work, event, team) < 1:
        return msg("{team} have as many members as they may have.", team=record.shown_team(team))
    if len(contenders.members(work, team, teams.ASKS)) >= _ASKING:
        return msg("So many ask to play for {team} that nobody else can now.", team=record.shown_team(team))
    return None


def _room(work: Work, event: tables.Tournament, called: str) -> tuple[Msg, ...]:
    """Which teams somebody may ask instead of the one that he named."""
    if not called or not record.boards_a_match(event) or not entry.may_begin(work, event):
        return ()
    free = tuple(
        record.shown_team(team)
        for team in contenders.teams_of(work, event)
        if team.state == "in" and teams.free_places(work, event, team) > 0
    )
    told = msg(
        'Teams with room: {teams}. JOIN {event} TEAM "name" asks the captain of one.', teams=free, event=event.id
    )
    return (told,) if free else (msg("No other team has room."),)


def _name(command: Line) -> str:
    """The name that others are to see, as it was written."""
    words = _CALLED.sub(" ", command.said).split()
    at = next((at for at, word in enumerate(words[:-1]) if fold(word) in ("name", "nombre")), None)
    return words[at + 1][:20] if at is not None else ""


def _about_team(work: Work, event: tables.Tournament, called: str) -> tuple[Msg, ...]:
    """What is told of the team that somebody names."""
    if not called:
        return ()
    team = teams.named(work, event, called)
    if team is None:
        near = teams.near(work, event, called)
        told = msg(
            "No team is called {team} yet: it is founded, and you are its captain. Its name is public, on pages too.",
            team=called,
        )
        if near is None:
            return (told,)
        return (
            told,
            msg(
                "There is {near} already: if you mean that one, do not send the line below, but JOIN {event} "
                'TEAM "{name}".',
                near=record.shown_team(near),
                event=event.id,
                name=near.name,
            ),
        )
    return (msg("You ask to play for {team}; its captain lets you in or not.", team=record.shown_team(team)),)


def _ask(work: Work, asker: Asker, event: tables.Tournament, wish: Wish) -> Said:
    """Show the code of conduct, and mail the line that lets one in."""
    digest = entry.conduct_of(event).partition(":")[2]
    code = codes.codes(work.server, *_request(event, asker))[0]
    words = [chosen(asker.language, one, other) for one, other in _WORDS]
    line = [words[0], event.id]
    line += [words[1], f'"{wish.team}"'] if wish.team else []
    line += [words[2], wish.name] if wish.name else []
    line += [words[3], wish.zone, words[4], f"{wish.pace}h", words[5], str(wish.tables), words[6], wish.languages]
    has_code = bool(event.conduct.strip())
    line += [words[7], code, *([words[8], digest[:_SIGNS]] if has_code else [])]
    asked = (
        msg("A place in {title} ({event}) was asked for with your address.", title=event.title, event=event.id),
        *_about_team(work, event, wish.team),
        msg("Whoever enters accepts its code of conduct, which {digest} stands for.", digest=digest[:_SIGNS])
        if has_code
        else msg("It has no code of conduct."),
    )
    said = codes.please(asked, msg("The line that lets you in"), " ".join(line))
    conduct = content.block(msg("The code of conduct"), event.conduct.splitlines())
    return Said(said.kind, said.sentences, (*said.blocks, *((conduct,) if has_code else ())))


# OBSERVE of a tournament: a letter a week of how it goes, confirmed by a code as the watching of a game is.


MOST = 200
"""Observers of one tournament: each costs a letter a week."""


def follow(work: Work, asker: Asker, name: str, code: str | None) -> Said:
    """Ask to watch a tournament, or confirm that with the code."""
    event = queries.tournaments.tournament(work.session, name)
    if event is None:
        raise ValueError(f"no tournament: {name!r}")
    if refused := _objection(work, event, asker):
        return Said("answer", (refused,))
    request = ("follow", event.id, asker.email.casefold())
    if code is None:
        mailed = codes.codes(work.server, *request)[0]
        line = chosen(asker.language, f"OBSERVE {event.id} CODE {mailed}", f"OBSERVAR {event.id} CODIGO {mailed}")
        asked = msg("Your address was given to watch {title} ({event}).", title=event.title, event=event.id)
        return codes.please([asked], msg("The line that lets you watch"), line)
    if not codes.good(work.server, code, *request):
        return Said("answer", (codes.stale(f"OBSERVE {event.id}"),))
    person = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    row = tables.Follower(tournament_id=event.id, person_id=person.id or 0, language=asker.language, told=work.now)
    work.session.add(row)
    if event.state in round_states.LIVE:
        event.wake = work.now
        work.session.add(event)
    work.session.flush()
    done = msg("From now on you get a letter a week of {event}. OBSERVE STOP {event} ends it.", event=event.id)
    return Said("answer", (done, msg("STANDINGS {event} tells at once how it stands.", event=event.id)))


def _objection(work: Work, event: tables.Tournament, asker: Asker) -> Msg | None:
    """Why nobody, or not this one, can watch the tournament."""
    if event.state in ("draft", "over", "cancelled"):
        return msg("Nobody can watch {event} now.", event=event.id)
    person = queries.persons.person_by_email(work.session, asker.email)
    watching = queries.tournaments.followers(work.session, event.id)
    if person is not None and any(one.person_id == person.id for one in watching):
        return msg("You watch {event} already; OBSERVE STOP {event} ends it.", event=event.id)
    if len(watching) >= MOST:
        return msg("{event} has as many observers as it can have: {count}.", event=event.id, count=MOST)
    return None


def leave(work: Work, person: int | None, name: str | None) -> tuple[str, ...]:
    """End what somebody watches of tournaments, one or all, and return their names."""
    rows = [row for row in queries.tournaments.followed_by(work.session, person) if name in (None, row.tournament_id)]
    for row in rows:
        work.session.delete(row)
    work.session.flush()
    return tuple(sorted(row.tournament_id for row in rows))
