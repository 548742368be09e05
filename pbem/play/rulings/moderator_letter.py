"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox, senders
from pbem.letters.content import Head, Mistake
from pbem.letters.moderators import Moderator
from pbem.letters.reception import Claim, Incoming, Role, RoleAnswer
from pbem.mail.address import SeatAddress
from pbem.play.rulings import briefing, ruling_context, ruling_lines
from pbem.play.rulings.ruling_context import PRIVATE, Order, context_of
from pbem.play.rulings.ruling_lines import Dictated, Dictation
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime import limits, tokens
from pbem.runtime.transaction import MODERATOR, Broken, Server, Work
from pbem.store import queries, tables, writes

# Rulings asked for by letter: kept until a code comes back that was mailed to the moderator, and then made.
#
# A code is good once, for some hours, for the lines it was given for, and for the game as it stood then: when a phase
# has closed since, or something else was ruled, what was foretold may not be true any more, and another code is given.
#
# A draft is looked at for as long as somebody may still ask of its code, and no longer: what it made is a ruling of its
# own. A later draft of the same number has another code, for its day is another.


HOURS = 48
"""How long a code is good."""

KEPT = timedelta(days=30)
"""How long it is known of a code what it was for, and that it was used or is too old."""

_LAST = 200
"""Drafts among which a code is looked for."""


class Unmade(Exception):
    """A draft of which one line, counted from 0, cannot be made any more; none of its rulings was made."""

    def __init__(self, line: int, why: Msg) -> None:
        super().__init__(line, why)
        self.line, self.why = line, why


class DraftedAt(NamedTuple):
    """The game as it stood when a draft was made: the phase going on, and the number of the last ruling."""

    phase_id: int | None
    after: int


def keep_draft(work: Work, moderator: Moderator, orders: Sequence[Order]) -> tables.Draft:
    """Keep rulings until their code comes back, and forget those, of all games, that were asked for long ago."""
    writes.forget_drafts(work.session, work.now - KEPT)
    row = tables.Draft(
        game_id=moderator.game.id,
        generation=moderator.row.generation,
        lines="\n".join(order.line for order in orders),
        asked=work.now,
        **_stand(work.session, moderator.game)._asdict(),
    )
    work.session.add(row)
    work.session.flush()
    return row


def draft_code(server: Server, row: tables.Draft) -> str:
    """The code that makes a draft so: 8 characters of base32, of no other draft and no other lines."""
    day = row.asked.toordinal()
    return tokens.code(server.key, day, "ruling", row.game_id, str(row.generation), str(row.id), row.lines)


def good_until(row: tables.Draft) -> datetime:
    """The last moment at which its code is good."""
    return row.asked + timedelta(hours=HOURS)


def find_draft(work: Work, moderator: Moderator, code: str) -> tables.Draft | None:
    """The draft that a code was given for, made or not; None if it is none that this moderator was sent."""
    rows = queries.rulings.drafts(work.session, moderator.row, _LAST)
    return next((row for row in rows if tokens.same(draft_code(work.server, row), code)), None)


def drafted_orders(row: tables.Draft) -> tuple[Order, ...]:
    """The rulings of a draft."""
    return tuple(ruling_lines.read_line(line) for line in row.lines.split("\n"))


def why_unfit(row: tables.Draft, said: Sequence[Order]) -> Msg | None:
    """Why a draft that was found is not made: its code was used, or came under other lines than its own."""
    if row.made is not None:
        return msg("This code was used, and made {rulings}. A code is good once.", rulings=tuple(row.numbers.split()))
    if said and "\n".join(order.line for order in said) != row.lines:
        return msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
    return None


def why_outdated(work: Work, row: tables.Draft, game: tables.Game) -> Msg | None:
    """Why its code is not good any more, though its lines may be."""
    if work.now > good_until(row):
        return msg("This code is too old: a code is good for {hours} hours.", hours=HOURS)
    if _stand(work.session, game) != DraftedAt(row.phase_id, row.after):
        return msg("The game has gone on since you were sent this code: another phase is open, or something was ruled.")
    return None


def make_drafted(work: Work, row: tables.Draft) -> list[ruling_lines.Ruled]:
    """Make all rulings of a draft in their order, or none of them: then Unmade says which cannot be made, and why."""
    done: list[ruling_lines.Ruled] = []
    with work.session.begin_nested():
        for number, order in enumerate(drafted_orders(row)):
            try:
                done.append(ruling_lines.rule(work, row.game_id, order))
            except Broken as wrong:
                raise Unmade(number, wrong.why) from wrong
        row.made, row.numbers = work.now, " ".join(ruled.name for ruled in done)
        work.session.add(row)
        work.session.flush()
    return done


def _stand(session: Session, game: tables.Game) -> DraftedAt:
    phase = queries.phases.played_phase(session, game.id)
    return DraftedAt(phase.id if phase else None, queries.rulings.last_ruling(session, game.id))


