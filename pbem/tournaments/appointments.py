"""Appoint co-directors and a deputy, and hand a tournament over.

The deputy directs too after the director's silence.

::

    APPOINT ana@example.org AS Ana BECAUSE ...     Ana directs too, from an address of her own
    DEPUTY ana@example.org AS Ana BECAUSE ...      Ana will, after days of silence of the director
    DISMISS Ana BECAUSE ...                        she does not any more
    HANDOVER ana@example.org BECAUSE ...           somebody else is the director
    INVITE ana@example.org BECAUSE ...             she may enter where entrants are invited

A co-director rules like the director, but for these four. Where there are any, each ruling says who made it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.languages import available_language
from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.letters.content import Letter, LetterHead, moment_in_words
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine
from pbem.mail.address import base_address, check_address
from pbem.play.seating import find_or_create_person, plain_name
from pbem.runtime.clock import DAY
from pbem.runtime.transaction import DIRECTOR, Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import post, record
from pbem.tournaments.entrant_rulings import DirectorContext, require_state
from pbem.tournaments.verdicts import record_verdict


def ruling_author(tx: Transaction, event: tables.Tournament, by: str) -> str:
    """Return who makes a ruling; empty unless there are or were co-directors."""
    rows = queries.tournaments.appointments(tx.session, event.id, "director", "past")
    return by or (DIRECTOR if rows else "")


def _require_director(tx: DirectorContext) -> None:
    if tx.by:
        raise UserError(msg("Only the director rules so, and no co-director."))


def _require_eligible(tx: DirectorContext, email: str) -> None:
    """Raise UserError unless the owner of an address may direct."""
    event = tx.event
    try:
        check_address(email)
    except ValueError as wrong:
        raise UserError(msg("{email} is no address that mail can be sent to.", email=email)) from wrong
    person = queries.persons.person_by_email(tx.session, email)
    if person is not None and person.id == event.director_id:
        raise UserError(msg("{email} directs {event} already.", email=email, event=event.id))
    row = queries.tournaments.entrant_of(tx.session, event.id, person.id) if person is not None else None
    if row is not None and row.state not in record.OUT:
        raise UserError(
            msg("{who} plays in {event}, and cannot direct it.", who=record.public_entrant_name(row), event=event.id)
        )


def _name_in(tx: DirectorContext, line: RulingLine) -> str:
    """Return the name of somebody to be appointed.

    Raise UserError if another official has that name.
    """
    _require_director(tx)
    _require_eligible(tx, line["who"])
    name, email = plain_name(line["name"]), line["who"]
    person = queries.persons.person_by_email(tx.session, email)
    rows = queries.tournaments.appointments(tx.session, tx.event.id, *record.OFFICE, "past")
    for row in rows:
        is_same = person is not None and row.person_id == person.id
        if is_same and row.role == "director":
            raise UserError(msg("{email} directs {event} already.", email=email, event=tx.event.id))
        if not is_same and row.name.casefold() == name.casefold():
            raise UserError(msg("Another is called {name}: take another name.", name=name))
    if name.casefold() == DIRECTOR:
        raise UserError(msg("Another is called {name}: take another name.", name=name))
    return name


def _appoint(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    name = _name_in(tx, line)
    yield (msg("{name} directs {event} too.", name=name, event=tx.event.id),)
    row = _store(tx, line["who"], "director", name)
    post.mail_official(tx, tx.event, row, welcome_official(tx, tx.event, row), f"appointed {row.generation}")


def _make_deputy(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    event, name = tx.event, _name_in(tx, line)
    for row in queries.tournaments.appointments(tx.session, event.id, "deputy"):
        raise UserError(msg("{name} is deputy: DISMISS {name} comes before.", name=row.name))
    days = record.rules_of(event).office.deputy_days
    sentence = msg(
        "{name} directs {event} too once its director is silent for {days} days.", name=name, event=event.id, days=days
    )
    yield (sentence,)
    row = _store(tx, line["who"], "deputy", name)
    sentence = msg(
        "You are deputy in {event}: once its director writes nothing for {days} days, you direct it too, by letter.",
        event=event.id,
        days=days,
    )
    letter = post.LetterContent(msg("you are deputy"), (sentence,), kind="invitation")
    post.mail_official(tx, event, row, letter, f"deputy {row.generation}")


def _store(tx: DirectorContext, email: str, role: str, name: str) -> tables.Appointment:
    """Store an appointment; an earlier holder of the role gets another address."""
    person = find_or_create_person(tx.session, email, language=tx.event.director_language, zone=tx.event.zone)
    rows = queries.tournaments.appointments(tx.session, tx.event.id)
    row = next((row for row in rows if row.person_id == person.id), None)
    if row is None:
        row = tables.Appointment(
            tournament_id=tx.event.id, person_id=person.id or 0, role=role, generation=0, since=tx.now
        )
    row.role, row.name, row.since = role, name, tx.now
    row.generation += 1
    tx.session.add(row)
    tx.session.flush()
    return row


def _dismiss(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    _require_director(tx)
    rows = queries.tournaments.appointments(tx.session, tx.event.id, *record.OFFICE)
    row = next((row for row in rows if row.name.casefold() == line["name"].casefold()), None)
    if row is None:
        names = tuple(row.name for row in rows) or ("-",)
        raise UserError(msg("{name} is no co-director or deputy; there are: {names}.", name=line["name"], names=names))
    yield (msg("{name} does not direct {event} any more.", name=row.name, event=tx.event.id),)
    _say_farewell(tx, row)
    row.role = "past"
    tx.session.add(row)
    tx.session.flush()


def _say_farewell(tx: DirectorContext, official: tables.Appointment | None) -> None:
    sentence = msg("You do not direct {event} any more: somebody else does.", event=tx.event.id)
    letter = post.LetterContent(msg("you do not direct it any more"), (sentence,))
    post.mail_official(tx, tx.event, official, letter, f"farewell {tx.now.isoformat()}")


def _hand_over(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Make somebody else the director, at a new director's address."""
    event, email = tx.event, line["who"]
    _require_director(tx)
    _require_eligible(tx, email)
    yield (msg("Somebody else directs {event} from now on.", event=event.id),)
    _say_farewell(tx, None)
    event.director_id = find_or_create_person(tx.session, email, language=event.director_language, zone=event.zone).id
    event.director_generation += 1
    tx.session.add(event)
    for row in queries.tournaments.appointments(tx.session, event.id):
        # The silence of the new director begins now; whoever becomes director is no co-director any more.
        row.role, row.since = "past" if row.person_id == event.director_id else row.role, tx.now
        tx.session.add(row)
    tx.session.flush()
    post.mail_official(tx, event, None, welcome_official(tx, event), f"welcome {event.director_generation}")


