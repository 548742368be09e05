"""Review an ended game: how orders and dice changed the expected result.

The computation of `engine.review` takes minutes. Its input is read in a transaction, and it runs outside of
any: from the command line, or beside the server, never while a letter waits.
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
from pbem.engine.review import DICE, MeanWithError, PlayCounts, Review, ReviewedPhase, TurningPoint, review_game
from pbem.engine.run.labels import place_in_words
from pbem.engine.run.odds import StepBudget
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import adjudication, history, phases
from pbem.play.adjudication import PhaseInput
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.questions import dice_luck
from pbem.play.commands.questions.dice_luck import EVERYTHING, PhasesToEvaluate
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables

BY_LETTER = PlayCounts(40, 80)
"""Games played for a letter: some minutes of a processor, a quarter of an hour with slow bots."""
_LINES = 3
"""Lines of orders that a turning point names: enough to know the turn again; the archive has all."""
_WEIGHED = 20_000
"""Step budget for finding the attacks among orders: half of what ODDS has, since a review names three sets of orders.
"""
_FIGHTS = 2
"""Fights named, those with the most luck: the others are seldom worth a line."""


class ReviewRefused(ValueError):
    """The reason why a game cannot be reviewed."""

    def __init__(self, why: Msg) -> None:
        super().__init__(why.text)
        self.why = why


class GameToReview(NamedTuple):
    """The input of a review: rules, phases, their orders, and input for luck.

    `ended` says how it ended if that was before its last turn.
    """

    rules: AnyGame
    phases: tuple[ReviewedPhase[object], ...]
    inputs: tuple[PhaseInput, ...]
    luck: PhasesToEvaluate
    ended: tuple[Msg, ...] = ()

    @property
    def bot(self) -> str:
        """Name of the bot that plays on."""
        return next(iter(self.rules.bots))


def review_objection(tx: Transaction, game: tables.Game) -> Msg | None:
    """Return why a game cannot be reviewed; None if it can."""
    rules = tx.server.rules_of(game)
    if game.state != "over":
        return msg("The game is not over: what is hidden in it would show in a review.")
    if rules.scored is None or not rules.bots:
        return msg("This game has no bots that could play on from its positions.")
    if not any(isinstance(row, tables.Phase) for row in history.line_of_play(tx.session, game)):
        return msg("Nothing was played in this game.")
    return None


def gather_review(tx: Transaction, game: tables.Game) -> GameToReview:
    """Read the input of a review.

    Raises ReviewRefused if the game is not over, has nothing in it, or no bots.
    """
    if (reason := review_objection(tx, game)) is not None:
        raise ReviewRefused(reason)
    rules = tx.server.rules_of(game)
    party = dice_luck.scoring_of(rules).party
    by_letter = Terms.read(game.terms).pace == ACTIVATION_PACE
    edition = tx.server.edition_of(tx.session, game)
    reviewed_phases, inputs, rows = [], [], []
    for row in history.line_of_play(tx.session, game):
        if not isinstance(row, tables.Phase):
            continue
        state_before = history.state_after(tx, game, row.number - 1)
        active_seats = rules.active(state_before)
        if not active_seats:
            continue
        phase_input = phases.phase_input_of(
            tx, Position(game, rules, edition, state_before, row.number - 1, by_letter), row
        )
        run = adjudication.prepare_run(phase_input)
        sides = sorted({party(state_before, rules.seats(state_before)[seat]) for seat in active_seats})
        side = sides[0] if len(sides) == 1 else ""
        state_after = history.state_after(tx, game, row.number)
        name = history.phase_label(row)
        reviewed_phases.append(
            ReviewedPhase(name, row.turn, row.name, side, state_before, run.world, run.decisions, state_after)
        )
        inputs.append(phase_input)
        rows.append(row)
    ended = (Msg.from_json(loads(game.result)),) if game.result else ()
    return GameToReview(
        rules, tuple(reviewed_phases), tuple(inputs), dice_luck.gather_phases_to_evaluate(tx, rows, EVERYTHING), ended
    )


def compute_review(to_review: GameToReview, plays: PlayCounts, progress: Callable[[int, int], None]) -> Review:
    """Compute a review; `progress` gets the numbers of played and of all games."""
    return review_game(to_review.rules, dice_luck.scoring_of(to_review.rules), to_review.phases, plays, progress)


def review_lines(server: Server, to_review: GameToReview, result: Review, plays: PlayCounts) -> list[tuple[int, Msg]]:
    """Return a review in words, with the depth of each sentence."""
    side = to_review.rules.telling.side(result.sides[0])
    lines = [
        *((0, ending) for ending in to_review.ended),
        (0, msg(_EXPECTED.text, bot=to_review.bot, plays=result.plays)),
        (
            0,
            msg(
                "At the beginning {side} could expect {first} %, and after the last phase {last} %.",
                side=side,
                first=percent(result.course[0]),
                last=percent(result.course[-1]),
            ),
        ),
    ]
    if not result.turned:
        lines.append((0, msg("No phase changed that by more than the error of so few games.")))
    for number, turning_point in enumerate(result.turned, 1):
        lines += _turning_point(server, to_review, result.sides, number, turning_point)
    lines += [(0, text) for text in _sums(to_review.rules, result)]
    return [*lines, *((0, explanation) for explanation in _explanations(plays))]


_EXPECTED = msg(
    "Expected is the share of games that a side wins, a draw counting half, when the bot {bot} plays on for both sides;"
    " {plays} games were played for this."
)


def _turning_point(
    server: Server, to_review: GameToReview, sides: Sequence[str], number: int, point: TurningPoint
) -> Iterator[tuple[int, Msg]]:
    phase = to_review.phases[point.place]
    is_first_side = point.gain.value > 0
    gaps = {
        "number": number,
        "turn": phase.turn,
        "phase": phase.phase,
        "side": to_review.rules.telling.side(sides[0] if is_first_side else sides[1]),
        "gain": percent(abs(point.gain.value)),
        "error": percent(point.gain.error),
        "before": percent(point.before if is_first_side else 1 - point.before),
        "after": percent(point.after if is_first_side else 1 - point.after),
    }
    template = _BY_DICE if point.cause == DICE else _BY_ORDERS
    yield 0, msg(template.text, **gaps)
    orders = _orders_given(to_review.rules, to_review.inputs[point.place])
    yield 1, msg("ordered: {orders}", orders=orders) if orders else msg("nothing was ordered")
    if point.cause == DICE:
        yield from (
            (1, line) for line in _dice_lines(server, to_review, point.place, sides[0] if is_first_side else sides[1])
        )


_BY_DICE = msg(
    "{number}. Turn {turn}, {phase}: the dice gave {side} {gain} points of a hundred (± {error}), from {before} % to "
    "{after} %."
)
_BY_ORDERS = msg(
    "{number}. Turn {turn}, {phase}: the orders gave {side} {gain} points of a hundred (± {error}), from {before} % to "
    "{after} %."
)


def _orders_given(rules: AnyGame, phase_input: PhaseInput) -> tuple[Msg, ...]:
    """Return a phase's attacks, or else its first orders, and how many are left out."""
    order_lines: list[str] = []
    for seat in rules.active(phase_input.state):
        for text in _texts(phase_input, seat):
            order_lines += _key_order_lines(rules, phase_input.state, seat, text)
    shown_lines = [speech.order_text(line.strip(), rules.telling.spoken) for line in order_lines[:_LINES]]
    hidden_count = len(order_lines) - _LINES
    return (*shown_lines, msg("{count} more", count=hidden_count)) if hidden_count > 0 else tuple(shown_lines)