@dataclass
class ModeratorAnswer(RoleAnswer):
    """A moderator's letter being worked on, and what its one answer will say."""

    RANKS = ("not-ruled", "ruled", "confirm", "settings", "status", "answer", "help")
    NOT_DONE = "not-ruled"

    moderator: Moderator = field(kw_only=True)


@dataclass(frozen=True, kw_only=True)
class ModeratorRole(Role[ModeratorAnswer]):
    """The moderator of a game, its row locked."""

    NAME = "moderator"
    FALSE = msg("A letter to the moderator's address of {game} was not read: its From is false.")

    moderator: Moderator

    def head(self, answer: ModeratorAnswer | None = None) -> Head:
        """What heads a letter about his game."""
        return moderators.head_for(self.work, self.moderator)

    def envelope(self, answer: ModeratorAnswer | None = None) -> outbox.Envelope:
        """His registered address."""
        return outbox.Envelope(self.email, self.moderator.row.language, game=self.moderator.game)

    def answer(self, incoming: Incoming) -> ModeratorAnswer:
        """Begin the answer."""
        work = self.work
        return ModeratorAnswer(work.session, work.server, work.now, meter=work.meter, moderator=self.moderator)

    def wants(self, text: str) -> bool:
        """Tell whether a text holds a ruling, a question or a code."""
        return _is_something(ruling_lines.read_letter(text, self.work.server.limits))

    def carry_out(self, answer: ModeratorAnswer, text: str) -> bool:
        """Rule, ask for a code or answer; return whether a text says nothing."""
        said = ruling_lines.read_letter(text, answer.server.limits)
        _carry_out(answer, said)
        return not (said.excess or said.wrong or _is_something(said))


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out whether an address speaks for a game's moderator; None if it is none of his."""
    game = queries.games.game(work.session, address.game) if address.seat == MODERATOR else None
    if game is None:
        return None
    moderator = moderators.moderator_of(work.session, game)
    good = moderator is not None and moderators.has_token(work.server, moderator.row, address.token)
    if moderator is None or not good:
        return Claim("rotated" if good is None else "wrong")
    written = senders.written_by_moderator(work, moderator)
    role = ModeratorRole(
        work=work,
        about=game.id,
        email=moderator.email,
        zone=moderator.row.zone,
        written=written,
        game=game.id,
        moderator=moderator,
    )
    return Claim("token", role)


def _is_something(said: Dictation) -> bool:
    return bool(said.codes or said.rulings or said.questions)


def _carry_out(answer: ModeratorAnswer, said: Dictation) -> None:
    if said.excess is not None:
        answer.say("not-ruled", *limits.told(said.excess))
        return
    answer.errors += said.wrong
    if not said.codes:
        answer.errors += _cannot(answer, said.rulings)
    answer.errors += [
        wrong for asked in said.questions if (wrong := briefing.objection(answer.session, answer.moderator, asked))
    ]
    if answer.errors:
        _refuse(answer)
        return
    if said.codes:
        _confirm(answer, said.codes[0].rest, said.rulings)
    elif said.rulings:
        _ask(answer, [line.order for line in said.rulings])
    if answer.errors:
        return
    times: Counter[str] = Counter()
    for asked in said.questions:
        times[asked.word] += 1
        if times[asked.word] > (often := ruling_lines.OFTEN.get(asked.word, 1)):
            if times[asked.word] == often + 1:
                told = msg("{word} may stand so often in one letter: {count}.", word=asked.word, count=often)
                answer.opening.append(told)
            continue
        if not (said.codes or said.rulings):
            answer.look()
        part = briefing.answer(answer, answer.moderator, asked)
        if answer.kinds and part.sentences and (said.codes or said.rulings):
            title = msg("{line}", line=asked.text)
            answer.blocks.append(content.sentences(title, [(0, one) for one in part.sentences]))
            part = part._replace(sentences=())
        answer.say(part.kind, *part.sentences, blocks=part.blocks)
    if not answer.kinds:
        answer.say(
            "help", msg("I found nothing to do in your letter, and nothing was changed."), blocks=[briefing.help_()]
        )


def _refuse(answer: ModeratorAnswer) -> None:
    answer.errors.sort(key=lambda wrong: wrong.rejected.line)
    count = len({wrong.rejected.line for wrong in answer.errors})
    told = content.nothing_done(count)
    if len(answer.errors) >= answer.server.limits.mistakes:
        del answer.errors[answer.server.limits.mistakes :]
        told = limits.stopped(answer.server.limits)
    answer.say("not-ruled", told)


