"""Letters without a good seat's address: who gets which answer, and how many of them a day.

A letter whose From is false gets none. A request that anybody may make is served; a player whose From is vouched
for is asked to confirm, by answering to the right address; anybody else is told once a day how this works. What names
a seat's address goes to the registered address alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, command_lines, content, outbox, senders
from pbem.letters.command_lines import Understood
from pbem.letters.content import Head
from pbem.letters.reception import Answer, Claim, Incoming, Role
from pbem.mail.address import base_address, check_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.questions import lesson
from pbem.play.commands.seats import play, seek
from pbem.runtime import limits as budgets
from pbem.runtime.limits import Excess
from pbem.runtime.transaction import MODERATOR, Transaction
from pbem.server import join
from pbem.server.catalogue import BY_NAME, FORMS
from pbem.store import queries, tables

# Letters of those who write to the server itself, without a seat: what anybody may ask, and the welcome.


_FEW = 3


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


def with_code(tx: Transaction, letter: IncomingLetter, said: Understood, pending: str) -> Understood:
    """Return what a letter says; of one that only says yes to the code that waits, the line with that code.

    The code may stand alone, or in the quote below, as in most answers. A letter that says anything else may mean no,
    or come from a machine: nothing that is quoted counts then.
    """
    code = fold(pending).split()[-1] if pending else ""
    alone = _ALONE.fullmatch(fold(letter.text).strip(" .!\n"))
    agrees = said.empty and quotes(letter, pending) and _YES.issuperset(_WORD.findall(fold(letter.text)))
    if agrees or (alone is not None and alone[1] == code):
        return command_lines.read(pending, FORMS, tx.server.settings.limits)
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


def pending_line(tx: Transaction, recipient: str) -> str:
    """Return the line with a code that somebody was sent last and has not sent back; empty if there is none."""
    last = queries.outbox.last_asked(tx.session, recipient, tx.now - timedelta(days=codes.DAYS - 1))
    if last is None or last.kind != "confirm" or not last.model:
        return ""
    lines = (line for block in loads(last.model)["blocks"] for line in block["lines"] if isinstance(line, str))
    return next((line for line in lines if _ENDS_CODED.search(fold(line))), "")


_ENDS_CODED = re.compile(r"\b(?:code|codigo) [a-z2-7]{8}\b")


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


def welcome(tx: Transaction, language: str, pending: str) -> tuple[list[Msg], list[Json], list[Msg]]:
    """Return what a stranger is told: what this is, lines to copy, a code that waits, battles, bots, where a guide is.

    They are paragraphs, blocks, and paragraphs below them.
    """
    example = play.example_lines(tx)
    lines = [*([example] if example is not None else []), (join.LIST.form.example, join.LIST.form.spanish)]
    learns = lesson.has_lessons(tx)
    lines += [(one.form.example, one.form.spanish) for one in lesson.COMMANDS if learns]
    opening = [
        msg("This is a server for wargames by email. You write orders as text, and it answers with what happened."),
        msg(
            "I did not understand your letter. Send me one of these lines, alone in a letter, to {address}.",
            address=tx.server.address,
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
        *([msg("With LESSON you learn the orders of a game in five short turns, without a game.")] if learns else []),
        msg(
            "The answer to HELP lists all that you can write. The guide for players is docs/players.en.md, which comes "
            "with the program."
        ),
        msg("I answer letters that I do not understand once a day."),
    ]
    return opening, [*blocks, *seek.waiting_block(tx), *play.battle_blocks(tx)], closing


_DAY = timedelta(days=1)
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


@dataclass(kw_only=True)
class StrangerAnswer(Answer):
    """A letter without a good address: what was claimed, whose it is as far as that is known, and what is asked.

    `email` is the registered address of `person`, else the From. `request` tells what the letter counts as, by which
    so many are answered a day; `pending` is a line with a code that was sent there and has not come back. `address` is
    where the answer says to write.
    """

    RANKS = ("joined", "confirm", "answer", "help", "refusal", "welcome", "unknown-sender", "no-seat")
    CALLED = MappingProxyType({"refusal": content.NOT_DONE})

    letter: IncomingLetter
    claim: Claim
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
        """What came of the letter: silence, or what it counts as."""
        return self.silent or self.request

    @property
    def to_server(self) -> bool:
        """Whether the letter went to the server itself, and not to an address that is worth nothing."""
        return self.letter.seat is None

    def refuse_unread(self, sentences: Iterable[Msg]) -> None:
        """Say why the letter was not read; of one to a wrong address only that."""
        if not self.to_server:
            _answer_unknown(self)
        elif _may_answer(self, _REFUSED if self.meter is None or self.meter.excess is None else _REQUEST):
            self.say("refusal", *sentences)


@dataclass(frozen=True, kw_only=True)
class StrangerRole(Role[StrangerAnswer]):
    """Somebody who writes to the server itself, or to an address that is worth nothing.

    A letter whose From is false gets no answer. Whoever asks for what anybody may ask is served; a player whose From is
    vouched for is asked to confirm, by answering to the right address; anybody else is told once a day how this works.
    """

    NAME = "stranger"
    KNOWN = False

    claim: Claim
    person: tables.Person | None

    def head(self, answer: StrangerAnswer | None = None) -> Head:
        """What heads a letter to him."""
        return Head(address=self.work.server.address if answer is None else answer.address)

    def envelope(self, answer: StrangerAnswer | None = None) -> outbox.Envelope:
        """His registered address if he is known, else his From."""
        return outbox.Envelope(self.email, answer.language if answer is not None else "en")

    def answer(self, incoming: Incoming) -> StrangerAnswer:
        """Begin the answer."""
        tx, person = self.work, self.person
        forget(tx)
        return StrangerAnswer(
            **tx.shared,
            letter=incoming.letter,
            claim=self.claim,
            evidence=incoming.evidence,
            email=self.email,
            person=person,
            seats=queries.persons.seats_of(tx.session, person.id) if person is not None else (),
            moderates=queries.rulings.moderated_by(tx.session, person.id) if person is not None else (),
            language=person.language if person is not None else "en",
            address=tx.server.address,
            pending=pending_line(tx, self.email) if incoming.letter.seat is None else "",
        )

    def notes_on_sender(self, sender: str, evidence: Evidence) -> Sequence[Msg]:
        """Nothing: he proves by his From alone who he is."""
        return ()

    def wants(self, text: str) -> bool:
        """Nothing that a machine could not ask as well."""
        return False

    def carry_out(self, answer: StrangerAnswer, text: str) -> bool:
        """Answer what anybody may ask; else say how this works."""
        asked = command_lines.read(text, FORMS, answer.server.settings.limits)
        if answer.to_server:
            _answer_server_letter(answer, with_code(answer, answer.letter, asked, answer.pending))
        elif answer.evidence == "pass" and answer.seats and _wants_something(asked):
            _ask_to_confirm(answer, asked)
        else:
            _answer_unknown(answer)
        return False


def stranger(tx: Transaction, letter: IncomingLetter, claim: Claim) -> StrangerRole:
    """Return the author of a letter without a good address; his `email` is empty if he cannot be answered.

    Its sender counts as the one whose registered address it is, whichever of his addresses he wrote from.
    """
    person = queries.persons.person_by_email(tx.session, letter.sender)
    email = (queries.persons.email_of(tx.session, person.id) if person else None) or letter.sender
    try:
        check_address(email)
    except ValueError:
        email = ""
    return StrangerRole(work=tx, about="", email=email, claim=claim, person=person)


def _answer_server_letter(answer: StrangerAnswer, asked: Understood) -> None:
    """Answer a letter to the server itself."""
    excess = _excess(answer, asked)
    if excess is not None:
        if _may_answer(answer, _REQUEST):
            answer.say("help", *budgets.explain_excess(excess))
    elif may_ask(asked):
        _serve_requests(answer, asked)
    elif asked.empty and quotes(answer.letter, answer.pending):
        if _may_answer(answer, _REFUSED):
            _say_code_was_quoted(answer)
    elif (language := language_of_mistakes(asked)) is not None:
        answer.language = language if answer.person is None else answer.language
        if _may_answer(answer, _REFUSED):
            answer.errors += asked.wrong
            answer.say("refusal", content.nothing_done(len(asked.wrong)))
    elif answer.evidence == "pass" and answer.seats and _wants_something(asked):
        _ask_to_confirm(answer, asked)
    else:
        _answer_unknown(answer)


def _excess(answer: StrangerAnswer, asked: Understood) -> Excess | None:
    """The limit that a letter passes of what strangers may ask in one."""
    limits = answer.server.settings.limits
    if may_ask(asked) and len(asked.commands) > limits.visitor_requests:
        return Excess("visitor_requests", limits.visitor_requests)
    return asked.excess if asked.excess is not None and asked.excess.name == "commands" else None


def _serve_requests(answer: StrangerAnswer, asked: Understood) -> None:
    """Do what anybody may ask for, within what is done in a day.

    A good code lets its sender in even then: it was mailed to him as one of the answers of these
    days, and however much junk came since, he has his seat.
    """
    answer.request = _PLAY if all(command.name == play.NAME for command in asked.commands) else _REQUEST
    if answer.person is None:
        answer.language = asked.commands[0].language
    enough = _has_had_enough(answer)
    exhausted = not enough and _exhausted(answer)
    if enough or (exhausted and not any(_CODE.search(command.rest) for command in asked.commands)):
        answer.silent = "over-budget"
        return
    asker = codes.Asker(answer.email, answer.language, vouched=answer.evidence == "pass")
    for command in asked.commands:
        visit = BY_NAME[command.name].visit
        if visit is not None:
            part = visit(answer, asker, command)
            answer.say(part.kind, *part.sentences, blocks=part.blocks)
    if exhausted and queries.persons.person_by_email(answer.session, asker.email) is None:
        answer.silent = "over-budget"


def _say_code_was_quoted(answer: StrangerAnswer) -> None:
    """Say that a code is sent back that was only quoted."""
    told = msg(
        "You answered a letter with a code, but I do not read what is quoted. If you want it, send me this line "
        "alone; else do nothing."
    )
    answer.say("confirm", told, blocks=[content.block(msg("The line to send"), [answer.pending])])


def _answer_unknown(answer: StrangerAnswer) -> None:
    """Say once a day how this works, or where somebody who has a seat writes to."""
    if not _may_answer(answer, _STRANGER):
        return
    if answer.to_server and not (answer.seats or answer.moderates):
        _welcome(answer)
    else:
        _say_no_seat(answer)


def _may_answer(answer: StrangerAnswer, request: str) -> bool:
    """Tell whether a letter that counts as a `request` is answered; else nothing is."""
    answer.request = request
    if _has_had_enough(answer) or _exhausted(answer):
        answer.silent = "over-budget"
    return not answer.silent


def _has_had_enough(answer: StrangerAnswer) -> bool:
    """Whether this sender has been answered as often today as he is."""
    most = 1 if answer.request == _STRANGER else answer.server.settings.limits.requests
    return _count_answers(answer, (answer.request,), base_address(answer.email)) >= most


def _exhausted(answer: StrangerAnswer) -> bool:
    """Whether no more is answered today to all, or to those who are not known, or to those of one domain.

    Whoever writes without being known shares half of all answers with others like him, so that no junk keeps those who
    are known from being answered; of these half at most are for what is no request, and where signatures are looked at
    the last quarter is for those who are vouched for, so that it keeps nobody from joining. Each domain has a share of
    its own, and those below one name have together what two have.
    """
    limits, every = answer.server.settings.limits, (_STRANGER, _REQUEST, _CONFIRM, _REFUSED)
    domain = base_address(answer.email).rpartition("@")[2]

    def unknown(requests: Sequence[str], of: str = "") -> int:
        return queries.inbox.unknown_since(answer.session, answer.now - _DAY, requests, of)

    if answer.request == _PLAY:
        # They have a budget of their own: neither does junk use it up, nor do they keep anybody from joining.
        return _count_answers(answer, (_PLAY,)) >= limits.plays or unknown((_PLAY,), domain) >= limits.plays_at_domain
    if _count_answers(answer, every) >= limits.strangers:
        return True
    if answer.person is not None:
        return False
    share = limits.strangers // 2
    looks = bool(answer.server.settings.authserv_id) or answer.server.plugins.txt is not None
    return (
        unknown(every) >= (share - share // 4 if looks and answer.evidence != "pass" else share)
        or (answer.request in _NOTHING and unknown(_NOTHING) >= share // 2)
        or unknown(every, domain) >= limits.at_domain
        or any(unknown(every, f".{name}") >= 2 * limits.at_domain for name in _names_above(domain))
    )


def _names_above(domain: str) -> tuple[str, ...]:
    """A domain and the names that it is below, a few of them and none of one word."""
    words = domain.split(".")
    return tuple(".".join(words[at:]) for at in range(max(0, len(words) - _DEEPEST), len(words) - 1))


def forget(tx: Transaction) -> None:
    """Empty what is still kept of the letters of machines and of those without a seat that came over a week ago.

    Who has sought an opponent for too long is forgotten as well.
    """
    seek.drop_expired(tx)
    for raw in queries.inbox.texts_before(tx.session, _NOBODYS, tx.now - KEPT):
        raw.body = b""
        tx.session.add(raw)
    tx.session.flush()


def _wants_something(asked: Understood) -> bool:
    return asked.block is not None or bool(asked.commands)


def _ask_to_confirm(answer: StrangerAnswer, asked: Understood) -> None:
    """Ask somebody whose From is vouched for to write to the right address: answering is enough."""
    if not _may_answer(answer, _CONFIRM):
        return
    answer.say("confirm", _what_is_wrong(answer), msg("I did nothing with your letter."))
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
        answer.blocks.append(_seats(answer))
    if asked.block is not None:
        block = asked.block
        header = block.header.partition("#")[0].rstrip() if block.nonce else block.header
        lines = [*block.lines] if block.standing else [header, *block.lines, block.end]
        answer.blocks.append(content.block(msg("Your orders, to be sent again"), lines))


def _welcome(answer: StrangerAnswer) -> None:
    """Tell what this is."""
    if answer.person is None:
        answer.language = written_in(f"{answer.letter.subject}\n{answer.letter.text}")
    opening, blocks, closing = welcome(answer, answer.language, answer.pending)
    answer.say("welcome", *opening, *senders.notes_for_stranger(answer.letter), blocks=blocks)
    answer.closing += closing
    if answer.person is None:
        answer.opening.append(_INVITED)


def _say_no_seat(answer: StrangerAnswer) -> None:
    """Say that the address is worth nothing, and where to write."""
    kind = "unknown-sender" if answer.person is None else "no-seat"
    once = msg("Nothing in your letter was read. This answer is sent once a day at most.")
    answer.say(kind, _what_is_wrong(answer), once)
    if answer.person is None:
        answer.opening.append(_INVITED)
    elif answer.seats or answer.moderates:
        answer.blocks.append(_seats(answer))
    if answer.to_server:
        told = msg("LIST, JOIN, OBSERVE and HELP can be written to {address}.", address=answer.server.address)
        answer.opening.append(told)
    answer.address = ""


_INVITED = msg("If you were invited to a game, answer the letter that invited you.")


def _what_is_wrong(answer: StrangerAnswer) -> Msg:
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


def _seats(answer: StrangerAnswer) -> Json:
    server = answer.server
    lines = [f"{seat.game_id} {seat.name}: {server.seat_address(seat)}" for seat in answer.seats]
    lines += [f"{row.game_id} {MODERATOR}: {server.moderator_address(row)}" for row in answer.moderates]
    return content.block(msg("Your seats, and where to write for each"), lines)


def _count_answers(tx: Transaction, requests: Sequence[str], sender: str | None = None) -> int:
    """How many letters, of all who have no seat or of one of them, counted as one of these in the last day."""
    return queries.inbox.taken_since(tx.session, "stranger", tx.now - _DAY, requests, sender)
