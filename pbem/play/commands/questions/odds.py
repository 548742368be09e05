"""What attacks are worth: promised in an answer when it is made, reckoned when it is put into words.

No transaction waits for odds. A promise is a block of the letter that says, in the place of its lines, what is
to be weighed: the position by its number, orders as text, standing orders. It is kept outside the transaction that
made it, and comes out the same however often it is done. What a letter may cost is counted in steps of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.memory import Itself
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.orders.block import END
from pbem.engine.orders.lex import fold
from pbem.engine.parts import Forecast, FormTerms, Scales
from pbem.engine.rehearsal import rehearse, sentences
from pbem.engine.run.odds import Purse
from pbem.engine.terms import Orders, Reading, Rejected, Worth
from pbem.lazy import Logger
from pbem.letters import content
from pbem.letters.commands import ANYTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import history, phase_reports, promises
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.positions import Position
from pbem.runtime.transaction import Server
from pbem.store import queries

log = Logger(__name__)

PER_LETTER = 10_000
"""Steps of the rules for all attacks in a block of orders. A common assault takes less than a thousand."""
PER_QUESTION = 40_000
"""Steps for the attack that ODDS asks of."""

PER_FORM = 30_000
"""Steps for all attacks that an order form offers, and for one of them."""
_EACH = 4_000

LEFT_OUT = msg(
    "Some attacks of the form stand without odds: to weigh them all would take too long in one letter. ODDS asks for "
    "one of them."
)
"""What is said of a form in which not all attacks were weighed."""

_DOCTRINE = msg("The odds are exact, if the other side keeps to the default doctrine.")
_ROUGH = msg("Where nothing is left out, the odds are exact, if the other side keeps to the default doctrine.")
_PLAYED = msg(
    "To look at all dice would take too long here: it was played {plays} times, so that a share may be some 5 points "
    "off. The other side is taken to keep to the default doctrine."
).text
_OWN = msg("The other side is taken to keep to the default; what you do not see of it is left out.")
_BEFORE_YOU = msg("The other side moves first: what it does by then is not counted.")
_TOO_MUCH = msg("This attack leads to too many possibilities to be weighed; with fewer guns or units it can be.")
_BEFOREHAND = msg("What your attacks are worth, as far as can be foreseen")


def promise(here: Position, actions: str, standing: Sequence[str]) -> Json:
    """A block that will tell what the attacks in orders are worth; it vanishes if there are none."""
    return _promise(_BEFOREHAND, here, "orders", actions, standing)


def _promise(title: Msg, here: Position, what: str, text: str, standing: Sequence[str]) -> Json:
    block = content.block(title, ())
    block["weigh"] = {"after": here.number, what: text, "standing": list(standing)}
    if here.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        block["weigh"]["midway"] = here.rules.encode(here.state)
    return block


def odds(answer: SeatAnswer, command: Line) -> None:
    """What the attack is worth in the position the seat sees, with its standing orders in force."""
    if answer.here is None:
        answer.say("answer", msg("The game has not begun."))
        return
    reading = _read(answer, command)
    texts = queries.orders.standing_texts(answer.session, answer.seat)
    answer.say("answer")
    answer.warnings += [warned._replace(line=command.line) for warned in reading.warned]
    title = msg("What the attack is worth as things stand: {attack}", attack=answer.reworded([_attack(command)])[0])
    answer.blocks.append(_promise(title, answer.here, "attack", _attack(command), texts))


def trial(answer: SeatAnswer, command: Line) -> None:
    """Which standing orders would answer an attack, window by window."""
    if answer.here is None:
        answer.say("answer", msg("The game has not begun."))
        return
    texts = queries.orders.standing_texts(answer.session, answer.seat)
    answer.say("answer")
    title = msg("What your standing orders would do: {attack}", attack=command.said)
    answer.blocks.append(_promise(title, answer.here, "trial", command.said, texts))


def trial_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """An attack that cannot come."""
    if answer.here is None:
        return None
    rules, seat = answer.here.rules, answer.seat.name
    if rules.forecast is None:
        return command.wrong(msg("This game tries no attacks."), word=command.said)
    return _mistake(command, rules.forecast.trial(command.said, rules.view(answer.here.state, seat), seat).rejected)


def odds_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """An attack that could not be ordered; the caret stands where it would in a block of orders."""
    if answer.here is None:
        return None
    if answer.here.rules.forecast is None:
        return command.wrong(msg("This game reckons no odds."), word=command.said)
    return _mistake(command, _read(answer, command).rejected, _attack(command))


_FROM = re.compile(r"(?!from\b|desde\b)(?P<attack>.*\S)\s+(?P<start>(?:from|desde)\s+\S+)", re.IGNORECASE)


def _attack(command: Line) -> str:
    """The attack that is asked about; from where it comes stands before it, wherever the player wrote it."""
    found = _FROM.fullmatch(command.said)
    return command.said if found is None else f"{found['start']} {found['attack']}"


def _mistake(command: Line, rejected: Sequence[Rejected], said: str = "") -> Mistake | None:
    """The first refusal of what follows the command's phrase, as it stands in the letter."""
    if not rejected:
        return None
    bad, at = rejected[0], command.text.find(said or command.said)
    column = at + bad.column
    if at < 0 or bad.column < 0:
        # Several blanks between words, or an order wrong as a whole: the word tells the place.
        column = max(fold(command.text).find(fold(bad.word), max(at, 0)), 0)
    return content.refused(bad._replace(line=command.line, column=column), command.text)


