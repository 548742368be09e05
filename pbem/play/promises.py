"""Mark blocks of a letter as promises that are filled when it is rendered."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase, supported_languages
from pbem.engine.data.messages import msg
from pbem.engine.game import AnyGame
from pbem.engine.orders import speech
from pbem.engine.orders.block import ORDERS
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.letters import content
from pbem.play import history
from pbem.play.positions import Position
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables


def is_promise(block: Json, key: str) -> bool:
    """Return whether a block of a letter is a promise under this key."""
    return not isinstance(block, str) and key in block


def promises_in(letter: Json, key: str) -> list[Json]:
    """Return a letter's promises under a key, block by block."""
    return [block[key] for block in letter["blocks"] if is_promise(block, key)]


def promised_states(server: Server, promising: Sequence[Json], key: str) -> dict[tuple[str, int], object]:
    """Return the positions that promises need, by game and number.

    The number is that of the phase before the position, the promise's ``after``. Empty if nothing is promised.
    Raises one of TRANSIENT_ERRORS if the database is not available.
    """
    keys = {(letter["game"], promise["after"]) for letter in promising for promise in promises_in(letter, key)}
    if not keys:
        return {}
    with server.reading() as tx:
        return history.states_after(tx, keys)


# The lines of an order form as letters show them: in their reader's words, none so long that a client breaks it.


def form_lines(rules: AnyGame, view: object, seat: str, language: str, terms: FormTerms) -> list[str]:
    """Return a game's order lines for a seat, without header and END; empty if none."""
    template = rules.aids.template(view, seat, language, terms)
    return fold_form(speech.echo_lines(template, rules.telling.spoken, language))


def promise_form(position: Position, template: Sequence[str], standing: Sequence[str]) -> Json:
    """Return the input for a form's odds: position, language, standing orders.

    None if there is no form.
    """
    if not template:
        return None
    languages_by_header = {f"{pick_phrase(code, *ORDERS)} ": code for code in reversed(supported_languages())}
    language = next((code for word, code in languages_by_header.items() if template[0].startswith(word)), "en")
    promise = {"after": position.number, "language": language, "standing": list(standing)}
    if position.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        promise["midway"] = position.rules.encode(position.state)
    return promise


def fill_form(template: Sequence[str], old_lines: Sequence[str], lines: Sequence[str]) -> list[str] | None:
    """Return a form with its old lines replaced; None if they are not in it."""
    count = len(old_lines)
    for index in range(1, len(template) - count) if count else ():
        if list(template[index : index + count]) == list(old_lines):
            return [*template[:index], *lines, *template[index + count :]]
    return None


# The order desk that a letter brings: promised when the letter is written, laid when it is put into words.


DESK_BUTTON = msg("Send me the order desk: a page with the map to choose all orders on")
DESK_FAILED = msg("Your order desk could not be laid; the operator can read why in the log.")
_DESK_LINES = (
    msg(
        "desk.html is a page with the map to choose this phase's orders on; mail the text that it writes. If it is "
        "blocked, open pbemdesk.txt in an older desk. Whoever has them can give your orders."
    ),
)


def has_desk(tx: Transaction, position: Position) -> bool:
    """Return whether a game has desks: a plugin that makes them, and a map."""
    return tx.server.plugins.desks is not None and position.rules.pictured is not None


def promise_desk(tx: Transaction, position: Position, seat: tables.Seat, turn: int) -> Json:
    """Return a block that promises the desk, with its input.

    The position is given by its number, as for the form.
    """
    block = content.sentence_block(msg("Your order desk"), [(0, line) for line in _DESK_LINES])
    standing = queries.orders.standing_texts(tx.session, seat)
    block["desk"] = {"after": position.number, "standing": list(standing), "turn": turn, "code": seat.nonce}
    if position.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        block["desk"]["midway"] = position.rules.encode(position.state)
    return block
