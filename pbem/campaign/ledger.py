"""What a game of the scheme pbemdice/v1 leaves in the log, act by act, in the transactions of the acts themselves.

A phase is opened with its closing time and the sealed state; orders are sealed as they come, with the standing orders
in force; the list is closed, the dice are proven, the result is sealed. A game of another scheme leaves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session

from pbem.audit import blocks, keys, leaves, rolls, vrf
from pbem.audit.note import encode64
from pbem.audit.rolls import Throw
from pbem.campaign import adjudication, logbook, outgoing, pausing
from pbem.campaign.adjudication import Closed, Resolution, Waiting
from pbem.campaign.desk import Desk
from pbem.campaign.office import Office
from pbem.campaign.positions import Position
from pbem.core.canon import dumps
from pbem.core.game import ONLOOKER
from pbem.core.messages import msg
from pbem.store import queries, tables

__all__ = ["GRADE", "close", "note_orders", "opened", "recorded", "resulted", "rolled"]


GRADE = msg(
    "Dice: pbemdice/v1, grade C. Nobody can choose them, but this server could compute them before the orders were "
    "closed. The attachment pbemdice.txt proves them."
)


def recorded(game: tables.Game) -> bool:
    """Whether a game is recorded in the log."""
    return game.scheme == keys.PROVEN


def opened(session: Session, office: Office, here: Position, phase: tables.Phase) -> None:
    """A phase is open: until when, for whom, on which state."""
    if not recorded(here.game):
        return
    name, game = str(outgoing.phase_of(phase)), here.game
    state = dumps(here.rules.encode(here.state))
    says = (
        ("phase", name),
        ("D", _second(phase.deadline)),
        ("delta", "0"),
        ("chain", "none"),
        ("round", "0"),
        ("edition", here.edition.digest),
        ("state", keys.blinded(office.secret_of(game), game=game.id, phase=name, text=state)),
        ("seats", " ".join(sorted(seat.name for seat in queries.seats(session, game.id)))),
    )
    logbook.append(session, office, "open", says, game.id, state)


def note_orders(desk: Desk) -> None:
    """A letter was carried out: if it changed what its seat would be played by, that is sealed."""
    here, phase = desk.here, desk.phase
    if here is None or phase is None or not recorded(desk.game):
        return
    queued = queries.queued_set(desk.session, phase, desk.seat)
    standing = [row.text for row in queries.standing(desk.session, desk.seat)]
    text, _ = adjudication.together(here.rules, here.state, desk.seat.name, queued.text if queued else "", standing)
    held = Closed(queued.revision if queued else 0, text)
    last = _last_order(desk.session, desk.game, phase, desk.seat.name)
    if last is None and not held.revision and not standing:
        return
    came = (desk.inbox.sha256, _second(desk.inbox.internaldate))
    _seal(desk.session, desk.office, desk.game, phase, desk.seat.name, held, last, came)


def close(
    session: Session, office: Office, here: Position, phase: tables.Phase, closed: Mapping[str, Closed], now: datetime
) -> None:
    """The phase closes: what changed since a seat's last letter is sealed again, and a moved closing time told."""
    game = here.game
    if not recorded(game):
        return
    for seat, held in sorted(closed.items()):
        last = _last_order(session, game, phase, seat)
        if last is not None:
            _seal(session, office, game, phase, seat, held, last, (last("eml"), last("recv")))
    name = str(outgoing.phase_of(phase))
    found = logbook.of_game(session, game.id, name)
    said = [leaf.number("D") for leaf in found if leaf.kind in ("open", "deadline")]
    came = [leaf.number("recv") for leaf in found if leaf.kind == "order"]
    due = max([min(int(_second(now)), int(_second(phase.deadline))), *came])
    if said and due != said[-1]:
        cause = "all-in" if due < said[-1] else "extend"
        moved = (("phase", name), ("D", str(due)), ("round", "0"), ("cause", cause))
        logbook.append(session, office, "deadline", moved, game.id)


