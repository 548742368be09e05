"""Who wrote a letter: the seat whose token it bears, or nobody; and whether its From is vouched for.

The token decides. Whoever has it speaks for the seat, from whatever address, and is answered at the registered one
alone. Without it a letter does nothing, whoever it says it is from; whether its From is vouched for decides only
what it is answered (anonymous.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Literal, NamedTuple

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.letters import moderators
from pbem.letters.moderators import Moderator
from pbem.mail import authentication
from pbem.mail.address import SeatAddress, base_address, strike
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.mail.mime import read_fields
from pbem.mail.reading import LimitName, Part, Unread
from pbem.runtime import tokens
from pbem.runtime.transaction import DIRECTOR, MODERATOR, Server, Work
from pbem.store import queries, tables
from pbem.store.queries.phases import StoredState
from pbem.store.queries.sittings import Sitting

_HOUR = timedelta(hours=1)

GENERATIONS = 20
"""Replaced addresses of a seat that are still known as such."""

Kind = Literal["token", "rotated", "wrong", "none"]
"""What the address of a letter is: a seat's, one that was a seat's, none that ever was, or no seat's at all."""


class Writer(NamedTuple):
    """The game that a letter is about, its row locked, its last state, who sits there, and at which seat he wrote.

    `email` is the registered address of that seat, None if nobody sits there; `letters` came from it within the hour.
    """

    game: tables.Game
    kept: StoredState | None
    sittings: tuple[Sitting, ...]
    seat: tables.Seat
    email: str | None
    letters: int


class EntrantWriter(NamedTuple):
    """The tournament that an entrant's letter is about, its row locked, the entrant, and his registered address."""

    event: tables.Tournament
    row: tables.Entrant
    email: str


class DirectorWriter(NamedTuple):
    """The tournament that a director's letter is about, its row locked, and his registered address."""

    event: tables.Tournament
    email: str


class Claim(NamedTuple):
    """What a letter's address is worth; `writer` is there with a good token, `seat` also with a replaced one.

    With the good token of a game's moderator there is `moderator`, with that of an entrant `entrant`, with that of a
    tournament's director `director`, and no writer.
    """

    kind: Kind
    writer: Writer | None = None
    seat: tables.Seat | None = None
    moderator: Moderator | None = None
    entrant: EntrantWriter | None = None
    director: DirectorWriter | None = None


def claim(work: Work, address: SeatAddress | None) -> Claim:
    """Find out who an address speaks for at this moment.

    The game is locked before anything of it is read: what is read then stays true until the end of the transaction.
    """
    if address is None:
        return Claim("none")
    game = queries.games.game(work.session, address.game)
    if game is not None and address.seat == MODERATOR:
        return _moderators(work, game, address.token)
    if game is None and (event := queries.tournaments.tournament(work.session, address.game)) is not None:
        return _of_tournament(work, event, address)
    sittings, kept = (
        queries.sittings.sittings(work.session, game.id, work.now - _HOUR) if game is not None else ((), None)
    )
    for seat, email, letters, *_ in sittings:
        if game is not None and seat.name == address.seat:
            # Whoever gave a seat up speaks for it no more; the next one gets another token.
            if email is not None and _is_token(work.server, seat, seat.generation, address.token):
                return Claim("token", Writer(game, kept, sittings, seat, email, letters), seat)
            older = range(seat.generation - 1, max(0, seat.generation - 1 - GENERATIONS), -1)
            if any(_is_token(work.server, seat, generation, address.token) for generation in older):
                return Claim("rotated", None, seat)
    return Claim("wrong")


def _moderators(work: Work, game: tables.Game, token: str) -> Claim:
    moderator = moderators.moderator_of(work.session, game)
    good = moderator is not None and moderators.has_token(work.server, moderator.row, token)
    return Claim("token", moderator=moderator) if good else Claim("rotated" if good is None else "wrong")


def _of_tournament(work: Work, event: tables.Tournament, address: SeatAddress) -> Claim:
    """The claim of an address at a tournament: an entrant's, ``e7``, or the director's."""
    key = work.server.key
    if address.seat == DIRECTOR:
        good = tokens.same(tokens.director(key, event.id, event.director_generation), address.token)
        email = queries.people.email_of(work.session, event.director_id) if good else None
        return Claim("token", director=DirectorWriter(event, email)) if email is not None else Claim("wrong")
    number = address.seat.removeprefix("e")
    row = queries.tournaments.entrant(work.session, event.id, int(number)) if number.isdigit() else None
    email = queries.people.email_of(work.session, row.person_id) if row is not None else None
    if row is None or email is None:
        return Claim("wrong")
    good = tokens.same(tokens.entrant(key, event.id, row.number, row.generation), address.token)
    return Claim("token", entrant=EntrantWriter(event, row, email)) if good else Claim("wrong")


def one_named(work: Work, named: Iterable[SeatAddress]) -> Claim:
    """The claim of a letter to no seat's address whose text holds some: that of the only good one, else none."""
    claims = [claim(work, address) for address in sorted(named)[:5]]
    good = [found for found in claims if found.kind == "token"]
    return good[0] if len(good) == 1 else Claim("none")


