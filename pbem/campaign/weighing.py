"""ODDS: one attack weighed as things stand, without giving any order."""

from __future__ import annotations

from pbem.campaign import letters, verifying
from pbem.campaign.desk import Desk
from pbem.campaign.letters import Mistake
from pbem.campaign.reading import Command
from pbem.core.game import Orders, Reading
from pbem.core.lex import fold
from pbem.core.messages import msg
from pbem.store import queries

__all__ = ["odds", "odds_wrong"]


def odds(desk: Desk, command: Command) -> None:
    """What the attack is worth in the position the seat sees, with its standing orders in force."""
    here, seat = desk.here, desk.seat.name
    if here is None:
        desk.say("answer", msg("The game has not begun."))
        return
    reading = _read(desk, command)
    texts = [row.text for row in queries.standing(desk.session, desk.seat)]
    wanted = Orders(reading.orders.actions, verifying.in_force(here, seat, texts))
    found = here.rules.odds(here.rules.view(here.state, seat), seat, wanted)
    desk.say("answer")
    desk.warnings += [warned._replace(line=command.line) for warned in reading.warned]
    desk.blocks.append(letters.told(msg("What the attack is worth as things stand"), verifying.worth(found)))
    if verifying.DOCTRINE not in desk.closing:
        desk.closing.append(verifying.DOCTRINE)


def odds_wrong(desk: Desk, command: Command) -> Mistake | None:
    """An attack that could not be ordered; the caret stands where it would in a block of orders."""
    if desk.here is None:
        return None
    reading = _read(desk, command)
    if not reading.rejected:
        return None
    bad, at = reading.rejected[0], command.text.find(command.said)
    column = at + bad.column
    if at < 0 or bad.column < 0:
        # Several blanks between words, or an order wrong as a whole: the word tells the place.
        column = max(fold(command.text).find(fold(bad.word), max(at, 0)), 0)
    return Mistake(bad._replace(line=command.line, column=column), command.text)


def _read(desk: Desk, command: Command) -> Reading:
    if desk.here is None:
        raise LookupError(f"game {desk.game.id} has not begun")
    rules, seat = desk.here.rules, desk.seat.name
    reading: Reading = rules.attack(command.said, rules.view(desk.here.state, seat), seat)
    return reading
