"""Compute odds of attacks, promised in an answer and computed at rendering.

No transaction waits for odds. A promise is a block of the letter that names the input in place of its lines:
the position by its number, orders as text, standing orders. It is filled outside the transaction that made
it, and has the same result however often it is filled. The cost of a letter is limited by steps of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.memory import IdentityKey
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.orders.block import END
from pbem.engine.orders.lex import fold
from pbem.engine.parts import Forecast, FormTerms, OddsLimits
from pbem.engine.rehearsal import rehearse_attack, window_sentences
from pbem.engine.run.odds import StepBudget
from pbem.engine.terms import OrderOdds, Orders, ParsedBlock, RejectedLine
from pbem.lazy import Logger
from pbem.letters import content
from pbem.letters.commands import ANY_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import history, phase_reports, promises
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.positions import Position
from pbem.runtime.transaction import Server
from pbem.store import queries

log = Logger(__name__)

PER_LETTER = 10_000
"""Steps of the rules for all attacks in a block of orders. A common assault takes less than a thousand."""
PER_QUESTION = 40_000
"""Steps for the attack that ODDS asks of: four times those of a letter, since it was asked for."""

PER_FORM = 30_000
"""Steps for all attacks that an order form offers, and for one of them: three times a letter's, since a form offers
what the player did not choose."""
_EACH = 4_000
"""Steps for one attack of a form: a common one takes under a thousand, and the costliest leaves some budget to the
others."""

LEFT_OUT = msg("Attacks without odds take too long to compute; ODDS asks for one.")
"""Sentence for a form in which some attacks have no odds."""

_DOCTRINE = msg("Exact, if your opponent has no standing orders.")
_ROUGH = msg("Exact for what you see now, if your opponent has no standing orders.")
_PLAYED = msg(
    "Estimated from {plays} trials; each percentage may be 5 points off. This assumes that your opponent has "
    "no standing orders."
).text
_OWN = msg("The other side is taken to keep to the default; what you do not see of it is left out.")
_BEFORE_YOU = msg("The other side moves first: what it does by then is not counted.")
_TOO_MUCH = msg("This attack has too many possible results to compute. Try it with fewer guns or units.")
_BEFOREHAND = msg("Odds of your attacks")


def odds_block(position: Position, actions: str, standing: Sequence[str]) -> Json:
    """Return a block for the odds of attacks in orders; dropped if none."""
    return _block_to_weigh(_BEFOREHAND, position, "orders", actions, standing)


def _block_to_weigh(title: Msg, position: Position, kind: str, text: str, standing: Sequence[str]) -> Json:
    block = content.titled_block(title, ())
    block["weigh"] = {"after": position.number, kind: text, "standing": list(standing)}
    if position.begun:
        # Letters of the phase were executed: the position after them is stored nowhere else once another comes.
        block["weigh"]["midway"] = position.rules.encode(position.state)
    return block


def ask_odds(answer: SeatAnswer, command: CommandLine) -> None:
    """Promise an attack's odds in the seat's view, with its standing orders in force."""
    if answer.here is None:
        answer.say("answer", msg("The game has not begun."))
        return
    reading = _read(answer, command)
    texts = queries.orders.standing_texts(answer.session, answer.seat)
    answer.say("answer")
    answer.warnings += [warning._replace(line=command.line) for warning in reading.warned]
    title = msg("Odds of this attack now: {attack}", attack=answer.reword_lines([_attack_text(command)])[0])
    answer.blocks.append(_block_to_weigh(title, answer.here, "attack", _attack_text(command), texts))


def try_standing_orders(answer: SeatAnswer, command: CommandLine) -> None:
    """Promise which standing orders would answer an attack, window by window."""
    if answer.here is None:
        answer.say("answer", msg("The game has not begun."))
        return
    texts = queries.orders.standing_texts(answer.session, answer.seat)
    answer.say("answer")
    title = msg("What your standing orders would do: {attack}", attack=command.said)
    answer.blocks.append(_block_to_weigh(title, answer.here, "trial", command.said, texts))


_NO_TRIAL = msg("in this game standing orders cannot be put to the test; WHY tells after a fight which line answered")


def check_trial(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an attack that cannot come."""
    if answer.here is None:
        return None
    rules, seat = answer.here.rules, answer.seat.name
    if rules.forecast is None or rules.forecast.trial is None:
        return command.wrong(_NO_TRIAL, word=command.said)
    return _first_mistake(
        command, rules.forecast.trial(command.said, rules.view(answer.here.state, seat), seat).rejected
    )


