"""A moderator's letter: questions are answered at once, rulings made when the code mailed for them comes back.

A letter is all or nothing. Whatever comes of it goes to the registered address of the moderator alone, wherever it
came from; a letter whose From is known to be false is not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox, senders
from pbem.letters.content import Mistake
from pbem.letters.moderators import Moderator
from pbem.letters.reception import Role, RoleAnswer
from pbem.play.rulings import briefing, drafts, ruling_lines, ruling_parser, words
from pbem.play.rulings.context import PRIVATE, Order, context_of
from pbem.play.rulings.ruling_parser import Dictated, Dictation
from pbem.play.rulings.rulings import RULINGS
from pbem.runtime import limits
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables


@dataclass
class ModeratorAnswer(RoleAnswer):
    """A moderator's letter being worked on, and what its one answer will say."""

    RANKS = ("not-ruled", "ruled", "confirm", "settings", "status", "answer", "help")
    NOT_DONE = "not-ruled"

    moderator: Moderator = field(kw_only=True)

    def to_json(self) -> Json:
        """The letter to send back."""
        game = self.moderator.game
        phase = queries.phases.played_phase(self.session, game.id)
        address = self.server.moderator_address(self.moderator.row)
        head = outbox.head_of(self.server, game, None, phase)._replace(address=address)
        return content.Letter(self.kind, head, opening=self.opening, errors=self.errors, blocks=self.blocks).to_json()


def role_of(work: Work, moderator: Moderator) -> Role[ModeratorAnswer]:
    """Return what is done with letters of a game's moderator."""
    return Role(
        name="moderator",
        about=moderator.game.id,
        zone=moderator.row.zone,
        written=senders.written_by_moderator(work, moderator),
        to=outbox.Envelope(moderator.email, moderator.row.language, game=moderator.game),
        answer=ModeratorAnswer(work.session, work.server, work.now, meter=work.meter, moderator=moderator),
        address=lambda: work.server.moderator_address(moderator.row),
        carry_out=_do,
        to_json=ModeratorAnswer.to_json,
    )


def _do(answer: ModeratorAnswer, text: str) -> bool:
    said = ruling_parser.read(text, answer.server.limits)
    _carry_out(answer, said)
    return not (said.excess or said.wrong or said.codes or said.rulings or said.questions)


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
        if times[asked.word] > (often := ruling_parser.OFTEN.get(asked.word, 1)):
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
                word=words.word(line.order.word),
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
                word=words.word(line.order.word),
            )
            wrong.append(content.mistake(line.line, line.text, line.order.word, why))
    return wrong


_NOT_HIS = msg("You have a seat in this game: whoever runs the server corrects what not everybody may know.")


def _ask(answer: ModeratorAnswer, orders: Sequence[Order]) -> None:
    """Tell what was understood, line by line, what each would do, who would be told, and the code that makes it so."""
    row = drafts.keep(answer, answer.moderator, orders)
    when = content.when(drafts.until(row), answer.moderator.row.zone)
    answer.say(
        "confirm",
        msg("Nothing is decided yet. This is what I understood, and what each line would do."),
        msg("If you want it, send me the line with the code until {when}, alone; else do nothing.", when=when),
    )
    context = context_of(answer, answer.moderator.game.id)
    for number, order in enumerate(orders, 1):
        also = RULINGS[order.word].also
        would = [*ruling_lines.foretold(context, order), *(also(context, order) if also else ())]
        title = msg("{number}. {line}", number=number, line=words.line(order.text, order.because))
        answer.blocks.append(content.sentences(title, [(0, one) for one in would or [_ONLY_TOLD]]))
    answer.blocks.append(content.sentences(msg("Who is told of it, before it takes effect"), _audience(answer)))
    word = chosen(answer.moderator.row.language, "CODE", "CODIGO")
    line = f"{word} {drafts.code_of(answer.server, row)}"
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
    row = drafts.find(answer, answer.moderator, code)
    if row is None:
        answer.say(
            "not-ruled", msg("This code is not one that I gave you for {game}.", game=answer.moderator.game.id), _AGAIN
        )
        return
    if why := drafts.unfit(row, said):
        answer.say("not-ruled", why, _NOTHING)
        return
    if why := drafts.why_outdated(answer, row, answer.moderator.game):
        _ask_again(answer, row, why)
        return
    try:
        made = drafts.make(answer, row)
    except drafts.Unmade as unmade:
        _no_more(answer, [(drafts.orders_of(row)[unmade.line], unmade.why)])
        return
    answer.say("ruled", msg("Done. Everybody was told before:"), *(one for ruled in made for one in ruled.sentences))


def _ask_again(answer: ModeratorAnswer, row: tables.Draft, why: Msg) -> None:
    """The lines of a code that is not good any more, foretold anew as the game stands, with another code."""
    orders = drafts.orders_of(row)
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
    answer.blocks += [content.sentences(words.line(order.text, order.because), [(0, why)]) for order, why in wrong]


_NOTHING = msg("Nothing was changed by this letter.")
_AGAIN = msg("Nothing was changed. Send your lines without a code, and I mail you what they would do, with a new one.")