def _texts(phase_input: PhaseInput, seat: str) -> Iterator[str]:
    """Return a seat's orders: those at the closing, and those of later letters."""
    if seat in phase_input.closed:
        yield phase_input.closed[seat].text
    for pause in phase_input.pauses:
        if seat in pause and pause[seat].orders:
            yield pause[seat].orders or ""


def _key_order_lines(rules: AnyGame, state: object, seat: str, text: str) -> list[str]:
    """Return lines of orders, only those of attacks if there are any."""
    actions = adjudication.parse_closed_orders(rules, state, seat, text).actions
    canonical = rules.canon(Orders(actions))
    if rules.forecast is None:
        return canonical.splitlines()
    view = rules.view(state, seat)
    odds = rules.forecast.odds(
        view, seat, Orders(rules.parse(canonical, view, seat).orders.actions), StepBudget(_WEIGHED)
    )
    all_lines = canonical.splitlines()
    attacks = dict.fromkeys(line for line, _ in odds.said)
    return [all_lines[line - 1] for line in attacks if 0 < line <= len(all_lines)] or all_lines


def _dice_lines(server: Server, to_review: GameToReview, place: int, side: str) -> Iterator[Msg]:
    """Return the fights of a phase in which the dice helped a side most, in points."""
    (weighed,) = dice_luck.evaluate_luck(
        server, to_review.luck._replace(phases=(to_review.luck.phases[place],)), _UNBOUNDED
    )
    if weighed.weighed is None:
        return
    for place_name, value in luck_by_place(weighed.weighed.combats, to_review.luck.sides.index(side))[:_FIGHTS]:
        if value >= _SLIGHT:
            yield msg(
                "{where}: the dice gave {side} {points} victory points more than was to be expected",
                where=place_in_words(place_name),
                points=decimal(value),
                side=to_review.rules.telling.side(side),
            )