def welcome_official(
    tx: Transaction, event: tables.Tournament, official: tables.Appointment | None = None
) -> post.LetterContent:
    """Return the first letter to a new director or co-director."""
    rules = msg(
        "You direct {title} ({event}). Its rules have the digest {digest}.",
        title=event.title,
        event=event.id,
        digest=event.digest,
    )
    address = msg(
        "What you write about it goes to {address}: keep it to yourself.",
        address=tx.server.director_address(event, official),
    )
    lines = (rules, address, msg("STATUS tells how it stands, DOCKET what was ruled, HELP what you can write."))
    return post.LetterContent(msg("you direct it"), lines, kind="invitation")


def appoint_deputy_after_silence(tx: Transaction, event: tables.Tournament) -> bool:
    """Let the deputy direct after long silence; return whether the deputy now does."""
    deputy = next(iter(queries.tournaments.appointments(tx.session, event.id, "deputy")), None)
    email = queries.persons.email_of(tx.session, event.director_id)
    if deputy is None or email is None:
        return False
    days = record.rules_of(event).office.deputy_days
    last = queries.inbox.last_arrival_from(tx.session, DIRECTOR, base_address(email))
    if record.later_on_tournament_clock(event, max(deputy.since, last or deputy.since), 24 * days) > tx.now:
        return False
    deputy.role = "director"
    tx.session.add(deputy)
    tx.session.flush()
    record_verdict(tx, event, f"DEPUTY {deputy.name} IN OFFICE", f"the director wrote nothing for {days} days")
    sentence = msg(
        "{name} directs {event} too from now on: its director has written nothing for {days} days.",
        name=deputy.name,
        event=event.id,
        days=days,
    )
    letters: tuple[tuple[tables.Appointment | None, Msg], ...] = (
        (None, msg("DISMISS {name}, with a reason, ends that.", name=deputy.name)),
        (deputy, welcome_official(tx, event, deputy).opening[1]),
    )
    for official, way in letters:
        letter = post.LetterContent(msg("the deputy directs too"), (sentence, way))
        post.mail_official(tx, event, official, letter, f"deputy in {deputy.generation}")
    return True


