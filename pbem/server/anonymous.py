"""Letters without a good seat's address: who gets which answer, and how many of them a day.

A letter whose From is false gets none. Whoever asks for what anybody may ask is served; a player whose From is vouched
for is asked to confirm, by answering to the right address; anybody else is told once a day how this works. What names
a seat's address goes to the registered address alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, command_lines, content, outbox, senders
from pbem.letters.codes import Asker
from pbem.letters.command_lines import Understood
from pbem.letters.content import Head
from pbem.letters.senders import Claim
from pbem.mail.address import base_address, check_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.seats import play, seek
from pbem.runtime import limits as budgets
from pbem.runtime.limits import Excess
from pbem.runtime.transaction import MODERATOR, Server, Work
from pbem.server import join
from pbem.server.catalogue import BY_NAME, FORMS
from pbem.store import queries, tables

# Letters of those who write to the server itself, without a seat: what anybody may ask, and the welcome.


_FEW = 3
_RANK = ("joined", "confirm", "answer", "help")


def may_ask(said: Understood) -> bool:
    """True if a letter holds nothing but what anybody may ask."""
    alone = said.block is None and not said.wrong and said.excess is None
    return alone and bool(said.commands) and all(BY_NAME[command.name].visit for command in said.commands)


def language_of_mistakes(said: Understood) -> str | None:
    """Return the language of a letter whose few wrong lines begin with a word that anybody may write; else None.

    One with many is prose, or a letter of another server that answers ours.
    """
    if said.block is not None or said.later or not 0 < len(said.wrong) <= _FEW or said.excess is not None:
        return None
    first = fold(said.wrong[0].text).split()
    phrases = FORMS.beginning(first[0]) if first else ()
    return next((phrase.language for phrase in phrases if BY_NAME[phrase.form.name].visit), None)


def refusal_letter(work: Work, said: Understood) -> Json:
    """The letter that says which lines of one are wrong."""
    return content.Letter(
        "refusal",
        Head(address=work.server.address),
        opening=[content.nothing_done(len(said.wrong))],
        errors=said.wrong,
        what=content.NOT_DONE,
    ).to_json()


def answer_requests(work: Work, asker: Asker, said: Understood) -> Json:
    """The letter that answers all requests of one letter, in their order."""
    asked = ((BY_NAME[command.name].visit, command) for command in said.commands)
    parts = [visit(work, asker, command) for visit, command in asked if visit is not None]
    return content.Letter(
        min((part.kind for part in parts), key=_RANK.index),
        Head(address=work.server.address),
        opening=[sentence for part in parts for sentence in part.sentences],
        blocks=[block for part in parts for block in part.blocks],
    ).to_json()


def with_code(work: Work, letter: IncomingLetter, said: Understood, pending: str) -> Understood:
    """Return what a letter says; of one that only says yes to the code that waits, the line with that code.

    The code may stand alone, or in the quote below, as in most answers. A letter that says anything else may mean no,
    or come from a machine: nothing that is quoted counts then.
    """
    code = fold(pending).split()[-1] if pending else ""
    alone = _ALONE.fullmatch(fold(letter.text).strip(" .!\n"))
    agrees = said.empty and quotes(letter, pending) and _YES.issuperset(_WORD.findall(fold(letter.text)))
    if agrees or (alone is not None and alone[1] == code):
        return command_lines.read(pending, FORMS, work.server.limits)
    return said


def quotes(letter: IncomingLetter, pending: str) -> bool:
    """Return whether the code that waits stands in what is quoted in a letter."""
    return bool(pending) and any(fold(pending).split()[-1] in fold(line) for line in letter.coded)


_ALONE = re.compile(r"(?:(?:code|codigo)\W*)?([a-z2-7]{8})")
_WORD = re.compile(r"\w+")
_YES = frozenset(
    _WORD.findall(
        "yes yeah yep ok okay sure please thanks thank you confirm confirmed i do go ahead agreed hi hello done "
        "si vale claro por favor gracias muchas confirmo confirmado de acuerdo adelante hola hecho acepto"
    )
)
"""Words of which an answer consists that says yes to what is quoted below."""


def pending_line(work: Work, recipient: str) -> str:
    """Return the line with a code that somebody was sent last and has not sent back; empty if there is none."""
    last = queries.outbox.last_asked(work.session, recipient, work.now - timedelta(days=codes.DAYS - 1))
    if last is None or last.kind != "confirm" or not last.model:
        return ""
    lines = (line for block in loads(last.model)["blocks"] for line in block["lines"] if isinstance(line, str))
    return next((line for line in lines if _ENDS_CODED.search(fold(line))), "")


_ENDS_CODED = re.compile(r"\b(?:code|codigo) [a-z2-7]{8}\b")


def code_not_read(work: Work, pending: str) -> Json:
    """Return the letter that says how a code is sent back that was only quoted."""
    told = msg(
        "You answered a letter with a code, but I do not read what is quoted. If you want it, send me this line "
        "alone; else do nothing."
    )
    block = content.block(msg("The line to send"), [pending])
    return content.Letter("confirm", Head(address=work.server.address), opening=[told], blocks=[block]).to_json()


def written_in(text: str) -> str:
    """Return the language of the house that a letter in prose is most likely written in."""
    words = _WORD.findall(fold(text))
    return "es" if sum(word in _SPANISH for word in words) > sum(word in _ENGLISH for word in words) else "en"


_SPANISH = frozenset(
    _WORD.findall(
        "hola buenas buenos dias tardes que como el la los las un una de del en y o por para con mi me te se es soy "
        "somos puedo puede quiero quisiera gustaria jugar juego juegos partida partidas correo saludos gracias he "
        "visto esto alguien hay donde cuando cual reglas batalla"
    )
)
_ENGLISH = frozenset(
    _WORD.findall(
        "hi hello dear the a an of in on and or to for with my me i you it is are am can could how what where "
        "when which want would like play game games mail regards thanks this that there anyone someone have "
        "found rules battle"
    )
)


def welcome(work: Work, language: str, pending: str) -> tuple[list[Msg], list[Json], list[Msg]]:
    """Return what a stranger is told: what this is, lines to copy, a code that waits, battles, bots, where a guide is.

    They are paragraphs, blocks, and paragraphs below them.
    """
    example = play.example(work)
    lines = [*([example] if example is not None else []), (join.LIST.form.example, join.LIST.form.spanish)]
    opening = [
        msg(
            "This is a server for war games played by mail. You write orders as text, and it answers with what "
            "happened."
        ),
        msg(
            "I did not understand your letter. Send me one of these lines, alone in a letter, to {address}.",
            address=work.server.address,
        ),
    ]
    blocks = [content.block(msg("Lines to copy"), [chosen(language, *pair) for pair in lines])]
    if pending:
        opening.append(msg("You asked for something and have not confirmed it. The line with its code stands below."))
        blocks.insert(0, content.block(msg("The line to send"), [pending]))
    meant = msg("With LIST you see the games with free seats, and who waits for an opponent.")
    if example is not None:
        meant = msg(
            "With PLAY you begin a game against a bot; with SEEK and a battle one against a person, once somebody "
            "comes. With LIST you see the games with free seats, and who waits for an opponent."
        )
    closing = [
        meant,
        msg(
            "The answer to HELP lists all that you can write. The guide for players is docs/players.en.md, which comes "
            "with the program."
        ),
        msg("I answer letters that I do not understand once a day."),
    ]
    return opening, [*blocks, *seek.waiting_now(work), *play.offered(work)], closing


KEPT = timedelta(days=7)
"""How long the header of a letter without a seat is kept; its body never is."""

_DEEPEST = 6
"""Words of a domain's name that are looked at."""

