"""DESK: a page on which orders are chosen, with the answer; FORMAT HTML DESK brings it with each report.

It is laid outside the transaction that promised it, of what its seat sees alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import structlog

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import msg
from pbem.engine.parts import FormTerms
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import promises
from pbem.play.commands.answer import Answer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.questions.odds import form_purse, in_force, midway
from pbem.runtime.page_makers import Workplace
from pbem.runtime.transaction import Server

log = structlog.get_logger(__name__)


def desk(answer: Answer, command: Line) -> None:
    """The desk of the open phase, for the orders that are wanted now."""
    if answer.here is None or answer.phase is None:
        raise LookupError(f"nothing is wanted in {answer.game.id}")
    answer.say("answer")
    answer.blocks.append(promises.promise_desk(answer, answer.here, answer.seat, answer.phase.turn))


def desk_wrong(answer: Answer, command: Line) -> Mistake | None:
    """Where no orders are wanted, or there is no map to choose them on."""
    if answer.here is None or answer.phase is None or not answer.active or not answer.seat.nonce:
        return command.wrong(msg("No orders are wanted of you now; there is a desk when they are."))
    if not promises.can_lay_desk(answer, answer.here):
        return command.wrong(msg("This game has no order desk: it has no map that can be drawn."))
    return None


def lay(server: Server, promising: Sequence[Json], languages: Sequence[str]) -> list[Json]:
    """Return the letters, in order, with the desks that they promise; WEATHER if the database is away.

    One with an order form and no desk gets a button that asks for it.
    """
    states = promises.promised_states(server, promising, "desk")
    promising = [_asking(server, letter, language) for letter, language in zip(promising, languages, strict=True)]
    if not states:
        return promising
    return [
        {**letter, "blocks": [_laid(server, letter, block, language, states) for block in letter["blocks"]]}
        for letter, language in zip(promising, languages, strict=True)
    ]


def _asking(server: Server, letter: Json, language: str) -> Json:
    brings = any(promises.made_in(block, "desk") for block in letter["blocks"])
    if brings or not letter["template"] or server.desks is None or server.games(letter["rules"]).pictured is None:
        return letter
    return content.with_buttons(letter, [(promises.DESK_BUTTON, COMMANDS[0].form.phrase(language))])


def _laid(server: Server, letter: Json, block: Json, language: str, states: Mapping[tuple[str, int], Any]) -> Json:
    if not promises.made_in(block, "desk"):
        return block
    told = {key: value for key, value in block.items() if key != "desk"}
    try:
        return {**told, "files": [[*file] for file in _files(server, letter, block["desk"], language, states)]}
    except Exception:
        # Whatever is wrong with it, the letter must not be lost.
        log.exception("an order desk cannot be laid", game=letter["game"], seat=letter["seat"])
        return content.sentences(msg("Your order desk"), [(0, promises.DESK_FAILED)])


def _files(
    server: Server, letter: Json, wanted: Json, language: str, states: Mapping[tuple[str, int], Any]
) -> Sequence[tuple[str, str]]:
    rules, seat = server.games(letter["rules"]), letter["seat"]
    if server.desks is None:
        raise LookupError("nobody lays desks any more")
    view = rules.view(midway(server, letter, wanted, states[letter["game"], wanted["after"]]), seat)
    terms = FormTerms("midway" in wanted, form_purse(server), in_force(rules, view, seat, wanted["standing"]))
    turn, game = wanted["turn"], letter["game"]
    subject = f"{game} T{turn}"
    place = Workplace(letter["rules"], view, seat, language, letter["address"], subject, turn, wanted["code"], terms)
    return server.desks.lay(place)


COMMANDS = (
    Command(
        Form("desk", ("DESK", "ESCRITORIO"), NOTHING, "DESK", "ESCRITORIO"),
        desk,
        check=desk_wrong,
        costly=True,
        help=(
            msg("DESK: a page on which you choose your orders on the map; FORMAT HTML DESK brings it with reports."),
        ),
        often=Often(day=10),
        fits=lambda answer: answer.here is not None and promises.can_lay_desk(answer, answer.here),
    ),
)
