"""Answer letters without a valid seat's address, within daily limits.

A letter with a forged From gets no answer. A request that anybody may make is served; a player whose From is
authenticated is asked to confirm, by answering to the right address; all others get the welcome once a day. A
letter that names a seat's address goes to the registered address only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, command_lines, content, outbox, senders
from pbem.letters.command_lines import ParsedLetter
from pbem.letters.content import LetterHead
from pbem.letters.reception import AddressState, Answer, IncomingFromRole, Role
from pbem.mail import CODE_PATTERN
from pbem.mail.address import base_address, check_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.questions import lesson
from pbem.play.commands.seats import play, seek
from pbem.runtime import limits as budgets
from pbem.runtime.clock import DAY
from pbem.runtime.limits import ExceededLimit
from pbem.runtime.transaction import MODERATOR, Transaction
from pbem.server import join
from pbem.server.catalogue import COMMAND_FORMS, COMMANDS_BY_NAME
from pbem.store import queries, tables

# Letters to the server itself, without a seat: public requests, and the welcome.


_FEW = 3
"""Wrong lines up to which a letter counts as meant for the server: a letter with more is prose, or the answer of
another program."""


def has_only_public_requests(parsed: ParsedLetter) -> bool:
    """Return whether a letter holds only requests that anybody may make."""
    only_commands = parsed.block is None and not parsed.wrong and parsed.excess is None
    return (
        only_commands
        and bool(parsed.commands)
        and all(COMMANDS_BY_NAME[command.name].visit for command in parsed.commands)
    )


def language_of_mistakes(parsed: ParsedLetter) -> str | None:
    """Return the language of a letter with a few wrong public lines, else None.

    The first wrong line begins with a command for anybody. A letter with many wrong lines is prose, or a letter of
    another server that answers ours.
    """
    if parsed.block is not None or parsed.later or not 0 < len(parsed.wrong) <= _FEW or parsed.excess is not None:
        return None
    first = fold(parsed.wrong[0].text).split()
    phrases = COMMAND_FORMS.beginning(first[0]) if first else ()
    return next((phrase.language for phrase in phrases if COMMANDS_BY_NAME[phrase.form.name].visit), None)


def confirm_quoted_line(tx: Transaction, letter: IncomingLetter, parsed: ParsedLetter, pending: str) -> ParsedLetter:
    """Return the parsed letter, or the quoted line whose code it confirms.

    The code may be the only word, or in the quote below, as in most answers. A letter with other words may mean no,
    or come from a machine: its quoted lines do not count.
    """
    code = fold(pending).split()[-1] if pending else ""
    lone_code = _ALONE.fullmatch(fold(letter.text).strip(" .!\n"))
    agrees = parsed.empty and quotes_code(letter, pending) and _YES.issuperset(_WORD.findall(fold(letter.text)))
    if agrees or (lone_code is not None and lone_code[1] == code):
        return command_lines.parse_letter(pending, COMMAND_FORMS, tx.server.settings.limits)
    return parsed


def quotes_code(letter: IncomingLetter, pending: str) -> bool:
    """Return whether a letter quotes the pending code."""
    return bool(pending) and any(fold(pending).split()[-1] in fold(line) for line in letter.coded)


# A code: as the whole line; below, at the end of one.
_ALONE = re.compile(rf"(?:(?:code|codigo)\W*)?({CODE_PATTERN})")
_WORD = re.compile(r"\w+")
_YES = frozenset(
    _WORD.findall(
        "yes yeah yep ok okay sure please thanks thank you confirm confirmed i do go ahead agreed hi hello done "
        "si vale claro por favor gracias muchas confirmo confirmado de acuerdo adelante hola hecho acepto"
    )
)
"""Words, in lower case without accents, of an answer that says only yes to the quoted code."""


def pending_code_line(tx: Transaction, recipient: str) -> str:
    """Return the last line with an unused code mailed to an address, or empty."""
    last_letter = queries.outbox.last_confirmation(tx.session, recipient, tx.now - timedelta(days=codes.CODE_DAYS - 1))
    if last_letter is None or last_letter.kind != "confirm" or not last_letter.model:
        return ""
    lines = (line for block in loads(last_letter.model)["blocks"] for line in block["lines"] if isinstance(line, str))
    return next((line for line in lines if _ENDS_CODED.search(fold(line))), "")


_ENDS_CODED = re.compile(rf"\b(?:code|codigo) {CODE_PATTERN}\b")


def language_of_prose(text: str) -> str:
    """Return the supported language that a letter in prose is most likely in."""
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


def welcome_content(tx: Transaction, language: str, pending: str) -> tuple[list[Msg], list[Json], list[Msg]]:
    """Return the welcome to an unknown sender, in three parts.

    They are opening paragraphs, blocks, and closing paragraphs: the purpose, lines to copy, a pending code,
    battles, bots, and the guide.
    """
    example = play.example_play_commands(tx)
    lines = [
        *([example] if example is not None else []),
        (join.LIST_COMMAND.form.example, join.LIST_COMMAND.form.spanish),
    ]
    learns = lesson.has_lessons(tx)
    lines += [(command.form.example, command.form.spanish) for command in lesson.COMMANDS if learns]
    opening = [
        msg("This is a server for wargames by email. You write orders as text, and it answers with what happened."),
        msg(
            "I did not understand your letter. Send me one of these lines, alone in a letter, to {address}.",
            address=tx.server.address,
        ),
    ]
    blocks = [content.titled_block(msg("Lines to copy"), [pick_phrase(language, *pair) for pair in lines])]
    if pending:
        opening.append(msg("You asked for something and have not confirmed it. The line with its code stands below."))
        blocks.insert(0, content.titled_block(msg("The line to send"), [pending]))
    explanation = msg("With LIST you see the games with free seats, and who waits for an opponent.")
    if example is not None:
        explanation = msg(
            "With PLAY you begin a game against a bot; with SEEK and a battle one against a person, once somebody "
            "comes. With LIST you see the games with free seats, and who waits for an opponent."
        )
    closing = [
        explanation,
        *([msg("With LESSON you learn the orders of a game in five short turns, without a game.")] if learns else []),
        msg(
            "The answer to HELP lists all that you can write. The guide for players is docs/players.en.md, which comes "
            "with the program."
        ),
        msg("I answer letters that I do not understand once a day."),
    ]
    return opening, [*blocks, *seek.open_offers_block(tx), *play.battle_blocks(tx)], closing


HEADER_LIFETIME = timedelta(days=7)
"""How long the header of a letter without a seat is kept, to find who floods the server: a week, a choice. Its body
is never kept."""

_DEEPEST = 6
"""Parts of a domain's name that are checked. A choice: domains of people have two to four, and each part is a query."""

