"""Bugs that the machine must find, each a promise of the server broken from outside, with a way that meets it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import pytest
from sqlmodel import Session, select

from pbem.letters import outbox
from pbem.letters.reception import IncomingFromRole
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines
from pbem.play.commands.orders import order_block
from pbem.play.commands.table import press
from pbem.play.rulings import moderator_letter
from pbem.server import intake
from pbem.server.deduplicate import EarlierCopies
from pbem.server.intake import ReceivedLetter
from pbem.store import queries, tables
from pbem.tournaments import director_letter
from pbem.tournaments.commands.entrant_answer import EntrantAnswer
from pbem.tournaments.commands.entrant_letter import EntrantRole
from tests.machine.play import Play
from tests.machine.roles import ELSEWHERE


class Plant(NamedTuple):
    """A bug: how it is put in, what then happens, and the words with which it is found."""

    put_in: Callable[[pytest.MonkeyPatch], None]
    happens: Callable[[Play], Any]
    found: str


def _no_copies(patch: pytest.MonkeyPatch) -> None:
    """Letters are not known again by their bytes: the same one is carried out once more."""
    row_of, seen = intake._new_row, set()

    def another(received: ReceivedLetter, letter: IncomingLetter, now: datetime) -> tables.Inbox:
        row = row_of(received, letter, now)
        if row.message_id in seen:
            row.message_id = f"<{received.uid}.{row.message_id[1:]}"
        seen.add(row.message_id)
        return row

    patch.setattr(intake, "_new_row", another)
    patch.setattr(intake, "find_earlier_copies", lambda *arguments: EarlierCopies(None, None, ()))


def _repeated(play: Play) -> None:
    play.orders("north")
    play.again(0)


def _forgetful(patch: pytest.MonkeyPatch) -> None:
    """RESUME lets the game go on and plans nothing."""
    patch.setattr(deadlines, "move_deadline", lambda *arguments, **more: None)


def _held_and_resumed(play: Play) -> None:
    play.rule("HOLD")
    play.rule("RESUME")
    play.finish()


def _deaf(patch: pytest.MonkeyPatch) -> None:
    """WAIT is answered, and then not heeded."""
    agreed = deadlines._closing_moment

    def hasty(state: Any, phase: Any, heard: Any, now: Any) -> Any:
        return agreed(state, phase, heard._replace(said={}), now)

    patch.setattr(deadlines, "_closing_moment", hasty)


def _waited(play: Play) -> None:
    play.say("south", "wait", "WAIT")
    play.orders("north")
    play.orders("east")
    play.forward(minutes=31)


def _wrong_seat(patch: pytest.MonkeyPatch) -> None:
    """What is written to one seat goes to the others too."""
    patch.setattr(press, "press_readers", lambda answer, words: "east south")


def _pressed(play: Play) -> None:
    play.press("north", "east")


def _older(patch: pytest.MonkeyPatch) -> None:
    """A letter of orders that is older than those that are in replaces them."""
    patch.setattr(order_block, "_check_date", lambda *arguments: None)


def _overtaken(play: Play) -> None:
    play.orders("north")
    play.orders("north", back=45)


def _good_for_ever(patch: pytest.MonkeyPatch) -> None:
    """A code rules again, whatever was ruled since."""
    patch.setattr(queries.rulings, "drafts", _unused)
    patch.setattr(moderator_letter.ModeratorAnswer, "draft", _as_at_first(moderator_letter.ModeratorAnswer.draft))


def _as_at_first(draft: Callable[[Any], tables.Draft]) -> Callable[[Any], tables.Draft]:
    def begun(answer: Any) -> tables.Draft:
        made = draft(answer)
        made.phase_id, made.after = None, 0
        return made

    return begun


def _unused(session: Session, like: tables.Draft, most: int) -> list[tables.Draft]:
    drafts = list(session.exec(select(tables.Draft).where(tables.Draft.game_id == like.game_id)))
    for row in drafts:
        row.made = None
    return drafts


def _announced_twice(play: Play) -> None:
    play.roles.rule("moderator", "ANNOUNCE Hello.")
    play.roles.confirm(-1, "alone")
    play.roles.confirm(-1, "above")


def _to_the_sender(patch: pytest.MonkeyPatch) -> None:
    """A director is answered where his letter came from."""
    patch.setattr(director_letter.DirectorRole, "envelope", lambda role, answer=None: outbox.Recipient(ELSEWHERE, "en"))


def _asked_at_home_and_elsewhere(play: Play) -> None:
    play.roles.ask("director", "STATUS", elsewhere=True)


def _somebody_else(patch: pytest.MonkeyPatch) -> None:
    """What an entrant writes is done to the one who entered first."""
    mine = EntrantRole.answer

    def another(role: EntrantRole, incoming: IncomingFromRole) -> EntrantAnswer:
        answer = mine(role, incoming)
        answer.row = queries.tournaments.entrants(role.work.session, role.event.id)[0]
        return answer

    patch.setattr(EntrantRole, "answer", another)


def _rested(play: Play) -> None:
    for pick in (0, 1):
        play.roles.ask("entrant", "STATUS", pick)
        play.roles.confirm(-1, "alone")
    play.roles.ask("entrant", "REST R1", 1)


PLANTS = {
    "repeated-bytes-carried-out": Plant(_no_copies, _repeated, "orders that are in"),
    "resume-plans-nothing": Plant(_forgetful, _held_and_resumed, "nothing is due"),
    "wait-not-heeded": Plant(_deaf, _waited, "closed too early"),
    "press-to-the-wrong-seat": Plant(_wrong_seat, _pressed, "reads zq"),
    "older-orders-replace": Plant(_older, _overtaken, "not refused"),
    "code-rules-again": Plant(_good_for_ever, _announced_twice, "by a code that is not good"),
    "director-answered-elsewhere": Plant(_to_the_sender, _asked_at_home_and_elsewhere, "which is"),
    "entrant-rests-another": Plant(_somebody_else, _rested, "changed"),
}
