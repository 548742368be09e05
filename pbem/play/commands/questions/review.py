"""A game that is over, told by its turning points: how each phase changed the expected result, by orders and by dice.

What `engine.review` reckons takes minutes: it is gathered in a transaction and reckoned in none, by the command line or
beside the server, never while a letter waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from pbem.engine import luck
from pbem.engine.data.canon import loads
from pbem.engine.data.messages import Msg, decimal, msg, percent
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.review import DICE, Plays, Review, Reviewed, Share, TurningPoint, reviewed
from pbem.engine.run.labels import place_in_words
from pbem.engine.run.odds import Purse
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import adjudication, history, phases
from pbem.play.adjudication import PhaseInput
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.questions import dice_luck
from pbem.play.commands.questions.dice_luck import EVERYTHING, ToWeigh
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

BY_LETTER = Plays(40, 80)
"""How many games are played for a letter: some minutes of a processor, a quarter of an hour where bots think long."""
_LINES = 3
"""Lines of orders that a turning point names."""
_WEIGHED = 20_000
"""Steps of the rules by which its attacks are found among them."""
_FIGHTS = 2
"""Fights that it names, those in which the dice gave or took most."""


class NoReview(ValueError):
    """Why a game is not looked at again."""

    def __init__(self, why: Msg) -> None:
        super().__init__(why.text)
        self.why = why


class ToReview(NamedTuple):
    """What a game is reviewed from: its rules and phases, what each was played by, what its luck is weighed from.

    `ended` says how it ended if that was not by its last turn.
    """

    rules: AnyGame
    phases: tuple[Reviewed[object], ...]
    inputs: tuple[PhaseInput, ...]
    luck: ToWeigh
    ended: tuple[Msg, ...] = ()

    @property
    def bot(self) -> str:
        """Who plays on."""
        return next(iter(self.rules.bots))


def objection(work: Transaction, game: tables.Game) -> Msg | None:
    """Return why a game cannot be reviewed, None if it can be."""
    rules = work.server.rules_of(game)
    if game.state != "over":
        return msg("The game is not over: what is hidden in it would show in a review.")
    if rules.scored is None or not rules.bots:
        return msg("This game has no bots that could play on from its positions.")
    if not any(isinstance(row, tables.Phase) for row in history.line_of_play(work.session, game)):
        return msg("Nothing was played in this game.")
    return None


def gather(work: Transaction, game: tables.Game) -> ToReview:
    """Read all that a review is made of; NoReview of a game that is not over, has nothing in it, or no bots."""
    if (wrong := objection(work, game)) is not None:
        raise NoReview(wrong)
    rules = work.server.rules_of(game)
    party = dice_luck.scored(rules).party
    by_letter = Terms.read(game.terms).pace == ACTIVATION
    edition = work.server.edition_of(work.session, game)
    found, inputs, rows = [], [], []
    for row in history.line_of_play(work.session, game):
        if not isinstance(row, tables.Phase):
            continue
        before = history.state_after(work, game, row.number - 1)
        asked = rules.active(before)
        if not asked:
            continue
        given = phases.input_of(work, Position(game, rules, edition, before, row.number - 1, by_letter), row)
        run = adjudication.run_of(given)
        sides = sorted({party(before, rules.seats(before)[seat]) for seat in asked})
        side = sides[0] if len(sides) == 1 else ""
        after = history.state_after(work, game, row.number)
        name = history.name_of(row)
        found.append(Reviewed(name, row.turn, row.name, side, before, run.world, run.decisions, after))
        inputs.append(given)
        rows.append(row)
    ended = (Msg.from_json(loads(game.result)),) if game.result else ()
    return ToReview(rules, tuple(found), tuple(inputs), dice_luck.gather_phases(work, rows, EVERYTHING), ended)


def reckon_review(asked: ToReview, plays: Plays, progress: Callable[[int, int], None]) -> Review:
    """Reckon a review; `progress` is told how many of how many games are played."""
    return reviewed(asked.rules, dice_luck.scored(asked.rules), asked.phases, plays, progress)


def review_lines(server: Server, asked: ToReview, found: Review, plays: Plays) -> list[tuple[int, Msg]]:
    """Return a review in words, with the depth of each sentence."""
    side = asked.rules.telling.side(found.sides[0])
    told = [
        *((0, one) for one in asked.ended),
        (0, msg(_EXPECTED.text, bot=asked.bot, plays=found.plays)),
        (
            0,
            msg(
                "At the beginning {side} could expect {first} %, and after the last phase {last} %.",
                side=side,
                first=percent(found.course[0]),
                last=percent(found.course[-1]),
            ),
        ),
    ]
    if not found.turned:
        told.append((0, msg("No phase changed that by more than the error of so few games.")))
    for number, one in enumerate(found.turned, 1):
        told += _turning_point(server, asked, found.sides, number, one)
    told += [(0, one) for one in _sums(asked.rules, found)]
    return [*told, *((0, said) for said in _explained(plays))]


_EXPECTED = msg(
    "Expected is the share of games that a side wins, a draw counting half, when the bot {bot} plays on for both sides;"
    " {plays} games were played for this."
)


def _turning_point(
    server: Server, asked: ToReview, sides: Sequence[str], number: int, one: TurningPoint
) -> Iterator[tuple[int, Msg]]:
    phase = asked.phases[one.place]
    first = one.gain.value > 0
    gaps = {
        "number": number,
        "turn": phase.turn,
        "phase": phase.phase,
        "side": asked.rules.telling.side(sides[0] if first else sides[1]),
        "gain": percent(abs(one.gain.value)),
        "error": percent(one.gain.error),
        "before": percent(one.before if first else 1 - one.before),
        "after": percent(one.after if first else 1 - one.after),
    }
    said = _BY_DICE if one.cause == DICE else _BY_ORDERS
    yield 0, msg(said.text, **gaps)
    ordered = _ordered(asked.rules, asked.inputs[one.place])
    yield 1, msg("ordered: {orders}", orders=ordered) if ordered else msg("nothing was ordered")
    if one.cause == DICE:
        yield from ((1, line) for line in _dice(server, asked, one.place, sides[0] if first else sides[1]))


_BY_DICE = msg(
    "{number}. Turn {turn}, {phase}: the dice gave {side} {gain} points of a hundred (± {error}), from {before} % to "
    "{after} %."
)
_BY_ORDERS = msg(
    "{number}. Turn {turn}, {phase}: the orders gave {side} {gain} points of a hundred (± {error}), from {before} % to "
    "{after} %."
)


def _ordered(rules: AnyGame, given: PhaseInput) -> tuple[Msg, ...]:
    """The attacks that were ordered in a phase, else its first orders, and how many lines there are besides."""
    found: list[str] = []
    for seat in rules.active(given.state):
        for text in _texts(given, seat):
            found += _telling(rules, given.state, seat, text)
    shown = [speech.told(line.strip(), rules.telling.spoken) for line in found[:_LINES]]
    more = len(found) - _LINES
    return (*shown, msg("{count} more", count=more)) if more > 0 else tuple(shown)


def _texts(given: PhaseInput, seat: str) -> Iterator[str]:
    """The orders of a seat: those that it had when the phase closed, and those of the letters after them."""
    if seat in given.closed:
        yield given.closed[seat].text
    for pause in given.pauses:
        if seat in pause and pause[seat].orders:
            yield pause[seat].orders or ""


def _telling(rules: AnyGame, state: object, seat: str, text: str) -> list[str]:
    """Lines of orders, those of attacks alone if there are any."""
    actions = adjudication.parse_closed(rules, state, seat, text).actions
    whole = rules.canon(Orders(actions))
    if rules.forecast is None:
        return whole.splitlines()
    view = rules.view(state, seat)
    worth = rules.forecast.odds(view, seat, Orders(rules.parse(whole, view, seat).orders.actions), Purse(_WEIGHED))
    every = whole.splitlines()
    attacks = dict.fromkeys(line for line, _ in worth.said)
    return [every[line - 1] for line in attacks if 0 < line <= len(every)] or every


def _dice(server: Server, asked: ToReview, place: int, side: str) -> Iterator[Msg]:
    """The fights of a phase in which the dice gave a side most, by its victory points."""
    (weighed,) = dice_luck.weigh(server, asked.luck._replace(phases=(asked.luck.phases[place],)), _UNBOUNDED)
    if weighed.weighed is None:
        return
    for where, value in by_place(weighed.weighed.combats, asked.luck.sides.index(side))[:_FIGHTS]:
        if value >= _SLIGHT:
            yield msg(
                "{where}: the dice gave {side} {points} victory points more than was to be expected",
                where=place_in_words(where),
                points=decimal(value),
                side=asked.rules.telling.side(side),
            )


def by_place(combats: Iterable[luck.Combat], side: int) -> list[tuple[str, float]]:
    """Return what the dice gave a side in each place, most first: fire at one and an assault on it are told as one."""
    given: dict[str, float] = {}
    for combat in combats:
        given[combat.where] = given.get(combat.where, 0.0) + luck.standard(combat.rolls, side)[0]
    return sorted(given.items(), key=lambda one: -one[1])


_UNBOUNDED = 10**12
_SLIGHT = 0.05


def _sums(rules: AnyGame, found: Review) -> Iterator[Msg]:
    """Luck of the whole game, and choice, each side's as it gained by its own orders."""
    lucky = found.sides[0] if found.luck.value > 0 else found.sides[1]
    dice = Share(abs(found.luck.value), found.luck.error)
    yield _gained(rules, lucky, dice, (_EVEN_DICE, _DICE, _DICE))
    for place, one in enumerate(found.choice):
        own = Share(one.value if place == 0 else -one.value, one.error)
        yield _gained(rules, found.sides[place], own, (_AS_THE_BOT, _BETTER, _WORSE))


