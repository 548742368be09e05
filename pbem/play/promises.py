"""What a letter promises to tell, to be worked out when it is put into words: blocks of it that hold a key for that."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen, known
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


def made_in(block: Json, key: str) -> bool:
    """Whether a block of a letter promises what has this key."""
    return not isinstance(block, str) and key in block


def promised(letter: Json, key: str) -> list[Json]:
    """Return what a letter promises under a key, block by block."""
    return [block[key] for block in letter["blocks"] if made_in(block, key)]


def promised_states(server: Server, promising: Sequence[Json], key: str) -> dict[tuple[str, int], object]:
    """Return the positions that the promises of letters are of, by game and by the number of the phase ``after`` which
    they are; none if nothing is promised. WEATHER if the database is away."""
    wanted = {(letter["game"], one["after"]) for letter in promising for one in promised(letter, key)}
    if not wanted:
        return {}
    with server.reading() as work:
        return history.states_after(work, wanted)


# The lines of an order form as letters show them: in their reader's words, none so long that a client breaks it.


def form_lines(rules: AnyGame, view: object, seat: str, language: str, terms: FormTerms) -> list[str]:
    """Return what a game offers a seat, without header and END; nothing if it offers none now."""
    offered = rules.aids.template(view, seat, language, terms)
    return fold_form(speech.echoed(offered, rules.telling.spoken, language))


def promise_form(here: Position, template: Sequence[str], standing: Sequence[str]) -> Json:
    """What the odds of a form in a letter are reckoned from: the position, its language, the seat's standing orders.

    None if there is no form.
    """
    if not template:
        return None
    begun = {f"{chosen(one, *ORDERS)} ": one for one in reversed(known())}
    language = next((one for word, one in begun.items() if template[0].startswith(word)), "en")
    made = {"after": here.number, "language": language, "standing": list(standing)}
    if here.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        made["midway"] = here.rules.encode(here.state)
    return made


def fill_form(template: Sequence[str], bare: Sequence[str], lines: Sequence[str]) -> list[str] | None:
    """A form with other lines in the place of those that it was made of; None if they are not in it."""
    many = len(bare)
    for at in range(1, len(template) - many) if many else ():
        if list(template[at : at + many]) == list(bare):
            return [*template[:at], *lines, *template[at + many :]]
    return None


# The order desk that a letter brings: promised when the letter is written, laid when it is put into words.


DESK_BUTTON = msg("Send me the order desk: a page with the map to choose all orders on")
DESK_FAILED = msg("Your order desk could not be laid; the operator can read why in the log.")
_DESK_LINES = (
    msg("desk.html is a page of its own: open it, choose your orders on the map, and mail what it writes."),
    msg("Where mail programs keep such files from you, pbemdesk.txt is the same for a desk that you have already."),
    msg("Who has one of them can write for your seat, as with this letter; they are for this phase alone."),
)


def can_lay_desk(work: Transaction, here: Position) -> bool:
    """Whether there are desks for a game: somebody lays them, and it has a map."""
    return work.server.plugins.desks is not None and here.rules.pictured is not None


def promise_desk(work: Transaction, here: Position, seat: tables.Seat, turn: int) -> Json:
    """A block that tells of the desk, and from what it is to be laid: the position by its number, as of the form."""
    block = content.sentences(msg("Your order desk"), [(0, line) for line in _DESK_LINES])
    standing = queries.orders.standing_texts(work.session, seat)
    block["desk"] = {"after": here.number, "standing": list(standing), "turn": turn, "code": seat.nonce}
    if here.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        block["desk"]["midway"] = here.rules.encode(here.state)
    return block
