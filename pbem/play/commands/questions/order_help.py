"""Help with writing orders (HINT, DESK), made when a letter is rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine import autoplay
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.engine.run.odds import StepBudget
from pbem.engine.terms import Orders
from pbem.lazy import Logger
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import promises
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.questions.odds import (
    PER_QUESTION,
    odds_budget_of_forms,
    parse_standing_orders,
    state_within_phase,
)
from pbem.runtime.page_makers import DeskRequest
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.store import queries, tables

# HINT: what a bot of the game would do in the asker's place, in a game that has agreed on hints.
#
# A hint is computed when the text of the letter is written, not in the transaction that promised it. It uses only what
# the seat sees and its own standing orders. Bots play and odds are computed in the same way, within the same limits.


def hint_objection(game: tables.Game, rules: AnyGame) -> Msg | None:
    """Return why a game gives no hints; None if it does.

    Only this function decides: it refuses games where hints would be unfair, such as a tournament's, whatever their
    terms say.
    """
    if not Terms.read(game.terms).may_hint:
        return msg("This game has not agreed on hints.")
    if rules.advice is None:
        return msg("No bot of this game gives hints.")
    return None


def promise_hint(answer: SeatAnswer, command: CommandLine) -> None:
    """Promise the plan of a bot for the open phase."""
    if answer.here is None or answer.phase is None:
        raise LookupError(f"nothing is wanted in {answer.game.id}")
    answer.say("answer")
    block = content.titled_block(msg("A hint"), ())
    block["hint"] = {
        "after": answer.here.number,
        "turn": answer.phase.turn,
        "language": answer.seat.language,
        "standing": list(queries.orders.standing_texts(answer.session, answer.seat)),
    }
    answer.blocks.append(block)


def check_hint(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a game without hints, or a seat that has nothing to order now."""
    reason = hint_objection(answer.game, answer.server.rules_of(answer.game))
    if reason is None and (answer.here is None or answer.phase is None or not answer.active):
        reason = msg("You have no orders to give now; there will be a hint when you do.")
    elif reason is None and answer.here is not None and answer.here.begun:
        reason = msg("The bot plans a phase as a whole: ask before the first of your orders is carried out.")
    return None if reason is None else command.wrong(reason)


def fulfil_hints(server: Server, promising: Sequence[Json]) -> list[Json]:
    """Return the letters, in order, with their promised hints filled in.

    Raises one of TRANSIENT_ERRORS if the database is not available.
    """
    states = promises.promised_states(server, promising, "hint")
    return [_fulfil(server, letter, states) if states else letter for letter in promising]


def _fulfil(server: Server, letter: Json, states: Mapping[tuple[str, int], object]) -> Json:
    blocks: list[Json] = []
    for block in letter["blocks"]:
        if not promises.is_promise(block, "hint"):
            blocks.append(block)
            continue
        try:
            blocks += _hint_blocks(server, letter, block["hint"], states[letter["game"], block["hint"]["after"]])
        except Exception:
            # An error in the hint must not lose the letter.
            log.exception("a hint cannot be given", game=letter["game"], seat=letter["seat"])
            blocks.append(content.sentence_block(msg("A hint"), [(0, _FAILED)]))
    return {**letter, "blocks": blocks}


_FAILED = msg("It could not be worked out; the operator can read why in the log.")


def _hint_blocks(server: Server, letter: Json, request: Json, state: object) -> list[Json]:
    """Return the plan in words, and below it as orders."""
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    if rules.advice is None:
        raise LookupError(f"{rules.name} gives no hints any more")
    view, bot = rules.view(state, seat), rules.advice.bot
    written = autoplay.bot_orders(rules, bot, seat, view)
    if written.against:
        raise ValueError(f"{bot} wrote what cannot be: {written.against}")
    advised = rules.advice.advised(view, seat, written.orders)
    # Removing a part of a plan may make the rest illegal.
    valid = written.orders if rules.check(view, seat, Orders(advised.actions)) else advised
    orders = Orders(valid.actions, parse_standing_orders(rules, view, seat, request["standing"]))
    title = msg("A hint: what the bot {bot}, which sees what you see, would do in your place", bot=bot)
    if not orders.actions:
        return [content.sentence_block(title, [(0, _NOTHING)])]
    plan = rules.advice.plan(view, seat, orders, StepBudget(PER_QUESTION, server.caches.weighed))
    plan_block = content.sentence_block(title, [*((0, sentence) for sentence in plan), (0, _TRUST)])
    return [plan_block, _order_block(rules, orders, request)]


_NOTHING = msg("It would order nothing now.")
_TRUST = msg(
    "This is only a suggestion: the odds assume that your opponent has no standing orders, and bots make mistakes."
)