def _cannot(answer: ModeratorAnswer, lines: Sequence[Dictated]) -> list[Mistake]:
    """What is wrong with rulings as the game stands; nothing is changed by looking."""
    wrong: list[Mistake] = []
    context = context_of(answer, answer.moderator.game.id)
    plays = bool(moderators.seats_of(answer.session, answer.moderator.game.id, answer.moderator.email))
    times: Counter[str] = Counter()
    for line in lines:
        answer.look()
        times[line.order.word] += 1
        if times[line.order.word] > (often := RULINGS[line.order.word].often):
            why = msg(
                "{word} may stand so often in one letter: {count}.",
                word=ruling_context.ruling_word(line.order.word),
                count=often,
            )
            wrong.append(content.mistake(line.line, line.text, line.order.word, why))
            continue
        try:
            if plays and line.order.word in PRIVATE:
                raise Broken(_NOT_HIS)
            ruling_lines.foretold(context, line.order)
        except Broken as refused:
            wrong.append(content.mistake(line.line, line.text, line.text, refused.why))
        if line is not lines[-1] and RULINGS[line.order.word].moves and not (wrong and wrong[-1].text == line.text):
            why = msg(
                "After {word} the game is another one: put this line last, or into a letter of its own.",
                word=ruling_context.ruling_word(line.order.word),
            )
            wrong.append(content.mistake(line.line, line.text, line.order.word, why))
    return wrong


_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")


def _ask(answer: ModeratorAnswer, orders: Sequence[Order]) -> None:
    """Tell what was understood, line by line, what each would do, who would be told, and the code that makes it so."""
    row = keep_draft(answer, answer.moderator, orders)
    when = content.when(good_until(row), answer.moderator.row.zone)
    answer.say(
        "confirm",
        msg("Nothing is decided yet. This is what I understood, and what each line would do."),
        msg("If you want it, send me the line with the code until {when}, alone; else do nothing.", when=when),
    )
    context = context_of(answer, answer.moderator.game.id)
    for number, order in enumerate(orders, 1):
        also = RULINGS[order.word].also
        would = [*ruling_lines.foretold(context, order), *(also(context, order) if also else ())]
        title = msg("{number}. {line}", number=number, line=ruling_context.ruling_line(order.text, order.because))
        answer.blocks.append(content.sentences(title, [(0, one) for one in would or [_ONLY_TOLD]]))
    answer.blocks.append(content.sentences(msg("Who is told of it, before it takes effect"), _audience(answer)))
    word = chosen(answer.moderator.row.language, "CODE", "CODIGO")
    line = f"{word} {draft_code(answer.server, row)}"
    answer.blocks.append(content.block(msg("The line that makes it so"), [line]))


_ONLY_TOLD = msg("It is told, and nothing else happens.")


def _audience(answer: ModeratorAnswer) -> list[tuple[int, Msg]]:
    seats = queries.games.seats(answer.session, answer.moderator.game.id)
    told = [msg("A letter for each line, with the number of the ruling and its reason.")]
    told.append(msg("Players of: {seats}.", seats=tuple(s.name for s in seats if s.person_id is not None) or ("-",)))
    if watching := len(queries.people.observers(answer.session, answer.moderator.game.id)):
        told.append(msg("Observers: {count}.", count=watching))
    return [(0, one) for one in told]


def _confirm(answer: ModeratorAnswer, code: str, lines: Sequence[Dictated]) -> None:
    """Make the rulings that the code was given for; or say why not, with a new code where they could still be made."""
    said = [line.order for line in lines]
    row = find_draft(answer, answer.moderator, code)
    if row is None:
        answer.say(
            "not-ruled", msg("This code is not one that I gave you for {game}.", game=answer.moderator.game.id), _AGAIN
        )
        return
    if why := why_unfit(row, said):
        answer.say("not-ruled", why, _NOTHING)
        return
    if why := why_outdated(answer, row, answer.moderator.game):
        _ask_again(answer, row, why)
        return
    try:
        made = make_drafted(answer, row)
    except Unmade as unmade:
        _no_more(answer, [(drafted_orders(row)[unmade.line], unmade.why)])
        return
    answer.say("ruled", msg("Done. Everybody was told before:"), *(one for ruled in made for one in ruled.sentences))


def _ask_again(answer: ModeratorAnswer, row: tables.Draft, why: Msg) -> None:
    """The lines of a code that is not good any more, foretold anew as the game stands, with another code."""
    orders = drafted_orders(row)
    wrong = _cannot(answer, [Dictated(number, order.line, order) for number, order in enumerate(orders)])
    answer.opening.append(why)
    if wrong:
        _no_more(answer, [(orders[one.rejected.line], one.rejected.why) for one in wrong])
        return
    answer.opening.append(_NOTHING)
    _ask(answer, orders)


def _no_more(answer: ModeratorAnswer, wrong: Sequence[tuple[Order, Msg]]) -> None:
    """Lines that could be made when they were asked for, and cannot be now."""
    answer.say("not-ruled", msg("It cannot be done any more as the game stands. Nothing was changed by this letter."))
    answer.blocks += [
        content.sentences(ruling_context.ruling_line(order.text, order.because), [(0, why)]) for order, why in wrong
    ]


_NOTHING = msg("Nothing was changed by this letter.")
_AGAIN = msg("Nothing was changed. Send your lines without a code, and I mail you what they would do, with a new one.")