def _read(answer: SeatAnswer, command: Line) -> Reading:
    if answer.here is None:
        raise LookupError(f"game {answer.game.id} has not begun")
    rules, seat = answer.here.rules, answer.seat.name
    return _forecast(rules).attack(_attack(command), rules.view(answer.here.state, seat), seat, answer.here.begun)


def in_force(rules: AnyGame, view: object, seat: str, texts: Sequence[str]) -> tuple[object, ...]:
    """Standing orders as the game reads their texts; those that cannot be read any more are left out."""
    return tuple(rule for text in texts for rule in rules.parse(text, view, seat).orders.standing)


def fulfil(server: Server, promising: Sequence[Json]) -> list[Json]:
    """Return the letters, in order, with the odds reckoned that they promise; WEATHER if the database is away."""
    wanted = {(letter["game"], block["weigh"]["after"]) for letter in promising for block in _promises(letter)}
    if not wanted:
        return list(promising)
    with server.reading() as work:
        states = history.states_after(work, wanted)
    return [_fulfil(server, letter, states) if _promises(letter) else letter for letter in promising]


def _promises(letter: Json) -> list[Json]:
    blocks = [block for block in letter["blocks"] if not isinstance(block, str) and "weigh" in block]
    return [*blocks, {"weigh": letter["form"]}] if "form" in letter else blocks


def _fulfil(server: Server, letter: Json, states: Mapping[tuple[str, int], object]) -> Json:
    blocks: list[Json] = []
    for block in letter["blocks"]:
        if "weigh" not in block:
            blocks.append(block)
            continue
        lines = _lines(server, letter, block["weigh"], states)
        if lines:
            blocks.append({"title": block["title"], "lines": [[depth, said.to_json()] for depth, said in lines]})
    return {**letter, "blocks": blocks, **_form(server, letter, states)}


def _form(server: Server, letter: Json, states: Mapping[tuple[str, int], object]) -> Json:
    """What the odds of its order form change in a letter; nothing if they cannot be told."""
    if letter.get("form") is None:
        return {}
    try:
        return _with_odds(server, letter, letter["form"], states[letter["game"], letter["form"]["after"]])
    except Exception:
        log.exception("the odds of a form cannot be reckoned", game=letter["game"], seat=letter["seat"])
        return {}


def _with_odds(server: Server, letter: Json, wanted: Json, before: object) -> Json:
    rules, seat, begun = server.plugins.games(letter["rules"]), letter["seat"], "midway" in wanted
    view, purse = rules.view(midway(server, letter, wanted, before), seat), form_purse(server)
    terms = FormTerms(begun, purse, in_force(rules, view, seat, wanted["standing"]))
    bare, lines = (
        promises.form_lines(rules, view, seat, wanted["language"], each) for each in (FormTerms(begun), terms)
    )
    form = promises.fill_form(letter["template"], bare, lines)
    if form is None:
        # The form is of a position that is no more.
        return {}
    closing = [*letter["closing"], LEFT_OUT.to_json()] if purse.short else letter["closing"]
    whole = "data" in letter
    offers = phase_reports.form_offers(rules, view, seat, terms._replace(purse=form_purse(server)), attacks=not whole)
    attacks = best_first(offers)
    buttons = [_button(form[0], one, rules.telling.spoken, wanted["language"]) for one in attacks]
    told = content.with_buttons({"template": form, "closing": closing}, buttons)
    return {**told, "data": {**letter["data"], "form": form, "offers": offers}} if whole else told


def best_first(offers: Sequence[Json]) -> list[Json]:
    """Return the attacks of a form that get a button, the best first; hopeless ones only where there is no other."""
    attacks = sorted((one for one in offers if one["wins"] is not None), key=lambda one: -one["wins"])
    return [one for one in attacks if one["wins"] >= _HOPELESS] or attacks


_HOPELESS = 5
"""Percent below which nobody is shown how to lose."""


def _button(head: str, offer: Json, speak: speech.Speaks, language: str) -> tuple[Msg, str]:
    """A button for an attack of the form: how often it wins, and a letter that orders it and nothing else."""
    *before, attack = speech.echoed(offer["orders"], speak, language)
    said = msg("{attack}: wins {share} %", attack=attack, share=offer["wins"])
    return said, "\n".join([head, *before, attack, chosen(language, *END)])


