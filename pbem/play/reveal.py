"""What was sealed is opened when a game is over: every seat gets one letter from which all of it can be played again.

The log says of each phase that it was opened. The letter's proofs are made when it is rendered (see `audit.bundle` for
what they hold): the whole record of the game, so that this letter alone is enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from pbem.audit import blocks, leaves, rolls, sealing
from pbem.audit.bundle_parts import Group, OpenedOrders, PlayedEdition, Reveal, Ruling
from pbem.audit.leaves import Leaf
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import msg
from pbem.letters import content, outbox
from pbem.log.keyring import Prove
from pbem.play import war_progress
from pbem.play.adjudication import ClosedOrders
from pbem.play.revealed_orders import given_orders
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Act, Work
from pbem.store import logrows, queries, tables
from pbem.store.logrows import LeafRow


def disclose(work: Work, act: Act) -> None:
    """Write to all seats of a game that is over that everything is opened, unless its war keeps it sealed.

    A game that was given up before it began has nothing to open.
    """
    game = act.game
    if war_progress.keeps_sealed(work, game) or logrows.last(work.session, game.id) is None:
        return
    opening = (
        msg("The game {game} is over, and everything that was sealed in it is opened.", game=game.id),
        msg("The attachment pbemdice.txt holds all orders, positions and dice, each with its proof."),
        msg("With it alone anybody can play the whole game again and compare."),
    )
    blocks = (_page(),) if work.server.stories is not None and work.server.rules_of(game).pictured is not None else ()
    for seat in queries.games.seats(work.session, game.id):
        head = outbox.head_of(work.server, game, seat, None)
        letter = content.Letter("disclosure", head, opening=opening, blocks=blocks).to_json()
        outbox.to_seat(work, letter, seat, game, cause="disclosure")


PAGE = "story"
"""The key of a block that promises the page of a game (`door.stories`)."""
PAGE_TITLE = msg("The game as a page")
PAGE_LINES = (
    msg("The attachment that ends in .html is a page of its own: open it, and look the game through step by step."),
    msg("It shows everything but letters and addresses: pass it on to whom you like."),
)


def _page() -> Json:
    """A block that promises the page of the game."""
    return {**content.sentences(PAGE_TITLE, [(0, line) for line in PAGE_LINES]), PAGE: True}


def orders(session: Session, prove: Prove, game: tables.Game, closes: Sequence[LeafRow]) -> tuple[OpenedOrders, ...]:
    """What every seat was played by in the closed segments, in clear, with the proof of the secret of its salts."""
    if not closes:
        return ()
    phases = {str(outbox.phase_of(row)): row for row in queries.phases.every(session, game.id)}
    out = []
    for close in closes:
        slate = rolls.parse_slate(close.opens.encode("utf-8"))
        where = slate.phase if slate.segment == 1 else f"{slate.phase}/{slate.segment}"
        texts = given_orders(session, phases[slate.phase], slate.segment)
        for seat, commitment in sorted(slate.seats.items()):
            proof = prove(sealing.salt(game=game.id, phase=where, seat=seat))
            one = texts.get(seat, ClosedOrders())
            shown = (slate.phase, slate.segment, seat, commitment.revision)
            out.append(OpenedOrders(*shown, proof, one.text, one.standing))
    return tuple(out)


def groups(prove: Prove, closes: Sequence[LeafRow], rolled: Sequence[LeafRow]) -> tuple[Group, ...]:
    """The proofs of the groups of dice that were hidden in their rolls."""
    slates = {(leaf("phase"), leaf("segment")): row.opens.encode("utf-8") for row, leaf in map(_read, closes)}
    out = []
    for _, leaf in map(_read, rolled):
        value = leaf("sig")
        signature = None if value == "none" else bytes.fromhex(value)
        for name, shown in leaf.groups:
            if len(shown) == 32:
                alpha = blocks.alpha(slates[leaf("phase"), leaf("segment")], signature, name)
                out.append(Group(leaf("phase"), leaf.number("segment"), name, prove(alpha)))
    return tuple(out)


def _read(row: LeafRow) -> tuple[LeafRow, Leaf]:
    return row, leaves.parse(row.body, row.says)


def manifests(shown: Sequence[LeafRow]) -> tuple[bytes, ...]:
    """The lists of what was rolled, in the order of the leaves, also of phases that were resolved once more."""
    listed: list[str] = []
    for row in shown:
        if row.kind == "roll":
            listed.append(row.opens)
        elif row.kind == "again":
            listed += loads(row.opens)[1:]
    return tuple(text.encode("utf-8") for text in listed)


def reveals(prove: Prove, shown: Sequence[LeafRow]) -> tuple[Reveal, ...]:
    """The state that each phase began with; the one that it led to where the next did not begin with that.

    Of a phase that was resolved once more also the states that this began with.
    """
    opened = [row for row in shown if row.kind == "open"]
    after = {row.phase: row.opens for row in shown if row.kind == "result"}
    out = []
    for row, follows in zip(opened, [*opened[1:], None], strict=True):
        state = after.get(row.phase, "")
        proof = prove(sealing.blind(game=row.game, phase=row.phase))
        out.append(Reveal(row.phase, proof, row.opens, "" if follows and follows.opens == state else state))
        agains = [again for again in shown if again.kind == "again" and again.phase == row.phase]
        out += [Reveal(row.phase, proof, str(loads(again.opens)[0]), "") for again in agains]
    return tuple(out)


def whole_rulings(session: Session, shown: Sequence[LeafRow]) -> tuple[Ruling, ...]:
    """The whole lines of the rulings of which everybody was told no more than the first word."""
    numbers = [loads(row.opens)["number"] for row in shown if row.kind == "ruling" and "whole" in loads(row.opens)]
    return tuple(Ruling(number, queries.rulings.ruling(session, shown[0].game, number).line) for number in numbers)


def played_by(work: Work, prove: Prove, game: tables.Game) -> PlayedEdition:
    """What the game was played by, and if a war led to it the proof of the secret that its salt comes from."""
    edition = dumps(work.server.edition_of(work.session, game).to_json())
    pace = "activation" if Terms.read(game.terms).pace == ACTIVATION else "phase"
    war, place = queries.games.war_of(work.session, game.id) or (None, None)
    proof = b""
    if war is not None and place is not None and place.place != 1 and war_progress.is_salted(war):
        proof = prove(sealing.war(game=war_progress.first_of(work, war)))
    return PlayedEdition(game.system, pace, edition, proof)