# At the end of a command, perhaps with the digest of a code of conduct: four digits suffice, and 64 are all.
_CODE = re.compile(rf"\b(?:code|codigo) {CODE_PATTERN}(?: (?:accept|acepto) [0-9a-f]{{4,64}})?$")
_NOBODYS = ("stranger", "auto", "bounce", "list", "loop", "poison")
_STRANGER = "answered-stranger"
_REQUEST = "answered-request"
_CODED = "answered-code"
_CONFIRM = "answered-confirm"
_PLAY = "answered-play"
_REFUSED = "answered-refused"
_NOTHING = (_STRANGER, _REFUSED)
"""Kinds of letters that hold no request."""


@dataclass(kw_only=True)
class AnonymousAnswer(Answer):
    """The answer to a letter without a valid address.

    It has the state of the address written to, the author if known, and the kind of letter. `email` is the
    registered address of `person`, else the From. `request` is the kind that the daily limits count; `pending` is a
    line with a code that was mailed there and has not come back. `address` is the address that the answer names for
    replies.
    """

    RANKS = ("joined", "confirm", "answer", "help", "refusal", "welcome", "unknown-sender", "no-seat")
    CALLED = MappingProxyType({"refusal": content.NOT_CARRIED_OUT})

    letter: IncomingLetter
    claim: AddressState
    evidence: Evidence
    email: str
    person: tables.Person | None
    seats: Sequence[tables.Seat]
    moderates: Sequence[tables.Moderator]
    language: str
    address: str
    pending: str = ""
    request: str = ""

    @property
    def outcome(self) -> str:
        """Return the result for the letter's row: the reason of silence, or its kind."""
        return self.silent or self.request

    @property
    def to_server(self) -> bool:
        """Return whether the letter went to the server's own address."""
        return self.letter.seat is None

    def refuse_unread(self, sentences: Iterable[Msg]) -> None:
        """Say why the letter was not read; if the address is wrong, say only that."""
        if not self.to_server:
            _answer_unknown(self)
        elif _may_answer(self, _REFUSED if self.meter is None or self.meter.excess is None else _REQUEST):
            self.say("refusal", *sentences)