_CODE = re.compile(r"\b(?:code|codigo) [a-z2-7]{8}(?: (?:accept|acepto) [0-9a-f]{4,64})?$")
_NOBODYS = ("stranger", "auto", "bounce", "list", "loop", "poison")
_STRANGER = "answered-stranger"
_REQUEST = "answered-request"
_CONFIRM = "answered-confirm"
_PLAY = "answered-play"
_REFUSED = "answered-refused"
_NOTHING = (_STRANGER, _REFUSED)
"""What is no request that could be done."""


class Case(NamedTuple):
    """A letter without a good seat's address: what was claimed, whether its From is vouched for, whose that is.

    `recipient` is the registered address of `person`, else the From.
    """

    letter: IncomingLetter
    claim: Claim
    evidence: Evidence
    recipient: str
    person: tables.Person | None
    seats: Sequence[tables.Seat]
    moderates: Sequence[tables.Moderator] = ()


def answer(work: Work, letter: IncomingLetter, claim: Claim, evidence: Evidence, row: tables.Inbox) -> str:
    """Queue an answer, if there is to be one; return the outcome. `row.sender` is set to the address it counts for."""
    if evidence == "fail":
        return "unauthentic"
    person = queries.people.person_by_email(work.session, letter.sender)
    recipient = (queries.people.email_of(work.session, person.id) if person else None) or letter.sender
    try:
        check_address(recipient)
    except ValueError:
        return "no-sender"
    row.sender = base_address(recipient)
    seats = queries.people.seats_of(work.session, person.id) if person is not None else ()
    moderates = queries.rulings.moderated_by(work.session, person.id) if person is not None else ()
    case = Case(letter, claim, evidence, recipient, person, seats, moderates)
    language = person.language if person is not None else "en"
    excess, asked = _read(work, letter)
    pending = pending_line(work, recipient) if letter.seat is None else ""
    if asked is not None and letter.seat is None:
        asked = with_code(work, letter, asked, pending)
    if excess is not None and letter.seat is None:
        outcome = _REQUEST
    elif asked is not None and letter.seat is None and may_ask(asked):
        outcome = _PLAY if all(command.name == play.NAME for command in asked.commands) else _REQUEST
        language = asked.commands[0].language if person is None else language
    elif asked is not None and letter.seat is None and asked.empty and quotes(letter, pending):
        outcome = _REFUSED
    elif asked is not None and letter.seat is None and (nearly := language_of_mistakes(asked)) is not None:
        outcome = _REFUSED
        language = nearly if person is None else language
    elif asked is not None and evidence == "pass" and seats and _wants_something(asked):
        outcome = _CONFIRM
    else:
        outcome = _STRANGER
    most = 1 if outcome == _STRANGER else work.server.limits.requests
    if _count_answers(work, (outcome,), row.sender) >= most:
        return "over-budget"
    reply: Json = None
    asker = codes.Asker(recipient, language, vouched=evidence == "pass")
    if _exhausted(work, outcome, row.sender, case):
        reply = _let_in(work, asker, asked) if outcome in (_REQUEST, _PLAY) else None
        if reply is None:
            return "over-budget"
    elif outcome == _REQUEST and excess is not None:
        head = Head(address=work.server.address)
        reply = content.Letter("help", head, opening=budgets.told(excess)).to_json()
    elif outcome in (_REQUEST, _PLAY) and asked is not None:
        reply = answer_requests(work, asker, asked)
    elif outcome == _REFUSED and asked is not None and asked.empty:
        reply = code_not_read(work, pending)
    elif outcome == _REFUSED and asked is not None:
        reply = refusal_letter(work, asked)
    elif outcome == _CONFIRM and asked is not None:
        reply = _confirm(work.server, case, asked)
    elif letter.seat is None and not (seats or moderates):
        language = written_in(f"{letter.subject}\n{letter.text}") if person is None else language
        reply = _welcome(work, case, language, pending)
    else:
        reply = _no_seat(work.server, case)
    cause = f"{letter.message_id} {row.sha256}"
    outbox.queue(work, reply, outbox.Envelope(recipient, language), cause, row)
    return outcome