def luck_by_place(combats: Iterable[luck.Combat], side: int) -> list[tuple[str, float]]:
    """Return the dice's gain for a side in each place, the highest first.

    Fire at a place and an assault on it are summed.
    """
    gains: dict[str, float] = {}
    for combat in combats:
        gains[combat.where] = gains.get(combat.where, 0.0) + luck.luck_and_deviation(combat.rolls, side)[0]
    # The most luck first, since only `_FIGHTS` of them are named.
    return sorted(gains.items(), key=lambda item: -item[1])


_UNBOUNDED = 10**12
"""More steps of the rules than any phase takes: a review has a process of its own, and nobody waits for it."""
_SLIGHT = 0.05
"""Victory points below which luck is not named: with one decimal it would be 0.0."""


def _sums(rules: AnyGame, review: Review) -> Iterator[Msg]:
    """Return the luck of the whole game, and each side's gain by its own orders."""
    lucky_side = review.sides[0] if review.luck.value > 0 else review.sides[1]
    dice = MeanWithError(abs(review.luck.value), review.luck.error)
    yield _gain_text(rules, lucky_side, dice, (_EVEN_DICE, _DICE, _DICE))
    for place, share in enumerate(review.choice):
        own_share = MeanWithError(share.value if place == 0 else -share.value, share.error)
        yield _gain_text(rules, review.sides[place], own_share, (_AS_THE_BOT, _BETTER, _WORSE))


def _gain_text(rules: AnyGame, side: str, share: MeanWithError, words: tuple[Msg, Msg, Msg]) -> Msg:
    """Return a side's gain in words.

    `words` are three sentences: for a gain within the error, for a larger gain, and for a loss.
    """
    template = words[0] if not share.certain else words[1] if share.value > 0 else words[2]
    gaps = {"side": rules.telling.side(side), "gain": percent(abs(share.value)), "error": percent(share.error)}
    return msg(template.text, **{name: value for name, value in gaps.items() if f"{{{name}}}" in template.text})


_DICE = msg("The dice of the whole game gave {side} {gain} points of a hundred (± {error}).")
_EVEN_DICE = msg("The dice of the whole game favoured nobody by more than the error (± {error} points).")
_AS_THE_BOT = msg("What {side} ordered was as good as the bot's orders, as far as can be told (± {error} points).")
_BETTER = msg("What {side} ordered gained it {gain} points more than the bot's orders would have (± {error}).")
_WORSE = msg("What {side} ordered gained it {gain} points less than the bot's orders would have (± {error}).")


def _explanations(plays: PlayCounts) -> Iterator[Msg]:
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
"""Kind of a due row for checking whether a review is finished; its cause is the asking seat."""
_AGAIN = timedelta(seconds=30)
"""Time until the next look whether a review is done: it takes minutes, so half a minute is soon enough."""


def request_review(answer: SeatAnswer, command: CommandLine) -> None:
    """Request a review, and announce that a letter follows."""
    hot_statements.schedule_job(answer.session, answer.game.id, DUE, answer.seat.name, answer.now)
    answer.say(
        "answer",
        msg(
            "What turned the game is being worked out. It takes minutes, or longer if others asked before, and comes "
            "in a letter of its own."
        ),
    )


def check_review(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a game that is not over, or that cannot be reviewed here."""
    reason = review_objection(answer, answer.game)
    if reason is None and answer.server.plugins.reviewer is None:
        reason = msg("This server reviews no games by letter; whoever runs it can do it (pbem review).")
    return None if reason is None else command.wrong(reason)


def send_review(tx: Transaction, due: tables.Due, game: tables.Game) -> bool:
    """Send a finished review, else look again later; report a failed one."""
    seat = queries.games.seat(tx.session, game.id, due.cause)
    reviewer = tx.server.plugins.reviewer
    if seat is None or reviewer is None or review_objection(tx, game) is not None:
        tx.session.delete(due)
        return True
    try:
        lines = reviewer.look(game.id)
    except (ValueError, OSError) as fault:
        # A review that failed is answered, instead of being looked for again and again.
        log.error("a game cannot be reviewed", game=game.id, why=str(fault))
        lines = [[0, msg("It could not be worked out; the operator can read why in the log.").to_json()]]
    if lines is None:
        due.at = tx.now + _AGAIN
        tx.session.add(due)
        return True
    block = {"title": msg("The turning points").to_json(), "lines": lines, "whole": True}
    head = outbox.head_of(tx.server, game, seat, None)
    letter = content.Letter("review", head, opening=[msg("The game {game} once more.", game=game.id)], blocks=[block])
    outbox.write_to_seat(tx, letter.to_json(), seat, game, cause=f"review {tx.now.isoformat()}")
    tx.session.delete(due)
    return True


COMMANDS = (
    LetterCommand(
        CommandForm("review", ("REVIEW", "REPASO"), NO_ARGUMENT, "REVIEW", "REPASO"),
        request_review,
        check=check_review,
        often=RateLimit(day=3),
        served=lambda work: work.server.plugins.reviewer is not None,
    ),
)