@dataclass(frozen=True, kw_only=True)
class AnonymousRole(Role[AnonymousAnswer]):
    """The author of a letter to the server itself or to an invalid address.

    A letter with a forged From gets no answer. Public requests are served; a player whose From is
    authenticated is asked to confirm, by answering to the right address; all others get the welcome once a
    day.
    """

    NAME = "stranger"
    KNOWN = False

    claim: AddressState
    person: tables.Person | None

    def head(self, answer: AnonymousAnswer | None = None) -> LetterHead:
        """Return the head of a letter to the author."""
        return LetterHead(address=self.work.server.address if answer is None else answer.address)

    def envelope(self, answer: AnonymousAnswer | None = None) -> outbox.Recipient:
        """Return the author's registered address, else the From."""
        return outbox.Recipient(self.email, answer.language if answer is not None else "en")

    def answer(self, incoming: IncomingFromRole) -> AnonymousAnswer:
        """Create the answer."""
        tx, person = self.work, self.person
        delete_old_letters(tx)
        return AnonymousAnswer(
            **tx.context_fields,
            letter=incoming.letter,
            claim=self.claim,
            evidence=incoming.evidence,
            email=self.email,
            person=person,
            seats=queries.persons.seats_of(tx.session, person.id) if person is not None else (),
            moderates=queries.rulings.moderated_by(tx.session, person.id) if person is not None else (),
            language=person.language if person is not None else "en",
            address=tx.server.address,
            pending=pending_code_line(tx, self.email) if incoming.letter.seat is None else "",
        )

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """Return no notes: only the From identifies the author."""
        return ()

    def wants(self, text: str) -> bool:
        """Return False: the letters of unknown senders are not searched for requests.

        A letter with signs of a program is therefore never carried out.
        """
        return False

    def carry_out(self, answer: AnonymousAnswer, text: str) -> bool:
        """Answer public requests; otherwise send the welcome."""
        parsed = command_lines.parse_letter(text, COMMAND_FORMS, answer.server.settings.limits)
        if answer.to_server:
            _answer_server_letter(answer, confirm_quoted_line(answer, answer.letter, parsed, answer.pending))
        elif answer.evidence == "pass" and answer.seats and _wants_something(parsed):
            _ask_to_confirm(answer, parsed)
        else:
            _answer_unknown(answer)
        return False


def anonymous_role(tx: Transaction, letter: IncomingLetter, claim: AddressState) -> AnonymousRole:
    """Return the author of a letter without a valid address.

    Its `email` is empty if it cannot be answered. A known sender is counted under his registered address, from
    whichever of his addresses he wrote.
    """
    person = queries.persons.person_by_email(tx.session, letter.sender)
    email = (queries.persons.email_of(tx.session, person.id) if person else None) or letter.sender
    try:
        check_address(email)
    except ValueError:
        email = ""
    return AnonymousRole(work=tx, about="", email=email, claim=claim, person=person)


def _answer_server_letter(answer: AnonymousAnswer, parsed: ParsedLetter) -> None:
    """Answer a letter to the server itself."""
    excess = _excess(answer, parsed)
    if excess is not None:
        if _may_answer(answer, _REQUEST):
            answer.say("help", *budgets.explain_excess(excess))
    elif has_only_public_requests(parsed):
        _serve_requests(answer, parsed)
    elif parsed.empty and quotes_code(answer.letter, answer.pending):
        if _may_answer(answer, _REFUSED):
            _say_code_was_quoted(answer)
    elif (language := language_of_mistakes(parsed)) is not None:
        answer.language = language if answer.person is None else answer.language
        if _may_answer(answer, _REFUSED):
            answer.errors += parsed.wrong
            answer.say("refusal", content.nothing_done_sentence(len(parsed.wrong)))
    elif answer.evidence == "pass" and answer.seats and _wants_something(parsed):
        _ask_to_confirm(answer, parsed)
    else:
        _answer_unknown(answer)


def _excess(answer: AnonymousAnswer, parsed: ParsedLetter) -> ExceededLimit | None:
    """Return the limit for letters without a seat that a letter exceeds, or None."""
    limits = answer.server.settings.limits
    if has_only_public_requests(parsed) and len(parsed.commands) > limits.visitor_requests:
        return ExceededLimit("visitor_requests", limits.visitor_requests)
    return parsed.excess if parsed.excess is not None and parsed.excess.name == "commands" else None