def _let_in(work: Work, asker: codes.Asker, asked: Understood | None) -> Json:
    """Do what an unknown writer confirms with a good code; None if he confirms nothing, and is as unknown as before.

    His code was mailed to him as one of the answers of these days: however much junk came since, he has his seat.
    """
    if asked is None or not any(_CODE.search(command.rest) for command in asked.commands):
        return None
    reply = answer_requests(work, asker, asked)
    return reply if queries.people.person_by_email(work.session, asker.email) is not None else None


def _exhausted(work: Work, outcome: str, sender: str, case: Case) -> bool:
    """Whether no more is answered today to all, or to those who are not known, or to those of one domain.

    Whoever writes without being known shares half of all answers with others like him, so that no junk keeps those who
    are known from being answered; of these half at most are for what is no request, and where signatures are looked at
    the last quarter is for those who are vouched for, so that it keeps nobody from joining. Each domain has a share of
    its own, and those below one name have together what two have.
    """
    limits, every = work.server.limits, (_STRANGER, _REQUEST, _CONFIRM, _REFUSED)
    if outcome == _PLAY:
        # They have a budget of their own: neither does junk use it up, nor do they keep anybody from joining.
        taken = queries.inbox.taken_since(work.session, "stranger", work.now - timedelta(days=1), (_PLAY,))
        here = queries.inbox.unknown_since(
            work.session, work.now - timedelta(days=1), (_PLAY,), sender.rpartition("@")[2]
        )
        return taken >= limits.plays or here >= limits.plays_at_domain
    if _count_answers(work, every) >= limits.strangers:
        return True
    if case.person is not None:
        return False
    since, share = work.now - timedelta(days=1), limits.strangers // 2
    looks = bool(work.server.authserv_id) or work.server.txt is not None
    unknown = queries.inbox.unknown_since
    domain = sender.rpartition("@")[2]
    above = [f".{name}" for name in _names_above(domain)]
    return (
        unknown(work.session, since, every) >= (share - share // 4 if looks and case.evidence != "pass" else share)
        or (outcome in _NOTHING and unknown(work.session, since, _NOTHING) >= share // 2)
        or unknown(work.session, since, every, domain) >= limits.at_domain
        or any(unknown(work.session, since, every, name) >= 2 * limits.at_domain for name in above)
    )


def _names_above(domain: str) -> tuple[str, ...]:
    """A domain and the names that it is below, a few of them and none of one word."""
    words = domain.split(".")
    return tuple(".".join(words[at:]) for at in range(max(0, len(words) - _DEEPEST), len(words) - 1))


def forget(work: Work) -> None:
    """Empty what is still kept of the letters of machines and of those without a seat that came over a week ago.

    Who has sought an opponent for too long is forgotten as well.
    """
    seek.forget(work)
    for raw in queries.inbox.texts_before(work.session, _NOBODYS, work.now - KEPT):
        raw.body = b""
        work.session.add(raw)
    work.session.flush()


def _read(work: Work, letter: IncomingLetter) -> tuple[Excess | None, Understood | None]:
    """The limit that a letter passes, or what it asks for."""
    if work.meter is not None and work.meter.excess is not None:
        return work.meter.excess, None
    if letter.refusal is not None:
        return None, None
    limits = work.server.limits
    asked = command_lines.read(letter.text, FORMS, limits)
    if may_ask(asked) and len(asked.commands) > limits.visitor_requests:
        return Excess("visitor_requests", limits.visitor_requests), None
    return (asked.excess if asked.excess is not None and asked.excess.name == "commands" else None), asked


def _wants_something(asked: Understood) -> bool:
    return asked.block is not None or bool(asked.commands)


def _confirm(server: Server, case: Case, asked: Understood) -> Json:
    """Ask somebody whose From is vouched for to write to the right address: answering is enough."""
    opening = [_what_is_wrong(case), msg("Nothing of your letter was carried out.")]
    blocks = []
    address = ""
    if len(case.seats) == 1:
        address = server.seat_address(case.seats[0])
        opening.append(
            msg(
                "If it is to count, answer this letter with your orders above its first line: that goes to {address}.",
                address=address,
            )
        )
    else:
        opening.append(msg("Which seat is it for? Send it again, to one of these addresses."))
        blocks.append(_seats(server, case))
    if asked.block is not None:
        block = asked.block
        header = block.header.partition("#")[0].rstrip() if block.nonce else block.header
        lines = [*block.lines] if block.standing else [header, *block.lines, block.end]
        blocks.append(content.block(msg("Your orders, to be sent again"), lines))
    return content.Letter("confirm", Head(address=address), opening=opening, blocks=blocks).to_json()


def _welcome(work: Work, case: Case, language: str, pending: str) -> Json:
    opening, blocks, closing = welcome(work, language, pending)
    opening += senders.notes_for_stranger(case.letter) if case.letter.refusal is None else ()
    if case.person is None:
        opening.append(msg("If you were invited to a game, answer the letter that invited you."))
    head = Head(address=work.server.address)
    return content.Letter("welcome", head, opening=opening, blocks=blocks, closing=closing).to_json()


def _no_seat(server: Server, case: Case) -> Json:
    opening = [_what_is_wrong(case), msg("Nothing in your letter was read. This answer is sent once a day at most.")]
    blocks = []
    if case.person is None:
        opening.append(msg("If you were invited to a game, answer the letter that invited you."))
    elif case.seats or case.moderates:
        blocks.append(_seats(server, case))
    if case.letter.seat is None:
        opening.append(msg("LIST, JOIN, OBSERVE and HELP can be written to {address}.", address=server.address))
    kind = "unknown-sender" if case.person is None else "no-seat"
    return content.Letter(kind, Head(), opening=opening, blocks=blocks).to_json()


def _what_is_wrong(case: Case) -> Msg:
    if case.letter.seat is None:
        return msg("Letters to this server go to the address of a seat in a game; yours did not.")
    if case.claim.kind == "rotated":
        return msg(
            "The address you wrote to was that of the seat {seat} in {game}; it has been replaced by another one.",
            game=case.letter.seat.game,
            seat=case.letter.seat.seat,
        )
    return msg(
        "The address you wrote to is not that of a seat here: there is no game {game} with a seat {seat}, "
        "or the address has been replaced.",
        game=case.letter.seat.game,
        seat=case.letter.seat.seat,
    )


def _seats(server: Server, case: Case) -> Json:
    lines = [f"{seat.game_id} {seat.name}: {server.seat_address(seat)}" for seat in case.seats]
    lines += [f"{row.game_id} {MODERATOR}: {server.moderator_address(row)}" for row in case.moderates]
    return content.block(msg("Your seats, and where to write for each"), lines)


def _count_answers(work: Work, outcomes: Sequence[str], sender: str | None = None) -> int:
    """How many letters, of all who have no seat or of one of them, had one of these outcomes in the last day."""
    return queries.inbox.taken_since(work.session, "stranger", work.now - timedelta(days=1), outcomes, sender)