def _gained(rules: AnyGame, side: str, one: Share, words: tuple[Msg, Msg, Msg]) -> Msg:
    """What a side gained: in words for what lies within the error, for more than that, and for less."""
    said = words[0] if not one.certain else words[1] if one.value > 0 else words[2]
    gaps = {"side": rules.telling.side(side), "gain": percent(abs(one.value)), "error": percent(one.error)}
    return msg(said.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in said.text})


_DICE = msg("The dice of the whole game gave {side} {gain} points of a hundred (± {error}).")
_EVEN_DICE = msg("The dice of the whole game favoured nobody by more than the error (± {error} points).")
_AS_THE_BOT = msg("What {side} ordered was as good as the bot's orders, as far as can be told (± {error} points).")
_BETTER = msg("What {side} ordered gained it {gain} points more than the bot's orders would have (± {error}).")
_WORSE = msg("What {side} ordered gained it {gain} points less than the bot's orders would have (± {error}).")


def _explained(plays: Plays) -> Iterator[Msg]:
    yield msg(
        "± is the error of so few games: in 95 of 100 cases the true figure lies within it. Each position was played "
        "{first} times; what seemed to matter was played {again} times more, and only what then exceeded its error is "
        "told.",
        first=plays.first,
        again=plays.again,
    )
    yield msg(
        "The measure is the bot: orders count for what they are worth if bots play on, those of a phase with the "
        "standing orders that answered them. A plan that the bot does not understand counts for less than it is."
    )


