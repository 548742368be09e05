"""The brief: what a player is told before a game begins, and whenever he asks: the battle, his part in it, what counts
and how one wins, what was agreed on, abbreviations, and where to read on."""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Line
from pbem.engine.war import chain
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION, INTERRUPT, Terms
from pbem.store import tables


def blocks(here: Position, seat: tables.Seat) -> tuple[Block, ...]:
    """Return the brief of a seat, as the position is now."""
    view = here.rules.view(here.state, seat.name)
    if here.game.system == chain.CAMP:
        camp: tuple[Block, ...] = here.rules.telling.report(view, seat.name, ()).blocks
        return camp
    told = (
        Block(msg("The battle"), _lines(*_battle(here, seat))),
        here.rules.telling.winning(view, seat.name),
        Block(
            msg("What is agreed"),
            _lines(*_pace(here), *_absent(here), *_hints(here), *here.rules.rulebook.agreed(here.edition)),
        ),
        Block(msg("Abbreviations"), (*here.rules.rulebook.help("signs"), *_lines(_NUMBERS))),
        Block(msg("Where to read on"), _lines(_ON)),
    )
    # A game may have nothing to say of one of them.
    return tuple(block for block in told if block.lines)


def _lines(*said: Msg) -> tuple[Line, ...]:
    return tuple((0, one) for one in said)


_NUMBERS = msg(
    "What stands in brackets is the number of a rule: RULES and that number tells it. #3 is a happening: WHY 3 takes it"
    " apart."
)
_ON = msg(
    "HELP lists the commands; HELP orders and HELP standing tell more. RULES, CHART, MAP, MOVES: rulebook, charts, map,"
    " what could be done. BRIEF: this again. The guide: docs/players.en.md, with the program."
)


def _battle(here: Position, seat: tables.Seat) -> list[Msg]:
    """What it is about, who the reader is, with whom and against whom."""
    told = here.rules.rulebook.brief(here.game.scenario, seat.language)
    found = [msg("{text}", text=told[part]) for part in ("battle", seat.side) if part in told]
    seats = here.rules.seats(here.state)
    mates = tuple(_called(here, name, side) for name, side in seats.items() if side == seat.side and name != seat.name)
    others = tuple(_called(here, name, side) for name, side in seats.items() if side != seat.side)
    whose = _called(here, seat.name, seat.side)
    if mates:
        return [
            *found,
            msg("You play {side}. With you: {mates}. Against you: {others}.", side=whose, mates=mates, others=others),
        ]
    return [*found, msg("You play {side}. The others: {others}.", side=whose, others=others)]


def _called(here: Position, seat: str, side: str) -> Msg:
    """A side by its name, with the seat where that is called otherwise."""
    name = here.rules.telling.side(side)
    return name if seat == side else msg("{side} (seat {seat})", side=name, seat=seat)


def _pace(here: Position) -> tuple[Msg, Msg]:
    """How orders are given and carried out, and who is asked."""
    terms = Terms.read(here.game.terms)
    asked = msg(_ASKED.text, n=terms.asks) if terms.reactions == INTERRUPT else _UNASKED
    return (_BY_LETTER if terms.pace == ACTIVATION else _BY_PHASE), asked


def _absent(here: Position) -> tuple[Msg, ...]:
    """Who writes for whoever is away, where somebody does."""
    bot = Terms.read(here.game.terms).stand_in
    return (msg(_STANDS_IN.text, bot=bot),) if bot else ()


_STANDS_IN = msg(
    "Absence: no deadline waits for who has announced by VACATION that he is away. The bot {bot} writes for him at "
    "each deadline, from what he sees, if he has sent nothing; both sides are told, and his first letter of orders "
    "ends it."
)


def _hints(here: Position) -> tuple[Msg, ...]:
    """That a bot may be asked, where that is so."""
    return (_HINTS,) if Terms.read(here.game.terms).may_hint and here.rules.advice is not None else ()


_HINTS = msg("Hints: every player may ask a bot what it would do in his place, by HINT.")
_BY_PHASE = msg(
    "Pace: by phases. You write all orders of a phase in one letter; they are carried out together when all orders are "
    "in or the deadline comes."
)
_BY_LETTER = msg(
    "Pace: by activations. Each letter of orders is carried out at once, and you write the next when you have seen "
    "what came of it; DONE ends your phase."
)
_UNASKED = msg(
    "Reactions: your standing orders answer the enemy, else the rules' default; ASK in them has you asked by letter."
)
_ASKED = msg("Reactions (interrupt): you are asked by letter how to answer the enemy, by {n} letters a turn at most.")