def _is_token(server: Server, seat: tables.Seat, generation: int, token: str) -> bool:
    return tokens.same(tokens.token(server.key, seat.game_id, seat.name, generation), token)


def evidence(server: Server, raw: bytes, author: str) -> Evidence:
    """Whether the From of a letter is vouched for: by the mail provider, else by its signatures. May ask the DNS."""
    if not author:
        return "none"
    found = authentication.results(read_fields(raw), server.authserv_id)
    if found is not None:
        return authentication.from_results(found, author)
    return authentication.from_signatures(raw, author, server.txt) if server.txt is not None else "none"


def new_address(work: Work, writer: Writer, sender: str) -> bool:
    """Whether letters of a seat come from an address for the first time; from now on they do not."""
    if not sender or writer.email is None or base_address(sender) == base_address(writer.email):
        return False
    email = base_address(sender)
    person = queries.people.person_by_email(work.session, sender) or queries.people.person_by_email(work.session, email)
    if person is not None and person.id == writer.seat.person_id:
        return False
    if queries.people.wrote_from(work.session, writer.seat, email):
        return False
    work.session.add(tables.Writer(seat_id=writer.seat.id or 0, email=email, first=work.now))
    work.session.flush()
    return True


def too_many(server: Server, letters: int) -> int:
    """By how many letters a seat is past its hourly limit, or 0: `letters` came within the hour, one is at hand."""
    return max(0, letters + 1 - server.letters_an_hour)


def written_by(work: Work, verdict: str, email: str) -> int:
    """How many letters came within the hour from somebody of a tournament, an ``entrant`` or a ``director``."""
    return queries.inbox.taken_since(work.session, verdict, work.now - _HOUR, (), base_address(email))


def letters_of(work: Work, seat: tables.Seat) -> int:
    """How many letters came from a seat within the hour."""
    return queries.inbox.letters_since(work.session, seat, work.now - _HOUR)


def written_by_moderator(work: Work, moderator: Moderator) -> int:
    """How many letters of a game's moderator came within the hour; only those that were answered count."""
    return queries.inbox.answered_since(work.session, moderator.game.id, "moderator", work.now - _HOUR)


# What a seat's player is told of a letter's header: that its From is not his, or that others can read his token in it.
#
# The token alone decides whose a letter is, so such a letter is carried out; but the registered address hears of it.
# Nothing is said of who the others are: whose an address is nobody learns by trying it.


_PROVEN = msg("Its sender is vouched for.")
_UNPROVEN = msg("Nobody vouches for its sender.")
_ROTATE = msg("If it was not you, somebody knows your seat's address: ROTATE gives you another one.")


def warn_of_from(work: Work, writer: Writer, sender: str, evidence: Evidence) -> tuple[Msg, ...]:
    """Return what to tell of a From that is false or a fellow player's (each time), or new (the first time)."""
    vouched = _PROVEN if evidence == "pass" else _UNPROVEN
    false = msg(
        "Somebody else wrote this letter, in the name of {address}: its From is false. It came to your seat's "
        "address, and so it counts.",
        address=sender,
    )
    lies = (false,) if evidence == "fail" else ()
    if new_address(work, writer, sender):
        came = msg("This letter came from {address}, from where none of your seat came before.", address=sender)
        return came, vouched, *lies, _ROTATE
    if _fellow(writer, sender):
        came = msg("This letter came from {address}, which is not where I write to you.", address=sender)
        return came, vouched, *lies, _ROTATE
    return (*lies, _ROTATE) if lies else ()


def warn_of_readers(letter: IncomingLetter, email: str, address: str) -> tuple[Msg, ...]:
    """Return what to tell if a letter to the seat's `address` names others in To or Cc, who can read it too."""
    if all(base_address(other) == base_address(email) for other in letter.others):
        return ()
    return (
        msg("Your letter went to others beside me: all of them can read the address in it, and write in your name."),
        msg("ROTATE, in a letter to {address} alone, gives you another address at once.", address=address),
    )


def _fellow(writer: Writer, sender: str) -> bool:
    """Whether a From is the registered address of somebody else at the same table."""
    if not sender or writer.email is None or base_address(sender) == base_address(writer.email):
        return False
    return any(
        one.seat.person_id != writer.seat.person_id and one.email and base_address(one.email) == base_address(sender)
        for one in writer.sittings
    )


# What an answer says of how a letter was read: what was left out of it and why, from the reading record of `mail`.


_NAMED = 5
"""Parts that an answer names; a letter may have many small pictures."""

