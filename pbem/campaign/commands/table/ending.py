"""A game ended by its players or its moderator before its last turn: RESIGN gives a seat up, the others end the game.

Each asks for a code first. CONCEDE counts when all who sit on a side say it in one phase, DRAW when all who sit at
the table do; CLAIM is for who is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaign.base import codes
from pbem.campaign.base.codes import Asker
from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.command_words import CODE
from pbem.campaign.base.letters import Mistake
from pbem.campaign.base.terms import Terms
from pbem.campaign.base.work import Work
from pbem.campaign.commands.answer import Desk
from pbem.campaign.commands.seats import takeover
from pbem.campaign.people import outbox
from pbem.campaign.proofs import disclosure
from pbem.campaign.turn import holds
from pbem.core.data.canon import dumps, loads
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables, writes

__all__ = ["claim", "claim_wrong", "concede", "draw", "end_game", "ending_wrong", "resign", "result"]


def resign(desk: Desk, command: Command) -> None:
    """Give the seat up; the game goes on by its standing orders until somebody takes it over."""
    asked = msg("You want to give up the seat {seat} of {game}.", seat=desk.seat.name, game=desk.game.id)
    if not _confirmed(desk, command, asked, msg("The line that gives the seat up")):
        return
    desk.seat.person_id, desk.seat.missed = None, 0
    desk.session.add(desk.seat)
    desk.session.flush()
    desk.say("settings", msg("You have given up your seat. Thank you for playing."))
    name = desk.seat.name

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{seat} has been given up by its player.", seat=name),
            msg("Until somebody takes it over, its forces follow their standing orders alone."),
        )

    desk.announce(told, f"resign {desk.inbox.id}")
    takeover.offer(desk, desk.game, desk.seat)


def concede(desk: Desk, command: Command) -> None:
    """Give the game up for one's side, once all who sit on it agree."""
    asked = msg("You want to concede {game} for {side}.", game=desk.game.id, side=desk.seat.side)
    if not _confirmed(desk, command, asked, msg("The line that concedes the game")):
        return
    side = [seat for seat in desk.seats if seat.side == desk.seat.side]
    if _agree(desk, "concede", side):
        end_by(desk, msg("{side} has conceded the game.", side=desk.seat.side))
        return
    desk.say("settings", msg("Your side concedes once all its players have said so in this phase."))


def draw(desk: Desk, command: Command) -> None:
    """Offer a draw, or accept the one that is offered; all who sit at the table have to agree in one phase."""
    asked = msg("You want {game} to end in a draw.", game=desk.game.id)
    if not _confirmed(desk, command, asked, msg("The line that offers or accepts the draw")):
        return
    if _agree(desk, "draw", desk.seats):
        end_by(desk, msg("All have agreed on a draw."))
        return
    desk.say("settings", msg("Your offer is passed on. It lapses when this phase closes."))
    name = desk.seat.name

    def told(zone: str) -> Sequence[Msg]:
        offered = msg("{seat} offers a draw.", seat=name)
        return offered, msg("DRAW accepts it. It lapses when this phase closes; nothing has to be done to refuse it.")

    desk.announce(told, f"draw {desk.inbox.id}", may_wait=False)


def claim(desk: Desk, command: Command) -> None:
    """Take the game that the others have left."""
    asked = msg("You want to claim {game}, which the others have left.", game=desk.game.id)
    if _confirmed(desk, command, asked, msg("The line that claims the game")):
        end_by(desk, msg("{side} has claimed the game: the others have left it.", side=desk.seat.side))


def claim_wrong(desk: Desk, command: Command) -> Mistake | None:
    """Nobody of another side may be playing: each of its seats is empty or has missed deadlines in a row."""
    if wrong := ending_wrong(desk, command):
        return wrong
    after = Terms.read(desk.game.terms).claim_after
    others = [seat for seat in desk.seats if seat.side != desk.seat.side]
    playing = tuple(s.name for s in others if s.person_id is not None and not (after and s.missed >= after))
    if not playing:
        return None
    why = msg(
        "A game can be claimed when the others have missed {count} deadlines in a row or given up; playing: {seats}.",
        count=after,
        seats=playing,
    )
    return command.wrong(why)


def ending_wrong(desk: Desk, command: Command) -> Mistake | None:
    """A game that is not being played, or a code that is not good any more."""
    found = CODE.fullmatch(command.rest)
    if desk.current is None or desk.game.state == "over":
        why = msg("The game is not being played; there is nothing to end.")
    elif found and found["code"] and not codes.good(desk.server, found["code"], *_request(desk, command)):
        why = codes.stale(command.phrase)
    else:
        return None
    return command.wrong(why)


def end_by(desk: Desk, why: Msg) -> None:
    """End the game and tell everybody, the writer in the answer."""
    end_game(desk, desk.game, desk.current, why, but=desk.seat)
    desk.say("over", why, msg("The game is over. Thank you for playing."))


def end_game(
    work: Work, game: tables.Game, phase: tables.Phase | None, why: Msg, *, but: tables.Seat | None = None
) -> None:
    """End a game for a reason that is kept with it, and tell everybody but one; nothing of it is due any more."""
    holds.stop(work.session, game, "")
    game.state, game.result = "over", dumps(why.to_json())
    work.session.add(game)
    if phase is not None:
        phase.state, phase.closed = "closed", work.now
        work.session.add(phase)
    work.session.flush()

    def told(zone: str) -> Sequence[Msg]:
        return why, msg("The game is over. Thank you for playing.")

    outbox.to_all(work, game, phase, told, kind="over", cause="end", but=but)
    disclosure.disclose(work, game)


def result(game: tables.Game) -> list[Msg]:
    """How a game ended that did not come to its last turn."""
    return [Msg.from_json(loads(game.result))] if game.result else []


def _agree(desk: Desk, word: str, seats: Sequence[tables.Seat]) -> bool:
    """Note that this seat wants to end the phase's game so, and return whether all of these who are taken do."""
    session, phase = desk.session, desk.current
    if phase is None:
        return False
    session.flush()
    said = queries.orders.proposers(session, phase, word)
    if desk.seat.id not in said:
        writes.add(session, "proposal", phase_id=phase.id, seat_id=desk.seat.id, word=word)
    return {seat.id for seat in seats if seat.person_id is not None} <= {*said, desk.seat.id}


def _confirmed(desk: Desk, command: Command, asked: Msg, title: Msg) -> bool:
    """True if the command bears its code; else the answer asks for it."""
    found = CODE.fullmatch(command.rest)
    if found is not None and found["code"]:
        return True
    code = codes.codes(desk.server, *_request(desk, command))[0]
    word = Asker("", "es" if command.spanish else "en").code_word
    said = codes.please([asked], title, f"{command.phrase} {word} {code}")
    desk.say(said.kind, *said.sentences)
    desk.blocks += said.blocks
    return False


def _request(desk: Desk, command: Command) -> tuple[str, ...]:
    email = queries.people.email_of(desk.session, desk.seat.person_id) or ""
    return (command.name, desk.game.id, desk.seat.name, str(desk.seat.generation), email)