def _serve_requests(answer: AnonymousAnswer, parsed: ParsedLetter) -> None:
    """Carry out public requests within the daily limits.

    A valid code works even beyond them: it was mailed to its sender as one of the counted answers, and neither later
    junk nor what he asked before must keep him from his seat. Letters with codes have a limit of their own.
    """
    is_coded = any(_CODE.search(command.rest) for command in parsed.commands)
    answer.request = _CODED if is_coded else _REQUEST
    if all(command.name == play.NAME for command in parsed.commands):
        answer.request = _PLAY
    if answer.person is None:
        answer.language = parsed.commands[0].language
    sender_limit_reached = _sender_limit_reached(answer)
    total_limit_reached = not sender_limit_reached and _total_limit_reached(answer)
    if sender_limit_reached or (total_limit_reached and not is_coded):
        answer.silent = "over-budget"
        return
    asker = codes.Asker(answer.email, answer.language, vouched=answer.evidence == "pass")
    for command in parsed.commands:
        visit = COMMANDS_BY_NAME[command.name].visit
        if visit is not None:
            reply = visit(answer, asker, command)
            answer.language = reply.language or answer.language
            answer.say(reply.kind, *reply.sentences, blocks=reply.blocks)
    if total_limit_reached and queries.persons.person_by_email(answer.session, asker.email) is None:
        answer.silent = "over-budget"


def _say_code_was_quoted(answer: AnonymousAnswer) -> None:
    """Say that a code must be sent back, since a quoted one does not count."""
    sentence = msg(
        "You answered a letter with a code, but I do not read what is quoted. If you want it, send me this line "
        "alone; else do nothing."
    )
    answer.say("confirm", sentence, blocks=[content.titled_block(msg("The line to send"), [answer.pending])])


def _answer_unknown(answer: AnonymousAnswer) -> None:
    """Send the welcome once a day, or tell a player which address to write to."""
    if not _may_answer(answer, _STRANGER):
        return
    if answer.to_server and not (answer.seats or answer.moderates):
        _welcome(answer)
    else:
        _say_no_seat(answer)


def _may_answer(answer: AnonymousAnswer, request: str) -> bool:
    """Return whether a letter with a kind of request may be answered.

    If not, the answer becomes silent.
    """
    answer.request = request
    if _sender_limit_reached(answer) or _total_limit_reached(answer):
        answer.silent = "over-budget"
    return not answer.silent


def _sender_limit_reached(answer: AnonymousAnswer) -> bool:
    """Return whether this sender has reached the daily number of answers."""
    most = 1 if answer.request == _STRANGER else answer.server.settings.limits.requests
    return _count_answers(answer, (answer.request,), base_address(answer.email)) >= most