_WHY: dict[Unread, Msg] = {
    "attached": msg("attached"),
    "other form": msg("the same in another form"),
    "not text": msg("no text"),
    "letter": msg("a letter inside the letter"),
    "encrypted": msg("encrypted"),
    "sealed": msg("signed in a form that hides the text"),
    "signature": msg("a signature"),
    "calendar": msg("an appointment"),
    "calendar answer": msg("an answer to an appointment"),
    "broken": msg("broken: its parts cannot be told apart"),
}
_PASSED: dict[LimitName, Msg] = {
    "KB": msg("more than {count} KB in all"),
    "KB of text": msg("more than {count} KB of text"),
    "KB of a page": msg("a page (HTML) of more than {count} KB"),
    "lines": msg("more than {count} lines of text"),
    "lines as sent": msg("more than {count} lines, files included"),
    "tags": msg("more than {count} tags in its pages (HTML)"),
    "attributes of a tag": msg("more than {count} attributes in a tag of its pages (HTML)"),
    "crossing selectors": msg("more than {count} ways of crossing out in its style sheets"),
    "KB of header": msg("a header of more than {count} KB"),
    "multiparts": msg("more than {count} groups of parts"),
    "letters inside the letter": msg("more than {count} letters inside the letter"),
    "messages inside the letter": msg("more than {count} messages inside the letter"),
    "boundary lines": msg("more than {count} boundaries of parts"),
    "octets in a Content field": msg("more than {count} characters in the description of a part"),
    "octets in all Content fields": msg("more than {count} characters in the descriptions of all parts"),
    "levels of parts": msg("parts within parts, more than {count} deep"),
}
_WAY_OUT = msg("Only the text of a letter is read: write orders and commands there.")


def notes_on_letter(letter: IncomingLetter, *, nothing: bool = False) -> list[Msg]:
    """Return what the author may have meant to say and was not read.

    With `nothing` it is told why there was nothing to carry out. Otherwise pictures and what is shown within the text
    are not named: many programs add some to each letter.
    """
    parts = tuple(part for part in letter.reading.unread if nothing or not _is_decoration(part))
    notes = [*_struck(letter), *_encrypted(letter), *_parts(parts)]
    return [*_text_reasons(letter), *notes] if nothing else notes


def notes_on_limit(letter: IncomingLetter) -> list[Msg]:
    """Return which limit a letter passes whose text is not read for it."""
    if letter.reading.limit is None:
        return []
    name, most = letter.reading.limit
    return [msg("It has {what}.", what=msg(_PASSED[name].text, count=most))]


def notes_for_stranger(letter: IncomingLetter) -> list[Msg]:
    """Return why a stranger's letter was not understood, in no words of the letter: its From may be somebody else's."""
    lines = letter.reading.quoted
    notes = [] if letter.text.strip() or lines else [msg("It has no text that I read.")]
    if lines and not letter.text.strip():
        notes.append(msg("Not read, because quoted or below a signature: {lines} lines.", lines=lines))
    notes += _encrypted(letter)
    reasons = dict.fromkeys(_WHY[part.unread] for part in letter.reading.unread if part.unread is not None)
    if reasons and not letter.text.strip():
        notes.append(msg("Parts of your letter that I do not read: {parts}.", parts=tuple(reasons)))
    return notes


def _is_decoration(part: Part) -> bool:
    return part.unread == "not text" and (part.disposition != "attachment" or part.kind.startswith("image/"))


def _text_reasons(letter: IncomingLetter) -> list[Msg]:
    reasons = list[Msg]()
    # Of a block of orders that only came back the answer says more.
    known = letter.untouched or letter.orders_only_quoted
    lines = 0 if known else letter.reading.quoted
    if lines and not letter.text.strip():
        reasons.append(
            by_number(
                lines,
                msg("Its text is one line, which is quoted or stands below a signature."),
                msg("All {lines} lines of its text are quoted or stand below a signature.", lines=lines),
            )
        )
    elif not letter.text.strip() and not known:
        reasons.append(msg("It has no text that I read."))
    elif lines:
        reasons.append(msg("Not read, because quoted or below a signature: {lines} lines.", lines=lines))
    if letter.text.strip():
        first = next(line.strip() for line in letter.text.split("\n") if line.strip())
        reasons.append(
            msg(
                'No line of its text is a command or begins a block of orders. The first is: "{line}"',
                line=strike(first)[:80],
            )
        )
    return reasons


def _struck(letter: IncomingLetter) -> Iterator[Msg]:
    if letter.reading.struck:
        pieces = tuple(f'"{piece[:80]}"' for piece in letter.reading.struck)
        yield msg("Crossed out in your letter and so not read: {pieces}.", pieces=pieces)


def _encrypted(letter: IncomingLetter) -> Iterator[Msg]:
    if letter.reading.encrypted:
        yield msg("Your letter is encrypted, and this server has no key to it. Send it unencrypted; it may be signed.")


def _parts(parts: tuple[Part, ...]) -> Iterator[Msg]:
    if not parts:
        return
    named = tuple(
        msg("{name} ({kind}, {why})", name=part.name, kind=part.kind, why=_WHY[part.unread])
        if part.name
        else msg("{kind} ({why})", kind=part.kind, why=_WHY[part.unread])
        for part in parts[:_NAMED]
        if part.unread is not None
    )
    yield msg("Parts of your letter that I do not read: {parts}.", parts=named)
    if len(parts) > _NAMED:
        yield msg("Further parts that I do not read: {count}.", count=len(parts) - _NAMED)
    yield _WAY_OUT