# REVIEW: the turning points of a game that is over, in a letter of their own.
#
# They take minutes, and are reckoned beside the server by whom the command line hands in (`Plugins.reviewer`), one game
# after another. What is asked for is a row that is due: it looks now and then whether they are there, and writes then;
# so nothing is lost when the server stops meanwhile. Who asks again is written to again, in a letter of its own: mail
# programs show one that they have already no second time.


log = Logger(__name__)

DUE = "review"
"""The kind of a row that is due when it is to be seen whether a review is there; its cause is the seat that asked."""
_AGAIN = timedelta(seconds=30)
"""After how long it is looked again."""


def ask_for_review(answer: SeatAnswer, command: Line) -> None:
    """Have the game reviewed, and say that a letter follows."""
    hot_statements.plan(answer.session, answer.game.id, DUE, answer.seat.name, answer.now)
    answer.say(
        "answer",
        msg(
            "What turned the game is being worked out. It takes minutes, or longer if others asked before, and comes "
            "in a letter of its own."
        ),
    )


def review_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A game that is not over, or that cannot be reviewed here."""
    wrong = objection(answer, answer.game)
    if wrong is None and answer.server.plugins.reviewer is None:
        wrong = msg("This server reviews no games by letter; whoever runs it can do it (pbem review).")
    return None if wrong is None else command.wrong(wrong)


def look(work: Transaction, due: tables.Due, game: tables.Game) -> bool:
    """Write to who asked for a review if it is there, else look again later; what cannot be made is said."""
    seat = queries.games.seat(work.session, game.id, due.cause)
    reviewer = work.server.plugins.reviewer
    if seat is None or reviewer is None or objection(work, game) is not None:
        work.session.delete(due)
        return True
    try:
        lines = reviewer.look(game.id)
    except (ValueError, OSError) as fault:
        log.error("a game cannot be reviewed", game=game.id, why=str(fault))
        lines = [[0, msg("It could not be worked out; the operator can read why in the log.").to_json()]]
    if lines is None:
        due.at = work.now + _AGAIN
        work.session.add(due)
        return True
    block = {"title": msg("The turning points").to_json(), "lines": lines, "whole": True}
    head = outbox.head_of(work.server, game, seat, None)
    told = content.Letter("review", head, opening=[msg("The game {game} once more.", game=game.id)], blocks=[block])
    outbox.to_seat(work, told.to_json(), seat, game, cause=f"review {work.now.isoformat()}")
    work.session.delete(due)
    return True


COMMANDS = (
    Command(
        Form("review", ("REVIEW", "REPASO"), NOTHING, "REVIEW", "REPASO"),
        ask_for_review,
        check=review_wrong,
        often=Often(day=3),
        served=lambda work: work.server.plugins.reviewer is not None,
    ),
)