def _invite(tx: DirectorContext, line: RulingLine) -> RulingInProgress:
    """Invite people to enter, by letter; no letter to others names them."""
    event, emails = tx.event, list(dict.fromkeys(re.findall(r"[^\s,;]+@[^\s,;]+", line["who"])))
    require_state(event, "open", "playing", "held")
    if (way := record.rules_of(event).entry.by) == "approval":
        raise UserError(
            msg("Nobody has to be invited to {event}: ADMIT lets in those who write JOIN {event}.", event=event.id)
        )
    if way != "invitation":
        raise UserError(msg("Nobody has to be invited to {event}: JOIN {event} is open to all.", event=event.id))
    for email in emails:
        _require_eligible(tx, email)
        person = queries.persons.person_by_email(tx.session, email)
        if person is not None and record.is_director(tx, event, person.id):
            raise UserError(msg("{email} directs {event} already.", email=email, event=event.id))
    _require_few(tx, emails)
    yield (msg("Invited to {event}: {count}.", event=event.id, count=len(emails)),)
    for email in emails:
        person = queries.persons.person_by_email(tx.session, email)
        language = person.language if person is not None else event.director_language
        row = _store(tx, email, "guest", "")
        letter = Letter(
            "invitation",
            LetterHead(game=event.id, rules=event.system, address=tx.server.address),
            opening=(
                msg("The director of {title} ({event}) invites you to play.", title=event.title, event=event.id),
                *_about(event),
                msg("To enter, write JOIN {event} to {server}.", event=event.id, server=tx.server.address),
            ),
            what=msg("you are invited"),
        )
        envelope = outbox.Recipient(email, available_language(language))
        outbox.queue_letter(tx, letter.to_json(), envelope, f"{event.id} guest {row.id} {row.generation}")


def _about(event: tables.Tournament) -> list[Msg]:
    """Return what is played, and until when one may enter."""
    closes = record.closing_time(event) if event.state == "open" else None
    sentence = msg("What is played: {scenario}.", scenario=record.rules_of(event).table.scenario)
    until = [msg("The list of entrants shuts: {when}.", when=moment_in_words(closes, event.zone))] if closes else []
    return [sentence, *until]


def _require_few(tx: DirectorContext, emails: Sequence[str]) -> None:
    """Raise UserError if somebody was invited a day ago or less, or too many are.

    Letters to people who asked for nothing are few, so that nobody sends mail to many through us.
    """
    rows = queries.tournaments.appointments(tx.session, tx.event.id, "guest")
    fresh = {row.person_id: row.since + DAY for row in rows if row.since + DAY > tx.now}
    for email in emails:
        person = queries.persons.person_by_email(tx.session, email)
        if person is not None and person.id in fresh:
            again = moment_in_words(fresh[person.id], tx.event.zone)
            raise UserError(msg("{email} is invited already: once more from {when} on.", email=email, when=again))
    most = tx.server.settings.limits.invited
    if len(fresh) + len(emails) > most:
        raise UserError(
            msg(
                "At most {most} are invited in a day; {left} more may be now. Leave some for tomorrow.",
                most=most,
                # The limit may have been lowered since they were invited.
                left=max(0, most - len(fresh)),
            )
        )


_NAME = r"(?P<name>\w[\w .'-]{0,30})"
"""The name of an official, as long as a line of a letter has room for. A choice."""
# The words between in any case; the rest of the line is kept as written.
_NAMED = re.compile(rf"(?P<who>\S+@\S+) (?i:as|como) {_NAME}")
_WITHIN = (("AS", "COMO"),)
_DISMISSED = msg("DISMISS ends it.")

RULINGS = (
    Ruling("APPOINT", "NOMBRAR", _appoint, "ana@example.org AS Ana", _NAMED, "names", within=_WITHIN, undo=_DISMISSED),
    Ruling(
        "DEPUTY", "SUPLENTE", _make_deputy, "ana@example.org AS Ana", _NAMED, "names", within=_WITHIN, undo=_DISMISSED
    ),
    Ruling(
        "DISMISS",
        "CESAR",
        _dismiss,
        "Ana",
        re.compile(_NAME),
        undo=msg("APPOINT lets somebody direct again."),
    ),
    Ruling(
        "INVITE",
        "INVITAR",
        _invite,
        "ana@example.org",
        # Several addresses have commas or blanks between them.
        re.compile(r"(?P<who>[^\s,]+@[^\s,]+(?:,? [^\s,]+@[^\s,]+)*)"),
        often=0,
        undo=msg("EXPEL puts somebody out."),
    ),
    Ruling(
        "HANDOVER",
        "RELEVAR",
        _hand_over,
        "ana@example.org",
        re.compile(r"(?P<who>\S+@\S+)"),
        undo=msg("HANDOVER gives it to somebody else."),
        moves=True,
    ),
)
