"""Brief a player before a game and at his request.

The brief has the battle, his part in it, scoring and winning, agreements, abbreviations, and where to read
on.
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.war import chain
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, INTERRUPT_REACTIONS, Terms
from pbem.store import tables


def brief_blocks(position: Position, seat: tables.Seat, *, short: bool = False) -> tuple[Block, ...]:
    """Return a seat's brief for the present position.

    The `short` brief of a first letter leaves out what matters later and the usual terms; BRIEF shows them.
    """
    view = position.rules.view(position.state, seat.name)
    if position.game.system == chain.CAMP:
        camp: tuple[Block, ...] = position.rules.telling.report(view, seat.name, ()).blocks
        return camp
    counts = position.rules.telling.winning(view, seat.name)
    signs = position.rules.rulebook.help("signs")[:_SIGNS_TOLD]
    if short:
        counts = counts._replace(lines=tuple(line for line in counts.lines if line[0] == 0))
    parts = (
        Block(msg("The battle"), _lines(*_battle_sentences(position, seat, short))),
        counts,
        Block(
            msg("Settings of this game"),
            _lines(
                *_pace_sentences(position, short),
                *_absence_sentences(position),
                *_hint_sentences(position),
                *position.rules.rulebook.agreed(position.edition),
            ),
        ),
        *(
            (Block(msg("Help"), (*signs, *((0, line) for line in (_SIGNS, _FIRST_HELP)))),)
            if short
            else (
                Block(msg("Abbreviations"), position.rules.rulebook.help("signs")),
                Block(msg("Help"), _lines(_ON)),
            )
        ),
    )
    # A game may have nothing to say of one of them.
    return tuple(block for block in parts if block.lines)


def _lines(*sentences: Msg) -> tuple[Line, ...]:
    return tuple((0, sentence) for sentence in sentences)


_ON = msg(
    "HELP lists the commands; HELP orders and HELP standing say more. MOVES sends what you can do, MAP the map and "
    "all units, BRIEF the battle and its terms in full. RULES and a number shows the rule in brackets, WHY 3 explains "
    "event #3. Guide: docs/players.en.md."
)


_FIRST_HELP = msg("More: MAP, MOVES, BRIEF, WHY 3, RULES. Guide: docs/players.en.md.")
# A choice: the sentence behind them names HELP for the rest.
_SIGNS_TOLD = 3
"""Lines on abbreviations in a first letter: how units and the map are written."""
_SIGNS = msg("Take # away to order; of places between | keep one. HELP signs: more.")


def _battle_sentences(position: Position, seat: tables.Seat, short: bool) -> list[Msg]:
    """Return the battle's subject, and the reader's side, allies and opponents.

    The `short` brief leaves out an opponent whom the text of the side tells.
    """
    texts = position.rules.rulebook.brief(position.game.scenario, seat.language)
    found_texts = [msg("{text}", text=texts[part]) for part in ("battle", seat.side) if part in texts]
    seats = position.rules.seats(position.state)
    mates = tuple(
        _side_label(position, name, side) for name, side in seats.items() if side == seat.side and name != seat.name
    )
    others = tuple(_side_label(position, name, side) for name, side in seats.items() if side != seat.side)
    if short and not mates and seat.side in texts:
        return found_texts
    own_label = _side_label(position, seat.name, seat.side)
    if mates:
        return [
            *found_texts,
            msg("You play {side} with {mates}, against {others}.", side=own_label, mates=mates, others=others),
        ]
    return [*found_texts, msg("You play {side}, against {others}.", side=own_label, others=others)]


def _side_label(position: Position, seat: str, side: str) -> Msg:
    """Return a side's name, with the seat if its name differs."""
    name = position.rules.telling.side(side)
    return name if seat == side else msg("{side} (seat {seat})", side=name, seat=seat)


def _pace_sentences(position: Position, short: bool) -> tuple[Msg, ...]:
    """Return how orders are given and executed, and who is asked.

    The `short` brief names who is asked only if somebody is.
    """
    terms = Terms.read(position.game.terms)
    pace = _BY_LETTER if terms.pace == ACTIVATION_PACE else _BY_PHASE
    if terms.reactions == INTERRUPT_REACTIONS:
        return pace, msg(_ASKED.text, n=terms.asks)
    return (pace,) if short else (pace, _UNASKED)


def _absence_sentences(position: Position) -> tuple[Msg, ...]:
    """Return which bot writes for absent players, if any."""
    bot = Terms.read(position.game.terms).stand_in
    return (msg(_STANDS_IN.text, bot=bot),) if bot else ()


_STANDS_IN = msg(
    "Absence: no deadline waits for who has announced by VACATION that he is away. The bot {bot} writes for him at "
    "each deadline, from what he sees, if he has sent nothing; both sides are told, and his first letter of orders "
    "ends it."
)


def _hint_sentences(position: Position) -> tuple[Msg, ...]:
    """Return that a player may ask a bot for a plan, if the game allows it."""
    return (_HINTS,) if Terms.read(position.game.terms).may_hint and position.rules.advice is not None else ()


_HINTS = msg("Hints: every player may ask a bot what it would do in his place, by HINT.")
_BY_PHASE = msg(
    "Pace: by phases. Send all orders of a phase in one letter; they are carried out when all are in, or at "
    "the deadline."
)
_BY_LETTER = msg(
    "Pace: by activations. Each letter of orders is carried out at once; when you have seen the result, "
    "write the next. DONE ends your phase."
)
_UNASKED = msg(
    "Reactions: your standing orders answer the enemy. Where they say nothing, the rules' default applies. "
    "With ASK in them you are asked by letter."
)
_ASKED = msg("Reactions (interrupts): you are asked by letter how to answer the enemy, in at most {n} letters a turn.")