def rolled(session: Session, office: Office, here: Position, phase: tables.Phase, found: Resolution | Waiting) -> None:
    """The segments that are closed by now: answers, the closed list, the proof of its dice, and what was rolled."""
    game = here.game
    if not recorded(game) or office.secrets is None:
        return
    name, came = str(outgoing.phase_of(phase)), pausing.pauses(session, phase)
    done = len(logbook.of_game(session, game.id, name, "close"))
    for segment, slate in enumerate(found.slates[done:], done + 1):
        at = (("phase", name), ("segment", str(segment)))
        for seat, sealed in rolls.parse_slate(slate).seats.items() if segment > 1 else ():
            if sealed.revision:
                says = (*at, ("seat", seat), ("commit", encode64(sealed.commit)))
                logbook.append(session, office, "answer", says, game.id, came[segment - 2][seat].text)
        closes = (*at, ("slate", blocks.sha256_hex(slate)), ("seen", "-"))
        logbook.append(session, office, "close", closes, game.id, slate.decode("utf-8"))
        throws = [Throw(number, *roll) for number, (of, roll) in enumerate(found.thrown, 1) if of == segment]
        manifest = rolls.manifest(game=game.id, phase=name, segment=segment, group="all", throws=throws)
        proof = vrf.prove(office.secrets.dice, blocks.alpha(slate))
        shown = (proof.hex(), f"sha256:{blocks.sha256_hex(manifest)}")
        if here.rules.view(here.state, ONLOOKER) is None:
            # Labels name what not everybody may know, and whoever has the proof can try them.
            text = manifest.decode("utf-8")
            sealed_list = keys.blinded(office.secret_of(game), game=game.id, phase=name, text=text)
            shown = (blocks.sha256_hex(proof), sealed_list)
        thrown = (*at, ("sig", "none"), ("group", f"all {shown[0]}"), ("manifest", shown[1]))
        logbook.append(session, office, "roll", thrown, game.id, manifest.decode("utf-8"))


def resulted(
    session: Session, office: Office, here: Position, phase: tables.Phase, done: Resolution, after: str
) -> None:
    """The phase is resolved: the state after it and what happened, of which all reports are made, are sealed."""
    if not recorded(here.game):
        return
    name, secret = str(outgoing.phase_of(phase)), office.secret_of(here.game)
    told = dumps([happened.to_json() for happened in done.events])
    sealed = [keys.blinded(secret, game=here.game.id, phase=name, text=text) for text in (after, told)]
    says = (("phase", name), ("state", sealed[0]), ("report", sealed[1]))
    logbook.append(session, office, "result", says, here.game.id, after)


def _last_order(session: Session, game: tables.Game, phase: tables.Phase, seat: str) -> leaves.Leaf | None:
    name = str(outgoing.phase_of(phase))
    found = [leaf for leaf in logbook.of_game(session, game.id, name, "order") if leaf("seat") == seat]
    return found[-1] if found else None


def _seal(
    session: Session,
    office: Office,
    game: tables.Game,
    phase: tables.Phase,
    seat: str,
    held: Closed,
    last: leaves.Leaf | None,
    came: tuple[str, str],
) -> None:
    """Log what a seat would be played by, unless that is what was logged last; `came` are the letter and its moment."""
    name = str(outgoing.phase_of(phase))
    salt = keys.order_salt(office.secret_of(game), game=game.id, phase=name, seat=seat, revision=held.revision)
    commit = encode64(keys.commit(salt, held.text))
    if last is not None and (last.number("rev"), last("commit")) == (held.revision, commit):
        return
    says = (("phase", name), ("seat", seat), ("rev", str(held.revision)), ("commit", commit))
    logbook.append(session, office, "order", (*says, ("eml", came[0]), ("recv", came[1])), game.id, held.text)


def _second(moment: datetime) -> str:
    return str(int(moment.timestamp()))