def _order_block(rules: AnyGame, orders: Orders, request: Json) -> Json:
    text = rules.canon(Orders(orders.actions)).splitlines()
    lines = fold_form(speech.echo_lines(text, rules.telling.spoken, request["language"]))
    begin, end = (pick_phrase(request["language"], *words) for words in (ORDERS, END))
    title = msg("The same as orders: copy what you want into a letter and change it as you like")
    # A game grants few hints: their orders are whole, whatever else the letter asks for.
    return content.titled_block(title, [f"{begin} T{request['turn']}", *lines, end]) | {"whole": True}


# DESK: a page on which orders are chosen, with the answer; FORMAT HTML DESK brings it with each report.
#
# It is laid outside the transaction that promised it, of what its seat sees alone.


log = Logger(__name__)


def promise_requested_desk(answer: SeatAnswer, command: CommandLine) -> None:
    """Promise the desk of the open phase, for the orders expected now."""
    if answer.here is None or answer.phase is None:
        raise LookupError(f"nothing is wanted in {answer.game.id}")
    answer.say("answer")
    answer.blocks.append(promises.promise_desk(answer, answer.here, answer.seat, answer.phase.turn))


def check_desk(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse if no orders are expected, or if there is no map for a desk."""
    if answer.here is None or answer.phase is None or not answer.active or not answer.seat.nonce:
        return command.wrong(msg("You have no orders to give now; there will be a desk when you do."))
    if not promises.has_desk(answer, answer.here):
        return command.wrong(msg("This game has no order desk: it has no map that can be drawn."))
    return None


def fulfil_desks(server: Server, promising: Sequence[Json], languages: Sequence[str]) -> list[Json]:
    """Return the letters, in order, with their promised desks.

    A letter with an order form and no desk gets a button that asks for it. Raises one of TRANSIENT_ERRORS if
    the database is not available.
    """
    states = promises.promised_states(server, promising, "desk")
    promising = [
        _with_desk_button(server, letter, language) for letter, language in zip(promising, languages, strict=True)
    ]
    if not states:
        return promising
    return [
        {**letter, "blocks": [_with_desk(server, letter, block, language, states) for block in letter["blocks"]]}
        for letter, language in zip(promising, languages, strict=True)
    ]


def _with_desk_button(server: Server, letter: Json, language: str) -> Json:
    has_desk = any(promises.is_promise(block, "desk") for block in letter["blocks"])
    if (
        has_desk
        or not letter["template"]
        or server.plugins.desks is None
        or server.plugins.games(letter["rules"]).pictured is None
    ):
        return letter
    return content.with_buttons(letter, [(promises.DESK_BUTTON, COMMANDS[-1].form.phrase(language))])


def _with_desk(
    server: Server, letter: Json, block: Json, language: str, states: Mapping[tuple[str, int], object]
) -> Json:
    if not promises.is_promise(block, "desk"):
        return block
    rest = {key: value for key, value in block.items() if key != "desk"}
    try:
        return {**rest, "files": [[*file] for file in _desk_files(server, letter, block["desk"], language, states)]}
    except Exception:
        # An error in the desk must not lose the letter.
        log.exception("an order desk cannot be laid", game=letter["game"], seat=letter["seat"])
        return content.sentence_block(msg("Your order desk"), [(0, promises.DESK_FAILED)])


def _desk_files(
    server: Server, letter: Json, request: Json, language: str, states: Mapping[tuple[str, int], object]
) -> Sequence[tuple[str, str]]:
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    if server.plugins.desks is None:
        raise LookupError("nobody lays desks any more")
    view = rules.view(state_within_phase(server, letter, request, states[letter["game"], request["after"]]), seat)
    terms = FormTerms(
        "midway" in request, odds_budget_of_forms(server), parse_standing_orders(rules, view, seat, request["standing"])
    )
    turn, game = request["turn"], letter["game"]
    subject = f"{game} T{turn}"
    place = DeskRequest(letter["rules"], view, seat, language, letter["address"], subject, turn, request["code"], terms)
    return server.plugins.desks.lay(place)


COMMANDS = (
    LetterCommand(
        CommandForm("hint", ("HINT", "PISTA", "CONSEJO"), NO_ARGUMENT, "HINT", "PISTA"),
        promise_hint,
        check=check_hint,
        costly=True,
        help=(
            msg(
                "HINT: what a bot would do in your place, if there are hints. REVIEW: what turned a game that is over."
            ),
        ),
        often=RateLimit(phase=3),
        fits=lambda answer: hint_objection(answer.game, answer.server.rules_of(answer.game)) is None,
    ),
    LetterCommand(
        CommandForm("desk", ("DESK", "ESCRITORIO"), NO_ARGUMENT, "DESK", "ESCRITORIO"),
        promise_requested_desk,
        check=check_desk,
        costly=True,
        help=(
            msg("DESK: a page on which you choose your orders on the map; FORMAT HTML DESK brings it with reports."),
        ),
        often=RateLimit(day=10),
        fits=lambda answer: answer.here is not None and promises.has_desk(answer, answer.here),
    ),
)