def check_odds(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an attack that could not be ordered, marked as in a block of orders."""
    if answer.here is None:
        return None
    if answer.here.rules.forecast is None:
        return command.wrong(msg("This game reckons no odds."), word=command.said)
    return _first_mistake(command, _read(answer, command).rejected, _attack_text(command))


# An origin behind the attack; one in front, where orders have it, is left there.
_FROM = re.compile(r"(?!from\b|desde\b)(?P<attack>.*\S)\s+(?P<start>(?:from|desde)\s+\S+)", re.IGNORECASE)


def _attack_text(command: CommandLine) -> str:
    """Return the attack in question, with its origin in front."""
    match = _FROM.fullmatch(command.said)
    return command.said if match is None else f"{match['start']} {match['attack']}"


def _first_mistake(command: CommandLine, rejected: Sequence[RejectedLine], attack: str = "") -> Mistake | None:
    """Return the first refusal of a command's argument, as it is in the letter."""
    if not rejected:
        return None
    refusal, offset = rejected[0], command.text.find(attack or command.said)
    column = offset + refusal.column
    if offset < 0 or refusal.column < 0:
        # With several blanks between words, or an order wrong as a whole, the word gives the column.
        # What is not found is at -1: it is searched from the start then, and the start is marked.
        column = max(fold(command.text).find(fold(refusal.word), max(offset, 0)), 0)
    return content.cut_mistake(refusal._replace(line=command.line, column=column), command.text)


def _read(answer: SeatAnswer, command: CommandLine) -> ParsedBlock:
    if answer.here is None:
        raise LookupError(f"game {answer.game.id} has not begun")
    rules, seat = answer.here.rules, answer.seat.name
    return _forecast_of(rules).attack(
        _attack_text(command), rules.view(answer.here.state, seat), seat, answer.here.begun
    )


def parse_standing_orders(rules: AnyGame, view: object, seat: str, texts: Sequence[str]) -> tuple[object, ...]:
    """Return the parsed standing orders of texts, without those unreadable by now."""
    return tuple(rule for text in texts for rule in rules.parse(text, view, seat).orders.standing)


def fulfil_odds_promises(server: Server, promising: Sequence[Json], pages: Sequence[bool]) -> list[Json]:
    """Return the letters, in order, with their promised odds filled in.

    `pages`: which letters also have a page, with buttons for the attacks of a form. Raises one of TRANSIENT_ERRORS
    if the database is not available.
    """
    requests = {(letter["game"], block["weigh"]["after"]) for letter in promising for block in _requests_in(letter)}
    if not requests:
        return list(promising)
    with server.reading() as tx:
        states = history.states_after(tx, requests)
    return [
        _fulfil(server, letter, states, paged) if _requests_in(letter) else letter
        for letter, paged in zip(promising, pages, strict=True)
    ]


def _requests_in(letter: Json) -> list[Json]:
    blocks = [part for part in letter["blocks"] if not isinstance(part, str) and "weigh" in part]
    return [*blocks, {"weigh": letter["form"]}] if "form" in letter else blocks


def _fulfil(server: Server, letter: Json, states: Mapping[tuple[str, int], object], paged: bool) -> Json:
    blocks: list[Json] = []
    for block in letter["blocks"]:
        if "weigh" not in block:
            blocks.append(block)
            continue
        lines = _lines(server, letter, block["weigh"], states)
        if lines:
            blocks.append(
                {"title": block["title"], "lines": [[depth, sentence.to_json()] for depth, sentence in lines]}
            )
    return {**letter, "blocks": blocks, **_form_changes(server, letter, states, paged)}


def _form_changes(server: Server, letter: Json, states: Mapping[tuple[str, int], object], paged: bool) -> Json:
    """Return the changes by the order form's odds; empty if they cannot be computed."""
    if letter.get("form") is None:
        return {}
    try:
        return _with_odds(server, letter, states[letter["game"], letter["form"]["after"]], paged)
    except Exception:
        # An error in the odds must not lose the letter.
        log.exception("the odds of a form cannot be reckoned", game=letter["game"], seat=letter["seat"])
        return {}


def _with_odds(server: Server, letter: Json, state_before: object, paged: bool) -> Json:
    """Return the form with odds; with a page or data also the odds of each offer."""
    rules, seat, request = server.plugins.games(letter["rules"]), letter["seat"], letter["form"]
    view = rules.view(state_within_phase(server, letter, request, state_before), seat)
    begun, purse = "midway" in request, odds_budget_of_forms(server)
    terms = FormTerms(begun, purse, parse_standing_orders(rules, view, seat, request["standing"]))
    bare, lines = (
        promises.form_lines(rules, view, seat, request["language"], form_terms)
        for form_terms in (FormTerms(begun), terms)
    )
    form = promises.fill_form(letter["template"], bare, lines)
    if form is None:
        # The form belongs to an earlier position.
        return {}
    closing = [*letter["closing"], LEFT_OUT.to_json()] if purse.short else letter["closing"]
    changes: Json = {"template": form, "closing": closing}
    has_data = "data" in letter
    if not (paged or has_data):
        return changes
    offers = phase_reports.form_offers(
        rules, view, seat, terms._replace(purse=odds_budget_of_forms(server)), attacks=not has_data
    )
    attacks = sort_offers_by_odds(offers)
    buttons = [_button(form[0], offer, rules.telling.spoken, request["language"]) for offer in attacks]
    changes = content.with_buttons(changes, buttons)
    return {**changes, "data": {**letter["data"], "form": form, "offers": offers}} if has_data else changes


def sort_offers_by_odds(offers: Sequence[Json]) -> list[Json]:
    """Return the attacks of a form that get a button, the best first.

    Hopeless attacks are included only if there are no others.
    """
    # The best chance first.
    attacks = sorted((offer for offer in offers if offer["wins"] is not None), key=lambda offer: -offer["wins"])
    return [offer for offer in attacks if offer["wins"] >= _HOPELESS] or attacks


_HOPELESS = 5
"""Percent below which attacks get no button: a form shows what a player may want, and a chance in twenty is seldom
that."""


def _button(head: str, offer: Json, speak: speech.Speaks, language: str) -> tuple[Msg, str]:
    """Return a form attack's button: its chance, and a letter that orders only it."""
    *before, attack = speech.echo_lines(offer["orders"], speak, language)
    label = msg("{attack}: wins {share} %", attack=attack, share=offer["wins"])
    return label, "\n".join([head, *before, attack, pick_phrase(language, *END)])


def odds_budget_of_forms(server: Server) -> StepBudget:
    """Return the step budget for the odds of one order form."""
    return StepBudget(PER_FORM, server.caches.weighed, _EACH)


def _lines(
    server: Server, letter: Json, request: Json, states: Mapping[tuple[str, int], object]
) -> list[tuple[int, Msg]]:
    try:
        state = state_within_phase(server, letter, request, states[letter["game"], request["after"]])
        if "trial" in request:
            return _trial_lines(server, letter, request, state)
        result = _weigh(server, letter, request, state)
    except Exception:
        # An error in the odds must not lose the letter.
        log.exception("odds cannot be reckoned", game=letter["game"], seat=letter["seat"], wanted=request)
        return [(0, msg("The odds could not be reckoned; the operator can read why in the log."))]
    return _sentences(result, "attack" in request)


def state_within_phase(server: Server, letter: Json, request: Json, state_before: Any) -> Any:
    """Return the position of a request.

    It is the position before the phase, or after the letters of the phase that were executed.
    """
    if "midway" not in request:
        return state_before
    return server.plugins.games(letter["rules"]).decode(request["midway"], state_before.edition)


def _trial_lines(server: Server, letter: Json, request: Json, state: object) -> list[tuple[int, Msg]]:
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    view = rules.view(state, seat)
    standing = parse_standing_orders(rules, view, seat, request["standing"])
    trial = _forecast_of(rules).trial
    if trial is None:
        return [(0, _NO_TRIAL)]
    attack = trial(request["trial"], view, seat)
    # A phase taken back gets its number again: only the state itself identifies the trial.
    key = (IdentityKey(state), seat, request["trial"], tuple(request["standing"]))
    purse = StepBudget(PER_QUESTION, server.caches.weighed)
    rehearsal = purse.pay(key, lambda step: rehearse_attack(rules, seat, attack, standing, step))
    if rehearsal is None:
        return [(0, _TOO_MUCH)]
    lines = window_sentences(rehearsal, standing, rules.telling.spoken)
    return [*lines, (0, _OWN)] if lines else [(0, msg("This attack asks you nothing."))]


def _forecast_of(rules: AnyGame) -> Forecast[object]:
    if rules.forecast is None:
        raise LookupError(f"{rules.name} reckons no odds")
    return rules.forecast


def _weigh(server: Server, letter: Json, request: Json, state: object) -> OrderOdds:
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    view = rules.view(state, seat)
    standing = parse_standing_orders(rules, view, seat, request["standing"])
    if "attack" in request:
        scales = OddsLimits(StepBudget(PER_QUESTION, server.caches.weighed), standing, "midway" in request)
        result = _forecast_of(rules).attack_odds(request["attack"], view, seat, scales)
        is_opponent_first = seat not in rules.active(state)
        return result._replace(notes=(*result.notes, _BEFORE_YOU), rough=True) if is_opponent_first else result
    if rules.forecast is None:
        return OrderOdds()
    cached = server.caches.proven.find((IdentityKey(state), seat, request["orders"]))
    parsed = rules.parse(request["orders"], view, seat).orders if cached is None else cached[0]
    orders, begun = Orders(parsed.actions, standing), "midway" in request
    return rules.forecast.odds(view, seat, orders, StepBudget(PER_LETTER, server.caches.weighed), begun)


def _sentences(result: OrderOdds, question: bool) -> list[tuple[int, Msg]]:
    """Return odds in words.

    Sentences about one line of the block are below its first; assumptions and omissions come last.
    """
    lines: list[tuple[int, Msg]] = []
    latest_line = 0
    for line, sentence in result.said:
        lines.append((0 if line != latest_line else 1, sentence))
        latest_line = line
    if lines and result.played:
        lines.append((0, msg(_PLAYED, plays=result.played)))
        lines += [(0, note) for note in result.notes]
    elif lines:
        lines.append((0, _ROUGH if result.rough else _DOCTRINE))
        lines += [(0, note) for note in result.notes]
    if result.left and question:
        lines.append((0, _TOO_MUCH))
    elif result.left:
        lines.append((0, msg("Too much to compute in one letter; ask for these one at a time:")))
        lines += [(1, msg("ODDS {attack}", attack=attack)) for attack in result.left]
    return lines


COMMANDS = (
    LetterCommand(
        CommandForm(
            "odds",
            ("ODDS", "PROBABILIDAD", "PROBABILIDADES"),
            ANY_ARGUMENT,
            "ODDS ASSAULT ...",
            "PROBABILIDAD ASALTAR ...",
        ),
        ask_odds,
        check=check_odds,
        costly=True,
        help=(
            msg("ODDS ASSAULT place WITH units: what that is worth now; FROM place before it, if they are elsewhere."),
        ),
        often=RateLimit(letter=3),
        fits=command_records.has_forecast,
    ),
    LetterCommand(
        CommandForm(
            "trial",
            ("TEST STANDING", "PROBAR DOCTRINA"),
            ANY_ARGUMENT,
            "TEST STANDING place BY units",
            "PROBAR DOCTRINA lugar POR unidades",
        ),
        try_standing_orders,
        check=check_trial,
        costly=True,
        often=RateLimit(letter=3),
        fits=lambda answer: command_records.can_try_standing_orders(answer.server.rules_of(answer.game)),
    ),
)