def form_purse(server: Server) -> Purse:
    """What the odds of one order form may cost."""
    return Purse(PER_FORM, server.caches.weighed, _EACH)


def _lines(
    server: Server, letter: Json, wanted: Json, states: Mapping[tuple[str, int], object]
) -> list[tuple[int, Msg]]:
    try:
        state = midway(server, letter, wanted, states[letter["game"], wanted["after"]])
        if "trial" in wanted:
            return _trial_lines(server, letter, wanted, state)
        worth = _weigh(server, letter, wanted, state)
    except Exception:
        # Whatever is wrong with them, the letter that they stand in must not be lost.
        log.exception("odds cannot be reckoned", game=letter["game"], seat=letter["seat"], wanted=wanted)
        return [(0, msg("The odds could not be reckoned; the operator can read why in the log."))]
    return _sentences(worth, "attack" in wanted)


def midway(server: Server, letter: Json, wanted: Json, before: Any) -> Any:
    """The position that is meant: the one before the phase, or the one after letters of it that were carried out."""
    if "midway" not in wanted:
        return before
    return server.plugins.games(letter["rules"]).decode(wanted["midway"], before.edition)


def _trial_lines(server: Server, letter: Json, wanted: Json, state: object) -> list[tuple[int, Msg]]:
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    view = rules.view(state, seat)
    standing = in_force(rules, view, seat, wanted["standing"])
    attack = _forecast(rules).trial(wanted["trial"], view, seat)
    # A phase that is taken back comes again under its number: only the state itself says what was tried.
    key = (Itself(state), seat, wanted["trial"], tuple(wanted["standing"]))
    purse = Purse(PER_QUESTION, server.caches.weighed)
    found = purse.pay(key, lambda step: rehearse(rules, seat, attack, standing, step))
    if found is None:
        return [(0, _TOO_MUCH)]
    lines = sentences(found, standing)
    return [*lines, (0, _OWN)] if lines else [(0, msg("This attack asks you nothing."))]


def _forecast(rules: AnyGame) -> Forecast[object]:
    if rules.forecast is None:
        raise LookupError(f"{rules.name} reckons no odds")
    return rules.forecast


def _weigh(server: Server, letter: Json, wanted: Json, state: object) -> Worth:
    rules, seat = server.plugins.games(letter["rules"]), letter["seat"]
    view = rules.view(state, seat)
    standing = in_force(rules, view, seat, wanted["standing"])
    if "attack" in wanted:
        by = Scales(Purse(PER_QUESTION, server.caches.weighed), standing, "midway" in wanted)
        worth = _forecast(rules).attack_odds(wanted["attack"], view, seat, by)
        first = seat not in rules.active(state)
        return worth._replace(notes=(*worth.notes, _BEFORE_YOU), rough=True) if first else worth
    if rules.forecast is None:
        return Worth()
    kept = server.caches.proven.find((Itself(state), seat, wanted["orders"]))
    read = rules.parse(wanted["orders"], view, seat).orders if kept is None else kept[0]
    orders, begun = Orders(read.actions, standing), "midway" in wanted
    return rules.forecast.odds(view, seat, orders, Purse(PER_LETTER, server.caches.weighed), begun)


def _sentences(worth: Worth, question: bool) -> list[tuple[int, Msg]]:
    """Sentences about one line of the block stand below its first; what they rest on, and what was left out, last."""
    lines: list[tuple[int, Msg]] = []
    last = 0
    for line, said in worth.said:
        lines.append((0 if line != last else 1, said))
        last = line
    if lines and worth.played:
        lines.append((0, msg(_PLAYED, plays=worth.played)))
        lines += [(0, note) for note in worth.notes]
    elif lines:
        lines.append((0, _ROUGH if worth.rough else _DOCTRINE))
        lines += [(0, note) for note in worth.notes]
    if worth.left and question:
        lines.append((0, _TOO_MUCH))
    elif worth.left:
        lines.append((0, msg("Not weighed, for it would take too long in one letter; ask for them one at a time:")))
        lines += [(1, msg("ODDS {attack}", attack=attack)) for attack in worth.left]
    return lines


COMMANDS = (
    Command(
        Form("odds", ("ODDS", "PROBABILIDAD"), ANYTHING, "ODDS ASSAULT ...", "PROBABILIDAD ASALTAR ..."),
        odds,
        check=odds_wrong,
        costly=True,
        help=(
            msg("ODDS ASSAULT place WITH units: what that is worth now; FROM place before it, if they are elsewhere."),
        ),
        often=Often(letter=3),
        fits=command_records.has_forecast,
    ),
    Command(
        Form(
            "trial",
            ("TEST STANDING", "PROBAR DOCTRINA"),
            ANYTHING,
            "TEST STANDING place BY units",
            "PROBAR DOCTRINA lugar POR unidades",
        ),
        trial,
        check=trial_wrong,
        costly=True,
        often=Often(letter=3),
        fits=command_records.has_forecast,
    ),
)