def _total_limit_reached(answer: AnonymousAnswer) -> bool:
    """Return whether a daily limit of answers is reached.

    The limits are for all, for unknown senders, and for one domain. Unknown senders share half of all answers, so
    that junk cannot keep known senders from being answered. At most half of that half goes to letters without a
    request. If signatures are checked, its last quarter is for authenticated senders, so that junk keeps nobody
    from joining. Each domain has a share of its own; all domains below one name have together twice that share.
    """
    limits, all_requests = answer.server.settings.limits, (_STRANGER, _REQUEST, _CODED, _CONFIRM, _REFUSED)
    domain = base_address(answer.email).rpartition("@")[2]

    def unknown(requests: Sequence[str], domain_name: str = "") -> int:
        return queries.inbox.count_letters_of_strangers(answer.session, answer.now - DAY, requests, domain_name)

    if answer.request == _PLAY:
        # They have a limit of their own: junk cannot use it up, and they keep nobody from joining.
        return _count_answers(answer, (_PLAY,)) >= limits.plays or unknown((_PLAY,), domain) >= limits.plays_at_domain
    if _count_answers(answer, all_requests) >= limits.strangers:
        return True
    if answer.person is not None:
        return False
    share = limits.strangers // 2
    checks_senders = bool(answer.server.settings.authserv_id) or answer.server.plugins.txt is not None
    return (
        unknown(all_requests) >= (share - share // 4 if checks_senders and answer.evidence != "pass" else share)
        or (answer.request in _NOTHING and unknown(_NOTHING) >= share // 2)
        or unknown(all_requests, domain) >= limits.at_domain
        or any(unknown(all_requests, f".{name}") >= 2 * limits.at_domain for name in _names_above(domain))
    )


def _names_above(domain: str) -> tuple[str, ...]:
    """Return a domain and the domains above it, at most `_DEEPEST`.

    Names of one word are left out.
    """
    words = domain.split(".")
    # A short name has less than `_DEEPEST` parts: it begins with its first.
    return tuple(".".join(words[start:]) for start in range(max(0, len(words) - _DEEPEST), len(words) - 1))


def delete_old_letters(tx: Transaction) -> None:
    """Delete old bodies of automatic letters and of letters without a seat.

    They are kept for `HEADER_LIFETIME`. Expired searches for an opponent are deleted as well.
    """
    seek.drop_expired_offers(tx)
    for raw in queries.inbox.bytes_before(tx.session, _NOBODYS, tx.now - HEADER_LIFETIME):
        raw.body = b""
        tx.session.add(raw)
    tx.session.flush()


def _wants_something(parsed: ParsedLetter) -> bool:
    return parsed.block is not None or bool(parsed.commands)


def _ask_to_confirm(answer: AnonymousAnswer, parsed: ParsedLetter) -> None:
    """Ask an authenticated sender to answer, and so to write to the right address."""
    if not _may_answer(answer, _CONFIRM):
        return
    answer.say("confirm", _address_fault(answer), msg("I did nothing with your letter."))
    answer.address = ""
    if len(answer.seats) == 1:
        answer.address = answer.server.seat_address(answer.seats[0])
        answer.opening.append(
            msg(
                "If it is to count, answer this letter with your orders above its first line: that goes to {address}.",
                address=answer.address,
            )
        )
    else:
        answer.opening.append(msg("Which seat is it for? Send it again, to one of these addresses."))
        answer.blocks.append(_seats_block(answer))
    if parsed.block is not None:
        block = parsed.block
        header = block.header.partition("#")[0].rstrip() if block.nonce else block.header
        lines = [*block.lines] if block.standing else [header, *block.lines, block.end]
        answer.blocks.append(content.titled_block(msg("Your orders, to be sent again"), lines))


def _welcome(answer: AnonymousAnswer) -> None:
    """Send the welcome."""
    if answer.person is None:
        answer.language = language_of_prose(f"{answer.letter.subject}\n{answer.letter.text}")
    opening, blocks, closing = welcome_content(answer, answer.language, answer.pending)
    answer.say("welcome", *opening, *senders.notes_for_anonymous(answer.letter), blocks=blocks)
    answer.closing += closing
    if answer.person is None:
        answer.opening.append(_INVITED)


def _say_no_seat(answer: AnonymousAnswer) -> None:
    """Say that the address is not valid, and which address to use."""
    kind = "unknown-sender" if answer.person is None else "no-seat"
    unread_sentence = msg("Nothing in your letter was read. This answer is sent once a day at most.")
    answer.say(kind, _address_fault(answer), unread_sentence)
    if answer.person is None:
        answer.opening.append(_INVITED)
    elif answer.seats or answer.moderates:
        answer.blocks.append(_seats_block(answer))
    if answer.to_server:
        sentence = msg("LIST, JOIN, OBSERVE and HELP can be written to {address}.", address=answer.server.address)
        answer.opening.append(sentence)
    answer.address = ""


_INVITED = msg("If you were invited to a game, answer the letter that invited you.")


def _address_fault(answer: AnonymousAnswer) -> Msg:
    seat = answer.letter.seat
    if seat is None:
        return msg("Write to the address of your seat in a game; your letter went to another address.")
    if answer.claim.kind == "rotated":
        return msg(
            "The address you wrote to was that of the seat {seat} in {game}; it has been replaced by another one.",
            game=seat.game,
            seat=seat.seat,
        )
    return msg(
        "The address you wrote to is not that of a seat here: there is no game {game} with a seat {seat}, "
        "or the address has been replaced.",
        game=seat.game,
        seat=seat.seat,
    )


def _seats_block(answer: AnonymousAnswer) -> Json:
    server = answer.server
    lines = [f"{seat.game_id} {seat.name}: {server.seat_address(seat)}" for seat in answer.seats]
    lines += [f"{row.game_id} {MODERATOR}: {server.moderator_address(row)}" for row in answer.moderates]
    return content.titled_block(msg("Your seats, and where to write for each"), lines)


def _count_answers(tx: Transaction, requests: Sequence[str], sender: str | None = None) -> int:
    """Count the answers of a day to letters without a seat, of some kinds.

    They may be limited to one sender.
    """
    return queries.inbox.count_taken(tx.session, "stranger", tx.now - DAY, requests, sender)
